"""Keys in runs on Spark: equal entries that follow each other, and the equal one before an entry.

In: the entries of a strip, in the order of the table; or rows of entries from all strips, with
numbers that are the same for equal ones. Out: the *runs* of a strip: the first entry of each, and
how many rows it has; or, by row, where the run of equal entries before it ends. Equal entries make
a run if they come one after the other, in one row or in rows that follow each other. Entries that
other entries part are runs of their own, so a run of the table may be several here.

Invariant: only the first entry of a run can be a violation. Cost: a few array operations.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sculpt.checks.identities.entries import Entries

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

    Array = np.ndarray[Any, Any]


def short_runs(entries: Entries, places: Array) -> tuple[Entries, Array]:
    """The first entries of runs; the last number of each place says how many rows a run has."""
    import numpy as np

    keys = entries.numbers.reshape(-1, entries.fields)[:, :2]
    begins, rows = _runs((keys[1:] == keys[:-1]).all(axis=1), places[:, 0])
    return entries.at(begins), np.column_stack([places[begins], rows])


def long_runs(keys: pa.Array, rows: Array) -> tuple[Array, Array]:
    """Where runs of entries begin, and how many rows each has; by entry: its bytes and its row."""
    import numpy as np
    import pyarrow.compute as pc

    is_equal = pc.equal(keys.slice(0, len(keys) - 1), keys.slice(1))
    return _runs(np.asarray(is_equal), rows)


def _runs(is_equal: Array, rows: Array) -> tuple[Array, Array]:
    """The same; by entry but the last: is it equal to the next one?"""
    import numpy as np

    ends = np.flatnonzero(np.append(~is_equal | (np.diff(rows) > 1), True))
    begins = np.concatenate([[0], ends[:-1] + 1])
    return begins, rows[ends] - rows[begins] + 1


def rows_before(runs: Array, order: tuple[Array, ...], last: Array) -> Array:
    """By row: the last row of the run before, if it is a run and not the first of equal ones.

    `order` sorts rows, last by the number that equal ones have. -1 for a row that is no run: as
    rows of the table count from 1, that is not the row above any.
    """
    import numpy as np

    found = np.full(len(last), -1)
    ordered = runs[np.lexsort([each[runs] for each in order])]
    found[ordered[1:]] = last[ordered[:-1]]
    return found
