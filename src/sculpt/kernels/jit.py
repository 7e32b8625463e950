"""Kernels compiled by Numba when they are first needed.

They are for development, and for platforms without a library (`library`).

In: the kernel modules. Out: copies of them in which each function calls the compiled form of other
kernels; the originals stay plain. Compiled code is kept on disk (`cache`).
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

    For the library, they raise nothing and count no references: even the tests that check bounds
    do not check them there.
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
    """The functions of a copy of a module, compiled by Numba.

    `compiled` holds those of earlier modules: they replace the functions that it has imported.
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
    space["INDEX"], space["SIGNED"] = np.uint64, np.int64
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
    """Why the run takes a few seconds more, if it does; `walk` is the kernel of that name."""
    # If Numba is told not to compile, `walk` is a plain function without signatures.
    cache = cache_of(walk)
    if not getattr(walk, "signatures", True) and not (cache is not None and cache.has_code()):
        when = "once per installation"
        if cache is None:
            when = "in every run: there is no writable cache directory; set NUMBA_CACHE_DIR"
        yield f"compiling the kernels: this takes a few seconds, {when}"


def _with_indices(function: Any, kinds: tuple[Kind | Group, ...]) -> Any:
    """A kernel that converts Python numbers to unsigned ones; Numba would treat them as signed."""
    if Kind("uint64", 0) not in kinds:
        return function

    def call(*arguments: Any) -> Any:
        pairs = zip(arguments, kinds, strict=True)
        return function(*(np.uint64(a) if kind == ("uint64", 0) else a for a, kind in pairs))

    return call
