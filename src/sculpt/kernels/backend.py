"""The kernels, and the arrays that they take.

There are three forms of a `Backend`, and all give the same results:

    Plain    ordinary Python functions, over lists and bytes: nothing has to be loaded
    Ahead    the library in the installation, over memory views: no numpy, no compiler
    Jit      compiled by Numba when first needed, over numpy arrays

All other operations that engines need on arrays are here too, so engines do not depend on the form.
"""

from __future__ import annotations

import zlib
from abc import ABC, abstractmethod
from array import array
from collections.abc import Callable, Hashable, Iterable
from typing import Any

from sculpt.kernels import signatures

LARGE = 1 << 20
"""From this many bytes on, memory comes from the system, which adds pages as they are used."""


class Backend(ABC):
    """The kernels, and operations on their arrays."""

    name: str
    is_compiled = True

    scan: Callable[..., int]
    scan_texts: Callable[..., int]
    scan_three: Callable[..., None]
    scan_pairs: Callable[..., int]
    count_visits: Callable[..., None]
    compose_pairs: Callable[..., None]
    count_bytes: Callable[..., int]
    walk: Callable[..., int]
    insert_entry: Callable[..., None]
    insert_all: Callable[..., None]
    reach: Callable[..., int]
    relabel: Callable[..., int]
    blank_tail: Callable[..., int]
    widest: Callable[..., int]
    pad_rows: Callable[..., int]
    count_rows: Callable[..., int]
    find_letters: Callable[..., int]
    shift_numbers: Callable[..., None]
    add_numbers: Callable[..., None]
    trim_texts: Callable[..., None]
    gather_texts: Callable[..., None]
    parse_numbers: Callable[..., None]
    parse_dates: Callable[..., None]
    follow: Callable[..., None]
    nearest_beside: Callable[..., None]
    number_cells: Callable[..., int]
    count_places: Callable[..., None]
    widen_buckets: Callable[..., None]
    pick_cells: Callable[..., int]
    count_cells: Callable[..., None]
    find_texts: Callable[..., None]
    pack_entries: Callable[..., None]
    spread_entries: Callable[..., None]
    merge_runs: Callable[..., None]
    number_entries: Callable[..., None]
    place_entries: Callable[..., None]
    seek_entries: Callable[..., int]

    def __init__(self, functions: dict[str, Callable[..., Any]]) -> None:
        vars(self).update(functions)

    @abstractmethod
    def buffer(self, data: bytes | bytearray) -> Any:
        """Bytes as the kernels read them."""

    @abstractmethod
    def unsigned(self, values: Iterable[int]) -> Any:
        """An array of unsigned 64-bit numbers."""

    @abstractmethod
    def signed(self, values: Iterable[int]) -> Any:
        """An array of signed 64-bit numbers."""

    @abstractmethod
    def halves(self, content: bytes) -> Any:
        """Unsigned 16-bit numbers, from their bytes in memory."""

    @abstractmethod
    def zeros(self, size: int) -> Any:
        """An array of signed 64-bit zeros."""

    @abstractmethod
    def small(self, size: int) -> Any:
        """An array of signed 32-bit zeros."""

    def room(self, size: int) -> Any:
        """Like `zeros`, but possibly uninitialised: most of it is never read."""
        return self.zeros(size)

    def small_room(self, size: int) -> Any:
        """Like `small`, but possibly uninitialised."""
        return self.small(size)

    @abstractmethod
    def filled(self, size: int, value: int) -> Any:
        """An array of 64-bit numbers that all have one value."""

    @abstractmethod
    def grown(self, numbers: Any, more: int, value: int) -> Any:
        """A copy with `more` further entries of one value at its end."""

    @abstractmethod
    def copied(self, numbers: Any) -> Any:
        """A copy of an array."""

    @abstractmethod
    def joined(self, arrays: list[Any]) -> Any:
        """The arrays, concatenated."""

    @abstractmethod
    def packed(self, numbers: Any) -> Hashable:
        """An array of 64-bit numbers in compact form; equal for equal arrays."""

    @abstractmethod
    def unpacked(self, packed: Any) -> Any:
        """The array that was packed."""

    @abstractmethod
    def read(self, content: bytes, size: int) -> Any:
        """Signed numbers of 4 or 8 bytes, from their bytes in memory."""

    def total(self, numbers: Any, places: Any) -> int:
        """The sum of an array's numbers at some places."""
        return sum(int(numbers[at]) for at in places)

    def where(self, wanted: Any, letters: Any) -> list[int]:
        """Which of some letters are wanted; `wanted` says so by letter."""
        if not any(wanted):
            return []
        found = self.room(len(letters) + 1)
        return [int(ix) for ix in found[: self.find_letters(letters, wanted, found)]]


