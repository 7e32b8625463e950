"""Entries of at most 15 bytes on their way through the shuffle: numbers instead of texts.

In: the entries of a side in some rows, whose numbers are their texts. Out: `Segment`s: by bucket,
the numbers of entries and where each stands, as bytes; and back. The entries of a reference's left
side that are equal share a key, so a country that is named by a million rows does not send a
million keys to one task.

Invariant: a segment that was packed and unpacked is the same. Equal entries are in one bucket.
Cost: a few array operations over the entries. Bytes: 24 for an entry, and 4 for each part.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from sculpt.checks.identities.entries import Entries, Hashing
from sculpt.checks.identities.table import EntryTable
from sculpt.kernels.backend import Backend
from sculpt.values import frozen

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, Any]

HASHING = Hashing(0x5CD2_97A1_3E0B_64F5)
"""The same in all tasks: what is short for one is short for all."""
_HEAD = struct.Struct("<qqqqqiiqq")
_MIX = 0x9E3779B97F4A7C15
_FEW = 1 << 16
"""Up to this many different numbers are sorted by counting."""


@frozen(eq=False)
class Segment:
    """Short entries of one side in some rows of a file."""

    group: int
    file: int
    kind: int
    """What they are: see `entries`."""
    keys: Array
    """By entry, or by different entry: its two numbers."""
    counts: Array | None
    """By different entry: how many are equal; `None` if each has a key of its own."""
    places: Array
    """By entry: row, start of the row, and the column of each part.

    Of a key in runs, only the first entry of a run is here, and last the number of its rows.
    """

    @property
    def repeated(self) -> Array:
        """By entry: the index of its key."""
        import numpy as np

        indices = np.arange(len(self.keys))
        return indices if self.counts is None else np.repeat(indices, self.counts)

    def by_bucket(self, buckets: int) -> Iterator[tuple[int, bytes]]:
        """The parts of the segment that belong to each bucket, as bytes."""
        import numpy as np

        mixed = (self.keys[:, 0] ^ (self.keys[:, 1] * np.uint64(_MIX))) * np.uint64(_MIX)
        numbers = ((mixed >> np.uint64(33)) % np.uint64(buckets)).astype(np.int64)
        order = sorted_by(numbers, buckets)
        ends = np.cumsum(np.bincount(numbers, minlength=buckets)).tolist()
        keys, counts, places = self.keys[order], self.counts, self.places
        if counts is None:
            places, firsts = places[order], np.arange(len(keys) + 1)
        else:
            begins = np.cumsum(counts) - counts
            counts = counts[order]
            firsts = np.concatenate([[0], np.cumsum(counts)])
            within = np.arange(len(places)) - np.repeat(firsts[:-1], counts)
            places = places[np.repeat(begins[order], counts) + within]
        begin = 0
        for bucket, end in enumerate(ends):
            if end > begin:
                some = places[int(firsts[begin]) : int(firsts[end])]
                held = None if counts is None else counts[begin:end]
                part = Segment(self.group, self.file, self.kind, keys[begin:end], held, some)
                yield bucket, part._packed()
            begin = end

    def _packed(self) -> bytes:
        import numpy as np

        bases = self.places[:, :2].min(axis=0)
        places = self.places.copy()
        places[:, :2] -= bases
        assert places.max() < 1 << 32, "a strip or piece has far fewer bytes"
        sizes = (len(self.keys), len(self.places))
        head = (self.group, self.file, *bases.tolist(), self.kind, self.counts is not None)
        parts = self.places.shape[1] - 2
        data = [
            _HEAD.pack(*head[:4], parts, *head[4:], *sizes),
            self.keys.tobytes(),
            b"" if self.counts is None else self.counts.astype(np.uint32).tobytes(),
            places.astype(np.uint32).tobytes(),
        ]
        return b"".join(data)


def segments_in(data: bytes) -> Iterator[Segment]:
    """The segments that were packed one after the other."""
    import numpy as np

    at = 0

    def taken(kind: Any, count: int) -> Array:
        nonlocal at
        found = np.frombuffer(data, kind, count, at)
        at += found.nbytes
        return found

    while at < len(data):
        group, file, row, start, parts, kind, has_counts, keys, entries = _HEAD.unpack_from(
            data, at
        )
        at += _HEAD.size
        numbers = taken(np.uint64, 2 * keys).reshape(keys, 2)
        counts = taken(np.uint32, keys).astype(np.int64) if has_counts else None
        places = taken(np.uint32, entries * (2 + parts)).astype(np.int64).reshape(entries, -1)
        places[:, 0] += row
        places[:, 1] += start
        yield Segment(group, file, kind, numbers, counts, places)


def segment_of(
    backend: Backend, facts: tuple[int, int, int], entries: Entries, places: Array, shares: bool
) -> Segment:
    """A segment of entries; `facts` are its group, file and kind.

    With `shares`, equal entries share a key.
    """
    import numpy as np

    keys = entries.numbers.reshape(-1, entries.fields)[:, :2]
    if not shares:
        return Segment(*facts, keys, None, places)
    numbers, new = EntryTable(backend, HASHING).numbers(entries)
    if len(new) == len(entries):
        return Segment(*facts, keys, None, places)
    counts = np.bincount(numbers, minlength=len(new))
    return Segment(*facts, keys[new], counts, places[sorted_by(numbers, len(new))])


def sorted_by(numbers: Array, most: int) -> Array:
    """The order of some numbers, all less than `most`; equal ones stay in order."""
    import numpy as np

    few = numbers.astype(np.uint16) if most <= _FEW else numbers
    return np.argsort(few, kind="stable")
