"""The partitions of a data frame as the chunks of one table: its bytes, and the rounds over them.

In: a data frame in some order, and a schema. Out: a `CheckedFrame`: the verdict of the rules, and
what functions for the workers need to go through its partitions again. A task writes the rows of
its partition in one fixed dialect, with every value in quotes; its first row, if it has one, holds
the column names. The rest is as for files: the same kernels on bytes, the same rounds.

Invariant: each partition must give the same bytes whenever it is read. If it does not, because the
order is not total and a partition had to be recomputed, that is an error, never a verdict. Memory:
the bytes of one partition per worker. Cost: one job to survey the partitions, then at most V + 2.
"""

from __future__ import annotations

import io
import pickle
import zlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from sculpt.core import ir
from sculpt.core.dialect import Dialect
from sculpt.core.task import Task
from sculpt.engines.chunks.compose import (
    Chunk,
    InOrder,
    Outcome,
    Result,
    Work,
    compose,
    perform,
)
from sculpt.engines.chunks.result import ChunkResult
from sculpt.engines.chunks.work import HEAD
from sculpt.engines.data import Data
from sculpt.engines.machines import build
from sculpt.engines.regions.marker import Marker
from sculpt.engines.results.details import Details
from sculpt.engines.results.listing import NO_EDGE, Listing
from sculpt.engines.walk.walk import WalkResult
from sculpt.errors import DataError, SculptError, UsageError
from sculpt.kernels import choice as backends
from sculpt.report.lists.violations import violation_row
from sculpt.schema import Schema
from sculpt.spark import tasks
from sculpt.spark.cluster.watch import failing, watching
from sculpt.spark.cluster.workers import map_in_arrow
from sculpt.spark.listers import VIOLATIONS
from sculpt.spark.tasks import Job
from sculpt.spark.units import OnProgress, record_batch
from sculpt.tabular.inputs import Input
from sculpt.values import frozen, replace
from sculpt.verdict import Verdict

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame
    from pyspark.sql.types import StructType

NAME = "<data frame>"
_DIALECT = Dialect(row_delim="\n", trim_left=False, trim_right=False, blank_rows="keep")
_SURVEY = "partition long, size long, sum long, head binary"
_CHANGED = (
    "the data frame changed between two reads: order it by columns that are unique for each row"
    " (`order_by`)"
)


class FrameBytes(Input):
    """The bytes of a partition and the head of the table: all that a task reads."""

    def __init__(self, data: bytes, at: int, head: bytes, size: int) -> None:
        self.path = NAME
        self.packing = None
        self._data, self._at, self._head, self._total = data, at, head, size

    @property
    def is_plain(self) -> bool:
        """See `Input`."""
        return True

    @property
    def size(self) -> int:
        """See `Input`."""
        return self._total

    def close(self) -> None:
        """See `Input`."""

    def check_unchanged(self, since: str = "") -> None:
        """See `Input`."""

    def window(self, start: int, end: int) -> bytes:
        """See `Input`."""
        if start < self._at:
            return self._head[start:end]
        return self._data[start - self._at : end - self._at]

    def read_into(self, start: int, room: bytearray) -> bytes | bytearray:
        """See `Input`."""
        return self.window(start, start + len(room))


@frozen
class Layout:
    """Where each partition of a data frame begins in its table."""

    partitions: tuple[int, ...]
    """The numbers of the partitions that are not empty."""
    begins: tuple[int, ...]
    sums: tuple[int, ...]
    size: int
    head: bytes
    names: bytes
    """The first row, which belongs to the first partition."""

    @property
    def is_empty(self) -> bool:
        """Has the table no row, or only that of the column names?"""
        return self.size == len(self.names)

    def parted(self, frame: DataFrame) -> DataFrame:
        """The rows of a data frame, each with the number of its partition."""
        from pyspark.sql import functions

        if self.is_empty:
            return _one_partition(frame)
        return frame.withColumn(_PARTITION, functions.spark_partition_id())

    def at(self, number: int) -> int:
        """Where a chunk begins."""
        return self.begins[number]

    def after(self, number: int) -> Iterator[int]:
        """Where the chunks after it begin."""
        return iter(self.begins[number + 1 :])

    def source(self, number: int, data: bytes) -> FrameBytes:
        """The bytes of a chunk, which must be the same as in the survey."""
        if zlib.crc32(data) != self.sums[number]:
            raise DataError(_CHANGED, NAME)
        if number == 0:
            data = self.names + data
        return FrameBytes(data, self.begins[number], self.head, self.size)


