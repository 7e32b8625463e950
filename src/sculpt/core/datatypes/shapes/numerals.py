"""Texts of numbers in an interval, and with a number of digits.

In: the ends of an interval of real numbers. Out: the texts in the form of `xs:decimal`, or of
`xs:integer`, whose value is in it. A text is an optional sign, zeros, the digits of the whole part,
and maybe a point and digits. Zeros in front are read apart from the digits that are counted, so a
text has one reading: longer than the bound, shorter, or digit by digit as long as it is the same.

Invariant: exact for bounds of up to `KEPT` digits; of texts that agree with the first digits of a
longer bound, `Language.ask` has those that are not decided. Cost: quadratic in the kept digits as
an expression; a scan visits states linear in them.
"""

from __future__ import annotations

from sculpt.core.datatypes.algebra import (
    DIGIT,
    NO_TEXT,
    Chars,
    accepts_empty,
    between,
    chain,
    char,
    digit,
    either,
    nonempty,
    optional,
    repeated,
    spelt,
    union,
)
from sculpt.core.datatypes.floats import End
from sculpt.core.datatypes.model import Language
from sculpt.core.datatypes.shapes import fractions
from sculpt.core.datatypes.shapes.fractions import DIGITS, POINT, ZEROS, Fraction, with_point
from sculpt.syntax.regular import Epsilon, Nothing
from sculpt.values import frozen

KEPT = 40
"""Digits of a bound that are compared."""
CUT = 24
"""Digits that are compared if there are more: mostly a bound in the middle between two doubles."""
SIGN = optional(char("+-"))
ANY_TAIL = with_point(DIGITS)
_SOME_ZEROS = repeated(char("0"), 1, None)


@frozen
class _Bound:
    """The size of an end of an interval, as digits."""

    whole: str
    """Without zeros in front."""
    fraction: Fraction

    @staticmethod
    def of(end: End) -> _Bound:
        before, _, after = format(end.at.copy_abs(), "f").partition(".")
        before, after = before.lstrip("0"), after.rstrip("0")
        kept = after
        if len(before) + len(after) > KEPT:
            kept = after[: max(0, CUT - len(before))]
        return _Bound(before, Fraction(kept, end.included, kept != after))


_ZERO = _Bound("", Fraction())


def numbers(low: End | None, high: End | None, whole: bool) -> Language:
    """The texts of numbers in an interval; `whole` for those without a point."""
    if low is not None and high is not None and _is_empty(low, high):
        return NO_TEXT
    positive = _sizes(low, high, whole)
    negative = _sizes(_negated(high), _negated(low), whole)
    return union(between(optional(char("+")), positive), between(char("-"), negative))


def plain_numerals(low: int, high: int | None) -> Chars:
    """Whole numbers, at least 1, without zeros in front."""
    least = _Bound(str(low), Fraction())
    most = None if high is None else _Bound(str(high), Fraction())
    if high is not None and high < low:
        return Nothing()
    return _counted(least, most, whole=True, kept=10_000).yes


def _is_empty(low: End, high: End) -> bool:
    return low.at > high.at or (low.at == high.at and not (low.included and high.included))


def _negated(end: End | None) -> End | None:
    return None if end is None else End(end.at.copy_negate(), end.included)


def _sizes(low: End | None, high: End | None, whole: bool) -> Language:
    """Numerals without a sign, in the part of an interval that is not below zero."""
    if high is not None and (high.at < 0 or (high.at == 0 and not high.included)):
        return NO_TEXT
    least = _ZERO if low is None or low.at < 0 else _Bound.of(low)
    most = None if high is None else _Bound.of(high)
    counted = between(ZEROS, _counted(least, most, whole, KEPT))
    if least.whole:
        return counted
    if most is None or most.whole:
        small = fractions.above(least.fraction)
    else:
        small = fractions.within(least.fraction, most.fraction)
    return union(counted, Language(_zero_whole(small.yes, whole), _zero_whole(small.ask, whole)))


def _zero_whole(digits: Chars, whole: bool) -> Chars:
    """Numerals below 1; at least one digit is there, before or after the point."""
    bare = _SOME_ZEROS if accepts_empty(digits) else Nothing()
    if whole:
        return bare
    return either(bare, chain(_SOME_ZEROS, POINT, digits), chain(POINT, nonempty(digits)))


def _counted(low: _Bound, high: _Bound | None, whole: bool, kept: int) -> Language:
    """Numerals of at least 1 and their fractions, without zeros in front."""
    tail = Epsilon() if whole else ANY_TAIL
    from_low = _same_length(low, None, tail, whole, kept) if low.whole else NO_TEXT
    shortest = len(low.whole) + 1
    if high is None:
        return union(from_low, Language(_of_length(shortest, None, tail)))
    if not high.whole:
        return NO_TEXT
    if len(low.whole) == len(high.whole):
        return _same_length(low, high, tail, whole, kept)
    to_high = _same_length(None, high, tail, whole, kept)
    middle = Language(_of_length(shortest, len(high.whole) - 1, tail))
    return union(from_low, middle, to_high)


