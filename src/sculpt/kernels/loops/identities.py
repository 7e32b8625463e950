"""The entries of keys and references: texts as numbers of 128 bits, spread and found again.

An entry is three numbers side by side: `low`, `high` and the place of its cell; four, if a part is
a list: the number of its item. If its bytes fit into 15, they are these bytes, and the
highest byte of `high` is their count: different entries have different numbers. Otherwise they are
a hash of 120 bits, and the highest byte is `HASHED`. Of several parts, each but the last has its
length before it, so no two entries have the same bytes.
"""

from __future__ import annotations

from sculpt.kernels.loops.texts import DOUBLED
from sculpt.kernels.loops.types import INDEX, SIGNED, Bytes, Halves, Index, Numbers, Unsigned
from sculpt.kernels.loops.words import WORD_SIZE, bytes_at, word_at

UNSIGNED = (
    "FIRST", "SECOND", "THIRD", "FOURTH", "MASK", "LOW_MASK", "HASHED", "FIVE", "ZERO", "EIGHT",
    "ONE", "TWO", "THREE", "WORD", "HALF", "BYTE", "TAG", "NUMBER", "TURN",
)  # fmt: skip
"""Constants that compilers must treat as unsigned numbers."""
FIRST = 0x87C37B91114253D5
SECOND = 0x4CF5AD432745937F
THIRD = 0xFF51AFD7ED558CCD
FOURTH = 0xC4CEB9FE1A85EC53
MASK = 0xFFFFFFFFFFFFFFFF
LOW_MASK = 0x00FFFFFFFFFFFFFF
HASHED = 0xFF00000000000000
ZERO, ONE, TWO, THREE, FIVE, EIGHT, HALF, BYTE = 0, 1, 2, 3, 5, 8, 33, 255
WORD, TURN = 64, 27
TAG, NUMBER = 0xFFFFFFFF00000000, 0x00000000FFFFFFFF
"""The halves of a slot of a hash table: bits of the spot, and 1 + the number of an entry."""
MOST = 15
FIELDS = 3
"""How many numbers an entry has, without that of an item."""
"""How many bytes an entry holds as they are."""


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
    places: Numbers,
    items: Numbers,
    entries: Unsigned,
) -> None:
    """Make entries of the texts of their parts.

    | array | holds |
    |---|---|
    | buffer | the bytes of the texts |
    | begins, ends, kinds | as `trim_texts` gives them: all first parts, then all second ones, … |
    | escape | what stands before a character of a text of the kind `DOUBLED` |
    | seed, kept | of the hash: its beginning; the bits of it that count |
    | places, items | by entry: its place, and the number of its item; `items` may be empty |
    | entries | out: the entries |
    """
    fields = FIELDS + 1 if len(items) > 0 else FIELDS
    for ix in range(len(places)):
        if parts == 1:
            size, kind = ends[INDEX(ix)] - begins[INDEX(ix)], kinds[INDEX(ix)]
            is_short = size <= MOST and kind != DOUBLED
        else:
            is_short = False
        if is_short:
            begin, end = begins[INDEX(ix)], ends[INDEX(ix)]
            low = bytes_at(buffer, begin, end)
            high = INDEX(end - begin) << (WORD - EIGHT)
            if end - begin > WORD_SIZE:
                high |= bytes_at(buffer, begin + WORD_SIZE, end)
        else:
            low, high = _made(buffer, begins, ends, kinds, parts, escape, seed, kept, ix)
        to = INDEX(fields * ix)
        entries[to], entries[to + ONE], entries[to + TWO] = low, high, INDEX(places[INDEX(ix)])
        if fields > FIELDS:
            entries[to + THREE] = INDEX(items[INDEX(ix)])


def _made(
    buffer: Bytes,
    begins: Numbers,
    ends: Numbers,
    kinds: Bytes,
    parts: int,
    escape: int,
    seed: Index,
    kept: Index,
    ix: int,
) -> tuple[Index, Index]:
    """An entry of any texts."""
    count, total, is_doubled = len(begins) // parts, parts - 1, False
    for part in range(parts):
        at = INDEX(part * count + ix)
        total += ends[at] - begins[at]
        if kinds[at] == DOUBLED:
            total -= _escapes(buffer, begins[at], ends[at], escape)
            is_doubled = True
    if total > MOST:
        return _hashed(buffer, begins, ends, kinds, parts, escape, seed, kept, ix)
    if is_doubled:
        return _packed_bytes(buffer, begins, ends, kinds, parts, escape, ix, total)
    return _packed_words(buffer, begins, ends, parts, ix, total)


