"""Pictures of dates and times as formats of `strptime`, and values written in them.

In: a picture of UAX 35, as Sculpt has it. Out: the format that Frictionless takes; `None` where
there is none. A field of `strptime` takes one digit or two, so `d` and `dd` have the same format.
Invariant: every text of the picture is one of the format. Cost: linear in the picture.
"""

from __future__ import annotations

import re
from datetime import date, datetime, time

_FIELDS = {
    "yyyy": "%Y",
    "yy": "%y",
    "y": "%Y",
    "M": "%m",
    "MM": "%m",
    "MMM": "%b",
    "MMMM": "%B",
    "d": "%d",
    "dd": "%d",
    "E": "%a",
    "EE": "%a",
    "EEE": "%a",
    "EEEE": "%A",
    "H": "%H",
    "HH": "%H",
    "h": "%I",
    "hh": "%I",
    "a": "%p",
    "m": "%M",
    "mm": "%M",
    "s": "%S",
    "ss": "%S",
    "S": "%f",
    "SSS": "%f",
    "SSSSSS": "%f",
    "XXX": "%z",
    "XX": "%z",
}
_PART = re.compile(r"'((?:[^']|'')*)'|([A-Za-z])\2*|.", re.DOTALL)


def format_of(picture: str) -> str | None:
    """The format of a picture; `None` if a field of it has none."""
    parts = []
    for part in _PART.finditer(picture):
        if part[1] is not None:
            parts.append((part[1].replace("''", "'") or "'").replace("%", "%%"))
        elif part[2] is None:
            parts.append("%%" if part[0] == "%" else part[0])
        elif part[0] in _FIELDS:
            parts.append(_FIELDS[part[0]])
        else:
            return None
    return "".join(parts)


def value_in(form: str, bound: str) -> str | None:
    """A date or time of XML Schema in a format; `None` if Python has no such value."""
    for kind in (date, datetime, time):
        try:
            return kind.fromisoformat(bound).strftime(form)
        except ValueError:
            continue
    return None