def spelt(batches: Sequence[Any]) -> bytes:
    """The rows of Arrow batches, all of text, as the bytes of a table."""
    from pyarrow import csv

    out = io.BytesIO()
    options = csv.WriteOptions(include_header=False, quoting_style="all_valid")
    for batch in batches:
        csv.write_csv(batch, out, options)
    return out.getvalue()


class PartitionFunction(ABC):
    """A function for the workers, on the partitions of a data frame."""

    columns: str

    def __init__(self, job: Job, layout: Layout) -> None:
        self.job = job
        self.layout = layout

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        """The output for a partition.

        Rows name their partition: in a union, tasks have other numbers than partitions. A table
        without rows has one partition, which is empty.
        """
        kept = [batch for batch in batches if batch.num_rows]
        if kept:
            partition = kept[0].column(_PARTITION)[0].as_py()
            yield from self.answer(self.layout.partitions.index(partition), kept)
        elif self.layout.is_empty:
            yield from self.answer(0, [])

    def source(self, number: int, batches: Sequence[Any]) -> FrameBytes:
        """The bytes of a partition."""
        return self.layout.source(number, spelt([as_text(batch) for batch in batches]))

    @abstractmethod
    def answer(self, number: int, batches: Sequence[Any]) -> Iterator[Any]:
        """The output for a chunk."""


def as_text(batch: Any) -> Any:
    """The columns of a batch that hold values as text; the others hold the values themselves."""
    import pyarrow as pa

    names = [name for name in batch.schema.names if name.startswith(_TEXT)]
    return pa.RecordBatch.from_arrays([batch.column(name) for name in names], names)


def values_of(batch: Any) -> list[Any]:
    """The columns of a batch that hold the values themselves."""
    return [batch.column(name) for name in batch.schema.names if name.startswith(_VALUE)]


_PARTITION = "partition"
_VALUE, _TEXT = "value ", "text "
"""Columns are numbered, because Spark cannot pass on every name: first values, then texts."""


def _nothing(batches: Iterator[Any]) -> Iterator[Any]:
    """No rows."""
    yield from ()


class _Survey:
    """How large each partition is, and its first rows."""

    columns = _SURVEY

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        from pyspark import TaskContext

        context = TaskContext.get()
        assert context is not None
        data = spelt([as_text(batch) for batch in batches])
        row = (context.partitionId(), len(data), zlib.crc32(data), data[:HEAD])
        yield record_batch(self.columns, [row])


class _Round(PartitionFunction):
    """The results of a round."""

    columns = "number long, reply binary"

    def __init__(self, job: Job, layout: Layout, works: Sequence[Work]) -> None:
        super().__init__(job, layout)
        self.works = {work.number: work for work in works}

    def answer(self, number: int, batches: Sequence[Any]) -> Iterator[Any]:
        try:
            found: Result | SculptError = self._result(number, batches)
        except SculptError as error:
            found = error
        yield record_batch(self.columns, [(number, pickle.dumps(found))])

    def _result(self, number: int, batches: Sequence[Any]) -> Result:
        data = Data(self.source(number, batches), "utf-8")
        machines = tasks.machines_of(self.job, data)
        found = perform(self.works[number], machines, data, self.layout, self.job.limit)
        if isinstance(found, ChunkResult) and found.unchecked:
            # The driver cannot read the rows of a partition, so the texts go with the places.
            details = Details(machines, WalkResult(0, 0, 0, [], NO_EDGE), data)
            found = replace(found, unchecked=tuple(details.with_texts(found.unchecked)))
        return found


