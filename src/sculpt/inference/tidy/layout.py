"""Is a table plain or a cross table, and which of its columns hold the values?

In: a `Part`. Out: a `Layout`. A cross table has several columns of numbers under headings that are
values themselves: headings of several levels, a series such as years, or columns of one kind and
one size. A column is a total if its heading says so and its numbers are the sums of others.

Invariant: `values` is never empty if the table has a filled column, and a cross table has at least
two of them. Cost: linear in the cells of the table.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from statistics import median

from sculpt.inference.files.sheet import Sheet
from sculpt.inference.frame.model import FramedColumn, FramedTable
from sculpt.inference.kinds import CODE, DATE, EMPTY, INTEGER, MISSING, NUMERIC, YEAR, kind_of
from sculpt.inference.tidy.model import Layout, Part

_SERIES = re.compile(
    r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
    r"|(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*\.?|q[1-4]|h[12]|\d{4}\.0",
    re.IGNORECASE,
)
_TOTAL = re.compile(r"\b(?:sub)?totals?\b|\bsum\b|\ball\b", re.IGNORECASE)
_CODED = re.compile(r"\bcodes?\b|^units?$|\bid$", re.IGNORECASE)
_ONE_SIZE = 30
"""Columns of one size: the medians of their numbers differ by this factor at most."""
_MOST_ROWS = 400


def layout_of(part: Part) -> Layout:
    """The columns of a table, by what they are in a record."""
    sheet, table = part.sheets[0], part.tables[0]
    filled = [
        column
        for column in table.columns
        if any(sheet.text(row, column.number) for row in table.data)
    ]
    everything = tuple(column.number for column in filled)
    numeric = [column for column in filled if _is_value(column)]
    labels = [column for column in filled if numeric and column.number < numeric[0].number]
    if not labels and numeric and _is_key(numeric[0]):
        labels, numeric = numeric[:1], numeric[1:]
    rest = [column for column in filled if column not in labels]
    plain = Layout(False, (), everything)
    if not labels or len(numeric) < 2 or not table.headers or not _is_cross(part, rest, numeric):
        return plain
    totals = _totals(sheet, table, numeric)
    values = tuple(each.number for each in numeric if each.number not in totals)
    if len(values) < 2:
        return plain
    left_out = tuple(
        each.number for each in rest if each.number not in values and each.number not in totals
    )
    return Layout(True, tuple(each.number for each in labels), values, left_out, totals)


def _is_value(column: FramedColumn) -> bool:
    """Are most cells numbers that measure something?"""
    heading = column.heading[-1] if column.heading else ""
    return not column.is_label and _share(column) >= 0.5 and not _CODED.search(heading)


def _is_key(first: FramedColumn) -> bool:
    """Is the first column of a table without labels a year or the like?"""
    return "year" in " ".join(first.heading).lower() or YEAR in first.kinds


def _share(column: FramedColumn) -> float:
    """The share of numbers among the values of a column."""
    values = {k: n for k, n in column.kinds.items() if k not in (EMPTY, MISSING)}
    numbers = sum(n for kind, n in values.items() if kind in NUMERIC)
    if CODE in values:  # 01, 02 beside 10, 11
        return 0.0
    return numbers / sum(values.values()) if values else 0.0


def _is_cross(part: Part, rest: Sequence[FramedColumn], numeric: Sequence[FramedColumn]) -> bool:
    sheet, table = part.sheets[0], part.tables[0]
    if len(numeric) * 2 < len(rest) or not all(column.heading for column in numeric):
        return False
    if any(sum(c.heading[:1] == n.heading[:1] and len(c.heading) > 1 for c in numeric) > 1
           for n in numeric):  # fmt: skip
        return True
    lowest = [column.heading[-1] for column in numeric]
    if sum(map(_is_serial, lowest)) * 3 >= 2 * len(lowest):
        return True
    if len(rest) > len(numeric) or len(numeric) < 3:
        return False
    columns = [_numbers(sheet, table, column.number) for column in numeric]
    sizes = [median(map(abs, found.values())) for found in columns if found]
    are_whole = {all(value == int(value) for value in found.values()) for found in columns if found}
    return len(are_whole) == 1 and max(sizes) <= _ONE_SIZE * max(min(sizes), 1e-9)


def _is_serial(text: str) -> bool:
    text = " ".join(text.split())
    return kind_of(text) in (YEAR, DATE, INTEGER) or bool(_SERIES.fullmatch(text))


def _totals(sheet: Sheet, table: FramedTable, numeric: Sequence[FramedColumn]) -> tuple[int, ...]:
    """The columns that are called totals, and are the sums of others beside them."""
    named = [column.number for column in numeric if _TOTAL.search(column.heading[-1])]
    if not named or len(numeric) < 3:
        return ()
    plain = [column.number for column in numeric if column.number not in named]
    columns = {c.number: _numbers(sheet, table, c.number) for c in numeric}
    return tuple(each for each in named if _is_sum(each, plain, columns))


def _is_sum(total: int, plain: Sequence[int], columns: dict[int, dict[int, float]]) -> bool:
    """Is a column the sum of all others, or of those next to it on one side?"""
    right = [each for each in plain if each > total]
    left = [each for each in plain if each < total][::-1]
    spans = [plain, *(side[:count] for side in (left, right) for count in range(2, len(side) + 1))]
    rows = columns[total]
    for span in spans:
        if len(span) < 2 or not rows:
            continue
        hits = sum(
            abs(sum(columns[each].get(row, 0.0) for each in span) - value)
            <= max(1e-9, abs(value) * 0.001)
            for row, value in rows.items()
        )
        if hits >= 0.9 * len(rows):
            return True
    return False


def _numbers(sheet: Sheet, table: FramedTable, column: int) -> dict[int, float]:
    """The numbers of a column, by row, as far as a plain look can read them."""
    found = {}
    for row in table.data[:_MOST_ROWS]:
        text = sheet.text(row, column)
        if kind_of(text) in NUMERIC:
            digits = re.sub(r"[^\d.,-]", "", text)
            if re.fullmatch(r"-?\d+,\d{1,2}|-?\d+,\d{4,}", digits):
                digits = digits.replace(",", ".")
            try:
                found[row] = float(digits.replace(",", ""))
            except ValueError:
                continue
    return found
