"""Statements before they are text: literals, tokens and regions are not yet named.

In: nothing. Out: `Draft`, a rule that may have to be widened, and the pieces its selector and
content are made of. Invariant: a draft does not change; its width is said from outside.
"""

from __future__ import annotations

from typing import TypeAlias

from sculpt.inference.columns.forms import EMPTY, TEXT, Form
from sculpt.values import frozen


@frozen
class Lit:
    """A text that stands for itself."""

    text: str


@frozen
class Tok:
    """A token, and what it is about."""

    form: Form
    wish: str


@frozen
class Region:
    """A named region."""

    wish: str
    selector: tuple[Piece, ...]


Piece: TypeAlias = str | Lit | Tok | Region
Words: TypeAlias = tuple[Piece, ...]

MISSING_WISH = "missing"


@frozen
class Draft:
    """A rule."""

    selector: Words
    arrow: str
    ladder: tuple[Words, ...]
    """Contents, the tightest first; after the last one the rule is dropped."""
    about: str = ""
    """Evidence: what stands above it as a comment."""


def alternatives(parts: list[Piece]) -> Words:
    """`a | b | c`."""
    found: list[Piece] = []
    for part in dict.fromkeys(parts):
        found += [" | ", part] if found else [part]
    return tuple(found)


def counted(words: Words, suffix: str) -> Words:
    """Words repeated: `(a | b){3}`."""
    if not suffix:
        return words
    return (*words, suffix) if len(words) == 1 else ("(", *words, ")", suffix)


ANYTHING: Words = alternatives([Tok(TEXT, ""), Tok(EMPTY, "")])
