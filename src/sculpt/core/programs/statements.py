"""Statements of programs in core form: what a program does with its values.

In: what `compiler` builds. Out: what every engine executes (`Print`, `Annotate`, `Emit`) or checks
(`Require`), alone or in a `Loop`; the `Stream`s that results go to; what a statement is made of
(paper, section 5.3).

Invariant: the fields of a target are the same wherever it is emitted. Cost: each question is
linear in the values of the statement.
"""

from __future__ import annotations

from typing import Literal as OneOf
from typing import TypeAlias

from sculpt.core import ir
from sculpt.core.programs.conditions import Condition, IsFile, questions_of, values_of_condition
from sculpt.core.programs.expressions import (
    Call,
    OnlyCell,
    RegionAggregate,
    Value,
    cells_of,
    values_in,
)
from sculpt.core.programs.typed_values import ValueType
from sculpt.syntax.programs.functions import ABOUT_FILES
from sculpt.syntax.programs.tree import LoopKind
from sculpt.values import frozen


@frozen
class Print:
    """Write a line."""

    stream: int
    value: Value


@frozen
class Annotate:
    """Annotate the cell."""

    stream: int
    value: Value | None
    namespace: str | None
    """Its IRI, if the cell becomes an entity of it."""


@frozen
class Emit:
    """Make a record of a target."""

    stream: int
    values: tuple[Value, ...]


@frozen
class Require:
    """A condition must not be false, and nothing in it may go wrong."""

    number: int
    """Counts from 0 in the order of the text."""
    condition: Condition
    line: int
    text: str
    """The statement, as it is written, without its clause."""
    said: str
    """The condition, as it is written."""
    ending: ir.Ending = ir.Ending()

    @property
    def asks_files(self) -> bool:
        """Does it ask about files?"""
        is_asked = any(isinstance(each, IsFile) for each in questions_of(self.condition))
        values = values_in(values_of_condition(self.condition))
        return is_asked or any(isinstance(v, Call) and v.function in ABOUT_FILES for v in values)


Output: TypeAlias = Print | Annotate | Emit
"""An action that feeds a stream."""
Action: TypeAlias = Output | Require


@frozen
class Loop:
    """Do something for each cell, row or column of a region."""

    kind: LoopKind
    region: int
    actions: tuple[Action, ...]
    line: int
    text: str
    """Its head, as it is written: `For each cell v in Body`."""


Statement: TypeAlias = Print | Require | Loop

StreamKind: TypeAlias = OneOf["print", "annotations", "records"]


@frozen
class Stream:
    """Where results go: lines, annotations, or the records of a target."""

    kind: StreamKind
    name: str
    fields: tuple[tuple[str, ValueType], ...]
    is_distinct: bool = False
    """Is a record left out if its table has given an equal one before?"""


def actions_of(statement: Statement) -> tuple[Action, ...]:
    """The actions of a statement: those of a loop, or itself."""
    return statement.actions if isinstance(statement, Loop) else (statement,)


def action_values(action: Action) -> tuple[Value, ...]:
    """The values that an action needs."""
    match action:
        case Print(_, value):
            return (value,)
        case Annotate(_, value, _):
            return () if value is None else (value,)
        case Emit(_, values):
            return values
        case Require(_, condition):
            return values_of_condition(condition)


def regions_asked(require: Require) -> set[int]:
    """The regions that a `require` outside loops is about: aggregates, `Only`."""
    values = values_in(values_of_condition(require.condition))
    found = {each.region for each in values if isinstance(each, RegionAggregate)}
    return found | {each.region for each in cells_of(values) if isinstance(each, OnlyCell)}
