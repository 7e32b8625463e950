"""Counts of cells and rows: how many cells took each step, how many rows ended with each left.

Steady rows count by state, next to the steps that they follow (`walk_arrays.Steady`).
`settle_counts` adds these counts to those of the ledger: whenever the walk returns, and before the
states are forgotten. So a walk that is not running has counted all its cells.
"""

from __future__ import annotations

from sculpt.kernels.loops.types import Numbers
from sculpt.kernels.loops.walking.walk_arrays import (
    F_COUNTED,
    PADDING,
    W_LEARNT,
    W_MARKS,
    W_RUNS,
    W_STATES,
    W_SWAPPED,
    W_WIDEST,
    Ledger,
    Steady,
    Steps,
    Vectors,
)


def sides(vectors: Vectors, swapped: int) -> tuple[Numbers, Numbers, Numbers, Numbers]:
    """The vector above, and the one below: ends and numbers of each."""
    if swapped:
        return vectors.ends_b, vectors.ids_b, vectors.ends_a, vectors.ids_a
    return vectors.ends_a, vectors.ids_a, vectors.ends_b, vectors.ids_b


def find_entry(steps: Steps, left: int, above: int, letter: int) -> int:
    """The entry of a cell's step; -1 if there is none."""
    keys = steps.keys
    key = (left << 40) | (above << 20) | letter
    mask = len(keys) - 1
    at = (left * 1000003 + above * 8191 + letter * 131) & mask
    while keys[at] != key:
        if keys[at] < 0:
            return -1
        at = (at + 1) & mask
    return steps.entries[at]


def count_row_ends(
    left: int, count: int, width: int, above: int, steps: Steps, ledger: Ledger
) -> None:
    """Count rows that ended alike, in a table that was `width` columns wide.

    `above` is what comes from above beyond the width. Cells there are cells of the table if it
    turns out to be wider; the walk goes on then only if they change nothing.
    """
    ledger.ends[left] += count
    entry = find_entry(steps, left, above, PADDING)
    if entry >= 0 and steps.flags[entry] & F_COUNTED:
        ledger.beyond[2 * entry] += count
        ledger.beyond[2 * entry + 1] += count * width


def settle_counts(
    steps: Steps, ledger: Ledger, vectors: Vectors, steady: Steady, regs: Numbers
) -> None:
    """Add what steady rows have counted to the counts of the ledger.

    The vector above the current row must be the one that the steady rows left unchanged. If cells
    are marked, they are not counted.
    """
    if regs[W_MARKS] > 0:
        return
    nexts = steady.nexts
    for ix in range(regs[W_LEARNT]):
        at = steady.learnt[ix]
        count = nexts[at ^ 1]
        if count > 0:
            ledger.counts[steady.entries[at >> 1] - 1] += count
            nexts[at ^ 1] = 0
    for state in range(1, regs[W_STATES]):
        count = steady.rows[state]
        if count > 0:
            _settle_rows(state, count, steps, ledger, vectors, steady, regs)
            steady.rows[state] = 0


def _settle_rows(
    state: int,
    count: int,
    steps: Steps,
    ledger: Ledger,
    vectors: Vectors,
    steady: Steady,
    regs: Numbers,
) -> None:
    """Count rows that ended in a steady state, and the cells that they lack up to the width."""
    in_ends, in_ids, _, _ = sides(vectors, regs[W_SWAPPED])
    column, left = steady.keys[steady.slots[state]] & 0xFFFFFFFF, steady.lefts[state]
    width, run = regs[W_WIDEST], 0
    while column < width:
        while column >= in_ends[run]:
            run += 1
        entry = find_entry(steps, left, in_ids[run], PADDING)
        if entry < 0:
            break  # never: the row that taught this end has taken these steps
        after = min(in_ends[run], width) if steps.rights[entry] == left else column + 1
        ledger.counts[entry] += count * (after - column)
        column, left = after, steps.rights[entry]
    count_row_ends(left, count, width, in_ids[regs[W_RUNS] - 1], steps, ledger)
