"""Scan and walk: from bytes to letters, and from letters to finds.

In: a `Program` and bytes. Out: `Block`s of letters, and a `Walk` that has gone through them. Both
go on from where they stopped, in the middle of a row if need be, so memory is a block and what one
row hands to the next: nothing grows with the file, nor with the length of a row.

A walk takes the table to have some width. A row that would have ended otherwise in a wider table
is noticed; if a wider row comes after one, the walk stops with `WidthNeeded`: the width must be
measured first, and the run begins again. Where no row depends on it, the width simply grows.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from sculpt import kernels as k
from sculpt.automata.cells import Find, Kind
from sculpt.automata.scanner import Event
from sculpt.engines.program import Program

BEYOND = 1 << 40
"""The row number that a walk starts with where its own is not known: no selector names it."""
MAX_STATES = 1 << 13
"""Steady states: enough for some thousands of columns."""
MAX_STOPS = 1_000
"""So often the lanes are run on together after one has needed something rare."""
STRIDE = 64
_SIGN = 1 << 63


class WidthNeeded(Exception):  # noqa: N818 (it is a wish)
    """The width of the table must be known before the run."""


@dataclass(slots=True)
class Block:
    """The letters of some bytes."""

    letters: Any
    row_cells: Any
    row_starts: Any
    """Where each row begins, from `base`; and where the row begins that has not ended."""
    rows: int
    cells: int
    base: int
    kept: tuple[Any, ...] = ()
    """The arrays to give back when all blocks of a scan have been used."""

    def without_blank_tail(
        self, program: Program, blanks: Any, goes_on: bool
    ) -> tuple[Block, Block | None]:
        """The block without the blank rows at its end, and these, where they may not count.

        Where a row goes on from the block before, the first one here is only its end.
        """
        if program.task.schema.dialect.blank_rows != "inner":
            return self, None
        blank = program.backend.blank_tail(
            self.letters, self.row_cells, self.rows, self.cells, blanks
        )
        blank -= goes_on and blank == self.rows and blank > 0
        if blank == 0:
            return self, None
        rows, cells = self.rows - blank, self.cells - blank
        tail = program.backend.zeros(blank + 1)
        for ix in range(blank):
            tail[ix] = ix + 1
        return (
            replace(self, rows=rows, cells=cells),
            replace(
                self,
                letters=program.backend.copied(self.letters[cells : self.cells]),
                row_cells=tail,
                row_starts=program.backend.copied(self.row_starts[rows : self.rows + 1]),
                rows=blank,
                cells=blank,
            ),
        )


@dataclass(frozen=True, slots=True)
class Place:
    """Where a scan stands: the byte, its state, and the byte at which the current row began."""

    at: int
    state: int
    begun: int


@dataclass(slots=True)
class _Lane:
    """A stretch of bytes that is being scanned."""

    program: Program
    buffer: Any
    base: int
    place: Place
    stop: int
    max_rows: int = k.NO_LIMIT
    letters: Any = None
    """Where the letters go, if not to an array of its own."""
    offset: int = 0
    """The first of the letters that are this lane's."""
    regs: Any = field(init=False)
    block: Block = field(init=False)

    def __post_init__(self) -> None:
        buffers, begin = self.program.buffers, self.place.at - self.base
        backend = self.program.backend
        room = self.stop - begin + 8
        ends, starts = buffers.numbers(room), buffers.numbers(room)
        kept: tuple[Any, ...] = (ends, starts)
        if self.letters is None:
            self.letters = buffers.letters(room)
            kept = (self.letters, ends, starts)
        self.block = Block(self.letters, ends, starts, 0, 0, self.base, kept)
        started = self.place.begun - self.base  # below 0 where the row began in an earlier block
        started = started % (2 * _SIGN) if backend.is_compiled else started
        state = self.place.state
        cells = self.offset
        self.regs = backend.unsigned([begin, self.stop, state, cells, 0, started, self.max_rows])

    def arrays(self) -> tuple[Any, ...]:
        """What the kernels write to."""
        return self.regs, self.block.letters, self.block.row_cells, self.block.row_starts

    def run(self, stop: int) -> None:
        """Scan up to a byte."""
        table, regs = self.program.table, self.regs
        regs[k.STOP] = stop
        while self.program.backend.scan(
            self.buffer, table.table, table.classes, table.backlogs, *self.arrays()
        ):
            table.fill(int(regs[k.STATE]), int(self.buffer[int(regs[k.POSITION])]))
        regs[k.STOP] = self.stop

    def result(self) -> tuple[Block, Place]:
        """The letters, and where the scan stands."""
        block, regs, table = self.block, self.regs, self.program.table
        block.cells, block.rows = int(regs[k.CELLS]) - self.offset, int(regs[k.ROWS])
        if self.offset:
            block.letters = self.letters[self.offset :]
            block.row_cells[: block.rows] -= self.offset
        start = int(regs[k.ROW_START])
        start = start - 2 * _SIGN if start >= _SIGN else start
        block.row_starts[block.rows] = start
        at, state = int(regs[k.POSITION]), int(regs[k.STATE])
        config = table.config_at(state)
        is_start = config._replace(backlog=b"") == table.scanner.start
        if config.backlog and is_start and len(config.backlog) <= at:
            at, state = at - len(config.backlog), table.start  # as well read again
        return block, Place(self.base + at, state, self.base + start)


