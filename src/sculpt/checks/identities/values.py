"""The bytes of a part of an entry: equal for what is equal, different for what is not.

In: the text of a cell or of an item, and the types that it may be read as. Out: bytes. Without
types, they are those of the text in UTF-8; a byte that cannot be decoded becomes three bytes that
no decodable text has. With types, the first byte says whether a value follows, or a text.

Invariant: two texts have the same bytes if and only if they are equal as the language defines it
(`core.datatypes.reading`). Cost: one reading of each text; the answers for some thousands of texts
are remembered.
"""

from __future__ import annotations

from decimal import Decimal

from sculpt.core import ir
from sculpt.core.datatypes import reading
from sculpt.core.datatypes.durations import Duration
from sculpt.core.datatypes.moments import Moment, instant
from sculpt.tabular.decoder import UNDECODABLE, exact_bytes

_MAX_KNOWN = 1 << 16
_MAX_SIZE = 256
"""Only shorter texts are remembered."""


class PartBytes:
    """The bytes of the texts of one part."""

    def __init__(self, part: ir.CorePart) -> None:
        self._bases = part.bases
        self._known: dict[str, bytes] = {}

    def of(self, text: str) -> bytes:
        """The bytes of a text."""
        if not self._bases:
            return exact_bytes(text)
        found = self._known.get(text)
        if found is None:
            found = self._read(text)
            if len(text) <= _MAX_SIZE:
                if len(self._known) >= _MAX_KNOWN:
                    self._known.clear()
                self._known[text] = found
        return found

    def _read(self, text: str) -> bytes:
        if not UNDECODABLE.search(text):
            value = reading.first_value(self._bases, text)
            if value is not None:
                return _value_bytes(value)
        return b"t" + exact_bytes(text)


def _value_bytes(value: object) -> bytes:
    """The bytes of a value; those of values of different sorts begin differently."""
    match value:
        case bool():
            return b"b1" if value else b"b0"
        case Decimal():
            return b"n" + _number_bytes(value)
        case float():
            # Minus zero is equal to zero, and whatever is no number to itself.
            return b"f" + (b"nan" if value != value else (value + 0.0).hex().encode())
        case Moment():
            whole, fraction = instant(value)
            mark = b"m" if value.zone is None else b"z"
            return b"%s%d;%s" % (mark, whole, _number_bytes(fraction))
        case Duration():
            return b"d%d;%s" % (value.months, _number_bytes(value.seconds))
        case bytes():
            return b"x" + value
        case tuple():
            return b"l" + b"\0".join(exact_bytes(str(each)) for each in value)
        case str():
            return b"s" + exact_bytes(value)
        case _:
            raise AssertionError(value)


def _number_bytes(number: Decimal) -> bytes:
    """An exact number: its digits without zeros at either end, and where they stand."""
    sign, digits, exponent = number.as_tuple()
    if not isinstance(exponent, int):
        return str(number).encode()
    text = "".join(map(str, digits)).lstrip("0")
    needed = text.rstrip("0")
    if not needed:
        return b"0"
    minus = "-" if sign else ""
    return f"{minus}{needed}e{exponent + len(text) - len(needed)}".encode()
