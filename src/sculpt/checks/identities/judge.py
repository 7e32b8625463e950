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

from sculpt.checks.identities.entries import Entries, Hashing, joined
from sculpt.checks.identities.store import PARTITIONS, EntrySet
from sculpt.checks.identities.table import EntryTable, Stretches
from sculpt.checks.identities.violations import NONE, Taker, offences
from sculpt.engines.pool import work_ahead
from sculpt.kernels.backend import Backend
from sculpt.values import field, frozen, mutable

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, Any]

AllStretches: TypeAlias = Callable[[], Iterator[Stretches]]
"""Gives the entries of a partition, as often as it is called."""
TABLE = 1 << 20
"""How many different entries are looked at in one go."""
SUSPECTS = 3 << 20
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


@frozen
class Judge:
    """Judges keys and references; `confirm` compares suspects by their texts."""

    backend: Backend
    hashing: Hashing
    confirm: Callable[[Suspects, Taker], None]
    threads: int = 1
    table: int = TABLE

    def key(self, entries: EntrySet, collector: Taker) -> None:
        """Find the entries of a key that are there before."""
        self._run((partial(self._key_partition, parts[0], count, collector)
                   for parts, count in _partitions(entries)), collector)  # fmt: skip

    def reference(self, left: EntrySet, right: EntrySet, several: bool, collector: Taker) -> None:
        """Find the entries on the left that refer to none or, unless allowed, to several."""
        self._run((partial(self._reference_partition, parts[0], parts[1], count, several, collector)
                   for parts, count in _partitions(left, right)), collector)  # fmt: skip

    def _run(self, works: Iterator[Callable[[EntryTable], Suspects]], collector: Taker) -> None:
        """Judge partitions; those of large sets are shared by threads."""
        suspects = Suspects()
        tables: list[EntryTable] = []  # those that no thread uses just now

        def judged(work: Callable[[EntryTable], Suspects]) -> Suspects:
            try:
                table = tables.pop()
            except IndexError:
                table = EntryTable(self.backend, self.hashing)
            found = work(table)
            tables.append(table)
            return found

        calls = (partial(judged, work) for work in works)
        with contextlib.closing(work_ahead(calls, self.threads)) as results:
            for found in results:
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

    def _confirmed(self, suspects: Suspects, collector: Taker, limit: int) -> Suspects:
        """Compare suspects if there are more than `limit`; returns those that are left."""
        if suspects.count <= limit:
            return suspects
        self.confirm(suspects, collector)
        return Suspects()

    def _key_partition(
        self, pieces: AllStretches, count: int, collector: Taker, table: EntryTable
    ) -> Suspects:
        suspects = Suspects()
        for shares, share in self._shares(count):
            table.clear(min(count, self.table))
            has_suspects = False
            for piece in pieces():
                repeated, numbers = table.add(piece, shares, share)
                if not len(repeated):
                    continue
                is_hashed = repeated.is_hashed()
                has_suspects = has_suspects or bool(is_hashed.any())
                sure, others = repeated.at(~is_hashed), table.firsts[numbers[~is_hashed]]
                collector.add(offences(sure.places, sure.items, others))
            if has_suspects:
                for piece in pieces():
                    found, _ = table.seek(piece, shares, share, table.severals)
                    suspects.left.append(found.at(found.is_hashed()))
        return suspects

    def _reference_partition(
        self,
        left: AllStretches,
        right: AllStretches,
        count: int,
        several: bool,
        collector: Taker,
        table: EntryTable,
    ) -> Suspects:
        import numpy as np

        suspects = Suspects()
        for shares, share in self._shares(count):
            table.clear(min(count, self.table))
            for piece in right():
                table.add(piece, shares, share)
            is_asked = np.zeros(len(table.severals), np.uint8)
            wrong = is_asked.copy() if several else table.severals
            seen = [table.seek(piece, shares, share, wrong, True, True) for piece in left()]
            entries = joined([found for found, _ in seen])
            if not len(entries):
                continue
            numbers = np.concatenate([own for _, own in seen])
            is_absent = numbers < 0
            absent = entries.at(is_absent)
            collector.add(offences(absent.places, absent.items, NONE))
            is_hashed = entries.is_hashed() & ~is_absent
            if is_hashed.any():
                suspects.left.append(entries.at(is_hashed))
                is_asked[numbers[is_hashed]] = 1
            sure = ~is_hashed & ~is_absent
            repeated, others = entries.at(sure), table.firsts[numbers[sure]]
            collector.add(offences(repeated.places, repeated.items, others))
            if is_asked.any():
                for piece in right():
                    suspects.right.append(table.seek(piece, shares, share, is_asked)[0])
        return suspects


def _partitions(
    *sets: EntrySet,
) -> Iterator[tuple[list[AllStretches], int]]:
    """The partitions of sets: for each, how its entries can be had, and how many need a table."""
    if all(each.is_small for each in sets):
        last = sum(piece.count for piece in sets[-1].whole())
        yield [each.whole for each in sets], last
        return
    for each in sets:
        each.finish()
    for number in range(PARTITIONS):
        yield [partial(each.partition, number) for each in sets], sets[-1].size_of(number)
