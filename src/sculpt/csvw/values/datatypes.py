"""Datatypes of CSVW: what a text is worth, and how that is written in RDF and JSON.

In: a datatype. Out: a `Lexicon`, which reads texts: a `Value` with the text of XML Schema that RDF
and URI templates use, and the text of a JSON value; or what is wrong with the text ("Model for
Tabular Data and Metadata on the Web", 4.6 and 6.4). A text that is not of the datatype, or that
breaks a length or a bound, is a string with an error.

A text that XML Schema has already is kept as it is: `007` stays `007` in RDF, and is 7 in JSON.

Invariant: `read` depends on nothing but the text. Cost: a few matches of regular expressions for
each text; `kept` says which texts need none of that.
"""

from __future__ import annotations

import json
import math
import re
from base64 import b64decode
from collections.abc import Callable
from decimal import Decimal
from functools import lru_cache

from sculpt.core.builtins import XSD
from sculpt.core.datatypes.families import family_of
from sculpt.core.datatypes.model import Base, Condition, ConditionError
from sculpt.core.datatypes.reading import check, holds
from sculpt.core.datatypes.reading import value as xsd_value
from sculpt.csvw.values.moments import moment_reader
from sculpt.csvw.values.numbers import number_reader
from sculpt.interchange.csvw.model import Datatype
from sculpt.interchange.csvw.writing.expressions import format_matcher
from sculpt.values import frozen

FREE = frozenset({"string", "json", "xml", "html", "anyAtomicType"})
"""Any text is of these, and white space in it counts."""
NUMERIC = frozenset(
    name for name in XSD if family_of(f"xs:{name}").kind in ("number", "double", "float")
)
_MOMENTS = frozenset(name for name in XSD if family_of(f"xs:{name}").kind == "moment")
_MAX_SHOWN = 60


@frozen
class Value:
    """What a text is worth."""

    text: str
    """As XML Schema writes it."""
    json: str
    """A JSON value, as text."""
    is_typed: bool = True
    """Has it the datatype of the column? Otherwise it is a string."""
    error: str | None = None


ReadText = Callable[[str], "tuple[str, str] | None"]
"""From a text to those of XML Schema and of JSON."""


@frozen
class Lexicon:
    """Reads the texts of a datatype."""

    datatype: Datatype
    parse: ReadText
    checks: tuple[Callable[[str], str | None], ...]
    """What is wrong with a text of XML Schema."""
    kept: str | None
    """An RE2 expression: these texts are the same in XML Schema, and no check fails for them.

    In JSON they are the same, too, or the same in quotes.
    """

    def read(self, text: str) -> Value:
        """What a text is worth."""
        found = self.parse(text)
        if found is None:
            return Value(text, quoted(text), False, self._refusal(text))
        lexical, as_json = found
        for each in self.checks:
            wrong = each(lexical)
            if wrong is not None:
                return Value(text, quoted(text), False, wrong)
        return Value(lexical, as_json)

    def _refusal(self, text: str) -> str:
        shown = text if len(text) <= _MAX_SHOWN else f"{text[:_MAX_SHOWN]}…"
        form = f" in the format `{self.datatype.format}`" if self.datatype.format else ""
        return f"`{shown}` is not a value of the datatype `{self.datatype.base}`{form}"


def quoted(text: str) -> str:
    """A text as a JSON string."""
    return json.dumps(text, ensure_ascii=False)


@lru_cache(maxsize=4096)
def lexicon_of(datatype: Datatype) -> Lexicon:
    """What reads the texts of a datatype."""
    base = datatype.base
    checks = (*_length_checks(datatype), *_bound_checks(datatype))
    parse: ReadText
    if base in NUMERIC:
        parse = _numbers(datatype)
    elif base in _MOMENTS:
        parse = _moments(datatype)
    elif base == "boolean":
        parse = _booleans(datatype)
    else:
        parse = _texts(datatype)
    is_bare = datatype.format is None and not checks and not datatype.decimal_char
    kept = _KEPT.get(base) if is_bare and not datatype.group_char else None
    return Lexicon(datatype, parse, checks, kept)


