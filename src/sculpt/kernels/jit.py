"""Kernels compiled by Numba when they are first needed.

That is for development, and for platforms without a library (`library`).

In: the modules of kernels. Out: second copies of them, in which each function finds the compiled
form of what it calls; the first copies stay plain. What is compiled is kept on disk (`cache`).
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator
from types import FunctionType, ModuleType
from typing import Any

import numba
import numpy as np

from sculpt.kernels.cache import cache_of, keep_code
from sculpt.kernels.signatures import (
    MODULES,
    Group,
    Kind,
    entry_points,
    functions_of,
    parameters,
)


def load(for_library: bool = False) -> dict[str, Any]:
    """The kernels by name; each is compiled, or read from disk, when it is first called.

    For the library they raise nothing, not even at an index out of bounds where the tests want
    that, and count no references.
    """
    compiled: dict[tuple[str, str], Any] = {}
    for module in MODULES:
        compiled |= _compiled_copy(module, compiled, for_library)
    kernels = {}
    for name, function in entry_points().items():
        kernel = compiled[function.__module__, name]
        kernels[name] = kernel if for_library else _with_indices(kernel, parameters(function))
    return kernels


def _compiled_copy(
    module: ModuleType, compiled: dict[tuple[str, str], Any], for_library: bool
) -> dict[tuple[str, str], Any]:
    """The functions of a second copy of a module, as Numba compiles them.

    `compiled` are those of the modules before it: what it has imported of them is replaced.
    """
    name = f"sculpt.kernels._compiled_{module.__name__.rpartition('.')[2]}"
    spec = importlib.util.spec_from_file_location(name, str(module.__file__))
    assert spec is not None
    assert spec.loader is not None
    copy = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(copy)
    space = vars(copy)
    for key, value in list(space.items()):
        if key in getattr(copy, "UNSIGNED", ()):
            space[key] = np.uint64(value)
        elif isinstance(value, FunctionType):
            space[key] = compiled.get((value.__module__, value.__name__), value)
    space["INDEX"] = np.uint64
    functions: dict[str, Any] = {}
    for function_name, function in functions_of(copy).items():
        if for_library:
            settings: dict[str, Any] = {"error_model": "numpy", "boundscheck": False, "_nrt": False}
            functions[function_name] = numba.njit(**settings)(function)
        else:
            functions[function_name] = keep_code(numba.njit(nogil=True)(function))
    space.update(functions)
    return {(module.__name__, function_name): each for function_name, each in functions.items()}


def announcement(walk: Any) -> Iterator[str]:
    """Why the run takes some seconds more, if it does; `walk` is the kernel of that name."""
    # A plain function has no signatures: so it is if Numba is told not to compile.
    cache = cache_of(walk)
    if not getattr(walk, "signatures", True) and not (cache is not None and cache.has_code()):
        often = "once per installation"
        if cache is None:
            often = "in every run: no directory for compiled code can be used; set NUMBA_CACHE_DIR"
        yield f"compiling the kernels: this takes some seconds, {often}"


def _with_indices(function: Any, kinds: tuple[Kind | Group, ...]) -> Any:
    """A kernel that is given Python's numbers; Numba would take those for numbers with a sign."""
    if Kind("uint64", 0) not in kinds:
        return function

    def call(*arguments: Any) -> Any:
        pairs = zip(arguments, kinds, strict=True)
        return function(*(np.uint64(a) if kind == ("uint64", 0) else a for a, kind in pairs))

    return call
