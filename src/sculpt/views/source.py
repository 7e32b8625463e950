"""Where windows come from: what every source of a `View` can do."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Protocol

from sculpt.core import ir
from sculpt.tabular.grid import Cell
from sculpt.values import frozen
from sculpt.verdict import Verdict
from sculpt.views.model import Place, Window


@frozen(eq=False)
class MarkedBlock:
    """Some rows of a table, next to each other, all of them as wide as the table."""

    first_row: int
    rows: int
    marks: memoryview
    """By cell, row after row, padding included: the number of its set of selectors, as an unsigned
    or signed number of 1, 2, 4 or 8 bytes. One dimension, contiguous."""

    @property
    def end(self) -> int:
        """The row after the last one."""
        return self.first_row + self.rows


def low_bytes(marks: memoryview) -> bytes:
    """The numbers of a view, which are below 256, as bytes."""
    size = marks.itemsize
    whole = marks.tobytes()
    if size == 1:
        return whole
    return whole[::size] if sys.byteorder == "little" else whole[size - 1 :: size]


class MarkedTable(Protocol):
    """A table of which is known, for each cell, which of some selectors hold there."""

    @property
    def rows(self) -> int:
        """The rows of the table."""

    @property
    def columns(self) -> int:
        """The columns of the table."""

    @property
    def sets(self) -> Sequence[frozenset[int]]:
        """By mark: the numbers of the selectors that hold.

        Selectors are counted from 0, in the order in which they were asked for. There may be more
        sets after each block, but a mark keeps its meaning.
        """

    def block(self, row: int) -> MarkedBlock:
        """The block that holds a row. Blocks do not overlap, and each row is in one.

        A block should have some 100,000 to some million cells. Asking again for one of the last few
        is cheap.
        """

    def cell(self, row: int, column: int) -> Cell | None:
        """The cell at a place, with its whole text; `None` if it is padded."""

    def close(self) -> None:
        """Let go of files and memory."""


class WindowSource(Protocol):
    """A table that has been read once, of which any window can be had."""

    @property
    def verdict(self) -> Verdict:
        """The verdict on the table."""

    @property
    def counts(self) -> Mapping[str, int]:
        """By name of a region: how many cells it has."""

    def window(self, row: int, rows: int, column: int, columns: int) -> Window:
        """A window; its place and size are at least 1."""

    def find(self, what: str, after: Place) -> Place | None:
        """The first place after another, in the order of the table, that has something.

        `what` is `VIOLATION`, `UNCHECKED` or the name of a region. A violation that names a row but
        no column is at the last column of the table.
        """

    def marked(
        self, tokens: Mapping[str, ir.CoreToken], selectors: tuple[ir.Selector, ...]
    ) -> MarkedTable:
        """The same table, marked with other selectors, which may mention `tokens`.

        It may read the data again. Close it before the source.
        """

    def close(self) -> None:
        """Let go of files and memory."""
