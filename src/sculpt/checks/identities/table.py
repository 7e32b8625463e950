"""Entries in a hash table: a number for each different one, and entries looked up in it.

In: pieces of entries, stretches of which are looked at. Out: the entries that are there already, or
those of interest among others that are looked up. Kernels do both
(`kernels.loops.identities`).

Invariant: entries have the same number if and only if they are equal as numbers. Cost: one look
into the table for each entry; it is fastest while the table fits into the cache. Memory: 41 bytes
for each different entry.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sculpt.checks.identities.entries import Entries, Hashing
from sculpt.kernels.backend import Backend
from sculpt.values import frozen

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, Any]


@frozen
class Stretches:
    """Some entries of a partition: stretches of arrays, in order."""

    entries: Entries
    begins: Array
    ends: Array
    bases: Array
    """By stretch: what is added to its places."""
    count: int
    """How many entries the stretches have."""

    def at(self, which: Array, places: Array) -> Entries:
        """Those at some places of the arrays, with the true places in the table."""
        found = self.entries.at(which)
        found.places[:] = places
        return found


def all_of(entries: Entries) -> Stretches:
    """All of some entries."""
    import numpy as np

    count, zero = len(entries), np.zeros(1, np.int64)
    return Stretches(entries, zero, np.full(1, count, np.int64), zero, count)


class EntryTable:
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

    def number(
        self, piece: Stretches, shares: int = 1, share: int = 0
    ) -> tuple[Array, Array, Array]:
        """Add entries: where those stand that are there already, their numbers, their places."""
        import numpy as np

        self._make_room(piece.count)
        again, own = np.empty(3 * piece.count, np.int64), piece.entries
        self._backend.number_entries(
            own.numbers, own.fields, piece.begins, piece.ends, piece.bases, self._hashing.seed,
            shares, share, self._slots, self._lows, self._highs, self.firsts, self.severals, again,
            self._counts,
        )  # fmt: skip
        found = again[: 3 * int(self._counts[1])]
        return found[::3], found[1::3], found[2::3]

    def add(self, piece: Stretches, shares: int, share: int) -> tuple[Entries, Array]:
        """The same: the entries that are there already, and their numbers."""
        which, numbers, places = self.number(piece, shares, share)
        return piece.at(which, places), numbers

    def numbers(self, entries: Entries) -> tuple[Array, Array]:
        """Number entries in an empty table: the number of each, and where each number is new."""
        import numpy as np

        self.clear(len(entries))
        which, again, _ = self.number(all_of(entries))
        is_new = np.ones(len(entries), np.bool_)
        is_new[which] = False
        numbers = np.empty(len(entries), np.int64)
        numbers[is_new], numbers[which] = np.arange(self.count), again
        return numbers, np.flatnonzero(is_new)

    @property
    def count(self) -> int:
        """How many different entries there are."""
        return int(self._counts[0])

    def seek(
        self,
        piece: Stretches,
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


def _of_triples(piece: Stretches, triples: Array, count: int) -> tuple[Entries, Array]:
    """Entries by where they stand in a piece, their numbers and their places."""
    found = triples[: 3 * count]
    return piece.at(found[::3], found[2::3]), found[1::3]
