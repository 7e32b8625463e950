"""Small operations on regular expressions over characters, and on languages with texts to ask.

In: expressions. Out: expressions in which `Nothing` and `Epsilon` occur only where they must, so
that a piece that cannot occur costs no state. `starting` and `derivative` take words apart from the
left; with them, one word can be taken out of any language.

Invariant: no operation nests deeper than its parts, so long bounds never exhaust the stack.
Cost: linear in the expressions, unless a function says otherwise.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias, assert_never

from sculpt.core.datatypes.model import Language
from sculpt.syntax.regular import (
    ALL_CHARS,
    CharSet,
    Choice,
    Epsilon,
    Letter,
    Nothing,
    Regular,
    Repeat,
    Sequence,
    literal,
)

Chars: TypeAlias = "Regular[CharSet]"

DIGIT: Chars = Letter(CharSet.of([(0x30, 0x39)]))
ANYTHING: Chars = Letter(ALL_CHARS)
NO_CHARS: Chars = Epsilon()
NO_TEXT = Language(Nothing())


def chain(*parts: Chars) -> Chars:
    """One part after the other."""
    kept: list[Chars] = []
    for part in parts:
        match part:
            case Nothing():
                return Nothing()
            case Epsilon():
                pass
            case Sequence(inner):
                kept += inner
            case _:
                kept.append(part)
    if not kept:
        return Epsilon()
    return kept[0] if len(kept) == 1 else Sequence(tuple(kept))


def either(*parts: Chars) -> Chars:
    """Any of the parts."""
    kept: dict[Chars, None] = {}
    for part in parts:
        match part:
            case Nothing():
                pass
            case Choice(inner):
                kept.update(dict.fromkeys(inner))
            case _:
                kept[part] = None
    if not kept:
        return Nothing()
    return next(iter(kept)) if len(kept) == 1 else Choice(tuple(kept))


def repeated(part: Chars, low: int, high: int | None) -> Chars:
    """The part at least `low` and at most `high` times; nothing if that is impossible."""
    low = max(low, 0)
    if high is not None and high < low:
        return Nothing()
    if high == 0 or isinstance(part, Epsilon):
        return Epsilon()
    if isinstance(part, Nothing):
        return Epsilon() if low == 0 else Nothing()
    return part if low == high == 1 else Repeat(part, low, high)


def optional(part: Chars) -> Chars:
    """The part or no text."""
    return repeated(part, 0, 1)


def char(text: str) -> Chars:
    """One of the characters of a text."""
    return Letter(CharSet.chars(text))


def spelt(text: str) -> Chars:
    """Exactly this text."""
    return literal(text)


def digit(low: int, high: int) -> Chars:
    """One digit of a range, which may be empty."""
    return Letter(CharSet(((0x30 + low, 0x30 + high),))) if low <= high else Nothing()


def among(texts: Iterable[str]) -> Chars:
    """A finite set of texts, as a tree that shares equal branches where it can."""
    known: dict[frozenset[str], Chars] = {}

    def branch(tails: frozenset[str]) -> Chars:
        if tails not in known:
            after: dict[str, set[str]] = {}
            for tail in tails:
                if tail:
                    after.setdefault(tail[0], set()).add(tail[1:])
            same: dict[frozenset[str], list[str]] = {}
            for first in sorted(after):
                same.setdefault(frozenset(after[first]), []).append(first)
            read = either(*(chain(char("".join(c)), branch(rest)) for rest, c in same.items()))
            known[tails] = optional(read) if "" in tails else read
        return known[tails]

    return branch(frozenset(texts))


# ------------------------------------------------------------- words taken apart


def accepts_empty(expression: Chars) -> bool:
    """Is the empty text in the language?"""
    match expression:
        case Epsilon():
            return True
        case Nothing() | Letter():
            return False
        case Sequence(parts):
            return all(map(accepts_empty, parts))
        case Choice(parts):
            return any(map(accepts_empty, parts))
        case Repeat(part, low, _):
            return low == 0 or accepts_empty(part)
        case _:
            assert_never(expression)


def starting(expression: Chars, first: CharSet, cut: bool = False) -> Chars:
    """The texts that begin with one of some characters; with `cut`, what follows that character."""
    match expression:
        case Nothing() | Epsilon():
            return Nothing()
        case Letter(chars):
            both = ~(~chars | ~first)
            if not both.ranges:
                return Nothing()
            return Epsilon() if cut else Letter(both)
        case Choice(parts):
            return either(*(starting(part, first, cut) for part in parts))
        case Sequence(parts):
            found = []
            for ix, part in enumerate(parts):
                found.append(chain(starting(part, first, cut), *parts[ix + 1 :]))
                if not accepts_empty(part):
                    break
            return either(*found)
        case Repeat(part, low, high):
            rest = repeated(part, low - 1, None if high is None else high - 1)
            return chain(starting(part, first, cut), rest)
        case _:
            assert_never(expression)


def nonempty(expression: Chars) -> Chars:
    """The same language without the empty text."""
    return starting(expression, ALL_CHARS)


def without(expression: Chars, word: tuple[CharSet, ...], limit: int = 100) -> Language:
    """A language without the texts of one form: at each place, one of some characters.

    Texts that agree with the first `limit` places are asked. The characters of a place must be such
    that the language does not distinguish them. Cost: quadratic in the places up to the limit.
    """
    found: list[Chars] = []
    prefix: list[Chars] = []
    rest = expression
    for chars in word[:limit]:
        found.append(chain(*prefix, starting(rest, ~chars)))
        if accepts_empty(rest):
            found.append(chain(*prefix))
        first = CharSet((chars.ranges[0][:1] * 2,))
        prefix.append(Letter(chars))
        rest = starting(rest, first, cut=True)
    if len(word) > limit:
        return Language(either(*found), chain(*prefix, rest))
    return Language(either(*found, chain(*prefix, nonempty(rest))))


# ------------------------------------------------------------- languages


def union(*parts: Language) -> Language:
    """Any of the languages, of which no two decide about the same text."""
    return Language(either(*(part.yes for part in parts)), either(*(part.ask for part in parts)))


def between(before: Chars, part: Language, after: Chars = NO_CHARS) -> Language:
    """A language with texts before and after it."""
    return Language(chain(before, part.yes, after), chain(before, part.ask, after))
