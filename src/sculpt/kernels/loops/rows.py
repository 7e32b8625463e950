"""Rows of letters: their widths, their number, and padding to a table."""

from __future__ import annotations

from sculpt.kernels.loops.types import INDEX, Numbers, Small
from sculpt.kernels.loops.walking.walk_arrays import PADDING


def blank_tail(letters: Small, row_cells: Numbers, rows: int, cells: int, blanks: Numbers) -> int:
    """How many rows at the end of a block are blank; 0 if another row has begun."""
    if rows == 0 or row_cells[rows - 1] != cells:
        return 0
    found = 0
    while found < rows:
        row = rows - 1 - found
        before = row_cells[row - 1] if row > 0 else 0
        if row_cells[row] - before != 1 or not blanks[letters[before]]:
            break
        found += 1
    return found


def widest(row_cells: Numbers, rows: int, cells: int) -> int:
    """The most cells of a row in a block, including those of a row that has not ended."""
    found = 0
    before = 0
    for row in range(rows):
        found = max(found, row_cells[row] - before)
        before = row_cells[row]
    return max(found, cells - before)


def pad_rows(
    letters: Small,
    row_cells: Numbers,
    row_starts: Numbers,
    first: int,
    last: int,
    base: int,
    blanks: Numbers,
    skips: bool,
    width: int,
    out: Small,
    starts: Numbers,
    row: int,
    notes: bool,
    places: Numbers,
    out_places: Numbers,
) -> int:
    """Copy rows into a table of fixed width, from index `row` on; return the number of its rows.

    | array | holds |
    |---|---|
    | letters, row_cells, row_starts | what `scan` wrote; starts count from `base` |
    | out, starts | the letters of the table, and where each row begins in the file |
    | notes, places, out_places | if `notes`: where each cell's text begins and ends; -1 if none |
    """
    before = row_cells[first - 1] if first > 0 else 0
    for ix in range(first, last):
        count = row_cells[ix] - before
        if not (skips and count == 1 and blanks[letters[before]]):
            for column in range(width):
                at = row * width + column
                is_real = column < count
                out[at] = letters[before + column] if is_real else PADDING
                if notes:
                    cell = 2 * (before + column)
                    out_places[2 * at] = places[cell] if is_real else -1
                    out_places[2 * at + 1] = places[cell + 1] if is_real else -1
            starts[row] = row_starts[ix] + base
            row += 1
        before = row_cells[ix]
    return row


def count_rows(
    letters: Small, row_cells: Numbers, first: int, last: int, blanks: Numbers, skips: bool
) -> int:
    """How many of these rows `pad_rows` would copy."""
    if not skips:
        return last - first
    before = row_cells[first - 1] if first > 0 else 0
    found = 0
    for ix in range(first, last):
        if row_cells[ix] - before != 1 or not blanks[letters[before]]:
            found += 1
        before = row_cells[ix]
    return found


def find_letters(letters: Small, wanted: Numbers, found: Numbers) -> int:
    """Write down which of some letters are wanted; return how many.

    `found` has room for one more than there are letters.
    """
    count = 0
    for ix in range(len(letters)):
        found[INDEX(count)] = ix
        count += wanted[INDEX(letters[INDEX(ix)])] != 0
    return count


def shift_numbers(numbers: Numbers, count: int, by: int) -> None:
    """Add a number to each of the first `count` numbers of an array."""
    for ix in range(count):
        numbers[ix] += by


def add_numbers(sums: Numbers, numbers: Numbers) -> None:
    """Add the numbers of an array to the first ones of another."""
    for ix in range(len(numbers)):
        sums[ix] += numbers[ix]
