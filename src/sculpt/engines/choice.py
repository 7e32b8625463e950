"""Which engine `auto` takes, and why.

In: the inputs of a call, and what it says about Spark. Out: a `Choice`. Spark is for data sets:
directories, globs, many files, remote stores, or where a master or a session is there already. A
few files are read by `local`, which needs no Java and starts at once. Where Spark would be right
but cannot run here, `local` does the work, and the reason says so.

Cost: a look at the names; neither pyspark nor Java is started.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Literal as OneOf

from sculpt.tabular.inputs import STDIN, is_glob
from sculpt.tabular.stores import is_uri
from sculpt.values import frozen

MANY = 36
"""More files than these are for Spark."""
_VARIABLES = ("SPARK_REMOTE", "MASTER", "PYSPARK_GATEWAY_PORT")
"""Set where a master is configured, or by `spark-submit`."""


@frozen
class Choice:
    """An engine and the reason for it, as the end of a sentence."""

    engine: OneOf["local", "spark"]
    reason: str
    is_fallback: bool = False
    """Spark would have been right, but is not here."""


def choose(inputs: Sequence[str], master: str | None = None, has_session: bool = False) -> Choice:
    """The engine for some inputs."""
    reason = _reason_for_spark(inputs, master, has_session)
    if reason is None:
        return Choice("local", "a few local files need no cluster")
    missing = None if has_session or master else _missing()
    if missing is not None:
        return Choice("local", f"{reason}, but {missing}", is_fallback=True)
    return Choice("spark", reason)


def _reason_for_spark(inputs: Sequence[str], master: str | None, has_session: bool) -> str | None:
    if STDIN in inputs:
        return None
    if master is not None:
        return f"the master {master} is given"
    if has_session or _session_runs():
        return "a Spark session is there"
    configured = next((name for name in _VARIABLES if os.environ.get(name)), None)
    if configured is not None:
        return f"{configured} is set"
    for name in inputs:
        if is_uri(name) and not name.lower().startswith("file:"):
            return f"{name} is in a remote store"
        if os.path.isdir(name):
            return f"{name} is a directory"
        if is_glob(name):
            return f"{name} stands for many files"
    if len(inputs) > MANY:
        return f"these are {len(inputs)} files"
    return None


def _session_runs() -> bool:
    """Is there a session in this process? Only if someone has imported pyspark."""
    module = sys.modules.get("pyspark.sql")
    return module is not None and module.SparkSession.getActiveSession() is not None


def _missing() -> str | None:
    """What Spark lacks here; a phrase."""
    import shutil
    from importlib.util import find_spec

    if find_spec("pyspark") is None:
        return "pyspark is not installed"
    home = os.environ.get("JAVA_HOME")
    if shutil.which(f"{home}/bin/java" if home else "java") is None:
        return "there is no Java"
    return None