def scan(
    program: Program, data: bytes | bytearray, base: int, place: Place, max_rows: int = k.NO_LIMIT
) -> tuple[Block, Place]:
    """The letters of bytes from a place on; `data` begins at `base` in the file."""
    buffer = program.backend.buffer(data)
    lane = _Lane(program, buffer, base, place, len(data), max_rows)
    lane.run(len(data))
    return lane.result()


def scan_lanes(
    program: Program, data: bytes | bytearray, base: int, place: Place, guesses: tuple[int, int]
) -> tuple[tuple[Block, ...], Place]:
    """The same from three places at once: rows are taken to begin at two bytes of `data`.

    Where one does not, the rest is scanned again from where the lane before it ended.
    """
    buffer, table = program.backend.buffer(data), program.table
    starts = [place, *(Place(base + at, table.start, base + at) for at in guesses)]
    stops = [*guesses, len(data)]
    letters = program.buffers.letters(base + len(data) - place.at + 8 * len(starts))
    lanes: list[_Lane] = []
    offset = 0
    for start, stop in zip(starts, stops, strict=True):
        lanes.append(_Lane(program, buffer, base, start, stop, letters=letters, offset=offset))
        offset += base + stop - start.at + 8
    for _ in range(MAX_STOPS):
        arrays = [
            array
            for lane in lanes
            for array in (lane.regs, lane.block.row_cells, lane.block.row_starts)
        ]
        program.backend.scan_three(buffer, table.table, table.classes, letters, *arrays)
        if any(int(lane.regs[k.POSITION]) == lane.stop for lane in lanes):
            break
        for lane in lanes:
            lane.run(min(lane.stop, int(lane.regs[k.POSITION]) + STRIDE))
    blocks: list[Block] = []
    reached = place
    for lane, start in zip(lanes, starts, strict=True):
        if start != reached:
            block, reached = scan(program, data, base, reached)
            return (*blocks, block), reached
        lane.run(lane.stop)
        block, reached = lane.result()
        blocks.append(block)
    blocks[0].kept += (letters,)
    return tuple(blocks), reached


def finish(program: Program, place: Place) -> Block:
    """What ends with the file."""
    backend = program.backend
    block = Block(backend.small(8), backend.zeros(8), backend.zeros(8), 0, 0, place.at)
    start = place.begun - place.at
    for event, letter in program.table.finish(place.state):
        if event is not Event.LINE:
            block.letters[block.cells] = letter
            block.cells += 1
        if event is Event.ROW:
            block.row_cells[block.rows], block.row_starts[block.rows] = block.cells, start
            block.rows += 1
            start = 0
    block.row_starts[block.rows] = start
    return block


@dataclass(frozen=True, slots=True)
class Record:
    """A find, with its place. `entry` is a step of the cell machine, or -1 minus what came left."""

    row: int
    column: int
    """0 at the end of a row."""
    find: Find
    entry: int
    start: int
    """Where the row begins in the file."""
    first: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Boundary:
    """What a row hands to the next: all that a walk must know to go on below it."""

    runs: tuple[tuple[int, int], ...]
    """The vector: runs of columns (end, what comes down)."""
    carry: int
    width: int
    named_rows_done: bool
    """No selector names a row further down."""


