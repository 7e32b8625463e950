"""Conditions at one place of a table, as they are defined (`core.programs.conditions`).

In: a condition, and who knows the values at the place. Out: true, false or `None` for unknown; and
of a condition that is false the comparison or question that decides it (`culprit`). It is the
yardstick for `evaluation.truths`, so it stays plain: one value at a time, Python's order.
"""

from __future__ import annotations

from typing import Any, Protocol, assert_never

from sculpt.core.programs.conditions import (
    And,
    Choice,
    Comparison,
    Condition,
    In,
    Is,
    IsFile,
    Not,
    Or,
    Question,
    Test,
    questions_of,
)
from sculpt.core.programs.expressions import Value
from sculpt.syntax.programs.conditions import Relation
from sculpt.syntax.programs.functions import TestName


class Place(Protocol):
    """A place of a table, with the values there."""

    def value_of(self, value: Value) -> Any:
        """A value; `None` if it is missing."""

    def is_held(self, question: Is) -> bool | None:
        """Is the cell in the region? `None` if there is no cell."""

    def has_key(self, mapping: str, text: str) -> bool:
        """Does a mapping have the text?"""

    def has_file(self, path: str) -> bool:
        """Is there a file with this path?"""


def truth(condition: Condition, place: Place) -> bool | None:
    """Is a condition true, false or unknown (`None`) at a place?"""
    match condition:
        case Comparison(left, relation, right):
            one, other = place.value_of(left), place.value_of(right)
            return None if one is None or other is None else compares(one, relation, other)
        case Is():
            return place.is_held(condition)
        case In(value, mapping):
            text = place.value_of(value)
            return None if text is None else place.has_key(mapping, text)
        case Test(function, value, part_value):
            text, part_text = place.value_of(value), place.value_of(part_value)
            return None if text is None or part_text is None else tests(function, text, part_text)
        case IsFile(value):
            path = place.value_of(value)
            return None if path is None else place.has_file(path)
        case Not(part):
            found = truth(part, place)
            return None if found is None else not found
        case And(parts):
            return _first_decided(parts, False, place)
        case Or(parts):
            return _first_decided(parts, True, place)
        case Choice(first, then, otherwise):
            if truth(first, place):
                return truth(then, place)
            return True if otherwise is None else truth(otherwise, place)
        case _:
            assert_never(condition)


def _first_decided(parts: tuple[Condition, ...], decides: bool, place: Place) -> bool | None:
    """The answer of `and` (`or`): false (true) as soon as one part is."""
    is_unknown = False
    for part in parts:
        found = truth(part, place)
        if found is decides:
            return decides
        is_unknown |= found is None
    return None if is_unknown else not decides


def tests(function: TestName, text: str, part: str) -> bool:
    """Does a text contain another, or begin or end with it?"""
    match function:
        case "contains":
            return part in text
        case "starts":
            return text.startswith(part)
        case "ends":
            return text.endswith(part)
        case _:
            assert_never(function)


def culprit(condition: Condition, wanted: bool, place: Place) -> tuple[Question, bool | None]:
    """The first question that makes a condition true (`wanted`) or false, and its own truth."""
    match condition:
        case Not(part):
            return culprit(part, not wanted, place)
        case And(parts) | Or(parts):
            decides = isinstance(condition, Or)
            if wanted is decides:
                parts = tuple(part for part in parts if truth(part, place) is decides)
            return culprit(parts[0], wanted, place)
        case Choice(first, then, otherwise):
            if truth(first, place):
                return culprit(then, wanted, place)
            if otherwise is not None:
                return culprit(otherwise, wanted, place)
            asked = questions_of(first)[0]
            return asked, truth(asked, place)
        case _:
            return condition, wanted


def compares(one: Any, relation: Relation, other: Any) -> bool:
    """Do two values compare so? They are of one family."""
    match relation:
        case "<":
            return bool(one < other)
        case "<=":
            return bool(one <= other)
        case ">":
            return bool(one > other)
        case ">=":
            return bool(one >= other)
        case "=":
            return bool(one == other)
        case "!=":
            return bool(one != other)
        case _:
            assert_never(relation)
