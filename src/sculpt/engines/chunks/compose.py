"""The composition of chunks, as their coordinator sees it: few rounds of work, one exact answer.

In: the `Machines`, and the number of chunks. Out: a generator of rounds: it yields the works that
can be done at the same time, receives their results, and returns an `Outcome`. The caller decides
where a work is done (`perform`): in the tasks of a cluster, or one after another in a test.

    1       Walk through every chunk from the edge that the head of the file suggests. If the edge
            below each chunk is the one that the next chunk assumed, that is all; but chunks with
            many violations are walked through again to count them by place.
    2..V+1  For each stratum, find what crosses the edges of the chunks (`relations`).
    V+2     Walk through every chunk from its true edges.

If the schema walks up or left, the first round only measures. So V + 2 rounds are enough for any
schema and any data. If a stratum needs more than `MAX_TRIALS` walks through each chunk, steps
multiply, or the rows of a chunk are too ragged to be padded, the file is read in order instead.

Threads share memory, so for them the first and the last round are one pass in order (`fold`); and
where a schema walks up or left, no rounds: reading in order, with strips that threads decide ahead
(`engines/walk/strips.py`), costs less than the probes do
(`docs/decisions/0009-one-composition.md`).

Invariant: every assumption is checked. Memory: the edges, and the hits that are shown.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import TypeAlias

from sculpt.automata.navigator import TooManyStepsError
from sculpt.engines.chunks.edges import Intake, true_edge
from sculpt.engines.chunks.merger import Merger, assumed_intakes
from sculpt.engines.chunks.relations import Stratum, Traffic, joined, no_traffic
from sculpt.engines.chunks.result import Chunk, ChunkResult, Outcome
from sculpt.engines.chunks.rows import strata_of
from sculpt.engines.chunks.spans import ChunkStarts, Cuts, Span
from sculpt.engines.chunks.words import word_states
from sculpt.engines.chunks.work import measure, probe, settle, speculate
from sculpt.engines.data import Data
from sculpt.engines.machines import Machines
from sculpt.engines.walk.walk import Edge
from sculpt.errors import UnsupportedByEngine
from sculpt.values import frozen, replace

__all__ = ["Chunk", "InOrder", "Outcome", "Rounds", "compose", "perform"]

MAX_TRIALS = 64
"""The most walks through a chunk in one round; if it needs more, the file is read in order."""
MAX_CELLS = 1 << 26
"""The most cells of a chunk, padding included, if the schema walks up or left."""
MANY_STEPS = "its rules need too many steps on this data"


@frozen
class FirstWork:
    """Walk through a chunk from an assumed edge, or measure it."""

    number: int


@frozen
class ProbeWork:
    """Find what leaves a chunk, for the crossings of a stratum."""

    number: int
    span: Span
    intake: Intake
    stratum: int


@frozen
class SettleWork:
    """Walk through a chunk from its true edges."""

    number: int
    span: Span
    intake: Intake


Work: TypeAlias = FirstWork | ProbeWork | SettleWork


@frozen
class Overflow:
    """The result if a chunk cannot be worked on by itself; the reason is shown to users."""

    reason: str


Result: TypeAlias = ChunkResult | list[Traffic] | Overflow | None


@frozen
class InOrder:
    """The file must be read in order, in one piece; the reason is shown to users."""

    reason: str
    rounds: int


Rounds: TypeAlias = Generator[list[Work], list[Result], Outcome | InOrder]


def compose(machines: Machines, chunks: int, limit: int) -> Rounds:
    """The rounds of a file of `chunks` chunks; `limit` hits are kept."""
    results = yield [FirstWork(number) for number in range(chunks)]
    for each in results:
        if isinstance(each, Overflow):
            return InOrder(each.reason, 1)
    chain = _chained([each for each in results if isinstance(each, ChunkResult)])
    if not machines.decisions.nodes and _is_confirmed(machines, chain):
        placed = yield from _with_places(machines, chain)
        if isinstance(placed, InOrder):
            return placed
        return Merger(machines, limit, rounds=1 if placed is chain else 2).assumed(placed)
    states = max(map(len, word_states(machines)), default=0)
    if len(chain) > 1 and 2 + states > MAX_TRIALS:
        return InOrder("a rule's content has too many states", 1)
    entered = yield from _intakes(machines, chain)
    if isinstance(entered, InOrder):
        return entered
    intakes, rounds = entered
    settled = yield [SettleWork(ix, *each) for ix, each in enumerate(intakes)]
    exact = [each for each in settled if isinstance(each, ChunkResult)]
    if len(exact) < len(settled):
        return InOrder(MANY_STEPS, rounds + 1)
    merger = Merger(machines, limit, rounds=rounds + 1)
    if len(exact) == 1:
        return merger.alone(exact[0], intakes[0][1])
    return merger.settled(exact, [intake for _, intake in intakes])


def perform(
    work: Work, machines: Machines, data: Data, starts: Sequence[int] | ChunkStarts, limit: int
) -> Result:
    """Do a work; `starts` are where chunks begin, or the bytes near which they should."""
    source = data.source
    cuts = Cuts(machines, data, starts) if isinstance(starts, Sequence) else starts
    try:
        match work:
            case FirstWork(number):
                if machines.decisions.nodes:
                    return measure(machines, data, cuts, number)
                return speculate(machines, data, cuts, number, limit)
            case ProbeWork(_, span, intake, stratum):
                return probe(machines, source, span, intake, stratum)
            case SettleWork(_, span, intake):
                return settle(machines, source, span, intake, limit)
    except TooManyStepsError:
        return Overflow(MANY_STEPS)
    except UnsupportedByEngine:
        if not isinstance(work, FirstWork):
            raise
        # Perhaps only because no row begins at the cut: reading in order will show.
        return Overflow("it cannot be read from the middle")


def _chained(results: Sequence[ChunkResult]) -> list[ChunkResult]:
    """The chunks that begin where the one before ends; others began where no row begins."""
    by_begin = {each.span.begin: each for each in results}
    chain = [results[0]]
    while (end := chain[-1].span.end) is not None:
        chain.append(by_begin[end])
    return chain


def _is_confirmed(machines: Machines, results: Sequence[ChunkResult]) -> bool:
    """Were all assumptions true under which the chunks were walked?"""
    named = int(machines.navigator.named_rows[-1])
    width = max(each.width for each in results)
    rows = 0
    above: Edge | None = None
    for each in results:
        if each.below is None or (each.depends and each.width != width):
            return False
        if each.assumed is not None:
            if above is None or rows < named:
                return False
            if above.carry != each.assumed.carry:
                return False
            if above.within(width) != each.assumed.within(width):
                return False
        rows, above = rows + each.rows, each.below
    return True


def _with_places(
    machines: Machines, results: list[ChunkResult]
) -> Generator[list[Work], list[Result], list[ChunkResult] | InOrder]:
    """The same results, all with the places of their violations.

    A walk that did not know the rows above it has kept the places of its first violations only. If
    there are more, it is taken again, with the rows above.
    """
    intakes = assumed_intakes(machines, results)
    works: list[Work] = [
        SettleWork(ix, each.span, intakes[ix])
        for ix, each in enumerate(results)
        if each.places is None
    ]
    if not works:
        return results
    found = yield works
    placed = list(results)
    for work, each in zip(works, found, strict=True):
        if not isinstance(each, ChunkResult):
            return InOrder(MANY_STEPS, 2)
        placed[work.number] = replace(placed[work.number], heat=each.heat, places=())
    return placed


def _intakes(
    machines: Machines, results: Sequence[ChunkResult]
) -> Generator[list[Work], list[Result], tuple[list[tuple[Span, Intake]], int] | InOrder]:
    """What enters each chunk, found stratum by stratum; and the number of rounds so far."""
    strata = strata_of(machines)
    width = max(each.width for each in results)
    if machines.decisions.nodes and max(each.rows for each in results) * width > MAX_CELLS:
        return InOrder("its rows have very different widths", 1)
    none = no_traffic(width)
    if len(results) == 1:
        intake = Intake(0, width, none, true_edge(machines, width, none))
        return [(results[0].span, intake)], 1
    rows = 0
    intakes: list[Intake] = []
    for each in results:
        intakes.append(Intake(rows, width, none))
        rows += each.rows
    rounds = 1
    for number in range(1, strata.count + 1):
        groups = strata.groups(number)
        if not groups:
            continue
        loose = sum(len(group.crossings) for group in groups if not group.is_local)
        if loose * width > MAX_TRIALS or max(len(g.crossings) for g in groups) >= MAX_TRIALS:
            return InOrder("its rules alternate between going down and sideways", rounds)
        stratum = Stratum(groups, width)
        found = yield [
            ProbeWork(ix, each.span, intake, number)
            for ix, (each, intake) in enumerate(zip(results, intakes, strict=True))
        ]
        rounds += 1
        left = [each for each in found if isinstance(each, list)]
        if len(left) < len(results):
            return InOrder(MANY_STEPS, rounds)
        intakes = [
            replace(intake, traffic=joined([intake.traffic, enters]))
            for intake, enters in zip(intakes, stratum.solve(left), strict=True)
        ]
    return [(each.span, intake) for each, intake in zip(results, intakes, strict=True)], rounds
