"""The texts of a picture of a number whose value lies in a range, as a regular language.

In: a `Shape` and a range of whole numbers: what is written, without sign, as a multiple of its last
possible decimal. Out: the language of the texts between prefix and suffix.

A text is compared digit by digit from the left, at places that depend on how many digits it has
before the decimal character. So there is one expression for each number of digits from that of the
picture to that of the bounds, in which group characters stand where the picture puts them, and one
for longer numbers. Leading zeros are read apart from the digits that are compared: a text then has
one reading, and the automaton does not multiply zeros by lengths: 109 states for `xs:long("0")`,
which were 2,559. Decimals that are left out count as zeros.

Cost: quadratic in the digits of the bounds for each number of digits.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from sculpt.core.datatypes.algebra import DIGIT, Chars, chain, digit, either, repeated
from sculpt.core.datatypes.pictures.number_shape import MAX_EXPONENT, Shape
from sculpt.syntax.regular import Epsilon, Nothing, literal
from sculpt.values import frozen

_ANY = DIGIT
_ZERO = digit(0, 0)
_NOT_ZERO = digit(1, 9)


_Decided: TypeAlias = tuple[bool, bool]
"""Is the number known to be large enough, and small enough, whatever digits follow?"""


@frozen
class _Comparison:
    """The digits of two bounds, which a number is compared with from the left."""

    low: str
    high: str

    @staticmethod
    def of(low: int, high: int | None, length: int) -> _Comparison | None:
        """The bounds as numbers of some digits; `None` if no number lies between them."""
        largest = 10**length - 1
        high = largest if high is None else min(high, largest)
        return _Comparison(str(low).zfill(length), str(high).zfill(length)) if low <= high else None

    def _settled(self, at: int, decided: _Decided) -> _Decided:
        above, below = decided
        return above or not self.low[at:].strip("0"), below or not self.high[at:].strip("9")

    def may_end(self, at: int, decided: _Decided) -> bool:
        """Is the number in the range if only zeros follow?"""
        return self._settled(at, decided)[0]

    def steps(self, at: int, decided: _Decided) -> Iterator[tuple[Chars, _Decided]]:
        """The digits that may stand at a place, and what is decided after them."""
        above, below = self._settled(at, decided)
        first = 0 if above else int(self.low[at])
        last = 9 if below else int(self.high[at])
        if first == last:
            yield digit(first, last), self._settled(at + 1, (above, below))
            return
        if not above:
            yield digit(first, first), self._settled(at + 1, (False, True))
        if first + (not above) <= last - (not below):
            yield digit(first + (not above), last - (not below)), (True, True)
        if not below:
            yield digit(last, last), self._settled(at + 1, (True, False))


def texts_between(shape: Shape, low: int, high: int | None) -> Chars:
    """The texts of numbers from `low` to `high`, both included; without an exponent."""
    if high is not None and low > high:
        return Nothing()
    decimals, least = shape.fraction.most, shape.whole.least
    shortest = max(1, least)
    parts = [_written(shape, 0, low, high)] if decimals and not least else []
    if low == 0 and high is None:
        before = either(Epsilon(), _leading(shape, shortest, "any"))
        return either(*parts, chain(before, _written(shape, shortest, 0, None)))
    longest = max(len(str(low if high is None else high)) - decimals, shortest)
    for digits in range(shortest, longest + 1):
        smallest = low if digits == shortest else max(low, 10 ** (digits - 1 + decimals))
        zeros = either(Epsilon(), _leading(shape, digits, "zeros"))
        parts.append(chain(zeros, _written(shape, digits, smallest, high)))
    if high is None:
        free = _written(shape, longest, 0, None)
        parts.append(chain(_leading(shape, longest, "not zeros"), free))
    return either(*parts)


def texts_with_exponent(shape: Shape) -> Chars:
    """All texts of a picture with an exponent."""
    exponent = shape.exponent
    assert exponent is not None
    assert shape.whole.most is not None
    fewest = shape.whole.least if shape.fraction.most else max(1, shape.whole.least)
    sign = either(literal("-"), literal("+") if exponent.has_plus else Epsilon())
    return chain(
        either(*(_written(shape, n, 0, None) for n in range(fewest, shape.whole.most + 1))),
        literal("E"),
        sign,
        repeated(_ANY, exponent.least, MAX_EXPONENT),
    )


def _written(shape: Shape, digits: int, low: int, high: int | None) -> Chars:
    """The texts with this many digits before the decimal character and a number in the range.

    Before the decimal character, the texts that lead to the same state are put together, so that
    what follows is there once; after it, a text may end at any of several places, and so what
    follows is put together.
    """
    compared = _Comparison.of(low, high, digits + shape.fraction.most)
    if compared is None:
        return Nothing()
    found: dict[_Decided, Chars] = {(False, False): Epsilon()}
    for at in range(digits):
        ways: dict[_Decided, list[Chars]] = {}
        before = literal(_before(shape, digits, at))
        for decided, prefix in found.items():
            for chars, after in compared.steps(at, decided):
                ways.setdefault(after, []).append(chain(prefix, before, chars))
        found = {decided: either(*prefixes) for decided, prefixes in ways.items()}
    return either(
        *(
            chain(prefix, _decimals(shape, digits, compared, digits, decided))
            for decided, prefix in found.items()
        )
    )


def _decimals(
    shape: Shape, digits: int, compared: _Comparison, at: int, decided: _Decided
) -> Chars:
    """What may follow from a digit after the decimal character on."""
    may_end = at >= max(1, digits + shape.fraction.least) and compared.may_end(at, decided)
    ends = Epsilon() if may_end else Nothing()
    if at == digits + shape.fraction.most:
        return ends
    follows = either(
        *(
            chain(chars, _decimals(shape, digits, compared, at + 1, after))
            for chars, after in compared.steps(at, decided)
        )
    )
    return either(ends, chain(literal(_before(shape, digits, at)), follows))


def _before(shape: Shape, digits: int, at: int) -> str:
    """The character before a digit, if there is one."""
    if at < digits:
        return shape.group if at and shape.whole.divides(digits - at) else ""
    if at == digits:
        return shape.decimal
    return shape.group if at - digits in shape.fraction.divided else ""


def _leading(shape: Shape, width: int, kind: str) -> Chars:
    """One or more digits to the left of `width` digits: any, only zeros, or not only zeros."""
    whole = shape.whole
    if not whole.primary:
        some = {"any": _ANY, "zeros": _ZERO}.get(kind)
        if some is not None:
            return repeated(some, 1, None)
        return chain(repeated(_ZERO, 0, None), _NOT_ZERO, repeated(_ANY, 0, None))
    comma = literal(shape.group)
    up_to = whole.primary + whole.secondary
    last = next(n for n in range(1, up_to + 1) if whole.divides(width + n))
    ends = comma if whole.divides(width) else Epsilon()

    size = whole.secondary

    def longer(first: Chars, between: Chars, final: Chars) -> Chars:
        """A first group, full groups, and the digits up to where `width` digits follow."""
        full = repeated(between, size, size)
        return chain(first, comma, repeated(chain(full, comma), 0, None), final, ends)

    if kind != "not zeros":
        part = _ANY if kind == "any" else _ZERO
        return either(
            chain(repeated(part, 1, last), ends),
            longer(repeated(part, 1, size), part, repeated(part, last, last)),
        )
    rest = repeated(_ANY, last, last)
    later_full = chain(repeated(_ANY, size, size), comma)
    in_a_full_group = chain(_not_zeros(size, size), comma, repeated(later_full, 0, None), rest)
    return either(
        chain(_not_zeros(1, last), ends),
        longer(_not_zeros(1, size), _ANY, rest),
        longer(repeated(_ZERO, 1, size), _ZERO, either(in_a_full_group, _not_zeros(last, last))),
    )


def _not_zeros(low: int, high: int) -> Chars:
    """From `low` to `high` digits, of which one is not zero."""
    return either(
        *(
            chain(
                repeated(_ZERO, n, n), _NOT_ZERO, repeated(_ANY, max(0, low - n - 1), high - n - 1)
            )
            for n in range(high)
        )
    )
