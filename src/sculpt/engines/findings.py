"""From a place in a table to words: the details of a violation (LANGUAGE 5).

In: what an engine found, as bare facts (`Finding`). Out: `Violation`s with the raw text, a
sentence and a hint. Details are made only for the findings that are shown.

Invariant: a finding holds everything that orders and identifies a violation; two engines that
give the same findings give the same violations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal as OneOf
from typing import TypeAlias

from sculpt.core import ir
from sculpt.core.acceptor import TextMatcher
from sculpt.diagnostics import closest
from sculpt.tabular.grid import BLANKS, Defect, Grid
from sculpt.verdict import FOUND_LIMIT, Excerpt, Violation

Scope: TypeAlias = OneOf["row", "region", "column", "list"]
SCOPES: dict[str, Scope] = {"->": "row", "=>": "region", "|>": "column", ".>": "list"}
_PLAIN_ENDS = {"row": "end of row", "region": "end of region", "column": "end of column"}


@dataclass(frozen=True, slots=True)
class Finding:
    """A violation without its words. `item` counts the items of a list from 1."""

    code: str
    row: int | None
    column: int | None
    rule: ir.CoreRule | None = None
    unique: ir.CoreUnique | None = None
    defect: Defect | None = None
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


def end_word(scope: Scope) -> str:
    """What `expected` says where the word could have ended."""
    return _PLAIN_ENDS.get(scope, "end of list")


class Narrator:
    """Puts findings into words for one table."""

    def __init__(
        self,
        grid: Grid,
        tokens_of: Callable[[int, int], tuple[str, ...]],
        tokens: dict[str, ir.CoreToken],
        matcher_of: Callable[[str], TextMatcher],
    ) -> None:
        self.grid = grid
        self.tokens_of = tokens_of
        self.tokens = tokens
        self.matcher_of = matcher_of

    def violations(self, findings: Iterable[Finding]) -> tuple[Violation, ...]:
        """The violations, in the order of the findings."""
        return tuple(self.violation(finding) for finding in findings)

    def violation(self, finding: Finding) -> Violation:
        """One finding in words."""
        row, column = finding.row, finding.column
        cell = self.grid.cell(row, column) if row and column else None
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
        if finding.defect is not None:
            return self.grid.document.byte_offset(finding.defect.at)
        if finding.row is None:
            return None
        cell = self.grid.cell(finding.row, finding.column) if finding.column else None
        at = self.grid.rows[finding.row - 1].end if cell is None else cell.start
        return self.grid.document.byte_offset(at)

    def _excerpt(self, finding: Finding) -> Excerpt | None:
        if finding.row is None:
            return None
        row = self.grid.rows[finding.row - 1]
        text = self.grid.document.text[row.start : row.end]
        cell = self.grid.cell(finding.row, finding.column) if finding.column else None
        if cell is None:
            return Excerpt(text, len(text), len(text) + 1)
        start, end = cell.start - row.start, cell.end - row.start
        shown = text[start:end]
        lead = len(shown) - len(shown.lstrip(BLANKS))
        if shown.strip(BLANKS):
            start, end = start + lead, start + len(shown.rstrip(BLANKS))
        return Excerpt(text, start, max(end, start + 1))

    # ------------------------------------------------------------- sentences

    def _words(self, finding: Finding, found: str | None) -> tuple[str, str | None]:
        if finding.defect is not None:
            return _DEFECT_WORDS[finding.code]
        if finding.unique is not None:
            return self._unique_words(finding.unique, finding.code, found), None
        assert finding.rule is not None
        scope = SCOPES[finding.rule.arrow]
        expected = one_of(finding.expected)
        if scope == "list":
            return self._list_words(finding, expected)
        if finding.row is not None and finding.column is not None:
            shown = "a padded cell" if found is None else quoted(found)
            return f"found {shown}, expected {expected}", self.hint(finding, found)
        what = {
            "row": f"row {finding.row}",
            "column": f"column {finding.column}",
        }.get(scope, "the region")
        return f"{what} ends too early: expected {expected}", None

    def _list_words(self, finding: Finding, expected: str) -> tuple[str, str | None]:
        if finding.item is None:
            count = len(finding.items)
            plural = "item" if count == 1 else "items"
            return f"the list ends after {count} {plural}: expected {expected}", None
        item = finding.items[finding.item - 1]
        hint = self.hint(finding, item)
        return f"item {finding.item} is {quoted(item)}, expected {expected}", hint

    def _unique_words(self, unique: ir.CoreUnique, code: str, found: str | None) -> str:
        where = "the table" if code == "unique" else "a row"
        shown = "a padded cell" if found is None else quoted(found)
        return f"{shown} is a further {unique.name}; only one is allowed in {where}"

    # ------------------------------------------------------------- hints

    def hint(self, finding: Finding, found: str | None) -> str | None:
        """Why the cell is not what was expected, where that can be said."""
        if found is None:
            return None
        wanted = [self.tokens[name] for name in finding.expected if name in self.tokens]
        text = found.strip(BLANKS)
        if text != found and any(self.matcher_of(token.name).matches(text) for token in wanted):
            in_list = finding.items or finding.row is None or finding.column is None
            cell = None if in_list else self.grid.cell(finding.row, finding.column)  # type: ignore[arg-type]
            if cell is not None and cell.text == found:
                return "it would fit without the blanks around it"
        literals = {token.literal: token.name for token in wanted if token.literal}
        near = closest(text, literals)
        if near is not None and text:
            return _first_difference(text, near, literals[near])
        patterns = [token for token in wanted if token.literal is None and text]
        reach = [(self.matcher_of(token.name).alive_length(text), token.name) for token in patterns]
        if not reach:
            return None
        length, name = max(reach, key=lambda pair: pair[0])
        if length == len(text):
            if self.matcher_of(name).matches(text):
                return None
            return f"{quoted(text)} is only the beginning of what {name} matches"
        if length == 0 and len(reach) > 1:
            return None
        return f"{name} cannot go on with {quoted(text[length])} at character {length + 1}"


_DEFECT_WORDS: dict[str, tuple[str, str | None]] = {
    "undecodable": (
        "bytes that the encoding does not know",
        "set the right one, such as `Encoding = latin-1`",
    ),
    "unclosed-quote": (
        "this quote never closes: the cell runs to the end of the file",
        "close it, or use `Quote = none` where quotes are data",
    ),
    "text-after-quote": (
        "text between the closing quote and the delimiter",
        "a quote inside quotes is doubled; use `Quote = none` where quotes are data",
    ),
    "nul-byte": ("a NUL character", "a file in UTF-16 needs `Encoding = utf-16`"),
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
    """A text for a sentence: in backticks, on one line, not too long."""
    flat = "".join(char if char.isprintable() else _visible(char) for char in text)
    if not flat:
        return "nothing"
    return f"`{flat}`" if len(flat) <= 60 else f"`{flat[:59]}…`"


def _visible(char: str) -> str:
    known = {"\n": "\\n", "\r": "\\r", "\t": "\\t", "\0": "\\0"}
    code = ord(char)
    if 0xDC00 <= code <= 0xDCFF:
        return f"\\x{code - 0xDC00:02x}"
    return known.get(char) or (f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}")


def one_of(names: tuple[str, ...]) -> str:
    """Names for a sentence, the first few of them."""
    if not names:
        return "nothing more"
    shown = list(names[:8])
    if len(names) > 8:
        return ", ".join(shown) + f" or {len(names) - 8} others"
    return shown[0] if len(shown) == 1 else ", ".join(shown[:-1]) + f" or {shown[-1]}"
