"""EVERY compiled function: arrays in, arrays out, no objects.

They run in two ways. As they stand they are plain Python over lists and bytes: that is how small
inputs are read, with nothing to compile. `engines/backend.py` compiles the same functions with
Numba for large inputs, where the arrays are numpy's. They are in one file because Numba's cache
looks at one file only to find out whether a function has changed.

A table entry of the scanner (64 bits, unsigned: an index that cannot be negative needs no check):

    bits  0-31   the next state, times the number of byte classes
    bit   32     a cell ends
    bit   33     something that needs a branch: one of the bits 34 to 38
    bit   34     a row ends
    bit   35     a line ends that is no row
    bit   36     the byte is not consumed: the state has a backlog
    bit   37     not computed yet; the next state is the state itself
    bit   38     the next state has a backlog
    bit   39     the row ended before the byte, which begins the next one
    bits 40-63   the letter of the cell that ends

An entry of the table of pairs says what two bytes lead to, and differs in this: there is at most
one cell end, with its letter, unless bit 36 says two; bits 0-31 are an offset in that table; and

    bit   35     the row, or the line, ends with the first of the two bytes
    bit   36     two cells end: letters in bits 40-51 and 52-63
    bit   37     take the bytes one by one
    bit   38     a line ends that is no row

The constants in `UNSIGNED` have the type of the entries in the compiled form.
"""

COMPILED = (
    "scan",
    "scan_three",
    "row_of_pairs",
    "scan_two",
    "scan_pairs",
    "count_visits",
    "compose_pairs",
    "find_entry",
    "insert_entry",
    "insert_all",
    "count_bytes",
    "set_first",
    "find_state",
    "add_state",
    "forget_states",
    "blank_tail",
    "widest",
    "is_silent",
    "lacks_room",
    "class_of_row",
    "report",
    "walk",
    "reach",
    "relabel",
    "pad_rows",
    "count_rows",
)
"""The functions, each after those that it calls."""

CELL = 1 << 32
BRANCH = 1 << 33
ROW = 1 << 34
LINE = 1 << 35
STAY = 1 << 36
MISS = 1 << 37
BACKLOG = 1 << 38
BEFORE = 1 << 39
WAITS = STAY | MISS | BACKLOG
RARE = LINE | WAITS
FIRST = LINE
TWO = STAY
SLOW = MISS
COMMENT = BACKLOG
NEXT = 0xFFFFFFFF
CELL_SHIFT = 32
BEFORE_SHIFT = 39
LETTER_SHIFT = 40
HALF_SHIFT = 52
HALF = (1 << 12) - 1
LOW = (1 << LETTER_SHIFT) - 1
ONE = 1
NONE = 0

INDEX = int
"""The type of an index that is never negative."""

UNSIGNED = (
    "CELL",
    "BRANCH",
    "ROW",
    "LINE",
    "STAY",
    "MISS",
    "BACKLOG",
    "BEFORE",
    "WAITS",
    "RARE",
    "FIRST",
    "TWO",
    "SLOW",
    "COMMENT",
    "NEXT",
    "CELL_SHIFT",
    "BEFORE_SHIFT",
    "LETTER_SHIFT",
    "HALF_SHIFT",
    "HALF",
    "LOW",
    "ONE",
    "NONE",
)

# Where a lane of the scanner stands: the fields of `lane`.
POSITION, STOP, STATE, CELLS, ROWS, ROW_START, MAX_ROWS = range(7)

SCANNED = 0
MISSING = 1
NO_LIMIT = 1 << 40


