"""Numbers of CSVW: which texts a number format has, and what they are worth.

In: a numeric datatype, perhaps with a pattern and characters for decimals and groups. Out: a
function from a text to its exact value, or `None` if the text is not in the format ("Model for
Tabular Data and Metadata on the Web", 6.4.2).

A pattern shows digits (`0` must be there, `#` may), groups, decimals, an exponent and signs. The
characters of the pattern are those of the data: with `"decimalChar": ","` the pattern is `0,00`. A
sign may stand in front of the number or of its digits, unless the pattern has one of its own.
Without a pattern, but with characters, any grouping will do. Without both, the text is one of XML
Schema.

Invariant: a value is exact; `%` and `‰` only move its decimal point. Cost: one match of a regular
expression for each text.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal

from sculpt.core.datatypes.families import Family, family_of
from sculpt.core.datatypes.model import Base
from sculpt.core.datatypes.reading import FAR, MAX_EXPONENT_DIGITS
from sculpt.core.datatypes.reading import value as xsd_value
from sculpt.interchange.csvw.model import Datatype
from sculpt.values import frozen

ReadNumber = Callable[[str], "Decimal | float | None"]

_SPECIAL = {"NaN": float("nan"), "INF": float("inf"), "-INF": float("-inf")}
_SHIFTS = {"%": 2, "‰": 3}
_SIGNS = "+-"
MAX_PATTERN = 200
"""Characters of a pattern: more than that is not a number that somebody writes."""


def number_reader(datatype: Datatype) -> ReadNumber:
    """What reads the texts of a numeric datatype."""
    family = family_of(f"xs:{datatype.base}")
    if datatype.format is not None:
        pattern = number_pattern(datatype)
        if pattern is not None:
            return _Formatted(pattern, family).read
    if datatype.decimal_char is not None or datatype.group_char is not None:
        return _Formatted(_any_number(datatype), family).read
    return _Plain(Base(family.name)).read


@frozen
class NumberPattern:
    """The texts of a format, with named groups, and how many digits they have at least."""

    expression: re.Pattern[str]
    min_whole: int
    group: str
    decimal: str


def number_pattern(datatype: Datatype) -> NumberPattern | None:
    """The pattern of a datatype; `None` if it is not one that CSVW has."""
    text = datatype.format or ""
    if len(text) > MAX_PATTERN:
        return None
    decimal, group = datatype.decimal_char or ".", datatype.group_char or ","
    d, g = re.escape(decimal), re.escape(group)
    found = re.fullmatch(
        rf"(?P<before>[-+%‰]*)(?P<whole>(?:[0#]|{g})*)(?:{d}(?P<after>(?:[0#]|{g})*))?"
        rf"(?:E(?P<sign>\+?)(?P<power>0+))?(?P<behind>[-+%‰]*)",
        text,
    )
    if found is None or not re.search("[0#]", text):
        return None
    whole, after = found["whole"].split(group), found["after"]
    if "" in whole[1:] or not _zeros_last("".join(whole)):
        return None
    digits = _whole_digits(whole, g)
    fraction = _fraction_digits(after, group, d) if after is not None else ""
    if fraction is None:
        return None
    power = ""
    if found["power"] is not None:
        sign = "[+-]" if found["sign"] else "[+-]?"
        power = rf"[eE](?P<power>{sign}[0-9]{{{len(found['power'])},}})"
    has_sign = any(each in found["before"] + found["behind"] for each in _SIGNS)
    free = "" if has_sign else "[+-]?"
    expression = (
        rf"(?P<sign>{free}{_around(found['before'])}{free})"
        rf"(?P<whole>{digits}){fraction}{power}(?P<behind>{_around(found['behind'])})"
    )
    return NumberPattern(re.compile(expression), "".join(whole).count("0"), group, decimal)


def _zeros_last(digits: str) -> bool:
    """Do the digits that must be there stand next to the decimal character?"""
    return "0#" not in digits


def _around(signs: str) -> str:
    """What stands before or after the digits, as an expression."""
    return "".join("[+-]" if each == "+" else re.escape(each) for each in signs)


def _whole_digits(groups: list[str], g: str) -> str:
    """The digits before the decimal character, in groups if the pattern has them."""
    if len(groups) == 1:
        return r"[0-9]*"
    last = len(groups[-1])
    other = len(groups[-2]) if len(groups) > 2 else last
    return (
        rf"[0-9]{{0,{last}}}|[0-9]{{1,{other}}}(?:{g}[0-9]{{{other}}})*{g}[0-9]{{{last}}}"
    )


def _fraction_digits(after: str, group: str, d: str) -> str | None:
    """The digits after the decimal character; `None` if optional ones come before others."""
    digits = after.replace(group, "")
    if "#0" in digits or "" in after.split(group)[:-1]:
        return None
    if not digits:
        return ""
    expression, place = "", len(after)
    while place:
        place -= 1
        if after[place : place + 1] not in "0#":
            continue
        lead = re.escape(group) if after[:place].endswith(group) else ""
        inner = f"{lead}[0-9]{expression}"
        expression = inner if after[place] == "0" else f"(?:{inner})?"
    needed = f"{d}(?P<after>{expression})"
    return needed if digits[0] == "0" else f"(?:{d}(?P<after>{expression[3:-2]}))?"


def _any_number(datatype: Datatype) -> NumberPattern:
    """Numbers with these characters, grouped in any way."""
    decimal, group = datatype.decimal_char or ".", datatype.group_char
    d, g = re.escape(decimal), f"(?:{re.escape(group)})?" if group else ""
    expression = (
        rf"(?P<sign>[+-]?)(?P<whole>[0-9](?:{g}[0-9])*)(?:{d}(?P<after>[0-9]+))?"
        r"(?:[eE](?P<power>[+-]?[0-9]+))?(?P<behind>[%‰]?)"
    )
    return NumberPattern(re.compile(expression), 1, group or "", decimal)


@frozen
class _Formatted:
    """Reads texts of a pattern."""

    pattern: NumberPattern
    family: Family

    def read(self, text: str) -> Decimal | float | None:
        """The value of a text."""
        family, group = self.family, self.pattern.group
        is_exact = family.kind == "number"
        if text in _SPECIAL and not is_exact:
            return _SPECIAL[text]
        found = self.pattern.expression.fullmatch(text)
        if found is None:
            return None
        fields = found.groupdict()
        whole, after = fields["whole"], fields.get("after") or ""
        if group:
            whole, after = whole.replace(group, ""), after.replace(group, "")
        if len(whole) < self.pattern.min_whole or not whole + after:
            return None
        sign, power = fields["sign"], fields.get("power")
        if is_exact and power or family.whole and fields.get("after") is not None:
            return None
        if sum(map(sign.count, _SIGNS)) > 1:
            return None
        around = sign + fields["behind"]
        shift = sum(_SHIFTS.get(each, 0) for each in around)
        exponent = _bounded(power or "0") - shift
        minus = "-" if "-" in around else ""
        number = Decimal(f"{minus}{whole}{after}E{exponent - len(after)}")
        return _within(family, number) if is_exact else float(number)


def _bounded(power: str) -> int:
    """An exponent; one of many digits is beyond all numbers anyway."""
    digits = power.lstrip("+-").lstrip("0")
    size = int(digits or "0") if len(digits) <= MAX_EXPONENT_DIGITS else FAR
    return -size if power.startswith("-") else size


def _within(family: Family, number: Decimal) -> Decimal | None:
    if family.whole and number != number.to_integral_value():
        return None
    if family.low is not None and number < family.low:
        return None
    return None if family.high is not None and number > family.high else number


@frozen
class _Plain:
    """Reads texts of XML Schema."""

    base: Base

    def read(self, text: str) -> Decimal | float | None:
        """The value of a text."""
        found = xsd_value(self.base, text)
        assert found is None or isinstance(found, Decimal | float)
        return found
