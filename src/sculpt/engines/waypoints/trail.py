"""A walk through a whole file that leaves waypoints.

In: the chunks of a file, its blocks in order, or its strips. Out: the `Outcome` of one walk through
the file, as from a `Fold`, and a `Waypoint` for every chunk, strip, or `stretch` bytes.

A `Fold` ends a chunk only where a thread has guessed its edge; otherwise the open walk goes on, and
the chunk grows. A `Trail` ends a chunk at every cut at which a row begins: a new walk follows the
old one from its boundary. So the rows of a waypoint are few, whatever the schema and the data.

Invariant: what is found is what a `Fold` finds. Cost: that of the fold, and for each waypoint one
look at the steps that its rows have used. Memory: the waypoints.
"""

from __future__ import annotations

from itertools import compress

from sculpt.engines.chunks.fold import Fold, PreparedChunk
from sculpt.engines.chunks.spans import ChunkStarts
from sculpt.engines.data import Data
from sculpt.engines.machines import Machines
from sculpt.engines.scan.blocks import Block
from sculpt.engines.walk.walk import Boundary, Walk
from sculpt.engines.waypoints.edges import EdgeStore, Marks, Waypoint
from sculpt.engines.waypoints.lines import LineCounts
from sculpt.values import field, mutable, replace


@mutable
class Trail(Fold):
    """The waypoints so far, and the open walk after the last of them."""

    stretch: int = 1 << 22
    """In files that are read in order: about how many bytes lie between two waypoints."""
    lines: LineCounts | None = None
    waypoints: list[Waypoint] = field(init=False, default_factory=list)
    edges: EdgeStore = field(init=False, default_factory=EdgeStore)
    _entering: tuple[tuple[int, object, object], ...] = field(init=False, default=())
    _earlier: Walk | None = field(init=False, default=None)
    """The walk before the open one, which has not followed it yet."""
    _sets: dict[Marks, Marks] = field(init=False, default_factory=dict)

    @property
    def row(self) -> int:
        """Rows so far."""
        return self.rows

    # ------------------------------------------------------------- chunks that threads prepare

    def prepare(
        self, data: Data, cuts: ChunkStarts, number: int, above: Boundary | None, *limits: int
    ) -> PreparedChunk | None:
        """Prepare a chunk, and count its lines; a thread calls this."""
        chunk = super().prepare(data, cuts, number, above, *limits)
        if chunk is not None and self.lines is not None:
            self.lines.add(chunk.begin, chunk.data, self.machines.backend)
        return chunk

    def pass_cut(self, begin: int) -> None:
        """Leave a waypoint where the open walk goes on through the next chunk."""
        if not self.walk.waiting:  # blank rows that wait count only if a row follows
            self.leave(begin)

    def _follow_with(self, walk: Walk) -> None:
        """The new walk follows when it ends: until then it counts the steps of its own rows."""
        walk.counting.place_below(self._merger.rows, self._merger.heat)
        self._earlier, self.walk = self.walk, walk

    # ------------------------------------------------------------- blocks in order, and strips

    def take_block(self, block: Block) -> None:
        """Take the next letters of a file that is read in order."""
        if block.base - self.begin >= self.stretch and block.cells:
            block = self._parted(block)
        self.walk.take(block)

    def _parted(self, block: Block) -> Block:
        """Leave a waypoint at the first row that begins in a block; returns the rest of it."""
        if not self.walk.is_between_rows:
            if block.rows == 0:
                return block
            head, block = _split(self.machines, block)
            self.walk.take(head)
        if block.cells and not self.walk.waiting:
            self.leave(block.base + int(block.row_starts[0]))
        return block

    def walk_rows(self, block: Block) -> None:
        """Take the rows of the next strip, whose nodes have been decided; leaves a waypoint."""
        self.take_strip(block, ())

    def take_strip(self, block: Block, entering: tuple[tuple[int, object, object], ...]) -> None:
        """The same; `entering` are the walks of nodes that enter the strip, packed."""
        self.leave(block.base + int(block.row_starts[0]))
        self._entering = entering
        self.walk.walk_rows(block)

    # ------------------------------------------------------------- waypoints

    def leave(self, begin: int) -> None:
        """Leave a waypoint at a row, unless the walk has passed no row since the last one."""
        before = self.walk
        if not before.row:
            return
        above, rows, forgets = before.boundary(), self.rows, self.machines.forgets
        self._close(begin)
        walk = Walk(
            self.machines,
            self.wanted,
            above=above,
            is_exact=before.is_exact,
            before=rows,
            tallies=True,
            unchecked_limit=self.wanted_unchecked,
        )
        if forgets:  # the sums now: later, the numbers of steps may mean others
            before.counting.forget()
            walk.counting.before = before.counting.before
        self._follow_with(walk)

    def _close(self, end: int | None) -> None:
        """End the rows of the last waypoint."""
        marks = self._marks()
        self._follow()
        super()._close(end)
        chunk = self._merger.chunks.pop()
        intake = chunk.intake
        edge = None if intake.edge is None else self.edges.pack(intake.edge)
        places = (chunk.span.begin, end, edge, intake.firsts)
        self.waypoints.append(Waypoint(intake.rows, *places, chunk.count, marks, self._entering))

    def _follow(self) -> None:
        """Let the open walk follow the one before it."""
        earlier, self._earlier = self._earlier, None
        if earlier is not None:
            self.walk.follow(earlier)

    def _marks(self) -> Marks | None:
        """The marks that the steps of the open walk give."""
        if self.machines.forgets:
            return None
        steps, counting = self.machines.navigator.taken, self.walk.counting
        rules, selectors, unchecked = set[int](), set[int](), False
        # A step beyond the width is that of a cell, if the table turns out to be wider.
        for counts in (counting.counts, counting.beyond[::2]):
            for taken in compress(steps, counts):
                marks = Marks.of_step(taken)
                rules |= marks.rules
                selectors |= marks.selectors
                unchecked |= marks.unchecked
        found = Marks(frozenset(rules), frozenset(selectors), unchecked)
        return self._sets.setdefault(found, found)


def _split(machines: Machines, block: Block) -> tuple[Block, Block]:
    """The first row of a block, and the rest of it."""
    backend, first = machines.backend, int(block.row_cells[0])
    ends = backend.copied(block.row_cells[1 : block.rows])
    backend.shift_numbers(ends, block.rows - 1, -first)
    rest = replace(
        block,
        letters=block.letters[first : block.cells],
        row_cells=ends,
        row_starts=block.row_starts[1 : block.rows + 1],
        rows=block.rows - 1,
        cells=block.cells - first,
        kept=(),
    )
    return replace(block, rows=1, cells=first, kept=()), rest
