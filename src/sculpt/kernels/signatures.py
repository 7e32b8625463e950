"""Which kernels exist, the types of their parameters, and a stamp that identifies their version.

In: the kernel modules. Out: their entry points, the kinds of their parameters, and a stamp.
Invariant: a compiler makes the same code from two sets of kernels with the same stamp: the stamp
covers every source file that the library is built from, this one included.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache
from types import FunctionType, ModuleType
from typing import Any, NamedTuple

from sculpt.kernels.loops import cells, identities, lookups, reach, rows, scan, texts, words
from sculpt.kernels.loops.walking import counts, heat, ledger, steady, walk

HELPERS: tuple[ModuleType, ...] = (ledger, counts, steady, words)
"""Their functions are called only by kernels. Each module may call those before it."""
MODULES: tuple[ModuleType, ...] = (
    *HELPERS,
    scan,
    walk,
    reach,
    rows,
    texts,
    lookups,
    heat,
    cells,
    identities,
)
FOLDER = os.path.dirname(__file__)
_SOURCES = (
    "loops/types",
    "loops/walking/walk_arrays",
    "signatures",
    "jit",
    "library",
    "build",
    *(module.__name__.partition(".kernels.")[2].replace(".", "/") for module in MODULES),
)


class UnfitError(Exception):
    """There is no usable library; the message says why, and is empty if there is none at all."""


class Kind(NamedTuple):
    """The type of a parameter."""

    type_name: str
    """The type of an item, as Numba and numpy call it."""
    size: int
    """The size of an array item in bytes; 0 for a plain number."""


class Group(NamedTuple):
    """The type of a parameter that holds several: a `NamedTuple` whose fields have kinds."""

    type: Callable[..., Any]
    kinds: tuple[Kind, ...]


KINDS = {
    "Bytes": Kind("uint8", 1),
    "Halves": Kind("uint16", 2),
    "Flags": Kind("bool", 1),
    "Small": Kind("int32", 4),
    "Numbers": Kind("int64", 8),
    "Unsigned": Kind("uint64", 8),
    "Index": Kind("uint64", 0),
    "int": Kind("int64", 0),
    "bool": Kind("bool", 0),
}
"""By annotation."""


def functions_of(module: ModuleType) -> dict[str, Callable[..., Any]]:
    """All functions of a kernel module."""
    return {
        name: value
        for name, value in vars(module).items()
        if isinstance(value, FunctionType) and value.__module__ == module.__name__
    }


@cache
def entry_points() -> dict[str, Callable[..., Any]]:
    """The kernels that engines call, by name."""
    return {
        name: function
        for module in MODULES
        if module not in HELPERS
        for name, function in functions_of(module).items()
        if not name.startswith("_")
    }


def parameters(function: Callable[..., Any]) -> tuple[Kind | Group, ...]:
    """The types of a kernel's parameters, in order."""
    names = [name for key, name in function.__annotations__.items() if key != "return"]
    return tuple(KINDS.get(name) or _group(function.__globals__[name]) for name in names)


def _group(group: Callable[..., Any]) -> Group:
    # `NamedTuple` wraps the names of types.
    names = [str(getattr(name, "__forward_arg__", name)) for name in group.__annotations__.values()]
    return Group(group, tuple(KINDS[name] for name in names))


def flattened(parameters: tuple[Kind | Group, ...]) -> tuple[Kind, ...]:
    """The same, with the fields of groups one by one."""
    return tuple(
        kind for each in parameters for kind in (each.kinds if isinstance(each, Group) else (each,))
    )


@cache
def stamp() -> str:
    """A stamp that identifies this version of the kernels."""
    from hashlib import sha256

    digest = sha256()
    for name in _SOURCES:
        with open(os.path.join(FOLDER, f"{name}.py"), "rb") as file:
            source = file.read()
        digest.update(f"{name} {len(source)}\n".encode() + source)
    return digest.hexdigest()[:16]
