"""The entries of keys and references: texts as numbers of 128 bits, spread and found again.

An entry is two numbers, `low` and `high`. If its bytes fit into 15, they are these bytes, and the
highest byte of `high` is their count: different entries have different numbers. Otherwise they are
a hash of 120 bits, and the highest byte is `HASHED`. Of several parts, each but the last has its
length before it, so no two entries have the same bytes.
"""

from __future__ import annotations

from sculpt.kernels.loops.texts import BLANK, DOUBLED, PLAIN, QUOTED, TAB
from sculpt.kernels.loops.types import INDEX, Bytes, Index, Numbers, Unsigned

UNSIGNED = (
    "FIRST", "SECOND", "THIRD", "FOURTH", "MASK", "LOW_MASK", "HASHED", "FIVE", "ZERO", "EIGHT",
    "ONE", "WORD", "HALF", "BYTE",
)  # fmt: skip
"""Constants that compilers must treat as unsigned numbers."""
FIRST = 0x87C37B91114253D5
SECOND = 0x4CF5AD432745937F
THIRD = 0xFF51AFD7ED558CCD
FOURTH = 0xC4CEB9FE1A85EC53
MASK = 0xFFFFFFFFFFFFFFFF
LOW_MASK = 0x00FFFFFFFFFFFFFF
HASHED = 0xFF00000000000000
ZERO, ONE, FIVE, EIGHT, HALF, BYTE = 0, 1, 5, 8, 33, 255
WORD = 64
LINE_FEED, LINE_RETURN = 10, 13
MOST = 15
"""How many bytes an entry holds as they are."""
NEW_BELOW = 0
ABSENT_NUMBER = -(1 << 62)
"""What `seek_entries` says of an entry that the table does not have."""


def pick_cells(
    marks: Numbers,
    wanted: Bytes,
    row_cells: Numbers,
    rows: int,
    above: int,
    width: int,
    cells: Numbers,
) -> int:
    """Find the cells of a region in rows that are not padded; returns how many there are.

    | array | holds |
    |---|---|
    | marks | by cell: its mark |
    | wanted | by mark: is the cell in the region? |
    | row_cells, rows | where each row ends, and how many there are |
    | above, width | the rows before these, and the width of the table |
    | cells | out: the cells, numbered as if all rows had the width of the table |
    """
    count, cell = 0, 0
    for row in range(rows):
        shift = (above + row) * width - cell
        end = row_cells[row]
        while cell < end:
            if wanted[INDEX(marks[INDEX(cell)])]:
                cells[count] = cell + shift
                count += 1
            cell += 1
    return count


def find_texts(
    buffer: Bytes,
    starts: Numbers,
    cells: Numbers,
    width: int,
    delimiter: int,
    quote: int,
    left: bool,
    right: bool,
    begins: Numbers,
    ends: Numbers,
    kinds: Bytes,
) -> None:
    """Find the contents of some cells, in a dialect with plain delimiters, where rows are lines.

    | array | holds |
    |---|---|
    | buffer | the bytes of the rows |
    | starts | by row: where it begins |
    | cells, width | the cells, in order: `row * width + column`, from 0 |
    | delimiter, quote | between cells; around them, or -1. A quote in quotes is doubled |
    | left, right | are blanks dropped? Those before a quote are if `left` |
    | begins, ends, kinds | out: as `trim_texts` gives them |
    """
    size = len(buffer)
    at, row, column, after = 0, -1, 0, 0
    for ix in range(len(cells)):
        cell = cells[ix]
        if cell >= after:
            row += 1
            if cell >= after + width:
                row = cell // width
            after, column = (row + 1) * width, 0
            at = starts[row]
        wanted = cell - row * width
        begin = end = at
        kind = PLAIN
        while column <= wanted:
            begin = end = at
            kind = PLAIN
            if quote >= 0:
                if left:
                    while at < size and (buffer[at] == BLANK or buffer[at] == TAB):
                        at += 1
                if at < size and buffer[at] == quote:
                    kind = QUOTED
                    at += 1
                    begin = at
                    while at < size:
                        if buffer[at] == quote:
                            if at + 1 >= size or buffer[at + 1] != quote:
                                break
                            kind = DOUBLED
                            at += 1
                        at += 1
                    end = at
            while at < size:
                byte = buffer[INDEX(at)]
                if byte in (delimiter, LINE_FEED, LINE_RETURN):
                    break
                at += 1
            if kind == PLAIN:
                end = at
            at += 1
            column += 1
        if kind == PLAIN:
            if left:
                while begin < end and (buffer[begin] == BLANK or buffer[begin] == TAB):
                    begin += 1
            if right:
                while end > begin and (buffer[end - 1] == BLANK or buffer[end - 1] == TAB):
                    end -= 1
        begins[ix], ends[ix], kinds[ix] = begin, end, kind


