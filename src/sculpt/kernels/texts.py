"""Where cells stand in the bytes of a strip of rows, and what they say.

A cell's number is `row * width + column`, from 0.
"""

from __future__ import annotations

from sculpt.kernels.types import Bytes, Flags, Numbers

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


def _is_line_end(buffer: Bytes, at: int, needs_feed: bool) -> bool:
    """Does the row end here? `needs_feed`: only LF and CR LF end rows."""
    byte = buffer[at]
    if byte == LINE_FEED:
        return True
    if byte != RETURN:
        return False
    return not needs_feed or (at + 1 < len(buffer) and buffer[at + 1] == LINE_FEED)


def _is_blank(byte: int) -> bool:
    """Is it what trimming drops?"""
    return byte in (BLANK, TAB)


def _delimiter_end(buffer: Bytes, at: int, needs_feed: bool, nexts: Numbers, accepts: Flags) -> int:
    """Where the longest delimiter at a byte ends; the byte itself if none stands there.

    `nexts` is its automaton: 256 * state + byte -> the next state, or -1; it begins in 0.
    """
    state, end = 0, at
    while at < len(buffer) and not _is_line_end(buffer, at, needs_feed):
        state = nexts[256 * state + buffer[at]]
        if state < 0:
            break
        at += 1
        if accepts[state]:
            end = at
    return end


def split_cells(
    buffer: Bytes,
    starts: Numbers,
    width: int,
    wanted: Numbers,
    stops: Bytes,
    delim: int,
    nexts: Numbers,
    accepts: Flags,
    is_pattern: bool,
    quote: int,
    escape: int,
    needs_feed: bool,
    before: bool,
    behind: bool,
    left: bool,
    right: bool,
    begins: Numbers,
    ends: Numbers,
    kinds: Bytes,
) -> None:
    """Find the texts of some cells of delimited rows.

    | array | holds |
    |---|---|
    | buffer | the bytes of the rows |
    | starts | where each row begins in them |
    | wanted | numbers of cells, in order |
    | stops | by byte: may a text without quotes end there? |
    | delim | the delimiter, if it is one byte, or -1 |
    | nexts, accepts, is_pattern | its automaton (`_delimiter_end`); is it an expression? |
    | quote, escape | or -1; what makes a quote plain within quotes, if that is no quote |
    | needs_feed | see `_is_line_end` |
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
                while at < size and _is_blank(buffer[at]):
                    at += 1
        while column < target and not is_last:
            # The next cell begins at `at`.
            column += 1
            begin, kind = at, PLAIN
            opening = at
            if quote >= 0:
                if before:
                    while opening < size and _is_blank(buffer[opening]):
                        if _delimiter_end(buffer, opening, needs_feed, nexts, accepts) > opening:
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
                    if _is_line_end(buffer, at, needs_feed):
                        break
                    at += 1
                    continue
                if _is_line_end(buffer, at, needs_feed):
                    break
                if is_pattern and behind and at >= looked and _is_blank(buffer[at]):
                    looked = at
                    while looked < size and _is_blank(buffer[looked]):
                        looked += 1
                    if looked >= size or _is_line_end(buffer, looked, needs_feed):
                        break
                after = _delimiter_end(buffer, at, needs_feed, nexts, accepts)
                if after > at:
                    is_last = False
                    break
                at += 1
            if kind == PLAIN:
                end = at
                if left:
                    while begin < end and _is_blank(buffer[begin]):
                        begin += 1
                if right:
                    while end > begin and _is_blank(buffer[end - 1]):
                        end -= 1
            else:
                while closed < at:
                    if not behind or not _is_blank(buffer[closed]):
                        kind = ODD
                        break
                    closed += 1
            at = after
        if column == target:
            begins[ix], ends[ix], kinds[ix] = begin, end, kind
        else:
            begins[ix], ends[ix], kinds[ix] = 0, 0, ABSENT


def split_fixed(
    buffer: Bytes,
    starts: Numbers,
    width: int,
    wanted: Numbers,
    layouts: Numbers,
    prefixes: Bytes,
    edges: Numbers,
    needs_feed: bool,
    left: bool,
    right: bool,
    begins: Numbers,
    ends: Numbers,
    kinds: Bytes,
) -> None:
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
            while end_of_row < size and not _is_line_end(buffer, end_of_row, needs_feed):
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
            while begin < end and _is_blank(buffer[begin]):
                begin += 1
        if right:
            while end > begin and _is_blank(buffer[end - 1]):
                end -= 1
        begins[ix], ends[ix] = begin, end


def gather_texts(
    buffer: Bytes,
    begins: Numbers,
    ends: Numbers,
    kinds: Bytes,
    escape: int,
    out: Bytes,
    offsets: Numbers,
) -> None:
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


def parse_numbers(
    data: Bytes,
    offsets: Numbers,
    first: int,
    powers: Numbers,
    scale: int,
    whole: int,
    lows: Numbers,
    highs: Numbers,
    places: Numbers,
    signs: Bytes,
    kinds: Bytes,
) -> None:
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
