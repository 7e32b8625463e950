"""Names: which texts can be written as one, and those that a selector mentions."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sculpt.syntax import ast

_WORD = r"[\w:](?:[\w:-]*[\w:])?"
_NOT_OPERATOR = r"(?!(?:and|or|not)(?![\w:-]))"
PLAIN_NAME = re.compile(rf"{_NOT_OPERATOR}{_WORD}(?: {_NOT_OPERATOR}{_WORD})*")


def is_plain_name(text: str) -> bool:
    """Can the text be written as a name, without quotes?"""
    return PLAIN_NAME.fullmatch(text) is not None


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
        case ast.Not(part) | ast.Nth(part):
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
