"""The functions of `sculpt.spark` for files.

In: a session, a `Schema`, paths. Out: a `Result`, or a data frame of cells.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sculpt.core.task import Task
from sculpt.errors import DataError
from sculpt.extras import need
from sculpt.schema import Schema, selector_task
from sculpt.spark.result import Result, cells_frame
from sculpt.spark.rounds import CheckedFiles, Paths, Runner, Settings, planned
from sculpt.spark.tasks import File
from sculpt.spark.units import OnProgress
from sculpt.verdict import Unread

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def validate(
    spark: SparkSession,
    schema: Schema,
    paths: Paths,
    max_violations: int = 0,
    unit: int | None = None,
    on_progress: OnProgress | None = None,
) -> Result:
    """Check files, directories, globs and URIs against a schema; each file is one table.

    Each verdict describes up to `max_violations` violations; `Result.violations` has all of them.
    A task reads `unit` bytes: larger files are cut. `on_progress` is called with the number of
    finished tasks and the number of all tasks.
    """
    need("spark", "`sculpt.spark`")
    core = schema.core
    task = Task.of_rules(core)
    entries = planned(paths)
    unread = [
        (number, Unread(entry.path, str(entry)))
        for number, entry in enumerate(entries)
        if isinstance(entry, DataError)
    ]
    files = [entry for entry in entries if isinstance(entry, File)]
    settings = Settings(max_violations, unit, on_progress)
    return Result(spark, Runner(spark, task, settings).run(files), tuple(unread))


def select(
    spark: SparkSession,
    schema: Schema,
    paths: Paths,
    selector: str,
    unit: int | None = None,
    on_progress: OnProgress | None = None,
) -> DataFrame:
    """The cells that a selector selects: file, row, column, content (null for a padded cell)."""
    need("spark", "`sculpt.spark`")
    settings = Settings(0, unit, on_progress)
    return cells_frame(spark, measure(spark, schema, paths, selector, settings))


def measure(
    spark: SparkSession, schema: Schema, paths: Paths, selector: str, settings: Settings
) -> CheckedFiles:
    """The sizes of tables, and what is needed to list the cells of a selector in them."""
    files: list[File] = []
    for entry in planned(paths):
        if isinstance(entry, DataError):
            raise entry
        files.append(entry)
    return Runner(spark, selector_task(schema, selector), settings).run(files)
