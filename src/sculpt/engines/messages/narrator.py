"""Findings in words: message, hint and excerpt of a violation (`docs/language.md#8-violations`).

In: what an engine found, as bare facts (`Finding`). Out: `Violation`s with the raw text, a
message and a hint. They are made only for the findings that are shown.

Invariant: a finding holds everything that orders and identifies a violation, so two engines with
the same findings give the same violations.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Literal as OneOf
from typing import Protocol, TypeAlias, TypeVar

from sculpt.core import ir
from sculpt.core.acceptor import TextMatcher
from sculpt.core.builtins import FRIENDLY
from sculpt.diagnostics import Suggestions, split_name
from sculpt.tabular.grid import (
    BLANKS,
    Cell,
    Defect,
    Grid,
    Row,
    row_end_pattern,
)
from sculpt.values import frozen
from sculpt.verdict import FOUND_LIMIT, Excerpt, Violation

Scope: TypeAlias = OneOf["row", "region", "column", "list"]
SCOPES: dict[str, Scope] = {"->": "row", "=>": "region", "|>": "column", ".>": "list"}
LONG = 1 << 14
"""A longer cell gets no hint, and a longer row is shown in part, so that time is bounded."""
_LEAD, _TAIL = 100, 300
"""How many characters of a long row are shown before the start of a cell, and from there on."""
MAX_QUOTED = 60
"""The most characters of a text that a message quotes."""
_PLAIN_ENDS = {"row": "end of row", "region": "end of region", "column": "end of column"}
_ENDS = frozenset((*_PLAIN_ENDS.values(), "end of list"))


@frozen
class Finding:
    """A violation without its words. `item` counts the items of a list from 1."""

    code: str
    row: int | None
    column: int | None
    rule: ir.CoreRule | None = None
    unique: ir.CoreUnique | None = None
    defect: Defect | None = None
    first: tuple[int, int] | None = None
    """The place of the one cell that `unique` allows."""
    expected: tuple[str, ...] = ()
    item: int | None = None
    items: tuple[str, ...] = ()

    @property
    def order(self) -> tuple[object, ...]:
        """Row, column, rule; places without a row or column come last."""
        return (
            self.row is None,
            self.row or 0,
            self.column is None,
            self.column or 0,
            self.rule.number if self.rule else 0,
            self.unique.line if self.unique else 0,
            self.defect.at if self.defect else 0,
            self.code,
        )


def is_long(text: str) -> bool:
    """Is a text too long for hints and details?"""
    return len(text) > LONG


def end_word(scope: Scope) -> str:
    """What `expected` says if the word could have ended."""
    return _PLAIN_ENDS.get(scope, "end of list")


Coded = TypeVar("Coded", bound="Finding | Violation")


def first_of(found: Sequence[Coded], limit: int) -> list[Coded]:
    """The first findings or violations; a quote that never closes is always among them.

    It swallows all rows after it, and must not be hidden by other violations.
    """
    shown = list(found[:limit])
    open_quotes = [each for each in found[limit:] if each.code == "unclosed-quote"]
    return [*shown[:-1], open_quotes[-1]] if shown and open_quotes else shown


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


class Narrator:
    """Puts findings into words for one table."""

    def __init__(
        self,
        table: TableText,
        tokens_of: Callable[[int, int], tuple[str, ...]],
        schema: ir.CoreSchema,
        matcher_of: Callable[[str], TextMatcher],
    ) -> None:
        self.table = table
        self.tokens_of = tokens_of
        self.tokens = schema.tokens
        self.matcher_of = matcher_of
        self.strict = schema.dialect.strict_padding
        self.types = schema.types
        self._near: dict[tuple[str, ...], Suggestions] = {}

    @cached_property
    def _declared(self) -> frozenset[str]:
        """The tokens and token types of the schema."""
        known = [name for name, token in self.tokens.items() if token.declared]
        return frozenset((*known, *self.types))

    @cached_property
    def _known(self) -> frozenset[str]:
        return self._declared | {*FRIENDLY, "Missing"}

    @cached_property
    def declared(self) -> Suggestions:
        """The names that an undeclared name may be a misspelling of."""
        return Suggestions([*self._declared, *FRIENDLY])

    def violations(self, findings: Iterable[Finding]) -> tuple[Violation, ...]:
        """The violations, in the order of the findings."""
        return tuple(self.violation(finding) for finding in findings)

    def violation(self, finding: Finding) -> Violation:
        """One finding in words."""
        row, column = finding.row, finding.column
        cell = self.table.cell(row, column) if row and column else None
        found = None if cell is None else cell.raw
        message, hint = self._words(finding, found)
        source = finding.rule or finding.unique
        return Violation(
            code=finding.code,
            rule=finding.rule.number if finding.rule else None,
            line=source.line if source else None,
            row=row,
            column=column,
            offset=self._offset(finding),
            found=None if found is None else found[:FOUND_LIMIT],
            tokens=self.tokens_of(row, column) if row and column else (),
            expected=finding.expected,
            message=message,
            hint=hint,
            excerpt=self._excerpt(finding),
        )

    def _offset(self, finding: Finding) -> int | None:
        if finding.row is None:
            return None
        if finding.defect is not None:
            return self.table.offset(finding.row, finding.defect.at)
        cell = self.table.cell(finding.row, finding.column) if finding.column else None
        at = self.table.row(finding.row).end if cell is None else cell.start
        return self.table.offset(finding.row, at)

    def _excerpt(self, finding: Finding) -> Excerpt | None:
        return None if finding.row is None else self.excerpt(finding.row, finding.column)

    def excerpt(self, number: int, column: int | None) -> Excerpt:
        """The text of a row, and where in it a cell is; without one, the end of the row."""
        row = self.table.row(number)
        text = self.table.text(number)
        cell = self.table.cell(number, column) if column else None
        line = self.table.line(number)
        start, end = (cell.start - row.start, cell.end - row.start) if cell else (len(text),) * 2
        begin = 0
        if is_long(text):
            begin = max(0, start - _LEAD)
            text = text[begin : start + _TAIL]
            start, end = start - begin, min(end - begin, len(text))
        if cell is None:
            return Excerpt(text, len(text), len(text) + 1, line, begin > 0)
        shown = text[start:end]
        lead = len(shown) - len(shown.lstrip(BLANKS))
        if shown.strip(BLANKS):
            start, end = start + lead, start + len(shown.rstrip(BLANKS))
        return Excerpt(text, start, max(end, start + 1), line, begin > 0)

    # ------------------------------------------------------------- sentences

    def _words(self, finding: Finding, found: str | None) -> tuple[str, str | None]:
        if finding.defect is not None:
            return self._defect_words(finding, finding.defect)
        if finding.unique is not None:
            return self._unique_words(finding, found), None
        assert finding.rule is not None
        scope = SCOPES[finding.rule.arrow]
        expected = one_of(finding.expected)
        if scope == "list":
            return self._list_words(finding, expected)
        if finding.row is not None and finding.column is not None:
            if found is None:
                where = f"row {finding.row} ends before column {finding.column}"
                return f"{where}: expected {expected}", self._padding_hint(finding)
            cell = self.table.cell(finding.row, finding.column)
            shown = quoted(cell.text) if cell is not None else quoted(found)
            return f"found {shown}, expected {expected}", self._hint(finding, found)
        what = {
            "row": f"row {finding.row}",
            "column": f"column {finding.column}",
        }.get(scope, "the region")
        return f"{what} ends too early: expected {expected}", self._text_hint(finding)

    def _defect_words(self, finding: Finding, defect: Defect) -> tuple[str, str | None]:
        message, hint = _DEFECT_WORDS[finding.code]
        if finding.code == "unclosed-quote" and finding.row is not None:
            taken = self.table.rows_after(finding.row, defect.at)
            rows = f"the {taken:,} rows after it" if taken > 1 else "the row after it"
            reach = f"swallows {rows}" if taken else "runs to the end of the file"
            message = f"the quote opened in row {finding.row} never closes: its cell {reach}"
        return message, hint

    def _list_words(self, finding: Finding, expected: str) -> tuple[str, str | None]:
        if not finding.expected and not finding.items and finding.item is None:
            return f"the list does not match; over {LONG:,} characters, too long for details", None
        if finding.item is None:
            count = len(finding.items)
            plural = "item" if count == 1 else "items"
            return f"the list ends after {count} {plural}: expected {expected}", None
        item = finding.items[finding.item - 1]
        hint = self._hint(finding, item)
        shown = quoted(item) if item else "empty"
        return f"item {finding.item} is {shown}, expected {expected}", hint

    def _unique_words(self, finding: Finding, found: str | None) -> str:
        assert finding.unique is not None
        assert finding.first is not None
        row, column = finding.first
        shown = "a padded cell" if found is None else quoted(found)
        where = "in the table" if finding.code == "unique" else "in this row"
        return (
            f"{shown} is another {finding.unique.name}; only one is allowed {where},"
            f" and the first is at ({row},{column})"
        )

    # ------------------------------------------------------------- hints

    def _hint(self, finding: Finding, found: str) -> str | None:
        """Why the cell is not what was expected, if that can be said."""
        if is_long(found):
            return None
        wanted = [self.tokens[name] for name in finding.expected if name in self.tokens]
        wanted = [token for token in wanted if not token.reads_padding]
        text = found.strip(BLANKS)
        cell = (
            self.table.cell(finding.row, finding.column) if finding.row and finding.column else None
        )
        if not text:
            return self._empty_hint(finding) or self._text_hint(finding)
        fits = any(self.matcher_of(token.name).matches(text) for token in wanted)
        if fits and text != found and cell is not None and cell.quoted:
            return "it would match without the blanks around it"
        return (
            self._delimiter_hint(finding, text)
            or self._name_hint(finding, text)
            or self._near_text_hint(wanted, text)
            or self._text_hint(finding)
            or self._pattern_hint(wanted, text)
        )

    def _delimiter_hint(self, finding: Finding, text: str) -> str | None:
        if self.table.width == 1 and not finding.items and re.search(r"[,;\t|]", text):
            return "every row is a single cell: is the column delimiter right?"
        return None

    def _name_hint(self, finding: Finding, text: str) -> str | None:
        """For example, the heading `Date` where the token Date was expected."""
        token = self.tokens.get(text)
        if text in finding.expected and token is not None and token.literal is None:
            return f'{text} is a token here; for the text, write "{text}" in quotes'
        return None

    def _near_text_hint(self, wanted: list[ir.CoreToken], text: str) -> str | None:
        literals = {token.literal: token.name for token in wanted if token.literal}
        key = tuple(literals)
        if key not in self._near:
            self._near[key] = Suggestions(literals)
        near = self._near[key].closest(text)
        return None if near is None else _first_difference(text, near, literals[near])

    def _empty_hint(self, finding: Finding) -> str | None:
        """The row should end here, and only empty cells follow."""
        if finding.row is None or finding.column is None or finding.rule is None:
            return None
        if finding.rule.arrow != "->" or end_word("row") not in finding.expected:
            return None
        rest = self.table.row(finding.row).cells[finding.column - 1 :]
        if any(cell.text.strip(BLANKS) for cell in rest):
            return None
        return "only empty cells follow: `Empty*` at the end of the content allows them"

    def _text_hint(self, finding: Finding) -> str | None:
        """An undeclared name was expected as text, but was perhaps meant as a token."""
        names = [name for name in finding.expected if name not in _ENDS]
        for name in names:
            token = self.tokens.get(name)
            if token is None or not token.is_bare:
                continue
            parts = split_name(name, self._known)
            if parts is not None and any(part in self._declared for part in parts):
                return f"{name} is one name, and declared nowhere: a comma? `{', '.join(parts)}`"
            near = self.declared.closest(name)
            if near is not None:
                return (
                    f"{name} is not declared, so it stands for its own text:"
                    f" did you mean the token {near}?"
                )
        return self._undeclared_hint(finding, names)

    def _undeclared_hint(self, finding: Finding, names: list[str]) -> str | None:
        """Only one text was expected, of which the author may think that it is a token.

        Rules about one row are left out: they mostly consist of the texts of headings.
        """
        assert finding.rule is not None
        selector = finding.rule.selector
        if len(names) != 1 or (isinstance(selector, ir.Position) and selector.row is not None):
            return None
        token = self.tokens.get(names[0])
        if token is None or not token.is_bare:
            return None
        return f"{token.name} is declared nowhere, so only the text `{token.literal}` matches"

    def _pattern_hint(self, wanted: list[ir.CoreToken], text: str) -> str | None:
        patterns = [token.name for token in wanted if token.literal is None]
        reach = [(self.matcher_of(name).alive_length(text), name) for name in patterns]
        if not reach:
            return None
        length, name = max(reach, key=lambda pair: pair[0])
        if length == len(text):
            matches = self.matcher_of(name).matches(text)
            return None if matches else f"{name} needs more after {quoted(text)}"
        if length == 0 and len(reach) > 1:
            return None
        return f"{name} does not allow {quoted(text[length])} at character {length + 1}"

    def _padding_hint(self, finding: Finding) -> str | None:
        readable = [name for name in finding.expected if name in ("Null", "Empty")]
        if self.strict and readable and self.tokens[readable[0]].reads_padding:
            return "with `Padding = strict`, only Missing matches a padded cell"
        return None


_DEFECT_WORDS: dict[str, tuple[str, str | None]] = {
    "undecodable": (
        "bytes that are not valid in the encoding",
        "set the right encoding, such as `Encoding = latin-1`",
    ),
    "unclosed-quote": (
        "a quote never closes",
        "close it, or use `Quote = none` if quotes are data",
    ),
    "text-after-quote": (
        "text between the closing quote and the delimiter",
        "escape quotes inside quotes, or use `Quote = none` if quotes are data",
    ),
    "nul-byte": ("a NUL character", "if the file is in UTF-16, set `Encoding = utf-16`"),
}


def _first_difference(text: str, wanted: str, name: str) -> str:
    same = next(
        (ix for ix, (a, b) in enumerate(zip(text, wanted, strict=False)) if a != b),
        min(len(text), len(wanted)),
    )
    if text.casefold() == wanted.casefold():
        return f"did you mean {name}? They differ in case at character {same + 1}"
    return f"did you mean {name}? The first difference is at character {same + 1}"


def quoted(text: str) -> str:
    """A text for a message: in backticks, on one line, not too long."""
    some = text[: MAX_QUOTED + 1]
    flat = "".join(char if char.isprintable() else _visible(char) for char in some)
    if not flat:
        return "an empty cell"
    return f"`{flat}`" if len(flat) <= MAX_QUOTED else f"`{flat[: MAX_QUOTED - 1]}…`"


def _visible(char: str) -> str:
    known = {"\n": "\\n", "\r": "\\r", "\t": "\\t", "\0": "\\0"}
    code = ord(char)
    if 0xDC00 <= code <= 0xDCFF:
        return f"\\x{code - 0xDC00:02x}"
    return known.get(char) or (f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}")


def one_of(names: tuple[str, ...]) -> str:
    """Names for a message: the first few of them."""
    if not names:
        return "nothing more"
    shown = list(names[:8])
    if len(names) > 8:
        return ", ".join(shown) + f" or {len(names) - 8} others"
    return shown[0] if len(shown) == 1 else ", ".join(shown[:-1]) + f" or {shown[-1]}"
