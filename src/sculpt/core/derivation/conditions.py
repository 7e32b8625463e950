"""Conditions on values, as derived tokens use them: checked, named, and turned into hidden tokens.

In: a base, a relation and a bound. Out: a hidden `CoreToken` for the texts of which the condition
holds, or a `ConditionError`. What types and pictures mean is decided in `core/datatypes`. The
length of a text without a type is that of a `String`; lists count their items.

Invariant: equal conditions have equal names, so each is one hidden token. Cost: that of a language.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from sculpt.core import ir
from sculpt.core.datatypes import reading
from sculpt.core.datatypes.languages import language
from sculpt.core.datatypes.model import Base, Condition, ConditionError, Relation
from sculpt.core.derivation.branches import Branch, Counted, Written
from sculpt.syntax.derived import tree
from sculpt.syntax.names import quote
from sculpt.syntax.regex import MAX_COUNT
from sculpt.values import replace

PLAIN = frozenset(("Text", "String", "Any"))
"""The predefined tokens whose texts have a length but no other measure."""
_TEXT = Base("String")
_UPPER: tuple[Relation, ...] = ("<", "<=")
_LOWER: tuple[Relation, ...] = (">", ">=")


def condition_name(condition: Condition) -> str:
    """The name of the hidden token; no name of a schema begins with a parenthesis."""
    base = condition.base
    text = base.type
    if base.picture is not None:
        options = (("group", base.group), ("decimal", base.decimal))
        written = [f"{word} {quote(char)}" for word, char in options if char is not None]
        text = f"{text}({', '.join((quote(base.picture), *written))})"
    if condition.measured != "value":
        text = f"{condition.measured}({text})"
    if condition.relation is None:
        return f"({text})"
    return f"({text} {condition.relation} {quote(condition.bound)})"


def base_of(picture: tree.Picture) -> Base:
    """The base that a picture stands for."""
    return Base(picture.type, picture.picture, picture.group, picture.decimal)


def condition_token(name: str, condition: Condition) -> ir.CoreToken:
    """The hidden token of a condition; raises `ConditionError`."""
    texts = language(condition)
    return ir.CoreToken(name, texts.yes, hidden=True, condition=condition, ask=texts.ask)


def conditions_of(branch: Branch, bounds: tuple[Written, ...]) -> tuple[Condition, ...]:
    """The conditions that bounds put on the texts of a branch; raises `ConditionError`."""
    base = branch.base
    assert not isinstance(base, Counted)
    found = []
    for each in bounds:
        if each.measured == "length" and (base is None or base.type in PLAIN):
            condition = Condition(_TEXT, "length", each.relation, each.bound)
            reading.check(condition)
        elif base is None:
            raise _without_value(each)
        elif base.type in PLAIN and (each.measured != "value" or each.relation not in ("=", "!=")):
            raise _without_order(base, each)
        else:
            condition = Condition(base, each.measured, each.relation, each.bound)
            reading.check(condition)
        found.append(condition)
    return tuple(found)


def _without_value(bound: Written) -> ConditionError:
    if bound.measured == "value":
        hint = 'compare a type or a picture: `Number >= 5`, `Date("dd/MM/yyyy") >= 2010-01-01`'
        return ConditionError("no-value", "these texts have no value to compare", hint=hint)
    hint = f"a number has {bound.measured}; a text has a length"
    return ConditionError("bad-facet", f"these texts have no {bound.measured}", hint=hint)


def _without_order(base: Base, bound: Written) -> ConditionError:
    what = "order" if bound.measured == "value" else bound.measured
    hint = "compare a type such as `Number` or `Date`; a text has a length"
    return ConditionError("bad-facet", f"the texts of `{base.type}` have no {what}", hint=hint)


def count_of(bound: Written) -> int:
    """The number that a length is compared with; raises `ConditionError`."""
    if not re.fullmatch("[0-9]+", bound.bound):
        message = f"a length is a whole number, not `{bound.bound}`"
        raise ConditionError("bad-bound", message, hint="for example `length(Text) <= 8`")
    if len(bound.bound) > 20 or int(bound.bound) > MAX_COUNT:
        raise ConditionError("count-too-large", f"the length is above {MAX_COUNT:,}")
    return int(bound.bound)


# ------------------------------------------------------------- lists


def counted(known: Counted, bound: Written) -> Counted | None:
    """The list with one more bound on its length; `None` if no length is left."""
    if bound.measured != "length":
        hint = "compare its `length(…)`; compare the values of its items inside `list(…)`"
        raise ConditionError(
            "bad-facet", "a list has no value to compare, only a length", hint=hint
        )
    count = count_of(bound)
    low, high = known.low, known.high
    match bound.relation:
        case "<" | "<=":
            most = count - (bound.relation == "<")
            high = most if high is None else min(high, most)
        case ">" | ">=":
            low = max(low, count + (bound.relation == ">"))
        case "=":
            low, high = max(low, count), count if high is None else min(high, count)
        case "!=":
            raise AssertionError("a formula, not a range")
    is_possible = high is None or low <= high
    return replace(known, low=low, high=high) if is_possible else None


# ------------------------------------------------------------- contradictions


def contradiction(branch: Branch) -> tuple[Written, Written] | None:
    """Two bounds of a branch that no value keeps both, the later one second."""
    for ix, second in enumerate(branch.bounds):
        for first in branch.bounds[:ix]:
            if first.measured == second.measured and _exclude(branch.base, first, second):
                return first, second
    return None


def _exclude(base: Base | Counted | None, first: Written, second: Written) -> bool:
    return any(_is(base, low, relation, high) for low, relation, high in _excluding(first, second))


def _excluding(first: Written, second: Written) -> Iterator[tuple[Written, Relation, Written]]:
    """What would exclude each other: that the bound of the first is in a relation to the other."""
    for one, other in ((first, second), (second, first)):
        if one.relation in _LOWER and other.relation in _UPPER:
            is_open = one.relation == ">" or other.relation == "<"
            yield one, ">=" if is_open else ">", other
        if one.relation == "=" and other.relation != "=":
            opposite: dict[Relation, Relation] = {
                "<": ">=", "<=": ">", ">": "<=", ">=": "<", "!=": "=",
            }  # fmt: skip
            yield one, opposite[other.relation], other
    if first.relation == second.relation == "=":
        yield first, "!=", second


def _is(base: Base | Counted | None, one: Written, relation: Relation, other: Written) -> bool:
    """Is the value of one bound in a relation to that of another?"""
    if one.measured != "value":
        if not (one.bound.isdecimal() and other.bound.isdecimal()):
            return False
        a, b = int(one.bound), int(other.bound)
        answers: dict[Relation, bool] = {
            "<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b, "=": a == b, "!=": a != b,
        }  # fmt: skip
        return answers[relation]
    assert isinstance(base, Base)
    condition = Condition(Base(base.type), "value", relation, other.bound)
    return reading.holds(condition, one.bound)
