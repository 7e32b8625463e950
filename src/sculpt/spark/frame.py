"""Data that is already in Spark, as a table: Parquet, JDBC, Delta or any other data frame.

In: a data frame, a schema, an order. Out: a `FrameResult`. Each partition is a chunk of one table,
whose first row holds the column names. A task writes the rows of its partition in one fixed
dialect, with every value in quotes. The rest is as for files: the same kernels on bytes, the same
rounds. A null is an empty cell; other values are written as Spark casts them to text.

Rows are ordered by `order_by`; without it, they keep the order of the partitions. The data frame is
persisted, and each partition must give the same bytes whenever it is read. If it does not, because
the order is not total and a partition had to be recomputed, that is an error, never a verdict.

Memory: the bytes of one partition per worker. Cost: one job to survey the partitions, then at most
V + 2.
"""

from __future__ import annotations

import io
import pickle
import zlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from types import TracebackType
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
from sculpt.engines.results.details import Details
from sculpt.engines.results.listing import NO_EDGE, Listing
from sculpt.engines.walk.walk import WalkResult
from sculpt.errors import DataError, SculptError, UsageError
from sculpt.extras import need
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


class _Bytes(Input):
    """The bytes of a partition and the head of the table: all that a task reads."""

    def __init__(self, data: bytes, at: int, head: bytes, size: int) -> None:
        self.path = NAME
        self.packing = None
        self._data, self._at, self._head, self._total = data, at, head, size

    @property
    def is_plain(self) -> bool:
        return True

    @property
    def size(self) -> int:
        return self._total

    def close(self) -> None:
        pass

    def check_unchanged(self, since: str = "") -> None:
        pass

    def window(self, start: int, end: int) -> bytes:
        if start < self._at:
            return self._head[start:end]
        return self._data[start - self._at : end - self._at]

    def read_into(self, start: int, room: bytearray) -> bytes | bytearray:
        return self.window(start, start + len(room))


@frozen
class _Layout:
    """Where each partition of a data frame begins in its table."""

    partitions: tuple[int, ...]
    """The numbers of the partitions that are not empty."""
    begins: tuple[int, ...]
    sums: tuple[int, ...]
    size: int
    head: bytes
    names: bytes
    """The first row, which belongs to the first partition."""

    def at(self, number: int) -> int:
        """Where a chunk begins."""
        return self.begins[number]

    def after(self, number: int) -> Iterator[int]:
        """Where the chunks after it begin."""
        return iter(self.begins[number + 1 :])

    def source(self, number: int, data: bytes) -> _Bytes:
        """The bytes of a chunk, which must be the same as in the survey."""
        if zlib.crc32(data) != self.sums[number]:
            raise DataError(_CHANGED, NAME)
        if number == 0:
            data = self.names + data
        return _Bytes(data, self.begins[number], self.head, self.size)


def spelt(batches: Sequence[Any]) -> bytes:
    """The rows of Arrow batches, all of text, as the bytes of a table."""
    from pyarrow import csv

    out = io.BytesIO()
    options = csv.WriteOptions(include_header=False, quoting_style="all_valid")
    for batch in batches:
        csv.write_csv(batch, out, options)
    return out.getvalue()


class _PartitionFunction(ABC):
    """A function for the workers, on the partitions of a data frame."""

    columns: str

    def __init__(self, job: Job, layout: _Layout) -> None:
        self.job = job
        self.layout = layout

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        from pyspark import TaskContext

        context = TaskContext.get()
        assert context is not None
        partition = context.partitionId()
        kept = list(batches)
        if partition in self.layout.partitions:
            yield from self.answer(self.layout.partitions.index(partition), kept)

    def source(self, number: int, batches: Sequence[Any]) -> _Bytes:
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


def _values(batch: Any) -> list[Any]:
    return [batch.column(name) for name in batch.schema.names if name.startswith(_VALUE)]


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


