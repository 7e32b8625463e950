"""Selectors of the cells that become records: data, without totals, groups and notes.

In: a `Part`, and columns of it. Out: selectors, the one first that says most about files of this
kind, the one last that has the numbers of rows. Invariant: as far as the sheets show, each selects
the cells with text of the data rows in the columns, and no others of them. Cost: linear in the
cells of the columns.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

from sculpt.inference.columns.forms import Form, is_writable, listed
from sculpt.inference.emit.anchors import Anchor, anchor_of, below, leftmost, repeated
from sculpt.inference.emit.fields import stop_of
from sculpt.inference.emit.words import Lit, Region, Tok, Words
from sculpt.inference.files.sheet import Sheet
from sculpt.inference.tidy.model import Part
from sculpt.values import frozen

_MOST_TEXTS = 40
_LONGEST_TEXT = 72
_LONGEST = 40
"""Longer lists of rows or columns have a name."""

Counts = Callable[[str], bool]
"""Is a text one of those that a region is about?"""


@frozen(eq=False)
class Area:
    """Some columns of a table, below its headings."""

    part: Part
    columns: tuple[int, ...]
    counts: Counts

    @property
    def span(self) -> tuple[int, int]:
        """The first and the last column."""
        return min(self.columns), max(self.columns)

    def rows(self, place: int) -> list[int]:
        """The rows of a sheet below the headings with a cell that counts."""
        sheet, table = self.part.pairs[place]
        first = max(table.headers, default=table.first - 1)
        return [
            row
            for row in range(first + 1, len(sheet.rows) + 1)
            if any(self.counts(sheet.text(row, column)) for column in self.columns)
        ]


def heading_anchor(part: Part, column: int) -> Anchor | None:
    """The heading of a column, if each sheet has it once, and as a heading of the column.

    Of several headings of a row that are equal, it is the one that is counted.
    """
    framed = next((each for each in part.tables[0].columns if each.number == column), None)
    if framed is None or framed.heading_row is None or not framed.heading:
        return None
    text = framed.heading[-1]
    anchor = anchor_of(part.sheets, text) or repeated(part.sheets, part.tables, framed)
    if anchor is None or anchor.places[0] != (framed.heading_row, column):
        return None
    is_heading = all(
        place[0] in table.headers for place, table in zip(anchor.places, part.tables, strict=True)
    )
    return anchor if is_heading else None


def column_words(part: Part, column: int) -> Words:
    """The cells of a column below its heading, or all of them."""
    anchor = heading_anchor(part, column)
    return (f"col({column})",) if anchor is None else below(anchor, 1, 0, 0)


def selectors(area: Area) -> Iterator[Words]:
    """The selectors of the data rows, from the most telling to the plainest."""
    table = area.part.tables[0]
    data = [frozenset(each.data) for each in area.part.tables]
    block = _block(area)
    extras = [
        [row for row in area.rows(place) if row not in data[place]] for place in range(len(data))
    ]
    stop = stop_of(area.part.sheets, area.part.tables)
    tails: list[Words] = [()] if not any(extras) else []
    is_past = stop is not None and any(
        row >= end for rows, end in zip(extras, stop.rows, strict=True) for row in rows
    )
    if is_past and stop is not None and stop.column <= area.span[0]:
        inner = [
            [row for row in rows if row < end] for rows, end in zip(extras, stop.rows, strict=True)
        ]
        tails += [(" and not ", stop.region, *tail) for tail in _without(area, inner, data)]
    else:
        tails += _without(area, extras, data)
    for tail in tails:
        yield (*block, *tail)
    if len(data) > 1:
        return
    low, high = area.span
    inside = [row for row in extras[0] if table.data[0] < row < table.data[-1]]
    box = _boxes([(table.data[0], table.data[-1])], low, high)
    for tail in _without(area, [inside], data) if inside else [()]:
        yield (*box, *tail)
    runs = runs_of([row for row in area.rows(0) if row in data[0]])
    words = _boxes(runs, low, high)
    yield bracketed("Data", words) if len(runs) > 1 else words


def bracketed(wish: str, words: Words) -> Words:
    """Alternatives as a part of a selector; a long list of them has a name."""
    length = sum(len(each) if isinstance(each, str) else 20 for each in words)
    return (Region(wish, words),) if length > _LONGEST else ("(", *words, ")")


def _block(area: Area) -> Words:
    """All cells below the headings, in the span of the columns."""
    part, (low, high) = area.part, area.span
    start, table = part.start, part.tables[0]
    if low == high and (own := heading_anchor(part, low)) is not None:
        return below(own, start + 1 - own.places[0][0], 0, 0)
    base = leftmost(part.sheets, [each.headers for each in part.tables]) if table.headers else None
    if base is not None and base.places[0][1] <= low:
        row, column = base.places[0]
        return below(base, start + 1 - row, low - column, high - column)
    if start > 0:
        return (f"down+({_box(start, start, low, high)})",)
    return (f"col({low})" if low == high else f"right{{0,{high - low}}}(col({low}))",)


def _without(
    area: Area, extras: Sequence[Sequence[int]], data: Sequence[frozenset[int]]
) -> Iterator[Words]:
    """What takes rows out of a region: by the texts of their labels, or by their numbers."""
    if not any(extras):
        yield ()
        return
    sheets = area.part.sheets
    for column in range(1, area.span[1] + 1):
        texts = {
            sheet.text(row, column)
            for sheet, rows in zip(sheets, extras, strict=True)
            for row in rows
        }
        known = {
            sheet.text(row, column)
            for sheet, rows in zip(sheets, data, strict=True)
            for row in rows
        }
        if "" in texts or texts & known or not may_be_listed(texts, _MOST_TEXTS):
            continue
        cells = Region(
            "Totals", (*column_words(area.part, column), " and ", _total_piece(texts, known))
        )
        yield (" and not (left|right)*(", cells, ")")
        break
    if len(extras) == 1:
        rows = " or ".join(_rows(run) for run in runs_of(extras[0]))
        yield (" and not ", *bracketed("Left out", (rows,)))


def may_be_listed(texts: Collection[str], most: int) -> bool:
    """Are these few and short enough to be named in a program?"""
    return len(texts) <= most and all(len(text) <= _LONGEST_TEXT for text in texts)


def _total_piece(texts: Collection[str], known: Iterable[str]) -> Lit | Tok:
    """All texts that begin with `Total`, if these do and no other does; otherwise these."""
    if len(texts) == 1 and is_writable(only := next(iter(texts))):
        return Lit(only)
    if all(text.startswith("Total") for text in texts):
        form = Form("shape", "Total.*", "Total.*", "=")
        if not any(form.accepts(text) for text in known):
            return Tok(form, "total")
    return Tok(listed(texts), "total")


def runs_of(rows: Sequence[int]) -> list[tuple[int, int]]:
    """Rows as ranges."""
    runs: list[tuple[int, int]] = []
    for row in sorted(rows):
        if runs and runs[-1][1] == row - 1:
            runs[-1] = (runs[-1][0], row)
        else:
            runs.append((row, row))
    return runs


def _rows(run: tuple[int, int]) -> str:
    first, last = run
    return f"row({first})" if first == last else f"down{{0,{last - first}}}(row({first}))"


def _box(first: int, last: int, low: int, high: int) -> str:
    corner = f"({first},{low})"
    return corner if (first, low) == (last, high) else f"{corner}..({last},{high})"


def _boxes(runs: Sequence[tuple[int, int]], low: int, high: int) -> Words:
    return (" or ".join(_box(first, last, low, high) for first, last in runs),)


def cell_of(row: int, column: int) -> str:
    """One cell."""
    return _box(row, row, column, column)


def has_rows(sheet: Sheet, column: int, rows: Iterable[int]) -> bool:
    """Have all these rows a text in a column?"""
    return all(sheet.text(row, column) for row in rows)
