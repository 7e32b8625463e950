"""Entries gathered by threads: chunks of a file, marked ahead, taken in order.

In: a file that can be cut, of a plain dialect, and sides whose selectors go down and right only.
Out: the entries of its chunks, in order. A thread scans a chunk from a cut at which a row seems to
begin, and marks it from the latest edge that is known. If both were right, what it has gathered is
taken as it is; otherwise the chunk is marked again from where its first row begins.

Nothing notes where texts are: the few cells that matter are found from the beginnings of their
rows. That is why the dialect must be plain. Invariant: every assumption is checked, as in
`engines.chunks.fold`. Memory: the bytes, letters and marks of a chunk per thread and one more.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from sculpt.checks.identities.entries import Entries, EntryMaker
from sculpt.checks.identities.sides import Regions, Side, SideCells, SideRows
from sculpt.core.dialect import Dialect
from sculpt.engines.chunks.cuts import can_be_cut, guess_cut
from sculpt.engines.chunks.spans import Cuts, start_of_row
from sculpt.engines.data import Data
from sculpt.engines.machines import Machines, without_collection
from sculpt.engines.options import FIRST_CHUNK, MIN_CHUNK, Options, Progress
from sculpt.engines.pool import work_ahead
from sculpt.engines.regions.marker import MarkingWalk
from sculpt.engines.regions.strip_texts import LocatedTexts, gathered_texts
from sculpt.engines.scan.blocks import Block
from sculpt.engines.scan.decided import finish, row_end, scan_all
from sculpt.engines.walk.strips import whole_rows
from sculpt.engines.walk.walk import Boundary
from sculpt.errors import DataError
from sculpt.tabular.document import decode_piece
from sculpt.tabular.grid import read_grid
from sculpt.values import frozen, replace

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, Any]

CHUNK = 1 << 22
FARTHEST = 8
"""A row of more chunks than this is not read again with each of them."""


class UnsharedError(Exception):
    """The rest of the file must be read in order."""


def can_be_shared(machines: Machines, data: Data) -> bool:
    """Can threads share the chunks of a file, and find its cells without notes?"""
    dialect, size = machines.task.schema.dialect, data.source.size
    return (
        machines.backend.is_compiled
        and not machines.decisions.nodes
        and data.can_be_cut
        and data.codec == "utf-8"
        and size is not None
        and _is_plain(dialect)
        and can_be_cut(machines)
    )


def _is_plain(dialect: Dialect) -> bool:
    """Are rows lines, and cells what one character separates?"""
    delimiter, quote = dialect.col_delim, dialect.quote
    return (
        not dialect.layouts
        and dialect.row_delim is None
        and dialect.comment is None
        and dialect.blank_rows != "skip"
        and delimiter.pattern is None
        and len(delimiter.text) == 1
        and delimiter.text.isascii()
        and (quote is None or quote.isascii())
        and dialect.escape in (None, quote)
    )


@frozen
class GatheredChunk:
    """What a thread has found in a chunk, if its assumptions were right."""

    begin: int
    end: int
    """Where the first row begins that was left to the next chunk."""
    above: Boundary | None
    below: Boundary
    rows: int
    starts: Array
    """By row: where it begins."""
    sides: tuple[SideRows, ...]
    entries: tuple[Entries, ...]
    """By side; their rows count from the first of the chunk."""


class SharedGathering:
    """Gathers the entries of one file by threads."""

    def __init__(
        self,
        machines: Machines,
        data: Data,
        size: tuple[int, int],
        sides: tuple[Side, ...],
        regions: Regions,
        makers: list[EntryMaker],
        options: Options,
    ) -> None:
        self._machines, self._data, self._options = machines, data, options
        self._rows, self._width = size
        self._sides, self._regions, self._makers = sides, regions, makers

    def run(self, threads: int) -> Iterator[GatheredChunk]:
        """The chunks in order, each with true edges."""
        machines, data, size = self._machines, self._data, self._data.source.size
        assert size is not None
        chunk = min(self._options.chunk, CHUNK, max(MIN_CHUNK, size // (16 * threads)))
        bases = [0, *range(min(FIRST_CHUNK, chunk), size, chunk)]
        cuts = Cuts(machines, data, bases, guess_cut)
        at, above, rows = data.skipped, None, 0

        def works() -> Iterator[Callable[[], GatheredChunk | None]]:
            for number in range(1, len(bases)):
                yield partial(self._ahead, cuts, number, above)

        with without_collection():  # nearly all steps are met in the first chunk
            first = self._gathered(at, next(cuts.after(0), size), None, None)
        yield first
        at, above, rows = first.end, first.below, first.rows
        with contextlib.closing(work_ahead(works(), threads)) as prepared:
            for number, found in enumerate(prepared, 1):
                if found is None:
                    continue
                if found.begin != at or found.above != above:
                    end = next(cuts.after(number), size)
                    if end - at > FARTHEST * chunk:
                        raise UnsharedError
                    found = self._gathered(at, end, above, rows)
                at, above, rows = found.end, found.below, rows + found.rows
                yield found
                if self._options.on_progress is not None:
                    self._options.on_progress(Progress(at, size, rows, 0, "running"))
        assert rows == self._rows, (rows, self._rows)

    def _ahead(self, cuts: Cuts, number: int, above: Boundary | None) -> GatheredChunk | None:
        """Gather a chunk from an assumed edge; `None` if no row begins in it."""
        begin = cuts.at(number)
        if begin is None:
            return None
        end = next(cuts.after(number), self._data.source.size)
        assert end is not None
        if above is None or not above.named_rows_done:
            return _nothing(begin)
        return self._gathered(begin, end, above, None)

    def _gathered(
        self, begin: int, end: int, above: Boundary | None, before: int | None
    ) -> GatheredChunk:
        """Gather the rows that begin at a byte, up to another."""
        machines, source = self._machines, self._data.source
        content = source.read_into(begin, machines.buffers.take_bytes(end - begin))
        if len(content) < end - begin:
            raise DataError(f"{source.path}: changed while it was read", source.path)
        blocks, after = self._scanned(content, begin, end)
        walk = MarkingWalk(machines, 0, self._width, above, is_exact=True, before=before)
        cells = ChunkCells(machines, self._regions, self._width, walk)
        waiting: list[Block] = []
        for block in whole_rows(machines, iter(blocks)):
            rows, tail = block.without_blank_tail(machines, machines.blanks(), goes_on=False)
            if rows.rows:
                for each in (*waiting, rows):
                    cells.add(each, walk.mark(each))
                waiting = []
            if tail is not None:
                waiting.append(tail)
        if waiting and end != source.size:  # these blank rows count only if a row follows
            after = waiting[0].base + int(waiting[0].row_starts[0])
        found = self._made(content, begin, cells)
        machines.buffers.recycle(blocks)
        machines.buffers.give_bytes(content)
        facts = (begin, after, above, walk.boundary(), cells.rows, cells.starts)
        return GatheredChunk(*facts, *found)

    def _scanned(self, content: bytes | bytearray, begin: int, end: int) -> tuple[list[Block], int]:
        """The letters of some bytes, and where the row begins that does not end in them."""
        machines, start = self._machines, self._machines.table.start
        blocks: list[Block] = []
        point = start_of_row(machines, begin)
        while point.at < end:
            more, point = scan_all(machines, content, begin, point)
            blocks += more
        if end == self._data.source.size:
            return [*blocks, finish(machines, point)], end
        if point.state == start:
            return blocks, end
        ended = row_end(machines, self._data.window(end, end + 1), end, point)
        return (blocks, point.begun) if ended is None else ([*blocks, ended], end)

    def _made(
        self, content: bytes | bytearray, begin: int, cells: ChunkCells
    ) -> tuple[tuple[SideRows, ...], tuple[Entries, ...]]:
        """The entries of all sides."""
        texts = ChunkTexts(self._machines, content, begin, cells)
        sides = tuple(cells.rows_of(side) for side in self._sides)
        pairs = zip(self._makers, sides, strict=True)
        return sides, tuple(maker.entries(texts, side.cells, 0) for maker, side in pairs)


def _nothing(begin: int) -> GatheredChunk:
    """What is gathered of a chunk if its edge cannot be assumed: it never fits."""
    import numpy as np

    none = Boundary((), -1, -1, False)
    return GatheredChunk(begin, begin, none, none, 0, np.empty(0, np.int64), (), ())


class ChunkCells(SideCells):
    """The marked cells of a chunk: rows as they are, without padding."""

    def __init__(self, machines: Machines, regions: Regions, width: int, walk: MarkingWalk) -> None:
        super().__init__(regions, width, 0)
        self._machines, self._walk = machines, walk
        self._blocks: list[tuple[Any, Array, int]] = []
        """Of each block: the marks, where rows end, and the rows before it."""
        self._starts: list[Array] = []
        self.broken: list[int] = []
        """Rows with a broken cell."""

    def add(self, block: Block, marks: Any) -> None:
        """Add the rows of a block."""
        import numpy as np

        ends = np.array(block.row_cells[: block.rows], np.int64)
        self._blocks.append((marks, ends, self.rows))
        self._starts.append(np.array(block.row_starts[: block.rows], np.int64) + block.base)
        flags = self._machines.broken()
        if any(flags):
            letters = np.asarray(block.letters[: block.cells])
            cells = np.flatnonzero(np.asarray(flags, np.int64)[letters])
            rows = np.searchsorted(ends, cells, side="right") + self.rows
            self.broken += np.unique(rows).tolist()
        self.rows += block.rows

    @cached_property
    def starts(self) -> Array:
        """By row: where it begins in the data."""
        import numpy as np

        return np.concatenate(self._starts) if self._starts else np.empty(0, np.int64)

    def find(self, number: int) -> Array:
        """The cells of a region."""
        import numpy as np

        wanted = self._walk.marks_in(number)
        found: list[Array] = []
        backend = self._machines.backend
        for marks, ends, above in self._blocks:
            room = np.empty(int(ends[-1]), np.int64)
            facts = (wanted, ends, len(ends), above, self.width)
            count = backend.pick_cells(marks, *facts, room)
            found.append(room[:count])
        return np.concatenate(found) if found else np.empty(0, np.int64)


class ChunkTexts:
    """The texts of a chunk, found from the beginnings of its rows; see `StripTexts`."""

    def __init__(
        self, machines: Machines, content: bytes | bytearray, base: int, cells: ChunkCells
    ) -> None:
        self._machines, self._content, self._base = machines, content, base
        self._dialect = machines.task.schema.dialect
        self._width, self._broken = cells.width, frozenset(cells.broken)
        self._starts = cells.starts - base

    @cached_property
    def _is_fit(self) -> bool:
        """Can all bytes be decoded, and are no cells broken?"""
        if self._broken:
            return False
        if self._content.isascii():
            return True
        try:
            self._content.decode()
        except UnicodeDecodeError:
            return False
        return True

    def located(self, cells: Array) -> LocatedTexts | None:
        """Where the texts of some cells are; `None` if some must be read one by one."""
        return self._found(cells) if self._is_fit else None

    def _found(self, cells: Array) -> LocatedTexts:
        import numpy as np

        dialect, backend, count = self._dialect, self._machines.backend, len(cells)
        quote = -1 if dialect.quote is None else ord(dialect.quote)
        begins, ends = np.empty(count, np.int64), np.empty(count, np.int64)
        kinds = np.empty(count, np.uint8)
        backend.find_texts(
            backend.buffer(self._content), self._starts, cells, self._width,
            ord(dialect.col_delim.text), quote, dialect.trim_left, dialect.trim_right,
            begins, ends, kinds,
        )  # fmt: skip
        return LocatedTexts(self._content, begins, ends, kinds, quote)

    def marked(self, cells: Array) -> list[str | None]:
        """The texts of some cells; a byte that cannot be decoded is a lone surrogate."""
        if self._is_fit:
            texts: list[str | None] = gathered_texts(
                self._machines.backend, self._found(cells)
            ).to_pylist()
            return texts
        found: list[str | None] = []
        known: tuple[int, list[str]] = (-1, [])
        for cell in cells.tolist():
            row, column = divmod(cell, self._width)
            if row != known[0]:
                known = (row, self._row(row))
            found.append(known[1][column])
        return found

    def _row(self, row: int) -> list[str]:
        """The texts of a row, by the plain reader."""
        begin = int(self._starts[row])
        is_last = row + 1 == len(self._starts)
        end = len(self._content) if is_last else int(self._starts[row + 1])
        document = decode_piece(bytes(self._content[begin:end]), "utf-8")
        grid = read_grid(document, replace(self._dialect, blank_rows="keep"))
        return [cell.text for cell in grid.rows[0].cells]
