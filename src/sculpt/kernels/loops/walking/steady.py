"""Steady rows: while the vector does not change, a plain automaton over letters follows the rows.

Most rows of most tables leave the vector unchanged. They are followed by an automaton with a state
for each pair of a column and what comes from the left (`walk_arrays.Steady`). It is learnt from the
rows themselves, needs one array access per cell, and is forgotten when the vector changes.

Following a row, each step waits for the one before it. But most rows do what the row above them
did, which is easier to see:

    _alike_rows             they have the same letters
    _rows_on_path           other letters, but steps that do the same (`walk_arrays.Steps.twins`)
    _rows_without_strays    the same for many rows, once it is known which letters leave the path

The *path* is what a row took: the places of its steps in `Steady.nexts`. A *stray* is a letter that
leaves it at some cell. Rows with many letters may take one path, since a letter tells apart all
tokens, but a column only some (`docs/decisions/0013-derived-tokens.md`). The cells of rows that are
passed over are counted for the steps of the path; that a letter has been met was counted when its
step was learnt.
"""

from __future__ import annotations

from sculpt.kernels.loops.types import INDEX, Numbers
from sculpt.kernels.loops.walking.counts import settle_counts
from sculpt.kernels.loops.walking.ledger import is_silent, lacks_log, report
from sculpt.kernels.loops.walking.walk_arrays import (
    EACH_MARKED,
    F_EVENT,
    NOT_BEGUN,
    W_CARRY,
    W_CELL,
    W_COLUMN,
    W_KEEPS,
    W_LEARNT,
    W_LEFT,
    W_MARKS,
    W_PATH,
    W_ROW,
    W_ROW_IX,
    W_ROW_START,
    W_SHIFT,
    W_SHORTS,
    W_SKIPS,
    W_STATE,
    W_STATES,
    W_STRAYS,
    Ledger,
    Rows,
    Steady,
    Steps,
    Vectors,
)

PATIENCE, MAX_PATIENCE = 15, 255
"""How many rows to follow until the next look whether rows are alike, if they were not: twice as
many each time."""
TOGETHER = 4
"""How many rows are compared with a path at once."""


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
        at = steady.learnt[ix]
        steady.nexts[at], steady.nexts[at ^ 1] = 0, 0
        steady.entries[at >> 1] = 0
    regs[W_STATES], regs[W_LEARNT], regs[W_PATH], regs[W_STRAYS] = 1, 0, 0, 0


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
        is_marking = regs[W_MARKS] > 0
        is_quiet = is_marking or is_silent(event, steps, ledger, regs)
        steady.nexts[at] = following << regs[W_SHIFT] if is_quiet else -1 - entry
        is_alone = regs[W_MARKS] == EACH_MARKED
        steady.entries[at >> 1] = 1 + (entry if is_alone else steps.twins[entry])
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
    shift, carry = regs[W_SHIFT], regs[W_CARRY]
    row = first_row = regs[W_ROW_IX]
    cell = begun = regs[W_CELL]
    offset = first = regs[W_STATE] << shift
    last_named = steps.named_rows[len(steps.named_rows) - 1]
    is_marking, is_single = regs[W_MARKS] > 0, regs[W_SKIPS] > 0
    is_many = regs[W_MARKS] != EACH_MARKED and not is_single and regs[W_ROW] >= last_named
    wait, patience = 0, PATIENCE
    is_between_rows = False
    while not is_between_rows:
        followed = 0
        if wait > 0:
            if not is_marking:
                followed = _follow_pairs(rows, steps, steady, row, cell, first, shift, carry, wait)
                wait -= followed
        elif is_many and regs[W_STRAYS] > 0 and steady.path[0] >> shift == first >> shift:
            followed = _rows_without_strays(rows, steady, regs, row)
            if followed > 0:
                _take_path(rows, ledger, steady, regs, row, followed, is_marking)
        if followed > 0:
            row += followed
        else:
            stop = rows.row_cells[row]
            if is_marking:
                wait -= 1
                cell, offset = _mark_cells(rows, ledger, steady, cell, stop, offset)
            else:
                cell, offset = _count_cells(rows, steady, cell, stop, offset)
            if cell < stop or not _can_end(offset >> shift, carry, steps, steady):
                break
            row += 1
            steady.rows[offset >> shift] += 1
            if is_many and wait <= 0:
                _note_path(rows, steady, regs, begun, stop, first)
                alike = _alike_rows(rows, row, begun, stop)
                alike += _rows_on_path(rows, steady, regs, row + alike)
                wait = 0 if alike > 0 else patience
                patience = PATIENCE if alike > 0 else min(MAX_PATIENCE, 2 * patience)
                if alike > 0:
                    _take_path(rows, ledger, steady, regs, row, alike, is_marking)
                    row += alike
        cell = begun = rows.row_cells[row - 1]
        offset = first
        is_between_rows = row == rows.rows or is_single
        if not is_many and not is_between_rows:
            number = regs[W_ROW] + row - first_row + 1
            is_between_rows = class_of_row(steps.named_rows, number) > 0
    if row > first_row:
        regs[W_ROW] += row - first_row
        regs[W_ROW_START] = -1
    if is_between_rows:
        regs[W_LEFT] = NOT_BEGUN
    regs[W_CELL], regs[W_ROW_IX], regs[W_COLUMN] = cell, row, cell - begun
    regs[W_STATE] = offset >> shift
    return is_between_rows