def _of_length(low: int, high: int | None, tail: Chars) -> Chars:
    digits = repeated(DIGIT, low - 1, None if high is None else high - 1)
    return chain(digit(1, 9), digits, tail)


def _tail(low: Fraction | None, high: Fraction | None, whole: bool) -> Language:
    """What follows a whole part that is the same as that of the bounds."""
    if low is None:
        assert high is not None
        digits = fractions.below(high)
    elif high is None:
        digits = fractions.above(low)
    else:
        digits = fractions.within(low, high)
    if whole:
        return Language(Epsilon() if accepts_empty(digits.yes) else Nothing())
    return Language(with_point(digits.yes), with_point(digits.ask))


def _same_length(
    low: _Bound | None, high: _Bound | None, tail: Chars, whole: bool, kept: int
) -> Language:
    """Numerals whose whole part is as long as that of the bounds."""
    if low is None or high is None:
        given = low or high
        assert given is not None
        end = _tail(low.fraction if low else None, high.fraction if high else None, whole)
        return _one_sided(given.whole, end, tail, low is not None, 1, kept)
    ours, theirs = low.whole, high.whole
    if ours == theirs:
        return between(spelt(ours), _tail(low.fraction, high.fraction, whole))
    at = next(ix for ix in range(len(ours)) if ours[ix] != theirs[ix])
    more = len(ours) - at - 1
    left = max(0, kept - at - 1)
    under = _one_sided(ours[at + 1 :], _tail(low.fraction, None, whole), tail, True, 0, left)
    over = _one_sided(theirs[at + 1 :], _tail(None, high.fraction, whole), tail, False, 0, left)
    inside = chain(digit(int(ours[at]) + 1, int(theirs[at]) - 1), repeated(DIGIT, more, more), tail)
    return between(
        spelt(ours[:at]),
        union(between(spelt(ours[at]), under), Language(inside), between(spelt(theirs[at]), over)),
    )


def _one_sided(
    digits: str, end: Language, tail: Chars, is_low: bool, first: int, kept: int
) -> Language:
    """As many digits as those of a bound, above it or below it; `end` follows if they are equal."""
    parts = []
    for ix, each in enumerate(digits[:kept]):
        lowest = first if ix == 0 else 0
        found = digit(int(each) + 1, 9) if is_low else digit(lowest, int(each) - 1)
        more = len(digits) - ix - 1
        parts.append(chain(spelt(digits[:ix]), found, repeated(DIGIT, more, more), tail))
    if len(digits) > kept:
        more = len(digits) - kept
        ask = chain(spelt(digits[:kept]), repeated(DIGIT, more, more), tail)
        return Language(either(*parts), ask)
    same = between(spelt(digits), end)
    return Language(either(*parts, same.yes), same.ask)


# ------------------------------------------------------------- digits that are needed


def needing_digits(low: int, high: int | None) -> Chars:
    """Decimals without an exponent that need this many digits in total (4.3.11)."""
    most = high if high is not None else low
    parts = [
        chain(ZEROS, _of_length(count, count, with_point(_used(low - count, high, count))))
        for count in range(1, most + 1)
    ]
    if high is None:
        parts.append(chain(ZEROS, _of_length(most + 1, None, ANY_TAIL)))
    # Zero needs one digit.
    if low <= 1:
        small = either(ZEROS, _used(1, high, 0)) if high != 0 else Nothing()
    else:
        small = _used(low, high, 0)
    parts.append(_zero_whole(small, whole=False))
    return chain(SIGN, either(*parts))


def needing_decimals(low: int, high: int | None) -> Chars:
    """Decimals without an exponent that need this many digits after the point (4.3.12)."""
    digits = _used(low, high, 0)
    some = repeated(DIGIT, 1, None)
    return chain(SIGN, either(chain(some, with_point(digits)), chain(POINT, nonempty(digits))))


def _used(low: int, high: int | None, taken: int) -> Chars:
    """Digits after a point of which so many are needed: those before the zeros at the end.

    `taken` digits of the upper limit are already used up.
    """
    if high is not None:
        high -= taken
        if high < max(low, 0):
            return Nothing()
    if low <= 0:
        return DIGITS if high is None else chain(repeated(DIGIT, 0, high), ZEROS)
    if high is None:
        return chain(repeated(DIGIT, low - 1, low - 1), fractions.NONZERO)
    return chain(repeated(DIGIT, low - 1, high - 1), digit(1, 9), ZEROS)
