r"""Patterns of `strptime` to pictures of UAX 35.

In: a pattern such as `%d/%m/%Y %H:%M`. Out: an `Instant`: the type that it writes and the pictures
of it, or why there is none. `%d` reads one or two digits, so it becomes `d`; next to another digit
it can only be `dd`. What has several widths in `strptime` and not in a picture (`%f`, `%z`) becomes
several pictures.

Invariant: a text that a picture accepts is one that `strptime` reads, and to the same value; texts
that only `strptime` reads are those with other blanks, or digits that run together. Cost: linear.
"""

from __future__ import annotations

from datetime import datetime

from sculpt.values import frozen

_NUMBERS = {"d": "d", "m": "M", "H": "H", "I": "h", "M": "m", "S": "s"}
_FIXED = {"Y": "yyyy", "y": "yy", "b": "MMM", "h": "MMM", "B": "MMMM", "a": "EEE", "A": "EEEE"}
_SHORTHANDS = {"D": "%m/%d/%y", "F": "%Y-%m-%d", "T": "%H:%M:%S", "R": "%H:%M"}
_FRACTIONS = tuple("S" * width for width in range(1, 7))
_ZONES = ("XXX", "XX")
_DAY, _CLOCK = set("yMd"), set("Hhms")
_TYPES = {
    frozenset("yMd"): "xs:date",
    frozenset("yM"): "xs:gYearMonth",
    frozenset("y"): "xs:gYear",
    frozenset("M"): "xs:gMonth",
    frozenset("d"): "xs:gDay",
    frozenset("Md"): "xs:gMonthDay",
}
_BOUNDS = {
    "xs:date": "%Y-%m-%d",
    "xs:gYearMonth": "%Y-%m",
    "xs:gYear": "%Y",
    "xs:dateTime": "%Y-%m-%dT%H:%M:%S",
    "xs:time": "%H:%M:%S",
}


@frozen
class Instant:
    """What a pattern writes: a type and its pictures, or one fixed text."""

    type: str
    """`xs:date` and so on; empty if the pattern has no fields."""
    pictures: tuple[str, ...] = ()
    text: str = ""
    """The fixed text of a pattern without fields."""


class UnwritableError(Exception):
    """A pattern that no picture can write; the message says why."""


def translate(pattern: str) -> Instant:
    """The pictures of a pattern; raises `UnwritableError`."""
    items = _items(pattern)
    fields = [text for is_field, text in items if is_field]
    if not fields:
        return Instant("", (), "".join(text for _, text in items))
    repeated = {each for each in fields if fields.count(each) > 1}
    if repeated:
        raise UnwritableError(f"`%{min(repeated)}` occurs twice")
    kinds = {_kind(each) for each in fields} - {""}
    if "h" in kinds and "p" not in fields:
        raise UnwritableError("`%I` is ambiguous without `%p`")
    if "p" in fields and "h" not in kinds:
        raise UnwritableError("`%p` has no meaning without `%I`")
    variants = [""]
    for ix, (is_field, text) in enumerate(items):
        after = items[ix + 1] if ix + 1 < len(items) else None
        choices = _pictures(text, _is_digit(after)) if is_field else (_quoted(text),)
        variants = [before + each for before in variants for each in choices]
    return Instant(_type(kinds), tuple(variants))


def bound(instant: Instant, moment: datetime) -> str | None:
    """A moment in the form of XML Schema, as a bound of the type; `None` if it has none."""
    if instant.type not in _BOUNDS:
        return None
    # Not every platform writes years before 1000 with four digits, so the year is put in here.
    form = _BOUNDS[instant.type].replace("%Y", f"{moment.year:04}")
    written = moment.strftime(form)
    if moment.microsecond and "%S" in form:
        written += f".{moment.microsecond:06}".rstrip("0")
    zone = moment.strftime("%z")
    return f"{written}{zone[:3]}:{zone[3:5]}" if zone else written


def _items(pattern: str) -> list[tuple[bool, str]]:
    """The fields (`d` of `%d`) and the texts between them."""
    items: list[tuple[bool, str]] = []
    ix = 0
    while ix < len(pattern):
        if pattern[ix] != "%":
            end = pattern.find("%", ix)
            end = len(pattern) if end < 0 else end
            items.append((False, pattern[ix:end]))
            ix = end
            continue
        sign = pattern[ix + 1 : ix + 2]
        ix += 2
        if sign == "-" and pattern[ix : ix + 1] in _NUMBERS:
            sign = pattern[ix]
            ix += 1
        if sign == "%":
            items.append((False, "%"))
        elif sign in _SHORTHANDS:
            items += _items(_SHORTHANDS[sign])
        elif sign and (sign in _NUMBERS or sign in _FIXED or sign in "pfz"):
            items.append((True, sign))
        else:
            raise UnwritableError(f"`%{sign}` has no counterpart")
    return items


def _kind(sign: str) -> str:
    """The letter of the picture that stands for a field; empty for those that are no part."""
    return (_NUMBERS.get(sign) or _FIXED.get(sign, "")).replace("E", "")[:1]


def _type(kinds: set[str]) -> str:
    day, clock = kinds & _DAY, kinds & _CLOCK
    if clock and not clock & {"H", "h"}:
        raise UnwritableError("minutes and seconds need an hour")
    if clock and not day:
        return "xs:time"
    if clock and day == _DAY:
        return "xs:dateTime"
    if not clock and frozenset(day) in _TYPES:
        return _TYPES[frozenset(day)]
    raise UnwritableError("its fields make no date")


def _pictures(sign: str, is_before_digit: bool) -> tuple[str, ...]:
    if sign in _NUMBERS:
        return (_NUMBERS[sign] * (2 if is_before_digit else 1),)
    if sign == "f":
        return _FRACTIONS[-1:] if is_before_digit else _FRACTIONS
    if sign == "z":
        return _ZONES
    return ("a",) if sign == "p" else (_FIXED[sign],)


def _is_digit(item: tuple[bool, str] | None) -> bool:
    """Does the next item begin with a digit?"""
    if item is None:
        return False
    is_field, text = item
    return text in (*_NUMBERS, "Y", "y", "f") if is_field else text[:1].isdigit()


def _quoted(text: str) -> str:
    """A text between fields: letters and quotes in quotes."""
    written = ""
    plain = True
    for char in text:
        is_plain = not char.isalpha() and char != "'"
        if is_plain != plain:
            written += "'"
            plain = is_plain
        written += "''" if char == "'" else char
    return written + ("" if plain else "'")