class _Round(_PartitionFunction):
    """The results of a round."""

    columns = "number long, reply binary"

    def __init__(self, job: Job, layout: _Layout, works: Sequence[Work]) -> None:
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


class _SettledFunction(_PartitionFunction):
    """What is in a chunk whose edges are known."""

    def __init__(
        self,
        job: Job,
        layout: _Layout,
        chunks: Sequence[Chunk],
        rowless: tuple[bool, bool],
        unmatched: frozenset[str],
    ) -> None:
        super().__init__(job, layout)
        self.chunks = chunks
        self.all_bad, self.has_rowless = rowless
        self.unmatched = unmatched

    def listing(self, number: int, batches: Sequence[Any]) -> Listing:
        """What is in a partition."""
        data = Data(self.source(number, batches), "utf-8")
        chunk = self.chunks[number]
        machines = tasks.machines_of(self.job, data, forgets=True)
        return Listing(machines, data, chunk.intake.width, chunk, unmatched=self.unmatched)


class _Violations(_SettledFunction):
    """Every violation."""

    columns = VIOLATIONS

    def answer(self, number: int, batches: Sequence[Any]) -> Iterator[Any]:
        is_last = number == len(self.chunks) - 1
        if self.chunks[number].count or (is_last and self.has_rowless):
            for violations in self.listing(number, batches).violations():
                rows = [violation_row(None, replace(each, offset=None)) for each in violations]
                yield record_batch(self.columns, rows)


class _Rows(_SettledFunction):
    """The rows of the data frame that are good, or bad, with their numbers."""

    wants_good: bool

    def answer(self, number: int, batches: Sequence[Any]) -> Iterator[Any]:
        import pyarrow as pa

        chunk = self.chunks[number]
        bad: set[int] = set()
        if chunk.count and not self.all_bad:
            listing = self.listing(number, batches)
            bad = {row.row for rows in listing.rows(False, all_bad=False) for row in rows}
        row = chunk.intake.rows + (number == 0) * bool(self.layout.names)
        for batch in batches:
            rows = range(row + 1, row + 1 + batch.num_rows)
            row += batch.num_rows
            mask = [(not self.all_bad and each not in bad) == self.wants_good for each in rows]
            arrays = [pa.array(rows, pa.int64()), *_values(batch)]
            names = [str(number) for number in range(len(arrays))]
            yield pa.RecordBatch.from_arrays(arrays, names).filter(pa.array(mask, pa.bool_()))


class _GoodRows(_Rows):
    wants_good = True


class _BadRows(_Rows):
    wants_good = False


