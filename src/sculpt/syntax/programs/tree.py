"""The syntax tree of a program (paper, section 5.3; `docs/language.md#13-programs`).

A program is `print`, `require`, a loop over the cells, rows or columns of a region with actions in
braces, or a declaration that they use: `namespace`, `mapping`. An expression stands for a value, a
cell, or what the loop runs over; which of these fit together is checked by
`core/programs/compiler.py`. `require` says what must be true, in a loop or on its own.

Invariant: as in `ast`, spans do not take part in equality, and parentheses are not nodes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias
from typing import Literal as OneOf

from sculpt.diagnostics import Span
from sculpt.syntax import ast
from sculpt.syntax.ast import _span
from sculpt.syntax.programs.conditions import Condition, Is
from sculpt.values import field_names, frozen

LoopKind: TypeAlias = OneOf["cell", "row", "column"]
LookUpKind: TypeAlias = OneOf["directly", "closest", "within", "path"]
PropertyName: TypeAlias = OneOf["content", "raw", "row", "column", "file"]
PolicyKind: TypeAlias = OneOf["one", "optional", "all"]

# ------------------------------------------------------------- expressions


@frozen
class Text:
    """A quoted text."""

    text: str
    span: Span = _span()


@frozen
class Number:
    """A number, as it is written."""

    text: str
    span: Span = _span()


@frozen
class Variable:
    """What the loop runs over: a cell, a row or a column."""

    name: str
    span: Span = _span()


@frozen
class LetName:
    """The name of a `let` above."""

    name: str
    span: Span = _span()


@frozen
class Property:
    """`x.content`, `x.raw`, `x.row`, `x.column`, `x.file`."""

    of: Expression
    name: PropertyName
    span: Span = _span()


@frozen
class Item:
    """`x.cells[i]`: the i-th cell of a row or column, within the region."""

    of: Expression
    index: int
    span: Span = _span()


@frozen
class Own:
    """`r[A]`: the cell of the loop's row or column that is in a region."""

    of: Expression
    wanted: ast.Selector
    span: Span = _span()


@frozen
class Only:
    """`Only(A)`: the only cell of a region."""

    wanted: ast.Selector
    span: Span = _span()


@frozen
class Aggregate:
    """`Sum(x)` over the loop's row or column, or over the cells of a selector."""

    function: str
    operand: Variable | ast.Selector
    span: Span = _span()


@frozen
class Joined:
    """`a + b`: texts one after the other."""

    parts: tuple[Expression, ...]
    span: Span = _span()


@frozen
class Cast:
    """`value as type`, `value as token`; `xs:decimal` may name its digits: `xs:decimal(12,2)`."""

    value: Expression
    type_name: str
    digits: tuple[int, ...]
    span: Span = _span()


@frozen
class Call:
    """A text function with its arguments."""

    function: str
    arguments: tuple[Expression, ...]
    span: Span = _span()


@frozen
class Named:
    """A bare name as an argument: a token, a mapping or a namespace."""

    name: str
    span: Span = _span()


@frozen
class LookUp:
    """The cells found from a cell: `directly(left, Area, v)`, or `path(v)`."""

    kind: LookUpKind
    direction: ast.AxisName | None
    distances: tuple[int, ...]
    """For `within`: how far to look before and after."""
    wanted: ast.Selector | None
    path: ast.Path | None
    origin: Expression
    span: Span = _span()


@frozen
class Find:
    """`find(Table(A, …), x, …)`: the row of another table whose cells have these texts."""

    table: str
    parts: tuple[ast.Selector, ...]
    keys: tuple[Expression, ...]
    table_span: Span = _span()
    span: Span = _span()


@frozen
class Policy:
    """What to do if a value is missing, or if there are several."""

    value: Expression
    kind: PolicyKind
    default: Expression | None
    """The default of `optional`, or the text between the values of `all`."""
    span: Span = _span()


@frozen
class If:
    """`if condition then x else y`; without `else`, the value is missing otherwise."""

    condition: Condition
    then: Expression
    otherwise: Expression | None
    span: Span = _span()


Expression: TypeAlias = (
    "Text | Number | Variable | LetName | Property | Item | Own | Only | Aggregate | Joined | Cast"
    " | Call | Named | LookUp | Find | Policy | If"
)

# ------------------------------------------------------------- statements


@frozen
class Print:
    """`print value`."""

    value: Expression
    span: Span = _span()


@frozen
class Let:
    """`let name = value`: a name for a value, in the actions below it."""

    name: str
    value: Expression
    name_span: Span = _span()
    span: Span = _span()


@frozen
class Annotate:
    """`annotate x with value`."""

    variable: Variable
    value: Expression
    span: Span = _span()


@frozen
class SetNamespace:
    """`x.namespace = name`."""

    variable: Variable
    name: Named
    span: Span = _span()


@frozen
class Field:
    """A field of a record."""

    name: str
    value: Expression
    span: Span = _span()


@frozen
class Emit:
    """`emit target(field: value, …)`; `emit distinct …` leaves out records made before."""

    target: str
    fields: tuple[Field, ...]
    is_distinct: bool = False
    target_span: Span = _span()
    span: Span = _span()


@frozen
class Require:
    """`require(condition)`, with what it says about its violations."""

    condition: Condition
    clause: ast.Clause | None = None
    span: Span = _span()


Action: TypeAlias = "Print | Let | Annotate | SetNamespace | Emit | Require"


@frozen
class Loop:
    """`For each kind variable in selector { actions }`."""

    kind: LoopKind
    variable: str
    selector: ast.Selector
    actions: tuple[Action, ...]
    span: Span = _span()


@frozen
class Namespace:
    """`namespace name = IRI`."""

    name: str
    iri: str
    span: Span = _span()


@frozen
class Mapping:
    """`mapping name = { "a": "b", … }`, or the name of a file of two columns."""

    name: str
    pairs: tuple[tuple[str, str], ...]
    path: str | None
    name_span: Span = _span()
    span: Span = _span()


Statement: TypeAlias = "Print | Require | Loop | Namespace | Mapping"

# ------------------------------------------------------------- selectors


def selectors_of(node: Any) -> Iterator[tuple[ast.Selector | ast.Path, bool]]:
    """The selectors of a program or of a part of it, each with: is it the target of a look-up?"""
    match node:
        case Loop(_, _, selector, actions):
            yield selector, False
            yield from selectors_of(actions)
        case Aggregate(_, operand):
            if not isinstance(operand, Variable):
                yield operand, False
        case LookUp(_, _, _, wanted, path, origin):
            yield from ((each, True) for each in (wanted, path) if each is not None)
            yield from selectors_of(origin)
        case Find(_, _, keys) | Own(Find(_, _, keys), _):  # another table has its own words
            yield from selectors_of(keys)
        case Own(_, wanted) | Only(wanted):
            yield wanted, False
        case Is(value, wanted, _):
            yield wanted, False
            yield from selectors_of(value)
        case Call("capture", (value, Named(name, span=span), *_)):
            yield ast.Name(name, span=span), False
            yield from selectors_of(value)
        case Cast(value, name, span=span):
            yield ast.Name(name, span=span), False
            yield from selectors_of(value)
        case tuple():
            for each in node:
                yield from selectors_of(each)
        case _ if type(node).__module__ in (__name__, Is.__module__):
            for name in field_names(node):
                yield from selectors_of(getattr(node, name))
