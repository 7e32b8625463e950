"""Common properties and notes: JSON-LD within CSVW's restrictions, normalised.

In: an object, and the scope it is read in. Out: its common properties, and values whose strings are
value objects and whose `@id`s are absolute URLs ("Metadata Vocabulary", sections 5.8, 6 and A).

Invariant: what breaks a restriction is an error. Cost: linear in the value; its depth is bounded by
the reader of JSON.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urljoin

from sculpt.interchange.csvw.language_tags import UNDEFINED, is_language_tag
from sculpt.interchange.csvw.model import CommonProperties, Json
from sculpt.interchange.csvw.reading.context import (
    CLASSES,
    DATATYPES,
    expand_prefix,
    is_common_name,
)
from sculpt.interchange.csvw.reading.properties import Object, Scope, array, shown


def common_properties(scope: Scope, given: Object) -> CommonProperties:
    """The common properties of an object, in the order of the document."""
    return tuple(
        (name, normal_value(scope.below(name), value))
        for name, value in given.items()
        if is_common_name(name)
    )


def notes(scope: Scope, given: Object) -> tuple[Json, ...]:
    """The property `notes`: any objects."""
    found = []
    for ix, note in enumerate(array(scope, given, "notes")):
        if isinstance(note, Mapping):
            found.append(normal_value(scope.below("notes", ix), note))
        else:
            scope.warning(f"notes must be objects: {shown(note)} is ignored", "notes", ix)
    return tuple(found)


def normal_value(scope: Scope, value: Any) -> Json:
    """A value of a common property, checked and normalised."""
    match value:
        case str():
            plain = {"@value": value}
            return plain if scope.language == UNDEFINED else {**plain, "@language": scope.language}
        case list():
            return [normal_value(scope.below(ix), item) for ix, item in enumerate(value)]
        case Mapping() if "@value" in value:
            _check_value_object(scope, value)
            return dict(value)
        case Mapping():
            return _node(scope, value)
        case _:
            found: Json = value
            return found


def _check_value_object(scope: Scope, value: Object) -> None:
    others = [name for name in value if name not in ("@value", "@type", "@language")]
    if others:
        scope.error(f"an object with `@value` cannot have `{others[0]}`", others[0])
    if "@type" in value and "@language" in value:
        scope.error("an object with `@value` cannot have both `@type` and `@language`")
    if not isinstance(value["@value"], str | int | float):
        message = f"`@value` must be a string, a number or a boolean, not {shown(value['@value'])}"
        scope.error(message, "@value")
    kind = value.get("@type")
    if "@type" in value and not (
        isinstance(kind, str) and (kind in DATATYPES or is_common_name(kind))
    ):
        message = "must be a built-in datatype, a prefixed name or an absolute URL"
        scope.error(f"`@type` {message}, not {shown(kind)}", "@type")
    tag = value.get("@language")
    if tag is not None and not is_language_tag(tag):
        scope.error(f"`@language` must be a language tag (BCP 47), not {shown(tag)}", "@language")


def _node(scope: Scope, value: Object) -> Json:
    found: dict[str, Json] = {}
    for name, member in value.items():
        match name:
            case "@id":
                found[name] = _node_id(scope, member)
            case "@type":
                _check_node_type(scope, member)
                found[name] = member
            case "@language":
                scope.error("`@language` needs an `@value` beside it", name)
            case _ if name.startswith("@"):
                scope.error(f"`{name}` is not allowed in a common property", name)
            case _ if name.startswith("_:"):
                scope.error(f"a property cannot be the blank node `{name}`", name)
            case _:
                found[name] = normal_value(scope.below(name), member)
    return found


def _node_id(scope: Scope, value: Any) -> str:
    if not isinstance(value, str) or value.startswith("_:"):
        message = f"`@id` must be a URL that does not start with `_:`, not {shown(value)}"
        scope.error(message, "@id")
        return ""
    return urljoin(scope.base, expand_prefix(value))  # as it is written: it is not compared


def _check_node_type(scope: Scope, value: Any) -> None:
    for kind in value if isinstance(value, list) else [value]:
        if isinstance(kind, str) and (kind in CLASSES or kind in DATATYPES or is_common_name(kind)):
            continue
        message = "must be a term of CSVW, a prefixed name or an absolute URL"
        scope.error(f"`@type` {message}, not {shown(kind)}", "@type")
