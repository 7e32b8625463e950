"""The rows of one chunk, made ready for walks that start from different edges.

In: the machines, an open input, the span of a chunk and what is known to enter it. Out: walks that
have gone through its rows, the traffic that leaves it, and the `ChunkResult` of a walk.

If the schema walks up or left, the letters of the chunk are kept, padded to the width of the table,
and its nodes are decided before each walk. Memory: a block of bytes and what one row hands to the
next; with nodes to decide, some 30 bytes per cell.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence

from sculpt.automata.resolver import Resolver, Strip, StripTraffic
from sculpt.automata.strata import Crossing, Strata
from sculpt.core.facts.costs import Costs
from sculpt.engines.chunks.edges import Intake, crossings_of, states_of, walkers_down
from sculpt.engines.chunks.relations import Traffic, no_traffic, union
from sculpt.engines.chunks.result import ChunkResult
from sculpt.engines.chunks.spans import (
    Lines,
    Span,
    blocks_in,
    counted_blocks,
    exhausted,
    walk_blocks,
)
from sculpt.engines.machines import Machines
from sculpt.engines.scan.blocks import Block
from sculpt.engines.walk.strips import Decider, Padded, StripRows
from sculpt.engines.walk.walk import Edge, Walk
from sculpt.tabular.inputs import Input
from sculpt.values import field, mutable, replace


def strata_of(machines: Machines) -> Strata:
    """The crossings that are possible at the edges of chunks."""
    navigation = machines.navigator.machine.navigation
    return Strata(navigation, machines.decisions, Costs(machines.task.schema))


@mutable
class ChunkRows:
    """The rows of a chunk, made ready for walks that start from different edges.

    If nothing must be decided before a walk, all walks go through the rows together, as these are
    read. Otherwise the letters of the rows are kept.
    """

    machines: Machines
    source: Input
    span: Span
    intake: Intake
    strata: Strata
    counts_lines: bool = True
    lines: Lines = field(init=False)
    _padded: Padded | None = field(init=False, default=None)
    _resolver: Resolver | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        self.lines = Lines.after(self.machines.backend, self.source, self.span.begin)

    def _blocks(self) -> Generator[Block, None, Span]:
        on_bytes = self.lines.take if self.counts_lines else None
        return blocks_in(self.machines, self.source, self.span, on_bytes)

    def run(
        self, entering: Sequence[Traffic], walks: Sequence[Walk], stratum: int
    ) -> list[Traffic]:
        """Take each walk through the rows, given what enters the chunk; returns what leaves it.

        Only nodes of `stratum` and of lower strata are decided.
        """
        width = self.intake.width
        if not self.machines.decisions.nodes:
            exhausted(walk_blocks(self._blocks(), walks))
            none = no_traffic(width).up
            return [Traffic(walkers_down(walk, width), none) for walk in walks]
        self.collect()
        return [
            self._walked(enters, walk, stratum)
            for enters, walk in zip(entering, walks, strict=True)
        ]

    def through(self, walk: Walk) -> Iterator[None]:
        """Take one walk through the rows, with all nodes decided; yields now and then."""
        if self.machines.decisions.nodes:
            self.collect()
            self._walked(self.intake.traffic, walk, self.strata.count)
            yield
        else:
            yield from walk_blocks(self._blocks(), [walk])

    def collect(self) -> None:
        """Keep the letters of all rows, padded to the width of the table."""
        machines = self.machines
        copied = machines.backend.copied
        kept: list[Block] = []
        for block in counted_blocks(machines, self._blocks()):
            letters = copied(block.letters[: block.cells])
            ends, starts = copied(block.row_cells[: block.rows]), block.row_starts[: block.rows]
            arrays = {"letters": letters, "row_cells": ends, "row_starts": copied(starts)}
            arrays["places"] = block.copied_places(machines, 0, block.cells)
            kept.append(replace(block, kept=(), **arrays))
        self._padded = Padded(machines, self.intake.width, sum(block.rows for block in kept))
        for block in kept:
            self._padded.add(block, 0, block.rows)
        tokens = dict(machines.task.schema.tokens)
        self._resolver = Resolver(machines.decisions, tokens, machines.table, machines.backend)

    def decided(self, entering: Traffic, stratum: int) -> tuple[Block, Traffic]:
        """The rows as one block whose letters hold all decisions, and what leaves the chunk.

        That is what leaves for the decided nodes, without the walkers of a walk.
        """
        padded, resolver = self._padded, self._resolver
        assert padded is not None
        assert resolver is not None
        backend, width = self.machines.backend, self.intake.width
        none = no_traffic(width)
        down, up = [none.down], [none.up]
        letters = backend.copied(padded.letters[: max(1, padded.rows * width)])
        strip = Strip(letters, padded.rows, padded.rows, width, self.intake.rows + 1)
        for number, at in enumerate(self.strata.of_decision):
            if at > stratum:
                continue
            words = resolver.words_of(number)
            falls, climbs = Crossing(number, 0), Crossing(number, 0, goes_up=True)
            enters = StripTraffic(
                states_of(entering.down, falls, words, backend),
                states_of(entering.up, climbs, words, backend),
            )
            leaves = resolver.decide(number, strip, enters)
            down.append(crossings_of(leaves.down, falls, width, words))
            up.append(crossings_of(leaves.up, climbs, width, words))
        rows = StripRows(strip, padded.starts, padded.places if padded.notes else None)
        return Decider(self.machines).block(rows, ()), Traffic(union(down), union(up))

    def _walked(self, entering: Traffic, walk: Walk, stratum: int) -> Traffic:
        assert self._padded is not None
        if not self._padded.rows:
            return entering
        block, leaving = self.decided(entering, stratum)
        walk.walk_rows(block)
        return Traffic(union([leaving.down, walkers_down(walk, self.intake.width)]), leaving.up)


def exact_walk(
    machines: Machines,
    intake: Intake,
    edge: Edge,
    limit: int = 0,
    keeps_all: bool = False,
    ignored: frozenset[str] = frozenset(),
    tallies: bool = False,
) -> Walk:
    """A walk that starts from the true edge of a chunk."""
    return Walk(
        machines,
        limit,
        above=edge.boundary(machines),
        is_exact=True,
        before=intake.rows,
        keeps_all=keeps_all,
        ignored=ignored,
        tallies=tallies,
    )


def result_of(
    walk: Walk, span: Span, lines: Lines | None = None, has_met: bool = True
) -> ChunkResult:
    """What a walk through a chunk has found; rows count from the first row of the chunk.

    If the number of rows above is known, they count from the first row of the table. Without
    `lines`, the lines of hits stay unknown; without `has_met`, what was met and counted.
    """
    found, counting = walk.result(has_met), walk.counting
    above = walk.before or 0
    shift = walk.shift if walk.before is None else 0
    hits = tuple(
        replace(hit, row=hit.row - shift, first=(max(0, hit.first[0] - shift), hit.first[1]))
        for hit in found.hits
    )
    firsts: list[tuple[int, tuple[int, int, int]]] = []
    for ix in walk.machines.navigator.uniques:
        row, column, start = (int(walk.firsts[3 * ix + n]) for n in range(3))
        if row:
            firsts.append((ix, (row - shift, column, start)))
    starts = {hit.row: hit.start for hit in hits}
    starts |= {row: start for _, (row, _, start) in firsts}
    return ChunkResult(
        span=span,
        rows=found.rows,
        width=found.edge.width,
        count=found.count,
        warned=found.warned,
        hits=hits,
        firsts=tuple(firsts),
        met=found.met,
        tallies=found.tallies,
        unchecked=tuple(replace(each, row=above + each.row) for each in found.unchecked),
        heat=found.heat,
        places=() if counting.heat is not None else counting.logged(),
        open_row=found.open_row if span.end is None else None,
        below=found.edge,
        depends=walk.depends,
        lines=0 if lines is None else lines.count,
        line_of=() if lines is None else tuple(lines.before(span, starts)),
    )
