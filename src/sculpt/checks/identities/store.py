"""Where entries wait until all of them are there: in memory, and beyond a budget on disk.

In: entries in the order of their tables, for several sets. Out: the entries of a partition of a
set, in the same order. Entries are spread over partitions some at a time: that is a *run*, which
threads make of their chunks, or which is made here of entries that wait. Runs lie in *slabs*, so
that a kernel goes through a partition of many runs at once. When all sets together take more memory
than the budget, runs go to a temporary file, those of a slab brought into the order of partitions;
only where each partition begins in it stays in memory.

Invariant: equal entries are in the same partition, whatever the set, and stay in order. The file
has no name as soon as it is open, where the system allows that, so nothing of it is left however
the process ends. Cost: one sort by partition, one write and one read. Memory: the budget, and the
runs that threads are making; disk: 24 bytes an entry, 32 if a part is a list.
"""

from __future__ import annotations

import contextlib
import errno
import os
import tempfile
import threading
from collections.abc import Iterator
from functools import cached_property
from io import FileIO
from typing import TYPE_CHECKING, Any

from sculpt.checks.identities.entries import Entries, Hashing, joined, room_for
from sculpt.checks.identities.table import Stretches, all_of
from sculpt.errors import DataError
from sculpt.kernels.backend import Backend
from sculpt.values import frozen

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, Any]

BITS = 8
PARTITIONS = 1 << BITS
RUN = 1 << 16
"""About how many entries a run has: it is sorted within the cache."""
SLAB = 1 << 20
"""About how many entries a slab has, and how many are read from the file at a time."""
SMALL = 1 << 15
"""Fewer entries than this are one partition."""


@frozen
class Run:
    """Entries sorted by partition; their places lack a number that is the same for all."""

    slab: Entries
    """The arrays that they lie in, with those of other runs."""
    count: int
    offsets: Array
    """Where each partition begins in the slab; one number more for the end."""

    @property
    def entries(self) -> Entries:
        """The entries alone."""
        return self.slab.part(int(self.offsets[0]), int(self.offsets[-1]))


class _Runs:
    """Runs that lie in one slab, one after the other in the order of the table."""

    def __init__(self, slab: Entries) -> None:
        self.slab = slab
        self.count = 0
        self._offsets: list[Array] = []
        self._bases: list[int] = []

    def add(self, run: Run, base: int) -> None:
        """Add the next run."""
        self._offsets.append(run.offsets)
        self._bases.append(base)
        self.count += run.count
        vars(self).pop("_arrays", None)
        vars(self).pop("sizes", None)

    @cached_property
    def _arrays(self) -> tuple[Array, Array]:
        """By partition: where it begins in each run, and a row for the ends; and the bases."""
        import numpy as np

        bounds = np.ascontiguousarray(np.stack(self._offsets, axis=1))
        return bounds, np.array(self._bases, np.int64)

    @cached_property
    def sizes(self) -> Array:
        """By partition: how many entries it has."""
        import numpy as np

        bounds, _ = self._arrays
        return np.diff(bounds.sum(axis=1))

    @property
    def nbytes(self) -> int:
        """The memory that the entries take."""
        return 8 * self.slab.fields * self.count

    def piece(self, number: int) -> Stretches:
        """The entries of a partition."""
        bounds, bases = self._arrays
        count = int(self.sizes[number])
        return Stretches(self.slab, bounds[number], bounds[number + 1], bases, count)

    def merged(self, backend: Backend) -> Array:
        """The entries in the order of partitions."""
        bounds, bases = self._arrays
        found = room_for(self.count, self.slab.has_items)
        facts = (self.slab.fields, bounds.ravel(), bases, len(bounds) - 1)
        backend.merge_runs(self.slab.numbers, *facts, found.numbers)
        return found.numbers


@frozen
class _Spilled:
    """Runs that went to the file."""

    at: int
    has_items: bool
    offsets: Array


