"""Schemas that walk left, or up by a bounded number of rows: strips with look-ahead.

In: `Machines` with nodes to decide, and the blocks of a file. Out: a `Walk` that has gone through
the file. Padded rows are collected until there is a strip and, below it, its look-ahead: the rows
that can affect it (`Decisions.ahead`). The nodes of the strip are decided, and the walk goes
through its own rows. Threads decide strips ahead of the walk, unless a node goes down: then the
walks that leave a strip must be known before the next one is decided.

The width of the table is taken from its first rows, unless it has been measured. A wider row stops
the run with `WidthNeededError`. Memory: a strip and its look-ahead, and one more per thread.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

from sculpt.automata.resolver import Resolver, Strip, StripTraffic
from sculpt.core.facts.decisions import Motion
from sculpt.engines.machines import Machines
from sculpt.engines.pool import work_ahead
from sculpt.engines.scan.blocks import Block
from sculpt.engines.walk.walk import Walk, WidthNeededError
from sculpt.values import frozen, replace

STRIP_CELLS = 1 << 17
"""About how many cells a strip has; but it has at least a row, and as many as its look-ahead."""


def walk_strips(
    machines: Machines,
    blocks: Iterator[Block],
    walk: Walk,
    cells: int = STRIP_CELLS,
    threads: int = 1,
) -> Iterator[None]:
    """Walk through all blocks of a file; yields after each strip."""
    return walk_counted(machines, counted_rows(machines, blocks), walk, cells, threads)


def walk_counted(
    machines: Machines,
    blocks: Iterator[Block],
    walk: Walk,
    cells: int = STRIP_CELLS,
    threads: int = 1,
) -> Iterator[None]:
    """Walk through blocks of whole rows, all of which count; yields after each strip."""
    strips = strips_of(machines, blocks, walk, cells)
    decider, nodes = Decider(machines), range(len(machines.decisions.nodes))
    if threads > 1 and not {Motion.DOWN, Motion.BOTH} & {*machines.decisions.motions}:
        works = (partial(decider.block, each, nodes) for each in strips)
        with contextlib.closing(work_ahead(works, threads)) as decided:
            for block in decided:
                walk.walk_rows(block)
                yield
        return
    entering: dict[int, StripTraffic] = {}
    for each in strips:
        leaving = decider.decide(each.strip, nodes, entering)
        entering = {number: StripTraffic(traffic.down) for number, traffic in leaving.items()}
        walk.walk_rows(decider.block(each, ()))
        yield


def counted_rows(
    machines: Machines, blocks: Iterator[Block], goes_on: Callable[[], bool] = lambda: False
) -> Iterator[Block]:
    """The same cells in blocks of whole rows, without the blank rows at the end of the file.

    If the file `goes_on` after all blocks, a row follows, so these blank rows are kept.
    """
    waiting: list[Block] = []
    for block in whole_rows(machines, blocks):
        rows, tail = block.without_blank_tail(machines, machines.blanks(), goes_on=False)
        if rows.rows:
            yield from waiting
            waiting = []
            yield rows
        if tail is not None:
            waiting.append(tail)
    if goes_on():
        yield from waiting


def whole_rows(machines: Machines, blocks: Iterator[Block]) -> Iterator[Block]:
    """The same cells in blocks of whole rows: a row belongs to the block in which it ends."""
    backend = machines.backend
    begun: list[Any] = []
    places: list[Any] = []
    for block in blocks:
        cells = block.cells
        if block.rows == 0:
            begun.append(backend.copied(block.letters[:cells]))
            places.append(block.copied_places(machines, 0, cells))
            continue
        before = sum(map(len, begun))
        if before:
            ends = backend.copied(block.row_cells[: block.rows])
            backend.shift_numbers(ends, block.rows, before)
            letters = backend.joined([*begun, block.letters[:cells]])
            block = replace(block, letters=letters, row_cells=ends)
            if block.places is not None:
                block.places = backend.joined([*places, block.places[: 2 * cells]])
            cells += before
        last = int(block.row_cells[block.rows - 1])
        begun = [backend.copied(block.letters[last:cells])]
        places = [block.copied_places(machines, last, cells)]
        yield replace(block, cells=last)


def size_of_block(machines: Machines, block: Block) -> tuple[int, int]:
    """How many rows of a block count, and its width; all its rows must be whole."""
    backend, skips = machines.backend, skips_blanks(machines)
    width = backend.widest(block.row_cells, block.rows, block.cells)
    rows = backend.count_rows(
        block.letters, block.row_cells, 0, block.rows, machines.blanks(), skips
    )
    return int(rows), int(width)


def strip_rows(cells: int, width: int, ahead: int = 0) -> int:
    """How many rows a strip of about `cells` cells has."""
    return max(1, ahead, cells // max(1, width))


class Padded:
    """Rows padded to one width, one letter per cell, and where each row begins in the file."""

    def __init__(self, machines: Machines, width: int, room: int) -> None:
        self.machines = machines
        self.width = width
        self.room = room
        self.letters = machines.backend.small(max(1, room * width))
        self.starts = machines.backend.zeros(room + 1)
        self.notes = machines.table.notes_texts
        self.places = machines.backend.zeros(max(1, 2 * room * width) if self.notes else 1)
        """Where the texts of cells begin and end, if that is noted; -1 for padding."""
        self.rows = 0

    def add(self, block: Block, first: int, last: int) -> None:
        """Append the rows of a block that count."""
        machines = self.machines
        self.rows = machines.backend.pad_rows(
            block.letters,
            block.row_cells,
            block.row_starts,
            first,
            last,
            block.base,
            machines.blanks(),
            skips_blanks(machines),
            self.width,
            self.letters,
            self.starts,
            self.rows,
            self.notes,
            block.places if self.notes else self.places,
            self.places,
        )

    def take(self, rows: int, first_row: int) -> StripRows:
        """Take out a strip of the first rows; those after them are its look-ahead, and stay."""
        copied, own, all_cells = self.machines.backend.copied, rows * self.width, self._cells
        letters = copied(self.letters[: max(1, all_cells)])
        starts = copied(self.starts[: rows + 1])
        places = copied(self.places[: 2 * own]) if self.notes else None
        strip = Strip(letters, rows, self.rows, self.width, first_row)
        self.letters[: all_cells - own] = copied(self.letters[own:all_cells])
        self.starts[: self.rows - rows] = copied(self.starts[rows : self.rows])
        if self.notes:
            kept = copied(self.places[2 * own : 2 * all_cells])
            self.places[: len(kept)] = kept
        self.rows -= rows
        return StripRows(strip, starts, places)

    def strip(self, first_row: int) -> StripRows:
        """All rows as one strip, which shares their arrays."""
        strip = Strip(self.letters, self.rows, self.rows, self.width, first_row)
        return StripRows(strip, self.starts, self.places if self.notes else None)

    @property
    def _cells(self) -> int:
        return self.rows * self.width


def skips_blanks(machines: Machines) -> bool:
    """Are blank rows left out?"""
    return machines.task.schema.dialect.blank_rows == "skip"


@frozen(slots=False)
class StripRows:
    """A strip, and where its own rows and the texts of their cells begin in the file."""

    strip: Strip
    starts: Any
    places: Any = None


class Decider:
    """Decides the nodes of strips, for several threads at once."""

    def __init__(self, machines: Machines) -> None:
        self.machines = machines
        self._resolvers: list[Resolver] = []
        """A resolver remembers what letters become; a thread takes one that no other one uses."""
        self._ends: tuple[int, int, Any] | None = None

    def decide(
        self, strip: Strip, numbers: Iterable[int], entering: dict[int, StripTraffic]
    ) -> dict[int, StripTraffic]:
        """Decide nodes, given the walks that enter the strip; returns those that leave it."""
        machines = self.machines
        try:
            resolver = self._resolvers.pop()
        except IndexError:
            tokens = dict(machines.task.schema.tokens)
            resolver = Resolver(machines.decisions, tokens, machines.table, machines.backend)
        none = StripTraffic()
        found = {
            number: resolver.decide(number, strip, entering.get(number, none)) for number in numbers
        }
        self._resolvers.append(resolver)
        return found

    def block(
        self,
        rows: StripRows,
        numbers: Iterable[int],
        entering: dict[int, StripTraffic] | None = None,
    ) -> Block:
        """A strip's own rows as a block whose letters hold all decisions, once these are made."""
        strip = rows.strip
        self.decide(strip, numbers, entering or {})
        count, width = strip.rows, strip.width
        known = self._ends
        if known is None or known[:2] != (count, width):
            ends = self.machines.backend.signed(range(width, count * width + 1, width))
            known = self._ends = (count, width, ends)
        places = rows.places
        return Block(strip.letters, known[2], rows.starts, count, count * width, 0, places=places)


def strips_of(
    machines: Machines, blocks: Iterator[Block], walk: Walk, cells: int
) -> Iterator[StripRows]:
    """The rows of blocks in strips, each with its look-ahead."""
    ahead = int(machines.decisions.ahead)
    padded: Padded | None = None
    rows, first_row = 0, walk.row + 1
    for block in blocks:
        widest = int(machines.backend.widest(block.row_cells, block.rows, block.cells))
        if not walk.is_exact:
            walk.fix_width(widest)
        if widest > walk.width:
            raise WidthNeededError
        if padded is None:
            rows = strip_rows(cells, walk.width, ahead)
            padded = Padded(machines, walk.width, rows + ahead)
        first = 0
        while first < block.rows:
            last = min(block.rows, first + padded.room - padded.rows)
            padded.add(block, first, last)
            first = last
            if padded.rows == padded.room:
                yield padded.take(rows, first_row)
                first_row += rows
    while padded is not None and padded.rows:
        rows = min(rows, padded.rows)
        yield padded.take(rows, first_row)
        first_row += rows
