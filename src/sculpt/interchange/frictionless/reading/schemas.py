"""Table Schemas, v1 and v2: JSON to `TableSchema`.

In: the JSON of a schema with its place. Out: a `TableSchema`; what the standard does not allow goes
to the findings, all of it at once.

Invariant: the fields of keys exist, and a constraint is one that the standard has for the type of
its field. Cost: linear in the JSON.
"""

from __future__ import annotations

import re
import warnings
from typing import Any

from sculpt.interchange.frictionless.model import (
    At,
    Constraint,
    Field,
    FieldNames,
    ForeignKey,
    TableSchema,
)
from sculpt.interchange.frictionless.reading.shapes import Findings, described

ORDERED = ("integer", "number", "date", "time", "datetime", "duration", "year", "yearmonth")
_MEASURED = ("string", "array", "object", "list")
_TEXTS = ("string",)
_CATEGORICAL = ("string", "integer")
_STRUCTURED = ("array", "object", "geojson")
TYPES = (
    *("string", "number", "integer", "boolean", "object", "array", "list", "date", "time"),
    *("datetime", "year", "yearmonth", "duration", "geopoint", "geojson", "any"),
)
CONSTRAINTS: dict[str, tuple[str, ...]] = {
    "required": TYPES,
    "unique": TYPES,
    "enum": TYPES,
    "minLength": _MEASURED,
    "maxLength": _MEASURED,
    "minimum": ORDERED,
    "maximum": ORDERED,
    "exclusiveMinimum": ORDERED,
    "exclusiveMaximum": ORDERED,
    "pattern": _TEXTS,
    "jsonSchema": _STRUCTURED,
}
"""Each constraint of the standard, with the types that have it."""
MATCHES = ("exact", "equal", "subset", "superset", "partial")
_OPTIONS = {
    "decimalChar": ("number",),
    "groupChar": ("number", "integer"),
    "bareNumber": ("number", "integer"),
    "trueValues": ("boolean",),
    "falseValues": ("boolean",),
    "delimiter": ("list",),
    "itemType": ("list",),
}
ITEM_TYPES = ("string", "integer", "boolean", "number", "datetime", "date", "time")


def read_schema(value: Any, at: At, findings: Findings, is_v2: bool) -> TableSchema | None:
    """The table schema of a JSON value; `None` if it is none at all."""
    if not isinstance(value, dict):
        findings.wrong(at, f"a table schema is an object, not {described(value)}")
        return None
    is_v2 = is_v2 or "/2." in str(value.get("$schema", ""))
    if "fields" not in value:
        findings.wrong(at, "a table schema has `fields`", 'write `"fields": [{"name": "…"}]`')
    read = [
        _field(each, at.to("fields", ix), findings, is_v2)
        for ix, each in enumerate(findings.array(at, value, "fields"))
    ]
    fields = tuple(each for each in read if each is not None)
    _check_names(fields, findings)
    names = tuple(each.name for each in fields)
    primary = _key(value, "primaryKey", at, findings, names) if "primaryKey" in value else None
    missing = _missing(value, at, findings)
    return TableSchema(
        at,
        fields,
        _fields_match(value, at, findings),
        ("",) if missing is None else missing,
        primary,
        tuple(_unique_keys(value, at, findings, names)),
        tuple(_foreign_keys(value, at, findings, names)),
    )


def _check_names(fields: tuple[Field, ...], findings: Findings) -> None:
    seen: set[str] = set()
    for each in fields:
        if each.name in seen:
            message = f"another field has the name `{each.name}`; names are unique"
            findings.wrong(each.at.to("name"), message)
        seen.add(each.name)


def _field(value: Any, at: At, findings: Findings, is_v2: bool) -> Field | None:
    if not isinstance(value, dict):
        findings.wrong(at, f"a field is an object, not {described(value)}")
        return None
    name = findings.text(at, value, "name", None)
    if name is None:
        if "name" not in value:
            findings.wrong(at, "a field has a `name`")
        return None
    type_ = findings.text(at, value, "type", "any" if is_v2 else "string")
    if type_ not in TYPES:
        message = f"there is no type `{type_}`"
        findings.wrong(at.to("type"), message, f"the types are {', '.join(TYPES)}")
        type_ = "any"
    format_ = findings.text(at, value, "format", "default")
    for word in ("required", "unique"):
        if word in value:
            message = f"`{word}` is a constraint"
            findings.wrong(at.to(word), message, f'write `"constraints": {{"{word}": true}}`')
    options = _options(value, at, findings, type_)
    constraints = _constraints(value, at, findings, type_)
    constraints += _categories(value, at, findings, type_, is_v2)
    return Field(
        name,
        type_,
        format_.removeprefix("fmt:") or "default",
        at,
        options,
        tuple(constraints),
        _missing(value, at, findings),
        findings.text(at, value, "title", ""),
    )


