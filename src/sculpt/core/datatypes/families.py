"""What each predefined type is: how its texts are read, which bounds it has, what can be measured.

In: the name of a predefined token. Out: its `Family`. XML Schema derives 25 types from 19; for
values only the family matters, and for whole numbers the least and the greatest one
(XML Schema 1.1 Part 2, 3.3 and 3.4).

Invariant: every name of `builtins.XSD` and `builtins.FRIENDLY` has a family, and `ANY_CASE`, which
only keys and references know. Cost: a table.
"""

from __future__ import annotations

from functools import cache
from typing import Literal as OneOf
from typing import TypeAlias

from sculpt.core.builtins import ASKED, FRIENDLY, XSD
from sculpt.core.datatypes.model import ConditionError, Measured
from sculpt.diagnostics import Diagnostic, Source
from sculpt.syntax.lines import Fragment
from sculpt.syntax.regex import parse_regex
from sculpt.syntax.regular import CharSet, Nothing, Regular
from sculpt.values import frozen

Kind: TypeAlias = OneOf[
    "number", "double", "float", "moment", "duration", "boolean", "hexBinary", "base64Binary",
    "text", "name", "list", "json", "folded",
]  # fmt: skip
MomentForm: TypeAlias = OneOf[
    "dateTime", "date", "time", "gYearMonth", "gYear", "gMonthDay", "gDay", "gMonth"
]

ANY_CASE = "AnyCase"
"""The type by which keys and references ignore case. It is no token: all texts are of it."""


@frozen
class Family:
    """How the values of a type are made and compared."""

    name: str
    kind: Kind
    whole: bool = False
    """Numbers without a fraction."""
    low: int | None = None
    high: int | None = None
    form: MomentForm | None = None
    """Of the texts of a moment; the friendly `Date` has others besides."""
    collapse: bool = True
    """White space in a bound means nothing."""

    @property
    def is_ordered(self) -> bool:
        """Can values be smaller and larger?"""
        return self.kind in ("number", "double", "float", "moment", "duration")

    @property
    def measures(self) -> tuple[Measured, ...]:
        """What conditions can be about."""
        match self.kind:
            case "number":
                return ("value", "digits", "decimals")
            case "text" | "name" | "list" | "hexBinary" | "base64Binary":
                return ("value", "length")
            case "json" | "folded":
                return ()
            case _:
                return ("value",)


_WHOLE: dict[str, tuple[int | None, int | None]] = {
    "integer": (None, None),
    "nonPositiveInteger": (None, 0),
    "negativeInteger": (None, -1),
    "nonNegativeInteger": (0, None),
    "positiveInteger": (1, None),
    **{name: (-(1 << bits - 1), (1 << bits - 1) - 1)
       for name, bits in {"long": 64, "int": 32, "short": 16, "byte": 8}.items()},
    **{name: (0, (1 << bits) - 1)
       for name, bits in {"unsignedLong": 64, "unsignedInt": 32, "unsignedShort": 16,
                          "unsignedByte": 8}.items()},
}  # fmt: skip
_FORMS: dict[str, MomentForm] = {
    "dateTime": "dateTime", "dateTimeStamp": "dateTime", "date": "date", "time": "time",
    "gYearMonth": "gYearMonth", "gYear": "gYear", "gMonthDay": "gMonthDay", "gDay": "gDay",
    "gMonth": "gMonth",
}  # fmt: skip
_KINDS: dict[str, Kind] = {
    "decimal": "number", "double": "double", "float": "float", "boolean": "boolean",
    "duration": "duration", "yearMonthDuration": "duration", "dayTimeDuration": "duration",
    "hexBinary": "hexBinary", "base64Binary": "base64Binary", "QName": "name", "NOTATION": "name",
    "NMTOKENS": "list", "IDREFS": "list", "ENTITIES": "list",
}  # fmt: skip


@cache
def family_of(name: str) -> Family:
    """The family of a type; raises `ConditionError` if there is no such type."""
    if name.startswith("xs:") and name[3:] in XSD:
        bare = name[3:]
        if bare in _WHOLE:
            low, high = _WHOLE[bare]
            return Family(name, "number", whole=True, low=low, high=high)
        if bare in _FORMS:
            return Family(name, "moment", form=_FORMS[bare])
        keeps_blanks = bare in ("string", "normalizedString")
        return Family(name, _KINDS.get(bare, "text"), collapse=not keeps_blanks)
    match name:
        case "Number":
            return Family(name, "number")
        case "Integer":
            return Family(name, "number", whole=True)
        case "Boolean":
            return Family(name, "boolean")
        case "Date":
            return Family(name, "moment", form="date")
        case _ if name == ANY_CASE:
            return Family(name, "folded", collapse=False)
        case _ if name in ASKED:
            return Family(name, "json")
        case _ if name in FRIENDLY:
            return Family(name, "text", collapse=name in ("Uuid", "Email", "Uri"))
    raise ConditionError("unknown-type", f"there is no type `{name}`")


def expression_of(name: str) -> str:
    """The regular expression of a predefined token, as text."""
    return XSD[name[3:]] if name.startswith("xs:") else FRIENDLY[name]


@cache
def pattern_of(name: str) -> Regular[CharSet]:
    """The texts of a predefined token; for `Json`, those that need no reading."""
    return parsed(expression_of(name))


@cache
def asked_of(name: str) -> Regular[CharSet]:
    """The texts of a predefined token that must be read to be judged."""
    return parsed(ASKED[name]) if name in ASKED else Nothing()


def parsed(text: str) -> Regular[CharSet]:
    """An expression that we wrote ourselves."""
    problems: list[Diagnostic] = []
    source = Source("<predefined>", text)
    pattern = parse_regex(Fragment(source, text, tuple(range(len(text))), len(text)), problems)
    assert pattern is not None, problems
    return pattern
