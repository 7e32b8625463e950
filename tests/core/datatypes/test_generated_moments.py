"""Many random dates and times: the language, reading, and Python's own values agree about each."""

from __future__ import annotations

import datetime as dt
import operator
import random
from collections.abc import Callable
from typing import Any

import pytest

from sculpt.core.datatypes.model import Relation
from sculpt.core.datatypes.reading import holds
from typed_texts import RELATIONS, Judge, condition

TEXTS = 100_000
SIGNS: dict[Relation, Callable[[Any, Any], bool]] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
    "=": operator.eq, "!=": operator.ne,
}  # fmt: skip
WIDEST = dt.timedelta(hours=14)


def python_moment(text: str) -> dt.datetime | None:
    """For years of four digits; the end of a day is that of the next."""
    if "T" not in text:
        text = f"1972-12-31T{text}" if ":" in text[:3] else f"{text[:10]}T00:00:00{text[10:]}"
    late = "T24:00:00" in text
    date, _, time = text.replace("T24:", "T00:").partition("T")
    clock, sign, zone = time, "", ""
    for mark in "Z+-":
        if mark in time:
            clock, sign, zone = time.partition(mark)
    whole, _, fraction = clock.partition(".")
    try:
        found = dt.datetime.fromisoformat(f"{date}T{whole}")
    except ValueError:
        return None
    found += dt.timedelta(days=late, microseconds=int(fraction[:6].ljust(6, "0") or 0))
    if not sign:
        return found
    minutes = int(zone[:2]) * 60 + int(zone[3:]) if zone else 0
    offset = dt.timedelta(minutes=-minutes if sign == "-" else minutes)
    return found.replace(tzinfo=dt.timezone(offset))


def moments_hold(relation: Relation, ours: dt.datetime, theirs: dt.datetime) -> bool:
    """As XML Schema says: what is open does not hold, and what is not equal is unequal."""
    if (ours.tzinfo is None) == (theirs.tzinfo is None):
        return SIGNS[relation](ours, theirs)
    if relation in ("=", "!="):
        return relation == "!="
    if ours.tzinfo is None:
        far = ours.replace(tzinfo=dt.UTC) + (WIDEST if relation in ("<", "<=") else -WIDEST)
        return SIGNS[relation](far, theirs) and far != theirs
    far = theirs.replace(tzinfo=dt.UTC) - (WIDEST if relation in ("<", "<=") else -WIDEST)
    return SIGNS[relation](ours, far) and ours != far


def some_zone(rng: random.Random) -> str:
    which = rng.randrange(4)
    if which < 2:
        return "" if which else "Z"
    return f"{rng.choice('+-')}{rng.randrange(14):02}:{rng.randrange(60):02}"


def some_day(rng: random.Random) -> str:
    return str(dt.date(2_000, 1, 1) + dt.timedelta(days=rng.randrange(-800, 800)))


def some_clock(rng: random.Random) -> str:
    if rng.randrange(50) == 0:
        return "24:00:00"
    second = rng.randrange(86_400)
    fraction = rng.choice(["", "", ".5", ".50", ".123456"])
    return f"{second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}{fraction}"


def near(rng: random.Random) -> str:
    """Moments around the first day of the year 2000."""
    day = dt.date(2_000, 1, 1) + dt.timedelta(days=rng.choice([-300, -2, -1, 0, 0, 1, 2, 300]))
    return f"{day}T{some_clock(rng)}{some_zone(rng)}"


KINDS: dict[str, tuple[str, Callable[[random.Random], str], list[str]]] = {
    "dates": (
        "xs:date",
        lambda rng: some_day(rng) + some_zone(rng),
        ["2000-02-29", "1999-12-31Z", "2000-01-01+05:30"],
    ),
    "times": (
        "xs:time",
        lambda rng: some_clock(rng).replace("24:", "23:") + some_zone(rng),
        ["12:00:00", "09:30:15.5Z", "23:59:59-10:00"],
    ),
    "dateTimes": (
        "xs:dateTime",
        near,
        ["2000-01-01T00:00:00", "1999-12-31T23:59:59.5Z", "2000-01-01T12:00:00-14:00"],
    ),
}


@pytest.mark.parametrize("kind", KINDS)
def test_many_texts(kind: str) -> None:
    type_name, some_text, bounds = KINDS[kind]
    rng = random.Random(kind)
    cases = [
        (test := condition(type_name, relation, bound), Judge(test), relation, python_moment(bound))
        for relation in RELATIONS
        for bound in bounds
    ]
    asked = held = 0
    for number in range(TEXTS):
        text = some_text(rng)
        test, judge, relation, bound = cases[number % len(cases)]
        ours = python_moment(text)
        assert ours is not None
        assert bound is not None
        expected = moments_hold(relation, ours, bound)
        assert holds(test, text) == expected, (test, text)
        answer = judge(text)
        assert answer == "ask" or (answer == "yes") == expected, (test, text)
        asked += answer == "ask"
        held += expected
    assert TEXTS / 10 < held < TEXTS * 9 / 10
    assert asked < TEXTS / 2, "more texts are asked than it is worth"
