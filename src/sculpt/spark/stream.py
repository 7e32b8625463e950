"""A directory in which new files keep arriving: each is checked once, even across restarts.

In: a session, a schema, the directory, where to write. Out: a running `StreamingQuery`. Spark's
file stream finds the new files, and its checkpoint remembers which files are done. Our tasks read
the bytes. Verdicts and violations are appended to two Parquet tables:

    OUTPUT/verdicts/batch=N/…     file, valid, rows, columns, violations, warnings, error,
                                  warning_violations
    OUTPUT/violations/batch=N/…   every violation, with its file

Invariant: a file is in exactly one batch. When the stream is restarted, an interrupted batch is run
again with the same number and the same files, and replaces what it had written. So no verdict is
lost or duplicated. A file must arrive complete: write it elsewhere, then move it in.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from sculpt.errors import UsageError
from sculpt.extras import need
from sculpt.schema import Schema
from sculpt.spark.cluster.workers import own_python
from sculpt.spark.files import validate
from sculpt.verdict import Unread, Verdicts

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

FILES = "path string, modificationTime timestamp, length long, content binary"
"""What Spark reports about files; `content` is never selected, so Spark does not read them."""
_STORES = {"s3a": "s3", "s3n": "s3", "abfss": "abfs"}
VERDICTS = (
    "file string, valid boolean, rows long, columns long, violations long, warnings array<string>,"
    " error string, warning_violations long"
)


def validate_stream(
    spark: SparkSession,
    schema: Schema,
    directory: str | os.PathLike[str],
    output: str | os.PathLike[str],
    checkpoint: str | os.PathLike[str] | None = None,
    glob: str | None = None,
    files_per_batch: int = 1000,
    interval: str = "10 seconds",
    until_done: bool = False,
) -> StreamingQuery:
    """Check every file that arrives in a directory; the query runs until it is stopped.

    `glob` filters files by name; `interval` is how often to look for new files. With `until_done`,
    the query ends once all files present have been checked. The checkpoint is in
    `OUTPUT/checkpoint`, beside the tables, unless `checkpoint` names another place.
    """
    need("spark", "`sculpt.spark`")
    for key in schema.core.keys:
        if key.across:
            raise UsageError(
                f"line {key.line}: the files of a stream arrive one after the other,"
                " so `across files` cannot be judged"
            )
    target = os.fspath(output)
    place = f"{target}/checkpoint" if checkpoint is None else os.fspath(checkpoint)
    files = spark.readStream.format("binaryFile").schema(FILES)
    files = files.option("maxFilesPerTrigger", files_per_batch)
    if glob is not None:
        files = files.option("pathGlobFilter", glob)

    def check(batch: DataFrame, number: int) -> None:
        paths = sorted(as_input(row.path) for row in batch.select("path").collect())
        if paths:
            _write(batch.sparkSession, schema, paths, target, number)

    writer = files.load(os.fspath(directory)).select("path").writeStream
    writer = writer.option("checkpointLocation", place).foreachBatch(check)
    writer = writer.queryName(f"sculpt {os.fspath(directory)}")
    if until_done:
        return writer.trigger(availableNow=True).start()
    return writer.trigger(processingTime=interval).start()


def as_input(address: str) -> str:
    """The path or URI by which our tasks open a file that Spark reports."""
    scheme, _, rest = address.partition(":")
    if scheme == "file":
        return unquote(urlsplit(address).path)
    # Hadoop's names for the same stores.
    return f"{_STORES[scheme]}:{rest}" if scheme in _STORES else address


def _write(spark: SparkSession, schema: Schema, paths: list[str], output: str, number: int) -> None:
    """Check the files of a batch, and write the results, replacing those of an earlier attempt."""
    result = validate(spark, schema, paths)
    place = f"batch={number}"
    result.violations.write.mode("overwrite").parquet(f"{output}/violations/{place}")
    with own_python(spark):  # Spark passes rows from Python to Java through a worker
        verdicts = spark.createDataFrame(_rows(result.verdict), VERDICTS).coalesce(1)
    verdicts.write.mode("overwrite").parquet(f"{output}/verdicts/{place}")


def _rows(verdict: Verdicts) -> list[tuple[object, ...]]:
    found: list[tuple[object, ...]] = []
    for each in verdict.outcomes:
        if isinstance(each, Unread):
            found.append((each.path, False, None, None, None, [], each.message, None))
        else:
            warnings = [warning.message for warning in each.warnings]
            counts = (each.rows, each.columns, each.violation_count)
            warned = each.warning_violation_count
            found.append((each.path, each.valid, *counts, warnings, None, warned))
    return found
