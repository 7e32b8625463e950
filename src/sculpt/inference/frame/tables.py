"""From labels to tables: header rows, the rows below them, and columns with their headings.

In: the rows and the labels of all lines. Out: the tables, from the top.

A table begins at its headers, or at its first line below if it has none, and ends before the
headers of the next; groups directly above headers belong to the table below. A heading with other
headings under it spans columns: the cells to its right inherit it, up to the next heading of its
row or of a row above. The texts over a column, from the top, are its path.

Invariant: tables do not overlap, and each has a row of data or of totals. Cost: linear in the
cells; the kinds of about `_MOST_CELLS` of them are counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from sculpt.inference.frame.model import FramedColumn, FramedTable, Line
from sculpt.inference.kinds import EMPTY, MISSING, NUMERIC, WORDED, kind_of

_MOST_CELLS = 4000
"""Cells of a table whose kinds are counted, if that is more than `_FEWEST_ROWS`."""
_FEWEST_ROWS = 20
_BODY = frozenset({"group", "data", "derived"})

Rows: TypeAlias = Sequence[Sequence[str]]


def tables_of(rows: Rows, lines: Sequence[Line], width: int) -> tuple[FramedTable, ...]:
    """The tables of a file with labelled lines."""
    tables = []
    headers: list[int] = []
    body: list[Line] = []
    for line in lines:
        if line.label in _BODY:
            body.append(line)
        elif line.label == "header":
            kept = _without_trailing_groups(body)
            if kept:
                tables.append(_table(rows, headers, body[:kept], width))
                headers, body = [], body[kept:]
            headers.append(line.row)
    kept = _without_trailing_groups(body)
    if kept:
        tables.append(_table(rows, headers, body, width))
    return tuple(tables)


def _without_trailing_groups(body: Sequence[Line]) -> int:
    """How many lines there are up to the last that is no group."""
    kept = len(body)
    while kept and body[kept - 1].label == "group":
        kept -= 1
    return kept


def _table(rows: Rows, headers: Sequence[int], body: Sequence[Line], width: int) -> FramedTable:
    data = tuple(line.row for line in body if line.label == "data")
    derived = tuple(line.row for line in body if line.label == "derived")
    below = [line.row for line in body if not headers or line.row > headers[-1]]
    return FramedTable(
        tuple(headers),
        below[0],
        below[-1],
        data,
        tuple(line.row for line in body if line.label == "group"),
        derived,
        _columns(rows, headers, data or derived, width),
    )


def _columns(
    rows: Rows, headers: Sequence[int], data: Sequence[int], width: int
) -> tuple[FramedColumn, ...]:
    step = -(-len(data) // max(_FEWEST_ROWS, _MOST_CELLS // max(1, width)))
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
    bounds = [False] * used
    grid = [[*rows[row - 1][:used], *[""] * (used - len(rows[row - 1]))] for row in headers]
    lowest = [
        max((at for at, cells in enumerate(grid) if cells[ix]), default=-1) for ix in range(used)
    ]
    for at, cells in enumerate(grid):
        spanning = ""
        for ix, text in enumerate(cells):
            if text or bounds[ix]:
                spanning = text if lowest[ix] > at else ""
            bounds[ix] = bounds[ix] or bool(text)
            if text or spanning:
                path, last = paths[ix]
                paths[ix] = ((*path, text or spanning), headers[at] if text else last)
    return paths
