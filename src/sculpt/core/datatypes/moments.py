"""Dates and times as values, in the order of XML Schema 1.1 (Part 2, 3.3.7 and appendix E.3).

In: the properties that a text gives. Out: a `Moment`, and `compare`. All date and time types share
this one class: what a type lacks has the value that the recommendation uses to place it on the time
line (`xs:time` is a time of 31 December 1972).

Moments with a time zone, and moments without one, are ordered by the time line. Between a moment
with a zone and one without, the order is known only if it is the same for all zones, from -14:00 to
+14:00. Invariant: exact, whatever the number of digits of the seconds. Cost: some additions.
"""

from __future__ import annotations

from decimal import MAX_EMAX, MAX_PREC, MIN_EMIN, Context, Decimal
from typing import Literal as OneOf
from typing import TypeAlias

from sculpt.values import frozen

Order: TypeAlias = OneOf[-1, 0, 1] | None
"""The first is smaller, equal, larger; or the order says nothing about the two."""
Instant: TypeAlias = tuple[int, Decimal]
"""Whole seconds from the first day of the year 1, and the fraction of a second."""

EXACT = Context(prec=MAX_PREC, Emax=MAX_EMAX, Emin=MIN_EMIN)
"""Sums and differences are never rounded."""
MINUTE, HOUR, DAY = 60, 3_600, 86_400
WIDEST_ZONE = 14 * HOUR
_BEFORE_MONTH = (0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334)
_DAYS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
ZERO = Decimal(0)


@frozen
class Moment:
    """A date, a time, or both; see the module's text for what a type lacks."""

    year: int = 1972
    """Counted as in ISO 8601: the year before 1 is 0."""
    month: int = 12
    day: int = 31
    second: Decimal = ZERO
    """Of the day; 86,400 is the first of the next day."""
    zone: int | None = None
    """Minutes that local time is ahead of UTC."""


def is_leap(year: int) -> bool:
    """Does the year have a 29 February?"""
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def days_in(year: int, month: int) -> int:
    """How many days a month has."""
    return 29 if month == 2 and is_leap(year) else _DAYS[month - 1]


def day_number(year: int, month: int, day: int) -> int:
    """How many days a day is after 1 January of the year 1."""
    past = year - 1
    leap_day = 1 if month > 2 and is_leap(year) else 0
    before = _BEFORE_MONTH[month - 1] + leap_day
    return past * 365 + past // 4 - past // 100 + past // 400 + before + day - 1


def instant(moment: Moment) -> Instant:
    """The place on the time line; without a zone, that of UTC."""
    whole = int(moment.second)
    fraction = EXACT.subtract(moment.second, Decimal(whole))
    days = day_number(moment.year, moment.month, moment.day)
    return days * DAY + whole - (moment.zone or 0) * MINUTE, fraction


def compare(first: Moment, second: Moment) -> Order:
    """The order of two moments of one type; `None` if it depends on a zone that is not given."""
    ours, theirs = instant(first), instant(second)
    if (first.zone is None) == (second.zone is None):
        return order(ours, theirs)
    if first.zone is None:
        return _order_without_zone(ours, theirs)
    found = _order_without_zone(theirs, ours)
    return None if found is None else (1 if found < 0 else -1)


def _order_without_zone(local: Instant, known: Instant) -> OneOf[-1, 1] | None:
    whole, fraction = local
    if (whole + WIDEST_ZONE, fraction) < known:
        return -1
    return 1 if (whole - WIDEST_ZONE, fraction) > known else None


def order(first: Instant, second: Instant) -> OneOf[-1, 0, 1]:
    """The order of two places on the time line."""
    return -1 if first < second else (1 if first > second else 0)
