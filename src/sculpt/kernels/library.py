"""Kernels compiled ahead of time: a shared library, made by `build`, called through `ctypes`.

In: the folder of this package. Out: the kernels by name, as functions that take numbers and objects
with the buffer protocol (views, bytes, numpy arrays); or an `UnfitError` that says in one line why
there is no usable library.

Invariant: no code of a library runs unless it was built for this kind of machine, from exactly
these sources, and is undamaged. The name of the file says so before anything is loaded: it has the
platform, the stamp of the kernels (`signatures.stamp`), and a digest of the file's bytes. A file
with any other name is ignored.

A call releases the GIL. Cost: 2 to 15 microseconds per call, 0.3 per array.
"""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Callable
from typing import Any

from sculpt.kernels.signatures import (
    FOLDER,
    Group,
    Kind,
    UnfitError,
    entry_points,
    flattened,
    parameters,
    stamp,
)

PREFIX, SUFFIX = "compiled.", ".so"
SYMBOL = "sculpt_"
"""The prefix of entry points in the library."""


def platform() -> str:
    """The kind of machine, as far as code depends on it."""
    machine = os.uname().machine if hasattr(os, "uname") else "unknown"
    return f"{sys.platform}-{machine}-{sys.maxsize.bit_length() + 1}"


def digest(content: bytes) -> str:
    """A digest of the bytes of a library."""
    from hashlib import sha256

    return sha256(content).hexdigest()[:32]


def file_name(content: bytes) -> str:
    """The name that a library for this platform and these kernels must have."""
    return f"{PREFIX}{platform()}.{stamp()}.{digest(content)}{SUFFIX}"


def libraries(folder: str = FOLDER) -> list[str]:
    """The names of the libraries in a folder, whatever they were built for."""
    try:
        names = os.listdir(folder)
    except OSError:
        return []
    return sorted(name for name in names if name.startswith(PREFIX) and name.endswith(SUFFIX))


def load(folder: str = FOLDER) -> dict[str, Callable[..., Any]]:
    """The kernels of the library in a folder."""
    try:
        path = fitting(folder)
        library = ctypes.CDLL(path)
        return {
            name: _called(getattr(library, SYMBOL + name), parameters(function))
            for name, function in entry_points().items()
        }
    except OSError as error:
        reason = " ".join(str(error).split())
        raise UnfitError(f"the compiled kernels cannot be loaded: {reason}") from None
    except AttributeError as error:
        raise UnfitError(f"the compiled kernels are incomplete: {error}") from None


def fitting(folder: str = FOLDER) -> str:
    """The path of the library that fits this machine and these kernels, and is undamaged."""
    found = libraries(folder)
    if not found:
        raise UnfitError("")
    here = [name for name in found if name.startswith(f"{PREFIX}{platform()}.")]
    if not here:
        built_for = found[0].removeprefix(PREFIX).partition(".")[0]
        raise UnfitError(
            f"the compiled kernels were built for {built_for}, but this is {platform()}"
        )
    same = [name for name in here if name.startswith(f"{PREFIX}{platform()}.{stamp()}.")]
    if not same:
        raise UnfitError("the compiled kernels were built from another version of their source")
    reason = "are damaged"
    for name in same:
        path = os.path.join(folder, name)
        try:
            with open(path, "rb") as file:
                if file_name(file.read()) == name:
                    return path
        except OSError as error:
            reason = f"cannot be read: {(error.strerror or str(error)).lower()}"
    raise UnfitError(f"the compiled kernels {reason}: {os.path.join(folder, same[0])}")


_address = (ctypes.c_char * 0).from_buffer
"""The address of a writable buffer. `c_char * 0`, because the buffer may be empty."""


def _called(entry: Any, parameters: tuple[Kind | Group, ...]) -> Callable[..., int]:
    """An entry point as a function with the kernel's own parameters."""
    kinds, has_groups = flattened(parameters), any(isinstance(p, Group) for p in parameters)
    sizes = tuple(kind.size for kind in kinds)
    types: list[Any] = []
    for kind in kinds:
        if kind.size:
            types += (ctypes.c_void_p, ctypes.c_int64)
        else:
            types.append(ctypes.c_uint64 if kind.type_name == "uint64" else ctypes.c_int64)
    entry.argtypes = types
    entry.restype = ctypes.c_int64

    def call(*arguments: Any) -> int:
        if has_groups:
            arguments = tuple(
                each
                for argument in arguments
                for each in (argument if isinstance(argument, tuple) else (argument,))
            )
        passed: list[Any] = []
        for argument, size in zip(arguments, sizes, strict=True):
            if not size:
                passed.append(argument)
                continue
            if size != getattr(argument, "itemsize", 1):  # `bytes` has none
                raise TypeError(f"a kernel takes items of {size} bytes, not {argument!r}")
            if type(argument) is bytes:
                passed.append(argument)
            else:
                try:
                    passed.append(_address(argument))
                except TypeError:  # read-only, as arrays over bytes and Arrow's buffers are
                    passed.append(_read_only(argument))
            passed.append(len(argument))
        found: int = entry(*passed)
        return found

    return call


def _read_only(array: Any) -> Any:
    """The address of a read-only array: that of a numpy array itself, of others a copy."""
    flags = getattr(array, "flags", None)
    if flags is None:
        return bytes(array)
    if not flags.c_contiguous:
        raise TypeError("a kernel takes contiguous arrays")
    return array.ctypes.data
