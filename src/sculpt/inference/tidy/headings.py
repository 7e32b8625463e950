"""Look-ups of what stands above and beside a value: headings by level, labels, groups.

In: a `Part`, columns, data rows. Out: named look-ups. A heading that spans columns reaches to the
right, up to the next heading of its row or of a row above it; a label that is written once
reaches down.

Invariant: of the known look-ups, the one is taken whose result is right for most columns of the
first sheet. Cost: the cells of the headings, times the levels.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from sculpt.inference.columns.forms import listed
from sculpt.inference.emit.anchors import leftmost
from sculpt.inference.emit.words import Piece, Region, Tok, Words
from sculpt.inference.files.sheet import Sheet
from sculpt.inference.frame.model import FramedTable
from sculpt.inference.kinds import YEAR, kind_of
from sculpt.inference.tidy.areas import cell_of, column_words, may_be_listed
from sculpt.inference.tidy.model import Layout, Part
from sculpt.values import frozen, replace

_MOST_GROUPS = 30
_SERIES = (
    ("day", re.compile(r"(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?", re.I)),
    ("quarter", re.compile(r"q[1-4]", re.I)),
    (
        "month",
        re.compile(
            r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
            r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?",
            re.I,
        ),
    ),
)


@frozen
class LookUp:
    """A named look-up, and the texts that it finds."""

    wish: str
    words: Words
    texts: tuple[str, ...]
    """One for each column, or for each data row."""


def levels(part: Part, layout: Layout) -> list[LookUp]:
    """The headings above the values, from the top."""
    sheet, table = part.sheets[0], part.tables[0]
    width = max(layout.values)
    grid = _spanned(sheet, table, width)
    found: list[LookUp] = []
    regions: list[Region] = []
    for at, row in enumerate(table.headers):
        wanted = tuple(grid[at][column - 1] for column in layout.values)
        if not any(wanted):
            continue
        words, region = _level(part, layout, row, wanted, regions, len(found))
        regions.append(region)
        found.append(LookUp("", words, wanted))
    series = [_series(each.texts) for each in found]
    count = series.count("")
    names = [
        name or (f"heading_{series[:place].count('')}" if count > 1 else "heading")
        for place, name in enumerate(series, 1)
    ]
    return [LookUp(name, each.words, each.texts) for name, each in zip(names, found, strict=True)]


def _series(texts: Sequence[str]) -> str:
    """What all headings of a level are; empty if nothing that is known."""
    filled = [text for text in texts if text]
    if all(kind_of(text.removesuffix(".0")) == YEAR for text in filled):
        return "year"
    for name, words in _SERIES:
        if all(words.fullmatch(text) for text in filled):
            return name
    return ""


def _spanned(sheet: Sheet, table: FramedTable, width: int) -> list[list[str]]:
    """The texts of the header rows, each over all columns that it is about."""
    grid = [[sheet.text(row, column) for column in range(1, width + 1)] for row in table.headers]
    lowest = [max((at for at, c in enumerate(grid) if c[ix]), default=-1) for ix in range(width)]
    bounds = [False] * width
    for at, cells in enumerate(grid):
        spanning = ""
        for ix, text in enumerate(cells):
            if text or bounds[ix]:
                spanning = text if lowest[ix] > at else ""
            bounds[ix] = bounds[ix] or bool(text)
            cells[ix] = text or (spanning if lowest[ix] > at else "")
    return grid


def _level(
    part: Part,
    layout: Layout,
    row: int,
    wanted: Sequence[str],
    above: Sequence[Region],
    place: int,
) -> tuple[Words, Region]:
    """The look-up of a header row, and its region."""
    sheet = part.sheets[0]
    line = Region("Headings" if not place else f"Headings {place + 1}", _line(part, row))
    own = [sheet.text(row, column) for column in layout.values]
    if list(wanted) == own:
        return ("directly(up, ", line, ", v)"), line
    filled = Region(line.wish, (*_line(part, row), " and Text"))
    reached = _reached(sheet, row, layout.values)
    tail = ", v)" if all(reached) else ", v) optional"
    if list(wanted) == reached or not above:
        return ("closest(left, ", filled, tail), filled
    borders: list[Piece] = []
    for region in above:
        borders += [" or down+(", region, ")"]
    bounded = Region(line.wish, (*_line(part, row), " and (Text", *borders, ")"))
    return ("closest(left, ", bounded, tail), bounded


def _reached(sheet: Sheet, row: int, columns: Sequence[int]) -> list[str]:
    """What `closest(left, …)` finds for each column: the nearest text at or left of it."""
    texts = []
    for column in columns:
        cells = (sheet.text(row, each) for each in range(column, 0, -1))
        texts.append(next((text for text in cells if text), ""))
    return texts


def _line(part: Part, row: int) -> Words:
    """A header row, by its first text if it can be."""
    place = part.tables[0].headers.index(row)
    if any(len(table.headers) <= place for table in part.tables):
        return (f"row({row})",)
    rows = [table.headers[place] for table in part.tables]
    anchor = leftmost(part.sheets, [[each] for each in rows]) if rows != [1] else None
    cells = part.sheets[0].rows[row - 1]
    first = next((column for column, text in enumerate(cells, 1) if text), 0)
    if anchor is None or anchor.places[0][1] != first:
        return (f"row({row})",)
    return ("right*(", anchor.piece, ")")


def labels(part: Part, layout: Layout) -> list[LookUp]:
    """What stands to the left of the values."""
    sheet, table = part.sheets[0], part.tables[0]
    found = []
    for place, column in enumerate(layout.labels):
        framed = next(each for each in table.columns if each.number == column)
        texts = tuple(sheet.text(row, column) for row in table.data)
        words = column_words(part, column)
        is_sparse = texts.count("") * 5 > len(texts) and place + 1 < len(layout.labels)
        name = " ".join(framed.heading) or corner_of(part, column)
        name = name or ("label" if len(layout.labels) == 1 else "")
        if is_sparse and texts[0] and len(part.sheets) == 1:
            region = Region("Labels", (*words, " and Text"))
            found.append(LookUp(name, ("closest(up, ", region, ", v)"), _filled(texts)))
        else:
            found.append(LookUp(name, ("directly(left, ", *words, ", v)"), texts))
    return found


def corner_of(part: Part, column: int) -> str:
    """The heading of a column of labels, if it stands in the only group row, above all data."""
    sheet, table = part.sheets[0], part.tables[0]
    framed = next((each for each in table.columns if each.number == column), None)
    if framed is None:
        return ""
    is_corner = len(table.groups) == 1 and table.groups[0] < table.data[0] and not framed.heading
    return sheet.text(table.groups[0], column) if is_corner else ""


def _filled(texts: Sequence[str]) -> tuple[str, ...]:
    filled: list[str] = []
    for text in texts:
        filled.append(text or (filled[-1] if filled else ""))
    return tuple(filled)


def group(part: Part, cell: str) -> LookUp | None:
    """The group row above a data row."""
    part = replace(part, tables=tuple(map(_without_titles, part.tables)))
    if not any(table.groups for table in part.tables):
        return None
    sheet, table = part.sheets[0], part.tables[0]
    cells = [(row, _first(sheet, row)) for row in table.groups if _first(sheet, row)]
    if not cells or any(corner_of(part, column) for _, column in cells):
        return None
    region = _groups(part, cells)
    if region is None:
        return None
    wanted = tuple(
        next((sheet.text(*c) for c in reversed(cells) if c[0] < row), "") for row in table.data
    )
    tail = "" if all(wanted) else " optional"
    return LookUp("group", ("closest(up, ", region, f", {cell}){tail}"), wanted)


def _without_titles(table: FramedTable) -> FramedTable:
    """The table without the group rows above its headings: they are titles of it."""
    below = min(table.headers, default=0)
    return replace(table, groups=tuple(row for row in table.groups if row > below))


def _first(sheet: Sheet, row: int) -> int:
    """The first column of a row with text; 0 if it has none."""
    return next((column for column, text in enumerate(sheet.rows[row - 1], 1) if text), 0)


def _groups(part: Part, cells: Sequence[tuple[int, int]]) -> Region | None:
    columns = {column for _, column in cells}
    if len(columns) == 1:
        column = min(columns)
        words = column_words(part, column)
        if all(_stand_alone(sheet, table, column) for sheet, table in part.pairs):
            return Region("Groups", (*words, " and Text and not left+(Text)"))
        texts = {sheet.text(row, column) for sheet, table in part.pairs for row in table.groups} - {
            ""
        }
        others = {
            sheet.text(row, column)
            for sheet, table in part.pairs
            for row in range(table.first, table.last + 1)
            if row not in table.groups
        }
        if may_be_listed(texts, _MOST_GROUPS) and not texts & others:
            return Region("Groups", (*words, " and ", Tok(listed(texts), "group")))
    if len(part.sheets) > 1:
        return None
    return Region("Groups", (" or ".join(cell_of(row, column) for row, column in cells),))


def _stand_alone(sheet: Sheet, table: FramedTable, column: int) -> bool:
    """Are the group rows those that have a text in this column and none to its right?"""
    start = max(table.headers, default=0)
    last = max(table.data)
    for row in range(start + 1, last + 1):
        text = sheet.text(row, column)
        alone = bool(text) and not any(sheet.rows[row - 1][column:])
        if alone != (row in table.groups and bool(text)):
            return False
    return True
