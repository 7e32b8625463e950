"""Spark for one command: the session, its progress, and what an interrupt does."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING

from sculpt.cli.terminal import InterruptedRunError, note, open_error_console
from sculpt.report.progress import TaskLine, starting
from sculpt.values import frozen

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@frozen
class Cluster:
    """The Spark options of a call."""

    master: str | None
    conf: list[str]
    verbose: bool

    @property
    def is_wanted(self) -> bool:
        """Does the call ask for a cluster?"""
        return self.master is not None or bool(self.conf)


@contextlib.contextmanager
def on_cluster(cluster: Cluster) -> Iterator[tuple[SparkSession, TaskLine]]:
    """Open a session for the duration of a command, with the line that shows its progress."""
    from sculpt.spark.cluster.session import open_session, parse_conf, ui_address

    conf = parse_conf(cluster.conf)
    console = open_error_console()
    try:
        with contextlib.ExitStack() as stack:
            with starting(console, "starting Spark"):
                spark = stack.enter_context(open_session(cluster.master, conf, cluster.verbose))
            address = ui_address(spark) if cluster.verbose else None
            if address:
                note(f"Spark shows its jobs at {address}")
            with TaskLine(console) as line:
                yield spark, line
    except (KeyboardInterrupt, InterruptedRunError):
        raise InterruptedRunError("interrupted") from None
