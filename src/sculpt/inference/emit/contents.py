"""What a column of a table holds, and how a content says it.

In: what was learnt of a column. Out: `Column`, and the alternatives of a content at each step of
its ladder. Invariant: the alternatives accept all texts of the column. Cost: linear in the forms.
"""

from __future__ import annotations

import re

from sculpt.inference.columns.forms import WORDS, Form, listed
from sculpt.inference.columns.learn import Learnt
from sculpt.inference.emit.anchors import Anchor
from sculpt.inference.emit.words import Lit, Piece, Region, Tok, Words, missing_piece
from sculpt.values import frozen


@frozen
class Stop:
    """Where the cells of a table end, though their columns go on."""

    region: Region
    rows: tuple[int, ...]
    """The first row after the table, in each sheet."""
    column: int
    """It bounds this column and those to its right."""


@frozen
class Column:
    """A column of a table, in all sheets."""

    number: int
    """In the first sheet."""
    start: int
    """Its first row there."""
    title: str
    anchor: Anchor | None
    """Its own heading, if that is one."""
    learnt: Learnt
    stop: Stop | None


def stopped(words: Words, stop: Stop | None) -> Words:
    """The cells of a selector that are before the end of a table."""
    if stop is None:
        return words
    if " or " in words or (isinstance(words[0], str) and " or " in words[0]):
        words = ("(", *words, ")")
    return (*words, " and not ", stop.region)


def wish_of(form: Form) -> str:
    """A name by what the texts are, where no heading says it, or columns share it."""
    for start, word in (("Date(", "day"), ("xs:date", "day"), ("xs:gYear", "month"),
                        ("Number(", "amount"), ("xs:time", "time")):  # fmt: skip
        if form.written.startswith(start):
            return word
    return {"list": "kind", "shape": "code", "lengths": "code", "words": "words"}.get(
        form.level, "label"
    )


_MOST_ERRORS = 4
"""More likely errors than this have a name instead of being listed in a rule."""
_DIGITS = re.compile(r"\[0-9[.,]*\](?:[+*?]|\{[0-9,]+\})*|[0-9]+")


def beside_numbers(form: Form) -> str:
    """A name for texts beside numbers, by what they are."""
    if form.level == "picture":
        return "percent" if "%" in form.written else wish_of(form)
    texts = form.texts or re.split(r"(?<!\\)\|", form.written)
    bare = [_DIGITS.sub("0", text).replace("\\", "") for text in texts]
    if all(re.fullmatch("0 ?[-–] ?0", text) for text in bare):
        return "range"
    if not all("0" in text for text in bare) and re.search(r"[A-Za-z]", "".join(bare)):
        return "remark"
    if re.search("[<>~=]", "".join(bare)):
        return "bound"
    return "code" if re.search(r"[A-Za-z]", "".join(bare)) else "marked"


def content_pieces(learnt: Learnt, level: int, wish: str, marks: Form | None) -> list[Piece]:
    """The alternatives of a content at a step of its ladder."""
    forms = learnt.ladder[level]
    pieces: list[Piece] = []
    for form in forms:
        if form.texts and len(form.texts) <= (3 if len(forms) > 1 else 1):
            pieces += [Lit(text) for text in form.texts]
        elif len(forms) > 1 and form.sign:
            pieces.append(Tok(form, beside_numbers(form)))
        else:
            pieces.append(Tok(form, wish_of(form) if wish == "label" or form == WORDS else wish))
    if not all(any(form.accepts(mark) for form in forms) for mark in learnt.missing):
        pieces.append(missing_piece(learnt.missing, marks))
    if len(learnt.errors) > _MOST_ERRORS:  # of several columns
        pieces.append(Tok(listed(learnt.errors), "remark"))
    else:
        pieces += [Lit(text) for text in learnt.errors]
    if learnt.has_empty or not pieces:
        pieces.append("Empty")
    return pieces
