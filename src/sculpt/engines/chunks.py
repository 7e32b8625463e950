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

from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, TypeAlias, TypeVar

from sculpt import kernels as k
from sculpt.automata.backend import Backend
from sculpt.automata.cells import Above, Kind
from sculpt.automata.nfa import States
from sculpt.automata.resolve import Resolver, Strip, Walks
from sculpt.automata.strata import Mark, Strata
from sculpt.automata.words import Columns
from sculpt.core.costs import Costs
from sculpt.engines.blocks import Block, Place, finish, row_end
from sculpt.engines.cuts import find_cut
from sculpt.engines.data import Data
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
from sculpt.engines.strips import Padded, counted_rows, size_of_block, walk_strip
from sculpt.engines.walk import Edge, Record, Walk, WidthNeededError
from sculpt.errors import DataError
from sculpt.tabular.source import Input

READ_SIZE = 1 << 23
_LINE_FEED = 10
HEAD = 1 << 18
"""So much of a file's beginning tells what to assume about the rest."""
CONTENT = frozenset({"region-content", "column-content"})
"""What is found when a word fails that may have begun in an earlier chunk."""

Payload = TypeVar("Payload")
OnBytes: TypeAlias = Callable[[bytes | bytearray], None]


@dataclass(frozen=True, slots=True)
class Span:
    """The bytes of the rows that a chunk owns; an end of `None` is that of the file."""

    begin: int
    end: int | None


@dataclass(frozen=True, slots=True)
class Entry:
    """What is known to stand at the edges of a chunk."""

    rows: int
    """Rows above it."""
    width: int
    """Of the whole table."""
    crossings: Crossings
    edge: Edge | None = None
    """What the row above hands down, where all of it is known."""
    firsts: tuple[tuple[int, tuple[int, int, int]], ...] = ()
    """By find of `unique`: row, column and row start of the first."""


@dataclass(frozen=True, slots=True)
class Words:
    """Where the words of `=>` and `|>` rules have come, from one of their states."""

    edge: Edge
    deaths: tuple[Record, ...]


@dataclass(frozen=True, slots=True)
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


class Places(Protocol):
    """Where the chunks of a table begin."""

    def at(self, number: int) -> int | None:
        """Where a chunk begins; `None` if it has no cut."""

    def behind(self, number: int) -> Iterator[int]:
        """Where those behind it begin, in order."""


class Cuts:
    """The places at which a file can be cut, near the bytes at which its chunks should begin."""

    def __init__(self, program: Program, data: Data, bases: Sequence[int]) -> None:
        self._program = program
        self._data = data
        self._bases = bases

    def at(self, number: int) -> int | None:
        """Where a chunk begins; `None` if it has no cut."""
        bases, size = self._bases, self._data.source.size
        if number == 0:
            return self._data.skipped
        limit = bases[number + 1] if number + 1 < len(bases) else size
        assert limit is not None
        return find_cut(self._program, self._data.window, bases[number], limit)

    def behind(self, number: int) -> Iterator[int]:
        """The cuts behind a chunk's own, in order."""
        for later in range(number + 1, len(self._bases)):
            cut = self.at(later)
            if cut is not None:
                yield cut


def blocks_of(
    program: Program,
    source: Input,
    begin: int,
    cuts: Iterator[int],
    on_bytes: OnBytes | None = None,
) -> Generator[Block, None, Span]:
    """The letters of the rows from a place on, up to the first cut at which a row begins.

    Each block is good until the next is asked for. Without such a cut the end is that of the file.
    """
    start = program.table.start
    place, at = Place(begin, start, begin), begin
    while (cut := next(cuts, None)) is not None:
        while at < cut:
            data = source.chunk(at, program.buffers.take_bytes(min(READ_SIZE, cut - at)))
            place = yield from _scanned(program, data, at, place, on_bytes)
            if len(data) < min(READ_SIZE, cut - at):
                raise DataError(f"{source.path}: changed while it was read", source.path)
            at += len(data)
        if place.state != start:
            ended = row_end(program, source.window(cut, cut + 1), cut, place)
            if ended is not None:
                yield ended
                return Span(begin, cut)
        if place == Place(cut, start, cut):
            return Span(begin, cut)
    while True:
        data = source.chunk(at, program.buffers.take_bytes(READ_SIZE))
        place = yield from _scanned(program, data, at, place, on_bytes)
        at += len(data)
        if len(data) < READ_SIZE:
            break
    yield finish(program, place)
    return Span(begin, None)


def _scanned(
    program: Program, data: bytes | bytearray, base: int, place: Place, on_bytes: OnBytes | None
) -> Generator[Block, None, Place]:
    if on_bytes is not None:
        on_bytes(data)
    while place.at < base + len(data):
        scanned, place = scan_all(program, data, base, place)
        yield from scanned
        for block in scanned:
            for array in block.kept:
                program.buffers.give(array)
    program.buffers.give_bytes(data)
    return place


def blocks_in(
    program: Program, source: Input, span: Span, on_bytes: OnBytes | None = None
) -> Generator[Block, None, Span]:
    """The letters of a span that is known."""
    cuts = iter(() if span.end is None else (span.end,))
    return blocks_of(program, source, span.begin, cuts, on_bytes)


