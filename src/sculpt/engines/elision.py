"""Rows that are too long to be read again whole, without the middle of their long cells.

In: a program, data, and where a row begins. Out: the stretches of the row that must be kept, so
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
from sculpt.automata.scanner import Scanner
from sculpt.automata.tables import ScanTable
from sculpt.automata.text import TextReader
from sculpt.engines import findings
from sculpt.engines.blocks import Place, scan
from sculpt.engines.data import Data
from sculpt.engines.program import Program
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


def row_end(program: Program, data: Data, start: int) -> int:
    """Where the row ends that begins at a byte: at the next one, or at the end of the data."""
    size = 1 << 13
    place = Place(start, program.table.start, start)
    while True:
        window = data.window(place.at, place.at + size)
        block, after = scan(program, window, place.at, place, max_rows=1)
        for array in block.kept:
            program.buffers.give(array)
        if block.rows:
            return after.begun
        if len(window) < size:
            return place.at + len(window)
        place = after
        size = min(4 * size, 1 << 20)


class Elision:
    """Shortens the rows of one table."""

    def __init__(self, program: Program, data: Data) -> None:
        schema = program.task.schema
        reader = TextReader(schema.tokens.values(), Coding(data.codec))
        table = ScanTable(Scanner(schema.dialect, reader), program.backend)
        self._program = replace(program, table=table)
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
        program = self._program
        found: list[list[tuple[int, int]]] = []
        marks: list[tuple[int, int]] = []
        place = Place(start, program.table.start, start)
        while place.at < end:
            window = self._window(place.at, end)
            block, place = scan(program, window, place.at, place, max_rows=1)
            has_ended = bool(block.cells or block.rows)
            for array in block.kept:
                program.buffers.give(array)
            if has_ended or program.table.config_at(place.state).text.empty:
                found.append(marks[_HEAD:-_TAIL])
                marks = []
            if block.rows or len(window) < 2 * findings.LONG:
                break
            marks.append((place.at, place.state))
        return [*found, marks[_HEAD:-_TAIL]]

    def _window(self, at: int, end: int) -> bytes:
        """Some bytes of a row, up to a place between two characters."""
        size = 2 * findings.LONG
        window = self._data.window(at, min(end, at + size + 3))
        if self._data.codec == "utf-8":
            while size < len(window) and window[size] in _CONTINUATION:
                size += 1
        return window[:size]
