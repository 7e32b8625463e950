"""Texts, binary values and lists by their length, and by being equal to one text or not.

In: a type of these families, and a range of lengths or a text. Out: the texts of the type. Lengths
are in characters, octets or items. Where a type is a first character and any others, counting is
exact; in other types (`xs:token`, `Email`) it is not worth its states, and those texts are asked
that could have the length.

Invariant: counts above `COUNTED` are not unrolled: longer texts are asked. Cost: linear in the
count; to leave out one text, quadratic in its first 100 characters.
"""

from __future__ import annotations

from sculpt.core.datatypes.algebra import (
    NO_TEXT,
    Chars,
    chain,
    char,
    either,
    optional,
    repeated,
    spelt,
    without,
)
from sculpt.core.datatypes.families import Family, parsed, pattern_of
from sculpt.core.datatypes.model import Language
from sculpt.syntax.regular import CharSet, Epsilon, Letter, Nothing, Repeat, Sequence

COUNTED = 1_000
UUID_LENGTH = 36
_HEX = char("0123456789abcdefABCDEF")
_BASE64 = parsed("[A-Za-z0-9+/]")
_BLANK = optional(char(" "))
_WITH_BLANK = parsed("[A-Za-z0-9+/=]+ [A-Za-z0-9+/= ]*")
_NONBLANK = parsed(r"[^\t\n\r ]")
_SEVERAL_WORDS = parsed(r"[^\t\n\r ]+(?: [^\t\n\r ]+)+")


def of_length(family: Family, low: int, high: int | None) -> Language:
    """The texts of a type whose length is in a range."""
    if high is not None and high < low:
        return NO_TEXT
    limit = COUNTED
    if low > limit:
        return Language(Nothing(), _counted(family, limit + 1, None).yes)
    if high is None or high <= limit:
        return _counted(family, low, high)
    sure = _counted(family, low, limit)
    return Language(sure.yes, either(sure.ask, _counted(family, limit + 1, None).yes))


def _counted(family: Family, low: int, high: int | None) -> Language:
    match family.kind:
        case "hexBinary":
            return Language(repeated(chain(_HEX, _HEX), low, high))
        case "base64Binary":
            return Language(_base64_octets(low, high))
        case "list":
            return Language(_items(pattern_of(family.name), low, high))
        case _:
            return _characters(family.name, pattern_of(family.name), low, high)


def _characters(name: str, pattern: Chars, low: int, high: int | None) -> Language:
    match pattern:
        case Epsilon():
            return Language(pattern if low == 0 else Nothing())
        case Repeat(Letter() as each, least, None):
            return Language(repeated(each, max(low, least), high))
        case Sequence((Letter() as first, Repeat(Letter() as rest, 0, None))):
            more = None if high is None else high - 1
            return Language(chain(first, repeated(rest, low - 1, more)) if high != 0 else Nothing())
    if name in ("xs:token", "xs:anyURI"):
        return Language(repeated(_NONBLANK, low, high), _SEVERAL_WORDS)
    if name == "Uuid":
        fits = low <= UUID_LENGTH and (high is None or high >= UUID_LENGTH)
        return Language(pattern if fits else Nothing())
    return Language(Nothing(), pattern)


def _items(pattern: Chars, low: int, high: int | None) -> Chars:
    """The expression of a list is an item, and any number of a blank and an item."""
    assert isinstance(pattern, Sequence), pattern
    *first, rest = pattern.parts
    assert isinstance(rest, Repeat), pattern
    if high == 0:
        return Nothing()
    return chain(*first, repeated(rest.part, low - 1, None if high is None else high - 1))


def _base64_octets(low: int, high: int | None) -> Chars:
    """Four characters are three octets; the last ones have no blank after them."""
    each = chain(_BASE64, _BLANK)
    quartet = repeated(each, 4, 4)
    last = {
        0: chain(repeated(each, 3, 3), _BASE64),
        1: chain(each, char("AQgw"), _BLANK, char("="), _BLANK, char("=")),
        2: chain(each, each, char("AEIMQUYcgkosw048"), _BLANK, char("=")),
    }
    parts: list[Chars] = [Epsilon()] if low == 0 else []
    for odd, ending in last.items():
        taken = odd or 3
        least = max(0, -((taken - low) // 3))
        most = None if high is None else (high - taken) // 3
        if most is None or most >= least:
            parts.append(chain(repeated(quartet, least, most), ending))
    return either(*parts)


# ------------------------------------------------------------- one text


def equal_to(family: Family, text: str) -> Language:
    """The texts with the same value as a text of the type."""
    if family.kind == "boolean":
        return Language(either(*map(spelt, _same_boolean(text))))
    if family.kind == "base64Binary":
        places = [Letter(chars) for chars in _places(family, text)]
        parts = [part for place in places for part in (place, _BLANK)]
        return Language(chain(*parts[:-1]))
    return Language(chain(*(Letter(chars) for chars in _places(family, text))))


def unequal_to(family: Family, text: str) -> Language:
    """The other texts of the type."""
    if family.kind == "boolean":
        return Language(either(*map(spelt, {"true", "1", "false", "0"} - _same_boolean(text))))
    if family.kind == "base64Binary":
        left = without(_base64_without_blanks(), _places(family, text))
        return Language(left.yes, either(left.ask, _WITH_BLANK))
    return without(pattern_of(family.name), _places(family, text))


def _same_boolean(text: str) -> set[str]:
    return {"true", "1"} if text in ("true", "1") else {"false", "0"}


def _places(family: Family, text: str) -> tuple[CharSet, ...]:
    """What may stand at each place of an equal text."""
    if family.kind == "base64Binary":
        text = text.replace(" ", "")
    if family.kind == "hexBinary" or family.name == "Uuid":
        return tuple(CharSet.chars(each.lower() + each.upper()) for each in text)
    return tuple(CharSet.chars(each) for each in text)


def _base64_without_blanks() -> Chars:
    return parsed(
        "(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=|[A-Za-z0-9+/][AQgw]==)?"
    )