def walk_blocks(
    blocks: Generator[Block, None, Span], walks: Sequence[Walk]
) -> Generator[None, None, Span]:
    """Take walks through some rows; a pause after each block."""
    while True:
        try:
            block = next(blocks)
        except StopIteration as stop:
            span: Span = stop.value
            break
        for walk in walks:
            walk.take(block)
        yield
    if span.end is not None:
        for walk in walks:
            walk.flush()  # the blank rows at its end count: a row follows
    yield
    return span


def _exhausted(generator: Generator[Any, None, Payload]) -> Payload:
    while True:
        try:
            next(generator)
        except StopIteration as stop:
            value: Payload = stop.value
            return value


# ----------------------------------------------------------------- the first job


def head_edge(program: Program, source: Input, skipped: int) -> Edge:
    """What stands below the rows that end in the head of a file."""
    data = source.window(skipped, skipped + HEAD)
    scanned, _ = scan_all(program, data, skipped, Place(skipped, program.table.start, skipped))
    blocks = list(counted_rows(program, iter(scanned)))
    sizes = [size_of_block(program, block) for block in blocks]
    width = max((columns for _, columns in sizes), default=0)
    walk = Walk(program, 0, width, is_exact=True)
    for block in blocks:
        walk.take(block)
    return walk.edge()


def measure(program: Program, data: Data, cuts: Places, number: int) -> Finds | None:
    """Rows and width of a chunk; `None` if the chunk before owns them all."""
    begin = cuts.at(number)
    if begin is None:
        return None
    rows = width = 0
    lines = _Lines.behind(program.backend, data.source, begin)
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


def counted_blocks(
    program: Program, blocks: Generator[Block, None, Span]
) -> Generator[Block, None, Span]:
    """The same in blocks of whole rows that count."""
    ended: list[Span] = []

    def noted() -> Iterator[Block]:
        ended.append((yield from blocks))

    yield from counted_rows(program, noted(), lambda: ended[0].end is not None)
    return ended[0]


def speculate(program: Program, data: Data, cuts: Places, number: int, limit: int) -> Finds | None:
    """The walk through a chunk from an edge that is assumed; from the top for the first.

    If the width of the table must be known for it, the chunk is measured instead.
    """
    begin = cuts.at(number)
    if begin is None:
        return None
    assumed = head_edge(program, data.source, data.skipped) if number else None
    walk = Walk(program, limit, above=None if assumed is None else assumed.boundary(program))
    lines = _Lines.behind(program.backend, data.source, begin)
    blocks = blocks_of(program, data.source, begin, cuts.behind(number), lines.take)
    try:
        span = _exhausted(walk_blocks(blocks, [walk]))
    except WidthNeededError:
        return measure(program, data, cuts, number)
    return replace(_finds(walk, data.source, span, lines), assumed=assumed)


def _finds(walk: Walk, source: Input, span: Span, lines: _Lines) -> Finds:
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
        below=found.edge,
        depends=bool(walk.regs[k.W_DEPENDS]),
        lines=lines.count,
        line_of=tuple(lines.before(source, span, places)),
    )


@dataclass
class _Lines:
    """The line ends of a span, as a text editor counts them."""

    backend: Backend
    count: int = 0
    _ends_with_return: bool = False

    @classmethod
    def behind(cls, backend: Backend, source: Input, begin: int) -> _Lines:
        """None yet, of a span that begins at a byte, which may be inside a line end."""
        before = source.window(begin - 1, begin) if begin else b""
        return cls(backend, _ends_with_return=before == b"\r")

    def take(self, data: bytes | bytearray) -> None:
        """The next bytes."""
        self.count += self._new(data)

    def _new(self, data: bytes | bytearray) -> int:
        found = int(self.backend.count_bytes(self.backend.buffer(data), _LINE_FEED))
        if b"\r" in data:
            found += data.count(b"\r") - data.count(b"\r\n")
        if self._ends_with_return and data.startswith(b"\n"):
            found -= 1
        self._ends_with_return = data.endswith(b"\r")
        return found

    def before(
        self, source: Input, span: Span, places: dict[int, int]
    ) -> Iterator[tuple[int, int]]:
        """By row that begins at some byte: the line ends before it in the span."""
        again = _Lines.behind(self.backend, source, span.begin)
        at = span.begin
        for row, start in sorted(places.items()):
            while at < start:
                data = source.window(at, min(start, at + READ_SIZE))
                if not data:
                    break
                again.take(data)
                at += len(data)
            # A row may begin inside a line end: then that has not ended.
            is_inside = again._ends_with_return and source.window(at, at + 1) == b"\n"
            yield row, again.count - is_inside


# ----------------------------------------------------------------- edges


def true_edge(program: Program, width: int, entering: Crossings) -> Edge:
    """The edge above a chunk: the walkers that come down, no words yet."""
    regions = program.navigator.machine.first_regions
    return edge_of(program, entering.down, width, ((k.ENDLESS, ()),), regions)


