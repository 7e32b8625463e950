"""Which rows and columns of a table a picture has.

In: a `View`, and a `Frame`: what the caller asks for. Out: `Bands`: stretches of rows and of
columns, and the columns that must not be left out. By default these are the head, the rows around
the first violation of each rule and around the first cell of each region asked for, and the end.

Invariant: stretches are in order, apart from each other and inside the table. At most
`_MOST_ROWS` rows are chosen; rows that are asked for are not limited. Cost: a `find` for each
region asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeAlias

from sculpt.errors import UsageError
from sculpt.report.styled import counted
from sculpt.values import frozen
from sculpt.verdict import Violation
from sculpt.views.model import Place, Window
from sculpt.views.view import View

Stretch: TypeAlias = tuple[int, int]
"""The first and the last row, or column."""

_MOST_ROWS = 40
_ALL_ROWS = 24
"""A table of at most this many rows is shown as a whole."""
_HEAD, _TAIL = 6, 3
_CONTEXT = 1
"""Rows above and below a place that is shown."""
_AROUND = 10
"""The same for `--around`."""
_MOST_UNCHECKED = 20
"""Unchecked cells that are shown: the first of each column, then those from the top."""
_ALL_COLUMNS = 64
"""A table of at most this many columns is asked for as a whole; no terminal shows more."""
_BESIDE = 24
"""Columns left and right of a place that are asked for, in a wider table."""
_PIECE = 512
"""The most rows of a window."""


@frozen
class Frame:
    """What the caller of a picture asks for."""

    rows: tuple[int, int | None] | None = None
    """The first and the last; `None` for the last of the table."""
    columns: tuple[int, int | None] | None = None
    around: Place | None = None
    unchecked: bool = False
    """The rows around the first unchecked cells."""
    only: tuple[str, ...] = ()
    """The regions to show; all if empty."""


@frozen
class Bands:
    """The rows and columns of a picture."""

    rows: tuple[Stretch, ...]
    columns: tuple[Stretch, ...]
    wanted: tuple[int, ...] = ()
    """Columns that should be shown even if not all fit, the most important first."""
    left_out: int = 0
    """Places that were to be shown, but are in none of the rows."""

    def windows(self, view: View) -> Iterator[tuple[Window, ...]]:
        """The windows of the picture: for some rows, all stretches of columns side by side."""
        for first, last in self.rows:
            for row in range(first, last + 1, _PIECE):
                rows = min(_PIECE, last + 1 - row)
                yield tuple(
                    view.window(row, rows, left, right + 1 - left) for left, right in self.columns
                )


def bands_of(view: View, frame: Frame) -> Bands:
    """The rows and columns of a picture."""
    for name in frame.only:
        view.region(name)
    if frame.around is not None:
        row, column = frame.around
        if row > view.rows or column > view.columns:
            raise UsageError(f"there is no cell at ({row},{column}): {_size(view)}")
        rows = _merged([_beside(row, _AROUND, view.rows)])
        return Bands(rows, _columns(view, [column]), (column,))
    places = _places(view, frame)
    if frame.rows is not None:
        rows, left_out = (_asked(view, "row", *frame.rows),), 0
        places = [place for place in places if rows[0][0] <= place[0] <= rows[0][1]]
    else:
        rows, left_out = _rows(view.rows, dict.fromkeys(row for row, _ in places))
        left_out = 0 if frame.unchecked else left_out
    wanted = tuple(dict.fromkeys(column for row, column in places if column and _holds(rows, row)))
    if frame.columns is None:
        return Bands(rows, _columns(view, wanted), wanted, left_out)
    asked = _asked(view, "column", *frame.columns)
    inside = tuple(column for column in wanted if asked[0] <= column <= asked[1])
    return Bands(rows, (asked,), inside, left_out)


def _size(view: View) -> str:
    rows, columns = counted(view.rows, "row"), counted(view.columns, "column")
    return f"the table has {rows} × {columns}"


def _asked(view: View, noun: str, first: int, last: int | None) -> Stretch:
    end = view.rows if noun == "row" else view.columns
    if first > end:
        raise UsageError(f"there is no {noun} {first}: {_size(view)}")
    return first, end if last is None else min(last, end)


def is_shown(violation: Violation, only: tuple[str, ...]) -> bool:
    """Does a picture of some regions show a violation? That of all regions shows all."""
    return not only or f"rule:{violation.rule}" in only


def _places(view: View, frame: Frame) -> list[Place]:
    """What a picture should show, the most important first; column 0 is a whole row."""
    if frame.unchecked:
        found = [(each.row, each.column) for each in view.coverage.unchecked]
        by_column = {column: (row, column) for row, column in reversed(found)}
        return [*sorted(by_column.values()), *found][:_MOST_UNCHECKED]
    firsts: dict[tuple[str, int | None, int | None], Place] = {}
    for each in sorted(view.verdict.violations, key=lambda each: each.severity == "warning"):
        if each.row is not None and is_shown(each, frame.only):
            firsts.setdefault((each.code, each.rule, each.line), (each.row, each.column or 0))
    named = [region for region in view.regions if region.kind == "selector"]
    asked = [view.region(name) for name in frame.only] or named
    starts = [view.find(region.name) for region in asked if region.cells]
    return [place for place in (*starts, *firsts.values()) if place is not None]


def _rows(height: int, focus: Iterable[int]) -> tuple[tuple[Stretch, ...], int]:
    """The head, the rows around places, the end; and how many places are in none of them."""
    if height <= _ALL_ROWS:
        return ((1, height),) if height else (), 0
    chosen = _merged([(1, _HEAD), (height - _TAIL + 1, height)])
    left_out = 0
    for row in focus:
        if _holds(chosen, row):
            continue
        more = _merged([*chosen, _beside(row, _CONTEXT, height)])
        if sum(last + 1 - first for first, last in more) > _MOST_ROWS:
            left_out += 1
        else:
            chosen = more
    return chosen, left_out


def _columns(view: View, focus: Iterable[int]) -> tuple[Stretch, ...]:
    width = view.columns
    if width <= _ALL_COLUMNS:
        return ((1, width),) if width else ()
    beside = [_beside(column, _BESIDE, width) for column in [*focus][:8]]
    return _merged([(1, _ALL_COLUMNS), *beside, (width, width)])


def _beside(at: int, context: int, end: int) -> Stretch:
    return max(1, at - context), min(end, at + context)


def _merged(stretches: Iterable[Stretch]) -> tuple[Stretch, ...]:
    """The same in order; what touches or leaves out a single one becomes one stretch."""
    merged: list[Stretch] = []
    for first, last in sorted(stretches):
        if merged and first <= merged[-1][1] + 2:
            merged[-1] = merged[-1][0], max(last, merged[-1][1])
        else:
            merged.append((first, last))
    return tuple(merged)


def _holds(stretches: Iterable[Stretch], number: int) -> bool:
    return any(first <= number <= last for first, last in stretches)
