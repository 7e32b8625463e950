"""Regular expressions over any alphabet: one algebra for tokens and for content.

A token is a regular language over characters (`Letter[CharSet]`), a content expression one over
tokens (`Letter[Name | Literal]` as written, `Letter[Symbol]` after desugaring). Section 3 of the
paper uses the same notion for both, and so do we. Nodes are values: equal structure means equal
nodes.

Counts stay counts (`Repeat(part, 3, 5)`) and are never unrolled here; `size` says how many letters
unrolling would give, so that a parser can reject what no automaton could hold.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Generic, TypeAlias, TypeVar, assert_never

from sculpt.values import frozen

S = TypeVar("S", covariant=True)
T = TypeVar("T")

MAX_CODE_POINT = 0x10FFFF


@frozen
class Nothing:
    """The empty language: no word at all."""


@frozen
class Epsilon:
    """The empty word."""


@frozen
class Letter(Generic[S]):
    """One letter."""

    symbol: S


@frozen
class Sequence(Generic[S]):
    """One part after the other."""

    parts: tuple[Regular[S], ...]


@frozen
class Choice(Generic[S]):
    """One of the parts."""

    parts: tuple[Regular[S], ...]


@frozen
class Repeat(Generic[S]):
    """The part repeated at least `low` and at most `high` times; `None` means no bound."""

    part: Regular[S]
    low: int
    high: int | None


Regular: TypeAlias = "Nothing | Epsilon | Letter[S] | Sequence[S] | Choice[S] | Repeat[S]"


def letters(expression: Regular[T]) -> Iterator[Letter[T]]:
    """Every occurrence of a letter, in the order of the text."""
    match expression:
        case Nothing() | Epsilon():
            return
        case Letter():
            yield expression
        case Sequence(parts) | Choice(parts):
            for part in parts:
                yield from letters(part)
        case Repeat(part, _, _):
            yield from letters(part)
        case _:
            assert_never(expression)


def size(expression: Regular[T]) -> int:
    """How many letters the expression has once its counts are unrolled."""
    match expression:
        case Nothing() | Epsilon():
            return 0
        case Letter():
            return 1
        case Sequence(parts) | Choice(parts):
            return sum(size(part) for part in parts)
        case Repeat(part, low, high):
            return size(part) * max(1, low, high or 0)
        case _:
            assert_never(expression)


def least_length(expression: Regular[T]) -> int:
    """The length of the shortest word; 0 if there is no word at all."""
    match expression:
        case Nothing() | Epsilon():
            return 0
        case Letter():
            return 1
        case Sequence(parts):
            return sum(least_length(part) for part in parts)
        case Choice(parts):
            return min((least_length(part) for part in parts), default=0)
        case Repeat(part, low, _):
            return low * least_length(part)
        case _:
            assert_never(expression)


def of_characters(expression: Regular[CharSet]) -> Regular[CharSet]:
    """The same expression without lone surrogates, which stand for undecodable bytes."""
    match expression:
        case Nothing() | Epsilon():
            return expression
        case Letter(symbol):
            chars = ~(~symbol | SURROGATES)
            return Letter(chars) if chars.ranges else Nothing()
        case Sequence(parts):
            return Sequence(tuple(map(of_characters, parts)))
        case Choice(parts):
            return Choice(tuple(map(of_characters, parts)))
        case Repeat(part, low, high):
            return Repeat(of_characters(part), low, high)
        case _:
            assert_never(expression)


def count_suffix(low: int, high: int | None) -> str:
    """A repetition as it is written: `*`, `+`, `?` or braces."""
    match low, high:
        case 0, None:
            return "*"
        case 1, None:
            return "+"
        case 0, 1:
            return "?"
        case _, None:
            return f"{{{low},}}"
        case _ if low == high:
            return f"{{{low}}}"
        case _:
            return f"{{{low},{high}}}"


@frozen
class CharSet:
    """A set of characters: sorted, disjoint, non-adjacent ranges of code points, ends included."""

    ranges: tuple[tuple[int, int], ...]

    @staticmethod
    def of(ranges: Iterable[tuple[int, int]]) -> CharSet:
        """The set of any ranges, in any order."""
        merged: list[tuple[int, int]] = []
        for low, high in sorted(ranges):
            if merged and low <= merged[-1][1] + 1:
                merged[-1] = (merged[-1][0], max(high, merged[-1][1]))
            else:
                merged.append((low, high))
        return CharSet(tuple(merged))

    @staticmethod
    def chars(text: str) -> CharSet:
        """The characters of a text."""
        return _one_char(text) if len(text) == 1 else CharSet.of((ord(c), ord(c)) for c in text)

    def __contains__(self, char: str) -> bool:
        code = ord(char)
        ix = bisect_right(self.ranges, (code, MAX_CODE_POINT)) - 1
        return ix >= 0 and self.ranges[ix][1] >= code

    def __or__(self, other: CharSet) -> CharSet:
        return CharSet.of(self.ranges + other.ranges)

    def __invert__(self) -> CharSet:
        gaps: list[tuple[int, int]] = []
        start = 0
        for low, high in self.ranges:
            if low > start:
                gaps.append((start, low - 1))
            start = high + 1
        if start <= MAX_CODE_POINT:
            gaps.append((start, MAX_CODE_POINT))
        return CharSet(tuple(gaps))


@cache
def _one_char(char: str) -> CharSet:
    return CharSet(((ord(char), ord(char)),))


ALL_CHARS = CharSet(((0, MAX_CODE_POINT),))
SURROGATES = CharSet(((0xD800, 0xDFFF),))


def literal(text: str) -> Regular[CharSet]:
    """The language of a single text."""
    if not text:
        return Epsilon()
    parts = tuple(Letter(CharSet.chars(char)) for char in text)
    return parts[0] if len(parts) == 1 else Sequence(parts)