def _options(value: dict[str, Any], at: At, findings: Findings, type_: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, types in _OPTIONS.items():
        if key not in value or type_ not in types:
            continue
        match key:
            case "bareNumber":
                found[key] = findings.flag(at, value, key, True)
            case "trueValues" | "falseValues":
                texts = findings.texts(at, value, key)
                if not texts:
                    findings.wrong(at.to(key), f"`{key}` has at least one text")
                found[key] = texts
            case _:
                found[key] = findings.text(at, value, key, "")
    if found.get("itemType", "string") not in ITEM_TYPES:
        message = f"there is no type of items `{found['itemType']}`"
        findings.wrong(at.to("itemType"), message, f"the types are {', '.join(ITEM_TYPES)}")
        del found["itemType"]
    for key in ("decimalChar", "delimiter"):
        if key in found and not found[key]:
            findings.wrong(at.to(key), f"`{key}` is empty")
            del found[key]
    if "groupChar" in found and found["groupChar"] == found.get("decimalChar", "."):
        message = "`groupChar` is the decimal character as well"
        findings.wrong(at.to("groupChar"), message)
        del found["groupChar"]
    return found


def _constraints(value: dict[str, Any], at: At, findings: Findings, type_: str) -> list[Constraint]:
    found = []
    where = at.to("constraints")
    given = findings.object(at, value, "constraints")
    for name, each in given.items():
        if name not in CONSTRAINTS:
            findings.note(where.to(name), f"the standard has no constraint `{name}`")
        elif type_ not in CONSTRAINTS[name]:
            types = ", ".join(CONSTRAINTS[name])
            message = f"the type `{type_}` has no constraint `{name}`"
            findings.wrong(where.to(name), message, f"it is for {types}")
        elif _is_right(name, each, where, given, findings):
            found.append(Constraint(name, each, where.to(name)))
    return found


def _categories(
    value: dict[str, Any], at: At, findings: Findings, type_: str, is_v2: bool
) -> list[Constraint]:
    """The only values of a field of v2, each alone or in an object with a label."""
    if "categories" not in value:
        return []
    where = at.to("categories")
    if not is_v2 or type_ not in _CATEGORICAL:
        why = f"the type `{type_}` has none" if is_v2 else "version 1 of the standard has none"
        hint = "" if is_v2 else "name the version: `$schema`"
        findings.note(where, f"`categories` are not checked: {why}", hint)
        return []
    listed = findings.array(at, value, "categories")
    kept = []
    for ix, each in enumerate(listed):
        given = each.get("value") if isinstance(each, dict) else each
        if isinstance(given, str | int) and not isinstance(given, bool):
            kept.append(given)
        else:
            message = "a text, a whole number, or an object with such a `value`, is expected"
            findings.wrong(where.to(ix), f"{message}, not {described(each)}")
    if not listed and isinstance(value["categories"], list):
        findings.wrong(where, "`categories` has at least one value")
    return [Constraint("categories", kept, where)] if kept else []


def _is_right(name: str, value: Any, where: At, given: dict[str, Any], findings: Findings) -> bool:
    """Has a constraint a value of the right shape?"""
    before = len(findings.problems)
    match name:
        case "required" | "unique":
            findings.flag(where, given, name, False)
        case "minLength" | "maxLength":
            findings.count(where, given, name, 0)
        case "pattern":
            _check_pattern(findings.text(where, given, name, ""), where.to(name), findings)
        case "enum":
            if not findings.array(where, given, name) and isinstance(value, list):
                findings.wrong(where.to(name), "`enum` has at least one value")
        case "jsonSchema":
            findings.object(where, given, name)
        case _ if isinstance(value, bool | list | dict) or value is None:
            message = f"`{name}` is a number or a text, not {described(value)}"
            findings.wrong(where.to(name), message)
    return len(findings.problems) == before


def _check_pattern(pattern: str, at: At, findings: Findings) -> None:
    """Brackets close, and what is repeated is there; letters after a backslash are left to others.

    XML Schema and Python have the same structure of expressions, and not the same escapes.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        try:
            re.compile(pattern)
        except re.error as error:
            if not error.msg.startswith("bad escape"):
                findings.wrong(at, f"`pattern` is no regular expression: {error}")
        except (OverflowError, RecursionError):
            findings.wrong(at, "`pattern` is too large or too deep")


def _missing(value: dict[str, Any], at: At, findings: Findings) -> tuple[str, ...] | None:
    """The texts for no value; in v2 each may be an object with a label."""
    if "missingValues" not in value:
        return None
    kept = []
    for ix, each in enumerate(findings.array(at, value, "missingValues")):
        place = at.to("missingValues", ix)
        match each:
            case str():
                kept.append(each)
            case {"value": str(text)}:
                kept.append(text)
            case _:
                message = f"a text, or an object with a `value`, is expected, not {described(each)}"
                findings.wrong(place, message)
    return tuple(dict.fromkeys(kept))


def _fields_match(value: dict[str, Any], at: At, findings: Findings) -> str:
    """How fields and labels are matched; the profile of v2 has an array of one word."""
    given = value.get("fieldsMatch", "exact")
    if isinstance(given, list) and len(given) == 1:
        given = given[0]
    if isinstance(given, str) and given in MATCHES:
        return given
    message = f"`fieldsMatch` is one of {', '.join(MATCHES)}, not {described(given)}"
    findings.wrong(at.to("fieldsMatch"), message)
    return "exact"


# ------------------------------------------------------------- keys


def _names(value: Any, at: At, findings: Findings) -> tuple[str, ...]:
    """The names of fields: a text, or an array of texts."""
    match value:
        case str() if value:
            return (value,)
        case [*names] if names and all(isinstance(each, str) for each in names):
            return tuple(names)
    message = f"the name of a field, or an array of names, is expected, not {described(value)}"
    findings.wrong(at, message)
    return ()


def _known(
    names: tuple[str, ...], known: tuple[str, ...], at: At, findings: Findings
) -> tuple[str, ...]:
    for name in names:
        if name not in known:
            hint = f"the fields are {', '.join(dict.fromkeys(known))}"
            findings.wrong(at, f"there is no field `{name}`", hint)
    return names if all(name in known for name in names) else ()


def _key(
    value: dict[str, Any], key: str, at: At, findings: Findings, known: tuple[str, ...]
) -> FieldNames | None:
    where = at.to(key)
    if value[key] in ([], ""):
        return None
    names = _known(_names(value[key], where, findings), known, where, findings)
    return FieldNames(names, where) if names else None


def _unique_keys(
    value: dict[str, Any], at: At, findings: Findings, known: tuple[str, ...]
) -> list[FieldNames]:
    found = []
    for ix, each in enumerate(findings.array(at, value, "uniqueKeys")):
        where = at.to("uniqueKeys", ix)
        names = _known(_names(each, where, findings), known, where, findings)
        if names:
            found.append(FieldNames(names, where))
    return found


def _foreign_keys(
    value: dict[str, Any], at: At, findings: Findings, known: tuple[str, ...]
) -> list[ForeignKey]:
    found = []
    for ix, each in enumerate(findings.array(at, value, "foreignKeys")):
        where = at.to("foreignKeys", ix)
        if not isinstance(each, dict):
            findings.wrong(where, f"a foreign key is an object, not {described(each)}")
            continue
        for word in ("fields", "reference"):
            if word not in each:
                findings.wrong(where, f"a foreign key has `{word}`")
        reference = findings.object(where, each, "reference")
        if "fields" not in each or not reference:
            continue
        inner = where.to("reference")
        resource = findings.text(inner, reference, "resource", "")
        names = _names(each["fields"], where.to("fields"), findings)
        names = _known(names, known, where.to("fields"), findings)
        targets = _names(reference.get("fields"), inner.to("fields"), findings)
        if names and targets and len(names) != len(targets):
            message = f"{len(names)} and {len(targets)} fields cannot be compared"
            findings.wrong(where, message, "`fields` and `reference.fields` have the same number")
        elif names and targets:
            if not resource:
                _known(targets, known, inner.to("fields"), findings)
            found.append(ForeignKey(names, resource, targets, where))
    return found


__all__ = ["CONSTRAINTS", "ITEM_TYPES", "MATCHES", "ORDERED", "TYPES", "read_schema"]
