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
    Anchor,
    anchor_of,
    below,
    is_anchor,
    leftmost,
    repeated,
)
from sculpt.inference.emit.contents import Column, Stop, content_pieces, stopped
from sculpt.inference.emit.wide import WIDE, block, row_draft
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
    grown,
)
from sculpt.inference.files.sheet import Sheet
from sculpt.inference.frame.model import FramedColumn, FramedTable
from sculpt.inference.kinds import EMPTY, MISSING, NUMERIC
from sculpt.values import replace

_MOST_APART = 20
"""If there are more rules than this in all, columns with equal contents share them."""
_MOST_RULES = 40
_MOST_TOTALS = 4
_MOST_STEPS = 10_000
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
    for columns, room in ((found, 0), (found, _SELECTOR), (_with_equal_blanks(found), _SELECTOR)):
        drafts = _by_content(columns, sheets, base, marks, room)
        if len(drafts) * len(sheets[0].tables) <= _MOST_APART:
            break
    is_wide = len(drafts) > _MOST_RULES or len(found) > WIDE
    if is_wide and len(sheets) == 1 and (draft := row_draft(sheets[0], found, base, marks)):
        yield draft
        return
    yield from drafts


def _by_content(
    found: Sequence[Column],
    sheets: Sequence[Sheet],
    base: Anchor | None,
    marks: Form | None,
    room: int,
) -> list[Draft]:
    """The rules for columns, in the order of their first ones."""
    groups: dict[object, list[Column]] = {}
    for column in found:
        key = (_content_key(column), column.start, column.stop is None)
        groups.setdefault(key, []).append(column)
    numbered = [
        each for members in groups.values() for each in _group(members, sheets, base, marks, room)
    ]
    return [draft for _, draft in sorted(numbered, key=itemgetter(0))]


def _with_equal_blanks(found: Sequence[Column]) -> list[Column]:
    """The columns; if one of some form has marks or blanks, then all of this form may have them."""
    learnt: dict[object, list[Learnt]] = {}
    for each in found:
        learnt.setdefault(each.learnt.ladder[0], []).append(each.learnt)
    columns = []
    for each in found:
        known = learnt[each.learnt.ladder[0]]
        missing = tuple(sorted({mark for one in known for mark in one.missing}))
        wider = replace(each.learnt, missing=missing, has_empty=any(one.has_empty for one in known))
        columns.append(replace(each, learnt=wider))
    return columns


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


def _content_key(column: Column) -> object:
    learnt = column.learnt
    forms = learnt.ladder[0]
    if any(form.sign for form in forms) and forms[0].level != "picture":
        return (forms, bool(learnt.missing), learnt.has_empty, learnt.errors)
    return (forms, bool(learnt.missing), learnt.has_empty, learnt.errors)


def _group(
    members: Sequence[Column],
    sheets: Sequence[Sheet],
    base: Anchor | None,
    marks: Form | None,
    room: int,
) -> Iterator[tuple[int, Draft]]:
    """The rules for columns of the same content, with the first column of each rule.

    Neighbours share one; others do as well, as long as the selector is not longer than `room`.
    """
    runs: list[list[Column]] = []
    for column in members:
        is_next = runs and runs[-1][-1].number + 1 == column.number and len(sheets) == 1
        if is_next:
            runs[-1].append(column)
        else:
            runs.append([column])
    parts: list[tuple[Words, list[Column]]] = []
    for run in runs:
        if len(run) < 3 and (own := _own_selectors(run, base, sheets[0])) is not None:
            if room or len(run) == 1:
                words = own[0] if len(own) == 1 else (*own[0], " or ", *own[1])
                parts.append((words, run))
            else:
                parts += [(words, [each]) for words, each in zip(own, run, strict=True)]
        elif (selector := _run_selector(run, base, sheets[0])) is not None:
            parts.append((selector, run))
    while parts:
        words, columns = parts.pop(0)
        length = _length(words)
        most = room if columns[0].stop is None else room - 20
        while parts and length + _length(parts[0][0]) < most:
            more, others = parts.pop(0)
            length += 4 + _length(more)
            words, columns = (*words, " or ", *more), [*columns, *others]
        draft = _draft(stopped(words, columns[0].stop), columns, sheets, marks)
        yield columns[0].number, replace(draft, headings=_headings(columns, base))


