"""Is a text a value of a simple type? Only for what must be known while a schema is written.

In: a type and a text with its white space normalised. Out: yes or no. An enumeration of a union
needs it: a value belongs to the first member that has it, and is compared as that member
compares. Data is never judged here. Cost: linear in the text and in the type.
"""

from __future__ import annotations

from functools import cache
from typing import assert_never

from sculpt.core.acceptor import TextMatcher
from sculpt.core.datatypes.families import parsed
from sculpt.core.datatypes.model import Base, Condition, ConditionError, Measured, Relation
from sculpt.core.datatypes.reading import holds
from sculpt.interchange.xsd.model import (
    Builtin,
    ListOf,
    Restriction,
    SimpleType,
    UnionOf,
    is_ascii,
    is_list,
    normalised,
    root_of,
    white_space,
)
from sculpt.interchange.xsd.pattern import PatternError, translated

BOUNDS: dict[str, tuple[Measured, Relation]] = {
    "minInclusive": ("value", ">="), "minExclusive": ("value", ">"),
    "maxInclusive": ("value", "<="), "maxExclusive": ("value", "<"),
    "length": ("length", "="), "minLength": ("length", ">="), "maxLength": ("length", "<="),
    "totalDigits": ("digits", "<="), "fractionDigits": ("decimals", "<="),
}  # fmt: skip
"""Facets that compare a value, or something that is counted, with a bound."""


def member_of(union: UnionOf, text: str) -> SimpleType | None:
    """The first member that has a text, unions in unions resolved; `None` if none has it."""
    for member in members_of(union):
        if accepts(member, normalised(text, white_space(member))):
            return member
    return None


def members_of(union: UnionOf) -> list[SimpleType]:
    """The members, with those of plain unions among them in their place."""
    found: list[SimpleType] = []
    for member in union.members:
        found += members_of(member) if isinstance(member, UnionOf) else [member]
    return found


def accepts(of: SimpleType, text: str) -> bool:
    """Is a text, with its white space normalised, valid for a type?"""
    match of:
        case Builtin(name):
            return holds(Condition(Base(name)), text)
        case ListOf():
            return all(accepts(of.item, item) for item in text.split(" ") if text)
        case UnionOf():
            return member_of(of, text) is not None
        case Restriction():
            return accepts(of.base, text) and _has_facets(of, text)
        case _:
            assert_never(of)


def _has_facets(of: Restriction, text: str) -> bool:
    patterns, values = of.values("pattern"), of.values("enumeration")
    if patterns and not any(_matcher(each, is_ascii(of)).matches(text) for each in patterns):
        return False
    if values and not any(_equal(of.base, each, text) for each in values):
        return False
    return all(
        _is_within(of.base, facet.name, facet.value, text)
        for facet in of.facets
        if facet.name in BOUNDS
    )


@cache
def _matcher(pattern: str, ascii_digits: bool) -> TextMatcher:
    try:
        return TextMatcher(parsed(translated(pattern, ascii_digits)))
    except PatternError:
        return TextMatcher(parsed(r"[\s\S]*"))  # reported where it is written


def _is_within(base: SimpleType, name: str, bound: str, text: str) -> bool:
    measured, relation = BOUNDS[name]
    if is_list(base):
        items, limit = len(text.split()), int(bound)
        return {"=": items == limit, ">=": items >= limit, "<=": items <= limit}[relation]
    root = root_of(base)
    return not isinstance(root, Builtin) or _holds(root.name, relation, bound, measured, text)


def _equal(base: SimpleType, bound: str, text: str) -> bool:
    root = root_of(base)
    wanted = normalised(bound, white_space(base))
    if isinstance(root, Builtin) and not is_list(root):
        return _holds(root.name, "=", wanted, "value", text)
    return wanted == text


def _holds(name: str, relation: Relation, bound: str, measured: Measured, text: str) -> bool:
    try:
        return holds(Condition(Base(name), measured, relation, bound), text)
    except ConditionError:
        return False
