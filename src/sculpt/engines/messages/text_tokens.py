"""Which tokens a text matches, and where a list of items fails: the plain way, one text at a time.

In: the tokens of a schema, and texts. Out: sets of token names; for a `.>` rule, what is wrong with
a cell. The reference engine and the messages of every engine take their tokens from here. The
scanner finds tokens in another way, so tests can compare the two.

Cost: linear in the text for each token; the answers for some thousands of texts are remembered.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypedDict

from sculpt.core import ir
from sculpt.core.acceptor import Acceptor, TextMatcher
from sculpt.engines.messages.findings import end_word
from sculpt.engines.messages.words import is_long
from sculpt.tabular.grid import Cell, list_splitter

_MAX_KNOWN = 10_000


class TextTokens:
    """The tokens that texts match, one matcher each."""

    def __init__(self, tokens: dict[str, ir.CoreToken]) -> None:
        self.tokens = tokens
        self._matchers: dict[str, TextMatcher] = {}
        self._matched: dict[tuple[str, bool], frozenset[str]] = {}
        self._patterns = [token for token in tokens.values() if token.literal is None]
        self._literals: dict[str, list[str]] = {}
        for token in tokens.values():
            if token.literal is not None:
                self._literals.setdefault(token.literal, []).append(token.name)

    def matcher(self, name: str) -> TextMatcher:
        """The matcher of a token."""
        if name not in self._matchers:
            self._matchers[name] = TextMatcher(self.tokens[name].pattern)
        return self._matchers[name]

    def of(self, text: str, decodable: bool = True) -> frozenset[str]:
        """The set of tokens that match a text."""
        key = (text, decodable)
        if key not in self._matched:
            if len(self._matched) >= _MAX_KNOWN:
                self._matched.clear()
            literals = self._literals.get(text, ()) if decodable else ()
            self._matched[key] = frozenset(literals).union(
                token.name
                for token in self._patterns
                if token.matches_undecodable
                or (decodable and self.matcher(token.name).matches(text))
            )
        return self._matched[key]


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


def _carries(carried: frozenset[str]) -> Callable[[ir.Symbol], bool]:
    return lambda symbol: symbol.name in carried
