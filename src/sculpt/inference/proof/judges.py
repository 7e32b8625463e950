"""Who validates files while a schema is proposed: this machine, or Spark.

In: a schema, paths, a number of violations to list. Out: a verdict for each path, in order. Both
give the same verdicts; their counts are sums over rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias

from sculpt.api import validate
from sculpt.schema import Schema
from sculpt.verdict import Verdict, all_read

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from sculpt.engines.options import Progress
    from sculpt.spark.units import OnProgress

Judge: TypeAlias = Callable[[Schema, Sequence[str], int], Sequence[Verdict]]


def judge_here(on_progress: Callable[[Progress], None] | None = None) -> Judge:
    """The local engine, file by file."""

    def judge(schema: Schema, paths: Sequence[str], limit: int) -> list[Verdict]:
        return [
            validate(schema, path, "local", max_violations=limit, on_progress=on_progress)
            for path in paths
        ]

    return judge


def judge_on_spark(spark: SparkSession, on_progress: OnProgress | None = None) -> Judge:
    """A job of Spark over all files."""
    from sculpt.spark import validate as on_spark

    def judge(schema: Schema, paths: Sequence[str], limit: int) -> list[Verdict]:
        found = on_spark(spark, schema, list(paths), limit, on_progress=on_progress)
        verdicts = all_read(found.verdict.outcomes)
        assert len(verdicts) == len(paths), (len(verdicts), len(paths))
        return verdicts

    return judge
