"""Entries as numbers: the texts of their parts, packed or hashed.

In: the cells of the entries of a side in a strip, and the texts of the strip. Out: `Entries`: two
numbers of 64 bits for each, its cell, and the number of its item if a part is a list.

A kernel makes the numbers straight from the bytes of the strip. The texts of a part that is
compared by value become an array of bytes (`values`) first. Only where a part is a list, or the
strip has a cell that the kernel cannot read, are texts taken out one by one. Invariant: short
entries have the same numbers if and only if they are equal; long ones, which are hashed, have the
same numbers if they are equal. Cost: linear in the texts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from sculpt.checks.identities.sides import Side, SideRows
from sculpt.checks.identities.values import PartBytes
from sculpt.engines.regions.strip_texts import LocatedTexts
from sculpt.kernels.backend import Backend
from sculpt.kernels.loops.identities import FIELDS, HASHED
from sculpt.tabular.grid import list_splitter
from sculpt.values import frozen

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

    Array = np.ndarray[Any, Any]

ALL_BITS = (1 << 64) - 1


class Texts(Protocol):
    """The texts of some rows; cells are numbered from the first of them."""

    def located(self, cells: Array) -> LocatedTexts | None:
        """Where the texts of cells are; `None` if they must be taken one by one."""

    def located_parts(self, parts: tuple[Array, ...], order: Array) -> LocatedTexts | None:
        """The texts of parts in the same rows, part by part; `order` is that of their columns."""

    def decoded(self, cells: Array) -> pa.Array | None:
        """The texts of cells; `None` if some may have undecodable bytes."""

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
    """Some entries."""

    numbers: Array
    """Side by side: those of the first entry, of the second, …; see `kernels.loops.identities`."""
    has_items: bool

    @property
    def fields(self) -> int:
        """How many numbers an entry has."""
        return FIELDS + self.has_items

    def __len__(self) -> int:
        return len(self.numbers) // self.fields

    @property
    def nbytes(self) -> int:
        """The memory that they take."""
        return int(self.numbers.nbytes)

    @property
    def places(self) -> Array:
        """By entry: the number of the cell of its first part; of what table, the holder knows."""
        return self.numbers[2 :: self.fields].view("i8")

    @property
    def items(self) -> Array:
        """By entry: the number of its item; empty if no part is a list."""
        return (self.numbers[3::4] if self.has_items else self.numbers[:0]).view("i8")

    def at(self, which: Any) -> Entries:
        """Those at some places."""
        fields = self.fields
        return Entries(self.numbers.reshape(-1, fields)[which].ravel(), self.has_items)

    def part(self, begin: int, end: int) -> Entries:
        """Those from one place to another, in the same memory."""
        fields = self.fields
        return Entries(self.numbers[begin * fields : end * fields], self.has_items)

    def moved(self, base: int) -> Entries:
        """A copy, with a number added to the places."""
        found = Entries(self.numbers.copy(), self.has_items)
        found.places[:] += base
        return found

    def is_hashed(self) -> Array:
        """Which of them are hashes, so that equal numbers prove nothing."""
        import numpy as np

        return np.asarray(self.numbers[1 :: self.fields] >= np.uint64(HASHED))


def room_for(count: int, has_items: bool) -> Entries:
    """Room for some entries."""
    import numpy as np

    return Entries(np.empty(count * (FIELDS + has_items), np.uint64), has_items)


def joined(parts: list[Entries]) -> Entries:
    """Entries one after the other."""
    import numpy as np

    if len(parts) == 1:
        return parts[0]
    if not parts:
        return room_for(0, False)
    numbers = np.concatenate([each.numbers for each in parts])
    return Entries(numbers, parts[0].has_items)


class EntryMaker:
    """Makes the entries of one side."""

    def __init__(self, side: Side, backend: Backend, hashing: Hashing) -> None:
        self.side, self._backend, self._hashing = side, backend, hashing
        self._bytes = [PartBytes(part) for part in side.parts]
        self._list = side.list_part
        self._split = None
        if self._list is not None:
            self._split = list_splitter(side.parts[self._list].items)

    def entries(self, texts: Texts, rows: SideRows, base: int) -> Entries:
        """The entries of some rows, whose cells are numbered from `base` on."""
        import numpy as np

        cells = rows.cells
        if not len(cells[0]):
            return room_for(0, self._list is not None)
        places, items = cells[0] + base if base else cells[0], np.empty(0, np.int64)
        if self._list is None:
            located = self._located_together(texts, rows)
        else:
            listed, which, items = self._listed(texts, cells[self._list])
            located = _joined_texts([
                listed if part == self._list else _taken(self._located(texts, part, own), which)
                for part, own in enumerate(cells)
            ])  # fmt: skip
            places = places[which]
        found = room_for(len(places), self._list is not None)
        if len(places):
            backend, hashing = self._backend, self._hashing
            backend.pack_entries(
                backend.buffer(located.data), located.begins, located.ends, located.kinds,
                len(cells), located.escape, hashing.seed, hashing.kept, places, items,
                found.numbers,
            )  # fmt: skip
        return found

    def _located_together(self, texts: Texts, rows: SideRows) -> LocatedTexts:
        """Where the bytes of all parts are; texts in the same columns are looked for in one go."""
        import numpy as np

        columns, is_plain = rows.columns, not any(part.bases for part in self.side.parts)
        if is_plain and columns and len(set(columns)) == len(columns):
            found = texts.located_parts(rows.cells, np.argsort(np.array(columns)))
            if found is not None:
                return found
        own = enumerate(rows.cells)
        return _joined_texts([self._located(texts, part, cells) for part, cells in own])

    def _located(self, texts: Texts, part: int, cells: Array) -> LocatedTexts:
        """Where the bytes of a part are."""
        if self.side.parts[part].bases:
            decoded = texts.decoded(cells)
            if decoded is not None:
                return _of_array(self._bytes[part].of_array(decoded))
        elif (found := texts.located(cells)) is not None:
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


def _joined_texts(parts: list[LocatedTexts]) -> LocatedTexts:
    """The texts of all first parts, then of all second ones, …, in one buffer."""
    import numpy as np

    first = parts[0]
    if len(parts) == 1:
        return first
    data, moved = first.data, [(each.begins, each.ends) for each in parts]
    if any(each.data is not data for each in parts):
        data = b"".join(each.data for each in parts)
        sizes = [len(each.data) for each in parts]
        moved = [
            (each.begins + sum(sizes[:ix]), each.ends + sum(sizes[:ix]))
            for ix, each in enumerate(parts)
        ]
    begins, ends = (np.concatenate(each) for each in zip(*moved, strict=True))
    kinds = np.concatenate([each.kinds for each in parts])
    return LocatedTexts(data, begins, ends, kinds, max(each.escape for each in parts))


def _taken(located: LocatedTexts, rows: Array) -> LocatedTexts:
    begins, ends, kinds = located.begins[rows], located.ends[rows], located.kinds[rows]
    return located._replace(begins=begins, ends=ends, kinds=kinds)


def _of_array(coded: pa.Array) -> LocatedTexts:
    """The bytes of an array, where they are."""
    import numpy as np

    _, offsets, data = coded.buffers()
    ends = np.frombuffer(offsets, np.int32)[coded.offset :][: len(coded) + 1].astype(np.int64)
    written = b"" if data is None else data.to_pybytes()
    return LocatedTexts(written, ends[:-1], ends[1:], np.zeros(len(coded), np.uint8), -1)


def _buffered(texts: list[bytes]) -> LocatedTexts:
    """Bytes one after the other."""
    import numpy as np

    ends = np.cumsum(np.array([len(each) for each in texts], dtype=np.int64))
    begins = np.concatenate([np.zeros(1, np.int64), ends[:-1]]) if texts else ends
    return LocatedTexts(b"".join(texts), begins, ends, np.zeros(len(texts), np.uint8), -1)
