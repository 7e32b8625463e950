"""Numbers of CSVW: which texts a number format has, and what they are worth.

In: a numeric datatype, perhaps with a pattern and characters for decimals and groups. Out: a
function from a text to its exact value, or `None` if the text is not in the format ("Model for
Tabular Data and Metadata on the Web", 6.4.2). A pattern is one or several pictures
(`interchange/csvw/writing/formats.py`). Without a pattern, but with characters, any grouping will
do. Without both, the text is one of XML Schema.

Invariant: a value is exact; `%` and `‰` only move its decimal point. Cost: one match of a regular
expression for each picture.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal

from sculpt.core.datatypes.families import Family, family_of
from sculpt.core.datatypes.model import Base
from sculpt.core.datatypes.pictures.picture import picture_of
from sculpt.core.datatypes.reading import FAR, MAX_EXPONENT_DIGITS
from sculpt.core.datatypes.reading import value as xsd_value
from sculpt.interchange.csvw.model import Datatype
from sculpt.interchange.csvw.writing.formats import Picture, number_pictures
from sculpt.values import frozen

ReadNumber = Callable[[str], "Decimal | float | None"]

_SPECIAL = {"NaN": float("nan"), "INF": float("inf"), "-INF": float("-inf")}
_SHIFTS = {"": 0, "%": 2, "‰": 3}


def number_reader(datatype: Datatype) -> ReadNumber:
    """What reads the texts of a numeric datatype."""
    family = family_of(f"xs:{datatype.base}")
    decimal, group = datatype.decimal_char, datatype.group_char
    if datatype.format is not None:
        pictures = number_pictures(datatype.base, datatype.format, decimal, group)
        if pictures:
            return _Formatted(pictures, family).read
    if decimal is not None or group is not None:
        return _Grouped(_any_number(decimal or ".", group), group or "", family).read
    return _Plain(Base(family.name)).read


@frozen
class _Formatted:
    """Reads texts of a pattern."""

    pictures: tuple[Picture, ...]
    family: Family

    def read(self, text: str) -> Decimal | float | None:
        """The value of a text."""
        if text in _SPECIAL and self.family.kind != "number":
            return _SPECIAL[text]
        for each in self.pictures:
            if each.negative_only and not text.startswith("-"):
                continue
            found = picture_of(each.base).read(text)
            if isinstance(found, Decimal) and self.family.kind == "number":
                return _within(self.family, found)
            if isinstance(found, Decimal | float):
                return float(found)
        return None


def _any_number(decimal: str, group: str | None) -> re.Pattern[str]:
    """Numbers with these characters, grouped in any way."""
    g = f"(?:{re.escape(group)})?" if group else ""
    return re.compile(
        rf"(?P<sign>[+-]?)(?P<whole>[0-9](?:{g}[0-9])*)(?:{re.escape(decimal)}(?P<after>[0-9]+))?"
        r"(?:E(?P<power>[+-]?[0-9]+)|(?P<mark>[%‰]))?"
    )


@frozen
class _Grouped:
    """Reads texts with other characters, and no pattern."""

    expression: re.Pattern[str]
    group: str
    family: Family

    def read(self, text: str) -> Decimal | float | None:
        """The value of a text."""
        is_exact = self.family.kind == "number"
        if text in _SPECIAL and not is_exact:
            return _SPECIAL[text]
        found = self.expression.fullmatch(text)
        if found is None:
            return None
        after, power = found["after"] or "", found["power"]
        if (is_exact and power) or (self.family.whole and after):
            return None
        whole = found["whole"].replace(self.group, "") if self.group else found["whole"]
        exponent = _bounded(power or "0") - _SHIFTS[found["mark"] or ""] - len(after)
        number = Decimal(f"{found['sign']}{whole}{after}E{exponent}")
        return _within(self.family, number) if is_exact else float(number)


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
