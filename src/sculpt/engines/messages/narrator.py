"""Findings in words: message, hint and excerpt of a violation (`docs/language.md#8-violations`).

In: what an engine found, as bare facts (`Finding`). Out: `Violation`s with the raw text, a
message and a hint. They are made only for the findings that are shown.

Invariant: a finding holds everything that orders and identifies a violation, so two engines with
the same findings give the same violations.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator

from sculpt.core import ir
from sculpt.engines.messages.findings import SCOPES, Finding
from sculpt.engines.messages.hints import Hints
from sculpt.engines.messages.table_text import TableText
from sculpt.engines.messages.text_tokens import Matcher
from sculpt.engines.messages.words import LONG, is_long, one_of, quoted, with_own
from sculpt.tabular.grid import BLANKS, Defect
from sculpt.verdict import FOUND_LIMIT, Excerpt, Place, Violation

_LEAD, _TAIL = 100, 300
"""How many characters of a long row are shown before the start of a cell, and from there on."""


class Narrator:
    """Puts findings into words for one table."""

    def __init__(
        self,
        table: TableText,
        tokens_of: Callable[[int, int], tuple[str, ...]],
        schema: ir.CoreSchema,
        matcher_of: Callable[[str], Matcher],
        unmatched: Callable[[], Container[str]],
    ) -> None:
        """`unmatched` has the undeclared names in contents that no cell of the table has."""
        self.table = table
        self.tokens_of = tokens_of
        self._schema = schema
        self._hints = Hints(table, schema, matcher_of, unmatched)

    def violations(self, findings: Iterable[Finding]) -> tuple[Violation, ...]:
        """The violations, in the order of the findings."""
        return tuple(self.violation(finding) for finding in findings)

    def violation(self, finding: Finding) -> Violation:
        """One finding in words."""
        row, column = finding.row, finding.column
        cell = self.table.cell(row, column) if row and column else None
        found = None if cell is None else cell.raw
        message, hint = self._words(finding, found)
        source = finding.rule or finding.unique or finding.identity
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
            message=with_own(finding.ending.message, message),
            hint=hint,
            excerpt=self._excerpt(finding),
            severity=finding.severity,
            first=finding.other if finding.code == "key" else None,
            target=finding.other if finding.code == "reference-several" else None,
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
        if finding.identity is not None:
            return self._identity_words(finding, found), None
        assert finding.rule is not None
        scope = SCOPES[finding.rule.arrow]
        expected = one_of(finding.expected)
        if scope == "list":
            return self._list_words(finding, expected)
        if finding.row is not None and finding.column is not None:
            if found is None:
                where = f"row {finding.row} ends before column {finding.column}"
                return f"{where}: expected {expected}", self._hints.of_padding(finding)
            cell = self.table.cell(finding.row, finding.column)
            shown = quoted(cell.text) if cell is not None else quoted(found)
            return f"found {shown}, expected {expected}", self._hints.of_cell(finding, found)
        what = {
            "row": f"row {finding.row}",
            "column": f"column {finding.column}",
        }.get(scope) or self._region_words(finding.rule)
        return f"{what} ends too early: expected {expected}", self._hints.of_names(finding)

    def _region_words(self, rule: ir.CoreRule) -> str:
        """The region of a rule, with the row that it is in, if it is in the same one everywhere."""
        from sculpt.core.facts.bounds import only_row  # few violations are about a whole region

        row = only_row(rule.selector, self._schema)
        if row is None:
            return "the region"
        is_whole = isinstance(rule.selector, ir.Position) and rule.selector.column is None
        return f"row {row}" if is_whole else f"the region in row {row}"

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
        hint = self._hints.of_cell(finding, item)
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

    def _identity_words(self, finding: Finding, found: str | None) -> str:
        """What is wrong with an entry of a key or a reference; `items` are its texts, if known."""
        assert finding.identity is not None
        shown = ", ".join(_entry_words(finding, finding.items or (found or "",)))
        other = finding.other
        where = "" if other is None else _place_words(other, finding.is_elsewhere)
        match finding.code:
            case "key" if isinstance(finding.identity, ir.CoreKey) and finding.identity.runs:
                return f"{shown} comes again after other rows: it is first {where}"
            case "key":
                return f"{shown} is in the key already: it is first {where}"
            case "reference-none":
                return f"{shown} is not in {_target_words(finding.identity)}"
            case "reference-several":
                target = _target_words(finding.identity)
                return f"{shown} is in {target} more than once: it is first {where}"
        sides = _parts_of(finding.identity)
        return f"row {finding.row} has another cell of `{sides[finding.part].text}`"


def _entry_words(finding: Finding, texts: tuple[str, ...]) -> Iterator[str]:
    """The texts of an entry; what is empty is a cell, or an item of a list."""
    assert finding.identity is not None
    for text, part in zip(texts, _parts_of(finding.identity), strict=False):
        is_item = finding.item is not None and part.items is not None
        yield "an empty item" if is_item and not text else quoted(text)


def _target_words(identity: ir.CoreKey | ir.CoreReference) -> str:
    """What a reference refers to."""
    assert isinstance(identity, ir.CoreReference)
    side = identity.right
    parts = ", ".join(part.text for part in side.parts)
    return f"`{parts}`" if side.table is None else f"`{side.table}({parts})`"


def _place_words(place: Place, is_elsewhere: bool) -> str:
    at = f"row {place.row}" if place.column is None else f"({place.row},{place.column})"
    return f"at {at} of {place.file}" if is_elsewhere else f"at {at}"


def _parts_of(identity: ir.CoreKey | ir.CoreReference) -> tuple[ir.CorePart, ...]:
    """All parts, as `Finding.part` counts them: for a reference, those of the left side first."""
    if isinstance(identity, ir.CoreKey):
        return identity.parts
    return (*identity.left.parts, *identity.right.parts)


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
        "escape quotes inside quotes, or use `Stray Quotes = text` if they are text",
    ),
    "nul-byte": ("a NUL character", "if the file is in UTF-16, set `Encoding = utf-16`"),
}
