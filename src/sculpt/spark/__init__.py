"""Sculpt on Spark: files, directories, data frames and streams, on a laptop or on a cluster.

    import sculpt.spark

    result = sculpt.spark.validate(spark, schema, "data/*.csv")
    result.valid                      # over all files
    result.violations.write.parquet("violations")
    sculpt.spark.select(spark, schema, "data/*.csv", "col(2)").show()

In: a `SparkSession` and a schema. Out: verdicts, and data frames of violations, rows and cells.
Only this package imports pyspark.
"""

from sculpt.spark.entry import select, validate
from sculpt.spark.result import Result

__all__ = ["Result", "select", "validate"]
