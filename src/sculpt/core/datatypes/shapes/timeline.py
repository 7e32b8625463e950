"""Texts of dates and times that compare with a moment, with and without a time zone.

In: the form of a type, a relation, a moment. Out: the texts for which the relation holds.

- Both or neither have a zone: the places on the time line are compared.
- One has a zone: the relation must hold for all zones, so it is one with a moment 14 hours away.
- A text in UTC is compared like one without a zone. A text in another zone, if it is more than 14
  hours away, is decided as well; if it is nearer, the zone decides, and the text is asked.

Invariant: no text is in both parts of the language. Cost: that of `calendar`.
"""

from __future__ import annotations

from typing import TypeAlias, assert_never

from sculpt.core.datatypes.algebra import (
    NO_TEXT,
    Chars,
    among,
    chain,
    char,
    either,
    spelt,
    union,
)
from sculpt.core.datatypes.families import MomentForm
from sculpt.core.datatypes.model import Language, Relation
from sculpt.core.datatypes.moment_texts import MONTHS
from sculpt.core.datatypes.moments import (
    DAY,
    WIDEST_ZONE,
    ZERO,
    Instant,
    Moment,
    day_number,
    days_in,
    instant,
)
from sculpt.core.datatypes.shapes import calendar
from sculpt.syntax.regular import Nothing

Limit: TypeAlias = tuple[Instant, bool]
"""A place on the time line, and whether it is included."""
Span: TypeAlias = tuple[Limit | None, Limit | None]

_REFERENCE_DAY = day_number(1972, 12, 31)
"""The day of times that have none."""
_UTC = either(char("Z"), chain(char("+-"), spelt("00:00")))
_MINUTES = [f"{minute:02}" for minute in range(60)]
_ELSEWHERE = chain(
    char("+-"),
    among(
        f"{hour:02}:{minute}"
        for hour in range(15)
        for minute in (_MINUTES if hour < 14 else ["00"])
        if (hour, minute) != (0, "00")
    ),
)
_NUMBERS = tuple((f"{month:02}", str(month)) for month in range(1, 13))
_NAMES = tuple((name.upper(), name.title(), name) for name in MONTHS)


def compared(form: MomentForm, relation: Relation, bound: Moment, friendly: bool) -> Language:
    """Texts without a zone, and with one, for which the relation holds; `friendly` for `Date`."""
    return union(without_zone(form, relation, bound, friendly), with_zone(form, relation, bound))


def without_zone(form: MomentForm, relation: Relation, bound: Moment, friendly: bool) -> Language:
    """Texts without a zone for which the relation to a moment holds."""
    spans = _spans(relation, instant(bound), bound.zone is None)
    found = [_texts(form, span) for span in spans]
    if friendly:
        for low, high in (_units(span) for span in spans):
            found.append(calendar.dates_day_first(low, high, "/", _NUMBERS))
            found.append(calendar.dates_day_first(low, high, "-", _NAMES))
    return Language(either(*found))


def with_zone(form: MomentForm, relation: Relation, bound: Moment) -> Language:
    """Texts with a zone for which the relation to a moment holds."""
    at = instant(bound)
    if bound.zone is not None:
        return _known_zone(form, relation, at)
    match relation:
        case "<" | "<=":
            return _known_zone(form, "<", _shifted(at, -WIDEST_ZONE))
        case ">" | ">=":
            return _known_zone(form, ">", _shifted(at, WIDEST_ZONE))
        case "=":
            return NO_TEXT
        case "!=":
            everything = _texts(form, (None, None))
            return Language(chain(everything, either(_UTC, _ELSEWHERE)))
        case _:
            assert_never(relation)


def _spans(relation: Relation, at: Instant, same_kind: bool) -> list[Span]:
    """Where on the time line the relation holds, if both or only one of two moments has a zone."""
    early = at if same_kind else _shifted(at, -WIDEST_ZONE)
    late = at if same_kind else _shifted(at, WIDEST_ZONE)
    match relation:
        case "<" | "<=":
            return [(None, (early, same_kind and relation == "<="))]
        case ">" | ">=":
            return [((late, same_kind and relation == ">="), None)]
        case "=":
            return [((at, True), (at, True))] if same_kind else []
        case "!=":
            return [(None, (at, False)), ((at, False), None)] if same_kind else [(None, None)]
        case _:
            assert_never(relation)