@dataclass
class Walk:
    """The walk through a table, block by block."""

    program: Program
    limit: int
    """How many records of violations to keep."""
    width: int = 0
    above: Boundary | None = None
    """Where it starts, if not at the first row."""
    is_exact: bool = False
    """The width has been measured: no row is wider."""
    regs: Any = field(init=False)
    vectors: list[Any] = field(init=False)
    records: list[Record] = field(init=False, default_factory=list)
    states: tuple[Any, ...] | None = field(init=False, default=None)
    waiting: list[Block] = field(init=False, default_factory=list)
    """Blank rows that count only if a row follows."""

    def __post_init__(self) -> None:
        program, backend = self.program, self.program.backend
        navigator = program.navigator
        selects = program.task.target is not None
        runs = self.above.runs if self.above else tuple(navigator.first_vector())
        regs = self.regs = backend.zeros(k.WALK_SIZE)
        regs[k.W_ROW] = BEYOND if self.above else 0
        regs[k.W_LEFT], regs[k.W_ROW_START] = k.NOT_BEGUN, -1
        regs[k.W_CARRY] = self.above.carry if self.above else navigator.first_carry
        regs[k.W_WIDTH] = self.above.width if self.above else self.width
        regs[k.W_DEPENDS] = self.is_exact
        regs[k.W_LIMIT] = self.limit
        regs[k.W_SELECTS] = selects
        regs[k.W_SKIPS] = program.task.schema.dialect.blank_rows == "skip"
        size = max(64, 2 * len(runs))
        ends = backend.signed([end for end, _ in runs] + [0] * size)
        ids = backend.signed([above for _, above in runs] + [0] * size)
        self.vectors = [ends, ids, backend.zeros(len(ends)), backend.zeros(len(ends))]
        regs[k.W_RUNS] = len(runs)
        self.used = backend.small(len(navigator.steps.rights))
        finds = len(navigator.finds)
        self.last_rows, self.firsts = backend.zeros(finds), backend.zeros(3 * finds)
        room = (1 << 16) if selects else self.limit + 2 * k.MAX_FINDS
        self.buffer = backend.zeros(room * k.RECORD_SIZE)

    @property
    def row(self) -> int:
        """Rows that have ended."""
        return int(self.regs[k.W_ROW]) - (BEYOND if self.above else 0)

    @property
    def count(self) -> int:
        """Violations so far."""
        return int(self.regs[k.W_COUNT])

    @property
    def is_between_rows(self) -> bool:
        """Has the last row ended?"""
        return int(self.regs[k.W_LEFT]) == k.NOT_BEGUN

    def take(self, block: Block) -> None:
        """Walk through the rows of a block, and through the cells of the row that it begins.

        Blank rows at its end wait until it is known that a row follows.
        """
        blanks = self.program.blanks()
        rows, tail = block.without_blank_tail(self.program, blanks, not self.is_between_rows)
        if rows.cells:
            self.flush()
            if not self.has_begun and not self.is_exact:
                widest = self.program.backend.widest
                self.regs[k.W_WIDTH] = widest(rows.row_cells, rows.rows, rows.cells)
            self.walk_rows(rows)
        if tail is not None:
            self.waiting.append(tail)

    def flush(self) -> None:
        """A row follows: the blank rows before it count."""
        waiting, self.waiting = self.waiting, []
        for block in waiting:
            self.walk_rows(block)

    @property
    def has_begun(self) -> bool:
        """Has it met a row, or started below one?"""
        return self.above is not None or self.row > 0 or not self.is_between_rows

    def walk_rows(self, block: Block) -> None:
        """Walk through a block, all of whose rows count."""
        blanks = self.program.blanks()
        regs, navigator, backend = self.regs, self.program.navigator, self.program.backend
        regs[k.W_CELL] = regs[k.W_ROW_IX] = 0
        regs[k.W_BASE] = block.base
        while True:
            steps = navigator.steps
            if len(self.used) < len(steps.rights):
                more = len(steps.rights) - len(self.used)
                self.used = backend.grown(self.used, more, 0)
            status = backend.walk(
                block.letters,
                block.row_cells,
                block.row_starts,
                block.rows,
                block.cells,
                steps.keys,
                steps.entries,
                steps.rights,
                steps.belows,
                steps.flags,
                self.used,
                steps.starts,
                steps.end_events,
                steps.end_carries,
                navigator.row_classes,
                navigator.classes_count,
                steps.event_first,
                steps.event_finds,
                navigator.find_kinds,
                self.last_rows,
                self.firsts,
                *self.vectors,
                blanks,
                *self._steady(),
                regs,
                self.buffer,
            )
            match status:
                case k.WALKED:
                    break
                case k.MISS_CELL:
                    missing = (regs[k.W_MISS_A], regs[k.W_MISS_B], regs[k.W_MISS_C])
                    navigator.fill_cell(*map(int, missing))
                case k.MISS_START:
                    navigator.fill_start(int(regs[k.W_MISS_A]), int(regs[k.W_MISS_B]))
                case k.MISS_END:
                    navigator.fill_end(int(regs[k.W_MISS_A]))
                case k.NEED_RUNS:
                    more = len(self.vectors[0])
                    self.vectors = [backend.grown(vector, more, 0) for vector in self.vectors]
                case k.NEED_RECORDS:
                    self.drain()
                case k.NEED_WIDTH:
                    raise WidthNeeded
        if not self.is_between_rows and int(regs[k.W_ROW_START]) < 0:
            regs[k.W_ROW_START] = block.base + int(block.row_starts[block.rows])

    def _steady(self) -> tuple[Any, ...]:
        """The arrays of the steady states."""
        backend, regs = self.program.backend, self.regs
        letters = len(self.program.table.letters)
        if self.states is not None and letters <= 1 << int(regs[k.W_SHIFT]):
            return self.states
        shift = max(5, (2 * letters - 1).bit_length())
        room = 1 << shift
        count = MAX_STATES if backend.is_compiled else MAX_STATES // 16
        regs[k.W_SHIFT], regs[k.W_STATES], regs[k.W_STATE] = shift, 1, 0
        slots = 2 * count
        self.states = (
            backend.small(count * room),
            backend.filled(slots, -1),
            backend.zeros(slots),
            backend.zeros(count),
            backend.zeros(count),
            backend.filled(count, -1),
        )
        return self.states

    def drain(self) -> None:
        """Take the records out of the kernel's buffer."""
        finds = self.program.navigator.finds
        stored = int(self.regs[k.W_STORED])
        flat = [int(value) for value in self.buffer[: stored * k.RECORD_SIZE]]
        for at in range(0, len(flat), k.RECORD_SIZE):
            row, column, find, entry, start, *first = flat[at : at + k.RECORD_SIZE]
            place = (first[0], first[1])
            self.records.append(Record(row, column, finds[find], entry, start, place))
        self.regs[k.W_STORED] = 0
        self.regs[k.W_LIMIT] = max(0, int(self.regs[k.W_LIMIT]) - stored)

    def boundary(self) -> Boundary:
        """What the last row that has ended hands to the next."""
        ends, ids = self.vectors[2:] if self.regs[k.W_SWAPPED] else self.vectors[:2]
        count = int(self.regs[k.W_RUNS])
        runs = tuple((int(ends[ix]), int(ids[ix])) for ix in range(count))
        done = int(self.regs[k.W_ROW]) >= len(self.program.navigator.row_classes) - 1
        return Boundary(runs, int(self.regs[k.W_CARRY]), int(self.regs[k.W_WIDTH]), done)

    def adopt(self, other: Walk) -> None:
        """Take over a walk that started at this one's boundary, as if it had been this one's."""
        assert other.above is not None
        assert self.is_between_rows
        if self.regs[k.W_DEPENDS] and other.regs[k.W_WIDTH] > self.regs[k.W_WIDTH]:
            raise WidthNeeded
        self.drain()
        other.drain()
        shift = self.row - BEYOND
        finds = self.program.navigator.finds
        mine, theirs = self.regs, other.regs
        extra: list[Record] = []
        before: dict[Find, tuple[int, int]] = {}
        for ix, find in enumerate(finds):
            at = 3 * ix
            if find.kind is Kind.UNIQUE and self.firsts[at]:
                place = (int(self.firsts[at]), int(self.firsts[at + 1]))
                before[find] = place
                if other.firsts[at]:  # the first of theirs is a further one after all
                    row, column, start = (int(other.firsts[at + n]) for n in range(3))
                    extra.append(Record(row + shift, column, find, 0, start, place))
                continue
            if other.firsts[at]:
                self.firsts[at] = other.firsts[at] + shift
                self.firsts[at + 1], self.firsts[at + 2] = (
                    other.firsts[at + 1],
                    other.firsts[at + 2],
                )
        for ix in range(len(finds)):
            if other.last_rows[ix]:
                self.last_rows[ix] = other.last_rows[ix] + shift
        theirs_moved = [
            replace(
                record,
                row=record.row + shift,
                first=before.get(record.find, _moved(record.first, shift)),
            )
            for record in other.records
        ]
        self.records += sorted(extra + theirs_moved, key=lambda r: (r.row, r.column or k.ENDLESS))
        count, limit = self.count + other.count + len(extra), int(mine[k.W_LIMIT])
        depends = int(mine[k.W_DEPENDS])
        row = int(theirs[k.W_ROW]) + shift
        self.regs = other.regs
        self.regs[k.W_ROW], self.regs[k.W_COUNT] = row, count
        self.regs[k.W_LIMIT] = max(0, limit - len(extra) - len(theirs_moved))
        self.regs[k.W_DEPENDS] |= depends
        self.regs[k.W_LAST_ROW] = 0
        self.vectors, self.waiting, self.states = other.vectors, other.waiting, other.states
        if len(self.used) < len(other.used):
            more = len(other.used) - len(self.used)
            self.used = self.program.backend.grown(self.used, more, 0)
        if isinstance(self.used, list):
            other.used += [0] * (len(self.used) - len(other.used))
            self.used = [max(a, b) for a, b in zip(self.used, other.used, strict=True)]
        else:
            self.used[: len(other.used)] |= other.used


def _moved(place: tuple[int, int], shift: int) -> tuple[int, int]:
    return (place[0] + shift, place[1]) if place[0] else place
