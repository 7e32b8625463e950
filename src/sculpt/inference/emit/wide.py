"""One rule about whole rows, for a table with very many columns.

In: the columns of a table. Out: a draft whose content reads a row from left to right: equal
neighbours are counted, and a series that comes again is a group: `(Integer, label{2}){40}`.
Invariant: its first content accepts the rows of the table. Cost: linear in the columns, for each
length of a series.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby

from sculpt.inference.columns.forms import TEXT, WORDS, Form
from sculpt.inference.emit.anchors import Anchor, below
from sculpt.inference.emit.contents import Column, content_pieces, stopped, wish_of
from sculpt.inference.emit.words import ANYTHING, Draft, Piece, Words, alternatives, counted
from sculpt.inference.files.sheet import Sheet
from sculpt.values import replace

WIDE = 1_000
"""More columns than this have one rule."""
_COUNTED = 50
"""Longer series are not counted where all rows are equally long, as another rule says.

Each place in a series that is counted is a state of its own for the engine.
"""
_MOST_CONTENTS = 12
_MOST_PARTS = 60
"""More parts than this are no content that anybody reads."""
_LONGEST_SERIES = 40
_MOST_ENDS = 3
"""Columns before and after a series."""


def row_draft(
    sheet: Sheet, found: Sequence[Column], base: Anchor | None, marks: Form | None
) -> Draft | None:
    """The rule for all columns; `base` is an anchor in their headings."""
    first, last = found[0], found[-1]
    stop = next((each.stop for each in found if each.stop is not None), None)
    if any(each.start != first.start for each in found):
        return None
    if stop is not None and stop.column > first.number:
        return None
    is_open = last.number == sheet.frame.width
    selector = _selector(sheet, first, None if is_open else last, base)
    if selector is None:
        return None
    is_even = is_open and len({len(row) for row in sheet.rows}) == 1
    ladder: list[Words] = []
    for most in (_MOST_CONTENTS, 0):
        contents = _contents(found, marks, most)
        known = {column.number: content for column, content in zip(found, contents, strict=True)}
        numbers = range(first.number, last.number + 1)
        row = folded([known.get(number, ANYTHING) for number in numbers], is_even)
        if row is not None:
            ladder.append(row)
    texts = dict.fromkeys(piece for content in contents for piece in content if piece != " | ")
    pooled = counted(alternatives([*(each for each in texts if each != "Empty"), "Empty"]), "*")
    ladder += [pooled, counted(ANYTHING, "*")]
    return Draft(stopped(selector, stop), "->", tuple(dict.fromkeys(ladder)))


def _selector(
    sheet: Sheet, first: Column, last: Column | None, base: Anchor | None
) -> Words | None:
    """The cells of neighbouring columns; of all to the right, if there is no last one."""
    count = None if last is None else last.number - first.number
    if base is not None and base.places[0][1] <= first.number and base.places[0][0] < first.start:
        row, column = base.places[0]
        offset = first.number - column
        return below(base, first.start - row, offset, None if count is None else offset + count)
    return block(sheet, first.start, first.number, count)


def block(sheet: Sheet, row: int, column: int, count: int | None) -> Words | None:
    """The cells from a row on, in a column and `count` more to its right, or in all of these."""
    if row > 1:
        if row - 1 > sheet.numbered:
            return None
        start = f"({row - 1},{column})"
        if count is None:
            return (f"down+(right*({start}))",)
        last = f"..({row - 1},{column + count})" if count else ""
        return (f"down+({start}{last})",)
    if column == 1 and count is None:
        return ("true",)
    high = None if count is None else column - 1 + count
    return (f"right{_steps(column - 1, high)}(col(1))",)


def _steps(low: int, high: int | None) -> str:
    if high is None:
        return {0: "*", 1: "+"}.get(low, f"{{{low},}}")
    return f"{{{low}}}" if low == high else f"{{{low},{high}}}"


def _contents(found: Sequence[Column], marks: Form | None, most: int) -> list[Words]:
    """The content of each column; columns of one form have one content.

    Only `most` of these have tokens of their own.
    """
    forms = [column.learnt.ladder[0] for column in found]
    kept = {each for each, _ in Counter(forms).most_common(most)}
    forms = [
        each if each in kept else _plainer(column)
        for each, column in zip(forms, found, strict=True)
    ]
    members: dict[tuple[Form, ...], list[Column]] = {}
    for each, column in zip(forms, found, strict=True):
        members.setdefault(each, []).append(column)
    contents = {each: _content(each, columns, marks) for each, columns in members.items()}
    return [contents[each] for each in forms]


def _plainer(column: Column) -> tuple[Form, ...]:
    """What is left to say of a column without a token of its own."""
    steps = (forms for forms in column.learnt.ladder if all(not each.sign for each in forms))
    return next(steps, (TEXT,)) if WORDS not in column.learnt.ladder[-2:][0] else (WORDS,)


def _content(forms: tuple[Form, ...], columns: Sequence[Column], marks: Form | None) -> Words:
    """The alternatives for all columns of one form."""
    all_learnt = [column.learnt for column in columns]
    learnt = replace(
        all_learnt[0],
        ladder=(forms,),
        missing=tuple(sorted({mark for each in all_learnt for mark in each.missing})),
        has_empty=any(each.has_empty for each in all_learnt),
        errors=tuple(sorted({text for each in all_learnt for text in each.errors})),
    )
    title = columns[0].title if len(columns) == 1 else ""
    wish = title or (wish_of(forms[0]) if forms else "label")
    return alternatives(content_pieces(learnt, 0, wish, marks))


def folded(items: Sequence[Words], is_even: bool) -> Words | None:
    """Contents one after the other, or `None` if they are too many to be read.

    `is_even`: all rows are known to have the same number of cells, which need not be counted.
    """
    numbers = {item: number for number, item in enumerate(dict.fromkeys(items))}
    row = [numbers[item] for item in items]
    found = min(_cuts(row), key=lambda each: each[0])
    parts, start, end, period = found
    if parts > _MOST_PARTS:
        return None
    words: list[Words] = [*_counted_runs(items[:start], False)]
    is_rest = False
    if period:
        series = [*_counted_runs(items[start : start + period], False)]
        times = (end - start) // period
        is_rest = is_even and times > _COUNTED
        joined = _sequence(series)
        words.append(("(", *joined, ")", "*" if is_rest else f"{{{times}}}"))
    words += _counted_runs(items[end:], is_even and not is_rest)
    return _sequence(words)


def _cuts(row: list[int]) -> Iterator[tuple[int, int, int, int]]:
    """Ways to write a row: how many parts each has, and where it has a series of which length."""
    yield _runs(row), 0, 0, 0
    for start in range(_MOST_ENDS + 1):
        for end in range(len(row), max(start, len(row) - _MOST_ENDS - 1), -1):
            body = row[start:end]
            for period in range(2, min(_LONGEST_SERIES, len(body) // 2) + 1):
                if len(body) % period == 0 and body[period:] == body[:-period]:
                    parts = _runs(row[:start]) + _runs(body[:period]) + _runs(row[end:]) + 1
                    yield parts, start, end, period
                    break


def _runs(row: Sequence[int]) -> int:
    return sum(1 for _ in groupby(row))


def _counted_runs(items: Sequence[Words], is_even: bool) -> Iterator[Words]:
    """Equal neighbours as one; of the last ones nobody need count very many."""
    runs = [(item, sum(1 for _ in members)) for item, members in groupby(items)]
    for place, (item, count) in enumerate(runs):
        suffix = f"{{{count}}}" if count > 1 else ""
        if is_even and place == len(runs) - 1 and count > _COUNTED:
            suffix = "*"
        yield counted(item, suffix) if suffix else _alone(item)


def _alone(item: Words) -> Words:
    return item if len(item) == 1 else ("(", *item, ")")


def _sequence(parts: Sequence[Words]) -> Words:
    found: list[Piece] = []
    for part in parts:
        found += [", ", *part] if found else part
    return tuple(found)