def _can_end(state: int, carry: int, steps: Steps, steady: Steady) -> bool:
    """Can a row end in a state, without a notice, and hand on what it was handed?"""
    last = steady.ends[state]
    return last >= 0 and steps.end_events[last] == 0 and steps.end_carries[last] == carry


def _count_cells(rows: Rows, steady: Steady, cell: int, stop: int, offset: int) -> tuple[int, int]:
    """Follow and count cells up to a notice or an unknown step; the cell and state reached."""
    letters, shorts, nexts = rows.letters, steady.shorts, steady.nexts
    while cell < stop:
        at = offset + shorts[INDEX(letters[INDEX(cell)])]
        following = nexts[INDEX(at)]
        if following <= 0:
            break
        nexts[INDEX(at ^ 1)] += 1
        offset = following
        cell += 1
    return cell, offset


def _count_again(rows: Rows, steady: Steady, cell: int, stop: int, offset: int, times: int) -> None:
    """Count cells that were followed once more, a number of times."""
    letters, shorts, nexts = rows.letters, steady.shorts, steady.nexts
    while cell < stop:
        at = offset + shorts[INDEX(letters[INDEX(cell)])]
        nexts[INDEX(at ^ 1)] += times
        offset = nexts[INDEX(at)]
        cell += 1


def _mark_cells(
    rows: Rows, ledger: Ledger, steady: Steady, cell: int, stop: int, offset: int
) -> tuple[int, int]:
    """The same as `_count_cells`, but mark each cell with its entry."""
    letters, shorts, nexts = rows.letters, steady.shorts, steady.nexts
    while cell < stop:
        at = offset + shorts[INDEX(letters[INDEX(cell)])]
        following = nexts[INDEX(at)]
        if following <= 0:
            break
        ledger.hits[INDEX(cell)] = steady.entries[INDEX(at >> 1)]
        offset = following
        cell += 1
    return cell, offset


def _alike_rows(rows: Rows, row: int, begun: int, stop: int) -> int:
    """How many rows, from the one that begins at `stop` on, have the letters of the one before it.

    A processor compares several letters at once, but follows one step after the other.
    """
    letters, size = rows.letters, stop - begun
    alike = 0
    while row + alike < rows.rows and rows.row_cells[row + alike] - stop == size:
        difference = 0
        for ix in range(size):
            difference |= letters[INDEX(begun + ix)] ^ letters[INDEX(stop + ix)]
        if difference != 0:
            break
        alike += 1
        stop += size
    return alike


def _note_path(
    rows: Rows, steady: Steady, regs: Numbers, begun: int, stop: int, offset: int
) -> None:
    """Note the steps of a row that was followed."""
    letters, shorts, nexts, path = rows.letters, steady.shorts, steady.nexts, steady.path
    is_new = regs[W_PATH] != stop - begun
    for ix in range(stop - begun):
        at = offset + shorts[INDEX(letters[INDEX(begun + ix)])]
        is_new |= path[INDEX(ix)] != at
        path[INDEX(ix)] = at
        offset = nexts[INDEX(at)]
    if is_new:
        regs[W_PATH], regs[W_STRAYS] = stop - begun, 0


def _take_path(
    rows: Rows,
    ledger: Ledger,
    steady: Steady,
    regs: Numbers,
    row: int,
    times: int,
    is_marking: bool,
) -> None:
    """Mark or count rows that took the path that was noted."""
    if not is_marking:
        _count_path(steady, regs, times)
        return
    begun = rows.row_cells[row - 1] if row > 0 else 0
    for ix in range(regs[W_PATH]):
        place = steady.path[INDEX(ix)]
        ledger.hits[INDEX(begun + ix)] = steady.entries[INDEX(place >> 1)]
    for ix in range(row + 1, row + times):
        ledger.log[INDEX(ix)] = 1


def _count_path(steady: Steady, regs: Numbers, times: int) -> None:
    """Count rows that took the path that was noted."""
    nexts, last = steady.nexts, steady.path[regs[W_PATH] - 1]
    for ix in range(regs[W_PATH]):
        nexts[INDEX(steady.path[INDEX(ix)] ^ 1)] += times
    steady.rows[nexts[last] >> regs[W_SHIFT]] += times