class EntrySet:
    """The entries of one side: those that are compared with each other, or with another set."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._waiting: list[Entries] = []
        self._waiting_count = 0
        self._spilled: list[_Spilled] = []
        self._runs: list[_Runs] = []
        self._slab: tuple[Entries, int] | None = None
        """The arrays for the next runs, and how much of them is used."""
        self._reserving = threading.Lock()

    def sorted(self, found: Entries) -> Run:
        """Entries as a run, which is to be added; threads call this."""
        import numpy as np

        store, count = self._store, len(found)
        slab, begin = self._reserved(count, found.has_items)
        offsets = np.zeros(PARTITIONS + 1, np.int64)
        store.backend.spread_entries(
            found.numbers, found.fields, store.hashing.seed, 64 - BITS, np.empty(count, np.uint16),
            offsets, slab.part(begin, begin + count).numbers,
        )  # fmt: skip
        offsets += begin
        return Run(slab, count, offsets)

    def _reserved(self, count: int, has_items: bool) -> tuple[Entries, int]:
        """Memory, and where in it some entries may be written."""
        with self._reserving:
            slab, used = self._slab or (None, 0)
            if slab is None or used + count > len(slab):
                slab, used = room_for(max(count, min(SLAB, self._store.run)), has_items), 0
            self._slab = (slab, used + count)
            return slab, used

    def add(self, entries: Entries) -> None:
        """Add entries that come after all that are there."""
        if not len(entries):
            return
        self._waiting.append(entries)
        self._waiting_count += len(entries)
        self._store.grow(entries.nbytes)
        if self._waiting_count >= min(RUN, self._store.run):
            self.finish()

    def add_run(self, run: Run, base: int) -> None:
        """The same with entries that were sorted; `base` is added to their places."""
        if run.count < SMALL and not self._runs and not self._spilled:
            self.add(run.entries.moved(base))
            return
        self.finish()
        self._take(run, base)
        self._store.grow(run.entries.nbytes)

    @property
    def is_small(self) -> bool:
        """Are all entries one partition?"""
        return not self._runs and not self._spilled and self._waiting_count < SMALL

    def finish(self) -> None:
        """Spread the entries that wait."""
        if self._waiting:
            found, self._waiting, self._waiting_count = joined(self._waiting), [], 0
            self._take(self.sorted(found), 0)

    def _take(self, run: Run, base: int) -> None:
        if not self._runs or self._runs[-1].slab is not run.slab:
            self._runs.append(_Runs(run.slab))
        self._runs[-1].add(run, base)

    def spill(self) -> None:
        """Move all entries to the file."""
        import numpy as np

        self.finish()
        kept, self._runs, self._slab = self._runs, [], None
        for runs in kept:
            offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(runs.sizes)])
            at = self._store.write(runs.merged(self._store.backend))
            self._spilled.append(_Spilled(at, runs.slab.has_items, offsets))
            self._store.shrink(runs.nbytes)

    def whole(self) -> Iterator[Stretches]:
        """All entries, if they are one partition."""
        if self._waiting:
            self._waiting = [joined(self._waiting)]
            yield all_of(self._waiting[0])

    def partition(self, number: int) -> Iterator[Stretches]:
        """The entries of a partition, in order."""
        for spilled in self._spilled:
            first, last = int(spilled.offsets[number]), int(spilled.offsets[number + 1])
            for at in range(first, last, SLAB):
                yield all_of(self._store.read(spilled, at, min(last, at + SLAB)))
        for runs in self._runs:
            yield runs.piece(number)

    def size_of(self, number: int) -> int:
        """How many entries a partition has."""
        spilled = (each.offsets[number + 1] - each.offsets[number] for each in self._spilled)
        return int(sum(spilled)) + int(sum(runs.sizes[number] for runs in self._runs))

    def release(self) -> None:
        """Forget all entries."""
        kept = sum(each.nbytes for each in self._waiting)
        self._store.shrink(kept + sum(runs.nbytes for runs in self._runs))
        self._waiting, self._waiting_count, self._spilled = [], 0, []
        self._runs, self._slab = [], None


class Store:
    """The entries of all sets, and the file that holds what memory may not."""

    def __init__(self, memory: int, hashing: Hashing, backend: Backend) -> None:
        self.hashing, self.backend = hashing, backend
        self._memory, self._used = memory, 0
        self.run = max(1, memory // 160)
        """How many entries a run has at most: three of them fit well into the budget."""
        self._sets: list[EntrySet] = []
        self._file: FileIO | None = None
        self._size = 0
        self._reading = threading.Lock()

    def new_set(self) -> EntrySet:
        """A set without entries."""
        self._sets.append(EntrySet(self))
        return self._sets[-1]

    def grow(self, size: int) -> None:
        """Entries take more memory; beyond the budget, all of them go to the file."""
        self._used += size
        if self._used > self._memory:
            for each in self._sets:
                each.spill()

    def shrink(self, size: int) -> None:
        """Entries take less memory."""
        self._used -= size

    @property
    def spilled(self) -> int:
        """How many bytes are in the file."""
        return self._size

    def write(self, array: Array) -> int:
        """Append an array to the file; returns where it begins."""
        at = self._size
        try:
            if self._file is None:
                self._file = tempfile.TemporaryFile(  # noqa: SIM115 - closed by `close`
                    prefix="sculpt-entries-", buffering=0
                )
            self._file.seek(at)
            view = array.view("u1").data
            while len(view):
                view = view[self._file.write(view) :]
            self._size += array.nbytes
        except OSError as error:
            self.close()
            raise _disk_error(error) from None
        return at

    def read(self, spilled: _Spilled, first: int, last: int) -> Entries:
        """Some entries of runs that are in the file."""
        found = room_for(last - first, spilled.has_items)
        self._read_into(spilled.at + 8 * found.fields * first, found.numbers)
        return found

    def _read_into(self, at: int, array: Array) -> None:
        assert self._file is not None
        view = array.view("u1").data
        try:
            with self._reading:
                self._file.seek(at)
                while len(view):
                    size = self._file.readinto(view)
                    if not size:
                        raise OSError(errno.EIO, "the temporary file is shorter than it was")
                    view = view[size:]
        except OSError as error:
            self.close()
            raise _disk_error(error) from None

    def close(self) -> None:
        """Forget all entries, and remove the file."""
        for each in self._sets:
            each.release()
        self._sets = []
        if self._file is not None:
            with contextlib.suppress(OSError):
                self._file.close()
            self._file = None


def _disk_error(error: OSError) -> DataError:
    """What to say if the temporary directory cannot be used."""
    folder = tempfile.gettempdir()
    what = "is full" if error.errno in (errno.ENOSPC, errno.EDQUOT) else "cannot be used"
    reason = os.strerror(error.errno) if error.errno else str(error)
    return DataError(
        f"{folder}: the temporary directory {what} ({reason.lower()}): the entries of keys and"
        " references do not fit into memory; set TMPDIR to a directory with more room, or allow"
        " more with --memory",
        folder,
    )
