"""What the built-in datatypes of CSVW have in common.

In: the name of a datatype. Out: its canonical name; the kind it is of, which decides what its
format means and which facets it has; how white space is treated ("Metadata Vocabulary", section
5.11; "Model for Tabular Data", section 6.4).
"""

from __future__ import annotations

from typing import Literal, TypeAlias

Kind: TypeAlias = Literal["number", "boolean", "moment", "duration", "text", "binary"]

ALIASES = {
    "number": "double",
    "binary": "base64Binary",
    "datetime": "dateTime",
    "any": "anyAtomicType",
}

INTEGERS = frozenset(
    (
        "integer", "long", "int", "short", "byte", "nonNegativeInteger", "positiveInteger",
        "unsignedLong", "unsignedInt", "unsignedShort", "unsignedByte", "nonPositiveInteger",
        "negativeInteger",
    )
)  # fmt: skip
DECIMALS = INTEGERS | {"decimal"}
NUMBERS = DECIMALS | {"double", "float"}
MOMENTS = frozenset(
    (
        "date", "dateTime", "dateTimeStamp", "time", "gDay", "gMonth", "gMonthDay", "gYear",
        "gYearMonth",
    )
)  # fmt: skip
DURATIONS = frozenset(("duration", "dayTimeDuration", "yearMonthDuration"))
BINARIES = frozenset(("base64Binary", "hexBinary"))
STRINGS = frozenset(
    (
        "string", "normalizedString", "token", "language", "Name", "NCName", "NMTOKEN", "ID",
        "IDREF", "ENTITY", "xml", "html", "json",
    )
)  # fmt: skip
"""`string` and its subtypes."""

VERBATIM = frozenset(("string", "json", "xml", "html", "anyAtomicType"))
"""Their white space stays as it is."""
UNCHECKED = frozenset((*VERBATIM, "normalizedString", "token", "anyURI"))
"""Every text is a value of them, once white space is normalised."""


def canonical(name: str) -> str:
    """The name that a datatype goes by in the model."""
    return ALIASES.get(name, name)


def kind_of(base: str) -> Kind:
    """The kind of a datatype, by its canonical name."""
    if base in NUMBERS:
        return "number"
    if base in MOMENTS:
        return "moment"
    if base in DURATIONS:
        return "duration"
    if base in BINARIES:
        return "binary"
    return "boolean" if base == "boolean" else "text"


def is_measured(base: str) -> bool:
    """Has it a length?"""
    return base in STRINGS or base in BINARIES


def is_ordered(base: str) -> bool:
    """Can its values be compared?"""
    return kind_of(base) in ("number", "moment", "duration")


def trims(base: str) -> bool:
    """Are blanks around a value ignored?"""
    return base not in VERBATIM and base != "normalizedString"
