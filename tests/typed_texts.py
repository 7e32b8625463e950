"""Texts and conditions for tests of values: random texts of each type, near its bounds."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Literal as OneOf
from typing import TypeAlias

from sculpt.core.acceptor import TextMatcher
from sculpt.core.datatypes.languages import language
from sculpt.core.datatypes.model import Base, Condition, Measured, Relation

RELATIONS: tuple[Relation, ...] = ("<", "<=", ">", ">=", "=", "!=")
Answer: TypeAlias = OneOf["yes", "no", "ask"]


class Judge:
    """What the language of a condition says about texts."""

    def __init__(self, condition: Condition) -> None:
        found = language(condition)
        self._yes, self._ask = TextMatcher(found.yes), TextMatcher(found.ask)

    def __call__(self, text: str) -> Answer:
        yes, ask = self._yes.matches(text), self._ask.matches(text)
        assert not (yes and ask), text
        return "yes" if yes else "ask" if ask else "no"


def condition(
    type_name: str, relation: Relation | None = None, bound: str = "", measured: Measured = "value"
) -> Condition:
    """A condition about a type without a picture."""
    return Condition(Base(type_name), measured, relation, bound)


# ------------------------------------------------------------- texts, by kind


def digits(rng: random.Random, most: int) -> str:
    """Few different digits, so that texts often agree with each other at the start."""
    return "".join(rng.choice("0012599") for _ in range(rng.randint(0, most)))


def integer_text(rng: random.Random) -> str:
    return rng.choice(["", "", "-", "+"]) + (digits(rng, 6) or "0")


def decimal_text(rng: random.Random) -> str:
    whole, fraction = digits(rng, 4), digits(rng, 4)
    if not whole and not fraction:
        whole = "0"
    point = rng.choice(["", "."]) if not fraction else "."
    return rng.choice(["", "", "-", "+"]) + whole + point + fraction


def float_text(rng: random.Random) -> str:
    """Decimals, exponents, and texts next to the middle between two doubles."""
    which = rng.randrange(8)
    if which == 0:
        return rng.choice(["INF", "-INF", "+INF", "NaN"])
    if which == 1:
        return f"{decimal_text(rng)}e{rng.randint(-3, 3)}"
    if which == 2:
        exact = rng.choice([1.0, 0.1, 3.5, 0.25]) + rng.choice([0.0, 2.0**-53, 2.0**-24, 2.0**-52])
        return f"{rng.choice(['', '-'])}{exact:.{rng.choice([10, 17, 30, 60])}f}"
    return decimal_text(rng)


def zone_text(rng: random.Random) -> str:
    return rng.choice(["", "", "Z", "+00:00", "-00:00", "+14:00", "-14:00", "+01:00", "-05:30"])


def date_text(rng: random.Random) -> str:
    year = rng.choice(["2000", "1999", "2004", "1900", "0000", "-0001", "-0004", "12000", "2001"])
    month = rng.choice([1, 2, 2, 3, 12])
    return f"{year}-{month:02}-{rng.choice([1, 2, 27, 28, 29, 30, 31]):02}"


def time_text(rng: random.Random) -> str:
    if rng.randrange(10) == 0:
        return rng.choice(["24:00:00", "24:00:00.0"])
    fields = [
        rng.choice([0, 1, 9, 10, 12, 13, 23]),
        rng.choice([0, 1, 30, 59]),
        rng.choice([0, 59]),
    ]
    fraction = digits(rng, 3) if rng.randrange(3) == 0 else ""
    return ":".join(f"{each:02}" for each in fields) + (f".{fraction}" if fraction else "")


def friendly_date_text(rng: random.Random) -> str:
    if rng.randrange(3) == 0:
        return date_text(rng) + zone_text(rng)
    day, month = rng.choice([1, 2, 9, 10, 28, 29, 30, 31]), rng.choice([1, 2, 3, 11, 12])
    year = rng.choice(["1999", "2000", "2001", "2004", "0004", "99", "00", "68", "69", "04"])
    name = ("jan", "feb", "mar", "", "", "", "", "", "", "", "nov", "dec")[month - 1]
    spelt_day = rng.choice([f"{day:02}", str(day)])
    if rng.randrange(2):
        return f"{spelt_day}/{rng.choice([f'{month:02}', str(month)])}/{year}"
    return f"{spelt_day}-{rng.choice([name, name.upper(), name.title()])}-{year}"


def moment_text(rng: random.Random, type_name: str) -> str:
    """A text that often is one of the type."""
    date = date_text(rng)
    match type_name.removeprefix("xs:"):
        case "date":
            text = date
        case "time":
            text = time_text(rng)
        case "gYearMonth":
            text = date[:-3]
        case "gYear":
            text = date[:-6]
        case "gMonthDay":
            text = f"-{date[-6:]}"
        case "gDay":
            text = f"--{date[-3:]}"
        case "gMonth":
            text = f"-{date[-6:-3]}"
        case _:
            text = f"{date}T{time_text(rng)}"
    return text + zone_text(rng)


def duration_text(rng: random.Random) -> str:
    def some(letters: str) -> str:
        kept = [each for each in letters if rng.randrange(3)]
        return "".join(f"{rng.choice([0, 1, 12, 30, 31, 24, 60])}{each}" for each in kept)

    clock = some("HMS")
    return f"{rng.choice(['', '-'])}P{some('YMD')}{'T' + clock if clock else ''}"


def plain_text(rng: random.Random) -> str:
    return "".join(rng.choice("aab:-. é\t") for _ in range(rng.randint(0, 6)))


def uuid_text(rng: random.Random) -> str:
    text = "0a1B2c3D-0000-4000-8000-00000000000" + rng.choice("aAfF1")
    return rng.choice([text, text.lower(), text.upper(), text[:-1]])


def binary_text(rng: random.Random) -> str:
    return "".join(rng.choice("0aAfF1") for _ in range(rng.randint(0, 6)))


def base64_text(rng: random.Random) -> str:
    quartets = ["AAAA", "Zm9v", "+/+/"]
    text = "".join(rng.choice(quartets) for _ in range(rng.randint(0, 2)))
    text += rng.choice(["", "AA==", "Zg==", "Zm8=", "A=", "AB=="])
    return "".join(each + (" " if rng.randrange(8) == 0 else "") for each in text)


def text_of(rng: random.Random, type_name: str) -> str:
    """A random text, often one of the type."""
    if type_name in MOMENTS:
        return moment_text(rng, type_name)
    match type_name:
        case "Date":
            return friendly_date_text(rng)
        case "Number" | "xs:double" | "xs:float":
            return float_text(rng)
        case "xs:decimal":
            return decimal_text(rng)
        case "xs:boolean" | "Boolean":
            return rng.choice(["true", "false", "0", "1", "TRUE"])
        case "xs:hexBinary":
            return binary_text(rng)
        case "xs:base64Binary":
            return base64_text(rng)
        case "Uuid":
            return uuid_text(rng)
        case _ if type_name in WHOLE:
            return integer_text(rng)
        case _ if "uration" in type_name:
            return duration_text(rng)
        case _:
            return plain_text(rng)


WHOLE = (
    "Integer", "xs:integer", "xs:nonPositiveInteger", "xs:negativeInteger", "xs:long", "xs:int",
    "xs:short", "xs:byte", "xs:nonNegativeInteger", "xs:unsignedLong", "xs:unsignedInt",
    "xs:unsignedShort", "xs:unsignedByte", "xs:positiveInteger",
)  # fmt: skip
MOMENTS = (
    "xs:dateTime", "xs:dateTimeStamp", "xs:date", "xs:time", "xs:gYearMonth", "xs:gYear",
    "xs:gMonthDay", "xs:gDay", "xs:gMonth",
)  # fmt: skip
ORDERED = (
    "Number", "xs:decimal", "xs:double", "xs:float", "Date", *WHOLE, *MOMENTS,
    "xs:duration", "xs:yearMonthDuration", "xs:dayTimeDuration",
)  # fmt: skip
TEXTS = (
    "xs:string", "xs:normalizedString", "xs:token", "xs:anyURI", "xs:language", "xs:NMTOKEN",
    "xs:Name", "xs:NCName", "xs:ID", "xs:IDREF", "xs:ENTITY", "Text", "String", "Any", "Empty",
    "Null", "Email", "Uri", "Uuid",
)  # fmt: skip
MEASURED_BY_LENGTH = (
    *TEXTS, "xs:hexBinary", "xs:base64Binary", "xs:NMTOKENS", "xs:IDREFS", "xs:ENTITIES",
    "xs:QName", "xs:NOTATION",
)  # fmt: skip
UNORDERED = (*MEASURED_BY_LENGTH, "xs:boolean", "Boolean")


def texts_of(rng: random.Random, type_name: str, count: int) -> Iterator[str]:
    """Some random texts for a type."""
    for _ in range(count):
        yield text_of(rng, type_name)
