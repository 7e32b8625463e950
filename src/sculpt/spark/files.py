"""The functions of `sculpt.spark` for files.

In: a session, a `Schema`, paths. Out: a `Result`, or a data frame of cells. For one file, and
without a session if none is at hand: a `Verdict` or a `Selection`, as the other engines give them.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, TypeAlias

from sculpt.core.task import Task
from sculpt.errors import DataError, SculptError, UsageError
from sculpt.extras import need
from sculpt.interchange.load import schema_for
from sculpt.schema import Schema, SchemaLike, path_text, selector_task
from sculpt.spark.cluster.session import joined_session
from sculpt.spark.cluster.watch import failing
from sculpt.spark.result import Result, cells_frame
from sculpt.spark.rounds import CheckedFiles, Paths, Runner, Settings, planned
from sculpt.spark.tasks import File
from sculpt.spark.units import OnProgress
from sculpt.verdict import Selection, Unread, Verdict, all_read

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from sculpt.checks.model import Request

    TableData: TypeAlias = str | os.PathLike[str] | DataFrame


def validate(
    spark: SparkSession,
    schema: SchemaLike,
    paths: Paths = (),
    max_violations: int = 0,
    unit: int | None = None,
    on_progress: OnProgress | None = None,
    tables: Mapping[str, TableData] | None = None,
    files: str | os.PathLike[str] | None = None,
    skip_files: bool = False,
) -> Result:
    """Check files, directories, globs and URIs against a schema; each file is one table.

    Each verdict describes up to `max_violations` violations; `Result.violations` has all of them.
    A task reads `unit` bytes: larger files are cut. `on_progress` is called with the number of
    finished tasks and the number of all tasks. `tables` has, by name, the data of tables that the
    schema brings in: a path or a data frame; `files` is the directory in which conditions look for
    files, which all machines must share, and with `skip_files` these conditions count as met.
    """
    need("spark", "`sculpt.spark`")
    known = schema_for(schema, _given(paths))
    settings = Settings(max_violations, unit, on_progress)
    if known.has_checks or tables:
        from sculpt.checks.model import Request
        from sculpt.spark.tables import Tables  # most schemas have one table and no key

        folder = None if files is None else os.path.abspath(files)
        request = Request(files=folder, skips_files=skip_files)
        return Tables(spark, known, settings, tables or {}, request).run(paths)
    task = Task.of_rules(known.core)
    entries = planned(paths)
    unread = [
        (number, Unread(entry.path, str(entry)))
        for number, entry in enumerate(entries)
        if isinstance(entry, DataError)
    ]
    read = [entry for entry in entries if isinstance(entry, File)]
    return Result(spark, Runner(spark, task, settings).run(read), tuple(unread))


def _given(paths: Paths) -> list[str]:
    """One path or several, as texts."""
    listed = [paths] if isinstance(paths, str | os.PathLike) else paths
    return [path_text(path) for path in listed]


def select(
    spark: SparkSession,
    schema: SchemaLike,
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
    spark: SparkSession, schema: SchemaLike, paths: Paths, selector: str, settings: Settings
) -> CheckedFiles:
    """The sizes of tables, and what is needed to list the cells of a selector in them."""
    files: list[File] = []
    for entry in planned(paths):
        if isinstance(entry, DataError):
            raise entry
        files.append(entry)
    return Runner(spark, selector_task(schema_for(schema, _given(paths)), selector), settings).run(
        files
    )


def validate_file(
    schema: Schema,
    path: str,
    spark: SparkSession | None,
    max_violations: int,
    request: Request | None,
) -> Verdict:
    """The verdict on a file; other tables of the schema must be readable."""
    asked = {} if request is None else request.for_spark
    with joined_session(spark) as session:
        found = validate(session, schema, path, max_violations, **asked).verdict.outcomes
    outcomes = [each for each in all_read(found) if each.table is None]
    if len(outcomes) != 1:
        raise UsageError(
            f"{path}: expected one file, found {len(outcomes)}; use `sculpt.spark.validate`"
        )
    return outcomes[0]


def select_in_file(
    schema: Schema, path: str, selector: str, with_texts: bool, spark: SparkSession | None
) -> Selection:
    """The cells of a selector, the size of the table and, on request, the texts of the cells."""
    with joined_session(spark) as session:
        run = measure(session, schema, path, selector, Settings())
        if len(run.files) != 1:
            raise UsageError(f"{path}: expected one file, found {len(run.files)}")
        size = run.files[0].outcome
        if isinstance(size, SculptError):
            raise size
        assert size is not None
        with failing():
            table = cells_frame(session, run).select("row", "column", "content").toArrow()
    found = sorted(zip(*(column.to_pylist() for column in table.columns), strict=True))
    texts = [text for _, _, text in found] if with_texts else None
    return Selection(size.rows, size.columns, [(row, column) for row, column, _ in found], texts)
