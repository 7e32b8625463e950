"""One chunk of a file, worked on by itself: what a task of a cluster does.

In: a `Program`, an open input, the bytes at which its chunks begin, and what is known about the
edges of one chunk. Out: values that survive a process: what was found in the rows that begin in
the chunk (`Finds`), or what crossed its edges (`Crossings`). Nothing here knows of Spark.

There are four kinds of work, from the cheapest to the exact:

    measure     rows and width only
    speculate   the walk, from an edge like the one below the head of the file
    probe       what crosses the edges of the chunk, for each mark of a stratum (`relations`)
    settle      the walk from the true edges; the words of `=>` and `|>` rules, which may have
                begun in any earlier chunk, are read from every state that they may be in

Invariant: each is a pure function of the bytes and its arguments, so a task that is lost can be
run again anywhere. Memory: a block of bytes and what one row hands to the next; where a schema
walks up or left, the letters of the chunk, some 30 bytes a cell.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence

from sculpt.automata.cells import Kind
from sculpt.automata.nfa import States
from sculpt.automata.resolve import Resolver, Strip, Walks
from sculpt.automata.strata import Mark, Strata
from sculpt.core.costs import Costs
from sculpt.engines.blocks import Block, Place
from sculpt.engines.data import Data
from sculpt.engines.edges import (
    Entry,
    crossing_down,
    edge_of,
    marks_of,
    states_of,
    true_edge,
)
from sculpt.engines.partition import scan_all
from sculpt.engines.program import Program
from sculpt.engines.relations import (
    NO_MARKS,
    Crossings,
    Marks,
    Probe,
    Stratum,
    Vector,
    nothing,
    shortened,
    union,
)
from sculpt.engines.spans import (
    Lines,
    Places,
    Span,
    blocks_in,
    blocks_of,
    counted_blocks,
    exhausted,
    walk_blocks,
)
from sculpt.engines.strips import Padded, counted_rows, size_of_block, walk_strip
from sculpt.engines.walk import Edge, Record, Walk, WidthNeededError
from sculpt.kernels import walk as k
from sculpt.tabular.source import Input
from sculpt.values import field, frozen, mutable, replace

HEAD = 1 << 18
"""So much of a file's beginning tells what to assume about the rest."""
CONTENT = frozenset({"region-content", "column-content"})
"""What is found when a word fails that may have begun in an earlier chunk."""
CELLS = frozenset({"selected"})
"""Cells that are asked for: they are listed when the edges are known, not carried around."""


@frozen
class Words:
    """Where the words of `=>` and `|>` rules have come, from one of their states."""

    edge: Edge
    deaths: tuple[Record, ...]


@frozen
class Finds:
    """What was found in a chunk."""

    span: Span
    rows: int
    width: int
    count: int = 0
    records: tuple[Record, ...] = ()
    """The first of them; rows count from the chunk's own first, or from the table's in `settle`."""
    firsts: tuple[tuple[int, tuple[int, int, int]], ...] = ()
    selected: frozenset[int] = frozenset()
    carried: frozenset[str] = frozenset()
    open_row: int | None = None
    assumed: Edge | None = None
    below: Edge | None = None
    """`None` if the chunk was not walked through."""
    depends: bool = False
    """Would some row have ended otherwise if the table were wider?"""
    lines: int = 0
    """Line ends in the span."""
    line_of: tuple[tuple[int, int], ...] = ()
    """By row of a record: lines before it in the chunk."""
    fresh: Words | None = None
    """The words that begin in this chunk."""
    words: tuple[Words, ...] = ()
    """The words that have begun before, by the number of the state that they are in."""


# ----------------------------------------------------------------- the first job


def head_edge(program: Program, source: Input, skipped: int) -> Edge:
    """What stands below the rows that end in the head of a file."""
    data = source.window(skipped, skipped + HEAD)
    scanned, _ = scan_all(program, data, skipped, Place(skipped, program.table.start, skipped))
    blocks = list(counted_rows(program, iter(scanned)))
    sizes = [size_of_block(program, block) for block in blocks]
    width = max((columns for _, columns in sizes), default=0)
    walk = Walk(program, 0, width, is_exact=True, ignored=CELLS)
    for block in blocks:
        walk.take(block)
    return walk.edge()


