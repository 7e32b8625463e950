"""A picture of a number, taken apart (UAX 35, Part 3, 3: number patterns).

In: a `Base` whose type is numeric. Out: a `Shape`: how many digits there are before and after the
decimal character, where groups are divided, the exponent, what stands around the number if it is
positive and if it is negative, and by how much `%` and `‰` scale it.

Everything that is not exactly a picture is a `ConditionError` that names the character. Stricter
than UAX 35: a `-` in the half for positive numbers is refused, since `-5` would be read as 5, and
so are two halves that can write the same text. Not supported: significant digits (`@`), padding
(`*`), rounding (`1` to `9`), currency signs that depend on the place (`¤`). Cost: linear.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

from sculpt.core.datatypes.floats import Width
from sculpt.core.datatypes.model import Base, ConditionError
from sculpt.core.datatypes.pictures.scanning import Mark, bad_picture, is_surrogate, marks
from sculpt.values import frozen

MAX_DIGITS = 40
"""Before and after the decimal character, in pictures and in bounds that become languages."""
MAX_EXPONENT = 4
"""Digits of an exponent: far more than any file needs, and far less than harms."""
DIGITS = "0123456789"
_SCALES = {"%": 2, "‰": 3}
_NUMBER = "#0.,"
_REFUSED = {
    "@": "significant digits are not supported",
    "*": "padding is not supported",
    "¤": "write the sign of the currency itself, such as `£`",
    **dict.fromkeys("123456789", "rounding is not supported"),
}
_NO_LIMITS: tuple[int | None, int | None] = (None, None)
INTEGERS: dict[str, tuple[int | None, int | None]] = {
    "Integer": _NO_LIMITS,
    "xs:integer": _NO_LIMITS,
    "xs:nonPositiveInteger": (None, 0),
    "xs:negativeInteger": (None, -1),
    "xs:nonNegativeInteger": (0, None),
    "xs:positiveInteger": (1, None),
    **{
        f"xs:{name}": (-(1 << bits - 1), (1 << bits - 1) - 1)
        for name, bits in (("long", 64), ("int", 32), ("short", 16), ("byte", 8))
    },
    **{
        f"xs:unsigned{name}": (0, (1 << bits) - 1)
        for name, bits in (("Long", 64), ("Int", 32), ("Short", 16), ("Byte", 8))
    },
}
"""The smallest and the largest value of each type of integers."""
ROUNDED: dict[str, Width] = {"xs:double": "double", "xs:float": "float"}
TYPES = frozenset({"Number", "xs:decimal", *ROUNDED, *INTEGERS})


@frozen
class Whole:
    """The digits before the decimal character."""

    least: int
    most: int | None
    """`None`: any number of digits may come before; a number with an exponent has a limit."""
    primary: int = 0
    """Digits of the last group; 0 if there are no groups."""
    secondary: int = 0
    """Digits of every other group."""

    def divides(self, right: int) -> bool:
        """Is a group divided off where this many digits follow?"""
        beyond = right - self.primary
        return self.primary > 0 and beyond >= 0 and beyond % self.secondary == 0


@frozen
class Fraction:
    """The digits after the decimal character."""

    least: int = 0
    most: int = 0
    divided: tuple[int, ...] = ()
    """A group character stands after this many digits, if more follow."""


@frozen
class Exponent:
    """What follows the `E`."""

    least: int
    has_plus: bool
    """Exponents that are not negative have a `+`."""


@frozen
class Half:
    """What stands around the numbers of one sign."""

    prefix: str
    suffix: str
    is_negative: bool


@frozen
class Shape:
    """A picture of a number."""

    whole: Whole
    fraction: Fraction
    exponent: Exponent | None
    halves: tuple[Half, ...]
    scale: int
    """The value is this many decimal places less than what is written."""
    group: str
    """Empty if there are no groups."""
    decimal: str
    limits: tuple[int | None, int | None] = _NO_LIMITS
    rounding: Width | None = None
    """For types whose values are rounded: to what."""


@frozen
class _Side:
    """A half of the picture, taken apart."""

    prefix: str
    suffix: str
    scale: int
    whole: Whole
    fraction: Fraction
    exponent: Exponent | None


def number_shape(base: Base) -> Shape:
    """Take the picture of a base apart; raises `ConditionError`."""
    picture = base.picture or ""
    found = marks(picture)
    cuts = [ix for ix, mark in enumerate(found) if mark.char == ";" and not mark.is_text]
    if len(cuts) > 1:
        raise bad_picture(
            "a second `;`: a picture has one half for positive and one for negative numbers",
            found[cuts[1]].at,
        )
    middle = cuts[0] if cuts else len(found)
    positive = _HalfReader(found[:middle], picture, is_negative=False).read()
    _check_type(base, picture, positive)
    halves = [Half(positive.prefix, positive.suffix, False)]
    if cuts:
        negative = _HalfReader(found[middle + 1 :], picture, is_negative=True).read()
        at = found[middle].at + 1
        if negative.scale != positive.scale:
            raise bad_picture("only one half has `%` or `‰`", at, len(picture))
        halves.append(Half(negative.prefix, negative.suffix, True))
    else:
        halves.append(Half(f"-{positive.prefix}", positive.suffix, True))
    return Shape(
        positive.whole,
        positive.fraction,
        positive.exponent,
        tuple(halves),
        positive.scale,
        *_separators(base, bool(positive.whole.primary or positive.fraction.divided)),
        INTEGERS.get(base.type, _NO_LIMITS),
        ROUNDED.get(base.type),
    )


def _check_type(base: Base, picture: str, side: _Side) -> None:
    if base.type not in INTEGERS:
        return
    for extra, name in (
        (side.fraction.most, "decimals"),
        (side.exponent, "an exponent"),
        (side.scale, "`%` or `‰`"),
    ):
        if extra:
            raise bad_picture(
                f"a picture of `{base.type}` cannot have {name}: its values are whole numbers",
                0,
                len(picture),
                "use `Number`",
            )


def _separators(base: Base, has_groups: bool) -> tuple[str, str]:
    """The group character, empty if there are no groups, and the decimal character."""
    group = "," if base.group is None else base.group
    decimal = "." if base.decimal is None else base.decimal
    for char, name in ((group, "group"), (decimal, "decimal")):
        if len(char) != 1:
            raise ConditionError(
                "bad-picture", f"the {name} character is one character, not `{char}`"
            )
        if char in f"{DIGITS}+-E" or is_surrogate(char):
            raise ConditionError("bad-picture", f"{char!a} cannot be the {name} character")
    if not has_groups:
        return "", decimal
    if group == decimal:
        raise ConditionError(
            "bad-picture",
            f"`{group}` is both the group and the decimal character",
            None,
            'give both: `group ".", decimal ","`',
        )
    return group, decimal


class _HalfReader:
    """Reads a half of a picture from left to right."""

    def __init__(self, found: Sequence[Mark], picture: str, is_negative: bool) -> None:
        self._marks = found
        self._picture = picture
        self._is_negative = is_negative
        self._at = 0
        self._scales: list[int] = []

    def read(self) -> _Side:
        """The parts of the half."""
        symbols = {mark.char for mark in self._marks if not mark.is_text}
        if symbols.isdisjoint("#0") and symbols.isdisjoint(_REFUSED):
            self._complain_about_no_digits()
        prefix = self._text()
        whole, groups = self._digits("#0", "before the decimal character")
        fraction = Fraction()
        if self._symbol() == ".":
            self._at += 1
            fraction = self._fraction(*self._digits("0#", "after the decimal character"))
        letter = self._at
        exponent = self._exponent()
        if exponent and "," in groups:
            self._fail("a number with an exponent has no groups", letter)
        suffix = self._text()
        if self._at < len(self._marks):
            self._complain_about_second_number()
        most = max(1, len(whole)) if exponent else None
        sizes = [len(size) for size in groups.split(",")]
        primary = sizes[-1] if len(sizes) > 1 else 0
        secondary = sizes[-2] if len(sizes) > 2 else primary
        return _Side(
            prefix,
            suffix,
            sum(self._scales),
            Whole(whole.count("0"), most, primary, secondary),
            fraction,
            exponent,
        )

    def _symbol(self) -> str:
        """The symbol at the place; empty at the end, and for text in quotes."""
        if self._at == len(self._marks) or self._marks[self._at].is_text:
            return ""
        return self._marks[self._at].char

    def _fail(self, message: str, ix: int, hint: str | None = None) -> NoReturn:
        raise bad_picture(message, self._marks[ix].at, None, hint)

    def _text(self) -> str:
        """The text before or after the number."""
        found: list[str] = []
        while self._at < len(self._marks):
            symbol = self._symbol()
            if symbol and symbol in _NUMBER:
                break
            if symbol in _REFUSED:
                self._fail(
                    f"`{symbol}` has no meaning here: {_REFUSED[symbol]}",
                    self._at,
                    f"as text it stands in quotes: `'{symbol}'`",
                )
            if symbol == "-" and not self._is_negative:
                self._fail(
                    "this `-` would belong to positive numbers",
                    self._at,
                    "negative numbers get a `-` by themselves; to put it elsewhere, add a half "
                    "for them: `0;0-`",
                )
            if symbol in _SCALES:
                if self._scales:
                    self._fail("a second `%` or `‰`", self._at, "as text it stands in quotes")
                self._scales.append(_SCALES[symbol])
            found.append(self._marks[self._at].char)
            self._at += 1
        return "".join(found)

    def _digits(self, order: str, where: str) -> tuple[str, str]:
        """The digits of a part, without and with group characters; `order`: which come first."""
        found = ""
        start = self._at
        while (symbol := self._symbol()) and symbol in "#0,123456789":
            if symbol in _REFUSED:
                self._fail(f"`{symbol}` has no meaning here: {_REFUSED[symbol]}", self._at)
            if symbol == "," and (self._at == start or found[-1] == ","):
                self._fail("a group without digits", self._at)
            if symbol == order[0] and order[1] in found:
                self._fail(
                    f"`{order[0]}` cannot follow `{order[1]}` {where}",
                    self._at,
                    "`0` is a digit that must be there, `#` one that may be there; the `0` are "
                    "next to the decimal character",
                )
            found += symbol
            self._at += 1
        if found.endswith(","):
            self._fail("a group without digits", self._at - 1)
        digits = found.replace(",", "")
        if len(digits) > MAX_DIGITS:
            self._fail(f"a picture has at most {MAX_DIGITS} digits {where}", self._at - 1)
        return digits, found

    def _fraction(self, digits: str, found: str) -> Fraction:
        if not digits:
            self._fail(
                "no digit follows the decimal character",
                self._at - 1,
                "as text it stands in quotes: `'.'`",
            )
        divided: list[int] = []
        for group in found.split(",")[:-1]:
            divided.append(len(group) + (divided[-1] if divided else 0))
        return Fraction(digits.count("0"), len(digits), tuple(divided))

    def _exponent(self) -> Exponent | None:
        if self._symbol() != "E":
            return None
        start = self._at
        self._at += 1
        has_plus = self._symbol() == "+"
        self._at += has_plus
        zeros = self._at
        while self._symbol() == "0":
            self._at += 1
        least = self._at - zeros
        if not least:
            self._fail(
                "an exponent needs a `0`: `E0`, `E+00`",
                start,
                "as text it stands in quotes: `'E'`",
            )
        if least > MAX_EXPONENT:
            self._fail(f"an exponent has at most {MAX_EXPONENT} digits", zeros + MAX_EXPONENT)
        if self._symbol() == "E":
            self._fail("a second exponent", self._at, "as text it stands in quotes: `'E'`")
        return Exponent(least, has_plus)

    def _complain_about_no_digits(self) -> NoReturn:
        start = self._marks[0].at if self._marks else len(self._picture)
        end = self._marks[-1].at + 1 if self._marks else len(self._picture)
        looks_like_date = sum(letter in self._picture for letter in "yMdHms") > 1
        raise bad_picture(
            "a picture of a number needs a digit: `0` or `#`",
            start,
            end,
            f'for dates, write `Date("{self._picture}")`' if looks_like_date else None,
        )

    def _complain_about_second_number(self) -> NoReturn:
        symbol = self._marks[self._at].char
        if symbol == "." and not self._marks[self._at - 1].is_text:
            before = self._marks[self._at - 1].char
            if before in "#0":
                self._fail("a second decimal character", self._at)
        self._fail(
            f"`{symbol}` cannot follow the end of the number",
            self._at,
            f"as text it stands in quotes: `'{symbol}'`",
        )
