"""Where violations are: counts in buckets of rows and columns (`verdict.Heat`).

A bucket has `1 << shifts[0]` rows and `1 << shifts[1]` columns. Column 0 stands for whole rows.
Buckets double when a place is beyond the last one, so their size depends only on the places.
"""

from __future__ import annotations

from sculpt.kernels.loops.types import Numbers


def count_places(
    places: Numbers, count: int, above: int, rows: int, columns: int, shifts: Numbers, heat: Numbers
) -> None:
    """Count places in their buckets.

    | array | holds |
    |---|---|
    | places | row and column of each; `above` is added to the rows |
    | shifts | the size of a bucket: rows and columns, as powers of two |
    | heat | `rows` by 1 + `columns` buckets, row by row |
    """
    for ix in range(count):
        row, column = places[2 * ix] + above - 1, places[2 * ix + 1] - 1
        while row >> shifts[0] >= rows:
            widen_buckets(rows, columns, 1, 0, shifts, heat)
        while column >> shifts[1] >= columns:
            widen_buckets(rows, columns, 0, 1, shifts, heat)
        # The shift of -1, for a whole row, is -1.
        heat[(row >> shifts[0]) * (columns + 1) + (column >> shifts[1]) + 1] += 1


def widen_buckets(
    rows: int, columns: int, more_rows: int, more_columns: int, shifts: Numbers, heat: Numbers
) -> None:
    """Join buckets into larger ones: sizes are doubled a number of times each."""
    for row in range(rows):
        for column in range(columns + 1):
            at = row * (columns + 1) + column
            count, heat[at] = heat[at], 0
            if count > 0:
                beside = (column - 1 >> more_columns) + 1
                heat[(row >> more_rows) * (columns + 1) + beside] += count
    shifts[0] += more_rows
    shifts[1] += more_columns
