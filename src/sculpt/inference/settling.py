"""Proposing again without what stands in the way: files that cannot be read, readings that break.

In: paths, and how to propose for some of them. Out: a `Settled`: the last attempt. A file of a
directory that cannot be read is left out. A file that breaks its own dialect is read in another
way (`rereading`), and so are the files of its kind if that changes nothing for them; it is left out
if there is none. Invariant: what is proposed in the end accepts all files of its kind; every file
that is left out has a reason. Cost: one attempt for each time that something stood in the way, in
which files are read only if their reading is a new one.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Generic, TypeVar

from sculpt.errors import DataError
from sculpt.inference.files.reading import Reading, read_sheet
from sculpt.inference.files.sheet import Sheet
from sculpt.inference.proof.judges import Judge
from sculpt.inference.rereading import difference, reread
from sculpt.values import frozen

Found = TypeVar("Found")


class Shelf:
    """The sheets of files, each read once."""

    def __init__(self, scratch: str) -> None:
        self._scratch = scratch
        self._sheets: dict[str, Sheet] = {}
        self.readings: dict[str, Reading] = {}
        """Of files that are not what a sample of them looks like."""

    def sheet(self, path: str) -> Sheet:
        """A file; a `DataError` if it cannot be read."""
        if path not in self._sheets:
            self._sheets[path] = read_sheet(path, self._scratch, self.readings.get(path))
        return self._sheets[path]

    def use(self, path: str, reading: Reading, kind: Sequence[Sheet]) -> None:
        """Read a file in another way, and those of its kind if that changes nothing for them."""
        own = next((each for each in kind if each.path == path), None)
        self.readings[path] = reading
        self._sheets.pop(path, None)
        for each in kind if own is not None and own.directives != reading.directives else ():
            if each is own or each.path in self.readings:
                continue
            other = read_sheet(each.path, self._scratch, reading)
            if other.rows == each.rows:
                self.readings[each.path] = reading
                self._sheets[each.path] = other


@frozen
class Settled(Generic[Found]):
    """The last attempt."""

    found: Found | None
    """`None` if no file is left."""
    left_out: tuple[tuple[str, str], ...]
    """Files, and why."""
    reread: tuple[tuple[str, str], ...]
    """Files that are read in another way than a sample of them suggests, and how and why."""


def settled(
    paths: Sequence[str],
    named: Collection[str],
    judge: Judge,
    shelf: Shelf,
    attempt: Callable[[Sequence[str]], Found],
    refused: Callable[[Found], tuple[tuple[tuple[str, str], ...], Sequence[Sheet]]],
) -> Settled[Found]:
    """Attempts until nothing stands in the way.

    A file of `named` that cannot be read is an error. `refused` has the files that an attempt
    refuses, with the reasons, and the sheets that it is made from.
    """
    left_out: dict[str, str] = {}
    notes: dict[str, str] = {}
    unread: dict[str, DataError] = {}
    while rest := [path for path in paths if path not in left_out]:
        try:
            found = attempt(rest)
        except DataError as error:
            if error.path in named or error.path not in rest:
                raise
            left_out[error.path] = error.message.removeprefix(f"{error.path}: ")
            unread[error.path] = error
            continue
        problems, kind = refused(found)
        if not problems:
            return Settled(found, tuple(left_out.items()), _told(notes, left_out))
        for path, problem in problems:
            if path in shelf.readings and path in notes:
                left_out[path] = problem
                continue
            reading = reread(path, judge)
            if reading is None:
                left_out[path] = f"no likely dialect reads it: {problem}"
                continue
            before = shelf.sheet(path).directives
            shelf.use(path, reading, kind)
            how = difference(before, reading.directives)
            notes[path] = f"read with {how}, as otherwise: {problem}" if how else ""
    if unread.keys() == left_out.keys():
        raise next(iter(unread.values()))
    return Settled(None, tuple(left_out.items()), ())


def _told(notes: Mapping[str, str], left_out: Collection[str]) -> tuple[tuple[str, str], ...]:
    return tuple((path, how) for path, how in notes.items() if how and path not in left_out)