def _turned(word: Index, by: Index) -> Index:
    """The bits of a word, turned to the left."""
    return ((word << by) | (word >> (WORD - by))) & MASK


def _mixed(word: Index) -> Index:
    """A word in which each bit depends on all bits of another; different for different words."""
    word = ((word ^ (word >> HALF)) * THIRD) & MASK
    word = ((word ^ (word >> HALF)) * FOURTH) & MASK
    return word ^ (word >> HALF)


def _spot(low: Index, high: Index, seed: Index) -> Index:
    """Where an entry belongs: evenly spread numbers."""
    word = ((low ^ seed) * THIRD) & MASK
    word = ((word ^ (word >> HALF)) + ((high ^ (seed >> EIGHT)) * FIRST)) & MASK
    word = ((word ^ (word >> HALF)) * FOURTH) & MASK
    return word ^ (word >> HALF)


def pack_entries(
    buffer: Bytes,
    begins: Numbers,
    ends: Numbers,
    kinds: Bytes,
    parts: int,
    escape: int,
    seed: Index,
    kept: Index,
    lows: Unsigned,
    highs: Unsigned,
) -> None:
    """Make entries of the texts of their parts.

    | array | holds |
    |---|---|
    | buffer | the bytes of the texts |
    | begins, ends, kinds | as `trim_texts` gives them: all first parts, then all second ones, … |
    | escape | what stands before a character of a text of the kind `DOUBLED` |
    | seed, kept | of the hash: its beginning; the bits of it that count |
    | lows, highs | out: the entries |
    """
    count = len(lows)
    for ix in range(count):
        total = parts - 1
        for part in range(parts):
            at = part * count + ix
            total += ends[at] - begins[at]
            if kinds[at] == DOUBLED:
                total -= _escapes(buffer, begins[at], ends[at], escape)
        if total > MOST:
            _hash_entry(buffer, begins, ends, kinds, parts, escape, seed, kept, ix, lows, highs)
            continue
        low, high, used = ZERO, INDEX(total) << (WORD - EIGHT), ZERO
        for part in range(parts):
            at = part * count + ix
            begin, end = begins[at], ends[at]
            is_doubled = kinds[at] == DOUBLED
            if part < parts - 1:
                size = end - begin
                if is_doubled:
                    size -= _escapes(buffer, begin, end, escape)
                if used < EIGHT:
                    low |= INDEX(size) << (used * EIGHT)
                else:
                    high |= INDEX(size) << ((used - EIGHT) * EIGHT)
                used += ONE
            while begin < end:
                if is_doubled and buffer[begin] == escape and begin + 1 < end:
                    begin += 1
                if used < EIGHT:
                    low |= INDEX(buffer[begin]) << (used * EIGHT)
                else:
                    high |= INDEX(buffer[begin]) << ((used - EIGHT) * EIGHT)
                used += ONE
                begin += 1
        lows[ix], highs[ix] = low, high


def _escapes(buffer: Bytes, begin: int, end: int, escape: int) -> int:
    """How many bytes of a text are escapes."""
    found = 0
    while begin < end:
        if buffer[begin] == escape and begin + 1 < end:
            found += 1
            begin += 1
        begin += 1
    return found


