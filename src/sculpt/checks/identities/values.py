"""The bytes of a part of an entry: equal for what is equal, different for what is not.

In: the text of a cell or of an item, and the types that it may be read as. Out: bytes. Without
types, they are those of the text in UTF-8; a byte that cannot be decoded becomes three bytes that
no decodable text has. With types, the first byte is a letter that says what sort of value follows,
or that a text does; only the bytes of a short number are its canonical text: `12`, `-0.5`.

So a cell that has the canonical text of a number is its own entry, and whole arrays of these are
taken as they are: only other texts are read one by one.

Invariant: two texts have the same bytes if and only if they are equal as the language defines it
(`core.datatypes.reading`). Cost: one match of a regular expression for each text of a number, and
one reading for each different other text; the answers for some thousands of them are remembered.
"""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from sculpt.core import ir
from sculpt.core.datatypes import reading
from sculpt.core.datatypes.durations import Duration
from sculpt.core.datatypes.moments import Moment, instant
from sculpt.tabular.decoder import UNDECODABLE, exact_bytes

if TYPE_CHECKING:
    import pyarrow as pa

_MAX_KNOWN = 1 << 16
_MAX_SIZE = 256
"""Only shorter texts are remembered."""


_SHORT = 18
"""The most characters of a number whose bytes are its canonical text."""
_WHOLE = "0|-?[1-9][0-9]{0,16}"
_CANONICAL = {
    "Integer": _WHOLE,
    "Number": rf"{_WHOLE}|-?(?:0|[1-9][0-9]{{0,7}})\.[0-9]{{0,7}}[1-9]",
    "xs:decimal": rf"{_WHOLE}|-?(?:0|[1-9][0-9]{{0,7}})\.[0-9]{{0,7}}[1-9]",
    "xs:integer": _WHOLE,
    "xs:long": _WHOLE,
    "xs:int": "0|-?[1-9][0-9]{0,8}",
    "xs:short": "0|-?[1-9][0-9]{0,3}",
    "xs:byte": "0|-?[1-9][0-9]?",
    "xs:nonNegativeInteger": "0|[1-9][0-9]{0,16}",
    "xs:positiveInteger": "[1-9][0-9]{0,16}",
    "xs:nonPositiveInteger": "0|-[1-9][0-9]{0,16}",
    "xs:negativeInteger": "-[1-9][0-9]{0,16}",
    "xs:unsignedLong": "0|[1-9][0-9]{0,16}",
    "xs:unsignedInt": "0|[1-9][0-9]{0,8}",
    "xs:unsignedShort": "0|[1-9][0-9]{0,3}",
    "xs:unsignedByte": "0|[1-9][0-9]?",
}
"""By type: short canonical texts of numbers, all of them in the range of the type."""
_DIGITS = {
    **dict.fromkeys(("Integer", "Number", "xs:decimal", "xs:integer", "xs:long"), 17),
    **dict.fromkeys(("xs:nonNegativeInteger", "xs:unsignedLong"), 17),
    **dict.fromkeys(("xs:int", "xs:unsignedInt"), 9),
    **dict.fromkeys(("xs:short", "xs:unsignedShort"), 4),
    **dict.fromkeys(("xs:byte", "xs:unsignedByte"), 2),
}
"""By type: this many digits or fewer, the first of them not 0, are a canonical text."""


class PartBytes:
    """The bytes of the texts of one part."""

    def __init__(self, part: ir.CorePart) -> None:
        self._bases = part.bases
        self._known: dict[str, bytes] = {}
        # The first base that has a text reads it, so only that one can take texts as they are.
        first = part.bases[0] if part.bases else None
        is_plain = first is not None and first.picture is None
        self._canonical = _CANONICAL.get(first.type) if first is not None and is_plain else None
        self._digits = _DIGITS.get(first.type, 0) if first is not None and is_plain else 0

    def of_array(self, texts: pa.Array) -> pa.Array:
        """The bytes of an array of texts, all of them decoded; null counts as an empty text."""
        import pyarrow as pa
        import pyarrow.compute as pc

        texts = texts.fill_null("") if texts.null_count else texts
        coded = texts.cast(pa.binary())
        if not self._bases:
            return coded
        if self._canonical is None:
            return self._read_all(texts)
        if _are_digits(coded, self._digits):
            return coded
        is_other = pc.invert(pc.match_substring_regex(texts, f"^(?:{self._canonical})$"))
        if not pc.any(is_other).as_py():
            return coded
        return pc.replace_with_mask(coded, is_other, self._read_all(texts.filter(is_other)))

    def _read_all(self, texts: pa.Array) -> pa.Array:
        import pyarrow as pa

        distinct = texts.dictionary_encode()
        read = [self.of(text) for text in distinct.dictionary.to_pylist()]
        return pa.array(read, pa.binary()).take(distinct.indices)

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


def _are_digits(texts: pa.Array, most: int) -> bool:
    """Are all texts `0`, or at most `most` digits of which the first is not 0?"""
    import numpy as np

    if not most or not len(texts):
        return False
    _, offsets, data = texts.buffers()
    ends = np.frombuffer(offsets, np.int32)[texts.offset : texts.offset + len(texts) + 1]
    begin, end = int(ends[0]), int(ends[-1])
    sizes = np.diff(ends)
    if sizes.min() < 1 or sizes.max() > most:
        return False
    codes = np.frombuffer(data, np.uint8)[begin:end] - ord("0")  # less than 0 is very large
    return bool(codes.max() < 10 and (sizes[codes[ends[:-1] - begin] == 0] == 1).all())


def _value_bytes(value: object) -> bytes:
    """The bytes of a value; those of values of different sorts begin differently."""
    match value:
        case bool():
            return b"b1" if value else b"b0"
        case Decimal():
            return _short_number(value) or b"n" + _number_bytes(value)
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


def _short_number(number: Decimal) -> bytes:
    """The canonical text of a number; nothing if it is longer than `_SHORT`."""
    if not number.is_finite() or not -_SHORT <= number.adjusted() < _SHORT:
        return b"" if number else b"0"
    text = f"{number:f}".lstrip("+-")
    whole, _, decimals = text.partition(".")
    whole, decimals = whole.lstrip("0") or "0", decimals.rstrip("0")
    minus = "-" if number < 0 else ""
    found = f"{minus}{whole}.{decimals}" if decimals else f"{minus}{whole}"
    return found.encode() if len(found) <= _SHORT else b""


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
