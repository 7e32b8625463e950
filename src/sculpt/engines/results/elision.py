"""Rows too long to read again in full: their long cells are read without the middle.

In: machines, data, and where a row begins and ends. Out: the stretches of the row to keep. Together
they spell a row with the same cells, which carry the same tokens and have the same defects.

If the scanner is in the same state at two bytes, and no cell ends in between, it goes on from both
in the same way, so the bytes in between can be left out. The scanner here reads every token of the
schema, not just those of the rules. Of each cell, the end is kept and more of the beginning than a
report looks at (`LONG`).

A cell of which only the value of the whole text tells what it matches is kept whole.

Invariant: a shortened cell still has more than `LONG` characters, so it is described as the long
cell that it is. Cost: the row is scanned twice, a window at a time, and what is kept is read.
Memory: a window and what is kept. If no state recurs, or there are too many states, the row is kept
whole.
"""

from __future__ import annotations

from sculpt.automata.coding import Coding
from sculpt.automata.scan_table import ScanTable
from sculpt.automata.scanner import Scanner
from sculpt.automata.texts.reader import TextReader
from sculpt.engines.data import Data
from sculpt.engines.machines import Machines
from sculpt.engines.messages import words
from sculpt.engines.scan.blocks import ScanPoint, scan
from sculpt.errors import UnsupportedByEngine
from sculpt.values import replace

_CONTINUATION = range(0x80, 0xC0)
"""The bytes that continue a character of UTF-8."""
_HEAD, _TAIL = 5, 2
"""How many windows are kept at the beginning and at the end of a cell. A window has `2 * LONG`
bytes, and a character with its escape at most 8: so the first five have more than `LONG`."""


def is_long_row(size: int) -> bool:
    """Is a row of `size` bytes worth shortening?"""
    return size > 16 * words.LONG


def row_end(machines: Machines, data: Data, start: int) -> int:
    """Where the row that begins at `start` ends: at the next row, or at the end of the data."""
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
        """The stretches to keep of the row from `start` to `end`.

        All of them begin and end between two characters.
        """
        kept: list[tuple[int, int]] = []
        begin = start
        try:
            stretches = self._stretches(start, end)
        except UnsupportedByEngine:  # some token, perhaps not one of a rule, has too many states
            stretches = []
        for stretch in stretches:
            last = {state: at for at, state in stretch}
            for at, state in stretch:
                if at >= begin and last[state] > at:
                    kept.append((begin, at))
                    begin = last[state]
        return [*kept, (begin, end)]

    def _stretches(self, start: int, end: int) -> list[list[tuple[int, int]]]:
        """For each stretch in which no cell ends: where a gap may begin or end, with the states."""
        machines = self._machines
        found: list[list[tuple[int, int]]] = []
        points: list[tuple[int, int]] = []
        point = ScanPoint(start, machines.table.start, start)
        while point.at < end:
            window = self._window(point.at, end)
            block, point = scan(machines, window, point.at, point, max_rows=1)
            has_ended = bool(block.cells or block.rows)
            machines.buffers.recycle([block])
            if has_ended or machines.table.config_at(point.state).text.empty:
                found.append(points[_HEAD:-_TAIL])
                points = []
            if block.rows or len(window) < 2 * words.LONG:
                break
            if not self._may_ask(point.state):
                points.append((point.at, point.state))
        return [*found, points[_HEAD:-_TAIL]]

    def _may_ask(self, state: int) -> bool:
        """May the text of the current cell be asked about? Then it is needed whole."""
        table = self._machines.table
        config = table.config_at(state)
        is_open = config.core is not None and config.core.is_open
        return is_open or table.scanner.reader.may_ask(config.text)

    def _window(self, at: int, end: int) -> bytes:
        """The next bytes of a row, up to a point between two characters."""
        size = 2 * words.LONG
        window = self._data.window(at, min(end, at + size + 3))
        if self._data.codec == "utf-8":
            while size < len(window) and window[size] in _CONTINUATION:
                size += 1
        return window[:size]
