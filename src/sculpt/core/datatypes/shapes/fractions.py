"""Digits after a point, compared with those of a bound, from the left.

In: the digits of one or two bounds, without zeros at their end. Out: the texts of digits, the empty
one among them, whose number is above, below, or between. A bound may be *cut*: there are more
digits than were kept; then texts that agree with all of them are asked.

Invariant: the empty text means zero, and zeros at the end mean nothing. Cost: quadratic in the
digits of the bound as an expression, but linear in states once it is determinised.
"""

from __future__ import annotations

from sculpt.core.datatypes.algebra import (
    DIGIT,
    Chars,
    accepts_empty,
    chain,
    char,
    digit,
    either,
    nonempty,
    optional,
    repeated,
    spelt,
)
from sculpt.core.datatypes.model import Language
from sculpt.values import frozen

ZEROS = repeated(char("0"), 0, None)
DIGITS = repeated(DIGIT, 0, None)
NONZERO = chain(ZEROS, digit(1, 9), DIGITS)
"""Digits that are not all zeros."""
POINT = char(".")


@frozen
class Fraction:
    """The digits of a bound after its point."""

    digits: str = ""
    included: bool = True
    cut: bool = False


def above(bound: Fraction) -> Language:
    """Digits that are at least the bound, or more than it."""
    digits = bound.digits
    parts = [
        chain(spelt(digits[:ix]), digit(int(each) + 1, 9), DIGITS) for ix, each in enumerate(digits)
    ]
    if bound.cut:
        return Language(either(*parts), chain(spelt(digits), DIGITS))
    return Language(either(*parts, chain(spelt(digits), DIGITS if bound.included else NONZERO)))


def below(bound: Fraction) -> Language:
    """Digits that are at most the bound, or less than it."""
    digits = bound.digits
    parts: list[Chars] = []
    for ix, each in enumerate(digits):
        parts.append(chain(spelt(digits[:ix]), digit(0, int(each) - 1), DIGITS))
        parts.append(spelt(digits[:ix]))
    if bound.cut:
        return Language(either(*parts), chain(spelt(digits), DIGITS))
    return Language(either(*parts, *([chain(spelt(digits), ZEROS)] if bound.included else [])))


def within(low: Fraction, high: Fraction) -> Language:
    """Digits between two bounds, of which the first is not the larger one."""
    length = max(len(low.digits), len(high.digits))
    ours = low.digits.ljust(length, "0")
    theirs = high.digits.ljust(length, "0")
    if ours == theirs:
        same = spelt(ours.rstrip("0"))
        if low.cut or high.cut:
            return Language(either(), chain(same, DIGITS))
        return Language(chain(same, ZEROS))
    at = next(ix for ix in range(length) if ours[ix] != theirs[ix])
    first, last = int(ours[at]), int(theirs[at])
    under = above(Fraction(low.digits[at + 1 :], low.included, low.cut))
    over = below(Fraction(high.digits[at + 1 :], high.included, high.cut))
    parts = [
        chain(spelt(str(first)), under.yes),
        chain(digit(first + 1, last - 1), DIGITS),
        chain(spelt(str(last)), over.yes),
    ]
    yes = [chain(spelt(ours[:at]), either(*parts))]
    if len(low.digits) <= at and low.included:
        yes.append(chain(spelt(low.digits), repeated(char("0"), 0, at - len(low.digits))))
    asks = [
        chain(spelt(ours[:at] + str(first)), under.ask),
        chain(spelt(ours[:at] + str(last)), over.ask),
    ]
    return Language(either(*yes), either(*asks))


def with_point(digits: Chars, bare_point: bool = True) -> Chars:
    """The digits with their point, which may be missing if there are none."""
    after = digits if bare_point else nonempty(digits)
    dotted = chain(POINT, after)
    return optional(dotted) if accepts_empty(digits) else dotted
