"""Damaged copies of the rows of a file.

In: a sheet. Out: named copies of its rows, each with one damage. Invariant: a damage changes the
rows, and the same sheet always gets the same damages. Cost: a copy of the rows for each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

from sculpt.inference import kinds
from sculpt.inference.columns.forms import NUMBER
from sculpt.inference.files.sheet import Sheet
from sculpt.inference.frame.model import FramedTable

Lines: TypeAlias = list[list[str]]
_WORD = "damaged"
_NUMBER = "3071"


def damages(sheet: Sheet) -> Iterator[tuple[str, Lines]]:
    """Copies of the rows, each with one damage."""
    makers: tuple[tuple[str, Callable[[Sheet, Lines], Lines | None]], ...] = (
        ("a word for a number", _word),
        ("a cell lost", _lost),
        ("a cell added", _added),
        ("two columns swapped", _swapped),
        ("the header lost", _headless),
        ("a section lost", _section),
        ("cut in the middle", _cut),
    )
    for name, make in makers:
        rows = make(sheet, copied(sheet))
        if rows is not None and rows != copied(sheet):
            yield name, rows


def copied(sheet: Sheet) -> Lines:
    """The rows, to be changed."""
    return [list(row) for row in sheet.rows]


def strange(text: str) -> str:
    """A text of another kind: a number for words, a word for anything else."""
    return _NUMBER if kinds.kind_of(text) in kinds.WORDED else _WORD


def largest(sheet: Sheet) -> FramedTable | None:
    """The table with the most rows of data, if there is data."""
    table = max(sheet.tables, key=lambda each: len(each.data), default=None)
    return table if table is not None and table.data else None


def _middle(sheet: Sheet) -> int | None:
    """The index of a row in the middle of the data of the largest table."""
    table = largest(sheet)
    return None if table is None else table.data[len(table.data) // 2] - 1


def _word(sheet: Sheet, rows: Lines) -> Lines | None:
    middle = _middle(sheet)
    if middle is None:
        return None
    for place in range(len(rows[middle]) - 1, -1, -1):
        if NUMBER.accepts(rows[middle][place]):
            rows[middle][place] = _WORD
            return rows
    return None


def _lost(sheet: Sheet, rows: Lines) -> Lines | None:
    middle = _middle(sheet)
    if middle is None or len(rows[middle]) < 2:
        return None
    del rows[middle][len(rows[middle]) // 2]
    return rows


def _added(sheet: Sheet, rows: Lines) -> Lines | None:
    middle = _middle(sheet)
    if middle is None:
        return None
    rows[middle].insert(len(rows[middle]) // 2, "added")
    return rows


def _swapped(sheet: Sheet, rows: Lines) -> Lines | None:
    if sheet.frame.width < 2:
        return None
    for row in rows:
        if len(row) > 1:
            row[0], row[1] = row[1], row[0]
    return rows


def _headless(sheet: Sheet, rows: Lines) -> Lines | None:
    headers = {row - 1 for row in (sheet.tables[0].headers if sheet.tables else ())}
    if not headers:
        return None
    return [row for place, row in enumerate(rows) if place not in headers]


def _section(sheet: Sheet, rows: Lines) -> Lines | None:
    """Without what stands after the last table, or without the last of several tables."""
    if len(sheet.tables) > 1:
        table = sheet.tables[-1]
        first = min((*table.headers, table.first))
        return rows[: first - 1] + rows[table.last :]
    last = sheet.tables[-1].last
    return rows[:last] if any(any(row) for row in rows[last:]) else None


def _cut(sheet: Sheet, rows: Lines) -> Lines | None:
    """The file ends in the middle of a row in the middle of the data."""
    middle = _middle(sheet)
    if middle is None or len(rows[middle]) < 2:
        return None
    return [*rows[:middle], rows[middle][: len(rows[middle]) // 2]]
