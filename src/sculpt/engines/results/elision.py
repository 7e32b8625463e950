"""Rows that are too long to be read again whole, without the middle of their long cells.

In: machines, data, and where a row begins. Out: the stretches of the row that must be kept, so
that what they spell has the same cells, which carry the same tokens and the same defects.

A scanner that is in the same state at two bytes, with no cell ending in between, goes on from both
alike: so the bytes in between can be left out. The scanner here reads every token of the schema,
not just those of the rules. Of each cell the beginning of its text is kept, longer than all that a
report looks at (`LONG`), and its end.

Invariant: a cell that was shortened has still more than `LONG` characters, so whoever describes it
treats it as the long cell that it is. Cost: the row is scanned twice, a window at a time, and what
is kept is read. Memory: a window and what is kept. Where no state comes back, or there are too many
of them, the row stays as it is.
"""

from __future__ import annotations

from sculpt.automata.coding import Coding
from sculpt.automata.scan_table import ScanTable
from sculpt.automata.scanner import Scanner
from sculpt.automata.text_reader import TextReader
from sculpt.engines.data import Data
from sculpt.engines.machines import Machines
from sculpt.engines.messages import narrator as findings
from sculpt.engines.scan.blocks import ScanPoint, scan
from sculpt.errors import UnsupportedByEngine
from sculpt.values import replace

_CONTINUATION = range(0x80, 0xC0)
"""The bytes with which no character of UTF-8 begins."""
_HEAD, _TAIL = 5, 2
"""Windows of a cell that are kept: of `2 * LONG` bytes each, and a character with an escape has at
most 8, so the first are more than `LONG` characters."""


def is_long_row(size: int) -> bool:
    """Is a row of that many bytes worth the effort?"""
    return size > 16 * findings.LONG


def row_end(machines: Machines, data: Data, start: int) -> int:
    """Where the row ends that begins at a byte: at the next one, or at the end of the data."""
    size = 1 << 13
    point = ScanPoint(start, machines.table.start, start)
    while True:
        window = data.window(point.at, point.at + size)
        block, after = scan(machines, window, point.at, point, max_rows=1)
        machines.buffers.recycle([block])
        if block.rows:
            return after.begun
        if len(window) < size:
            return point.at + len(window)
        point = after
        size = min(4 * size, 1 << 20)


class Elision:
    """Shortens the rows of one table."""

    def __init__(self, machines: Machines, data: Data) -> None:
        schema = machines.task.schema
        reader = TextReader(schema.tokens.values(), Coding(data.codec))
        table = ScanTable(Scanner(schema.dialect, reader), machines.backend)
        self._machines = replace(machines, table=table)
        self._data = data

    def kept(self, start: int, end: int) -> list[tuple[int, int]]:
        """The stretches of a row that spell the same cells, from `start` to `end`.

        All of them begin and end between two characters.
        """
        kept: list[tuple[int, int]] = []
        begin = start
        try:
            stretches = self._stretches(start, end)
        except UnsupportedByEngine:  # a token that no rule may use has too many states
            stretches = []
        for stretch in stretches:
            last = {state: at for at, state in stretch}
            for at, state in stretch:
                if at >= begin and last[state] > at:
                    kept.append((begin, at))
                    begin = last[state]
        return [*kept, (begin, end)]

    def _stretches(self, start: int, end: int) -> list[list[tuple[int, int]]]:
        """For each stretch in which no cell ends: where bytes may be left out, and the states."""
        machines = self._machines
        found: list[list[tuple[int, int]]] = []
        marks: list[tuple[int, int]] = []
        point = ScanPoint(start, machines.table.start, start)
        while point.at < end:
            window = self._window(point.at, end)
            block, point = scan(machines, window, point.at, point, max_rows=1)
            has_ended = bool(block.cells or block.rows)
            machines.buffers.recycle([block])
            if has_ended or machines.table.config_at(point.state).text.empty:
                found.append(marks[_HEAD:-_TAIL])
                marks = []
            if block.rows or len(window) < 2 * findings.LONG:
                break
            marks.append((point.at, point.state))
        return [*found, marks[_HEAD:-_TAIL]]

    def _window(self, at: int, end: int) -> bytes:
        """Some bytes of a row, up to a point between two characters."""
        size = 2 * findings.LONG
        window = self._data.window(at, min(end, at + size + 3))
        if self._data.codec == "utf-8":
            while size < len(window) and window[size] in _CONTINUATION:
                size += 1
        return window[:size]