def scan(buffer, table, classes, backlogs, lane, letters, row_cells, row_starts):
    """Run the scanner over bytes until `lane[STOP]`, or to a table entry that is missing.

    It also stops when `lane[MAX_ROWS]` rows have ended.

    | array | holds |
    |---|---|
    | buffer | the bytes |
    | table | entries by state offset + class of the byte; see the module's text |
    | classes | byte -> class |
    | backlogs | state offset -> bytes that wait in the state's backlog |
    | lane | position, stop, state offset, cells and rows so far, start of the current row, limit |
    | letters | out: the letter of each cell |
    | row_cells | out: for each row that ended, the number of cells up to its end |
    | row_starts | out: the position at which each of these rows began |
    """
    at, stop, state = lane[POSITION], lane[STOP], lane[STATE]
    cells, rows, start = lane[CELLS], lane[ROWS], lane[ROW_START]
    max_rows = lane[MAX_ROWS]
    status = SCANNED
    while at < stop:
        entry = table[state + classes[buffer[at]]]
        state = entry & NEXT
        letters[cells] = entry >> LETTER_SHIFT
        cells += (entry >> CELL_SHIFT) & ONE
        at += ONE
        if entry & BRANCH:
            if entry & (MISS | STAY):
                at -= ONE
                if entry & MISS:
                    status = MISSING
                    break
            if entry & ROW:
                row_cells[rows] = cells
                row_starts[rows] = start
                rows += ONE
                start = at - ((entry >> BEFORE_SHIFT) & ONE)
                if entry & BACKLOG:
                    start -= backlogs[state]
                if rows == max_rows:
                    break
            elif entry & LINE:
                start = at
                if entry & BACKLOG:
                    start -= backlogs[state]
    lane[POSITION], lane[STATE] = at, state
    lane[CELLS], lane[ROWS], lane[ROW_START] = cells, rows, start
    return status


def scan_three(
    buffer,
    table,
    classes,
    letters,
    lane,
    row_cells,
    row_starts,
    lane_2,
    row_cells_2,
    row_starts_2,
    lane_3,
    row_cells_3,
    row_starts_3,
):
    """Run the scanner over three stretches of bytes in turns, a byte each, until one needs `scan`.

    A look-up depends on the one before it in its stretch, and on no other, so the processor does
    the three at once. With four, registers run out; to spare them, all write to one array of
    letters, each behind the place at which its count begins.
    """
    at, stop, state = lane[POSITION], lane[STOP], lane[STATE]
    cells, rows, start = lane[CELLS], lane[ROWS], lane[ROW_START]
    state_2, cells_2, rows_2 = lane_2[STATE], lane_2[CELLS], lane_2[ROWS]
    state_3, cells_3, rows_3 = lane_3[STATE], lane_3[CELLS], lane_3[ROWS]
    start_2, start_3 = lane_2[ROW_START], lane_3[ROW_START]
    ahead_2, ahead_3 = lane_2[POSITION] - at, lane_3[POSITION] - at
    stop = min(stop, lane_2[STOP] - ahead_2, lane_3[STOP] - ahead_3)
    while at < stop:
        entry = table[state + classes[buffer[at]]]
        entry_2 = table[state_2 + classes[buffer[at + ahead_2]]]
        entry_3 = table[state_3 + classes[buffer[at + ahead_3]]]
        if (entry | entry_2 | entry_3) & BRANCH:
            if (entry | entry_2 | entry_3) & RARE:
                break
            if entry & ROW:
                row_cells[rows] = cells + ONE
                row_starts[rows] = start
                rows += ONE
                start = at + ONE - ((entry >> BEFORE_SHIFT) & ONE)
            if entry_2 & ROW:
                row_cells_2[rows_2] = cells_2 + ONE
                row_starts_2[rows_2] = start_2
                rows_2 += ONE
                start_2 = at + ahead_2 + ONE - ((entry_2 >> BEFORE_SHIFT) & ONE)
            if entry_3 & ROW:
                row_cells_3[rows_3] = cells_3 + ONE
                row_starts_3[rows_3] = start_3
                rows_3 += ONE
                start_3 = at + ahead_3 + ONE - ((entry_3 >> BEFORE_SHIFT) & ONE)
        at += ONE
        state = entry & NEXT
        state_2 = entry_2 & NEXT
        state_3 = entry_3 & NEXT
        letters[cells] = entry >> LETTER_SHIFT
        letters[cells_2] = entry_2 >> LETTER_SHIFT
        letters[cells_3] = entry_3 >> LETTER_SHIFT
        cells += (entry >> CELL_SHIFT) & ONE
        cells_2 += (entry_2 >> CELL_SHIFT) & ONE
        cells_3 += (entry_3 >> CELL_SHIFT) & ONE
    lane[POSITION], lane[STATE] = at, state
    lane[CELLS], lane[ROWS], lane[ROW_START] = cells, rows, start
    lane_2[POSITION], lane_2[STATE] = at + ahead_2, state_2
    lane_2[CELLS], lane_2[ROWS], lane_2[ROW_START] = cells_2, rows_2, start_2
    lane_3[POSITION], lane_3[STATE] = at + ahead_3, state_3
    lane_3[CELLS], lane_3[ROWS], lane_3[ROW_START] = cells_3, rows_3, start_3


