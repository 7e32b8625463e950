"""Typed values: what a text means in a built-in type (XSD 1.1 Part 2).

In: a text and the name of a type. Out: a Python value, or a `ValueError` with a readable reason.
A cast is exact or an error: nothing is rounded, truncated or guessed. Types without a matching
Python type (durations, `gYear`, names, …) stay texts, but are still checked against the type.

Invariant: a text is a value of a type if and only if the token of the same name matches it and the
value fits into a column: 64 bits for integers, 38 digits for decimals, years 1 to 9999 for dates.
Cost: one regular expression match for each text.
"""

from __future__ import annotations

import base64
import binascii
import datetime as dt
import math
import re
import struct
from decimal import Decimal
from functools import cache
from typing import Literal as OneOf
from typing import TypeAlias

from sculpt.core.builtins import ASKED, FRIENDLY, XSD
from sculpt.core.datatypes.model import Base, Condition
from sculpt.values import frozen

Kind: TypeAlias = OneOf[
    "string", "iri", "list", "decimal", "integer", "double", "float", "boolean", "date",
    "dateTime", "dateTimeStamp", "time", "binary",
]  # fmt: skip
Value: TypeAlias = str | Decimal | int | float | bool | dt.date | dt.datetime | dt.time | bytes

PRECISION, SCALE = 38, 18
"""The digits of a decimal that does not name its own; Spark supports them too."""
_INTEGERS = {
    "byte": 8, "short": 16, "int": 32, "long": 64, "integer": 64, "nonNegativeInteger": 64,
    "nonPositiveInteger": 64, "positiveInteger": 64, "negativeInteger": 64,
    "unsignedByte": 16, "unsignedShort": 32, "unsignedInt": 64, "unsignedLong": 64,
}  # fmt: skip
"""The bits of a column that holds the type; all are signed, as Spark has no unsigned types."""
_KINDS: dict[str, Kind] = {
    "decimal": "decimal", "double": "double", "float": "float", "boolean": "boolean",
    "date": "date", "dateTime": "dateTime", "dateTimeStamp": "dateTimeStamp", "time": "time",
    "hexBinary": "binary", "base64Binary": "binary", "anyURI": "iri",
}  # fmt: skip
_FRIENDLY: dict[str, Kind] = {
    "Number": "double", "Integer": "integer", "Boolean": "boolean", "Date": "date",
    "String": "string", "Text": "string", "Uuid": "string", "Email": "string", "Uri": "iri",
    "Json": "string", "JsonObject": "string", "JsonArray": "string",
}  # fmt: skip
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
CENTURY = 69
"""Years of two digits from here on are in the 20th century, as in POSIX."""


@frozen
class ValueType:
    """A type of a field."""

    name: str
    kind: Kind
    bits: int = 0
    precision: int = 0
    scale: int = 0
    language: str = ""
    """Of texts that are literals with a language in RDF: its tag."""
    datatype: str = ""
    """Of texts that are literals with a type in RDF: its IRI, or a prefixed name."""
    has_iris: bool = False
    """Of a list: are its items IRIs?"""


TEXT = ValueType("xs:string", "string")
IRI = ValueType("xs:anyURI", "iri")
LIST = ValueType("list", "list")
INTEGER = ValueType("xs:integer", "integer", 64)
DECIMAL = ValueType("xs:decimal", "decimal", 0, PRECISION, SCALE)


def type_names() -> list[str]:
    """All types that a value can be cast to."""
    return [*(f"xs:{name}" for name in XSD), *_FRIENDLY]


def value_type(name: str, digits: tuple[int, ...] = ()) -> ValueType:
    """The type with a name; raises `ValueError`, with an empty message if there is no such type."""
    bare = name.removeprefix("xs:")
    if digits and name != "xs:decimal":
        raise ValueError("only `xs:decimal` takes a number of digits")
    if not (bare in XSD if name.startswith("xs:") else name in _FRIENDLY):
        raise ValueError("")
    if not name.startswith("xs:"):
        kind = _FRIENDLY[name]
        return ValueType(name, kind, 64 if kind == "integer" else 0)
    if bare in _INTEGERS:
        return ValueType(name, "integer", _INTEGERS[bare])
    kind = _KINDS.get(bare, "string")
    if kind != "decimal":
        return ValueType(name, kind)
    precision, scale = (*digits, 0)[:2] if digits else (PRECISION, SCALE)
    if len(digits) > 2 or not 1 <= precision <= PRECISION or not 0 <= scale <= precision:
        raise ValueError(f"digits are `(total, decimals)`, with a total of 1 to {PRECISION}")
    return ValueType(name, kind, 0, precision, scale)


@cache
def _pattern(name: str) -> re.Pattern[str]:
    text = XSD[name[3:]] if name.startswith("xs:") else FRIENDLY[name]
    return re.compile(text, re.DOTALL)


