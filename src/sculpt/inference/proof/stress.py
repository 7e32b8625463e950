"""Damaged copies of a file: does its schema refuse them?

In: a sheet, its schema. Out: `Stress`: each damage, and whether the copy with it was refused.
Invariant: a damage changes the file, and the same file always gets the same damages; a sheet that
cannot be written back in its dialect gives none. Cost: a validation for each damage; sheets beyond
`_LARGEST` cells are left out.
"""

from __future__ import annotations

import csv
import io
import os
import tempfile
from collections.abc import Callable, Iterator

from sculpt.errors import SculptError
from sculpt.inference.columns.forms import NUMBER
from sculpt.inference.files.sheet import Sheet
from sculpt.inference.proof.verify import verdict_of
from sculpt.schema import Schema
from sculpt.values import frozen

_LARGEST = 20_000
Lines = list[list[str]]


@frozen
class Stress:
    """What became of damaged copies."""

    results: tuple[tuple[str, bool], ...]
    """Each damage, and whether the copy was refused."""

    @property
    def refused(self) -> int:
        """How many copies were refused."""
        return sum(refused for _, refused in self.results)

    @property
    def missed(self) -> tuple[str, ...]:
        """The damages that went unnoticed."""
        return tuple(name for name, refused in self.results if not refused)


def stress(sheet: Sheet, schema: Schema) -> Stress:
    """Damage a file in several ways, and validate each copy."""
    dialect = schema.core.dialect
    delimiter = dialect.col_delim
    if delimiter.pattern is not None or len(delimiter.text) != 1 or dialect.layouts:
        return Stress(())
    if dialect.quote != '"' or dialect.escape is not None or dialect.row_delim is not None:
        return Stress(())
    if sum(map(len, sheet.rows)) > _LARGEST or dialect.comment is not None:
        return Stress(())
    results = []
    encoding = dialect.encoding or "utf-8"
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "copy.csv")

        def is_accepted(rows: Lines, by: str) -> bool:
            with open(path, "w", encoding=encoding, errors="replace", newline="") as file:
                file.write(_text(rows, by))
            try:
                return verdict_of(schema, path).valid
            except SculptError:
                return False

        rows = [list(row) for row in sheet.rows]
        if not is_accepted(rows, delimiter.text):
            return Stress(())
        other = ";" if delimiter.text != ";" else ","
        for name, damaged in damages(sheet):
            results.append((name, not is_accepted(damaged, delimiter.text)))
        results.append(("another delimiter", not is_accepted(rows, other)))
    return Stress(tuple(results))


def _text(rows: Lines, delimiter: str) -> str:
    buffer = io.StringIO()
    writer = csv.writer(buffer, delimiter=delimiter, lineterminator="\n")
    for row in rows:
        if row == [""]:
            buffer.write("\n")
        else:
            writer.writerow(row)
    return buffer.getvalue()


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
        rows = make(sheet, [list(row) for row in sheet.rows])
        if rows is not None and rows != [list(row) for row in sheet.rows]:
            yield name, rows


def _middle(sheet: Sheet) -> int | None:
    """The index of a row in the middle of the data of the largest table."""
    table = max(sheet.tables, key=lambda each: len(each.data), default=None)
    return table.data[len(table.data) // 2] - 1 if table is not None and table.data else None


def _word(sheet: Sheet, rows: Lines) -> Lines | None:
    middle = _middle(sheet)
    if middle is None:
        return None
    for place in range(len(rows[middle]) - 1, -1, -1):
        if NUMBER.accepts(rows[middle][place]):
            rows[middle][place] = "damaged"
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
