"""From bytes to letters: the scanner at work.

In: a `Program`, bytes, and the `Place` at which a scan stands. Out: `Block`s of letters, and the
place that was reached: a scan goes on from there, in the middle of a row or a character if need be.
Three stretches of the same bytes are scanned at once where that pays.

Invariant: the letters are those of one scan from the first byte, wherever it was interrupted.
"""

from __future__ import annotations

from typing import Any

from sculpt.automata.pairs import PairArrays
from sculpt.automata.scanner import UNCLOSED, Event
from sculpt.engines.program import Program
from sculpt.kernels import scan as k
from sculpt.values import field, frozen, mutable, replace

MAX_STOPS = 1_000
"""So often the lanes are run on together after one has needed something rare."""
STRIDE = 64
_SIGN = 1 << 63


@mutable(slots=True)
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


@frozen
class Place:
    """Where a scan stands: the byte, its state, and the byte at which the current row began."""

    at: int
    state: int
    begun: int


@mutable(slots=True)
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
            self.program.backend.shift_numbers(block.row_cells, block.rows, -self.offset)
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
    if program.pairs.arrays is not None:
        slow = _run_pairs(program, buffer, letters, lanes, program.pairs.arrays)
    else:
        slow = _run_three(program, buffer, letters, lanes)
    program.pairs.learn(buffer, guesses[0], slow)
    blocks: list[Block] = []
    reached = place
    for lane, start in zip(lanes, starts, strict=True):
        if start != reached and start.at == reached.at:
            end = row_end(program, data, base, reached)
            if end is not None:
                blocks.append(end)
                reached = start
        if start != reached:
            program.hints.has_quoted_line_ends = bool(table.scanner.quote)
            block, reached = scan(program, data, base, reached)
            return (*blocks, block), reached
        lane.run(lane.stop)
        block, reached = lane.result()
        blocks.append(block)
    blocks[0].kept += (letters,)
    return tuple(blocks), reached


def row_end(program: Program, data: bytes | bytearray, base: int, place: Place) -> Block | None:
    """The end of a row that shows only by the byte behind it, where a scan stands at that byte.

    So it is behind a carriage return, unless a line feed follows. `None` if no row ends here.
    """
    at = place.at - base
    if place.state == program.table.start or at >= len(data):
        return None
    block, behind = scan(program, data[at : at + 1], place.at, place, max_rows=1)
    return block if block.rows == 1 and behind.begun == place.at else None


def _run_three(program: Program, buffer: Any, letters: Any, lanes: list[_Lane]) -> float:
    """Run three lanes together until one is at its end; all of it counts as slow."""
    table = program.table
    for _ in range(MAX_STOPS):
        arrays = _arrays_of(lanes)
        program.backend.scan_three(buffer, table.table, table.classes, letters, *arrays)
        if any(int(lane.regs[k.POSITION]) == lane.stop for lane in lanes):
            break
        for lane in lanes:
            lane.run(min(lane.stop, int(lane.regs[k.POSITION]) + STRIDE))
    return 1.0


def _run_pairs(
    program: Program, buffer: Any, letters: Any, lanes: list[_Lane], pairs: PairArrays
) -> float:
    """The same, two bytes at a time; the share of pairs that had to be scanned byte by byte."""
    table = program.table
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
        slow += program.backend.scan_pairs(buffer, *tables, *pairs, letters, *arrays)
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


def finish(program: Program, place: Place) -> Block:
    """What ends with the file."""
    backend = program.backend
    block = Block(backend.small(8), backend.zeros(8), backend.zeros(8), 0, 0, place.at)
    start = place.begun - place.at
    program.hints.open_row = None
    for event, letter in program.table.finish(place.state):
        if event is not Event.LINE:
            block.letters[block.cells] = letter
            block.cells += 1
            if program.table.letters[letter].flags & UNCLOSED:
                program.hints.open_row = place.begun
        if event is Event.ROW:
            block.row_cells[block.rows], block.row_starts[block.rows] = block.cells, start
            block.rows += 1
            start = 0
    block.row_starts[block.rows] = start
    return block
