"""The lines of a file, counted once: on which line any row begins.

In: the pieces of some data, in any order, as threads read them. Out: the line at any byte, as a
text editor counts. Invariant: it is the line that `Details` would count from the start of the data.
Cost: one look at each byte as it is read; later, at the bytes of one piece. Memory: two numbers a
piece.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

from sculpt.kernels.backend import Backend

Read: TypeAlias = Callable[[int, int], bytes]

_WINDOW = 1 << 20
_LINE_FEED = 10


def line_ends(data: bytes | bytearray, backend: Backend | None = None) -> int:
    """How many line ends some bytes have; two characters may be one.

    With a backend, other threads go on meanwhile.
    """
    if backend is None:
        found = data.count(b"\n")
    else:
        found = int(backend.count_bytes(backend.buffer(data), _LINE_FEED))
    if b"\r" in data:  # much faster to find out than to count
        found += data.count(b"\r") - data.count(b"\r\n")
    return found


class LineCounts:
    """How many lines end in the pieces of some data."""

    def __init__(self, skipped: int) -> None:
        self._skipped = skipped
        """Where the text begins."""
        self._ends: dict[int, tuple[int, int, bool, bool]] = {}
        """By begin of a piece: its length, its line ends, and whether it begins with a line feed
        and ends with a carriage return: together they are one line end."""
        self._sums: tuple[list[int], list[int]] | None = None
        self._reached = (skipped, 1)
        """A byte up to which lines were counted last, and the line there."""

    def add(self, begin: int, data: bytes | bytearray, backend: Backend | None = None) -> None:
        """Count the line ends of a piece; a piece that is counted again changes nothing."""
        if data:
            ends = line_ends(data, backend)
            facts = (len(data), ends, data.startswith(b"\n"), data.endswith(b"\r"))
            self._ends[begin] = facts
            self._sums = None

    def at(self, start: int, read: Read) -> int:
        """The line on which a byte lies."""
        begins, sums = self._summed()
        ix = bisect_right(begins, start) - 1
        at, line = (begins[ix], sums[ix]) if ix >= 0 else (self._skipped, 1)
        if at <= self._reached[0] <= start:
            at, line = self._reached
        ends_with_return = at > self._skipped and read(at - 1, at) == b"\r"
        while at < start:
            data = read(at, min(start, at + _WINDOW))
            if not data:
                break
            line += line_ends(data)
            line -= ends_with_return and data.startswith(b"\n")
            ends_with_return = data.endswith(b"\r")
            at += len(data)
        self._reached = at, line
        # A row may begin inside a line end, which has not ended then.
        return line - (ends_with_return and read(at, at + 1) == b"\n")

    def _summed(self) -> tuple[list[int], list[int]]:
        """Where pieces begin, without a gap from the first on, and the line at each."""
        if self._sums is None:
            begins: list[int] = []
            lines: list[int] = []
            at, line, was_return = self._skipped, 1, False
            for begin, (size, ends, is_feed, is_return) in sorted(self._ends.items()):
                if begin + size <= at:
                    continue
                if begin > at:
                    break
                begins.append(begin)
                lines.append(line)
                line += ends - (was_return and is_feed)
                at, was_return = begin + size, is_return
            self._sums = begins, lines
        return self._sums


class LinesOfRows(Mapping[int, int]):
    """By row: its line, for rows whose place in the data is known."""

    def __init__(self, counts: LineCounts, starts: Mapping[int, int], read: Read) -> None:
        self._counts, self._starts, self._read = counts, starts, read

    def __getitem__(self, row: int) -> int:
        return self._counts.at(self._starts[row], self._read)

    def __contains__(self, row: object) -> bool:
        return row in self._starts

    def __iter__(self) -> Iterator[int]:
        return iter(self._starts)

    def __len__(self) -> int:
        return len(self._starts)