def _hash_entry(
    buffer: Bytes,
    begins: Numbers,
    ends: Numbers,
    kinds: Bytes,
    parts: int,
    escape: int,
    seed: Index,
    kept: Index,
    ix: int,
    lows: Unsigned,
    highs: Unsigned,
) -> None:
    """Hash an entry: the steps of MurmurHash3, 8 bytes at a time, each part after its length."""
    count = len(lows)
    low, high = seed, _mixed(seed)
    for part in range(parts):
        at = part * count + ix
        begin, end = begins[at], ends[at]
        is_doubled = kinds[at] == DOUBLED
        word, used, size = ZERO, ZERO, ZERO
        while begin < end:
            if is_doubled and buffer[begin] == escape and begin + 1 < end:
                begin += 1
            word |= INDEX(buffer[begin]) << (used * EIGHT)
            used += ONE
            size += ONE
            begin += 1
            if used == EIGHT:
                low = _stirred(low, high, (word * FIRST) & MASK, SECOND)
                high = _stirred(high, low, (word * SECOND) & MASK, FIRST)
                word, used = ZERO, ZERO
        low = _stirred(low, high, (word * FIRST) & MASK, SECOND)
        high = _stirred(high, low, (word * SECOND) & MASK, FIRST)
        low = _stirred(low, high, (size * FIRST) & MASK, SECOND)
        high = _stirred(high, low, (size * SECOND) & MASK, FIRST)
    lows[ix] = (_mixed(low) + high) & kept
    highs[ix] = ((_mixed(high) ^ low) & kept & LOW_MASK) | HASHED


def _stirred(own: Index, other: Index, word: Index, factor: Index) -> Index:
    """One half of the state after the next word."""
    own ^= (_turned(word, HALF) * factor) & MASK
    return ((_turned(own, INDEX(27)) + other) * FIVE + FIRST) & MASK


def spread_entries(
    lows: Unsigned,
    highs: Unsigned,
    places: Numbers,
    items: Numbers,
    seed: Index,
    shift: Index,
    numbers: Bytes,
    offsets: Numbers,
    new_lows: Unsigned,
    new_highs: Unsigned,
    new_places: Numbers,
    new_items: Numbers,
) -> None:
    """Sort entries into partitions; within one, they keep their order.

    | array | holds |
    |---|---|
    | lows, highs, places, items | the entries; `items` may be empty |
    | seed, shift | of the number of a partition: the bits above `shift`, at most 8 |
    | numbers | room for the number of each entry's partition |
    | offsets | out: where each partition begins; one more than there are partitions, all 0 before |
    | new_… | out: the sorted entries |
    """
    count = len(lows)
    has_items = len(items) > 0
    for ix in range(count):
        partition = _spot(INDEX(lows[ix]), INDEX(highs[ix]), seed) >> shift
        numbers[ix] = partition
        offsets[partition + ONE] += 1
    for ix in range(1, len(offsets)):
        offsets[ix] += offsets[ix - 1]
    for ix in range(count):
        partition = INDEX(numbers[ix])
        to = INDEX(offsets[partition])
        offsets[partition] += 1
        new_lows[to], new_highs[to], new_places[to] = lows[ix], highs[ix], places[ix]
        if has_items:
            new_items[to] = items[ix]
    for ix in range(len(offsets) - 1, 0, -1):
        offsets[ix] = offsets[ix - 1]
    offsets[0] = 0


def seek_entries(
    lows: Unsigned,
    highs: Unsigned,
    seed: Index,
    shares: Index,
    share: Index,
    slots: Numbers,
    known_lows: Unsigned,
    known_highs: Unsigned,
    known: int,
    adds: bool,
    found: Numbers,
) -> int:
    """Find entries in a hash table, and add those that it lacks; returns how many it has.

    | array | holds |
    |---|---|
    | lows, highs | the entries |
    | seed | of the place of an entry in the table |
    | shares, share | a power of two; only entries whose spot has this remainder are looked for |
    | slots | 1 + the number of a known entry, or 0; its length is a power of two |
    | known_lows, known_highs, known | the known entries by number, and how many there are |
    | adds | are entries added? |
    | found | out: the number; `-1 - number` if it was added; `ABSENT_NUMBER` if there is none |
    """
    last = INDEX(len(slots) - 1)
    for ix in range(len(lows)):
        low, high = INDEX(lows[ix]), INDEX(highs[ix])
        spot = _spot(low, high, seed)
        found[ix] = ABSENT_NUMBER
        if (spot & (shares - ONE)) != share:
            continue
        slot = (spot >> EIGHT) & last
        number = slots[slot]
        while number != 0:
            if INDEX(known_lows[number - 1]) == low and INDEX(known_highs[number - 1]) == high:
                found[ix] = number - 1
                break
            slot = (slot + ONE) & last
            number = slots[slot]
        if number == 0 and adds:
            known_lows[known], known_highs[known] = low, high
            found[ix] = -1 - known
            known += 1
            slots[slot] = known
    return known
