"""A picture of a date or a time, taken apart (UAX 35, Part 4, 8: date field symbols).

In: a `Base` whose type is one of dates or times. Out: its parts, in the order of the text: literal
texts and `Field`s. Each field occurs at most once, the fields that the type has are all there, and
a field whose number of digits varies is not followed by a digit: so a text has one reading.

A field of one letter takes a number with or without leading zeros; two letters, two digits. Years
have up to four digits, from 1 to 9999; two digits are those of 1969 to 2068. Names are English, in
upper case, lower case, or with a capital. Everything else is a `ConditionError` that names the
place. Cost: linear.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Literal as OneOf
from typing import TypeAlias

from sculpt.core.datatypes.model import Base
from sculpt.core.datatypes.pictures.scanning import Mark, bad_picture, marks
from sculpt.values import frozen

Kind: TypeAlias = OneOf[
    "year", "month", "day", "weekday", "hour", "hour of 12", "half of day", "minute", "second",
    "fraction", "zone",
]  # fmt: skip
MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
)  # fmt: skip
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
CENTURY = 69
"""Years of two digits from here on are in the 20th century, as in POSIX."""

_KINDS: dict[str, tuple[Kind, int]] = {
    "y": ("year", 4),
    "M": ("month", 4),
    "d": ("day", 2),
    "E": ("weekday", 4),
    "H": ("hour", 2),
    "h": ("hour of 12", 2),
    "a": ("half of day", 3),
    "m": ("minute", 2),
    "s": ("second", 2),
    "S": ("fraction", 9),
    "X": ("zone", 5),
    "x": ("zone", 5),
}
"""By symbol: what it stands for, and how often it may be repeated."""
_LETTERS: dict[Kind, str] = {kind: letter for letter, (kind, _) in reversed(_KINDS.items())}
_INSTEAD = {
    "Y": "`y`", "u": "`y`", "L": "`M`", "D": "`d`", "e": "`E`", "c": "`E`", "k": "`H`", "K": "`h`",
    "Z": "`XX` or `XXX`", "z": "`XX` or `XXX`", "O": "`XX` or `XXX`", "b": "`a`", "B": "`a`",
}  # fmt: skip
"""What may have been meant."""

_NAMES: dict[Kind, str] = {
    "hour": "an hour",
    "hour of 12": "an hour from 1 to 12",
    "half of day": "AM or PM",
    "fraction": "a fraction of a second",
    "zone": "a time zone",
}
"""How messages name a field, if not as `a month`."""

DATE: tuple[Kind, ...] = ("year", "month", "day")
FIELDS: dict[str, tuple[Kind, ...]] = {
    "Date": DATE,
    "xs:date": DATE,
    "xs:dateTime": (*DATE, "hour"),
    "xs:dateTimeStamp": (*DATE, "hour", "zone"),
    "xs:time": ("hour",),
    "xs:gYear": ("year",),
    "xs:gYearMonth": ("year", "month"),
    "xs:gMonth": ("month",),
    "xs:gMonthDay": ("month", "day"),
    "xs:gDay": ("day",),
}
"""By type: the fields that its pictures must have."""
_OF_TIMES: frozenset[Kind] = frozenset(
    {"hour", "hour of 12", "half of day", "minute", "second", "fraction"}
)
_NEEDS: dict[Kind, Kind] = {
    "hour of 12": "half of day",
    "half of day": "hour of 12",
    "second": "minute",
    "fraction": "second",
}
"""A field without which another says nothing."""


@frozen
class Field:
    """A part of a date or a time."""

    kind: Kind
    symbol: str
    count: int
    at: int
    """Its place in the picture."""

    @property
    def written(self) -> str:
        """The symbols, as they are written."""
        return self.symbol * self.count

    @property
    def names(self) -> tuple[str, ...]:
        """The names that stand for the values; none if they are written in digits."""
        if self.kind == "half of day":
            return ("AM", "PM")
        if self.kind == "weekday":
            return WEEKDAYS if self.count == 4 else tuple(name[:3] for name in WEEKDAYS)
        if self.kind == "month" and self.count > 2:
            return MONTHS if self.count == 4 else tuple(name[:3] for name in MONTHS)
        return ()

    @property
    def widths(self) -> tuple[int, int]:
        """The smallest and the largest number of digits; for fields that are written in digits."""
        if self.kind == "fraction":
            return self.count, self.count
        most = 4 if self.kind == "year" and self.count != 2 else 2
        return self.count, most


Part: TypeAlias = "Field | str"
"""A field, or the text between two fields."""


def spellings(name: str) -> tuple[str, ...]:
    """How a name may be written."""
    return tuple(dict.fromkeys((name, name.upper(), name.lower())))


def month_number(name: str) -> int:
    """The month that a name means, from 1; the name may be short."""
    return [month[:3].lower() for month in MONTHS].index(name[:3].lower()) + 1


def full_year(field: Field, number: int) -> int:
    """The year that the digits of a field mean."""
    if field.count != 2:
        return number
    return number + (1900 if number >= CENTURY else 2000)


def date_parts(base: Base) -> tuple[Part, ...]:
    """Take the picture of a base apart; raises `ConditionError`."""
    picture = base.picture or ""
    parts = _parts(marks(picture))
    fields = [part for part in parts if isinstance(part, Field)]
    _check_fields(base, picture, fields)
    for part, after in pairwise(parts):
        if isinstance(part, Field) and _varies(part) and _begins_with_digit(after):
            raise bad_picture(
                f"`{part.written}` has no fixed number of digits, and a digit can follow it",
                part.at,
                part.at + part.count,
                "write digits that follow one another with a fixed width: `yyyyMMdd`",
            )
    return tuple(parts)


def _parts(found: list[Mark]) -> list[Part]:
    parts: list[Part] = []
    ix = 0
    while ix < len(found):
        mark = found[ix]
        if mark.is_text or not (mark.char.isascii() and mark.char.isalpha()):
            if parts and isinstance(parts[-1], str):
                parts[-1] += mark.char
            else:
                parts.append(mark.char)
            ix += 1
            continue
        start = ix
        while ix < len(found) and found[ix].char == mark.char and not found[ix].is_text:
            ix += 1
        parts.append(_field(mark.char, mark.at, ix - start))
    return parts


def _field(symbol: str, at: int, count: int) -> Field:
    if symbol not in _KINDS:
        meant = f"use {_INSTEAD[symbol]}; " if symbol in _INSTEAD else ""
        raise bad_picture(
            f"`{symbol}` is no symbol of a date or a time; they are {' '.join(_KINDS)}",
            at,
            at + count,
            f"{meant}as text it stands in quotes: `'{symbol}'`",
        )
    kind, most = _KINDS[symbol]
    if count > most:
        raise bad_picture(
            f"`{symbol}` is repeated {count} times, which is no way to write {_named(kind)}",
            at,
            at + count,
            f"`{symbol * most}` is the longest form",
        )
    return Field(kind, symbol, count, at)


def _named(kind: Kind) -> str:
    return _NAMES.get(kind, f"a {kind}")


def _check_fields(base: Base, picture: str, fields: list[Field]) -> None:
    seen: set[Kind] = set()
    for field in fields:
        kind: Kind = "hour" if field.kind == "hour of 12" else field.kind
        if kind in seen:
            raise bad_picture(
                f"a second field for {_named(kind)}", field.at, field.at + field.count
            )
        seen.add(kind)
    needed = FIELDS[base.type]
    has_hours = "hour" in needed
    for field in fields:
        kind = field.kind
        in_vain = kind in DATE and kind not in needed
        in_vain |= kind in _OF_TIMES and not has_hours
        in_vain |= kind == "weekday" and needed[:3] != DATE
        if in_vain:
            raise bad_picture(
                f"`{base.type}` has no {kind}, so its picture cannot have `{field.written}`",
                field.at,
                field.at + field.count,
                _better_type({each.kind for each in fields}),
            )
    for kind in needed:
        if kind not in seen:
            raise bad_picture(
                f"a picture of `{base.type}` needs {_named(kind)}: `{_LETTERS[kind]}`",
                0,
                len(picture),
                _hint_for_missing(picture, fields),
            )
    present = {field.kind for field in fields}
    for field in fields:
        need = _NEEDS.get(field.kind)
        if need is not None and need not in present:
            raise bad_picture(
                f"`{field.written}` needs {_named(need)}: `{_LETTERS[need]}`",
                field.at,
                field.at + field.count,
            )


def _hint_for_missing(picture: str, fields: list[Field]) -> str | None:
    if not fields and ("0" in picture or "#" in picture):
        return f'for numbers, write `Number("{picture}")`'
    return _better_type({field.kind for field in fields})


def _better_type(present: set[Kind]) -> str | None:
    """The type that has just these fields, as a hint."""
    kinds = {"hour" if kind == "hour of 12" else kind for kind in present}
    main = kinds & {*DATE, "hour"}
    for name, needed in FIELDS.items():
        if main == set(needed):
            return f"the type with these fields is `{name}`"
    return None


def _varies(field: Field) -> bool:
    """Does the number of digits at the end of the field vary?"""
    if field.kind == "zone":
        return field.count == 1
    if field.names:
        return False
    least, most = field.widths
    return least < most


def _begins_with_digit(part: Part) -> bool:
    if isinstance(part, str):
        return part[0] in "0123456789"
    return not part.names and part.kind != "zone"
