"""Bytes to letters: the scanner at work.

In: the `Machines`, bytes, and the `ScanPoint` to scan from. Out: `Block`s of letters, and the point
that was reached. A scan can go on from there, even in the middle of a row or a character. Three
stretches of the same bytes are scanned at once where that pays.

Invariant: the letters are those of one scan from the first byte, wherever it was interrupted.
"""

from __future__ import annotations

from typing import Any

from sculpt.automata.pair_table import PairArrays
from sculpt.automata.scanner import UNCLOSED, Event
from sculpt.engines.machines import Machines
from sculpt.kernels.loops import scan as k
from sculpt.kernels.loops.walking.walk_arrays import Rows
from sculpt.values import field, frozen, mutable, replace

MAX_STOPS = 1_000
"""How often the lanes are resumed together after one of them has needed something rare."""
STRIDE = 64
_SIGN = 1 << 63


@mutable(slots=True)
class Block:
    """The letters of some bytes."""

    letters: Any
    row_cells: Any
    row_starts: Any
    """Where each row begins, counted from `base`; the last entry is for the unfinished row."""
    rows: int
    cells: int
    base: int
    kept: tuple[Any, ...] = ()
    """The arrays to return to `Buffers` when all blocks of a scan have been used."""
    places: Any = None
    """Two numbers per cell: where its text begins and ends in the data; `None` if not noted."""

    def as_rows(self, blanks: Any) -> Rows:
        """The block as the walk reads it."""
        arrays = (self.letters, self.row_cells, self.row_starts, blanks)
        return Rows(*arrays, self.rows, self.cells)

    def without_blank_tail(
        self, machines: Machines, blanks: Any, goes_on: bool
    ) -> tuple[Block, Block | None]:
        """The block without the blank rows at its end, and a block of these if they may not count.

        If a row `goes_on` from the block before, the first row here is only the end of it.
        """
        if machines.task.schema.dialect.blank_rows != "inner":
            return self, None
        blank = machines.backend.blank_tail(
            self.letters, self.row_cells, self.rows, self.cells, blanks
        )
        blank -= goes_on and blank == self.rows and blank > 0
        if blank == 0:
            return self, None
        rows, cells = self.rows - blank, self.cells - blank
        tail = machines.backend.zeros(blank + 1)
        for ix in range(blank):
            tail[ix] = ix + 1
        return (
            replace(self, rows=rows, cells=cells),
            replace(
                self,
                letters=machines.backend.copied(self.letters[cells : self.cells]),
                places=self.copied_places(machines, cells, self.cells),
                row_cells=tail,
                row_starts=machines.backend.copied(self.row_starts[rows : self.rows + 1]),
                rows=blank,
                cells=blank,
            ),
        )

    def copied_places(self, machines: Machines, first: int, last: int) -> Any:
        """A copy of where the texts of some cells begin and end; `None` if not noted."""
        if self.places is None:
            return None
        return machines.backend.copied(self.places[2 * first : 2 * last])


@frozen
class Unfinished:
    """The bytes from somewhere in a scan up to a point, with the texts that go on after it."""

    at: int
    state: int
    """Where the bytes begin, and the state there of the table that finds texts (`Asked`)."""
    cells: int
    """How many cells end in them."""
    before: Unfinished | None
    data: bytes
    """What follows the bytes of `before`."""
    size: int


@frozen
class ScanPoint:
    """A point in a scan: the byte, the state, and the byte at which the current row began."""

    at: int
    state: int
    begun: int
    text: tuple[int, int] | None = field(default=None, compare=False)
    """Where the text of the current cell began and, if it is over, ended; if that is noted."""
    unfinished: Unfinished | None = field(default=None, compare=False)
    """The bytes of the current row so far, if texts are asked about (`decided`)."""


