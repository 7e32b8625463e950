"""What a column may hold, as alternatives: each is a set of atoms that a text satisfies or not.

In: formulas over the tokens of a schema. Out: a disjunctive normal form over atoms, in which what
contradicts itself or follows from the rest is left out, so that `Integer or Empty` together with
`Integer -> Integer >= 5` is: an empty cell, or an integer that is at least 5.

Invariant: a text satisfies the formula exactly if it satisfies one alternative; padded cells and
cells that cannot be decoded aside. Cost: exponential in the worst case, so it ends with `None` at
`MAX_ALTERNATIVES`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import TypeAlias, assert_never

from sculpt.core import ir
from sculpt.core.datatypes.model import Base
from sculpt.core.desugar import PREDEFINED
from sculpt.core.dialect import Delimiter
from sculpt.core.formulas import names_in
from sculpt.interchange.export.meaning.atoms import (
    Atom,
    Bound,
    Items,
    Shape,
    Typed,
    Word,
    apart,
    implies,
    opposite,
    satisfies,
)
from sculpt.interchange.export.meaning.expressions import words_of
from sculpt.syntax.regular import Letter, Repeat
from sculpt.values import frozen

MAX_ALTERNATIVES = 3_000
EMPTY = Word("")
_ANYTHING = frozenset(("Any", "String", "xs:string"))


@frozen
class Sign:
    """An atom that a text satisfies, or does not."""

    atom: Atom
    holds: bool = True


Alternative: TypeAlias = frozenset[Sign]
"""Texts that satisfy some atoms and not some others; all texts if it is empty."""


ANYTHING: tuple[frozenset[Sign], ...] = (frozenset(),)
"""The alternatives of a formula that every text satisfies."""


class TooManyError(Exception):
    """The normal form is too large."""


class Vocabulary:
    """Makes alternatives of the formulas of one schema."""

    def __init__(self, tokens: Mapping[str, ir.CoreToken]) -> None:
        self.tokens = tokens
        self._known: dict[tuple[str, bool, frozenset[Delimiter]], tuple[Alternative, ...]] = {}

    def alternatives(self, formula: ir.Formula) -> tuple[Alternative, ...] | None:
        """The alternatives of a formula, each once; `None` if there are too many."""
        try:
            return self._normal(formula, True, self._padded(formula))
        except TooManyError:
            return None

    def _padded(self, formula: ir.Formula) -> frozenset[Delimiter]:
        """The delimiters of lists of one item: values with blanks around them."""
        todo, seen = list(names_in(formula)), set[str]()
        found = set()
        while todo:
            name = todo.pop()
            if name in seen:
                continue
            seen.add(name)
            token = self.tokens[name]
            if token.formula is not None:
                todo += names_in(token.formula)
            items = None if token.items is None else _items_of(token.items)
            if items is not None and items.high == items.low == 1:
                found.add(items.delimiter)
        return frozenset(found)

    def _normal(
        self, formula: ir.Formula, holds: bool, padded: frozenset[Delimiter]
    ) -> tuple[Alternative, ...]:
        match formula:
            case ir.Has(name):
                return self._token(name, holds, padded)
            case ir.Lacks(part):
                return self._normal(part, not holds, padded)
            case ir.Both(parts) | ir.Either(parts):
                found = [self._normal(part, holds, padded) for part in parts]
                is_choice = isinstance(formula, ir.Either) == holds
                return _choice(found) if is_choice else _product(found)
            case _:
                assert_never(formula)

    def _token(
        self, name: str, holds: bool, padded: frozenset[Delimiter]
    ) -> tuple[Alternative, ...]:
        key = (name, holds, padded)
        if key not in self._known:
            token = self.tokens[name]
            items = None if token.items is None else _items_of(token.items)
            if token.formula is not None:
                self._known[key] = self._normal(token.formula, holds, padded)
            elif items is not None and items.delimiter in padded:
                # Blanks around values mean nothing elsewhere.
                self._known[key] = self._token(items.item, holds, padded)
            else:
                self._known[key] = _signed(_atoms(token), holds)
        return self._known[key]

    def reads(self, name: str, text: str | None) -> bool:
        """Does a token read a text; or, for `None`, every text that the schema does not name?"""
        found = self.alternatives(ir.Has(name)) or ()
        if text is not None:
            return any(has_text(each, text) for each in found)
        return any(all(_is_exclusion(sign) for sign in each) for each in found)

    @cached_property
    def words(self) -> frozenset[str]:
        """The texts that the schema names, and the empty one."""
        named = (each.literal for each in self.tokens.values() if each.literal is not None)
        return frozenset((*named, ""))


def _atoms(token: ir.CoreToken) -> tuple[Alternative, ...]:
    """The alternatives of a token without a formula."""
    name = token.name
    if token.literal is not None:
        return (frozenset([Sign(Word(token.literal))]),)
    if token.items is not None:
        return _one(_items_of(token.items))
    if token.condition is not None and name not in PREDEFINED:
        condition = token.condition
        typed = Sign(Typed(condition.base))
        if condition.relation is None:
            return (frozenset([typed]),)
        return (frozenset([typed, Sign(Bound(condition))]),)
    if token.declared or token.hidden:
        words = words_of(token.pattern)
        if words is not None:
            return tuple(frozenset([Sign(Word(each))]) for each in words)
        written = name[1:-1] if token.hidden else token.text.partition("=")[2].strip()
        return _one(Shape(written, token.pattern))
    if name == "Missing":
        return ()
    if name in _ANYTHING:
        return (frozenset(),)
    if name == "Text":
        return (frozenset([Sign(EMPTY, False)]),)
    if name in ("Empty", "Null"):
        return _one(EMPTY)
    return _one(Typed(Base(name)))


def _items_of(items: ir.CoreList) -> Items:
    content = items.content
    assert isinstance(content, Repeat)
    assert isinstance(content.part, Letter)
    return Items(content.part.symbol.name, items.delimiter, content.low, content.high)


def _one(atom: Atom) -> tuple[Alternative, ...]:
    return (frozenset([Sign(atom)]),)


def _signed(found: tuple[Alternative, ...], holds: bool) -> tuple[Alternative, ...]:
    if holds:
        return found
    opposites = [
        tuple(frozenset([Sign(sign.atom, not sign.holds)]) for sign in alternative)
        for alternative in found
    ]
    return _product(opposites)


# ------------------------------------------------------------- and, or


def _choice(found: Iterable[tuple[Alternative, ...]]) -> tuple[Alternative, ...]:
    listed = dict.fromkeys(each for part in found for each in part)
    if len(listed) > MAX_ALTERNATIVES:
        raise TooManyError
    texts = [each for each in listed if single_text(each) is None]
    kept = [each for each in texts if not any(other < each for other in texts)]
    words = [
        each
        for each in listed
        if (word := single_text(each)) is not None
        and not any(has_text(other, word) for other in kept)
    ]
    order = {each: ix for ix, each in enumerate(listed)}
    return tuple(sorted((*kept, *words), key=order.__getitem__))


def single_text(alternative: Alternative) -> str | None:
    """The text, if the alternative is one."""
    if len(alternative) != 1:
        return None
    (sign,) = alternative
    return sign.atom.text if isinstance(sign.atom, Word) and sign.holds else None


def _is_exclusion(sign: Sign) -> bool:
    return isinstance(sign.atom, Word) and not sign.holds


def has_text(alternative: Alternative, text: str) -> bool:
    """Is a text known to satisfy an alternative?"""
    return all(satisfies(text, sign.atom) is sign.holds for sign in alternative)


def _product(found: list[tuple[Alternative, ...]]) -> tuple[Alternative, ...]:
    """Those that satisfy one alternative of each part."""
    done: tuple[Alternative, ...] = (frozenset(),)
    for part in found:
        if len(done) * len(part) > MAX_ALTERNATIVES * 10:
            raise TooManyError
        joined = (_joined(one, other) for one in done for other in part)
        done = _choice([tuple(each for each in joined if each is not None)])
    return done


def _joined(one: Alternative, other: Alternative) -> Alternative | None:
    """The texts of both alternatives; `None` if there is none."""
    if not one or not other:
        return one or other
    signs = _settled(one | other)
    positive = [sign.atom for sign in signs if sign.holds]
    word = next((atom for atom in positive if isinstance(atom, Word)), None)
    if word is not None:
        answers = [(satisfies(word.text, sign.atom), sign) for sign in signs]
        if any(answer is not None and answer != sign.holds for answer, sign in answers):
            return None
        return frozenset(sign for answer, sign in answers if answer is None or sign.atom == word)
    kept: set[Sign] = set()
    for sign in signs:
        verdict = _follows(sign, positive, signs)
        if verdict is False:
            return None
        if verdict is None:
            kept.add(sign)
    return frozenset(kept)


def _settled(signs: Iterable[Sign]) -> list[Sign]:
    """The same, with a bound that does not hold turned around where the type is known."""
    listed = list(signs)
    types = {sign.atom for sign in listed if sign.holds and isinstance(sign.atom, Typed)}
    found: dict[Sign, None] = {}
    for sign in listed:
        if isinstance(sign.atom, Bound) and not sign.holds:
            turned = opposite(sign.atom) if Typed(sign.atom.condition.base) in types else None
            sign = sign if turned is None else Sign(turned)
        found[sign] = None
    return list(found)


def _follows(sign: Sign, positive: list[Atom], signs: list[Sign]) -> bool | None:
    """Does a sign follow from the others? `False` if they exclude it, `None` if it stays."""
    if Sign(sign.atom, not sign.holds) in signs:
        return False
    others = [atom for atom in positive if atom != sign.atom]
    if not sign.holds:
        if any(implies(atom, sign.atom) for atom in others):
            return False
        return True if any(_apart(atom, sign.atom) for atom in others) else None
    if any(_apart(atom, sign.atom) for atom in others):
        return False
    implied = [atom for atom in others if not isinstance(atom, Bound) and implies(atom, sign.atom)]
    if isinstance(sign.atom, Bound) or not implied:
        return None
    # Of two atoms that imply each other, the one that is a type stays.
    is_weaker = any(not implies(sign.atom, atom) for atom in implied)
    is_type = isinstance(sign.atom, Typed)
    return (
        True if is_weaker or (not is_type and any(isinstance(a, Typed) for a in implied)) else None
    )


def _apart(one: Atom, other: Atom) -> bool | None:
    if isinstance(other, Word):
        answer = satisfies(other.text, one)
        return None if answer is None else not answer
    return apart(one, other)
