"""Relations between a value and a bound, as signs.

In: two values, or a sign. Out: -1, 0 or 1 as the first is smaller, equal or larger, and whether a
relation holds for that sign. Cost: one comparison.
"""

from __future__ import annotations

from typing import Any, assert_never

from sculpt.core.datatypes.model import Relation


def order_of(first: Any, second: Any) -> int:
    """The sign of the first value against the second."""
    return -1 if first < second else int(first > second)


def holds(relation: Relation, sign: int) -> bool:
    """Does the relation hold for values in this order?"""
    match relation:
        case "<":
            return sign < 0
        case "<=":
            return sign <= 0
        case ">":
            return sign > 0
        case ">=":
            return sign >= 0
        case "=":
            return sign == 0
        case "!=":
            return sign != 0
        case _:
            assert_never(relation)
