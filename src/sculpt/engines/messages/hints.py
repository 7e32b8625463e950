"""Hints: why a cell is not what was expected, and what the author of the schema may have meant.

In: a finding, its table, the tokens of the schema, and the undeclared names that no cell of the
table has. Out: a sentence, or `None` if nothing helpful can be said. Invariant: a hint depends on
the finding, its row and facts about the whole table, so every engine gives the same one.
Cost: linear in the text of the cell.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterator, Mapping
from functools import cached_property

from sculpt.core import ir
from sculpt.core.builtins import FRIENDLY
from sculpt.core.datatypes.model import Base, Condition
from sculpt.core.formulas import needed, negates
from sculpt.diagnostics import Suggestions, split_name
from sculpt.engines.messages.findings import ENDS, Finding, end_word
from sculpt.engines.messages.table_text import TableText
from sculpt.engines.messages.text_tokens import Matcher, TextTokens
from sculpt.engines.messages.words import is_long, quoted
from sculpt.syntax.regular import letters
from sculpt.tabular.grid import BLANKS


class Hints:
    """Says what may be wrong, for the findings of one table."""

    def __init__(
        self,
        table: TableText,
        schema: ir.CoreSchema,
        matcher_of: Callable[[str], Matcher],
        unmatched: Callable[[], Container[str]],
    ) -> None:
        self.table = table
        self.tokens = schema.tokens
        self.types = schema.types
        self.matcher_of = matcher_of
        self.strict = schema.dialect.strict_padding
        self._unmatched = unmatched
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

    def of_cell(self, finding: Finding, found: str) -> str | None:
        """Why the cell is not what was expected, if that can be said."""
        if is_long(found):
            return None
        wanted = [self.tokens[name] for name in finding.expected if name in self.tokens]
        wanted = [token for token in wanted if not token.reads_padding]
        text = found.strip(BLANKS)
        if not text:
            return self._empty_hint(finding) or self.of_names(finding)
        if text != found and self._reads(wanted, text) and not self._reads(wanted, found):
            return "it would match without the blanks around it"
        return (
            self._delimiter_hint(finding, text)
            or self._name_hint(finding, text)
            or self._near_text_hint(wanted, text)
            or self._text_hint(finding)
            or _value_hint(self.tokens, wanted, text)
            or _calendar_hint(self.tokens, wanted, text)
            or _pattern_hint(self.tokens, wanted, text, self.matcher_of)
            or self._undeclared(finding)
        )

    def _reads(self, wanted: list[ir.CoreToken], text: str) -> bool:
        return any(self.matcher_of(token.name).matches(text) for token in wanted)

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

    def of_names(self, finding: Finding) -> str | None:
        """What may be wrong with the names that were expected."""
        return self._text_hint(finding) or self._undeclared(finding)

    def _text_hint(self, finding: Finding) -> str | None:
        """An undeclared name was expected as text, but was perhaps meant as a token."""
        names = [name for name in finding.expected if name not in ENDS]
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
        return None

    def _undeclared(self, finding: Finding) -> str | None:
        """Only one text was expected; no cell has it, so it may be meant as a token."""
        tokens = [self.tokens[name] for name in finding.expected if name in self.tokens]
        texts = [token.name for token in tokens if token.literal is not None]
        if len(texts) != 1 or not self._is_unmatched(finding, self.tokens[texts[0]]):
            return None
        return f"{texts[0]} is declared nowhere, so only the text `{texts[0]}` matches"

    def _is_unmatched(self, finding: Finding, token: ir.CoreToken) -> bool:
        """Does no cell have the text? Of a list, only the items of this cell are known."""
        if finding.code == "list-content":
            return token.is_bare and token.literal not in finding.items
        return token.name in self._unmatched()

    def of_padding(self, finding: Finding) -> str | None:
        """Why a padded cell was not read."""
        readable = [name for name in finding.expected if name in ("Null", "Empty")]
        if self.strict and readable and self.tokens[readable[0]].reads_padding:
            return "with `Padding = strict`, only Missing matches a padded cell"
        return None


def mismatch_hint(texts: TextTokens, name: str, text: str) -> str | None:
    """Why a text does not match a token, if that can be said."""
    if is_long(text) or not text:
        return None
    wanted = [texts.tokens[name]]
    return (
        _value_hint(texts.tokens, wanted, text)
        or _calendar_hint(texts.tokens, wanted, text)
        or _pattern_hint(texts.tokens, wanted, text, texts.matcher)
    )


def _value_hint(
    tokens: Mapping[str, ir.CoreToken], wanted: list[ir.CoreToken], text: str
) -> str | None:
    """A bound that the value of the text does not keep."""
    for part, read in _parts_read(tokens, wanted, text):
        if part.condition is not None and _is_broken(part.condition, read):
            return _bound_words(part.condition, read)
    return None


def _calendar_hint(
    tokens: Mapping[str, ir.CoreToken], wanted: list[ir.CoreToken], text: str
) -> str | None:
    """The calendar lacks the day; nothing if the forms of dates read different days."""
    found: set[str] = set()
    for part, read in _parts_read(tokens, wanted, text):
        base = _base_of(part)
        if base is not None:
            from sculpt.engines.messages.unreal_dates import unreal_date  # few schemas have dates

            date = unreal_date(base, read)
            found |= {date.words} if date is not None else set()
    return found.pop() if len(found) == 1 else None


def _base_of(token: ir.CoreToken) -> Base | None:
    """The type or picture of a token that may be one of dates."""
    if token.condition is not None:
        return token.condition.base
    is_predefined = not token.declared and token.literal is None
    is_typed = token.name == "Date" or token.name.startswith("xs:")
    return Base(token.name) if is_predefined and is_typed else None


def _parts_read(
    tokens: Mapping[str, ir.CoreToken], wanted: list[ir.CoreToken], text: str
) -> Iterator[tuple[ir.CoreToken, str]]:
    """What the tokens are made of, each with the text that it reads; none of a token that negates.

    There, what does not hold may be as it should be.
    """
    for token in wanted:
        parts = needed(tokens, [token.name])
        if not any(part.formula is not None and negates(part.formula) for part in parts):
            read = _as_read(parts, text)
            yield from ((part, read) for part in parts)


def _as_read(parts: list[ir.CoreToken], text: str) -> str:
    """The text that the parts of a token read: `trimmed(…)` reads it without the blanks."""
    is_trimmed = any(part.items is not None and part.items.is_undivided for part in parts)
    return text.strip(BLANKS) if is_trimmed else text


def _pattern_hint(
    tokens: Mapping[str, ir.CoreToken],
    wanted: list[ir.CoreToken],
    text: str,
    matcher_of: Callable[[str], Matcher],
) -> str | None:
    """The first character that the token which reads furthest does not allow."""
    patterns = [token.name for token in wanted if token.literal is None]
    reach = [(matcher_of(name).alive_length(text), name) for name in patterns]
    if not reach:
        return None
    length, name = max(reach, key=lambda pair: pair[0])
    if length == len(text):
        is_whole = matcher_of(name).matches(text) or tokens[name].formula is not None
        return None if is_whole else f"{name} needs more after {quoted(text)}"
    if length == 0 and len(reach) > 1:
        return None
    return f"{name} does not allow {quoted(text[length])} at character {length + 1}"


def _is_broken(condition: Condition, text: str) -> bool:
    """Is the text of the base, and only the bound is not kept?"""
    from sculpt.core.datatypes import reading  # few schemas have conditions

    plain = Condition(condition.base)
    return condition.relation is not None and (
        reading.holds(plain, text) and not reading.holds(condition, text)
    )


def _bound_words(condition: Condition, text: str) -> str:
    base, relation = condition.base, f"{condition.relation} {condition.bound}"
    if condition.measured == "value":
        kind = base.type if base.picture is None else f'{base.type}("{base.picture}")'
        return f"{quoted(text)} is a value of `{kind}`, but not {relation}"
    what = "length" if condition.measured == "length" else f"number of {condition.measured}"
    return f"the {what} of {quoted(text)} is not {relation}"


def unmatched_names(schema: ir.CoreSchema, carried: Container[str]) -> frozenset[str]:
    """The undeclared names in contents that are among the tokens of no cell.

    Contents of `.>` rules are not about cells.
    """
    rules = [rule for rule in schema.rules if rule.arrow != ".>"]
    names = {letter.symbol.name for rule in rules for letter in letters(rule.content)}
    bare = {name for name in names if name in schema.tokens and schema.tokens[name].is_bare}
    return frozenset(name for name in bare if name not in carried)


def _first_difference(text: str, wanted: str, name: str) -> str:
    same = next(
        (ix for ix, (a, b) in enumerate(zip(text, wanted, strict=False)) if a != b),
        min(len(text), len(wanted)),
    )
    if text.casefold() == wanted.casefold():
        return f"did you mean {name}? They differ in case at character {same + 1}"
    return f"did you mean {name}? The first difference is at character {same + 1}"
