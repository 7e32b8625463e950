"""Statements before they are text: literals, tokens and regions are not yet named.

In: nothing. Out: `Draft`, a rule that may have to be widened, and the pieces its selector and
content are made of. Invariant: a draft does not change; its width is said from outside.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from sculpt.inference.columns.forms import EMPTY, TEXT, Form
from sculpt.values import frozen, replace


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
    cells: tuple[Piece, ...] = ()
    """Of a rule about columns: the alternatives of its first content."""
    suffix: str = ""
    """How often these stand in a row, if that is not once."""
    is_spare: bool = False
    """Is it only for the case that the rule about the order says nothing of its cells?"""
    clause: str = ""
    """What stands after its content."""
    headings: Region | None = None
    """The row in which its anchors are, if that can be said."""


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


def grown(draft: Draft, more: Sequence[Piece]) -> Draft:
    """A rule about columns whose first content accepts further texts."""
    cells = tuple(dict.fromkeys((*draft.cells, *more)))
    if "Empty" in cells:  # reads best at the end
        cells = (*(each for each in cells if each != "Empty"), "Empty")
    first = counted(alternatives([*cells]), draft.suffix)
    return replace(draft, cells=cells, ladder=(first, *draft.ladder))


ANYTHING: Words = alternatives([Tok(TEXT, ""), Tok(EMPTY, "")])
