"""What a value can ask about the iterations for which it is computed.

In: questions about cells, by their numbers in the table. Out: arrays with an entry for each
iteration. `frames` has the kinds of frames: strips of a file, columns, the whole table.

Invariant: a cell is the number `row * width + column`, counted from 0, or `NOWHERE`; for people
(`place`, `places`) rows and columns count from 1. Cost: a few array operations per question.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

from sculpt.core.programs import expressions as c
from sculpt.transform.evaluation.tallies import Tally

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

    from sculpt.kernels.backend import Backend

    Array = np.ndarray[Any, Any]


class Frame(ABC):
    """The iterations of a loop."""

    count: int
    width: int
    file: str
    backend: Backend

    @abstractmethod
    def place(self, ix: int) -> tuple[int | None, int | None]:
        """The row and column of an iteration, for people."""

    @abstractmethod
    def places(self) -> tuple[Array, Array]:
        """The rows and the columns of all iterations, for people; 0 where there is none."""

    @abstractmethod
    def cells(self, cell: c.LoopCell | c.ItemCell) -> Array:
        """The cell of each iteration, by its number in the table; `NOWHERE` if there is none."""

    @abstractmethod
    def own(self, region: int) -> tuple[Array, Array]:
        """The first and a second cell of each row or column that is in a region."""

    @abstractmethod
    def all_own(self, region: int) -> list[list[int]]:
        """All cells of each row that are in a region."""

    @abstractmethod
    def only(self, region: int) -> tuple[int, int]:
        """The first and a second cell of a region of the table."""

    @abstractmethod
    def found(self, look_up: int, cells: Array) -> tuple[Array, Array]:
        """The first and a second cell that a look-up finds from cells."""

    @abstractmethod
    def all_found(self, look_up: int, cells: Array) -> list[list[int]]:
        """All cells that a look-up finds from cells."""

    @abstractmethod
    def texts(self, cells: Array, raw: bool) -> pa.Array:
        """The texts of cells."""

    @abstractmethod
    def holds(self, cells: Array, region: int) -> Array:
        """By cell: is it in a region that a condition asks about?"""

    @abstractmethod
    def numbers(self, what: str) -> Array:
        """The number of the row or column of each iteration."""

    @abstractmethod
    def group_tallies(self, wants_median: bool) -> list[Tally]:
        """The tally of each iteration."""

    @abstractmethod
    def region_tally(self, region: int) -> Tally:
        """The tally of a region of the table."""