def edge_of(
    program: Program,
    down: Vector,
    width: int,
    words: Sequence[tuple[int, Columns]],
    carry: tuple[States | None, ...],
) -> Edge:
    """An edge with these walkers, column words and words of regions."""
    navigator = program.navigator
    columns = [(end, navigator.aboves[above]) for end, above in navigator.first_vector()]
    runs: list[tuple[int, Above]] = []
    stretched = _endless(down, NO_MARKS)
    for end, (column, marks, its_words) in together(columns, stretched, list(words)):
        walkers = frozenset(mark.state for mark in marks if mark.node < 0)
        above = Above(column.column, walkers, its_words)
        if runs and runs[-1][1] == above:
            runs[-1] = (end, above)
        else:
            runs.append((end, above))
    return Edge(tuple(runs), carry, width)


def _endless(vector: Sequence[tuple[int, Payload]], rest: Payload) -> list[tuple[int, Payload]]:
    return [*vector, (k.ENDLESS, rest)]


def together(*vectors: Sequence[tuple[int, Any]]) -> Iterator[tuple[int, list[Any]]]:
    """Runs of columns in which nothing changes, to the end of all columns."""
    at = [0] * len(vectors)
    end = 0
    while end < k.ENDLESS:
        end = min(vector[ix][0] for vector, ix in zip(vectors, at, strict=True))
        yield end, [vector[ix][1] for vector, ix in zip(vectors, at, strict=True)]
        for number, vector in enumerate(vectors):
            at[number] += vector[at[number]][0] == end


def _crossing_down(walk: Walk, width: int) -> Vector:
    """The walkers that leave a chunk downwards."""
    vector = []
    for end, above in walk.edge().runs:
        vector.append((min(end, width), frozenset(Mark(-1, each) for each in above.walkers)))
        if end >= width:
            break
    return shortened(vector) if width else ()


# ----------------------------------------------------------------- exact work


def strata_of(program: Program) -> Strata:
    """The marks that can stand at the edges of chunks."""
    navigation = program.navigator.machine.navigation
    return Strata(navigation, program.decisions, Costs(program.task.schema))


@dataclass
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
    lines: _Lines = field(init=False)
    _padded: Padded | None = field(init=False, default=None)
    _resolver: Resolver | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        self.lines = _Lines.behind(self.program.backend, self.source, self.span.begin)

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
            _exhausted(walk_blocks(self._blocks(), walks))
            none = nothing(width).up
            return [Crossings(_crossing_down(walk, width), none) for walk in walks]
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
                _states(enters.down, falls, words, backend),
                _states(enters.up, climbs, words, backend),
            )
            leaving = resolver.decide(number, strip, entering)
            down.append(_marks(leaving.down, falls, width, words))
            up.append(_marks(leaving.up, climbs, width, words))
        walk_strip(self.program, strip, padded.starts, walk)
        return Crossings(union([*down, _crossing_down(walk, width)]), union(up))


def _states(vector: Vector, like: Mark, words: int, backend: Backend) -> Any:
    """The marks of one node and way as sets of states by column; `None` without any."""
    width = vector[-1][0] if vector else 0
    found: Any = None
    begin = 0
    for end, marks in vector:
        states = [mark.state for mark in marks if mark._replace(state=0) == like]
        if states and found is None:
            found = backend.zeros(width * words)
        for state in states:
            for column in range(begin, end):
                found[column * words + state // k.WORD] |= 1 << (state % k.WORD)
        begin = end
    return found


def _marks(states: Any, like: Mark, width: int, words: int) -> Vector:
    """Sets of states by column as the marks of one node and way."""
    if states is None:
        return nothing(width).down
    vector: list[tuple[int, Marks]] = []
    known: dict[tuple[int, ...], Marks] = {(0,) * words: NO_MARKS}
    for column in range(width):
        key = tuple(int(each) for each in states[column * words : (column + 1) * words])
        if key not in known:
            known[key] = frozenset(
                like._replace(state=word * k.WORD + bit)
                for word, value in enumerate(key)
                for bit in range(value.bit_length())
                if value >> bit & 1
            )
        vector.append((column + 1, known[key]))
    return shortened(vector)


def probe(
    program: Program, source: Input, span: Span, entry: Entry, number: int
) -> list[Crossings]:
    """What leaves a chunk: without any mark of a stratum, and then for each of its probes."""
    strata = strata_of(program)
    stratum = Stratum(strata.groups(number), entry.width)
    entering = [entry.crossings]
    entering += [_with_probe(entry, each) for each in stratum.probes]
    walks = [_exact_walk(program, entry, true_edge(program, entry.width, e)) for e in entering]
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
        walk = _exact_walk(program, entry, entry.edge, limit)
        rows = Rows(program, source, span, entry, strata)
        rows.run([entry.crossings], [walk], strata.count)
        return _finds(walk, source, span, rows.lines)
    whats = {find.what for find in program.navigator.finds}
    plain = true_edge(program, entry.width, entry.crossings)
    walks = [_exact_walk(program, entry, plain, limit, ignored=CONTENT)]
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
