"""Steady rows: while the vector does not change, a plain automaton over letters follows the rows.

Most rows of most tables leave the vector unchanged. They are followed by an automaton with a state
for each pair of a column and what comes from the left (`walk_arrays.Steady`). It is learnt from the
rows themselves, needs one array access per cell, and is forgotten when the vector changes.
"""

from __future__ import annotations

from sculpt.kernels.loops.counts import settle_counts
from sculpt.kernels.loops.ledger import is_silent, lacks_log, report
from sculpt.kernels.loops.types import INDEX, Numbers
from sculpt.kernels.loops.walk_arrays import (
    F_EVENT,
    NOT_BEGUN,
    W_CARRY,
    W_CELL,
    W_COLUMN,
    W_KEEPS,
    W_LEARNT,
    W_LEFT,
    W_MARKS,
    W_ROW,
    W_ROW_IX,
    W_ROW_START,
    W_SHIFT,
    W_SHORTS,
    W_SKIPS,
    W_STATE,
    W_STATES,
    W_TALLIES,
    Ledger,
    Rows,
    Steady,
    Steps,
    Vectors,
)


def class_of_row(named_rows: Numbers, number: int) -> int:
    """1 + the index of a row's number among those that selectors name; 0 for other rows."""
    low, high = 0, len(named_rows)
    if number > named_rows[high - 1]:
        return 0
    while low < high:
        middle = (low + high) // 2
        if named_rows[middle] < number:
            low = middle + 1
        else:
            high = middle
    return low + 1 if named_rows[low] == number else 0


def find_state(steady: Steady, column: int, left: int) -> int:
    """The state for a column and what comes from the left; 0 if there is none."""
    key = (left << 32) | column
    mask = len(steady.keys) - 1
    at = (left * 1000003 + column * 8191) & mask
    while steady.keys[at] != key:
        if steady.keys[at] < 0:
            return 0
        at = (at + 1) & mask
    return steady.values[at]


def take_state(steady: Steady, regs: Numbers, column: int, left: int) -> int:
    """The same, but make the state if there is none; 0 if there is no room for it."""
    state = find_state(steady, column, left)
    if state > 0 or regs[W_STATES] >= len(steady.lefts):
        return state
    state = regs[W_STATES]
    mask = len(steady.keys) - 1
    at = (left * 1000003 + column * 8191) & mask
    while steady.keys[at] >= 0:
        at = (at + 1) & mask
    steady.keys[at], steady.values[at] = (left << 32) | column, state
    steady.slots[state], steady.lefts[state] = at, left
    regs[W_STATES] = state + 1
    return state


def forget_states(
    steps: Steps, ledger: Ledger, vectors: Vectors, steady: Steady, regs: Numbers
) -> None:
    """Forget all states: the vector has changed."""
    if regs[W_STATES] == 1:
        return
    settle_counts(steps, ledger, vectors, steady, regs)
    for state in range(1, regs[W_STATES]):
        steady.keys[steady.slots[state]] = -1
        steady.ends[state] = -1
    for ix in range(regs[W_LEARNT]):
        steady.nexts[steady.learnt[ix]] = 0
    regs[W_STATES], regs[W_LEARNT] = 1, 0


def learn_step(
    state: int,
    letter: int,
    column: int,
    left: int,
    entry: int,
    steps: Steps,
    ledger: Ledger,
    steady: Steady,
    regs: Numbers,
) -> int:
    """Remember the step of a cell that leaves the vector unchanged; return the state after it.

    `column` and `left` are those after the cell. Returns 0 if there is no room for a new state.
    """
    following = take_state(steady, regs, column, left)
    if following == 0:
        return 0
    short = steady.shorts[letter]
    if short == 0 and regs[W_SHORTS] + 2 < 1 << regs[W_SHIFT]:
        regs[W_SHORTS] += 2
        short = steady.shorts[letter] = regs[W_SHORTS]
    at = (state << regs[W_SHIFT]) + short
    if short > 0 and steady.nexts[at] == 0:
        event = steps.flags[entry] >> F_EVENT
        is_quiet = regs[W_MARKS] > 0 or is_silent(event, steps, ledger, regs)
        steady.nexts[at] = following << regs[W_SHIFT] if is_quiet else -1 - entry
        steady.details[at >> 1] = entry
        steady.learnt[regs[W_LEARNT]] = at
        regs[W_LEARNT] += 1
    return following