def _known_zone(form: MomentForm, relation: Relation, at: Instant) -> Language:
    """Texts with a zone that compare with a place on the time line."""
    in_utc = either(*(_texts(form, span) for span in _spans(relation, at, True)))
    early, late = _shifted(at, -WIDEST_ZONE), _shifted(at, WIDEST_ZONE)
    first: Instant = (early[0] // DAY * DAY, ZERO)
    last: Instant = (late[0] // DAY * DAY + DAY, ZERO)
    # Whole days where it does not matter whether a text is asked in vain.
    sure: list[Span]
    match relation:
        case "<" | "<=":
            included = relation == "<="
            sure = [(None, (early, included))]
            asked: Span = ((early, not included), (last, True))
        case ">" | ">=":
            included = relation == ">="
            sure = [((late, included), None)]
            asked = ((first, True), (late, not included))
        case "=":
            sure = []
            asked = ((first, True), (last, True))
        case "!=":
            sure = [(None, (first, False)), ((last, False), None)]
            asked = ((first, True), (last, True))
        case _:
            assert_never(relation)
    elsewhere = either(*(_texts(form, span) for span in sure))
    return Language(
        either(chain(in_utc, _UTC), chain(elsewhere, _ELSEWHERE)),
        chain(_texts(form, asked), _ELSEWHERE),
    )


def _shifted(at: Instant, seconds: int) -> Instant:
    return at[0] + seconds, at[1]


# ------------------------------------------------------------- texts of a span


def _texts(form: MomentForm, span: Span) -> Chars:
    """The texts without a zone whose place, were they in UTC, is in a span."""
    low, high = _units(span)
    match form:
        case "dateTime":
            return _date_times(span)
        case "date":
            return calendar.dates(low, high)
        case "time":
            return _times_of(span)
        case "gYearMonth":
            return calendar.months(
                None if low is None else _month_of(low), None if high is None else _full_month(high)
            )
        case "gYear":
            return calendar.years(
                None if low is None else calendar.date_of(low)[0],
                None if high is None else (_full_month(high) + 1) // 12 - 1,
            )
        case "gMonthDay":
            days = [(m, d) for m in range(1, 13) for d in range(1, days_in(1972, m) + 1)]
            return _listed(span, {f"--{m:02}-{d:02}": day_number(1972, m, d) for m, d in days})
        case "gDay":
            return _listed(span, {f"---{d:02}": day_number(1972, 12, d) for d in range(1, 32)})
        case "gMonth":
            last_days = {m: day_number(1972, m, days_in(1972, m)) for m in range(1, 13)}
            return _listed(span, {f"--{m:02}": day for m, day in last_days.items()})
        case _:
            assert_never(form)


def _units(span: Span) -> tuple[int | None, int | None]:
    """The first and the last day that begin in a span."""
    low, high = span
    first = last = None
    if low is not None:
        (whole, fraction), included = low
        first, rest = divmod(whole, DAY)
        if rest or fraction or not included:
            first += 1
    if high is not None:
        (whole, fraction), included = high
        last, rest = divmod(whole, DAY)
        if not (rest or fraction or included):
            last -= 1
    return first, last


def _month_of(day: int) -> int:
    year, month, _ = calendar.date_of(day)
    return year * 12 + month - 1


def _full_month(day: int) -> int:
    """The last month whose last day is not after a day."""
    year, month, day_of_month = calendar.date_of(day)
    return year * 12 + month - 1 - (day_of_month < days_in(year, month))


def _listed(span: Span, days: dict[str, int]) -> Chars:
    low, high = _units(span)
    return among(
        text
        for text, day in days.items()
        if (low is None or low <= day) and (high is None or day <= high)
    )


def _split(limit: Limit) -> tuple[int, Instant, bool]:
    (whole, fraction), included = limit
    day, second = divmod(whole, DAY)
    return day, (second, fraction), included


def _date_times(span: Span) -> Chars:
    """A span within one day is a single place."""
    low, high = span
    mark = char("T")
    first, last = _units(span)
    # 24:00:00 of a day is the start of the next one.
    ends = calendar.dates(None if first is None else first - 1, None if last is None else last - 1)
    parts = [chain(ends, mark, calendar.END_OF_DAY)]
    first_day = last_day = None
    if low is not None:
        first_day, second, included = _split(low)
        if high is not None and _split(high)[0] == first_day:
            assert low == high, span
            return either(
                *parts,
                chain(calendar.dates(first_day, first_day), mark, calendar.time_text(second)),
            )
        times = calendar.times(second, included, is_low=True)
        parts.append(chain(calendar.dates(first_day, first_day), mark, times))
    if high is not None:
        last_day, second, included = _split(high)
        times = calendar.times(second, included, is_low=False)
        parts.append(chain(calendar.dates(last_day, last_day), mark, times))
    after = None if first_day is None else first_day + 1
    before = None if last_day is None else last_day - 1
    parts.append(chain(calendar.dates(after, before), mark, calendar.any_time()))
    return either(*parts)


def _times_of(span: Span) -> Chars:
    """A span within the day is a single place, or it has one end in it."""
    low, high = span
    first, last = (None if limit is None else _split(limit) for limit in span)
    if first is not None and first[0] < _REFERENCE_DAY:
        first = None
    if last is not None and last[0] > _REFERENCE_DAY:
        last = None
    if (first and first[0] > _REFERENCE_DAY) or (last and last[0] < _REFERENCE_DAY):
        return Nothing()
    starts = (first is None or (first[1] == (0, ZERO) and first[2])) and (
        last is None or last[1] > (0, ZERO) or last[2]
    )
    midnight = calendar.END_OF_DAY if starts else Nothing()
    if first and last:
        assert low == high, span
        return either(midnight, calendar.time_text(first[1]))
    if first:
        return either(midnight, calendar.times(first[1], first[2], is_low=True))
    if last:
        return either(midnight, calendar.times(last[1], last[2], is_low=False))
    return either(midnight, calendar.any_time())
