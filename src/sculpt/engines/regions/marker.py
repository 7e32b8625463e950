"""Which regions each cell is in: a walk that marks cells instead of recording hits.

In: the `Machines` of a task whose targets are the regions, or, if it has none, whose counted
selectors are; a file whose width is known, or a chunk of it whose edges are known. Out:
`MarkedStrip`s in the order of the table: rows of a fixed width, for each cell the number of the set
of regions that it is in, and where each row begins in the data.

Invariant: the marks agree with the regions of the reference, however the table is divided into
strips. The numbers of sets are the same in all strips of a `Marker`. Cost: the walk, and one number
per cell. Memory: one strip, which has about `STRIP_CELLS` cells, but at least one row.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from sculpt.automata.cell_machine import Kind
from sculpt.engines.chunks.compose import Chunk
from sculpt.engines.chunks.rows import ChunkRows, strata_of
from sculpt.engines.chunks.spans import NOTED_READ_SIZE, blocks_in, counted_blocks
from sculpt.engines.data import Data
from sculpt.engines.in_order import blocks_in_order
from sculpt.engines.machines import Machines
from sculpt.engines.options import Options, Progress
from sculpt.engines.scan.blocks import Block
from sculpt.engines.walk.strips import STRIP_CELLS, walk_counted, walk_strips
from sculpt.engines.walk.sweeps import Spool, Sweeps
from sculpt.engines.walk.walk import Walk
from sculpt.kernels.loops.walking import walk_arrays as k
from sculpt.values import field, frozen, mutable, replace

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, Any]


HEAD_READ_SIZE = 1 << 16


@frozen
class MarkedStrip:
    """Some rows of the table, all of the same width."""

    first_row: int
    rows: int
    width: int
    marks: Array
    """By cell, row after row: the number of its set of regions."""
    starts: Array
    """By row: where it begins in the data."""
    places: Array
    """Two numbers per cell: where its text begins and ends in the data; negative for padding."""
    end: int | None
    """Where the row after the strip begins, or the chunk ends; `None` at the end of the file."""
    is_broken: bool
    """Is some cell broken: text after a closing quote, or a quote that never closes?"""

    @property
    def base(self) -> int:
        """The number of the first cell: cells are numbered through the table, from 0."""
        return (self.first_row - 1) * self.width


@mutable
class MarkingWalk(Walk):
    """A walk that marks cells; see the module's docstring."""

    strips: list[MarkedStrip] = field(init=False, default_factory=list)
    sets: list[frozenset[int]] = field(init=False, default_factory=lambda: [frozenset()])
    _numbers: dict[frozenset[int], int] = field(
        init=False, default_factory=lambda: {frozenset(): 0}
    )
    _of_entries: list[int] = field(init=False, default_factory=lambda: [0])
    """By 1 + the number of an entry: the number of its set."""
    _settled: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.regs[k.W_KEEPS] = False  # no hits are stored, so their room cannot run out

    def mark_repeats(self, block: Block) -> tuple[Any, Any]:
        """Mark the cells of complete rows, which need not be padded; for machines that keep steps.

        Returns by cell 1 + the number of its step or of a twin, and by row whether it has the marks
        of the row before: then those of its own cells are not set. Nothing else may be asked of a
        walk that marks repeats, but for its boundary.
        """
        machines = self.machines
        assert not machines.forgets
        self.regs[k.W_MARKS] = k.REPEATS_MARKED
        self.buffer = machines.buffers.numbers(max(1, block.cells))
        self.counting.log = machines.backend.zeros(max(1, block.rows))
        super().walk_rows(block)
        return self.buffer, self.counting.log

    def marks_in(self, region: int) -> bytes:
        """By mark: is a cell with it in a region, which is one of those that are counted?"""
        return bytes([0, *(region in each.counted for each in self.machines.navigator.taken)])

    def walk_rows(self, block: Block) -> None:
        """Mark the cells of complete rows, padded to the width of the table."""
        import numpy as np

        first = int(self.regs[k.W_ROW])
        self.regs[k.W_MARKS] = k.EACH_MARKED
        self.buffer = self.machines.backend.zeros(max(1, block.cells))
        self._settled = 0
        super().walk_rows(block)
        self._settle(block.cells)
        marks = np.asarray(self.buffer[: block.cells], dtype=np.int64)
        rows = int(self.regs[k.W_ROW]) - first
        starts = np.array(block.row_starts[:rows], dtype=np.int64) + block.base
        places = np.asarray(block.places[: 2 * block.cells], dtype=np.int64)
        broken = self.machines.broken()
        is_broken = any(broken) and bool(
            np.asarray(broken, dtype=np.int64)[np.asarray(block.letters[: block.cells])].any()
        )
        width = int(self.regs[k.W_WIDTH])
        self.strips.append(
            MarkedStrip(first + 1, rows, width, marks, starts, places, None, is_broken)
        )

    def _forget(self) -> None:
        """Replace entries by sets of regions first: their numbers are forgotten with the steps."""
        self._settle(int(self.regs[k.W_CELL]))
        self._of_entries = [0]
        super()._forget()

    def _settle(self, cell: int) -> None:
        """Replace entries by sets of regions, up to a cell."""
        numbers = self._of_entries
        for taken in self.machines.navigator.taken[len(numbers) - 1 :]:
            found = (each.subject for each in taken.found if each.kind is Kind.SELECTED)
            regions = frozenset(found) if self.machines.task.targets else taken.counted
            number = self._numbers.setdefault(regions, len(self.sets))
            if number == len(self.sets):
                self.sets.append(regions)
            numbers.append(number)
        begin, self._settled = self._settled, max(self._settled, cell)
        if not self.machines.backend.is_compiled:
            self.buffer[begin:cell] = [numbers[entry] for entry in self.buffer[begin:cell]]
            return
        import numpy as np

        marks = np.asarray(self.buffer)
        marks[begin:cell] = np.array(numbers, dtype=np.int64)[marks[begin:cell]]


