"""Pictures of dates and times: against Babel and the calendar, and languages against values.

In: patterns and moments that Hypothesis makes, and seeded random texts. A text that Babel formats
by a pattern must be read back to the same moment. A text is judged twice: by the language of a
condition, and by reading and comparing it. The two never differ. Cost: about 15 s.
"""

from __future__ import annotations

import calendar
import datetime as dt
import itertools
from decimal import Decimal
from random import Random

import pytest
from babel.dates import parse_pattern
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from sculpt.core.acceptor import TextMatcher
from sculpt.core.datatypes.model import Base, Relation
from sculpt.core.datatypes.moments import Moment, compare
from sculpt.core.datatypes.pictures.date_parts import CENTURY
from sculpt.core.datatypes.pictures.picture import picture_of, writable
from sculpt.core.programs import typed_values
from written import RELATIONS, Judge, damaged, picture, size

# ------------------------------------------------------------- against Babel

YEARS, MONTHS, DAYS = ("y", "yy", "yyy", "yyyy"), ("M", "MM", "MMM", "MMMM"), ("d", "dd")
WEEKDAYS, ZONES = ("E", "EE", "EEE", "EEEE"), ("X", "XX", "XXX", "XXXX", "XXXXX", "x", "xxx")
HOURS = (("H",), ("HH",), ("h", "a"), ("hh", "aaa"))
BETWEEN = ("/", "-", " ", ". ", ", ", " 'of' ", "''", "'o''clock'")


@st.composite
def patterns(draw: st.DrawFn, has_time: bool) -> str:
    """Fields in any order, with something between them."""
    fields = [draw(st.sampled_from(each)) for each in (YEARS, MONTHS, DAYS)]
    if draw(st.booleans()):
        fields.append(draw(st.sampled_from(WEEKDAYS)))
    if has_time:
        fields += draw(st.sampled_from(HOURS))
        time = draw(st.sampled_from(("m", "mm", "m:s", "mm:ss", "ss 'of' mm", "mm:ss.SSS", "")))
        fields += [time] if time else []
        if draw(st.booleans()):
            fields.append(draw(st.sampled_from(ZONES)))
    fields = draw(st.permutations(fields))
    written = fields[0]
    for field in fields[1:]:
        written += draw(st.sampled_from(BETWEEN)) + field
    return written


def moment_of(value: dt.datetime, pattern: str) -> Moment:
    """What of a time a pattern shows."""
    fields = {char for char, _ in itertools.groupby("".join(pattern.split("'")[::2]))}
    seconds = Decimal(0)
    if fields & {"H", "h"}:
        seconds += value.hour * 3600
    if "m" in fields:
        seconds += value.minute * 60
    if "s" in fields:
        seconds += value.second
    if "S" in fields:
        seconds += Decimal(value.microsecond).scaleb(-6)
    zone = value.utcoffset()
    minutes = int(zone.total_seconds()) // 60 if zone is not None else None
    shown = minutes if fields & {"X", "x"} else None
    return Moment(value.year, value.month, value.day, seconds, shown)


@settings(max_examples=200, deadline=None)
@given(patterns(has_time=False), st.dates())
def test_dates_that_babel_formats_read_back(pattern: str, value: dt.date) -> None:
    if is_short(pattern):
        assume(1969 <= value.year <= 2068)
    found = picture("Date", pattern)
    text = parse_pattern(pattern).apply(value, "en")
    assert found.read(text) == Moment(value.year, value.month, value.day)
    assert TextMatcher(found.pattern).matches(text)


def is_short(pattern: str) -> bool:
    return "yy" in pattern and "yyy" not in pattern


