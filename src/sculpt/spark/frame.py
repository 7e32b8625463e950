"""Data that is already in Spark, as a table: Parquet, JDBC, Delta or any other data frame.

In: a data frame, a schema, an order. Out: a `FrameResult`. Each partition is a chunk of one table,
whose first row holds the column names (`partitions`). A null is an empty cell; other values are
written as Spark casts them to text.

Rows are ordered by `order_by`; without it, they keep the order of the partitions. The data frame is
persisted. Memory: the bytes of one partition per worker. Cost: one job to survey the partitions,
then at most V + 2, and one more for keys and references.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any

from sculpt.extras import need
from sculpt.schema import Schema
from sculpt.spark import tasks
from sculpt.spark.partitions import CheckedFrame, SettledFunction, check_frame, values_of
from sculpt.spark.rounds import Settings
from sculpt.spark.units import OnProgress
from sculpt.verdict import Verdicts

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

    from sculpt.spark.result import Result


class _Rows(SettledFunction):
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
            arrays = [pa.array(rows, pa.int64()), *values_of(batch)]
            names = [str(number) for number in range(len(arrays))]
            yield pa.RecordBatch.from_arrays(arrays, names).filter(pa.array(mask, pa.bool_()))


class _GoodRows(_Rows):
    wants_good = True


class _BadRows(_Rows):
    wants_good = False


class FrameResult:
    """The outcome for a data frame. It keeps the data frame persisted until it is closed."""

    def __init__(self, checked: CheckedFrame, rest: Result | None = None) -> None:
        """`rest` has what keys and references have found, and the other tables."""
        self.columns = checked.columns
        """The columns of the original data frame."""
        self.verdict = checked.verdict if rest is None else rest.joined(checked.verdict, 0)
        """Validity, number of rows (including the row of column names), counts and warnings."""
        self.others = Verdicts(tasks.NAME, ()) if rest is None else rest.verdict
        """The verdicts on the tables that the schema brings in."""
        self.jobs = checked.jobs
        """Spark jobs that have read data for the rules, including the survey."""
        self._checked, self._rest = checked, rest
        self._frame = checked.frame

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
        self._checked.close()
        if self._rest is not None:
            self._rest.close()

    @property
    def valid(self) -> bool:
        """Does the table conform, and those that the schema brings in?"""
        return self.verdict.valid and self.others.valid

    @property
    def violations(self) -> DataFrame:
        """Every violation; file and offset are null, but for those of files of other tables."""
        own = self._checked.violations(None)
        return own if self._rest is None else own.unionAll(self._rest.violations)

    def good_rows(self) -> DataFrame:
        """The rows that no error names, with their numbers in the table."""
        rows = self._rows(_GoodRows)
        named = self._named()
        return self._titled(
            rows if named is None else rows.join(named, rows["0"] == named["at"], "left_anti")
        )

    def bad_rows(self) -> DataFrame:
        """The rows that some error names; all rows, if some error names none."""
        rows = self._rows(_BadRows)
        named = self._named()
        if named is not None:
            good = self._rows(_GoodRows)
            rows = rows.unionAll(good.join(named, good["0"] == named["at"], "left_semi"))
        return self._titled(rows)

    def _named(self) -> DataFrame | None:
        """The rows that errors of keys and references name, if there are any."""
        judged = None if self._rest is None else self._rest.judged
        if judged is None:
            return None
        return judged.bad_rows().where("number = 0").selectExpr("row as at")

    def _rows(self, kind: type[_Rows]) -> DataFrame:
        from pyspark.sql.types import LongType, StructField, StructType

        types = [LongType(), *(each.dataType for each in self.columns.fields)]
        numbered = [StructField(str(n), each) for n, each in enumerate(types)]
        return self._checked.mapped(kind(*self._checked.arguments), StructType(numbered))

    def _titled(self, rows: DataFrame) -> DataFrame:
        return rows.toDF("row", *self.columns.names)


def validate_dataframe(
    frame: DataFrame,
    schema: Schema,
    order_by: str | Column | Sequence[str | Column] | None = None,
    header: bool = True,
    on_progress: OnProgress | None = None,
    tables: Mapping[str, str | os.PathLike[str] | DataFrame] | None = None,
) -> FrameResult:
    """Check a data frame, as a table whose first row holds the column names.

    The dialect of the schema does not matter: there is nothing to split. `order_by` takes the same
    arguments as `DataFrame.orderBy`; without it, rows keep the order of the partitions. `tables`
    has, by name, the data of tables that the schema brings in: a path or a data frame.
    """
    need("spark", "`sculpt.spark`")
    if not schema.has_checks and not tables:
        return FrameResult(check_frame(frame, schema, order_by, header, on_progress))
    from sculpt.checks.model import Request
    from sculpt.spark.tables import GivenFrame, Tables  # most schemas have one table and no key

    settings = Settings(0, None, on_progress)
    run = Tables(frame.sparkSession, schema, settings, tables or {}, Request())
    return FrameResult(*run.run_on_frame(GivenFrame(frame, order_by, header)))
