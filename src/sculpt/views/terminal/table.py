"""A table as lines: numbered rows and columns, cells tinted and lettered by their regions.

In: windows, some rows at a time, side by side; the `Key` of their regions; a width. Out: `Styled`
lines no wider than this width. A cell has the tint of its first region and the letters of all; a
violation is underlined and has the sign `!`, text that no rule checks has `?`. So nothing depends
on colour alone.

Invariant: no character of the data reaches the terminal that `visible` does not let through. Cost:
linear in the cells. Memory: the rows that are measured, then a window.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, islice, pairwise
from typing import NamedTuple

from sculpt.report.styled import Styled, styled, width
from sculpt.values import frozen
from sculpt.views.model import Window
from sculpt.views.terminal.fitting import GAP, PADDING, ColumnNeed, fit, fitted, shown_text
from sculpt.views.terminal.framing import is_shown
from sculpt.views.terminal.key import (
    UNCHECKED_SIGN,
    UNCHECKED_STYLE,
    VIOLATION_SIGN,
    VIOLATION_STYLE,
    Key,
)
from sculpt.views.terminal.names import column_title, joined_letters

_MEASURED = 1_000
"""The rows whose texts say how wide the columns are."""
_MOST_LETTERS = 12
_HEAD_STYLE, _ROW_STYLE, _PADDING_STYLE = "bold", "dim", "dim"
_ROWS_BETWEEN, _COLUMNS_BETWEEN = "⋮", "⋯"


class _Cell(NamedTuple):
    """What is drawn of a cell."""

    text: str
    is_cut: bool
    letters: str
    sign: str
    tint: str
    style: str
    """What the text has besides the tint."""
    regions: list[str]


class _Row(NamedTuple):
    number: int
    is_marked: bool
    """Does a violation name the row, but no column?"""
    cells: dict[int, _Cell]


@frozen
class Drawn:
    """What a picture has; known when all its lines have been made."""

    columns: tuple[int, ...] = ()
    signs: frozenset[str] = frozenset()
    regions: frozenset[str] = frozenset()
    """The regions of the cells that are seen."""
    has_padding: bool = False


class Drawing:
    """The lines of one table. `drawn` says what was drawn so far."""

    def __init__(
        self,
        windows: Iterable[tuple[Window, ...]],
        key: Key,
        room: int,
        wanted: tuple[int, ...] = (),
        marked_columns: frozenset[int] = frozenset(),
    ) -> None:
        """`wanted`: see `fitted`; `marked_columns` have a violation that names no row."""
        self._windows = windows
        self._key = key
        self._room = room
        self._wanted = wanted
        self._marked = marked_columns
        self._signs: set[str] = set()
        self._regions: set[str] = set()
        self._has_padding = False
        self.columns: tuple[int, ...] = ()

    @property
    def drawn(self) -> Drawn:
        """What has been drawn so far."""
        return Drawn(
            self.columns, frozenset(self._signs), frozenset(self._regions), self._has_padding
        )

    def lines(self, last_row: int) -> Iterator[Styled]:
        """The lines; `last_row` is the last one that the picture has, for the width of numbers."""
        rows = chain.from_iterable(map(self._rows, self._windows))
        measured = list(islice(rows, _MEASURED))
        if not measured:
            return
        gutter = len(str(last_row)) + 1
        needs = self._needs(measured)
        widths = fitted(needs, self._wanted, self._room - gutter - GAP)
        self.columns = tuple(widths)
        ends = min(needs), max(needs)
        yield self._head(widths, gutter, ends)
        before = 0
        for row in chain(measured, rows):
            if before and row.number > before + 1:
                count = f"{row.number - before - 1:,} rows"
                yield styled((_ROWS_BETWEEN.rjust(gutter - 1), _ROW_STYLE), "  ", (count, "dim"))
            yield self._line(row, needs, widths, gutter, ends)
            before = row.number

    # ------------------------------------------------------------- from windows to cells

    def _rows(self, windows: tuple[Window, ...]) -> Iterator[_Row]:
        marked: set[int] = set()
        failed: set[tuple[int, int]] = set()
        for window in windows:
            for each in window.violations:
                if each.row is None or not is_shown(each, self._key.only):
                    continue
                if each.column is None:
                    marked.add(each.row)
                else:
                    failed.add((each.row, each.column))
        for row_ix in range(windows[0].rows if windows else 0):
            number = windows[0].row + row_ix
            cells = {
                window.column + col_ix: self._cell(window, row_ix, col_ix, failed)
                for window in windows
                for col_ix in range(window.columns)
            }
            yield _Row(number, number in marked, cells)

    def _cell(
        self, window: Window, row_ix: int, col_ix: int, failed: set[tuple[int, int]]
    ) -> _Cell:
        place = window.row + row_ix, window.column + col_ix
        text = window.texts[row_ix][col_ix]
        names = [name for name in window.regions[row_ix][col_ix] if name in self._key.letters]
        letters = joined_letters([self._key.letters[name] for name in names], _MOST_LETTERS)
        sign = ""
        if place in failed:
            sign = VIOLATION_SIGN
        elif self._key.marks_unchecked and text and not window.checked[row_ix][col_ix]:
            sign = UNCHECKED_SIGN
        tint = self._key.styles[names[0]] if names else ""
        style = "bold underline" if sign == VIOLATION_SIGN else ""
        if text is None:
            return _Cell(
                PADDING,
                False,
                letters,
                sign,
                tint,
                style or ("" if tint else _PADDING_STYLE),
                names,
            )
        return _Cell(shown_text(text), place in window.cut, letters, sign, tint, style, names)

    # ------------------------------------------------------------- from cells to lines

    def _needs(self, rows: list[_Row]) -> dict[int, ColumnNeed]:
        texts = dict.fromkeys(rows[0].cells, 0)
        marks = dict.fromkeys(rows[0].cells, 0)
        for row in rows:
            for column, cell in row.cells.items():
                texts[column] = max(texts[column], width(cell.text) + cell.is_cut)
                marks[column] = max(marks[column], len(cell.letters) + len(cell.sign))
        return {
            column: ColumnNeed(len(self._title(column)), texts[column], marks[column])
            for column in texts
        }

    def _title(self, column: int) -> str:
        return column_title(column) + (VIOLATION_SIGN if column in self._marked else "")

    def _head(self, widths: dict[int, int], gutter: int, ends: tuple[int, int]) -> Styled:
        pieces: list[tuple[str, str]] = [(" " * gutter, "")]
        for column, room in self._with_holes(widths, ends):
            pieces.append((" " * GAP, ""))
            if column is None:
                pieces.append((_COLUMNS_BETWEEN, _ROW_STYLE))
                continue
            is_marked = column in self._marked
            if is_marked:
                self._signs.add(VIOLATION_SIGN)
            sign = VIOLATION_SIGN if is_marked else ""
            title = column_title(column)[: room - len(sign)]
            pieces += [(title, _HEAD_STYLE), (sign, VIOLATION_STYLE if sign else "")]
            pieces.append((" " * (room - len(title) - len(sign)), ""))
        return _stripped(pieces)

    def _line(
        self,
        row: _Row,
        needs: dict[int, ColumnNeed],
        widths: dict[int, int],
        gutter: int,
        ends: tuple[int, int],
    ) -> Styled:
        number = str(row.number).rjust(gutter - 1)
        pieces: list[tuple[str, str]] = [(number, _ROW_STYLE)]
        if row.is_marked:
            self._signs.add(VIOLATION_SIGN)
        pieces.append((VIOLATION_SIGN, VIOLATION_STYLE) if row.is_marked else (" ", ""))
        for column, room in self._with_holes(widths, ends):
            pieces.append((" " * GAP, ""))
            if column is None:
                pieces.append((_COLUMNS_BETWEEN, _ROW_STYLE))
            else:
                pieces += self._cell_pieces(row.cells[column], needs[column], room)
        return _stripped(pieces)

    def _cell_pieces(self, cell: _Cell, need: ColumnNeed, room: int) -> Iterator[tuple[str, str]]:
        if cell.sign:
            self._signs.add(cell.sign)
        self._has_padding |= cell.text == PADDING
        self._regions.update(cell.regions)
        text_room = need.text_room(room)
        text = fit(cell.text, text_room, cell.is_cut)
        shown = text.rstrip(" ")
        yield shown, f"{cell.tint} {cell.style}".strip()
        yield " " * (text_room - width(shown)), cell.tint
        if text_room < room:
            marks = room - text_room - 1
            yield f" {cell.letters}"[: room - text_room], cell.tint
            sign_style = VIOLATION_STYLE if cell.sign == VIOLATION_SIGN else UNCHECKED_STYLE
            yield cell.sign, sign_style if cell.sign else ""
            yield " " * (marks - len(cell.letters) - len(cell.sign)), cell.tint

    @staticmethod
    def _with_holes(
        widths: dict[int, int], ends: tuple[int, int]
    ) -> Iterator[tuple[int | None, int]]:
        """The columns and their widths, with `None` for columns that are left out."""
        around = [ends[0] - 1, *widths, ends[1] + 1]
        for before, column in pairwise(around):
            if column > before + 1:
                yield None, 1
            if column in widths:
                yield column, widths[column]


def _stripped(pieces: list[tuple[str, str]]) -> Styled:
    """A line without blanks at its end that nobody can see, and without empty pieces."""
    while pieces and not pieces[-1][1] and not pieces[-1][0].strip(" "):
        pieces.pop()
    return Styled(tuple((text, style) for text, style in pieces if text))
