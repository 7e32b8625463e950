"""Selectors on a stand-in for every table: which columns of which rows they select.

In: a selector in core form, and where the headings are. Out: a `Region`: for each column, a formula
over tokens that a cell below some row must satisfy to be selected, and the same for each row above.
The stand-in is a table that is larger than anything that the selectors mention, so that its last
rows and columns are alike; the meaning of a selector decides, not its letters: `col(3) and not
row(1)`, `down+((1,3))` and `col(Depth)` are one region if the third heading is `Depth`.

Invariant: a region is exact for tables of any size, as long as no cell but the heading itself has
the text of a heading. A selector that depends on other cells, or on where the table ends, has no
region. Cost: nodes of the selector times cells of the stand-in; equal nodes are evaluated once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias, assert_never

from sculpt.core import ir
from sculpt.core.ir import axes
from sculpt.interchange.export.meaning.formulas import (
    FALSE,
    TRUE,
    conjunction,
    disjunction,
    negation,
)
from sculpt.values import frozen

Cell: TypeAlias = tuple[int, int]
Grid: TypeAlias = dict[Cell, ir.Formula]
MAX_CELLS = 200_000
_STEPS: Mapping[ir.Direction, Cell] = {
    "up": (-1, 0),
    "down": (1, 0),
    "left": (0, -1),
    "right": (0, 1),
}


@frozen
class Region:
    """What a selector selects, row by row."""

    start: int
    """The first row from which on all rows are alike."""
    tail: Mapping[int, ir.Formula]
    """By column, in each row from `start` on: what a selected cell satisfies. A column that is
    absent has no selected cell."""
    above: Mapping[int, Mapping[int, ir.Formula]]
    """The same for each row before `start` that has selected cells."""
    beyond: bool
    """Are the columns after the last one that the schema knows selected too?"""
    whole: frozenset[int] = frozenset()
    """The rows before `start` all of whose cells are selected."""


class _NoRegionError(Exception):
    """The selector depends on other cells, or on the end of the table."""


class Places:
    """Evaluates the selectors of one schema."""

    def __init__(
        self,
        columns: int,
        rows: int,
        headings: Mapping[str, Iterable[Cell]],
        free: frozenset[str] = frozenset(),
        *,
        are_filled: bool = False,
    ) -> None:
        """`headings` has the places of the tokens that only a heading matches.

        The tokens of `free` match every cell. `are_filled`: the table has no rows of empty cells,
        as its reader skips them.
        """
        self.known = columns
        self._free = free
        self._are_filled = are_filled
        self._rows, self._columns = rows + 3, columns + 3
        self._headings = {name: tuple(cells) for name, cells in headings.items()}
        self._grids: dict[int, tuple[ir.Selector, Grid]] = {}

    def region(self, selector: ir.Selector) -> Region | None:
        """The region of a selector; `None` if it is not made of columns and rows."""
        if self._rows * self._columns > MAX_CELLS:
            return None
        try:
            grid = self._grid(selector)
        except _NoRegionError:
            return None
        rows: list[dict[int, ir.Formula]] = [{} for _ in range(self._rows + 1)]
        for (row, column), formula in grid.items():
            rows[row][column] = formula
        last = self._columns
        if any(row.get(last) != row.get(last - 1) for row in rows):
            return None
        tail = rows[-1]
        start = self._rows
        while start > 1 and rows[start - 1] == tail:
            start -= 1
        if start == self._rows:
            return None  # the last row is unlike the one before it
        above = {row: self._known(rows[row]) for row in range(1, start) if rows[row]}
        every = dict.fromkeys(range(1, last + 1), TRUE)
        whole = frozenset(row for row in range(1, start) if rows[row] == every)
        return Region(start, self._known(tail), above, tail.get(last) is not None, whole)

    def _known(self, row: Mapping[int, ir.Formula]) -> dict[int, ir.Formula]:
        return {column: row[column] for column in sorted(row) if column <= self.known}

    # ------------------------------------------------------------- selectors

    def _grid(self, selector: ir.Selector) -> Grid:
        found = self._grids.get(id(selector))
        if found is None:
            found = self._grids[id(selector)] = (selector, self._evaluate(selector))
        return found[1]

    def _evaluate(self, selector: ir.Selector) -> Grid:
        match selector:
            case ir.Token(name) if name in self._free:
                return dict.fromkeys(self._cells(), TRUE)
            case ir.Token(name):
                return dict.fromkeys(self._cells(), ir.Has(name))
            case ir.Position(row, column):
                rows = range(1, self._rows + 1) if row is None else (row,)
                columns = range(1, self._columns + 1) if column is None else (column,)
                return {(r, c): TRUE for r in rows for c in columns}
            case ir.Everything():
                return dict.fromkeys(self._cells(), TRUE)
            case ir.Not(part):
                inner = self._grid(part)
                formulas = ((cell, negation(inner.get(cell, FALSE))) for cell in self._cells())
                return {cell: formula for cell, formula in formulas if formula != FALSE}
            case ir.And(parts):
                grids = sorted((self._grid(part) for part in parts), key=len)
                formulas = (
                    (cell, conjunction(grid.get(cell, FALSE) for grid in grids))
                    for cell in grids[0]
                )
                return {cell: formula for cell, formula in formulas if formula != FALSE}
            case ir.Or(parts) if self._are_filled and {*map(_way_to_text, parts)} == _ROW:
                return dict.fromkeys(self._cells(), TRUE)
            case ir.Or(parts):
                grids = [self._grid(part) for part in parts]
                cells = dict.fromkeys(cell for grid in grids for cell in grid)
                return {c: disjunction(grid.get(c, FALSE) for grid in grids) for c in cells}
            case ir.Reach(path, origin):
                return dict.fromkeys(self._walk(path, self._fixed(origin)), TRUE)
            case _:
                assert_never(selector)

    def _cells(self) -> list[Cell]:
        return [(r, c) for r in range(1, self._rows + 1) for c in range(1, self._columns + 1)]

    def _fixed(self, selector: ir.Selector) -> frozenset[Cell]:
        """The cells of a selector that does not depend on texts, headings apart."""
        if isinstance(selector, ir.Token) and selector.name in self._headings:
            return frozenset(self._headings[selector.name])
        match selector:
            case ir.And(parts):
                return frozenset.intersection(*(self._fixed(part) for part in parts))
            case ir.Or(parts):
                return frozenset.union(*(self._fixed(part) for part in parts))
        grid = self._grid(selector)
        if any(formula != TRUE for formula in grid.values()):
            raise _NoRegionError
        return frozenset(grid)

    # ------------------------------------------------------------- paths

    def _walk(self, path: ir.Path, cells: frozenset[Cell]) -> frozenset[Cell]:
        match path:
            case ir.Step(direction):
                down, right = _STEPS[direction]
                moved = ((r + down, c + right) for r, c in cells)
                return frozenset(
                    (r, c) for r, c in moved if 1 <= r <= self._rows and 1 <= c <= self._columns
                )
            case ir.Stay():
                return cells
            case ir.Test(condition):
                return cells & self._fixed(condition)
            case ir.Chain(parts):
                for part in parts:
                    cells = self._walk(part, cells)
                return cells
            case ir.Fork(parts):
                return frozenset().union(*(self._walk(part, cells) for part in parts))
            case ir.Loop(inner, low, high):
                return self._rounds(inner, low, high, cells)
            case _:
                assert_never(path)

    def _rounds(
        self, path: ir.Path, low: int, high: int | None, cells: frozenset[Cell]
    ) -> frozenset[Cell]:
        for _ in range(min(low, self._rows + self._columns)):
            cells = self._walk(path, cells)
        reached, fresh, rounds = cells, cells, low
        while fresh and (high is None or rounds < high):
            fresh = self._walk(path, fresh) - reached
            reached |= fresh
            rounds += 1
        return reached


_ROW = frozenset(("here", "left", "right"))


def _way_to_text(selector: ir.Selector) -> str:
    """The part of `Text or right+(Text) or left+(Text)`, which are the rows that have a text."""
    match selector:
        case ir.Token("Text"):
            return "here"
        case ir.Reach(ir.Loop(ir.Step(direction), 1, None), ir.Token("Text")):
            return direction
        case _:
            return ""


def extent(selector: ir.Selector) -> Cell:
    """The last row and column that a selector mentions or counts steps to.

    All columns from one on are no columns of their own: `right+(col(7))` does not say that there
    is an eighth.
    """
    match selector:
        case ir.Position(row, column):
            return row or 0, column or 0
        case ir.Token() | ir.Everything():
            return 0, 0
        case ir.Not(part):
            return extent(part)
        case ir.And(parts) | ir.Or(parts):
            return _largest(extent(part) for part in parts)
        case ir.Reach(ir.Loop(ir.Step("right"), low, None), origin):
            row, column = extent(origin)
            return row, column + max(low - 1, 0)
        case ir.Reach(path, origin):
            down, right = _stride(path)
            row, column = extent(origin)
            return row + down, column + right
        case _:
            assert_never(selector)


def _largest(cells: Iterable[Cell]) -> Cell:
    found = list(cells)
    return max((r for r, _ in found), default=0), max((c for _, c in found), default=0)


def _stride(path: ir.Path) -> Cell:
    """How far a path counts, loops without a bound apart."""
    match path:
        case ir.Step(direction):
            down, right = _STEPS[direction]
            return abs(down), abs(right)
        case ir.Stay():
            return 0, 0
        case ir.Test(condition):
            return extent(condition)
        case ir.Chain(parts):
            strides = [_stride(part) for part in parts]
            return sum(r for r, _ in strides), sum(c for _, c in strides)
        case ir.Fork(parts):
            return _largest(_stride(part) for part in parts)
        case ir.Loop(inner, low, high):
            times = max(low, 1) if high is None else high
            down, right = _stride(inner)
            return times * down, times * right
        case _:
            assert_never(path)


def texts_below(selector: ir.Selector) -> list[str]:
    """The tokens below which a selector looks for cells: `col(Depth)` looks below `Depth`."""
    match selector:
        case ir.Token() | ir.Position() | ir.Everything():
            return []
        case ir.Not(part):
            return texts_below(part)
        case ir.And(parts) | ir.Or(parts):
            return [name for part in parts for name in texts_below(part)]
        case ir.Reach(path, origin):
            is_down = axes(path) == frozenset(("down",))
            return _tokens(origin) if is_down else []
        case _:
            assert_never(selector)


def _tokens(selector: ir.Selector) -> list[str]:
    match selector:
        case ir.Token(name):
            return [name]
        case ir.And(parts) | ir.Or(parts):
            return [name for part in parts for name in _tokens(part)]
    return []
