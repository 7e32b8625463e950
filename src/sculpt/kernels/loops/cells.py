"""Some cells of rows: which of them a region has, and where their texts are in the bytes.

Both are for rows that were scanned without notes of their texts: few cells of a row are wanted, so
it is faster to look for these alone, from where their row begins.
"""

from __future__ import annotations

from sculpt.kernels.loops.texts import BLANK, DOUBLED, PLAIN, QUOTED, TAB
from sculpt.kernels.loops.types import INDEX, Bytes, Index, Numbers
from sculpt.kernels.loops.words import (
    NOTHING,
    WORD_SIZE,
    count_found,
    equal_bytes,
    first_equal,
    first_found,
    repeated,
    word_at,
)

UNSIGNED = ("NOTHING",)
"""Constants that compilers must treat as unsigned numbers."""
LINE_FEED, LINE_RETURN = 10, 13


def pick_cells(
    marks: Numbers,
    repeats: Numbers,
    wanted: Bytes,
    row_cells: Numbers,
    rows: int,
    above: int,
    width: int,
    cells: Numbers,
) -> int:
    """Find the cells of a region in rows that are not padded; returns how many there are.

    | array | holds |
    |---|---|
    | marks | by cell: its mark |
    | repeats | by row: has it the marks of the row before? Then its own are not set |
    | wanted | by mark: is the cell in the region? |
    | row_cells, rows | where each row ends, and how many there are |
    | above, width | the rows before these, and the width of the table |
    | cells | out: the cells, numbered as if all rows had the width of the table |
    """
    count, found = 0, 0
    for row in range(rows):
        if repeats[INDEX(row)]:
            for _ in range(found):
                cells[INDEX(count)] = cells[INDEX(count - found)] + width
                count += 1
            continue
        cell = row_cells[row - 1] if row > 0 else 0
        shift = (above + row) * width - cell
        end, before = row_cells[row], count
        while cell < end:
            if wanted[INDEX(marks[INDEX(cell)])]:
                cells[count] = cell + shift
                count += 1
            cell += 1
        found = count - before
    return count


def count_cells(
    marks: Numbers, repeats: Numbers, wanted: Bytes, row_cells: Numbers, sizes: Numbers
) -> None:
    """Count the cells of a region in each row: `sizes`; the other arrays are as in `pick_cells`."""
    found = 0
    for row in range(len(sizes)):
        if not repeats[INDEX(row)]:
            cell, found = row_cells[row - 1] if row > 0 else 0, 0
            while cell < row_cells[row]:
                found += wanted[INDEX(marks[INDEX(cell)])] != 0
                cell += 1
        sizes[INDEX(row)] = found


def find_texts(
    buffer: Bytes,
    starts: Numbers,
    cells: Numbers,
    parts: int,
    order: Numbers,
    width: int,
    delimiter: int,
    quote: int,
    other_end: int,
    left: bool,
    right: bool,
    begins: Numbers,
    ends: Numbers,
    kinds: Bytes,
) -> None:
    """Find the contents of some cells, in a dialect with plain delimiters, where rows are lines.

    | array | holds |
    |---|---|
    | buffer | the bytes of the rows |
    | starts | by row: where it begins |
    | cells, parts | all first parts of entries, then all second ones, …; the rows are in order |
    | order, width | the parts from left to right; a cell is `row * width + column`, from 0 |
    | delimiter, quote | between cells; around them, or -1. A quote in quotes is doubled |
    | other_end | ends a row as a line feed does: a carriage return; or else a feed again, and then
      a return before a feed is part of the line end |
    | left, right | are blanks dropped? Those before a quote are if `left` |
    | begins, ends, kinds | out: as `trim_texts` gives them |
    """
    count = len(cells) // parts
    delimiters, quotes = repeated(delimiter), repeated(max(quote, 0))
    feeds, others = repeated(LINE_FEED), repeated(other_end)
    at, row, column, after, limit = 0, -1, 0, 0, len(buffer) - WORD_SIZE
    for ix in range(count):
        for rank in range(parts):
            place = INDEX(order[INDEX(rank)] * count + ix)
            cell = cells[place]
            if cell >= after:
                row += 1
                if cell >= after + width:
                    row = cell // width
                after, column = (row + 1) * width, 0
                at = starts[INDEX(row)]
            wanted = cell - after + width
            if wanted > column:
                at, column = _plain_cells(buffer, at, column, wanted, delimiters, quotes, quote)
            while column < wanted:
                _, _, at = _quoted(buffer, at, quote, left)
                at = _end_of_cell(buffer, at, delimiter, other_end, delimiters, feeds, others) + 1
                column += 1
            begin, kind = at, PLAIN
            if quote >= 0 and _may_be_quoted(buffer, at, quote):
                begin, kind, at = _quoted(buffer, at, quote, left)
            end = at
            found = NOTHING
            if at <= limit:  # most cells are short
                word = word_at(buffer, at)
                found = first_equal(word, delimiters) | first_equal(word, feeds)
                found |= first_equal(word, others)
            if found != NOTHING:
                at += first_found(found)
            else:
                at = _end_of_cell(buffer, at, delimiter, other_end, delimiters, feeds, others)
            if kind == PLAIN:
                end = at
                if other_end == LINE_FEED and begin < end and _is_line_end(buffer, end - 1):
                    end -= 1
                if left and begin < end and _is_blank(buffer[INDEX(begin)]):
                    begin = _after_blanks(buffer, begin, end)
                if right and end > begin and _is_blank(buffer[INDEX(end - 1)]):
                    end = _before_blanks(buffer, begin, end)
            at += 1
            column += 1
            begins[place], ends[place], kinds[place] = begin, end, kind


