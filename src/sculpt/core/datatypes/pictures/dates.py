"""Pictures of dates and times: their texts, their values, and comparisons as languages.

In: a `Base` whose type is one of dates or times. Out: a `DatePicture`. A text is taken apart by an
expression of `re` with a group for each field, and the calendar decides; the languages are built
another way (`date_texts`), and tests compare the two.

Invariant: comparisons are regular where neither the text nor the bound has a time zone. With one,
days that are more than two days apart are regular, since no two zones are further apart than 28
hours, and the others ask; types without a full date ask always. Cost: one match for each text.
"""

from __future__ import annotations

import re
from decimal import Decimal

from sculpt.core.datatypes.algebra import Chars
from sculpt.core.datatypes.model import Base, Language, Relation
from sculpt.core.datatypes.moments import DAY, EXACT, HOUR, MINUTE, Moment, days_in
from sculpt.core.datatypes.pictures.date_parts import (
    DATE,
    FIELDS,
    Field,
    Part,
    date_parts,
    full_year,
    month_number,
    spellings,
)
from sculpt.core.datatypes.pictures.date_texts import LEAP_YEAR, bound_of, date_texts
from sculpt.core.datatypes.pictures.relations import holds
from sculpt.syntax.regular import Nothing
from sculpt.values import frozen

TYPES = frozenset(FIELDS)
_FARTHEST = 2
"""Days between two local dates whose order can depend on time zones."""


@frozen
class DatePicture:
    """A picture of a date, a time or both."""

    parts: tuple[Part, ...]
    expression: re.Pattern[str]
    pattern: Chars
    """The texts of the picture."""

    def read(self, text: str) -> Moment | None:
        """The value of a text; `None` if the picture does not have it."""
        match = self.expression.fullmatch(text)
        if match is None:
            return None
        fields = [part for part in self.parts if isinstance(part, Field)]
        return _moment(dict(zip(fields, match.groups(), strict=True)))

    def condition(self, relation: Relation, bound: object) -> Language:
        """The texts whose value compares so with a bound."""
        assert isinstance(bound, Moment), bound
        kinds = {part.kind for part in self.parts if isinstance(part, Field)}
        is_full = kinds.issuperset(DATE)
        if is_full and bound.second >= DAY:
            bound = _next_day(bound)
        if "zone" not in kinds and bound.zone is None:
            return Language(
                date_texts(
                    self.parts,
                    bound_of(bound),
                    lambda day, time: holds(relation, day or time),
                )
            )
        if not is_full:
            return Language(Nothing(), self.pattern)
        around = bound_of(bound, _FARTHEST)
        return Language(
            date_texts(self.parts, around, lambda day, time: day != 0 and holds(relation, day)),
            date_texts(self.parts, around, lambda day, time: day == 0),
        )


def date_picture(base: Base) -> DatePicture:
    """The picture of a base; raises `ConditionError`."""
    parts = date_parts(base)
    expression = "".join(map(_expression, parts))
    pattern = date_texts(parts, None, lambda day, time: True)
    return DatePicture(parts, re.compile(expression, re.DOTALL), pattern)


def _next_day(moment: Moment) -> Moment:
    """The same moment as one of the day after."""
    year, month, day = moment.year, moment.month, moment.day + 1
    if day > days_in(year, month):
        year, month, day = (year, month + 1, 1) if month < 12 else (year + 1, 1, 1)
    return Moment(year, month, day, EXACT.subtract(moment.second, Decimal(DAY)), moment.zone)


# ------------------------------------------------------------- reading


def _expression(part: Part) -> str:
    if isinstance(part, str):
        return re.escape(part)
    if part.kind == "zone":
        minutes = {1: "(?:[0-9]{2})?", 3: ":[0-9]{2}", 5: ":[0-9]{2}"}.get(part.count, "[0-9]{2}")
        utc = "Z|" if part.symbol == "X" else ""
        return f"({utc}[+-][0-9]{{2}}{minutes})"
    if part.names:
        return f"({'|'.join(each for name in part.names for each in spellings(name))})"
    least, most = part.widths
    return f"([0-9]{{{least},{most}}})"


def _moment(texts: dict[Field, str]) -> Moment | None:
    """The moment that the texts of the fields say, if there is such a moment."""
    year = month = day = None
    hours = minutes = seconds = half = 0
    is_half = False
    fraction = Decimal(0)
    zone: int | None = None
    for field, text in texts.items():
        match field.kind:
            case "year":
                year = full_year(field, int(text))
            case "month":
                month = month_number(text) if field.names else int(text)
            case "day":
                day = int(text)
            case "hour":
                hours = int(text)
            case "hour of 12":
                hours, is_half = int(text), True
            case "half of day":
                half = 12 if text.upper() == "PM" else 0
            case "minute":
                minutes = int(text)
            case "second":
                seconds = int(text)
            case "fraction":
                fraction = Decimal(f"0.{text}")
            case "zone":
                zone = _zone(text)
                if zone is None:
                    return None
            case "weekday":
                pass
    if is_half:
        if not 1 <= hours <= 12:
            return None
        hours = hours % 12 + half
    if not _is_day(year, month, day) or hours > 23 or minutes > 59 or seconds > 59:
        return None
    year = LEAP_YEAR if year is None else year
    month = 12 if month is None else month
    return Moment(
        year,
        month,
        days_in(year, month) if day is None else day,
        hours * HOUR + minutes * MINUTE + seconds + fraction,
        zone,
    )


def _is_day(year: int | None, month: int | None, day: int | None) -> bool:
    if year == 0 or (month is not None and not 1 <= month <= 12):
        return False
    if day is None:
        return True
    longest = days_in(LEAP_YEAR if year is None else year, month or 12)
    return 1 <= day <= longest


def _zone(text: str) -> int | None:
    """The minutes that local time is ahead of UTC; `None` if there is no such zone."""
    if text == "Z":
        return 0
    hours, minutes = int(text[1:3]), int(text[3:].lstrip(":") or "0")
    offset = hours * 60 + minutes
    if minutes > 59 or offset > 14 * 60:
        return None
    return -offset if text[0] == "-" else offset
