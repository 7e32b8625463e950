"""A file with a single row: its cells are headings, below which nothing stands yet.

In: a sheet without a table. Out: the same with a table that has headings and no rows; the sheet as
it is, if it has more rows than that, a cell without text, or the same text twice. Invariant: the
frame of any other sheet does not change. Cost: one pass over the first rows.
"""

from __future__ import annotations

from sculpt.inference.files.sheet import Sheet
from sculpt.inference.files.tableless import is_tableless
from sculpt.inference.frame.model import Frame, FramedColumn, FramedTable, Line
from sculpt.values import replace


def with_headings(sheet: Sheet) -> Sheet:
    """The sheet, whose only row is one of headings if it can be."""
    filled = [number for number, row in enumerate(sheet.rows, 1) if any(row)]
    if sheet.tables or len(filled) != 1 or is_tableless(sheet.rows):
        return sheet
    (number,) = filled
    texts = sheet.rows[number - 1]
    if len(texts) < 2 or not all(texts) or len(set(texts)) < len(texts):
        return sheet
    columns = tuple(
        FramedColumn(place, (text,), number, {}, False) for place, text in enumerate(texts, 1)
    )
    below = len(sheet.rows)
    table = FramedTable((number,), below + 1, below, (), (), (), columns)
    lines = tuple(
        Line(row, "header" if row == number else "empty", 1.0) for row in range(1, below + 1)
    )
    return replace(sheet, frame=Frame(lines, (table,), len(texts), sheet.frame.confidence))
