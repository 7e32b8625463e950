"""Letters to hits: runs the cell machine over the rows of a table.

In: `Block`s of letters, in order. Out: a `Walk` through them, with its hits and the `Boundary`
below its last row. A walk can stop in the middle of a row and continue with the next block, so it
only keeps what one row hands to the next: its memory grows neither with the file nor with the
length of a row.

A walk assumes some width of the table, and remembers if a row would have ended differently in a
wider table. If a wider row follows such a row, the walk stops with `WidthNeededError`: the width
must be measured first, and the run starts again. If no row depends on the width, it simply grows.
"""

from __future__ import annotations

from typing import Any

from sculpt.automata.cell_machine import Above, Notice
from sculpt.automata.navigator import TooManyStepsError
from sculpt.automata.nfa import States
from sculpt.engines.machines import Machines
from sculpt.engines.scan.blocks import Block
from sculpt.engines.walk.counting import Counting, Place
from sculpt.engines.walk.tallies import Met, Tallies
from sculpt.kernels.loops.scan import NO_LIMIT
from sculpt.kernels.loops.walking import walk_arrays as k
from sculpt.values import field, frozen, mutable
from sculpt.verdict import MAX_UNCHECKED, Heat, Verdict

BEYOND = 1 << 40
"""The first row number of a walk that does not know its own: no selector names it."""
MAX_ROOM = 1 << 16
"""Room for this many hits; if more are wanted, the room is emptied during the walk."""
MAX_STATES = 1 << 13
"""Steady states: enough for thousands of columns."""
MAX_STRAYS = 1 << 14
"""Cells of a row times letters, for which rows are compared in the fastest way."""
MIN_SHIFT = 4
"""Twice as many letters as the steady states know at first, as a power of two."""


class WidthNeededError(Exception):
    """The width of the table must be known before the run."""


@frozen
class Hit:
    """A notice, with its place."""

    row: int
    column: int
    """0 at the end of a row."""
    notice: Notice
    states: States
    """The states of the rule's word before the place, if the notice is of a rule."""
    start: int
    """Where the row begins in the file."""
    first: tuple[int, int]


@frozen
class Boundary:
    """What a row hands to the next: all that a walk needs to continue below it."""

    runs: tuple[tuple[int, int], ...]
    """The vector: runs of columns (end, what comes down)."""
    carry: int
    width: int
    named_rows_done: bool
    """Is there no selector that names a row further down?"""


@frozen
class Edge:
    """A boundary as plain values: the same in every process that runs the same schema."""

    runs: tuple[tuple[int, Above], ...]
    carry: tuple[States | None, ...]
    width: int

    def within(self, width: int) -> tuple[tuple[int, Above], ...]:
        """The vector of a table of this width: what is beyond it no longer matters."""
        runs: list[tuple[int, Above]] = []
        for end, above in self.runs:
            if not runs or runs[-1][0] < width:
                runs.append((min(end, width), above))
        return tuple(runs)

    def boundary(self, machines: Machines) -> Boundary:
        """The boundary, in the numbers of some machines."""
        navigator = machines.navigator
        aboves, carry = navigator.edge_ids([above for _, above in self.runs], self.carry)
        runs = tuple((end, above) for (end, _), above in zip(self.runs, aboves, strict=True))
        return Boundary(runs, carry, self.width, True)


@frozen
class WalkResult:
    """The result of a walk through a whole table."""

    rows: int
    width: int
    count: int
    """Violations; `hits` has the first errors and the first warnings of them."""
    hits: list[Hit]
    edge: Edge
    """The edge below the last row."""
    met: Met = Met()
    open_row: int | None = None
    """Where the last row begins, if a quote in it never closes."""
    tallies: Tallies | None = None
    """What was counted, if the task asks for it."""
    unchecked: tuple[Place, ...] = ()
    """The first unchecked cells."""
    heat: Heat = Heat()
    """Where the violations are, except those that show at the end of the table."""
    warned: int = 0
    """How many of the violations are warnings."""

    def rowless(self, verdict: Verdict) -> tuple[bool, bool]:
        """Does an error of the verdict name no row? Does any violation?"""
        return verdict.violation_count > self.count - self.warned, verdict.found > self.count


