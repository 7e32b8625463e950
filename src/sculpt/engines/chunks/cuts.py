"""Where a file can be cut: bytes at which a row begins.

In: the `Machines`, a function that reads the file, and two positions in it. Out: a position between
them at which a row begins that is not blank, or `None`.

After a line end the scanner can only be at the start of a line, inside quotes, or after an escape.
Each of these readings is followed from line to line. Once all of them have a row that begins at the
same byte, that byte is a cut, whatever comes before it. If they do not meet nearby, as in a file
without any quotes, the line is assumed to be outside quotes. This assumption is always checked:
the scan of the chunk before either arrives at the cut at the start of a row, or goes on to the next
cut. A blank row is never a cut: only the chunk that it ends knows whether it counts.

Invariant: `find_cut` is a pure function of the bytes, so every search for a cut finds the same;
`guess_cut` is faster, for threads, which share what one of them finds. Cost: usually a
line or two; at most `_NEARBY` bytes, unless a row or a run of blank rows is longer.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from sculpt.automata.scanner import Config, Mode
from sculpt.engines.machines import Machines
from sculpt.engines.scan.blocks import Block, ScanPoint, finish, scan
from sculpt.engines.scan.lanes import find_row

Read: TypeAlias = Callable[[int, int], bytes]
"""The bytes of a file from one position to another, or to its end."""

_WINDOW = 1 << 14
_NEARBY = 1 << 16
"""How many bytes the readings of a line are followed to see whether they meet."""


def can_be_cut(machines: Machines) -> bool:
    """Can a line end never be part of another special text of the dialect, such as a delimiter?"""
    scanner = machines.table.scanner
    specials = [scanner.quote, scanner.quoted_escape, scanner.bare_escape, scanner.comment]
    specials += [prefix for prefix in scanner.prefixes if prefix]
    if scanner.finder is not None:
        specials.append(scanner.finder.literal)
    taken = {*b"".join(specials), *scanner.blanks}
    longest = max(scanner.ends, key=len, default=b"")
    overlaps = any(longest.endswith(longest[:size]) for size in range(1, len(longest)))
    return bool(longest) and not overlaps and not taken.intersection(b"".join(scanner.ends))


def find_cut(machines: Machines, read: Read, begin: int, limit: int) -> int | None:
    """The first cut after `begin` and before `limit`."""
    line = _after_line_end(machines, read, begin, limit)
    if line is None:
        return None
    return _meeting(machines, read, line, min(limit, line + _NEARBY)) or _first_kept(
        machines, read, line, limit
    )


def guess_cut(machines: Machines, read: Read, begin: int, limit: int) -> int | None:
    """A likely cut, found faster, for those who share what one of them has found.

    Others may find another one: it depends on what scans have learnt (`Machines.hints`).
    """
    row = find_row(machines, read(begin, min(limit, begin + _WINDOW)), 0)
    if row is None:
        return find_cut(machines, read, begin, limit)
    return _first_kept(machines, read, begin + row, limit)


def _meeting(machines: Machines, read: Read, line: int, limit: int) -> int | None:
    """Where the first row begins that is not blank and on which all readings of a line agree."""
    readings = {line}
    for config in _other_readings(machines):
        state = machines.table.offset_of(config)
        other = _next_row(machines, read, ScanPoint(line, state, line), limit)
        if other is None:
            return None
        readings.add(other)
    while len(readings) > 1:
        first = min(readings)
        following = _next_row(machines, read, _start(machines, first), limit)
        if following is None:
            return None
        readings.remove(first)
        readings.add(following)
    return _first_kept(machines, read, readings.pop(), limit)


def _first_kept(machines: Machines, read: Read, at: int, limit: int) -> int | None:
    """Where the first row begins, from a position on, that is not blank."""
    while at < limit:
        kept = _keeps(machines, read, at)
        if kept is not None:
            return at if kept else None
        following = _after_blank_rows(machines, read, at)
        if following is None:
            return None
        at = following
    return None


def _after_blank_rows(machines: Machines, read: Read, at: int) -> int | None:
    """Where a row begins, if only blank ones begin before; the first of those is at `at`.

    It may be blank as well: blank rows are passed over some thousands at a time.
    """
    size = _WINDOW
    while True:
        data = read(at, at + size)
        block, reached = scan(machines, data, at, _start(machines, at))
        if block.rows:
            ends, letters, blanks = block.row_cells, block.letters, machines.blanks()
            first = 0
            for row in range(block.rows):
                end = int(ends[row])
                if end - first != 1 or not blanks[int(letters[first])]:
                    return block.base + int(block.row_starts[row])
                first = end
            return reached.begun
        if len(data) < size:
            return None
        size *= 4


def _other_readings(machines: Machines) -> list[Config]:
    scanner = machines.table.scanner
    modes = [(scanner.quote, Mode.QUOTED), (scanner.bare_escape, Mode.BARE)]
    return [scanner.start._replace(mode=mode) for special, mode in modes if special]


def _start(machines: Machines, at: int) -> ScanPoint:
    return ScanPoint(at, machines.table.start, at)


def _after_line_end(machines: Machines, read: Read, begin: int, limit: int) -> int | None:
    """The byte after the first line end."""
    ends = sorted(machines.table.scanner.ends, key=lambda end: (b"\n" not in end, len(end)))
    last = ends[0]
    size = _WINDOW
    while True:
        stop = min(begin + size, limit)
        data = read(begin, stop)
        found = data.find(last)
        if found >= 0:
            return begin + found + len(last)
        if begin + len(data) < stop or stop == limit:
            break
        size *= 4
    if len(ends) < 2 or last != b"\n" or b"\r" not in ends:
        return None
    found = data.find(b"\r", 0, len(data) - 1)  # there is no line feed in `data`
    return None if found < 0 else begin + found + 1


def _next_row(machines: Machines, read: Read, point: ScanPoint, limit: int) -> int | None:
    """Where the next row begins, if that is before `limit`."""
    size = _WINDOW
    while True:
        data = read(point.at, point.at + size)
        block, reached = scan(machines, data, point.at, point, max_rows=1)
        if block.rows:
            return reached.begun if reached.begun < limit else None
        if len(data) < size or point.at + size >= limit:
            return None
        size *= 4


def _keeps(machines: Machines, read: Read, at: int) -> bool | None:
    """Does a row begin here that is not blank? `None` if it is blank, `False` at the end."""
    size = _WINDOW
    while True:
        data = read(at, at + size)
        block, reached = scan(machines, data, at, _start(machines, at), max_rows=1)
        if block.rows:
            return None if _is_blank(machines, block) else True
        if block.cells:
            return True
        ended = finish(machines, reached)
        if len(data) < size:
            return (None if _is_blank(machines, ended) else True) if ended.rows else False
        # The row as far as it has been read; pending bytes may still turn out to be a comment.
        is_decided = not machines.table.config_at(reached.state).pending
        if is_decided and ended.rows and not _is_blank(machines, ended):
            return True
        size *= 4


def _is_blank(machines: Machines, block: Block) -> bool:
    """Is the first row of a block blank?"""
    return int(block.row_cells[0]) == 1 and bool(machines.blanks()[int(block.letters[0])])
