"""Violations as a table on disk, complete or not at all.

In: a `Result` and a directory that does not exist yet. Out: a Parquet table in it. Spark writes the
parts beside the table, and moves them when all are written. A run that fails leaves no `_SUCCESS`,
and its unfinished files are removed if possible.
"""

from __future__ import annotations

import os
import shutil

from sculpt.errors import RunError, UsageError
from sculpt.spark.cluster.watch import failing, watching
from sculpt.spark.result import Result
from sculpt.spark.units import OnProgress
from sculpt.tabular.stores import is_uri


def check_absent(directory: str) -> None:
    """Never add a table to a directory that exists."""
    if not is_uri(directory) and os.path.lexists(directory):
        raise UsageError(f"{directory}: already exists; name a new directory for the violations")


def write_violations(result: Result, directory: str, on_progress: OnProgress | None = None) -> None:
    """Write every violation as Parquet."""
    try:
        with failing(), watching(result.spark, on_progress):
            result.violations.write.parquet(directory)
    except BaseException as error:
        if not is_uri(directory):
            shutil.rmtree(directory, ignore_errors=True)
        if isinstance(error, RunError):
            raise RunError(f"{directory}: cannot be written: {error}") from error
        raise
