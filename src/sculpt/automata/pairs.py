"""Two bytes at a time: the steps of the scanner squared, for the states that data is mostly in.

In: a `ScanTable` and bytes that have been scanned with it. Out: `Pairs`: a table by state and class
of two bytes, for the kernel `scan_pairs`. Only states that a sample of the data was in have a row,
and bytes that none of them tells apart share a class: so the table fits the processor's caches.

Invariant: an entry is what two steps of the `ScanTable` give, or says that they must be taken. So
the table may be old, or of other data: that costs time, and never the answer. Cost: states times
classes squared, some milliseconds; so it is made anew seldom, when the scanner has learnt more.
"""

from __future__ import annotations

import threading
from typing import Any, NamedTuple

from sculpt.automata.tables import ScanTable

SAMPLE = 1 << 16
MAX_PAIRS = 1 << 18
"""Entries, of eight bytes."""
MAX_SLOW = 0.02
"""If more of the pairs than this are not in the table it is made anew, or given up."""
MAX_TRIES = 8


class PairArrays(NamedTuple):
    """What `scan_pairs` takes."""

    pairs: Any
    classes: Any
    count: Any
    states: Any
    rows: Any
    width: Any


class Pairs:
    """The table of pairs, shared by all threads."""

    def __init__(self, table: ScanTable) -> None:
        self.table = table
        self.arrays: PairArrays | None = None
        self._tries = 0
        self._known = 0
        self._lock = threading.Lock()

    def learn(self, buffer: Any, begin: int, slow: float) -> None:
        """Look at some bytes, which begin a row, and at how much of them was slow.

        Makes the table if there is none, or if it was of little use.
        """
        if self._tries >= MAX_TRIES or (self.arrays is not None and slow <= MAX_SLOW):
            return
        with self._lock:
            if self._tries < MAX_TRIES and (self.arrays is None or self._known < self.table.filled):
                self._tries += 1
                self._known = self.table.filled
                self.arrays = self._made(buffer, begin)
            elif slow > MAX_SLOW:
                self._tries, self.arrays = MAX_TRIES, None

    def _made(self, buffer: Any, begin: int) -> PairArrays | None:
        import numpy as np

        backend, width = self.table.backend, self.table.width
        # A copy, since other threads go on learning: all that follows must see the same entries.
        table, classes = self.table.table.copy(), self.table.classes
        count = len(table) // width
        visits = backend.zeros(count)
        end = min(len(buffer), begin + SAMPLE)
        unsigned = np.uint64
        backend.count_visits(
            buffer, table, classes, unsigned(width), unsigned(self.table.start), begin, end, visits
        )
        order = np.argsort(-visits, kind="stable")
        hot = order[visits[order] > 0]
        square = table.reshape(count, width)
        while len(hot):
            # Classes whose entries are alike for all these states are one class.
            _, examples, merged = np.unique(
                square[hot], axis=1, return_index=True, return_inverse=True
            )
            if (len(hot) + 1) * len(examples) ** 2 <= MAX_PAIRS:
                break
            hot = hot[: len(hot) // 2]
        else:
            return None
        states = np.concatenate([[0], hot * width]).astype(np.uint64)
        rows = np.zeros(count, dtype=np.uint64)
        rows[hot] = np.arange(1, len(hot) + 1)
        pairs = np.zeros(len(states) * len(examples) ** 2, dtype=np.uint64)
        backend.compose_pairs(
            table, examples.astype(np.uint64), states, rows, unsigned(width), pairs
        )
        of_byte = merged.reshape(-1)[classes.astype(np.int64)]
        # The first byte of two is the low half of the number.
        of_two = (of_byte[:, None] * len(examples) + of_byte[None, :]).T.reshape(-1)
        return PairArrays(
            pairs,
            of_two.astype(np.uint16),
            unsigned(len(examples) ** 2),
            states,
            rows,
            unsigned(width),
        )
