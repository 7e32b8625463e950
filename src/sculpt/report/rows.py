"""A row of the data as text: the part that fits, with marks under its cells.

In: an `Excerpt`, and where other cells of the region are in it. Out: two lines: the row, and marks:
`^` under the place, `-` under the other cells of the region.

Invariant: every character of a row takes as many columns as `width` measures for it, so the marks
are under their cells. Nothing that a cell contains can steer a terminal: each control character,
those that change the direction of text among them, is shown as one visible character.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING, TypeAlias

from sculpt.report.styled import Styled, visible, width
from sculpt.verdict import Excerpt

if TYPE_CHECKING:
    from sculpt.core.dialect import Dialect

Range: TypeAlias = tuple[int, int]

_WINDOW = 100
_LEAD = 30
_STYLES = {"^": "bold red", "-": "cyan", " ": ""}


def show_row(excerpt: Excerpt, region: Sequence[Range] = ()) -> tuple[str, Styled]:
    """The part of a row around its cell that fits the window, and the line with the marks."""
    begin = 0
    if excerpt.end > _WINDOW:
        begin = max(0, excerpt.start - _LEAD)
    end = min(len(excerpt.text), begin + _WINDOW)
    head, tail = "…" if begin else "", "…" if end < len(excerpt.text) else ""
    marks = [" "] * (end - begin)
    for first, last in region:
        for ix in range(max(first, begin), min(last, end)):
            marks[ix - begin] = "-"
    place = range(max(excerpt.start, begin), min(excerpt.end, end))
    for ix in place:
        marks[ix - begin] = "^"
    pieces = [(" " * width(head), "")]
    at = begin
    for mark, run in groupby(marks):
        count = len(list(run))
        columns = width(visible(excerpt.text[at : at + count]))
        # A character without a width of its own still gets its mark.
        pieces.append((mark * (columns or (mark == "^")), _STYLES[mark]))
        at += count
    if not place:  # after the last character
        pieces.append(("^", _STYLES["^"]))
    while pieces and not pieces[-1][0].strip():
        pieces.pop()
    return head + visible(excerpt.text[begin:end]) + tail, Styled(tuple(pieces))


def quoted(text: str) -> str:
    """A text as messages quote it."""
    from sculpt.engines.messages import words  # not needed for a file without violations

    return words.quoted(text)


def cell_ranges(text: str, dialect: Dialect) -> list[Range]:
    """Where the cells of a row are in its text, without the blanks around theirs."""
    from sculpt.tabular.document import Document
    from sculpt.tabular.grid import BLANKS, read_grid
    from sculpt.values import replace

    plain = replace(dialect, blank_rows="keep", comment=None)
    rows = read_grid(Document(text, b"", "utf-8"), plain).rows
    ranges = []
    for cell in rows[0].cells if rows else ():
        shown = text[cell.start : cell.end]
        lead = len(shown) - len(shown.lstrip(BLANKS))
        bare = len(shown.strip(BLANKS))
        ranges.append((cell.start + lead, cell.start + lead + bare) if bare else (cell.start,) * 2)
    return ranges
