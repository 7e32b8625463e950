"""The names that a selector mentions, and the selectors that a program does."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any

from sculpt.syntax import ast
from sculpt.syntax import programs as p


def names_of(node: ast.Selector | ast.Path) -> Iterator[ast.Name | ast.Literal]:
    """The names and literals of a selector, in the order of the text."""
    match node:
        case ast.Name() | ast.Literal():
            yield node
        case ast.Apply(path, operand):
            yield from names_of(path)
            if operand is not None:
                yield from names_of(operand)
        case ast.Exists(path) | ast.Repeated(path, _, _):
            yield from names_of(path)
        case ast.Not(part):
            yield from names_of(part)
        case ast.And(parts) | ast.Or(parts):
            for part in parts:
                yield from names_of(part)
        case ast.Concat(steps) | ast.Union(steps):
            for step in steps:
                yield from names_of(step)
        case ast.Filter(condition):
            yield from names_of(condition)
        case ast.Filtered(path, condition):
            yield from names_of(path)
            yield from names_of(condition)


def selectors_of(node: Any) -> Iterator[tuple[ast.Selector | ast.Path, bool]]:
    """The selectors of a program or of a part of it; is it what a look-up looks for?"""
    match node:
        case p.Loop(_, _, selector, actions):
            yield selector, False
            yield from selectors_of(actions)
        case p.Aggregate(_, operand):
            if not isinstance(operand, p.Variable):
                yield operand, False
        case p.LookUp(_, _, _, wanted, path, origin):
            yield from ((each, True) for each in (wanted, path) if each is not None)
            yield from selectors_of(origin)
        case p.Call("capture", (value, p.Named(name, span=span), *_)):
            yield ast.Name(name, span=span), False
            yield from selectors_of(value)
        case tuple():
            for each in node:
                yield from selectors_of(each)
        case _ if is_dataclass(node) and type(node).__module__ == p.__name__:
            for each in fields(node):
                yield from selectors_of(getattr(node, each.name))
