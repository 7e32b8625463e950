"""What was found in the chunks of a file, merged in order.

In: the `ChunkResult` of each chunk, in order; their assumptions have been checked. Out: an
`Outcome`, as if one walk had gone through the whole file. Cost: linear in the hits that are kept
and in the `unique` constraints.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from sculpt.automata.nfa import NONE
from sculpt.engines.chunks.edges import Intake, edge_of, true_edge
from sculpt.engines.chunks.relations import no_traffic
from sculpt.engines.chunks.result import Chunk, ChunkResult, Outcome
from sculpt.engines.chunks.words import ColumnWords, WordReader, word_states
from sculpt.engines.machines import Machines
from sculpt.engines.walk.counting import Place
from sculpt.engines.walk.heat import HeatMap
from sculpt.engines.walk.tallies import Met, Tallies
from sculpt.engines.walk.walk import Edge, Hit, WalkResult, order_of
from sculpt.kernels.loops.walking import walk_arrays as k
from sculpt.values import field, mutable, replace
from sculpt.verdict import MAX_UNCHECKED


@mutable
class Merger:
    """Collects what was found in the chunks of a file, in order."""

    machines: Machines
    limit: int
    rounds: int = 1
    rows: int = 0
    lines: int = 0
    count: int = 0
    warned: int = 0
    hits: list[Hit] = field(default_factory=list)
    """The first errors and the first warnings."""
    kept: Counter[bool] = field(default_factory=Counter)
    """How many hits are kept: of warnings, and of errors."""
    line_of: dict[int, int] = field(default_factory=dict)
    firsts: dict[int, tuple[int, int, int]] = field(default_factory=dict)
    met: Met = Met()
    tallies: Tallies | None = None
    more_found: Counter[int] = field(default_factory=Counter)
    """By notice: violations that only chunks together show, which no walk has counted."""
    unchecked: list[Place] = field(default_factory=list)
    open_row: int | None = None
    chunks: list[Chunk] = field(default_factory=list)
    heat: HeatMap = field(init=False)

    def __post_init__(self) -> None:
        self.heat = HeatMap(self.machines.backend)

    def assumed(self, results: Sequence[ChunkResult]) -> Outcome:
        """From walks whose assumptions were true; rows count from the first of each chunk."""
        width = max(each.width for each in results)
        for each, intake in zip(results, assumed_intakes(self.machines, results), strict=True):
            self.take(each, intake, shift=self.rows)
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
                self._add_found(reader.deaths)
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
        self._add_found(extra)
        before = {navigator.notices[ix]: place[:2] for ix, place in known}
        count = result.count + len(extra)
        if self.wanted:
            moved = [
                replace(
                    hit,
                    row=hit.row + shift,
                    first=before.get(hit.notice) or _moved(hit.first, shift),
                )
                for hit in result.hits
            ]
            self._keep(sorted(extra + moved, key=order_of))
        self.line_of |= {row + shift: 1 + self.lines + line for row, line in result.line_of}
        entered = replace(intake, firsts=known)
        self.chunks.append(Chunk(result.span, entered, count, 1 + self.lines))
        self.count += count
        self.warned += result.warned
        self.rows += result.rows
        self.lines += result.lines
        self.open_row = result.open_row
        self._add_counts(result, shift)

    @property
    def wanted(self) -> int:
        """How many hits of errors, or of warnings, the next chunk must keep at most."""
        kinds = (False, True) if self.machines.navigator.warned else (False,)
        return max(0, *(self.limit - self.kept[kind] for kind in kinds))

    def _keep(self, hits: Sequence[Hit]) -> None:
        """Keep the first errors and the first warnings; of the last place, all that it has."""
        warned = self.machines.navigator.warned
        room = {kind: self.limit - self.kept[kind] for kind in (False, True)}
        for hit in hits:
            kind = hit.notice in warned
            if room[kind] > 0 and self.kept[kind] < self.limit + k.MAX_NOTICES:
                self.kept[kind] += 1
                self.hits.append(hit)

    def _add_counts(self, result: ChunkResult, shift: int) -> None:
        """Add what was met and counted in the next chunk."""
        self.met = self.met.joined(result.met)
        if result.tallies is not None:
            before = self.tallies
            self.tallies = result.tallies if before is None else before.plus(result.tallies)
        room = MAX_UNCHECKED - len(self.unchecked)
        cells = result.unchecked[:room]
        self.unchecked += [replace(each, row=each.row + shift) for each in cells]
        self.heat.add(result.heat)
        assert result.places is not None, "the places of all violations are known by now"
        if result.places:
            places = self.machines.backend.signed(result.places)
            self.heat.add_places(places, len(places) // 2, shift)

    def _add_found(self, hits: Sequence[Hit]) -> None:
        """Count hits that no walk has counted."""
        self.warned += sum(hit.notice in self.machines.navigator.warned for hit in hits)
        if self.machines.task.tallies and hits:
            notices = self.machines.navigator.notices
            self.more_found.update(notices.index(hit.notice) for hit in hits)
            places = self.machines.backend.signed(n for hit in hits for n in (hit.row, hit.column))
            self.heat.add_places(places, len(hits), 0)

    def outcome(self, below: Edge, width: int) -> Outcome:
        """What was found in all chunks; `below` is the edge below the last."""
        shown = width if self.rows else 0
        found = WalkResult(
            rows=self.rows,
            width=shown,
            count=self.count,
            hits=self.hits,
            edge=below,
            met=self.met,
            open_row=self.open_row,
            tallies=None if self.tallies is None else self.tallies.with_found(self.more_found),
            unchecked=tuple(self.unchecked),
            heat=self.heat.heat(),
            warned=self.warned,
        )
        return Outcome(found, tuple(self.chunks), self.line_of, self.rounds)


def assumed_intakes(machines: Machines, results: Sequence[ChunkResult]) -> list[Intake]:
    """What enters each chunk, if what was assumed about it is true."""
    width = max(each.width for each in results)
    top = true_edge(machines, width, no_traffic(width))
    intakes: list[Intake] = []
    rows = 0
    for each in results:
        edge = replace(each.assumed or top, width=width)
        intakes.append(Intake(rows, width, no_traffic(width), edge))
        rows += each.rows
    return intakes


def _moved(place: tuple[int, int], shift: int) -> tuple[int, int]:
    """A place, `shift` rows further down; row 0 means no place, and stays."""
    return (place[0] + shift, place[1]) if place[0] else place
