"""A file in chunks, from the side of whoever hands them out: few rounds of work, one exact answer.

In: a `Program`, and the number of chunks. Out: a generator of rounds: it yields the work that can
be done at the same time, takes the results, and returns an `Outcome`. Whoever drives it decides
where the work is done (`perform`): in the tasks of a cluster, or one after the other in a test.

    1       every chunk is walked from the edge that the head of the file suggests; if each chunk's
            lower edge is what the next assumed, that was all
    2..V+1  for each stratum, what crosses the edges of the chunks (`relations`)
    V+2     every chunk is walked from its true edges

A schema that walks up or left only measures in the first round. So no schema and no data need more
than V + 2 rounds. Where a stratum needs more than `MAX_RUNS` runs of each chunk, or steps multiply,
the file is handed out whole instead, as the second and last round.

Invariant: nothing that was assumed stands unchecked. Memory: the edges and what is shown.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import TypeAlias

from sculpt.automata.cells import Kind
from sculpt.automata.navigator import TooManyStepsError
from sculpt.automata.nfa import NONE, States
from sculpt.automata.words import Columns
from sculpt.engines.chunks import (
    Finds,
    measure,
    probe,
    settle,
    speculate,
    strata_of,
    word_states,
)
from sculpt.engines.chunks import Words as WordRun
from sculpt.engines.data import Data
from sculpt.engines.edges import Entry, edge_of, together, true_edge
from sculpt.engines.program import Program
from sculpt.engines.relations import Crossings, Stratum, joined, nothing
from sculpt.engines.spans import Cuts, Span
from sculpt.engines.walk import Edge, Found, Record
from sculpt.errors import UnsupportedByEngine
from sculpt.kernels import walk as k
from sculpt.values import field, frozen, mutable, replace

MAX_RUNS = 64
"""So often a chunk may be walked through in one round; beyond that, the file is read in order."""
MANY_STEPS = "its rules need many steps on this data"


@frozen
class First:
    """Walk through a chunk on an assumption, or measure it."""

    number: int


@frozen
class Probing:
    """See what crosses the edges of a chunk, for the marks of a stratum."""

    number: int
    span: Span
    entry: Entry
    stratum: int


@frozen
class Settling:
    """Walk through a chunk from its true edges."""

    number: int
    span: Span
    entry: Entry


Work: TypeAlias = First | Probing | Settling


@frozen
class Overflow:
    """A result: the chunk cannot be worked on by itself; why, for people."""

    reason: str


Result: TypeAlias = Finds | list[Crossings] | Overflow | None


@frozen
class Piece:
    """A chunk whose edges are known, with how much was found in it."""

    span: Span
    entry: Entry
    count: int


@frozen
class Outcome:
    """What was found in a file, and what its chunks need to be listed in full."""

    found: Found
    pieces: tuple[Piece, ...]
    lines: dict[int, int]
    """By row of a record: its line in the file."""
    rounds: int


@frozen
class InOrder:
    """The file must be read in order, in one piece; why, for people."""

    reason: str
    rounds: int


ColumnWords: TypeAlias = tuple[tuple[int, Columns], ...]
"""Runs of columns, with the states of the `|>` rules in each."""

Rounds: TypeAlias = Generator[list[Work], list[Result], Outcome | InOrder]


def compose(program: Program, chunks: int, limit: int) -> Rounds:
    """The rounds of a file of so many chunks."""
    results = yield [First(number) for number in range(chunks)]
    for each in results:
        if isinstance(each, Overflow):
            return InOrder(each.reason, 1)
    finds = _chained([each for each in results if isinstance(each, Finds)])
    if not program.decisions.nodes and _is_confirmed(program, finds):
        return _Merger(program, limit).assumed(finds)
    exact = _Exact(program, finds, limit)
    return (yield from exact.rounds())


def perform(work: Work, program: Program, data: Data, bases: Sequence[int], limit: int) -> Result:
    """Do a piece of work; `bases` are the bytes at which the chunks of the file begin."""
    source = data.source
    try:
        match work:
            case First(number):
                cuts = Cuts(program, data, bases)
                if program.decisions.nodes:
                    return measure(program, data, cuts, number)
                return speculate(program, data, cuts, number, limit)
            case Probing(_, span, entry, stratum):
                return probe(program, source, span, entry, stratum)
            case Settling(_, span, entry):
                return settle(program, source, span, entry, limit)
    except TooManyStepsError:
        return Overflow(MANY_STEPS)
    except UnsupportedByEngine:
        if not isinstance(work, First):
            raise
        # Perhaps only where it was read as if a row began: whoever reads all of it will say so.
        return Overflow("it cannot be read from the middle")


def _chained(finds: Sequence[Finds]) -> list[Finds]:
    """The chunks that begin where the one before ends: a cut at which no row begins is none."""
    by_begin = {each.span.begin: each for each in finds}
    chain = [finds[0]]
    while (end := chain[-1].span.end) is not None:
        chain.append(by_begin[end])
    return chain


def _is_confirmed(program: Program, finds: Sequence[Finds]) -> bool:
    """Was everything true that the chunks were walked under?"""
    named = int(program.navigator.named_rows[-1])
    width = max(each.width for each in finds)
    rows = 0
    above: Edge | None = None
    for each in finds:
        if each.below is None or (each.depends and each.width != width):
            return False
        if each.assumed is not None:
            if above is None or rows < named:
                return False
            if (above.runs, above.carry) != (each.assumed.runs, each.assumed.carry):
                return False
        rows, above = rows + each.rows, each.below
    return True


@mutable
class _Exact:
    """The rounds after an assumption has failed."""

    program: Program
    finds: Sequence[Finds]
    limit: int
    done: int = 1

    def rounds(self) -> Rounds:
        program, finds = self.program, self.finds
        strata = strata_of(program)
        width = max(each.width for each in finds)
        if len(finds) == 1:
            return (yield from self._alone(finds[0]))
        runs = 2 + max(map(len, word_states(program)), default=0)
        if runs > MAX_RUNS:
            return InOrder("a rule's content has too many states", self.done)
        rows = 0
        entries: list[Entry] = []
        for each in finds:
            entries.append(Entry(rows, width, nothing(width)))
            rows += each.rows
        for number in range(1, strata.count + 1):
            groups = strata.groups(number)
            if not groups:
                continue
            loose = sum(len(group.marks) for group in groups if not group.is_local)
            if loose * width > MAX_RUNS or max(len(g.marks) for g in groups) >= MAX_RUNS:
                return InOrder("its rules walk down and sideways in turn", self.done)
            stratum = Stratum(groups, width)
            found = yield [
                Probing(ix, each.span, entry, number)
                for ix, (each, entry) in enumerate(zip(finds, entries, strict=True))
            ]
            self.done += 1
            runs_of = [each for each in found if isinstance(each, list)]
            if len(runs_of) < len(finds):
                return InOrder(MANY_STEPS, self.done)
            entries = [
                replace(entry, crossings=joined([entry.crossings, enters]))
                for entry, enters in zip(entries, stratum.solve(runs_of), strict=True)
            ]
        settled = yield [
            Settling(ix, each.span, entry)
            for ix, (each, entry) in enumerate(zip(finds, entries, strict=True))
        ]
        self.done += 1
        exact = [each for each in settled if isinstance(each, Finds)]
        if len(exact) < len(finds):
            return InOrder(MANY_STEPS, self.done)
        return _Merger(program, self.limit, rounds=self.done).settled(exact, entries)

    def _alone(self, finds: Finds) -> Rounds:
        """A table in one chunk: nothing stands above it, and nothing below."""
        none = nothing(finds.width)
        edge = true_edge(self.program, finds.width, none)
        entry = Entry(0, finds.width, none, edge)
        (settled,) = yield [Settling(0, finds.span, entry)]
        self.done += 1
        if not isinstance(settled, Finds):
            return InOrder(MANY_STEPS, self.done)
        return _Merger(self.program, self.limit, rounds=self.done).alone(settled, entry)


@mutable
class _Merger:
    """What the chunks of a file have found, put together in order."""

    program: Program
    limit: int
    rounds: int = 1
    rows: int = 0
    lines: int = 0
    count: int = 0
    records: list[Record] = field(default_factory=list)
    line_of: dict[int, int] = field(default_factory=dict)
    firsts: dict[int, tuple[int, int, int]] = field(default_factory=dict)
    selected: frozenset[int] = frozenset()
    carried: frozenset[str] = frozenset()
    open_row: int | None = None
    pieces: list[Piece] = field(default_factory=list)

    def assumed(self, finds: Sequence[Finds]) -> Outcome:
        """From walks whose assumptions were true; their rows count from each chunk's first."""
        width = max(each.width for each in finds)
        top = true_edge(self.program, width, nothing(width))
        for each in finds:
            edge = replace(each.assumed or top, width=width)
            self._take(each, Entry(self.rows, width, nothing(width), edge), shift=self.rows)
        below = finds[-1].below
        assert below is not None
        return self._outcome(replace(below, width=width), width)

    def alone(self, finds: Finds, entry: Entry) -> Outcome:
        """From one walk through all of the table."""
        self._take(finds, entry, shift=0)
        assert finds.below is not None
        return self._outcome(finds.below, entry.width)

    def settled(self, finds: Sequence[Finds], entries: Sequence[Entry]) -> Outcome:
        """From walks that started at the true edges."""
        width = entries[0].width
        states = word_states(self.program)
        columns: ColumnWords = ((k.ENDLESS, ()),)
        regions = self.program.navigator.machine.first_regions
        for each, entry in zip(finds, entries, strict=True):
            down = entry.crossings.down
            edge = edge_of(self.program, down, width, columns, regions)
            more = each
            if each.fresh is not None:
                reading = _Reading(self.program, states, each.fresh, each.words)
                regions = tuple(reading.region(ix, word) for ix, word in enumerate(regions))
                columns = reading.columns(columns, width)
                records = (*each.records, *reading.deaths)
                more = replace(each, count=each.count + len(reading.deaths), records=records)
            self._take(more, replace(entry, edge=edge), shift=0)
        last = edge_of(self.program, nothing(width).down, width, columns, regions)
        return self._outcome(last, width)

    def _take(self, finds: Finds, entry: Entry, shift: int) -> None:
        """The next chunk, whose rows count from `shift`."""
        known = tuple(sorted(self.firsts.items()))
        extra: list[Record] = []
        all_finds = self.program.navigator.finds
        number_of = {find: ix for ix, find in enumerate(all_finds)}
        for ix, (row, column, start) in finds.firsts:
            if ix in self.firsts:  # the first of this chunk is a further one after all
                first = self.firsts[ix][:2]
                extra.append(Record(row + shift, column, all_finds[ix], NONE, start, first))
            else:
                self.firsts[ix] = (row + shift, column, start)
        before = {ix: place[:2] for ix, place in known}
        moved = []
        for record in finds.records:
            first = record.first
            if record.find.kind is Kind.UNIQUE:
                first = before.get(number_of[record.find], (first[0] + shift, first[1]))
            elif first[0]:
                first = (first[0] + shift, first[1])
            moved.append(replace(record, row=record.row + shift, first=first))
        if len(self.records) < self.limit:
            self.records += sorted(extra + moved, key=_order)[: self.limit + k.MAX_FINDS]
        self.line_of |= {row + shift: 1 + self.lines + line for row, line in finds.line_of}
        count = finds.count + len(extra)
        self.pieces.append(Piece(finds.span, replace(entry, firsts=known), count))
        self.count += count
        self.rows += finds.rows
        self.lines += finds.lines
        self.selected |= finds.selected
        self.carried |= finds.carried
        self.open_row = finds.open_row

    def _outcome(self, below: Edge, width: int) -> Outcome:
        shown = width if self.rows else 0
        met = (self.selected, self.carried)
        found = Found(self.rows, shown, self.count, self.records, below, *met, self.open_row)
        return Outcome(found, tuple(self.pieces), self.line_of, self.rounds)