def measure(program: Program, data: Data, cuts: Places, number: int) -> Finds | None:
    """Rows and width of a chunk; `None` if the chunk before owns them all."""
    begin = cuts.at(number)
    if begin is None:
        return None
    rows = width = 0
    lines = Lines.behind(program.backend, data.source, begin)
    counted = counted_blocks(
        program, blocks_of(program, data.source, begin, cuts.behind(number), lines.take)
    )
    while True:
        try:
            block = next(counted)
        except StopIteration as stop:
            return Finds(stop.value, rows, width, lines=lines.count)
        size = size_of_block(program, block)
        rows, width = rows + size[0], max(width, size[1])


def speculate(program: Program, data: Data, cuts: Places, number: int, limit: int) -> Finds | None:
    """The walk through a chunk from an edge that is assumed; from the top for the first.

    If the width of the table must be known for it, the chunk is measured instead.
    """
    begin = cuts.at(number)
    if begin is None:
        return None
    assumed = head_edge(program, data.source, data.skipped) if number else None
    above = None if assumed is None else assumed.boundary(program)
    walk = Walk(program, limit, above=above, ignored=CELLS)
    lines = Lines.behind(program.backend, data.source, begin)
    blocks = blocks_of(program, data.source, begin, cuts.behind(number), lines.take)
    try:
        span = exhausted(walk_blocks(blocks, [walk]))
    except WidthNeededError:
        return measure(program, data, cuts, number)
    return replace(_finds(walk, data.source, span, lines), assumed=assumed)


def _finds(walk: Walk, source: Input, span: Span, lines: Lines) -> Finds:
    found = walk.found()
    shift = walk.shift if walk.before is None else 0
    records = tuple(replace(each, row=each.row - shift) for each in found.records)
    records = tuple(
        replace(each, first=(max(0, each.first[0] - shift), each.first[1])) for each in records
    )
    firsts = []
    for ix, find in enumerate(walk.program.navigator.finds):
        row, column, start = (int(walk.firsts[3 * ix + n]) for n in range(3))
        if find.kind is Kind.UNIQUE and row:
            firsts.append((ix, (row - shift, column, start)))
    places = {record.row: record.start for record in records}
    places |= {row: start for _, (row, _, start) in firsts}
    return Finds(
        span=span,
        rows=found.rows,
        width=found.edge.width,
        count=found.count,
        records=records,
        firsts=tuple(firsts),
        selected=found.selected,
        carried=found.carried,
        open_row=found.open_row if span.end is None else None,
        below=found.edge,
        depends=bool(walk.regs[k.W_DEPENDS]),
        lines=lines.count,
        line_of=tuple(lines.before(source, span, places)),
    )


# ----------------------------------------------------------------- exact work


def strata_of(program: Program) -> Strata:
    """The marks that can stand at the edges of chunks."""
    navigation = program.navigator.machine.navigation
    return Strata(navigation, program.decisions, Costs(program.task.schema))


