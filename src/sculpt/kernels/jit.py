"""Kernels compiled by Numba when they are first needed.

That is for development, and for platforms without a library (`library`).

In: the modules of kernels. Out: second copies of them, in which each function finds the compiled
form of what it calls; the first copies stay plain. What is compiled is kept on disk (`cache`).
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import numba
import numpy as np

from sculpt.kernels.cache import cache_of, keep_code
from sculpt.kernels.signatures import MODULES, Kind, entry_points, functions_of, parameters


def load(for_library: bool = False) -> dict[str, Any]:
    """The kernels by name; each is compiled, or read from disk, when it is first called.

    For the library they raise nothing, not even at an index out of bounds where the tests want
    that, and count no references.
    """
    compiled = {
        name: function
        for module in MODULES
        for name, function in _compiled_copy(module, for_library).items()
    }
    return {
        name: compiled[name] if for_library else _with_indices(compiled[name], parameters(function))
        for name, function in entry_points().items()
    }


def _compiled_copy(module: ModuleType, for_library: bool) -> dict[str, Any]:
    """The functions of a second copy of a module, as Numba compiles them."""
    name = f"sculpt.kernels._compiled_{module.__name__.rpartition('.')[2]}"
    spec = importlib.util.spec_from_file_location(name, str(module.__file__))
    assert spec is not None
    assert spec.loader is not None
    copy = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(copy)
    constants = {constant: getattr(copy, constant) for constant in getattr(copy, "UNSIGNED", ())}
    vars(copy).update({constant: np.uint64(value) for constant, value in constants.items()})
    vars(copy)["INDEX"] = np.uint64
    compiled: dict[str, Any] = {}
    for function_name, function in functions_of(copy).items():
        if for_library:
            settings: dict[str, Any] = {"error_model": "numpy", "boundscheck": False, "_nrt": False}
            compiled[function_name] = numba.njit(**settings)(function)
        else:
            compiled[function_name] = keep_code(numba.njit(nogil=True)(function))
    vars(copy).update(compiled)
    return compiled


def announcement(walk: Any) -> Iterator[str]:
    """Why the run takes some seconds more, if it does; `walk` is the kernel of that name."""
    # A plain function has no signatures: so it is if Numba is told not to compile.
    cache = cache_of(walk)
    if not getattr(walk, "signatures", True) and not (cache is not None and cache.has_code()):
        often = "once per installation"
        if cache is None:
            often = "in every run: no directory for compiled code can be used; set NUMBA_CACHE_DIR"
        yield f"compiling the kernels: this takes some seconds, {often}"


def _with_indices(function: Any, kinds: tuple[Kind, ...]) -> Any:
    """A kernel that is given Python's numbers; Numba would take those for numbers with a sign."""
    if Kind("uint64", 0) not in kinds:
        return function

    def call(*arguments: Any) -> Any:
        pairs = zip(arguments, kinds, strict=True)
        return function(*(np.uint64(a) if kind == ("uint64", 0) else a for a, kind in pairs))

    return call
