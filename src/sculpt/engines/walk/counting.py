"""What one walk counts: the arrays that the kernel writes, and their sums.

In: the registers of a walk, and the steps that it takes. Out: its `Tallies`, what it has `Met`, the
first unchecked cells, and where its violations are. The places of violations are logged, and
counted in a `HeatMap` when the log is full; but a walk that does not know how many rows are above
it must keep them until it does (`place_below`). Invariant: all counts are complete whenever the
kernel has returned. Memory: some numbers for each step, and the log.
"""

from __future__ import annotations

from typing import Any

from sculpt.engines.machines import Machines
from sculpt.engines.walk.heat import HeatMap
from sculpt.engines.walk.tallies import Met, Tallies, met_in, tallied
from sculpt.kernels.loops.walking import walk_arrays as k
from sculpt.values import field, frozen, mutable

LOG_ROOM = 1 << 12
"""Room for the places of this many violations."""


@frozen
class Place:
    """The place of an unchecked cell."""

    row: int
    column: int
    start: int
    """Where the row begins in the file."""
    text: str | None = None
    """The beginning of the cell's text, if it has been read."""


@mutable
class Counting:
    """The counts of a walk."""

    machines: Machines
    regs: Any
    """The registers of the walk."""
    shift: int
    """What is in them as the number of the row before the first."""
    rows_above: int | None
    """The rows above the first, if known."""
    is_on: bool
    """Count all that the task asks for? If not, only which steps were taken."""
    unchecked_limit: int
    """How many unchecked cells to keep."""
    log_limit: int | None
    """How many places to keep at most while the rows above are not known; `None` for all."""
    heat: HeatMap | None = field(init=False, default=None)
    before: tuple[Met, Tallies | None] = field(init=False, default=(Met(), None))
    """What was met and counted before steps were forgotten."""

    def __post_init__(self) -> None:
        backend, regs = self.machines.backend, self.regs
        regs[k.W_LOGS] = self.is_on
        regs[k.W_UNCHECKED] = wanted = self.unchecked_limit if self.is_on else 0
        notices = len(self.machines.navigator.notices)
        room = LOG_ROOM if backend.is_compiled else LOG_ROOM // 16
        self.counts, self.beyond, self.ends = (backend.zeros(1) for _ in range(3))
        self.found = backend.zeros(notices)
        self.unchecked = backend.zeros(max(1, k.UNCHECKED_SIZE * wanted))
        self.log = backend.zeros(2 * (room + notices) if self.is_on else 1)
        if self.is_on and self.rows_above is not None:
            self.heat = HeatMap(backend)

    def arrays(self, steps: k.Steps) -> tuple[Any, ...]:
        """The arrays of the ledger that count, with room for all steps."""
        entries = len(steps.rights)
        self.counts = self._grown(self.counts, entries)
        self.beyond = self._grown(self.beyond, 2 * entries)
        self.ends = self._grown(self.ends, len(steps.end_events))
        return self.counts, self.beyond, self.ends, self.found, self.unchecked, self.log

    def _grown(self, numbers: Any, size: int) -> Any:
        more = size - len(numbers)
        return self.machines.backend.grown(numbers, more, 0) if more > 0 else numbers

    def add(self, before: Counting) -> None:
        """Add the counts of a walk that ended where this one began; its places stay its own."""
        for name in ("counts", "beyond", "ends", "found"):
            more = getattr(before, name)
            sums = self._grown(getattr(self, name), len(more))
            self.machines.backend.add_numbers(sums, more)
            setattr(self, name, sums)

    def forget(self) -> None:
        """Keep the sums: the steps will be forgotten."""
        self.before = self.met(), self.tallies()
        zeros = self.machines.backend.zeros
        self.counts, self.beyond, self.ends = (zeros(1) for _ in range(3))
        self.found = zeros(len(self.found))

    # ------------------------------------------------------------- sums

    def met(self) -> Met:
        """What cells have met."""
        return self.before[0].joined(met_in(self.machines.navigator, self.counts))

    def tallies(self) -> Tallies | None:
        """What has been counted, if that was asked for."""
        if not self.is_on:
            return None
        arrays = (self.counts, self.beyond, self.ends, self.found)
        found = tallied(self.machines.navigator, *arrays)
        return found if self.before[1] is None else self.before[1].plus(found)

    def unchecked_cells(self) -> tuple[Place, ...]:
        """The first unchecked cells; rows count as in `logged`."""
        stored = self.unchecked_limit - int(self.regs[k.W_UNCHECKED]) if self.is_on else 0
        flat = [int(value) for value in self.unchecked[: k.UNCHECKED_SIZE * stored]]
        cells = (flat[at : at + 3] for at in range(0, len(flat), k.UNCHECKED_SIZE))
        return tuple(Place(row - self.shift, column, start) for row, column, start in cells)

    # ------------------------------------------------------------- places

    def empty_log(self) -> None:
        """Make room for the places of violations."""
        regs, logged = self.regs, int(self.regs[k.W_LOGGED])
        if self.heat is not None:
            assert self.rows_above is not None
            self.heat.add_places(self.log, logged, self.rows_above - self.shift)
            regs[k.W_LOGGED] = 0
        elif self.log_limit is not None and logged >= self.log_limit:
            regs[k.W_LOGS] = 0
        else:
            self.log = self._grown(self.log, 2 * len(self.log))

    def place_below(self, rows: int, heat: HeatMap) -> None:
        """Say how many rows are above the first, and where violations are counted by place."""
        if self.is_on:
            self.rows_above, self.heat = rows, heat
            self.empty_log()

    def logged(self) -> tuple[int, ...] | None:
        """Row and column of all violations; rows count from the first of this walk.

        `None` if there are too many. Once the rows above are known, they are in `heat` instead.
        """
        if not self.regs[k.W_LOGS] and self.is_on:
            return None
        flat = [int(value) for value in self.log[: 2 * int(self.regs[k.W_LOGGED])]]
        flat[::2] = [row - self.shift for row in flat[::2]]
        return tuple(flat)
