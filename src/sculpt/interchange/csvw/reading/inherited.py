"""Inherited properties: those of groups, tables and schemas that reach the columns.

In: any description object. Out: the inherited properties that it gives, by name; and a column made
of those of all objects around it ("Metadata Vocabulary", section 5.7).

Invariant: only valid values are kept, so an invalid one does not hide that of an outer object.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from sculpt.interchange.csvw.model import Column
from sculpt.interchange.csvw.reading.datatypes import read_datatype
from sculpt.interchange.csvw.reading.properties import (
    Object,
    Scope,
    atomic,
    is_flag,
    is_text,
    language_of,
    one_of,
    shown,
    template,
)
from sculpt.values import replace

Inherited: TypeAlias = "Mapping[str, Any]"
"""By the names of the fields of `Column`."""

NAMES = frozenset(
    (
        "aboutUrl", "datatype", "default", "lang", "null", "ordered", "propertyUrl", "required",
        "separator", "textDirection", "valueUrl",
    )
)  # fmt: skip
_URLS = (("aboutUrl", "about_url"), ("propertyUrl", "property_url"), ("valueUrl", "value_url"))
_MISSING: Any = object()


def read_inherited(scope: Scope, given: Object) -> dict[str, Any]:
    """The inherited properties of an object."""
    found: dict[str, Any] = {
        "about_url": template(scope, given, "aboutUrl"),
        "property_url": template(scope, given, "propertyUrl"),
        "value_url": template(scope, given, "valueUrl"),
        "lang": language_of(scope, given, "lang"),
        "null": _nulls(scope, given),
        "text_direction": one_of(
            scope, given, "textDirection", ("ltr", "rtl", "auto", "inherit"), None
        ),
        "default": atomic(scope, given, "default", is_text, None, "a string"),
        "ordered": atomic(scope, given, "ordered", is_flag, None, "`true` or `false`"),
        "required": atomic(scope, given, "required", is_flag, None, "`true` or `false`"),
    }
    if "datatype" in given:
        found["datatype"] = read_datatype(scope.below("datatype"), given["datatype"])
    kept = {name: value for name, value in found.items() if value is not None}
    separator = atomic(
        scope, given, "separator", lambda value: value is None or is_text(value), _MISSING,
        "a string or `null`",
    )  # fmt: skip
    if separator is not _MISSING:
        kept["separator"] = separator or None
    places = tuple((name, scope.place.below(name)) for name, key in _URLS if key in kept)
    return {**kept, "url_places": places} if places else kept


def _nulls(scope: Scope, given: Object) -> tuple[str, ...] | None:
    if "null" not in given:
        return None
    value = given["null"]
    if isinstance(value, str):
        return (value,)
    if not isinstance(value, list):
        scope.warning(
            f"`null` must be a string or an array, not {shown(value)}: it is ignored", "null"
        )
        return None
    for ix, item in enumerate(value):
        if not isinstance(item, str):
            scope.warning(f"`null` must have strings: {shown(item)} is ignored", "null", ix)
    return tuple(dict.fromkeys(item for item in value if isinstance(item, str)))


def with_inherited(column: Column, *around: Inherited) -> Column:
    """The column with inherited properties, those of outer objects first."""
    merged: dict[str, Any] = {}
    for each in around:
        places = {**dict(merged.get("url_places", ())), **dict(each.get("url_places", ()))}
        merged.update(each)
        if places:
            merged["url_places"] = tuple(places.items())
    return replace(column, **merged) if merged else column