def follow_quiet_rows(
    rows: Rows, steps: Steps, ledger: Ledger, steady: Steady, regs: Numbers
) -> bool:
    """Follow whole rows that begin alike and have no notices.

    Returns false in a row that has a notice or an unknown step; true between two rows, if the next
    one is not in the block or may begin differently.
    """
    letters, shorts, nexts = rows.letters, steady.shorts, steady.nexts
    shift, carry = regs[W_SHIFT], regs[W_CARRY]
    row = first_row = regs[W_ROW_IX]
    cell = begun = regs[W_CELL]
    offset = first = regs[W_STATE] << shift
    is_between_rows, is_counting = False, regs[W_TALLIES] > 0
    while not is_between_rows:
        stop = rows.row_cells[row]
        if regs[W_MARKS] > 0:
            while cell < stop:
                at = offset + shorts[INDEX(letters[INDEX(cell)])]
                following = nexts[INDEX(at)]
                if following <= 0:
                    break
                ledger.hits[INDEX(cell)] = steady.details[INDEX(at >> 1)] + 1
                offset = following
                cell += 1
        elif is_counting:
            while cell < stop:
                at = offset + shorts[INDEX(letters[INDEX(cell)])]
                following = nexts[INDEX(at)]
                if following <= 0:
                    break
                nexts[INDEX(at + 1)] += 1
                offset = following
                cell += 1
        else:
            while cell < stop:
                following = nexts[INDEX(offset + shorts[INDEX(letters[INDEX(cell)])])]
                if following <= 0:
                    break
                offset = following
                cell += 1
        if cell < stop:
            break
        last = steady.ends[offset >> shift]
        if last < 0 or steps.end_events[last] or steps.end_carries[last] != carry:
            break
        steady.rows[offset >> shift] += regs[W_TALLIES]
        row += 1
        begun, offset = cell, first
        number = regs[W_ROW] + row - first_row + 1
        is_named = class_of_row(steps.named_rows, number) > 0
        is_between_rows = row == rows.rows or regs[W_SKIPS] > 0 or is_named
    if row > first_row:
        regs[W_ROW] += row - first_row
        regs[W_ROW_START] = -1
    if is_between_rows:
        regs[W_LEFT] = NOT_BEGUN
    regs[W_CELL], regs[W_ROW_IX], regs[W_COLUMN] = cell, row, cell - begun
    regs[W_STATE] = offset >> shift
    return is_between_rows


def follow_loud_row(
    rows: Rows, steps: Steps, ledger: Ledger, steady: Steady, regs: Numbers
) -> bool:
    """Follow the rest of a row, and report its notices; has the row ended?"""
    letters, shorts, nexts = rows.letters, steady.shorts, steady.nexts
    shift, stop = regs[W_SHIFT], rows.row_cells[regs[W_ROW_IX]]
    cell = regs[W_CELL]
    begun = cell - regs[W_COLUMN]
    offset = regs[W_STATE] << shift
    while cell < stop:
        at = offset + shorts[INDEX(letters[INDEX(cell)])]
        following = nexts[INDEX(at)]
        if following == 0 or (following < 0 and _must_stop(ledger, regs)):
            break
        cell += 1
        nexts[INDEX(at + 1)] += regs[W_TALLIES]
        if following > 0:
            offset = following
        else:
            entry = -1 - following
            event = steps.flags[entry] >> F_EVENT
            report(event, cell - begun, entry, rows, steps, ledger, regs)
            offset = find_state(steady, cell - begun, steps.rights[entry]) << shift
            if is_silent(event, steps, ledger, regs):  # no more unchecked cells are wanted
                nexts[INDEX(at)] = offset
    state = offset >> shift
    last = steady.ends[state]
    regs[W_CELL], regs[W_COLUMN], regs[W_STATE] = cell, cell - begun, state
    regs[W_LEFT] = steady.lefts[state]
    if cell < stop or last < 0 or (steps.end_events[last] and _must_stop(ledger, regs)):
        return False
    steady.rows[state] += regs[W_TALLIES]
    end_row(last, rows, steps, ledger, regs)
    return True


def _must_stop(ledger: Ledger, regs: Numbers) -> bool:
    """Must the walk look for room before it reports a notice?"""
    return regs[W_KEEPS] > 0 or lacks_log(ledger, regs)


def end_row(left: int, rows: Rows, steps: Steps, ledger: Ledger, regs: Numbers) -> None:
    """End the current row: report its event, and set what it hands on besides the vector."""
    if steps.end_events[left]:
        report(steps.end_events[left], 0, -1 - left, rows, steps, ledger, regs)
    regs[W_CARRY] = steps.end_carries[left]
    regs[W_ROW] += 1
    regs[W_ROW_IX] += 1
    regs[W_ROW_START] = -1
    regs[W_LEFT] = NOT_BEGUN
