"""Texts of years, months, days and times in an interval.

In: whole numbers of years, months (12 × year + month - 1) or days (`moments.day_number`), or
seconds of a day. Out: the texts in the forms of XML Schema, without a time zone, that are in the
interval, both ends included. A year has four digits or more; those before the last four do not
change which days it has.

Invariant: only days that exist. Cost: the digits of the bounds, and a tree of at most 366 days or
10,000 years, of which equal branches are shared.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from sculpt.core.datatypes.algebra import (
    DIGIT,
    Chars,
    among,
    chain,
    char,
    either,
    optional,
    repeated,
    spelt,
)
from sculpt.core.datatypes.moments import DAY, HOUR, MINUTE, Instant, day_number, days_in, is_leap
from sculpt.core.datatypes.shapes.fractions import Fraction, above, below, with_point
from sculpt.core.datatypes.shapes.numerals import plain_numerals
from sculpt.syntax.regular import Epsilon, Nothing

_FRACTION = with_point(repeated(DIGIT, 0, None), bare_point=False)
END_OF_DAY = chain(spelt("24:00:00"), with_point(repeated(char("0"), 0, None), bare_point=False))


def date_of(day: int) -> tuple[int, int, int]:
    """Year, month and day of a day's number."""
    year = day * 400 // 146_097 + 1
    while day_number(year, 1, 1) > day:
        year -= 1
    while day_number(year + 1, 1, 1) <= day:
        year += 1
    left = day - day_number(year, 1, 1)
    month = 1
    while left >= days_in(year, month):
        left -= days_in(year, month)
        month += 1
    return year, month, left + 1


# ------------------------------------------------------------- years


def years(low: int | None, high: int | None, leap: bool = False) -> Chars:
    """Years from `low` to `high`; with `leap`, only those with a 29 February."""
    positive = _sizes(max(low or 0, 0), high, leap)
    negative = _sizes(max(-(high or 0), 0) if high is not None else 0, _minus(low), leap)
    return either(positive, chain(char("-"), negative))


def year_text(year: int) -> Chars:
    """The texts of one year; the year 0 may have a minus sign."""
    if year == 0:
        return chain(optional(char("-")), spelt("0000"))
    return spelt(f"-{-year:04}" if year < 0 else f"{year:04}")


def _minus(number: int | None) -> int | None:
    return None if number is None else -number


def _sizes(low: int, high: int | None, leap: bool) -> Chars:
    if high is not None and high < low:
        return Nothing()
    first, first_rest = divmod(low, 10_000)
    if high is None:
        return either(
            chain(_before(first), _four_digits(first_rest, 9_999, leap)),
            chain(plain_numerals(first + 1, None), _four_digits(0, 9_999, leap)),
        )
    last, last_rest = divmod(high, 10_000)
    if first == last:
        return chain(_before(first), _four_digits(first_rest, last_rest, leap))
    return either(
        chain(_before(first), _four_digits(first_rest, 9_999, leap)),
        chain(plain_numerals(first + 1, last - 1), _four_digits(0, 9_999, leap)),
        chain(_before(last), _four_digits(0, last_rest, leap)),
    )


def _before(number: int) -> Chars:
    return spelt(str(number)) if number else Epsilon()


@cache
def _four_digits(low: int, high: int, leap: bool) -> Chars:
    return among(f"{year:04}" for year in range(low, high + 1) if not leap or is_leap(year))


# ------------------------------------------------------------- months and days


