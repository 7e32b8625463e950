"""Rules for a series of tables: the same headings again and again, below each other.

In: a sheet. Out: drafts that all tables share. One of the headings is the same in all tables and
stands nowhere else; each cell with it begins a table, also where the frame took it for something
else. The rules are about all cells below the first of them, so their contents have the headings,
titles and blanks of the later tables as well.

Invariant: each draft accepts the sheet. Cost: linear in the cells.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby

from sculpt.inference.columns.forms import Form, listed
from sculpt.inference.columns.learn import Strictness, learn
from sculpt.inference.emit.anchors import is_anchor
from sculpt.inference.emit.contents import content_pieces
from sculpt.inference.emit.headers import cell_piece
from sculpt.inference.emit.order import order_column
from sculpt.inference.emit.wide import folded
from sculpt.inference.emit.words import (
    ANYTHING,
    Draft,
    Lit,
    Piece,
    Tok,
    Words,
    alternatives,
    counted,
)
from sculpt.inference.files.sheet import Sheet
from sculpt.inference.frame.model import FramedColumn, FramedTable
from sculpt.values import frozen

_FEWEST = 4
"""So many tables are a series if only some of their headings are the same."""
_WIDEST = 40
_MOST_RULES = 100
_MOST_LITERALS = 3
_MOST_TEXTS = 14
"""More texts than this before or after the series are not written out."""


@frozen
class Series:
    """Tables of one kind."""

    sheet: Sheet
    heading: str
    column: int
    """That of the heading."""
    starts: tuple[int, ...]
    """The rows with the heading."""
    ends: tuple[int, ...]
    """The last row of each table."""
    width: int

    def texts(self, column: int) -> list[str]:
        """The headings of a column, in each table."""
        return [self.sheet.text(row, column) for row in self.starts]


def series_of(sheet: Sheet) -> Series | None:
    """The series that the tables of a sheet are, if they are one."""
    tables = sheet.tables
    if len(tables) < 2 or any(not table.headers for table in tables):
        return None
    tops = [sheet.rows[table.headers[-1] - 1] for table in tables]
    for column, text in enumerate(tops[0], 1):
        count = sheet.counts[text]
        if not is_anchor(text) or count < len(tables):
            continue
        if any(len(top) < column or top[column - 1] != text for top in tops):
            continue
        rows = range(1, len(sheet.rows) + 1)
        starts = tuple(row for row in rows if sheet.text(row, column) == text)
        if len(starts) != count:
            continue
        is_same = len({_trimmed(sheet.rows[row - 1]) for row in starts}) == 1
        if len(starts) < (2 if is_same else _FEWEST) or sheet.cut is not None:
            return None
        width = max(len(_trimmed(sheet.rows[row - 1])) for row in starts)
        width = max(width, max(len(table.columns) for table in tables))
        return Series(sheet, text, column, starts, _ends(sheet, starts), width)
    return None


def _trimmed(cells: Sequence[str]) -> tuple[str, ...]:
    last = max((ix for ix, text in enumerate(cells, 1) if text), default=0)
    return tuple(cells[:last])


def _ends(sheet: Sheet, starts: Sequence[int]) -> tuple[int, ...]:
    """The last row of each table with more than one text; texts after it stand alone."""
    ends = []
    for start, following in zip(starts, (*starts[1:], len(sheet.rows) + 1), strict=True):
        rows = (row for row in range(following - 1, start, -1) if _is_row(sheet.rows[row - 1]))
        ends.append(next(rows, start))
    return tuple(ends)


def _is_row(cells: Sequence[str]) -> bool:
    return sum(map(bool, cells)) > 1


def series_drafts(series: Series, how: Strictness, marks: Form | None) -> Iterator[Draft]:
    """The rules of a series."""
    sheet = series.sheet
    column = order_column([sheet])
    order = _order(series, column, how, marks) if column is not None else None
    skip = column if order is not None else None
    columns = [
        _column(series, number, how, marks)
        for number in range(series.column, series.width + 1)
        if number != skip
    ]
    forms = [form for each in columns for form in each.forms]
    if order is not None:
        forms += [piece.form for piece in order.ladder[0] if isinstance(piece, Tok)]
    is_pinned = any(form.sign and form.accepts(series.heading) for form in forms)
    if order is not None:
        yield order
    if len(columns) <= _WIDEST:
        yield _header(series, how, marks, is_pinned)
    if len(columns) > _WIDEST and (row := _row(series, columns, is_pinned)) is not None:
        yield row
        return
    if len(columns) > _MOST_RULES:
        return
    for _, run in groupby(enumerate(columns), lambda item: (item[1].number - item[0], item[1].key)):
        members = [each for _, each in run]
        parts = [[each] for each in members] if len(members) < _FEWEST else [members]
        for part in parts:
            yield _rule(series, part, forms, is_pinned)


@frozen
class _Column:
    """A column of all tables."""

    number: int
    contents: tuple[tuple[Piece, ...], ...]
    """What it holds, without its headings: a ladder."""
    headings: tuple[str, ...]
    heads: tuple[Piece, ...]
    forms: tuple[Form, ...]

    @property
    def key(self) -> object:
        """Neighbours with the same key can share a rule."""
        return self.contents, len(self.headings) == 1 or self.heads


def _column(series: Series, number: int, how: Strictness, marks: Form | None) -> _Column:
    sheet, body, rest = series.sheet, Counter[str](), Counter[str]()
    edges = zip(series.starts, series.ends, (*series.starts[1:], len(sheet.rows) + 1), strict=True)
    for start, end, following in edges:
        body.update(sheet.text(row, number) for row in range(start + 1, end + 1))
        rest.update(sheet.text(row, number) for row in range(end + 1, following))
    has_empty = bool(rest.pop("", 0))
    headings = tuple(dict.fromkeys(series.texts(number)))
    title = headings[0] if len(headings) == 1 else ""
    learnt = learn([body], how)
    heads = _pieces(headings, "heading", how)
    more = _pieces(tuple(rest), "between", how)
    ladder = []
    for level in range(len(learnt.ladder)):
        pieces = [*content_pieces(learnt, level, title or "label", marks), *more]
        is_empty = has_empty or "Empty" in pieces or "Empty" in heads
        kept = [piece for piece in pieces if piece != "Empty"]
        ladder.append((*kept, *(("Empty",) if is_empty else ())))
    tokens = (piece for piece in (*ladder[0], *heads) if isinstance(piece, Tok))
    return _Column(number, tuple(ladder), headings, heads, tuple(piece.form for piece in tokens))


def _pieces(texts: Sequence[str], wish: str, how: Strictness) -> tuple[Piece, ...]:
    """Some texts as alternatives."""
    filled = [text for text in dict.fromkeys(texts) if text]
    if not filled:
        return ("Empty",) if texts else ()
    empty = ("Empty",) if len(filled) < len(set(texts)) else ()
    if len(filled) <= _MOST_LITERALS and all(map(is_anchor, filled)):
        return (*(Lit(text) for text in filled), *empty)
    learnt = learn([Counter(filled)], how)
    return (*(Tok(form, wish) for form in learnt.ladder[0]),
            *(Lit(text) for text in (*learnt.errors, *learnt.missing)), *empty)  # fmt: skip


def _anchor(text: str, column: int, is_pinned: bool) -> Words:
    """A heading; where data may look like it, only in its column."""
    return (Lit(text), f" and col({column})") if is_pinned else (Lit(text),)


def _rule(
    series: Series, members: Sequence[_Column], forms: Sequence[Form], is_pinned: bool
) -> Draft:
    """The rule of neighbouring columns with one content."""
    first, count = members[0], len(members)
    own = first.headings[0]
    is_own = all(text == own for text in first.headings) and is_anchor(own)
    if is_own and series.sheet.counts[own] == len(series.starts):
        pinned = any(form.sign and form.accepts(own) for form in forms)
        anchor, offset = _anchor(own, first.number, pinned), 0
    else:
        anchor = _anchor(series.heading, series.column, is_pinned)
        offset = first.number - series.column
    selector: Words
    if offset + count == 1:
        selector = ("col(", *anchor, ")")
    else:
        high = offset + count - 1
        steps = f"{{{offset},{high}}}" if high > offset else f"{{{offset}}}" if offset > 1 else ""
        selector = (f"down+(right{steps}(", *anchor, "))")
    heads = dict.fromkeys(piece for each in members for piece in each.heads if piece != "Empty")
    listed_heads = [*heads]
    texts = [piece.text for piece in heads if isinstance(piece, Lit)]
    if len(texts) > _MOST_LITERALS:
        listed_heads = [piece for piece in heads if not isinstance(piece, Lit)]
        listed_heads.append(Tok(listed(texts), "headings"))
    suffix = f"{{{count}}}" if count > 1 else ""
    ladder = []
    for pieces in first.contents:
        kept = [piece for piece in pieces if piece != "Empty"]
        empty = ["Empty"] if len(kept) < len(pieces) else []
        ladder.append([*kept, *listed_heads, *empty])
    contents = tuple(counted(alternatives(each), suffix) for each in ladder)
    return Draft(selector, "->", (*contents, counted(ANYTHING, "*")),
                 cells=tuple(dict.fromkeys(ladder[0])), suffix=suffix)  # fmt: skip


def _row(series: Series, columns: Sequence[_Column], is_pinned: bool) -> Draft | None:
    """One rule for very many columns, if they can be read."""
    contents = [alternatives([*each.contents[0], *each.heads]) for each in columns]
    row = folded(contents, False)
    if row is None:
        return None
    offset = columns[0].number - series.column
    anchor = _anchor(series.heading, series.column, is_pinned)
    selector = (f"down+(right{{{offset},{offset + len(columns) - 1}}}(", *anchor, "))")
    return Draft(selector, "->", (row, counted(ANYTHING, "*")))


def _header(series: Series, how: Strictness, marks: Form | None, is_pinned: bool) -> Draft:
    """The rule about the rows with headings."""
    first = series.column
    rows = [_trimmed(series.sheet.rows[row - 1])[first - 1 :] for row in series.starts]
    most = max(map(len, rows))
    parts: list[Piece] = []
    for place in range(most):
        texts = [row[place] if place < len(row) else "" for row in rows]
        pieces = _pieces(texts, "heading", how) if len(set(texts)) > 1 else (cell_piece(texts[0]),)
        words = alternatives([*pieces])
        words = words if len(words) == 1 else ("(", *words, ")")
        parts += [", ", *words] if parts else words
    tail: Words = (", Empty*",) if series.sheet.frame.width > first - 1 + most else ()
    loose: Words = (Lit(series.heading), ", ", *counted(ANYTHING, "*"))
    anchor = _anchor(series.heading, series.column, is_pinned)
    return Draft(("right*(", *anchor, ")"), "->", ((*parts, *tail), loose, counted(ANYTHING, "*")))


def as_one_table(sheet: Sheet) -> FramedTable:
    """All rows of a sheet as a table without headings."""
    rows = tuple(range(1, len(sheet.rows) + 1))
    width = sheet.frame.width
    kinds: list[dict[str, int]] = [{} for _ in range(width)]
    for table in sheet.tables:
        for each in table.columns:
            known = kinds[each.number - 1]
            known.update({kind: known.get(kind, 0) + n for kind, n in each.kinds.items()})
    columns = tuple(FramedColumn(ix + 1, (), None, kinds[ix], ix == 0) for ix in range(width))
    return FramedTable((), 1, len(rows), rows, (), (), columns)


# ------------------------------------------------------------- order


def _order(series: Series, column: int, how: Strictness, marks: Form | None) -> Draft | None:
    """The column of labels from top to bottom, if what stands between the tables is alike."""
    sheet = series.sheet
    gaps = [
        [sheet.text(row, column) for row in range(end + 1, start)]
        for end, start in zip(series.ends, series.starts[1:], strict=False)
    ]
    pattern = _pattern(gaps[0])
    if any(_pattern(gap) != pattern for gap in gaps):
        return None
    before = pattern.removeprefix("E")
    top = [sheet.text(row, column) for row in range(1, series.starts[0])]
    if not _pattern(top).endswith(before):
        return None
    cut = len(top)
    while cut and _pattern(top[cut:]) != before:
        cut -= 1
    titles = [_texts(top[cut:]), *(_texts(gap) for gap in gaps)]
    parts: list[Words] = _top(top[:cut])
    group: list[Words] = []
    place = 0
    for letter in before:
        if letter == "E":
            group.append(("Empty*",))
            continue
        group.append(_one([each[place] for each in titles], "title", how))
        place += 1
    body = Counter(
        sheet.text(row, column)
        for start, end in zip(series.starts, series.ends, strict=True)
        for row in range(start + 1, end + 1)
    )
    group.append(_one(series.texts(column), "heading", how))
    learnt = learn([body], how)
    heading = series.texts(column)[0]
    pieces = content_pieces(learnt, 0, heading or "label", marks)
    last: Words = ("Empty*",)
    tail = _top(
        [sheet.text(row, column) for row in range(series.ends[-1] + 1, len(sheet.rows) + 1)]
    )
    ladder = []
    for cells in (counted(alternatives(pieces), "+"), counted(ANYTHING, "*")):
        block = _sequence([*group, cells, *([last] if pattern.startswith("E") else [])])
        ladder.append(_sequence([*parts, ("(", *block, ")+"), *tail]))
    return Draft((f"col({column})",), "=>", (*ladder, counted(ANYTHING, "*")))


def _pattern(texts: Sequence[str]) -> str:
    """Texts and stretches of blanks, a letter each."""
    return "".join(
        "T" * sum(1 for _ in run) if is_text else "E" for is_text, run in groupby(texts, bool)
    )


def _texts(cells: Sequence[str]) -> list[str]:
    return [text for text in cells if text]


def _one(texts: Sequence[str], wish: str, how: Strictness) -> Words:
    """What stands in one place of every table."""
    if len(set(texts)) == 1:
        return (cell_piece(texts[0]) if texts[0] else "Empty",)
    words = alternatives([*_pieces(texts, wish, how)])
    return words if len(words) == 1 else ("(", *words, ")")


def _top(texts: Sequence[str]) -> list[Words]:
    """What stands before or after the series."""
    if len(_texts(texts)) > _MOST_TEXTS:
        return [counted(ANYTHING, "*")]
    runs = ((is_text, [*run]) for is_text, run in groupby(texts, bool))
    return [
        words
        for is_text, run in runs
        for words in ([(cell_piece(text),) for text in run] if is_text else [("Empty*",)])
    ]


def _sequence(parts: Sequence[Words]) -> Words:
    found: list[Piece] = []
    for part in parts:
        found += [", ", *part] if found else part
    return tuple(found)
