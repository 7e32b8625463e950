"""The domain of a column in CSVW: datatype, `null`, `required`, `separator`.

In: a `Domain`. Out: the members of a column description, or a `Misfit`. What CSVW has no datatype
for becomes a text with a `format`, where one expression describes it; so do lists of texts.

Invariant: a cell is valid exactly if its text is in the domain, as far as the two systems agree on
the texts of a type (`docs/export.md`). Cost: linear in the domain.
"""

from __future__ import annotations

import re
from typing import Any, TypeAlias

from sculpt.core.datatypes.families import family_of
from sculpt.core.datatypes.model import Base, Condition
from sculpt.interchange.export.meaning.domains import (
    Domain,
    ListOf,
    Misfit,
    plain_language,
    without_specials,
)
from sculpt.interchange.export.meaning.expressions import whole
from sculpt.syntax.regular import CharSet, Choice, Regular
from sculpt.syntax.regular import literal as exactly
from sculpt.values import replace

Members: TypeAlias = dict[str, Any]
_TYPES = frozenset(
    (
        *("anyURI", "base64Binary", "boolean", "date", "dateTime", "dateTimeStamp", "decimal"),
        *("integer", "long", "int", "short", "byte", "nonNegativeInteger", "positiveInteger"),
        *("unsignedLong", "unsignedInt", "unsignedShort", "unsignedByte", "nonPositiveInteger"),
        *("negativeInteger", "double", "duration", "dayTimeDuration", "yearMonthDuration"),
        *("float", "gDay", "gMonth", "gMonthDay", "gYear", "gYearMonth", "hexBinary", "QName"),
        *("string", "normalizedString", "token", "language", "Name", "NMTOKEN", "time"),
    )
)
_OWN = {"Integer": "integer", "Number": "number", "Boolean": "boolean", "Date": "date",
        "Json": "json"}  # fmt: skip
_BOUNDS = {">=": "minimum", "<=": "maximum", ">": "minExclusive", "<": "maxExclusive"}
_DAY = (
    r"yyyy-MM-dd|yyyyMMdd|dd-MM-yyyy|d-M-yyyy|MM-dd-yyyy|M-d-yyyy|dd/MM/yyyy|d/M/yyyy|MM/dd/yyyy"
    r"|M/d/yyyy|dd\.MM\.yyyy|d\.M\.yyyy|MM\.dd\.yyyy|M\.d\.yyyy"
)
_TIME = r"HH:mm:ss\.S+|HH:mm:ss|HHmmss|HH:mm|HHmm"
_ZONE = r"(?: ?(?:X{1,3}|x{1,3}))?"
_PICTURES = {
    "date": re.compile(f"(?:{_DAY}){_ZONE}"),
    "time": re.compile(f"(?:{_TIME}){_ZONE}"),
    "dateTime": re.compile(f"(?:{_DAY})(?:'T'|T| )(?:{_TIME}){_ZONE}"),
}
"""The pictures of dates and times that every CSVW processor must take."""


def column_of(domain: Domain) -> Members | Misfit:
    """The members of a column that say what a domain says."""
    domain = without_specials(domain)
    found = _list(domain.items) if domain.items is not None else _datatype(domain)
    if isinstance(found, Misfit):
        return found
    if domain.is_required:
        found["required"] = True
    if domain.missing != ("",):
        found["null"] = list(domain.missing) if len(domain.missing) > 1 else domain.missing[0]
    return found


def _datatype(domain: Domain) -> Members | Misfit:
    if domain.texts:
        return _shaped(_format_of(Choice(tuple(map(exactly, domain.texts)))))
    found = _text(domain) if domain.base is None else _typed(domain, domain.base)
    if isinstance(found, Misfit):
        language = plain_language(domain)
        return found if language is None else _shaped(_format_of(language))
    return found


def _shaped(expression: str) -> Members:
    return {"datatype": {"base": "string", "format": expression}}


def _format_of(pattern: Regular[CharSet]) -> str:
    """An expression with anchors: some processors look for a match anywhere in the text."""
    return f"^{whole(pattern)}$"


def _text(domain: Domain, base: str = "string") -> Members | Misfit:
    if len(domain.shapes) > 1:
        return Misfit("CSVW has one `format` a column")
    members: Members = {"base": base}
    if domain.shapes:
        members["format"] = _format_of(domain.shapes[0].pattern)
    for bound in domain.bounds:
        number = bound.bound
        if bound.measured != "length" or bound.relation == "!=":
            return Misfit(f"CSVW has no counterpart of `{_shown(bound)}`")
        match bound.relation:
            case "=":
                members["length"] = int(number)
            case ">=" | ">":
                members["minLength"] = int(number) + (bound.relation == ">")
            case _:
                members["maxLength"] = int(number) - (bound.relation == "<")
    if domain.values:
        return Misfit("CSVW has no enumerations")
    return {"datatype": members if len(members) > 1 else base}


def _typed(domain: Domain, base: Base) -> Members | Misfit:
    bare = base.type.removeprefix("xs:")
    name = _OWN.get(base.type) or (bare if base.type != bare and bare in _TYPES else None)
    family = family_of(base.type)
    if name is None:
        return Misfit(f"CSVW has no datatype for `{base.type}`")
    if domain.values:
        return Misfit("CSVW has no enumerations")
    if family.kind in ("text", "hexBinary", "base64Binary", "name"):
        return _text(domain, name)
    if domain.shapes:
        return Misfit("CSVW has a `format` for texts only, besides that of the type")
    members: Members = {"base": name}
    if base.picture is not None:
        form = _format(base, family.kind)
        if isinstance(form, Misfit):
            return form
        members["format"] = form
    for bound in domain.bounds:
        word = _BOUNDS.get(bound.relation or "")
        if bound.measured != "value" or word is None or family.kind == "boolean":
            return Misfit(f"CSVW has no counterpart of `{_shown(bound)}`")
        members[word] = bound.bound
    return {"datatype": members if len(members) > 1 else name}


def _format(base: Base, kind: str) -> Any:
    """A picture as a `format`."""
    picture = base.picture or ""
    if kind == "boolean":
        return picture
    if kind == "moment":
        known = _PICTURES.get(family_of(base.type).form or "")
        if known is None or not known.fullmatch(picture):
            return Misfit(f"CSVW does not have the picture `{picture}`")
        return picture.replace("'T'", "T")
    if set(picture) - set("#0.,%‰E-+"):
        return Misfit(f"CSVW has no such form of numbers as `{picture}`")
    signs = {"decimalChar": base.decimal, "groupChar": base.group}
    given = {name: char for name, char in signs.items() if char is not None}
    return {"pattern": picture, **given} if given else picture


def _list(items: ListOf) -> Members | Misfit:
    if items.delimiter.pattern is not None:
        return Misfit("CSVW has a text between the items of a list, not an expression")
    if items.low > 0 or items.high is not None:
        return Misfit("CSVW does not count the items of a list")
    item = _datatype(replace(items.item, marks=()))
    if isinstance(item, Misfit):
        return item
    return {**item, "separator": items.delimiter.text}


def _shown(bound: Condition) -> str:
    what = "…" if bound.measured == "value" else f"{bound.measured}(…)"
    return f"{what} {bound.relation} {bound.bound}"
