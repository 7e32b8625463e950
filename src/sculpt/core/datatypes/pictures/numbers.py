"""Pictures of numbers: their texts, their values, and comparisons as languages.

In: a `Base` whose type is numeric. Out: a `NumberPicture`. A text is read by taking it apart and
writing its digits again with groups, which must give the same text; the languages are built another
way (`number_texts`), and tests compare the two.

Invariant: values are exact, whatever the number of digits; those of `xs:double` and `xs:float` are
rounded once, and a comparison is then one with all numbers that are rounded to the bound.
Comparisons of a picture without an exponent are regular. With an exponent they ask, and so they do
for bounds of more digits than any file has. Cost: reading is linear in the text.
"""

from __future__ import annotations

from decimal import ROUND_FLOOR, Decimal

from sculpt.core.acceptor import intersect
from sculpt.core.datatypes.algebra import Chars, chain, either
from sculpt.core.datatypes.floats import End, nearest, rounding_ends
from sculpt.core.datatypes.model import Base, Language, Relation
from sculpt.core.datatypes.moments import EXACT
from sculpt.core.datatypes.pictures.number_shape import (
    DIGITS,
    MAX_DIGITS,
    MAX_EXPONENT,
    Exponent,
    Half,
    Shape,
    number_shape,
)
from sculpt.core.datatypes.pictures.number_texts import texts_between, texts_with_exponent
from sculpt.core.datatypes.pictures.scanning import bad_picture
from sculpt.syntax.regular import Nothing, literal
from sculpt.values import frozen

Range = tuple[int | None, int | None]
"""The smallest and the largest of some whole numbers; `None` where there is no limit."""
EVERYTHING: Range = (None, None)


@frozen
class NumberPicture:
    """A picture of a number."""

    shape: Shape
    pattern: Chars
    """The texts of the picture."""

    def read(self, text: str) -> Decimal | float | None:
        """The value of a text; `None` if the picture does not have it."""
        for half in self.shape.halves:
            exact = _read_half(self.shape, half, text)
            if exact is None:
                continue
            low, high = self.shape.limits
            if (low is not None and exact < low) or (high is not None and exact > high):
                return None
            rounding = self.shape.rounding
            return exact if rounding is None else nearest(str(exact), rounding)
        return None

    def condition(self, relation: Relation, bound: object) -> Language:
        """The texts whose value compares so with a bound."""
        assert isinstance(bound, Decimal | float), bound
        if bound != bound:  # not a number
            return Language(self.pattern if relation == "!=" else Nothing())
        ends = _ends(self.shape, bound)
        if self.shape.exponent is not None or ends is None:
            return Language(Nothing(), self.pattern)
        ranges = _ranges(self.shape, relation, *ends)
        return Language(either(*(_texts_of(self.shape, each) for each in ranges)))


def number_picture(base: Base) -> NumberPicture:
    """The picture of a base; raises `ConditionError`."""
    shape = number_shape(base)
    if shape.exponent is not None:
        body = texts_with_exponent(shape)
        sides = [chain(literal(h.prefix), body, literal(h.suffix)) for h in shape.halves]
    else:
        sides = [_texts_of_half(shape, half, EVERYTHING) for half in shape.halves]
    if intersect(sides[0], sides[1], limit=20_000) is not False:
        raise bad_picture(
            "a positive and a negative number can have the same text",
            0,
            len(base.picture or ""),
            "let the half after `;` begin or end in its own way: `0;(0)`",
        )
    within = None if shape.exponent is not None else _limits(shape)
    return NumberPicture(shape, either(*sides) if within is None else _texts_of(shape, within))


# ------------------------------------------------------------- languages


def _limits(shape: Shape) -> Range:
    """The limits of the type, as multiples of the last decimal."""
    unit = 10 ** (shape.fraction.most + shape.scale)
    low, high = shape.limits
    return None if low is None else low * unit, None if high is None else high * unit


def _ends(shape: Shape, bound: Decimal | float) -> tuple[End, End] | None:
    """The first and the last number whose value is the bound; `None` if one is very long."""
    low: End | None
    high: End | None
    if shape.rounding is None:
        low = high = End(Decimal(bound), True)
    else:
        low, high = rounding_ends(nearest(str(bound), shape.rounding), shape.rounding)
    if low is None or high is None or _is_long(low) or _is_long(high):
        return None
    return low, high


