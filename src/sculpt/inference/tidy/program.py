"""The program for a table: its loop, its fields.

In: sheets of one kind. Out: programs, the most telling first, each with as many records as the
frame promises. Invariant: the fields have distinct names; what cannot be looked up is left out.
Cost: linear in the cells of the table.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from functools import partial
from itertools import chain

from sculpt.inference.columns.forms import Form
from sculpt.inference.columns.learn import Strictness, marks_of
from sculpt.inference.emit.text import rows_named
from sculpt.inference.emit.words import Piece, Region, Words, missing_piece
from sculpt.inference.files.sheet import Sheet
from sculpt.inference.frame.model import FramedTable
from sculpt.inference.tidy import headings
from sculpt.inference.tidy.areas import Area, bracketed, column_words, has_rows, selectors
from sculpt.inference.tidy.casts import cast_ladder, figure_fields, found_ladder
from sculpt.inference.tidy.layout import layout_of
from sculpt.inference.tidy.model import Field, Layout, Part, Program
from sculpt.inference.tidy.names import field_names

_MOST_FIELDS = 200


def programs(sheets: Sequence[Sheet], how: Strictness, marks: Form | None) -> Iterator[Program]:
    """Programs for the largest table that all sheets have."""
    count = min(len(sheet.tables) for sheet in sheets)
    if not count:
        return
    place = max(range(count), key=lambda ix: (_size(sheets[0].tables[ix]), -ix))
    part = Part(tuple(sheets), tuple(sheet.tables[place] for sheet in sheets))
    if not all(table.data for table in part.tables):
        return
    comments: tuple[str, ...] = ()
    if len(sheets[0].tables) > 1:
        table = part.tables[0]
        comments = (
            f"The program is about the largest of {len(sheets[0].tables)} tables: "
            f"{rows_named(table.first, table.last)}.",
        )
    layout = layout_of(part)
    if layout.is_cross:
        yield from _cross(part, layout, how, marks, comments)
    yield from _plain(part, how, marks, comments)


def _size(table: FramedTable) -> int:
    return len(table.data) * len(table.columns)


def _named(wanted: Sequence[tuple[str, tuple[Words, ...]]]) -> tuple[Field, ...]:
    names = field_names(wish for wish, _ in wanted)
    return tuple(Field(name, ladder) for name, (_, ladder) in zip(names, wanted, strict=True))


# ------------------------------------------------------------- a record a row


def _plain(
    part: Part, how: Strictness, marks: Form | None, comments: tuple[str, ...]
) -> Iterator[Program]:
    columns = [
        framed
        for framed in part.tables[0].columns
        if framed.heading
        or any(part.sheets[0].text(row, framed.number) for row in part.tables[0].data)
    ][:_MOST_FIELDS]
    fields: list[tuple[str, tuple[Words, ...]]] = []
    if (group := headings.group(part, "r.cells[1]")) is not None:
        fields.append((group.wish, (group.words,)))
    for framed in columns:
        number = framed.number
        texts = Counter(
            sheet.text(row, number) for sheet, table in part.pairs for row in table.data
        )
        cell: Words = ("r[", *column_words(part, number), "]")
        wish = " ".join(framed.heading) or "value"
        name = " ".join(framed.heading) or f"column {number}"
        fields.append((name, cast_ladder(cell, texts, how, wish, marks)))
    counts = tuple(len(table.data) for table in part.tables)
    named = _named(fields)
    for area in _row_areas(part, [each.number for each in columns]):
        for words in selectors(area):
            region = Region("Rows", (*words, " and Text"))
            yield Program("row", (region,), named, counts, comments)


def _row_areas(part: Part, columns: Sequence[int]) -> Iterator[Area]:
    """Columns by which data rows are known: one that is filled in all of them, or all."""
    full = [
        column
        for column in columns
        if all(has_rows(sheet, column, table.data) for sheet, table in part.pairs)
    ]
    areas = [Area(part, (column,), bool) for column in full[:20]]

    def extras(area: Area) -> int:
        return sum(
            len(area.rows(place)) - len(table.data) for place, table in enumerate(part.tables)
        )

    yield from sorted(areas, key=extras)[:1]
    yield Area(part, tuple(columns), bool)


# ------------------------------------------------------------- a record a cell


def _cross(
    part: Part, layout: Layout, how: Strictness, marks: Form | None, comments: tuple[str, ...]
) -> Iterator[Program]:
    fields: list[tuple[str, tuple[Words, ...]]] = []
    if (group := headings.group(part, "v")) is not None:
        fields.append((group.wish, (group.words,)))
    for each in (*headings.labels(part, layout), *headings.levels(part, layout)):
        texts = Counter(each.texts)
        wish = "label" if each.wish.startswith("heading") else each.wish
        fields.append((each.wish, found_ladder(each.words, texts, how, wish)))
    cells = [
        Counter(sheet.text(row, column) for sheet, table in part.pairs for row in table.data)
        for column in layout.values
    ]
    absent = _marks(cells)
    columns = [
        Counter({text: count for text, count in each.items() if text and text not in absent})
        for each in cells
    ]
    missing = missing_piece(sorted(absent), marks, {*chain.from_iterable(columns)})
    is_figure = partial(_is_figure, missing.form.texts)
    has_marks = any(
        sheet.text(row, column) in missing.form.texts
        for sheet in part.sheets
        for row in range(1, len(sheet.rows) + 1)
        for column in layout.values
    )
    fields += figure_fields(columns, how, "figure")
    named = _named(fields)
    counts = tuple(
        sum(is_figure(sheet.text(row, c)) for row in table.data for c in layout.values)
        for sheet, table in part.pairs
    )
    tail: list[Piece] = [" and Text"]
    if has_marks:
        tail += [" and not ", missing]
    tail += _skipped(part, layout)
    comments = (*comments, *_omissions(layout))
    for words in selectors(Area(part, layout.values, is_figure)):
        region = Region("Figures", (*words, *tail))
        yield Program("cell", (region,), named, counts, comments)


def _marks(columns: Sequence[Counter[str]]) -> frozenset[str]:
    """The texts that stand for missing values in all columns that have them."""
    marks = [marks_of(column) for column in columns]
    found = frozenset().union(*marks)
    values = {text for own, column in zip(marks, columns, strict=True) for text in column
              if text in found and text not in own}  # fmt: skip
    return found - values


def _is_figure(missing: Collection[str], text: str) -> bool:
    return bool(text) and text not in missing


def _skipped(part: Part, layout: Layout) -> list[Piece]:
    """What takes columns between those of the values out of a region."""
    low, high = min(layout.values), max(layout.values)
    odd = [column for column in range(low, high + 1) if column not in layout.values]
    filled = [
        column
        for column in odd
        if any(sheet.text(row, column) for sheet, table in part.pairs for row in table.data)
    ]
    if not filled:
        return []
    if len(filled) == 1:
        words = column_words(part, filled[0])
        return [" and not ", *words]
    others: list[Piece] = []
    for column in filled:
        others += [*([" or "] if others else []), *column_words(part, column)]
    return [" and not ", *bracketed("Other columns", tuple(others))]


def _omissions(layout: Layout) -> tuple[str, ...]:
    found = []
    for columns, what in ((layout.totals, "totals"), (layout.left_out, "not numbers")):
        if columns:
            word = "column" if len(columns) == 1 else "columns"
            numbers = ", ".join(map(str, columns))
            found.append(f"Left out, as {what}: {word} {numbers}.")
    return tuple(found)
