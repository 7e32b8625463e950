"""A file of any size, marked with selectors that a question is about: what `why` looks at.

In: data that has been viewed, selectors. Out: a `MarkedTable`. It takes a pass of its own, which
leaves waypoints for these selectors; a block is then marked from the nearest one above it.

Invariant: blocks do not overlap, and marks keep their meaning. Cost of a block: that of a window;
in Python, one look at each of its cells. Memory: the waypoints, and the last `KEPT` blocks.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, TypeVar

from sculpt.automata.cell_machine import Taken
from sculpt.automata.navigator import TooManyStepsError
from sculpt.core import ir
from sculpt.core.task import Task
from sculpt.engines.machines import build
from sculpt.engines.options import Options
from sculpt.engines.results.elision import row_end
from sculpt.engines.walk.strips import strip_rows
from sculpt.engines.waypoints.replay import Replay
from sculpt.engines.waypoints.route import ViewedData, find_route
from sculpt.tabular.grid import Cell, read_grid
from sculpt.values import replace
from sculpt.views.source import MarkedBlock

BLOCK_CELLS = 1 << 18
KEPT = 4

Answer = TypeVar("Answer")


class FileMarks:
    """The marks of a file."""

    def __init__(
        self,
        schema: ir.CoreSchema,
        tokens: Mapping[str, ir.CoreToken],
        selectors: tuple[ir.Selector, ...],
        data: ViewedData,
        options: Options,
        checked: Callable[[Callable[[], Any]], Any],
    ) -> None:
        """`checked` does some work on the file, unless it has changed."""
        self._data = data
        self._checked = checked
        self.sets: list[frozenset[int]] = []
        self._numbers: dict[frozenset[int], int] = {}
        bare = replace(schema, tokens=tokens, rules=(), uniques=())
        task = Task(bare, (), defects=False, counted=selectors)
        try:
            route = find_route(task, data, options)
        except TooManyStepsError:
            route = find_route(task, data, options, forgets=True)
        self.rows, self.columns = route.found.rows, route.width
        self._replay = Replay(route, data)
        self._height = strip_rows(BLOCK_CELLS, self.columns)
        self._row_dialect = replace(schema.dialect, blank_rows="keep", comment=None)
        self._block = lru_cache(KEPT)(self._mark)
        self._cells = lru_cache(KEPT)(self._read)

    def block(self, row: int) -> MarkedBlock:
        """The block that holds a row."""
        return self._block(self._first_row(row))[0]

    def cell(self, row: int, column: int) -> Cell | None:
        """The cell at a place, with its whole text; `None` if it is padded."""
        cells = self._cells(row)
        return cells[column - 1] if column <= len(cells) else None

    def close(self) -> None:
        """Forget the blocks; the data is that of the source."""
        self._block.cache_clear()
        self._cells.cache_clear()

    def _first_row(self, row: int) -> int:
        """The first row of the block that a row is in: no block crosses a waypoint."""
        rows = self._replay.rows_at(row)
        return row - (row - rows.start) % self._height

    def _mark(self, first: int) -> tuple[MarkedBlock, list[int]]:
        """The block from a row on, and where its rows begin in the data."""
        stop = min(self._replay.rows_at(first).stop, first + self._height)
        found: tuple[list[int], list[int]] = self._checked(lambda: self._walked(range(first, stop)))
        marks, starts = found
        numbers = array("B" if len(self.sets) <= 256 else "I", marks)
        return MarkedBlock(first, stop - first, memoryview(numbers)), starts

    def _walked(self, rows: range) -> tuple[list[int], list[int]]:
        try:
            return self._replay.numbered(rows, self._number)
        except TooManyStepsError:
            route = self._replay.route
            used = route.machines
            machines = build(used.task, self._data.codec, used.backend, forgets=True)
            self._replay = Replay(replace(route, machines=machines), self._data)
            return self._replay.numbered(rows, self._number)

    def _number(self, taken: Taken) -> int:
        """The number of the set of selectors that select a cell."""
        number = self._numbers.setdefault(taken.counted, len(self.sets))
        if number == len(self.sets):
            self.sets.append(taken.counted)
        return number

    def _read(self, row: int) -> tuple[Cell, ...]:
        """The cells of a row."""
        block, starts = self._block(self._first_row(row))
        start = starts[row - block.first_row]

        def read() -> tuple[Cell, ...]:
            end = row_end(self._replay.machines, self._data, start)
            document, _ = self._data.document(start, end)
            return read_grid(document, self._row_dialect).rows[0].cells

        cells: tuple[Cell, ...] = self._checked(read)
        return cells
