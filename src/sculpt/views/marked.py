"""A file of any size, marked with selectors: blocks of marks, read again from waypoints.

In: the layers of a pass for these selectors (`layers`). Out: a `MarkedTable`; a block has the rows
of a waypoint. Invariant: marks are those of a walk through the whole file. Cost of a block: one
scan and walk of its rows, and one or four bytes per cell. Memory: the last blocks, up to
`KEPT_BYTES`.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

from sculpt.automata.cell_machine import Taken
from sculpt.engines.waypoints.edges import Marks
from sculpt.engines.waypoints.replay import StepRows
from sculpt.engines.waypoints.row_texts import RowTexts
from sculpt.tabular.grid import Cell
from sculpt.values import frozen
from sculpt.views.layers import Layer
from sculpt.views.source import MarkedBlock, low_bytes

KEPT_BYTES = 1 << 26
"""How large the blocks are, at most, that are remembered; the last one always is."""

Checked: TypeAlias = Callable[[Callable[[], Any]], Any]
"""Does some work on a file, if the file is still the one that was viewed."""


@frozen(eq=False)
class _Block:
    """A block, and where its rows begin in the data."""

    marked: MarkedBlock
    starts: list[tuple[int, Any]]
    """By strip: its first row, and where each of its rows begins."""

    @property
    def size(self) -> int:
        """About how many bytes it takes."""
        return self.marked.marks.nbytes + 8 * self.marked.rows

    def start(self, row: int) -> int:
        """Where a row begins."""
        first, starts = next(each for each in reversed(self.starts) if each[0] <= row)
        return int(starts[row - first])


class LocalMarks:
    """The marks of a file."""

    def __init__(self, layers: list[Layer], texts: RowTexts, checked: Checked) -> None:
        self._layers = layers
        self._route = layers[0].route
        self._texts = texts
        self._checked = checked
        self._blocks: dict[int, _Block] = {}
        self._bytes = 0
        self.rows, self.columns = self._route.found.rows, self._route.width
        self.sets: list[frozenset[int]] = []
        self._numbers: dict[frozenset[int], int] = {}
        self._steps: dict[Layer, tuple[list[Taken], list[int]]] = {}

    def close(self) -> None:
        """Forget the blocks; the file belongs to the source."""
        self._blocks.clear()

    def block(self, row: int) -> MarkedBlock:
        """The block that holds a row."""
        return self._block(row).marked

    def cell(self, row: int, column: int) -> Cell | None:
        """The cell at a place."""
        start = self._block(row).start(row)
        found: Cell | None = self._checked(lambda: self._texts.cell(start, column))
        return found

    def _block(self, row: int) -> _Block:
        rows = self._layers[0].rows_around(row)
        found = self._blocks.pop(rows.start, None)
        if found is None:
            found = self._checked(lambda: self._marked(rows))
            self._bytes += found.size
            while self._bytes > KEPT_BYTES and self._blocks:
                self._bytes -= self._blocks.pop(next(iter(self._blocks))).size
        self._blocks[rows.start] = found
        return found

    # ------------------------------------------------------------- marks

    def _marked(self, rows: range) -> _Block:
        first, *others = self._layers
        read = first.steps(rows)
        marks = self._joined(first, read)
        for layer in others:
            more = self._joined(layer, layer.steps(rows))
            pairs = zip(marks, more, strict=True)
            marks = memoryview(
                array("I", [self._number(self.sets[a] | self.sets[b]) for a, b in pairs])
            )
        starts = [(each.first_row, each.starts) for each in read]
        return _Block(MarkedBlock(rows.start, len(rows), marks), starts)

    def _joined(self, layer: Layer, read: list[StepRows]) -> memoryview:
        parts = [part for each in read for part in self._parts(layer, each)]
        if len(self.sets) <= 256:
            return memoryview(b"".join(bytes(part) for part in parts))
        joined = array("I")
        for part in parts:
            joined.extend(part)
        return memoryview(joined)

    def _parts(self, layer: Layer, rows: StepRows) -> Iterator[bytes | list[int]]:
        """The marks of some rows, one byte each if they fit."""
        steps = rows.steps if isinstance(rows.steps, list) else memoryview(rows.steps)
        begin = 0
        for end, taken in rows.taken:
            numbers = self._numbers_of(layer, taken)
            some = steps[begin:end]
            if isinstance(some, list) or len(numbers) > 256 or len(self.sets) > 256:
                yield [numbers[step] for step in some]
            else:
                yield low_bytes(some).translate(bytes(numbers).ljust(256, b"\0"))
            begin = end

    def _numbers_of(self, layer: Layer, taken: list[Taken]) -> list[int]:
        """By step, from 1: the number of its set. The list of steps only grows."""
        known, numbers = self._steps.get(layer, ([], []))
        if known is not taken:
            numbers = [0]
            self._steps[layer] = (taken, numbers)
        for step in taken[len(numbers) - 1 :]:
            names = layer.names_of(Marks.of_step(step))
            numbers.append(self._number(frozenset(map(int, names))))
        return numbers

    def _number(self, held: frozenset[int]) -> int:
        number = self._numbers.setdefault(held, len(self.sets))
        if number == len(self.sets):
            self.sets.append(held)
        return number
