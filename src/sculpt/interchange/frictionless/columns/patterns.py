"""Texts and regular expressions of descriptors as Sculpt writes them.

In: texts, and patterns in the syntax that XML Schema and Python share. Out: literals and
expressions of tokens, or why a pattern has no counterpart.

Invariant: an expression matches whole cells, as XML Schema says of patterns (Part 2, appendix G);
anchors at its ends change nothing. Cost: linear.
"""

from __future__ import annotations

import re

from sculpt.interchange.builder import expression_problem, literal

_SPECIAL = frozenset('\\.^$*+?{}[]()|/"%')
_PIECE = re.compile(r"\\(?:[pP]\{[^}]*\}|.)|\[\^?\]?(?:\\.|[^\]\\])*\]|\{,[0-9]+\}|.", re.DOTALL)


class NotTakenOverError(Exception):
    """A pattern without a counterpart; the message says why."""


def expression(pattern: str) -> str:
    """A pattern as the expression of a token; raises `NotTakenOverError`."""
    written = "".join(_piece(match[0]) for match in _PIECE.finditer(pattern))
    if "|" in pattern and (pattern.startswith("^") or pattern.endswith("$")):
        written = _unanchored(pattern, written)
    problem = expression_problem(written)
    if problem is not None:
        raise NotTakenOverError(problem)
    return written


def _unanchored(pattern: str, written: str) -> str:
    """`^a|b$` means either end in Python, and is meant as `^(a|b)$`."""
    first = written.removeprefix("^")
    if pattern.endswith("$") and not pattern.endswith("\\$"):
        first = first.removesuffix("$")
    return first


def _piece(text: str) -> str:
    if text.startswith("{,"):
        return "{0" + text[1:]
    if text.startswith("["):
        if "-[" in text[1:]:
            raise NotTakenOverError("a character class that subtracts another is not supported")
        return "".join(_char(char) for char in text)
    if text in '"%':
        return f"\\{text}"
    if text == " ":
        return "[ ]"
    return "".join(_char(char) for char in text)


def _char(char: str) -> str:
    """A character that may stand in a line of a schema."""
    return char if char.isprintable() else f"\\x{{{ord(char):x}}}"


def escaped(text: str) -> str:
    """An expression that matches exactly a text."""
    return "".join(
        "[ ]" if char == " " else f"\\{char}" if char in _SPECIAL else _char(char) for char in text
    )


def exactly(text: str) -> str:
    """A text as a derived token has it."""
    if not text:
        return "Empty"
    return literal(text) if text.isprintable() else f"/{escaped(text)}/"


def either(texts: tuple[str, ...]) -> str:
    """One of some texts, as a derived token has it."""
    return " or ".join(exactly(text) for text in texts)