@mutable
class Rows:
    """The rows of a chunk, made ready for walks that start from different edges.

    Where nothing must be decided before a walk, all walks go through the rows together, as they
    are read. Otherwise their letters are kept.
    """

    program: Program
    source: Input
    span: Span
    entry: Entry
    strata: Strata
    lines: Lines = field(init=False)
    _padded: Padded | None = field(init=False, default=None)
    _resolver: Resolver | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        self.lines = Lines.behind(self.program.backend, self.source, self.span.begin)

    def _blocks(self) -> Generator[Block, None, Span]:
        return blocks_in(self.program, self.source, self.span, self.lines.take)

    def run(
        self, entering: Sequence[Crossings], walks: Sequence[Walk], stratum: int
    ) -> list[Crossings]:
        """Take each walk through the rows, for what enters the chunk; what leaves it.

        Where nodes are decided first, only those of the stratum and of lower ones are.
        """
        width = self.entry.width
        if not self.program.decisions.nodes:
            exhausted(walk_blocks(self._blocks(), walks))
            none = nothing(width).up
            return [Crossings(crossing_down(walk, width), none) for walk in walks]
        self._collect()
        return [
            self._decided(enters, walk, stratum)
            for enters, walk in zip(entering, walks, strict=True)
        ]

    def through(self, walk: Walk) -> Iterator[None]:
        """Take one walk through the rows, everything decided; a pause now and then."""
        if self.program.decisions.nodes:
            self._collect()
            self._decided(self.entry.crossings, walk, self.strata.count)
            yield
        else:
            yield from walk_blocks(self._blocks(), [walk])

    def _collect(self) -> None:
        """Keep the letters of all rows, padded to the width of the table."""
        program = self.program
        copied = program.backend.copied
        kept: list[Block] = []
        for block in counted_blocks(program, self._blocks()):
            letters = copied(block.letters[: block.cells])
            ends, starts = copied(block.row_cells[: block.rows]), block.row_starts[: block.rows]
            arrays = {"letters": letters, "row_cells": ends, "row_starts": copied(starts)}
            kept.append(replace(block, kept=(), **arrays))
        self._padded = Padded(program, self.entry.width, sum(block.rows for block in kept))
        for block in kept:
            self._padded.add(block, 0, block.rows)
        tokens = dict(program.task.schema.tokens)
        self._resolver = Resolver(program.decisions, tokens, program.table, program.backend)

    def _decided(self, enters: Crossings, walk: Walk, stratum: int) -> Crossings:
        padded, resolver = self._padded, self._resolver
        assert padded is not None
        assert resolver is not None
        backend, width = self.program.backend, self.entry.width
        none = nothing(width)
        down, up = [none.down], [none.up]
        if not padded.rows:
            return enters
        letters = backend.copied(padded.letters[: padded.rows * width])
        strip = Strip(letters, padded.rows, padded.rows, width, self.entry.rows + 1)
        for number, at in enumerate(self.strata.of_decision):
            if at > stratum:
                continue
            words = resolver.words_of(number)
            falls, climbs = Mark(number, 0), Mark(number, 0, goes_up=True)
            entering = Walks(
                states_of(enters.down, falls, words, backend),
                states_of(enters.up, climbs, words, backend),
            )
            leaving = resolver.decide(number, strip, entering)
            down.append(marks_of(leaving.down, falls, width, words))
            up.append(marks_of(leaving.up, climbs, width, words))
        walk_strip(self.program, strip, padded.starts, walk)
        return Crossings(union([*down, crossing_down(walk, width)]), union(up))


def probe(
    program: Program, source: Input, span: Span, entry: Entry, number: int
) -> list[Crossings]:
    """What leaves a chunk: without any mark of a stratum, and then for each of its probes."""
    strata = strata_of(program)
    stratum = Stratum(strata.groups(number), entry.width)
    entering = [entry.crossings]
    entering += [_with_probe(entry, each) for each in stratum.probes]
    edges = [true_edge(program, entry.width, each) for each in entering]
    walks = [_exact_walk(program, entry, edge, ignored=CELLS) for edge in edges]
    rows = Rows(program, source, span, entry, strata)
    return [_only(leaving, stratum.marks) for leaving in rows.run(entering, walks, number)]


def _with_probe(entry: Entry, probe: Probe) -> Crossings:
    width, known = entry.width, entry.crossings
    if not width:
        return known
    put: list[tuple[Mark, Vector]] = []
    for mark in probe.everywhere:
        put.append((mark, ((width, frozenset([mark])),)))
    if probe.single is not None:
        mark, column = probe.single
        runs = ((column - 1, NO_MARKS), (column, frozenset([mark])), (width, NO_MARKS))
        put.append(
            (
                mark,
                tuple(run for ix, run in enumerate(runs) if run[0] > (0, column - 1, column)[ix]),
            )
        )
    down = [vector for mark, vector in put if not mark.goes_up]
    up = [vector for mark, vector in put if mark.goes_up]
    return Crossings(union([known.down, *down]), union([known.up, *up]))