def _packed_words(
    buffer: Bytes, begins: Numbers, ends: Numbers, parts: int, ix: int, total: int
) -> tuple[Index, Index]:
    """An entry whose texts have no escapes, packed a word at a time."""
    count = len(begins) // parts
    low, high, used = ZERO, INDEX(total) << (WORD - EIGHT), 0
    for part in range(parts):
        at = INDEX(part * count + ix)
        begin, end = begins[at], ends[at]
        if part < parts - 1:
            low, high = _with_bytes(low, high, used, INDEX(end - begin))
            used += 1
        while begin < end:
            low, high = _with_bytes(low, high, used, bytes_at(buffer, begin, end))
            size = min(WORD_SIZE, end - begin)
            used += size
            begin += size
    return low, high


def _with_bytes(low: Index, high: Index, used: int, word: Index) -> tuple[Index, Index]:
    """An entry with the bytes of a word after those it has."""
    if used >= WORD_SIZE:
        return low, high | (word << INDEX(8 * (used - WORD_SIZE))) & MASK
    low |= (word << INDEX(8 * used)) & MASK
    if used > 0:
        high |= word >> INDEX(8 * (WORD_SIZE - used))
    return low, high


def _packed_bytes(
    buffer: Bytes,
    begins: Numbers,
    ends: Numbers,
    kinds: Bytes,
    parts: int,
    escape: int,
    ix: int,
    total: int,
) -> tuple[Index, Index]:
    """An entry whose texts may have escapes, packed byte by byte."""
    count = len(begins) // parts
    low, high, used = ZERO, INDEX(total) << (WORD - EIGHT), 0
    for part in range(parts):
        at = INDEX(part * count + ix)
        begin, end = begins[at], ends[at]
        is_doubled = kinds[at] == DOUBLED
        if part < parts - 1:
            size = end - begin
            if is_doubled:
                size -= _escapes(buffer, begin, end, escape)
            low, high = _with_bytes(low, high, used, INDEX(size))
            used += 1
        while begin < end:
            if is_doubled and buffer[begin] == escape and begin + 1 < end:
                begin += 1
            low, high = _with_bytes(low, high, used, INDEX(buffer[begin]))
            used += 1
            begin += 1
    return low, high


def _escapes(buffer: Bytes, begin: int, end: int, escape: int) -> int:
    """How many bytes of a text are escapes."""
    found = 0
    while begin < end:
        if buffer[begin] == escape and begin + 1 < end:
            found += 1
            begin += 1
        begin += 1
    return found


def _hashed(
    buffer: Bytes,
    begins: Numbers,
    ends: Numbers,
    kinds: Bytes,
    parts: int,
    escape: int,
    seed: Index,
    kept: Index,
    ix: int,
) -> tuple[Index, Index]:
    """The hash of an entry: two halves of MurmurHash3, 8 bytes at a time, apart from each other."""
    count = len(begins) // parts
    low, high = seed, _mixed(seed)
    for part in range(parts):
        at = INDEX(part * count + ix)
        begin, end = begins[at], ends[at]
        is_doubled = kinds[at] == DOUBLED
        while not is_doubled and end - begin >= WORD_SIZE:
            word = word_at(buffer, begin)
            low, high = _stirred(low, word, FIRST, SECOND), _stirred(high, word, SECOND, FIRST)
            begin += WORD_SIZE
        word, used = ZERO, INDEX(end - begin)
        if not is_doubled:
            word = bytes_at(buffer, begin, end)
        else:
            used = ZERO
            while begin < end:
                if buffer[INDEX(begin)] == escape and begin + 1 < end:
                    begin += 1
                word |= INDEX(buffer[INDEX(begin)]) << (used * EIGHT)
                used += ONE
                begin += 1
                if used == EIGHT:
                    low, high = (
                        _stirred(low, word, FIRST, SECOND), _stirred(high, word, SECOND, FIRST),
                    )  # fmt: skip
                    word, used = ZERO, ZERO
        # The rest of a part has at most 7 bytes: their number, not 0, says where it ends.
        word |= (used + ONE) << (WORD - EIGHT)
        low, high = _stirred(low, word, FIRST, SECOND), _stirred(high, word, SECOND, FIRST)
    low, high = (low + high) & MASK, high ^ _turned(low, HALF)
    return _mixed(low) & kept, (_mixed(high) & kept & LOW_MASK) | HASHED


