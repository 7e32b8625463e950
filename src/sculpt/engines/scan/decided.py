"""The letters that walks read: those of a scan, with every open letter decided.

In: what `lanes` and `blocks` scan. Out: the same blocks. An *open letter* stands for a cell with a
text of which only its value can tell what it matches (`core.ir.CoreToken.ask`). Here, and nowhere
else, the text of such a cell is taken, `holds` is asked, and the letter is replaced by that of the
tokens that do match. So nothing that follows knows of open letters.

Rows with open letters are scanned again by a scanner that looks for no token, but notes where texts
are. The text of a cell may have begun in bytes that were scanned earlier: the point of a scan keeps
these bytes (`Unfinished`), as long as the cell they belong to may still be asked about.

Invariant: the letters depend on the bytes of the data only, however they were cut into blocks.
Cost: without tokens that ask, nothing; a block without open letters, one look at its letters; the
answers for `MAX_KNOWN` short texts are remembered. Memory: a block, and a cell that may be asked
about.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any, NamedTuple

from sculpt.automata.scanner import STRAY, UNCLOSED, Config
from sculpt.automata.texts.states import Outcome, TextState
from sculpt.engines.machines import Asked, Hints, Machines
from sculpt.engines.scan import blocks as raw
from sculpt.engines.scan import lanes
from sculpt.engines.scan.blocks import Block, ScanPoint, Unfinished
from sculpt.engines.scan.contents import Contents
from sculpt.values import replace

MAX_KNOWN = 100_000
MAX_KNOWN_SIZE = 256
"""Answers are remembered for texts of at most this many bytes."""
GROUP = 1 << 18
"""Rows are scanned again together up to about this many bytes."""
APART = 1 << 12
"""Rows with open letters that begin further apart are scanned again on their own."""
AHEAD = 1 << 10
"""How many bytes after a row may be needed to see where it ends."""
MAX_UNFINISHED = 1 << 23
"""A row of more bytes is no longer kept from its start, if that can be avoided."""


def scan_all(
    machines: Machines, data: bytes | bytearray, base: int, point: ScanPoint
) -> tuple[tuple[Block, ...], ScanPoint]:
    """The letters of a chunk, from a point on: see `lanes.scan_all`."""
    blocks, reached = lanes.scan_all(machines, data, base, point)
    if machines.asked is None:
        return blocks, reached
    return blocks, _Decider(machines, machines.asked, data, base, point).run(blocks, reached)


def row_end(
    machines: Machines, data: bytes | bytearray, base: int, point: ScanPoint
) -> Block | None:
    """The end of a row that only the next byte shows: see `blocks.row_end`."""
    block = raw.row_end(machines, data, base, point)
    if block is not None and machines.asked is not None:
        _Decider(machines, machines.asked, data, base, point).run([block], None)
    return block


def finish(machines: Machines, point: ScanPoint) -> Block:
    """The cells and the row that end with the file: see `blocks.finish`."""
    block = raw.finish(machines, point)
    if machines.asked is not None:
        _Decider(machines, machines.asked, b"", point.at, point, is_end=True).run([block], None)
    return block


class _Cell(NamedTuple):
    """An open letter, and where its text is to be found."""

    block: Block
    cell: int
    start: int
    """Where its row begins."""
    number: int
    """How many cells end before it in its row, or in the bytes that are kept."""
    end: int
    """About where its row ends."""


class _Decider:
    """Decides the open letters of blocks that were scanned together."""

    def __init__(
        self,
        machines: Machines,
        asked: Asked,
        data: bytes | bytearray,
        base: int,
        point: ScanPoint,
        is_end: bool = False,
    ) -> None:
        self.machines, self.asked = machines, asked
        self.data, self.base, self.point = data, base, point
        self.is_end = is_end
        """Does the file end with the data?"""

    def run(self, blocks: Sequence[Block], reached: ScanPoint | None) -> ScanPoint:
        """Decide; returns the point that was reached, with the bytes to keep."""
        found, some = list[_Cell](), False
        in_row = self.point.unfinished.cells if self.point.unfinished is not None else 0
        for block in blocks:
            found += self._open_cells(block, in_row)
            some = some or block.cells > 0
            if block.rows:
                in_row = block.cells - int(block.row_cells[block.rows - 1])
            else:
                in_row += block.cells
        early = [each for each in found if each.start < self.point.at]
        if early:
            self._decide_early(early)
        for group in _groups(each for each in found if each.start >= self.point.at):
            self._decide_group(group)
        if reached is None:
            return self.point
        return replace(reached, unfinished=self._unfinished(reached, in_row, some))

    def _open_cells(self, block: Block, in_row: int) -> Iterator[_Cell]:
        """The open letters of a block; `in_row` cells of its first row came before it."""
        letters = block.letters[: block.cells]
        row, first, last = -1, 0, 0
        for cell in self.machines.backend.where(self.machines.open(), letters):
            while cell >= last:
                row, first = row + 1, last
                last = int(block.row_cells[row]) if row < block.rows else block.cells
            start = block.base + int(block.row_starts[row])
            end = len(self.data) + self.base
            if row < block.rows:
                end = block.base + int(block.row_starts[row + 1])
            yield _Cell(block, cell, start, cell - first + (0 if row else in_row), end)

    # ------------------------------------------------------------- texts

    def _decide_early(self, cells: list[_Cell]) -> None:
        """Decide cells of the row that began in earlier bytes."""
        unfinished = self.point.unfinished
        assert unfinished is not None, "the row began before the data, and no bytes were kept"
        pieces = [self._bytes(self.point.at, max(cell.end for cell in cells) + AHEAD)]
        each: Unfinished | None = unfinished
        while each is not None:
            pieces.append(each.data)
            each = each.before
        window = b"".join(reversed(pieces))
        places, _ = self._places(window, unfinished.at, unfinished.state)
        for cell in cells:
            begin, end = places[2 * cell.number], places[2 * cell.number + 1]
            self._decide(cell, window[int(begin) - unfinished.at : int(end) - unfinished.at])

    def _decide_group(self, cells: list[_Cell]) -> None:
        """Decide cells of rows that are close together."""
        begin = cells[0].start
        window = self._bytes(begin, max(cell.end for cell in cells) + AHEAD)
        places, rows = self._places(window, begin, self.asked.table.start)
        for cell in cells:
            at = rows[cell.start] + cell.number
            first, last = int(places[2 * at]) - begin, int(places[2 * at + 1]) - begin
            self._decide(cell, window[first:last])

    def _places(self, window: bytes, at: int, state: int) -> tuple[Any, dict[int, int]]:
        """Where the texts of some bytes are; and by the start of a row, its first cell."""
        machines = replace(self.machines, table=self.asked.table, hints=Hints(), facts={})
        point = ScanPoint(at, state, at, (at, at))
        block, reached = raw.scan(machines, window, at, point)
        copied = machines.backend.copied
        places = copied(block.places[: 2 * block.cells])
        ends = [0, *(int(end) for end in block.row_cells[: block.rows])]
        starts = [at + int(start) for start in block.row_starts[: block.rows + 1]]
        machines.buffers.recycle([block])
        if self.is_end:
            last = raw.finish(machines, reached)
            places = machines.backend.joined([places, last.places[: 2 * last.cells]])
        return places, dict(zip(starts, ends, strict=True))

    # ------------------------------------------------------------- answers

    def _decide(self, cell: _Cell, text: bytes) -> None:
        """Replace the letter of a cell, of which the bytes are given."""
        known, letter = self.asked.known, int(cell.block.letters[cell.cell])
        decided = known.get((letter, text))
        if decided is None:
            decided = self._answer(letter, text)
            if len(text) <= MAX_KNOWN_SIZE:
                if len(known) >= MAX_KNOWN:
                    known.clear()
                known[letter, text] = decided
        cell.block.letters[cell.cell] = decided

    @cached_property
    def _contents(self) -> Contents:
        scanner = self.machines.table.scanner
        return Contents(scanner.dialect, scanner.coding.codec)

    def _answer(self, number: int, text: bytes) -> int:
        table = self.machines.table
        letter, scanner = table.letters[number], table.scanner
        contents = self._contents
        is_plain = contents.is_plain_only or letter.flags & (STRAY | UNCLOSED)
        content = None if is_plain else contents.of(text)
        if content is None:
            content = contents.read(text)
        outcome = scanner.reader.decide(letter.outcome, content)
        return table.letter_id(letter._replace(outcome=outcome))

    # ------------------------------------------------------------- what is kept

    def _unfinished(self, reached: ScanPoint, in_row: int, some: bool) -> Unfinished | None:
        """The bytes of texts that may go on; `in_row` cells ended in the current row so far."""
        table, point, before = self.machines.table, self.point, self.point.unfinished
        if reached.state == table.start:
            return None
        config = table.config_at(reached.state)
        if not table.waiting(reached.state) and not self._may_ask(config):
            return Unfinished(reached.at, self._state(config), 0, None, b"", 0)
        if reached.begun >= point.at:
            data = self._bytes(reached.begun, reached.at)
            return Unfinished(reached.begun, self.asked.table.start, in_row, None, data, len(data))
        assert before is not None, "the row began before the data, and no bytes were kept"
        data = self._bytes(point.at, reached.at)
        if some and before.size > MAX_UNFINISHED and not table.waiting(point.state):
            state = self._state(table.config_at(point.state))
            return Unfinished(point.at, state, in_row - before.cells, None, data, len(data))
        return Unfinished(before.at, before.state, in_row, before, data, before.size + len(data))

    def _bytes(self, begin: int, end: int) -> bytes:
        return bytes(self.data[begin - self.base : end - self.base])

    def _may_ask(self, config: Config) -> bool:
        """May the current cell be asked about?"""
        if config.core is not None and config.core.is_open:
            return True
        return self.machines.table.scanner.reader.may_ask(config.text)

    def _state(self, config: Config) -> int:
        """A state of the scanner, as the one that looks for no token has it."""
        table, text = self.asked.table, config.text
        start = table.scanner.reader.start
        literal = start.literal if text.empty else -1
        plain = TextState(
            text.char, start.alive, start.within, literal, text.empty, text.broken, start.lists
        )
        core = None if config.core is None else Outcome(frozenset(), frozenset())
        return table.offset_of(config._replace(text=plain, core=core))


def _groups(cells: Iterable[_Cell]) -> Iterator[list[_Cell]]:
    """Cells in groups of rows that are close together."""
    group: list[_Cell] = []
    for cell in cells:
        if group and cell.start != group[-1].start:
            far = cell.start - group[-1].end > APART
            if far or cell.end - group[0].start > GROUP:
                yield group
                group = []
        group.append(cell)
    if group:
        yield group
