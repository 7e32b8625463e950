"""Iterations of a loop, each as often as another table has rows for it.

In: a frame, and for each repetition the iteration that it repeats. Out: a frame of the repetitions.

Invariant: every answer is that of the repeated iteration. Cost: one indexing operation per
question.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sculpt.core.programs import expressions as c
from sculpt.transform.evaluation.tallies import Tally
from sculpt.transform.evaluation.values.frame import Frame

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

    Array = np.ndarray[Any, Any]


class Repeated(Frame):
    """The iterations of another frame, some of them several times, others not at all."""

    def __init__(self, frame: Frame, iterations: Array) -> None:
        self._frame, self._iterations = frame, iterations
        self.count = len(iterations)
        self.width, self.file, self.backend = frame.width, frame.file, frame.backend

    def place(self, ix: int) -> tuple[int | None, int | None]:
        """See `Frame`."""
        return self._frame.place(int(self._iterations[ix]))

    def places(self) -> tuple[Array, Array]:
        """See `Frame`."""
        rows, columns = self._frame.places()
        return rows[self._iterations], columns[self._iterations]

    def cells(self, cell: c.LoopCell | c.ItemCell) -> Array:
        """See `Frame`."""
        return self._frame.cells(cell)[self._iterations]

    def own(self, region: int) -> tuple[Array, Array]:
        """See `Frame`."""
        first, second = self._frame.own(region)
        return first[self._iterations], second[self._iterations]

    def all_own(self, region: int) -> list[list[int]]:
        """See `Frame`."""
        found = self._frame.all_own(region)
        return [found[ix] for ix in self._iterations.tolist()]

    def only(self, region: int) -> tuple[int, int]:
        """See `Frame`."""
        return self._frame.only(region)

    def found(self, look_up: int, cells: Array) -> tuple[Array, Array]:
        """See `Frame`."""
        return self._frame.found(look_up, cells)

    def all_found(self, look_up: int, cells: Array) -> list[list[int]]:
        """See `Frame`."""
        return self._frame.all_found(look_up, cells)

    def texts(self, cells: Array, raw: bool) -> pa.Array:
        """See `Frame`."""
        return self._frame.texts(cells, raw)

    def holds(self, cells: Array, region: int) -> Array:
        """See `Frame`."""
        return self._frame.holds(cells, region)

    def numbers(self, what: str) -> Array:
        """See `Frame`."""
        return self._frame.numbers(what)[self._iterations]

    def group_tallies(self, wants_median: bool) -> list[Tally]:
        """See `Frame`."""
        found = self._frame.group_tallies(wants_median)
        return [found[ix] for ix in self._iterations.tolist()]

    def region_tally(self, region: int) -> Tally:
        """See `Frame`."""
        return self._frame.region_tally(region)
