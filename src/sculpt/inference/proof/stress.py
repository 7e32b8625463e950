"""Damaged copies of a file: does its schema refuse them, and which columns let things through?

In: a sheet, its schema. Out: `Stress`: each damage, and whether the copy with it was refused; the
columns in which a text of another kind is accepted. Of long tables only the first and last rows of
data are in the copies. A sheet whose undamaged copy is refused gives no result.

Cost: a validation of at most some hundred rows for each damage. For the columns, all are damaged at
once, in different rows as far as there are rows; the cells that a verdict names are refused, and
the others are tried again without them. Where it names none of them, they are halved.
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
"""Rows of data that are kept at each end of a table."""
_FEWEST = 4
_WIDE = 20_000
"""Of a table whose rows at both ends have more cells than this, fewer rows are kept."""
_MOST_COLUMNS = 200
_MOST_CELLS = 40_000
_MOST_READ = 60_000
"""Cells that are read to find weak columns, at worst."""


@frozen
class Stress:
    """What became of damaged copies."""

    results: tuple[tuple[str, bool], ...]
    """Each damage, and whether the copy was refused."""
    weak: tuple[str, ...] = ()
    """Columns in which a text of another kind is accepted, by their headings."""
    tried: int | None = None
    """How many columns were tried, the first ones, if that is not all of them."""

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
        columns, tried_columns = _columns(thin)
        weak = _weak(thin, columns, lambda rows: tried(rows, dialect))
        return Stress(tuple(results), tuple(dict.fromkeys(weak)), tried_columns)


def _thinned(sheet: Sheet) -> Sheet:
    """The sheet without most rows of long tables."""
    ends = max(_FEWEST, min(_ENDS, _WIDE // (2 * max(1, sheet.frame.width))))
    dropped: set[int] = set()
    for table in sheet.tables:
        dropped.update(range(table.first + ends, table.last - ends + 1))
    if not dropped:
        return sheet
    kept = [row for row in range(1, len(sheet.rows) + 1) if row not in dropped]
    numbers = {row: number for number, row in enumerate(kept, 1)}
    rows: Rows = tuple(sheet.rows[row - 1] for row in kept)
    return sheet_of(sheet.path, rows, renumbered(sheet.frame, numbers.get), sheet.directives)


def _columns(sheet: Sheet) -> tuple[tuple[FramedColumn, ...], int | None]:
    """The columns to try, and how many these are if that is not all of them.

    At worst, a verdict names one cell of each row, and has to read all others for that.
    """
    table = largest(sheet)
    if table is None:
        return (), None
    rounds = max(1, _MOST_READ // max(1, sum(map(len, sheet.rows))))
    most = min(_MOST_COLUMNS, rounds * len(table.data))
    is_all = len(table.columns) <= most
    return table.columns[:most], None if is_all else most


_Cell: TypeAlias = tuple[int, int]


def _weak(
    sheet: Sheet,
    columns: Sequence[FramedColumn],
    tried: Callable[[Lines], Verdict | None],
) -> Iterator[str]:
    """The headings of columns in which a text of another kind goes unnoticed."""
    headings = dict(_cells(sheet, columns))
    accepted: set[_Cell] = set()
    todo = [[*headings]] if headings else []
    while todo:
        damaged = todo.pop()
        rows = copied(sheet)
        for row, column in damaged:
            rows[row - 1][column - 1] = strange(sheet.text(row, column))
        found = tried(rows)
        if found is None:
            continue
        if found.valid:
            accepted.update(damaged)
            continue
        named = {(each.row, each.column) for each in found.violations}
        rest = [cell for cell in damaged if cell not in named]
        if len(rest) == len(damaged) > 1:  # a rule about order may report another cell
            todo += [rest[: len(rest) // 2], rest[len(rest) // 2 :]]
        elif 0 < len(rest) < len(damaged):
            todo.append(rest)
    for cell, framed in headings.items():
        if cell in accepted:
            yield framed.heading[-1] if framed.heading else f"column {framed.number}"


def _cells(sheet: Sheet, columns: Sequence[FramedColumn]) -> Iterator[tuple[_Cell, FramedColumn]]:
    """A cell of each column that holds a value, in different rows as far as possible."""
    table = largest(sheet)
    data = table.data if table is not None else ()
    for place, column in enumerate(columns):
        start = place % len(data)
        for row in (*data[start:], *data[:start]):
            if _is_full(sheet.text(row, column.number)):
                yield (row, column.number), column
                break


def _is_full(text: str) -> bool:
    return kinds.kind_of(text) not in (kinds.EMPTY, kinds.MISSING)
