"""One chunk of a file, worked on by itself: what one task on a cluster does.

In: the `Machines`, an open input, where its chunks begin, and what is known to enter one of them.
Out: values that can be sent to another process: what was found in the rows of the chunk
(`ChunkResult`), or what leaves it (`Traffic`). Nothing here knows about Spark.

There are four kinds of work, from the cheapest to the exact:

    measure     count rows, and find the width
    speculate   walk from an edge like the one below the head of the file
    probe       find what leaves the chunk, for each crossing of a stratum (`relations`)
    settle      walk from the true edges; the words of `=>` and `|>` rules, which may have begun in
                any earlier chunk, are read from every state that they may be in

Invariant: each is a pure function of the bytes and its arguments, so a lost task can be run again
anywhere. Memory: a block of bytes and what one row hands to the next; if the schema walks up or
left, the letters of the chunk, some 30 bytes per cell.
"""

from __future__ import annotations

from collections.abc import Generator

from sculpt.automata.nfa import States
from sculpt.automata.strata import Crossing
from sculpt.engines.chunks.edges import Intake, edge_of, true_edge
from sculpt.engines.chunks.pieces import Piece, pieces_of
from sculpt.engines.chunks.relations import (
    NO_CROSSINGS,
    Crossings,
    Stratum,
    Traffic,
    Trial,
    Vector,
    shortened,
    union,
)
from sculpt.engines.chunks.result import ChunkResult, WordTrial
from sculpt.engines.chunks.rows import ChunkRows, exact_walk, result_of, strata_of
from sculpt.engines.chunks.spans import (
    ChunkStarts,
    Lines,
    Span,
    blocks_of,
    counted_blocks,
    exhausted,
)
from sculpt.engines.chunks.words import word_states
from sculpt.engines.data import Data
from sculpt.engines.machines import Machines
from sculpt.engines.scan.blocks import ScanPoint
from sculpt.engines.scan.decided import scan_all
from sculpt.engines.walk.strips import counted_rows, size_of_block
from sculpt.engines.walk.walk import Edge, Hit, Walk, WidthNeededError
from sculpt.kernels.loops.walking import walk_arrays as k
from sculpt.policy import WORDS_ACROSS_ROWS
from sculpt.tabular.inputs import Input
from sculpt.values import replace

HEAD = 1 << 18
"""How many bytes at the start of a file are used to guess the edges further down."""
MAX_PLACES = 1 << 16
"""The places of at most this many violations of a chunk are sent to the coordinator."""
CELLS = frozenset({"selected"})
"""Selected cells are not collected here: they are listed once the edges are known."""


# ----------------------------------------------------------------- the first job


def head_edge(machines: Machines, source: Input, skipped: int) -> Edge:
    """The edge below the rows that end in the head of a file."""
    data = source.window(skipped, skipped + HEAD)
    scanned, _ = scan_all(
        machines, data, skipped, ScanPoint(skipped, machines.table.start, skipped)
    )
    blocks = list(counted_rows(machines, iter(scanned)))
    sizes = [size_of_block(machines, block) for block in blocks]
    width = max((columns for _, columns in sizes), default=0)
    walk = Walk(machines, 0, width, is_exact=True, ignored=CELLS)
    for block in blocks:
        walk.take(block)
    return walk.edge()


def measure(machines: Machines, data: Data, cuts: ChunkStarts, number: int) -> ChunkResult | None:
    """The rows and width of a chunk; `None` if no row begins in it."""
    begin = cuts.at(number)
    if begin is None:
        return None
    rows = width = 0
    lines = Lines.after(machines.backend, data.source, begin)
    counted = counted_blocks(
        machines, blocks_of(machines, data.source, begin, cuts.after(number), lines.take)
    )
    while True:
        try:
            block = next(counted)
        except StopIteration as stop:
            return ChunkResult(stop.value, rows, width, lines=lines.count)
        size = size_of_block(machines, block)
        rows, width = rows + size[0], max(width, size[1])


def speculate(
    machines: Machines, data: Data, cuts: ChunkStarts, number: int, limit: int
) -> ChunkResult | None:
    """Walk through a chunk from an assumed edge; through the first one from the top of the table.

    If the walk needs the width of the table, the chunk is measured instead.
    """
    begin = cuts.at(number)
    if begin is None:
        return None
    try:
        return exhausted(Speculation(machines, data, cuts, number, limit).run())
    except WidthNeededError:
        return measure(machines, data, cuts, number)


class Speculation:
    """A walk through a chunk from an assumed edge, piece by piece."""

    def __init__(
        self, machines: Machines, data: Data, cuts: ChunkStarts, number: int, limit: int
    ) -> None:
        begin = cuts.at(number)
        assert begin is not None, "a row begins in the chunk"
        self._machines, self._data = machines, data
        self._pieces = pieces_of(machines, data, begin, cuts.after(number))
        self._lines = Lines.after(machines.backend, data.source, begin)
        self.begin = begin
        self.assumed = head_edge(machines, data.source, data.skipped) if number else None
        self.above = None if self.assumed is None else self.assumed.boundary(machines)
        self.walk = Walk(
            machines, limit, above=self.above, ignored=CELLS, tallies=True, log_limit=MAX_PLACES
        )

    def run(self) -> Generator[Piece, None, ChunkResult]:
        """Yields each piece after it was walked through."""
        while True:
            try:
                piece = next(self._pieces)
            except StopIteration as stop:
                span: Span = stop.value
                break
            self._lines.take(piece.content)
            for block in piece.blocks:
                self.walk.take(block)
            yield piece
        if span.end is not None:
            self.walk.flush()  # a row follows, so the blank rows at the end count
        return replace(result_of(self.walk, span, self._lines), assumed=self.assumed)


