"""Letters to hits: the kernels of the walk through a table, row by row.

The arrays are those of `walk_arrays`. A stage starts where the registers say, and sets them to
where it stopped. The stages of a row:

    _begin_row         what comes from the left to its first cell
    steady             a shortcut for rows that leave the vector unchanged (`steady`)
    _walk_cells        its cells: from left, above and letter to right and below
    _walk_padding      the cells that it lacks up to the width of the table
    _pass_beyond       columns beyond the width, in case the table turns out to be wider
    _close_row         has the vector changed? The notices of the row's end, and what it hands on
"""

from __future__ import annotations

from sculpt.kernels.loops.types import Numbers
from sculpt.kernels.loops.walking.counts import count_row_ends, find_entry, settle_counts, sides
from sculpt.kernels.loops.walking.ledger import lacks_log, lacks_room, report
from sculpt.kernels.loops.walking.steady import (
    class_of_row,
    end_row,
    follow_loud_row,
    follow_quiet_rows,
    forget_states,
    learn_step,
    take_state,
)
from sculpt.kernels.loops.walking.walk_arrays import (
    F_COUNTED,
    F_EVENT,
    F_LOUD,
    MAX_SHIFT,
    MISS_CELL,
    MISS_END,
    MISS_START,
    NEED_HITS,
    NEED_LOG,
    NEED_RUNS,
    NEED_SHORTS,
    NEED_WIDTH,
    NOT_BEGUN,
    PADDING,
    W_CARRY,
    W_CELL,
    W_COLUMN,
    W_DEPENDS,
    W_KEEPS,
    W_LEFT,
    W_MARKS,
    W_MISS_A,
    W_MISS_B,
    W_MISS_C,
    W_OUT,
    W_ROW,
    W_ROW_IX,
    W_RUN,
    W_RUNS,
    W_SHIFT,
    W_SHORTS,
    W_SKIPS,
    W_STATE,
    W_STEADY,
    W_SWAPPED,
    W_WIDEST,
    W_WIDTH,
    WALKED,
    Ledger,
    Rows,
    Steady,
    Steps,
    Vectors,
)


def walk(
    rows: Rows, steps: Steps, ledger: Ledger, vectors: Vectors, steady: Steady, regs: Numbers
) -> int:
    """Run the cell machine over rows of letters; stop if something is missing, and say what."""
    status = _walk_rows(rows, steps, ledger, vectors, steady, regs)
    settle_counts(steps, ledger, vectors, steady, regs)
    return status


def _walk_rows(
    rows: Rows, steps: Steps, ledger: Ledger, vectors: Vectors, steady: Steady, regs: Numbers
) -> int:
    """The same, but some cells of steady rows are still counted by state."""
    while True:
        if regs[W_LEFT] == NOT_BEGUN:
            if regs[W_ROW_IX] >= rows.rows and regs[W_CELL] >= rows.cells:
                return WALKED
            if _is_skipped(rows, regs):
                regs[W_CELL] += 1
                regs[W_ROW_IX] += 1
                continue
            if not _begin_row(rows, steps, steady, regs):
                return MISS_START
            if regs[W_STATE] > 0:
                if follow_quiet_rows(rows, steps, ledger, steady, regs):
                    continue
                if follow_loud_row(rows, steps, ledger, steady, regs):
                    continue
                _keep_vector(vectors, regs)
        status = _walk_cells(rows, steps, ledger, vectors, steady, regs)
        if status == WALKED and regs[W_ROW_IX] >= rows.rows:
            return WALKED  # the row goes on in the next block
        if status == WALKED:
            status = _walk_padding(rows, steps, ledger, vectors, regs)
        if status == WALKED:
            status = _pass_beyond(steps, ledger, vectors, regs)
        if status != WALKED:
            return status
        _close_row(rows, steps, ledger, vectors, steady, regs)
        if regs[W_SHORTS] + 2 == 1 << regs[W_SHIFT] and regs[W_SHIFT] < MAX_SHIFT:
            return NEED_SHORTS


def _is_skipped(rows: Rows, regs: Numbers) -> bool:
    """Is the next row a blank row that is skipped?"""
    cell, row = regs[W_CELL], regs[W_ROW_IX]
    if not regs[W_SKIPS] or row >= rows.rows or rows.row_cells[row] - cell != 1:
        return False
    return rows.blanks[rows.letters[cell]] != 0


