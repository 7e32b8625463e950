"""Names and literals: which texts can be names, and how any text is written between quotes.

Selectors, contents, derived tokens and programs share the escapes of literals.

Invariant: `unescaped(quote(text)[1:-1]) == text`, and a quoted text is on one line. Cost: linear.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from sculpt.syntax import ast

_WORD = r"[\w:](?:[\w:-]*[\w:])?"
_NOT_OPERATOR = r"(?!(?:and|or|not)(?![\w:-]))"
PLAIN_NAME = re.compile(rf"{_NOT_OPERATOR}{_WORD}(?: {_NOT_OPERATOR}{_WORD})*")
ESCAPES = {"n": "\n", "r": "\r", "t": "\t", '"': '"', "\\": "\\"}
"""By the character after a backslash: what the two stand for."""
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_WRITTEN = {char: f"\\{letter}" for letter, char in ESCAPES.items()}
_SPECIAL = re.compile(r'[\n\r\t"\\]')


def is_plain_name(text: str) -> bool:
    """Can the text be written as a name, without quotes?"""
    return PLAIN_NAME.fullmatch(text) is not None


def quote(text: str) -> str:
    """A text as a quoted literal."""
    escaped = _SPECIAL.sub(lambda found: _WRITTEN[found[0]], text)
    return f'"{escaped}"'


def unescaped(body: str) -> str:
    """The text that is meant; any other character after a backslash stands for itself."""
    return _ESCAPE.sub(lambda found: ESCAPES.get(found[1], found[1]), body)


def bad_escape(body: str) -> int | None:
    """Where the first backslash is that begins no escape."""
    wrong = (found.start() for found in _ESCAPE.finditer(body) if found[1] not in ESCAPES)
    return next(wrong, None)


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
