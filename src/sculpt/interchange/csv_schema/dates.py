"""Dates and times as CSV Schema writes them: bounds in a schema, and expressions for cells.

In: a kind (`xDateTime`, `xDateTimeTz`, `xDate`, `xTime`, `ukDate`) and a text. Out: is it one, and
in what order are two? The forms are those of the grammar: seconds have no decimals or three.

Invariant: `FORMS` matches every text that the grammar allows, and some dates that do not exist,
such as 29 February of most years; the type behind it (`TYPES`) decides about those.
"""

from __future__ import annotations

import calendar
import re

_DATE = "-?[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])"
_TIME = r"([01][0-9]|2[0-4]):[0-5][0-9]:[0-5][0-9](\.[0-9]{3})?"
_ZONE = r"([+-]([01][0-9]|2[0-4]):[0-5][0-9]|Z)"

FORMS = {
    "xDateTime": f"{_DATE}T{_TIME}{_ZONE}?",
    "xDateTimeTz": f"{_DATE}T{_TIME}{_ZONE}",
    "xDate": f"{_DATE}{_ZONE}?",
    "xTime": f"{_TIME}{_ZONE}?",
    "ukDate": "(0[1-9]|[12][0-9]|3[01])/(0[1-9]|1[0-2])/[0-9]{4}",
}
"""Expressions for the texts of each kind, in the syntax of Sculpt's tokens."""
TYPES = {
    "xDateTime": "xs:dateTime",
    "xDateTimeTz": "xs:dateTime",
    "xDate": "xs:date",
    "xTime": "xs:time",
    "ukDate": 'Date("dd/MM/yyyy")',
}
EXAMPLES = {
    "xDateTime": "`2012-01-31T12:00:00`",
    "xDateTimeTz": "`2012-01-31T12:00:00Z`",
    "xDate": "`2012-01-31`",
    "xTime": "`12:00:00`",
    "ukDate": "`31/01/2012`",
}
_MONTHS_PART = re.compile(r"-?([0-9]{4})-([0-9]{2})-([0-9]{2})")
_ZONE_PART = re.compile(r"(?:Z|([+-])([0-9]{2}):([0-9]{2}))$")


def problem(kind: str, text: str) -> str | None:
    """Why a text is no date or time of a kind; `None` if it is one."""
    written = _padded(text) if kind == "ukDate" else text
    if re.fullmatch(FORMS[kind], written) is None:
        return "is no date or time of this kind"
    if kind == "xTime":
        return None
    year, month, day = _day(kind, written)
    if day > calendar.monthrange(year or 4, month)[1]:
        return "does not exist: the month has fewer days"
    return None


def bound(kind: str, text: str) -> str:
    """A bound as it is written in a comparison, in the form of XML Schema."""
    if kind != "ukDate":
        return text
    day, month, year = _padded(text).split("/")
    return f"{year}-{month}-{day}"


def is_ordered(kind: str, low: str, high: str) -> bool:
    """Is a bound not after another? Times without a zone count as UTC."""
    return instant(kind, low) <= instant(kind, high)


def instant(kind: str, text: str) -> tuple[int, float]:
    """A date or time as days and seconds in UTC."""
    written = _padded(text) if kind == "ukDate" else text
    days, seconds = 0, 0.0
    if kind != "xTime":
        year, month, day = _day(kind, written)
        before = (year - 1) * 365 + (year - 1) // 4 - (year - 1) // 100 + (year - 1) // 400
        lengths = [calendar.monthrange(year or 4, each)[1] for each in range(1, month)]
        days = before + sum(lengths) + day
    clock = re.search(r"([0-9]{2}):([0-9]{2}):([0-9]{2}(?:\.[0-9]+)?)", written)
    if clock is not None:
        seconds = int(clock[1]) * 3600 + int(clock[2]) * 60 + float(clock[3])
    zone = _ZONE_PART.search(written) if kind != "ukDate" else None
    if zone is not None and zone[1] is not None and (clock is not None or kind == "xDate"):
        shift = int(zone[2]) * 3600 + int(zone[3]) * 60
        seconds += -shift if zone[1] == "+" else shift
    total = days * 86400 + seconds
    return int(total // 86400), total % 86400


def _day(kind: str, text: str) -> tuple[int, int, int]:
    if kind == "ukDate":
        day, month, year = text.split("/")
        return int(year), int(month), int(day)
    match = _MONTHS_PART.match(text)
    assert match is not None, text
    sign = -1 if text.startswith("-") else 1
    return sign * int(match[1]), int(match[2]), int(match[3])


def _padded(text: str) -> str:
    """A date in the British form with two digits for the day and the month."""
    return "/".join(each.zfill(2) for each in text.split("/"))