def _order(record: Record) -> tuple[int, int]:
    return record.row, record.column or k.ENDLESS


class _Reading:
    """What becomes of words in a chunk: the union over the states that they may be in.

    A word fails when the last of its states does: at the last of the places where they do.
    """

    def __init__(
        self, program: Program, states: list[list[int]], fresh: WordRun, runs: Sequence[WordRun]
    ) -> None:
        self._regions = program.navigator.machine.regions
        self._rules = [ix for ix, rule in enumerate(program.task.rules) if rule.arrow == "|>"]
        self._numbers = [{state: ix for ix, state in enumerate(each)} for each in states]
        self._runs = [*runs, fresh]
        self._deaths = [
            {(each.find.subject, _column(each)): each for each in run.deaths} for run in self._runs
        ]
        self.deaths: list[Record] = []

    def _runs_of(self, rule: int, word: States) -> list[int]:
        return [self._numbers[rule][state] for state in word]

    def _die(self, rule: int, column: int, runs: list[int]) -> None:
        """Record that the last state of a word has failed."""
        deaths = [self._deaths[run][rule, column] for run in runs]
        last = max(deaths, key=_order)
        before = NONE.union(*(each.states for each in deaths if _order(each) == _order(last)))
        self.deaths.append(replace(last, states=before))

    def region(self, place: int, word: States | None) -> States | None:
        """The states of a `=>` rule below the chunk."""
        if word is None:
            return None
        rule = self._regions[place]
        runs = self._runs_of(rule, word)
        carries = [self._runs[run].edge.carry[place] for run in runs]
        alive = [after for after in carries if after is not None]
        if alive:
            return NONE.union(*alive)
        self._die(rule, 0, runs)
        return None

    def columns(self, words: Sequence[tuple[int, Columns]], width: int) -> ColumnWords:
        """The states of `|>` rules below the chunk, column by column."""
        edges = [run.edge.runs for run in self._runs]
        found: list[tuple[int, Columns]] = []
        begin = 0
        for end, (above, *belows) in together(words, *edges):
            after = [dict(each.words) for each in belows]
            merged = self._column(dict(above), after, range(begin + 1, min(end, width) + 1))
            if found and found[-1][1] == merged:
                found[-1] = (end, merged)
            else:
                found.append((end, merged))
            begin = end
        return tuple(found)

    def _column(
        self,
        above: dict[int, States | None],
        belows: list[dict[int, States | None]],
        columns: range,
    ) -> Columns:
        """The words below some columns that are alike."""
        found: list[tuple[int, States | None]] = []
        for rule in self._rules:
            fresh = len(belows) - 1
            if rule in above and above[rule] is None:
                found.append((rule, None))
                continue
            word = above.get(rule)
            runs = [fresh] if word is None else self._runs_of(rule, word)
            if rule not in belows[runs[0]]:
                continue
            alive = [after for run in runs if (after := belows[run][rule]) is not None]
            found.append((rule, NONE.union(*alive) if alive else None))
            if not alive:
                for column in columns:
                    self._die(rule, column, runs)
        return tuple(found)


def _column(record: Record) -> int:
    """The column of a failed column word; 0 for that of a region."""
    return record.column if record.find.what == "column-content" else 0