@mutable(slots=True)
class _Lane:
    """A stretch of bytes that is being scanned."""

    machines: Machines
    buffer: Any
    base: int
    point: ScanPoint
    stop: int
    max_rows: int = k.NO_LIMIT
    letters: Any = None
    """The array for the letters, if it is shared with other lanes."""
    offset: int = 0
    """Where this lane's letters begin in the array."""
    regs: Any = field(init=False)
    block: Block = field(init=False)

    def __post_init__(self) -> None:
        buffers, begin = self.machines.buffers, self.point.at - self.base
        backend = self.machines.backend
        room = self.stop - begin + self.machines.table.waiting(self.point.state) + 8
        ends, starts = buffers.numbers(room), buffers.numbers(room)
        kept: tuple[Any, ...] = (ends, starts)
        if self.letters is None:
            self.letters = buffers.letters(room)
            kept = (self.letters, ends, starts)
        self.block = Block(self.letters, ends, starts, 0, 0, self.base, kept)
        if self.machines.table.notes_texts:
            self.block.places = buffers.numbers(2 * room)
            self.block.kept += (self.block.places,)
        begun = self.point.begun
        # Negative if the row, or the cell, began in an earlier block.
        started = [at - self.base for at in (begun, *(self.point.text or (begun, begun)))]
        if backend.is_compiled:
            started = [at % (2 * _SIGN) for at in started]
        row, *text = started
        state, cells = self.point.state, self.offset
        regs = [begin, self.stop, state, cells, 0, row, self.max_rows, *text]
        self.regs = backend.unsigned(regs)

    def arrays(self) -> tuple[Any, ...]:
        """What the kernels write to."""
        return self.regs, self.block.letters, self.block.row_cells, self.block.row_starts

    def run(self, stop: int) -> None:
        """Scan up to a byte."""
        table, regs = self.machines.table, self.regs
        regs[k.STOP] = stop
        while self._scan():
            table.fill(int(regs[k.STATE]), int(self.buffer[int(regs[k.POSITION])]))
        regs[k.STOP] = self.stop

    def _scan(self) -> int:
        table, backend = self.machines.table, self.machines.backend
        tables = (table.table, table.classes, table.backlogs)
        if not table.notes_texts:
            return backend.scan(self.buffer, *tables, *self.arrays())
        noted = (*self.arrays(), self.block.places)
        return backend.scan_texts(self.buffer, *tables, table.notes, self.base, *noted)

    def result(self) -> tuple[Block, ScanPoint]:
        """The letters, and the point that was reached."""
        block, regs, table = self.block, self.regs, self.machines.table
        block.cells, block.rows = int(regs[k.CELLS]) - self.offset, int(regs[k.ROWS])
        if self.offset:
            block.letters = self.letters[self.offset :]
            self.machines.backend.shift_numbers(block.row_cells, block.rows, -self.offset)
        start, *text = (
            at - 2 * _SIGN if at >= _SIGN else at
            for at in (int(regs[each]) for each in (k.ROW_START, k.CELL_BEGIN, k.CELL_END))
        )
        block.row_starts[block.rows] = start
        at, state = int(regs[k.POSITION]), int(regs[k.STATE])
        config = table.config_at(state)
        is_start = config._replace(backlog=b"") == table.scanner.start
        if config.backlog and is_start and len(config.backlog) <= at:
            at, state = at - len(config.backlog), table.start  # read these bytes again instead
            text[0] = at
        place = (self.base + text[0], self.base + text[1]) if table.notes_texts else None
        return block, ScanPoint(self.base + at, state, self.base + start, place)


def scan(
    machines: Machines,
    data: bytes | bytearray,
    base: int,
    point: ScanPoint,
    max_rows: int = k.NO_LIMIT,
) -> tuple[Block, ScanPoint]:
    """The letters of some bytes, from a point on; `data` begins at `base` in the file."""
    buffer = machines.backend.buffer(data)
    lane = _Lane(machines, buffer, base, point, len(data), max_rows)
    lane.run(len(data))
    return lane.result()


def scan_lanes(
    machines: Machines,
    data: bytes | bytearray,
    base: int,
    point: ScanPoint,
    guesses: tuple[int, int],
) -> tuple[tuple[Block, ...], ScanPoint]:
    """The same, from three places at once: at two bytes of `data` a row is assumed to begin.

    If it does not, the rest is scanned again from where the lane before it ended.
    """
    buffer, table = machines.backend.buffer(data), machines.table
    starts = [point, *(ScanPoint(base + at, table.start, base + at) for at in guesses)]
    stops = [*guesses, len(data)]
    waiting = table.waiting(point.state)
    letters = machines.buffers.letters(base + len(data) - point.at + waiting + 8 * len(starts))
    lanes: list[_Lane] = []
    offset = 0
    for start, stop in zip(starts, stops, strict=True):
        lanes.append(_Lane(machines, buffer, base, start, stop, letters=letters, offset=offset))
        offset += base + stop - start.at + table.waiting(start.state) + 8
    if machines.pairs.arrays is not None:
        slow = _run_pairs(machines, buffer, letters, lanes, machines.pairs.arrays)
    else:
        slow = _run_three(machines, buffer, letters, lanes)
    machines.pairs.learn(buffer, guesses[0], slow)
    blocks: list[Block] = []
    reached = point
    for lane, start in zip(lanes, starts, strict=True):
        if start != reached and start.at == reached.at:
            end = row_end(machines, data, base, reached)
            if end is not None:
                blocks.append(end)
                reached = start
        if start != reached:
            machines.hints.has_quoted_line_ends = bool(table.scanner.quote)
            block, reached = scan(machines, data, base, reached)
            return (*blocks, block), reached
        lane.run(lane.stop)
        block, reached = lane.result()
        blocks.append(block)
    blocks[0].kept += (letters,)
    return tuple(blocks), reached