def _stirred(state: Index, word: Index, first: Index, second: Index) -> Index:
    """A half of the state of a hash after the next word."""
    state ^= (_turned((word * first) & MASK, HALF) * second) & MASK
    return (_turned(state, TURN) * FIVE + THIRD) & MASK


def spread_entries(
    entries: Unsigned,
    fields: int,
    seed: Index,
    shift: Index,
    numbers: Halves,
    offsets: Numbers,
    spread: Unsigned,
) -> None:
    """Sort entries into partitions; within one, they keep their order.

    | array | holds |
    |---|---|
    | entries, fields | the entries, and how many numbers each has |
    | seed, shift | of the number of a partition: the bits above `shift`, at most 16 |
    | numbers | room for the number of each entry's partition |
    | offsets | out: where each partition begins; one more than there are partitions, all 0 before |
    | spread | out: the sorted entries |
    """
    count, size = len(numbers), INDEX(fields)
    for ix in range(count):
        at = INDEX(ix) * size
        partition = _spot(INDEX(entries[at]), INDEX(entries[at + ONE]), seed) >> shift
        numbers[INDEX(ix)] = partition
        offsets[partition + ONE] += 1
    for ix in range(1, len(offsets)):
        offsets[ix] += offsets[ix - 1]
    for ix in range(count):
        partition = INDEX(numbers[INDEX(ix)])
        at, to = INDEX(ix) * size, INDEX(offsets[partition]) * size
        offsets[partition] += 1
        spread[to], spread[to + ONE], spread[to + TWO] = (
            entries[at], entries[at + ONE], entries[at + TWO],
        )  # fmt: skip
        if fields > FIELDS:
            spread[to + THREE] = entries[at + THREE]
    for ix in range(len(offsets) - 1, 0, -1):
        offsets[ix] = offsets[ix - 1]
    offsets[0] = 0


def merge_runs(
    entries: Unsigned,
    fields: int,
    bounds: Numbers,
    bases: Numbers,
    partitions: int,
    merged: Unsigned,
) -> None:
    """Bring several sorted runs into the order of partitions.

    | array | holds |
    |---|---|
    | entries, fields | the runs, and how many numbers an entry has |
    | bounds | by partition, then by run: where it begins; as many more for the ends of the last |
    | bases, partitions | by run: what is added to each place; how many partitions there are |
    | merged | out: the first partition of all runs, the second of all runs, … |
    """
    to, runs, size = INDEX(0), len(bases), INDEX(fields)
    for partition in range(partitions):
        for run in range(runs):
            bound, base = INDEX(partition * runs + run), INDEX(bases[INDEX(run)])
            for ix in range(bounds[bound], bounds[bound + INDEX(runs)]):
                at = INDEX(ix) * size
                merged[to], merged[to + ONE] = entries[at], entries[at + ONE]
                merged[to + TWO] = (INDEX(entries[at + TWO]) + base) & MASK
                if fields > FIELDS:
                    merged[to + THREE] = entries[at + THREE]
                to += size


