"""`xs:double` and `xs:float`: the value nearest to a text, and the decimals nearest to a value.

In: a text in the form of a double. Out: `nearest`, a Python float that is exactly a value of the
type. The other way round, `rounding_ends` gives the ends of the interval of real numbers that are
rounded to a value, so that a comparison with a double is one with a decimal (XML Schema 1.1 Part 2,
3.3.4 and 3.3.5; ties go to the value whose last bit is 0).

Invariant: a text is rounded once: a float is not made from a rounded double. Cost: constant, apart
from the length of the text.
"""

from __future__ import annotations

import math
import struct
from decimal import Decimal
from typing import Literal as OneOf
from typing import TypeAlias

from sculpt.core.datatypes.moments import EXACT
from sculpt.values import frozen

Width: TypeAlias = OneOf["double", "float"]

_OVERFLOW: dict[Width, tuple[int, int]] = {"double": (53, 1024), "float": (24, 128)}
"""Bits of the mantissa, and the power of two that is too large."""


@frozen
class End:
    """An end of an interval of real numbers."""

    at: Decimal
    included: bool


def nearest(text: str, width: Width) -> float:
    """The value of a text in the form of a double."""
    found = float(text)
    if width == "double" or not math.isfinite(found) or found == 0:
        return found
    return _to_float(_towards_odd(text, found))


def rounding_ends(value: float, width: Width) -> tuple[End | None, End | None]:
    """The real numbers that are rounded to a value; `None` for an end that does not exist."""
    assert not math.isnan(value)
    if value == math.inf:
        return End(_overflow(width), True), None
    if value == -math.inf:
        return None, End(_overflow(width).copy_negate(), True)
    even = _bits(value, width) % 2 == 0
    return (
        End(_middle(_neighbour(value, -math.inf, width), value, width), even),
        End(_middle(value, _neighbour(value, math.inf, width), width), even),
    )


def _towards_odd(text: str, found: float) -> float:
    """The double with an odd last bit that is next to the text, so that rounding again is exact."""
    exact, rounded = Decimal(text), Decimal(found)
    if exact == rounded or _bits(found, "double") % 2:
        return found
    return math.nextafter(found, math.inf if exact > rounded else -math.inf)


def _to_float(value: float) -> float:
    try:
        (rounded,) = struct.unpack("f", struct.pack("f", value))
    except OverflowError:
        return math.copysign(math.inf, value)
    assert isinstance(rounded, float)
    return rounded


def _bits(value: float, width: Width) -> int:
    code = "<q" if width == "double" else "<i"
    (bits,) = struct.unpack(code, struct.pack("<d" if width == "double" else "<f", value))
    assert isinstance(bits, int)
    return bits


def _neighbour(value: float, towards: float, width: Width) -> float:
    if width == "double":
        return math.nextafter(value, towards)
    if value == 0:
        return math.copysign(2.0**-149, towards)
    away = (towards > 0) == (value > 0)
    (found,) = struct.unpack("<f", struct.pack("<i", _bits(value, width) + (1 if away else -1)))
    assert isinstance(found, float)
    return found


def _overflow(width: Width) -> Decimal:
    """The least number that is rounded to infinity."""
    bits, power = _OVERFLOW[width]
    return Decimal(2**power - 2 ** (power - bits - 1))


def _middle(low: float, high: float, width: Width) -> Decimal:
    if high == math.inf:
        return _overflow(width)
    if low == -math.inf:
        return _overflow(width).copy_negate()
    # Denominators are powers of two, and 1 / 2 is 5 / 10.
    (over, under), (other_over, other_under) = low.as_integer_ratio(), high.as_integer_ratio()
    twos = (under * other_under).bit_length()
    return Decimal((over * other_under + other_over * under) * 5**twos).scaleb(-twos, EXACT)
