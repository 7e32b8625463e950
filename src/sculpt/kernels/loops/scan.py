"""Bytes to letters: the kernels of the scanner.

A table entry of the scanner (64 bits, unsigned: an index that cannot be negative needs no check):

    bits  0-31   the next state, times the number of byte classes
    bit   32     a cell ends
    bit   33     a branch is needed: one of the bits 34 to 38 is set
    bit   34     a row ends
    bit   35     a line ends that is not a row
    bit   36     the byte is not consumed: the state has a backlog
    bit   37     not computed yet; the next state is the state itself
    bit   38     the next state has a backlog
    bit   39     the row ended before the byte, which begins the next one
    bits 40-63   the letter of the cell that ends

An entry of the table of pairs is for two bytes, and differs as follows: at most one cell ends, with
its letter, unless bit 36 is set; bits 0-31 are an offset in the table of pairs; and

    bit   35     the row, or the line, ends with the first of the two bytes
    bit   36     two cells end: letters in bits 40-51 and 52-63
    bit   37     take the bytes one by one
    bit   38     a line ends that is not a row

The constants in `UNSIGNED` have the type of the entries in the compiled form.
"""

from __future__ import annotations

from sculpt.kernels.loops.types import INDEX, Bytes, Halves, Index, Numbers, Small, Unsigned

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
EIGHT = 8

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
    "EIGHT",
    "BEGUN_SHIFT",
    "ENDED_SHIFT",
    "TEXT_SHIFT",
    "OPENED_SHIFT",
    "NOTE",
)

# The state of a lane of the scanner: the fields of `lane`.
POSITION, STOP, STATE, CELLS, ROWS, ROW_START, MAX_ROWS, CELL_BEGIN, CELL_END = range(9)

# The fields of a note of `scan_texts`: each is 0 for none, or 1 + the distance in bytes back from
# the position.
BEGUN_SHIFT, ENDED_SHIFT, TEXT_SHIFT, OPENED_SHIFT = 0, 10, 20, 30
NOTE = (1 << 10) - 1
USUAL_NOTE = (1 << BEGUN_SHIFT) | (2 << TEXT_SHIFT)
"""The text of a cell ends before the last byte, and that of the next begins after it."""

SCANNED = 0
MISSING = 1
NO_LIMIT = 1 << 40