@settings(max_examples=200, deadline=None)
@given(
    patterns(has_time=True),
    st.datetimes(),
    st.integers(0, 999),
    # Babel writes zones west of Greenwich with minutes an hour too far.
    st.integers(-14, 14).map(lambda hours: hours * 60) | st.integers(0, 14 * 60),
)
def test_times_that_babel_formats_read_back(
    pattern: str, value: dt.datetime, milliseconds: int, zone: int
) -> None:
    if is_short(pattern):
        assume(1969 <= value.year <= 2068)
    # Babel cuts a fraction that floating point cannot hold: 0.009 becomes `008`.
    assume(int(round(milliseconds / 1000, 3) * 1000) == milliseconds)
    offset = dt.timezone(dt.timedelta(minutes=zone))
    value = value.replace(microsecond=milliseconds * 1000, tzinfo=offset)
    found = picture("xs:dateTime", pattern)
    text = parse_pattern(pattern).apply(value, "en")
    assert found.read(text) == moment_of(value, pattern)
    assert TextMatcher(found.pattern).matches(text)


def test_every_day_of_the_calendar() -> None:
    """All days of all years of both kinds, and no others."""
    found = picture("Date", "yyyyMMdd")
    matcher = TextMatcher(found.pattern)
    for year, month, day in itertools.product((1900, 2000, 2023, 2024), range(14), range(33)):
        text = f"{year}{month:02}{day:02}"
        try:
            dt.date(year, month, day)
            exists = True
        except ValueError:
            exists = False
        assert matcher.matches(text) == (found.read(text) is not None) == exists, text


@pytest.mark.parametrize(
    ("type_name", "pattern", "text"),
    [
        ("Date", "dd/MM/yyyy", "31/04/2010"),
        ("Date", "dd/MM/yyyy", "29/02/2023"),
        ("Date", "dd/MM/yyyy", "29/02/1900"),
        ("Date", "dd/MM/yyyy", "1/02/2010"),
        ("Date", "dd/MM/yyyy", "01/2/2010"),
        ("Date", "dd/MM/yyyy", "01/02/10"),
        ("Date", "dd/MM/yyyy", "01/02/0000"),
        ("Date", "dd/MM/yyyy", "00/02/2010"),
        ("Date", "dd/MM/yyyy", "01-02-2010"),
        ("Date", "dd/MM/yyyy", "01/02/2010 "),
        ("Date", "dd/MM/yyyy", "01/02/2010\n"),
        ("Date", "dd/MM/yyyy", "٠١/02/2010"),
        ("Date", "d/M/y", "1/2/12010"),
        ("Date", "d/M/y", "001/2/2010"),
        ("Date", "dd/MM/yy", "29/02/23"),
        ("Date", "d MMM yyyy", "1 Sept 2010"),
        ("Date", "d MMM yyyy", "1 Foo 2010"),
        ("Date", "d MMM yyyy", "1 mAY 2010"),
        ("Date", "d MMMM yyyy", "1 Jan 2010"),
        ("Date", "d MMMM yyyy", "31 June 2010"),
        ("Date", "EEE d/M/y", "Moon 1/2/2010"),
        ("xs:time", "HH:mm", "24:00"),
        ("xs:time", "HH:mm", "12:60"),
        ("xs:time", "HH:mm:ss", "12:00:60"),
        ("xs:time", "h:mm a", "0:30 AM"),
        ("xs:time", "h:mm a", "13:30 PM"),
        ("xs:time", "h:mm a", "1:30 pM"),
        ("xs:time", "ss.SSS mm HH", "01.23 00 00"),
        ("xs:time", "HH:mmXXX", "12:00+14:01"),
        ("xs:time", "HH:mmXXX", "12:00+0100"),
        ("xs:time", "HH:mmxxx", "12:00Z"),
        ("xs:gMonthDay", "d/M", "30/2"),
        ("xs:gMonthDay", "d/M", "0/2"),
        ("xs:gDay", "d", "32"),
        ("xs:gMonth", "MM", "13"),
        ("xs:gYear", "yyyy", "0000"),
    ],
)
def test_near_misses(type_name: str, pattern: str, text: str) -> None:
    found = picture(type_name, pattern)
    assert found.read(text) is None
    assert not TextMatcher(found.pattern).matches(text)


