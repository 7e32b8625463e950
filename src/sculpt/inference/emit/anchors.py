"""Anchors: texts from which regions are found, wherever they stand.

In: the sheets of one kind. Out: literals that occur once in each sheet, and selectors that start
from them. Invariant: a selector of this module selects in each sheet the cells that its caller
means; nothing but the text of the anchor is assumed of other files. Cost: look-ups in the indexes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from sculpt.inference.columns.forms import LINE, Form, escaped
from sculpt.inference.emit.words import Lit, Piece, Tok, Words
from sculpt.inference.files.sheet import Sheet
from sculpt.inference.frame.model import FramedColumn, FramedTable
from sculpt.values import frozen

LONGEST = 36
"""More characters than this make no good literal."""
_HELD = frozenset("\n\r\t")
"""Literals have escapes for these."""
MOST_EQUAL = 20
"""Nobody counts further to find a heading among equal ones."""


@frozen
class Anchor:
    """A text, and where it is in each sheet."""

    piece: Piece
    places: tuple[tuple[int, int], ...]
    nth: int = 0
    """Which of the cells with the text in its row, if there are several."""


def anchor_of(sheets: Sequence[Sheet], text: str) -> Anchor | None:
    """The anchor of a text, if each sheet has it in exactly one cell."""
    if not text or any(sheet.counts[text] != 1 for sheet in sheets):
        return None
    places = tuple(sheet.places[text] for sheet in sheets)
    if is_anchor(text):
        return Anchor(Lit(text), places)
    return _beginning(sheets, text, places)


def repeated(
    sheets: Sequence[Sheet], tables: Sequence[FramedTable], column: FramedColumn
) -> Anchor | None:
    """The heading of a column, if that is several times in its row, and nowhere else.

    The row has the same place among the headers of each table.
    """
    text, row = column.heading[-1], column.heading_row
    if not is_anchor(text) or row not in tables[0].headers:
        return None
    if sheets[0].counts[text] > MOST_EQUAL:
        return None
    header = tables[0].headers.index(row)
    nth = sheets[0].rows[row - 1][: column.number].count(text)
    places = []
    for sheet, table in zip(sheets, tables, strict=True):
        if header >= len(table.headers):
            return None
        cells = sheet.rows[table.headers[header] - 1]
        found = [place for place, each in enumerate(cells, 1) if each == text]
        if len(found) < max(2, nth) or len(found) != sheet.counts[text]:
            return None
        places.append((table.headers[header], found[nth - 1]))
    return Anchor(Lit(text), tuple(places), nth)


def is_anchor(text: str) -> bool:
    """Can a text mark a place?"""
    return 0 < len(text) <= LONGEST and is_written_short(text)


def is_shown(text: str) -> bool:
    """Can a literal show all characters of a text?"""
    return all(char.isprintable() or char in _HELD for char in text)


def is_written_short(text: str) -> bool:
    """Is a text a literal, or short enough to be a token for what no literal shows?"""
    return is_shown(text) or len(escaped(text)) <= LINE


def _beginning(
    sheets: Sequence[Sheet], text: str, places: tuple[tuple[int, int], ...]
) -> Anchor | None:
    """A long text by its first words, if no other cell begins with them."""
    piece = beginning(text)
    if piece is None or any(
        sum(1 for each in sheet.counts if piece.form.accepts(each)) != 1 for sheet in sheets
    ):
        return None
    return Anchor(piece, places)


def beginning(text: str) -> Tok | None:
    """All texts that begin with the first words of a text, at most `LONGEST` characters."""
    found = re.match(r"\w+(?:\W{1,2}\w+){0,7}", text[:LONGEST])
    if found is None:
        return None
    start = found.group() if len(text) <= LONGEST else found.group().rpartition(" ")[0]
    if len(start) < 4:
        return None
    form = Form("shape", f"{escaped(start)}.*", f"{re.escape(start)}.*", "=")
    return Tok(form, " ".join(start.lower().split()[:3]))


def leftmost(sheets: Sequence[Sheet], rows: Sequence[Sequence[int]]) -> Anchor | None:
    """The leftmost anchor in these rows (for each sheet); of several, the lowest."""
    first = sheets[0]
    found: list[tuple[int, int, Anchor]] = []
    for row in rows[0]:
        for column, text in enumerate(first.rows[row - 1], 1):
            anchor = anchor_of(sheets, text) if text else None
            if anchor is None:
                continue
            if all(place[0] in allowed for place, allowed in zip(anchor.places, rows, strict=True)):
                found.append((column, -row, anchor))
                break
    return min(found, key=lambda item: item[:2])[2] if found else None


def below(anchor: Anchor, down: int, low: int, high: int | None) -> Words:
    """The cells `down` rows below an anchor and further, in a range of columns to its right."""
    nth = f"#{anchor.nth}" if anchor.nth else ""
    steps = "down+" if down == 1 else f"down{{{down},}}"
    if low == 0 and high == 0:
        return ("col(" if down == 1 else f"{steps}(", anchor.piece, f"{nth})")
    return (f"{steps}({_sideways(low, high)}(", anchor.piece, f"{nth}))")


def _sideways(low: int, high: int | None) -> str:
    if high is None:
        return {0: "right*", 1: "right+"}.get(low, f"right{{{low},}}")
    if low == high:
        return "right" if low == 1 else f"right{{{low}}}"
    return f"right{{{low},{high}}}"
