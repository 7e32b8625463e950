"""One file of a table: its entries, and any of them again by its place.

In: an open input and the size of its table. Out: in one marking pass, the entries of all sides that
are about the table, and the rows with several cells of a part. Later, for some places of entries:
where their rows begin, and the texts of their parts.

The pass leaves for each strip where it is in the data, and in which columns the parts of each side
are. So a strip can be read again on its own; only if some part changes its column within a strip is
the file marked again, in order. Invariant: a file is never kept in memory. Cost: one walk through
the file; for places, one scan of their strips.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from functools import cached_property, partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeAlias

from sculpt.automata.navigator import TooManyStepsError
from sculpt.checks.identities.chunks import (
    ChunkSides,
    GatheredChunk,
    Gathering,
    GatheringFold,
)
from sculpt.checks.identities.entries import EntryMaker, Hashing
from sculpt.checks.identities.sides import Regions, Side, SideRows, StripCells
from sculpt.checks.identities.store import EntrySet, Run
from sculpt.checks.shared_pass import (
    SharedPass,
    Wanted,
    rules_and_regions,
    shared_machines,
    validated,
)
from sculpt.core import ir
from sculpt.core.task import Task
from sculpt.engines.chunks.spans import read_rows, start_of_row, with_last_row
from sculpt.engines.data import Data
from sculpt.engines.local import thread_limit
from sculpt.engines.machines import Machines, build
from sculpt.engines.options import Options, choose_backend
from sculpt.engines.pool import work_ahead
from sculpt.engines.regions.chunk_marks import ChunkMarks, ChunkRows
from sculpt.engines.regions.chunk_texts import ChunkTexts
from sculpt.engines.regions.marker import MarkedStrip, Marker
from sculpt.engines.regions.strip_texts import StripTexts
from sculpt.engines.scan.blocks import Block
from sculpt.engines.scan.decided import finish, row_end, scan_all
from sculpt.engines.walk.strips import STRIP_CELLS, Padded, counted_rows
from sculpt.engines.walk.walk import WidthNeededError
from sculpt.kernels.backend import Backend
from sculpt.tabular.inputs import Input
from sculpt.values import frozen, mutable

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

    Array = np.ndarray[Any, Any]

_WINDOW = 1 << 20
MOST_SEVERAL = 1 << 17
"""How many rows with several cells of a part are kept, for each side."""


@frozen
class Intake:
    """Where the entries of a side go."""

    entries: EntrySet
    base: int
    """What is added to their places."""


_SidesAndRuns: TypeAlias = list[tuple[SideRows, Run]]
"""By side: its rows in a chunk, and its entries."""
OnSeveral: TypeAlias = Callable[[Any], None]
"""Takes the cells at which rows have several cells of a part."""


@frozen
class _Stretch:
    """A strip that was marked: where it is, and in which columns the parts of sides are."""

    first_row: int
    rows: int
    begin: int
    end: int | None
    columns: tuple[tuple[int, ...] | None, ...]
    """By side; `None` if they change within the strip."""


@frozen
class _Chunk:
    """A chunk that threads have gathered, whose parts stay in their columns."""

    machines: Machines
    begin: int
    end: int
    rows_before: int
    rows: int
    columns: tuple[tuple[int, ...] | None, ...]


@mutable
class SideCounts:
    """What was counted of a side in one file."""

    selected: int = 0
    checked: int = 0
    several: int = 0
    kept: list[tuple[int, int]] | None = None
    """The first rows with several cells of a part: the second cell, and the part."""


@frozen
class ReadEntry:
    """An entry that was read again."""

    start: int
    """Where its row begins in the data."""
    parts: tuple[str, ...]
    """The texts of its parts."""


class TableFile:
    """A file of a table."""

    def __init__(
        self,
        schema: ir.CoreSchema,
        sides: tuple[Side, ...],
        path: str,
        source: Input,
        options: Options,
        hashing: Hashing,
        strip: int = STRIP_CELLS,
    ) -> None:
        self.path, self.sides, self.strip = path, sides, strip
        self.rows = self.width = 0
        """The size of the table, once the file was read."""
        self._schema, self._options = schema, options
        self.data = Data(source, schema.dialect.encoding)
        self.backend: Backend = options.backend or choose_backend(self.data, options)
        self._regions = Regions(sides)
        self._task = Task.of_selectors(schema, schema.tokens, self._regions.selectors)
        self._makers = [EntryMaker(side, self.backend, hashing) for side in sides]
        self.counts = [SideCounts() for _ in sides]
        self._stretches: list[_Stretch] = []
        self._chunks: list[_Chunk] = []
        """The first of them that threads can read again: as long as parts stay in their columns."""
        self._done = 0
        """How many rows were gathered by threads."""
        self._marked: (
            tuple[Iterator[tuple[MarkedStrip, StripCells]], MarkedStrip, list[SideRows]] | None
        ) = None
        self._last: tuple[int, MarkedStrip] | None = None

    @cached_property
    def machines(self) -> Machines:
        """The machines that scan this file, and mark it the first time."""
        return self._options.build(self._task, self.data.codec, self.backend, True, True)

    def _new_machines(self) -> Machines:
        """Machines for another marking pass: it may be under way while strips are scanned."""
        return build(self._task, self.data.codec, self.backend, forgets=True, notes_texts=True)

    # ------------------------------------------------------------- the first pass

    def machines_of_rules(self, wanted: Wanted) -> Machines | None:
        """Machines that validate the file and mark its regions in one pass; `None` if none can.

        The edges of chunks will know what is `wanted`, too.
        """
        regions = self._regions.selectors
        task = rules_and_regions(self._schema, self._options, wanted, regions)
        return shared_machines(task, self.data, self._options)

    def validate(
        self, machines: Machines, intakes: list[Intake], on_several: OnSeveral
    ) -> tuple[SharedPass | None, bool]:
        """The verdict on the file, if it can be had with its entries, in one pass by threads.

        Returns the verdict, and whether all entries were passed on.
        """
        try:
            found, gathering = self._folded(machines, intakes, on_several, None)
        except (TooManyStepsError, WidthNeededError):
            return None, False
        self.rows, self.width = found.verdict.rows, found.verdict.columns
        return found, gathering.error is None

    def gather(self, size: tuple[int, int], intakes: list[Intake], on_several: OnSeveral) -> None:
        """Pass the entries of each side on, in order; the size of the table is known."""
        self.rows, self.width = size
        schema, regions = self._schema, self._regions.selectors
        bare = ir.CoreSchema(schema.dialect, schema.tokens, schema.types, (), ())
        task = Task(bare, (), defects=False, counted=regions)
        machines = shared_machines(task, self.data, self._options)
        if machines is not None:
            with contextlib.suppress(TooManyStepsError):
                self._folded(machines, intakes, on_several, self.width)
        if not self._done or self._done < self.rows:
            self._gather_in_order(intakes, on_several, self._done)

    def _folded(
        self,
        machines: Machines,
        intakes: list[Intake],
        on_several: OnSeveral,
        width: int | None,
    ) -> tuple[SharedPass, Gathering[_SidesAndRuns]]:
        """What a fold finds, and how the entries were gathered."""
        options = self._options

        def gather(marks: ChunkMarks, texts: ChunkTexts) -> _SidesAndRuns:
            cells = ChunkSides(self._regions, marks)
            sides = [cells.rows_of(side) for side in self.sides]
            owners = zip(intakes, self._makers, sides, strict=True)
            return [
                (rows, own.entries.sorted(maker.entries(texts, rows, 0)))
                for own, maker, rows in owners
            ]

        def on_chunk(chunk: GatheredChunk[_SidesAndRuns]) -> None:
            self.width = gathering.width or 0
            base = self._done * self.width
            for ix, (rows, run) in enumerate(chunk.payload):
                self._count(self.counts[ix], rows, run.count, base, on_several)
                intakes[ix].entries.add_run(run, base + intakes[ix].base)
            self._note(chunk, machines)
            self._done += chunk.rows

        first = len(machines.task.counted) - len(self._regions.selectors)
        gathering = Gathering(machines, self.data, first, gather, on_chunk, width)
        limit = options.max_violations
        fold = GatheringFold(machines, self.data.skipped, limit, width, gathering=gathering)
        found = validated(self._schema, machines, self.data, options, fold)
        rows = found.verdict.rows
        assert gathering.error is not None or gathering.rows == rows, (gathering.rows, rows)
        return found, gathering

    def _note(self, chunk: GatheredChunk[_SidesAndRuns], machines: Machines) -> None:
        """Note where the rows of a chunk are: all of them, and some at a time."""
        columns = tuple(rows.columns for rows, _ in chunk.payload)
        is_next = sum(each.rows for each in self._chunks) == self._done
        if is_next and chunk.rows and None not in columns:
            span = (chunk.begin, chunk.end, self._done, chunk.rows)
            self._chunks.append(_Chunk(machines, *span, columns))
        step = max(1, self.strip // max(1, self.width))
        for first in range(0, chunk.rows, step):
            rows = min(step, chunk.rows - first)
            is_last = first + rows == chunk.rows
            end = chunk.end if is_last else int(chunk.starts[first + rows])
            at = self._done + first + 1
            place = None if end == self.data.source.size else end
            self._stretches.append(_Stretch(at, rows, int(chunk.starts[first]), place, columns))

    def _gather_in_order(self, intakes: list[Intake], on_several: OnSeveral, done: int) -> None:
        """Gather strip by strip, without the rows that are done."""
        machines = self.machines
        for strip, cells in self._strips(machines, self._options.on_progress, done):
            if strip.first_row + strip.rows - 1 <= done:
                continue
            texts = StripTexts(machines, self.data, strip)
            columns: list[tuple[int, ...] | None] = []
            for ix, side in enumerate(self.sides):
                found = cells.rows_of(side)
                entries = self._makers[ix].entries(texts, found, strip.base)
                columns.append(found.columns)
                self._count(self.counts[ix], found, len(entries), strip.base, on_several)
                intakes[ix].entries.add(entries.moved(intakes[ix].base))
            first = max(0, done - strip.first_row + 1)
            place = (strip.first_row + first, strip.rows - first, int(strip.starts[first]))
            self._stretches.append(_Stretch(*place, strip.end, tuple(columns)))
        del self.machines  # there may be many files

    def _strips(
        self, machines: Machines, on_progress: Any = None, done: int = 0
    ) -> Iterator[tuple[MarkedStrip, StripCells]]:
        marker = Marker(machines, self.data, self.width, None, self.strip, on_progress)
        for strip in marker.strips():
            first = max(0, done - strip.first_row + 1) * self.width
            yield strip, StripCells(self._regions, marker.sets, strip, first)

    def _count(
        self,
        counts: SideCounts,
        found: SideRows,
        entries: int,
        base: int,
        on_several: OnSeveral,
    ) -> None:
        import numpy as np

        counts.selected += found.selected
        counts.checked += entries
        if not found.several:
            return
        counts.several += len(found.several)
        kept = counts.kept = counts.kept or []
        kept += [(base + cell, part) for cell, part in found.several][: MOST_SEVERAL - len(kept)]
        cells = np.array(found.several, np.int64)[:, 0] + base
        on_several(cells)

    def several(self, ix: int) -> Iterator[tuple[int, int]]:
        """All rows of a side with several cells of a part: the second cell, and the part."""
        counts = self.counts[ix]
        kept = counts.kept or []
        if len(kept) == counts.several:
            yield from kept
            return
        for strip, sides in self._strips(self._new_machines()):
            for cell, part in sides.rows_of(self.sides[ix]).several:
                yield strip.base + cell, part

    # ------------------------------------------------------------- entries again

    def start_of(self, row: int) -> int:
        """Where a row begins in the data; its number is from 1."""
        number = self._stretch_of((row - 1) * self.width)
        strip = self._strip_at(number)
        return int(strip.starts[row - strip.first_row])

    def entries_at(
        self, ix: int, places: Array, items: Array
    ) -> Iterator[tuple[Array, list[int], list[tuple[str, ...]]]]:
        """Entries of a side by their cells, which are in order; strip by strip.

        For each strip: which of the places, where their rows begin, and the texts of their parts.
        """
        for which, strip, cells in self._cells_at(ix, places):
            texts = StripTexts(self.machines, self.data, strip)
            own = items[which] if len(items) else items
            parts = self._makers[ix].parts_of(texts, cells, own)
            starts = strip.starts[cells[0] // self.width].tolist()
            yield which, starts, parts

    def texts_at(self, ix: int, places: Array) -> Iterator[tuple[Array, list[pa.Array | None]]]:
        """The same texts as arrays, part by part; `None` for one that may not be decodable.

        Where threads have gathered, they read the texts, too.
        """
        import numpy as np

        ends = np.array([each.rows_before + each.rows for each in self._chunks]) * self.width
        done = int(np.searchsorted(places, ends[-1])) if self._chunks else 0
        numbers = np.searchsorted(ends, places[:done], side="right")
        bounds = np.flatnonzero(np.diff(numbers, prepend=-1)).tolist()
        works = (
            partial(self._texts_of_chunk, int(numbers[begin]), ix, np.arange(begin, end), places)
            for begin, end in pairwise([*bounds, done])
        )
        with contextlib.closing(work_ahead(works, thread_limit(self._options))) as found:
            yield from found
        for which, strip, cells in self._cells_at(ix, places[done:]):
            texts = StripTexts(self.machines, self.data, strip)
            yield which + done, [texts.decoded(each) for each in cells]

    def _texts_of_chunk(
        self, number: int, ix: int, which: Array, places: Array
    ) -> tuple[Array, list[pa.Array | None]]:
        """The texts of entries in a chunk that threads have gathered."""
        chunk = self._chunks[number]
        columns, machines = chunk.columns[ix], chunk.machines
        local = places[which] - chunk.rows_before * self.width
        assert columns is not None
        begins = local // self.width * self.width
        cells = (local, *(begins + column for column in columns[1:]))
        content, blocks, point = read_rows(machines, self.data, chunk.begin, chunk.end)
        rows = ChunkRows(machines, self.width)
        rows.take(with_last_row(machines, self.data, blocks, point)[0])
        texts = ChunkTexts(machines, content, chunk.begin, rows)
        found = [texts.decoded(each) for each in cells]
        machines.buffers.recycle(blocks)
        machines.buffers.give_bytes(content)
        return which, found

    def _cells_at(
        self, ix: int, places: Array
    ) -> Iterator[tuple[Array, MarkedStrip, tuple[Array, ...]]]:
        """The cells of entries, by part: which places, the strip that has them, its cells."""
        import numpy as np

        firsts = np.array([(each.first_row - 1) * self.width for each in self._stretches])
        numbers = np.searchsorted(firsts, places, side="right") - 1
        at = 0
        while at < len(places):
            number = int(numbers[at])
            columns = self._stretches[number].columns[ix]
            if columns is None:
                strip, rows = self._marked_at(int(places[at]) // self.width + 1)
                end = int(np.searchsorted(places, strip.base + strip.rows * self.width))
                local = places[at:end] - strip.base
                found = np.searchsorted(rows[ix].cells[0], local)
                cells = tuple(each[found] for each in rows[ix].cells)
            else:
                strip = self._strip_at(number)
                end = int(np.searchsorted(numbers, number, side="right"))
                local = places[at:end] - strip.base
                begins = local // self.width * self.width
                cells = (local, *(begins + column for column in columns[1:]))
            yield np.arange(at, end), strip, cells
            at = end

    def exact(self, ix: int, parts: tuple[str, ...]) -> bytes:
        """The bytes of an entry of a side, by the texts of its parts."""
        return self._makers[ix].exact(parts)

    def _stretch_of(self, place: int) -> int:
        low, high = 0, len(self._stretches) - 1
        while low < high:
            middle = (low + high + 1) // 2
            if (self._stretches[middle].first_row - 1) * self.width <= place:
                low = middle
            else:
                high = middle - 1
        return low

    def _strip_at(self, number: int) -> MarkedStrip:
        """A strip, scanned again; it has no marks."""
        import numpy as np

        if self._last is not None and self._last[0] == number:
            return self._last[1]
        stretch, machines = self._stretches[number], self.machines
        padded = Padded(machines, self.width, stretch.rows)
        blocks = self._blocks(machines, stretch)
        for block in counted_rows(machines, blocks, goes_on=lambda: True):
            # Blank rows at the end of the file, which do not count, come after all others.
            if padded.rows < stretch.rows:
                padded.add(block, 0, block.rows)
        assert padded.rows == stretch.rows, (padded.rows, stretch)
        letters = np.asarray(padded.letters)[: stretch.rows * self.width]
        broken = np.asarray(machines.broken(), np.int64)
        strip = MarkedStrip(
            stretch.first_row,
            stretch.rows,
            self.width,
            np.empty(0, np.int64),
            np.array(padded.starts[: stretch.rows], np.int64),
            np.array(padded.places[: 2 * stretch.rows * self.width], np.int64),
            stretch.end,
            bool(broken[letters].any()),
        )
        self._last = (number, strip)
        return strip

    def _blocks(self, machines: Machines, stretch: _Stretch) -> Iterator[Block]:
        begin, end = stretch.begin, stretch.end
        data = self._window(begin, end)
        point = start_of_row(machines, begin)
        while point.at < begin + len(data):
            blocks, point = scan_all(machines, data, begin, point)
            yield from blocks
        if end is None:
            yield finish(machines, point)
        elif point.state != machines.table.start:
            ended = row_end(machines, self.data.window(end, end + 1), end, point)
            if ended is not None:
                yield ended

    def _window(self, begin: int, end: int | None) -> bytes:
        if end is not None:
            return self.data.window(begin, end)
        size = _WINDOW
        while len(data := self.data.window(begin, begin + size)) == size:
            size *= 4
        return data

    def _marked_at(self, row: int) -> tuple[MarkedStrip, list[SideRows]]:
        """The strip of a row with the entries of all sides, from a marking pass that goes on."""
        found = self._marked
        if found is None or row < found[1].first_row:
            strips = self._strips(self._new_machines())
            found = (strips, *self._next_marked(strips))
        while row >= found[1].first_row + found[1].rows:
            found = (found[0], *self._next_marked(found[0]))
        self._marked = found
        return found[1], found[2]

    def _next_marked(
        self, strips: Iterator[tuple[MarkedStrip, StripCells]]
    ) -> tuple[MarkedStrip, list[SideRows]]:
        strip, cells = next(strips)
        return strip, [cells.rows_of(side) for side in self.sides]
