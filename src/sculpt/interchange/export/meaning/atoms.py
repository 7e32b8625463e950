"""What formulas over tokens are made of: single texts, types, bounds, expressions and lists.

In: tokens of the core form. Out: atoms, and what is known about two of them: can a text satisfy
both, does one imply the other? Languages of texts answer that, so equal meanings are found however
they are written.

Invariant: `None` means "not known", never a guess. Cost: `apart` and `implies` compare automata, up
to `MAX_STATES` pairs of states; answers are remembered.
"""

from __future__ import annotations

from functools import lru_cache, partial
from typing import TypeAlias, assert_never

from sculpt.core.acceptor import Acceptor, TextMatcher, intersect, representatives
from sculpt.core.datatypes import reading
from sculpt.core.datatypes.families import family_of
from sculpt.core.datatypes.languages import language
from sculpt.core.datatypes.model import Base, Condition, Relation
from sculpt.core.dialect import Delimiter
from sculpt.syntax.regular import CharSet, Nothing, Regular, literal
from sculpt.values import field, frozen

MAX_STATES = 1_500
OPPOSITE: dict[Relation, Relation] = {
    "<": ">=",
    "<=": ">",
    ">": "<=",
    ">=": "<",
    "=": "!=",
    "!=": "=",
}


@frozen
class Word:
    """One text; the empty one is an empty cell."""

    text: str


@frozen
class Typed:
    """The texts of a type or a picture."""

    base: Base


@frozen
class Bound:
    """A condition on the texts of a type, which are the only ones that it is about."""

    condition: Condition


@frozen
class Shape:
    """The texts of an expression."""

    text: str
    """As it is written in the schema."""
    pattern: Regular[CharSet] = field(repr=False)


@frozen
class Items:
    """The texts that are lists of some items."""

    item: str
    """The token of an item."""
    delimiter: Delimiter
    low: int
    high: int | None


Atom: TypeAlias = Word | Typed | Bound | Shape | Items


@lru_cache(maxsize=4_096)
def texts_of(atom: Atom) -> Regular[CharSet] | None:
    """The texts that satisfy an atom, if they are known to be a regular language."""
    match atom:
        case Word(text):
            return literal(text)
        case Typed(base):
            return _regular(Condition(base))
        case Bound(condition):
            return _regular(condition)
        case Shape(_, pattern):
            return pattern
        case Items():
            return None
        case _:
            assert_never(atom)


def _regular(condition: Condition) -> Regular[CharSet] | None:
    found = language(condition)
    return found.yes if isinstance(found.ask, Nothing) else None


@lru_cache(maxsize=4_096)
def satisfies(text: str, atom: Atom) -> bool | None:
    """Does a text satisfy an atom? `None` for lists with items, which are tokens."""
    match atom:
        case Word(own):
            return text == own
        case Typed(base):
            return reading.holds(Condition(base), text)
        case Bound(condition):
            return reading.holds(condition, text)
        case Shape(_, pattern):
            return TextMatcher(pattern).matches(text)
        case Items(_, _, low, _):
            # An empty text is no item, or one that is empty.
            return {0: True, 1: None}.get(low, False) if not text else None
        case _:
            assert_never(atom)


@lru_cache(maxsize=4_096)
def apart(one: Atom, other: Atom) -> bool | None:
    """Is there no text that satisfies both?"""
    left, right = texts_of(one), texts_of(other)
    if left is None or right is None:
        return None
    shared = intersect(left, right, MAX_STATES)
    return None if shared is None else not shared


@lru_cache(maxsize=4_096)
def implies(one: Atom, other: Atom) -> bool | None:
    """Does every text that satisfies the first satisfy the second?"""
    if one == other or (isinstance(one, Bound) and other == Typed(one.condition.base)):
        return True
    left, right = texts_of(one), texts_of(other)
    return None if left is None or right is None else included(left, right)


def included(left: Regular[CharSet], right: Regular[CharSet]) -> bool | None:
    """Is every text of one language in another? `None` if that takes too many states."""
    a, b = Acceptor(left), Acceptor(right)
    todo = [(a.initial, b.initial)]
    seen = set(todo)
    while todo:
        ours, theirs = todo.pop()
        if a.accepts(ours) and not b.accepts(theirs):
            return False
        if len(seen) > MAX_STATES:
            return None
        for char in representatives([*a.next_symbols(ours), *b.next_symbols(theirs)]):
            reads = partial(_reads, char)
            pair = (a.step(ours, reads), b.step(theirs, reads))
            if pair[0] and pair not in seen:
                seen.add(pair)
                todo.append(pair)
    return True


def _reads(char: str, chars: CharSet) -> bool:
    return char in chars


def opposite(bound: Bound) -> Bound | None:
    """The bound that the other texts of the type keep, if the type is ordered for all of them."""
    condition = bound.condition
    if condition.relation is None:
        return None
    is_total = condition.relation in ("=", "!=") or condition.measured != "value"
    if not is_total and family_of(condition.base.type).kind != "number":
        return None
    turned = OPPOSITE[condition.relation]
    return Bound(Condition(condition.base, condition.measured, turned, condition.bound))
