"""Threads that work ahead: functions in, their results out, in the same order.

In: an iterator of functions without arguments; the number of threads. Out: their results, in order.
A function is taken from the iterator only when there is room for it, so it can depend on the
results so far. Invariant: at most one call more than there are threads is pending; a caller that
stops early leaves none running. Kernels release the GIL, so threads do run in parallel.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterator
from typing import TypeVar

Done = TypeVar("Done")


def work_ahead(works: Iterator[Callable[[], Done]], threads: int) -> Generator[Done, None, None]:
    """The results of some functions, which threads call before the results are asked for."""
    from concurrent.futures import Future, ThreadPoolExecutor

    with ThreadPoolExecutor(threads) as pool:
        pending: deque[Future[Done]] = deque()
        try:
            for work in works:
                pending.append(pool.submit(work))
                if len(pending) > threads:
                    yield pending.popleft().result()
            while pending:
                yield pending.popleft().result()
        finally:
            for future in pending:
                future.cancel()