@pytest.mark.parametrize(
    ("type_name", "pattern", "text", "value"),
    [
        ("Date", "dd/MM/yyyy", "29/02/2024", Moment(2024, 2, 29)),
        ("Date", "d/M/y", "01/02/0033", Moment(33, 2, 1)),
        ("Date", "dd/MM/yy", "29/02/00", Moment(2000, 2, 29)),
        ("Date", "dd/MM/yy", "01/02/68", Moment(2068, 2, 1)),
        ("Date", "dd/MM/yy", "01/02/69", Moment(1969, 2, 1)),
        ("Date", "d MMM yyyy", "1 MAY 2010", Moment(2010, 5, 1)),
        ("Date", "EEEE, MMMM d, yyyy", "monday, september 1, 2010", Moment(2010, 9, 1)),
        ("Date", "yyyy-MM-ddX", "2010-05-01Z", Moment(2010, 5, 1, zone=0)),
        ("xs:time", "h:mm a", "12:30 am", Moment(second=Decimal(1800))),
        ("xs:time", "h:mm a", "12:30 PM", Moment(second=Decimal(45000))),
        ("xs:time", "HH:mmX", "12:30-05", Moment(second=Decimal(45000), zone=-300)),
        ("xs:time", "HH:mmX", "12:30+0530", Moment(second=Decimal(45000), zone=330)),
        ("xs:time", "H:m:s.SS", "0:0:1.50", Moment(second=Decimal("1.5"))),
        ("xs:gMonthDay", "d/M", "29/2", Moment(month=2, day=29)),
        ("xs:gYearMonth", "MMM yyyy", "Feb 2010", Moment(2010, 2, 28)),
        ("xs:gMonth", "M", "2", Moment(1972, 2, 29)),
        ("xs:gYear", "'FY'yy", "FY10", Moment(2010)),
        ("xs:gDay", "d", "31", Moment(day=31)),
    ],
)
def test_values(type_name: str, pattern: str, text: str, value: Moment) -> None:
    found = picture(type_name, pattern)
    assert found.read(text) == value
    assert TextMatcher(found.pattern).matches(text)


def test_short_years_are_those_of_casts() -> None:
    assert CENTURY == typed_values.CENTURY


# ------------------------------------------------------------- ranges

NOON = Decimal("45296.789")
RANGES = [
    (Base("Date", "dd/MM/yyyy"), Moment(2010, 6, 15)),
    (Base("Date", "yyyy-MM-dd"), Moment(2012, 2, 29)),
    (Base("Date", "d MMM yy"), Moment(1999, 12, 31)),
    (Base("Date", "M/d/y"), Moment(10, 1, 1)),
    (Base("Date", "EEE, dd. MMMM yyyy"), Moment(2010, 4, 30)),
    (Base("xs:date", "yyyyMMdd"), Moment(12010, 4, 30)),
    (Base("xs:dateTime", "dd.MM.yyyy HH:mm:ss"), Moment(2010, 6, 15, Decimal(45296))),
    (Base("xs:dateTime", "HH:mm:ss.SS dd/MM/yyyy"), Moment(2010, 6, 15, NOON)),
    (Base("xs:dateTime", "h:mm a, MMM d, yyyy"), Moment(2010, 6, 15, Decimal(43200))),
    (Base("xs:dateTime", "yyyy-MM-dd'T'HH"), Moment(2010, 12, 31, Decimal(86400))),
    (Base("xs:dateTime", "yyyy-MM-dd HH:mmXXX"), Moment(2010, 6, 15, NOON, 0)),
    (Base("xs:dateTimeStamp", "dd/MM/yyyy HH:mmX"), Moment(2010, 6, 30, NOON)),
    (Base("xs:dateTime", "dd/MM/yyyy HH:mm"), Moment(2010, 6, 1, NOON, 600)),
    (Base("xs:time", "HH:mm:ss.SSS"), Moment(second=NOON)),
    (Base("xs:time", "h:mm a"), Moment(second=Decimal(1800))),
    (Base("xs:time", "mm HH"), Moment(second=Decimal(45240))),
    (Base("xs:gYear", "yyyy"), Moment(2010)),
    (Base("xs:gYearMonth", "MM/yyyy"), Moment(2010, 6, 30)),
    (Base("xs:gMonthDay", "d. MMMM"), Moment(month=6, day=15)),
    (Base("xs:gMonth", "M"), Moment(month=6, day=30)),
    (Base("xs:gDay", "dd"), Moment(day=15)),
]


