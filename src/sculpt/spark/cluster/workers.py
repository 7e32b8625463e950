"""Which Python our functions run in.

In: a session and a function for its workers. Out: a data frame. PySpark writes the interpreter into
each Python function when it is made: `PYSPARK_PYTHON`, else the `python3` of the path, which need
not be the one that has this package. Where the workers are on this machine, the Python of this
process has it, so our functions get that one.

Invariant: what the user has chosen by `PYSPARK_PYTHON` stays, and so does the Python of the user's
own functions; on a cluster nothing changes.
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

_CHOSEN_BY_NOBODY = "python3"  # what PySpark takes then
_changing = threading.Lock()


def map_in_arrow(
    frame: DataFrame,
    function: Callable[[Iterator[Any]], Iterator[Any]],
    columns: str | StructType,
) -> DataFrame:
    """What a function of ours makes of the Arrow batches of a data frame."""
    with own_python(frame.sparkSession):
        return frame.mapInArrow(function, columns)


@contextlib.contextmanager
def own_python(spark: SparkSession) -> Iterator[None]:
    """Functions that are made in here run in the Python of this process, if it can be had there.

    Another thread that makes a function in the same moment gets that Python too: PySpark keeps the
    name in the context. So keep the block short.
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
        if before == _CHOSEN_BY_NOBODY:
            context.pythonExec = sys.executable
        try:
            yield
        finally:
            context.pythonExec = before
