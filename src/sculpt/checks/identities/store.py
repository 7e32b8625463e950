"""Where entries wait until all of them are there: in memory, and beyond a budget on disk.

In: entries in the order of their tables, for several sets. Out: the entries of a partition of a
set, in the same order. Entries wait as they come, until there are enough of them to be spread over
partitions: that is a *run*. When all sets together take more memory than the budget, the runs go to
a temporary file; only where each partition begins in it stays in memory.

Invariant: equal entries are in the same partition, whatever the set. The file has no name as soon
as it is open, where the system allows that, so nothing of it is left however the process ends.
Cost: one sort by partition, one write and one read. Memory: the budget; disk: 24 bytes an entry,
32 if a part is a list.
"""

from __future__ import annotations

import contextlib
import errno
import os
import tempfile
import threading
from collections.abc import Iterator
from io import FileIO
from typing import TYPE_CHECKING, Any

from sculpt.checks.identities.entries import Entries, Hashing, joined
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
SLICE = 1 << 20
"""How many entries of a partition are looked at together, about."""
SMALL = 1 << 15
"""Fewer entries than this are one partition."""


@frozen
class _Run:
    """Entries, sorted by partition: in memory, or from a place of the file on."""

    entries: Entries | None
    at: int
    count: int
    has_items: bool
    offsets: Array

    def part(self, store: Store, first: int, last: int) -> Entries:
        """The entries at some places."""
        if self.entries is not None:
            return self.entries.at(slice(first, last))
        return store.read(self, first, last)


class EntrySet:
    """The entries of one side: those that are compared with each other, or with another set."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._waiting: list[Entries] = []
        self._waiting_count = 0
        self._runs: list[_Run] = []
        self.count = 0

    def add(self, entries: Entries) -> None:
        """Add entries that come after all that are there."""
        if not len(entries):
            return
        self._waiting.append(entries)
        self._waiting_count += len(entries)
        self.count += len(entries)
        self._store.grow(entries.nbytes)
        if self._waiting_count >= min(RUN, self._store.run):
            self._sort()

    @property
    def is_small(self) -> bool:
        """Are all entries one partition?"""
        return not self._runs and self._waiting_count < SMALL

    def finish(self) -> None:
        """All entries are there: spread those that wait."""
        if self._waiting:
            self._sort()

    def _sort(self) -> None:
        """Make a run of the entries that wait."""
        import numpy as np

        found, self._waiting, self._waiting_count = joined(self._waiting), [], 0
        store, count = self._store, len(found)
        offsets = np.zeros(PARTITIONS + 1, np.int64)
        new = Entries(
            np.empty(count, np.uint64),
            np.empty(count, np.uint64),
            np.empty(count, np.int64),
            np.empty(len(found.items), np.int64),
        )
        store.backend.spread_entries(
            found.lows, found.highs, found.places, found.items, store.hashing.seed, 64 - BITS,
            np.empty(count, np.uint8), offsets, new.lows, new.highs, new.places, new.items,
        )  # fmt: skip
        self._runs.append(_Run(new, 0, count, len(new.items) > 0, offsets))

    def spill(self) -> None:
        """Move all entries to the file, as one run."""
        import numpy as np

        if self._waiting:
            self._sort()
        runs = [run for run in self._runs if run.entries is not None]
        if not runs:
            return
        self._runs = [run for run in self._runs if run.entries is None]
        offsets = np.sum([run.offsets for run in runs], axis=0)
        count, has_items = int(offsets[-1]), runs[0].has_items
        at = self._store.write(self._by_column(runs, has_items))
        self._runs.append(_Run(None, at, count, has_items, offsets))
        self._store.shrink(sum(run.entries.nbytes for run in runs if run.entries is not None))

    def _by_column(self, runs: list[_Run], has_items: bool) -> Iterator[Array]:
        """The arrays of some runs in memory, merged partition by partition."""
        import numpy as np

        for column in range(4 if has_items else 3):
            for number in range(PARTITIONS):
                pieces = [
                    run.entries.columns[column][run.offsets[number] : run.offsets[number + 1]]
                    for run in runs
                    if run.entries is not None
                ]
                yield np.concatenate(pieces)

    def whole(self) -> Entries:
        """All entries, if they are one partition."""
        self._waiting = [joined(self._waiting)] if self._waiting else []
        return joined(self._waiting)

    def partition(self, number: int) -> Iterator[Entries]:
        """The entries of a partition, some at a time."""
        found: list[Entries] = []
        size = 0
        for run in self._runs:
            first, last = int(run.offsets[number]), int(run.offsets[number + 1])
            for at in range(first, last, SLICE):
                found.append(run.part(self._store, at, min(last, at + SLICE)))
                size += len(found[-1])
                if size >= SLICE:
                    yield joined(found)
                    found, size = [], 0
        if found:
            yield joined(found)

    def size_of(self, number: int) -> int:
        """How many entries a partition has."""
        return sum(int(run.offsets[number + 1] - run.offsets[number]) for run in self._runs)

    def release(self) -> None:
        """Forget all entries."""
        kept = [run.entries for run in self._runs if run.entries is not None]
        self._store.shrink(sum(each.nbytes for each in (*kept, *self._waiting)))
        self._waiting, self._waiting_count, self._runs = [], 0, []


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

    def write(self, arrays: Iterator[Array]) -> int:
        """Append arrays to the file; returns where they begin."""
        at = self._size
        try:
            if self._file is None:
                self._file = tempfile.TemporaryFile(  # noqa: SIM115 - closed by `close`
                    prefix="sculpt-entries-", buffering=0
                )
            self._file.seek(at)
            for array in arrays:
                view = array.view("u1").data
                while len(view):
                    view = view[self._file.write(view) :]
                self._size += array.nbytes
        except OSError as error:
            self.close()
            raise _disk_error(error) from None
        return at

    def read(self, run: _Run, first: int, last: int) -> Entries:
        """Some entries of a run that is in the file."""
        import numpy as np

        arrays: list[Array] = []
        for ix, kind in enumerate((np.uint64, np.uint64, np.int64, np.int64)):
            count = last - first if ix < 3 or run.has_items else 0
            arrays.append(np.empty(count, kind))
            if count:
                self._read_into(run.at + 8 * (ix * run.count + first), arrays[-1])
        return Entries(*arrays)

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
