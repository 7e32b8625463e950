"""Rules about rows and columns that have no heading in common.

In: the sheets of one kind, which call their columns differently. Out: drafts: what stands to the
right of a label, and what a column has from top to bottom, with a heading whose beginning or end is
the same in all sheets. Invariant: each draft accepts the sheets. Cost: linear in the cells.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from sculpt.inference.columns.forms import Form, escaped
from sculpt.inference.columns.learn import Learnt, Strictness, learn
from sculpt.inference.emit.anchors import anchor_of
from sculpt.inference.emit.contents import content_pieces, wish_of
from sculpt.inference.emit.order import Order
from sculpt.inference.emit.words import (
    ANYTHING,
    Draft,
    Lit,
    Piece,
    Region,
    Tok,
    Words,
    alternatives,
    counted,
)
from sculpt.inference.files.sheet import Sheet

_LEAST = 4
"""The fewest characters that headings must share."""
_MOST = 6


def record_drafts(
    sheets: Sequence[Sheet], column: int, how: Strictness, marks: Form | None
) -> Iterator[Draft]:
    """What stands to the right of the labels in a column, if labels are of one known form."""
    right = [each for each in sheets[0].tables[0].columns if each.number > column]
    if all(each.heading and anchor_of(sheets, each.heading[-1]) is not None for each in right):
        return  # each has a rule of its own
    labels = [Counter(_label(sheet, row, column) for row in _rows(sheet)) for sheet in sheets]
    (forms, *_) = learn(labels, how).ladder
    if len(forms) != 1 or forms[0].level in ("text", "classes", "blocks"):
        return
    region = Region("Record", (f"col({column}) and ", Tok(forms[0], wish_of(forms[0]))))
    cells = [
        Counter(
            text
            for row in sheet.rows
            if len(row) >= column and forms[0].accepts(row[column - 1])
            for text in row[column:]
        )
        for sheet in sheets
    ]
    learnt = learn(cells, how)
    yield Draft(
        ("right+(", region, ")"),
        "->",
        tuple(
            counted(alternatives(_with_empty(content_pieces(learnt, level, "value", marks))), "*")
            for level in range(len(learnt.ladder))
        ),
    )


def _with_empty(pieces: list[Piece]) -> list[Piece]:
    return pieces if "Empty" in pieces else [*pieces, "Empty"]


def _rows(sheet: Sheet) -> tuple[int, ...]:
    return sheet.tables[0].data


def _label(sheet: Sheet, row: int, column: int) -> str:
    return sheet.text(row, column)


def alike_drafts(
    sheets: Sequence[Sheet], order: Order, how: Strictness, marks: Form | None
) -> Iterator[Draft]:
    """The columns to the right of the labels whose headings are alike, from top to bottom.

    Equal headings have rules of their own, which say nothing of files that lack them. So if the
    order of the labels does not tell files of another kind, the first such column does.
    """
    is_sure, first = order.is_sure, order.column + 1
    for column in range(first, min(sheet.frame.width for sheet in sheets) + 1):
        if column >= first + _MOST:
            return
        tops = [_heading(sheet, column) for sheet in sheets]
        found = [each for each in tops if each is not None]
        if len(found) < len(tops) or (form := _shared([text for text, _ in found])) is None:
            continue
        if is_sure and isinstance(form, str) and anchor_of(sheets, form) is not None:
            continue  # it has a rule of its own
        is_sure = True
        cells = [
            Counter(sheet.text(row, column) for row in range(start + 1, len(sheet.rows) + 1))
            for sheet, (_, start) in zip(sheets, found, strict=True)
        ]
        learnt = learn(cells, how)
        heading: Piece = Lit(found[0][0]) if isinstance(form, str) else Tok(form, found[0][0])
        title = found[0][0]
        yield Draft((f"col({column})",), "=>", _ladder(heading, title, learnt, marks))


def _ladder(heading: Piece, title: str, learnt: Learnt, marks: Form | None) -> tuple[Words, ...]:
    """A heading below empty cells, and what stands below it."""
    found = []
    for level in range(len(learnt.ladder)):
        pieces = _with_empty(content_pieces(learnt, level, title, marks))
        found.append(("Empty*, ", heading, ", ", *counted(alternatives(pieces), "*")))
    return (*found, counted(ANYTHING, "*"))


def _heading(sheet: Sheet, column: int) -> tuple[str, int] | None:
    """The first text of a column, if it is a heading."""
    for row in range(1, len(sheet.rows) + 1):
        if text := sheet.text(row, column):
            is_heading = bool(sheet.tables) and row in sheet.tables[0].headers
            return (text, row) if is_heading else None
    return None


def _shared(texts: Sequence[str]) -> str | Form | None:
    """The text, or a form for its beginning or its end."""
    if len(set(texts)) == 1:
        return texts[0]
    start = _beginning(texts)
    end = _beginning([text[::-1] for text in texts])[::-1]
    if len(end.strip()) >= _LEAST:  # units stand at the end, and words before them vary
        kept = end.strip()
        return Form("shape", f".*{escaped(kept)}", f".*{re.escape(kept)}", "=")
    if len(start.strip()) >= _LEAST:
        kept = start.strip()
        return Form("shape", f"{escaped(kept)}.*", f"{re.escape(kept)}.*", "=")
    return None


def _beginning(texts: Sequence[str]) -> str:
    """The longest beginning that all texts have."""
    first, last = min(texts), max(texts)
    count = next((ix for ix, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), None)
    return first[: min(len(first), len(last)) if count is None else count]
