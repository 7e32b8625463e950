"""Generated derived tokens: formulas over hidden patterns, literals, lists and conditions that ask.

The condition of the tests holds for the texts of a first expression, and for those of a second one
whose length is odd or even; the second is what a reader must ask about. `deciding` lets the engines
of this process know it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache

import pytest
from hypothesis import strategies as st

import sculpt
from sculpt.core import ir
from sculpt.core.acceptor import TextMatcher
from sculpt.core.datatypes import reading
from sculpt.core.datatypes.model import Base, Condition
from sculpt.core.dialect import Delimiter
from sculpt.syntax.regular import CharSet, Letter, Nothing, Regular, Repeat, Sequence
from sculpt.values import replace

PATTERNS = ["a+", "[ab]", "[0-9]+", "[a-z]*", ".*é.*", "a.*", r"\s*b\s*", r".*[;\n].*", "x?"]
ASKED = ["[ab]*", ".*", "[a-z]+", "[0-9é]*", r'.*[\n"!].*', "(a|1)?.{0,3}"]
LITERALS = ["a", "aa", "", "1", "é", "a b", "x;x"]


@lru_cache
def pattern(text: str) -> Regular[CharSet]:
    """An expression over characters."""
    return sculpt.Schema.parse(f"p = {text}\ntrue -> p*\n").core.tokens["p"].pattern


@lru_cache
def _matcher(text: str) -> TextMatcher:
    return TextMatcher(pattern(text))


class Asking:
    """Decides the conditions of the tests, and counts what it is asked."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def holds(self, condition: Condition, text: str) -> bool:
        if condition.relation is None:
            return False  # only hints ask for a value without a bound
        self.texts.append(text)
        base = condition.base
        if base.picture is not None and _matcher(base.picture).matches(text):
            return True
        return len(text) % 2 == int(condition.bound) and _matcher(base.type).matches(text)


@contextmanager
def deciding() -> Iterator[Asking]:
    """Decide the conditions of the tests."""
    asking = Asking()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reading, "holds", asking.holds)
        yield asking


def hidden(name: str, text: str) -> ir.CoreToken:
    """A hidden token with an expression."""
    return ir.CoreToken(name, pattern(text), hidden=True)


def parity(name: str, asked: str, odd: bool = True, surely: str | None = None) -> ir.CoreToken:
    """A hidden token that asks: its texts are `surely` some, and some of an odd or even length.

    Where the two expressions overlap, only the first counts: no text is in both.
    """
    condition = Condition(Base(asked, surely), relation="=", bound=str(int(odd)))
    if surely is None:
        return ir.CoreToken(name, Nothing(), hidden=True, condition=condition, ask=pattern(asked))
    return ir.CoreToken(name, pattern(surely), hidden=True, condition=condition, ask=pattern(asked))


def a_list(name: str, item: str, separator: str, low: int = 0) -> ir.CoreToken:
    """A hidden token that is a list of one kind of items."""
    letter = Letter(ir.Symbol(item))
    content: Regular[ir.Symbol] = Repeat(letter, low, None)
    if low > 1:
        content = Sequence((letter, content))
    delimiter = Delimiter(separator, pattern(r"\s+") if separator == "/" else None)
    return ir.CoreToken(name, Nothing(), hidden=True, items=ir.CoreList(content, delimiter))


def derived(name: str, formula: ir.Formula, padding: bool = False) -> ir.CoreToken:
    """A token with a formula."""
    return ir.CoreToken(
        name,
        Nothing(),
        formula=formula,
        declared=True,
        text=f"{name} := …",
        matches_padding=padding,
        reads_padding=padding,
    )


def with_tokens(schema: sculpt.Schema, tokens: list[ir.CoreToken]) -> sculpt.Schema:
    """A schema with some of its tokens replaced, and others added before them."""
    table = {token.name: token for token in tokens}
    kept = {name: each for name, each in schema.core.tokens.items() if name not in table}
    return replace(schema, core=replace(schema.core, tokens={**kept, **table}))


# ------------------------------------------------------------- generated


def _formulas(names: list[str], depth: int = 2) -> st.SearchStrategy[ir.Formula]:
    leaves: st.SearchStrategy[ir.Formula] = st.sampled_from(names).map(ir.Has)
    if depth == 0:
        return leaves
    inner = _formulas(names, depth - 1)
    several = st.lists(inner, min_size=1, max_size=3).map(tuple)
    return st.one_of(
        leaves,
        inner.map(ir.Lacks),
        several.map(ir.Both),
        several.map(ir.Either),
    )


@st.composite
def tokens(draw: st.DrawFn, names: tuple[str, ...] = ("b", "n")) -> list[ir.CoreToken]:
    """Hidden tokens, and tokens of these names derived from them."""
    found: list[ir.CoreToken] = []
    for number in range(draw(st.integers(1, 4))):
        name = f"{number} hidden"
        kind = draw(st.sampled_from(["pattern", "literal", "ask", "ask", "both", "list"]))
        if kind == "pattern":
            found.append(hidden(name, draw(st.sampled_from(PATTERNS))))
        elif kind == "literal":
            text = draw(st.sampled_from(LITERALS))
            found.append(ir.CoreToken(name, pattern("a"), literal=text, hidden=True))
        elif kind == "list" and found:
            item = draw(st.sampled_from([token.name for token in found]))
            separator = draw(st.sampled_from(["b", ";", "/", ", ", "ab"]))
            found.append(a_list(name, item, separator, draw(st.integers(0, 2))))
        else:
            surely = draw(st.sampled_from(["a", "[0-9]+"])) if kind == "both" else None
            asked = draw(st.sampled_from(ASKED))
            found.append(parity(name, asked, draw(st.booleans()), surely))
    for name in names:
        usable = [*(token.name for token in found), "a"]
        formula = draw(_formulas(usable))
        found.append(derived(name, formula, draw(st.booleans())))
    return found
