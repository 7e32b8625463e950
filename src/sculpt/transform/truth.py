"""Conditions at one place of a table, as they are defined (`core.programs.conditions`).

In: a condition, and who knows the values at the place. Out: true, false or `None` for unknown. It
is the yardstick for `evaluation.truths`, so it stays plain: one value at a time, Python's order.
"""

from __future__ import annotations

from typing import Any, Protocol, assert_never

from sculpt.core.programs import program as programs
from sculpt.core.programs.conditions import (
    And,
    Choice,
    Comparison,
    Condition,
    In,
    Is,
    Not,
    Or,
)
from sculpt.syntax.programs.conditions import Relation


class Place(Protocol):
    """A place of a table, with the values there."""

    def value_of(self, value: programs.Value) -> Any:
        """A value; `None` if it is missing."""

    def is_held(self, question: Is) -> bool | None:
        """Is the cell in the region? `None` if there is no cell."""

    def has_key(self, mapping: str, text: str) -> bool:
        """Does a mapping have the text?"""


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
