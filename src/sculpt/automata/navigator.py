"""The steps of the cell machine, computed as data needs them and remembered in arrays.

In: a `CellMachine`, the letters of a `ScanTable`. Out: a `Navigator`: the arrays that the kernel
`walk` follows, and the way back from their numbers to states, for the text of a violation.

Invariant: `steps` is a consistent set of arrays at any moment: whatever number a kernel reads from
one array is valid in the others. So threads share them without a lock. Cost: one step of the
machine per entry; real schemas need a few hundred entries. Beyond `MAX_ENTRIES` the entries can be
forgotten, so that rules whose states multiply cost one step per cell but no more memory.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator, Sequence
from typing import Any

from sculpt.automata.cell_machine import Above, CellMachine, Kind, Left, Notice, Taken
from sculpt.automata.nfa import NONE, States
from sculpt.automata.scanner import TEXT, Letter
from sculpt.kernels.backend import Backend
from sculpt.kernels.loops.walking.steady import class_of_row
from sculpt.kernels.loops.walking.walk_arrays import (
    ENDLESS,
    F_COUNTED,
    F_EVENT,
    F_LOUD,
    WARNS,
    Steps,
)

MAX_ENTRIES = 50_000
"""More than tables with thousands of columns need."""
_FIRST_SLOTS = 1 << 10


class TooManyStepsError(Exception):
    """These rules together need too many states on this data; fewer rules may not."""


class Navigator:
    """The lazily determinised cell machine."""

    def __init__(self, machine: CellMachine, letters: list[Letter], backend: Backend) -> None:
        self.machine = machine
        self.letters = letters
        self.backend = backend
        self._lock = threading.RLock()
        numbers = machine.row_numbers
        self.named_rows: Any = backend.signed(numbers or [0])
        self.classes_count = len(self.named_rows) + 1
        self.notices = machine.all_notices()
        self.uniques = [ix for ix, notice in enumerate(self.notices) if notice.kind is Kind.UNIQUE]
        """The numbers of the notices of `unique`."""
        self._notice_ids = {notice: ix for ix, notice in enumerate(self.notices)}
        self.warned = frozenset(filter(machine.is_warning, self.notices))
        """The notices whose violations are warnings."""
        self.notice_kinds: Any = backend.signed(map(self.kind_of, self.notices))
        self._begin()

    def kind_of(self, notice: Notice) -> int:
        """The kind of a notice, as kernels read it."""
        return int(notice.kind) + WARNS * (notice in self.warned)

    def _begin(self) -> None:
        """Start with no known steps."""
        self.lefts: list[Left] = []
        self.aboves: list[Above] = []
        self.taken: list[Taken] = []
        self.entry_keys: list[int] = []
        self._entry_of: dict[int, int] = {}
        self._rights: list[int] = []
        self._twins: dict[tuple[object, ...], int] = {}
        self._has_moved = False
        """Has an array been replaced since `steps` was set?"""
        self.carries: list[tuple[States | None, ...]] = []
        self._left_ids: dict[Left, int] = {}
        self._above_ids: dict[Above, int] = {}
        self._carry_ids: dict[tuple[States | None, ...], int] = {}
        self._events: dict[tuple[Notice, ...], int] = {(): 0}
        filled = self.backend.filled
        self.keys: Any = filled(_FIRST_SLOTS, -1)
        self.entries: Any = filled(_FIRST_SLOTS, -1)
        self.rights: Any = filled(_FIRST_SLOTS, 0)
        self.belows: Any = filled(_FIRST_SLOTS, 0)
        self.flags: Any = filled(_FIRST_SLOTS, 0)
        self.twins: Any = filled(_FIRST_SLOTS, 0)
        self.starts: Any = filled(self.classes_count * 16, -1)
        self.end_events: Any = filled(_FIRST_SLOTS, -1)
        self.end_carries: Any = filled(_FIRST_SLOTS, -1)
        self.event_first: Any = filled(2, 0)
        self.event_notices: Any = filled(1, 0)
        self.first_carry = self.carry_id(self.machine.first_regions)
        self.steps = self._steps()

    def _steps(self) -> Steps:
        return Steps(
            self.keys,
            self.entries,
            self.rights,
            self.belows,
            self.flags,
            self.twins,
            self.starts,
            self.end_events,
            self.end_carries,
            self.event_first,
            self.event_notices,
            self.named_rows,
        )

    @contextlib.contextmanager
    def _changing(self) -> Iterator[None]:
        """One change at a time. What kernels may be reading stays consistent.

        New numbers are written in place, after the entries that they point to. If an array that
        they point into had to be replaced by a larger one, kernels that hold the old one must not
        see the new numbers: then the arrays that hold these numbers are replaced too.
        """
        with self._lock:
            yield
            if self._has_moved:
                self.steps, self._has_moved = self._steps(), False

    def _grow(self, value: int, *names: str) -> None:
        """Replace arrays by copies of twice the length."""
        self._has_moved = True
        for name in names:
            array = getattr(self, name)
            setattr(self, name, self.backend.grown(array, len(array), value))

    def _detach(self) -> None:
        """If an array has been replaced, copy those that point into it before they are written."""
        if self._has_moved:
            for name in ("keys", "entries", "starts", "end_events", "end_carries"):
                if getattr(self, name) is getattr(self.steps, name):
                    setattr(self, name, self.backend.grown(getattr(self, name), 0, 0))

    # ------------------------------------------------------------- numbers for states

    def left_id(self, left: Left) -> int:
        """The number of what comes from the left."""
        found = self._left_ids.get(left)
        if found is None:
            found = self._left_ids[left] = len(self.lefts)
            self.lefts.append(left)
            if found >= len(self.end_events):
                self._grow(-1, "end_events", "end_carries")
        return found

    def above_id(self, above: Above) -> int:
        """The number of what comes from above."""
        found = self._above_ids.get(above)
        if found is None:
            found = self._above_ids[above] = len(self.aboves)
            self.aboves.append(above)
        return found

    def carry_id(self, regions: tuple[States | None, ...]) -> int:
        """The number of what one row hands to the next besides the vector."""
        found = self._carry_ids.get(regions)
        if found is None:
            found = self._carry_ids[regions] = len(self.carries)
            self.carries.append(regions)
            if (found + 1) * self.classes_count > len(self.starts):
                self._grow(-1, "starts")
        return found

    def edge_ids(
        self, aboves: Sequence[Above], regions: tuple[States | None, ...]
    ) -> tuple[list[int], int]:
        """The numbers of an edge: of what comes from above, and of what a row hands to the next."""
        with self._changing():
            found = [self.above_id(above) for above in aboves], self.carry_id(regions)
            self._detach()
            return found

    def event_id(self, notices: tuple[Notice, ...]) -> int:
        """The number of an event: the notices of one step; 0 if there are none."""
        known = self._events.get(notices)
        if known is None:
            known = self._events[notices] = len(self._events)
            self._has_moved = True
            ids = [int(each) for each in self.event_notices[: int(self.event_first[-1])]]
            added = [self._notice_ids[notice] for notice in notices]
            self.event_notices = self.backend.signed([*ids, *added, 0])
            firsts = [int(first) for first in self.event_first]
            self.event_first = self.backend.signed([*firsts, firsts[-1] + len(notices)])
        return known

    # ------------------------------------------------------------- misses

    def fill_cell(self, left: int, above: int, letter: int) -> int:
        """Compute the step of a cell; return the number of what goes right."""
        with self._changing():
            key = (left << 40) | (above << 20) | letter
            known = self._entry_of.get(key)
            if known is not None:
                return self._rights[known]
            taken = self.machine.step(self.lefts[left], self.aboves[above], self.letters[letter])
            entry = len(self.taken)
            if entry >= len(self.rights):
                self._grow(0, "rights", "belows", "flags", "twins")
            right = self.left_id(taken.right)
            self.rights[entry] = right
            self.belows[entry] = self.above_id(taken.below)
            flags = F_LOUD * taken.is_loud + F_COUNTED * taken.is_counted
            self.flags[entry] = (self.event_id(taken.found) << F_EVENT) + flags
            self.twins[entry] = self._twins.setdefault(self._role(entry, taken, letter), entry)
            self.taken.append(taken)
            self._rights.append(right)
            self._detach()
            self._entry_of[key] = entry
            self.entry_keys.append(key)
            if 2 * entry >= len(self.keys):
                self._rehash()
            else:
                self.backend.insert_entry(self.keys, self.entries, key, entry)
            return right

    def _role(self, entry: int, taken: Taken, letter: int) -> tuple[object, ...]:
        """All that an entry does, and all that is counted of its cells."""
        met = self.letters[letter]
        arrays = (self.rights, self.belows, self.flags)
        numbers = (int(array[entry]) for array in arrays)
        return (*numbers, taken.selected, taken.counted, met.flags & TEXT, met.is_padded)

    @property
    def is_full(self) -> bool:
        """Are there too many steps?"""
        return len(self.taken) >= MAX_ENTRIES

    def forget(
        self, lefts: list[int], aboves: list[int], carry: int
    ) -> tuple[list[int], list[int], int]:
        """Forget all steps; return the new numbers of the given states."""
        kept_lefts = [self.lefts[each] for each in lefts]
        kept_aboves = [self.aboves[each] for each in aboves]
        regions = self.carries[carry]
        with self._changing():
            self._begin()
            left_ids = [self.left_id(each) for each in self.machine.forget_words(kept_lefts)]
            return left_ids, [self.above_id(each) for each in kept_aboves], self.carry_id(regions)

    def states_before(self, notice: Notice, entry: int) -> States:
        """The states of a rule's word before a notice.

        `entry` is that of the step of its cell; at the end of a row, -1 minus the number of what
        comes from the left.
        """
        machine = self.machine
        if notice.what not in ("row-content", "region-content", "column-content"):
            return NONE
        start = machine.contents[notice.subject].start
        key = self.entry_keys[entry] if entry >= 0 else (-1 - entry) << 40
        left, above = self.lefts[key >> 40], self.aboves[(key >> 20) & 0xFFFFF]
        match notice.what:
            case "region-content":
                return left.regions[machine.regions.index(notice.subject)] or start
            case "column-content":
                return dict(above.words).get(notice.subject) or start
        found = machine.words.find(left.words, notice.subject)
        return start if found is None else found

    def is_known(self, left: int, above: int, letter: int) -> bool:
        """Has the step of a cell been computed?"""
        return (left << 40) | (above << 20) | letter in self._entry_of

    def _rehash(self) -> None:
        size = 2 * len(self.keys)
        keys, entries = self.backend.filled(size, -1), self.backend.filled(size, -1)
        self.backend.insert_all(
            keys, entries, self.backend.signed(self.entry_keys), len(self.entry_keys)
        )
        self.keys, self.entries, self._has_moved = keys, entries, True

    def fill_start(self, carry: int, row: int) -> None:
        """Compute what comes from the left to the first cell of a row."""
        with self._changing():
            row_class = int(class_of_row(self.named_rows, row))
            named = row if row_class else 0
            left = self.left_id(self.machine.row_start(named, self.carries[carry]))
            self._detach()
            self.starts[carry * self.classes_count + row_class] = left

    def fill_end(self, left: int) -> None:
        """Compute the event of the end of a row, and what the row hands on."""
        with self._changing():
            state = self.lefts[left]
            carry, event = self.carry_id(state.regions), self.event_id(self.machine.row_end(state))
            self._detach()
            self.end_carries[left] = carry
            self.end_events[left] = event  # the kernel looks here first

    def first_vector(self) -> list[tuple[int, int]]:
        """The runs above the first row: only one, unless selectors name columns."""
        with self._lock:
            runs: list[tuple[int, int]] = []
            at = 0
            plain = self.above_id(self.machine.column_start(0))
            for column in self.machine.column_numbers:
                if column - 1 > at:
                    runs.append((column - 1, plain))
                runs.append((column, self.above_id(self.machine.column_start(column))))
                at = column
            return [*runs, (ENDLESS, plain)]
