"""The kernels of extraction: where cells stand, what they say, what they lead to.

Like `kernels`, these are plain functions on arrays that run as they stand or compiled. Each works
on one strip of rows. A cell's number is `row * width + column`, from 0.
"""

COMPILED = (
    "is_line_end",
    "is_blank",
    "delimiter_end",
    "split_cells",
    "split_fixed",
    "gather_texts",
    "parse_numbers",
    "nearest_beside",
    "number_cells",
    "joined_sources",
    "follow",
)
"""The functions, each after those that it calls."""

LINE_FEED, RETURN, BLANK, TAB = 10, 13, 32, 9
PLUS, MINUS, POINT, ZERO = 43, 45, 46, 48

# What `split_cells` says of a cell.
PLAIN, QUOTED, DOUBLED, ABSENT, ODD = range(5)

# What `parse_numbers` says of a text.
IS_NUMBER, IS_LARGE, NO_NUMBER = range(3)
MAX_DIGITS = 18
LARGEST = (1 << 63) - 1
PART = 30
PART_MASK = (1 << PART) - 1
HALF = 60
HALF_MASK = (1 << HALF) - 1

# The edges of a path: 0 to 3 move up, down, left, right; 4 is free; the rest are tests.
UP, DOWN, LEFT, RIGHT, FREE, TEST = range(6)
NOWHERE = -1


def is_line_end(buffer, at, needs_feed):
    """Does the row end here? `needs_feed`: only LF and CR LF end rows."""
    byte = buffer[at]
    if byte == LINE_FEED:
        return True
    if byte != RETURN:
        return False
    return not needs_feed or (at + 1 < len(buffer) and buffer[at + 1] == LINE_FEED)


def is_blank(byte):
    """Is it what trimming drops?"""
    return byte in (BLANK, TAB)


def delimiter_end(buffer, at, needs_feed, nexts, accepts):
    """Where the longest delimiter at a byte ends; the byte itself if none stands there.

    `nexts` is its automaton: 256 * state + byte -> the next state, or -1; it begins in 0.
    """
    state, end = 0, at
    while at < len(buffer) and not is_line_end(buffer, at, needs_feed):
        state = nexts[256 * state + buffer[at]]
        if state < 0:
            break
        at += 1
        if accepts[state]:
            end = at
    return end


def split_cells(
    buffer, starts, width, wanted, stops, delim, nexts, accepts, is_pattern, quote, escape,
    needs_feed, before, behind, left, right, begins, ends, kinds,
):  # fmt: skip
    """Find the texts of some cells of delimited rows.

    | array | holds |
    |---|---|
    | buffer | the bytes of the rows |
    | starts | where each row begins in them |
    | wanted | numbers of cells, in order |
    | stops | by byte: may a text without quotes end there? |
    | delim | the delimiter, if it is one byte, or -1 |
    | nexts, accepts, is_pattern | its automaton (`delimiter_end`); is it an expression? |
    | quote, escape | or -1; what makes a quote plain within quotes, if that is no quote |
    | needs_feed | see `is_line_end` |
    | before, behind | may blanks stand before and behind quotes? |
    | left, right | are blanks dropped from a text without quotes? |
    | begins, ends, kinds | out: where each text stands, and what it is |
    """
    size = len(buffer)
    row, column, at = -1, 0, 0
    begin, end, kind, is_last = 0, 0, PLAIN, True
    for ix in range(len(wanted)):
        target_row = wanted[ix] // width
        target = wanted[ix] - target_row * width
        if target_row != row:
            row, column, at = target_row, -1, starts[target_row]
            is_last = False
            if is_pattern and before:
                while at < size and is_blank(buffer[at]):
                    at += 1
        while column < target and not is_last:
            # The next cell begins at `at`.
            column += 1
            begin, kind = at, PLAIN
            opening = at
            if quote >= 0:
                if before:
                    while opening < size and is_blank(buffer[opening]):
                        if delimiter_end(buffer, opening, needs_feed, nexts, accepts) > opening:
                            break
                        opening += 1
                if opening < size and buffer[opening] == quote:
                    kind = QUOTED
                    begin = at = opening + 1
                    while at < size:
                        if buffer[at] == escape and at + 1 < size:
                            kind = DOUBLED
                            at += 1
                        elif buffer[at] == quote:
                            if escape < 0 and at + 1 < size and buffer[at + 1] == quote:
                                kind = DOUBLED
                                at += 1
                            else:
                                break
                        at += 1
                    end = at
                    at += 1
            closed, looked = at, at
            after, is_last = size, True
            while at < size:
                if not stops[buffer[at]]:
                    at += 1
                    continue
                if delim >= 0:
                    if buffer[at] == delim:
                        after, is_last = at + 1, False
                        break
                    if is_line_end(buffer, at, needs_feed):
                        break
                    at += 1
                    continue
                if is_line_end(buffer, at, needs_feed):
                    break
                if is_pattern and behind and at >= looked and is_blank(buffer[at]):
                    looked = at
                    while looked < size and is_blank(buffer[looked]):
                        looked += 1
                    if looked >= size or is_line_end(buffer, looked, needs_feed):
                        break
                after = delimiter_end(buffer, at, needs_feed, nexts, accepts)
                if after > at:
                    is_last = False
                    break
                at += 1
            if kind == PLAIN:
                end = at
                if left:
                    while begin < end and is_blank(buffer[begin]):
                        begin += 1
                if right:
                    while end > begin and is_blank(buffer[end - 1]):
                        end -= 1
            else:
                while closed < at:
                    if not behind or not is_blank(buffer[closed]):
                        kind = ODD
                        break
                    closed += 1
            at = after
        if column == target:
            begins[ix], ends[ix], kinds[ix] = begin, end, kind
        else:
            begins[ix], ends[ix], kinds[ix] = 0, 0, ABSENT


