"""Values as texts of XML Schema, whatever picture they were read by.

In: a base and a value that `reading.value` gives. Out: a text that the `xs:` type of the value has:
`£1,234.50` becomes `1234.50`, `31 Mar 2014` becomes `2014-03-31`.

Invariant: the text has the same value. Cost: linear in the text.
"""

from __future__ import annotations

import math
from decimal import Decimal

from sculpt.core.datatypes.families import MomentForm, family_of
from sculpt.core.datatypes.model import Base
from sculpt.core.datatypes.moments import HOUR, MINUTE, Moment


def canonical_text(base: Base, value: object) -> str:
    """A number, a moment or a truth value of a base as a text of XML Schema."""
    match value:
        case bool():
            return "true" if value else "false"
        case Decimal():
            return format(value, "f")
        case float():
            if math.isinf(value):
                raise ValueError(f"is too large for `{base.type}`")
            return repr(value)
        case Moment():
            form = family_of(base.type).form
            assert form is not None, base
            return moment_text(form, value)
        case _:
            raise AssertionError((base, value))


def moment_text(form: MomentForm, moment: Moment) -> str:
    """A moment as a text of a type of this form."""
    return _without_zone(form, moment) + _zone_text(moment.zone)


def _without_zone(form: MomentForm, moment: Moment) -> str:
    year = f"{'-' if moment.year < 0 else ''}{abs(moment.year):04d}"
    month, day = f"{moment.month:02d}", f"{moment.day:02d}"
    match form:
        case "dateTime":
            return f"{year}-{month}-{day}T{_clock(moment.second)}"
        case "date":
            return f"{year}-{month}-{day}"
        case "time":
            return _clock(moment.second)
        case "gYearMonth":
            return f"{year}-{month}"
        case "gYear":
            return year
        case "gMonthDay":
            return f"--{month}-{day}"
        case "gDay":
            return f"---{day}"
        case "gMonth":
            return f"--{month}"


def _clock(second: Decimal) -> str:
    whole = int(second)
    _, point, fraction = format(second, "f").partition(".")
    hours, rest = divmod(whole, HOUR)
    minutes, seconds = divmod(rest, MINUTE)
    return f"{hours:02d}:{minutes:02d}:{seconds:02d}{point}{fraction}"


def _zone_text(zone: int | None) -> str:
    if not zone:
        return "" if zone is None else "Z"
    hours, minutes = divmod(abs(zone), 60)
    return f"{'-' if zone < 0 else '+'}{hours:02d}:{minutes:02d}"
