"""Rules about columns: what stands below a heading.

In: the sheets of one kind, and one of their tables each. Out: drafts; columns with the same content
share one. Invariant: the content of a draft is learnt from exactly the cells that its selector
selects, so it accepts them. Cost: linear in the cells of the tables.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from os.path import basename

from sculpt.inference.columns.forms import WORDS, Form
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
    likely_error,
    missing_piece,
)
from sculpt.inference.files.sheet import Sheet
from sculpt.inference.frame.model import FramedTable
from sculpt.values import frozen, replace

_MOST_RULES = 60
_MOST_TOTALS = 4
_MOST_STEPS = 10_000


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


def column_drafts(
    sheets: Sequence[Sheet],
    tables: Sequence[FramedTable],
    how: Strictness,
    marks: Form | None,
    skip: int | None,
) -> Iterator[Draft]:
    """The rules for the columns of a table; `skip` is a column that another rule is about."""
    stop = stop_of(sheets, tables)
    found = [
        column
        for framed in tables[0].columns
        if framed.number != skip
        if (column := _column(sheets, tables, framed.number, how, stop)) is not None
    ]
    if len(sheets) == 1:
        found = _as_series(found, sheets[0], how)
    base = leftmost(sheets, [t.headers for t in tables]) if tables[0].headers else None
    groups: dict[object, list[Column]] = {}
    for column in found:
        key = (_content_key(column), column.start, column.stop is None)
        groups.setdefault(key, []).append(column)
    numbered = [
        each
        for members in groups.values()
        for each in _group(members, sheets, base, marks, len(sheets) > 1)
    ]
    drafts = [draft for _, draft in sorted(numbered, key=lambda each: each[0])]
    if len(drafts) > _MOST_RULES and base is not None and len(sheets) == 1:
        yield from _pooled(found, base, tables[0])
        return
    yield from drafts


def _as_series(found: Sequence[Column], sheet: Sheet, how: Strictness) -> list[Column]:
    """The columns; neighbours that share a heading which nobody would count have one content."""
    columns: list[Column] = []
    series = groupby(enumerate(found), lambda each: (each[1].title, each[1].number - each[0]))
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


def _pooled(found: Sequence[Column], base: Anchor, table: FramedTable) -> Iterator[Draft]:
    """One rule for very many columns."""
    down = max(table.headers) + 1 - base.places[0][0]
    selector = below(base, max(1, down), 0, None)
    forms = Counter(form for each in found for form in each.learnt.ladder[0])
    if len(forms) <= 6:
        pieces: list[Piece] = [Tok(form, each.title) for form in forms for each in found[:1]]
        yield Draft(selector, "->", (counted((*alternatives([*pieces, "Empty"]),), "*"),
                                     counted(ANYTHING, "*")))  # fmt: skip


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


def _column(
    sheets: Sequence[Sheet],
    tables: Sequence[FramedTable],
    number: int,
    how: Strictness,
    stop: Stop | None,
) -> Column | None:
    framed = next(each for each in tables[0].columns if each.number == number)
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
    learnt = learn(counters, how)
    title = " ".join(framed.heading) if len(framed.heading) < 3 else text
    return Column(number, starts[0][1], title, anchor, learnt, stop if is_stopped else None)


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
    is_shared: bool,
) -> Iterator[tuple[int, Draft]]:
    """The rules for columns of the same content, with the first column of each rule."""
    runs: list[list[Column]] = []
    for column in members:
        is_next = runs and runs[-1][-1].number + 1 == column.number and not is_shared
        if is_next:
            runs[-1].append(column)
        else:
            runs.append([column])
    parts: list[tuple[Words, list[Column]]] = []
    for run in runs:
        if len(run) < 3 and all(each.anchor is not None for each in run):
            parts += [(_own_selector(each), [each]) for each in run]
        elif (selector := _run_selector(run, base, sheets[0].numbered)) is not None:
            parts.append((selector, run))
    while parts:
        words, columns = parts.pop(0)
        length = _length(words)
        room = _SELECTOR if columns[0].stop is None else _SELECTOR - 20
        while parts and length + _length(parts[0][0]) < room:
            more, others = parts.pop(0)
            length += 4 + _length(more)
            words, columns = (*words, " or ", *more), [*columns, *others]
        yield columns[0].number, _draft(_stopped(words, columns), columns, sheets, marks)


_SELECTOR = 64
"""How long a selector of several parts may be."""


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


def _run_selector(run: Sequence[Column], base: Anchor | None, numbered: int) -> Words | None:
    """The cells of neighbouring columns; row numbers up to `numbered` are those of the file."""
    first, count = run[0], len(run)
    if first.anchor is not None and all(each.start == first.start for each in run):
        chosen, offset = first.anchor, 0
        down = first.start - first.anchor.places[0][0]
    elif base is not None and base.places[0][1] <= first.number:
        row, column = base.places[0]
        chosen, offset, down = base, first.number - column, first.start - row
    elif first.start > 1:
        if first.start - 1 > numbered:
            return None
        row, last = first.start - 1, first.number + count - 1
        block = f"({row},{first.number})" + (f"..({row},{last})" if count > 1 else "")
        return (f"down+({block})",)
    else:
        if count > 8:
            return None
        words = " or ".join(f"col({each.number})" for each in run)
        return (words,)
    if down < 1 or offset + count > _MOST_STEPS:
        return None
    return below(chosen, down, offset, offset + count - 1)


def _stopped(words: Words, columns: Sequence[Column]) -> Words:
    stop = columns[0].stop
    if stop is None:
        return words
    if " or " in words or (isinstance(words[0], str) and " or " in words[0]):
        words = ("(", *words, ")")
    return (*words, " and not ", stop.region)


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


def wish_of(form: Form) -> str:
    """A name by what the texts are, where no heading says it, or columns share it."""
    for start, word in (("Date(", "day"), ("xs:date", "day"), ("xs:gYear", "month"),
                        ("Number(", "amount"), ("xs:time", "time")):  # fmt: skip
        if form.written.startswith(start):
            return word
    return {"list": "kind", "shape": "code", "lengths": "code", "words": "words"}.get(
        form.level, "label"
    )


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
    pieces += [Lit(text) for text in learnt.errors]
    if learnt.has_empty or not pieces:
        pieces.append("Empty")
    return pieces
