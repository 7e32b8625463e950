"""A piece of a file, worked on without knowing what stands before it (`docs/language.md` 10).

In: a `Program`, the bytes of a chunk, and what is assumed to stand above it. Out: a `Part`: the
letters from the first row that begins in the chunk, and a walk through them. It is a pure function
of these; `merge` decides whether its assumptions were true, and what to do where they were not.

A row begins behind a line end, unless that is inside quotes. If there were such line ends before,
both readings of the first bytes are tried, and the one with fewer broken cells is taken: a good
guess, never one that stands unchecked.
"""

from __future__ import annotations

from sculpt.automata.scanner import Mode
from sculpt.engines.blocks import Block, Place, scan, scan_lanes
from sculpt.engines.program import Program
from sculpt.engines.walk import Boundary, Walk, WidthNeededError
from sculpt.values import frozen

THREE_LANES = 1 << 15
"""From so many bytes on, three lanes are faster than one."""
_SAMPLE = 1 << 12


@frozen
class Part:
    """What is known about a chunk before it is merged."""

    data: bytes | bytearray
    base: int
    begin: int | None = None
    """Where its first row is taken to begin; `None` where no row seems to begin in it."""
    blocks: tuple[Block, ...] = ()
    end: Place | None = None
    walk: Walk | None = None


def partition(
    program: Program, data: bytes | bytearray, base: int, above: Boundary | None, limit: int
) -> Part:
    """Work on the bytes of a chunk that begins at `base` in the file."""
    begin = find_row(program, data, 0)
    if begin is None:
        return Part(data, base)
    start = Place(base + begin, program.table.start, base + begin)
    blocks, end = scan_all(program, data, base, start)
    walk = None
    if above is not None:
        walk = Walk(program, limit, above=above)
        try:
            for block in blocks:
                walk.take(block)
        except WidthNeededError:
            walk = None
    return Part(data, base, base + begin, blocks, end, walk)


def scan_all(
    program: Program, data: bytes | bytearray, base: int, place: Place
) -> tuple[tuple[Block, ...], Place]:
    """The letters of a chunk from a place on, by three lanes where that pays."""
    left = base + len(data) - place.at
    if left >= THREE_LANES and program.backend.is_compiled:
        guesses = [find_row(program, data, len(data) - left * third // 3) for third in (2, 1)]
        first, second = guesses
        if first is not None and second is not None and first < second:
            return scan_lanes(program, data, base, place, (first, second))
    block, place = scan(program, data, base, place)
    return (block,), place


def find_row(program: Program, data: bytes | bytearray, at: int) -> int | None:
    """Where the first row behind a byte, which may be anywhere, seems to begin."""
    plain = _behind_line_end(program, data, at)
    table = program.table
    scanner = table.scanner
    sample = data[at : at + _SAMPLE]
    if not program.hints.has_quoted_line_ends or scanner.quote not in sample:
        return plain
    quoted = scanner.start._replace(mode=Mode.QUOTED)
    block, behind = scan(program, sample, 0, Place(0, table.offset_of(quoted), 0), max_rows=1)
    other = at + behind.begun if block.rows else None
    if plain is None or other is None or plain == other:
        return plain if other is None else other
    return min((plain, other), key=lambda place: _broken_cells(program, data, place))


def _behind_line_end(program: Program, data: bytes | bytearray, at: int) -> int | None:
    ends = sorted(program.table.scanner.ends, key=lambda end: (b"\n" not in end, len(end)))
    window = _SAMPLE
    while True:
        for end in ends:
            found = data.find(end, at, at + window)
            if found >= 0:
                behind = found + len(end)
                return behind if behind < len(data) else None
        if at + window >= len(data):
            return None
        window *= 16


def _broken_cells(program: Program, data: bytes | bytearray, at: int) -> int:
    """How many of the next cells have text behind a quote."""
    sample = data[at : at + _SAMPLE]
    block, _ = scan(program, sample, 0, Place(0, program.table.start, 0))
    return program.backend.total(program.broken(), block.letters[: block.cells])
