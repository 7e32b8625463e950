"""No output of a call is ever one of its inputs.

In: the schema, the DATA arguments and the outputs of a call. Out: nothing, or a `UsageError` that
names the output and the input. Every command that writes asks here, before it reads any data.

Invariant: files are compared by what they are, not by how they are named: device and inode, so
links of both kinds, relative paths and `file://` URIs are seen through; what is in a store, by its
URI. A directory as DATA stands for every file in it, also for one that is not there yet. Cost: one
look at each input.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence

from sculpt import api
from sculpt.errors import DataError, UsageError
from sculpt.tabular.source import STDIN, expand
from sculpt.tabular.stores import local_path, plain_uri

_STANDARD = ("-", "/dev/stdin", "/dev/stdout")


def check_outputs(schema: api.Schema, data: Sequence[str], outputs: Iterable[str]) -> None:
    """Raise an error if an output is an input, or would be one if the call were repeated."""
    wanted = [each for each in outputs if each not in _STANDARD]
    if not wanted:
        return
    inputs = dict(_inputs(schema, data))
    folders = [path for each in data if (path := local_path(each)) and os.path.isdir(path)]
    for output in wanted:
        kind = inputs.get(_identity(output))
        if kind is not None:
            raise UsageError(f"{output}: is {kind}; name another output")
        place = local_path(output)
        for folder in folders:
            if place is not None and _is_inside(place, folder):
                message = f"{output}: is in {folder}, where the data is; name another place"
                raise UsageError(message)


def _inputs(schema: api.Schema, data: Sequence[str]) -> Iterator[tuple[object, str]]:
    """What the call reads: the identity of each file, and what to call it."""
    for file in schema.files:
        yield _identity(file), "a file of the schema"
    for entry in expand(data):
        if not isinstance(entry, DataError) and entry != STDIN:
            yield _identity(entry), "a file of the data"


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
