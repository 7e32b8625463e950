"""Damaged copies of a file: does its schema refuse them, and which columns let things through?

In: a sheet, its schema. Out: `Stress`: each damage, and whether the copy with it was refused; the
columns in which a text of another kind is accepted. Of long tables only the first and last rows of
data are in the copies. A sheet whose undamaged copy is refused gives no result.

Cost: a validation of at most some hundred rows for each damage; one or a few for all columns, as
each is damaged in a row of its own, and one for each column that seems weak then.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from sculpt.core.dialect import Delimiter, Dialect
from sculpt.errors import SculptError
from sculpt.inference import kinds
from sculpt.inference.files.sheet import Rows, Sheet, sheet_of
from sculpt.inference.files.writing import written
from sculpt.inference.frame.model import FramedColumn
from sculpt.inference.frame.moving import renumbered
from sculpt.inference.proof.damages import Lines, copied, damages, largest, strange
from sculpt.inference.proof.verify import verdict_of
from sculpt.schema import Schema
from sculpt.values import frozen, replace
from sculpt.verdict import Verdict

_ENDS = 50
"""So many rows of data are kept at each end of a table."""
_MOST_COLUMNS = 200
_MOST_CELLS = 200_000


@frozen
class Stress:
    """What became of damaged copies."""

    results: tuple[tuple[str, bool], ...]
    """Each damage, and whether the copy was refused."""
    weak: tuple[str, ...] = ()
    """Columns in which a text of another kind is accepted, by their headings."""

    @property
    def refused(self) -> int:
        """How many copies were refused."""
        return sum(refused for _, refused in self.results)

    @property
    def missed(self) -> tuple[str, ...]:
        """The damages that went unnoticed."""
        return tuple(name for name, refused in self.results if not refused)


_Try: TypeAlias = Callable[[Sequence[Sequence[str]], Dialect], Verdict | None]
"""What the schema says of rows that are written in a dialect; `None` if they cannot be written."""


def stress(sheet: Sheet, schema: Schema) -> Stress:
    """Damage a file in several ways, and validate each copy."""
    thin = _thinned(sheet)
    if sum(map(len, thin.rows)) > _MOST_CELLS:
        return Stress(())
    dialect = schema.core.dialect
    with tempfile.TemporaryDirectory(prefix="sculpt-") as folder:
        path = os.path.join(folder, "copy.csv")

        def tried(rows: Sequence[Sequence[str]], by: Dialect) -> Verdict | None:
            text = written(rows, by)
            if text is None:
                return None
            with open(path, "wb") as file:
                file.write(text.encode(by.encoding or "utf-8", "replace"))
            try:
                return verdict_of(schema, path)
            except SculptError:
                return None

        whole = tried(thin.rows, dialect)
        if whole is None or not whole.valid:
            return Stress(())
        results = []
        for name, damaged in damages(thin):
            found = tried(damaged, dialect)
            results.append((name, found is None or not found.valid))
        if not dialect.layouts and dialect.col_delim.pattern is None:
            other = Delimiter("," if dialect.col_delim.text == ";" else ";")
            found = tried(thin.rows, replace(dialect, col_delim=other))
            results.append(("another delimiter", found is None or not found.valid))
        return Stress(tuple(results), tuple(dict.fromkeys(_weak_columns(thin, dialect, tried))))


def _thinned(sheet: Sheet) -> Sheet:
    """The sheet without most rows of long tables."""
    dropped: set[int] = set()
    for table in sheet.tables:
        dropped.update(range(table.first + _ENDS, table.last - _ENDS + 1))
    if not dropped:
        return sheet
    kept = [row for row in range(1, len(sheet.rows) + 1) if row not in dropped]
    numbers = {row: number for number, row in enumerate(kept, 1)}
    rows: Rows = tuple(sheet.rows[row - 1] for row in kept)
    return sheet_of(sheet.path, rows, renumbered(sheet.frame, numbers.get), sheet.directives)


def _weak_columns(sheet: Sheet, dialect: Dialect, tried: _Try) -> Iterator[str]:
    """The headings of columns in which a text of another kind goes unnoticed."""
    table = largest(sheet)
    if table is None:
        return
    left = list(table.columns[:_MOST_COLUMNS])
    while left:
        rows, damaged = copied(sheet), dict[int, FramedColumn]()
        for row in table.data:
            column = next((e for e in left if _is_full(sheet.text(row, e.number))), None)
            if column is not None:
                rows[row - 1][column.number - 1] = strange(sheet.text(row, column.number))
                damaged[row] = column
                left.remove(column)
        if not damaged:
            return
        found = tried(rows, dialect)
        noticed = {each.row for each in found.violations} if found is not None else {*damaged}
        unsure = sorted(
            (row for row in damaged if row not in noticed), key=lambda row: damaged[row].number
        )
        for row in unsure:
            if _is_accepted(sheet, rows, row, dialect, tried):
                column = damaged[row]
                yield column.heading[-1] if column.heading else f"column {column.number}"


def _is_accepted(sheet: Sheet, rows: Lines, row: int, dialect: Dialect, tried: _Try) -> bool:
    """Is a copy accepted in which only this row is damaged?

    A rule about the order of a whole column may report another row than the damaged one.
    """
    copy = copied(sheet)
    copy[row - 1] = rows[row - 1]
    found = tried(copy, dialect)
    return found is not None and found.valid


def _is_full(text: str) -> bool:
    return kinds.kind_of(text) not in (kinds.EMPTY, kinds.MISSING)
