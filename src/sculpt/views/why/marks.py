"""Marks of cells, read in long strides: along a column, along a row, around a cell.

In: a `MarkedTable` and the selectors that it is marked with. Out: does a selector hold at a cell,
where does it hold next in some direction, where is the nearest cell at which it holds?

Marks become one byte per cell, 1 where the selector holds, and `bytes.find` looks through them: a
column of a million rows takes about a millisecond. Only the blocks on the way are asked for.
Memory: the bytes of the last lines that were looked through, up to `KEPT_BYTES`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sculpt.core import ir
from sculpt.views.model import Place
from sculpt.views.source import MarkedBlock, MarkedTable, low_bytes

VECTORS: dict[ir.Direction, tuple[int, int]] = {
    "up": (-1, 0),
    "down": (1, 0),
    "left": (0, -1),
    "right": (0, 1),
}
"""By direction: how a step changes the row and the column."""
KEPT_BYTES = 1 << 26
"""How long the lines are together, at most, that are remembered; the last one always is."""
_YES, _NO = b"\1", b"\0"


class Marks:
    """The marks of a table."""

    def __init__(self, table: MarkedTable, selectors: Sequence[ir.Selector]) -> None:
        self.table = table
        self.rows, self.columns = table.rows, table.columns
        self._selectors = selectors  # kept, so that no identity is used again
        self._numbers = {id(node): number for number, node in enumerate(selectors)}
        self._bytes = 0
        self._tables: dict[int, tuple[int, bytes]] = {}
        self._lines: dict[tuple[int, int, int | None, int | None], bytes] = {}

    def holds(self, node: ir.Selector, place: Place) -> bool:
        """Does a selector hold at a cell?"""
        block = self.table.block(place[0])
        mark = block.marks[(place[0] - block.first_row) * self.columns + place[1] - 1]
        return self._numbers[id(node)] in self.table.sets[mark]

    def is_inside(self, place: Place) -> bool:
        """Is a place in the table?"""
        return 1 <= place[0] <= self.rows and 1 <= place[1] <= self.columns

    def steps_to(
        self, node: ir.Selector, holds: bool, place: Place, direction: ir.Direction
    ) -> int | None:
        """How many steps it is to the first cell, from a place on, where a selector holds or not.

        `None` if there is no such cell; 0 if it is at the place itself.
        """
        if not self.is_inside(place):
            return None
        row, column = place
        wanted = _YES if holds else _NO
        down, right = VECTORS[direction]
        if right:
            block = self.table.block(row)
            line = self._line(block, node, row=row)
            at = line.find(wanted, column - 1) if right > 0 else line.rfind(wanted, 0, column)
            return None if at < 0 else abs(at - column + 1)
        while 1 <= row <= self.rows:
            block = self.table.block(row)
            line = self._line(block, node, column=column)
            here = row - block.first_row
            at = line.find(wanted, here) if down > 0 else line.rfind(wanted, 0, here + 1)
            if at >= 0:
                return abs(block.first_row + at - place[0])
            row = block.end if down > 0 else block.first_row - 1
        return None

    def count_in_row(self, node: ir.Selector, place: Place) -> int:
        """In how many cells of a row a selector holds, from the left up to a place."""
        line = self._line(self.table.block(place[0]), node, row=place[0])
        return line.count(_YES, 0, place[1])

    def nearest(self, node: ir.Selector, place: Place) -> Place | None:
        """The nearest cell where a selector holds, in steps; `None` if there is none."""
        best: tuple[int, Place] | None = None
        for row in self._rows_around(node, place[0]):
            away = abs(row - place[0])
            if best is not None and away >= best[0]:
                break
            column = self._nearest_in_row(node, row, place[1])
            steps = away + abs(column - place[1])
            if best is None or steps < best[0]:
                best = steps, (row, column)
        return None if best is None else best[1]

    def _nearest_in_row(self, node: ir.Selector, row: int, column: int) -> int:
        """The nearest column of a row in which a selector holds somewhere."""
        block = self.table.block(row)
        flags, begin = self._line(block, node), (row - block.first_row) * self.columns
        left = flags.rfind(_YES, begin, begin + column) - begin + 1
        right = flags.find(_YES, begin + column - 1, begin + self.columns) - begin + 1
        found = [each for each in (left, right) if each > 0]
        return min(found, key=lambda each: abs(each - column))

    def _rows_around(self, node: ir.Selector, row: int) -> Iterator[int]:
        """The rows in which a selector holds somewhere, the nearest first."""
        below, above = self._rows_from(node, row, 1), self._rows_from(node, row - 1, -1)
        low, high = next(below, None), next(above, None)
        while low is not None or high is not None:
            if high is None or (low is not None and low - row <= row - high):
                assert low is not None
                yield low
                low = next(below, None)
            else:
                yield high
                high = next(above, None)

    def _rows_from(self, node: ir.Selector, row: int, sign: int) -> Iterator[int]:
        """The rows in which a selector holds somewhere, downwards or upwards from a row."""
        width = self.columns
        while 1 <= row <= self.rows:
            block = self.table.block(row)
            flags = self._line(block, node)
            first = (row - block.first_row) * width
            at = flags.find(_YES, first) if sign > 0 else flags.rfind(_YES, 0, first + width)
            if at < 0:
                row = block.end if sign > 0 else block.first_row - 1
            else:
                row = block.first_row + at // width
                yield row
                row += sign

    # ------------------------------------------------------------- bytes

    def _line(
        self,
        block: MarkedBlock,
        node: ir.Selector,
        row: int | None = None,
        column: int | None = None,
    ) -> bytes:
        """A byte for each cell of a block, or of a row or column of it: does a selector hold?"""
        key = (block.first_row, self._numbers[id(node)], row, column)
        found = self._lines.pop(key, None)
        if found is None:
            found = self._flags(self.cells(block, row, column), key[1])
            self._bytes += len(found)
            while self._bytes > KEPT_BYTES and self._lines:
                self._bytes -= len(self._lines.pop(next(iter(self._lines))))
        self._lines[key] = found
        return found

    def cells(
        self, block: MarkedBlock, row: int | None = None, column: int | None = None
    ) -> memoryview:
        """The marks of a block, or of a row or column of it."""
        if row is not None:
            begin = (row - block.first_row) * self.columns
            return block.marks[begin : begin + self.columns]
        return block.marks if column is None else block.marks[column - 1 :: self.columns]

    def flags(self, node: ir.Selector, marks: memoryview) -> bytes:
        """A byte for each mark: does a selector hold?"""
        return self._flags(marks, self._numbers[id(node)])

    def _flags(self, marks: memoryview, number: int) -> bytes:
        table = self._table(number)
        if len(self.table.sets) > 256:
            return bytes(map(table.__getitem__, marks))
        return low_bytes(marks).translate(table)

    def _table(self, number: int) -> bytes:
        """By mark: does a selector hold? At least 256 bytes."""
        sets = self.table.sets
        size, table = self._tables.get(number, (0, b""))
        if size < len(sets):
            table = bytes([number in each for each in sets]).ljust(256, _NO)
            self._tables[number] = len(sets), table
        return table

    def sets_of(self, nodes: Sequence[ir.Selector]) -> list[frozenset[int]]:
        """By mark: which of some selectors hold, as places in the list."""
        numbers = [self._numbers[id(node)] for node in nodes]
        return [
            frozenset(ix for ix, number in enumerate(numbers) if number in each)
            for each in self.table.sets
        ]
