"""Threads that work ahead: results in the order of their works.

In: works, as functions without arguments, made one by one; the number of threads. Out: their
results, in order. A work is made when there is room for it, so it can use what the results so far
have told. Invariant: at most one work more than there are threads is under way; whoever stops early
leaves none behind. Kernels release the interpreter's lock, so threads do run at the same time.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterator
from typing import TypeVar

Done = TypeVar("Done")


def work_ahead(works: Iterator[Callable[[], Done]], threads: int) -> Generator[Done, None, None]:
    """The results of works, which threads do before they are asked for."""
    from concurrent.futures import Future, ThreadPoolExecutor

    with ThreadPoolExecutor(threads) as pool:
        under_way: deque[Future[Done]] = deque()
        try:
            for work in works:
                under_way.append(pool.submit(work))
                if len(under_way) > threads:
                    yield under_way.popleft().result()
            while under_way:
                yield under_way.popleft().result()
        finally:
            for future in under_way:
                future.cancel()
