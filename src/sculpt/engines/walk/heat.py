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


class HeatMap:
    """Counts of violations in buckets of rows and columns."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._steps = backend.signed([1, 1])
        self._counts: Any = None
        """Made when there is a violation: most tables have none."""

    @property
    def _buckets(self) -> Any:
        if self._counts is None:
            self._counts = self._backend.zeros(HEAT_ROWS * (HEAT_COLUMNS + 1))
        return self._counts

    def add_places(self, places: Any, count: int, above: int) -> None:
        """Add violations: row and column of each, where 0 is a whole row; `above` rows precede."""
        if count:
            arrays = (self._steps, self._buckets)
            self._backend.count_places(places, count, above, *_SIZE, *arrays)

    def add(self, heat: Heat) -> None:
        """Add the heat of a part of the table."""
        if not heat.counts:
            return
        self._widen(heat.row_step, heat.column_step)
        row_step, column_step = map(int, self._steps)
        for row, column, count in heat.counts:
            below = row * heat.row_step // row_step
            beside = (column - 1) * heat.column_step // column_step + 1 if column else 0
            self._buckets[below * (HEAT_COLUMNS + 1) + beside] += count

    def add_columns(self, row: int, first: int, last: int) -> None:
        """Add a violation in each of some columns of a row."""
        self.add_places(self._backend.signed([row, last]), 1, 0)  # so that there are such buckets
        row_step, column_step = map(int, self._steps)
        for bucket in range((first - 1) // column_step, (last - 1) // column_step + 1):
            begin, end = bucket * column_step + 1, (bucket + 1) * column_step
            count = min(end, last) - max(begin, first) + 1
            at = (row - 1) // row_step * (HEAT_COLUMNS + 1) + bucket + 1
            self._buckets[at] += count - (begin <= last <= end)

    def _widen(self, row_step: int, column_step: int) -> None:
        """Make buckets at least this large."""
        steps = max(row_step, int(self._steps[0])), max(column_step, int(self._steps[1]))
        if self._counts is None:
            self._steps[0], self._steps[1] = steps
        elif steps != (int(self._steps[0]), int(self._steps[1])):
            self._backend.widen_buckets(*_SIZE, *steps, self._steps, self._counts)

    def heat(self, rows: int = 0, columns: int = 0) -> Heat:
        """The heat of a table of some size; of a part of one, if that is not known."""
        self._widen(step_for(rows, HEAT_ROWS), step_for(columns, HEAT_COLUMNS))
        counts: tuple[tuple[int, int, int], ...] = ()
        if self._counts is not None:
            counts = tuple(
                (*divmod(at, HEAT_COLUMNS + 1), int(count))
                for at, count in enumerate(self._counts)
                if count
            )
        return Heat(int(self._steps[0]), int(self._steps[1]), counts)


def step_for(size: int, buckets: int) -> int:
    """The smallest power of two with which so many buckets hold the size."""
    step = 1
    while step * buckets < size:
        step *= 2
    return step
