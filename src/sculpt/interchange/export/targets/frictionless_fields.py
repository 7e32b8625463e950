"""The domain of a column as a field of Table Schema: type, format, constraints, missing values.

In: a `Domain`. Out: the members of a field descriptor but its name, or a `Misfit`. Types that Table
Schema lacks become texts with a pattern, where one expression describes them.

Invariant: a text is valid for the field exactly if it is in the domain, as far as the two systems
agree on the texts of a type (`docs/export.md`). Cost: linear in the domain.
"""

from __future__ import annotations

import json
from typing import Any, TypeAlias

from sculpt.core.datatypes.families import Family, family_of
from sculpt.core.datatypes.model import Base, Condition, Relation
from sculpt.interchange.export.meaning.domains import (
    Domain,
    ListOf,
    Misfit,
    plain_language,
    without_specials,
)
from sculpt.interchange.export.meaning.expressions import whole
from sculpt.interchange.export.targets.strptime import format_of, value_in
from sculpt.syntax.regular import CharSet, Choice, Epsilon, Letter, Regular, Repeat, Sequence
from sculpt.syntax.regular import literal as exactly
from sculpt.values import replace

Members: TypeAlias = dict[str, Any]
_BOUNDS = {
    ">=": "minimum",
    "<=": "maximum",
    ">": "exclusiveMinimum",
    "<": "exclusiveMaximum",
}
_MOMENTS = {
    "date": "date",
    "dateTime": "datetime",
    "time": "time",
    "gYear": "year",
    "gYearMonth": "yearmonth",
}
_PICTURES = {"yyyy-MM-dd": "default"}
_BOOLEANS = frozenset(("true", "True", "TRUE", "1", "false", "False", "FALSE", "0"))
"""The texts of a boolean, if a field does not say otherwise."""
_FORMATS = {"Uuid": "uuid", "Email": "email", "Uri": "uri"}
_ITEM_TYPES = frozenset(("string", "integer", "boolean", "number", "datetime", "date", "time"))


def field_of(domain: Domain) -> Members | Misfit:
    """The members of a field that say what a domain says, missing values apart."""
    domain = without_specials(domain)
    if domain.items is not None:
        return _with_required(_list(domain.items), domain)
    if set(domain.texts) == _BOOLEANS:
        return _with_required({"type": "boolean"}, domain)
    if domain.texts:
        texts = {"type": "string", "constraints": {"enum": list(domain.texts)}}
        return _with_required(texts, domain)
    found = _typed(domain)
    if isinstance(found, Misfit):
        language = plain_language(domain)
        if language is None:
            return found
        found = {"type": "string", "constraints": {"pattern": whole(language)}}
    return _with_required(found, domain)


def _with_required(members: Members | Misfit, domain: Domain) -> Members | Misfit:
    if isinstance(members, Misfit) or not domain.is_required:
        return members
    constraints = {"required": True, **members.get("constraints", {})}
    return {**members, "constraints": constraints}


def _typed(domain: Domain) -> Members | Misfit:
    base = domain.base
    if base is None:
        return _text(domain, {"type": "string"})
    family = family_of(base.type)
    match family.kind:
        case "number" | "double" | "float":
            return _number(domain, base, family)
        case "moment":
            return _moment(domain, base, family)
        case "boolean":
            return _constrained(domain, _boolean(base))
        case "duration" if base.type == "xs:duration":
            return _constrained(domain, {"type": "duration"})
        case "json" if base.type != "Json":
            return _constrained(
                domain, {"type": "object" if base.type == "JsonObject" else "array"}
            )
        case "base64Binary":
            return _constrained(domain, {"type": "string", "format": "binary"})
    if base.type in _FORMATS:
        return _text(domain, {"type": "string", "format": _FORMATS[base.type]})
    return Misfit(f"Table Schema has no type for `{base.type}` with these conditions")


def _text(domain: Domain, members: Members) -> Members | Misfit:
    constraints: Members = {}
    for bound in domain.bounds:
        if bound.measured != "length":
            return Misfit(f"Table Schema has no `{bound.measured}` of texts")
        number = int(bound.bound)
        match bound.relation:
            case ">=" | ">":
                low = number + (bound.relation == ">")
                constraints["minLength"] = max(constraints.get("minLength", 0), low)
            case "<=" | "<":
                high = number - (bound.relation == "<")
                constraints["maxLength"] = min(constraints.get("maxLength", high), high)
            case "=":
                constraints |= {"minLength": number, "maxLength": number}
            case _:
                return Misfit("Table Schema cannot exclude a length")
    if len(domain.shapes) > 1:
        return Misfit("Table Schema has one pattern a field")
    if domain.shapes:
        constraints["pattern"] = whole(domain.shapes[0].pattern)
    if domain.values:
        constraints["enum"] = list(domain.values)
    return {**members, **({"constraints": constraints} if constraints else {})}


# ------------------------------------------------------------- types


