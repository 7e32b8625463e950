"""Schemas that walk left, or up by a bounded number of rows: strips with look-ahead.

In: a `Program` with something to decide and the blocks of a file. Out: the same `Walk` as a stream
gives. Rows of a fixed width are collected until there is a strip, and below it the rows that can
matter to it (`Decisions.ahead`); its nodes are decided, the walk goes through its own rows, and
what walks down from it comes into the next strip. So memory is a strip and its look-ahead.

The width of the table is that of its first rows, unless it has been measured: a row that is wider
stops the run with `WidthNeededError`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from sculpt.automata.resolve import Resolver, Strip, Walks
from sculpt.engines.blocks import Block
from sculpt.engines.program import Program
from sculpt.engines.walk import Walk, WidthNeededError
from sculpt.values import replace

STRIP_CELLS = 1 << 20
"""A strip has about so many cells; but at least a row, and as many rows as it looks ahead."""


def walk_strips(
    program: Program, blocks: Iterator[Block], walk: Walk, cells: int = STRIP_CELLS
) -> Iterator[None]:
    """Walk through all blocks of a file; a pause after each."""
    return walk_counted(program, counted_rows(program, blocks), walk, cells)


def walk_counted(
    program: Program, blocks: Iterator[Block], walk: Walk, cells: int = STRIP_CELLS
) -> Iterator[None]:
    """Walk through blocks of whole rows, all of which count; a pause after each."""
    rows: _Collected | None = None
    for block in blocks:
        widest = int(program.backend.widest(block.row_cells, block.rows, block.cells))
        if not walk.is_exact:
            walk.fix_width(widest)
        if widest > walk.width:
            raise WidthNeededError
        if rows is None:
            rows = _Collected(program, walk, cells)
        rows.take(block)
        yield
    if rows is not None:
        rows.finish()
        yield


def counted_rows(
    program: Program, blocks: Iterator[Block], goes_on: Callable[[], bool] = lambda: False
) -> Iterator[Block]:
    """The same cells in blocks of whole rows, without the blank rows at the end of the file.

    They are kept if the file `goes_on` after all blocks: then a row follows.
    """
    waiting: list[Block] = []
    for block in _whole_rows(program, blocks):
        rows, tail = block.without_blank_tail(program, program.blanks(), goes_on=False)
        if rows.rows:
            yield from waiting
            waiting = []
            yield rows
        if tail is not None:
            waiting.append(tail)
    if goes_on():
        yield from waiting


def _whole_rows(program: Program, blocks: Iterator[Block]) -> Iterator[Block]:
    """A cut row goes to the block in which it ends."""
    begun: list[Any] = []
    for block in blocks:
        cells = block.cells
        if block.rows == 0:
            begun.append(program.backend.copied(block.letters[:cells]))
            continue
        letters, ends = block.letters, block.row_cells
        before = sum(map(len, begun))
        if before:
            letters = program.backend.joined([*begun, letters[:cells]])
            ends = program.backend.copied(ends[: block.rows])
            program.backend.shift_numbers(ends, block.rows, before)
            cells += before
        last = int(ends[block.rows - 1])
        begun = [program.backend.copied(letters[last:cells])]
        yield replace(block, letters=letters, row_cells=ends, cells=last)


def size_of_block(program: Program, block: Block) -> tuple[int, int]:
    """The rows of a block that count, and the most cells of one; all its rows are whole."""
    backend, skips = program.backend, skips_blanks(program)
    width = backend.widest(block.row_cells, block.rows, block.cells)
    rows = backend.count_rows(
        block.letters, block.row_cells, 0, block.rows, program.blanks(), skips
    )
    return int(rows), int(width)


def strip_rows(cells: int, width: int, ahead: int = 0) -> int:
    """How many rows a strip of about so many cells has."""
    return max(1, ahead, cells // max(1, width))


class Padded:
    """Rows of a fixed width, one letter a cell, and where each begins in the file."""

    def __init__(self, program: Program, width: int, room: int) -> None:
        self.program = program
        self.width = width
        self.room = room
        self.letters = program.backend.small(max(1, room * width))
        self.starts = program.backend.zeros(room + 1)
        self.rows = 0

    def add(self, block: Block, first: int, last: int) -> None:
        """Put rows of a block below the others, those that count."""
        program = self.program
        self.rows = program.backend.pad_rows(
            block.letters,
            block.row_cells,
            block.row_starts,
            first,
            last,
            block.base,
            program.blanks(),
            skips_blanks(program),
            self.width,
            self.letters,
            self.starts,
            self.rows,
        )

    def drop(self, rows: int) -> None:
        """Forget the first rows."""
        kept = self.rows - rows
        begin, end = rows * self.width, self.rows * self.width
        self.letters[: end - begin] = self.program.backend.copied(self.letters[begin:end])
        self.starts[:kept] = self.program.backend.copied(self.starts[rows : self.rows])
        self.rows = kept


def skips_blanks(program: Program) -> bool:
    """Are blank rows left out?"""
    return program.task.schema.dialect.blank_rows == "skip"


def walk_strip(program: Program, strip: Strip, starts: Any, walk: Walk) -> None:
    """Walk through a strip's own rows, whose letters tell all that is decided."""
    width = strip.width
    ends = program.backend.signed(range(width, width * strip.rows + 1, width))
    walk.walk_rows(Block(strip.letters, ends, starts, strip.rows, strip.rows * width, 0))


class _Collected:
    """The rows of the current strip and of its look-ahead, as far as they have been read."""

    def __init__(self, program: Program, walk: Walk, cells: int) -> None:
        self.program = program
        self.walk = walk
        ahead = int(program.decisions.ahead)
        self.rows = strip_rows(cells, walk.width, ahead)
        self.padded = Padded(program, walk.width, self.rows + ahead)
        tokens = dict(program.task.schema.tokens)
        self.resolver = Resolver(program.decisions, tokens, program.table, program.backend)
        self.entering: dict[int, Walks] = {}

    def take(self, block: Block) -> None:
        """The next rows."""
        first = 0
        while first < block.rows:
            last = min(block.rows, first + self.padded.room - self.padded.rows)
            self.padded.add(block, first, last)
            first = last
            if self.padded.rows == self.padded.room:
                self._walk(self.rows)

    def finish(self) -> None:
        """No row follows."""
        while self.padded.rows:
            self._walk(min(self.rows, self.padded.rows))

    def _walk(self, rows: int) -> None:
        padded, backend = self.padded, self.program.backend
        letters = backend.copied(padded.letters[: max(1, padded.rows * padded.width)])
        strip = Strip(letters, rows, padded.rows, padded.width, self.walk.row + 1)
        for number in range(len(self.program.decisions.nodes)):
            entering = self.entering.get(number, Walks())
            self.entering[number] = Walks(self.resolver.decide(number, strip, entering).down)
        walk_strip(self.program, strip, padded.starts, self.walk)
        padded.drop(rows)
