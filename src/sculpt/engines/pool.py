"""Threads that work ahead: functions in, their results out, in the same order.

In: functions without arguments; the number of threads. Out: their results. A `Pool` takes them one
by one; `work_ahead` takes an iterator, and a function only when there is room for it, so a function
can depend on the results so far.

Invariant: at most one call more than there are threads is pending; a caller that stops early leaves
none running. Where no thread can be started, as in a browser or at a limit of the system, the
caller does the work itself. Kernels release the GIL, so threads do run in parallel.

Cost: 0.1 ms per thread. `concurrent.futures` takes 7 ms to import, and leaves a function that it
has taken without a result if the thread for it cannot be started.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Generator, Iterator
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    from queue import SimpleQueue

Done = TypeVar("Done")

_LONGEST_WAIT = 1
"""Seconds of one wait. A signal that came just before a wait does not end it; it is seen after."""


class Call(Generic[Done]):
    """A function that a thread calls, and its result."""

    def __init__(self, function: Callable[[], Done]) -> None:
        self._function: Callable[[], Done] | None = function
        self._value: Done
        self._error: BaseException | None = None
        self._is_running = threading.Lock()
        self._is_running.acquire()

    def run(self) -> None:
        """Call the function, unless that is no longer wanted."""
        function, self._function = self._function, None
        try:
            if function is not None:
                self._value = function()
        except BaseException as error:  # raised where the result is asked for
            self._error = error
        finally:
            self._is_running.release()

    def cancel(self) -> None:
        """Do not call the function any more; nobody asks for the result."""
        self._function = None

    def result(self) -> Done:
        """What the function returns, or raises."""
        while not self._is_running.acquire(timeout=_LONGEST_WAIT):
            pass
        self._is_running.release()
        if self._error is None:
            return self._value
        try:
            raise self._error
        finally:
            del self  # the frame is part of the error: this would be a cycle


class Pool:
    """Threads that make calls, started as they are needed."""

    def __init__(self, threads: int) -> None:
        from queue import SimpleQueue  # a small file needs no threads

        self._most = threads
        self._threads: list[threading.Thread] = []
        self._calls: SimpleQueue[Call[Any] | None] = SimpleQueue()

    def __enter__(self) -> Pool:
        return self

    def __exit__(self, *_: object) -> None:
        """Wait for the calls that were submitted, and end the threads."""
        self._end()

    def __del__(self) -> None:
        """End the threads of a pool that an interrupt has kept from being left."""
        self._end()

    def _end(self) -> None:
        self._calls.put(None)
        for thread in self._threads:
            if thread is not threading.current_thread():
                thread.join()

    @property
    def size(self) -> int:
        """How many threads there are so far; 0 if none can be started."""
        return len(self._threads)

    def submit(self, function: Callable[[], Done]) -> Call[Done]:
        """Have a thread call a function; without threads, it has been called on return."""
        if self.size < self._most:
            self._start()
        call = Call(function)
        if self.size:
            self._calls.put(call)
        else:
            call.run()
        return call

    def _start(self) -> None:
        """Start a thread; if the system refuses, do with those that there are."""
        # A thread does not know its pool, so it does not keep it from being collected.
        thread = threading.Thread(
            target=_work, args=(self._calls,), name="sculpt-pool", daemon=True
        )
        try:
            thread.start()
        except RuntimeError:
            self._most = self.size
        else:
            self._threads.append(thread)


def _work(calls: SimpleQueue[Call[Any] | None]) -> None:
    """Make calls until there are no more."""
    while (call := calls.get()) is not None:
        call.run()
        del call  # or its result would be kept until the next call comes
    calls.put(None)  # for the next thread; an interrupt may have left one uncounted


def work_ahead(works: Iterator[Callable[[], Done]], threads: int) -> Generator[Done, None, None]:
    """The results of some functions, which threads call before the results are asked for."""
    with Pool(threads) as pool:
        pending: deque[Call[Done]] = deque()
        try:
            for work in works:
                pending.append(pool.submit(work))
                if len(pending) > pool.size:
                    yield pending.popleft().result()
            while pending:
                yield pending.popleft().result()
        finally:
            for call in pending:
                call.cancel()
