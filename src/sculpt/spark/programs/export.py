"""A region of a file as a separate table, found by Spark tasks.

In: the task of finding a region, one file. Out: the columns of the region, then batches in the
order of the table. This takes two jobs besides those that find the edges of chunks: one for the
columns, one for the rows.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from sculpt.core.task import Task
from sculpt.errors import DataError, SculptError, UsageError
from sculpt.spark import tasks
from sculpt.spark.cluster.session import joined_session
from sculpt.spark.cluster.watch import failing
from sculpt.spark.executions.tasks import packed, unpacked
from sculpt.spark.rounds import Runner, Settings, planned
from sculpt.spark.tasks import Job, Scope, WholeFile
from sculpt.spark.units import ReplyFunction
from sculpt.transform.exports import RegionExport
from sculpt.verdict import Verdict

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import SparkSession


class _Export(ReplyFunction[Scope]):
    """The function that finds the columns of a region or, given the columns, its rows."""

    def __init__(
        self, job: Job, units: Sequence[Sequence[Scope]], region_columns: set[int] | None
    ) -> None:
        super().__init__(units)
        self.job = job
        self.region_columns = region_columns

    def run(self, item: Scope) -> Iterator[tuple[int, bytes]]:
        """The pickled columns, or packed batches."""
        with tasks.opened(item.file) as source:
            export = RegionExport(tasks.marker(self.job, item, source))
            if self.region_columns is None:
                yield 0, pickle.dumps(export.columns())
            else:
                for batch in export.batches(self.region_columns):
                    yield 0, packed(batch)
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
        raise UsageError(f"{path}: expected one file, found {len(files)}")
    run = Runner(spark, task, Settings()).run(files)
    checked = run.files[0]
    if isinstance(checked.outcome, SculptError):
        raise checked.outcome
    assert isinstance(checked.outcome, Verdict)
    scopes: list[Scope] = [*checked.chunks]
    scopes = scopes or [WholeFile(checked.file, checked.outcome.columns)]
    units = [[each] for each in scopes]
    columns: set[int] = set()
    for reply in _Export(run.job, units, None).collect(spark, None):
        columns |= pickle.loads(reply.data)
    yield columns, None
    with failing():
        rows = _Export(run.job, units, columns).frame(spark)
        for row in rows.toLocalIterator(prefetchPartitions=True):
            for batch in unpacked(bytes(row["data"])):
                yield columns, batch


def export_on_spark(
    task: Task, path: str, spark: SparkSession | None
) -> Iterator[tuple[set[int], pa.RecordBatch | None]]:
    """The same, in the given session, the running one, or a new one."""
    with joined_session(spark) as session:
        yield from exported(session, task, path)