def _number(domain: Domain, base: Base, family: Family) -> Members | Misfit:
    members: Members = {"type": "integer" if family.whole else "number"}
    if base.picture is not None:
        members |= _number_picture(base)
    ends: tuple[tuple[Relation, int | None], ...] = ((">=", family.low), ("<=", family.high))
    limits = [
        Condition(base, "value", relation, str(limit))
        for relation, limit in ends
        if limit is not None and not any(bound.relation == relation for bound in domain.bounds)
    ]
    return _constrained(replace(domain, bounds=(*limits, *domain.bounds)), members)


def _number_picture(base: Base) -> Members:
    """What Table Schema can say of a picture: the characters, and whether there is text around."""
    picture = (base.picture or "").partition(";")[0]
    members: Members = {}
    if "," in picture:
        members["groupChar"] = base.group or ","
    if base.decimal is not None:
        members["decimalChar"] = base.decimal
    if picture.strip("#0,.E+"):
        members["bareNumber"] = False
    return members


def _moment(domain: Domain, base: Base, family: Family) -> Members | Misfit:
    kind = _MOMENTS.get(family.form or "")
    if kind is None:
        return Misfit(f"Table Schema has no type for `{base.type}`")
    members: Members = {"type": kind}
    form = None
    if base.picture is not None and _PICTURES.get(base.picture) != "default":
        form = format_of(base.picture)
        if form is None or kind in ("year", "yearmonth"):
            return Misfit(f"Table Schema cannot write the picture `{base.picture}`")
        members["format"] = form
    return _constrained(domain, members, form)


def _boolean(base: Base) -> Members:
    yes, no = (base.picture or "true|false").split("|", 1)
    if base.picture is None:
        return {"type": "boolean", "trueValues": ["true", "1"], "falseValues": ["false", "0"]}
    return {"type": "boolean", "trueValues": [yes], "falseValues": [no]}


def _constrained(domain: Domain, members: Members, form: str | None = None) -> Members | Misfit:
    """A type with bounds on its values."""
    if domain.shapes:
        return Misfit("Table Schema has patterns for texts only")
    constraints: Members = {}
    for bound in domain.bounds:
        word = _BOUNDS.get(bound.relation or "")
        if bound.measured != "value" or word is None:
            return Misfit(f"Table Schema has no counterpart of `{_shown(bound)}`")
        value = _value(members["type"], bound.bound, form)
        if value is None:
            return Misfit(f"`{bound.bound}` cannot be written as a {members['type']}")
        constraints[word] = value
    constraints = {word: constraints[word] for word in _BOUNDS.values() if word in constraints}
    if domain.values:
        values = [_value(members["type"], each, form) for each in domain.values]
        if None in values:
            return Misfit(f"its values cannot be written as a {members['type']}")
        constraints["enum"] = values
    return {**members, **({"constraints": constraints} if constraints else {})}


def _value(kind: str, text: str, form: str | None) -> Any:
    """A value of XML Schema in JSON; numbers are numbers if JSON keeps them exactly."""
    if form is not None:
        return value_in(form, text)
    if kind in ("integer", "year"):
        return int(text)
    if kind == "number":
        number = json.loads(text) if _is_json_number(text) else None
        return number if number is not None and str(number) == text else text
    return text


def _is_json_number(text: str) -> bool:
    try:
        return isinstance(json.loads(text), int | float)
    except ValueError:
        return False


def _shown(bound: Condition) -> str:
    what = "…" if bound.measured == "value" else f"{bound.measured}(…)"
    return f"{what} {bound.relation} {bound.bound}"


# ------------------------------------------------------------- lists


def _list(items: ListOf) -> Members | Misfit:
    if items.delimiter.pattern is None:
        item = field_of(replace(items.item, marks=("",)))
        is_plain = not isinstance(item, Misfit) and set(item) == {"type"}
        is_known = isinstance(item, dict) and item["type"] in _ITEM_TYPES
        if is_plain and is_known and isinstance(item, dict):
            members: Members = {"type": "list", "delimiter": items.delimiter.text}
            if item["type"] != "string":
                members["itemType"] = item["type"]
            lengths = _lengths(items)
            return {**members, **({"constraints": lengths} if lengths else {})}
    language = list_language(items)
    if language is None:
        return Misfit("the items of the list need conditions of their own")
    return {"type": "string", "constraints": {"pattern": whole(language)}}


def _lengths(items: ListOf) -> Members:
    found = {"minLength": items.low or None, "maxLength": items.high}
    return {name: value for name, value in found.items() if value is not None}


def list_language(items: ListOf) -> Regular[CharSet] | None:
    """The texts of a list, if one expression describes its items."""
    if items.item.texts:
        item: Regular[CharSet] | None = Choice(tuple(map(exactly, items.item.texts)))
    else:
        item = plain_language(items.item)
    if item is None:
        return None
    pattern = items.delimiter.pattern
    between: Regular[CharSet] = exactly(items.delimiter.text) if pattern is None else pattern
    blanks: Regular[CharSet] = Repeat(Letter(CharSet.chars(" \t")), 0, None)
    separator = between if pattern is not None else Sequence((blanks, between, blanks))
    more = Repeat(
        Sequence((separator, item)),
        max(items.low - 1, 0),
        None if items.high is None else max(items.high - 1, 0),
    )
    some: Regular[CharSet] = Sequence((item, more))
    return some if items.low > 0 else Choice((Epsilon(), some))