_SELECTOR = 64
"""How long a selector of several parts may be."""


def _headings(columns: Sequence[Column], base: Anchor | None) -> Region | None:
    """The row of the headings, if all are in one, and there is a way to say which that is."""
    anchors = [column.anchor for column in columns if column.anchor is not None]
    rows = {tuple(row for row, _ in each.places) for each in anchors}
    if len(rows) != 1:
        return None
    (found,) = rows
    if set(found) == {1}:
        return Region("Headings", ("row(1)",))
    if base is None or tuple(row for row, _ in base.places) != found:
        return None
    is_left = all(
        place[1] >= first[1]
        for each in anchors
        for place, first in zip(each.places, base.places, strict=True)
    )
    return Region("Headings", ("right*(", base.piece, ")")) if is_left else None


def _own_selectors(run: Sequence[Column], base: Anchor | None, sheet: Sheet) -> list[Words] | None:
    """A selector for each column; from its neighbour's heading, if its own is no anchor."""
    found: list[Words] = []
    for place, column in enumerate(run):
        if column.anchor is not None:
            found.append(_own_selector(column))
            continue
        before = run[place - 1].anchor if place else base
        selector = _run_selector([column], before or base, sheet)
        if selector is None:
            return None
        found.append(selector)
    return found


def _own_selector(column: Column) -> Words:
    assert column.anchor is not None
    return below(column.anchor, column.start - column.anchor.places[0][0], 0, 0)


def _length(words: Words) -> int:
    """About how long the text of a selector is."""
    found = 0
    for each in words:
        match each:
            case str(text) | Lit(text):
                found += len(text) + 1
            case Tok(_, wish):
                found += len(wish)
            case Region(wish):
                found += len(wish)
    return found


def _run_selector(run: Sequence[Column], base: Anchor | None, sheet: Sheet) -> Words | None:
    """The cells of neighbouring columns."""
    first, count = run[0], len(run)
    if first.anchor is not None and all(each.start == first.start for each in run):
        chosen, offset = first.anchor, 0
        down = first.start - first.anchor.places[0][0]
    elif base is not None and base.places[0][1] <= first.number:
        row, column = base.places[0]
        chosen, offset, down = base, first.number - column, first.start - row
    else:
        if count < 3 and first.start == 1:
            return (" or ".join(f"col({each.number})" for each in run),)
        is_open = first.start == 1 and first.number == 1 and count == sheet.frame.width
        return block(sheet, first.start, first.number, None if is_open else count - 1)
    if down < 1 or offset + count > _MOST_STEPS:
        return None
    return below(chosen, down, offset, offset + count - 1)


def _draft(
    selector: Words, columns: Sequence[Column], sheets: Sequence[Sheet], marks: Form | None
) -> Draft:
    learnt, wish = columns[0].learnt, columns[0].title or "label"
    suffix = f"{{{len(columns)}}}" if len(columns) > 1 else ""
    levels = [content_pieces(learnt, level, wish, marks) for level in range(len(learnt.ladder))]
    contents = [
        counted(alternatives(each), suffix)
        for pieces in levels
        for each in _steps(pieces, any(sheet.cut for sheet in sheets))
    ]
    loose = counted(ANYTHING, "*")
    notes = [form.note for form in learnt.ladder[0] if form.note]
    for text in learnt.errors:
        for each in columns:
            row = next(
                (
                    number
                    for number in range(each.start, len(sheets[0].rows) + 1)
                    if sheets[0].text(number, each.number) == text
                ),
                None,
            )
            if row is not None:
                where = f"row {row:,}, " if row <= sheets[0].numbered else ""
                notes.append(f"likely an error: `{text[:30]}` in {where}column {each.number}")
                break
    about = "; ".join(notes)
    about = f"{about[0].upper()}{about[1:]}." if about else ""
    return Draft(selector, "->", (*contents, loose), about, tuple(levels[0]), suffix)


def _steps(pieces: list[Piece], is_cut: bool) -> Iterator[list[Piece]]:
    """A content; of a file that was not read as a whole, also the one with empty cells."""
    yield pieces
    if is_cut and "Empty" not in pieces:
        yield [*pieces, "Empty"]
