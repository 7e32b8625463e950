"""Letters to notices: the kernels of the walk through a table, row by row."""

from __future__ import annotations

from sculpt.kernels.loops.types import INDEX, Numbers, Small

(
    W_ROW,  # rows before the current one
    W_COLUMN,  # cells of the current row that are done
    W_LEFT,  # what comes from the left; NOT_BEGUN at the start of a row
    W_CARRY,  # what one row hands to the next besides the vector
    W_RUN,  # the run of the vector that the next column is in
    W_CELL,  # the next letter
    W_ROW_IX,  # the next row of this block
    W_OUT,  # runs of the next vector so far
    W_WIDTH,  # how wide the table is taken to be
    W_DEPENDS,  # would some row have ended otherwise if the table were wider?
    W_RUNS,  # runs of the vector
    W_SWAPPED,  # which of the two vectors is the one above
    W_COUNT,  # violations
    W_STORED,  # hits
    W_LIMIT,  # how many hits of violations to keep
    W_LAST_ROW,  # of the last hit
    W_LAST_COLUMN,
    W_SKIPS,  # leave blank rows out
    W_KEEPS,  # every notice must be recorded: stop before the hits are full
    W_MISS_A,  # what is missing
    W_MISS_B,
    W_MISS_C,
    W_ROW_START,  # where the current row began, if that was in an earlier block; else -1
    W_BASE,  # where the block begins in the file
    W_STEADY,  # rows since the vector, or the width, last changed
    W_STATES,  # steady states so far, and the one that means `not known`
    W_SHIFT,  # a steady state has room for 2 to this power letters
    W_SHORTS,  # so many letters have a short number: those that steady rows have met
    W_STATE,  # the steady state in which the current row stands; 0 if none
    W_WIDEST,  # the width when the last row ended
    W_MARKS,  # 1 + the rows before those whose cells are marked; 0 if notices are recorded
) = range(31)
WALK_SIZE = 31

NOT_BEGUN = -1
PADDING = 0
"""The letter of a padded cell."""
ENDLESS = 1 << 60
"""The end of the last run of a vector: it goes on for ever."""

# The fields of a hit.
HIT_ROW, HIT_COLUMN, HIT_NOTICE, HIT_ENTRY, HIT_START, HIT_FIRST_ROW, HIT_FIRST_COLUMN = range(7)
HIT_SIZE = 7

WALKED = 0
MISS_CELL = 1
MISS_START = 2
MISS_END = 3
NEED_RUNS = 4
NEED_WIDTH = 5
NEED_HITS = 6

ONCE_A_ROW, EACH, UNIQUE, UNIQUE_IN_ROW, SELECTED, IGNORED = range(6)
MAX_NOTICES = 64
"""Room that is kept in the hits for what one cell may add."""


def _find_entry(keys: Numbers, entries: Numbers, left: int, above: int, letter: int) -> int:
    """The entry of a cell's step, -1 if there is none; `keys` is a hash table."""
    key = (left << 40) | (above << 20) | letter
    mask = len(keys) - 1
    at = (left * 1000003 + above * 8191 + letter * 131) & mask
    while keys[at] != key:
        if keys[at] < 0:
            return -1
        at = (at + 1) & mask
    return entries[at]


def insert_entry(keys: Numbers, entries: Numbers, key: int, entry: int) -> None:
    """Put an entry into the hash table, which must have room."""
    mask = len(keys) - 1
    left, above, letter = key >> 40, (key >> 20) & 0xFFFFF, key & 0xFFFFF
    at = (left * 1000003 + above * 8191 + letter * 131) & mask
    while keys[at] >= 0:
        at = (at + 1) & mask
    entries[at] = entry
    keys[at] = key


def insert_all(keys: Numbers, entries: Numbers, entry_keys: Numbers, count: int) -> None:
    """Put the first entries into an empty hash table, in order."""
    for entry in range(count):
        insert_entry(keys, entries, entry_keys[entry], entry)


def _find_state(state_keys: Numbers, state_values: Numbers, column: int, left: int) -> int:
    """The steady state of a column and what comes from the left; 0 if there is none."""
    key = (left << 32) | column
    mask = len(state_keys) - 1
    at = (left * 1000003 + column * 8191) & mask
    while state_keys[at] != key:
        if state_keys[at] < 0:
            return 0
        at = (at + 1) & mask
    return state_values[at]


