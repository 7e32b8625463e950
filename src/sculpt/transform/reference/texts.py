"""Typed values and their texts, one at a time.

In: a text and a type, or a value. Out: the value, or its canonical text
(`docs/language.md#types`).

Invariant: a number of single precision has the fewest digits that distinguish it from its
neighbours of single precision. Cost: linear in the text.
"""

from __future__ import annotations

import base64
import datetime as dt
import math
from decimal import Decimal
from typing import TypeAlias, TypeVar, assert_never

from sculpt.core.programs.typed_values import Value, ValueType, parse_value

T = TypeVar("T")
Datum: TypeAlias = Value | list[str] | None


def typed(text: str, to: ValueType) -> Value:
    """What a text means in a type."""
    return single(parse_value(text, to), to)


def single(value: T, to: ValueType) -> T | _Single:
    """A value, which knows that it is of single precision if it is."""
    return _Single(value) if isinstance(value, float) and to.kind == "float" else value


def text_of(value: Datum) -> str:
    """The canonical text of a value; that of a missing value is empty."""
    match value:
        case None:
            return ""
        case str():
            return value
        case bool():
            return "true" if value else "false"
        case Decimal():
            return _without_zeros(format(value, "f")) if value else "0"
        case int():
            return str(value)
        case float():
            return _float_text(value)
        case dt.datetime():
            bare = _without_zeros(value.replace(tzinfo=None).isoformat())
            return bare + ("" if value.tzinfo is None else "Z")
        case dt.time():
            return _without_zeros(value.isoformat())
        case dt.date():
            return value.isoformat()
        case bytes():
            return base64.b64encode(value).decode()
        case list():
            return ";".join(value)
        case _:
            assert_never(value)


class _Single(float):
    """A number of single precision: fewer digits distinguish it from its neighbours."""

    def __repr__(self) -> str:
        import numpy as np

        return str(np.float32(self))


def _float_text(value: float) -> str:
    """The shortest text: with an exponent below 1e-5 and from 1e15 on."""
    if not math.isfinite(value):
        return repr(float(value)).replace("inf", "INF").replace("nan", "NaN")
    sign, digits, _ = Decimal(repr(value)).as_tuple()
    exponent = Decimal(repr(value)).adjusted() if value else 0
    lead = "-" if sign else ""
    if -5 <= exponent < 15:
        return lead + _without_zeros(format(abs(Decimal(repr(value))), "f"))
    shown = "".join(map(str, digits)).rstrip("0")
    fraction = f".{shown[1:]}" if len(shown) > 1 else ""
    return f"{lead}{shown[0]}{fraction}e{exponent:+d}"


def _without_zeros(text: str) -> str:
    """A text without zeros at the end of its decimals."""
    return text.rstrip("0").rstrip(".") if "." in text else text