def number_entries(
    entries: Unsigned,
    fields: int,
    begins: Numbers,
    ends: Numbers,
    bases: Numbers,
    seed: Index,
    shares: Index,
    share: Index,
    slots: Unsigned,
    known_lows: Unsigned,
    known_highs: Unsigned,
    firsts: Numbers,
    severals: Bytes,
    again: Numbers,
    counts: Numbers,
) -> None:
    """Give each different entry a number, with a hash table; note those that are there already.

    | array | holds |
    |---|---|
    | entries, fields | entries, and how many numbers each has |
    | begins, ends | the stretches of them that are looked at, in order |
    | bases | by stretch: what is added to its places |
    | seed | of the place of an entry in the table |
    | shares, share | a power of two; only entries whose spot has this remainder are looked at |
    | slots | 1 + the number of an entry, and above it some bits of its spot; 0 if there is none |
    | known_lows, known_highs | by number: the entry |
    | firsts, severals | by number: the place of the first such entry, and 1 if there are several |
    | again | out: of each entry that is there already, where it stands, its number, its place |
    | counts | how many numbers there are, before and after; out: how many are there already |
    """
    last, known, found = INDEX(len(slots) - 1), counts[0], 0
    for stretch in range(len(begins)):
        base = bases[INDEX(stretch)]
        for ix in range(begins[INDEX(stretch)], ends[INDEX(stretch)]):
            at = INDEX(ix * fields)
            low, high = INDEX(entries[at]), INDEX(entries[at + ONE])
            spot = _spot(low, high, seed)
            if (spot & (shares - ONE)) != share:
                continue
            slot, number = _slot_of(low, high, spot, slots, last, known_lows, known_highs)
            if number < 0:
                known_lows[INDEX(known)], known_highs[INDEX(known)] = low, high
                severals[INDEX(known)] = 0
                firsts[INDEX(known)] = SIGNED(entries[at + TWO]) + base
                known += 1
                slots[slot] = (spot & TAG) | INDEX(known)
            else:
                severals[INDEX(number)] = 1
                again[INDEX(3 * found)], again[INDEX(3 * found + 1)] = ix, number
                again[INDEX(3 * found + 2)] = SIGNED(entries[at + TWO]) + base
                found += 1
    counts[0], counts[1] = known, found


def _slot_of(
    low: Index,
    high: Index,
    spot: Index,
    slots: Unsigned,
    last: Index,
    known_lows: Unsigned,
    known_highs: Unsigned,
) -> tuple[Index, int]:
    """The slot of an entry and its number; -1 if it is not there, and then a free slot."""
    slot = (spot >> EIGHT) & last
    found = INDEX(slots[slot])
    while found != ZERO:
        if (found & TAG) == (spot & TAG):
            number = (found & NUMBER) - ONE
            if known_lows[number] == low and known_highs[number] == high:
                return slot, SIGNED(number)
        slot = (slot + ONE) & last
        found = INDEX(slots[slot])
    return slot, -1


def place_entries(
    known_lows: Unsigned, known_highs: Unsigned, known: int, seed: Index, slots: Unsigned
) -> None:
    """Put different entries into an empty hash table; the arrays are those of `number_entries`."""
    last = INDEX(len(slots) - 1)
    for number in range(known):
        low, high = INDEX(known_lows[INDEX(number)]), INDEX(known_highs[INDEX(number)])
        spot = _spot(low, high, seed)
        slot, _ = _slot_of(low, high, spot, slots, last, known_lows, known_highs)
        slots[slot] = (spot & TAG) | INDEX(number + 1)


def seek_entries(
    entries: Unsigned,
    fields: int,
    begins: Numbers,
    ends: Numbers,
    bases: Numbers,
    seed: Index,
    shares: Index,
    share: Index,
    slots: Unsigned,
    known_lows: Unsigned,
    known_highs: Unsigned,
    wanted: Bytes,
    has_absent: bool,
    has_hashed: bool,
    found: Numbers,
) -> int:
    """Look entries up in the table of `number_entries`; returns how many are of interest.

    | array | holds |
    |---|---|
    | wanted | by number: are entries with it of interest? |
    | has_absent, has_hashed | are entries that the table lacks? Hashed ones that it has? |
    | found | out: of each of them, where it stands, its number or -1 if it has none, its place |
    """
    last, count = INDEX(len(slots) - 1), 0
    for stretch in range(len(begins)):
        base = bases[INDEX(stretch)]
        for ix in range(begins[INDEX(stretch)], ends[INDEX(stretch)]):
            at = INDEX(ix * fields)
            low, high = INDEX(entries[at]), INDEX(entries[at + ONE])
            spot = _spot(low, high, seed)
            if (spot & (shares - ONE)) != share:
                continue
            _, number = _slot_of(low, high, spot, slots, last, known_lows, known_highs)
            if number < 0:
                is_wanted = has_absent
            else:
                is_wanted = wanted[INDEX(number)] != 0 or (has_hashed and high >= HASHED)
            if is_wanted:
                found[INDEX(3 * count)], found[INDEX(3 * count + 1)] = ix, number
                found[INDEX(3 * count + 2)] = SIGNED(entries[at + TWO]) + base
                count += 1
    return count
