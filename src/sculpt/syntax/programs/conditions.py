"""The syntax tree of conditions: what is true or not at a place of a table.

A condition compares values, or asks whether a cell is in a region, a text in a mapping or a text
in a text; `and`, `or`, `not` and `if … then … else …` join conditions. Values are those of `tree`:
a condition may stand inside a value (`if … then x else y`), and values stand inside conditions.

Invariant: as in `ast`, spans do not take part in equality, and parentheses are not nodes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias
from typing import Literal as OneOf

from sculpt.diagnostics import Span
from sculpt.syntax import ast
from sculpt.syntax.ast import _span
from sculpt.syntax.programs.functions import TestName
from sculpt.values import frozen

if TYPE_CHECKING:
    from sculpt.syntax.programs.tree import Expression, Named

Relation: TypeAlias = OneOf["<", "<=", ">", ">=", "=", "!="]
RELATIONS: tuple[Relation, ...] = ("<=", ">=", "!=", "<", ">", "=")
"""Longer ones first, for reading."""


@frozen
class Comparison:
    """`a < b` and the like."""

    left: Expression
    relation: Relation
    right: Expression
    span: Span = _span()


@frozen
class Is:
    """`x is A`, `x is not A`: is the cell in the region?"""

    value: Expression
    wanted: ast.Selector
    is_negated: bool
    span: Span = _span()


@frozen
class In:
    """`x in M`, `x not in M`: does the mapping have the text?"""

    value: Expression
    mapping: Named
    is_negated: bool
    span: Span = _span()


@frozen
class Test:
    """`contains(x, y)`, `starts(x, y)`, `ends(x, y)`."""

    function: TestName
    value: Expression
    part: Expression
    span: Span = _span()


@frozen
class IsFile:
    """`is-file(x)`: is there a file with this path?"""

    value: Expression
    span: Span = _span()


@frozen
class Not:
    """`not c`."""

    part: Condition
    span: Span = _span()


@frozen
class And:
    """`a and b`, of two or more."""

    parts: tuple[Condition, ...]
    span: Span = _span()


@frozen
class Or:
    """`a or b`, of two or more."""

    parts: tuple[Condition, ...]
    span: Span = _span()


@frozen
class Choice:
    """`if c then a else b`, where all three are conditions; `b` may be left out."""

    condition: Condition
    then: Condition
    otherwise: Condition | None
    span: Span = _span()


Condition: TypeAlias = "Comparison | Is | In | Test | IsFile | Not | And | Or | Choice"
