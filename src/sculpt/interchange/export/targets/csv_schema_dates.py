"""Dates and times in CSV Schema: `xDate(2000-01-01,9999-12-31)`, `ukDate`, `xDateTime`, `xTime`.

In: a type of dates or times, perhaps with a picture, and the bounds of its values. Out: the
expressions that a cell keeps; `None` if CSV Schema has none for it. A range has two ends there, so
an end that is missing is the first or the last date that can be written with four digits.

Invariant: texts with a year of four digits are valid for the expressions exactly if they are of the
type and within the bounds. Cost: linear in the bounds.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date, timedelta

from sculpt.core.datatypes.model import Base, Condition

_KINDS = {
    ("xs:date", None): "xDate",
    ("xs:dateTime", None): "xDateTime",
    ("xs:time", None): "xTime",
    ("xs:date", "dd/MM/yyyy"): "ukDate",
    ("Date", "dd/MM/yyyy"): "ukDate",
    ("xs:date", "yyyy-MM-dd"): "xDate",
    ("Date", "yyyy-MM-dd"): "xDate",
}
_DAY = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
_CLOCK = r"[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{3})?"
_ZONE = r"(?:Z|[+-][0-9]{2}:[0-9]{2})?"
_BOUNDS = {
    "xDate": re.compile(f"{_DAY}{_ZONE}"),
    "xDateTime": re.compile(f"{_DAY}T{_CLOCK}{_ZONE}"),
    "xTime": re.compile(f"{_CLOCK}{_ZONE}"),
    "ukDate": re.compile(_DAY),
}
_ENDS = {
    "xDate": ("0001-01-01", "9999-12-31"),
    "xDateTime": ("0001-01-01T00:00:00", "9999-12-31T23:59:59.999"),
    "xTime": ("00:00:00", "23:59:59.999"),
    "ukDate": ("0001-01-01", "9999-12-31"),
}


def dated(base: Base, bounds: Iterable[Condition]) -> tuple[str, ...] | None:
    """The expressions for the dates or times of a type within bounds."""
    kind = _KINDS.get((base.type, base.picture))
    if kind is None:
        return None
    # `xDate` has time zones and years before 1, of which a picture has neither.
    exact = ("length(10)",) if kind == "xDate" and base.picture is not None else ()
    given = list(bounds)
    if not given:
        return (kind, *exact)
    low, high = _ENDS[kind]
    for bound in given:
        text = _inclusive(bound, kind)
        if text is None:
            return None
        low = text if bound.relation in (">=", ">", "=") else low
        high = text if bound.relation in ("<=", "<", "=") else high
    return (f"{kind}({_written(kind, low)},{_written(kind, high)})", *exact)


def _inclusive(bound: Condition, kind: str) -> str | None:
    """A bound that is a valid value itself; `None` if there is none."""
    text = bound.bound
    if bound.measured != "value" or _BOUNDS[kind].fullmatch(text) is None:
        return None
    match bound.relation:
        case ">=" | "<=" | "=":
            return text
        case ">" | "<" if re.fullmatch(_DAY, text):
            step = timedelta(days=1 if bound.relation == ">" else -1)
            try:
                return (date.fromisoformat(text) + step).isoformat()
            except (OverflowError, ValueError):
                return None
    return None


def _written(kind: str, text: str) -> str:
    return "/".join(reversed(text.split("-"))) if kind == "ukDate" else text