class Marker:
    """The strips of a file, or of a chunk of it; they can be iterated several times."""

    def __init__(
        self,
        machines: Machines,
        data: Data,
        width: int,
        chunk: Chunk | None = None,
        cells: int = STRIP_CELLS,
        on_progress: Callable[[Progress], None] | None = None,
    ) -> None:
        assert machines.table.notes_texts, "the machines must note the texts of cells"
        self.machines = machines
        self.on_progress = on_progress
        self.data = data
        self.width = width
        self.chunk = chunk
        self.cells = cells
        self.sets: list[frozenset[int]] = [frozenset()]

    def strips(self, is_whole: bool = False, reads_head: bool = False) -> Iterator[MarkedStrip]:
        """The strips in order; with `is_whole`, all rows as one strip.

        With `reads_head`, only the first strips are needed, so files are read in small pieces.
        """
        if self.width == 0:
            return
        options = Options(chunk=HEAD_READ_SIZE if reads_head else NOTED_READ_SIZE)
        walk = self._walk()
        walk.sets, walk._numbers = self.sets, {each: ix for ix, each in enumerate(self.sets)}
        found = self._ended(self._steps(walk, options), walk)
        if not is_whole:
            yield from found
            return
        strips = list(found)
        if strips:
            yield _joined(strips)

    def _walk(self) -> MarkingWalk:
        if self.chunk is None:
            return MarkingWalk(self.machines, 0, self.width, is_exact=True)
        intake = self.chunk.intake
        assert intake.edge is not None
        return MarkingWalk(
            self.machines,
            0,
            intake.width,
            above=intake.edge.boundary(self.machines),
            is_exact=True,
            before=intake.rows,
        )

    def _steps(self, walk: MarkingWalk, options: Options) -> Iterator[None]:
        machines = self.machines
        if self.chunk is not None:
            span, intake, source = self.chunk.span, self.chunk.intake, self.data.source
            if machines.decisions.nodes:
                yield from ChunkRows(machines, source, span, intake, strata_of(machines)).through(
                    walk
                )
            else:
                counted = counted_blocks(machines, blocks_in(machines, source, span))
                yield from walk_counted(machines, counted, walk, self.cells)
        elif machines.decisions.ahead < math.inf:
            blocks = blocks_in_order(machines, self.data, options)
            yield from walk_strips(machines, blocks, walk, self.cells)
        else:
            with contextlib.closing(Spool(machines)) as spool:
                for _ in spool.fill(blocks_in_order(machines, self.data, options)):
                    yield
                for _ in Sweeps(machines, spool, self.cells).run(walk):
                    yield

    def _ended(self, steps: Iterator[None], walk: MarkingWalk) -> Iterator[MarkedStrip]:
        """The strips with their ends: where the next one begins."""
        waiting: MarkedStrip | None = None
        for _ in steps:
            strips, walk.strips = walk.strips, []
            for strip in strips:
                if waiting is not None:
                    yield replace(waiting, end=int(strip.starts[0]))
                waiting = strip
                self._report(strip)
        if waiting is not None:
            end = self.chunk.span.end if self.chunk is not None else None
            yield replace(waiting, end=end)

    def _report(self, strip: MarkedStrip) -> None:
        """Report the progress."""
        if self.on_progress is not None:
            read, rows = int(strip.starts[-1]), strip.first_row + strip.rows - 1
            self.on_progress(Progress(read, self.data.source.size, rows, 0, "running"))


def _joined(strips: list[MarkedStrip]) -> MarkedStrip:
    import numpy as np

    first, last = strips[0], strips[-1]
    return MarkedStrip(
        first.first_row,
        sum(strip.rows for strip in strips),
        first.width,
        np.concatenate([strip.marks for strip in strips]),
        np.concatenate([strip.starts for strip in strips]),
        np.concatenate([strip.places for strip in strips]),
        last.end,
        any(strip.is_broken for strip in strips),
    )
