"""Good and bad rows in files of their own: where the rows of each input go.

In: a path and the inputs of a call. Out: a file for each input, which is opened when its first
bytes come. One input goes to a file, or to a file in a directory; several go to a new directory,
under the paths that they have below their common folder, without the extension of packed files.

Invariant: no two inputs share a file; every file is inside the directory.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from types import MappingProxyType
from typing import IO

from sculpt.errors import UsageError
from sculpt.tabular.inputs import STDIN
from sculpt.tabular.stores import has_scheme
from sculpt.transform.atomic import check_place, placed, placed_directory
from sculpt.values import frozen

PACKED = (".gz", ".bz2", ".xz", ".zst")
STDIN_NAME = "stdin"


@frozen
class RowTarget:
    """Where the good rows or the bad rows of a call go."""

    path: str
    names: Mapping[str, str] | None = None
    """By input: its file below the directory `path`; `None` if `path` is the only file."""

    def check(self) -> None:
        """Raise an error if it cannot be written."""
        check_place(self.path, is_directory=self.names is not None)

    def open(self, stack: ExitStack) -> OpenTarget:
        """Begin to write; what is written is in place when the stack is closed."""
        if self.names is None:
            return OpenTarget(self, stack.enter_context(placed(self.path)))
        return OpenTarget(self, stack.enter_context(placed_directory(self.path)))


class OpenTarget:
    """A target that is being written, under a temporary name."""

    def __init__(self, target: RowTarget, place: str) -> None:
        self._target = target
        self._place = place

    def file(self, entry: str) -> IO[bytes]:
        """The file for the rows of an input."""
        names = self._target.names
        if names is None:
            return open(self._place, "wb")
        path = os.path.join(self._place, names[entry])
        os.makedirs(os.path.dirname(path), exist_ok=True)
        return open(path, "wb")


def row_target(path: str, entries: Sequence[str]) -> RowTarget:
    """Where the rows of some inputs go."""
    if path == STDIN:
        raise UsageError("rows cannot be written to standard output; name a file")
    if not (len(entries) > 1 or path.endswith(("/", os.sep)) or os.path.isdir(path)):
        if path.lower().endswith(PACKED):
            raise UsageError(f"{path}: rows are written unpacked; leave out the last extension")
        return RowTarget(path)
    names: dict[str, str] = {}
    seen: dict[str, str] = {}
    for entry, name in zip(entries, _names(entries), strict=True):
        if name in seen:
            raise UsageError(
                f"{path}: the rows of {seen[name]} and {entry} would go to the same file, {name}"
            )
        seen[name] = entry
        names[entry] = name
    return RowTarget(path, MappingProxyType(names))


def _names(entries: Sequence[str]) -> Iterator[str]:
    """The names of inputs below their common folder."""
    plain = [each for each in entries if each != STDIN and not has_scheme(each)]
    folders = [os.path.dirname(os.path.abspath(each)) for each in plain]
    common = os.path.commonpath(folders) if folders else ""
    for entry in entries:
        if entry == STDIN:
            yield STDIN_NAME
            continue
        if has_scheme(entry):
            parts = entry.partition("://")[2].split("/")
            name = os.path.join(*(part for part in parts if part not in ("", ".", "..")))
        else:
            name = os.path.relpath(os.path.abspath(entry), common)
        root, extension = os.path.splitext(name)
        yield root if extension.lower() in PACKED and root else name
