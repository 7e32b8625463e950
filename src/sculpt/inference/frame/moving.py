"""A frame whose rows get other numbers.

In: a frame, and for each row its new number, `None` if it is left out. Out: the frame of the rows
that are left. A table that loses its first or last row is left out as a whole. Cost: linear.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeAlias

from sculpt.inference.frame.model import Frame, FramedTable
from sculpt.values import replace

Numbering: TypeAlias = Callable[[int], int | None]


def renumbered(frame: Frame, number_of: Numbering) -> Frame:
    """The frame of the rows that have a number."""
    lines = tuple(
        replace(line, row=row) for line in frame.lines if (row := number_of(line.row)) is not None
    )
    tables = (_table(table, number_of) for table in frame.tables)
    return replace(frame, lines=lines, tables=tuple(table for table in tables if table is not None))


def _table(table: FramedTable, number_of: Numbering) -> FramedTable | None:
    def rows(numbers: Iterable[int]) -> tuple[int, ...]:
        return tuple(row for number in numbers if (row := number_of(number)) is not None)

    first, last = number_of(table.first), number_of(table.last)
    if first is None or last is None:
        return None
    columns = tuple(
        replace(each, heading_row=None if each.heading_row is None else number_of(each.heading_row))
        for each in table.columns
    )
    return replace(
        table,
        headers=rows(table.headers),
        first=first,
        last=last,
        data=rows(table.data),
        groups=rows(table.groups),
        derived=rows(table.derived),
        columns=columns,
    )
