"""Formats of dates, as Joda-Time writes them, as types of Sculpt with a picture.

In: a format such as `yyyy-MM`. Out: a type such as `xs:gYearMonth("yyyy-MM")`, or the reason why
there is none. Both kinds of pictures have the symbols of Unicode, but few of Joda's more special
ones (weeks, eras, days of the year) have a counterpart.

Months and days of two digits may be written with one when Joda reads them, so `MM` becomes `M`
where the number ends before something that is no digit. Cost: linear.
"""

from __future__ import annotations

import re

from sculpt.core.datatypes.model import Base, ConditionError
from sculpt.core.datatypes.pictures.date_parts import date_parts
from sculpt.interchange.builder import literal
from sculpt.values import frozen

_RUN = re.compile(r"'(?:[^']|'')*'|([A-Za-z])\1*|.", re.DOTALL)
_KNOWN = {
    "y": "y", "Y": "y", "M": "M", "d": "d", "H": "H", "h": "h", "m": "m", "s": "s", "S": "S",
    "a": "a", "E": "E",
}  # fmt: skip
_NUMBERS = frozenset("yYMdHhmsS")
_NAMED = 3
"""At least this many letters of a month are its name."""
_TYPES = {
    frozenset("y"): "xs:gYear",
    frozenset("yM"): "xs:gYearMonth",
    frozenset("yMd"): "Date",
    frozenset("M"): "xs:gMonth",
    frozenset("d"): "xs:gDay",
    frozenset("Md"): "xs:gMonthDay",
}


@frozen
class Format:
    """A format: the fields that it has, and the type of Sculpt if there is one."""

    fields: frozenset[str]
    """Letters: `y`, `M`, `d`, `H` and so on; others than these as they are."""
    type: str | None
    reason: str = ""
    """Why there is no type."""


def read_format(text: str) -> Format:
    """What a format says."""
    runs = [(match[0], match[1]) for match in _RUN.finditer(text)]
    letters = [_KNOWN.get(letter, letter) for _, letter in runs if letter]
    fields = frozenset(letters)
    unknown = sorted(fields - set(_KNOWN.values()))
    if unknown:
        named = ", ".join(f"`{each}`" for each in unknown)
        what = f"the symbol {named} has" if len(unknown) == 1 else f"the symbols {named} have"
        return Format(fields, None, f"{what} no counterpart")
    if len(letters) != len(fields):
        return Format(fields, None, "a field is there twice")
    clock = fields & set("HhmsSa")
    day = fields - clock - {"E"}
    kind = _TYPES.get(day) if day or not clock else "xs:time"
    if kind == "Date" and clock:
        kind = "xs:dateTime"
    if kind is None or (clock and kind not in ("xs:time", "xs:dateTime")):
        return Format(fields, None, "no type has just these fields")
    picture = _picture(runs)
    try:
        date_parts(Base(kind, picture))
    except ConditionError as error:
        return Format(fields, None, error.message)
    return Format(fields, f"{kind}({literal(picture)})")


def _picture(runs: list[tuple[str, str | None]]) -> str:
    parts = []
    for ix, (text, letter) in enumerate(runs):
        around = [runs[at] for at in (ix - 1, ix + 1) if 0 <= at < len(runs)]
        is_alone = not any(map(_is_number, around))
        if letter is not None and letter in "Md" and len(text) == 2 and is_alone:
            parts.append(letter)
        elif letter is not None and letter in "yY":
            parts.append("yy" if len(text) == 2 else "yyyy")  # Joda reads two digits only for `yy`
        else:
            parts.append(text)
    return "".join(parts)


def _is_number(run: tuple[str, str | None]) -> bool:
    """Does a part of a format stand for digits?"""
    text, letter = run
    return (
        text.isdigit()
        if letter is None
        else letter in _NUMBERS and (letter != "M" or len(text) < _NAMED)
    )
