"""The rows of a cut copy, by their numbers in the file.

In: a sheet, and what was counted in its file. Out: its frame with the numbers of the file. Rows
from the middle of a large file have no known numbers and are left out. Cost: linear in the frame.
"""

from __future__ import annotations

from collections.abc import Iterable

from sculpt.inference.files.sheet import Sheet
from sculpt.inference.frame.model import Frame, FramedTable
from sculpt.inference.proof.counting import Counts
from sculpt.values import frozen, replace


@frozen
class _Numbers:
    """Which row of the file a row of the copy is."""

    head: int
    tail: int
    """The first row of the copy that is one of the last rows of the file."""
    shift: int

    def of(self, row: int) -> int | None:
        """The number in the file, if it is known."""
        if row <= self.head:
            return row
        return row + self.shift if row >= self.tail else None

    def all_of(self, rows: Iterable[int]) -> tuple[int, ...]:
        """Those that are known."""
        return tuple(number for row in rows if (number := self.of(row)) is not None)


def frame_of(sheet: Sheet, counts: Counts | None) -> Frame:
    """The frame of a file."""
    if sheet.cut is None or counts is None:
        return sheet.frame
    rows = next(each.rows for each in counts.files if each.path == sheet.path)
    read = len(sheet.rows)
    numbers = _Numbers(sheet.cut.head, read - sheet.cut.tail + 1, rows - read)
    frame = sheet.frame
    lines = tuple(
        replace(line, row=row) for line in frame.lines if (row := numbers.of(line.row)) is not None
    )
    tables = tuple(moved for table in frame.tables if (moved := _moved(table, numbers)) is not None)
    return replace(frame, lines=lines, tables=tables)


def _moved(table: FramedTable, numbers: _Numbers) -> FramedTable | None:
    first, last = numbers.of(table.first), numbers.of(table.last)
    if first is None or last is None:
        return None
    columns = tuple(
        replace(
            each, heading_row=None if each.heading_row is None else numbers.of(each.heading_row)
        )
        for each in table.columns
    )
    return replace(
        table,
        headers=numbers.all_of(table.headers),
        first=first,
        last=last,
        data=numbers.all_of(table.data),
        groups=numbers.all_of(table.groups),
        derived=numbers.all_of(table.derived),
        columns=columns,
    )
