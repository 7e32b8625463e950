"""Walks that start at a waypoint: the marks, the hits and the next place of something.

In: a `Route`, its data. Out: for some rows, the marks of their cells and the hits in them
(`RowFacts`); or the first place after another that has a mark or a violation. A quiet walk goes
from the waypoint to the first of the rows; then walks over these rows alone note what is asked for.

Invariant: marks and hits are those of a walk through the whole file. Cost: one scan and walk of at
most the rows of a waypoint, and a look at each cell that is asked for. Memory: a piece of the data;
for the rows that are asked for, a strip of letters and events.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterator
from typing import Any, TypeAlias

from sculpt.automata.cell_machine import Taken
from sculpt.automata.resolver import Strip, StripTraffic
from sculpt.engines.chunks.spans import start_of_row
from sculpt.engines.data import Data
from sculpt.engines.machines import Machines
from sculpt.engines.scan.blocks import Block
from sculpt.engines.scan.decided import finish, scan_all
from sculpt.engines.walk.strips import (
    STRIP_CELLS,
    Decider,
    Padded,
    StripRows,
    counted_rows,
    skips_blanks,
    strip_rows,
)
from sculpt.engines.walk.walk import Edge, Hit, Walk
from sculpt.engines.waypoints.edges import Mark, Marks
from sculpt.engines.waypoints.route import Route
from sculpt.kernels.loops.walking import walk_arrays as k
from sculpt.values import field, frozen, mutable, replace

Place: TypeAlias = tuple[int, int]

PIECE = 1 << 20
"""How many bytes are read and scanned at once."""
AFTER = 1 << 14
"""The same, after the rows of a waypoint."""


@frozen
class RowFacts:
    """What walks over some rows have found."""

    first_row: int
    starts: list[int]
    """By row: where it begins in the data."""
    marks: list[list[Marks]]
    """By row and column of those that were asked for."""
    hits: list[Hit]
    """Those of violations, in the columns that were asked for or at the end of a row."""


@frozen
class StepRows:
    """Some rows of full width, and the step of each of their cells."""

    first_row: int
    starts: Any
    """By row: where it begins in the data."""
    steps: Any
    """By cell: the number of its step, counted from 1."""
    taken: list[tuple[int, list[Taken]]]
    """Up to which cell: the steps by number."""


@mutable
class _MarkingWalk(Walk):
    """A walk over whole rows that notes the step of each cell."""

    _forgotten: list[tuple[int, list[Taken]]] = field(init=False, default_factory=list)
    """Up to which cell: the steps by number, before they were forgotten."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.regs[k.W_KEEPS] = False  # no hits are stored, so their room cannot run out

    def marks(self, block: Block, columns: range) -> list[list[Marks]]:
        """The marks of the cells in some columns of a block of full width."""
        stretches = self.noted(block)
        width, count = int(self.regs[k.W_WIDTH]), len(columns)
        known: dict[tuple[int, int], Marks] = {}
        rows: list[list[Marks]] = []
        for begin in range(columns.start - 1, columns.start - 1 + block.rows * width, width):
            row: list[Marks] = []
            for at, entry in enumerate(self.buffer[begin : begin + count], begin):
                part = self._stretch(stretches, at) if len(stretches) > 1 else 0
                key = (part, int(entry))
                if key not in known:
                    known[key] = Marks.of_step(stretches[part][1][int(entry) - 1])
                row.append(known[key])
            rows.append(row)
        return rows

    def first(self, block: Block, mark: Mark, begin: int) -> int | None:
        """The first cell of a block of full width, from one on, that has a mark."""
        for last, steps in self.noted(block):
            wanted = {
                entry for entry, taken in enumerate(steps, 1) if Marks.of_step(taken).has(mark)
            }
            if wanted:
                for at, entry in enumerate(self.buffer[begin:last], begin):
                    if entry in wanted:
                        return at
            begin = max(begin, last)
        return None

    def _stretch(self, stretches: list[tuple[int, list[Taken]]], at: int) -> int:
        return next(ix for ix, (last, _) in enumerate(stretches) if at < last)

    def noted(self, block: Block) -> list[tuple[int, list[Taken]]]:
        """Note the steps of all cells: up to which cell, what the numbers of steps mean."""
        self.regs[k.W_MARKS] = k.EACH_MARKED
        self.buffer = self.machines.backend.zeros(max(1, block.cells))
        self.walk_rows(block)
        return [*self._forgotten, (block.cells, self.machines.navigator.taken)]

    def _forget(self) -> None:
        """Keep the steps first, since others will have their numbers."""
        self._forgotten.append((int(self.regs[k.W_CELL]), self.machines.navigator.taken))
        super()._forget()