def _begin_row(rows: Rows, steps: Steps, steady: Steady, regs: Numbers) -> bool:
    """Begin a row; false if its start has not been computed."""
    number = regs[W_ROW] + 1
    row_class = class_of_row(steps.named_rows, number)
    left = steps.starts[regs[W_CARRY] * (len(steps.named_rows) + 1) + row_class]
    if left < 0:
        regs[W_MISS_A], regs[W_MISS_B] = regs[W_CARRY], number
        return False
    state = 0
    if regs[W_STEADY] > 0 and row_class == 0 and regs[W_ROW_IX] < rows.rows:
        state = take_state(steady, regs, 0, left)
    regs[W_LEFT], regs[W_STATE] = left, state
    regs[W_COLUMN], regs[W_RUN], regs[W_OUT] = 0, 0, 0
    return True


def _keep_vector(vectors: Vectors, regs: Numbers) -> None:
    """Up to the current column, copy the vector above to the one below."""
    in_ends, in_ids, out_ends, out_ids = sides(vectors, regs[W_SWAPPED])
    column = regs[W_COLUMN]
    run = out = 0
    if column > 0:
        while in_ends[run] < column:
            out_ends[out], out_ids[out] = in_ends[run], in_ids[run]
            out += 1
            run += 1
        out_ends[out], out_ids[out] = column, in_ids[run]
        out += 1
    regs[W_RUN], regs[W_OUT] = run, out


def _walk_cells(
    rows: Rows, steps: Steps, ledger: Ledger, vectors: Vectors, steady: Steady, regs: Numbers
) -> int:
    """Take the steps of the cells that the current row has in the block."""
    in_ends, in_ids, out_ends, out_ids = sides(vectors, regs[W_SWAPPED])
    cell, column, left = regs[W_CELL], regs[W_COLUMN], regs[W_LEFT]
    run, out, state = regs[W_RUN], regs[W_OUT], regs[W_STATE]
    stop = rows.row_cells[regs[W_ROW_IX]] if regs[W_ROW_IX] < rows.rows else rows.cells
    run_end, above = in_ends[run], in_ids[run]
    status = WALKED
    while cell < stop:
        if column >= run_end:
            run += 1
            run_end, above = in_ends[run], in_ids[run]
        letter = rows.letters[cell]
        entry = find_entry(steps, left, above, letter)
        status = _obstacle(entry, out, len(out_ends), left, above, letter, steps, ledger, regs)
        if status != WALKED:
            break
        column += 1
        cell += 1
        event = steps.flags[entry] >> F_EVENT
        if event > 0:
            report(event, column, entry, rows, steps, ledger, regs)
        if regs[W_MARKS] > 0:
            ledger.hits[cell - 1] = entry + 1
        ledger.counts[entry] += 1
        below = steps.belows[entry]
        out = _add_columns(out_ends, out_ids, out, column, below)
        left = steps.rights[entry]
        if state > 0:
            state = (
                learn_step(state, letter, column, left, entry, steps, ledger, steady, regs)
                if below == above
                else 0
            )
    regs[W_CELL], regs[W_COLUMN], regs[W_LEFT] = cell, column, left
    regs[W_RUN], regs[W_OUT], regs[W_STATE] = run, out, state
    return status


def _walk_padding(rows: Rows, steps: Steps, ledger: Ledger, vectors: Vectors, regs: Numbers) -> int:
    """Take the steps of the cells that the row lacks up to the width of the table.

    If one changes nothing, neither does the rest of its run.
    """
    in_ends, in_ids, out_ends, out_ids = sides(vectors, regs[W_SWAPPED])
    column, left, run, out = regs[W_COLUMN], regs[W_LEFT], regs[W_RUN], regs[W_OUT]
    if column > regs[W_WIDTH]:
        if regs[W_DEPENDS]:
            return NEED_WIDTH
        regs[W_WIDTH] = column
    width = regs[W_WIDTH]
    status = WALKED
    while column < width:
        if column >= in_ends[run]:
            run += 1
        above = in_ids[run]
        entry = find_entry(steps, left, above, PADDING)
        status = _obstacle(entry, out, len(out_ends), left, above, PADDING, steps, ledger, regs)
        if status != WALKED:
            break
        event = steps.flags[entry] >> F_EVENT
        if event > 0:
            regs[W_STATE] = 0
            report(event, column + 1, entry, rows, steps, ledger, regs)
        is_idle = event == 0 and steps.rights[entry] == left
        after = min(in_ends[run], width) if is_idle else column + 1
        ledger.counts[entry] += after - column
        column = after
        left = steps.rights[entry]
        out = _add_columns(out_ends, out_ids, out, column, steps.belows[entry])
    regs[W_COLUMN], regs[W_LEFT], regs[W_RUN], regs[W_OUT] = column, left, run, out
    return status