def scan(
    buffer: Bytes,
    table: Unsigned,
    classes: Unsigned,
    backlogs: Unsigned,
    lane: Unsigned,
    letters: Small,
    row_cells: Numbers,
    row_starts: Numbers,
) -> int:
    """Run the scanner over bytes, up to `lane[STOP]` or to a table entry that is missing.

    It also stops when `lane[MAX_ROWS]` rows have ended.

    | array | holds |
    |---|---|
    | buffer | the bytes |
    | table | entries by state offset + class of the byte; see the module's docstring |
    | classes | byte -> class |
    | backlogs | state offset -> number of bytes in the state's backlog |
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


def scan_texts(
    buffer: Bytes,
    table: Unsigned,
    classes: Unsigned,
    backlogs: Unsigned,
    notes: Unsigned,
    base: Index,
    lane: Unsigned,
    letters: Small,
    row_cells: Numbers,
    row_starts: Numbers,
    places: Numbers,
) -> int:
    """Like `scan`, but also record where the text of each cell is, from the notes of the steps.

    | array | holds |
    |---|---|
    | notes | by entry of `table`: where a text ends and the next begins; 0 as most cells have it |
    | base | where the buffer begins in the file |
    | places | out: for each cell, where its text begins and ends in the file |
    """
    at, stop, state = lane[POSITION], lane[STOP], lane[STATE]
    cells, rows, start = lane[CELLS], lane[ROWS], lane[ROW_START]
    end = lane[CELL_END]
    max_rows = lane[MAX_ROWS]
    places[cells + cells] = lane[CELL_BEGIN] + base
    status = SCANNED
    while at < stop:
        place = state + classes[buffer[at]]
        entry = table[place]
        state = entry & NEXT
        letters[cells] = entry >> LETTER_SHIFT
        # If a cell ends here, and no note says otherwise: its text ends before this byte, and that
        # of the next cell begins after it.
        places[cells + cells + ONE] = at + base
        at += ONE
        places[cells + cells + ONE + ONE] = at + base
        cells += (entry >> CELL_SHIFT) & ONE
        if entry & BRANCH:
            if entry & (MISS | STAY):
                at -= ONE
                if entry & MISS:
                    status = MISSING
                    break
            note = notes[place]
            if note:
                if entry & CELL:
                    if (note >> OPENED_SHIFT) & NOTE:
                        begin = at + ONE - ((note >> OPENED_SHIFT) & NOTE)
                        places[cells + cells - ONE - ONE] = begin + base
                    if (note >> TEXT_SHIFT) & NOTE:
                        end = at + ONE - ((note >> TEXT_SHIFT) & NOTE)
                    places[cells + cells - ONE] = end + base
                if (note >> BEGUN_SHIFT) & NOTE:
                    places[cells + cells] = at + ONE - ((note >> BEGUN_SHIFT) & NOTE) + base
                if (note >> ENDED_SHIFT) & NOTE:
                    end = at + ONE - ((note >> ENDED_SHIFT) & NOTE)
            if entry & (ROW | LINE):
                if entry & ROW:
                    row_cells[rows] = cells
                    row_starts[rows] = start
                    rows += ONE
                start = at - ((entry >> BEFORE_SHIFT) & ONE)
                if entry & BACKLOG:
                    start -= backlogs[state]
                if entry & ROW and rows == max_rows:
                    break
    lane[POSITION], lane[STATE] = at, state
    lane[CELLS], lane[ROWS], lane[ROW_START] = cells, rows, start
    lane[CELL_BEGIN], lane[CELL_END] = INDEX(places[cells + cells]) - base, end
    return status


def scan_three(
    buffer: Bytes,
    table: Unsigned,
    classes: Unsigned,
    letters: Small,
    lane: Unsigned,
    row_cells: Numbers,
    row_starts: Numbers,
    lane_2: Unsigned,
    row_cells_2: Numbers,
    row_starts_2: Numbers,
    lane_3: Unsigned,
    row_cells_3: Numbers,
    row_starts_3: Numbers,
) -> None:
    """Run the scanner over three lanes in turn, one byte each, until one of them needs `scan`.

    A step depends only on the previous step of its lane, so the processor runs the three chains in
    parallel. With four, it runs out of registers; to save some, all lanes write to one array of
    letters, each from where its count of cells begins.
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
    buffer: Bytes,
    table: Unsigned,
    classes: Unsigned,
    backlogs: Unsigned,
    pairs: Unsigned,
    pair_classes: Halves,
    pair_count: Index,
    states: Unsigned,
    pair_rows: Unsigned,
    class_count: Index,
    letters: Small,
    lane: Unsigned,
    row_cells: Numbers,
    row_starts: Numbers,
    lane_2: Unsigned,
    row_cells_2: Numbers,
    row_starts_2: Numbers,
    lane_3: Unsigned,
    row_cells_3: Numbers,
    row_starts_3: Numbers,
) -> int:
    """Like `scan_three`, but two bytes at a time: all lanes stay at even positions.

    Pairs that are not in the table of pairs are left to `scan`. Stops when a lane reaches its end,
    or when `scan` misses an entry. Returns how many times `scan` was needed.

    | array | holds |
    |---|---|
    | pairs | entries by offset + class of two bytes; see the module's docstring |
    | pair_classes | two bytes -> class; there are `pair_count` classes |
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
        row = _row_of_pairs(lane, pair_rows, class_count)
        row_2 = _row_of_pairs(lane_2, pair_rows, class_count)
        row_3 = _row_of_pairs(lane_3, pair_rows, class_count)
        if row and row_2 and row_3:
            state, state_2, state_3 = row * pair_count, row_2 * pair_count, row_3 * pair_count
            cells, cells_2, cells_3 = lane[CELLS], lane_2[CELLS], lane_3[CELLS]
            rows, rows_2, rows_3 = lane[ROWS], lane_2[ROWS], lane_3[ROWS]
            start, start_2, start_3 = lane[ROW_START], lane_2[ROW_START], lane_3[ROW_START]
            while True:
                entry = entry_2 = entry_3 = NONE
                while at < stop:
                    entry = pairs[state + pair_classes[_two(buffer, at)]]
                    entry_2 = pairs[state_2 + pair_classes[_two(buffer, at + ahead_2)]]
                    entry_3 = pairs[state_3 + pair_classes[_two(buffer, at + ahead_3)]]
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
            _scan_two(buffer, table, classes, backlogs, lane, letters, row_cells, row_starts)
            or _scan_two(
                buffer, table, classes, backlogs, lane_2, letters, row_cells_2, row_starts_2
            )
            or _scan_two(
                buffer, table, classes, backlogs, lane_3, letters, row_cells_3, row_starts_3
            )
        ):
            return slow


def _two(buffer: Bytes, at: Index) -> Index:
    """Two bytes as one number; compilers load both at once."""
    return INDEX(buffer[at + at]) | (INDEX(buffer[at + at + ONE]) << EIGHT)


def _row_of_pairs(lane: Unsigned, pair_rows: Unsigned, class_count: Index) -> Index:
    """The row of a lane's state in the table of pairs; 0 if it is not in the table."""
    number = lane[STATE] // class_count
    return pair_rows[number] if number < INDEX(len(pair_rows)) else NONE


def _scan_two(
    buffer: Bytes,
    table: Unsigned,
    classes: Unsigned,
    backlogs: Unsigned,
    lane: Unsigned,
    letters: Small,
    row_cells: Numbers,
    row_starts: Numbers,
) -> int:
    """Scan two bytes of a lane."""
    stop = lane[STOP]
    lane[STOP] = lane[POSITION] + ONE + ONE
    status = scan(buffer, table, classes, backlogs, lane, letters, row_cells, row_starts)
    lane[STOP] = stop
    return status


def count_visits(
    buffer: Bytes,
    table: Unsigned,
    classes: Unsigned,
    class_count: Index,
    state: Index,
    begin: int,
    end: int,
    visits: Numbers,
) -> None:
    """Count the visits to each state over some bytes, as far as the table is computed."""
    for at in range(begin, end):
        visits[state // class_count] += 1
        entry = table[state + classes[buffer[INDEX(at)]]]
        if entry & (MISS | STAY):
            break
        state = entry & NEXT


def compose_pairs(
    table: Unsigned,
    examples: Unsigned,
    states: Unsigned,
    pair_rows: Unsigned,
    class_count: Index,
    pairs: Unsigned,
) -> None:
    """Fill the table of pairs: one row per state; the first row is unused.

    | array | holds |
    |---|---|
    | examples | class of bytes that these states do not distinguish -> a class of the table |
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


def count_bytes(buffer: Bytes, byte: int) -> int:
    """How many times a byte occurs."""
    found = 0
    for at in range(len(buffer)):
        found += buffer[at] == byte
    return found
