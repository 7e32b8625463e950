"""Sets of whole numbers, and the texts of their numerals.

In: a set of numbers, or the ends of a range, and a number of digits. Out: an expression over
characters. Cost: linear in what comes out.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import TypeAlias

from sculpt.core.datatypes.algebra import DIGIT, Chars, chain, digit, either, repeated
from sculpt.syntax.regular import CharSet, Epsilon, Letter, Nothing

Numbers: TypeAlias = int
"""A set of whole numbers: bit `n` is set if `n` is in it. All years are 1,250 bytes."""


def numbers_in(first: int, last: int) -> Numbers:
    """The numbers from the first to the last."""
    return ((1 << max(0, last - first + 1)) - 1) << first


def members(numbers: Numbers) -> Iterator[int]:
    """The numbers of a set, the smallest first."""
    while numbers:
        lowest = numbers & -numbers
        yield lowest.bit_length() - 1
        numbers ^= lowest


@lru_cache(maxsize=1024)
def numerals(numbers: Numbers, width: int) -> Chars:
    """The numbers below `10 ** width` of a set, each written with `width` digits.

    Digits after which the same can follow are read together, so a set costs as much as it is
    irregular, not as much as it is large.
    """
    if width == 0:
        return Epsilon() if numbers & 1 else Nothing()
    unit = 10 ** (width - 1)
    alike: dict[Numbers, list[tuple[int, int]]] = {}
    for first in range(10):
        tail = (numbers >> first * unit) & ((1 << unit) - 1)
        if tail:
            alike.setdefault(tail, []).append((ord("0") + first, ord("0") + first))
    return either(
        *(
            chain(Letter(CharSet.of(firsts)), numerals(tail, width - 1))
            for tail, firsts in alike.items()
        )
    )


def numerals_between(low: int, high: int, width: int) -> Chars:
    """The numbers from `low` to `high`, each written with `width` digits."""
    if low > high:
        return Nothing()
    if low == 0 and high == 10**width - 1:
        return repeated(DIGIT, width, width)
    unit = 10 ** (width - 1)
    (first, low_tail), (last, high_tail) = divmod(low, unit), divmod(high, unit)
    if first == last:
        return chain(digit(first, last), numerals_between(low_tail, high_tail, width - 1))
    return either(
        chain(digit(first, first), numerals_between(low_tail, unit - 1, width - 1)),
        chain(digit(first + 1, last - 1), numerals_between(0, unit - 1, width - 1)),
        chain(digit(last, last), numerals_between(0, high_tail, width - 1)),
    )