def _add_state(
    state_keys: Numbers,
    state_values: Numbers,
    state_slots: Numbers,
    state_lefts: Numbers,
    regs: Numbers,
    column: int,
    left: int,
) -> int:
    """A new steady state; 0 if there is no more room."""
    state = regs[W_STATES]
    if state >= len(state_lefts):
        return 0
    key = (left << 32) | column
    mask = len(state_keys) - 1
    at = (left * 1000003 + column * 8191) & mask
    while state_keys[at] >= 0:
        at = (at + 1) & mask
    state_keys[at], state_values[at] = key, state
    state_slots[state], state_lefts[state] = at, left
    regs[W_STATES] = state + 1
    return state


def _forget_states(
    nexts: Small, state_keys: Numbers, state_slots: Numbers, state_ends: Numbers, regs: Numbers
) -> None:
    """Forget all steady states: the vector has changed."""
    for state in range(1, regs[W_STATES]):
        state_keys[state_slots[state]] = -1
        state_ends[state] = -1
    for at in range(regs[W_STATES] << regs[W_SHIFT]):
        nexts[at] = 0
    regs[W_STATES] = 1


def class_of_row(named_rows: Numbers, number: int) -> int:
    """1 + the place of a row's number among those that selectors name, in order; 0 for others."""
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


def _set_first(firsts: Numbers, notice: int, row: int, column: int, start: int) -> None:
    """Remember the first place of a notice."""
    firsts[3 * notice], firsts[3 * notice + 1], firsts[3 * notice + 2] = row, column, start


def _lacks_room(regs: Numbers, hits: Numbers, notice_kinds: Numbers) -> bool:
    """Might the hits be full before all that one place can add is recorded?"""
    return len(hits) < (regs[W_STORED] + len(notice_kinds)) * HIT_SIZE


def _is_silent(
    event: int, event_first: Numbers, event_notices: Numbers, notice_kinds: Numbers
) -> bool:
    """Is nothing to be done about an event?"""
    for at in range(event_first[event], event_first[event + 1]):
        if notice_kinds[event_notices[at]] != IGNORED:
            return False
    return True


def _report(
    event: int,
    event_first: Numbers,
    event_notices: Numbers,
    notice_kinds: Numbers,
    last_rows: Numbers,
    firsts: Numbers,
    regs: Numbers,
    hits: Numbers,
    column: int,
    entry: int,
    start: int,
) -> None:
    """Count what is found at a cell, or at the end of a row (column 0), and hit the first.

    Where cells are marked instead, `hits` has a number for each cell of the block: its event.
    """
    row = regs[W_ROW] + 1
    if regs[W_MARKS] > 0:
        if column > 0:
            hits[(row - regs[W_MARKS]) * regs[W_WIDTH] + column - 1] = event
        return
    for at in range(event_first[event], event_first[event + 1]):
        notice = event_notices[at]
        kind = notice_kinds[notice]
        first_row, first_column = 0, 0
        if kind == IGNORED:
            continue
        if kind == ONCE_A_ROW:
            if last_rows[notice] == row:
                continue
            last_rows[notice] = row
        elif kind == UNIQUE:
            first_row, first_column = firsts[3 * notice], firsts[3 * notice + 1]
            if first_row == 0:
                _set_first(firsts, notice, row, column, start)
                continue
        elif kind == UNIQUE_IN_ROW:
            first_row, first_column = firsts[3 * notice], firsts[3 * notice + 1]
            if first_row != row:
                _set_first(firsts, notice, row, column, start)
                continue
        stored = regs[W_STORED]
        if kind == SELECTED:
            wanted = True
        else:
            regs[W_COUNT] += 1
            is_same = row == regs[W_LAST_ROW] and column == regs[W_LAST_COLUMN]
            wanted = stored < regs[W_LIMIT] or is_same
        if wanted and (stored + 1) * HIT_SIZE <= len(hits):
            hit = stored * HIT_SIZE
            hits[hit + HIT_ROW] = row
            hits[hit + HIT_COLUMN] = column
            hits[hit + HIT_NOTICE] = notice
            hits[hit + HIT_ENTRY] = entry
            hits[hit + HIT_START] = start
            hits[hit + HIT_FIRST_ROW] = first_row
            hits[hit + HIT_FIRST_COLUMN] = first_column
            regs[W_STORED] = stored + 1
            regs[W_LAST_ROW] = row
            regs[W_LAST_COLUMN] = column


