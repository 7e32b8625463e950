"""No output of a call is ever one of its inputs.

In: the schema, the DATA arguments and the outputs of a call. Out: nothing, or a `UsageError` that
names the output and the input. Every command and function that writes calls this first.

Invariant: files are compared by device and inode, not by name, so links of both kinds, relative
paths, redirections and `file://` URIs make no difference; files in a store are compared by URI. A
directory as DATA covers every file in it, even one that does not exist yet. Cost: one `stat` per
input.
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
    check_files(schema.files, schema.source.name, data, outputs)


def check_files(
    files: Iterable[str], schema: str, data: Sequence[str], outputs: Iterable[str]
) -> None:
    """The same for a schema that could not be loaded: its files, and its name in the call."""
    inputs = dict(_inputs(files, schema, data))
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


def _inputs(files: Iterable[str], schema: str, data: Sequence[str]) -> Iterator[tuple[object, str]]:
    """What the call reads: the identity of each file, and what it is, for the message."""
    for file in files:
        yield _identity(file), "a schema file"
    if schema == STDIN:
        yield _redirected(0), "the schema"
    for entry in expand(data):
        if not isinstance(entry, DataError):
            yield _redirected(0) if entry == STDIN else _identity(entry), "a data file"


def _redirected(descriptor: int) -> object:
    """The identity of the file that a standard stream is redirected to, or its descriptor."""
    try:
        facts = os.fstat(descriptor)
    except OSError:
        return descriptor
    is_file = stat.S_ISREG(facts.st_mode)
    return (facts.st_dev, facts.st_ino) if is_file else descriptor


def _identity(path: str) -> object:
    """What distinguishes a file from all others; its path if it does not exist."""
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
