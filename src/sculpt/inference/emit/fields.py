"""Rules about columns: what stands below a heading.

In: the sheets of one kind, and one of their tables each. Out: drafts; columns with the same content
share one. Invariant: the content of a draft is learnt from exactly the cells that its selector
selects, so it accepts them. Cost: linear in the cells of the tables.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import TypeAlias

from sculpt.inference.columns.forms import NUMBER, Form
from sculpt.inference.columns.learn import Learnt, Strictness, learn
from sculpt.inference.emit.anchors import (
    MOST_EQUAL,
    anchor_of,
    is_anchor,
    leftmost,
    repeated,
)
from sculpt.inference.emit.contents import Column, Stop
from sculpt.inference.emit.groups import grouped
from sculpt.inference.emit.wide import WIDE, row_draft
from sculpt.inference.emit.words import (
    Draft,
    Lit,
    Region,
    Tok,
    grown,
)
from sculpt.inference.files.sheet import Sheet
from sculpt.inference.frame.model import FramedColumn, FramedTable
from sculpt.inference.kinds import EMPTY, MISSING, NUMERIC
from sculpt.values import replace

_MOST_RULES = 40
_MOST_TOTALS = 4
_NOTHING = Learnt(((),))


def column_drafts(
    sheets: Sequence[Sheet],
    tables: Sequence[FramedTable],
    how: Strictness,
    marks: Form | None,
    skip: int | None,
) -> Iterator[Draft]:
    """The rules for the columns of a table; `skip` is a column that another rule is about."""
    stop = stop_of(sheets, tables)
    placed = [
        known
        for framed in tables[0].columns
        if framed.number != skip
        if (known := _placed(sheets, tables, framed, stop)) is not None
    ]
    if len(sheets) == 1 and len(placed) > WIDE:
        found = _learnt_in_runs(placed, how)
    else:
        found = [replace(each, learnt=learn(cells, how)) for each, cells, _ in placed]
    if len(sheets) == 1:
        found = _as_series(found, sheets[0], how)
    base = leftmost(sheets, [t.headers for t in tables]) if tables[0].headers else None
    drafts = [] if len(found) > WIDE else grouped(found, sheets, base, marks)
    if len(sheets) == 1 and (len(drafts) > _MOST_RULES or len(found) > WIDE):
        draft = row_draft(sheets[0], found, base, marks)
        if draft is not None:
            yield draft
            return
    if len(found) > WIDE:
        drafts = grouped(found, sheets, base, marks)
    yield from drafts


_Cells: TypeAlias = list[Counter[str]]


def _learnt_in_runs(
    placed: Sequence[tuple[Column, _Cells, frozenset[str]]], how: Strictness
) -> list[Column]:
    """The columns; neighbours with equal kinds of cells have one content."""
    columns: list[Column] = []
    for _, run in groupby(placed, itemgetter(2)):
        members = [*run]
        texts = Counter[str]()
        for _, cells, _ in members:
            texts.update(cells[0])
        learnt = learn([texts], how)
        columns += [replace(column, learnt=learnt) for column, _, _ in members]
    return columns


def _kinds(framed: FramedColumn) -> frozenset[str]:
    """What kinds of values a column holds, as far as these differ much."""
    known = {kind for kind in framed.kinds if kind not in (EMPTY, MISSING)}
    return frozenset("number" if kind in NUMERIC else kind for kind in known)


def _as_series(found: Sequence[Column], sheet: Sheet, how: Strictness) -> list[Column]:
    """The columns; neighbours that share a heading which nobody would count have one content.

    Without a heading, those of numbers have one, and those of other texts.
    """

    def key(each: tuple[int, Column]) -> tuple[object, ...]:
        place, column = each
        is_numeric = any(NUMBER in forms for forms in column.learnt.ladder)
        return column.title, column.number - place, is_numeric or bool(column.title)

    columns: list[Column] = []
    series = groupby(enumerate(found), key)
    for _, numbered in series:
        members = [column for _, column in numbered]
        if len(members) > MOST_EQUAL:
            texts = Counter[str]()
            for each in members:
                end = each.stop.rows[0] if each.stop is not None else None
                texts += _texts(sheet, each.number, each.start, end)
            learnt = learn([texts], how)
            members = [replace(each, learnt=learnt) for each in members]
        columns += members
    return columns


def spare_drafts(
    sheets: Sequence[Sheet],
    tables: Sequence[FramedTable],
    how: Strictness,
    marks: Form | None,
    column: int,
) -> Iterator[Draft]:
    """The rule for the column of which the order rule says what stands in it."""
    others = [each for each in tables[0].columns if each.number == column]
    if not others:
        return
    alone = [replace(tables[0], columns=tuple(others)), *tables[1:]]
    totals = dict.fromkeys(
        sheet.text(row, column)
        for sheet, table in zip(sheets, tables, strict=True)
        for row in table.derived
    )
    words = [Lit(text) for text in totals if text and is_anchor(text)][:_MOST_TOTALS]
    rest = [
        _without(sheet, table.derived, column, {each.text for each in words})
        for sheet, table in zip(sheets, tables, strict=True)
    ]
    for draft in column_drafts(rest, alone, how, marks, None):
        ladder = grown(draft, words).ladder
        yield replace(grown(draft, words), ladder=(ladder[0], *draft.ladder[1:]), is_spare=True)


def _without(sheet: Sheet, rows: Sequence[int], column: int, texts: Collection[str]) -> Sheet:
    """The sheet without some texts in a column."""
    cells = [*sheet.rows]
    for row in rows:
        if sheet.text(row, column) in texts:
            found = cells[row - 1]
            cells[row - 1] = (*found[: column - 1], "", *found[column:])
    return replace(sheet, rows=tuple(cells))


def stop_of(sheets: Sequence[Sheet], tables: Sequence[FramedTable]) -> Stop | None:
    """What stands after a table, if its columns go on there and it has an anchor."""
    rows = []
    for sheet, table in zip(sheets, tables, strict=True):
        after = range(table.last + 1, len(sheet.rows) + 1)
        row = next((each for each in after if any(sheet.rows[each - 1])), None)
        if row is None:
            return None
        rows.append(row)
    wish = "Next table" if len(sheets[0].tables) > 1 else "Notes"
    anchor = leftmost(sheets, [[row] for row in rows])
    if anchor is None:
        if len(set(rows)) > 1 or rows[0] > sheets[0].numbered:
            return None
        selector: tuple[str | Lit | Tok, ...] = (f"down*(row({rows[0]}))",)
        return Stop(Region(wish, selector), tuple(rows), 1)
    column = max(place[1] for place in anchor.places)
    assert isinstance(anchor.piece, Lit | Tok)
    return Stop(Region(wish, ("down*(right*(", anchor.piece, "))")), tuple(rows), column)


def _placed(
    sheets: Sequence[Sheet],
    tables: Sequence[FramedTable],
    framed: FramedColumn,
    stop: Stop | None,
) -> tuple[Column, _Cells, frozenset[str]] | None:
    """A column from which nothing was learnt yet, and its cells in each sheet."""
    number = framed.number
    text = framed.heading[-1] if framed.heading else ""
    anchor = None
    if framed.heading_row is not None:
        anchor = anchor_of(sheets, text) or repeated(sheets, tables, framed)
    if anchor is not None and any(
        place[0] not in table.headers for place, table in zip(anchor.places, tables, strict=True)
    ):
        anchor = None
    has_no_headings = all(not table.headers and table.first == 1 for table in tables)
    if anchor is None and len(sheets) > 1 and not has_no_headings:
        return None
    down = max(tables[0].headers, default=0) + 1 - anchor.places[0][0] if anchor else 0
    if anchor is not None:
        is_last = all(
            not sheet.text(row, place[1])
            for sheet, table, place in zip(sheets, tables, anchor.places, strict=True)
            for row in range(place[0] + 1, max(table.headers) + 1)
        )
        down = 1 if is_last else down
        starts = [(place[1], place[0] + down) for place in anchor.places]
    else:
        starts = [(number, max(table.headers, default=table.first - 1) + 1) for table in tables]
    is_stopped = stop is not None and _needs_stop(sheets, starts, stop)
    counters = [
        _texts(sheet, column, row, stop.rows[place] if stop and is_stopped else None)
        for place, (sheet, (column, row)) in enumerate(zip(sheets, starts, strict=True))
    ]
    title = " ".join(framed.heading) if len(framed.heading) < 3 else text
    column = Column(number, starts[0][1], title, anchor, _NOTHING, stop if is_stopped else None)
    return column, counters, _kinds(framed)


def _needs_stop(sheets: Sequence[Sheet], starts: Sequence[tuple[int, int]], stop: Stop) -> bool:
    """Is there text in the column after the table?"""
    if any(column < stop.column for column, _ in starts):
        return False
    return any(
        sheet.text(row, column)
        for sheet, (column, _), first in zip(sheets, starts, stop.rows, strict=True)
        for row in range(first, len(sheet.rows) + 1)
    )


def _texts(sheet: Sheet, column: int, first: int, end: int | None) -> Counter[str]:
    rows = sheet.rows[first - 1 : None if end is None else end - 1]
    try:
        return Counter(map(itemgetter(column - 1), rows))
    except IndexError:  # padded
        return Counter(row[column - 1] if column <= len(row) else "" for row in rows)
