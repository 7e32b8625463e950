"""Where violations are: counts in buckets of rows and columns (`verdict.Heat`).

A bucket has `steps[0]` rows and `steps[1]` columns, both powers of two. Column 0 stands for whole
rows. Steps double when a place is beyond the last bucket, so they depend only on the places.
"""

from __future__ import annotations

from sculpt.kernels.loops.types import Numbers


def count_places(
    places: Numbers, count: int, above: int, rows: int, columns: int, steps: Numbers, heat: Numbers
) -> None:
    """Count places in their buckets.

    | array | holds |
    |---|---|
    | places | row and column of each; `above` is added to the rows |
    | steps | rows and columns of a bucket |
    | heat | `rows` by 1 + `columns` buckets, row by row |
    """
    for ix in range(count):
        row, column = places[2 * ix] + above - 1, places[2 * ix + 1] - 1
        while row // steps[0] >= rows:
            widen_buckets(rows, columns, 2 * steps[0], steps[1], steps, heat)
        while column // steps[1] >= columns:
            widen_buckets(rows, columns, steps[0], 2 * steps[1], steps, heat)
        heat[row // steps[0] * (columns + 1) + column // steps[1] + 1] += 1


def widen_buckets(
    rows: int, columns: int, row_step: int, column_step: int, steps: Numbers, heat: Numbers
) -> None:
    """Join buckets into larger ones; the new steps are multiples of the old ones."""
    row_times, column_times = row_step // steps[0], column_step // steps[1]
    for row in range(rows):
        for column in range(columns + 1):
            at = row * (columns + 1) + column
            count, heat[at] = heat[at], 0
            if count > 0:
                beside = (column - 1) // column_times + 1 if column > 0 else 0
                heat[row // row_times * (columns + 1) + beside] += count
    steps[0], steps[1] = row_step, column_step
