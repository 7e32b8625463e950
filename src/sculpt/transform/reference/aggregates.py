"""Aggregates of numbers, as they are defined: fractions are added.

In: texts of cells. Out: the exact numbers that they spell, and their sum, average, median and so on
as a text (`docs/language.md#aggregates`).

Invariant: nothing is rounded but the result, half away from zero, to the most decimals of a number
that went in. Cost: a sort of the numbers.
"""

from __future__ import annotations

import math
import re
from decimal import Decimal
from fractions import Fraction

from sculpt.core.builtins import FRIENDLY

MAX_EXPONENT = 1000
"""A text with an exponent above this, or below its negative, is not a number for aggregates."""
_NUMBER = re.compile(FRIENDLY["Number"], re.DOTALL)
_EXPONENT = re.compile("[eE][+-]?0*([0-9]*)$")


def number_of(text: str) -> Decimal | None:
    """The exact number that a text spells; `None` if it is not a number for aggregates."""
    if not _NUMBER.fullmatch(text):
        return None
    exponent = _EXPONENT.search(text)
    if exponent:
        digits = exponent[1]
        if len(digits) > len(str(MAX_EXPONENT)) or int(digits or 0) > MAX_EXPONENT:
            return None
    return Decimal(text)


def aggregate_of(function: str, numbers: list[Decimal]) -> str | None:
    """An aggregate of exact numbers as a text; `None` if it needs a number and there is none."""
    if function == "Sum":
        return _decimal_text(sum(map(Fraction, numbers), Fraction(0)), _places_of(numbers))
    if not numbers:
        return None
    places = _places_of(numbers)
    ordered = sorted(map(Fraction, numbers))
    match function:
        case "Min":
            return _decimal_text(ordered[0], places)
        case "Max":
            return _decimal_text(ordered[-1], places)
        case "Average":
            return _decimal_text(sum(ordered, Fraction(0)) / len(ordered), places)
        case "Median":
            below, above = ordered[(len(ordered) - 1) // 2], ordered[len(ordered) // 2]
            return _decimal_text((below + above) / 2, places)
    raise AssertionError(function)


def _places_of(numbers: list[Decimal]) -> int:
    """The most decimals that a number is written with."""
    places = 0
    for number in numbers:
        exponent = number.as_tuple().exponent
        assert isinstance(exponent, int)
        places = max(places, -exponent)
    return places


def _decimal_text(value: Fraction, places: int) -> str:
    """A number with `places` decimals, rounded half away from zero."""
    scaled = math.floor(abs(value) * 10**places + Fraction(1, 2))
    digits = Decimal(scaled).as_tuple().digits  # `str` refuses integers of many thousand digits
    return format(Decimal((int(value < 0), digits, -places)), "f")
