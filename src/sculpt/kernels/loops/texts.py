"""The contents of cells: texts without blanks, quotes and escapes, numbers and dates in them.

Where the text of a cell is in the bytes, comes from `scan.scan_texts`.
"""

from __future__ import annotations

from sculpt.kernels.loops.types import Bytes, Numbers

BLANK, TAB = 32, 9
PLUS, MINUS, POINT, ZERO = 43, 45, 46, 48

# The kinds of cells that `trim_texts` distinguishes.
PLAIN, QUOTED, DOUBLED, ABSENT = range(4)

# The kinds of texts that `parse_numbers` distinguishes.
IS_NUMBER, IS_LARGE, NO_NUMBER = range(3)
MAX_DIGITS = 18
LARGEST = (1 << 63) - 1
DATE_SIZE = 10
EPOCH = 719468
"""The days from 0000-03-01 to 1970-01-01."""
PART = 30
PART_MASK = (1 << PART) - 1
HALF = 60
HALF_MASK = (1 << HALF) - 1


def _is_blank(byte: int) -> bool:
    """Does trimming drop this byte?"""
    return byte in (BLANK, TAB)


def trim_texts(
    buffer: Bytes,
    places: Numbers,
    base: int,
    wanted: Numbers,
    width: int,
    quote: int,
    escape: int,
    before: bool,
    left: bool,
    right: bool,
    indents: bool,
    tails: bool,
    begins: Numbers,
    ends: Numbers,
    kinds: Bytes,
) -> None:
    """Find the contents of some cells, without blanks and quotes, from the places of their texts.

    | array | holds |
    |---|---|
    | buffer | the bytes of the rows |
    | places | by cell: where its text begins and ends in the data; negative for a padded cell |
    | base | where the buffer begins in the data |
    | wanted | numbers of cells, in order: `row * width + column`, from 0 |
    | quote, escape | or -1; `escape` is -1 if a quote is escaped by another quote |
    | before | can blanks precede a quote? |
    | left, right | are blanks dropped from a text without quotes? |
    | indents, tails | are blanks at the start, or at the end, of a row dropped? |
    | begins, ends, kinds | out: where each content begins and ends, and its kind |
    """
    for ix in range(len(wanted)):
        cell = wanted[ix]
        begin, end = places[2 * cell] - base, places[2 * cell + 1] - base
        if places[2 * cell + 1] < 0:
            begins[ix], ends[ix], kinds[ix] = 0, 0, ABSENT
            continue
        column = cell % width
        kinds[ix] = PLAIN
        if indents and column == 0:
            while begin < end and _is_blank(buffer[begin]):
                begin += 1
        if tails and (column == width - 1 or places[2 * cell + 3] < 0):
            while end > begin and _is_blank(buffer[end - 1]):
                end -= 1
        opening = begin
        if quote >= 0:
            if before:
                while opening < end and _is_blank(buffer[opening]):
                    opening += 1
            if opening < end and buffer[opening] == quote:
                kinds[ix] = QUOTED
                begin = at = opening + 1
                while at < end:
                    if buffer[at] == escape and at + 1 < end:
                        kinds[ix] = DOUBLED
                        at += 1
                    elif buffer[at] == quote:
                        if escape < 0 and at + 1 < end and buffer[at + 1] == quote:
                            kinds[ix] = DOUBLED
                            at += 1
                        else:
                            break
                    at += 1
                end = at
        if kinds[ix] == PLAIN:
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
    """Copy texts one after the other, without escapes; `offsets` gets where each one ends."""
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
    """Read decimals of up to 18 digits; all other texts are left to the caller.

    | array | holds |
    |---|---|
    | data, offsets, first | the bytes of all texts; from index `first`, where each text begins |
    | powers | 10 to the power of its index |
    | scale, whole | decimals to scale to (-1: none); maximum of digits before the point |
    | lows, highs | out: the scaled number; if it is large, its magnitude as `high * 2**60 + low` |
    | places | out: the number of decimals as written |
    | signs, kinds | out: is it negative? is it a number, a large number, or neither? |
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


def parse_dates(data: Bytes, offsets: Numbers, first: int, days: Numbers, known: Bytes) -> None:
    """Read dates as `yyyy-mm-dd`, from the year 1 on; all other texts are left to the caller.

    | array | holds |
    |---|---|
    | data, offsets, first | the bytes of all texts; from index `first`, where each text begins |
    | days | out: the days since 1970-01-01 |
    | known | out: is it such a date? |
    """
    for ix in range(len(known)):
        at = offsets[first + ix]
        known[ix] = 0
        if offsets[first + ix + 1] - at != DATE_SIZE:
            continue
        if data[at + 4] != MINUS or data[at + 7] != MINUS:
            continue
        a, b, c, d = data[at] - ZERO, data[at + 1] - ZERO, data[at + 2] - ZERO, data[at + 3] - ZERO
        e, f, g, h = (
            data[at + 5] - ZERO, data[at + 6] - ZERO, data[at + 8] - ZERO, data[at + 9] - ZERO,
        )  # fmt: skip
        # A number from 0 to 9 is not negative, and neither is what 9 is more than it.
        either = a | b | c | d | e | f | g | h
        rest = (9 - a) | (9 - b) | (9 - c) | (9 - d) | (9 - e) | (9 - f) | (9 - g) | (9 - h)
        if either < 0 or rest < 0:
            continue
        year, month, day = a * 1000 + b * 100 + c * 10 + d, e * 10 + f, g * 10 + h
        if year < 1 or month < 1 or month > 12 or day < 1:
            continue
        is_leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
        last = 31 - (month - 1) % 7 % 2
        if month == 2:
            last = 28 + is_leap
        if day > last:
            continue
        # Count from March, so that the day that leap years have more is the last of a year.
        count = year - (month <= 2)
        turn = (month + 9) % 12
        days[ix] = 365 * count + count // 4 - count // 100 + count // 400
        days[ix] += (153 * turn + 2) // 5 + day - 1 - EPOCH
        known[ix] = 1
