"""Entries as numbers: the texts of their parts, packed or hashed.

In: the cells of the entries of a side in a strip, and the texts of the strip. Out: `Entries`: two
numbers of 64 bits for each, its cell, and the number of its item if a part is a list.

A kernel makes the numbers straight from the bytes of the strip. Only where a part is a list or is
compared by value, or the strip has a cell that the kernel cannot read, are texts taken out one by
one. Invariant: short entries have the same numbers if and only if they are equal; long ones, which
are hashed, have the same numbers if they are equal. Cost: linear in the texts.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, Protocol

from sculpt.checks.identities.sides import Side
from sculpt.checks.identities.values import PartBytes
from sculpt.engines.regions.strip_texts import LocatedTexts
from sculpt.kernels.backend import Backend
from sculpt.kernels.loops.identities import HASHED
from sculpt.tabular.grid import list_splitter
from sculpt.values import frozen

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, Any]

ALL_BITS = (1 << 64) - 1


class Texts(Protocol):
    """The texts of some rows; cells are numbered from the first of them."""

    def located(self, cells: Array) -> LocatedTexts | None:
        """Where the texts of cells are; `None` if they must be taken one by one."""

    def marked(self, cells: Array) -> list[str | None]:
        """The texts of cells; a byte that cannot be decoded is a lone surrogate."""


@frozen
class Hashing:
    """How long entries are hashed, and entries are spread over partitions."""

    seed: int
    kept: int = ALL_BITS
    """The bits of a hash that count; fewer of them make collisions, for tests."""


def random_hashing() -> Hashing:
    """A hash that nobody can foresee, so nobody can write a file full of collisions."""
    import os

    return Hashing(int.from_bytes(os.urandom(8), "little"))


@frozen
class Entries:
    """Some entries, as arrays of the same length; `items` is empty if no part is a list."""

    lows: Array
    highs: Array
    places: Array
    """The number of the cell of the first part; of what table, the holder knows."""
    items: Array

    def __len__(self) -> int:
        return len(self.lows)

    @property
    def nbytes(self) -> int:
        """The memory that they take."""
        return 24 * len(self.lows) + 8 * len(self.items)

    @property
    def columns(self) -> tuple[Array, Array, Array, Array]:
        """The arrays, in the order in which they are written."""
        return self.lows, self.highs, self.places, self.items

    def at(self, which: Any) -> Entries:
        """Those at some places of the arrays."""
        items = self.items[which] if len(self.items) else self.items
        return Entries(self.lows[which], self.highs[which], self.places[which], items)

    def is_hashed(self) -> Array:
        """Which of them are hashes, so that equal numbers prove nothing."""
        import numpy as np

        return np.asarray(self.highs >= np.uint64(HASHED))


def no_entries() -> Entries:
    """No entries."""
    import numpy as np

    none = np.empty(0, np.int64)
    return Entries(none.view(np.uint64), none.view(np.uint64), none, none)


def joined(parts: list[Entries]) -> Entries:
    """Entries one after the other."""
    import numpy as np

    if len(parts) == 1:
        return parts[0]
    if not parts:
        return no_entries()
    return Entries(
        np.concatenate([each.lows for each in parts]),
        np.concatenate([each.highs for each in parts]),
        np.concatenate([each.places for each in parts]),
        np.concatenate([each.items for each in parts]),
    )


class EntryMaker:
    """Makes the entries of one side."""

    def __init__(self, side: Side, backend: Backend, hashing: Hashing) -> None:
        self.side, self._backend, self._hashing = side, backend, hashing
        self._bytes = [PartBytes(part) for part in side.parts]
        self._list = side.list_part
        self._split = None
        if self._list is not None:
            self._split = list_splitter(side.parts[self._list].items)

    def entries(self, texts: Texts, cells: tuple[Array, ...], base: int) -> Entries:
        """The entries of some cells, which are numbered from `base` on."""
        import numpy as np

        count = len(cells[0])
        if not count:
            return no_entries()
        located: list[LocatedTexts] = []
        places, items = cells[0] + base, np.empty(0, np.int64)
        if self._list is None:
            located = self._located_together(texts, cells)
        else:
            listed, rows, items = self._listed(texts, cells[self._list])
            located = [
                listed if part == self._list else _taken(self._located(texts, part, own), rows)
                for part, own in enumerate(cells)
            ]
            places = places[rows]
        lows, highs = (np.empty(len(places), np.uint64) for _ in range(2))
        if len(places):
            self._pack(located, lows, highs)
        return Entries(lows, highs, places, items)

    def _pack(self, located: list[LocatedTexts], lows: Array, highs: Array) -> None:
        import numpy as np

        first = located[0]
        data, arrays = first.data, [each[1:4] for each in located]
        if any(each.data is not data for each in located):
            data = b"".join(each.data for each in located)
            at = 0
            for ix, each in enumerate(located):
                arrays[ix] = (each.begins + at, each.ends + at, each.kinds)
                at += len(each.data)
        if len(arrays) > 1:
            begins, ends, kinds = (np.concatenate(each) for each in zip(*arrays, strict=True))
        else:
            begins, ends, kinds = arrays[0]
        escape = max(each.escape for each in located)
        backend, hashing = self._backend, self._hashing
        backend.pack_entries(
            backend.buffer(data), begins, ends, kinds, len(located), escape, hashing.seed,
            hashing.kept, lows, highs,
        )  # fmt: skip

    def _located_together(self, texts: Texts, cells: tuple[Array, ...]) -> list[LocatedTexts]:
        """Where the bytes of all parts are; texts in the same rows are looked for in one go."""
        import numpy as np

        order = sorted(range(len(cells)), key=lambda part: int(cells[part][0]))
        steps = pairwise(order)
        is_sorted = all(bool((cells[one] < cells[two]).all()) for one, two in steps) and bool(
            (cells[order[-1]][:-1] < cells[order[0]][1:]).all()
        )
        if len(cells) == 1 or not is_sorted or any(part.bases for part in self.side.parts):
            return [self._located(texts, part, own) for part, own in enumerate(cells)]
        together = texts.located(np.stack([cells[part] for part in order], axis=1).ravel())
        if together is None:
            return [self._located(texts, part, own) for part, own in enumerate(cells)]
        shape = (len(cells[0]), len(cells))
        begins, ends, kinds = (
            np.ascontiguousarray(each.reshape(shape).T) for each in together[1:4]
        )
        ranks = [order.index(part) for part in range(len(cells))]
        return [
            together._replace(begins=begins[ix], ends=ends[ix], kinds=kinds[ix]) for ix in ranks
        ]

    def _located(self, texts: Texts, part: int, cells: Array) -> LocatedTexts:
        """Where the bytes of a part are."""
        if not self.side.parts[part].bases:
            found = texts.located(cells)
            if found is not None:
                return found
        return _buffered([self._bytes[part].of(text or "") for text in texts.marked(cells)])

    def _listed(self, texts: Texts, cells: Array) -> tuple[LocatedTexts, Array, Array]:
        """The items of lists: their bytes, to which row each belongs, and its number in it."""
        import numpy as np

        assert self._split is not None
        assert self._list is not None
        found = [self._split(text or "") for text in texts.marked(cells)]
        counts = np.array([len(each) for each in found], dtype=np.int64)
        rows = np.repeat(np.arange(len(counts)), counts)
        items = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts) + 1
        own = self._bytes[self._list]
        return _buffered([own.of(item) for each in found for item in each]), rows, items

    def parts_of(
        self, texts: Texts, cells: tuple[Array, ...], items: Array
    ) -> list[tuple[str, ...]]:
        """The texts of the parts of some entries, one after the other."""
        columns: list[list[str]] = []
        for part, own in enumerate(cells):
            found = [text or "" for text in texts.marked(own)]
            if part == self._list and self._split is not None:
                split = self._split
                pairs = zip(found, items.tolist(), strict=True)
                found = [split(text)[item - 1] for text, item in pairs]
            columns.append(found)
        return list(zip(*columns, strict=True))

    def exact(self, parts: tuple[str, ...]) -> bytes:
        """The bytes of an entry, each part after its length: equal if and only if they are."""
        found = [own.of(text) for own, text in zip(self._bytes, parts, strict=True)]
        return b"".join(b"%d:%b" % (len(each), each) for each in found)


def _taken(located: LocatedTexts, rows: Array) -> LocatedTexts:
    begins, ends, kinds = located.begins[rows], located.ends[rows], located.kinds[rows]
    return located._replace(begins=begins, ends=ends, kinds=kinds)


def _buffered(texts: list[bytes]) -> LocatedTexts:
    """Bytes one after the other."""
    import numpy as np

    ends = np.cumsum(np.array([len(each) for each in texts], dtype=np.int64))
    begins = np.concatenate([np.zeros(1, np.int64), ends[:-1]]) if texts else ends
    return LocatedTexts(b"".join(texts), begins, ends, np.zeros(len(texts), np.uint8), -1)
