"""Two bytes at a time: pairs of scanner steps, for the states that the data visits most.

In: a `ScanTable` and bytes that have been scanned with it. Out: `Pairs`: a table indexed by state
and class of byte pair, for the kernel `scan_pairs`. Only states met in a sample of the data have a
row, and bytes that none of these states distinguishes share a class, so the table fits the
processor's caches.

Invariant: an entry is what two steps of the `ScanTable` give, or says that they must be taken one
by one. So a table that is out of date, or made from other data, costs time but never changes the
answer. Cost: states times classes squared, a few milliseconds; so the table is rebuilt rarely, and
only after the scanner has learnt more.
"""

from __future__ import annotations

import threading
from array import array
from typing import Any, NamedTuple

from sculpt.automata.scan_table import ScanTable

SAMPLE = 1 << 16
MAX_PAIRS = 1 << 18
"""Entries of eight bytes each."""
MAX_SLOW = 0.02
"""If a larger share of the pairs is missing from the table, it is rebuilt or given up."""
MAX_TRIES = 8


class PairArrays(NamedTuple):
    """What `scan_pairs` takes."""

    pairs: Any
    classes: Any
    pair_count: int
    states: Any
    rows: Any
    width: int


class Pairs:
    """The table of pairs, shared by all threads."""

    def __init__(self, table: ScanTable) -> None:
        self.table = table
        self.arrays: PairArrays | None = None
        self._tries = 0
        self._known = 0
        self._lock = threading.Lock()

    def learn(self, buffer: Any, begin: int, slow: float) -> None:
        """Build the table if there is none yet, or if it was of little use.

        `buffer` has a row that begins at `begin`; `slow` is the share of pairs not in the table.
        """
        if self._tries >= MAX_TRIES or (self.arrays is not None and slow <= MAX_SLOW):
            return
        with self._lock:
            if self._tries < MAX_TRIES and (self.arrays is None or self._known < self.table.filled):
                self._tries += 1
                self._known = self.table.filled
                self.arrays = self._build(buffer, begin)
            elif slow > MAX_SLOW:
                self._tries, self.arrays = MAX_TRIES, None

    def _build(self, buffer: Any, begin: int) -> PairArrays | None:
        backend, width = self.table.backend, self.table.width
        # A copy, since other threads keep filling the table: all that follows must see one state.
        table, classes = backend.copied(self.table.table), self.table.classes
        count = len(table) // width
        visits = backend.zeros(count)
        end = min(len(buffer), begin + SAMPLE)
        backend.count_visits(buffer, table, classes, width, self.table.start, begin, end, visits)
        hot = sorted((at for at in range(count) if visits[at]), key=lambda at: (-visits[at], at))
        while hot:
            # Classes with the same entries in all these states become one class.
            rows = [table[at * width : (at + 1) * width].tolist() for at in hot]
            merged: dict[tuple[int, ...], int] = {}
            numbers = [merged.setdefault(each, len(merged)) for each in zip(*rows, strict=True)]
            if (len(hot) + 1) * len(merged) ** 2 <= MAX_PAIRS:
                break
            hot = hot[: len(hot) // 2]
        else:
            return None
        examples = [numbers.index(each) for each in range(len(merged))]
        states = backend.unsigned([0, *(at * width for at in hot)])
        row_of = [0] * count
        for row, at in enumerate(hot, 1):
            row_of[at] = row
        pair_rows = backend.unsigned(row_of)
        pairs = backend.unsigned([0] * ((len(hot) + 1) * len(merged) ** 2))
        backend.compose_pairs(table, backend.unsigned(examples), states, pair_rows, width, pairs)
        of_byte = [numbers[int(each)] for each in classes]
        # The first byte of two is the low half of the number.
        lines = [
            array("H", [first * len(merged) + second for first in of_byte]).tobytes()
            for second in range(len(merged))
        ]
        of_two = backend.halves(b"".join(lines[second] for second in of_byte))
        return PairArrays(pairs, of_two, len(merged) ** 2, states, pair_rows, width)
