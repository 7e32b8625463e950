"""No output of a call is ever one of its inputs.

In: the schema, the DATA arguments and the outputs of a call. Out: nothing, or a `UsageError` that
names the output and the input. Every command and function that writes asks here first.

Invariant: files are compared by what they are, not by how they are named: device and inode, so
links of both kinds, relative paths, redirections and `file://` URIs are seen through; what is in a
store, by its URI. A directory as DATA stands for every file in it, also for one that is not there
yet. Cost: one look at each input.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator, Sequence

from sculpt.errors import DataError, UsageError
from sculpt.schema import Schema
from sculpt.tabular.inputs import STDIN, expand
from sculpt.tabular.stores import local_path, plain_uri

STDOUT = "-"


def check_outputs(schema: Schema, data: Sequence[str], outputs: Iterable[str]) -> None:
    """Raise an error if an output is an input, or would be one if the call were repeated."""
    inputs = dict(_inputs(schema, data))
    folders = [path for each in data if (path := local_path(each)) and os.path.isdir(path)]
    for output in outputs:
        is_printed = output == STDOUT
        kind = inputs.get(_redirected(1) if is_printed else _identity(output))
        if kind is not None:
            name = "standard output" if is_printed else output
            raise UsageError(f"{name}: is {kind}; name another output")
        if is_printed:
            continue
        place = local_path(output)
        for folder in folders:
            if place is not None and _is_inside(place, folder):
                message = f"{output}: is in {folder}, where the data is; name another place"
                raise UsageError(message)


def _inputs(schema: Schema, data: Sequence[str]) -> Iterator[tuple[object, str]]:
    """What the call reads: the identity of each file, and what to call it."""
    for file in schema.files:
        yield _identity(file), "a file of the schema"
    if schema.source.name == STDIN:
        yield _redirected(0), "the schema"
    for entry in expand(data):
        if not isinstance(entry, DataError):
            yield _redirected(0) if entry == STDIN else _identity(entry), "a file of the data"


def _redirected(descriptor: int) -> object:
    """The identity of the file that a standard stream is redirected to; its own if to none."""
    try:
        facts = os.fstat(descriptor)
    except OSError:
        return descriptor
    is_file = stat.S_ISREG(facts.st_mode)
    return (facts.st_dev, facts.st_ino) if is_file else descriptor


def _identity(path: str) -> object:
    """What tells a file from every other one; its name if it is not there."""
    local = local_path(path)
    if local is None:
        return plain_uri(path)
    try:
        facts = os.stat(local)
    except (OSError, ValueError):
        return os.path.abspath(local)
    return facts.st_dev, facts.st_ino


def _is_inside(path: str, folder: str) -> bool:
    inner, outer = os.path.realpath(path), os.path.realpath(folder)
    return inner == outer or inner.startswith(outer.rstrip(os.sep) + os.sep)