@mutable
class _FindingWalk(Walk):
    """A walk that keeps only hits in some columns, or at the end of a row."""

    columns: range = range(1, k.ENDLESS)

    def drain(self) -> None:
        """Move the hits that are wanted out of the kernel's buffer, and drop the others."""
        regs, size = self.regs, k.HIT_SIZE
        stored = int(regs[k.W_STORED])
        columns, kept = self.columns, 0
        for ix, column in enumerate(self.buffer[k.HIT_COLUMN : stored * size : size]):
            if column == 0 or column in columns:
                if kept < ix:
                    self.buffer[kept * size : (kept + 1) * size] = self.buffer[
                        ix * size : (ix + 1) * size
                    ]
                kept += 1
        regs[k.W_STORED] = kept
        super().drain()


class Replay:
    """The rows of a file that was walked through once."""

    def __init__(self, route: Route, data: Data) -> None:
        self.route = route
        self.machines: Machines = route.machines
        self.data = data
        self._starts = [waypoint.above for waypoint in route.waypoints]
        self._decider = Decider(self.machines)

    def at_row(self, row: int) -> int:
        """The number of the waypoint that a row belongs to."""
        return max(0, bisect_right(self._starts, row - 1) - 1)

    # ------------------------------------------------------------- what is asked for

    def facts(self, rows: range, columns: range, violations: bool = True) -> Iterator[RowFacts]:
        """The marks of cells and the hits in some rows, a strip at a time."""
        row = rows.start
        while row < rows.stop:
            ix = self.at_row(row)
            stop = min(rows.stop, self.route.rows_of(ix).stop)
            wants = violations and self.route.waypoints[ix].count > 0
            yield from self._facts(ix, range(row, stop), columns, wants)
            row = stop

    def _facts(self, ix: int, rows: range, columns: range, wants: bool) -> Iterator[RowFacts]:
        for at, strip in self._strips(ix, rows):
            block = strip.block
            walk = self._walk(_MarkingWalk, at)
            marks = walk.marks(block, columns)
            hits: list[Hit] = []
            if wants:
                walk = self._walk(_FindingWalk, at, keeps_all=True, columns=columns)
                walk.walk_rows(block)
                hits = walk.taken()
            at.after(walk)
            starts = [int(start) for start in block.row_starts[: block.rows]]
            yield RowFacts(strip.first_row, starts, marks, hits)

    def steps(self, rows: range) -> Iterator[StepRows]:
        """The steps of all cells in some rows, a strip at a time."""
        row = rows.start
        while row < rows.stop:
            ix = self.at_row(row)
            stop = min(rows.stop, self.route.rows_of(ix).stop)
            for at, strip in self._strips(ix, range(row, stop)):
                block = strip.block
                walk = self._walk(_MarkingWalk, at)
                taken = walk.noted(block)
                starts, steps = block.row_starts[: block.rows], walk.buffer[: block.cells]
                yield StepRows(strip.first_row, starts, steps, taken)
                at.after(walk)
            row = stop

    def first_mark(self, ix: int, mark: Mark, after: Place) -> Place | None:
        """The first place after another, in the rows of a waypoint, that has a mark."""
        rows, width = self.route.rows_of(ix), self.route.width
        for at, strip in self._strips(ix, range(max(rows.start, after[0]), rows.stop)):
            begin = min(after[1], width) if strip.first_row == after[0] else 0
            walk = self._walk(_MarkingWalk, at)
            found = walk.first(strip.block, mark, begin)
            if found is not None:
                return strip.first_row + found // width, found % width + 1
            at.after(walk)
        return None

    def first_violation(self, ix: int, after: Place) -> Place | None:
        """The first place after another, in the rows of a waypoint, that has a violation.

        One that names no column is at the last one.
        """
        rows, width = self.route.rows_of(ix), self.route.width
        begin = max(rows.start, after[0])
        for at, strip in self._strips(ix, range(begin, rows.stop), begin == after[0]):
            is_alone = strip.first_row == after[0]
            walk = self._walk(_FindingWalk, at, limit=1, keeps_all=is_alone)
            walk.walk_rows(strip.block)
            places = [(hit.row, hit.column or width) for hit in walk.taken()]
            place = min((each for each in places if each > after), default=None)
            if place is not None:
                return place
            at.after(walk)
        return None

    # ------------------------------------------------------------- walks

    def _walk(self, kind: Any, at: _Position, limit: int = 0, **options: Any) -> Any:
        """A walk from a position; steps may have been forgotten since that was reached."""
        walk = kind(
            self.machines,
            limit,
            above=at.edge.boundary(self.machines),
            is_exact=True,
            before=at.rows,
            **options,
        )
        for ix, value in enumerate(at.firsts):
            walk.firsts[ix] = value
        return walk

    def _strips(
        self, ix: int, rows: range, first_alone: bool = False
    ) -> Iterator[tuple[_Position, _PaddedRows]]:
        """Some rows of a waypoint, in strips of full width, with the position above the first.

        The caller moves the position on. With `first_alone`, the first row is a strip by itself.
        """
        at = self._position(ix)
        width = self.route.width
        room = strip_rows(STRIP_CELLS, width)
        quiet: Walk | None = self._walk(Walk, at)
        number = self.route.waypoints[ix].above
        for block in self._blocks(ix):
            begin = 0
            count = self._count(block, 0, block.rows)
            if quiet is not None:
                if number + count < rows.start:
                    quiet.walk_rows(block)
                    number += count
                    continue
                begin = self._split(block, rows.start - 1 - number)
                if begin:
                    cells = int(block.row_cells[begin - 1])
                    quiet.walk_rows(replace(block, rows=begin, cells=cells, kept=()))
                number = rows.start - 1
                at.after(quiet)
                quiet = None
            while begin < block.rows and number + 1 < rows.stop:
                most = 1 if first_alone else min(room, rows.stop - 1 - number)
                padded = Padded(self.machines, width, most)
                end = min(block.rows, begin + most)
                padded.add(block, begin, end)
                begin = end
                if padded.rows:
                    first_alone = False
                    yield at, _PaddedRows(number + 1, self._whole(padded))
                    number += padded.rows
            if number + 1 >= rows.stop:
                return

    def _whole(self, padded: Padded) -> Block:
        """Padded rows as a block; their nodes have been decided."""
        rows, width = padded.rows, padded.width
        ends = self.machines.backend.signed(range(width, rows * width + 1, width))
        return Block(padded.letters, ends, padded.starts, rows, rows * width, 0)

    def _position(self, ix: int) -> _Position:
        waypoint = self.route.waypoints[ix]
        firsts = [0] * (3 * len(self.machines.navigator.notices))
        for notice, place in waypoint.firsts:
            firsts[3 * notice : 3 * notice + 3] = place
        return _Position(waypoint.above, self.route.edge(ix), firsts)

    def _count(self, block: Block, first: int, last: int) -> int:
        """How many of the rows of a block count."""
        if not skips_blanks(self.machines):
            return last - first
        arrays = block.letters, block.row_cells, first, last, self.machines.blanks(), True
        return int(self.machines.backend.count_rows(*arrays))

    def _split(self, block: Block, rows: int) -> int:
        """How many rows of a block hold exactly this many rows that count."""
        if not skips_blanks(self.machines):
            return rows
        low, high = 0, block.rows
        while low < high:
            middle = (low + high) // 2
            if self._count(block, 0, middle) < rows:
                low = middle + 1
            else:
                high = middle
        return low

    # ------------------------------------------------------------- letters

    def _blocks(self, ix: int) -> Iterator[Block]:
        """The rows of a waypoint that count, in blocks of whole rows whose nodes are decided."""
        waypoint = self.route.waypoints[ix]
        if not self.machines.decisions.nodes:
            return counted_rows(self.machines, self._scanned(waypoint.begin, waypoint.end))
        return iter([self._decided(ix)] if self.route.rows_of(ix) else [])

    def _decided(self, ix: int) -> Block:
        """The rows of a waypoint as one block of full width, with all nodes decided."""
        machines, waypoint, rows = self.machines, self.route.waypoints[ix], self.route.rows_of(ix)
        ahead = machines.decisions.ahead
        room = len(rows) + (int(ahead) if ahead < math.inf else 0)
        padded = Padded(machines, self.route.width, room)
        for block in counted_rows(machines, self._scanned(waypoint.begin, waypoint.end)):
            first = 0
            while first < block.rows and padded.rows < room:
                last = min(block.rows, first + room - padded.rows)
                padded.add(block, first, last)
                first = last
            if padded.rows == room:
                break
        unpacked = machines.backend.unpacked
        entering = {
            number: StripTraffic(down and unpacked(down), up and unpacked(up))
            for number, down, up in waypoint.entering
        }
        strip = Strip(padded.letters, len(rows), padded.rows, padded.width, rows.start)
        nodes = range(len(machines.decisions.nodes))
        return self._decider.block(StripRows(strip, padded.starts), nodes, entering)

    def _scanned(self, begin: int, end: int | None) -> Iterator[Block]:
        """The letters from a row on, to the end of the data; the caller stops when it has enough.

        The last of the rows that are needed ends near `end`: only what follows it may show that.
        """
        machines, data = self.machines, self.data
        point, at = start_of_row(machines, begin), begin
        while True:
            size = min(PIECE, end - at) if end is not None and at < end else AFTER
            piece = data.window(at, at + size)
            while point.at < at + len(piece):
                scanned, point = scan_all(machines, piece, at, point)
                yield from scanned
                machines.buffers.recycle(scanned)
            at += len(piece)
            if len(piece) < size:
                yield finish(machines, point)
                return


@mutable
class _Position:
    """Where walks over some rows start from."""

    rows: int
    """The number of rows above."""
    edge: Edge
    firsts: Any

    def after(self, walk: Walk) -> None:
        """Move on to where a walk has ended."""
        self.rows, self.edge = self.rows + walk.row, walk.edge()
        self.firsts = walk.firsts


@frozen
class _PaddedRows:
    """Some rows, padded to the width of the table."""

    first_row: int
    block: Block