# ----------------------------------------------------------------- exact work


def probe(
    machines: Machines, source: Input, span: Span, intake: Intake, number: int
) -> list[Traffic]:
    """What leaves a chunk: first without any crossing of a stratum, then for each of its trials."""
    strata = strata_of(machines)
    stratum = Stratum(strata.groups(number), intake.width)
    entering = [intake.traffic]
    entering += [_with_trial(intake, each) for each in stratum.trials]
    edges = [true_edge(machines, intake.width, each) for each in entering]
    walks = [exact_walk(machines, intake, edge, ignored=CELLS) for edge in edges]
    rows = ChunkRows(machines, source, span, intake, strata)
    return [_only(leaving, stratum.crossings) for leaving in rows.run(entering, walks, number)]


def _with_trial(intake: Intake, trial: Trial) -> Traffic:
    width, known = intake.width, intake.traffic
    if not width:
        return known
    put: list[tuple[Crossing, Vector]] = []
    for crossing in trial.everywhere:
        put.append((crossing, ((width, frozenset([crossing])),)))
    if trial.single is not None:
        crossing, column = trial.single
        runs = ((column - 1, NO_CROSSINGS), (column, frozenset([crossing])), (width, NO_CROSSINGS))
        put.append(
            (
                crossing,
                tuple(run for ix, run in enumerate(runs) if run[0] > (0, column - 1, column)[ix]),
            )
        )
    down = [vector for crossing, vector in put if not crossing.goes_up]
    up = [vector for crossing, vector in put if crossing.goes_up]
    return Traffic(union([known.down, *down]), union([known.up, *up]))


def _only(traffic: Traffic, crossings: Crossings) -> Traffic:
    sides = (traffic.down, traffic.up)
    down, up = (shortened((end, each & crossings) for end, each in side) for side in sides)
    return Traffic(down, up)


def settle(
    machines: Machines, source: Input, span: Span, intake: Intake, limit: int
) -> ChunkResult:
    """Walk through a chunk from its true edges, and find where each state of a word leads.

    If the edge is known, including its words, that is one plain walk.
    """
    strata, states = strata_of(machines), word_states(machines)
    if intake.edge is not None:
        walk = exact_walk(machines, intake, intake.edge, limit, ignored=CELLS, tallies=True)
        rows = ChunkRows(machines, source, span, intake, strata)
        rows.run([intake.traffic], [walk], strata.count)
        return result_of(walk, span, rows.lines)
    whats = {notice.what for notice in machines.navigator.notices}
    plain = true_edge(machines, intake.width, intake.traffic)
    ignored = WORDS_ACROSS_ROWS | CELLS
    walks = [exact_walk(machines, intake, plain, limit, ignored=ignored, tallies=True)]
    if any(states):
        ignored = frozenset(whats - WORDS_ACROSS_ROWS)
        edges = [replace(plain, carry=(None,) * len(plain.carry))]
        edges += [
            _edge_in_state(machines, intake, states, ix) for ix in range(max(map(len, states)))
        ]
        walks += [
            exact_walk(machines, intake, edge, keeps_all=True, ignored=ignored) for edge in edges
        ]
    rows = ChunkRows(machines, source, span, intake, strata)
    rows.run([intake.traffic] * len(walks), walks, strata.count)
    found = result_of(walks[0], span, rows.lines)
    words = [WordTrial(each.result().edge, tuple(each.hits)) for each in walks[1:]]
    deaths = {hit.row: hit.start for each in words for hit in each.deaths}
    line_of = (*found.line_of, *rows.lines.before(span, deaths))
    return replace(
        found, line_of=line_of, fresh=words[0] if words else None, words=tuple(words[1:])
    )


def _edge_in_state(machines: Machines, intake: Intake, states: list[list[int]], ix: int) -> Edge:
    """An edge at which the word of each rule is in its state number `ix`, in every column."""
    arrows = [rule.arrow for rule in machines.task.rules]

    def at(rule: int) -> States | None:
        return frozenset([states[rule][ix]]) if ix < len(states[rule]) else None

    words = tuple((rule, at(rule)) for rule, arrow in enumerate(arrows) if arrow == "|>")
    carry = tuple(at(rule) for rule in machines.navigator.machine.regions)
    return edge_of(machines, intake.traffic.down, intake.width, ((k.ENDLESS, words),), carry)


def all_hits(
    machines: Machines, source: Input, span: Span, intake: Intake
) -> Generator[list[Hit], None, Walk]:
    """Every hit of a chunk whose edges are known, a few at a time; returns the walk."""
    assert intake.edge is not None
    walk = exact_walk(machines, intake, intake.edge, keeps_all=True)
    for notice, place in intake.firsts:
        for at, value in enumerate(place):
            walk.firsts[3 * notice + at] = value
    for _ in ChunkRows(machines, source, span, intake, strata_of(machines)).through(walk):
        yield walk.taken()
    return walk
