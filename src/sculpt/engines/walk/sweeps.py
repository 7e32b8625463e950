"""Schemas that walk up without bound: sweeps over strips, from above and from below.

In: `Machines` with nodes to decide, and the blocks of a file. Out: a `Walk` that has gone through
the file. The file is read once, into a `Spool` of letters, and divided into strips. Sweeps go over
the strips, down or up as `Decisions.schedule` says, and hand the walks that leave a strip to its
neighbours. For each node and strip only the walks that enter across its edges are kept, packed; the
rest is computed again when it is needed. The last sweep is the walk itself: where all that crosses
edges is known by then, threads decide strips ahead of it.

A path that goes both up and down without bound may leave a strip, turn and come back. It is swept
to and fro until every strip has followed all walks that enter it: the least fixpoint of the
exchange between strips, which is reached because sets of walks only grow. Each such sweep visits
only the strips with new walks. Invariant: in the end, the truth in every strip is that of the whole
table.

Memory: a strip and one more per thread, the walks at the edges, and the spool; a large spool is in
a temporary file.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from functools import partial
from typing import IO, Any, Protocol

from sculpt.automata.resolver import StripTraffic
from sculpt.core.facts.decisions import Motion, Sweep
from sculpt.engines.machines import Machines
from sculpt.engines.pool import work_ahead
from sculpt.engines.scan.blocks import Block
from sculpt.engines.walk.strips import (
    Decider,
    Padded,
    StripRows,
    counted_rows,
    skips_blanks,
    strip_rows,
)
from sculpt.tabular.inputs import writing_temporary
from sculpt.values import frozen, replace

MAX_HELD = 1 << 26
"""Above this many bytes, letters are kept in a temporary file instead of memory."""


@frozen
class _StripPlace:
    """Where the rows of a strip are in the spool."""

    block: int
    first: int
    last: int
    rows: int
    """Those that count."""
    first_row: int


class Spool:
    """The letters of all rows of a file, kept so that they can be read several times."""

    def __init__(self, machines: Machines) -> None:
        self.machines = machines
        self.width = 0
        self._blocks: list[tuple[Block, int]] = []
        self._file: IO[bytes] | None = None
        self._loaded: tuple[int, Block] | None = None
        if machines.backend.is_compiled:
            import tempfile

            self._file = tempfile.SpooledTemporaryFile(MAX_HELD)  # noqa: SIM115 (closed by `close`)

    def close(self) -> None:
        """Release memory and disk."""
        if self._file is not None:
            self._file.close()

    def fill(self, blocks: Iterator[Block]) -> Iterator[None]:
        """Keep all blocks of a file; yields after each."""
        for block in counted_rows(self.machines, blocks):
            widest = self.machines.backend.widest(block.row_cells, block.rows, block.cells)
            self.width = max(self.width, int(widest))
            self._keep(block)
            yield

    def _keep(self, block: Block) -> None:
        arrays: tuple[Any, ...] = (
            block.letters[: block.cells],
            block.row_cells[: block.rows],
            block.row_starts[: block.rows],
        )
        if self.machines.table.notes_texts:
            arrays = (*arrays, block.places[: 2 * block.cells])
        if self._file is None:
            letters, ends, starts, *places = map(self.machines.backend.copied, arrays)
            kept = Block(letters, ends, starts, block.rows, block.cells, block.base)
            kept.places = places[0] if places else None
            self._blocks.append((kept, 0))
            return
        with writing_temporary():
            at = self._file.seek(0, 2)
            for array in arrays:
                self._file.write(memoryview(array).cast("B"))
        bare = Block(None, None, None, block.rows, block.cells, block.base)
        self._blocks.append((bare, at))

    def block(self, number: int) -> Block:
        """One of the blocks that were kept."""
        block, at = self._blocks[number]
        if self._file is None:
            return block
        if self._loaded is None or self._loaded[0] != number:
            read, backend = self._file.read, self.machines.backend
            self._file.seek(at)
            letters = backend.read(read(4 * block.cells), 4)
            ends, starts = (backend.read(read(8 * block.rows), 8) for _ in range(2))
            loaded = replace(block, letters=letters, row_cells=ends, row_starts=starts)
            if self.machines.table.notes_texts:
                loaded.places = backend.read(read(16 * block.cells), 8)
            self._loaded = number, loaded
        return self._loaded[1]

    def cuts(self, cells: int) -> list[_StripPlace]:
        """Strips of about `cells` cells, in order; each is within one block."""
        machines = self.machines
        skips, blanks = skips_blanks(machines), machines.blanks()
        step = strip_rows(cells, self.width)
        found: list[_StripPlace] = []
        row = 1
        for number, (bare, _) in enumerate(self._blocks):
            for first in range(0, bare.rows, step):
                last = min(bare.rows, first + step)
                rows = last - first
                if skips:
                    block = self.block(number)
                    rows = int(
                        machines.backend.count_rows(
                            block.letters, block.row_cells, first, last, blanks, skips
                        )
                    )
                if rows:
                    found.append(_StripPlace(number, first, last, rows, row))
                    row += rows
        return found


class TakesRows(Protocol):
    """What the last sweep hands the rows of each strip to: a `Walk`, or what leads one."""

    def walk_rows(self, block: Block) -> None:
        """Walk through a block of whole rows, all of which count."""


class Sweeps:
    """The sweeps over the strips of a spool."""

    def __init__(self, machines: Machines, spool: Spool, cells: int, threads: int = 1) -> None:
        self.machines = machines
        self.spool = spool
        self.cuts = spool.cuts(cells)
        self.threads = threads
        self.count = 0
        """Sweeps so far."""
        self._decider = Decider(machines)
        nodes = range(len(machines.decisions.nodes))
        self._edges = [_NodeTraffic(machines, len(self.cuts)) for _ in nodes]
        self._done: set[int] = set()

    def run(self, walk: TakesRows) -> Iterator[float]:
        """All sweeps, with the walk through the table last; yields how much of each is done."""
        *before, _ = self.machines.decisions.schedule()
        for sweep in before:
            yield from self._sweep(sweep)
            self._done.update(sweep.decided)
            if sweep.turning:
                yield from self._turn(replace(sweep, decided=()))
                self._done.update(sweep.turning)
        yield from self._walk(walk)

    def entering(self, at: int) -> list[tuple[int, Any, Any]]:
        """After all sweeps: the walks that enter a strip from above and below, by node, packed."""
        return [
            (number, *sides)
            for number, edges in enumerate(self._edges)
            if any(sides := edges.packed(at))
        ]

    def _walk(self, walk: TakesRows) -> Iterator[float]:
        """The last sweep: the walk itself."""
        self.count += 1
        nodes = range(len(self._edges))
        motions = {self.machines.decisions.motions[n] for n in nodes if n not in self._done}
        threads = self.threads if motions <= {Motion.LEVEL} else 1
        # Without threads, a strip is decided when all walks that leave the one before are known.
        works = (partial(self._decided, at, self._rows(at), nodes) for at in range(len(self.cuts)))
        blocks = work_ahead(works, threads) if threads > 1 else (work() for work in works)
        with contextlib.closing(blocks):
            for done, block in enumerate(blocks, 1):
                walk.walk_rows(block)
                yield done / len(self.cuts)

    def _turn(self, sweep: Sweep) -> Iterator[float]:
        """Sweep to and fro until all walks that have turned are followed."""
        while any(self._edges[number].changed for number in sweep.turning):
            sweep = replace(sweep, way="up" if sweep.way == "down" else "down")
            yield from self._sweep(sweep, only_changed=True)

    def _sweep(self, sweep: Sweep, only_changed: bool = False) -> Iterator[float]:
        self.count += 1
        needed = self._needed(sweep)
        strips = range(len(self.cuts))
        for done, at in enumerate(strips if sweep.way == "down" else reversed(strips), 1):
            is_changed = any(at in self._edges[number].changed for number in sweep.turning)
            if is_changed or not only_changed:
                self._decided(at, self._rows(at), needed)
                yield done / len(strips)

    def _needed(self, sweep: Sweep) -> list[int]:
        """The nodes of a sweep and all nodes they depend on, in order."""
        needed: set[int] = set()
        todo = [*sweep.decided, *sweep.turning]
        while todo:
            number = todo.pop()
            if number not in needed:
                needed.add(number)
                todo += self.machines.decisions.parts[number]
        return sorted(needed)

    def _rows(self, at: int) -> StripRows:
        cut = self.cuts[at]
        padded = Padded(self.machines, self.spool.width, cut.rows)
        padded.add(self.spool.block(cut.block), cut.first, cut.last)
        return padded.strip(cut.first_row)

    def _decided(self, at: int, rows: StripRows, needed: Iterable[int]) -> Block:
        """Decide nodes of a strip, and hand the walks that leave it to its neighbours."""
        for number in needed:
            edges = self._edges[number]
            entering = {number: edges.entering(at)}
            leaving = self._decider.decide(rows.strip, [number], entering)[number]
            if number not in self._done:
                motion = self.machines.decisions.motions[number]
                edges.changed.discard(at)
                edges.leave(at, leaving, motion)
        return self._decider.block(rows, ())


class _NodeTraffic:
    """The walks of one node that cross the edges between strips, packed."""

    def __init__(self, machines: Machines, strips: int) -> None:
        self._machines = machines
        self._strips = strips
        self._down: dict[int, Any] = {}
        self._up: dict[int, Any] = {}
        self.changed: set[int] = set()
        """The strips that walks enter which have not been followed there."""

    def entering(self, at: int) -> StripTraffic:
        """The walks that enter a strip."""
        unpacked = self._machines.backend.unpacked
        down, up = self._down.get(at), self._up.get(at)
        return StripTraffic(down and unpacked(down), up and unpacked(up))

    def packed(self, at: int) -> tuple[Any, Any]:
        """The walks that enter a strip from above and below, packed; `None` without any."""
        return self._down.get(at), self._up.get(at)

    def leave(self, at: int, walks: StripTraffic, motion: Motion) -> None:
        """Hand the walks that leave a strip to its neighbours."""
        if walks.down is not None and at + 1 < self._strips:
            self._hand_over(self._down, at + 1, walks.down, motion)
        if walks.up is not None and at > 0:
            self._hand_over(self._up, at - 1, walks.up, motion)

    def _hand_over(self, side: dict[int, Any], to: int, walks: Any, motion: Motion) -> None:
        packed = self._machines.backend.packed(walks)
        if side.get(to) != packed:
            side[to] = packed
            if motion is Motion.BOTH:
                self.changed.add(to)