@mutable
class Walk:
    """The walk through a table, block by block."""

    machines: Machines
    limit: int
    """How many hits of errors to keep, and how many of warnings."""
    width: int = 0
    above: Boundary | None = None
    """Where it starts, if not at the first row."""
    is_exact: bool = False
    """Has the width been measured, so that no row is wider?"""
    before: int | None = None
    """The number of rows above `above`, if known."""
    keeps_all: bool = False
    """Keep every hit; `drain` must be called now and then."""
    ignored: frozenset[str] = frozenset()
    """The kinds of notices to ignore, by `Notice.what`."""
    tallies: bool = False
    """Count what the task asks for; other walks only find out something on the way."""
    unchecked_limit: int = MAX_UNCHECKED
    """How many unchecked cells to keep."""
    log_limit: int | None = None
    """How many places of violations to keep until the rows above are known; `None` for all."""
    regs: Any = field(init=False)
    vectors: k.Vectors = field(init=False)
    hits: list[Hit] = field(init=False, default_factory=list)
    counting: Counting = field(init=False)
    steady: k.Steady | None = field(init=False, default=None)
    waiting: list[Block] = field(init=False, default_factory=list)
    """Blank rows that count only if a row follows."""

    def __post_init__(self) -> None:
        machines, backend = self.machines, self.machines.backend
        navigator = machines.navigator
        selects = bool(machines.task.targets and "selected" not in self.ignored)
        keeps = self.keeps_all or selects or self.limit > MAX_ROOM
        runs = self.above.runs if self.above else tuple(navigator.first_vector())
        regs = self.regs = backend.zeros(k.WALK_SIZE)
        self.shift = 0 if self.above is None else BEYOND if self.before is None else self.before
        regs[k.W_ROW] = self.shift
        regs[k.W_LEFT], regs[k.W_ROW_START] = k.NOT_BEGUN, -1
        regs[k.W_CARRY] = self.above.carry if self.above else navigator.first_carry
        regs[k.W_WIDTH] = self.above.width if self.above else self.width
        regs[k.W_DEPENDS] = self.is_exact
        regs[k.W_LIMIT] = NO_LIMIT if self.keeps_all else min(self.limit, NO_LIMIT)
        regs[k.W_WARN_LIMIT] = regs[k.W_LIMIT] if navigator.warned else 0
        regs[k.W_KEEPS] = keeps
        regs[k.W_SKIPS] = machines.task.schema.dialect.blank_rows == "skip"
        size = max(64, 2 * len(runs))
        ends = backend.signed([end for end, _ in runs] + [0] * size)
        ids = backend.signed([above for _, above in runs] + [0] * size)
        self.vectors = k.Vectors(ends, ids, backend.zeros(len(ends)), backend.zeros(len(ends)))
        regs[k.W_RUNS] = len(runs)
        notices = len(navigator.notices)
        is_on, limit = self.tallies and machines.task.tallies, self.unchecked_limit
        rows_above = self.before if self.above else 0
        facts = (self.shift, rows_above, is_on, limit, self.log_limit)
        self.counting = Counting(machines, regs, *facts)
        self.kinds = navigator.notice_kinds
        if self.ignored:
            kinds = [
                k.IGNORED if each.what in self.ignored else navigator.kind_of(each)
                for each in navigator.notices
            ]
            self.kinds = backend.signed(kinds)
        self.last_rows, self.firsts = backend.zeros(notices), backend.zeros(3 * notices)
        limits = self.limit * (2 if navigator.warned else 1)
        room = max(MAX_ROOM, 4 * notices) if keeps else limits + 4 * k.MAX_NOTICES
        self.buffer = backend.zeros(room * k.HIT_SIZE)

    def fix_width(self, width: int) -> None:
        """Set the width of the table; the caller ensures that no row is wider."""
        self.width, self.is_exact = width, True
        self.regs[k.W_WIDTH], self.regs[k.W_DEPENDS] = width, True

    @property
    def row(self) -> int:
        """Rows that have ended."""
        return int(self.regs[k.W_ROW]) - self.shift

    @property
    def count(self) -> int:
        """Violations so far."""
        return int(self.regs[k.W_COUNT])

    @property
    def warned(self) -> int:
        """Those of them that are warnings."""
        return int(self.regs[k.W_WARNED])

    @property
    def depends(self) -> bool:
        """Would some row have ended differently if the table were wider?"""
        return bool(self.regs[k.W_DEPENDS])

    @property
    def table_width(self) -> int:
        """The width of the table so far."""
        return int(self.regs[k.W_WIDTH])

    @property
    def is_between_rows(self) -> bool:
        """Has the last row ended?"""
        return int(self.regs[k.W_LEFT]) == k.NOT_BEGUN

    def take(self, block: Block) -> None:
        """Walk through the rows of a block, including the cells of a row that does not end in it.

        Blank rows at its end wait until another row follows.
        """
        blanks = self.machines.blanks()
        rows, tail = block.without_blank_tail(self.machines, blanks, not self.is_between_rows)
        if rows.cells:
            self.flush()
            if not self.has_begun and not self.is_exact:
                widest = self.machines.backend.widest
                self.regs[k.W_WIDTH] = widest(rows.row_cells, rows.rows, rows.cells)
            self.walk_rows(rows)
        if tail is not None:
            self.waiting.append(tail)

    def flush(self) -> None:
        """Walk through the waiting blank rows, because a row follows."""
        waiting, self.waiting = self.waiting, []
        for block in waiting:
            self.walk_rows(block)

    @property
    def has_begun(self) -> bool:
        """Has the walk seen a row, or did it start below one?"""
        return self.above is not None or self.row > 0 or not self.is_between_rows

    def walk_rows(self, block: Block) -> None:
        """Walk through a block, all of whose rows count."""
        regs, navigator, backend = self.regs, self.machines.navigator, self.machines.backend
        regs[k.W_CELL] = regs[k.W_ROW_IX] = 0
        regs[k.W_BASE] = block.base
        rows = block.as_rows(self.machines.blanks())
        while True:
            steps = navigator.steps
            counting = self.counting.arrays(steps)
            ledger = k.Ledger(self.kinds, self.last_rows, self.firsts, self.buffer, *counting)
            status = backend.walk(rows, steps, ledger, self.vectors, self._steady(), regs)
            match status:
                case k.WALKED:
                    break
                case k.MISS_CELL:
                    self._fill_cells(block)
                case k.MISS_START:
                    navigator.fill_start(int(regs[k.W_MISS_A]), int(regs[k.W_MISS_B]))
                case k.MISS_END:
                    navigator.fill_end(int(regs[k.W_MISS_A]))
                case k.NEED_RUNS:
                    more = len(self.vectors[0])
                    grown = (backend.grown(array, more, 0) for array in self.vectors)
                    self.vectors = k.Vectors(*grown)
                case k.NEED_HITS:
                    self.drain()
                case k.NEED_LOG:
                    self.counting.empty_log()
                case k.NEED_WIDTH:
                    raise WidthNeededError
        if not self.is_between_rows and int(regs[k.W_ROW_START]) < 0:
            regs[k.W_ROW_START] = block.base + int(block.row_starts[block.rows])

    def _fill_cells(self, block: Block) -> None:
        """Compute a missing step, and those right of it in the row until a known one."""
        regs, navigator = self.regs, self.machines.navigator
        left, above, letter = (int(regs[at]) for at in (k.W_MISS_A, k.W_MISS_B, k.W_MISS_C))
        cell, column, run = (int(regs[at]) for at in (k.W_CELL, k.W_COLUMN, k.W_RUN))
        row = int(regs[k.W_ROW_IX])
        stop = int(block.row_cells[row]) if row < block.rows else block.cells
        ends, ids = self._vector()
        while True:
            if navigator.is_full:
                if not self.machines.forgets:
                    raise TooManyStepsError
                self._forget()
                return
            left = navigator.fill_cell(left, above, letter)
            cell, column = cell + 1, column + 1
            if cell >= stop:
                return
            run += column >= ends[run]
            above, letter = int(ids[run]), int(block.letters[cell])
            if navigator.is_known(left, above, letter):
                return

    def _forget(self) -> None:
        """Forget all steps, but keep the state of the walk: for rules that always need new steps.

        So memory is bounded, and a cell costs at most one step. No other walk may share the steps.
        """
        regs, navigator = self.regs, self.machines.navigator
        self.drain()
        self.counting.forget()
        counts = int(regs[k.W_RUNS]), int(regs[k.W_OUT])
        below = self.vectors[:2] if regs[k.W_SWAPPED] else self.vectors[2:]
        numbers = [
            ids[:count] for count, ids in zip(counts, (self._vector()[1], below[1]), strict=True)
        ]
        left = int(regs[k.W_LEFT])
        kept = navigator.forget(
            [] if left == k.NOT_BEGUN else [left],
            [int(number) for ids in numbers for number in ids],
            int(regs[k.W_CARRY]),
        )
        lefts, aboves, regs[k.W_CARRY] = kept
        if lefts:
            regs[k.W_LEFT] = lefts[0]
        self._vector()[1][: counts[0]] = self.machines.backend.signed(aboves[: counts[0]])
        below[1][: counts[1]] = self.machines.backend.signed(aboves[counts[0] :])
        self.steady = None
        regs[k.W_STATE] = 0

    def _vector(self) -> tuple[Any, Any]:
        """The vector above the current row: ends of runs, and numbers."""
        ends, ids = self.vectors[2:] if self.regs[k.W_SWAPPED] else self.vectors[:2]
        return ends, ids

    def _steady(self) -> k.Steady:
        """The arrays of the steady states, with room for the columns and letters seen so far."""
        backend, regs = self.machines.backend, self.regs
        letters, width = len(self.machines.table.letters), int(regs[k.W_WIDTH])
        most = MAX_STATES if backend.is_compiled else MAX_STATES // 16
        count = min(most, 64 << width.bit_length())
        steady, hints = self.steady, self.machines.hints
        first = max(MIN_SHIFT, hints.steady_shift)
        shift, met = first if steady is None else int(regs[k.W_SHIFT]), int(regs[k.W_SHORTS])
        if steady is not None:
            if met + 2 == 1 << shift and shift < k.MAX_SHIFT:
                shift += 2
                hints.steady_shift = max(hints.steady_shift, shift)
            elif len(steady.ends) >= count:
                if len(steady.shorts) < letters:
                    steady = steady._replace(shorts=backend.grown(steady.shorts, letters, 0))
                    self.steady, regs[k.W_STRAYS] = steady, 0
                return steady
        regs[k.W_SHIFT], regs[k.W_STATES], regs[k.W_STATE] = shift, 1, 0
        regs[k.W_SHORTS] = regs[k.W_LEARNT] = regs[k.W_PATH] = regs[k.W_STRAYS] = 0
        self.steady = k.Steady(
            nexts=backend.small(count << shift),
            entries=backend.small(count << shift - 1),
            learnt=backend.small(count << shift - 1),
            shorts=backend.small(2 * letters),
            keys=backend.filled(2 * count, -1),
            values=backend.zeros(2 * count),
            slots=backend.zeros(count),
            lefts=backend.zeros(count),
            ends=backend.filled(count, -1),
            rows=backend.zeros(count),
            path=backend.small(count),
            strays=backend.small(MAX_STRAYS),
        )
        return self.steady

    def drain(self) -> None:
        """Move the hits out of the kernel's buffer."""
        notices = self.machines.navigator.notices
        stored = int(self.regs[k.W_STORED])
        flat = [int(value) for value in self.buffer[: stored * k.HIT_SIZE]]
        for at in range(0, len(flat), k.HIT_SIZE):
            row, column, notice, entry, start, *first = flat[at : at + k.HIT_SIZE]
            place = (first[0], first[1])
            states = self.machines.navigator.states_before(notices[notice], entry)
            self.hits.append(Hit(row, column, notices[notice], states, start, place))
        self.regs[k.W_STORED] = 0

    def taken(self) -> list[Hit]:
        """The hits since the last call; the walk does not keep them."""
        self.drain()
        hits, self.hits = self.hits, []
        return hits

    def boundary(self) -> Boundary:
        """What the last row that has ended hands to the next."""
        ends, ids = self._vector()
        count = int(self.regs[k.W_RUNS])
        runs = tuple((int(ends[ix]), int(ids[ix])) for ix in range(count))
        done = int(self.regs[k.W_ROW]) >= int(self.machines.navigator.named_rows[-1])
        return Boundary(runs, int(self.regs[k.W_CARRY]), int(self.regs[k.W_WIDTH]), done)

    def edge(self) -> Edge:
        """The same as plain values, for other processes."""
        boundary, navigator = self.boundary(), self.machines.navigator
        runs = tuple((end, navigator.aboves[above]) for end, above in boundary.runs)
        return Edge(runs, navigator.carries[boundary.carry], boundary.width)

    def result(self, has_met: bool = True) -> WalkResult:
        """The result when the table has ended.

        Without `has_met`, what was met and counted is left out: another walk will `follow`.
        """
        self.drain()
        rows, edge, counting = self.row, self.edge(), self.counting
        heat = Heat()
        if counting.heat is not None:
            counting.empty_log()
            heat = counting.heat.heat() if has_met else heat
        return WalkResult(
            rows=rows,
            width=edge.width if rows else 0,
            count=self.count,
            hits=self.hits,
            edge=edge,
            met=counting.met() if has_met else Met(),
            open_row=self.machines.hints.open_row,
            tallies=counting.tallies() if has_met else None,
            unchecked=counting.unchecked_cells(),
            heat=heat,
            warned=self.warned,
        )

    def follow(self, before: Walk) -> None:
        """Continue another walk, which ended where this one started.

        If a row of the other walk depends on the width of the table, this walk depends on it too.
        """
        assert self.above is not None
        assert before.is_between_rows
        if before.depends and self.table_width > before.table_width:
            raise WidthNeededError
        self.regs[k.W_DEPENDS] |= before.depends
        self.counting.add(before.counting)


def order_of(hit: Hit) -> tuple[int, int]:
    """Sorts hits in the order of the table; those at the end of a row come after its cells."""
    return hit.row, hit.column or k.ENDLESS
