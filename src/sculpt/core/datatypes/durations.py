"""Durations as values: months and seconds, in the order of XML Schema 1.1 (Part 2, 3.3.6).

In: a text of `xs:duration` or of a type derived from it. Out: a `Duration`, and `compare`.

A month has 28 to 31 days, so the order is partial: one duration is less than another if it is after
adding both to each of four days, which are chosen so that all cases occur. Two durations are equal
only if both their months and their seconds are. Invariant: exact, up to `MAX_DIGITS` digits a
field; longer fields count as a number that is larger than all of these. Cost: four additions.
"""

from __future__ import annotations

import re
from decimal import Decimal

from sculpt.core.datatypes.moments import DAY, EXACT, HOUR, MINUTE, Order, day_number
from sculpt.values import frozen

MAX_DIGITS = 4_000
"""Python converts texts of at most 4,300 digits to whole numbers."""

_REFERENCES = ((1696, 9), (1697, 2), (1903, 3), (1903, 7))
"""Year and month; always the first day."""
_FIELDS = re.compile(
    r"(?P<sign>-?)P(?:(?P<years>[0-9]+)Y)?(?:(?P<months>[0-9]+)M)?(?:(?P<days>[0-9]+)D)?"
    r"(?:T(?:(?P<hours>[0-9]+)H)?(?:(?P<minutes>[0-9]+)M)?(?:(?P<seconds>[0-9.]+)S)?)?"
)


@frozen
class Duration:
    """Both have the same sign, or one is 0."""

    months: int
    seconds: Decimal


def whole_number(digits: str) -> int:
    """A whole number, with an optional minus sign; see the module's text for very long ones."""
    sign, size = (-1, digits[1:]) if digits.startswith("-") else (1, digits)
    size = size.lstrip("0")
    return sign * (10**MAX_DIGITS if len(size) > MAX_DIGITS else int(size or "0"))


def read_duration(text: str) -> Duration:
    """The value of a text that has the form of a duration."""
    fields = _FIELDS.fullmatch(text)
    assert fields is not None, text
    sign = -1 if fields["sign"] else 1

    def count(name: str) -> int:
        return whole_number(fields[name] or "0")

    months = count("years") * 12 + count("months")
    whole = count("days") * DAY + count("hours") * HOUR + count("minutes") * MINUTE
    seconds = EXACT.add(Decimal(whole), Decimal(fields["seconds"] or "0"))
    return Duration(sign * months, EXACT.copy_negate(seconds) if sign < 0 else seconds)


def compare(first: Duration, second: Duration) -> Order:
    """The order of two durations; `None` if it depends on the months."""
    if first.months == second.months and first.seconds == second.seconds:
        return 0
    found = {_order(_after(start, first), _after(start, second)) for start in _REFERENCES}
    if found == {-1}:
        return -1
    return 1 if found == {1} else None


def _order(first: Decimal, second: Decimal) -> int:
    return (first > second) - (first < second)


def _after(start: tuple[int, int], duration: Duration) -> Decimal:
    year, month = start
    years, months = divmod(month - 1 + duration.months, 12)
    days = day_number(year + years, months + 1, 1)
    return EXACT.add(Decimal(days * DAY), duration.seconds)
