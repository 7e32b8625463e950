"""A table as lines: numbered rows and columns, cells tinted and lettered by their regions.

In: windows, some rows at a time, side by side; the `Key` of their regions; a width. Out: `Styled`
lines no wider than this width. A cell has the tint of its first region and the letters of all; a
violation is underlined and has the sign `!` after the letter of its rule, a warning `~`, text that
no rule checks has `?`. So nothing depends on colour alone.

Invariant: no character of the data reaches the terminal that `visible` does not let through. Cost:
linear in the cells. Memory: the rows that are measured, then a window.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, islice, pairwise
from types import MappingProxyType
from typing import NamedTuple, TypeVar

from sculpt.report.styled import Styled, styled, width
from sculpt.syntax.ast import SeverityName
from sculpt.values import frozen
from sculpt.views.model import Place, Window
from sculpt.views.terminal.fit import GAP, PADDING, ColumnNeed, fit, fitted, shown_text
from sculpt.views.terminal.frame import is_shown
from sculpt.views.terminal.key import SIGNS, UNCHECKED_SIGN, UNCHECKED_STYLE, Key
from sculpt.views.terminal.names import column_title, joined_letters

_MEASURED = 1_000
"""The rows whose texts say how wide the columns are."""
_MOST_LETTERS = 14
_FAILING_STYLE = "bold underline"
_HEAD_STYLE, _ROW_STYLE, _PADDING_STYLE = "bold", "dim", "dim"
_ROWS_BETWEEN, _COLUMNS_BETWEEN = "⋮", "⋯"

Item = TypeVar("Item")


class _Cell(NamedTuple):
    """What is drawn of a cell."""

    text: str
    is_cut: bool
    marks: list[tuple[str, str]]
    """Letters, without a style, and signs with theirs."""
    tint: str
    style: str
    """What the text has besides the tint."""
    regions: list[str]


class _Row(NamedTuple):
    number: int
    severity: SeverityName | None
    """The worst of the violations that name the row, but no column."""
    cells: dict[int, _Cell]


@frozen
class Drawn:
    """What a picture has; known when all its lines have been made."""

    columns: tuple[int, ...] = ()
    signs: frozenset[str] = frozenset()
    """Those of violations, unchecked cells and padding that are seen."""
    regions: frozenset[str] = frozenset()
    """The regions of the cells that are seen."""


class Drawing:
    """The lines of one table. `drawn` says what was drawn so far."""

    def __init__(
        self,
        windows: Iterable[tuple[Window, ...]],
        key: Key,
        room: int,
        wanted: tuple[int, ...] = (),
        marked_columns: Mapping[int, SeverityName] = MappingProxyType({}),
    ) -> None:
        """`wanted`: see `fitted`; `marked_columns` have a violation that names no row."""
        self._windows = windows
        self._key = key
        self._room = room
        self._wanted = wanted
        self._marked = marked_columns
        self._signs: set[str] = set()
        self._regions: set[str] = set()
        self.columns: tuple[int, ...] = ()

    @property
    def drawn(self) -> Drawn:
        """What has been drawn so far."""
        return Drawn(self.columns, frozenset(self._signs), frozenset(self._regions))

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
        marked: dict[int, SeverityName] = {}
        failed: dict[Place, dict[str, SeverityName]] = {}
        for window in windows:
            for each in window.violations:
                if each.row is None or not is_shown(each, self._key.only):
                    continue
                if each.column is None:
                    _worsen(marked, each.row, each.severity)
                else:
                    rules = failed.setdefault((each.row, each.column), {})
                    letter = self._key.letters.get(f"rule:{each.rule}", "")
                    _worsen(rules, letter, each.severity)
        for row_ix in range(windows[0].rows if windows else 0):
            number = windows[0].row + row_ix
            cells = {
                window.column + col_ix: self._cell(window, row_ix, col_ix, failed)
                for window in windows
                for col_ix in range(window.columns)
            }
            yield _Row(number, marked.get(number), cells)

    def _cell(
        self,
        window: Window,
        row_ix: int,
        col_ix: int,
        failed: dict[Place, dict[str, SeverityName]],
    ) -> _Cell:
        place = window.row + row_ix, window.column + col_ix
        text = window.texts[row_ix][col_ix]
        names = [name for name in window.regions[row_ix][col_ix] if name in self._key.letters]
        failing = failed.get(place, {})
        marks = list(self._marks([self._key.letters[name] for name in names], failing))
        tint = self._key.styles[names[0]] if names else ""
        style = _FAILING_STYLE if failing else ""
        is_unchecked = bool(text) and not window.checked[row_ix][col_ix]
        if not failing and is_unchecked and self._key.marks_unchecked:
            marks.append((UNCHECKED_SIGN, UNCHECKED_STYLE))
            style = UNCHECKED_STYLE if self._key.stresses_unchecked else ""
        if text is None:
            padding = style or ("" if tint else _PADDING_STYLE)
            return _Cell(PADDING, False, marks, tint, padding, names)
        return _Cell(shown_text(text), place in window.cut, marks, tint, style, names)

    @staticmethod
    def _marks(letters: list[str], failing: dict[str, SeverityName]) -> Iterator[tuple[str, str]]:
        """The letters of a cell; a sign follows those of rules that fail there."""
        for letter, fails in joined_letters(letters, {*failing}, _MOST_LETTERS):
            yield letter, ""
            if fails:
                own = failing.get(letter.lstrip(","))  # none if it counts letters
                yield SIGNS[own or worst(failing.values())]
        others = [failing[each] for each in failing if each not in letters]
        if others:  # of a constraint or of the structure, not of a rule
            yield SIGNS[worst(others)]

    # ------------------------------------------------------------- from cells to lines

    def _needs(self, rows: list[_Row]) -> dict[int, ColumnNeed]:
        texts = dict.fromkeys(rows[0].cells, 0)
        marks = dict.fromkeys(rows[0].cells, 0)
        for row in rows:
            for column, cell in row.cells.items():
                texts[column] = max(texts[column], width(cell.text) + cell.is_cut)
                marks[column] = max(marks[column], _width_of(cell.marks))
        return {
            column: ColumnNeed(len(self._title(column)), texts[column], marks[column])
            for column in texts
        }

    def _title(self, column: int) -> str:
        return column_title(column) + (" " if column in self._marked else "")

    def _head(self, widths: dict[int, int], gutter: int, ends: tuple[int, int]) -> Styled:
        pieces: list[tuple[str, str]] = [(" " * gutter, "")]
        for column, room in self._with_holes(widths, ends):
            pieces.append((" " * GAP, ""))
            if column is None:
                pieces.append((_COLUMNS_BETWEEN, _ROW_STYLE))
                continue
            marked = self._marked.get(column)
            sign, style = ("", "") if marked is None else SIGNS[marked]
            if sign:
                self._signs.add(sign)
            title = column_title(column)[: room - len(sign)]
            pieces += [(title, _HEAD_STYLE), (sign, style)]
            pieces.append((" " * (room - len(title) - len(sign)), ""))
        return Styled(tuple(pieces))

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
        sign = (" ", "") if row.severity is None else SIGNS[row.severity]
        if row.severity is not None:
            self._signs.add(sign[0])
        pieces.append(sign)
        for column, room in self._with_holes(widths, ends):
            pieces.append((" " * GAP, ""))
            if column is None:
                pieces.append((_COLUMNS_BETWEEN, _ROW_STYLE))
            else:
                pieces += self._cell_pieces(row.cells[column], needs[column], room)
        return Styled(tuple(pieces))

    def _cell_pieces(self, cell: _Cell, need: ColumnNeed, room: int) -> Iterator[tuple[str, str]]:
        self._signs.update(mark for mark, style in cell.marks if style)
        if cell.text == PADDING:
            self._signs.add(PADDING)
        self._regions.update(cell.regions)
        text_room = need.text_room(room)
        shown = fit(cell.text, text_room, cell.is_cut).rstrip(" ")
        yield shown, f"{cell.tint} {cell.style}".strip()
        yield " " * (text_room - width(shown)), cell.tint
        if text_room < room:
            yield " ", cell.tint
            for mark, style in cell.marks:
                yield mark, style or cell.tint
            yield " " * (room - text_room - 1 - _width_of(cell.marks)), cell.tint

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


def worst(severities: Iterable[SeverityName]) -> SeverityName:
    """An error, if there is one."""
    return "error" if "error" in severities else "warning"


def _worsen(known: dict[Item, SeverityName], item: Item, severity: SeverityName) -> None:
    known[item] = worst((severity, known.get(item, severity)))


def _width_of(marks: list[tuple[str, str]]) -> int:
    return sum(len(mark) for mark, _ in marks)
