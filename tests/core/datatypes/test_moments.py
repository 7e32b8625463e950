"""The order of dates and times, against the examples of XML Schema 1.1 and Python's own dates."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sculpt.core.datatypes.moments import Moment, Order, compare, day_number, days_in


def at(hour: int, zone: int | None, day: int = 15) -> Moment:
    return Moment(2000, 1, day, Decimal(hour * 3600), zone)


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        (at(0, None), at(0, 0, day=17), -1),
        (at(0, None), at(12, 0), None),
        (at(12, None), at(12, 0, day=16), -1),
        (at(12, 0, day=16), at(12, None), 1),
        (at(12, 0), at(12, None), None),
        # 14 hours to either side are still unknown: the zone may be the widest one.
        (at(14, 0), at(0, None), None),
        (at(15, 0), at(0, None), 1),
        (at(13, 840), at(13, None), None),
        (at(13, -840), at(13, None), None),
        (at(13, 60), at(12, 0), 0),
        (at(12, 0), at(12, 60), 1),
        (at(24, None), at(0, None, day=16), 0),
        (Moment(2000, 1, 1, zone=780), Moment(1999, 12, 31, zone=-660), 0),
        (Moment(0, 2, 29), Moment(-1, 12, 31), 1),
        (Moment(second=Decimal("0.1")), Moment(second=Decimal("0.10")), 0),
        (Moment(second=Decimal("0.1")), Moment(second=Decimal("0." + "9" * 100)), -1),
        (Moment(second=Decimal("1." + "0" * 100 + "1")), Moment(second=Decimal(1)), 1),
    ],
)
def test_examples(first: Moment, second: Moment, expected: Order) -> None:
    assert compare(first, second) == expected
    assert compare(second, first) == (None if expected is None else -expected)


@given(st.dates())
def test_days_are_counted_as_python_counts_them(day: dt.date) -> None:
    assert day_number(day.year, day.month, day.day) == day.toordinal() - 1
    following = day.replace(day=1) + dt.timedelta(days=31)
    last = following.replace(day=1) - dt.timedelta(days=1)
    assert days_in(day.year, day.month) == last.day


@given(st.integers(-5_000, 5_000), st.integers(1, 12))
def test_the_calendar_repeats_after_400_years(year: int, month: int) -> None:
    assert day_number(year + 400, month, 1) - day_number(year, month, 1) == 146_097


@given(
    st.datetimes(min_value=dt.datetime(2, 1, 1), max_value=dt.datetime(9998, 1, 1)),
    st.datetimes(min_value=dt.datetime(2, 1, 1), max_value=dt.datetime(9998, 1, 1)),
    st.integers(-840, 840),
    st.integers(-840, 840),
)
def test_zones_are_compared_as_python_compares_them(
    first: dt.datetime, second: dt.datetime, ahead: int, behind: int
) -> None:
    one = first.replace(tzinfo=dt.timezone(dt.timedelta(minutes=ahead)))
    two = second.replace(tzinfo=dt.timezone(dt.timedelta(minutes=behind)))
    expected = (one > two) - (one < two)
    assert compare(_moment(first, ahead), _moment(second, behind)) == expected


def _moment(of: dt.datetime, zone: int) -> Moment:
    seconds = Decimal(of.hour * 3600 + of.minute * 60 + of.second) + Decimal(of.microsecond) / 10**6
    return Moment(of.year, of.month, of.day, seconds, zone)
