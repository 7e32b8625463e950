"""Which engine `auto` picks, and why.

In: the inputs of a call, and what it says about Spark. Out: a `Choice`. Spark is for data sets:
directories, globs, many files and remote stores; and for any data if a master is configured or a
session is running. `local` reads a few files; it needs no Java and starts at once. If Spark would
be the right choice but cannot run here, `local` does the work, and the reason says so. Whoever
names an engine gets that one, or an error that says what to install (`check_installed`).

Cost: only names are looked at; neither pyspark nor Java is started.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Literal as OneOf

from sculpt.extras import missing, need
from sculpt.tabular.inputs import STDIN, is_glob
from sculpt.tabular.stores import check_stores, is_uri
from sculpt.values import frozen

MANY = 36
"""Spark takes more files than this."""
_VARIABLES = ("SPARK_REMOTE", "MASTER", "PYSPARK_GATEWAY_PORT")
"""Set if a master is configured, or by `spark-submit`."""


@frozen
class Choice:
    """An engine, and the reason for it as a clause."""

    engine: OneOf["local", "spark"]
    reason: str
    is_fallback: bool = False
    """Spark would have been the right choice, but cannot run here."""


def choose(inputs: Sequence[str], master: str | None = None, has_session: bool = False) -> Choice:
    """The engine for some inputs."""
    reason = _reason_for_spark(inputs, master, has_session)
    if reason is None:
        return Choice("local", "a few local files need no cluster")
    missing = None if has_session or master else _missing()
    if missing is not None:
        return Choice("local", f"{reason}, but {missing}", is_fallback=True)
    return Choice("spark", reason)


def check_installed(engine: str, inputs: Sequence[str]) -> None:
    """Raise an error if an engine, or an input in a store, needs an extra that is missing."""
    if engine == "spark":
        need("spark", "Spark")
    else:
        check_stores(inputs)


def _reason_for_spark(inputs: Sequence[str], master: str | None, has_session: bool) -> str | None:
    if STDIN in inputs:
        return None
    if master is not None:
        return f"the master is {master}"
    if has_session or _session_runs():
        return "a Spark session is running"
    configured = next((name for name in _VARIABLES if os.environ.get(name)), None)
    if configured is not None:
        return f"{configured} is set"
    for name in inputs:
        if is_uri(name) and not name.lower().startswith("file:"):
            return f"{name} is in a remote store"
        if os.path.isdir(name):
            return f"{name} is a directory"
        if is_glob(name):
            return f"{name} can match many files"
    if len(inputs) > MANY:
        return f"there are {len(inputs)} files"
    return None


def _session_runs() -> bool:
    """Is a session running in this process? Only if pyspark has been imported."""
    module = sys.modules.get("pyspark.sql")
    return module is not None and module.SparkSession.getActiveSession() is not None


def _missing() -> str | None:
    """What Spark needs and this machine lacks, as a clause."""
    import shutil

    absent = missing("spark")
    if absent:
        return f"{absent[0]} is not installed"
    home = os.environ.get("JAVA_HOME")
    if shutil.which(f"{home}/bin/java" if home else "java") is None:
        return "Java was not found"
    return None
