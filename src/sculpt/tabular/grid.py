"""Characters to cells: the table in a document (paper, section 3).

`docs/language.md#3-the-document` has the rules. In: a `Document` and a `Dialect`. Out: a `Grid` of
real cells; rows that are shorter than the widest one are padded. A broken document still gives a
table, with `Defect`s, one per cell and kind.

This is the readable reader of documents, for the reference engine and for tests; the compiled
scanner of the fast engines is independent of it, so that a mistake in either shows as a difference.

Invariant: every row has at least one cell; a cell's `start:end` covers its source text, quotes
and blanks included, and the ranges of a row are ordered. Cost: linear, unless the delimiter is a
pattern that must look far ahead, since it is tried at each character.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import pairwise

from sculpt.core.acceptor import Acceptor, TextMatcher
from sculpt.core.dialect import Delimiter, Dialect, Layout
from sculpt.syntax.regular import CharSet
from sculpt.tabular.decoder import UNDECODABLE
from sculpt.tabular.document import Document
from sculpt.values import field, frozen

BLANKS = " \t"


@frozen
class Cell:
    """A real cell."""

    text: str
    """What tokens see: unquoted, trimmed."""
    raw: str
    """Unquoted, but not trimmed."""
    start: int
    end: int
    quoted: bool = False
    decodable: bool = True


@frozen
class Row:
    """The real cells of a row, and its source text without the row delimiter."""

    cells: tuple[Cell, ...]
    start: int
    end: int

    @property
    def is_blank(self) -> bool:
        """One cell without text, and no quotes."""
        return len(self.cells) == 1 and not self.cells[0].text and not self.cells[0].quoted


@frozen
class Defect:
    """What is wrong with a cell; `at` is the offending character."""

    code: str
    row: int
    column: int
    at: int


@frozen(slots=False)
class Grid:
    """A table: `height` rows, `width` columns, shorter rows padded on the right."""

    document: Document
    rows: tuple[Row, ...] = field(repr=False)
    width: int
    defects: tuple[Defect, ...] = field(repr=False)

    @property
    def height(self) -> int:
        """The number of rows."""
        return len(self.rows)

    def cell(self, row: int, column: int) -> Cell | None:
        """The cell at a 1-based place, `None` if it is padded."""
        if not (1 <= row <= self.height and 1 <= column <= self.width):
            raise IndexError(
                f"({row},{column}) is outside the table, which is {self.height} × {self.width}"
            )
        cells = self.rows[row - 1].cells
        return cells[column - 1] if column <= len(cells) else None


def read_grid(document: Document, dialect: Dialect) -> Grid:
    """The table of a document."""
    scanner = _FixedWidth(document, dialect) if dialect.layouts else _Delimited(document, dialect)
    rows: list[Row] = []
    row_defects: list[list[tuple[int, str, int]]] = []
    for row in scanner.rows():
        found, scanner.found = scanner.found, []
        if row.is_blank and dialect.blank_rows == "skip":
            continue
        rows.append(row)
        row_defects.append(found)
    if dialect.blank_rows == "inner":
        while rows and rows[-1].is_blank:
            rows.pop()
    defects = [
        Defect(code, row_ix + 1, column, at)
        for row_ix, row in enumerate(rows)
        for column, code, at in sorted([*row_defects[row_ix], *_byte_defects(document.text, row)])
    ]
    width = max((len(row.cells) for row in rows), default=0)
    return Grid(document, tuple(rows), width, tuple(defects))


def read_cells(document: Document, dialect: Dialect, first: int, count: int) -> list[Cell]:
    """Some cells of a row of a delimited document, which begins with the cell in column `first`."""
    scanner = _Delimited(document, dialect)
    at = scanner.row_begin(0) if first == 1 else 0
    cells: list[Cell] = []
    more = True
    while more and len(cells) < count:
        cell, at, more = scanner.next_cell(at, first + len(cells))
        cells.append(cell)
    return cells


def list_splitter(delimiter: Delimiter | None) -> Callable[[str], list[str]]:
    """A function that splits the text of a cell into items for a `.>` rule; no text has none."""
    if delimiter is None or delimiter.pattern is None:
        literal = None if delimiter is None else delimiter.text
        if literal == "":  # nothing divides the text: `trimmed(…)`
            return lambda text: [text.strip(BLANKS)] if text else []
        return lambda text: [item.strip(BLANKS) for item in text.split(literal)] if text else []
    matcher = TextMatcher(delimiter.pattern)
    return lambda text: _split_by(matcher, text) if text else []


def _split_by(matcher: TextMatcher, text: str) -> list[str]:
    items, start, ix = [], 0, 0
    while ix < len(text):
        end = matcher.longest_prefix(text, ix, len(text))
        if end > ix:
            items.append(text[start:ix].strip(BLANKS))
            start = ix = end
        else:
            ix += 1
    return [*items, text[start:].strip(BLANKS)]


def _byte_defects(text: str, row: Row) -> Iterator[tuple[int, str, int]]:
    # What is between cells (fillers, delimiters, the rest of a line) belongs to the cell before it.
    starts = [row.start, *(cell.start for cell in row.cells[1:]), max(row.end, row.cells[-1].end)]
    for column, (start, end) in enumerate(pairwise(starts), 1):
        nul = text.find("\0", start, end)
        if nul >= 0:
            yield column, "nul-byte", nul
        if bad := UNDECODABLE.search(text, start, end):
            yield column, "undecodable", bad.start()


class _Scanner:
    """What both ways of splitting share: rows, comment lines, trimming."""

    def __init__(self, document: Document, dialect: Dialect) -> None:
        self.text = document.text
        self.dialect = dialect
        self.row_end = row_end_pattern(dialect.row_delim)
        self.damaged = UNDECODABLE.search(self.text) is not None
        self._line = (0, -1, 0)  # the last result of `line_end`: from where, the end, the next line
        self.found: list[tuple[int, str, int]] = []
        """Defects of the last row read: column, code, character."""

    def rows(self) -> Iterator[Row]:
        at, comment = 0, self.dialect.comment
        while at < len(self.text):
            if comment is not None and self.text.startswith(comment, at):
                _, at = self.line_end(at)
            else:
                row, at = self.row(at)
                yield row

    def row(self, at: int) -> tuple[Row, int]:
        """The row that begins at a character, and where the next one begins."""
        raise AssertionError("each kind of scanner must define `row`")

    def line_end(self, at: int) -> tuple[int, int]:
        """Where the line ends and where the next one begins."""
        begin, end, after = self._line
        if not begin <= at <= end:
            match = self.row_end.search(self.text, at)
            end, after = match.span() if match else (len(self.text), len(self.text))
            self._line = at, end, after
        return end, after

    def trim(self, text: str) -> str:
        if self.dialect.trim_left:
            text = text.lstrip(BLANKS)
        return text.rstrip(BLANKS) if self.dialect.trim_right else text

    def cell(self, text: str, raw: str, start: int, end: int, quoted: bool = False) -> Cell:
        bad = self.damaged and UNDECODABLE.search(self.text, start, end) is not None
        return Cell(text, raw, start, end, quoted, not bad)


def row_end_pattern(row_delim: str | None) -> re.Pattern[str]:
    """The pattern that ends a row; any line end if no delimiter is set."""
    match row_delim:
        case None:
            return re.compile(r"\r\n|\n|\r")
        case "\n":
            return re.compile(r"\r?\n")
    return re.compile(re.escape(row_delim))


class _FixedWidth(_Scanner):
    def row(self, at: int) -> tuple[Row, int]:
        end, after = self.line_end(at)
        line = self.text[at:end]
        layout = next(
            (each for each in self.dialect.layouts if line.startswith(each.prefix)),
            Layout("", (None,)),
        )
        cells: list[Cell] = []
        start = 0
        for width in layout.widths:
            if width is not None and width < 0:
                start -= width
                continue
            stop = len(line) if width is None else min(len(line), start + width)
            if start < len(line) or not cells:
                raw = line[start:stop]
                begin = at + min(start, len(line))
                cells.append(self.cell(self.trim(raw), raw, begin, max(begin, at + stop)))
            start += width or 0
        return Row(tuple(cells), at, end), after


class _Delimited(_Scanner):
    def __init__(self, document: Document, dialect: Dialect) -> None:
        super().__init__(document, dialect)
        pattern = dialect.col_delim.pattern
        self.matcher = TextMatcher(pattern) if pattern is not None else None
        self.bare_escape = dialect.bare_escape
        self.special = self._special_characters()

    def _special_characters(self) -> re.Pattern[str]:
        """The characters at which an unquoted cell may end, or that need a closer look."""
        delim, row_delim = self.dialect.col_delim, self.dialect.row_delim
        chars = CharSet.chars("\r\n" if row_delim in (None, "\n") else (row_delim or "")[:1])
        chars |= CharSet.chars(self.bare_escape or "")
        if delim.pattern is None:
            chars |= CharSet.chars(delim.text[0])
        else:
            acceptor = Acceptor(delim.pattern)
            for first in acceptor.next_symbols(acceptor.initial):
                chars |= first
            chars |= CharSet.chars(BLANKS)
        ranges = (f"\\U{low:08x}-\\U{high:08x}" for low, high in chars.ranges)
        return re.compile(f"[{''.join(ranges)}]")

    def row(self, at: int) -> tuple[Row, int]:
        start = at
        cells: list[Cell] = []
        at = self.row_begin(at)
        while True:
            cell, at, more = self.next_cell(at, len(cells) + 1)
            cells.append(cell)
            if not more:
                end = self.row_end.match(self.text, at)
                return Row(tuple(cells), start, at), end.end() if end else len(self.text)

    def row_begin(self, at: int) -> int:
        """Where the first cell of a row begins: a pattern does not match blanks before it."""
        drops_lead = self.matcher is not None and self.dialect.trim_left
        return self.after_blanks(at) if drops_lead else at

    def after_blanks(self, at: int) -> int:
        while at < len(self.text) and self.text[at] in BLANKS:
            at += 1
        return at

    def next_cell(self, at: int, column: int) -> tuple[Cell, int, bool]:
        """The cell at a character, where its delimiter ends, and whether another cell follows."""
        opening = self.opening_quote(at)
        if opening is not None:
            return self.quoted_cell(at, opening, column)
        end, after, more = self.cell_end(at, self.bare_escape)
        raw = self.text[at:end]
        if self.bare_escape is None:
            return self.cell(self.trim(raw), raw, at, end), after, more
        text = self.trim(raw)
        escapes = len(text) - len(text.rstrip(self.bare_escape))
        if escapes % 2 and raw.rstrip(BLANKS) != raw:
            text += raw[len(raw.rstrip(BLANKS))]  # the blank after an escape is plain text
        unescape = re.compile(re.escape(self.bare_escape) + "(.)", re.DOTALL)
        plain = [unescape.sub(r"\1", each) for each in (text, raw)]
        return self.cell(plain[0], plain[1], at, end), after, more

    def opening_quote(self, at: int) -> int | None:
        """Where the opening quote of this cell is, after blanks that trimming would drop."""
        quote = self.dialect.quote
        if quote is None:
            return None
        while at < len(self.text):
            if self.text[at] == quote:
                return at
            if not (self.dialect.trim_left and self.text[at] in BLANKS):
                return None
            if self.delimiter_end(at) > at:
                return None
            at += 1
        return None

    def delimiter_end(self, at: int) -> int:
        """Where the column delimiter that begins here ends; `at` itself if none begins."""
        delim = self.dialect.col_delim
        if self.matcher is None:
            return at + len(delim.text) if self.text.startswith(delim.text, at) else at
        return self.matcher.longest_prefix(self.text, at, self.line_end(at)[0])

    def cell_end(self, at: int, escape: str | None) -> tuple[int, int, bool]:
        """Where unquoted text ends, where its delimiter ends, and whether another cell follows."""
        drops_tail = self.matcher is not None and self.dialect.trim_right
        looked = at
        while match := self.special.search(self.text, at):
            at = match.start()
            if self.row_end.match(self.text, at):
                return at, at, False
            if drops_tail and at >= looked and self.text[at] in BLANKS:
                looked = tail = self.after_blanks(at)
                if tail == len(self.text) or self.row_end.match(self.text, tail):
                    return at, tail, False
            after = self.delimiter_end(at)
            if after > at:
                return at, after, True
            at = self.after_escape(at) if self.text[at] == escape else at + 1
        return len(self.text), len(self.text), False

    def after_escape(self, at: int) -> int:
        """The place after an escape and what it escapes: one character, or a whole line end."""
        line_end = self.row_end.match(self.text, at + 1)
        return line_end.end() if line_end else at + 2

    def quoted_cell(self, start: int, opening: int, column: int) -> tuple[Cell, int, bool]:
        inside, closed = self.quoted_text(opening + 1)
        if closed is None:
            self.found.append((column, "unclosed-quote", opening))
            end = len(self.text)
            return self.cell(inside, inside, start, end, quoted=True), end, False
        end, after, more = self.cell_end(closed, None)
        tail = self.text[closed:end]
        if self.dialect.trim_right:
            tail = tail.rstrip(BLANKS)
        if tail:
            stray = closed + len(tail) - len(tail.lstrip(BLANKS)) if tail.strip(BLANKS) else closed
            self.found.append((column, "text-after-quote", stray))
        content = inside + tail
        return self.cell(content, content, start, end, quoted=True), after, more

    def quoted_text(self, at: int) -> tuple[str, int | None]:
        """The text inside quotes, and the place after the closing quote, if there is one."""
        quote, escape = self.dialect.quote, self.dialect.escape
        assert quote is not None
        pieces: list[str] = []
        special = re.compile("[" + re.escape(quote + (escape or "")) + "]")
        begun = at
        while match := special.search(self.text, at):
            ix = match.start()
            is_escape = self.text[ix] == (escape or quote)
            if is_escape and escape not in (None, quote) and self.escapes(ix + 1):
                pieces += [self.text[begun:ix], self.text[ix + 1]]
                begun = at = ix + 2
            elif is_escape and escape in (None, quote) and self.text[ix + 1 : ix + 2] == quote:
                pieces += [self.text[begun:ix], quote]
                begun = at = ix + 2
            elif self.text[ix] == quote and self.closes(ix + 1):
                return "".join([*pieces, self.text[begun:ix]]), ix + 1
            else:
                at = ix + 1
        return "".join([*pieces, self.text[begun:]]), None

    def escapes(self, at: int) -> bool:
        """Does an escape make the character after it, which is here, literal?"""
        dialect = self.dialect
        if at == len(self.text):
            return False
        return dialect.escapes != "quotes" or self.text[at] in (dialect.quote, dialect.escape)

    def closes(self, at: int) -> bool:
        """Does a quote close the cell if this is the place after it?"""
        if self.dialect.stray_quotes == "error":
            return True
        while at < len(self.text):
            if self.row_end.match(self.text, at) or self.delimiter_end(at) > at:
                return True
            if not (self.dialect.trim_right and self.text[at] in BLANKS):
                return False
            at += 1
        return True
