"""The violations of a key or reference, as places: counted, and the first of them kept.

In: places of entries that violate, in any order. Out: how many there are in each file, the first of
each file, and all of them if they are not too many. Places are numbers of cells, counted through
all files of a side; `Files` knows which cells are whose.

Invariant: what is kept does not depend on the order in which places come. Cost: a sort now and
then. Memory: `most` places at once, and the first `limit` of each file.
"""

from __future__ import annotations

import threading
from bisect import bisect_right
from typing import TYPE_CHECKING, Any, Protocol

from sculpt.values import frozen

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, Any]

MOST = 1 << 20
"""How many violations of one statement are kept at a time."""
NONE = -1
"""Instead of the place of another entry: there is none."""


class Files:
    """The files whose entries are in one set, and how their cells are numbered."""

    def __init__(self) -> None:
        self.numbers: list[int] = []
        """By file: its number in the run."""
        self.bases: list[int] = []
        self._end = 0

    def add(self, number: int) -> int:
        """Add a file; returns the number of its first cell."""
        self.numbers.append(number)
        self.bases.append(self._end)
        return self.bases[-1]

    def end(self, cells: int) -> None:
        """Say how many cells the last file has, before the next is added."""
        self._end = self.bases[-1] + cells

    def of(self, place: int) -> tuple[int, int]:
        """The number of the file that a cell is in, and of the cell in it, from 0."""
        ix = bisect_right(self.bases, place) - 1
        return self.numbers[ix], place - self.bases[ix]

    def index(self, places: Array) -> Array:
        """The same for many cells: by cell, the index of the file in `numbers`."""
        import numpy as np

        return np.searchsorted(np.array(self.bases, np.int64), places, side="right") - 1

    def range_of(self, number: int) -> tuple[int, int]:
        """The first cell of a file, and the first after it."""
        ix = self.numbers.index(number)
        return self.bases[ix], self.bases[ix + 1] if ix + 1 < len(self.bases) else self._end


@frozen
class Offences:
    """Some violations, as arrays: where, which item, and the other entry if there is one.

    In order: by place; those without another entry first, as their code comes first; by item.
    """

    places: Array
    items: Array
    """0 if no part is a list."""
    others: Array
    """The place of the first equal entry; `NONE` if an entry refers to nothing."""

    def __len__(self) -> int:
        return len(self.places)

    def last(self) -> tuple[int, int, int]:
        """The last one: its place, whether it has another entry, its item."""
        return int(self.places[-1]), int(self.others[-1] >= 0), int(self.items[-1])

    def at(self, which: Any) -> Offences:
        """Those at some places of the arrays."""
        return Offences(self.places[which], self.items[which], self.others[which])


def offences(places: Array, items: Array, others: Array | int) -> Offences:
    """Violations; `items` may be empty, and `others` may be one number for all."""
    import numpy as np

    count = len(places)
    own = items if len(items) else np.zeros(count, np.int64)
    return Offences(places, own, np.broadcast_to(np.asarray(others, np.int64), (count,)))


class Taker(Protocol):
    """Takes violations."""

    def add(self, found: Offences) -> None:
        """Take some violations; several threads may call this."""


class OutsideRuns:
    """Takes the equal entries of a key in runs, and hands on those that begin another run.

    All equal entries have the same first entry, so those of a run are in one group of it, in rows
    that follow each other. Memory: all equal entries, 24 bytes for each.
    """

    def __init__(self, collector: Collector, base: int, width: int) -> None:
        """`base` is the number of the first cell of the file, `width` how many a row has."""
        self._collector, self._base, self._width = collector, base, width
        self._found: list[Offences] = []

    def add(self, found: Offences) -> None:
        """Take some entries that are there before."""
        self._found.append(found)

    def finish(self) -> None:
        """Hand on what is a violation, once all were taken."""
        import numpy as np

        if not self._found:
            return
        found = Offences(
            np.concatenate([each.places for each in self._found]),
            np.concatenate([each.items for each in self._found]),
            np.concatenate([each.others for each in self._found]),
        )
        found = found.at(np.lexsort([found.places, found.others]))
        rows = (found.places - self._base) // self._width
        before = np.concatenate([rows[:1], rows[:-1]])
        is_new = np.diff(found.others, prepend=NONE) != 0
        before[is_new] = (found.others[is_new] - self._base) // self._width
        self._collector.add(found.at(rows - before > 1))


class Collector:
    """Takes the violations of a statement."""

    def __init__(
        self,
        files: Files,
        limit: int,
        window: tuple[int, int] | None = None,
        after: tuple[int, int, int] = (-1, 0, 0),
        most: int = MOST,
    ) -> None:
        """With a `window`, only places in it count, and only what comes `after` an offence."""
        self._files, self._limit, self._most = files, limit, most
        self._window, self._after = window, after
        self._adding = threading.Lock()
        self._kept: list[Offences] = []
        self._size = 0
        self.is_complete = True
        """Are all violations kept?"""
        self.counts: dict[int, int] = {}
        """By index of a file: how many violations it has."""
        self.on_places: Any = None
        """Called with the places of violations, in any order."""

    def add(self, found: Offences) -> None:
        """Take some violations; several threads may call this."""
        if len(found):
            with self._adding:
                self._add(found)

    def _add(self, found: Offences) -> None:
        import numpy as np

        if self._window is not None:
            begin, end = self._window
            place, has_other, item = self._after
            own = (found.places >= begin) & (found.places < end)
            same, has_others = found.places == place, found.others >= 0
            later = (found.places > place) | (same & (has_others > bool(has_other)))
            later |= same & (has_others == bool(has_other)) & (found.items > item)
            found = found.at(own & later)
        if not len(found):
            return
        owners, counts = np.unique(self._files.index(found.places), return_counts=True)
        for owner, count in zip(owners.tolist(), counts.tolist(), strict=True):
            self.counts[owner] = self.counts.get(owner, 0) + count
        if self.on_places is not None:
            self.on_places(found.places)
        self._kept.append(found)
        self._size += len(found)
        if self._size > 2 * self._most:
            self._drop()

    def _drop(self) -> None:
        """Keep the first violations only: of a window, the first of all; else, of each file."""
        import numpy as np

        found = self._sorted()
        self.is_complete = False
        if self._window is not None:
            found = found.at(slice(self._most))
        else:
            owners = self._files.index(found.places)
            begins = np.searchsorted(owners, owners)
            found = found.at(np.arange(len(found)) - begins < self._limit)
        self._kept, self._size = [found], len(found)

    def _sorted(self) -> Offences:
        import numpy as np

        if not self._kept:
            none = np.empty(0, np.int64)
            return Offences(none, none, none)
        found = Offences(
            np.concatenate([each.places for each in self._kept]),
            np.concatenate([each.items for each in self._kept]),
            np.concatenate([each.others for each in self._kept]),
        )
        return found.at(np.lexsort((found.items, found.others >= 0, found.places)))

    def result(self) -> Offences:
        """What was kept, in order."""
        found = self._sorted()
        self._kept, self._size = [found], len(found)
        return found
