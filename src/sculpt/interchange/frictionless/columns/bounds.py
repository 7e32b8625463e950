"""Values of constraints in the form of XML Schema, as comparisons take them.

In: a `minimum`, a `maximum` or a value of an `enum`, as JSON has it: a number or a text, written as
cells of the field are. Out: the bound, or `None` if it is not a value of the field's type.

Invariant: what is returned is a bound that the operands of the type take. Cost: constant.
"""

from __future__ import annotations

import re
from datetime import datetime
from decimal import Decimal, InvalidOperation

from sculpt.interchange.frictionless.columns.fields import Typed
from sculpt.interchange.frictionless.columns.strptime import bound
from sculpt.interchange.frictionless.model import Field

_YEAR = re.compile(r"-?[0-9]{4,}")
_YEAR_MONTH = re.compile(r"-?[0-9]{4,}-(?:0[1-9]|1[0-2])")
_DURATION = re.compile(
    r"-?P(?=.)(?:\d+Y)?(?:\d+M)?(?:\d+D)?(?:T(?=.)(?:\d+H)?(?:\d+M)?(?:\d+(?:\.\d+)?S)?)?"
)
_ISO = {"date": ("%Y-%m-%d",), "time": ("%H:%M:%S", "%H:%M:%S.%f"), "datetime": ()}
_MAX_DIGITS = 1000


def bound_of(field: Field, kind: Typed, value: object) -> str | None:
    """A value as a bound of the field's type; `None` if it is none."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    text = str(value)
    match field.type:
        case "integer":
            return _integer(field, text)
        case "number":
            return _number(field, value)
        case "year":
            text = text.zfill(4) if isinstance(value, int) else text
            return text if _YEAR.fullmatch(text) else None
        case "yearmonth":
            return text if _YEAR_MONTH.fullmatch(text) else None
        case "duration":
            return text if _DURATION.fullmatch(text) else None
        case "date" | "time" | "datetime":
            return _moment(field, kind, text)
    return None


def _integer(field: Field, text: str) -> str | None:
    group = field.options.get("groupChar", "")
    text = text.replace(group, "") if group else text
    if not re.fullmatch(r"[+-]?[0-9]{1,1000}|-?[0-9]{1,999}\.0+", text):
        return None
    return str(int(Decimal(text)))


def _number(field: Field, value: str | int | float) -> str | None:
    text = str(value)
    if isinstance(value, str):
        group = field.options.get("groupChar", "")
        text = text.replace(group, "") if group else text
        text = text.replace(field.options.get("decimalChar", "."), ".")
    try:
        number = Decimal(text)
    except InvalidOperation:
        return None
    if not number.is_finite() or abs(number.adjusted()) > _MAX_DIGITS - 50:
        return None
    return f"{number:f}"


def _moment(field: Field, kind: Typed, text: str) -> str | None:
    """A date or time, in the format of the field or in that of ISO 8601."""
    if kind.instant is None:
        return None
    forms = (*_ISO[field.type],) if field.format == "default" else (field.format,)
    for form in forms:
        try:
            return bound(kind.instant, datetime.strptime(text, form))
        except ValueError:
            continue
    try:
        if field.type == "datetime":
            return bound(kind.instant, datetime.fromisoformat(text))
        if field.type == "time":
            return bound(kind.instant, datetime.fromisoformat(f"2000-01-01T{text}"))
        return bound(kind.instant, datetime.fromisoformat(text))
    except ValueError:
        return None
