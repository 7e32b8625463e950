"""Statements before they are text: literals, tokens and regions are not yet named.

In: nothing. Out: `Draft`, a rule that may have to be widened, and the pieces its selector and
content are made of. Invariant: a draft does not change; its width is said from outside.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from itertools import groupby
from typing import TypeAlias

from sculpt.inference.columns.forms import EMPTY, TEXT, Form, listed
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


def missing_piece(own: Sequence[str], shared: Form | None, values: Collection[str] = ()) -> Tok:
    """The marks of some cells; those of the file, if it knows them all and none is a value here."""
    if shared is None or not {*own} <= {*shared.texts}:
        return Tok(listed(own), MISSING_WISH)
    is_value = any(text in values for text in shared.texts if text not in own)
    return Tok(listed(own) if is_value else shared, MISSING_WISH)


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


def likely_error(text: str, rows: int, where: str, is_cut: bool = False) -> str:
    """The comment about a text that is accepted, though it does not fit.

    `is_cut` if only some rows were read.
    """
    if rows < 2:
        return f"likely an error: `{text[:30]}` in {where}"
    few = "at least " if is_cut else ""
    return f"likely errors: `{text[:30]}` in {few}{rows:,} rows, first in {where}"


def alternatives(parts: list[Piece]) -> Words:
    """`a | b | c`."""
    found: list[Piece] = []
    for part in dict.fromkeys(parts):
        found += [" | ", part] if found else [part]
    return tuple(found)


def in_sequence(parts: Iterable[Words]) -> Words:
    """`a, b{3}, c`: parts one after the other; equal pieces are counted from three on."""
    found: list[Piece] = []
    for part, equal in groupby(parts):
        count = sum(1 for _ in equal)
        is_piece = len(part) == 1 and (not isinstance(part[0], str) or part[0].isalpha())
        again = 1 if count > 2 and is_piece else count
        for _ in range(again):
            found += [", ", *part] if found else part
        if again < count:
            found.append(f"{{{count}}}")
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
