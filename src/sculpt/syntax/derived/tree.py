"""The syntax tree of a derived token: what is right of `:=`.

Names and literals are those of `ast`. A comparison measures its operand (the value itself, the
length, the digits) and has one test or two; the first of two is written on the left side, with its
relation turned around: `0 <= Integer <= 130` has the tests `>= 0` and `<= 130`.

Invariant: spans do not take part in equality. Parentheses are not nodes: a nested node of the same
kind stands for them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias, assert_never
from typing import Literal as OneOf

from sculpt.diagnostics import Span
from sculpt.syntax import ast
from sculpt.syntax.regular import CharSet, Regular
from sculpt.values import field, frozen

Measured: TypeAlias = OneOf["value", "length", "digits", "decimals"]
Relation: TypeAlias = OneOf["<", "<=", ">", ">=", "=", "!="]
MEASURES: tuple[Measured, ...] = ("length", "digits", "decimals")
TURNED: dict[Relation, Relation] = {
    "<": ">",
    "<=": ">=",
    ">": "<",
    ">=": "<=",
    "=": "=",
    "!=": "!=",
}
"""The relation seen from the other side."""


def _span() -> Any:
    """A span field: where a node was written. It is not part of what the node is."""
    return field(compare=False, repr=False, kw_only=True)


@frozen
class Pattern:
    """`/regex/`: the texts of an expression."""

    text: str
    pattern: Regular[CharSet] = field(compare=False, repr=False)
    span: Span = _span()


@frozen
class Picture:
    """`Type("picture", group ".", decimal ",")`: a type as it is written in some format."""

    type: str
    picture: str
    group: str | None = None
    decimal: str | None = None
    picture_span: Span = _span()
    span: Span = _span()


@frozen
class ListOf:
    """`list(tokens, "separator")`; without a separator, white space is between the items."""

    item: Tokens
    separator: str | None
    separator_span: Span | None = field(default=None, compare=False, repr=False, kw_only=True)
    span: Span = _span()


@frozen
class Trimmed:
    """`trimmed(tokens)`: the texts that match without the blanks around them."""

    part: Tokens
    span: Span = _span()


@frozen
class Bound:
    """One side of a comparison: a relation and what is compared with."""

    relation: Relation
    text: str
    span: Span = _span()


@frozen
class Comparison:
    """`Integer >= 5`, `0 <= Integer <= 130`, `length(Text) <= 8`."""

    measured: Measured
    operand: Tokens
    bounds: tuple[Bound, ...]
    """One, or two."""
    span: Span = _span()


@frozen
class Not:
    """The texts that do not match."""

    part: Tokens
    span: Span = _span()


@frozen
class And:
    """The texts that match all parts."""

    parts: tuple[Tokens, ...]
    span: Span = _span()


@frozen
class Or:
    """The texts that match some part."""

    parts: tuple[Tokens, ...]
    span: Span = _span()


Tokens: TypeAlias = (
    "ast.Name | ast.Literal | Pattern | Picture | ListOf | Trimmed | Comparison | Not | And | Or"
)


def nodes_in(tokens: Tokens) -> Iterator[Tokens]:
    """An expression and all its parts, in the order of the text."""
    yield tokens
    match tokens:
        case ast.Name() | ast.Literal() | Pattern() | Picture():
            return
        case ListOf(part, _) | Trimmed(part) | Not(part) | Comparison(_, part, _):
            yield from nodes_in(part)
        case And(parts) | Or(parts):
            for each in parts:
                yield from nodes_in(each)
        case _:
            assert_never(tokens)


def names_in(tokens: Tokens) -> Iterator[ast.Name | ast.Literal]:
    """The names and literals of an expression, in the order of the text."""
    return (node for node in nodes_in(tokens) if isinstance(node, ast.Name | ast.Literal))


def comparisons_in(tokens: Tokens) -> Iterator[Comparison]:
    """The comparisons of an expression, in the order of the text."""
    return (node for node in nodes_in(tokens) if isinstance(node, Comparison))
