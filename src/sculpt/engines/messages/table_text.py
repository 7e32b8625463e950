"""What a narrator must know about a table: its cells and rows, and where they are in the file."""

from __future__ import annotations

from typing import Protocol

from sculpt.tabular.grid import Cell, Grid, Row, row_end_pattern


class TableText(Protocol):
    """What a narrator must know about a table; rows and columns count from 1."""

    @property
    def width(self) -> int:
        """The number of columns."""

    def cell(self, row: int, column: int) -> Cell | None:
        """The cell at a place, `None` if it is padded."""

    def row(self, row: int) -> Row:
        """A row; its places are characters of the document it was read from."""

    def offset(self, row: int, at: int) -> int:
        """The byte of the file at a character of a row's document."""

    def text(self, row: int) -> str:
        """The source text of a row."""

    def line(self, row: int) -> int:
        """The line of the file on which a row begins."""

    def rows_after(self, row: int, at: int) -> int:
        """How many rows begin after a character of a row's document, if quotes are just text."""


class GridText:
    """A table that is in memory as a whole."""

    def __init__(self, grid: Grid, row_delim: str | None) -> None:
        self.grid = grid
        self._row_end = row_end_pattern(row_delim)
        self.width = grid.width
        self.cell = grid.cell
        self._texts: dict[int, str] = {}

    def row(self, row: int) -> Row:
        """A row."""
        return self.grid.rows[row - 1]

    def offset(self, row: int, at: int) -> int:
        """The byte of the file at a character."""
        return self.grid.document.byte_offset(at)

    def text(self, row: int) -> str:
        """The source text of a row."""
        if row not in self._texts:
            span = self.row(row)
            self._texts[row] = self.grid.document.text[span.start : span.end]
        return self._texts[row]

    def line(self, row: int) -> int:
        """The line of the file on which a row begins."""
        return self.grid.document.line(self.row(row).start)

    def rows_after(self, row: int, at: int) -> int:
        """How many rows begin after a character, if quotes are just text."""
        text = self.grid.document.text
        ends = [end.end() for end in self._row_end.finditer(text, at)]
        return len(ends) - (bool(ends) and ends[-1] == len(text))
