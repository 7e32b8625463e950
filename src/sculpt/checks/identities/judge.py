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
from sculpt.checks.identities.store import PARTITIONS, EntrySet, Piece
from sculpt.checks.identities.violations import NONE, Collector, offences
from sculpt.engines.pool import work_ahead
from sculpt.kernels.backend import Backend
from sculpt.values import field, frozen, mutable

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, Any]

Pieces: TypeAlias = Callable[[], Iterator[Piece]]
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

    def __init__(self, backend: Backend, hashing: Hashing) -> None:
        import numpy as np

        self._backend, self._hashing = backend, hashing
        self._slots = np.zeros(1, np.uint64)
        self._lows, self._highs = np.empty(0, np.uint64), np.empty(0, np.uint64)
        self.firsts = np.empty(0, np.int64)
        """By number: the place of the first entry."""
        self.severals = np.empty(0, np.uint8)
        """By number: are there several?"""
        self._counts = np.zeros(2, np.int64)

    def clear(self, count: int) -> None:
        """Forget all entries, and make room for some."""
        import numpy as np

        self._counts[0] = 0
        slots = 1 << (2 * max(1, count) - 1).bit_length()
        if len(self._slots) != slots:
            self._slots = np.zeros(slots, np.uint64)
        else:
            self._slots.fill(0)
        self._make_room(count)

    def _make_room(self, more: int) -> None:
        """Grow, if the next entries might not fit."""
        import numpy as np

        known = int(self._counts[0])
        if known + more > len(self._lows):
            room = max(known + more, 2 * len(self._lows))
            for name in ("_lows", "_highs", "firsts", "severals"):
                old = getattr(self, name)
                new = np.empty(room, old.dtype)
                new[:known] = old[:known]
                setattr(self, name, new)
        if 2 * (known + more) > len(self._slots):
            self._slots = np.zeros(1 << (2 * (known + more) - 1).bit_length(), np.uint64)
            self._backend.place_entries(
                self._lows, self._highs, known, self._hashing.seed, self._slots
            )

    def add(self, piece: Piece, shares: int, share: int) -> tuple[Entries, Array]:
        """Add entries: those that are there already, and their numbers."""
        import numpy as np

        self._make_room(piece.count)
        again, own = np.empty(3 * piece.count, np.int64), piece.entries
        self._backend.number_entries(
            own.numbers, own.fields, piece.begins, piece.ends, piece.bases,
            self._hashing.seed, shares, share, self._slots, self._lows, self._highs, self.firsts,
            self.severals, again, self._counts,
        )  # fmt: skip
        return _of_triples(piece, again, int(self._counts[1]))

    def seek(
        self,
        piece: Piece,
        shares: int,
        share: int,
        wanted: Array,
        has_absent: bool = False,
        has_hashed: bool = False,
    ) -> tuple[Entries, Array]:
        """Entries of interest, and their numbers: see `seek_entries`."""
        import numpy as np

        found, own = np.empty(3 * piece.count, np.int64), piece.entries
        count = self._backend.seek_entries(
            own.numbers, own.fields, piece.begins, piece.ends, piece.bases,
            self._hashing.seed, shares, share, self._slots, self._lows, self._highs, wanted,
            has_absent, has_hashed, found,
        )  # fmt: skip
        return _of_triples(piece, found, count)


def _of_triples(piece: Piece, triples: Array, count: int) -> tuple[Entries, Array]:
    """Entries by where they stand in a piece, their numbers and their places."""
    found = triples[: 3 * count]
    return piece.at(found[::3], found[2::3]), found[1::3]


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

    def _run(self, works: Iterator[Callable[[_Table], Suspects]], collector: Collector) -> None:
        """Judge partitions; those of large sets are shared by threads."""
        suspects = Suspects()
        tables: list[_Table] = []  # those that no thread uses just now

        def judged(work: Callable[[_Table], Suspects]) -> Suspects:
            try:
                table = tables.pop()
            except IndexError:
                table = _Table(self.backend, self.hashing)
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

    def _confirmed(self, suspects: Suspects, collector: Collector, limit: int) -> Suspects:
        """Compare suspects if there are more than `limit`; returns those that are left."""
        if suspects.count <= limit:
            return suspects
        self.confirm(suspects, collector)
        return Suspects()

    def _key_partition(
        self, pieces: Pieces, count: int, collector: Collector, table: _Table
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
        left: Pieces,
        right: Pieces,
        count: int,
        several: bool,
        collector: Collector,
        table: _Table,
    ) -> Suspects:
        import numpy as np

        suspects = Suspects()
        for shares, share in self._shares(count):
            table.clear(min(count, self.table))
            for piece in right():
                table.add(piece, shares, share)
            is_asked = np.zeros(len(table.severals), np.uint8)
            wrong = is_asked.copy() if several else table.severals
            for piece in left():
                entries, numbers = table.seek(piece, shares, share, wrong, True, True)
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
) -> Iterator[tuple[list[Pieces], int]]:
    """The partitions of sets: for each, how its entries can be had, and how many need a table."""
    if all(each.is_small for each in sets):
        last = sum(piece.count for piece in sets[-1].whole())
        yield [each.whole for each in sets], last
        return
    for each in sets:
        each.finish()
    for number in range(PARTITIONS):
        yield [partial(each.partition, number) for each in sets], sets[-1].size_of(number)