def gather_texts(buffer, begins, ends, kinds, escape, out, offsets):
    """Copy texts one behind the other, without escapes; where each one ends."""
    to = 0
    offsets[0] = 0
    for ix in range(len(begins)):
        at, end = begins[ix], ends[ix]
        if kinds[ix] == DOUBLED:
            while at < end:
                if buffer[at] == escape and at + 1 < end:
                    at += 1
                out[to] = buffer[at]
                to += 1
                at += 1
        else:
            while at < end:
                out[to] = buffer[at]
                to += 1
                at += 1
        offsets[ix + 1] = to


def parse_numbers(data, offsets, first, powers, scale, whole, lows, highs, places, signs, kinds):
    """Read decimals of up to 18 digits; what is longer or something else is left to others.

    | array | holds |
    |---|---|
    | data, offsets, first | texts: bytes, and from index `first` where each begins |
    | powers | 10 to the power of its index |
    | scale, whole | decimals to scale to (-1: none); most digits before the point |
    | lows, highs | out: the number, scaled; if that is large, its size as `high * 2**60 + low` |
    | places | out: decimals as they are written |
    | signs, kinds | out: is it negative? is it a number, a large one, or none? |
    """
    for ix in range(len(kinds)):
        at, end = offsets[first + ix], offsets[first + ix + 1]
        kinds[ix] = NO_NUMBER
        signs[ix] = at < end and data[at] == MINUS
        if at < end and (data[at] == PLUS or data[at] == MINUS):
            at += 1
        value, digits, before, after, seen, is_after = 0, 0, 0, 0, 0, False
        while at < end:
            digit = data[at] - ZERO
            if 0 <= digit <= 9:
                seen += 1
                if digits > 0 or digit > 0:
                    digits += 1
                    if not is_after:
                        before += 1
                if digits > MAX_DIGITS:
                    break
                value = value * 10 + digit
                after += is_after
            elif data[at] == POINT and not is_after:
                is_after = True
            else:
                break
            at += 1
        if at < end or seen == 0:
            continue
        places[ix] = after
        shift = 0
        if scale >= 0:
            while after > scale and value % 10 == 0:
                value //= 10
                after -= 1
            if after > scale or before > whole:
                continue
            shift = scale - after
        kinds[ix] = IS_NUMBER
        power = powers[shift]
        if value <= LARGEST // power:
            lows[ix] = -value * power if signs[ix] else value * power
            continue
        kinds[ix] = IS_LARGE
        a, b = value >> PART, value & PART_MASK
        c, d = power >> PART, power & PART_MASK
        middle = a * d + b * c
        low = b * d + ((middle & PART_MASK) << PART)
        lows[ix] = low & HALF_MASK
        highs[ix] = a * c + (middle >> PART) + (low >> HALF)


def nearest_beside(held, cells, width, step, base, out):
    """By cell: the nearest one in its row that is held, strictly left (step 1) or right (step -1).

    `cells` are in order; `held` says of each cell of the strip whether it is looked for.
    """
    row, last = -1, NOWHERE
    at = 0
    for number in range(len(cells)):
        ix = number if step > 0 else len(cells) - 1 - number
        cell = cells[ix]
        begin = cell // width * width
        if cell // width != row:
            row, last = cell // width, NOWHERE
            at = begin if step > 0 else begin + width - 1
        while at != cell:
            if held[at]:
                last = at
            at += step
        out[ix] = last + base if last != NOWHERE else NOWHERE


def number_cells(cells, base, count, slots, out):
    """Number the cells of a strip that occur, from 0 and in order; how many there are.

    | array | holds |
    |---|---|
    | cells | numbered through the table; those outside of the strip are left out |
    | slots | zeros, one for each cell of the strip; out: 1 where a cell occurs |
    | out | by cell: its number, or -1 |
    """
    for ix in range(len(cells)):
        at = cells[ix] - base
        if 0 <= at < count:
            slots[at] = 1
    found = 0
    for at in range(count):
        if slots[at]:
            slots[at] = found + 1
            found += 1
    for ix in range(len(cells)):
        at = cells[ix] - base
        out[ix] = slots[at] - 1 if 0 <= at < count else -1
    return found