def months(low: int | None, high: int | None) -> Chars:
    """Texts of a year and a month."""
    dash = char("-")
    if low is not None and high is not None:
        if high < low:
            return Nothing()
        if low // 12 == high // 12:
            return chain(year_text(low // 12), dash, _two_digits(low % 12 + 1, high % 12 + 1))
    parts = [
        chain(
            years(None if low is None else low // 12 + 1, None if high is None else high // 12 - 1),
            dash,
            _two_digits(1, 12),
        )
    ]
    if low is not None:
        parts.append(chain(year_text(low // 12), dash, _two_digits(low % 12 + 1, 12)))
    if high is not None:
        parts.append(chain(year_text(high // 12), dash, _two_digits(1, high % 12 + 1)))
    return either(*parts)


def dates(low: int | None, high: int | None) -> Chars:
    """Texts of a year, a month and a day."""
    dash = char("-")
    first = None if low is None else date_of(low)
    last = None if high is None else date_of(high)
    if low is not None and high is not None and high < low:
        return Nothing()
    if first is not None and last is not None and first[0] == last[0]:
        days = _days_of(is_leap(first[0]), first[1:], last[1:])
        return chain(year_text(first[0]), dash, days)
    after = None if first is None else first[0] + 1
    before = None if last is None else last[0] - 1
    parts = [
        chain(years(after, before), dash, _days_of(False, (1, 1), (12, 31))),
        chain(years(after, before, leap=True), dash, spelt("02-29")),
    ]
    if first is not None:
        days = _days_of(is_leap(first[0]), first[1:], (12, 31))
        parts.append(chain(year_text(first[0]), dash, days))
    if last is not None:
        days = _days_of(is_leap(last[0]), (1, 1), last[1:])
        parts.append(chain(year_text(last[0]), dash, days))
    return either(*parts)


MonthDay = tuple[int, ...]


def days_between(leap: bool, first: MonthDay, last: MonthDay) -> list[tuple[int, int]]:
    """Months and days of a year, from one day to another."""
    year = 4 if leap else 1
    return [
        (month, day)
        for month in range(1, 13)
        for day in range(1, days_in(year, month) + 1)
        if first <= (month, day) <= last
    ]


@cache
def _days_of(leap: bool, first: MonthDay, last: MonthDay) -> Chars:
    return among(f"{month:02}-{day:02}" for month, day in days_between(leap, first, last))


@cache
def _two_digits(low: int, high: int) -> Chars:
    return among(f"{number:02}" for number in range(low, high + 1))


# ------------------------------------------------------------- times


def any_time() -> Chars:
    """Times before the end of the day."""
    return _from_fields(_two_digits(0, 23), _two_digits(0, 59), _two_digits(0, 59))


def _from_fields(*fields: Chars) -> Chars:
    colon = char(":")
    parts = [part for field in fields for part in (field, colon)]
    return chain(*parts[:-1], _FRACTION)


def _clock(second: Instant) -> tuple[int, int, int, str]:
    whole, fraction = second
    digits = format(fraction, "f").partition(".")[2].rstrip("0")
    return whole // HOUR, whole % HOUR // MINUTE, whole % MINUTE, digits


def times(second: Instant, included: bool, is_low: bool) -> Chars:
    """Times of a day from a second on, or up to it; the end of the day is not among them."""
    assert 0 <= second[0] < DAY, second
    hour, minute, whole, digits = _clock(second)

    def beyond(at: int, limit: int) -> Chars:
        return _two_digits(at + 1, limit) if is_low else _two_digits(0, at - 1)

    bound = Fraction(digits, included)
    tail = above(bound) if is_low else below(bound)
    same_hour, same_minute = spelt(f"{hour:02}"), spelt(f"{minute:02}")
    minutes, seconds = _two_digits(0, 59), _two_digits(0, 59)
    return either(
        _from_fields(beyond(hour, 23), minutes, seconds),
        _from_fields(same_hour, beyond(minute, 59), seconds),
        _from_fields(same_hour, same_minute, beyond(whole, 59)),
        chain(spelt(f"{hour:02}:{minute:02}:{whole:02}"), with_point(tail.yes, bare_point=False)),
    )


def time_text(second: Instant) -> Chars:
    """The texts of one time of a day."""
    hour, minute, whole, digits = _clock(second)
    zeros = chain(spelt(digits), repeated(char("0"), 0, None))
    return chain(spelt(f"{hour:02}:{minute:02}:{whole:02}"), with_point(zeros, bare_point=False))


# ------------------------------------------------------------- days first


def dates_day_first(
    low: int | None, high: int | None, separator: str, month_texts: tuple[tuple[str, ...], ...]
) -> Chars:
    """Day, month and year, as the friendly `Date` allows them; years of two or four digits."""
    first = max(low, day_number(0, 1, 1)) if low is not None else day_number(0, 1, 1)
    last = day_number(9_999, 12, 31) if high is None else min(high, day_number(9_999, 12, 31))
    if last < first:
        return Nothing()

    def of_years(given: Iterable[int], days: Iterable[tuple[int, int]]) -> Chars:
        listed = list(given)
        short = [f"{year % 100:02}" for year in listed if 1969 <= year <= 2068]
        texts = among([*(f"{year:04}" for year in listed), *short])
        return chain(_day_months(tuple(days), separator, month_texts), char(separator), texts)

    start, end = date_of(first), date_of(last)
    if start[0] == end[0]:
        return of_years([start[0]], days_between(is_leap(start[0]), start[1:], end[1:]))
    inside = range(start[0] + 1, end[0])
    return either(
        of_years([start[0]], days_between(is_leap(start[0]), start[1:], (12, 31))),
        of_years([end[0]], days_between(is_leap(end[0]), (1, 1), end[1:])),
        of_years(inside, days_between(False, (1, 1), (12, 31))),
        of_years(filter(is_leap, inside), [(2, 29)]),
    )


@cache
def _day_months(
    days: tuple[tuple[int, int], ...], separator: str, month_texts: tuple[tuple[str, ...], ...]
) -> Chars:
    return among(
        f"{day_text}{separator}{month_text}"
        for month, day in days
        for day_text in {str(day), f"{day:02}"}
        for month_text in month_texts[month - 1]
    )
