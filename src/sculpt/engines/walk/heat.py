"""Where the violations of a table are: a map of counts that grows with the table.

In: the places of violations, in any order; the heats of parts of the table. Out: the `Heat` of the
whole. Invariant: buckets begin at the first row and column of the table, and their sizes double, so
the result depends only on the places and on the size of the table. Cost: constant for each place;
memory for 256 x 65 counts.
"""

from __future__ import annotations

from typing import Any

from sculpt.kernels.backend import Backend
from sculpt.verdict import HEAT_COLUMNS, HEAT_ROWS, Heat

_SIZE = (HEAT_ROWS, HEAT_COLUMNS)
_ACROSS = HEAT_COLUMNS + 1
"""Buckets of a row: the first is for whole rows."""


class HeatMap:
    """Counts of violations in buckets of rows and columns."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._shifts = backend.zeros(2)
        self._counts: Any = None
        """Made when there is a violation: most tables have none."""

    @property
    def _buckets(self) -> Any:
        if self._counts is None:
            self._counts = self._backend.zeros(HEAT_ROWS * _ACROSS)
        return self._counts

    def add_places(self, places: Any, count: int, above: int) -> None:
        """Add violations: row and column of each, where 0 is a whole row; `above` rows precede."""
        if count:
            arrays = (self._shifts, self._buckets)
            self._backend.count_places(places, count, above, *_SIZE, *arrays)

    def add(self, heat: Heat) -> None:
        """Add the heat of a part of the table."""
        if not heat.counts:
            return
        self._widen(heat.row_step, heat.column_step)
        for row, column, count in heat.counts:
            self._add(row * heat.row_step, (column - 1) * heat.column_step, count)

    def add_columns(self, row: int, first: int, last: int) -> None:
        """Add a violation in each of some columns of a row; column 0 is the whole row."""
        self._widen(step_for(row, HEAT_ROWS), step_for(last, HEAT_COLUMNS))
        step = 1 << int(self._shifts[1])
        begin = first
        while begin <= last:
            end = min(last, begin + (-begin) % step)
            self._add(row - 1, begin - 1, end - begin + 1)
            begin = end + 1

    def _add(self, row_ix: int, col_ix: int, count: int) -> None:
        """Count violations at a place; the index of a whole row's column is negative."""
        row, column = row_ix >> int(self._shifts[0]), col_ix >> int(self._shifts[1])
        self._buckets[row * _ACROSS + max(0, column + 1)] += count

    def _widen(self, row_step: int, column_step: int) -> None:
        """Make buckets at least this large."""
        more = [
            max(0, step.bit_length() - 1 - int(self._shifts[ix]))
            for ix, step in enumerate((row_step, column_step))
        ]
        if self._counts is None:
            for ix in range(2):
                self._shifts[ix] = int(self._shifts[ix]) + more[ix]
        elif any(more):
            self._backend.widen_buckets(*_SIZE, *more, self._shifts, self._counts)

    def heat(self, rows: int = 0, columns: int = 0) -> Heat:
        """The heat of a table of some size; of a part of one, if that is not known."""
        self._widen(step_for(rows, HEAT_ROWS), step_for(columns, HEAT_COLUMNS))
        found = enumerate(self._counts if self._counts is not None else ())
        counts = tuple((*divmod(at, _ACROSS), int(count)) for at, count in found if count)
        return Heat(1 << int(self._shifts[0]), 1 << int(self._shifts[1]), counts)


def step_for(size: int, buckets: int) -> int:
    """The smallest power of two with which some buckets hold a size."""
    step = 1
    while step * buckets < size:
        step *= 2
    return step
