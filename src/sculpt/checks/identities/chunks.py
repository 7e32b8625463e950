"""Entries gathered in the pass that validates: chunks of a file, marked by the threads that scan.

In: a file that can be cut, of a plain dialect; machines whose counted selectors are the regions of
sides, and that go down and right only. Out: the entries of its chunks, in order, and what the fold
finds. A thread that has scanned a chunk, and walked through it from the latest edge that is known,
marks it in a second walk over the same letters, finds the texts of entries, and sorts them into
partitions. If the chunk did begin there, and with that edge, what it has gathered is taken as it
is; otherwise the chunk is marked again from where its first row begins.

Entries are numbered by the width of the first chunk. If a row is wider, gathering gives up
(`UnsharedError`), and the file is gathered again once its width is known. Invariant: every
assumption is checked, as in `engines.chunks.fold`. Memory: the bytes, letters and marks of a chunk
per thread and one more.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from sculpt.checks.identities.entries import EntryMaker
from sculpt.checks.identities.sides import Regions, Side, SideCells, SideRows
from sculpt.checks.identities.store import EntrySet, Run
from sculpt.engines.chunks.fold import Fold, PreparedChunk
from sculpt.engines.chunks.spans import ChunkStarts, read_rows, with_last_row
from sculpt.engines.data import Data
from sculpt.engines.machines import Machines
from sculpt.engines.regions.chunk_marks import ChunkMarks
from sculpt.engines.regions.chunk_texts import ChunkTexts
from sculpt.engines.regions.marker import MarkingWalk
from sculpt.engines.scan.blocks import Block, ScanPoint
from sculpt.engines.walk.walk import Boundary, WidthNeededError
from sculpt.values import field, frozen, mutable

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, Any]

FARTHEST = 8
"""A row of more chunks than this is not read again with each of them."""


class UnsharedError(Exception):
    """The rest of the file must be gathered in order, when its size is known."""


@frozen
class GatheredChunk:
    """What was gathered from some rows, if the assumptions about them were right."""

    begin: int
    end: int
    """Where the first row begins that was left to the next chunk."""
    above: Boundary | None
    below: Boundary
    rows: int
    starts: Array
    """By row: where it begins."""
    sides: tuple[SideRows, ...]
    runs: tuple[Run, ...]
    """By side: its entries; their rows count from the first of the chunk."""


@mutable
class Gathering:
    """The entries of the sides of one file, chunk by chunk."""

    machines: Machines
    data: Data
    sides: tuple[Side, ...]
    regions: Regions
    makers: list[EntryMaker]
    sets: list[EntrySet]
    """By side: where its entries go."""
    on_chunk: Callable[[GatheredChunk], None]
    """Takes what was gathered, in order."""
    width: int | None = None
    """The number of cells by which rows are numbered; known after the first chunk."""
    rows: int = 0
    error: Exception | None = None
    """Why gathering has given up."""
    _at: int = field(init=False)
    _above: Boundary | None = field(init=False, default=None)
    _ahead: dict[int, GatheredChunk] = field(init=False, default_factory=dict)
    """By first byte: what threads have gathered."""

    def __post_init__(self) -> None:
        self._at = self.data.skipped

    def work_ahead(self, chunk: PreparedChunk, above: Boundary | None) -> None:
        """Gather a chunk that was scanned, from an assumed edge; a thread calls this."""
        if self.error is None and chunk.walk is not None and self.width is not None:
            facts = (chunk.data, chunk.begin, list(chunk.blocks), chunk.end, above, None)
            # If the edge was right and gathering still fails, `take` finds out.
            with contextlib.suppress(WidthNeededError, UnsharedError):
                self._ahead[chunk.begin] = self._gathered(*facts)

    def take(self, begin: int, end: int, width: int) -> None:
        """Take the entries of the next chunk; `width` is that of the table so far."""
        if self.error is not None:
            return
        if self.width is None:
            self.width = width
        found = self._ahead.pop(begin, None)
        try:
            if width != self.width:
                raise UnsharedError
            if found is None or found.begin != self._at or found.above != self._above:
                if end - self._at > FARTHEST * max(end - begin, 1):
                    raise UnsharedError
                found = self._again(end)
        except (WidthNeededError, UnsharedError) as error:
            self.error = error
            self._ahead.clear()
            return
        self._at, self._above = found.end, found.below
        self.on_chunk(found)
        self.rows += found.rows

    def _again(self, end: int) -> GatheredChunk:
        """Gather the rows from the first that is missing up to a byte."""
        machines, begin = self.machines, self._at
        content, blocks, point = read_rows(machines, self.data, begin, end)
        found = self._gathered(content, begin, blocks, point, self._above, self.rows)
        machines.buffers.recycle(blocks)
        machines.buffers.give_bytes(content)
        return found

    def _gathered(
        self,
        content: bytes | bytearray,
        begin: int,
        blocks: list[Block],
        point: ScanPoint,
        above: Boundary | None,
        before: int | None,
    ) -> GatheredChunk:
        """Gather the rows of some blocks, which begin at a byte."""
        machines, source, width = self.machines, self.data.source, self.width
        assert width is not None
        end = begin + len(content)
        blocks, after = with_last_row(machines, self.data, blocks, point)
        walk = MarkingWalk(machines, 0, width, above, before=before)
        first = len(machines.task.counted) - len(self.regions.selectors)
        marks = ChunkMarks(machines, width, first, walk)
        blank = marks.take(blocks)
        if walk.table_width > width:
            raise UnsharedError
        if blank is not None and end != source.size:  # they count only if a row follows
            after = blank
        cells = _ChunkSides(self.regions, marks)
        sides = tuple(cells.rows_of(side) for side in self.sides)
        marks.release()
        texts = ChunkTexts(machines, content, begin, marks)
        pairs = zip(self.makers, sides, strict=True)
        entries = (maker.entries(texts, side, 0) for maker, side in pairs)
        owned = zip(self.sets, entries, strict=True)
        runs = tuple(own.sorted(each) for own, each in owned)
        facts = (begin, after, above, walk.boundary(), marks.rows, marks.starts)
        return GatheredChunk(*facts, sides, runs)


class _ChunkSides(SideCells):
    """The sides of a marked chunk."""

    def __init__(self, regions: Regions, marks: ChunkMarks) -> None:
        super().__init__(regions, marks.width, marks.rows)
        self._marks = marks

    def find(self, number: int) -> Array:
        """The cells of a region."""
        return self._marks.cells(number)


@mutable
class GatheringFold(Fold):
    """A fold whose chunks are gathered, too."""

    gathering: Gathering | None = None

    def prepare(
        self, data: Data, cuts: ChunkStarts, number: int, above: Boundary | None, *limits: int
    ) -> PreparedChunk | None:
        """Prepare a chunk, and gather its entries; a thread calls this."""
        chunk = super().prepare(data, cuts, number, above, *limits)
        if chunk is not None and self.gathering is not None:
            self.gathering.work_ahead(chunk, above)
        return chunk

    def take(self, chunk: PreparedChunk) -> None:
        """Take the next chunk, and its entries."""
        begin, end = chunk.begin, chunk.begin + len(chunk.data)
        super().take(chunk)
        if self.gathering is not None:
            self.gathering.take(begin, end, self.walk.table_width)