def _after_blanks(buffer: Bytes, begin: int, end: int) -> int:
    """Where a text begins that may begin with blanks."""
    while begin < end and _is_blank(buffer[INDEX(begin)]):
        begin += 1
    return begin


def _before_blanks(buffer: Bytes, begin: int, end: int) -> int:
    """Where a text ends that may end with blanks."""
    while end > begin and _is_blank(buffer[INDEX(end - 1)]):
        end -= 1
    return end


def _is_blank(byte: int) -> bool:
    """Does trimming drop this byte?"""
    return byte in (BLANK, TAB)


def _is_line_end(buffer: Bytes, at: int) -> bool:
    """Are there a carriage return and a line feed?"""
    if at + 1 >= len(buffer):
        return False
    return buffer[INDEX(at)] == LINE_RETURN and buffer[INDEX(at + 1)] == LINE_FEED


def _may_be_quoted(buffer: Bytes, at: int, quote: int) -> bool:
    """Does a cell begin with a quote, or with blanks that may precede one?"""
    return at < len(buffer) and (buffer[INDEX(at)] == quote or _is_blank(buffer[INDEX(at)]))


def _plain_cells(
    buffer: Bytes,
    at: int,
    column: int,
    wanted: int,
    delimiters: Index,
    quotes: Index,
    quote: int,
) -> tuple[int, int]:
    """Pass over cells up to a wanted one, as long as there is no quote: where, and which column."""
    limit = len(buffer) - WORD_SIZE
    place, missing = at, wanted - column
    while place <= limit:
        word = word_at(buffer, place)
        if quote >= 0 and first_equal(word, quotes) != 0:
            return at, column
        found = equal_bytes(word, delimiters)
        more = count_found(found)
        if more >= missing:
            while missing > 1:
                found &= found - INDEX(1)
                missing -= 1
            return place + first_found(found) + 1, wanted
        missing -= more
        place += WORD_SIZE
    return at, column


def _quoted(buffer: Bytes, at: int, quote: int, left: bool) -> tuple[int, int, int]:
    """Where the text in the quotes of a cell begins, its kind, and where the closing quote is.

    If there are none: where the cell begins, twice.
    """
    size, begin = len(buffer), at
    if quote < 0:
        return begin, PLAIN, begin
    if left:
        while at < size and _is_blank(buffer[INDEX(at)]):
            at += 1
    if at >= size or buffer[INDEX(at)] != quote:
        return begin, PLAIN, begin
    kind = QUOTED
    at += 1
    begin = at
    while at < size:
        if buffer[INDEX(at)] == quote:
            if at + 1 >= size or buffer[INDEX(at + 1)] != quote:
                break
            kind = DOUBLED
            at += 1
        at += 1
    return begin, kind, at


def _end_of_cell(
    buffer: Bytes,
    at: int,
    delimiter: int,
    other_end: int,
    delimiters: Index,
    feeds: Index,
    others: Index,
) -> int:
    """Where the next delimiter or line end is."""
    size = len(buffer)
    while at <= size - WORD_SIZE:
        word = word_at(buffer, at)
        found = first_equal(word, delimiters) | first_equal(word, feeds)
        found |= first_equal(word, others)
        if found != 0:
            return at + first_found(found)
        at += WORD_SIZE
    while at < size:
        byte = buffer[INDEX(at)]
        if byte in (delimiter, LINE_FEED, other_end):
            break
        at += 1
    return at
