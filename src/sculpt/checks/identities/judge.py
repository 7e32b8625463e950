"""Which entries are there before, and which refer to none or to several.

In: the sets of entries of a key or of both sides of a reference. Out: violations, for a
`Collector`. Partition by partition, a hash table numbers the different entries of a key or of the
right side, and says of each entry which number it has.

The numbers of short entries are their texts. Long ones are hashed: if a hash is met again, all
entries that have it are *suspects*, and are compared by their texts (`suspects`). Invariant: no
collision of hashes changes an answer. Cost: one look into a table that fits into the cache for each
entry. Memory: the table of one partition, of which at most `TABLE` entries are looked at in one go.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

from sculpt.checks.identities.entries import Entries, Hashing
from sculpt.checks.identities.store import PARTITIONS, EntrySet
from sculpt.checks.identities.violations import NONE, Collector, offences
from sculpt.engines.pool import work_ahead
from sculpt.kernels.backend import Backend
from sculpt.kernels.loops.identities import ABSENT_NUMBER
from sculpt.values import field, frozen, mutable

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, Any]

Slices: TypeAlias = Callable[[], Iterator[Entries]]
"""Gives the entries of a partition, as often as it is called."""
TABLE = 1 << 20
"""How many different entries are looked at in one go."""
SUSPECTS = 1 << 18
"""Suspects of several partitions are compared together, up to about this many."""


@mutable
class Suspects:
    """Hashed entries that have to be compared by their texts: places and items."""

    left: list[Entries] = field(default_factory=list)
    right: list[Entries] = field(default_factory=list)

    @property
    def count(self) -> int:
        """How many there are."""
        return sum(map(len, (*self.left, *self.right)))


class _Table:
    """The different entries of a partition, and a number for each."""

    def __init__(self, backend: Backend, hashing: Hashing, count: int) -> None:
        import numpy as np

        room = max(1, min(count, 2 * TABLE))
        self._backend, self._hashing = backend, hashing
        self._slots = np.zeros(1 << (2 * room - 1).bit_length(), np.int64)
        self._lows, self._highs = np.empty(room, np.uint64), np.empty(room, np.uint64)
        self.firsts = np.zeros(room, np.int64)
        """By number: the place of the first entry."""
        self.is_several = np.zeros(room, np.bool_)
        """By number: are there several?"""
        self._count = 0

    def seek(self, entries: Entries, shares: int, share: int, adds: bool) -> Array:
        """The number of each entry, as the kernel says it."""
        import numpy as np

        if adds:
            self._make_room(len(entries))
        found = np.empty(len(entries), np.int64)
        self._count = self._backend.seek_entries(
            entries.lows, entries.highs, self._hashing.seed, shares, share, self._slots,
            self._lows, self._highs, self._count, adds, found,
        )  # fmt: skip
        return found

    def _make_room(self, more: int) -> None:
        """Grow, if the next entries might not fit."""
        import numpy as np

        need = self._count + more
        if need <= len(self._lows):
            return
        room = max(need, 2 * len(self._lows))
        lows, highs = self._lows[: self._count], self._highs[: self._count]
        grown = _Table(self._backend, self._hashing, 1)
        grown._slots = np.zeros(1 << (2 * room - 1).bit_length(), np.int64)
        grown._lows, grown._highs = np.empty(room, np.uint64), np.empty(room, np.uint64)
        found = np.empty(self._count, np.int64)
        grown._count = self._backend.seek_entries(
            lows.copy(), highs.copy(), self._hashing.seed, 1, 0, grown._slots, grown._lows,
            grown._highs, 0, True, found,
        )  # fmt: skip
        self._slots, self._lows, self._highs = grown._slots, grown._lows, grown._highs
        self.firsts = np.concatenate([self.firsts, np.zeros(room - len(self.firsts), np.int64)])
        more_flags = np.zeros(room - len(self.is_several), np.bool_)
        self.is_several = np.concatenate([self.is_several, more_flags])

    def add(self, entries: Entries, shares: int, share: int) -> Array:
        """Add entries; returns the number of each, negative if it is the first of its kind."""
        found = self.seek(entries, shares, share, adds=True)
        is_new = (found < 0) & (found != ABSENT_NUMBER)
        self.firsts[-1 - found[is_new]] = entries.places[is_new]
        self.is_several[found[found >= 0]] = True
        return found


@frozen
class Judge:
    """Judges keys and references; `confirm` compares suspects by their texts."""

    backend: Backend
    hashing: Hashing
    confirm: Callable[[Suspects, Collector], None]
    threads: int = 1
    table: int = TABLE

    def key(self, entries: EntrySet, collector: Collector) -> None:
        """Find the entries of a key that are there before."""
        self._run((partial(self._key_partition, parts[0], count, collector)
                   for parts, count in _partitions(entries)), collector)  # fmt: skip

    def reference(
        self, left: EntrySet, right: EntrySet, several: bool, collector: Collector
    ) -> None:
        """Find the entries on the left that refer to none or, unless allowed, to several."""
        self._run((partial(self._reference_partition, parts[0], parts[1], count, several, collector)
                   for parts, count in _partitions(left, right)), collector)  # fmt: skip

    def _run(self, works: Iterator[Callable[[], Suspects]], collector: Collector) -> None:
        """Judge partitions; those of large sets are shared by threads."""
        suspects = Suspects()
        with contextlib.closing(work_ahead(works, self.threads)) as judged:
            for found in judged:
                suspects.left += found.left
                suspects.right += found.right
                suspects = self._confirmed(suspects, collector, SUSPECTS)
        self._confirmed(suspects, collector, 0)

    def _shares(self, count: int) -> Iterator[tuple[int, int]]:
        """In how many goes a partition is looked at, so that its table is not too large."""
        shares = 1
        while count > self.table * shares and shares < 256:
            shares *= 2
        for share in range(shares):
            yield shares, share

    def _confirmed(self, suspects: Suspects, collector: Collector, limit: int) -> Suspects:
        """Compare suspects if there are more than `limit`; returns those that are left."""
        if suspects.count <= limit:
            return suspects
        self.confirm(suspects, collector)
        return Suspects()

    def _key_partition(self, slices: Slices, count: int, collector: Collector) -> Suspects:
        suspects = Suspects()
        for shares, share in self._shares(count):
            self._key_share(slices, count, shares, share, suspects, collector)
        return suspects

    def _key_share(
        self,
        slices: Slices,
        count: int,
        shares: int,
        share: int,
        suspects: Suspects,
        collector: Collector,
    ) -> None:
        table = _Table(self.backend, self.hashing, min(count, 2 * self.table))
        has_suspects = False
        for entries in slices():
            found = table.add(entries, shares, share)
            again = (found >= 0).nonzero()[0]
            if not len(again):
                continue
            is_sure = ~entries.at(again).is_hashed()
            has_suspects = has_suspects or not bool(is_sure.all())
            sure = again[is_sure]
            repeated = entries.at(sure)
            collector.add(offences(repeated.places, repeated.items, table.firsts[found[sure]]))
        if has_suspects:
            for entries in slices():
                found = table.seek(entries, shares, share, adds=False)
                wanted = (found >= 0) & entries.is_hashed()
                wanted[wanted] = table.is_several[found[wanted]]
                suspects.left.append(entries.at(wanted))

    def _reference_partition(
        self, left: Slices, right: Slices, count: int, several: bool, collector: Collector
    ) -> Suspects:
        suspects = Suspects()
        for shares, share in self._shares(count):
            args = (count, shares, share, several, suspects, collector)
            self._reference_share(left, right, *args)
        return suspects

    def _reference_share(
        self,
        left: Slices,
        right: Slices,
        count: int,
        shares: int,
        share: int,
        several: bool,
        suspects: Suspects,
        collector: Collector,
    ) -> None:
        import numpy as np

        table = _Table(self.backend, self.hashing, min(count, 2 * self.table))
        for entries in right():
            table.add(entries, shares, share)
        is_asked = np.zeros(len(table.is_several), np.bool_)
        for entries in left():
            found = table.seek(entries, shares, share, adds=False)
            own = self._own(entries, shares, share) if shares > 1 else True
            absent = entries.at((found < 0) & own)
            collector.add(offences(absent.places, absent.items, NONE))
            is_found, is_hashed = found >= 0, entries.is_hashed()
            doubtful = is_found & is_hashed
            if doubtful.any():
                suspects.left.append(entries.at(doubtful))
                is_asked[found[doubtful]] = True
            if not several:
                sure = (is_found & ~is_hashed).nonzero()[0]
                sure = sure[table.is_several[found[sure]]]
                repeated = entries.at(sure)
                others = table.firsts[found[sure]]
                collector.add(offences(repeated.places, repeated.items, others))
        if is_asked.any():
            for entries in right():
                found = table.seek(entries, shares, share, adds=False)
                wanted = found >= 0
                wanted[wanted] = is_asked[found[wanted]]
                suspects.right.append(entries.at(wanted))

    def _own(self, entries: Entries, shares: int, share: int) -> Array:
        """Which entries are looked at in this go: those that an empty table would take."""
        table = _Table(self.backend, self.hashing, len(entries))
        found: Array = table.seek(entries, shares, share, adds=True) != ABSENT_NUMBER
        return found


def _partitions(
    *sets: EntrySet,
) -> Iterator[tuple[list[Slices], int]]:
    """The partitions of sets: for each, how its entries can be had, and how many need a table."""
    if all(each.is_small for each in sets):
        wholes = [each.whole() for each in sets]
        yield [_once(each) for each in wholes], len(wholes[-1])
        return
    for each in sets:
        each.finish()
    for number in range(PARTITIONS):
        yield [_part(each, number) for each in sets], sets[-1].size_of(number)


def _once(entries: Entries) -> Slices:
    return lambda: iter((entries,) if len(entries) else ())


def _part(entries: EntrySet, number: int) -> Slices:
    return lambda: entries.partition(number)
