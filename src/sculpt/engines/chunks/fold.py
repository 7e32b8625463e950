"""Chunks folded in order while threads work ahead: the composition where memory is shared.

In: the `Machines`, data that can be cut, chunks in order. Out: the `Outcome` of one walk through
the whole file. The theory is that of `compose`: a chunk is a map from the edge above it to the edge
below it and the hits. A cluster must evaluate these maps without knowing the edges. Threads need
not: the true edge of a chunk is known as soon as the chunks above it have been taken.

A thread scans a chunk, and walks through it from the latest edge that is known. If that turns out
to be its true edge, the result is taken as it is; otherwise the open walk goes on through its
letters. Most rows leave the edge unchanged.

Invariant: every assumption is checked: that a row begins at the cut, and what the edge is. A wrong
one costs time but never changes the answer. Memory: the bytes and letters of the chunks ahead.
"""

from __future__ import annotations

from collections.abc import Sequence

from sculpt.engines.chunks.edges import Intake, true_edge
from sculpt.engines.chunks.merger import Merger
from sculpt.engines.chunks.relations import no_traffic
from sculpt.engines.chunks.result import Outcome
from sculpt.engines.chunks.rows import result_of
from sculpt.engines.chunks.spans import ChunkStarts, Span, start_of_row
from sculpt.engines.data import Data
from sculpt.engines.machines import Machines
from sculpt.engines.scan.blocks import Block, ScanPoint
from sculpt.engines.scan.decided import finish, row_end, scan_all
from sculpt.engines.walk.walk import Boundary, Edge, Walk, WidthNeededError
from sculpt.errors import DataError
from sculpt.kernels.loops.scan import NO_LIMIT
from sculpt.values import field, frozen, mutable, replace
from sculpt.verdict import MAX_UNCHECKED, Heat


@frozen
class PreparedChunk:
    """A chunk that a thread has scanned ahead, and perhaps walked through."""

    begin: int
    data: bytes | bytearray
    blocks: tuple[Block, ...]
    end: ScanPoint
    """The point after its last byte: at the start of a row, if one begins at the next cut."""
    walk: Walk | None
    """A walk through it from an assumed edge."""


def prepare(
    machines: Machines,
    data: Data,
    cuts: ChunkStarts,
    number: int,
    above: Boundary | None,
    limit: int,
    unchecked: int = MAX_UNCHECKED,
) -> PreparedChunk | None:
    """Scan a chunk, and walk through it from an edge; `None` if no row begins in it.

    `limit` and `unchecked` are how many hits and unchecked cells to keep.
    """
    begin = cuts.at(number)
    if begin is None:
        return None
    end = next(cuts.after(number), data.source.size)
    assert end is not None
    content = data.source.read_into(begin, machines.buffers.take_bytes(end - begin))
    if len(content) < end - begin:
        raise DataError(f"{data.source.path}: changed while it was read", data.source.path)
    blocks, point = _scan_chunk(machines, content, begin, start_of_row(machines, begin))
    walk = None
    if above is not None and above.named_rows_done:
        # Memory holds the letters of the chunk, so it holds the places of its violations too.
        walk = Walk(machines, limit, above=above, tallies=True, unchecked_limit=unchecked)
        try:
            for block in blocks:
                walk.take(block)
        except WidthNeededError:
            walk = None
    return PreparedChunk(begin, content, tuple(blocks), point, walk)


def _scan_chunk(
    machines: Machines, content: bytes | bytearray, base: int, point: ScanPoint
) -> tuple[list[Block], ScanPoint]:
    """The letters of a chunk, from a point on."""
    blocks: list[Block] = []
    while point.at < base + len(content):
        more, point = scan_all(machines, content, base, point)
        blocks += more
    return blocks, point


