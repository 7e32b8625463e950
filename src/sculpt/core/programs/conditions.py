"""Conditions in core form: comparisons of typed values, questions about cells and texts.

In: what `condition_compiler` builds. Out: what every engine reads, and what conditions mean.

A condition is true, false or unknown. A comparison with a missing value is unknown, and so is a
question about a missing cell or text. `and`, `or` and `not` work on the three as in SQL: `false and
unknown` is false. An `if` takes its second part if the condition is true, and the third otherwise.
Who asks decides what unknown means: a value `if` takes its `else`, a requirement is met.

A part is looked at only if it matters: those of `and` after a false one, those of `or` after a true
one and the part that an `if` does not take are not, so nothing in them can go wrong.

Invariant: both sides of a comparison have types of one family (`family_of`). Cost: linear.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias
from typing import Literal as OneOf

from sculpt.core.programs.typed_values import ValueType
from sculpt.syntax.programs.conditions import Relation
from sculpt.syntax.programs.functions import TestName
from sculpt.values import frozen

if TYPE_CHECKING:
    from sculpt.core.programs.expressions import CellValue, Value

Family: TypeAlias = OneOf[
    "text", "exact number", "floating number", "boolean", "date", "dateTime", "dateTimeStamp",
    "time", "binary",
]  # fmt: skip
UNORDERED: tuple[Family, ...] = ("boolean", "binary")
_FAMILIES: dict[str, Family] = {
    "iri": "text", "decimal": "exact number", "integer": "exact number",
    "double": "floating number", "float": "floating number", "boolean": "boolean", "date": "date",
    "dateTime": "dateTime", "dateTimeStamp": "dateTimeStamp", "time": "time", "binary": "binary",
}  # fmt: skip
_TEXTS = frozenset((
    "String", "Text", "xs:string", "xs:anySimpleType", "xs:normalizedString", "xs:token",
    "xs:language", "xs:Name", "xs:NCName", "xs:NMTOKEN", "xs:ID", "xs:IDREF", "xs:ENTITY",
))  # fmt: skip


def family_of(kind: ValueType) -> Family | None:
    """What the values of a type can be compared with; `None` if they cannot be compared.

    Types without values of their own, such as `xs:duration`, stay texts; to compare these would
    give wrong answers.
    """
    if kind.kind == "string":
        return "text" if kind.name in _TEXTS else None
    return _FAMILIES.get(kind.kind)


@frozen
class Comparison:
    """A comparison of two values; numbers by value, texts character by character."""

    left: Value
    relation: Relation
    right: Value


@frozen
class Is:
    """Is the cell in a region?"""

    cell: CellValue
    region: int
    is_optional: bool
    """A missing cell is not a finding."""
    text: str = ""
    """The region, as it is written."""


@frozen
class In:
    """Does a mapping have the text?"""

    value: Value
    mapping: str


@frozen
class Test:
    """Does one text contain another, or begin or end with it?"""

    function: TestName
    value: Value
    part: Value


@frozen
class IsFile:
    """Is there a file with this path below the directory that is given?"""

    value: Value


@frozen
class Not:
    """The opposite; of unknown it is unknown."""

    part: Condition


@frozen
class And:
    """All of them."""

    parts: tuple[Condition, ...]


@frozen
class Or:
    """Some of them."""

    parts: tuple[Condition, ...]


@frozen
class Choice:
    """The second if the first is true, or else the third; a third that is left out is true."""

    condition: Condition
    then: Condition
    otherwise: Condition | None


Question: TypeAlias = Comparison | Is | In | Test | IsFile
Condition: TypeAlias = Question | Not | And | Or | Choice


def parts_of_condition(condition: Condition) -> tuple[Condition, ...]:
    """The conditions that a condition is made of, one level down."""
    match condition:
        case Not(part):
            return (part,)
        case And(parts) | Or(parts):
            return parts
        case Choice(first, then, otherwise):
            return (first, then) if otherwise is None else (first, then, otherwise)
        case _:
            return ()


def questions_of(condition: Condition) -> list[Question]:
    """The comparisons and questions of a condition, in the order of its text."""
    found: list[Question] = []
    todo = [condition]
    while todo:
        match todo.pop():
            case Comparison() | Is() | In() | Test() | IsFile() as question:
                found.append(question)
            case other:
                todo += parts_of_condition(other)[::-1]
    return found


def values_of_condition(condition: Condition) -> tuple[Value, ...]:
    """The values that a condition needs, in the order of its text."""
    found: list[Value] = []
    for question in questions_of(condition):
        found += values_asked(question)
    return tuple(found)


def values_asked(question: Question) -> tuple[Value, ...]:
    """The values that a comparison or a question is about."""
    match question:
        case Comparison(left, _, right):
            return left, right
        case Is(cell, _, _):
            return (cell,)
        case In(value, _) | IsFile(value):
            return (value,)
        case Test(_, value, part):
            return value, part
