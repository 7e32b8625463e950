"""Eight bytes at a time: words of a buffer, and which of their bytes have a value.

A word has its first byte in its lowest bits. What is found in one is a mask: the highest bit of
each byte that is equal to the one looked for. `equal_bytes` is exact; `first_equal` is faster, and
only its lowest bit can be trusted.
"""

from __future__ import annotations

from sculpt.kernels.loops.types import INDEX, SIGNED, Bytes, Index

UNSIGNED = ("ALL", "ONES", "SEVENS", "TOPS", "SEVEN", "TOP", "NOTHING", "UNIT")
"""Constants that compilers must treat as unsigned numbers."""
ALL = 0xFFFFFFFFFFFFFFFF
ONES = 0x0101010101010101
SEVENS, TOPS = 0x7F7F7F7F7F7F7F7F, 0x8080808080808080
NOTHING, UNIT, SEVEN, TOP = 0, 1, 7, 56
WORD_SIZE = 8


def word_at(buffer: Bytes, at: int) -> Index:
    """The eight bytes from a place on, all of which must be there: compilers make it one load."""
    place = INDEX(at)
    return (
        INDEX(buffer[place])
        | INDEX(buffer[place + INDEX(1)]) << INDEX(8)
        | INDEX(buffer[place + INDEX(2)]) << INDEX(16)
        | INDEX(buffer[place + INDEX(3)]) << INDEX(24)
        | INDEX(buffer[place + INDEX(4)]) << INDEX(32)
        | INDEX(buffer[place + INDEX(5)]) << INDEX(40)
        | INDEX(buffer[place + INDEX(6)]) << INDEX(48)
        | INDEX(buffer[place + INDEX(7)]) << INDEX(56)
    )


def bytes_at(buffer: Bytes, begin: int, end: int) -> Index:
    """The bytes between two places, at most eight of them, as the lowest ones of a word."""
    size = end - begin
    if size <= 0:
        return NOTHING
    if begin + WORD_SIZE > len(buffer):
        return _last_bytes(buffer, begin, end)
    word = word_at(buffer, begin)
    return word if size >= WORD_SIZE else word & ((UNIT << INDEX(8 * size)) - UNIT)


def _last_bytes(buffer: Bytes, begin: int, end: int) -> Index:
    """The same where the buffer ends."""
    word = NOTHING
    for ix in range(min(end - begin, WORD_SIZE)):
        word |= INDEX(buffer[INDEX(begin + ix)]) << INDEX(8 * ix)
    return word


def repeated(byte: int) -> Index:
    """A word of eight equal bytes."""
    return INDEX(byte) * ONES


def equal_bytes(word: Index, pattern: Index) -> Index:
    """Which bytes of a word are equal to those of a pattern."""
    differ = word ^ pattern
    return ((((differ & SEVENS) + SEVENS) | differ | SEVENS) & ALL) ^ ALL


def first_equal(word: Index, pattern: Index) -> Index:
    """The same, but bytes after the first that is equal may be wrong; 0 if none is equal."""
    differ = word ^ pattern
    return (differ - ONES) & (differ ^ ALL) & TOPS


def count_found(found: Index) -> int:
    """How many bytes were found."""
    return SIGNED((((found >> SEVEN) * ONES) & ALL) >> TOP)


def first_found(found: Index) -> int:
    """The first byte that was found; there must be one."""
    below = (found - UNIT) & (found ^ ALL)
    return SIGNED(((((below >> SEVEN) & ONES) * ONES) & ALL) >> TOP)