class SettledFunction(PartitionFunction):
    """What is in a chunk whose edges are known."""

    def __init__(
        self,
        job: Job,
        layout: Layout,
        chunks: Sequence[Chunk],
        rowless: tuple[bool, bool],
        unmatched: frozenset[str],
    ) -> None:
        super().__init__(job, layout)
        self.chunks = chunks
        self.all_bad, self.has_rowless = rowless
        self.unmatched = unmatched

    def marker(self, number: int, batches: Sequence[Any]) -> Marker:
        """The regions of a partition."""
        data = Data(self.source(number, batches), "utf-8")
        chunk = self.chunks[number]
        machines = tasks.machines_of(self.job, data, forgets=True, notes_texts=True)
        return Marker(machines, data, chunk.intake.width, chunk)

    def listing(self, number: int, batches: Sequence[Any]) -> Listing:
        """What is in a partition."""
        data = Data(self.source(number, batches), "utf-8")
        chunk = self.chunks[number]
        machines = tasks.machines_of(self.job, data, forgets=True)
        return Listing(machines, data, chunk.intake.width, chunk, unmatched=self.unmatched)


class FrameViolations(SettledFunction):
    """Every violation of the rules."""

    columns = VIOLATIONS

    def __init__(self, checked: CheckedFrame, name: str | None) -> None:
        """`name` is what is said to be the file."""
        super().__init__(*checked.arguments)
        self.name = name

    def answer(self, number: int, batches: Sequence[Any]) -> Iterator[Any]:
        """See `PartitionFunction`."""
        is_last = number == len(self.chunks) - 1
        if self.chunks[number].count or (is_last and self.has_rowless):
            for violations in self.listing(number, batches).violations():
                rows = [violation_row(self.name, replace(each, offset=None)) for each in violations]
                yield record_batch(self.columns, rows)


@frozen(slots=False)
class CheckedFrame:
    """A data frame whose rules have been checked; it stays persisted until it is closed."""

    frame: DataFrame
    job: Job
    layout: Layout
    outcome: Outcome
    verdict: Verdict
    columns: StructType
    """The columns of the original data frame."""
    jobs: int
    """Spark jobs that have read data, including the survey."""

    @property
    def arguments(self) -> tuple[Job, Layout, Sequence[Chunk], tuple[bool, bool], frozenset[str]]:
        """What a `SettledFunction` needs."""
        rowless = self.outcome.found.rowless(self.verdict)
        return self.job, self.layout, self.outcome.chunks, rowless, self.verdict.unmatched

    def mapped(
        self, function: SettledFunction, columns: str | StructType | None = None
    ) -> DataFrame:
        """What a function makes of the partitions."""
        frame = self.layout.parted(self.frame)
        return map_in_arrow(frame, function, columns or function.columns)

    def violations(self, name: str | None) -> DataFrame:
        """Every violation of the rules; `name` is what is said to be the file."""
        return self.mapped(FrameViolations(self, name))

    def close(self) -> None:
        """Release the rows that Spark keeps."""
        self.frame.unpersist()


def _one_partition(frame: DataFrame) -> DataFrame:
    """One partition without rows, with the columns of a data frame."""
    return map_in_arrow(frame.sparkSession.range(0, 1, 1, 1), _nothing, frame.schema)


def check_frame(
    frame: DataFrame,
    schema: Schema,
    order_by: str | Column | Sequence[str | Column] | None = None,
    header: bool = True,
    on_progress: OnProgress | None = None,
    regions: tuple[ir.Selector, ...] = (),
    name: str = NAME,
) -> CheckedFrame:
    """Check the rules of a schema; the machines follow some more `regions`."""
    if frame.isStreaming:
        raise UsageError("a streaming data frame has no last row; use `validate_stream`")
    kept = _prepared(frame, order_by).persist()
    try:
        return _FrameCheck(kept, schema, frame.schema, header, on_progress, regions, name).run()
    except BaseException:
        kept.unpersist()
        raise


def _prepared(
    frame: DataFrame, order_by: str | Column | Sequence[str | Column] | None
) -> DataFrame:
    """The rows in order, with the text of each value in an additional column."""
    from pyspark.sql import functions

    if order_by is not None:
        several = order_by if isinstance(order_by, list | tuple) else [order_by]
        frame = frame.orderBy(*several)
    numbered = frame.toDF(*(f"{_VALUE}{number}" for number in range(len(frame.columns))))
    texts = [
        functions.col(f"{_VALUE}{number}").cast("string").alias(f"{_TEXT}{number}")
        for number in range(len(frame.columns))
    ]
    return numbered.select("*", *texts)


