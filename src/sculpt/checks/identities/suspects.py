"""Entries with the same hash, compared by their texts.

In: the places of entries whose hashes are met more than once. Out: violations. The texts are read
again in the order of the files, and looked up in a dictionary; of a long entry, the dictionary has
a cryptographic digest of its bytes, so memory does not grow with the texts.

Cost: one scan of the strips that have suspects, and a look-up for each suspect.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from sculpt.checks.identities.entries import Entries, joined
from sculpt.checks.identities.judge import Suspects
from sculpt.checks.identities.tables import TableFile
from sculpt.checks.identities.violations import NONE, Collector, Files, offences
from sculpt.values import frozen

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, Any]

_MAX_KEPT = 256
"""Of an entry with more bytes, the digest is kept."""


@frozen
class SideFiles:
    """The files of one side of an identity."""

    files: Files
    tables: dict[int, tuple[TableFile, int]]
    """By number of a file: the file, and the index of the side in it."""

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


def confirm_key(side: SideFiles, suspects: Suspects, collector: Collector) -> None:
    """Find the suspects that are equal to an earlier one."""
    firsts: dict[bytes, int] = {}
    entries = _in_order(suspects.left)
    again, others = list[int](), list[int]()
    for at, key in _keys(side, entries):
        place = int(entries.places[at])
        first = firsts.setdefault(key, place)
        if first != place:
            again.append(at)
            others.append(first)
    _report(collector, entries, again, others)


def confirm_reference(
    left: SideFiles, right: SideFiles, several: bool, suspects: Suspects, collector: Collector
) -> None:
    """Find the suspects on the left that are equal to none, or to several, on the right."""
    targets: dict[bytes, tuple[int, int]] = {}
    entries = _in_order(suspects.right)
    for at, key in _keys(right, entries):
        place = int(entries.places[at])
        first, count = targets.get(key, (place, 0))
        targets[key] = (first, count + 1)
    entries = _in_order(suspects.left)
    which, others = list[int](), list[int]()
    for at, key in _keys(left, entries):
        first, count = targets.get(key, (NONE, 0))
        if count == 0 or (count > 1 and not several):
            which.append(at)
            others.append(first)
    _report(collector, entries, which, others)


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


def _report(collector: Collector, entries: Entries, which: list[int], others: list[int]) -> None:
    import numpy as np

    if which:
        found = entries.at(np.array(which, np.int64))
        collector.add(offences(found.places, found.items, np.array(others, np.int64)))
