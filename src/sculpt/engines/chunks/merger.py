"""What was found in the chunks of a file, merged in order.

In: the `ChunkResult` of each chunk, in order; their assumptions have been checked. Out: an
`Outcome`, as if one walk had gone through the whole file. Cost: linear in the hits that are kept
and in the `unique` constraints.
"""

from __future__ import annotations

from collections.abc import Sequence

from sculpt.automata.nfa import NONE
from sculpt.engines.chunks.edges import Intake, edge_of, true_edge
from sculpt.engines.chunks.relations import no_traffic
from sculpt.engines.chunks.result import Chunk, ChunkResult, Outcome
from sculpt.engines.chunks.words import ColumnWords, WordReader, word_states
from sculpt.engines.machines import Machines
from sculpt.engines.walk.walk import Edge, Hit, WalkResult, order_of
from sculpt.kernels.loops import walk_arrays as k
from sculpt.values import field, mutable, replace


@mutable
class Merger:
    """Collects what was found in the chunks of a file, in order."""

    machines: Machines
    limit: int
    rounds: int = 1
    rows: int = 0
    lines: int = 0
    count: int = 0
    hits: list[Hit] = field(default_factory=list)
    line_of: dict[int, int] = field(default_factory=dict)
    firsts: dict[int, tuple[int, int, int]] = field(default_factory=dict)
    selected: frozenset[int] = frozenset()
    carried: frozenset[str] = frozenset()
    open_row: int | None = None
    chunks: list[Chunk] = field(default_factory=list)

    def assumed(self, results: Sequence[ChunkResult]) -> Outcome:
        """From walks whose assumptions were true; rows count from the first of each chunk."""
        width = max(each.width for each in results)
        top = true_edge(self.machines, width, no_traffic(width))
        for each in results:
            edge = replace(each.assumed or top, width=width)
            self.take(each, Intake(self.rows, width, no_traffic(width), edge), shift=self.rows)
        below = results[-1].below
        assert below is not None
        return self.outcome(replace(below, width=width), width)

    def alone(self, results: ChunkResult, intake: Intake) -> Outcome:
        """From one walk through the whole table."""
        self.take(results, intake, shift=0)
        assert results.below is not None
        return self.outcome(results.below, intake.width)

    def settled(self, results: Sequence[ChunkResult], intakes: Sequence[Intake]) -> Outcome:
        """From walks that started at the true edges."""
        width = intakes[0].width
        states = word_states(self.machines)
        columns: ColumnWords = ((k.ENDLESS, ()),)
        regions = self.machines.navigator.machine.first_regions
        for each, intake in zip(results, intakes, strict=True):
            down = intake.traffic.down
            edge = edge_of(self.machines, down, width, columns, regions)
            more = each
            if each.fresh is not None:
                reader = WordReader(self.machines, states, each.fresh, each.words)
                regions = tuple(reader.region(ix, word) for ix, word in enumerate(regions))
                columns = reader.columns(columns, width)
                hits = (*each.hits, *reader.deaths)
                more = replace(each, count=each.count + len(reader.deaths), hits=hits)
            self.take(more, replace(intake, edge=edge), shift=0)
        last = edge_of(self.machines, no_traffic(width).down, width, columns, regions)
        return self.outcome(last, width)

    def take(self, result: ChunkResult, intake: Intake, shift: int) -> None:
        """Add the next chunk; `shift` is added to its row numbers."""
        known = tuple(sorted(self.firsts.items()))
        navigator = self.machines.navigator
        extra: list[Hit] = []
        for ix, (row, column, start) in result.firsts:
            if ix in self.firsts:  # the first of this chunk is not the first of the table
                first = self.firsts[ix][:2]
                extra.append(Hit(row + shift, column, navigator.notices[ix], NONE, start, first))
            else:
                self.firsts[ix] = (row + shift, column, start)
        before = {navigator.notices[ix]: place[:2] for ix, place in known}
        count = result.count + len(extra)
        if len(self.hits) < self.limit:
            moved = [
                replace(
                    hit,
                    row=hit.row + shift,
                    first=before.get(hit.notice) or _moved(hit.first, shift),
                )
                for hit in result.hits
            ]
            self.hits += sorted(extra + moved, key=order_of)[: self.limit + k.MAX_NOTICES]
        self.line_of |= {row + shift: 1 + self.lines + line for row, line in result.line_of}
        self.chunks.append(Chunk(result.span, replace(intake, firsts=known), count))
        self.count += count
        self.rows += result.rows
        self.lines += result.lines
        self.selected |= result.selected
        self.carried |= result.carried
        self.open_row = result.open_row

    def outcome(self, below: Edge, width: int) -> Outcome:
        """What was found in all chunks; `below` is the edge below the last."""
        shown = width if self.rows else 0
        met = (self.selected, self.carried)
        found = WalkResult(self.rows, shown, self.count, self.hits, below, *met, self.open_row)
        return Outcome(found, tuple(self.chunks), self.line_of, self.rounds)


def _moved(place: tuple[int, int], shift: int) -> tuple[int, int]:
    """A place, `shift` rows further down; row 0 means no place, and stays."""
    return (place[0] + shift, place[1]) if place[0] else place