def _is_long(end: End) -> bool:
    return not end.at.is_zero() and end.at.adjusted() > MAX_DIGITS


def _ranges(shape: Shape, relation: Relation, low: End, high: End) -> list[Range]:
    """The multiples of the last decimal that compare so with the bound, within the type.

    The bound is all numbers from `low` to `high`: several, if values are rounded.
    """
    decimals = shape.fraction.most + shape.scale
    floor, is_exact = _multiples(low.at, decimals)
    first = floor if is_exact and low.included else floor + 1
    floor, is_exact = _multiples(high.at, decimals)
    last = floor - 1 if is_exact and not high.included else floor
    found: dict[Relation, list[Range]] = {
        "<": [(None, first - 1)],
        "<=": [(None, last)],
        ">": [(last + 1, None)],
        ">=": [(first, None)],
        "=": [(first, last)],
        "!=": [(None, first - 1), (last + 1, None)] if first <= last else [EVERYTHING],
    }
    return [_common(each, _limits(shape)) for each in found[relation]]


def _multiples(value: Decimal, decimals: int) -> tuple[int, bool]:
    """The value in units of the last decimal, rounded down, and whether it is one of them."""
    scaled = EXACT.scaleb(value, decimals)
    floor = scaled.to_integral_value(ROUND_FLOOR)
    return int(floor), floor == scaled


def _common(one: Range, other: Range) -> Range:
    lows = [low for low, _ in (one, other) if low is not None]
    highs = [high for _, high in (one, other) if high is not None]
    return max(lows, default=None), min(highs, default=None)


def _texts_of(shape: Shape, within: Range) -> Chars:
    return either(*(_texts_of_half(shape, half, within) for half in shape.halves))


def _texts_of_half(shape: Shape, half: Half, within: Range) -> Chars:
    low, high = within
    if half.is_negative:
        low, high = (None if high is None else -high), (None if low is None else -low)
    if high is not None and high < 0:
        return Nothing()
    body = texts_between(shape, max(0, low or 0), high)
    return chain(literal(half.prefix), body, literal(half.suffix))


# ------------------------------------------------------------- reading


def _read_half(shape: Shape, half: Half, text: str) -> Decimal | None:
    around = len(half.prefix) + len(half.suffix)
    if len(text) <= around or not text.startswith(half.prefix) or not text.endswith(half.suffix):
        return None
    body = text[len(half.prefix) : len(text) - len(half.suffix)]
    power = 0
    if shape.exponent is not None:
        body, letter, after = body.rpartition("E")
        found = _read_exponent(shape.exponent, after)
        if not letter or found is None:
            return None
        power = found
    whole, point, decimals = body.partition(shape.decimal)
    before, behind = whole.replace(shape.group, ""), decimals.replace(shape.group, "")
    if not _is_numeral(before + behind) or bool(point) != bool(behind):
        return None
    if whole != _grouped(shape, before) or decimals != _divided(shape, behind):
        return None
    least, most = shape.whole.least, shape.whole.most
    if len(before) < least or (most is not None and len(before) > most):
        return None
    if not shape.fraction.least <= len(behind) <= shape.fraction.most:
        return None
    sign = "-" if half.is_negative else ""
    return Decimal(f"{sign}{before}{behind}E{power - len(behind) - shape.scale}")


def _read_exponent(exponent: Exponent, text: str) -> int | None:
    digits = text.removeprefix("-") if text.startswith("-") else text
    if exponent.has_plus and digits == text:
        if not text.startswith("+"):
            return None
        digits = text[1:]
    if not exponent.least <= len(digits) <= MAX_EXPONENT or not _is_numeral(digits):
        return None
    return -int(digits) if text.startswith("-") else int(digits)


def _is_numeral(text: str) -> bool:
    return bool(text) and not text.strip(DIGITS)


def _grouped(shape: Shape, digits: str) -> str:
    """The digits before the decimal character as the picture writes them."""
    size = shape.whole.primary
    if not size:
        return digits
    groups: list[str] = []
    while len(digits) > size:
        digits, group = digits[:-size], digits[-size:]
        groups.append(group)
        size = shape.whole.secondary
    return shape.group.join([digits, *reversed(groups)])


def _divided(shape: Shape, digits: str) -> str:
    """The digits after the decimal character as the picture writes them."""
    return "".join(
        shape.group + each if at in shape.fraction.divided else each
        for at, each in enumerate(digits)
    )
