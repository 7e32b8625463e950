"""The entries of a side in some rows: which cells they have, before their texts are read.

In: the sides of keys and references that are about one table; strips of it, in which each cell is
marked with the regions that hold it. Out: for each side, the cells of its entries, part by part,
and the rows that have several cells of a part.

Invariant: entries are in the order of the table; an entry of several parts has one cell of each, in
one row. Cost: a few passes over the marks for each part.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

from sculpt.checks.plan import Identity, Plan
from sculpt.core import ir
from sculpt.engines.regions.marker import MarkedStrip
from sculpt.values import frozen

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, Any]


@frozen
class Side:
    """One side of a key or of a reference."""

    number: int
    """The number of the identity in the plan."""
    identity: Identity
    is_right: bool

    @property
    def parts(self) -> tuple[ir.CorePart, ...]:
        """Its parts."""
        return self.identity.right_parts if self.is_right else self.identity.left_parts

    @property
    def first_part(self) -> int:
        """The number of its first part, as `Finding.part` counts."""
        return len(self.identity.left_parts) if self.is_right else 0

    @property
    def list_part(self) -> int | None:
        """Which of its parts is a list whose items count, if any."""
        if self.identity.right is None:
            return None
        found = (ix for ix, part in enumerate(self.parts) if part.items is not None)
        return next(found, None)


def sides_of(plan: Plan, table: int) -> tuple[Side, ...]:
    """All sides that are about a table."""
    found: list[Side] = []
    for number, each in enumerate(plan.identities):
        if each.left == table:
            found.append(Side(number, each, is_right=False))
        if each.right == table:
            found.append(Side(number, each, is_right=True))
    return tuple(found)


class Regions:
    """The regions of all parts of some sides, each of them once."""

    def __init__(self, sides: tuple[Side, ...]) -> None:
        self._numbers: dict[int, int] = {}
        selectors: list[ir.Selector] = []
        for part in (part for side in sides for part in side.parts):
            if id(part.selector) not in self._numbers:
                self._numbers[id(part.selector)] = len(selectors)
                selectors.append(part.selector)
        self.selectors = tuple(selectors)

    def number(self, part: ir.CorePart) -> int:
        """The number of a part's region."""
        return self._numbers[id(part.selector)]


@frozen
class SideRows:
    """The entries of a side in a strip; cells are numbered from the first of the strip."""

    cells: tuple[Array, ...]
    """By part: the cell of each entry."""
    selected: int
    """How many real cells the regions of its parts have."""
    columns: tuple[int, ...] | None
    """By part, the column of its cells, from 0, if they all have the same; of one part, nothing."""
    several: tuple[tuple[int, int], ...] | Any = ()
    """Cells that are the second of their part in a row, and the number of the part, in order."""


class SideCells(ABC):
    """The cells of regions in some rows, from which the entries of sides are taken."""

    def __init__(self, regions: Regions, width: int, rows: int) -> None:
        self.width, self.rows = width, rows
        self._regions = regions
        self._cells: dict[int, Array] = {}

    @abstractmethod
    def find(self, number: int) -> Array:
        """The real cells of a region, numbered row by row as if all had the width of the table."""

    def _cells_of(self, part: ir.CorePart) -> Array:
        number = self._regions.number(part)
        if number not in self._cells:
            self._cells[number] = self.find(number)
        return self._cells[number]

    def rows_of(self, side: Side) -> SideRows:
        """The entries of a side."""
        import numpy as np

        width, count = self.width, self.rows
        found = [self._cells_of(part) for part in side.parts]
        selected = sum(map(len, found))
        if len(found) == 1:
            return SideRows((found[0],), selected, ())
        columns = _aligned(found, width)
        if columns is not None:
            return SideRows(tuple(found), selected, columns)
        in_rows = [cells // width for cells in found]
        counts = [np.bincount(rows, minlength=count) for rows in in_rows]
        least, most = np.minimum.reduce(counts), np.maximum.reduce(counts)
        is_entry = (least == 1) & (most == 1)
        own = tuple(cells[is_entry[rows]] for cells, rows in zip(found, in_rows, strict=True))
        several: list[tuple[int, int]] = []
        is_several = (least >= 1) & (most > 1)
        if is_several.any():
            for part, (cells, rows) in enumerate(zip(found, in_rows, strict=True)):
                wanted = np.flatnonzero(is_several & (counts[part] > 1))
                second = cells[np.searchsorted(rows, wanted) + 1]
                several += [(cell, part) for cell in second.tolist()]
            several.sort()
        return SideRows(own, selected, _same_columns(own, width), tuple(several))


class StripCells(SideCells):
    """The cells of a marked strip; those before `first` are left out."""

    def __init__(
        self, regions: Regions, sets: list[frozenset[int]], strip: MarkedStrip, first: int = 0
    ) -> None:
        super().__init__(regions, strip.width, strip.rows)
        self._sets, self._strip, self._first = sets, strip, first

    def find(self, number: int) -> Array:
        """The real cells of a region."""
        import numpy as np

        has = np.array([number in each for each in self._sets], dtype=np.bool_)
        strip = self._strip
        cells = np.flatnonzero(has[strip.marks] & (strip.places[1::2] >= 0))
        return cells[np.searchsorted(cells, self._first) :] if self._first else cells


def _aligned(found: list[Array], width: int) -> tuple[int, ...] | None:
    """The columns of parts that have one cell each in the same rows, one row after the other.

    `None` if that is not so, or not easily seen.
    """
    first = found[0]
    if not len(first) or any(len(each) != len(first) for each in found):
        return None
    if not bool((first[1:] - first[:-1] == width).all()):
        return None
    row = int(first[0]) // width
    if any(int(each[0]) // width != row for each in found):
        return None
    if not all(bool((each - first == each[0] - first[0]).all()) for each in found[1:]):
        return None
    return tuple(int(each[0]) % width for each in found)


def _same_columns(cells: tuple[Array, ...], width: int) -> tuple[int, ...] | None:
    """The columns of some cells, if each part has one only."""
    columns = [each % width for each in cells]
    if not len(columns[0]):
        return ()
    if any((each != each[0]).any() for each in columns):
        return None
    return tuple(int(each[0]) for each in columns)
