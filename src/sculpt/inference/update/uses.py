"""Which definitions can be widened without changing anything but what rules accept.

In: a schema. Out: the names of its own tokens that nothing but contents and other such tokens use,
and those only without `not` and comparisons. Where a selector, a key, a reference, a `unique` or a
program uses a token, a wider token could select other cells, and so refuse what was accepted.

Invariant: widening a token of these never makes a rule refuse a table that it accepted. Cost:
linear in the schema.
"""

from __future__ import annotations

from collections.abc import Iterator

from sculpt.schema import Schema
from sculpt.syntax import ast
from sculpt.syntax.derived import tree as derived
from sculpt.syntax.names import names_of

Definition = ast.TokenDefinition | ast.DerivedDefinition


def widenable(schema: Schema) -> dict[str, Definition]:
    """The definitions that may be widened, by name."""
    fixed = set(_fixed(schema))
    lines = "\n".join(
        line for each in schema.statements if isinstance(each, ast.Program) for line in each.lines
    )
    definitions = {
        each.name: each
        for each in schema.statements
        if isinstance(each, ast.TokenDefinition | ast.DerivedDefinition)
    }
    fixed |= {name for name in definitions if lines and name in lines}
    for each in definitions.values():
        if isinstance(each, ast.DerivedDefinition):
            fixed |= set(_negative(each.tokens, False))
    todo = [*fixed]
    while todo:  # what a fixed token is made of is fixed too
        found = definitions.get(todo.pop())
        if isinstance(found, ast.DerivedDefinition):
            new = {
                each.name for each in derived.names_in(found.tokens) if isinstance(each, ast.Name)
            }
            todo += new - fixed
            fixed |= new
    return {
        name: each
        for name, each in definitions.items()
        if name not in fixed and each.span.source is schema.source
    }


def _fixed(schema: Schema) -> Iterator[str]:
    for statement in schema.statements:
        match statement:
            case ast.TypeDefinition(_, selector) | ast.Rule(selector):
                yield from _names(selector)
            case ast.Unique(_, target):
                yield from _names(target)
            case ast.Key(parts):
                yield from _of_parts(parts)
            case ast.Reference(left, right):
                yield from _of_parts((*left.parts, *right.parts))
            case _:
                pass


def _of_parts(parts: tuple[ast.Part, ...]) -> Iterator[str]:
    for part in parts:
        yield from _names(part.selector)
        if part.type_name is not None:
            yield part.type_name


def _names(selector: ast.Selector) -> Iterator[str]:
    return (each.name for each in names_of(selector) if isinstance(each, ast.Name))


def _negative(tokens: derived.Tokens, inside: bool) -> Iterator[str]:
    """The names below a `not` or in a comparison."""
    match tokens:
        case ast.Name(name):
            if inside:
                yield name
        case derived.Not(part) | derived.Comparison(_, part):
            yield from _negative(part, True)
        case derived.And(parts) | derived.Or(parts):
            for part in parts:
                yield from _negative(part, inside)
        case derived.ListOf(part) | derived.Trimmed(part):
            yield from _negative(part, inside)
        case _:
            pass