class FrameResult:
    """The outcome for a data frame. It keeps the data frame persisted until it is closed."""

    def __init__(
        self,
        frame: DataFrame,
        job: Job,
        layout: _Layout,
        outcome: Outcome,
        verdict: Verdict,
        columns: StructType,
        jobs: int,
    ) -> None:
        self.columns = columns
        """The columns of the original data frame."""
        self.verdict = verdict
        """Validity, number of rows (including the row of column names), counts and warnings."""
        self.jobs = jobs
        """Spark jobs that have read data, including the survey."""
        self._frame = frame
        rowless = outcome.found.rowless(verdict)
        self._arguments = (job, layout, outcome.chunks, rowless, verdict.unmatched)

    def __enter__(self) -> FrameResult:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Release the rows that Spark keeps."""
        self._frame.unpersist()

    @property
    def valid(self) -> bool:
        """Does the table conform?"""
        return self.verdict.valid

    @property
    def violations(self) -> DataFrame:
        """Every violation; file and offset are null."""
        return map_in_arrow(self._frame, _Violations(*self._arguments), VIOLATIONS)

    def good_rows(self) -> DataFrame:
        """The rows that no error names, with their numbers in the table."""
        return self._rows(_GoodRows)

    def bad_rows(self) -> DataFrame:
        """The rows that some error names; all rows, if some error names none."""
        return self._rows(_BadRows)

    def _rows(self, kind: type[_Rows]) -> DataFrame:
        from pyspark.sql.types import LongType, StructField, StructType

        fields = [StructField("row", LongType()), *self.columns.fields]
        numbered = [StructField(str(n), each.dataType) for n, each in enumerate(fields)]
        rows = map_in_arrow(self._frame, kind(*self._arguments), StructType(numbered))
        return rows.toDF(*(each.name for each in fields))


def validate_dataframe(
    frame: DataFrame,
    schema: Schema,
    order_by: str | Column | Sequence[str | Column] | None = None,
    header: bool = True,
    on_progress: OnProgress | None = None,
) -> FrameResult:
    """Check a data frame, as a table whose first row holds the column names.

    The dialect of the schema does not matter: there is nothing to split. `order_by` takes the same
    arguments as `DataFrame.orderBy`; without it, rows keep the order of the partitions.
    """
    need("spark", "`sculpt.spark`")
    if frame.isStreaming:
        raise UsageError("a streaming data frame has no last row; use `validate_stream`")
    kept = _prepared(frame, order_by).persist()
    try:
        return _FrameCheck(kept, schema, frame.schema, header, on_progress).run()
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
    ) -> None:
        self.frame = frame
        self.columns = columns
        self.names = columns.names if header else None
        self.on_progress = on_progress
        dialect = replace(
            _DIALECT,
            list_delim=schema.core.dialect.list_delim,
            strict_padding=schema.core.dialect.strict_padding,
        )
        self.core: ir.CoreSchema = replace(schema.core, dialect=dialect)
        self.task = Task.of_rules(self.core)
        self.machines = build(self.task, "utf-8", backends.plain())
        self.jobs = 0

    def _collected(self, function: Callable[[Iterator[Any]], Iterator[Any]], columns: str) -> Any:
        self.jobs += 1
        with failing(), watching(self.frame.sparkSession, self.on_progress):
            return map_in_arrow(self.frame, function, columns).toArrow().to_pylist()

    def run(self) -> FrameResult:
        """The survey and all rounds."""
        survey = self._collected(_Survey(), _SURVEY)
        if not survey:  # no partition: make an empty one, for the column names
            one = self.frame.sparkSession.range(0, 1, 1, 1)
            self.frame = map_in_arrow(one, _nothing, self.frame.schema)
            survey = self._collected(_Survey(), _SURVEY)
        layout = self._layout(survey)
        job = Job.make(self.task, 0, size=layout.size)
        outcome = self._rounds(job, layout)
        if isinstance(outcome, InOrder):
            if len(layout.partitions) == 1:
                raise UsageError(f"this schema cannot check a data frame: {outcome.reason}")
            self.frame = self.frame.coalesce(1)  # in order
            return self.run()
        return FrameResult(
            self.frame,
            job,
            layout,
            outcome,
            self._verdict(layout, outcome),
            self.columns,
            self.jobs,
        )

    def _rounds(self, job: Job, layout: _Layout) -> Outcome | InOrder:
        rounds = compose(self.machines, len(layout.partitions), 0)
        works = next(rounds)
        while True:
            answers = self._collected(_Round(job, layout, works), _Round.columns)
            replies = {each["number"]: pickle.loads(each["reply"]) for each in answers}
            for each in replies.values():
                if isinstance(each, SculptError):
                    raise each
            try:
                works = rounds.send([replies[work.number] for work in works])
            except StopIteration as stop:
                outcome: Outcome | InOrder = stop.value
                return outcome

    def _verdict(self, layout: _Layout, outcome: Outcome) -> Verdict:
        source = _Bytes(b"", layout.size, layout.head, layout.size)
        details = Details(self.machines, outcome.found, Data(source, "utf-8"))
        return details.verdict(NAME, tasks.NAME, 0)

    def _layout(self, survey: list[dict[str, Any]]) -> _Layout:
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
        return _Layout(partitions, tuple(begins), sums, at, head, names)
