"""The texts of some cells: those of a window.

In: the machines, the data, where rows begin in it, a range of columns. Out: for each row the texts
of these columns, at most some number of characters of each, as tokens see them; `None` for padding.
The plain reader of `tabular` reads them, many short rows at once. In a long row, a scan notes where
cells begin, and only those of the columns are read; of a long cell, only its beginning, if that is
enough.

Invariant: the texts are those of `tabular.grid`; a byte that cannot be decoded is U+FFFD. Cost:
linear in the rows that are short and in the cells that are read; a long row costs a scan. Memory:
that of the texts, and of a piece of the data.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

from sculpt.automata.coding import Coding
from sculpt.automata.scan_table import ScanTable
from sculpt.automata.scanner import Scanner
from sculpt.automata.texts.reader import TextReader
from sculpt.engines.chunks.spans import start_of_row
from sculpt.engines.data import Data
from sculpt.engines.machines import Machines
from sculpt.engines.results.elision import row_end
from sculpt.engines.scan.blocks import Block, finish, scan
from sculpt.tabular.decoder import UNDECODABLE
from sculpt.tabular.grid import BLANKS, Cell, read_cells, read_grid
from sculpt.values import frozen, replace

LONG = 1 << 16
"""A cell of more bytes is long; short rows are read together up to this many."""
LONG_ROW = 1 << 12
"""A row of more bytes is long: reading all its cells takes longer than a scan."""
KEPT_ROWS = 16
_PIECE = 1 << 20
_MORE = 64
"""How many bytes after a row are enough, nearly always, to see that it has ended."""


@frozen
class CellText:
    """The text of a cell, or its beginning."""

    text: str
    is_cut: bool = False


class RowTexts:
    """The texts of the cells of one table."""

    def __init__(self, machines: Machines, data: Data, limit: int) -> None:
        """`limit` is the most characters of a text."""
        self._machines = machines
        self._data = data
        self._limit = limit
        self._rows: dict[int, tuple[Cell, ...]] = {}
        """By their begin: the last rows that were read for a single cell."""
        dialect = machines.task.schema.dialect
        blanks = "skip" if dialect.blank_rows == "skip" else "keep"
        self._dialect = replace(dialect, blank_rows=blanks)
        self._row_dialect = replace(dialect, blank_rows="keep", comment=None)

    def of(self, starts: Sequence[int], columns: range) -> Iterator[list[CellText | None]]:
        """The texts of consecutive rows, given where they begin."""
        if not starts:
            return
        ends = [*starts[1:], row_end(self._machines, self._data, starts[-1])]
        first = 0
        while first < len(starts):
            last = first + 1
            while last < len(starts) and self._is_read_with(starts, ends, first, last):
                last += 1
            if self._is_long(starts[first], ends[first]):
                yield self._long_row(starts[first], ends[first], columns)
            else:
                for cells in self._read(starts[first], ends[last - 1], last - first):
                    some = cells[columns.start - 1 : columns.stop - 1]
                    yield self._padded([self._shown(cell) for cell in some], columns)
            first = last

    def _is_long(self, start: int, end: int) -> bool:
        """Is a row too long to read all its cells?"""
        return end - start > LONG_ROW and not self._dialect.layouts

    def _is_read_with(
        self, starts: Sequence[int], ends: Sequence[int], first: int, last: int
    ) -> bool:
        """Is a row read together with the rows from another one on?"""
        long = self._is_long(starts[first], ends[first]) or self._is_long(starts[last], ends[last])
        return ends[last] - starts[first] <= LONG and not long

    def cell(self, start: int, column: int) -> Cell | None:
        """A cell of the row that begins at a byte, with its whole text; `None` if it is padded."""
        cells = self._rows.get(start)
        if cells is None:
            end = row_end(self._machines, self._data, start)
            if end - start <= LONG or self._dialect.layouts:
                cells = self._read(start, end, 1)[0]
                if len(self._rows) >= KEPT_ROWS:
                    del self._rows[next(iter(self._rows))]
                self._rows[start] = cells
        if cells is not None:
            return cells[column - 1] if column <= len(cells) else None
        begins = self._begins(start, end, range(column, column + 1))
        return self._cells(begins[0], begins[1], column, 1)[0] if len(begins) > 1 else None

    def _padded(self, texts: list[CellText], columns: range) -> list[CellText | None]:
        return [*texts, *[None] * (len(columns) - len(texts))]

    def _shown(self, cell: Cell) -> CellText:
        text = UNDECODABLE.sub("\ufffd", cell.text[: self._limit])
        return CellText(text, len(cell.text) > self._limit)

    def _read(self, start: int, end: int, count: int) -> list[tuple[Cell, ...]]:
        """The cells of whole rows; what follows the last one may be anything but a row."""
        document, _ = self._data.document(start, end)
        dialect = self._row_dialect if count == 1 else self._dialect
        rows = read_grid(document, dialect).rows
        assert len(rows) >= count, (start, end, count, len(rows))
        return [row.cells for row in rows[:count]]

    # ------------------------------------------------------------- long rows

    def _long_row(self, start: int, end: int, columns: range) -> list[CellText | None]:
        """The texts of some columns of a long row."""
        begins = self._begins(start, end, columns)
        texts: list[CellText] = []
        at = 0
        while at + 1 < len(begins):
            last = at + 1
            if begins[last] - begins[at] > LONG:
                texts.append(self._long_cell(begins[at], begins[last], columns.start + at))
            else:
                while last + 1 < len(begins) and begins[last + 1] - begins[at] <= LONG:
                    last += 1
                read = self._cells(begins[at], begins[last], columns.start + at, last - at)
                texts += [self._shown(cell) for cell in read]
            at = last
        return self._padded(texts, columns)

    def _long_cell(self, begin: int, end: int, column: int) -> CellText:
        """The beginning of a long cell; all of it is read only if much of it is blank."""
        cell = self._cells(begin, begin + LONG, column, 1)[0]
        if len(cell.text.rstrip(BLANKS)) <= self._limit:
            cell = self._cells(begin, end, column, 1)[0]
        return self._shown(cell)

    def _cells(self, begin: int, end: int, column: int, count: int) -> list[Cell]:
        document, _ = self._data.document(begin, end)
        return read_cells(document, self._row_dialect, column, count)

    def _begins(self, start: int, end: int, columns: range) -> list[int]:
        """Where the cells of some columns of a row begin, and where the last of them ends."""
        machines, begins, seen = self._noting, list[int](), 0
        for block, last in self._row_blocks(start, end):
            cells = int(block.row_cells[0]) if block.rows else block.cells
            wanted = range(max(columns.start, seen + 1), min(columns.stop + 1, seen + cells + 1))
            begins += [int(block.places[2 * (column - seen - 1)]) for column in wanted]
            machines.buffers.recycle([block])
            seen += cells
            if len(begins) > len(columns):
                return begins
            if last is not None and begins:
                return [*begins, last]
        return begins

    def _row_blocks(self, start: int, end: int) -> Iterator[tuple[Block, int | None]]:
        """The letters of one row, in blocks; with the last one, where the row ends."""
        machines, data = self._noting, self._data
        point, size = start_of_row(machines, start), min(_PIECE, end - start + _MORE)
        while True:
            piece = data.window(point.at, point.at + size)
            block, after = scan(machines, piece, point.at, point, max_rows=1)
            yield block, after.begun if block.rows else None
            if block.rows:
                return
            if len(piece) < size:
                yield finish(machines, after), point.at + len(piece)
                return
            point, size = after, _PIECE

    @cached_property
    def _noting(self) -> Machines:
        """Machines that note where the texts of cells are, and look for no token."""
        machines = self._machines
        scanner = Scanner(machines.task.schema.dialect, TextReader((), Coding(self._data.codec)))
        return replace(machines, table=ScanTable(scanner, machines.backend, True))