class Plain(Backend):
    """Backend over lists."""

    name = "plain"
    is_compiled = False

    def __init__(self) -> None:
        super().__init__(signatures.entry_points())

    def buffer(self, data: bytes | bytearray) -> Any:
        return data

    def unsigned(self, values: Iterable[int]) -> Any:
        return list(values)

    def signed(self, values: Iterable[int]) -> Any:
        return list(values)

    def halves(self, content: bytes) -> Any:
        return array("H", content).tolist()

    def zeros(self, size: int) -> Any:
        return [0] * size

    def small(self, size: int) -> Any:
        return [0] * size

    def where(self, wanted: Any, letters: Any) -> list[int]:
        numbers = {letter for letter, is_wanted in enumerate(wanted) if is_wanted}
        if numbers.isdisjoint(letters):
            return []
        return [ix for ix, letter in enumerate(letters) if letter in numbers]

    def filled(self, size: int, value: int) -> Any:
        return [value] * size

    def grown(self, numbers: Any, more: int, value: int) -> Any:
        return numbers + [value] * more

    def copied(self, numbers: Any) -> Any:
        return numbers.copy()

    def joined(self, arrays: list[Any]) -> Any:
        return [number for numbers in arrays for number in numbers]

    def packed(self, numbers: Any) -> Hashable:
        return tuple(numbers)

    def unpacked(self, packed: Any) -> Any:
        return list(packed)

    def read(self, content: bytes, size: int) -> Any:
        return array("i" if size == 4 else "q", content).tolist()


class Ahead(Backend):
    """Backend over memory views: items are Python numbers, and slices share the memory."""

    name = "ahead"

    def __init__(self, folder: str = signatures.FOLDER) -> None:
        from sculpt.kernels import library

        super().__init__(library.load(folder))

    def buffer(self, data: bytes | bytearray) -> Any:
        return data

    def unsigned(self, values: Iterable[int]) -> Any:
        return memoryview(array("Q", values))

    def signed(self, values: Iterable[int]) -> Any:
        return memoryview(array("q", values))

    def halves(self, content: bytes) -> Any:
        return memoryview(bytearray(content)).cast("H")

    def zeros(self, size: int) -> Any:
        return _memory(8 * size).cast("q")

    def small(self, size: int) -> Any:
        return _memory(4 * size).cast("i")

    def filled(self, size: int, value: int) -> Any:
        return memoryview(array("q", (value,)) * size)

    def grown(self, numbers: Any, more: int, value: int) -> Any:
        return memoryview(
            array(numbers.format, numbers.tobytes()) + array(numbers.format, (value,)) * more
        )

    def copied(self, numbers: Any) -> Any:
        return memoryview(bytearray(numbers)).cast(numbers.format)

    def joined(self, arrays: list[Any]) -> Any:
        return memoryview(bytearray().join(arrays)).cast(arrays[0].format)

    def packed(self, numbers: Any) -> Hashable:
        return zlib.compress(numbers, 1)

    def unpacked(self, packed: Any) -> Any:
        return memoryview(bytearray(zlib.decompress(packed))).cast("q")

    def read(self, content: bytes, size: int) -> Any:
        return memoryview(bytearray(content)).cast("i" if size == 4 else "q")


def _memory(size: int) -> memoryview:
    """Zeroed memory."""
    if size < LARGE:
        return memoryview(bytearray(size))
    import mmap

    if not hasattr(mmap, "MAP_PRIVATE"):  # Windows
        return memoryview(mmap.mmap(-1, size))
    # Shared memory, the default, is slower, and forked processes would share it. Large pages were
    # no faster, and took twice the memory.
    return memoryview(mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS))


class Jit(Backend):
    """Backend over numpy arrays."""

    name = "jit"

    def __init__(self) -> None:
        import numpy as np

        from sculpt.kernels import jit

        super().__init__(jit.load())
        self._np = np

    def buffer(self, data: bytes | bytearray) -> Any:
        return self._np.frombuffer(memoryview(data).toreadonly(), dtype=self._np.uint8)

    def unsigned(self, values: Iterable[int]) -> Any:
        return self._np.array(list(values), dtype=self._np.uint64)

    def signed(self, values: Iterable[int]) -> Any:
        return self._np.array(list(values), dtype=self._np.int64)

    def halves(self, content: bytes) -> Any:
        return self._np.frombuffer(content, dtype=self._np.uint16)

    def zeros(self, size: int) -> Any:
        return self._np.zeros(size, dtype=self._np.int64)

    def small(self, size: int) -> Any:
        return self._np.zeros(size, dtype=self._np.int32)

    def room(self, size: int) -> Any:
        return self._np.empty(size, dtype=self._np.int64)

    def small_room(self, size: int) -> Any:
        return self._np.empty(size, dtype=self._np.int32)

    def filled(self, size: int, value: int) -> Any:
        return self._np.full(size, value, dtype=self._np.int64)

    def grown(self, numbers: Any, more: int, value: int) -> Any:
        added = self._np.full(more, value, dtype=numbers.dtype)
        return self._np.concatenate([numbers, added])

    def copied(self, numbers: Any) -> Any:
        return numbers.copy()

    def joined(self, arrays: list[Any]) -> Any:
        return self._np.concatenate(arrays)

    def packed(self, numbers: Any) -> Hashable:
        return zlib.compress(numbers.tobytes(), 1)

    def unpacked(self, packed: Any) -> Any:
        return self._np.frombuffer(bytearray(zlib.decompress(packed)), dtype=self._np.int64)

    def read(self, content: bytes, size: int) -> Any:
        return self._np.frombuffer(content, dtype=self._np.int32 if size == 4 else self._np.int64)

    def total(self, numbers: Any, places: Any) -> int:
        return int(numbers[places].sum())
