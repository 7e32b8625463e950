"""The order rule: what follows what in the column of labels, from the title to the notes.

In: the sheets of one kind. Out: a draft about the whole column, and which column that is. With
several sheets, what all of them have in common stays, and what stands between may be anything.

Invariant: the first content accepts the sheets as they are. Cost: linear in the rows, times the
sheets.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import Literal as OneOf
from typing import TypeAlias

from sculpt.inference.columns.forms import LINE, Form, ended, escaped, listed
from sculpt.inference.columns.learn import Learnt, Strictness, learn
from sculpt.inference.emit.anchors import LONGEST, beginning, is_written_short
from sculpt.inference.emit.contents import content_pieces
from sculpt.inference.emit.headers import cell_piece
from sculpt.inference.emit.words import (
    ANYTHING,
    Draft,
    Lit,
    Piece,
    Tok,
    Words,
    alternatives,
    counted,
    in_sequence,
)
from sculpt.inference.files.sheet import Sheet
from sculpt.values import frozen

Element: TypeAlias = tuple[OneOf["text", "empty", "body"], str]
_LONG = 3
"""If the tables of all sheets have so many rows, no table is expected to have none."""
_MOST = 14
"""More texts than this before, between or after tables are not written out."""


def order_column(sheets: Sequence[Sheet]) -> int | None:
    """The leftmost column that holds text, in all sheets.

    If that is another column in some of them, then the leftmost one that holds labels of their
    first tables in all of them.
    """
    found = {next(_filled(sheet, range(1, len(sheet.rows) + 1)), None) for sheet in sheets}
    if len(found) == 1:
        return found.pop()
    if not all(sheet.tables for sheet in sheets):
        return None
    common = set.intersection(*(set(_filled(each, each.tables[0].data)) for each in sheets))
    return min(common, default=None)


def _filled(sheet: Sheet, rows: Sequence[int]) -> Iterator[int]:
    """The columns that hold text in some of the rows."""
    for column in range(1, sheet.frame.width + 1):
        if any(sheet.text(row, column) for row in rows):
            yield column


@frozen
class Order:
    """The rule about a column from top to bottom."""

    column: int
    draft: Draft | None
    """`None` if there is nothing to say of it."""
    is_sure: bool
    """Does it refuse files that lack a text?"""


def order_of(
    sheets: Sequence[Sheet], how: Strictness, marks: Form | None, tables: int
) -> Order | None:
    """The rule about order; `None` if the sheets are plain tables."""
    column = order_column(sheets)
    if column is None or not any(_is_verbose(sheet) for sheet in sheets):
        return None
    lists = [_elements(sheet, column, tables) for sheet in sheets]
    common = _common(lists)
    bodies = [_body(sheets, column, table, how, marks) for table in range(tables)]
    tight = _joined(lists, common, bodies)
    if tight == counted(ANYTHING, "*"):
        return Order(column, None, False)
    loose_body: list[Words] = [counted(ANYTHING, "*") for _ in bodies]
    ladder = dict.fromkeys((tight, _joined(lists, common, loose_body)))
    draft = Draft((f"col({column})",), "=>", tuple(ladder))
    is_sure = any(kind == "text" for kind, _ in common) or any(map(_is_telling, bodies))
    return Order(column, draft, is_sure)


def _is_telling(body: Words) -> bool:
    """Does it ask for texts that are not in every table?"""
    vague = ("text", "classes", "blocks")
    return body[-1:] == ("+",) and not any(
        each == "Empty" or (isinstance(each, Tok) and each.form.level in vague) for each in body
    )


def _is_verbose(sheet: Sheet) -> bool:
    if len(sheet.tables) > 1:
        return True
    labels = {line.label for line in sheet.frame.lines}
    return bool(labels & {"metadata", "notes", "derived", "group"}) or any(
        table.headers and min(table.headers) > 1 for table in sheet.tables
    )


def _elements(sheet: Sheet, column: int, tables: int) -> list[Element]:
    found: list[Element] = []
    row = 1
    starts = {table.first: (place, table) for place, table in enumerate(sheet.tables[:tables])}
    while row <= len(sheet.rows):
        if row in starts:
            place, table = starts[row]
            found.append(("body", str(place)))
            row = table.last + 1
            continue
        text = sheet.text(row, column)
        found.append(("text", text) if text else ("empty", ""))
        row += 1
    return found


def _body(
    sheets: Sequence[Sheet], column: int, table: int, how: Strictness, marks: Form | None
) -> Words:
    """The labels of a table: of its data, its groups, its totals."""
    counters, totals, shapes = [], Counter[str](), []
    for sheet in sheets:
        framed = sheet.tables[table]
        derived = set(framed.derived)
        rows = range(framed.first, framed.last + 1)
        counters.append(Counter(sheet.text(row, column) for row in rows if row not in derived))
        totals.update(text for row in framed.derived if (text := sheet.text(row, column)))
        shapes.append("".join("D" if row in derived else "d" for row in rows))
    if len(totals) > 4 or any(len(text) > 40 or not is_written_short(text) for text in totals):
        for text, count in totals.items():
            counters[0][text] += count
        totals.clear()
    learnt: Learnt = learn(counters, how)
    wish = _wish(sheets[0], table, column)
    data = content_pieces(learnt, 0, wish, marks)
    ends = [Lit(text) for text in totals]
    last: list[Piece] = list(ends)
    listed_ends: list[Piece] = list(ends)
    if sum(map(len, totals)) > 40:
        listed_ends = [Tok(listed(totals), "total")]
    shape = shapes[0].rstrip("D")
    is_last = len(set(totals.values())) == 1 and len(totals) == len(shapes[0]) - len(shape)
    if len(sheets) == 1 and totals and "D" not in shape and is_last:
        words: list[Piece] = [*counted(alternatives(data), "+")]
        for piece in last:
            words += [", ", piece]
        return tuple(words)
    pieces = [*data, *listed_ends]
    is_long = len(sheets) == 1 or all(len(shape) >= _LONG for shape in shapes)
    return counted(alternatives(pieces), "+" if is_long else "*")


def _wish(sheet: Sheet, table: int, column: int) -> str:
    framed = next((c for c in sheet.tables[table].columns if c.number == column), None)
    return framed.heading[-1] if framed is not None and framed.heading else "label"


def _common(lists: Sequence[list[Element]]) -> list[Element]:
    """The elements that all lists have, in order."""
    common = lists[0]
    for other in lists[1:]:
        blocks = SequenceMatcher(None, common, other, autojunk=False).get_matching_blocks()
        common = [common[b.a + k] for b in blocks for k in range(b.size)]
    return common


def _joined(
    lists: Sequence[list[Element]], common: Sequence[Element], bodies: Sequence[Words]
) -> Words:
    """The elements that all lists have, in order, and what stands between them."""
    if len(lists) > 1:  # blank rows come and go
        return _aligned(lists, [each for each in common if each[0] != "empty"], bodies)
    parts: list[Words] = []
    stretch: list[Element] = []
    for element in (*common, None):
        if element is not None and element[0] != "body":
            stretch.append(element)
            continue
        parts += _stretch(stretch, not parts)
        stretch = []
        if element is not None:
            parts.append(_word(element, bodies))
    return _sequence(parts)


def _aligned(
    lists: Sequence[list[Element]], common: list[Element], bodies: Sequence[Words]
) -> Words:
    """What all lists have, and between that what they have in common there."""
    words: list[Words] = []
    rest = [list(each) for each in lists]
    for element in (*common, None):
        gaps: list[list[Element]] = []
        for place, left in enumerate(rest):
            end = len(left) if element is None else left.index(element)
            gaps.append(left[:end])
            rest[place] = left[end + 1 :]
        if (gap := _gap(gaps)) is not None:
            words.append(gap)
        if element is not None:
            words.append(_shared_word(element, bodies))
    return _sequence(words)


def _gap(gaps: Sequence[list[Element]]) -> Words | None:
    """What stands between two elements of all lists.

    It is nothing, blank rows, a text that is the same but for its digits, or anything.
    """
    kinds = {element[0] for gap in gaps for element in gap}
    if not kinds:
        return None
    if kinds == {"empty"}:
        return ("Empty*",)
    if all(len(gap) == 1 and gap[0][0] == "text" for gap in gaps):
        texts = [gap[0][1] for gap in gaps]
        alike = {re.sub("[0-9]+", "0", text) for text in texts}
        if len(alike) == 1 and len(texts[0]) <= LINE:
            parts = re.split("[0-9]+", texts[0])
            form = Form(
                "lengths",
                ended("[0-9]+".join(escaped(part) for part in parts)),
                "[0-9]+".join(re.escape(part) for part in parts),
                "=",
            )
            return (Tok(form, " ".join(re.findall(r"[^\W\d_]+", texts[0])[:2]) or "title"),)
    return counted(ANYTHING, "*")


def _stretch(elements: list[Element], is_first: bool) -> list[Words]:
    """The texts and blanks before, between or after tables."""
    if sum(1 for each in elements if each[0] == "text") > _MOST:
        kept = next(place for place, each in enumerate(elements) if each[0] == "text")
        last = (
            len(elements)
            - 1
            - next(place for place, each in enumerate(reversed(elements)) if each[0] == "text")
        )
        return [
            *_stretch(elements[: kept + 1], is_first),
            counted(ANYTHING, "*"),
            *([_word(elements[last], ())] if is_first else []),
            *([] if not is_first else _stretch(elements[last + 1 :], False)),
        ]
    found: list[Words] = []
    empties = 0
    for each in (*elements, None):
        if each is not None and each[0] == "empty":
            empties += 1
            continue
        if empties:
            found.append(("Empty",) if empties == 1 else (f"Empty{{{empties}}}",))
            empties = 0
        if each is not None:
            found.append(_word(each, ()))
    return found


def _word(element: Element, bodies: Sequence[Words]) -> Words:
    kind, text = element
    return bodies[int(text)] if kind == "body" else (cell_piece(text),)


def _shared_word(element: Element, bodies: Sequence[Words]) -> Words:
    """The same, with the beginning of a long text: it is what files of this kind share."""
    kind, text = element
    if kind == "text" and len(text) > LONGEST and (piece := beginning(text)) is not None:
        return (piece,)
    return _word(element, bodies)


def _sequence(parts: Sequence[Words]) -> Words:
    found: list[Words] = []
    for part in parts:
        if part != counted(ANYTHING, "*") or part not in found[-1:]:
            found.append(part)
    return in_sequence(found)
