"""Schemas that walk up or left: rows are held until what they ask is decided.

In: a `Program` with something to resolve, the blocks of a file, the size of its table. Out: the
same `Walk` as a stream gives. The width is known beforehand. Where all paths that need it stay
within rows, each block is decided for itself; where one goes up, the table is held whole, as a few
numbers a cell, in memory; the letters of more than `backend.MAX_HELD` cells in a temporary file.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from sculpt.automata.resolve import Resolver
from sculpt.engines.blocks import Block
from sculpt.engines.program import Program
from sculpt.engines.walk import Walk


@dataclass(frozen=True, slots=True)
class Size:
    """The size of a table; blank rows that do not count may be among the rows."""

    rows: int
    width: int


def walk_buffered(program: Program, blocks: Iterator[Block], size: Size, walk: Walk) -> None:
    """Walk through all blocks of a file."""
    resolver = Resolver(program.resolution, program.table, program.backend)
    whole = _without_last_blanks(program, _whole_rows(program, blocks))
    if program.resolution.is_within_rows:
        for block in whole:
            table = _Table(program, Size(block.rows, size.width))
            table.add(block)
            table.walk(resolver, walk)
    else:
        table = _Table(program, size)
        for block in whole:
            table.add(block)
        table.walk(resolver, walk)


def _whole_rows(program: Program, blocks: Iterator[Block]) -> Iterator[Block]:
    """The same cells in blocks that end with rows: a cut row goes to the block in which it ends."""
    begun: Any = None
    for block in blocks:
        letters, ends, cells = block.letters, block.row_cells, block.cells
        if begun is not None and len(begun):
            letters = program.backend.joined(begun, letters[:cells])
            ends = program.backend.signed(int(end) + len(begun) for end in ends[: block.rows])
            cells += len(begun)
        last = int(ends[block.rows - 1]) if block.rows else 0
        begun = letters[last:cells]
        if block.rows:
            yield replace(block, letters=letters, row_cells=ends, cells=last)


def _without_last_blanks(program: Program, blocks: Iterator[Block]) -> Iterator[Block]:
    waiting: list[Block] = []
    for block in blocks:
        rows, tail = block.without_blank_tail(program, program.blanks(), goes_on=False)
        if rows.rows:
            yield from waiting
            waiting = []
            yield rows
        if tail is not None:
            waiting.append(tail)


class _Table:
    """Rows of a fixed width, one letter a cell."""

    def __init__(self, program: Program, size: Size) -> None:
        self.program = program
        self.width = size.width
        self.letters = program.backend.many(max(1, size.rows * size.width))
        self.starts = program.backend.zeros(size.rows + 1)
        self.rows = 0

    def add(self, block: Block) -> None:
        """Put rows below the others."""
        program = self.program
        skips = program.task.schema.dialect.blank_rows == "skip"
        self.rows = program.backend.pad_rows(
            block.letters,
            block.row_cells,
            block.row_starts,
            block.rows,
            block.base,
            program.blanks(),
            skips,
            self.width,
            self.letters,
            self.starts,
            self.rows,
        )

    def walk(self, resolver: Resolver, walk: Walk) -> None:
        """Decide what must be decided, and walk through all rows."""
        if self.rows == 0:
            return
        resolver.resolve(self.letters, self.rows, self.width, walk.row + 1)
        ends = self.program.backend.signed(self.width * (row + 1) for row in range(self.rows))
        cells = self.rows * self.width
        walk.walk_rows(Block(self.letters, ends, self.starts, self.rows, cells, 0))
