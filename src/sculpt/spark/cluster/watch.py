"""Running Spark actions: progress, cancellation, errors.

In: a session and a callback. Out: calls with the number of finished tasks; a one-line error
whatever goes wrong. Invariant: if the block of an action is left early, the action is cancelled.
"""

from __future__ import annotations

import contextlib
import re
import threading
import uuid
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from sculpt.errors import RunError
from sculpt.spark.cluster.session import context_of, first_line, insist

if TYPE_CHECKING:
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

POLL_SECONDS = 0.25


@contextlib.contextmanager
def watching(spark: SparkSession, on_progress: Callable[[int, int], None] | None) -> Iterator[None]:
    """Report the progress of the actions in the block; cancel them if it is left early.

    The callback gets (finished tasks, all tasks), from another thread, and once more at the end
    from this thread. Spark Connect has no context that counts tasks: there the block just runs.
    """
    context = context_of(spark)
    if context is None:
        yield
        return
    group = f"sculpt-{uuid.uuid4()}"
    with _job_group(context, group), _polling(context, group, on_progress):
        try:
            yield
        except BaseException:
            insist(lambda: context.cancelJobGroup(group))
            raise


@contextlib.contextmanager
def failing() -> Iterator[None]:
    """Turn any error of a Spark action into a one-line `RunError`."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        yield
    except (PySparkException, Py4JError) as error:
        raise RunError(f"the Spark job failed: {_why_failed(error)}") from error


def _why_failed(error: Exception) -> str:
    """The error that a worker raised, preferably one of ours; otherwise Spark's first line."""
    ours = re.findall(r"^sculpt\.(?:errors|verdict)\.\w+: (.+?)$", str(error), re.MULTILINE)
    if ours:
        return str(ours[-1])
    raised = re.findall(r"^(\w[\w.]*(?:Error|Exception): .+?)$", str(error), re.MULTILINE)
    if not raised or "Python worker" not in str(error):
        return first_line(error)
    missing = "; the workers need `sculpt-schema[spark]`: see PYSPARK_PYTHON in docs/spark.md"
    reason = str(raised[-1])
    return reason + (missing if reason.startswith("ModuleNotFoundError") else "")


@contextlib.contextmanager
def _job_group(context: SparkContext, group: str) -> Iterator[None]:
    """Put the jobs of this thread into a group, and restore its former group afterwards."""
    keys = ("spark.jobGroup.id", "spark.job.description", "spark.job.interruptOnCancel")
    before = [context.getLocalProperty(key) for key in keys]
    context.setJobGroup(group, "sculpt")
    try:
        yield
    finally:
        with contextlib.suppress(Exception):  # Java may have died
            for key, value in zip(keys, before, strict=True):
                context.setLocalProperty(key, value)  # type: ignore[arg-type]  # None removes it


@contextlib.contextmanager
def _polling(
    context: SparkContext, group: str, on_progress: Callable[[int, int], None] | None
) -> Iterator[None]:
    if on_progress is None:
        yield
        return
    ended = threading.Event()

    def poll() -> None:
        while not ended.wait(POLL_SECONDS):
            _report(context, group, on_progress)

    thread = threading.Thread(target=poll, name="sculpt-spark-progress", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
    _report(context, group, on_progress)


def _report(context: SparkContext, group: str, on_progress: Callable[[int, int], None]) -> None:
    try:
        done, tasks = _task_counts(context, group)
    except Exception:  # Java is busy or has died; then the action itself fails
        return
    if tasks:
        on_progress(done, tasks)


def _task_counts(context: SparkContext, group: str) -> tuple[int, int]:
    """Finished tasks and all tasks planned so far."""
    tracker = context.statusTracker()
    done = tasks = 0
    for job_id in tracker.getJobIdsForGroup(group):
        job = tracker.getJobInfo(job_id)
        if job is None:
            continue
        for stage_id in job.stageIds:
            stage = tracker.getStageInfo(stage_id)
            if stage is None or (job.status == "SUCCEEDED" and not stage.numCompletedTasks):
                continue  # a stage that was skipped, because its output exists
            done += stage.numCompletedTasks
            tasks += stage.numTasks
    return done, tasks