_JSON_TEXT = r"-?(?:0|[1-9][0-9]{0,300})(?:\.[0-9]+)?(?:[eE][+-]?[0-9]{1,2})?"
"""Numbers that JSON writes like XML Schema, and that are not too large for anybody."""
_JSON_NUMBER = re.compile(_JSON_TEXT)
_WHOLE_NUMBER = r"^(?:0|-?[1-9][0-9]{0,17})$"
_KEPT = {
    **dict.fromkeys(("string", "json", "xml", "html", "anyAtomicType"), r"(?s)^.*$"),
    "integer": _WHOLE_NUMBER,
    "long": _WHOLE_NUMBER,
    "int": r"^(?:0|-?[1-9][0-9]{0,8})$",
    "short": r"^(?:0|-?[1-9][0-9]{0,3})$",
    "byte": r"^(?:0|-?[1-9][0-9]?)$",
    "nonNegativeInteger": r"^(?:0|[1-9][0-9]{0,300})$",
    "positiveInteger": r"^[1-9][0-9]{0,300}$",
    "unsignedLong": r"^(?:0|[1-9][0-9]{0,18})$",
    "unsignedInt": r"^(?:0|[1-9][0-9]{0,8})$",
    "unsignedShort": r"^(?:0|[1-9][0-9]{0,3})$",
    "unsignedByte": r"^(?:0|[1-9][0-9]?)$",
    "decimal": r"^-?(?:0|[1-9][0-9]{0,300})(?:\.[0-9]+)?$",
    "double": f"^{_JSON_TEXT}$",
    "float": f"^{_JSON_TEXT}$",
    "boolean": r"^(?:true|false)$",
    "date": r"^[1-9][0-9]{3}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1[0-9]|2[0-8])$",
    "dateTime": (
        r"^[1-9][0-9]{3}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1[0-9]|2[0-8])"
        r"T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\.[0-9]+)?Z?$"
    ),
    "time": r"^(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\.[0-9]+)?Z?$",
    "gYear": r"^[1-9][0-9]{3}$",
}
"""By datatype: texts that need not be read, which is nearly all of them in nearly all files.

Leap days are read. White space inside is read, since it is collapsed.
"""


# ------------------------------------------------------------- by kind


def _numbers(datatype: Datatype) -> ReadText:
    read = number_reader(datatype)
    base = Base(f"xs:{datatype.base}")
    is_exact = family_of(base.type).kind == "number"

    def parse(text: str) -> tuple[str, str] | None:
        number = read(text)
        if number is None:
            return None
        is_written = xsd_value(base, text) is not None
        is_json = is_written and _JSON_NUMBER.fullmatch(text) is not None
        if isinstance(number, Decimal):
            plain = text if is_json else _plain(number)
            return (text if is_written else plain), plain
        lexical = text if is_written else _float_text(number)
        if is_json:
            return lexical, text
        return lexical, repr(number) if math.isfinite(number) else quoted(_float_text(number))

    assert is_exact or datatype.base in ("double", "float")
    return parse


def _plain(number: Decimal) -> str:
    """A number without an exponent and without zeros that say nothing."""
    text = format(number, "f")
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return text


def _float_text(number: float) -> str:
    if math.isnan(number):
        return "NaN"
    if math.isinf(number):
        return "INF" if number > 0 else "-INF"
    return repr(number)


def _moments(datatype: Datatype) -> ReadText:
    read = moment_reader(datatype)

    def parse(text: str) -> tuple[str, str] | None:
        found = read(text)
        return None if found is None else (found, quoted(found))

    return parse


def _booleans(datatype: Datatype) -> ReadText:
    texts = {"true": "true", "1": "true", "false": "false", "0": "false"}
    if datatype.format is not None and datatype.format.count("|") == 1:
        true, false = datatype.format.split("|")
        if true and false and true != false:
            texts = {true: "true", false: "false"}

    def parse(text: str) -> tuple[str, str] | None:
        found = texts.get(text)
        return None if found is None else (found, found)

    return parse


def _texts(datatype: Datatype) -> ReadText:
    expression = format_matcher(datatype)
    base = Base(f"xs:{datatype.base}") if datatype.base not in FREE else None
    if base is not None and base.type[3:] not in XSD:
        base = None

    def parse(text: str) -> tuple[str, str] | None:
        if expression is not None and not expression.matches(text):
            return None
        if base is not None and not _is_of(base, text):
            return None
        return text, quoted(text)

    return parse


def _is_of(base: Base, text: str) -> bool:
    try:
        return xsd_value(base, text) is not None
    except ValueError:  # base64 that only looks like it
        return False


# ------------------------------------------------------------- lengths and bounds


def _length_checks(datatype: Datatype) -> list[Callable[[str], str | None]]:
    exact, least, most = datatype.length, datatype.min_length, datatype.max_length
    if exact is None and least is None and most is None:
        return []
    unit = "bytes" if datatype.base in ("hexBinary", "base64Binary") else "characters"

    def wrong(text: str) -> str | None:
        size = _length(datatype.base, text)
        for bound, is_broken, words in (
            (exact, exact is not None and size != exact, "must have"),
            (least, least is not None and size < least, "must have at least"),
            (most, most is not None and size > most, "must have at most"),
        ):
            if is_broken:
                return f"`{text[:_MAX_SHOWN]}` has {size} {unit}; it {words} {bound}"
        return None

    return [wrong]


def _length(base: str, text: str) -> int:
    match base:
        case "hexBinary":
            return len(text) // 2
        case "base64Binary":
            return len(b64decode(text))
        case _:
            return len(text)


def _bound_checks(datatype: Datatype) -> list[Callable[[str], str | None]]:
    found: list[Callable[[str], str | None]] = []
    for bound in datatype.bounds:
        condition = Condition(Base(f"xs:{datatype.base}"), "value", bound.operator, bound.text)
        try:
            check(condition)
        except ConditionError:
            continue  # the reader of the metadata has said so

        def wrong(
            text: str,
            condition: Condition = condition,
            words: str = f"{bound.property} {bound.text}",
        ) -> str | None:
            if holds(condition, text):
                return None
            return f"`{text[:_MAX_SHOWN]}` is out of bounds: {words}"

        found.append(wrong)
    return found
