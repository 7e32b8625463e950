"""A region of a file as a table of its own, found by the tasks of Spark.

In: the task of finding a region, one file. Out: the columns that it has, then batches in the order
of the table. Two jobs besides those that find the edges of chunks: which columns, and which rows.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from sculpt.core.task import Task
from sculpt.engines.data import Data
from sculpt.engines.regions.marker import Marker
from sculpt.errors import DataError, SculptError, UsageError
from sculpt.spark import tasks
from sculpt.spark.cluster.session import joined_session
from sculpt.spark.cluster.watch import failing
from sculpt.spark.programs.tasks import PACKED, packed, row_of, unpacked, width_of
from sculpt.spark.rounds import FILE_COST, MAX_UNIT, Runner, Settings, mapped, planned, units
from sculpt.spark.tasks import Job, Listed, Slice, Whole
from sculpt.transform.exports import RegionExport
from sculpt.verdict import Verdict

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import SparkSession


class _Export:
    """The function that finds the columns of a region; with columns, its rows."""

    def __init__(
        self, job: Job, gathered: Sequence[Sequence[Listed]], columns: set[int] | None
    ) -> None:
        self.job = job
        self.gathered = gathered
        self.columns = columns

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        """Export the units whose numbers come."""
        for batch in batches:
            for number in batch.column(0).to_pylist():
                place = 0
                for listed in self.gathered[number]:
                    for data in self._made(listed):
                        yield row_of(PACKED, number, place, listed.file.number, 0, data)
                        place += 1

    def _made(self, listed: Listed) -> Iterator[bytes]:
        with tasks.opened(listed.file) as source:
            data = Data(source, tasks.task_of(self.job.schema).schema.dialect.encoding)
            program = tasks.machines_of(self.job, data, forgets=True, notes_texts=True)
            piece = listed.piece if isinstance(listed, Slice) else None
            width = width_of(listed)
            export = RegionExport(Marker(program, data, width, piece))
            if self.columns is None:
                yield pickle.dumps(export.columns())
            else:
                for batch in export.batches(self.columns):
                    yield packed(batch)
            source.check_unchanged()


def exported(
    spark: SparkSession, task: Task, path: str
) -> Iterator[tuple[set[int], pa.RecordBatch | None]]:
    """The columns of a region, then its rows in batches."""
    files = []
    for each in planned(path):
        if isinstance(each, DataError):
            raise each
        files.append(each)
    if len(files) != 1:
        raise UsageError(f"{path}: these are {len(files)} files; choose one")
    run = Runner(spark, task, Settings()).run(files)
    checked = run.checked[0]
    if isinstance(checked.outcome, SculptError):
        raise checked.outcome
    assert isinstance(checked.outcome, Verdict)
    listed: list[Listed] = list(checked.slices) or [Whole(checked.file, checked.outcome.columns)]
    gathered = units([(each, MAX_UNIT) for each in listed], MAX_UNIT + FILE_COST)
    columns: set[int] = set()
    with failing():
        first = mapped(spark, _Export(run.job, gathered, None), len(gathered), PACKED)
        for data in first.toArrow().column("data").to_pylist():
            columns |= pickle.loads(data)
        yield columns, None
        rows = mapped(spark, _Export(run.job, gathered, columns), len(gathered), PACKED)
        for row in rows.toLocalIterator(prefetchPartitions=True):
            for batch in unpacked(bytes(row["data"])):
                yield columns, batch


def export_on_spark(
    task: Task, path: str, spark: SparkSession | None
) -> Iterator[tuple[set[int], pa.RecordBatch | None]]:
    """The same, on a session that is given, runs already, or is started."""
    with joined_session(spark) as session:
        yield from exported(session, task, path)