def walk(
    letters: Small,
    row_cells: Numbers,
    row_starts: Numbers,
    rows_ready: int,
    cells_ready: int,
    keys: Numbers,
    entries: Numbers,
    rights: Numbers,
    belows: Numbers,
    flags: Numbers,
    used: Small,
    starts: Numbers,
    end_events: Numbers,
    end_carries: Numbers,
    named_rows: Numbers,
    classes_count: int,
    event_first: Numbers,
    event_notices: Numbers,
    notice_kinds: Numbers,
    last_rows: Numbers,
    firsts: Numbers,
    ends_a: Numbers,
    ids_a: Numbers,
    ends_b: Numbers,
    ids_b: Numbers,
    blanks: Numbers,
    nexts: Small,
    events: Small,
    shorts: Small,
    state_keys: Numbers,
    state_values: Numbers,
    state_slots: Numbers,
    state_lefts: Numbers,
    state_ends: Numbers,
    regs: Numbers,
    hits: Numbers,
) -> int:
    """Run the cell machine over rows of letters; stop where something is missing.

    Most rows of most tables leave the vector as it is. For these the machine is a plain automaton
    over letters, with a state for each column and what comes from the left: it is learnt from the
    rows themselves, one look-up a cell, and forgotten when the vector changes.

    | array | holds |
    |---|---|
    | letters, row_cells, row_starts | what `scan` wrote |
    | keys, entries | hash table: (left, above, letter) -> entry |
    | rights, belows, flags, used | by entry: where it leads; event * 2 + loud; was it met? |
    | starts | carry * classes + row class -> left |
    | end_events, end_carries | by left: what the end of the row notices and hands on |
    | named_rows | the numbers of rows that selectors name, in order; 0 if there are none |
    | event_first, event_notices | event -> its notices |
    | notice_kinds | notice -> kind |
    | last_rows, firsts | by notice: the last row with one; row, column, row start of the first |
    | ends_a, ids_a, ends_b, ids_b | two vectors: runs of equal columns (end, what comes down) |
    | blanks | letter -> would it be a blank row? |
    | nexts | (steady state << W_SHIFT) + short letter -> the next, shifted too; 0 not known;
    |  | -1 - entry where something is found |
    | events | where cells are marked, the event of each entry of `nexts` |
    | shorts | letter -> short number; 0 for none |
    | state_keys, state_values, state_slots | hash table: (column, left) -> steady state |
    | state_lefts, state_ends | by steady state: left; what is left after padding, if it can end |
    | regs | the registers W_... |
    | hits | out: what was found, HIT_SIZE numbers each |
    """
    cell, row_ix = regs[W_CELL], regs[W_ROW_IX]
    while True:
        swapped = regs[W_SWAPPED]
        in_ends, in_ids = (ends_b, ids_b) if swapped else (ends_a, ids_a)
        out_ends, out_ids = (ends_a, ids_a) if swapped else (ends_b, ids_b)
        limit = len(out_ends) - 2
        left, column, run, out = regs[W_LEFT], regs[W_COLUMN], regs[W_RUN], regs[W_OUT]
        width = regs[W_WIDTH]
        state = regs[W_STATE]
        if left == NOT_BEGUN:
            if row_ix >= rows_ready and cell >= cells_ready:
                break
            is_alone = row_ix < rows_ready and row_cells[row_ix] - cell == 1
            if regs[W_SKIPS] and is_alone and blanks[letters[cell]]:
                cell += 1
                row_ix += 1
                continue
            number = regs[W_ROW] + 1
            row_class = class_of_row(named_rows, number)
            left = starts[regs[W_CARRY] * classes_count + row_class]
            if left < 0:
                regs[W_MISS_A], regs[W_MISS_B] = regs[W_CARRY], number
                regs[W_CELL], regs[W_ROW_IX] = cell, row_ix
                return MISS_START
            column, run, out, state = 0, 0, 0, 0
            if regs[W_STEADY] > 0 and row_ix < rows_ready and row_class == 0:
                state = _find_state(state_keys, state_values, 0, left)
                if state == 0:
                    state = _add_state(
                        state_keys, state_values, state_slots, state_lefts, regs, 0, left
                    )
        is_ended = row_ix < rows_ready
        stop = row_cells[row_ix] if is_ended else cells_ready
        start = regs[W_ROW_START]
        if start < 0:
            start = row_starts[row_ix] + regs[W_BASE]
        status = WALKED
        if column == 0 and state > 0:
            # Whole rows in which nothing is found and that all begin alike.
            shift = regs[W_SHIFT]
            begun, offset = cell, state << shift
            first, carry, row = offset, regs[W_CARRY], row_ix
            following, last = 0, 0
            is_done = False
            while True:
                if regs[W_MARKS] > 0:
                    while cell < stop:
                        at = offset + shorts[INDEX(letters[INDEX(cell)])]
                        following = nexts[INDEX(at)]
                        if following <= 0:
                            break
                        hits[INDEX(cell)] = events[INDEX(at)]
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
                last = state_ends[offset >> shift]
                if last < 0 or end_events[last] or end_carries[last] != carry:
                    break
                row_ix += 1
                begun, offset = cell, first
                number = regs[W_ROW] + row_ix - row + 1
                is_named = class_of_row(named_rows, number) > 0
                is_done = row_ix == rows_ready or regs[W_SKIPS] > 0 or is_named
                if is_done:
                    break
                stop = row_cells[row_ix]
            if row_ix > row:
                regs[W_ROW] += row_ix - row
                regs[W_ROW_START] = -1
                if is_done:
                    continue
                start = row_starts[row_ix] + regs[W_BASE]
            while True:
                state = offset >> shift
                if cell == stop or following == 0 or regs[W_KEEPS]:
                    break
                entry = -1 - following
                _report(
                    flags[entry] >> 1,
                    event_first,
                    event_notices,
                    notice_kinds,
                    last_rows,
                    firsts,
                    regs,
                    hits,
                    cell - begun + 1,
                    entry,
                    start,
                )
                cell += 1
                offset = _find_state(state_keys, state_values, cell - begun, rights[entry]) << shift
                while cell < stop:
                    following = nexts[INDEX(offset + shorts[INDEX(letters[INDEX(cell)])])]
                    if following <= 0:
                        break
                    offset = following
                    cell += 1
            left = state_lefts[state]
            last = state_ends[state]
            if cell == stop and last >= 0 and not (regs[W_KEEPS] and end_events[last]):
                if end_events[last]:
                    _report(
                        end_events[last],
                        event_first,
                        event_notices,
                        notice_kinds,
                        last_rows,
                        firsts,
                        regs,
                        hits,
                        0,
                        -1 - last,
                        start,
                    )
                regs[W_CARRY] = end_carries[last]
                regs[W_ROW] += 1
                regs[W_ROW_START] = -1
                row_ix += 1
                continue
            column = cell - begun
            if column > 0:
                # So far the vector below is the one above.
                while in_ends[run] < column:
                    out_ends[out], out_ids[out] = in_ends[run], in_ids[run]
                    out += 1
                    run += 1
                out_ends[out], out_ids[out] = column, in_ids[run]
                out += 1
        run_end, above = in_ends[run], in_ids[run]
        # Real cells.
        while cell < stop:
            if column >= run_end:
                run += 1
                run_end, above = in_ends[run], in_ids[run]
            letter = letters[cell]
            entry = _find_entry(keys, entries, left, above, letter)
            if entry < 0:
                regs[W_MISS_A], regs[W_MISS_B], regs[W_MISS_C] = left, above, letter
                status = MISS_CELL
                break
            if out >= limit:
                status = NEED_RUNS
                break
            flag = flags[entry]
            if flag > 1:
                if regs[W_KEEPS] and _lacks_room(regs, hits, notice_kinds):
                    status = NEED_HITS
                    break
                _report(
                    flag >> 1,
                    event_first,
                    event_notices,
                    notice_kinds,
                    last_rows,
                    firsts,
                    regs,
                    hits,
                    column + 1,
                    entry,
                    start,
                )
            used[entry] = 1
            below = belows[entry]
            if out > 0 and out_ids[out - 1] == below:
                out_ends[out - 1] = column + 1
            else:
                out_ends[out], out_ids[out] = column + 1, below
                out += 1
            left = rights[entry]
            column += 1
            cell += 1
            if state > 0:
                following = 0
                if below == above:
                    following = _find_state(state_keys, state_values, column, left)
                    if following == 0:
                        following = _add_state(
                            state_keys, state_values, state_slots, state_lefts, regs, column, left
                        )
                    if following > 0:
                        short = shorts[letter]
                        if short == 0 and regs[W_SHORTS] + 1 < 1 << regs[W_SHIFT]:
                            regs[W_SHORTS] += 1
                            short = shorts[letter] = regs[W_SHORTS]
                        if short > 0:
                            at = (state << regs[W_SHIFT]) + short
                            nexts[at] = following << regs[W_SHIFT]
                            if regs[W_MARKS] > 0:
                                events[at] = flag >> 1
                            elif not _is_silent(
                                flag >> 1, event_first, event_notices, notice_kinds
                            ):
                                nexts[at] = -1 - entry
                state = following
        if status == WALKED and is_ended:
            if column > width:
                if regs[W_DEPENDS]:
                    status = NEED_WIDTH
                else:
                    width = column
            # Padded cells; where one changes nothing, the rest of its run does not either.
            while status == WALKED and column < width:
                if column >= run_end:
                    run += 1
                    run_end, above = in_ends[run], in_ids[run]
                entry = _find_entry(keys, entries, left, above, PADDING)
                if entry < 0:
                    regs[W_MISS_A], regs[W_MISS_B], regs[W_MISS_C] = left, above, PADDING
                    status = MISS_CELL
                    break
                if out >= limit:
                    status = NEED_RUNS
                    break
                flag = flags[entry]
                if flag > 1:
                    state = 0
                    if regs[W_KEEPS] and _lacks_room(regs, hits, notice_kinds):
                        status = NEED_HITS
                        break
                    _report(
                        flag >> 1,
                        event_first,
                        event_notices,
                        notice_kinds,
                        last_rows,
                        firsts,
                        regs,
                        hits,
                        column + 1,
                        entry,
                        start,
                    )
                used[entry] = 1
                below = belows[entry]
                if flag <= 1 and rights[entry] == left:
                    column = min(run_end, width)
                else:
                    column += 1
                left = rights[entry]
                if out > 0 and out_ids[out - 1] == below:
                    out_ends[out - 1] = column
                else:
                    out_ends[out], out_ids[out] = column, below
                    out += 1
            # Columns beyond the width: they matter only if the table turns out to be wider.
            begun = out
            beyond = run
            if status == WALKED and column >= run_end:
                beyond += 1
            while status == WALKED and beyond < regs[W_RUNS]:
                below = in_ids[beyond]
                if not regs[W_DEPENDS]:
                    entry = _find_entry(keys, entries, left, below, PADDING)
                    if entry < 0:
                        regs[W_MISS_A], regs[W_MISS_B], regs[W_MISS_C] = left, below, PADDING
                        status = MISS_CELL
                        break
                    if flags[entry] == 0 and rights[entry] == left:
                        below = belows[entry]
                    else:
                        regs[W_DEPENDS] = 1
                if out >= limit:
                    status = NEED_RUNS
                    break
                if out > 0 and out_ids[out - 1] == below:
                    out_ends[out - 1] = in_ends[beyond]
                else:
                    out_ends[out], out_ids[out] = in_ends[beyond], below
                    out += 1
                beyond += 1
            if status != WALKED:
                out = begun
            elif end_events[left] < 0:
                regs[W_MISS_A] = left
                status = MISS_END
                out = begun
            elif end_events[left] and regs[W_KEEPS] and _lacks_room(regs, hits, notice_kinds):
                status = NEED_HITS
                out = begun
        regs[W_COLUMN], regs[W_RUN], regs[W_OUT], regs[W_WIDTH] = column, run, out, width
        regs[W_LEFT] = left
        regs[W_STATE] = state
        if status == WALKED and is_ended:
            is_steady = out == regs[W_RUNS] and regs[W_WIDEST] == width
            regs[W_WIDEST] = width
            if is_steady:
                for at in range(out):
                    if out_ends[at] != in_ends[at] or out_ids[at] != in_ids[at]:
                        is_steady = False
                        break
            if is_steady:
                regs[W_STEADY] += 1
                if state > 0:
                    state_ends[state] = left
            else:
                regs[W_STEADY] = 0
                if regs[W_STATES] > 1:
                    _forget_states(nexts, state_keys, state_slots, state_ends, regs)
            if end_events[left]:
                event = end_events[left]
                _report(
                    event,
                    event_first,
                    event_notices,
                    notice_kinds,
                    last_rows,
                    firsts,
                    regs,
                    hits,
                    0,
                    -1 - left,
                    start,
                )
            regs[W_CARRY] = end_carries[left]
            regs[W_ROW] += 1
            regs[W_LEFT] = NOT_BEGUN
            regs[W_ROW_START] = -1
            regs[W_RUNS] = out
            regs[W_SWAPPED] = 1 - swapped
            row_ix += 1
        else:
            regs[W_CELL], regs[W_ROW_IX] = cell, row_ix
            return status
    regs[W_CELL], regs[W_ROW_IX] = cell, row_ix
    return WALKED
