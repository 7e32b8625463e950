"""Rules about header rows, and about rows of equal length.

In: the sheets of one kind. Out: drafts. Invariant: each accepts the sheets as they are. Cost: the
cells of header rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sculpt.inference.columns.forms import EMPTY, TEXT
from sculpt.inference.emit.anchors import LONGEST, anchor_of, is_written_short
from sculpt.inference.emit.words import (
    ANYTHING,
    Draft,
    Lit,
    Piece,
    Tok,
    Words,
    counted,
    in_sequence,
)
from sculpt.inference.files.sheet import Sheet
from sculpt.inference.frame.model import FramedTable
from sculpt.values import replace

_WIDEST = 60
"""A header with more cells is not written out."""


def header_drafts(sheets: Sequence[Sheet], tables: Sequence[FramedTable]) -> Iterator[Draft]:
    """A rule for each header row of a table; the table of each sheet is given."""
    first = sheets[0]
    for place, row in enumerate(tables[0].headers):
        if not any(first.rows[row - 1]):
            continue
        draft = _header(sheets, [t.headers[place] if place < len(t.headers) else 0 for t in tables])
        if draft is not None:
            yield draft


def _header(sheets: Sequence[Sheet], rows: Sequence[int]) -> Draft | None:
    if not all(rows):
        return None
    all_cells = [sheet.rows[row - 1] for sheet, row in zip(sheets, rows, strict=True)]
    for text in dict.fromkeys(all_cells[0]):
        anchor = anchor_of(sheets, text)
        if anchor is None or any(
            place[0] != row for place, row in zip(anchor.places, rows, strict=True)
        ):
            continue
        if set(rows) == {1} and any(each[0] != text for each in all_cells):
            break
        selector: Words = ("right*(", anchor.piece, ")")
        if set(rows) == {1}:
            selector = ("row(1)",)
        parts = [
            cells[place[1] - 1 :] for cells, place in zip(all_cells, anchor.places, strict=True)
        ]
        return Draft(selector, "->", _contents(parts, anchor.piece))
    if len(set(rows)) > 1 or rows[0] > sheets[0].numbered:
        return None
    return Draft((f"row({rows[0]})",), "->", _contents(all_cells, Tok(TEXT, "")))


def _contents(parts: Sequence[tuple[str, ...]], first: Piece) -> tuple[Words, ...]:
    loose: Words = (first, ", ", *counted(ANYTHING, "*"))
    if len(set(parts)) > 1:
        common = 0
        while all(len(each) > common for each in parts) and len({p[common] for p in parts}) == 1:
            common += 1
        if 1 < common <= 12 and all(parts[0][:common]):
            start = literals(parts[0][:common])
            return ((*start, ", ", *counted(ANYTHING, "*")), loose, counted(ANYTHING, "*"))
        return (loose, counted(ANYTHING, "*"))
    cells = parts[0]
    while cells and not cells[-1]:
        cells = cells[:-1]
    tail: Words = () if len(cells) == len(parts[0]) else (", Empty*",)
    if len(cells) > _WIDEST:
        return (loose, counted(ANYTHING, "*"))
    return ((*literals(cells), *tail), loose, counted(ANYTHING, "*"))


def literals(cells: Sequence[str]) -> Words:
    """The texts of some cells in a row; empty ones are counted."""
    found: list[Words] = []
    empties = 0
    for text in (*cells, None):
        if text == "":
            empties += 1
            continue
        if empties:
            found.append(("Empty" if empties == 1 else f"Empty{{{empties}}}",))
            empties = 0
        if text is not None:
            found.append((cell_piece(text),))
    return in_sequence(found)


def cell_piece(text: str) -> Piece:
    """A text as a literal; as `Text`, if it is too long to be one."""
    if not text:
        return Tok(EMPTY, "")
    is_short = len(text) <= LONGEST + 20 and is_written_short(text)
    return Lit(text) if is_short else Tok(TEXT, "")


def width_draft(sheets: Sequence[Sheet]) -> Draft | None:
    """That all rows have the same number of cells, if they do."""
    widths = {len(row) for sheet in sheets for row in sheet.rows}
    rows = sum(len(sheet.rows) for sheet in sheets)
    if len(widths) != 1 or rows < 3 or not 1 < (width := min(widths)) <= 10_000:
        return None
    return Draft(("true",), "->", ((f"Any{{{width}}}",),), f"Each row has {width} cells.")


def with_width(drafts: Sequence[Draft], width: Draft) -> list[Draft]:
    """All rules; one about all cells of the table counts them itself, if it does not repeat."""
    for place, each in enumerate(drafts):
        if each.selector == width.selector and each.ladder[0][-1:] != ("*",):
            wider = replace(each, ladder=(*each.ladder[:-1], *width.ladder, each.ladder[-1]))
            return [*drafts[:place], wider, *drafts[place + 1 :]]
    return [width, *drafts]
