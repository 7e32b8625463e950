"""Conditions that ask about one row at a time, checked chunk by chunk by threads.

In: the `require`s of a schema, and a file that was validated with the edges of its chunks
(`shared_pass`). Out: the `CheckedPart`s of the chunks, in order. A chunk is scanned again, marked
from its edge; of its texts, only those that conditions ask for are looked for. A chunk with rows
that are shorter than the table is wide, whose padding counts, is checked strip by strip instead.

Invariant: what is found is what `conditions` finds strip by strip. Cost: one scan, and what
the values cost. Memory: the bytes, letters and marks of a chunk per thread and one more.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Generator, Iterator
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from sculpt.checks.shared_pass import SharedPass
from sculpt.engines.chunks.result import Chunk
from sculpt.engines.chunks.spans import read_rows, with_last_row
from sculpt.engines.local import thread_limit
from sculpt.engines.lookups.finder import Regions
from sculpt.engines.machines import Machines, build
from sculpt.engines.options import Options, Progress
from sculpt.engines.pool import work_ahead
from sculpt.engines.regions.chunk_marks import ChunkMarks
from sculpt.engines.regions.chunk_texts import ChunkTexts
from sculpt.engines.regions.marker import MarkedStrip, Marker, MarkingWalk
from sculpt.engines.regions.strip_texts import StripTexts
from sculpt.transform.checking import CheckedPart, Checking
from sculpt.transform.evaluation.execution import Execution
from sculpt.transform.evaluation.frames import Known
from sculpt.values import frozen

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, Any]

LARGEST = 1 << 26
"""A chunk of more bytes is checked strip by strip."""


class ChunkRegions(Regions):
    """The regions of a chunk that was marked without padding."""

    def __init__(self, strip: MarkedStrip, marks: ChunkMarks) -> None:
        super().__init__(strip, ())
        self._marks = marks

    def holds(self, region: int) -> Array:
        """By cell: is it in the region?"""
        import numpy as np

        if region not in self._held:
            held = np.zeros(self.strip.rows * self.strip.width, np.bool_)
            held[self.cells(region)] = True
            self._held[region] = held
        return self._held[region]

    def cells(self, region: int) -> Array:
        """The cells of a region, numbered from the first of the chunk, in order."""
        return self._marks.cells(region)

    def row_sizes(self, region: int) -> Array:
        """By row: how many cells of a region it has."""
        return self._marks.row_sizes(region)


@frozen(slots=False)
class RowwiseCheck:
    """The conditions of one file."""

    execution: Execution
    checking: Checking
    shared: SharedPass
    options: Options

    def parts(self) -> Generator[CheckedPart, None, None]:
        """What is found, chunk by chunk."""
        size, done = self.shared.data.source.size, 0
        works: Iterator[Callable[[], list[CheckedPart]]] = (
            partial(self._chunk, chunk) for chunk in self.shared.chunks
        )
        with contextlib.closing(work_ahead(works, thread_limit(self.options))) as found:
            for chunk, parts in zip(self.shared.chunks, found, strict=True):
                yield from parts
                done = chunk.span.end or size or done
                if self.options.on_progress is not None:
                    self.options.on_progress(
                        Progress(done, size, chunk.intake.rows, 0, "conditions")
                    )

    def _chunk(self, chunk: Chunk) -> list[CheckedPart]:
        data, begin = self.shared.data, chunk.span.begin
        end = chunk.span.end if chunk.span.end is not None else data.source.size
        assert end is not None
        if end - begin > LARGEST:
            return list(self._strip_by_strip(chunk))
        machines, intake = self.shared.machines, chunk.intake
        assert intake.edge is not None
        content, scanned, point = read_rows(machines, data, begin, end)
        blocks, _ = with_last_row(machines, data, scanned, point)
        walk = MarkingWalk(
            machines, 0, intake.width, intake.edge.boundary(machines), True, intake.rows
        )
        marks = ChunkMarks(machines, intake.width, self.shared.first_region, walk)
        marks.take(blocks, goes_on=chunk.span.end is not None)
        if not marks.rows:
            return []
        if not marks.is_full:
            return list(self._strip_by_strip(chunk))
        none = marks.starts[:0]
        facts = (intake.rows + 1, marks.rows, marks.width, none, marks.starts, none, end, False)
        strip = MarkedStrip(*facts)
        texts = ChunkTexts(machines, content, begin, marks)
        part = self.checking.checked(strip, ChunkRegions(strip, marks), texts, self._known)
        machines.buffers.recycle(scanned)
        machines.buffers.give_bytes(content)
        marks.release()
        return [part]

    @cached_property
    def _known(self) -> Known:
        """Nothing is known, or needed, beyond a row."""
        finders = self.execution.summariser.finders
        return Known(
            {number: finders[number].empty() for number in self.execution.program.reaches}, {}
        )

    def _strip_by_strip(self, chunk: Chunk) -> Iterator[CheckedPart]:
        """The same with padding: the machines note where texts are."""
        shared = self.shared
        marker = Marker(self._noting, shared.data, chunk.intake.width, chunk)
        first = shared.first_region
        for strip in marker.strips():
            sets = [frozenset(each - first for each in found) for found in marker.sets]
            regions, texts = Regions(strip, sets), StripTexts(self._noting, shared.data, strip)
            yield self.checking.checked(strip, regions, texts, self._known)

    @cached_property
    def _noting(self) -> Machines:
        machines = self.shared.machines
        codec = self.shared.data.codec
        return build(machines.task, codec, machines.backend, notes_texts=True)
