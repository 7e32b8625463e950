"""A piece of a file, worked on without knowing what stands before it (`docs/language.md` 10).

In: a `Program`, the bytes of a chunk, and what is assumed to stand above it. Out: a `Part`: the
letters from the first row that begins in the chunk, and a walk through them. It is a pure function
of these; `merge` decides whether its assumptions were true, and what to do where they were not.

A row begins behind a line end, unless that is inside quotes. Both readings of the first bytes are
tried, and the one with fewer broken cells is taken: a good guess, never one that stands unchecked.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sculpt.automata.scanner import STRAY, UNCLOSED, Mode
from sculpt.engines.program import Program
from sculpt.engines.stream import Block, Boundary, Place, Walk, WidthNeeded, scan

_SAMPLE = 1 << 14


@dataclass(frozen=True, slots=True)
class Part:
    """What is known about a chunk before it is merged."""

    data: Any
    base: int
    begin: int | None
    """Where its first row is taken to begin; `None` where no row seems to begin in it."""
    blocks: tuple[Block, ...] = ()
    end: Place | None = None
    walk: Walk | None = None


def partition(program: Program, data: bytes, base: int, above: Boundary | None, limit: int) -> Part:
    """Work on the bytes of a chunk that begins at `base` in the file."""
    buffer = program.backend.buffer(data)
    begin = find_row(program, data, buffer)
    if begin is None:
        return Part(buffer, base, None)
    blocks, end = scan_lanes(program, data, buffer, base, begin)
    walk = None
    if above is not None:
        walk = Walk(program, limit, above=above)
        try:
            for block in blocks:
                walk.take(block)
        except WidthNeeded:
            walk = None
    return Part(buffer, base, base + begin, blocks, end, walk)


def scan_lanes(
    program: Program, data: bytes, buffer: Any, base: int, begin: int
) -> tuple[tuple[Block, ...], Place]:
    """The letters of a chunk from the first byte of a row on."""
    start = Place(base + begin, program.table.start, base + begin)
    block, end = scan(program, buffer, base, start)
    return (block,), end


def find_row(program: Program, data: bytes, buffer: Any) -> int | None:
    """Where the first row of a chunk that begins anywhere seems to begin."""
    plain = _behind_line_end(program, data)
    scanner = program.table.scanner
    if not scanner.quote or scanner.quote not in data[:_SAMPLE]:
        return plain
    quoted = scanner.start._replace(mode=Mode.QUOTED)
    place = Place(0, program.table.offset_of(quoted), 0)
    _, behind = scan(program, buffer[:_SAMPLE], 0, place, max_rows=1)
    other = behind.at if behind.state == program.table.start else None
    if plain is None or other is None or plain == other:
        return plain if other is None else other
    return min((plain, other), key=lambda at: _broken_cells(program, buffer, at))


def _behind_line_end(program: Program, data: bytes) -> int | None:
    ends = program.table.scanner.ends
    for end in sorted(ends, key=lambda end: b"\n" not in end):
        at = data.find(end)
        if at >= 0:
            return at + len(end) if at + len(end) < len(data) else None
    return None


def _broken_cells(program: Program, buffer: Any, at: int) -> int:
    """How many of the next cells have text behind a quote."""
    stop = at + _SAMPLE
    block, _ = scan(program, buffer[:stop], 0, Place(at, program.table.start, at))
    letters = program.table.letters
    counted = (letters[int(letter)].flags for letter in block.letters[: block.cells])
    return sum(bool(flags & (STRAY | UNCLOSED)) for flags in counted)
