"""Two ways to run the kernels: as plain Python, or compiled.

In: nothing. Out: a `Backend`: the functions of `kernels`, and arrays that fit them. Small inputs
take `plain()`: lists, and the functions as they stand, so that nothing heavy is imported. Large
ones take `compiled()`: numpy arrays and Numba's machine code, kept on disk between runs where that
is possible (`cache`).
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, fields
from functools import cache
from types import ModuleType
from typing import Any

from sculpt import gathering, kernels


@dataclass(frozen=True)
class Backend:
    """Functions and the arrays they take."""

    is_compiled: bool
    scan: Callable[..., int]
    scan_three: Callable[..., None]
    scan_pairs: Callable[..., int]
    count_visits: Callable[..., None]
    compose_pairs: Callable[..., None]
    walk: Callable[..., int]
    insert_entry: Callable[..., None]
    insert_all: Callable[..., None]
    blank_tail: Callable[..., int]
    widest: Callable[..., int]
    reach: Callable[..., int]
    relabel: Callable[..., int]
    pad_rows: Callable[..., int]
    count_rows: Callable[..., int]
    count_bytes: Callable[..., int]
    split_cells: Callable[..., None]
    split_fixed: Callable[..., None]
    gather_texts: Callable[..., None]
    parse_numbers: Callable[..., None]
    follow: Callable[..., None]
    nearest_beside: Callable[..., None]
    number_cells: Callable[..., int]
    buffer: Callable[[bytes | bytearray], Any]
    """Bytes as the kernels read them."""
    unsigned: Callable[[Iterable[int]], Any]
    """64 bits without a sign."""
    signed: Callable[[Iterable[int]], Any]
    """64 bits with a sign."""
    zeros: Callable[[int], Any]
    """So many numbers of 64 bits with a sign."""
    small: Callable[[int], Any]
    """So many numbers of 32 bits with a sign."""
    room: Callable[[int], Any]
    """Like `zeros`, but not set: most of it is never read."""
    small_room: Callable[[int], Any]

    def halves(self, buffer: Any) -> Any:
        """Bytes, of which there may be an odd one at the end, as numbers of two (compiled only)."""
        import numpy as np

        return buffer[: len(buffer) // 2 * 2].view(np.uint16)

    def total(self, array: Any, places: Any) -> int:
        """The sum of an array's numbers at some places."""
        return int(array[places].sum()) if self.is_compiled else sum(array[at] for at in places)

    def copied(self, array: Any) -> Any:
        """An array of its own."""
        return array.copy()

    def joined(self, arrays: list[Any]) -> Any:
        """One array after the other."""
        if not self.is_compiled:
            return [number for array in arrays for number in array]
        import numpy as np

        return np.concatenate(arrays)

    def shifted(self, array: Any, by: int) -> Any:
        """The numbers of an array, each larger by one number."""
        return array + by if self.is_compiled else [number + by for number in array]

    def packed(self, array: Any) -> Hashable:
        """An array of 64 bits a number in little room; equal for equal arrays."""
        return zlib.compress(array.tobytes(), 1) if self.is_compiled else tuple(array)

    def unpacked(self, packed: Any) -> Any:
        """The array again."""
        if not self.is_compiled:
            return list(packed)
        import numpy as np

        return np.frombuffer(bytearray(zlib.decompress(packed)), dtype=np.int64)

    def filled(self, size: int, value: int) -> Any:
        """So many numbers of 64 bits with a value."""
        if not self.is_compiled:
            return [value] * size
        import numpy as np

        return np.full(size, value, dtype=np.int64)

    def grown(self, array: Any, more: int, value: int) -> Any:
        """A copy with so many more entries of a value."""
        if not self.is_compiled:
            return array + [value] * more
        import numpy as np

        return np.concatenate([array, np.full(more, value, dtype=array.dtype)])


def _functions(*modules: ModuleType) -> dict[str, Any]:
    """The kernels that a backend offers, from the modules that have them in its form."""
    names = {each.name for each in fields(Backend)}
    return {
        name: getattr(module, name) for module in modules for name in names & set(module.COMPILED)
    }


@cache
def plain() -> Backend:
    """The kernels as they stand."""
    return Backend(
        is_compiled=False,
        **_functions(kernels, gathering),
        buffer=lambda data: data,
        unsigned=list,
        signed=list,
        zeros=lambda size: [0] * size,
        small=lambda size: [0] * size,
        room=lambda size: [0] * size,
        small_room=lambda size: [0] * size,
    )


@cache
def compiled() -> Backend:
    """The kernels as machine code."""
    import numpy as np

    unsigned: dict[str, Any] = {n: np.uint64(getattr(kernels, n)) for n in kernels.UNSIGNED}
    core = _compiled_copy(kernels, "sculpt._compiled", unsigned | {"INDEX": np.uint64})
    extraction = _compiled_copy(gathering, "sculpt._compiled_gathering", {})
    return Backend(
        is_compiled=True,
        **_functions(core, extraction),
        buffer=lambda data: np.frombuffer(memoryview(data).toreadonly(), dtype=np.uint8),
        unsigned=lambda values: np.array(list(values), dtype=np.uint64),
        signed=lambda values: np.array(list(values), dtype=np.int64),
        small=lambda size: np.zeros(size, dtype=np.int32),
        room=lambda size: np.empty(size, dtype=np.int64),
        small_room=lambda size: np.empty(size, dtype=np.int32),
        zeros=lambda size: np.zeros(size, dtype=np.int64),
    )


def _compiled_copy(module: ModuleType, name: str, constants: dict[str, Any]) -> ModuleType:
    """A second copy of a module, in which each function finds the compiled form of what it calls.

    The first copy stays plain.
    """
    import importlib.util
    import sys

    import numba

    from sculpt.automata.cache import keep_code

    spec = importlib.util.spec_from_file_location(name, str(module.__file__))
    assert spec is not None
    assert spec.loader is not None
    copy = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(copy)
    for constant, value in constants.items():
        setattr(copy, constant, value)
    for function in module.COMPILED:
        setattr(copy, function, keep_code(numba.njit(nogil=True)(getattr(copy, function))))
    return copy


def is_compiled_already() -> bool:
    """Is the machine code of the kernels here, from an earlier run or from this one?"""
    from sculpt.automata.cache import cache_of

    walk: Any = compiled().walk
    if getattr(walk, "signatures", True):  # a plain function, if Numba is told not to compile
        return True
    cache = cache_of(walk)
    return cache is not None and cache.has_code()


def keeps_code() -> bool:
    """Can the machine code be kept on disk for the next run?"""
    from sculpt.automata.cache import cache_of

    return cache_of(compiled().walk) is not None
