"""The cells of regions in a chunk, whose rows are marked as they are, without padding.

In: the blocks of a chunk of whole rows, and a `MarkingWalk` from the edge above it, whose machines
count the cells of the regions. Out: the cells of each region, and the rows that have any. Rows that
are alike are marked once.

Invariant: the cells are those of the reference, but for padded ones, which are not found. Cost: one
walk, and a pass over the marks for each region. Memory: the marks.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from sculpt.engines.machines import Machines
from sculpt.engines.regions.marker import MarkingWalk
from sculpt.engines.scan.blocks import Block
from sculpt.engines.walk.strips import whole_rows

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, Any]


class ChunkRows:
    """The rows of a chunk: where they begin, and which a kernel cannot read."""

    def __init__(self, machines: Machines, width: int) -> None:
        self.width, self.rows = width, 0
        self._machines = machines
        self._starts: list[Array] = []
        self.unfit: list[int] = []
        """Rows with a cell that is broken or cannot be decoded."""

    def take(self, blocks: Sequence[Block], goes_on: bool = False) -> int | None:
        """Take the rows of all blocks; blank rows at their end only if another row follows.

        Returns where those begin that are not taken.
        """
        machines = self._machines
        waiting: list[Block] = []
        for block in whole_rows(machines, iter(blocks)):
            rows, tail = block.without_blank_tail(machines, machines.blanks(), goes_on=False)
            if rows.rows:
                for each in (*waiting, rows):
                    self._add(each)
                waiting = []
            if tail is not None:
                waiting.append(tail)
        if goes_on:
            for each in waiting:
                self._add(each)
            waiting = []
        return waiting[0].base + int(waiting[0].row_starts[0]) if waiting else None

    def _add(self, block: Block) -> None:
        """Add the rows of a block."""
        import numpy as np

        self._starts.append(np.array(block.row_starts[: block.rows], np.int64) + block.base)
        flags = self._machines.unfit()
        if any(flags):
            ends = np.array(block.row_cells[: block.rows], np.int64)
            letters = np.asarray(block.letters[: block.cells])
            cells = np.flatnonzero(np.asarray(flags, np.int64)[letters])
            rows = np.searchsorted(ends, cells, side="right") + self.rows
            self.unfit += np.unique(rows).tolist()
        self.rows += block.rows

    @cached_property
    def starts(self) -> Array:
        """By row: where it begins in the data."""
        import numpy as np

        return np.concatenate(self._starts) if self._starts else np.empty(0, np.int64)


class ChunkMarks(ChunkRows):
    """The rows of a chunk, marked."""

    def __init__(
        self, machines: Machines, width: int, first_region: int, walk: MarkingWalk
    ) -> None:
        super().__init__(machines, width)
        self._walk = walk
        self._first = first_region
        """The number of the first region among the selectors that are counted."""
        self._blocks: list[tuple[Any, Any, Array, int]] = []
        """Of each block: the marks, which rows repeat them, where rows end, the rows before it."""
        self._found: dict[int, Array] = {}

    def _add(self, block: Block) -> None:
        """Mark the rows of a block, and add them."""
        import numpy as np

        marks, repeats = self._walk.mark_repeats(block)
        ends = np.array(block.row_cells[: block.rows], np.int64)
        self._blocks.append((marks, repeats, ends, self.rows))
        super()._add(block)

    def release(self) -> None:
        """Return the arrays of marks: all regions that are wanted were found."""
        for marks, *_ in self._blocks:
            self._machines.buffers.give(marks)
        self._blocks = []

    @property
    def is_full(self) -> bool:
        """Has each row as many cells as the table has columns?"""
        import numpy as np

        width = self.width
        return all(
            int(ends[0]) == width and bool((np.diff(ends) == width).all())
            for _, _, ends, _ in self._blocks
        )

    def cells(self, number: int) -> Array:
        """The cells of a region, numbered row by row as if all had the width of the table."""
        import numpy as np

        if number not in self._found:
            found: list[Array] = []
            wanted = self._walk.marks_in(self._first + number)
            for marks, repeats, ends, above in self._blocks:
                room = np.empty(int(ends[-1]), np.int64)
                count = self._machines.backend.pick_cells(
                    marks, repeats, wanted, ends, len(ends), above, self.width, room
                )
                found.append(room[:count])
            none = np.empty(0, np.int64)
            self._found[number] = np.concatenate(found) if found else none
        return self._found[number]

    def row_sizes(self, number: int) -> Array:
        """By row: how many cells of a region it has."""
        import numpy as np

        found = np.empty(self.rows, np.int64)
        wanted = self._walk.marks_in(self._first + number)
        for marks, repeats, ends, above in self._blocks:
            sizes = found[above : above + len(ends)]
            self._machines.backend.count_cells(marks, repeats, wanted, ends, sizes)
        return found
