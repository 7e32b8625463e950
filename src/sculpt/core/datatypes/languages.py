"""The texts for which a condition holds, as a regular language.

In: a condition that `reading.check` accepts. Out: its `Language`. A comparison becomes intervals of
numbers, of the time line, or of lengths, and `shapes` has the texts whose value is in them.

| texts that are asked | why |
|---|---|
| numbers with an exponent, unless the sign decides | the exponent moves the point: not regular |
| durations | fields add up: not regular |
| numbers that agree with 24 digits of a bound of more than 40, as a double often has | states |
| dates and times in a zone other than UTC, within 14 hours of the bound | states |
| texts longer than 1,000 characters, octets or items | states |
| by length: `xs:token` of several words, `xs:language`, `Email`, `Uri` | states |
| base64 with blanks, for `!=` | states |
| objects and arrays, for `Json` | brackets nest: not regular |

Invariant: the same answers as `reading.holds`; a text is asked only if the condition could hold.
Cost: the sizes that `shapes` states; kept for each condition.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal
from functools import lru_cache
from typing import TypeAlias, assert_never

from sculpt.core.datatypes.algebra import (
    NO_TEXT,
    Chars,
    chain,
    char,
    either,
    optional,
    spelt,
    union,
)
from sculpt.core.datatypes.families import Family, asked_of, family_of, parsed, pattern_of
from sculpt.core.datatypes.floats import End, Width, rounding_ends
from sculpt.core.datatypes.model import Condition, Language, Relation
from sculpt.core.datatypes.moments import Moment
from sculpt.core.datatypes.pictures.picture import Picture, picture_of
from sculpt.core.datatypes.reading import bound_text, bound_value, check
from sculpt.core.datatypes.shapes.lengths import equal_to, of_length, unequal_to
from sculpt.core.datatypes.shapes.numerals import needing_decimals, needing_digits, numbers
from sculpt.core.datatypes.shapes.timeline import compared, with_zone
from sculpt.syntax.regular import Nothing

COUNTED_DIGITS = 39
"""Numbers that need more digits are asked; the least of them has as many as `numerals` compares."""
_EXPONENT = parsed(r"(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)[eE][+\-]?[0-9]+")
_POSITIVE, _NEGATIVE = chain(optional(char("+")), _EXPONENT), chain(char("-"), _EXPONENT)
_FINITE = pattern_of("Number")

Interval: TypeAlias = tuple[End | None, End | None]
Counts: TypeAlias = tuple[int, int | None]


@lru_cache(maxsize=10_000)
def language(condition: Condition) -> Language:
    """The texts for which a condition holds; raises `ConditionError` if it makes no sense."""
    check(condition)
    if condition.base.picture is not None:
        return _by_picture(picture_of(condition.base), condition)
    family = family_of(condition.base.type)
    if condition.relation is None:
        return Language(pattern_of(family.name), asked_of(family.name))
    match condition.measured:
        case "value":
            return _by_value(family, condition, condition.relation)
        case "length" if family.kind == "name":
            return Language(pattern_of(family.name))
        case "length":
            ranges = _counts(condition.relation, int(condition.bound))
            return union(*(of_length(family, low, high) for low, high in ranges))
        case "digits":
            return _by_digits(family, _counts(condition.relation, int(condition.bound)))
        case "decimals":
            return _by_decimals(family, _counts(condition.relation, int(condition.bound)))
        case _:
            assert_never(condition.measured)


def _by_picture(picture: Picture, condition: Condition) -> Language:
    if condition.relation is None:
        return Language(picture.pattern)
    if condition.measured == "value":
        return picture.condition(condition.relation, bound_value(condition))
    return Language(Nothing(), picture.pattern)


def _by_value(family: Family, condition: Condition, relation: Relation) -> Language:
    bound = bound_value(condition)
    match family.kind:
        case "number":
            assert isinstance(bound, Decimal)
            ranges = _intervals(relation, (End(bound, True), End(bound, True)))
            plain = union(*(_numbers(family, each) for each in ranges))
            return union(plain, _exponents(ranges)) if family.name == "Number" else plain
        case "double" | "float":
            assert isinstance(bound, float)
            return _floats(family.kind, relation, bound)
        case "moment":
            assert isinstance(bound, Moment)
            assert family.form is not None
            if family.name == "xs:dateTimeStamp":
                return with_zone(family.form, relation, bound)
            return compared(family.form, relation, bound, friendly=family.name == "Date")
        case "duration":
            return Language(Nothing(), pattern_of(family.name))
        case _ if relation == "=":
            return equal_to(family, bound_text(condition))
        case _:
            return unequal_to(family, bound_text(condition))


# ------------------------------------------------------------- numbers


def _intervals(relation: Relation, own: Interval) -> list[Interval]:
    """Where a relation holds to a bound that stands for the numbers of an interval."""
    low, high = own
    match relation:
        case "<":
            return [] if low is None else [(None, End(low.at, not low.included))]
        case "<=":
            return [(None, high)]
        case ">":
            return [] if high is None else [(End(high.at, not high.included), None)]
        case ">=":
            return [(low, None)]
        case "=":
            return [own]
        case "!=":
            return _intervals("<", own) + _intervals(">", own)
        case _:
            assert_never(relation)


def _numbers(family: Family, interval: Interval) -> Language:
    """Numbers of a family in an interval, and in the bounds of the family itself."""
    low, high = interval
    if family.low is not None and (low is None or low.at < family.low):
        low = End(Decimal(family.low), True)
    if family.high is not None and (high is None or high.at > family.high):
        high = End(Decimal(family.high), True)
    return numbers(low, high, family.whole)


def _exponents(intervals: list[Interval]) -> Language:
    """Numbers with an exponent: the sign decides, or the text is asked."""
    opposite = [(_negated(high), _negated(low)) for low, high in intervals]
    return union(_of_sign(_POSITIVE, intervals), _of_sign(_NEGATIVE, opposite))


def _of_sign(texts: Chars, intervals: list[Interval]) -> Language:
    """Texts of all numbers from 0 on, if the intervals have all of them, or may have some."""
    zero = End(Decimal(0), True)
    near = [(low or zero, high) for low, high in intervals]
    if any(high is None and (low.at < 0 or (low.at == 0 and low.included)) for low, high in near):
        return Language(texts)
    some = any(high is None or high.at > 0 or (high.at == 0 and high.included) for _, high in near)
    return Language(Nothing(), texts) if some else NO_TEXT


def _negated(end: End | None) -> End | None:
    return None if end is None else End(end.at.copy_negate(), end.included)


def _floats(width: Width, relation: Relation, bound: float) -> Language:
    special = [
        text
        for text, number in (("INF", math.inf), ("+INF", math.inf), ("-INF", -math.inf))
        if _float_holds(relation, number, bound)
    ]
    if math.isnan(bound):
        equal = relation in ("=", "<=", ">=")
        unequal = _FINITE if relation == "!=" else Nothing()
        return Language(either(unequal, *map(spelt, special), *([spelt("NaN")] if equal else [])))
    if relation == "!=":
        special.append("NaN")
    ranges = _intervals(relation, rounding_ends(bound, width))
    return union(
        *(numbers(low, high, whole=False) for low, high in ranges),
        _exponents(ranges),
        Language(either(*map(spelt, special))),
    )


def _float_holds(relation: Relation, number: float, bound: float) -> bool:
    match relation:
        case "<":
            return number < bound
        case "<=":
            return number <= bound
        case ">":
            return number > bound
        case ">=":
            return number >= bound
        case "=":
            return number == bound
        case "!=":
            return number != bound
        case _:
            assert_never(relation)


# ------------------------------------------------------------- counts


def _counts(relation: Relation, bound: int) -> list[Counts]:
    """The counts for which a relation holds; `None` for no limit."""
    match relation:
        case "<":
            return [(0, bound - 1)] if bound else []
        case "<=":
            return [(0, bound)]
        case ">":
            return [(bound + 1, None)]
        case ">=":
            return [(bound, None)]
        case "=":
            return [(bound, bound)]
        case "!=":
            return _counts("<", bound) + _counts(">", bound)
        case _:
            assert_never(relation)


def _by_digits(family: Family, ranges: list[Counts]) -> Language:
    def needing(low: int, high: int | None) -> Chars:
        if not family.whole:
            return needing_digits(low, high)
        return either(*(_numbers(family, each).yes for each in _sized(low, high)))

    return union(*(_capped(each, needing) for each in ranges), _undecided(family))


def _by_decimals(family: Family, ranges: list[Counts]) -> Language:
    if family.whole:
        fits = any(low == 0 for low, _ in ranges)
        return Language(pattern_of(family.name) if fits else Nothing())
    return union(*(_capped(each, needing_decimals) for each in ranges), _undecided(family))


def _undecided(family: Family) -> Language:
    exponents = either(_POSITIVE, _NEGATIVE)
    return Language(Nothing(), exponents) if family.name == "Number" else NO_TEXT


def _sized(low: int, high: int | None) -> list[Interval]:
    """The whole numbers with this many digits; 0 has one."""
    if high == 0:
        return []
    most = None if high is None else End(Decimal(10**high - 1), True)
    opposite = None if most is None else End(most.at.copy_negate(), True)
    if low <= 1:
        return [(opposite, most)]
    least = Decimal(10 ** (low - 1))
    return [(End(least, True), most), (opposite, End(least.copy_negate(), True))]


def _capped(counts: Counts, make: Callable[[int, int | None], Chars]) -> Language:
    low, high = counts
    limit = COUNTED_DIGITS
    if low > limit:
        return Language(Nothing(), make(limit + 1, None))
    if high is None or high <= limit:
        return Language(make(low, high))
    return Language(make(low, limit), make(limit + 1, None))