@mutable
class Fold:
    """The chunks taken so far. The last one is open: its walk may go on through the next one."""

    machines: Machines
    begin: int
    limit: int
    width: int | None = None
    """The width of the table, if it has been measured."""
    walk: Walk = field(init=False)
    point: ScanPoint = field(init=False)
    _merger: Merger = field(init=False)
    _above: Edge | None = field(init=False, default=None)
    """The edge above the open chunk; `None` at the top of the table."""

    def __post_init__(self) -> None:
        limit = NO_LIMIT if self.machines.task.targets else self.limit
        self._merger = Merger(self.machines, limit)
        width, is_exact = self.width or 0, self.width is not None
        self.walk = Walk(self.machines, limit, width, is_exact=is_exact, tallies=True)
        self.walk.counting.place_below(0, self._merger.heat)
        self.point = start_of_row(self.machines, self.begin)

    @property
    def rows(self) -> int:
        """Rows so far."""
        return self._merger.rows + self.walk.row

    @property
    def count(self) -> int:
        """Violations so far."""
        return self._merger.count + self.walk.count

    @property
    def wanted(self) -> int:
        """How many hits of errors, or of warnings, the next chunk must keep at most."""
        return self._merger.wanted

    @property
    def wanted_unchecked(self) -> int:
        """How many unchecked cells the next chunk must keep at most."""
        return MAX_UNCHECKED - len(self._merger.unchecked)

    def take(self, chunk: PreparedChunk) -> None:
        """Take the next chunk."""
        machines = self.machines
        start = start_of_row(machines, chunk.begin)
        assert self.point.at == chunk.begin, (self.point, chunk.begin)
        if self.point != start:
            ended = row_end(machines, chunk.data, chunk.begin, self.point)
            if ended is not None:
                self.walk.take(ended)
                self.point = start
        if self.point != start:
            # No row begins at the cut: the rows of the open chunk go on.
            machines.hints.has_quoted_line_ends = bool(machines.table.scanner.quote)
            blocks, self.point = _scan_chunk(machines, chunk.data, chunk.begin, self.point)
            self._walk_on(blocks)
            machines.buffers.recycle(blocks)
        elif chunk.walk is not None and self._ends_at(chunk.walk):
            self._close(chunk.begin)
            self._follow_with(chunk.walk)
            self.point = chunk.end
        else:
            self.pass_cut(chunk.begin)
            self._walk_on(chunk.blocks)
            self.point = chunk.end
        machines.buffers.recycle(chunk.blocks)
        machines.buffers.give_bytes(chunk.data)

    def prepare(
        self, data: Data, cuts: ChunkStarts, number: int, above: Boundary | None, *limits: int
    ) -> PreparedChunk | None:
        """Prepare a chunk; a thread calls this. The limits are those of the function `prepare`."""
        return prepare(self.machines, data, cuts, number, above, *limits)

    def pass_cut(self, begin: int) -> None:
        """The open walk goes on through the next chunk; a row begins there."""

    def _follow_with(self, walk: Walk) -> None:
        """Open the next chunk: its walk follows the one of the chunk that was closed."""
        walk.follow(self.walk)
        walk.counting.place_below(self._merger.rows, self._merger.heat)
        self.walk = walk

    def _walk_on(self, blocks: Sequence[Block]) -> None:
        for block in blocks:
            self.walk.take(block)

    def _ends_at(self, walk: Walk) -> bool:
        """Does the open walk end at the edge from which another one started?"""
        if walk.row == 0 and walk.is_between_rows:
            return False  # it has met only blank rows, which count only if a row follows
        self.walk.flush()
        return self.walk.boundary() == walk.above

    def _close(self, end: int | None) -> None:
        """End the open chunk."""
        merger = self._merger
        result = result_of(self.walk, Span(self.begin, end), has_met=end is None)
        result = replace(result, heat=Heat())  # its places are in the merger's map
        shift = merger.rows if self.walk.before is None else 0
        merger.take(result, Intake(merger.rows, 0, no_traffic(0), self._above), shift)
        self._above = result.below
        if end is not None:
            self.begin = end

    def finish(self) -> Outcome:
        """End the file."""
        self.walk.take(finish(self.machines, self.point))
        return self.outcome()

    def outcome(self) -> Outcome:
        """What was found, when the walk has gone through the whole file."""
        self._close(None)
        merger, below, width = self._merger, self._above, self.walk.table_width
        assert below is not None
        none = no_traffic(width)
        top = true_edge(self.machines, width, none)
        for ix, chunk in enumerate(merger.chunks):  # now that the width is known
            edge = replace(chunk.intake.edge or top, width=width)
            intake = replace(chunk.intake, width=width, traffic=none, edge=edge)
            merger.chunks[ix] = replace(chunk, intake=intake)
        return merger.outcome(below, width)