def row_end(
    machines: Machines, data: bytes | bytearray, base: int, point: ScanPoint
) -> Block | None:
    """The end of a row that only the next byte shows, if a scan has stopped at that byte.

    For example, a carriage return ends a row unless a line feed follows. `None` if no row ends.
    """
    at = point.at - base
    if point.state == machines.table.start or at >= len(data):
        return None
    block, after = scan(machines, data[at : at + 1], point.at, point, max_rows=1)
    return block if block.rows == 1 and after.begun == point.at else None


def _run_three(machines: Machines, buffer: Any, letters: Any, lanes: list[_Lane]) -> float:
    """Run three lanes together until one reaches its end; the share of slow pairs counts as 1."""
    table = machines.table
    for _ in range(MAX_STOPS):
        arrays = _arrays_of(lanes)
        machines.backend.scan_three(buffer, table.table, table.classes, letters, *arrays)
        if any(int(lane.regs[k.POSITION]) == lane.stop for lane in lanes):
            break
        for lane in lanes:
            lane.run(min(lane.stop, int(lane.regs[k.POSITION]) + STRIDE))
    return 1.0


def _run_pairs(
    machines: Machines, buffer: Any, letters: Any, lanes: list[_Lane], pairs: PairArrays
) -> float:
    """The same, two bytes at a time; returns the share of pairs that were scanned byte by byte."""
    table = machines.table
    arrays = _arrays_of(lanes)
    begun = int(lanes[0].regs[k.POSITION])
    slow = stops = 0
    while stops < MAX_STOPS:
        for lane in lanes:
            at = int(lane.regs[k.POSITION])
            lane.run(min(lane.stop, at + (STRIDE if stops else 0) + at % 2))
        if any(int(lane.regs[k.POSITION]) >= lane.stop - 1 for lane in lanes):
            break
        tables = (table.table, table.classes, table.backlogs)
        slow += machines.backend.scan_pairs(buffer, *tables, *pairs, letters, *arrays)
        if any(int(lane.regs[k.POSITION]) >= lane.stop - 1 for lane in lanes):
            break
        stops += 1
        slow += STRIDE // 2
    return 2 * slow / max(1, int(lanes[0].regs[k.POSITION]) - begun)


def _arrays_of(lanes: list[_Lane]) -> list[Any]:
    return [
        array
        for lane in lanes
        for array in (lane.regs, lane.block.row_cells, lane.block.row_starts)
    ]


def finish(machines: Machines, point: ScanPoint) -> Block:
    """The cells and the row that end with the file."""
    backend = machines.backend
    steps = machines.table.finish(point.state)
    room = len(steps) + 8
    block = Block(backend.small(room), backend.zeros(room), backend.zeros(room), 0, 0, point.at)
    if machines.table.notes_texts:
        block.places = backend.zeros(2 * room)
    start = point.begun - point.at
    begin, end = point.text or (point.begun, point.at)
    machines.hints.open_row = None
    for step, letter in steps:
        waiting = len(step.config.backlog)
        if step.event is not Event.LINE:
            block.letters[block.cells] = letter
            if step.opened >= 0:
                begin = point.at - step.opened
            if not step.text_had_ended:
                end = point.at - waiting - step.gap
            if block.places is not None:
                block.places[2 * block.cells] = begin
                block.places[2 * block.cells + 1] = end
            block.cells += 1
            if machines.table.letters[letter].flags & UNCLOSED:
                machines.hints.open_row = point.begun
        if step.event is Event.ROW:
            block.row_cells[block.rows], block.row_starts[block.rows] = block.cells, start
            block.rows += 1
            start = 0
        begin = point.at - step.begun
        end = point.at - step.ended if step.ended >= 0 else end
    block.row_starts[block.rows] = start
    return block