class _FrameCheck:
    """The rounds of a data frame."""

    def __init__(
        self,
        frame: DataFrame,
        schema: Schema,
        columns: StructType,
        header: bool,
        on_progress: OnProgress | None,
        regions: tuple[ir.Selector, ...],
        name: str,
    ) -> None:
        self.frame = frame
        self.name = name
        self.columns = columns
        self.names = columns.names if header else None
        self.on_progress = on_progress
        dialect = replace(
            _DIALECT,
            list_delim=schema.core.dialect.list_delim,
            strict_padding=schema.core.dialect.strict_padding,
        )
        self.core: ir.CoreSchema = replace(schema.core, dialect=dialect)
        self.task = Task.of_rules(self.core, regions=regions)
        self.machines = build(self.task, "utf-8", backends.plain())
        self.jobs = 0

    def _collected(
        self, frame: DataFrame, function: Callable[[Iterator[Any]], Iterator[Any]], columns: str
    ) -> Any:
        self.jobs += 1
        with failing(), watching(frame.sparkSession, self.on_progress):
            return map_in_arrow(frame, function, columns).toArrow().to_pylist()

    def run(self) -> CheckedFrame:
        """The survey and all rounds."""
        survey = self._collected(self.frame, _Survey(), _SURVEY)
        if not survey:  # no partition: make an empty one, for the column names
            self.frame = _one_partition(self.frame)
            survey = self._collected(self.frame, _Survey(), _SURVEY)
        layout = self._layout(survey)
        job = Job.make(self.task, 0, size=layout.size)
        outcome = self._rounds(job, layout)
        if isinstance(outcome, InOrder):
            if len(layout.partitions) == 1:
                raise UsageError(f"this schema cannot check a data frame: {outcome.reason}")
            self.frame = self.frame.coalesce(1)  # in order
            return self.run()
        return CheckedFrame(
            self.frame,
            job,
            layout,
            outcome,
            self._verdict(layout, outcome),
            self.columns,
            self.jobs,
        )

    def _rounds(self, job: Job, layout: Layout) -> Outcome | InOrder:
        rounds = compose(self.machines, len(layout.partitions), 0)
        works = next(rounds)
        frame = layout.parted(self.frame)
        while True:
            answers = self._collected(frame, _Round(job, layout, works), _Round.columns)
            replies = {each["number"]: pickle.loads(each["reply"]) for each in answers}
            for each in replies.values():
                if isinstance(each, SculptError):
                    raise each
            try:
                works = rounds.send([replies[work.number] for work in works])
            except StopIteration as stop:
                outcome: Outcome | InOrder = stop.value
                return outcome

    def _verdict(self, layout: Layout, outcome: Outcome) -> Verdict:
        source = FrameBytes(b"", layout.size, layout.head, layout.size)
        details = Details(self.machines, outcome.found, Data(source, "utf-8"))
        return details.verdict(self.name, tasks.NAME, 0)

    def _layout(self, survey: list[dict[str, Any]]) -> Layout:
        """Where each partition begins; an empty table still has its column names."""
        import pyarrow as pa

        names = b""
        if self.names is not None:
            arrays = [pa.array([name]) for name in self.names]
            columns = [str(number) for number in range(len(arrays))]
            names = spelt([pa.RecordBatch.from_arrays(arrays, columns)])
        filled = [each for each in survey if each["size"]] or survey[:1]
        filled.sort(key=lambda each: int(each["partition"]))
        begins, at = [], 0
        for number, each in enumerate(filled):
            begins.append(at)
            at += each["size"] + (number == 0) * len(names)
        head = (names + filled[0]["head"])[:HEAD] if filled else names
        partitions, sums = (tuple(each[key] for each in filled) for key in ("partition", "sum"))
        return Layout(partitions, tuple(begins), sums, at, head, names)
