"""Chunks, put together in the order of the file: any cut gives the same answer.

In: `Part`s in order. Out: a `Merged` run, as if the file had been read in one piece. A part is
taken as it is where what it assumed turns out true: its first row begins where the row before
ends, and the vector, the carried states and the width are those it started from. Otherwise its
letters are walked again from the true boundary, or its bytes are scanned again; so the guesses
cost time when they are wrong, and never the answer.

A row that is cut by the end of a chunk is continued over the first bytes of the next one.
"""

from __future__ import annotations

from sculpt.engines.blocks import Block, Place, finish, row_end, scan
from sculpt.engines.partition import Part, scan_all
from sculpt.engines.program import Program
from sculpt.engines.walk import Boundary, Walk
from sculpt.values import field, mutable


@mutable
class Merged:
    """A run over the chunks so far."""

    program: Program
    limit: int
    width: int | None = None
    """The width of the table, where it has been measured."""
    place: Place = field(init=False)
    walk: Walk = field(init=False)

    def __post_init__(self) -> None:
        self.place = Place(0, self.program.table.start, 0)
        self.walk = Walk(self.program, self.limit, self.width or 0, is_exact=self.width is not None)

    def boundary(self) -> Boundary:
        """What stands above the current row: a good guess for what stands above later ones."""
        return self.walk.boundary()

    def begin_at(self, offset: int) -> None:
        """Skip the mark at the start of the file."""
        self.place = Place(offset, self.program.table.start, offset)

    def append(self, part: Part) -> None:
        """The next chunk."""
        self._append(part)
        for block in part.blocks:
            self._done(block)
        self.program.buffers.give_bytes(part.data)

    def _done(self, block: Block) -> None:
        for array in block.kept:
            self.program.buffers.give(array)

    def _append(self, part: Part) -> None:
        end = part.base + len(part.data)
        start = self.program.table.start
        if part.begin is not None and self.place.at < part.begin:
            # The row that began before the chunk, or with it.
            head = part.data[: part.begin - part.base]
            block, self.place = scan(self.program, head, part.base, self.place, max_rows=1)
            self.walk.take(block)
        if part.begin == self.place.at:
            ended = row_end(self.program, part.data, part.base, self.place)
            if ended is not None:
                self.walk.take(ended)
                self.place = Place(part.begin, start, part.begin)
        if part.begin is not None and self.place == Place(part.begin, start, part.begin):
            assert part.end is not None
            self._take(part)
            self.place = part.end
        elif part.begin is not None:
            self.program.hints.has_quoted_line_ends = bool(self.program.table.scanner.quote)
        while self.place.at < end:
            self._scan(part)

    def _scan(self, part: Part) -> None:
        blocks, self.place = scan_all(self.program, part.data, part.base, self.place)
        for block in blocks:
            self.walk.take(block)
        for block in blocks:
            self._done(block)

    def _take(self, part: Part) -> None:
        theirs = part.walk
        if theirs is not None and theirs.row == 0 and theirs.is_between_rows:
            self.walk.waiting += theirs.waiting  # nothing but blank rows
            return
        if theirs is not None and theirs.above is not None:
            self.walk.flush()
            if self.boundary() == theirs.above and theirs.above.named_rows_done:
                self.walk.adopt(theirs)
                return
        for block in part.blocks:
            self.walk.take(block)

    def finish(self) -> None:
        """The end of the file."""
        self.walk.take(finish(self.program, self.place))
        self.walk.drain()