def parse_value(text: str, to: ValueType) -> Value:
    """What a text means in a type; raises `ValueError` with the reason."""
    if to == TEXT or to.name in ("String", "xs:anySimpleType"):
        return text
    collapsed = re.sub(r"[ \t\r\n]+", " ", text).strip(" ")
    if to.name in ASKED:
        from sculpt.core.datatypes.reading import holds  # few schemas have conditions

        if not holds(Condition(Base(to.name)), text):
            raise ValueError(f"is not a valid `{to.name}`")
        return text
    if not _pattern(to.name).fullmatch(collapsed):
        raise ValueError(f"is not a valid `{to.name}`")
    match to.kind:
        case "decimal":
            return _decimal(collapsed, to)
        case "integer":
            return _integer(collapsed, to)
        case "double" | "float":
            return _floating(collapsed, to)
        case "boolean":
            return collapsed.lower() in ("true", "1", "yes", "y")
        case "date":
            return _date(collapsed)
        case "dateTime" | "dateTimeStamp":
            return _date_time(collapsed, to.kind == "dateTimeStamp")
        case "time":
            return _time(collapsed)
        case "binary":
            return _binary(collapsed, to)
    return text if to.kind == "string" and not to.name.startswith("xs:") else collapsed


def _decimal(text: str, to: ValueType) -> Decimal:
    value = Decimal(text)
    sign, digits, exponent = value.as_tuple()
    assert isinstance(exponent, int)
    if not any(digits):
        return Decimal(0)
    while digits[-1] == 0 and exponent < 0:
        digits, exponent = digits[:-1], exponent + 1
    whole = len(digits) + exponent
    if -exponent > to.scale:
        raise ValueError(f"has more than {to.scale} decimals")
    if whole > to.precision - to.scale:
        raise ValueError(f"has more than {to.precision - to.scale} digits before the point")
    return Decimal((sign, digits, exponent))


def _floating(text: str, to: ValueType) -> float:
    value = float(text.replace("INF", "inf"))
    if to.kind == "float" and math.isfinite(value):
        try:
            (value,) = struct.unpack("f", struct.pack("f", value))
        except OverflowError:
            value = math.inf
    if math.isinf(value) and "INF" not in text:
        raise ValueError(f"is too large for `{to.name}`")
    return value


def _integer(text: str, to: ValueType) -> int:
    if len(text) > 2 * PRECISION:
        size = text.lstrip("+-").lstrip("0")[: 2 * PRECISION] or "0"
        text = text[:1].strip("0123456789") + size
    value = int(text)
    if not -(1 << to.bits - 1) <= value < 1 << to.bits - 1:
        raise ValueError(f"does not fit into {to.bits} bits; `xs:decimal({PRECISION},0)` is wider")
    return value


def _date(text: str) -> dt.date:
    if "/" in text or re.search(r"[A-Za-z]{3}", text):
        day, month, year = re.split(r"[/-]", text)
        number = int(month) if month.isdigit() else _MONTHS.index(month.lower()) + 1
        return dt.date(_full_year(year), number, int(day))
    bare = re.sub(r"(?:Z|[+-]\d\d:\d\d)$", "", text)
    if bare != text:
        raise ValueError("has a time zone, which a date of a record or a condition cannot have")
    return dt.date(*_year_month_day(bare))


def _full_year(text: str) -> int:
    year = int(text)
    return year if len(text) == 4 else year + (1900 if year >= CENTURY else 2000)


def _year_month_day(text: str) -> tuple[int, int, int]:
    year, month, day = text.rsplit("-", 2)
    if len(year) > 4 or int(year) == 0:
        raise ValueError("is outside the years 1 to 9999")
    return int(year), int(month), int(day)


def _clock(text: str) -> tuple[int, int, int, int]:
    hours, minutes, seconds = text.split(":")
    whole, _, fraction = seconds.partition(".")
    if len(fraction.rstrip("0")) > 6:
        raise ValueError("has more than 6 decimals in its seconds")
    return int(hours), int(minutes), int(whole), int(fraction[:6].ljust(6, "0") or 0)


def _date_time(text: str, has_zone: bool) -> dt.datetime:
    date, _, time = text.partition("T")
    zone = re.search(r"(?:Z|[+-]\d\d:\d\d)$", time)
    if zone and not has_zone:
        raise ValueError("has a time zone: cast it to `xs:dateTimeStamp`")
    hours, *rest = _clock(time[: zone.start()] if zone else time)
    found = dt.datetime(*_year_month_day(date))
    try:
        found += dt.timedelta(hours=hours, minutes=rest[0], seconds=rest[1], microseconds=rest[2])
        if zone and zone[0] != "Z":
            sign = -1 if zone[0][0] == "+" else 1
            found += sign * dt.timedelta(hours=int(zone[0][1:3]), minutes=int(zone[0][4:]))
    except OverflowError:
        raise ValueError("is outside the years 1 to 9999") from None
    return found.replace(tzinfo=dt.UTC) if has_zone else found


def _time(text: str) -> dt.time:
    if re.search(r"(?:Z|[+-]\d\d:\d\d)$", text):
        raise ValueError("has a time zone, which a time of a record or a condition cannot have")
    hours, minutes, seconds, micros = _clock(text)
    return dt.time(hours % 24, minutes, seconds, micros)


def _binary(text: str, to: ValueType) -> bytes:
    bare = text.replace(" ", "")
    try:
        return bytes.fromhex(bare) if to.name == "xs:hexBinary" else base64.b64decode(bare)
    except (ValueError, binascii.Error):
        raise ValueError(f"is not a valid `{to.name}`") from None