def joined_sources(firsts, seconds, at, first, second):
    """Keep the first two of the up to two cells at a place and two more; did anything change?"""
    changed = False
    for found in (first, second):
        if found == NOWHERE or firsts[at] == found or seconds[at] == found:
            continue
        if firsts[at] == NOWHERE or found < firsts[at]:
            firsts[at], seconds[at] = found, firsts[at]
            changed = True
        elif seconds[at] == NOWHERE or found < seconds[at]:
            seconds[at] = found
            changed = True
    return changed


def follow(
    marks, rows, width, base, is_open, vertical, tests, sets_count, edges_first, edges, states,
    start, final, beyond_firsts, beyond_seconds, firsts, seconds, out_firsts, out_seconds,
):  # fmt: skip
    """Where a path leads from each cell, if it goes only one way: none, one, or the first two.

    Row by row, from where it leads to; within a row until nothing changes. What the row beyond has
    found comes with it.

    | array | holds |
    |---|---|
    | marks | by cell: the number of its set of regions |
    | base, is_open | the number of the first cell; may walks end in this strip? |
    | vertical | UP or DOWN: where the path goes |
    | tests | (test * sets + set) -> does it hold? |
    | edges_first, edges | by state: its edges (kind, target) |
    | beyond_firsts, beyond_seconds | by (state, column): what the row beyond found; in and out |
    | firsts, seconds | the same for the current row |
    | out_firsts, out_seconds | by cell: what the path finds from it |
    """
    for turned in range(rows):
        row = turned if vertical == UP else rows - 1 - turned
        for at in range(states * width):
            firsts[at], seconds[at] = NOWHERE, NOWHERE
        if is_open:
            for column in range(width):
                firsts[final * width + column] = base + row * width + column
        changed = True
        while changed:
            changed = False
            for turn in range(2):
                for step in range(width):
                    column = step if turn == 0 else width - 1 - step
                    mark = marks[row * width + column]
                    for state in range(states - 1, -1, -1):
                        at = state * width + column
                        for edge in range(edges_first[state], edges_first[state + 1]):
                            kind, target = edges[2 * edge], edges[2 * edge + 1] * width + column
                            if kind == vertical:
                                if joined_sources(
                                    firsts,
                                    seconds,
                                    at,
                                    beyond_firsts[target],
                                    beyond_seconds[target],
                                ):
                                    changed = True
                                continue
                            if kind == LEFT:
                                if column == 0:
                                    continue
                                target -= 1
                            elif kind == RIGHT:
                                if column == width - 1:
                                    continue
                                target += 1
                            elif kind >= TEST and not tests[(kind - TEST) * sets_count + mark]:
                                continue
                            if joined_sources(firsts, seconds, at, firsts[target], seconds[target]):
                                changed = True
        for column in range(width):
            out_firsts[row * width + column] = firsts[start * width + column]
            out_seconds[row * width + column] = seconds[start * width + column]
        for at in range(states * width):
            beyond_firsts[at], beyond_seconds[at] = firsts[at], seconds[at]


def split_fixed(
    buffer, starts, width, wanted, layouts, prefixes, edges, needs_feed, left, right,
    begins, ends, kinds,
):  # fmt: skip
    """Find the texts of some cells of rows with fixed widths, one byte a character.

    | array | holds |
    |---|---|
    | layouts | by layout: where its prefix begins in `prefixes`; then where the last one ends |
    | edges | by layout and column: begin and end in the row; end -1: the end of the row; |
    |  | begin -1: there is no such column |

    A row has the first layout whose prefix it begins with; the last one has none, and fits all.
    """
    size = len(buffer)
    row, end_of_row, layout = -1, 0, 0
    for ix in range(len(wanted)):
        target_row = wanted[ix] // width
        column = wanted[ix] - target_row * width
        if target_row != row:
            row = target_row
            end_of_row = starts[row]
            while end_of_row < size and not is_line_end(buffer, end_of_row, needs_feed):
                end_of_row += 1
            layout, fits = -1, False
            while not fits:
                layout += 1
                first, last = layouts[layout], layouts[layout + 1]
                fits = starts[row] + last - first <= end_of_row
                for at in range(first, last):
                    fits = fits and buffer[starts[row] + at - first] == prefixes[at]
        place = 2 * (layout * width + column)
        kinds[ix] = PLAIN
        if edges[place] < 0:
            begins[ix], ends[ix], kinds[ix] = 0, 0, ABSENT
            continue
        begin, end = starts[row] + edges[place], end_of_row
        if edges[place + 1] >= 0:
            end = min(end, starts[row] + edges[place + 1])
        if begin >= end_of_row:
            begin = end = end_of_row
            if column > 0:
                kinds[ix] = ABSENT
        if left:
            while begin < end and is_blank(buffer[begin]):
                begin += 1
        if right:
            while end > begin and is_blank(buffer[end - 1]):
                end -= 1
        begins[ix], ends[ix] = begin, end