def _pass_beyond(steps: Steps, ledger: Ledger, vectors: Vectors, regs: Numbers) -> int:
    """Hand down the columns beyond the width: they matter only if the table turns out to be wider.

    The registers change only if the row can be closed; otherwise this stage starts again.
    """
    in_ends, in_ids, out_ends, out_ids = sides(vectors, regs[W_SWAPPED])
    left, run, out = regs[W_LEFT], regs[W_RUN], regs[W_OUT]
    if regs[W_COLUMN] >= in_ends[run]:
        run += 1
    first = run
    while run < regs[W_RUNS]:
        below = in_ids[run]
        if not regs[W_DEPENDS]:
            entry = find_entry(steps, left, below, PADDING)
            if entry < 0:
                regs[W_MISS_A], regs[W_MISS_B], regs[W_MISS_C] = left, below, PADDING
                return MISS_CELL
            flags = steps.flags[entry]
            # Rows that count cells here are counted for all columns beyond the width alike.
            is_alike = flags & F_COUNTED == 0 or run == first == regs[W_RUNS] - 1
            is_idle = flags & F_LOUD == 0 and flags >> F_EVENT == 0 and is_alike
            if is_idle and steps.rights[entry] == left:
                below = steps.belows[entry]
            else:
                regs[W_DEPENDS] = 1
        if out >= len(out_ends) - 2:
            return NEED_RUNS
        out = _add_columns(out_ends, out_ids, out, in_ends[run], below)
        run += 1
    if steps.end_events[left] < 0:
        regs[W_MISS_A] = left
        return MISS_END
    if steps.end_events[left]:
        status = _room(ledger, regs)
        if status != WALKED:
            return status
    regs[W_OUT] = out
    return WALKED


def _obstacle(
    entry: int,
    out: int,
    room: int,
    left: int,
    above: int,
    letter: int,
    steps: Steps,
    ledger: Ledger,
    regs: Numbers,
) -> int:
    """What prevents the step of a cell; `WALKED` if nothing does."""
    if entry < 0:
        regs[W_MISS_A], regs[W_MISS_B], regs[W_MISS_C] = left, above, letter
        return MISS_CELL
    if out >= room - 2:
        return NEED_RUNS
    if steps.flags[entry] >> F_EVENT > 0:
        return _room(ledger, regs)
    return WALKED


def _room(ledger: Ledger, regs: Numbers) -> int:
    """Which room is missing for the notices of one place; `WALKED` if none is."""
    if regs[W_KEEPS] and lacks_room(ledger, regs):
        return NEED_HITS
    return NEED_LOG if lacks_log(ledger, regs) else WALKED


def _add_columns(ends: Numbers, ids: Numbers, count: int, end: int, below: int) -> int:
    """Add columns up to `end` to the vector below; return its number of runs."""
    if count > 0 and ids[count - 1] == below:
        ends[count - 1] = end
        return count
    ends[count], ids[count] = end, below
    return count + 1


def _close_row(
    rows: Rows, steps: Steps, ledger: Ledger, vectors: Vectors, steady: Steady, regs: Numbers
) -> None:
    """End a row, and check whether the vector has changed."""
    in_ends, in_ids, out_ends, out_ids = sides(vectors, regs[W_SWAPPED])
    out, left = regs[W_OUT], regs[W_LEFT]
    is_steady = out == regs[W_RUNS] and regs[W_WIDEST] == regs[W_WIDTH]
    if is_steady:
        for at in range(out):
            if out_ends[at] != in_ends[at] or out_ids[at] != in_ids[at]:
                is_steady = False
                break
    if is_steady:
        regs[W_STEADY] += 1
        if regs[W_STATE] > 0:
            steady.ends[regs[W_STATE]] = left
    else:
        regs[W_STEADY] = 0
        forget_states(steps, ledger, vectors, steady, regs)
    count_row_ends(left, 1, regs[W_WIDTH], in_ids[regs[W_RUNS] - 1], steps, ledger)
    end_row(left, rows, steps, ledger, regs)
    regs[W_WIDEST] = regs[W_WIDTH]
    regs[W_RUNS] = out
    regs[W_SWAPPED] = 1 - regs[W_SWAPPED]


def insert_entry(keys: Numbers, entries: Numbers, key: int, entry: int) -> None:
    """Put an entry into the hash table of steps, which must have room."""
    mask = len(keys) - 1
    left, above, letter = key >> 40, (key >> 20) & 0xFFFFF, key & 0xFFFFF
    at = (left * 1000003 + above * 8191 + letter * 131) & mask
    while keys[at] >= 0:
        at = (at + 1) & mask
    entries[at] = entry
    keys[at] = key


def insert_all(keys: Numbers, entries: Numbers, entry_keys: Numbers, count: int) -> None:
    """Put the first `count` entries into an empty hash table, in order."""
    for entry in range(count):
        insert_entry(keys, entries, entry_keys[entry], entry)
