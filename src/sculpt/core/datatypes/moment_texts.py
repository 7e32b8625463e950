"""Texts of dates and times to moments.

In: a text that the token of its type matches, and the form of the type. Out: a `Moment`.
The friendly `Date` has forms with the day first, and years of two digits, which are 1969 to 2068.
Invariant: what is not a date has been refused before. Cost: one match of a regular expression.
"""

from __future__ import annotations

import re
from decimal import Decimal

from sculpt.core.datatypes.durations import whole_number
from sculpt.core.datatypes.families import MomentForm
from sculpt.core.datatypes.moments import DAY, EXACT, HOUR, MINUTE, Moment, days_in

CENTURY = 69
"""Years of two digits from here on are in the 20th century, as in POSIX."""
MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")

_YEAR = r"(?P<year>-?[0-9]{4,})"
_MONTH, _DAY = "(?P<month>[0-9]{2})", "(?P<day>[0-9]{2})"
_TIME = r"(?P<hour>[0-9]{2}):(?P<minute>[0-9]{2}):(?P<second>[0-9.]+)"
_ZONE = r"(?P<zone>Z|[+-][0-9]{2}:[0-9]{2})?"
_TEXTS: dict[MomentForm, str] = {
    "dateTime": f"{_YEAR}-{_MONTH}-{_DAY}T{_TIME}",
    "date": f"{_YEAR}-{_MONTH}-{_DAY}",
    "time": _TIME,
    "gYearMonth": f"{_YEAR}-{_MONTH}",
    "gYear": _YEAR,
    "gMonthDay": f"--{_MONTH}-{_DAY}",
    "gDay": f"---{_DAY}",
    "gMonth": f"--{_MONTH}",
}
_FORMS = {form: re.compile(text + _ZONE) for form, text in _TEXTS.items()}
_DAY_FIRST = re.compile(
    "(?P<day>[0-9]{1,2})[/-](?P<month>[0-9]{1,2}|[A-Za-z]{3})[/-](?P<year>[0-9]{4}|[0-9]{2})"
)


def read_moment(form: MomentForm, text: str) -> Moment:
    """The value of a text of a type of this form."""
    fields = _FORMS[form].fullmatch(text)
    if fields is None:
        return _read_day_first(text)
    given = fields.groupdict()
    year = whole_number(given.get("year") or "1972")
    month = int(given.get("month") or 12)
    day = int(given["day"]) if "day" in given else days_in(year, month)
    second = Decimal(0)
    if "hour" in given:
        whole = int(given["hour"]) * HOUR + int(given["minute"]) * MINUTE
        second = EXACT.add(Decimal(whole), Decimal(given["second"]))
        if form == "time" and second == DAY:
            second = Decimal(0)  # the end of a day that is not given is the start of one
    return Moment(year, month, day, second, _zone(given["zone"]))


def parted(form: MomentForm, text: str) -> re.Match[str] | None:
    """The fields of a text that looks like one of this form, whether there is such a day or not.

    The groups are `year`, `month` and `day`, as far as the form has them.
    """
    found = _FORMS[form].fullmatch(text)
    return _DAY_FIRST.fullmatch(text) if found is None and form == "date" else found


def full_year(text: str) -> int:
    """A year; two digits are those of 1969 to 2068."""
    year = int(text)
    return year if len(text) != 2 else year + (1900 if year >= CENTURY else 2000)


def _read_day_first(text: str) -> Moment:
    fields = _DAY_FIRST.fullmatch(text)
    assert fields is not None, text
    day, month, year = fields.groups()
    number = int(month) if month.isdigit() else MONTHS.index(month.lower()) + 1
    return Moment(full_year(year), number, int(day))


def _zone(text: str | None) -> int | None:
    if text is None:
        return None
    if text == "Z":
        return 0
    minutes = int(text[1:3]) * 60 + int(text[4:])
    return -minutes if text[0] == "-" else minutes
