"""The texts of selected cells, many at a time.

In: machines, data, and places: the column of a cell, and where its row begins in the data. Out: the
text of each cell as tokens see it; `None` for a padded one. Rows that are close together are
scanned again as one piece, by a scanner that reads no token but notes where texts are, so the cost
of the plain reader is paid only for what kernels cannot read: a broken or undecodable cell, an
escape inside quotes, a dialect with escapes outside quotes.

Invariant: the texts are those of `tabular.grid`. Cost: a scan of the pieces, and one step in Python
for each cell; the plain reader is slower by an order of magnitude. Memory: a piece, which has at
least one row. Needs no numpy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeAlias

from sculpt.automata.coding import Coding
from sculpt.automata.scan_table import ScanTable
from sculpt.automata.scanner import Scanner
from sculpt.automata.texts.reader import TextReader
from sculpt.engines.data import Data
from sculpt.engines.machines import Hints, Machines
from sculpt.engines.scan.blocks import ScanPoint, finish, scan
from sculpt.engines.scan.contents import Contents
from sculpt.tabular.grid import Cell
from sculpt.values import replace

CellPlace: TypeAlias = tuple[int, int, int]
"""Row, column, and where the row begins in the data."""

_PIECE = 1 << 20
_APART = 1 << 15
"""Rows that begin further apart than this are read on their own."""
_FIRST_READ = 1 << 13


class CellTexts:
    """Reads the texts of cells of one table."""

    def __init__(
        self, machines: Machines, data: Data, read_row: Callable[[int], Sequence[Cell]]
    ) -> None:
        """`read_row` reads the cells of a row that begins somewhere, with the plain reader."""
        self._data = data
        self._read_row = read_row
        dialect = machines.task.schema.dialect
        scanner = Scanner(dialect, TextReader([], Coding(data.codec)))
        table = ScanTable(scanner, machines.backend, notes_texts=True)
        self._machines = replace(machines, table=table, hints=Hints(), facts={})
        self._contents = Contents(dialect, data.codec)

    def of(self, places: Iterable[CellPlace]) -> list[str | None]:
        """The texts of cells, which are in the order of the table."""
        listed = list(places)
        if self._contents.is_plain_only:
            return list(self._read(listed))
        texts: list[str | None] = []
        begin = 0
        for at in range(1, len(listed) + 1):
            if at < len(listed):
                first, before, start = listed[begin][2], listed[at - 1][2], listed[at][2]
                if start - first < _PIECE and start - before < _APART:
                    continue
            texts += self._scanned(listed[begin:at])
            begin = at
        return texts

    # ------------------------------------------------------------- with the scanner

    def _scanned(self, places: list[CellPlace]) -> Iterator[str | None]:
        """The texts of cells in rows that are close together."""
        base = places[0][2]
        window, cells_of, letters, texts = self._scan(base, places[-1][2])
        broken, codec = self._machines.broken(), self._data.codec
        start, first, last = -1, 0, 0
        for place in places:
            if place[2] != start:
                start = place[2]
                first, last = cells_of[start]
            cell = first + place[1] - 1
            if cell >= last:
                yield None
                continue
            raw = window[int(texts[2 * cell]) - base : int(texts[2 * cell + 1]) - base]
            content = None if broken[int(letters[cell])] else self._contents.of(raw)
            try:
                text = None if content is None else content.decode(codec)
            except UnicodeDecodeError:
                text = None
            yield self._read_row(start)[place[1] - 1].text if text is None else text

    def _scan(self, base: int, last: int) -> tuple[bytes, dict[int, tuple[int, int]], Any, Any]:
        """Scan from the start of one row to the end of another.

        Out: the bytes; for each row, by its start, its cells; the letters and places of all cells.
        """
        size = last - base + _FIRST_READ
        point = ScanPoint(base, self._machines.table.start, base)
        while True:
            window = self._data.window(base, base + size)
            block, after = scan(self._machines, window, base, point)
            starts = [base + int(start) for start in block.row_starts[: block.rows]]
            if len(window) < size or (starts and starts[-1] >= last):
                break
            self._machines.buffers.recycle([block])
            size = 4 * size
        letters, texts = block.letters[: block.cells], block.places[: 2 * block.cells]
        ends = [int(end) for end in block.row_cells[: block.rows]]
        if not starts or starts[-1] < last:  # the file ends in the last row
            end = finish(self._machines, after)
            backend = self._machines.backend
            letters = backend.joined([letters, end.letters[: end.cells]])
            texts = backend.joined([texts, end.places[: 2 * end.cells]])
            starts.append(last)
            ends.append(block.cells + (int(end.row_cells[0]) if end.rows else end.cells))
        rows = dict(zip(starts, zip([0, *ends], ends, strict=False), strict=True))
        return window, rows, letters, texts

    # ------------------------------------------------------------- with the plain reader

    def _read(self, places: Iterable[CellPlace]) -> Iterator[str | None]:
        start, cells = -1, list[Cell]()
        for _, column, begin in places:
            if begin != start:
                start, cells = begin, list(self._read_row(begin))
            yield cells[column - 1].text if column <= len(cells) else None
