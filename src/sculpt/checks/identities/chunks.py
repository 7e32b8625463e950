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
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from sculpt.checks.identities.sides import Regions, SideCells
from sculpt.engines.chunks.fold import Fold, PreparedChunk
from sculpt.engines.chunks.pieces import Piece
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


Payload = TypeVar("Payload")


@frozen
class GatheredChunk(Generic[Payload]):
    """What was gathered from some rows, if the assumptions about them were right."""

    begin: int
    end: int
    """Where the first row begins that was left to the next chunk."""
    above: Boundary | None
    below: Boundary
    rows: int
    starts: Array
    """By row: where it begins."""
    payload: Payload


@mutable
class Gathering(Generic[Payload]):
    """What is gathered from the rows of a file, or of a part of it, chunk by chunk."""

    machines: Machines
    data: Data
    first_region: int
    """The number of the first region among the selectors that are counted."""
    gather: Callable[[ChunkMarks, ChunkTexts], Payload]
    """Takes what is wanted out of marked rows; threads call it."""
    on_chunk: Callable[[GatheredChunk[Payload]], None]
    """Takes what was gathered, in order."""
    width: int | None = None
    """The number of cells by which rows are numbered; known after the first chunk."""
    begin: int | None = None
    """Where the first row begins, if not at the top of the table."""
    edge: Boundary | None = None
    """The edge above that row, which is assumed; the rows above are not known then."""
    is_exact: bool = False
    """Is that edge the true one, and the width that of the table? Then gathering never gives up."""
    rows: int = 0
    error: Exception | None = None
    """Why gathering has given up."""
    _at: int = field(init=False)
    _above: Boundary | None = field(init=False)
    _ahead: dict[int, GatheredChunk[Payload]] = field(init=False, default_factory=dict)
    """By first byte: what threads have gathered."""

    def __post_init__(self) -> None:
        self._at = self.data.skipped if self.begin is None else self.begin
        self._above = self.edge

    def work_ahead(self, chunk: PreparedChunk, above: Boundary | None) -> None:
        """Gather a chunk that was scanned, from an assumed edge; a thread calls this."""
        if self.error is None and chunk.walk is not None and self.width is not None:
            facts = (chunk.data, chunk.begin, chunk.blocks, chunk.end, above, None)
            # If the edge was right and gathering still fails, `take` finds out.
            with contextlib.suppress(WidthNeededError, UnsharedError):
                self._ahead[chunk.begin] = self._gathered(*facts)

    def take(self, begin: int, end: int, width: int) -> None:
        """Take what was gathered in the next chunk; `width` is that of the table so far."""
        found = self._ahead.pop(begin, None)

        def chosen() -> GatheredChunk[Payload]:
            is_right = found is not None and found.begin == self._at and found.above == self._above
            return found if is_right and found is not None else self._again(end, end - begin)

        self._take(chosen, width)

    def take_piece(self, piece: Piece, width: int) -> None:
        """Gather the next piece; `width` is that of the table so far."""
        end = piece.begin + len(piece.content)

        def chosen() -> GatheredChunk[Payload]:
            if not piece.begins_row or piece.begin != self._at:
                return self._again(end, len(piece.content))
            facts = (piece.content, piece.begin, piece.blocks, piece.point)
            return self._gathered(*facts, self._above, self._before)

        if piece.content:
            self._take(chosen, width)

    def end(self, end: int | None, width: int) -> None:
        """The rows end here; if not with the file, blank rows that are left count."""
        if end is not None and self._at < end:
            self._take(lambda: self._again(end, end, goes_on=True), width)

    @property
    def _before(self) -> int | None:
        return self.rows if self.edge is None else None

    def _take(self, chosen: Callable[[], GatheredChunk[Payload]], width: int) -> None:
        if self.error is not None:
            return
        if self.width is None:
            self.width = width
        try:
            if width != self.width:
                raise UnsharedError
            found = chosen()
        except (WidthNeededError, UnsharedError) as error:
            self.error = error
            self._ahead.clear()
            return
        self._at, self._above = found.end, found.below
        self.on_chunk(found)
        self.rows += found.rows

    def _again(self, end: int, size: int, goes_on: bool = False) -> GatheredChunk[Payload]:
        """Gather the rows from the first that is missing up to a byte; a chunk has `size` bytes."""
        if end - self._at > FARTHEST * max(size, 1) and not self.is_exact:
            raise UnsharedError
        machines, begin = self.machines, self._at
        content, blocks, point = read_rows(machines, self.data, begin, end)
        facts = (content, begin, blocks, point, self._above, self._before, goes_on)
        found = self._gathered(*facts)
        machines.buffers.recycle(blocks)
        machines.buffers.give_bytes(content)
        return found

    def _gathered(
        self,
        content: bytes | bytearray,
        begin: int,
        blocks: Sequence[Block],
        point: ScanPoint,
        above: Boundary | None,
        before: int | None,
        goes_on: bool = False,
    ) -> GatheredChunk[Payload]:
        """Gather the rows of some blocks, which begin at a byte."""
        machines, width = self.machines, self.width
        assert width is not None
        whole, after = with_last_row(machines, self.data, blocks, point)
        walk = MarkingWalk(machines, 0, width, above, self.is_exact, before)
        marks = ChunkMarks(machines, width, self.first_region, walk)
        blank = marks.take(whole, goes_on)
        if walk.table_width > width:
            raise UnsharedError
        if blank is not None and begin + len(content) != self.data.source.size:
            after = blank  # these rows count only if another follows
        payload = self.gather(marks, ChunkTexts(machines, content, begin, marks))
        marks.release()
        facts = (begin, after, above, walk.boundary(), marks.rows, marks.starts)
        return GatheredChunk(*facts, payload)


class ChunkSides(SideCells):
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

    gathering: Gathering[Any] | None = None

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
