"""Entries with the same hash, compared by their texts.

In: the places of entries whose hashes are met more than once. Out: violations. The texts are read
again in the order of the files. Entries with the same hash are a *class*; nearly always all of a
class are equal to its first, and then arrays of texts are compared with those of the firsts. If a
class has different texts, parts are compared by value or item by item, or a text cannot be decoded,
entries are looked up in a dictionary, one by one; of a long entry, that has a cryptographic digest.

Invariant: both ways find the same. Cost: one scan of the strips that have suspects, and some array
operations for each. Memory: the texts of the firsts; with a dictionary, an entry for each suspect.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from sculpt.checks.identities.entries import Entries, Hashing, joined
from sculpt.checks.identities.judge import Suspects
from sculpt.checks.identities.table import EntryTable, all_of
from sculpt.checks.identities.tables import TableFile
from sculpt.checks.identities.violations import NONE, Files, Taker, offences
from sculpt.core import ir
from sculpt.kernels.backend import Backend
from sculpt.values import frozen

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

    Array = np.ndarray[Any, Any]

_MAX_KEPT = 256
"""Of an entry with more bytes, the digest is kept."""


@frozen
class SideFiles:
    """The files of one side of an identity."""

    files: Files
    tables: dict[int, tuple[TableFile, int]]
    """By number of a file: the file, and the index of the side in it."""

    @property
    def parts(self) -> tuple[ir.CorePart, ...]:
        """The parts of the side."""
        table, ix = next(iter(self.tables.values()))
        return table.sides[ix].parts

    @property
    def has_plain_texts(self) -> bool:
        """Are its texts compared as they are?"""
        return bool(self.tables) and not any(part.bases or part.items for part in self.parts)

    @property
    def backend(self) -> Backend:
        """The kernels of its files; compiled ones, if any file has them."""
        found = [table.backend for table, _ in self.tables.values()]
        return next((each for each in found if each.is_compiled), found[0])

    def arrays(self, places: Array) -> Iterator[tuple[Array, list[pa.Array | None]]]:
        """The texts of entries by their places, which are in order: some indices, the texts."""
        import numpy as np

        owners = self.files.index(places)
        for owner in np.unique(owners).tolist():
            which = np.flatnonzero(owners == owner)
            table, ix = self.tables[self.files.numbers[owner]]
            for found, parts in table.texts_at(ix, places[which] - self.files.bases[owner]):
                yield which[found], parts

    def texts(
        self, places: Array, items: Array
    ) -> Iterator[tuple[int, int, TableFile, int, tuple[str, ...]]]:
        """Entries by their places, which are in order: index, row start, file, side, texts."""
        import numpy as np

        owners = self.files.index(places)
        for owner in np.unique(owners).tolist():
            which = np.flatnonzero(owners == owner)
            base = self.files.bases[owner]
            table, ix = self.tables[self.files.numbers[owner]]
            own = items[which] if len(items) else items
            for found, starts, parts in table.entries_at(ix, places[which] - base, own):
                for at, start, each in zip(which[found].tolist(), starts, parts, strict=True):
                    yield at, start, table, ix, each


def confirm_key(side: SideFiles, suspects: Suspects, collector: Taker) -> None:
    """Find the suspects that are equal to an earlier one."""
    import numpy as np

    entries = _in_order(suspects.left)
    classes = _classes(side, entries)
    if classes is not None:
        is_again = np.ones(len(entries), np.bool_)
        is_again[classes.firsts] = False
        again = np.flatnonzero(is_again)
        others = entries.places[classes.firsts[classes.numbers[again]]]
        _report(collector, entries, again, others)
        return
    firsts: dict[bytes, int] = {}
    which, places = list[int](), list[int]()
    for at, key in _keys(side, entries):
        place = int(entries.places[at])
        first = firsts.setdefault(key, place)
        if first != place:
            which.append(at)
            places.append(first)
    _report(collector, entries, which, places)


def confirm_reference(
    left: SideFiles, right: SideFiles, several: bool, suspects: Suspects, collector: Taker
) -> None:
    """Find the suspects on the left that are equal to none, or to several, on the right."""
    import numpy as np

    rights, entries = _in_order(suspects.right), _in_order(suspects.left)
    classes = _classes(right, rights)
    if classes is not None and left.has_plain_texts:
        numbers = classes.of(entries)
        is_equal = classes.equal(left, entries, numbers)
        if is_equal is not None:
            counts = np.bincount(classes.numbers, minlength=len(classes.firsts))
            firsts = rights.places[classes.firsts[numbers]]
            is_wrong = ~is_equal if several else ~is_equal | (counts[numbers] > 1)
            which = np.flatnonzero(is_wrong)
            _report(collector, entries, which, np.where(is_equal, firsts, NONE)[which])
            return
    targets: dict[bytes, tuple[int, int]] = {}
    for at, key in _keys(right, rights):
        place = int(rights.places[at])
        first, count = targets.get(key, (place, 0))
        targets[key] = (first, count + 1)
    found, others = list[int](), list[int]()
    for at, key in _keys(left, entries):
        first, count = targets.get(key, (NONE, 0))
        if count == 0 or (count > 1 and not several):
            found.append(at)
            others.append(first)
    _report(collector, entries, found, others)


class _Classes:
    """Entries with the same hash, all of which are equal to the first of them."""

    def __init__(self, table: EntryTable, numbers: Array, firsts: Array) -> None:
        self._table = table
        self.numbers, self.firsts = numbers, firsts
        """By entry: its class; by class: its first entry."""
        self.texts: list[pa.Array] = []
        """By part: the texts of the firsts."""

    def of(self, entries: Entries) -> Array:
        """The classes of other entries, all of which have one."""
        import numpy as np

        everything = np.ones(len(self.firsts), np.uint8)
        _, numbers = self._table.seek(all_of(entries), 1, 0, everything)
        assert len(numbers) == len(entries), "suspects on the left have one on the right"
        return numbers

    def equal(self, side: SideFiles, entries: Entries, numbers: Array) -> Array | None:
        """By entry: is its text that of its class? `None` if some text cannot be compared so."""
        import numpy as np
        import pyarrow as pa
        import pyarrow.compute as pc

        found = np.ones(len(entries), np.bool_)
        for which, parts in side.arrays(entries.places):
            for part, texts in enumerate(parts):
                if texts is None:
                    return None
                wanted = self.texts[part].take(pa.array(numbers[which]))
                found[which] &= pc.equal(texts, wanted).to_numpy(zero_copy_only=False)
        return found


def _classes(side: SideFiles, entries: Entries) -> _Classes | None:
    """The classes of some entries; `None` if one has different texts, or they are not plain."""
    import pyarrow as pa

    if not side.has_plain_texts or not len(entries):
        return None
    table = EntryTable(side.backend, Hashing(0))
    classes = _Classes(table, *table.numbers(entries))
    texts: list[list[pa.Array]] = [[] for _ in side.parts]
    for _, parts in side.arrays(entries.places[classes.firsts]):
        for own, each in zip(texts, parts, strict=True):
            if each is None:
                return None
            own.append(each)
    classes.texts = [pa.concat_arrays(each) for each in texts]
    if len(classes.firsts) == len(entries):
        return classes
    is_equal = classes.equal(side, entries, classes.numbers)
    return classes if is_equal is not None and is_equal.all() else None


def _in_order(parts: list[Entries]) -> Entries:
    import numpy as np

    found = joined(parts)
    keys = (found.items, found.places) if found.has_items else (found.places,)
    return found.at(np.lexsort(keys))


def _keys(side: SideFiles, entries: Entries) -> Iterator[tuple[int, bytes]]:
    from hashlib import blake2b

    for at, _, table, ix, parts in side.texts(entries.places, entries.items):
        key = table.exact(ix, parts)
        yield at, key if len(key) <= _MAX_KEPT else blake2b(key).digest()


def _report(collector: Taker, entries: Entries, which: Sequence[int] | Array, others: Any) -> None:
    import numpy as np

    if len(which):
        found = entries.at(np.array(which, np.int64))
        collector.add(offences(found.places, found.items, np.array(others, np.int64)))
