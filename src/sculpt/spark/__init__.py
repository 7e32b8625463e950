"""Sculpt on Spark: files, directories, data frames and streams, on a laptop or on a cluster.

    import sculpt.spark

    result = sculpt.spark.validate(spark, schema, "data/*.csv")
    result.valid                      # over all files
    result.violations.write.parquet("violations")
    sculpt.spark.select(spark, schema, "data/*.csv", "col(2)").show()
    sculpt.spark.records(spark, schema, "data/*.csv", "Obs").groupBy("area").count().show()
    sculpt.spark.write_records(spark, schema, "data/*.csv", "observations", "Obs")
    sculpt.spark.convert(spark, "trees.csv-metadata.json", "trees", to="ntriples")

In: a `SparkSession` and a schema. Out: verdicts, and data frames of violations, rows and cells.
Only this package imports pyspark.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sculpt.extras import need
from sculpt.spark.cluster.workers import own_python
from sculpt.spark.files import select, validate
from sculpt.spark.frame import FrameResult, validate_dataframe
from sculpt.spark.programs.conversions import ConversionResult, convert
from sculpt.spark.programs.records import records, write_records
from sculpt.spark.result import Result
from sculpt.spark.stream import validate_stream

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = [
    "ConversionResult",
    "FrameResult",
    "Result",
    "convert",
    "records",
    "register",
    "select",
    "validate",
    "validate_dataframe",
    "validate_stream",
    "write_records",
]


def register(spark: SparkSession) -> None:
    """Register `spark.read.format("sculpt")` with a session; see `sculpt.spark.data_source`."""
    need("spark", "`sculpt.spark`")
    from sculpt.spark.data_source import SculptSource

    with own_python(spark):
        spark.dataSource.register(SculptSource)