def scan_pairs(
    buffer,
    halves,
    table,
    classes,
    backlogs,
    pairs,
    pair_classes,
    pair_count,
    states,
    pair_rows,
    class_count,
    letters,
    lane,
    row_cells,
    row_starts,
    lane_2,
    row_cells_2,
    row_starts_2,
    lane_3,
    row_cells_3,
    row_starts_3,
):
    """Like `scan_three`, two bytes at a time: all lanes are at even positions, and stay there.

    What the table of pairs does not have is done by `scan`. Stops where one lane is at its end, or
    where `scan` misses an entry.

    | array | holds |
    |---|---|
    | halves | the bytes, as numbers of two |
    | pairs | entries by offset + class of two bytes; see the module's text |
    | pair_classes | two bytes -> class, `pair_count` in all |
    | states | row of the table of pairs -> state offset |
    | pair_rows | state offset / class_count -> row; 0 for none |
    """
    slow = 0
    while True:
        at = lane[POSITION] >> ONE
        ahead_2 = (lane_2[POSITION] >> ONE) - at
        ahead_3 = (lane_3[POSITION] >> ONE) - at
        stop = min(
            lane[STOP] >> ONE, (lane_2[STOP] >> ONE) - ahead_2, (lane_3[STOP] >> ONE) - ahead_3
        )
        row = row_of_pairs(lane, pair_rows, class_count)
        row_2 = row_of_pairs(lane_2, pair_rows, class_count)
        row_3 = row_of_pairs(lane_3, pair_rows, class_count)
        if row and row_2 and row_3:
            state, state_2, state_3 = row * pair_count, row_2 * pair_count, row_3 * pair_count
            cells, cells_2, cells_3 = lane[CELLS], lane_2[CELLS], lane_3[CELLS]
            rows, rows_2, rows_3 = lane[ROWS], lane_2[ROWS], lane_3[ROWS]
            start, start_2, start_3 = lane[ROW_START], lane_2[ROW_START], lane_3[ROW_START]
            while True:
                entry = entry_2 = entry_3 = NONE
                while at < stop:
                    entry = pairs[state + pair_classes[halves[at]]]
                    entry_2 = pairs[state_2 + pair_classes[halves[at + ahead_2]]]
                    entry_3 = pairs[state_3 + pair_classes[halves[at + ahead_3]]]
                    if (entry | entry_2 | entry_3) & BRANCH:
                        break
                    at += ONE
                    state = entry & NEXT
                    state_2 = entry_2 & NEXT
                    state_3 = entry_3 & NEXT
                    letters[cells] = entry >> LETTER_SHIFT
                    letters[cells_2] = entry_2 >> LETTER_SHIFT
                    letters[cells_3] = entry_3 >> LETTER_SHIFT
                    cells += (entry >> CELL_SHIFT) & ONE
                    cells_2 += (entry_2 >> CELL_SHIFT) & ONE
                    cells_3 += (entry_3 >> CELL_SHIFT) & ONE
                if at >= stop or (entry | entry_2 | entry_3) & SLOW:
                    break
                if entry & (ROW | COMMENT):
                    first = ONE if entry & FIRST else NONE
                    if entry & ROW:
                        two = ONE if entry & TWO else NONE
                        row_cells[rows] = cells + ONE + (two & ~first)
                        row_starts[rows] = start
                        rows += ONE
                    before = first + ((entry >> BEFORE_SHIFT) & ONE)
                    start = at + at + ONE + ONE - before
                if entry_2 & (ROW | COMMENT):
                    first = ONE if entry_2 & FIRST else NONE
                    if entry_2 & ROW:
                        two = ONE if entry_2 & TWO else NONE
                        row_cells_2[rows_2] = cells_2 + ONE + (two & ~first)
                        row_starts_2[rows_2] = start_2
                        rows_2 += ONE
                    before = first + ((entry_2 >> BEFORE_SHIFT) & ONE)
                    start_2 = at + at + ahead_2 + ahead_2 + ONE + ONE - before
                if entry_3 & (ROW | COMMENT):
                    first = ONE if entry_3 & FIRST else NONE
                    if entry_3 & ROW:
                        two = ONE if entry_3 & TWO else NONE
                        row_cells_3[rows_3] = cells_3 + ONE + (two & ~first)
                        row_starts_3[rows_3] = start_3
                        rows_3 += ONE
                    before = first + ((entry_3 >> BEFORE_SHIFT) & ONE)
                    start_3 = at + at + ahead_3 + ahead_3 + ONE + ONE - before
                at += ONE
                state = entry & NEXT
                state_2 = entry_2 & NEXT
                state_3 = entry_3 & NEXT
                if (entry | entry_2 | entry_3) & TWO:
                    if entry & TWO:
                        letters[cells] = (entry >> LETTER_SHIFT) & HALF
                        cells += ONE
                        entry = (entry & LOW) | (entry >> HALF_SHIFT << LETTER_SHIFT)
                    if entry_2 & TWO:
                        letters[cells_2] = (entry_2 >> LETTER_SHIFT) & HALF
                        cells_2 += ONE
                        entry_2 = (entry_2 & LOW) | (entry_2 >> HALF_SHIFT << LETTER_SHIFT)
                    if entry_3 & TWO:
                        letters[cells_3] = (entry_3 >> LETTER_SHIFT) & HALF
                        cells_3 += ONE
                        entry_3 = (entry_3 & LOW) | (entry_3 >> HALF_SHIFT << LETTER_SHIFT)
                letters[cells] = entry >> LETTER_SHIFT
                letters[cells_2] = entry_2 >> LETTER_SHIFT
                letters[cells_3] = entry_3 >> LETTER_SHIFT
                cells += (entry >> CELL_SHIFT) & ONE
                cells_2 += (entry_2 >> CELL_SHIFT) & ONE
                cells_3 += (entry_3 >> CELL_SHIFT) & ONE
            lane[POSITION], lane[STATE] = at + at, states[state // pair_count]
            lane[CELLS], lane[ROWS], lane[ROW_START] = cells, rows, start
            at_2, at_3 = at + ahead_2, at + ahead_3
            lane_2[POSITION], lane_2[STATE] = at_2 + at_2, states[state_2 // pair_count]
            lane_2[CELLS], lane_2[ROWS], lane_2[ROW_START] = cells_2, rows_2, start_2
            lane_3[POSITION], lane_3[STATE] = at_3 + at_3, states[state_3 // pair_count]
            lane_3[CELLS], lane_3[ROWS], lane_3[ROW_START] = cells_3, rows_3, start_3
        if at >= stop:
            return slow
        slow += 1
        if (
            scan_two(buffer, table, classes, backlogs, lane, letters, row_cells, row_starts)
            or scan_two(
                buffer, table, classes, backlogs, lane_2, letters, row_cells_2, row_starts_2
            )
            or scan_two(
                buffer, table, classes, backlogs, lane_3, letters, row_cells_3, row_starts_3
            )
        ):
            return slow


def row_of_pairs(lane, pair_rows, class_count):
    """The row of a lane's state in the table of pairs; 0 if the table does not know it."""
    number = lane[STATE] // class_count
    return pair_rows[number] if number < INDEX(len(pair_rows)) else NONE


def scan_two(buffer, table, classes, backlogs, lane, letters, row_cells, row_starts):
    """Scan two bytes of a lane."""
    stop = lane[STOP]
    lane[STOP] = lane[POSITION] + ONE + ONE
    status = scan(buffer, table, classes, backlogs, lane, letters, row_cells, row_starts)
    lane[STOP] = stop
    return status


def count_visits(buffer, table, classes, class_count, state, begin, end, visits):
    """Count how often each state is met over some bytes, as far as the table goes."""
    for at in range(begin, end):
        visits[state // class_count] += 1
        entry = table[state + classes[buffer[INDEX(at)]]]
        if entry & (MISS | STAY):
            break
        state = entry & NEXT


def compose_pairs(table, examples, states, pair_rows, class_count, pairs):
    """Fill the table of pairs: a row for each of some states, the first row for none.

    | array | holds |
    |---|---|
    | examples | class of bytes that those states do not tell apart -> a class of the table |
    | states, pair_rows | see `scan_pairs` |
    """
    count = len(examples)
    for row in range(1, len(states)):
        for first in range(count):
            entry = table[states[row] + examples[first]]
            for second in range(count):
                at = (row * count + first) * count + second
                pairs[at] = BRANCH | SLOW | INDEX(row * count * count)
                if entry & WAITS or not pair_rows[(entry & NEXT) // class_count]:
                    continue
                entry_2 = table[(entry & NEXT) + examples[second]]
                target = pair_rows[(entry_2 & NEXT) // class_count]
                if entry_2 & WAITS or entry & entry_2 & ROW or not target:
                    continue
                if (entry | entry_2) & LINE and (entry | entry_2) & CELL:
                    continue
                pair = INDEX(target) * INDEX(count * count)
                letter, letter_2 = entry >> LETTER_SHIFT, entry_2 >> LETTER_SHIFT
                pair |= (entry | entry_2) & (CELL | BRANCH | ROW | BEFORE)
                if entry & (ROW | LINE):
                    pair |= FIRST
                if (entry | entry_2) & LINE:
                    pair |= COMMENT
                if not entry & CELL:
                    pair |= letter_2 << LETTER_SHIFT
                elif not entry_2 & CELL:
                    pair |= letter << LETTER_SHIFT
                elif letter <= HALF and letter_2 <= HALF:
                    pair |= TWO | BRANCH | (letter << LETTER_SHIFT) | (letter_2 << HALF_SHIFT)
                else:
                    continue
                pairs[at] = pair


# Where a walk through a table stands: the fields of `walk`'s registers.
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
    W_STORED,  # records
    W_LIMIT,  # how many records of violations to keep
    W_LAST_ROW,  # of the last record
    W_LAST_COLUMN,
    W_SKIPS,  # leave blank rows out
    W_KEEPS,  # every find must be recorded: stop before the records are full
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
    W_MARKS,  # 1 + the rows before those whose cells are marked; 0 if finds are recorded
) = range(31)
WALK_SIZE = 31

NOT_BEGUN = -1
PADDING = 0
"""The letter of a padded cell."""
ENDLESS = 1 << 60
"""The end of the last run of a vector: it goes on for ever."""

# The fields of a record.
R_ROW, R_COLUMN, R_FIND, R_ENTRY, R_START, R_FIRST_ROW, R_FIRST_COLUMN = range(7)
RECORD_SIZE = 7

WALKED = 0
MISS_CELL = 1
MISS_START = 2
MISS_END = 3
NEED_RUNS = 4
NEED_WIDTH = 5
NEED_RECORDS = 6

ONCE_A_ROW, EACH, UNIQUE, UNIQUE_IN_ROW, SELECTED, IGNORED = range(6)
MAX_FINDS = 64
"""Room that is kept in the records for what one cell may add."""


def find_entry(keys, entries, left, above, letter):
    """The entry of a cell's step, -1 if there is none; `keys` is a hash table."""
    key = (left << 40) | (above << 20) | letter
    mask = len(keys) - 1
    at = (left * 1000003 + above * 8191 + letter * 131) & mask
    while keys[at] != key:
        if keys[at] < 0:
            return -1
        at = (at + 1) & mask
    return entries[at]


def insert_entry(keys, entries, key, entry):
    """Put an entry into the hash table, which must have room."""
    mask = len(keys) - 1
    left, above, letter = key >> 40, (key >> 20) & 0xFFFFF, key & 0xFFFFF
    at = (left * 1000003 + above * 8191 + letter * 131) & mask
    while keys[at] >= 0:
        at = (at + 1) & mask
    entries[at] = entry
    keys[at] = key


def insert_all(keys, entries, entry_keys, count):
    """Put the first entries into an empty hash table, in order."""
    for entry in range(count):
        insert_entry(keys, entries, entry_keys[entry], entry)


def find_state(state_keys, state_values, column, left):
    """The steady state of a column and what comes from the left; 0 if there is none."""
    key = (left << 32) | column
    mask = len(state_keys) - 1
    at = (left * 1000003 + column * 8191) & mask
    while state_keys[at] != key:
        if state_keys[at] < 0:
            return 0
        at = (at + 1) & mask
    return state_values[at]


def add_state(state_keys, state_values, state_slots, state_lefts, regs, column, left):
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


def forget_states(nexts, state_keys, state_slots, state_ends, regs):
    """Forget all steady states: the vector has changed."""
    for state in range(1, regs[W_STATES]):
        state_keys[state_slots[state]] = -1
        state_ends[state] = -1
    for at in range(regs[W_STATES] << regs[W_SHIFT]):
        nexts[at] = 0
    regs[W_STATES] = 1


def blank_tail(letters, row_cells, rows, cells, blanks):
    """How many rows at the end of a block are blank; none if a further row has begun."""
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


def widest(row_cells, rows, cells):
    """The most cells of a row in a block; the row that has not ended counts as far as it goes."""
    found = 0
    before = 0
    for row in range(rows):
        found = max(found, row_cells[row] - before)
        before = row_cells[row]
    return max(found, cells - before)


def class_of_row(named_rows, number):
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


def count_bytes(buffer, byte):
    """How often a byte occurs."""
    found = 0
    for at in range(len(buffer)):
        found += buffer[at] == byte
    return found


def set_first(firsts, find, row, column, start):
    """Remember the first place of a find."""
    firsts[3 * find], firsts[3 * find + 1], firsts[3 * find + 2] = row, column, start


def lacks_room(regs, records, find_kinds):
    """Might the records be full before all that one place can add is recorded?"""
    return len(records) < (regs[W_STORED] + len(find_kinds)) * RECORD_SIZE


def is_silent(event, event_first, event_finds, find_kinds):
    """Is nothing to be done about an event?"""
    for at in range(event_first[event], event_first[event + 1]):
        if find_kinds[event_finds[at]] != IGNORED:
            return False
    return True


def report(
    event,
    event_first,
    event_finds,
    find_kinds,
    last_rows,
    firsts,
    regs,
    records,
    column,
    entry,
    start,
):
    """Count what is found at a cell, or at the end of a row (column 0), and record the first.

    Where cells are marked instead, `records` has a number for each cell of the block: its event.
    """
    row = regs[W_ROW] + 1
    if regs[W_MARKS] > 0:
        if column > 0:
            records[(row - regs[W_MARKS]) * regs[W_WIDTH] + column - 1] = event
        return
    for at in range(event_first[event], event_first[event + 1]):
        find = event_finds[at]
        kind = find_kinds[find]
        first_row, first_column = 0, 0
        if kind == IGNORED:
            continue
        if kind == ONCE_A_ROW:
            if last_rows[find] == row:
                continue
            last_rows[find] = row
        elif kind == UNIQUE:
            first_row, first_column = firsts[3 * find], firsts[3 * find + 1]
            if first_row == 0:
                set_first(firsts, find, row, column, start)
                continue
        elif kind == UNIQUE_IN_ROW:
            first_row, first_column = firsts[3 * find], firsts[3 * find + 1]
            if first_row != row:
                set_first(firsts, find, row, column, start)
                continue
        stored = regs[W_STORED]
        if kind == SELECTED:
            wanted = True
        else:
            regs[W_COUNT] += 1
            is_same = row == regs[W_LAST_ROW] and column == regs[W_LAST_COLUMN]
            wanted = stored < regs[W_LIMIT] or is_same
        if wanted and (stored + 1) * RECORD_SIZE <= len(records):
            record = stored * RECORD_SIZE
            records[record + R_ROW] = row
            records[record + R_COLUMN] = column
            records[record + R_FIND] = find
            records[record + R_ENTRY] = entry
            records[record + R_START] = start
            records[record + R_FIRST_ROW] = first_row
            records[record + R_FIRST_COLUMN] = first_column
            regs[W_STORED] = stored + 1
            regs[W_LAST_ROW] = row
            regs[W_LAST_COLUMN] = column


def walk(
    letters,
    row_cells,
    row_starts,
    rows_ready,
    cells_ready,
    keys,
    entries,
    rights,
    belows,
    flags,
    used,
    starts,
    end_events,
    end_carries,
    named_rows,
    classes_count,
    event_first,
    event_finds,
    find_kinds,
    last_rows,
    firsts,
    ends_a,
    ids_a,
    ends_b,
    ids_b,
    blanks,
    nexts,
    events,
    shorts,
    state_keys,
    state_values,
    state_slots,
    state_lefts,
    state_ends,
    regs,
    records,
):
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
    | end_events, end_carries | by left: what the end of the row finds and hands on |
    | named_rows | the numbers of rows that selectors name, in order; 0 if there are none |
    | event_first, event_finds | event -> its finds |
    | find_kinds | find -> kind |
    | last_rows, firsts | by find: the last row with one; row, column, row start of the first |
    | ends_a, ids_a, ends_b, ids_b | two vectors: runs of equal columns (end, what comes down) |
    | blanks | letter -> would it be a blank row? |
    | nexts | (steady state << W_SHIFT) + short letter -> the next, shifted too; 0 not known;
    |  | -1 - entry where something is found |
    | events | where cells are marked, the event of each entry of `nexts` |
    | shorts | letter -> short number; 0 for none |
    | state_keys, state_values, state_slots | hash table: (column, left) -> steady state |
    | state_lefts, state_ends | by steady state: left; what is left after padding, if it can end |
    | regs | the registers W_... |
    | records | out: what was found, RECORD_SIZE numbers each |
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
                state = find_state(state_keys, state_values, 0, left)
                if state == 0:
                    state = add_state(
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
                        records[INDEX(cell)] = events[INDEX(at)]
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
                report(
                    flags[entry] >> 1,
                    event_first,
                    event_finds,
                    find_kinds,
                    last_rows,
                    firsts,
                    regs,
                    records,
                    cell - begun + 1,
                    entry,
                    start,
                )
                cell += 1
                offset = find_state(state_keys, state_values, cell - begun, rights[entry]) << shift
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
                    report(
                        end_events[last],
                        event_first,
                        event_finds,
                        find_kinds,
                        last_rows,
                        firsts,
                        regs,
                        records,
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
            entry = find_entry(keys, entries, left, above, letter)
            if entry < 0:
                regs[W_MISS_A], regs[W_MISS_B], regs[W_MISS_C] = left, above, letter
                status = MISS_CELL
                break
            if out >= limit:
                status = NEED_RUNS
                break
            flag = flags[entry]
            if flag > 1:
                if regs[W_KEEPS] and lacks_room(regs, records, find_kinds):
                    status = NEED_RECORDS
                    break
                report(
                    flag >> 1,
                    event_first,
                    event_finds,
                    find_kinds,
                    last_rows,
                    firsts,
                    regs,
                    records,
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
                    following = find_state(state_keys, state_values, column, left)
                    if following == 0:
                        following = add_state(
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
                            elif not is_silent(flag >> 1, event_first, event_finds, find_kinds):
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
                entry = find_entry(keys, entries, left, above, PADDING)
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
                    if regs[W_KEEPS] and lacks_room(regs, records, find_kinds):
                        status = NEED_RECORDS
                        break
                    report(
                        flag >> 1,
                        event_first,
                        event_finds,
                        find_kinds,
                        last_rows,
                        firsts,
                        regs,
                        records,
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
                    entry = find_entry(keys, entries, left, below, PADDING)
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
            elif end_events[left] and regs[W_KEEPS] and lacks_room(regs, records, find_kinds):
                status = NEED_RECORDS
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
                    forget_states(nexts, state_keys, state_slots, state_ends, regs)
            if end_events[left]:
                event = end_events[left]
                report(
                    event,
                    event_first,
                    event_finds,
                    find_kinds,
                    last_rows,
                    firsts,
                    regs,
                    records,
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


EDGE_FREE = 4
EDGE_TEST = 5
"""Edges of a path: 0 to 3 move up, down, left, right; 4 is free; the rest are tests."""
WORD = 62
"""States per number of a set: all bits but the sign."""
GOES_DOWN = 1
GOES_UP = 2


def reach(
    letters,
    rows,
    height,
    width,
    origins,
    tests,
    tests_count,
    edges_first,
    edges,
    start,
    final,
    words,
    from_above,
    from_below,
    has_above,
    has_below,
    visited,
    expanded,
    stack,
    truths,
    goes_down,
    goes_up,
):
    """Which cells of a strip a path reaches: a search over (cell, state), each expanded once.

    The strip has `rows` rows of its own, and further ones up to `height`, which are looked at.
    Walks come in over its edges and leave over them. Returned is which ways they leave.

    | array | holds |
    |---|---|
    | letters | the letter of each cell, row by row, padding included |
    | origins | letter -> does the path start there? |
    | tests | letter * tests_count + test -> does it hold? |
    | edges_first, edges | state -> its edges, two numbers each: kind, target |
    | from_above, from_below | sets of states that come into the first and the last row, by column |
    | visited, expanded | `words` numbers a cell: sets of states |
    | stack | room for cells that must be looked at again; if it is full they wait for a new sweep |
    | truths | out: is the final state reached? |
    | goes_down, goes_up | out: sets of states that leave the last row of its own, and the first |
    """
    cells = height * width
    cut = rows * width
    crossings = 0
    if has_above:
        for at in range(width * words):
            visited[at] |= from_above[at]
    if has_below:
        for at in range(width * words):
            visited[(cells - width) * words + at] |= from_below[at]
    for cell in range(cells):
        if origins[letters[cell]]:
            visited[cell * words + start // WORD] |= 1 << (start % WORD)
    is_pending = True
    while is_pending:
        is_pending = False
        for sweep in range(cells):
            stack[0] = sweep
            top = 1
            while top > 0:
                top -= 1
                cell = stack[top]
                column = cell % width
                is_changed = True
                while is_changed:
                    is_changed = False
                    for word in range(words):
                        at = cell * words + word
                        new = visited[at] & ~expanded[at]
                        if new == 0:
                            continue
                        is_changed = True
                        expanded[at] |= new
                        bit = 0
                        while new:
                            if new & 1:
                                state = word * WORD + bit
                                for edge in range(edges_first[state], edges_first[state + 1], 2):
                                    kind, target = edges[edge], edges[edge + 1]
                                    other = cell
                                    if kind == 0:
                                        other = cell - width
                                        if other < 0:
                                            to = column * words + target // WORD
                                            goes_up[to] |= 1 << (target % WORD)
                                            crossings |= GOES_UP
                                    elif kind == 1:
                                        other = cell + width
                                        if cut <= other < cut + width:
                                            to = column * words + target // WORD
                                            goes_down[to] |= 1 << (target % WORD)
                                            crossings |= GOES_DOWN
                                    elif kind == 2:
                                        other = cell - 1 if column > 0 else -1
                                    elif kind == 3:
                                        other = cell + 1 if column < width - 1 else -1
                                    elif kind >= EDGE_TEST:
                                        test = letters[cell] * tests_count + kind - EDGE_TEST
                                        if not tests[test]:
                                            continue
                                    if other < 0 or other >= cells:
                                        continue
                                    to = other * words + target // WORD
                                    flag = 1 << (target % WORD)
                                    if visited[to] & flag:
                                        continue
                                    visited[to] |= flag
                                    # A cell further on is met by the sweep itself.
                                    if other < sweep or (other == sweep and cell != sweep):
                                        if top < len(stack):
                                            stack[top] = other
                                            top += 1
                                        else:
                                            is_pending = True
                            new >>= 1
                            bit += 1
    for cell in range(cells):
        truths[cell] = (visited[cell * words + final // WORD] >> (final % WORD)) & 1
    return crossings


def relabel(letters, truths, mapping, begin, cells):
    """Replace letters by what `mapping` says of (letter, truth); where it says nothing, stop."""
    for cell in range(begin, cells):
        new = mapping[2 * letters[cell] + truths[cell]]
        if new < 0:
            return cell
        letters[cell] = new
    return cells


def pad_rows(
    letters, row_cells, row_starts, first, last, base, blanks, skips, width, out, starts, row
):
    """Copy rows to a table of a fixed width, from a row of it on; the number of rows there then.

    | array | holds |
    |---|---|
    | letters, row_cells, row_starts | what `scan` wrote; starts count from `base` |
    | out, starts | the letters of the table, and where each row begins in the file |
    """
    before = row_cells[first - 1] if first > 0 else 0
    for ix in range(first, last):
        count = row_cells[ix] - before
        if not (skips and count == 1 and blanks[letters[before]]):
            for column in range(width):
                at = row * width + column
                out[at] = letters[before + column] if column < count else PADDING
            starts[row] = row_starts[ix] + base
            row += 1
        before = row_cells[ix]
    return row


def count_rows(letters, row_cells, first, last, blanks, skips):
    """How many of some rows `pad_rows` would copy."""
    if not skips:
        return last - first
    before = row_cells[first - 1] if first > 0 else 0
    found = 0
    for ix in range(first, last):
        if row_cells[ix] - before != 1 or not blanks[letters[before]]:
            found += 1
        before = row_cells[ix]
    return found