def texts_of(base: Base) -> int:
    """How many texts: 100,000 for dates, with a time or without one, and as many for times."""
    if base.type == "xs:time":
        return 33_400
    return 1_000 if base.type.startswith("xs:g") else 7_700


class Writer:
    """Writes moments, often near the bound in some fields, by the fields of a picture."""

    def __init__(self, random: Random, base: Base, bound: Moment) -> None:
        assert base.picture is not None
        self.random, self.bound = random, bound
        self.first, self.last = (1969, 2068) if is_short(base.picture) else (1, 9999)
        self.parts: list[str] = []
        for quoted, part in enumerate(base.picture.split("'")):
            runs = ["".join(run) for _, run in itertools.groupby(part)]
            is_text = quoted % 2 == 1
            self.parts += [f"'{run}" if is_text or not run.isalpha() else run for run in runs]

    def near(self, value: int, low: int, high: int) -> int:
        chance = self.random.random()
        if chance < 0.75:
            return min(high, max(low, value + (chance < 0.15) - (0.15 <= chance < 0.3)))
        return low + int(self.random.random() * (high - low + 1))

    def text(self) -> str:
        whole = int(self.bound.second)
        hour = self.near(whole // 3600, 0, 23)
        found = "".join(
            part[1:] if part[0] == "'" else self.field(part, hour, whole) for part in self.parts
        )
        if self.random.random() < 0.85:
            return found
        return damaged(self.random, found, "0123459/-.: JuneapmZ")

    def field(self, letters: str, hour: int, whole: int) -> str:
        width = len(letters)
        match letters[0]:
            case "y":
                year = self.near(self.bound.year, self.first, self.last)
                return f"{year % 100:02}" if width == 2 else f"{year:0{width}}"
            case "M":
                month = self.near(self.bound.month, 1, 12)
                name = calendar.month_name[month]
                return f"{month:0{width}}" if width < 3 else name[:3] if width == 3 else name
            case "d":
                return f"{self.near(self.bound.day, 1, 31):0{width}}"
            case "H":
                return f"{hour:0{width}}"
            case "h":
                return f"{hour % 12 or 12:0{width}}"
            case "a":
                return "PM" if hour > 11 else "AM"
            case "m":
                return f"{self.near(whole // 60 % 60, 0, 59):02}"
            case "s":
                return f"{self.near(whole % 60, 0, 59):02}"
            case "S":
                fraction = int(self.bound.second % 1 * 10**width)
                return f"{self.near(fraction, 0, 10**width - 1):0{width}}"
            case "E":
                return self.random.choice(("Mon", "Sun"))
            case _:
                zones = ("Z", "+14:00", "-14:00", "+05:30", "-12:00")
                zone = self.random.choice(zones)
                return zone if width == 3 else zone.replace(":", "").removesuffix("00")


def holds(order: int | None, relation: Relation) -> bool:
    match relation:
        case "<":
            return order == -1
        case "<=":
            return order in (-1, 0)
        case ">":
            return order == 1
        case ">=":
            return order in (1, 0)
        case "=":
            return order == 0
        case "!=":
            return order != 0


@pytest.mark.parametrize(("base", "bound"), RANGES, ids=lambda each: getattr(each, "picture", None))
def test_languages_and_values_agree(base: Base, bound: Moment) -> None:
    assert base.picture is not None
    found = picture_of(base)
    matcher = TextMatcher(found.pattern)
    judges = {relation: Judge(found, relation, bound) for relation in RELATIONS}
    has_zones = bound.zone is not None or "X" in base.picture
    writer = Writer(Random(base.picture), base, bound)
    met = asked = 0
    count = texts_of(base)
    for ix in range(count):
        text = writer.text()
        value = found.read(text)
        assert value is None or isinstance(value, Moment)
        assert matcher.matches(text) == (value is not None), text
        relation = RELATIONS[ix % len(RELATIONS)]
        verdict = value is not None and holds(compare(value, bound), relation)
        said = judges[relation](text)
        if said == "ask":
            assert value is not None
            asked += 1
        else:
            assert said == ("yes" if verdict else "no"), (text, relation)
        met += verdict
    assert count // 20 < met < count
    assert (0 < asked < count) == has_zones


@settings(max_examples=60, deadline=None)
@given(
    patterns(has_time=True),
    st.datetimes(dt.datetime(1969, 1, 1), dt.datetime(2068, 12, 30)),
    st.integers(-3, 3),
    st.sampled_from((0, 1, 59, 60, 3600, 43200, 86399)),
    st.sampled_from(RELATIONS),
)
def test_bounds_by_any_picture(
    pattern: str, value: dt.datetime, days: int, seconds: int, relation: Relation
) -> None:
    value = value.replace(microsecond=0)
    near = value + dt.timedelta(days, seconds)
    bound = moment_of(near, "yMdHms")
    exact = moment_of(value.replace(tzinfo=dt.UTC), pattern)
    text = parse_pattern(pattern).apply(value, "en")
    said = Judge(picture("xs:dateTime", pattern), relation, bound)(text)
    if said == "ask":
        assert exact.zone is not None
    else:
        assert said == ("yes" if holds(compare(exact, bound), relation) else "no"), text


def test_types_without_a_full_date_ask_about_zones() -> None:
    judge = Judge(picture("xs:time", "HH:mmXXX"), "<", Moment(second=Decimal(0)))
    assert judge("12:00Z") == "ask"
    assert judge("12:00") == "no"


@pytest.mark.parametrize(
    ("base", "bound", "can"),
    [
        (Base("Date", "dd/MM/yyyy"), Moment(2010, 1, 1), True),
        (Base("Date", "dd/MM/yyyy"), Moment(-5, 1, 1), False),
        (Base("Date", "dd/MM/yy"), Moment(1950, 1, 1), False),
        (Base("xs:time", "HH:mm"), Moment(second=Decimal(60)), True),
        (Base("xs:time", "HH:mm"), Moment(second=Decimal(61)), False),
        (Base("xs:dateTime", "yyyy-MM-dd HH:mm"), Moment(2010, 1, 31, Decimal(86400)), True),
        (Base("xs:time", "HH:mm:ss.S"), Moment(second=Decimal("1.25")), False),
    ],
)
def test_which_bounds_can_be_written(base: Base, bound: Moment, can: bool) -> None:
    assert writable(base, bound) == can


@pytest.mark.parametrize(
    ("base", "most"),
    [
        (Base("Date", "dd/MM/yyyy"), 80),
        (Base("Date", "yyyy-MM-dd"), 80),
        (Base("Date", "d/M/y"), 100),
        (Base("Date", "EEEE, MMMM d, yyyy"), 400),
        (Base("xs:dateTime", "dd/MM/yyyy HH:mm:ss.SSS"), 150),
        (Base("xs:dateTime", "hh:mm:ss a dd/MM/yyyy"), 200),
    ],
)
def test_languages_are_small(base: Base, most: int) -> None:
    found = picture_of(base)
    for relation in RELATIONS:
        assert size(found.condition(relation, Moment(2010, 6, 15, NOON)).yes) <= most
