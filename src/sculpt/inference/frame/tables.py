"""From labels to tables: header rows, the rows below them, and columns with their headings.

In: the rows and the labels of all lines. Out: the tables, from the top.

A table begins at a header, or at a line of data if no header is above it, and ends before the next
header or at metadata or notes after which no data comes. A heading that spans columns stands over
the first of them: the cells to its right inherit it, up to the next heading of its row and of the
rows above. The texts over a column, from the top, are its path.

Invariant: tables do not overlap, and each has a row of data or of totals. Cost: linear in the
cells; the kinds of at most `_MOST_KINDS` data rows of each table are counted.
"""

from __future__ import annotations

from collections.abc import Sequence

from sculpt.inference.frame.model import FramedColumn, FramedTable, Line
from sculpt.inference.kinds import EMPTY, MISSING, NUMERIC, WORDED, kind_of

_MOST_KINDS = 400
_BODY = frozenset({"group", "data", "derived"})

Rows = Sequence[Sequence[str]]


def tables_of(rows: Rows, lines: Sequence[Line], width: int) -> tuple[FramedTable, ...]:
    """The tables of a file with labelled lines."""
    tables = []
    headers: list[int] = []
    body: list[Line] = []
    leads: list[Line] = []
    for line in lines:
        if line.label == "header":
            if any(one.label != "group" for one in body):
                tables.append(_table(rows, headers, body, width))
                headers, body = [], []
            headers.append(line.row)
        elif line.label in _BODY:
            body.append(line)
        elif line.label != "empty" and any(one.label != "group" for one in body):
            leads = leads or [line]
            tables.append(_table(rows, headers, body, width))
            headers, body = [], []
    if any(one.label != "group" for one in body):
        tables.append(_table(rows, headers, body, width))
    return tuple(tables)


def _table(rows: Rows, headers: Sequence[int], body: Sequence[Line], width: int) -> FramedTable:
    data = tuple(line.row for line in body if line.label == "data")
    derived = tuple(line.row for line in body if line.label == "derived")
    after = [line for line in body if not headers or line.row > headers[-1]]
    return FramedTable(
        tuple(headers),
        min(line.row for line in after),
        max(line.row for line in after),
        data,
        tuple(line.row for line in body if line.label == "group"),
        derived,
        _columns(rows, headers, data or derived, width),
    )


def _columns(
    rows: Rows, headers: Sequence[int], data: Sequence[int], width: int
) -> tuple[FramedColumn, ...]:
    step = -(-len(data) // _MOST_KINDS)
    counts: list[dict[str, int]] = [{} for _ in range(width)]
    used = 0
    for row in data[:: step or 1]:
        for ix, text in enumerate(rows[row - 1]):
            kind = kind_of(text)
            counts[ix][kind] = counts[ix].get(kind, 0) + 1
            if text:
                used = max(used, ix + 1)
    used = max(used, max((_length(rows[row - 1]) for row in headers), default=0))
    paths = _paths(rows, headers, used)
    columns = []
    labels = True
    for ix in range(used):
        labels = labels and _is_label(counts[ix])
        heading, heading_row = paths[ix]
        columns.append(FramedColumn(ix + 1, heading, heading_row, counts[ix], labels))
    return tuple(columns)


def _length(cells: Sequence[str]) -> int:
    """The cells of a row up to the last that is filled."""
    return max((ix for ix, text in enumerate(cells, 1) if text), default=0)


def _is_label(counts: dict[str, int]) -> bool:
    """A column is a label if it is left of all values, and holds words, or years and codes."""
    filled = {kind: often for kind, often in counts.items() if kind not in (EMPTY, MISSING)}
    if not filled:
        return False
    numbers = sum(often for kind, often in filled.items() if kind in NUMERIC and kind != "year")
    worded = sum(often for kind, often in filled.items() if kind in WORDED)
    return numbers * 2 < sum(filled.values()) and (worded > 0 or not numbers)


def _paths(
    rows: Rows, headers: Sequence[int], used: int
) -> list[tuple[tuple[str, ...], int | None]]:
    """The texts over each column, from the top, and the row of the last."""
    paths: list[tuple[tuple[str, ...], int | None]] = [((), None)] * used
    breaks = [False] * used
    for number, row in enumerate(headers):
        cells = rows[row - 1]
        spans = number + 1 < len(headers)
        spanned = ""
        for ix in range(used):
            text = cells[ix] if ix < len(cells) else ""
            if text or breaks[ix]:
                spanned = text
            if text:
                breaks[ix] = True
            heading = text or (spanned if spans and ix else "")
            if heading:
                path, last = paths[ix]
                paths[ix] = ((*path, heading), row if text else last)
    return paths
