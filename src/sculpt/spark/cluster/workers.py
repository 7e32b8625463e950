"""Which Python runs our functions in the workers.

In: a session and a function for its workers. Out: a data frame. When a Python function is created,
PySpark stores in it which interpreter to use: `PYSPARK_PYTHON`, else the `python3` on the path,
which may not have this package. If the workers are on this machine, our functions use the Python of
this process, which has the package.

Invariant: a `PYSPARK_PYTHON` that the user has set is respected, the user's own functions keep
their Python, and nothing changes on a cluster.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from sculpt.spark.cluster.session import context_of, is_on_this_machine

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructType

_DEFAULT_PYTHON = "python3"  # of PySpark
_changing = threading.Lock()


def map_in_arrow(
    frame: DataFrame,
    function: Callable[[Iterator[Any]], Iterator[Any]],
    columns: str | StructType,
) -> DataFrame:
    """Apply one of our functions to the Arrow batches of a data frame."""
    with own_python(frame.sparkSession):
        return frame.mapInArrow(function, columns)


@contextlib.contextmanager
def own_python(spark: SparkSession) -> Iterator[None]:
    """Functions created in the block run in the Python of this process, if workers can reach it.

    PySpark keeps the name in the context, so a function that another thread creates at the same
    time gets that Python too. So keep the block short.
    """
    context = context_of(spark)
    if (
        context is None
        or "PYSPARK_PYTHON" in os.environ
        or not sys.executable
        or not is_on_this_machine(context.master or "")
    ):
        yield
        return
    with _changing:
        before = context.pythonExec
        if before == _DEFAULT_PYTHON:
            context.pythonExec = sys.executable
        try:
            yield
        finally:
            context.pythonExec = before
