"""Datatypes of metadata: a name, or an object with a base, a format, lengths and bounds.

In: the value of a property `datatype`. Out: a `Datatype`, or nothing if it cannot be used
("Metadata Vocabulary", section 5.11.2).

Invariant: a format that is kept is one that its base can have, and a bound that is kept is a value
of its base. Facets that contradict each other, or that the base does not have, are errors.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Literal

from sculpt.core.datatypes.model import Base, Condition, ConditionError
from sculpt.core.datatypes.reading import check, holds
from sculpt.interchange.csvw.kinds import canonical, is_measured, is_ordered, kind_of
from sculpt.interchange.csvw.model import Bound, Datatype
from sculpt.interchange.csvw.reading.common import common_properties
from sculpt.interchange.csvw.reading.context import DATATYPES
from sculpt.interchange.csvw.reading.properties import (
    Object,
    Scope,
    check_names,
    check_type,
    count,
    identifier,
    shown,
)
from sculpt.interchange.csvw.writing.formats import (
    boolean_texts,
    is_expression,
    moment_pictures,
    number_pictures,
)
from sculpt.values import frozen

_LENGTHS = ("length", "minLength", "maxLength")
_BOUNDS: dict[str, Literal[">=", "<=", ">", "<"]] = {
    "minimum": ">=",
    "minInclusive": ">=",
    "maximum": "<=",
    "maxInclusive": "<=",
    "minExclusive": ">",
    "maxExclusive": "<",
}
_KNOWN = frozenset(("@id", "@type", "base", "format", *_LENGTHS, *_BOUNDS))
_URLS = frozenset(DATATYPES.values())


def read_datatype(scope: Scope, value: Any) -> Datatype | None:
    """A datatype; `None`, after a warning, if the value is none."""
    if isinstance(value, str):
        if value in DATATYPES:
            return Datatype(canonical(value), place=scope.place)
        scope.warning(f"{shown(value)} is not a built-in datatype: it is ignored")
        return None
    if isinstance(value, Mapping):
        return _described(scope, value)
    message = f"`datatype` must be the name of a datatype or an object, not {shown(value)}"
    scope.warning(f"{message}: it is ignored")
    return None


def _described(scope: Scope, given: Object) -> Datatype:
    check_names(scope, given, _KNOWN, "a datatype")
    check_type(scope, given, "Datatype")
    url = identifier(scope, given)
    if url in _URLS:
        scope.error(f"`@id` must not be the URL of a built-in datatype, as {shown(url)} is", "@id")
    base = "string"
    if "base" in given:
        if isinstance(given["base"], str) and given["base"] in DATATYPES:
            base = canonical(given["base"])
        else:
            message = f"`base` must be a built-in datatype, not {shown(given['base'])}"
            scope.warning(f"{message}: `string` is used", "base")
    form = _format(scope, given, base)
    length, least, most = _lengths(scope, given, base)
    return Datatype(
        base,
        form.text,
        form.decimal,
        form.group,
        length,
        least,
        most,
        _bounds(scope, given, base),
        url,
        common=common_properties(scope, given),
        place=scope.place,
    )


# ------------------------------------------------------------- formats


@frozen
class _Format:
    text: str | None = None
    decimal: str | None = None
    group: str | None = None


def _format(scope: Scope, given: Object, base: str) -> _Format:
    if "format" not in given:
        return _Format()
    value = given["format"]
    inner = scope.below("format")
    kind = kind_of(base)
    if kind == "number" and isinstance(value, Mapping):
        return _number_format(inner, value, base)
    if not isinstance(value, str):
        expected = "a string or an object" if kind == "number" else "a string"
        inner.warning(f"`format` must be {expected}, not {shown(value)}: it is ignored")
        return _Format()
    match kind:
        case "number":
            known, what = bool(number_pictures(base, value, None, None)), "a pattern of numbers"
        case "boolean":
            known, what = boolean_texts(value) is not None, "two texts with `|` between them"
        case "moment":
            known = bool(moment_pictures(base, value))
            what = f"a pattern of `{base}` that the standard knows"
        case _:
            known, what = is_expression(value), "a regular expression"
    if known:
        return _Format(value)
    inner.warning(f"{shown(value)} is not {what}: the format is ignored")
    return _Format()


def _number_format(scope: Scope, given: Object, base: str) -> _Format:
    for name in given:
        if name not in ("pattern", "decimalChar", "groupChar"):
            scope.warning(f"a format of numbers has no property `{name}`: it is ignored", name)
    characters: dict[str, str | None] = {"decimalChar": None, "groupChar": None}
    for name in characters:
        value = given.get(name)
        if isinstance(value, str) and value:
            characters[name] = value
        elif name in given and value is not None:
            scope.warning(f"`{name}` must be a string, not {shown(value)}: it is ignored", name)
    decimal, group = characters["decimalChar"], characters["groupChar"]
    pattern = given.get("pattern")
    if "pattern" in given and not (
        isinstance(pattern, str) and number_pictures(base, pattern, decimal, group)
    ):
        message = f"{shown(pattern)} is not a pattern of numbers: it is ignored"
        scope.warning(message, "pattern")
        pattern = None
    return _Format(pattern, decimal, group)


# ------------------------------------------------------------- facets


def _lengths(scope: Scope, given: Object, base: str) -> tuple[int | None, int | None, int | None]:
    found = {name: count(scope, given, name) for name in _LENGTHS}
    length, least, most = found["length"], found["minLength"], found["maxLength"]
    named = [name for name, value in found.items() if value is not None]
    if named and not is_measured(base):
        scope.error(f"`{base}` has no length, so it cannot have `{named[0]}`", named[0])
        return None, None, None
    for low, low_name, high, high_name in (
        (least, "minLength", length, "length"),
        (length, "length", most, "maxLength"),
        (least, "minLength", most, "maxLength"),
    ):
        if low is not None and high is not None and low > high:
            scope.error(f"`{low_name}` {low} is greater than `{high_name}` {high}")
    return length, least, most


def _bounds(scope: Scope, given: Object, base: str) -> tuple[Bound, ...]:
    named = [name for name in _BOUNDS if name in given]
    if named and not is_ordered(base):
        scope.error(f"`{base}` has no order, so it cannot have `{named[0]}`", named[0])
        return ()
    found: dict[str, Bound] = {}
    for name in named:
        text = _bound_text(given[name])
        if text is not None and _is_value(base, text):
            found[name] = Bound(_BOUNDS[name], text, name)
        else:
            message = f"`{name}` must be a value of `{base}`, not {shown(given[name])}"
            scope.warning(f"{message}: it is ignored", name)
    _check_bounds(scope, base, found)
    kept = dict.fromkeys((each.operator, each.text) for each in found.values())
    return tuple(
        next(each for each in found.values() if (each.operator, each.text) == key) for key in kept
    )


def _bound_text(value: Any) -> str | None:
    if isinstance(value, str):
        return value
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    number = Decimal(repr(value))
    return str(int(number)) if number == int(number) else format(number, "f")


def _is_value(base: str, text: str) -> bool:
    try:
        check(Condition(Base(f"xs:{base}"), "value", ">=", text))
    except ConditionError:
        return False
    return True


def _check_bounds(scope: Scope, base: str, found: Mapping[str, Bound]) -> None:
    for name, other in (("minimum", "minInclusive"), ("maximum", "maxInclusive")):
        if name in found and other in found and not _related(base, found[name], "=", found[other]):
            scope.error(f"`{name}` and `{other}` are different")
    least = found.get("minInclusive") or found.get("minimum")
    most = found.get("maxInclusive") or found.get("maximum")
    above, below = found.get("minExclusive"), found.get("maxExclusive")
    for one, other_bound in ((least, above), (most, below)):
        if one is not None and other_bound is not None:
            scope.error(f"`{one.property}` and `{other_bound.property}` cannot both be given")
    for low, high, wrong in (
        (least, most, "<"),
        (least, below, "<="),
        (above, below, "<"),
        (above, most, "<="),
    ):
        if low is not None and high is not None and _related(base, high, wrong, low):
            message = f"`{high.property}` {high.text} leaves nothing above `{low.property}`"
            scope.error(f"{message} {low.text}")


def _related(base: str, first: Bound, relation: str, second: Bound) -> bool:
    """Does a relation hold between two bounds?"""
    sign: Any = relation
    return holds(Condition(Base(f"xs:{base}"), "value", sign, second.text), first.text.strip())
