"""A program on one table: strips in, batches of its streams out.

In: a `CoreProgram` and a `Marker` of a file or a chunk. Out: Arrow batches, each with the number of
its stream, and findings. An earlier pass is made only if a program needs it
(`CoreProgram.needs_pass`); then one pass goes through the rows, and the handovers of look-ups go
from strip to strip. If a program needs the whole table, that is one strip.

Order: lines of `print` come statement by statement, iteration by iteration. Records and annotations
come row by row; within a row those of an earlier statement first (annotations: cell by cell); the
results of loops over columns come last. So the order does not depend on the cuts.

Invariant: the batches are those of `transform.reference`, whatever the strips and chunks. Memory: a
strip with its texts, and a batch; of `emit distinct`, also all records.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from sculpt.core.programs import expressions as c
from sculpt.core.programs.look_ups import Reach
from sculpt.core.programs.program import CoreProgram, region_aggregates
from sculpt.core.programs.statements import (
    Action,
    Annotate,
    Emit,
    Loop,
    Output,
    Print,
    Require,
    Statement,
)
from sculpt.core.programs.typed_values import INTEGER, TEXT, ValueType
from sculpt.core.traversal import last_row
from sculpt.engines.lookups.finder import Handover, Regions
from sculpt.engines.pool import work_ahead
from sculpt.engines.regions.marker import MarkedStrip, Marker
from sculpt.engines.regions.strip_texts import CellTexts, StripTexts
from sculpt.transform.arrow_types import arrow_schema, arrow_type
from sculpt.transform.evaluation.distinct import Record, without_known
from sculpt.transform.evaluation.findings import Findings
from sculpt.transform.evaluation.frames import (
    CellFrame,
    ColumnFrame,
    Known,
    RowFrame,
    Setting,
    StripFrame,
    TableFrame,
)
from sculpt.transform.evaluation.summaries import Summariser, Summary
from sculpt.transform.evaluation.values.aggregates import report_bad
from sculpt.transform.evaluation.values.evaluator import Evaluator
from sculpt.transform.evaluation.values.frame import Frame
from sculpt.transform.writers.rendering import texts_of

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

    from sculpt.transform.evaluation.row_index import RowIndex
    from sculpt.transform.evaluation.token_casts import TokenReader

    Array = np.ndarray[Any, Any]

Batch: TypeAlias = "tuple[int, pa.RecordBatch]"
"""The number of a stream, and some of its rows."""
_Done: TypeAlias = "tuple[list[Batch], Findings]"
T = TypeVar("T")
MAX_THREADS = 8
"""More strips at once would fill the memory."""
HEAD_ROWS = 1_000
"""A pass that stops after at most this many rows reads little at a time."""


class Execution:
    """The execution of a program on a table or a chunk."""

    def __init__(
        self,
        program: CoreProgram,
        marker: Marker,
        file: str,
        findings: Findings,
        hidden_rows: Sequence[int] = (),
        threads: int = 1,
        indexes: Mapping[int, RowIndex] | None = None,
    ) -> None:
        """`indexes` are those of the finds that the program needs, by their numbers."""
        self.program = program
        self.indexes = indexes
        self.threads = threads
        self.marker = marker
        self.findings = findings
        self.hidden_rows = hidden_rows
        self.backend = marker.machines.backend
        self.summariser = Summariser(program, max(1, marker.width), self.backend)
        self.setting = Setting(file, marker.width, self.backend, self.summariser.finders)
        self._schemas = [arrow_schema(stream) for stream in program.streams]
        self._below: list[Summary] | None = None
        self.shares = _shared_streams(program)
        self._made_before: dict[int, set[Record]] = {stream: set() for stream in program.distinct}

    def reader(self) -> TokenReader:
        """Reads texts by derived tokens; few programs do."""
        return self._token_reader

    @cached_property
    def _token_reader(self) -> TokenReader:
        """Reads texts by derived tokens; few programs do."""
        from sculpt.transform.evaluation.token_casts import TokenReader

        return TokenReader(self.program.tokens)

    # ------------------------------------------------------------- passes

    def summary(self, reaches: Sequence[Reach] = (Reach.BELOW, Reach.COLUMNS)) -> Summary:
        """The summary of this part of the table, with the tallies of its regions."""
        total = self.summariser.empty()
        strips: list[Summary] = []
        bound = self._bound(reaches)
        before = 0 if self.marker.chunk is None else self.marker.chunk.intake.rows
        for strip in self._strips(reads_head=bound <= HEAD_ROWS) if before < bound else ():
            if strip.first_row > bound:
                break  # nothing that is needed lies further down
            regions, texts = self._opened(strip)
            hidden = self._hidden(strip)
            found = self.summariser.summary(regions, texts, reaches, hidden)
            strips.append(Summary(found.handovers, found.texts))
            total = self.summariser.merged(total, found)
        if Reach.BELOW in self.program.reaches.values():
            self._below = strips
        return total

    def _bound(self, reaches: Sequence[Reach]) -> float:
        """The last row that a summary can need."""
        program = self.program
        if program.needs_all_rows:
            return math.inf
        look_ups = [program.look_ups[n] for n, reach in program.reaches.items() if reach in reaches]
        if any(look_up.path is not None for look_up in look_ups):
            return math.inf
        return max((last_row(program.regions[look_up.region]) for look_up in look_ups), default=0)

    def batches(self, total: Summary, above: Summary, below: Summary) -> Iterator[Batch]:
        """The batches that the rows of this part give; for the summaries see `by_strip`."""
        with contextlib.closing(
            self.by_strip(self._strip_batches, total, above, below)
        ) as performed:
            for batches, findings in performed:
                self._take(findings)
                yield from self._distinct(batches)

    def by_strip(
        self,
        perform: Callable[[MarkedStrip, Regions, StripTexts, Known], T],
        total: Summary,
        above: Summary,
        below: Summary,
    ) -> Generator[T, None, None]:
        """What is performed on each strip of this part, in order, if a loop goes through rows.

        `total` is the summary of the whole table, `above` and `below` are those of the parts above
        and below this one.
        """
        if not any(is_by_row(each) for each in self.program.statements):
            return
        reaches = self.program.reaches
        if Reach.BELOW in reaches.values() and self._below is None:
            self.summary((Reach.BELOW,))
        belows = self._suffixes(below)
        down = Summary(dict(above.handovers), dict(above.texts))
        finders = self.summariser.finders
        carried = [number for number, reach in reaches.items() if reach is Reach.ABOVE]
        for number in carried:
            down.handovers.setdefault(number, finders[number].empty())
        works = self._works(perform, down, carried, belows, below, total)
        with contextlib.closing(self._performed(works)) as performed:
            yield from performed

    def _works(
        self,
        perform: Callable[[MarkedStrip, Regions, StripTexts, Known], T],
        down: Summary,
        carried: Sequence[int],
        belows: list[Summary] | None,
        below: Summary,
        total: Summary,
    ) -> Iterator[Callable[[], T]]:
        """The work on each strip; it needs nothing more from the other strips."""
        finders, is_shared = self.summariser.finders, self.marker.data.can_be_cut
        for number, strip in enumerate(self._strips()):
            regions, texts = self._opened(strip)
            known = self._known(down, belows[number] if belows else below, total)
            for look_up in carried:
                down.handovers[look_up] = finders[look_up].leaving(regions, down.handovers[look_up])
            self.summariser.keep_texts(down, regions, texts)
            if not is_shared:
                texts.read_ahead()
            yield partial(perform, strip, regions, texts, known)

    def _performed(self, works: Iterator[Callable[[], T]]) -> Generator[T, None, None]:
        """The results of works in order; threads work on some of them ahead of time."""
        threads = min(self.threads, MAX_THREADS) if self.backend.is_compiled else 1
        if threads < 2 or self.program.needs_table:
            for work in works:
                yield work()
            return
        with contextlib.closing(work_ahead(works, threads)) as performed:
            yield from performed

    def final(self, total: Summary) -> Iterator[Batch]:
        """The batches of lines outside loops and of loops over columns, when all rows are known."""
        table = TableFrame(self.setting, total)
        found = Findings(self.findings.limit)
        for aggregate in region_aggregates(self.program, with_optional=False):
            tally = total.regions[aggregate.region]
            report_bad(found, tally, aggregate.function, aggregate.line, table, 0)
        self._take(found)
        made: list[Batch] = []
        for number, statement in enumerate(self.program.statements):
            found = Findings(self.findings.limit)
            match statement:
                case Print():
                    made += self._made((statement,), table, found)
                case Loop("column"):
                    frame = ColumnFrame(self.setting, total, total.columns.get(number, {}))
                    made += self._made(statement.actions, frame, found)
            self._take(found)
        yield from self._distinct(made)

    def _distinct(self, batches: Iterable[Batch]) -> Iterator[Batch]:
        """The batches, without records that a distinct stream has given before."""
        for stream, batch in batches:
            before = self._made_before.get(stream)
            if before is None:
                yield stream, batch
            elif (kept := without_known(batch, before)).num_rows:
                yield stream, kept

    def _take(self, findings: Findings) -> None:
        findings.sort()
        self.findings.merge(findings.count, findings.violations, self.setting.file)

    # ------------------------------------------------------------- strips

    def _strips(self, reads_head: bool = False) -> Iterator[MarkedStrip]:
        return self.marker.strips(self.program.needs_table, reads_head)

    def _opened(self, strip: MarkedStrip) -> tuple[Regions, StripTexts]:
        marker = self.marker
        return Regions(strip, marker.sets), StripTexts(marker.machines, marker.data, strip)

    def _hidden(self, strip: MarkedStrip) -> Array | None:
        """For each cell: do loops skip it?"""
        import numpy as np

        if not len(self.hidden_rows):
            return None
        rows = np.isin(np.arange(strip.rows) + strip.first_row, np.asarray(self.hidden_rows))
        return np.repeat(rows, strip.width)

    def _suffixes(self, below: Summary) -> list[Summary] | None:
        """For each strip, the summary of what lies below it."""
        if self._below is None:
            return None
        found = [below]
        for summary in reversed(self._below[1:]):
            found.append(
                self.summariser.merged(Summary(summary.handovers, summary.texts), found[-1])
            )
        return found[::-1]

    def _known(self, down: Summary, below: Summary, total: Summary) -> Known:
        handovers: dict[int, Handover] = {}
        for number, reach in self.program.reaches.items():
            match reach:
                case Reach.ABOVE:
                    handovers[number] = down.handovers[number]
                case Reach.BELOW:
                    found = below.handovers.get(number)
                    handovers[number] = found or self.summariser.finders[number].empty()
                case Reach.COLUMNS:
                    handovers[number] = total.handovers[number]
        texts = down.texts | below.texts | total.texts
        return Known(handovers, texts, total.regions, total.extents)

    def _strip_batches(
        self, strip: MarkedStrip, regions: Regions, texts: StripTexts, known: Known
    ) -> _Done:
        """The batches that the loops make from a strip, and the findings."""
        findings = Findings(self.findings.limit)
        done: list[Batch] = []
        waiting: dict[int, list[tuple[Array, pa.RecordBatch]]] = {}
        for statement, _, frame in self.frames(strip, regions, texts, known):
            for stream, batch in self._made(statement.actions, frame, findings):
                if stream in self.shares:
                    keys = frame.keys(self.program.streams[stream].kind, batch.num_rows)
                    waiting.setdefault(stream, []).append((keys, batch))
                else:
                    done.append((stream, batch))
        done += [(stream, _in_order(parts)) for stream, parts in waiting.items()]
        return done, findings

    def frames(
        self, strip: MarkedStrip, regions: Regions, texts: CellTexts, known: Known
    ) -> Iterator[tuple[Loop, int, StripFrame]]:
        """The loops over cells and rows that have iterations in a strip, with their cells."""
        hidden = self._hidden(strip)
        for statement in self.program.statements:
            if not is_by_row(statement):
                continue
            assert isinstance(statement, Loop)
            loop = (statement.region, hidden)
            frame = (CellFrame if statement.kind == "cell" else RowFrame)(
                self.setting, strip, regions, texts, known, *loop
            )
            if frame.size:
                yield statement, frame.size, frame

    def _made(self, actions: Sequence[Action], frame: Frame, findings: Findings) -> Iterator[Batch]:
        """The batches of some actions; those of one stream alternate, iteration by iteration."""
        import pyarrow as pa

        evaluator = Evaluator(self.program, frame, findings, self.reader, indexes=self.indexes)
        by_stream: dict[int, list[pa.RecordBatch]] = {}
        for action in actions:
            assert not isinstance(action, Require)
            arrays = self._arrays(action, evaluator)
            stream = action.stream
            made = pa.RecordBatch.from_arrays(arrays, self._schemas[stream].names)
            by_stream.setdefault(stream, []).append(made)
        for stream, batches in by_stream.items():
            if batches[0].num_rows:
                yield stream, _alternating(batches)

    def _arrays(self, action: Output, evaluator: Evaluator) -> list[pa.Array]:
        import pyarrow as pa

        match action:
            case Print(_, value):
                return [texts_of(evaluator.array(value)).fill_null("")]
            case Emit(stream, values):
                kinds = self.program.streams[stream].fields
                return [
                    typed(evaluator.array(value), arrow_type(kind))
                    for value, (_, kind) in zip(values, kinds, strict=True)
                ]
            case Annotate(_, value, namespace):
                count = evaluator.frame.count
                cell = c.LoopCell()
                fields = [
                    evaluator.array(c.CellValue(cell, what, kind)) for what, kind in _ANNOTATED
                ]
                nothing = pa.nulls(count, pa.string())
                return [
                    *(
                        each if pa.types.is_integer(each.type) else texts_of(each)
                        for each in fields
                    ),
                    pa.repeat(pa.scalar(namespace, pa.string()), count),
                    nothing if value is None else texts_of(evaluator.array(value)).fill_null(""),
                ]


_ANNOTATED: tuple[tuple[c.CellFact, ValueType], ...] = (
    ("file", TEXT),
    ("row", INTEGER),
    ("column", INTEGER),
    ("content", TEXT),
)


def is_by_row(statement: Statement) -> bool:
    """Is it a loop over cells or rows?"""
    return isinstance(statement, Loop) and statement.kind != "column"


def _shared_streams(program: CoreProgram) -> frozenset[int]:
    """The streams that several loops over rows or cells write to."""
    writers: dict[int, int] = {}
    for statement in program.statements:
        if is_by_row(statement):
            assert isinstance(statement, Loop)
            made = [each for each in statement.actions if not isinstance(each, Require)]
            for stream in {action.stream for action in made}:
                writers[stream] = writers.get(stream, 0) + 1
    return frozenset(stream for stream, count in writers.items() if count > 1)


def typed(array: pa.Array, kind: pa.DataType) -> pa.Array:
    """An array in the type of its field; texts may stay dictionary-encoded."""
    import pyarrow as pa

    if array.type == kind or pa.types.is_dictionary(array.type):
        return array
    return array.cast(kind)


def _alternating(batches: list[pa.RecordBatch]) -> pa.RecordBatch:
    import numpy as np
    import pyarrow as pa

    if len(batches) == 1:
        return batches[0]
    count = batches[0].num_rows
    order = np.arange(len(batches) * count).reshape(len(batches), count).T.ravel()
    return _one(batches).take(pa.array(order))


def _one(batches: list[pa.RecordBatch]) -> pa.RecordBatch:
    """Several batches as one, without dictionaries."""
    import pyarrow as pa

    arrays = [
        pa.concat_arrays([_decoded(batch.column(ix)) for batch in batches])
        for ix in range(batches[0].num_columns)
    ]
    return pa.RecordBatch.from_arrays(arrays, batches[0].schema.names)


def _decoded(array: pa.Array) -> pa.Array:
    import pyarrow as pa

    return array.dictionary_decode() if pa.types.is_dictionary(array.type) else array


def _in_order(parts: list[tuple[Array, pa.RecordBatch]]) -> pa.RecordBatch:
    import numpy as np
    import pyarrow as pa

    keys = np.concatenate([keys for keys, _ in parts])
    order = np.argsort(keys, kind="stable")
    return _one([batch for _, batch in parts]).take(pa.array(order))
