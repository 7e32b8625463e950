"""Windows of a table that is in memory as a whole: the reference of all other sources.

In: a schema, a `Grid`, the regions to be found. Out: a `WindowSource`. Invariant: marks are the
regions of the reference engine. Cost: O(cells) for each region.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping

from sculpt.core import ir
from sculpt.engines import reference
from sculpt.tabular.decoder import UNDECODABLE
from sculpt.tabular.grid import Grid
from sculpt.verdict import Verdict
from sculpt.views.model import TEXT_LIMIT, UNCHECKED, VIOLATION, Place, RegionSpec, Window
from sculpt.views.source import MarkedBlock


class GridSource:
    """The windows of a grid."""

    def __init__(
        self,
        schema: ir.CoreSchema,
        tokens: dict[str, ir.CoreToken],
        grid: Grid,
        specs: tuple[RegionSpec, ...],
        path: str,
        max_violations: int,
    ) -> None:
        self.grid = grid
        self.verdict: Verdict = reference.validate(schema, grid, path, max_violations)
        self._all = (
            self.verdict
            if self.verdict.has_all
            else reference.validate(schema, grid, path, self.verdict.found)
        )
        table = reference.Table(grid, tokens)
        self._regions = {spec.name: table.region(spec.selector) for spec in specs}
        rules = [self._regions[spec.name] for spec in specs if spec.kind == "rule"]
        self._checked = frozenset[Place]().union(*rules)
        self.counts: Mapping[str, int] = {name: len(cells) for name, cells in self._regions.items()}

    def window(self, row: int, rows: int, column: int, columns: int) -> Window:
        """A window."""
        grid = self.grid
        numbers = range(row, min(row + rows, grid.height + 1))
        across = range(column, min(column + columns, grid.width + 1))
        whole = {(r, c): self._text(r, c) for r in numbers for c in across}
        return Window(
            row,
            column,
            grid.height,
            grid.width,
            tuple(
                tuple(text[:TEXT_LIMIT] if (text := whole[r, c]) else text for c in across)
                for r in numbers
            ),
            tuple(
                tuple(
                    tuple(name for name, cells in self._regions.items() if (r, c) in cells)
                    for c in across
                )
                for r in numbers
            ),
            tuple(tuple((r, c) in self._checked for c in across) for r in numbers),
            frozenset(place for place, text in whole.items() if text and len(text) > TEXT_LIMIT),
            tuple(
                each
                for each in self._all.violations
                if each.row in numbers and (each.column is None or each.column in across)
            ),
        )

    def _text(self, row: int, column: int) -> str | None:
        cell = self.grid.cell(row, column)
        return None if cell is None else UNDECODABLE.sub("\ufffd", cell.text)

    def find(self, what: str, after: Place) -> Place | None:
        """The first place after another."""
        places: set[Place]
        if what == VIOLATION:
            places = {
                (each.row, each.column or self.grid.width)
                for each in self._all.violations
                if each.row is not None
            }
        elif what == UNCHECKED:
            places = {
                (row_ix + 1, col_ix + 1)
                for row_ix, row in enumerate(self.grid.rows)
                for col_ix, cell in enumerate(row.cells)
                if cell.text and (row_ix + 1, col_ix + 1) not in self._checked
            }
        else:
            places = set(self._regions[what])
        return min((place for place in places if place > after), default=None)

    def marked(
        self, tokens: Mapping[str, ir.CoreToken], selectors: tuple[ir.Selector, ...]
    ) -> GridMarks:
        """The same table, marked with other selectors."""
        return GridMarks(self.grid, tokens, selectors)

    def close(self) -> None:
        """Nothing is open."""


class GridMarks:
    """A grid, marked with selectors; one block has all rows."""

    def __init__(
        self, grid: Grid, tokens: Mapping[str, ir.CoreToken], selectors: tuple[ir.Selector, ...]
    ) -> None:
        self.rows, self.columns = grid.height, grid.width
        self.cell = grid.cell
        table = reference.Table(grid, dict(tokens))
        held: dict[Place, set[int]] = {place: set() for place in sorted(table.coordinates)}
        for number, selector in enumerate(selectors):
            for place in table.region(selector):
                held[place].add(number)
        numbers: dict[frozenset[int], int] = {}
        marks = array(
            "I", [numbers.setdefault(frozenset(each), len(numbers)) for each in held.values()]
        )
        self.sets = list(numbers)
        self._block = MarkedBlock(1, grid.height, memoryview(marks))

    def block(self, row: int) -> MarkedBlock:
        """The only block."""
        return self._block

    def close(self) -> None:
        """Nothing is open."""
