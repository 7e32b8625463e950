"""A chunk scanned in three lanes at once: a processor follows three chains of steps as fast as one.

In: the `Machines`, the bytes of a chunk, and the point to scan from. Out: the `Block`s of letters,
in order, and the point reached. The second and the third lane begin where a row seems to begin. If
the lane before does not arrive there at the start of a row, the rest is scanned again
(`blocks.scan_lanes`), so a wrong guess costs time but never changes the answer.

A row begins after a line end, unless that is inside quotes. Once a line end inside quotes has been
met, both readings of the next bytes are tried, and the one with fewer broken cells is taken.
"""

from __future__ import annotations

from sculpt.automata.scanner import Mode
from sculpt.engines.machines import Machines
from sculpt.engines.scan.blocks import Block, ScanPoint, scan, scan_lanes

THREE_LANES = 1 << 15
"""For this many bytes or more, three lanes are faster than one."""
_SAMPLE = 1 << 12


def scan_all(
    machines: Machines, data: bytes | bytearray, base: int, point: ScanPoint
) -> tuple[tuple[Block, ...], ScanPoint]:
    """The letters of a chunk, from a point on; in three lanes where that pays."""
    left = base + len(data) - point.at
    if left >= THREE_LANES and machines.backend.is_compiled and not machines.table.notes_texts:
        guesses = [find_row(machines, data, len(data) - left * third // 3) for third in (2, 1)]
        first, second = guesses
        if first is not None and second is not None and first < second:
            return scan_lanes(machines, data, base, point, (first, second))
    block, point = scan(machines, data, base, point)
    return (block,), point


def find_row(machines: Machines, data: bytes | bytearray, at: int) -> int | None:
    """Where the first row after an arbitrary byte seems to begin."""
    plain = _after_line_end(machines, data, at)
    table = machines.table
    scanner = table.scanner
    sample = data[at : at + _SAMPLE]
    if not machines.hints.has_quoted_line_ends or scanner.quote not in sample:
        return plain
    quoted = scanner.start._replace(mode=Mode.QUOTED)
    block, reached = scan(machines, sample, 0, ScanPoint(0, table.offset_of(quoted), 0), max_rows=1)
    other = at + reached.begun if block.rows else None
    if plain is None or other is None or plain == other:
        return plain if other is None else other
    return min((plain, other), key=lambda point: _broken_cells(machines, data, point))


def _after_line_end(machines: Machines, data: bytes | bytearray, at: int) -> int | None:
    ends = sorted(machines.table.scanner.ends, key=lambda end: (b"\n" not in end, len(end)))
    window = _SAMPLE
    while True:
        for end in ends:
            found = data.find(end, at, at + window)
            if found >= 0:
                following = found + len(end)
                return following if following < len(data) else None
        if at + window >= len(data):
            return None
        window *= 16


def _broken_cells(machines: Machines, data: bytes | bytearray, at: int) -> int:
    """How many of the next cells have text after a quote."""
    sample = data[at : at + _SAMPLE]
    block, _ = scan(machines, sample, 0, ScanPoint(0, machines.table.start, 0))
    return machines.backend.total(machines.broken(), block.letters[: block.cells])
