"""Which columns of a table share a rule, and where their cells are.

In: the columns of a table, with what was learnt of them. Out: drafts. Columns have rules of their
own, and neighbours with equal contents share one; where that makes too many rules, so do others
with equal contents.

Invariant: a draft is about exactly the cells of its columns, so it accepts them. Cost: linear in
the columns.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import itemgetter
from os.path import basename

from sculpt.inference.columns.forms import Form
from sculpt.inference.columns.learn import Learnt
from sculpt.inference.emit.anchors import Anchor, below
from sculpt.inference.emit.contents import Column, content_pieces, stopped
from sculpt.inference.emit.wide import block
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
    likely_error,
)
from sculpt.inference.files.sheet import Sheet
from sculpt.values import replace

_MOST_APART = 20
"""If there are more rules than this in all, columns with equal contents share them."""
_MOST_STEPS = 10_000
_SELECTOR = 64
"""How long a selector of several parts may be."""


def grouped(
    found: Sequence[Column], sheets: Sequence[Sheet], base: Anchor | None, marks: Form | None
) -> list[Draft]:
    """The rules for columns, in the order of their first ones; `base` is in their headings."""
    drafts: list[Draft] = []
    for columns, room in ((found, 0), (found, _SELECTOR), (_with_equal_blanks(found), _SELECTOR)):
        drafts = _by_content(columns, sheets, base, marks, room)
        if len(drafts) * len(sheets[0].tables) <= _MOST_APART:
            break
    return drafts


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


def _content_key(column: Column) -> object:
    learnt = column.learnt
    return (learnt.ladder[0], bool(learnt.missing), learnt.has_empty, learnt.errors)


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
        places = [place for each in columns for place in _places(each, sheets, text)]
        if places:
            sheet, row, column = places[0]
            where = f"row {row:,}, column" if row <= sheet.numbered else "column"
            of = f" of {basename(sheet.path)}" if len(sheets) > 1 else ""
            is_cut = any(each.cut for each in sheets)
            notes.append(likely_error(text, len(places), f"{where} {column}{of}", is_cut))
    about = "; ".join(notes)
    about = f"{about[0].upper()}{about[1:]}." if about else ""
    return Draft(selector, "->", (*contents, loose), about, tuple(levels[0]), suffix)


def _places(column: Column, sheets: Sequence[Sheet], text: str) -> Iterator[tuple[Sheet, int, int]]:
    """The rows and columns of the cells of a column that have a text."""
    for place, sheet in enumerate(sheets):
        number, start = column.number, column.start
        if column.anchor is not None:
            down = start - column.anchor.places[0][0]
            start, number = column.anchor.places[place][0] + down, column.anchor.places[place][1]
        end = column.stop.rows[place] if column.stop is not None else len(sheet.rows) + 1
        for row in range(start, end):
            if sheet.text(row, number) == text:
                yield sheet, row, number


def _steps(pieces: list[Piece], is_cut: bool) -> Iterator[list[Piece]]:
    """A content; of a file that was not read as a whole, also the one with empty cells."""
    yield pieces
    if is_cut and "Empty" not in pieces:
        yield [*pieces, "Empty"]