def _rows_on_path(rows: Rows, steady: Steady, regs: Numbers, row: int) -> int:
    """How many rows, from one on, take steps that do the same as those of the path.

    Their states are known beforehand, so no step waits for another. After as many rows as there are
    letters, it pays to find out for each cell of a row which letters are strays.
    """
    letters, shorts, entries, path = rows.letters, steady.shorts, steady.entries, steady.path
    size, shift = regs[W_PATH], regs[W_SHIFT]
    first, last = row, min(rows.rows, row + len(shorts))
    while row < last and rows.row_cells[row] - rows.row_cells[row - 1] == size:
        begun, difference = rows.row_cells[row - 1], 0
        for ix in range(size):
            place = path[INDEX(ix)]
            at = ((place >> shift) << shift) + shorts[INDEX(letters[INDEX(begun + ix)])]
            difference |= entries[INDEX(at >> 1)] ^ entries[INDEX(place >> 1)]
        if difference != 0:
            return row - first
        row += 1
    if row == first + len(shorts) and size * len(shorts) <= len(steady.strays):
        _note_strays(steady, regs)
        row += _rows_without_strays(rows, steady, regs, row)
    return row - first


def _note_strays(steady: Steady, regs: Numbers) -> None:
    """Find out which letters are strays in each cell of the path."""
    shorts, entries, strays = steady.shorts, steady.entries, steady.strays
    size, shift, stride = regs[W_PATH], regs[W_SHIFT], len(shorts)
    for ix in range(size):
        place = steady.path[INDEX(ix)]
        entry, offset = entries[INDEX(place >> 1)], (place >> shift) << shift
        for letter in range(stride):
            at = offset + shorts[INDEX(letter)]
            strays[INDEX(ix * stride + letter)] = entries[INDEX(at >> 1)] ^ entry
    regs[W_STRAYS] = stride


def _rows_without_strays(rows: Rows, steady: Steady, regs: Numbers, row: int) -> int:
    """How many rows, from one on, have no strays: in groups, so that less is loaded for each."""
    letters, strays = rows.letters, steady.strays
    size, stride, first = regs[W_PATH], regs[W_STRAYS], row
    while row + TOGETHER <= rows.rows and _are_of_size(rows, row, size):
        begun, found = rows.row_cells[row - 1] if row > 0 else 0, 0
        for ix in range(size):
            for each in range(TOGETHER):
                letter = letters[INDEX(begun + each * size + ix)]
                found |= strays[INDEX(ix * stride + letter)]
        if found != 0:
            break
        row += TOGETHER
    return row - first


def _are_of_size(rows: Rows, row: int, size: int) -> bool:
    """Do the next rows that are compared together have the same number of cells?"""
    end, difference = rows.row_cells[row - 1] if row > 0 else 0, 0
    for each in range(row, row + TOGETHER):
        difference |= rows.row_cells[each] - end - size
        end = rows.row_cells[each]
    return difference == 0


def _follow_pairs(
    rows: Rows,
    steps: Steps,
    steady: Steady,
    row: int,
    cell: int,
    first: int,
    shift: int,
    carry: int,
    most: int,
) -> int:
    """Follow and count rows, two at a time, up to one that is not quiet: how many.

    Each step waits for the one before it in its row, so a processor takes two rows nearly as fast
    as one. `most` is about how many rows to follow at most.
    """
    letters, shorts, nexts = rows.letters, steady.shorts, steady.nexts
    followed, quiet_end = 0, 0
    while followed < most and row + followed + 1 < rows.rows:
        begun, middle = cell, rows.row_cells[row + followed]
        end = rows.row_cells[row + followed + 1]
        other, offset, beside = middle, first, first
        stop = begun + min(middle - begun, end - middle)
        while cell < stop:
            at = offset + shorts[INDEX(letters[INDEX(cell)])]
            at_other = beside + shorts[INDEX(letters[INDEX(other)])]
            following, following_other = nexts[INDEX(at)], nexts[INDEX(at_other)]
            if following <= 0 or following_other <= 0:
                break
            nexts[INDEX(at ^ 1)] += 1
            nexts[INDEX(at_other ^ 1)] += 1
            offset, beside = following, following_other
            cell += 1
            other += 1
        if cell == stop:
            cell, offset = _count_cells(rows, steady, cell, middle, offset)
            other, beside = _count_cells(rows, steady, other, end, beside)
        is_quiet = cell == middle and other == end
        if is_quiet and (offset != quiet_end or beside != quiet_end):
            quiet_end = offset
            is_quiet = _can_end(offset >> shift, carry, steps, steady) and _can_end(
                beside >> shift, carry, steps, steady
            )
        if not is_quiet:
            _count_again(rows, steady, begun, cell, first, -1)
            _count_again(rows, steady, middle, other, first, -1)
            break
        steady.rows[offset >> shift] += 1
        steady.rows[beside >> shift] += 1
        followed += 2
        cell = end
    return followed


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
        nexts[INDEX(at ^ 1)] += 1
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
    steady.rows[state] += 1
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
