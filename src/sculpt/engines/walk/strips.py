"""Schemas that walk left, or up by a bounded number of rows: strips with look-ahead.

In: `Machines` with nodes to decide, and the blocks of a file. Out: a `Walk` that has gone through
the file. Padded rows are collected until there is a strip and, below it, its look-ahead: the rows
that can affect it (`Decisions.ahead`). The nodes of the strip are decided, the walk goes through
its own rows, and the walks that leave it downwards enter the next strip. So memory is that of a
strip and its look-ahead.

The width of the table is taken from its first rows, unless it has been measured. A wider row stops
the run with `WidthNeededError`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from sculpt.automata.resolver import Resolver, Strip, StripTraffic
from sculpt.engines.machines import Machines
from sculpt.engines.scan.blocks import Block
from sculpt.engines.walk.walk import Walk, WidthNeededError
from sculpt.values import replace

STRIP_CELLS = 1 << 20
"""About how many cells a strip has; but it has at least a row, and as many as its look-ahead."""


def walk_strips(
    machines: Machines, blocks: Iterator[Block], walk: Walk, cells: int = STRIP_CELLS
) -> Iterator[None]:
    """Walk through all blocks of a file; yields after each."""
    return walk_counted(machines, counted_rows(machines, blocks), walk, cells)


def walk_counted(
    machines: Machines, blocks: Iterator[Block], walk: Walk, cells: int = STRIP_CELLS
) -> Iterator[None]:
    """Walk through blocks of whole rows, all of which count; yields after each."""
    rows: _Collected | None = None
    for block in blocks:
        widest = int(machines.backend.widest(block.row_cells, block.rows, block.cells))
        if not walk.is_exact:
            walk.fix_width(widest)
        if widest > walk.width:
            raise WidthNeededError
        if rows is None:
            rows = _Collected(machines, walk, cells)
        rows.take(block)
        yield
    if rows is not None:
        rows.finish()
        yield


def counted_rows(
    machines: Machines, blocks: Iterator[Block], goes_on: Callable[[], bool] = lambda: False
) -> Iterator[Block]:
    """The same cells in blocks of whole rows, without the blank rows at the end of the file.

    If the file `goes_on` after all blocks, a row follows, so these blank rows are kept.
    """
    waiting: list[Block] = []
    for block in _whole_rows(machines, blocks):
        rows, tail = block.without_blank_tail(machines, machines.blanks(), goes_on=False)
        if rows.rows:
            yield from waiting
            waiting = []
            yield rows
        if tail is not None:
            waiting.append(tail)
    if goes_on():
        yield from waiting


def _whole_rows(machines: Machines, blocks: Iterator[Block]) -> Iterator[Block]:
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

    def drop(self, rows: int) -> None:
        """Forget the first rows."""
        kept = self.rows - rows
        begin, end = rows * self.width, self.rows * self.width
        self.letters[: end - begin] = self.machines.backend.copied(self.letters[begin:end])
        self.starts[:kept] = self.machines.backend.copied(self.starts[rows : self.rows])
        if self.notes:
            places = self.machines.backend.copied(self.places[2 * begin : 2 * end])
            self.places[: len(places)] = places
        self.rows = kept


def skips_blanks(machines: Machines) -> bool:
    """Are blank rows left out?"""
    return machines.task.schema.dialect.blank_rows == "skip"


def strip_block(strip: Strip, padded: Padded) -> Block:
    """A strip's own rows as a block, whose letters hold all decisions."""
    width, cells = strip.width, strip.rows * strip.width
    ends = padded.machines.backend.signed(range(width, cells + 1, width))
    places = padded.places if padded.notes else None
    return Block(strip.letters, ends, padded.starts, strip.rows, cells, 0, places=places)


class _Collected:
    """The rows of the current strip and its look-ahead, as far as they have been read."""

    def __init__(self, machines: Machines, walk: Walk, cells: int) -> None:
        self.machines = machines
        self.walk = walk
        ahead = int(machines.decisions.ahead)
        self.rows = strip_rows(cells, walk.width, ahead)
        self.padded = Padded(machines, walk.width, self.rows + ahead)
        tokens = dict(machines.task.schema.tokens)
        self.resolver = Resolver(machines.decisions, tokens, machines.table, machines.backend)
        self.entering: dict[int, StripTraffic] = {}

    def take(self, block: Block) -> None:
        """Take the next rows."""
        first = 0
        while first < block.rows:
            last = min(block.rows, first + self.padded.room - self.padded.rows)
            self.padded.add(block, first, last)
            first = last
            if self.padded.rows == self.padded.room:
                self._walk(self.rows)

    def finish(self) -> None:
        """Walk through the rows that are left: no row follows."""
        while self.padded.rows:
            self._walk(min(self.rows, self.padded.rows))

    def _walk(self, rows: int) -> None:
        padded, backend = self.padded, self.machines.backend
        letters = backend.copied(padded.letters[: max(1, padded.rows * padded.width)])
        strip = Strip(letters, rows, padded.rows, padded.width, self.walk.row + 1)
        for number in range(len(self.machines.decisions.nodes)):
            entering = self.entering.get(number, StripTraffic())
            self.entering[number] = StripTraffic(self.resolver.decide(number, strip, entering).down)
        self.walk.walk_rows(strip_block(strip, padded))
        padded.drop(rows)