def _only(crossings: Crossings, marks: Marks) -> Crossings:
    sides = (crossings.down, crossings.up)
    down, up = (shortened((end, each & marks) for end, each in side) for side in sides)
    return Crossings(down, up)


def _exact_walk(
    program: Program,
    entry: Entry,
    edge: Edge,
    limit: int = 0,
    keeps_all: bool = False,
    ignored: frozenset[str] = frozenset(),
) -> Walk:
    return Walk(
        program,
        limit,
        above=edge.boundary(program),
        is_exact=True,
        before=entry.rows,
        keeps_all=keeps_all,
        ignored=ignored,
    )


def word_states(program: Program) -> list[list[int]]:
    """By rule: the states that its word can be in, for `=>` and `|>` rules."""
    machine = program.navigator.machine
    return [
        [
            state
            for state, letter in enumerate(nfa.letters)
            if letter is not None or state == nfa.final
        ]
        if rule.arrow in ("=>", "|>")
        else []
        for rule, nfa in zip(program.task.rules, machine.contents, strict=True)
    ]


def settle(program: Program, source: Input, span: Span, entry: Entry, limit: int) -> Finds:
    """The walk through a chunk from its true edges, and what becomes of words.

    Where the edge is known, words and all, that is one plain walk.
    """
    strata, states = strata_of(program), word_states(program)
    if entry.edge is not None:
        walk = _exact_walk(program, entry, entry.edge, limit, ignored=CELLS)
        rows = Rows(program, source, span, entry, strata)
        rows.run([entry.crossings], [walk], strata.count)
        return _finds(walk, source, span, rows.lines)
    whats = {find.what for find in program.navigator.finds}
    plain = true_edge(program, entry.width, entry.crossings)
    walks = [_exact_walk(program, entry, plain, limit, ignored=CONTENT | CELLS)]
    if any(states):
        ignored = frozenset(whats - CONTENT)
        edges = [replace(plain, carry=(None,) * len(plain.carry))]
        edges += [_edge_in_state(program, entry, states, ix) for ix in range(max(map(len, states)))]
        walks += [
            _exact_walk(program, entry, edge, keeps_all=True, ignored=ignored) for edge in edges
        ]
    rows = Rows(program, source, span, entry, strata)
    rows.run([entry.crossings] * len(walks), walks, strata.count)
    found = _finds(walks[0], source, span, rows.lines)
    words = [Words(each.found().edge, tuple(each.records)) for each in walks[1:]]
    deaths = {record.row: record.start for each in words for record in each.deaths}
    line_of = (*found.line_of, *rows.lines.before(source, span, deaths))
    return replace(
        found, line_of=line_of, fresh=words[0] if words else None, words=tuple(words[1:])
    )


def _edge_in_state(program: Program, entry: Entry, states: list[list[int]], ix: int) -> Edge:
    """An edge at which the word of each rule is in the state with a number, in every column."""
    arrows = [rule.arrow for rule in program.task.rules]

    def at(rule: int) -> States | None:
        return frozenset([states[rule][ix]]) if ix < len(states[rule]) else None

    words = tuple((rule, at(rule)) for rule, arrow in enumerate(arrows) if arrow == "|>")
    carry = tuple(at(rule) for rule in program.navigator.machine.regions)
    return edge_of(program, entry.crossings.down, entry.width, ((k.ENDLESS, words),), carry)


def all_records(
    program: Program, source: Input, span: Span, entry: Entry
) -> Generator[list[Record], None, Walk]:
    """Every record of a chunk whose edges are known, a few at a time; at last the walk itself."""
    assert entry.edge is not None
    walk = _exact_walk(program, entry, entry.edge, keeps_all=True)
    for find, place in entry.firsts:
        for at, value in enumerate(place):
            walk.firsts[3 * find + at] = value
    for _ in Rows(program, source, span, entry, strata_of(program)).through(walk):
        yield walk.taken()
    return walk
