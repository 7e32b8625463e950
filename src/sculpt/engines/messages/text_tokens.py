"""Which tokens a text matches, and where a list of items fails: the plain way, one text at a time.

In: the tokens of a schema, and texts. Out: sets of token names; for a `.>` rule, what is wrong with
a cell. The reference engine and the messages of every engine take their tokens from here. The
scanner finds tokens in another way, so tests can compare the two: a condition is decided by the
value of the text, not by a pattern.

Invariant: no hidden name leaves `of`. Cost: linear in the text for each token; the answers for some
thousands of texts are remembered.
"""

from __future__ import annotations

from collections.abc import Callable, Container
from functools import cached_property
from typing import Protocol, TypedDict

from sculpt.core import ir
from sculpt.core.acceptor import Acceptor, TextMatcher
from sculpt.core.formulas import is_true, needed, negates
from sculpt.engines.messages.findings import end_word
from sculpt.engines.messages.words import is_long
from sculpt.syntax.regular import letters
from sculpt.tabular.grid import BLANKS, Cell, list_splitter

_MAX_KNOWN = 10_000


class Matcher(Protocol):
    """Matches whole texts against a token."""

    def matches(self, text: str) -> bool:
        """Does the token match the text?"""

    def alive_length(self, text: str) -> int:
        """How many characters can be read before no match is possible."""


class TextTokens:
    """The tokens that texts match, one matcher each."""

    def __init__(self, tokens: dict[str, ir.CoreToken]) -> None:
        self.tokens = tokens
        self._matchers: dict[str, Matcher] = {}
        self._matched: dict[tuple[str, bool], frozenset[str]] = {}
        visible = [token for token in tokens.values() if not token.hidden]
        self._patterns = [token for token in visible if token.literal is None]
        self._literals: dict[str, list[str]] = {}
        for token in visible:
            if token.literal is not None:
                self._literals.setdefault(token.literal, []).append(token.name)

    def matcher(self, name: str) -> Matcher:
        """The matcher of a token."""
        if name not in self._matchers:
            self._matchers[name] = self._build(self.tokens[name])
        return self._matchers[name]

    def _build(self, token: ir.CoreToken) -> Matcher:
        if token.formula is not None:
            return _DerivedMatcher(self, token)
        if token.condition is not None:
            return _ValueMatcher(token)
        if token.items is not None:
            return _ListMatcher(self, token.items)
        return TextMatcher(token.pattern)

    def of(self, text: str, decodable: bool = True) -> frozenset[str]:
        """The set of tokens that match a text; only those that are not hidden."""
        key = (text, decodable)
        if key not in self._matched:
            if len(self._matched) >= _MAX_KNOWN:
                self._matched.clear()
            self._matched[key] = self._match(text, decodable)
        return self._matched[key]

    def _match(self, text: str, decodable: bool) -> frozenset[str]:
        literals = self._literals.get(text, ()) if decodable else ()
        return frozenset(literals).union(
            token.name
            for token in self._patterns
            if (token.matches_undecodable and token.formula is None)
            or (decodable and self.matcher(token.name).matches(text))
        )

    def matching(self, text: str) -> Container[str]:
        """The tokens that match a text that can be decoded, hidden ones too: found when needed."""
        return _Matching(self, text)


class _Matching:
    """The tokens that a text matches, as a set that is computed name by name."""

    def __init__(self, texts: TextTokens, text: str) -> None:
        self._texts, self._text = texts, text

    def __contains__(self, name: object) -> bool:
        token = self._texts.tokens[str(name)]
        if token.literal is not None:
            return self._text == token.literal
        return token.matches_undecodable or self._texts.matcher(token.name).matches(self._text)


class _ValueMatcher:
    """Matches the texts for which a condition holds."""

    def __init__(self, token: ir.CoreToken) -> None:
        assert token.condition is not None
        self._token, self._condition = token, token.condition

    @cached_property
    def _matchers(self) -> list[TextMatcher]:
        """Built for messages about characters only: the languages of bounds are large."""
        return [TextMatcher(self._token.pattern), TextMatcher(self._token.ask)]

    def matches(self, text: str) -> bool:
        from sculpt.core.datatypes import reading  # few schemas have conditions

        return reading.holds(self._condition, text)

    def alive_length(self, text: str) -> int:
        return max(matcher.alive_length(text) for matcher in self._matchers)


class _ListMatcher:
    """Matches lists by their items."""

    def __init__(self, texts: TextTokens, items: ir.CoreList) -> None:
        self._texts, self._items = texts, items
        self._acceptor = Acceptor(items.content)
        self._split = list_splitter(items.delimiter)

    def matches(self, text: str) -> bool:
        states = self._acceptor.initial
        for item in self._split(text):
            states = self._acceptor.step(states, _carries(self._texts.matching(item)))
            if not states:
                return False
        return self._acceptor.accepts(states)

    def alive_length(self, text: str) -> int:
        if not self._items.is_undivided:
            return len(text)  # what is wrong with a list is not one of its characters
        item = text.strip(BLANKS)
        names = [letter.symbol.name for letter in letters(self._items.content)]
        length = max((self._texts.matcher(name).alive_length(item) for name in names), default=0)
        lead = len(text) - len(text.lstrip(BLANKS))
        return lead + length if length < len(item) else len(text)


class _DerivedMatcher:
    """Matches what a formula says; a text is alive as long as it is for some of its parts.

    If some part is negated, no character is to blame.
    """

    def __init__(self, texts: TextTokens, token: ir.CoreToken) -> None:
        assert token.formula is not None
        self._texts, self._formula = texts, token.formula
        used = needed(texts.tokens, [token.name])
        self._parts = [part for part in used if part.formula is None]
        self._negates = any(part.formula is not None and negates(part.formula) for part in used)

    def matches(self, text: str) -> bool:
        return is_true(self._formula, self._texts.matching(text))

    def alive_length(self, text: str) -> int:
        if self._negates:
            return len(text)
        return max(
            (self._texts.matcher(part.name).alive_length(text) for part in self._parts), default=0
        )


class ListFailure(TypedDict):
    """What is wrong with a list, as `Finding` takes it."""

    expected: tuple[str, ...]
    item: int | None
    items: tuple[str, ...]


LONG_LIST = ListFailure(expected=(), item=None, items=())
"""For a list in a long cell, the message says only that it fails, not where."""


def list_failure(
    rule: ir.CoreRule, acceptor: Acceptor[ir.Symbol], cell: Cell | None, texts: TextTokens
) -> ListFailure | None:
    """What a `.>` rule finds wrong with a cell; `None` if nothing."""
    items = tuple(list_splitter(rule.list_delim)(cell.text)) if cell else ()
    states = acceptor.initial
    failed: int | None = None
    for ix, item in enumerate(items, 1):
        carried = texts.of(item, is_decodable(item, cell))
        after = acceptor.step(states, _carries(carried))
        if not after:
            failed = ix
            break
        states = after
    if failed is None and acceptor.accepts(states):
        return None
    if cell is not None and is_long(cell.text):
        return LONG_LIST
    names = [symbol.name for symbol in acceptor.next_symbols(states)]
    end = [end_word("list")] if acceptor.accepts(states) else []
    return ListFailure(expected=(*names, *end), item=failed, items=items)


def is_decodable(item: str, cell: Cell | None) -> bool:
    """Can all characters of this item be decoded?"""
    return cell is None or cell.decodable or not any(0xD800 <= ord(char) <= 0xDFFF for char in item)


def _carries(carried: Container[str]) -> Callable[[ir.Symbol], bool]:
    return lambda symbol: symbol.name in carried
