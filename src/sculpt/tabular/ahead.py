"""A thread that fetches the next item while one is used.

In: an iterator. Out: its items, in order, and its error if it fails. Invariant: the thread ends
with whoever uses it: `close` lets it finish the item that it is at, and waits. `Input` keeps a list
of them, so that none outlives the input that it reads. Cost: one item is held beyond the one in
use.
"""

from __future__ import annotations

import contextlib
import math
import queue
import threading
import time
from collections.abc import Iterator
from typing import Generic, TypeVar

Item = TypeVar("Item")
PATIENCE = 10
"""When a run has ended, a thread is given up after this many seconds: a store may never answer."""

_LOOK_UP = 1
"""Seconds of a wait. A signal that came just before it does not end it, but is seen after it."""


class Ahead(Generic[Item]):
    """The items of an iterator, one of which is fetched in advance."""

    def __init__(self, items: Iterator[Item]) -> None:
        self._items = items
        self._ready: queue.Queue[tuple[Item | None, BaseException | None, bool]] = queue.Queue(1)
        self._is_closed = threading.Event()
        self._thread = threading.Thread(target=self._fetch, name="sculpt-ahead", daemon=True)
        self._thread.start()

    def __iter__(self) -> Iterator[Item]:
        while True:
            try:
                item, error, has_ended = self._ready.get(timeout=_LOOK_UP)
            except queue.Empty:
                continue
            if error is not None:
                raise error
            if has_ended:
                return
            yield item  # type: ignore[misc]  # it is an item unless all have come

    def _fetch(self) -> None:
        error: BaseException | None = None
        try:
            for item in self._items:
                self._ready.put((item, None, False))
                if self._is_closed.is_set():
                    break
        except BaseException as caught:  # it belongs to whoever waits for the item
            error = caught
        # A generator gives back what it holds here: it must not run in two threads.
        close = getattr(self._items, "close", lambda: None)
        with contextlib.suppress(Exception):
            close()
        self._ready.put((None, error, True))

    def close(self, patience: float = math.inf) -> None:
        """End the thread; wait for it, at most for some seconds."""
        self._is_closed.set()
        if threading.current_thread() is self._thread:
            return
        until = time.monotonic() + patience
        while self._thread.is_alive() and time.monotonic() < until:
            with contextlib.suppress(queue.Empty):
                self._ready.get_nowait()
            self._thread.join(0.01)
