"""Dates that do not exist: texts that are no dates only because the calendar lacks the day.

In: a base and a text. Out: the year, month and day that the text says, if the text has the form of
the base and there is no such day or month: 31 April, 29 February 2011, month 13.

Invariant: with the first of the month, or of January, the text would be one of the base; so the day
is all that is wrong with it. Texts with a year of more than 9 digits are not taken apart.
Cost: two matches of regular expressions.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from sculpt.core.datatypes import moment_texts, reading
from sculpt.core.datatypes.families import family_of
from sculpt.core.datatypes.model import Base, ConditionError
from sculpt.core.datatypes.moments import days_in
from sculpt.core.datatypes.pictures import date_parts
from sculpt.core.datatypes.pictures.date_texts import LEAP_YEAR
from sculpt.core.datatypes.pictures.dates import DatePicture
from sculpt.core.datatypes.pictures.picture import picture_of
from sculpt.values import frozen

_MAX_YEAR_DIGITS = 9


@frozen
class UnrealDate:
    """A day that is not in the calendar; what the text does not say is `None`."""

    year: int | None
    month: int | None
    day: int | None

    @property
    def words(self) -> str:
        """What the calendar lacks."""
        if self.month is not None and not 1 <= self.month <= 12:
            return f"there is no month {self.month}"
        if self.month is None or self.day is None or not 1 <= self.day <= 31:
            return f"there is no day {self.day}"
        missing = f"there is no {self.day} {date_parts.MONTHS[self.month - 1]}"
        is_leap_day = (self.month, self.day) == (2, 29)
        return f"{self.year} is no leap year: {missing}" if is_leap_day else missing


@frozen
class _Number:
    """A field of a text, and where it is written in digits; no place if it is a name."""

    value: int
    place: tuple[int, int] | None


def unreal_date(base: Base, text: str) -> UnrealDate | None:
    """The date that a text of the form of a base says, if the calendar lacks it."""
    try:
        fields = _fields(base, text)
    except ConditionError:  # its texts are those of no type that has dates
        return None
    year, month, day = (fields.get(kind) for kind in ("year", "month", "day"))
    found = UnrealDate(*(None if each is None else each.value for each in (year, month, day)))
    if _is_real(found):
        return None
    changed = text
    places = [each.place for each in (month, day) if each is not None and each.place is not None]
    for start, end in sorted(places, reverse=True):
        changed = f"{changed[:start]}{'1'.zfill(end - start)}{changed[end:]}"
    return None if reading.value(base, changed) is None else found


def _is_real(date: UnrealDate) -> bool:
    if date.month is not None and not 1 <= date.month <= 12:
        return False
    year = LEAP_YEAR if date.year is None else date.year
    return date.day is None or 1 <= date.day <= days_in(year, date.month or 12)


def _fields(base: Base, text: str) -> Mapping[str, _Number]:
    """The year, month and day of a text of this form; none if it is not of the form."""
    form = family_of(base.type).form
    if form is None:
        return {}
    if base.picture is None:
        return _typed_fields(moment_texts.parted(form, text))
    picture = picture_of(base)
    return _pictured_fields(picture, text) if isinstance(picture, DatePicture) else {}


def _typed_fields(match: re.Match[str] | None) -> Mapping[str, _Number]:
    given = {} if match is None else match.groupdict()
    if match is None or len(given.get("year") or "") > _MAX_YEAR_DIGITS:
        return {}
    found: dict[str, _Number] = {}
    if "year" in given:
        found["year"] = _Number(moment_texts.full_year(given["year"]), None)
    for kind in {"month", "day"} & given.keys():
        if given[kind].isdigit():
            found[kind] = _Number(int(given[kind]), match.span(kind))
        elif given[kind].lower() in moment_texts.MONTHS:
            found[kind] = _Number(moment_texts.MONTHS.index(given[kind].lower()) + 1, None)
        else:
            return {}
    return found


def _pictured_fields(picture: DatePicture, text: str) -> Mapping[str, _Number]:
    match = picture.expression.fullmatch(text)
    fields = [part for part in picture.parts if isinstance(part, date_parts.Field)]
    found: dict[str, _Number] = {}
    for group, field in enumerate(fields if match is not None else (), 1):
        assert match is not None
        if field.kind == "year":
            found["year"] = _Number(date_parts.full_year(field, int(match[group])), None)
        elif field.kind == "month" and field.names:
            found["month"] = _Number(date_parts.month_number(match[group]), None)
        elif field.kind in ("month", "day"):
            found[field.kind] = _Number(int(match[group]), match.span(group))
    return found
