"""A thread that fetches the next item while the current one is in use.

In: an iterator. Out: its items, in order, and its error if it fails. Invariant: the thread ends
with its user: `close` lets it finish the current item, and waits. `Input` keeps a list of these
threads, so that none outlives the input that it reads. Where no thread can be started, as in a
browser, each item is fetched when it is asked for. Cost: one item is held besides the one in use.
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

_LONGEST_WAIT = 1
"""Seconds of one wait. A signal that came just before a wait does not end it; it is seen after."""


class Ahead(Generic[Item]):
    """The items of an iterator, each fetched while the one before it is in use."""

    def __init__(self, items: Iterator[Item]) -> None:
        self._items = items
        self._ready: queue.Queue[tuple[Item | None, BaseException | None, bool]] = queue.Queue(1)
        self._is_closed = threading.Event()
        self._thread: threading.Thread | None = threading.Thread(
            target=self._fetch, name="sculpt-ahead", daemon=True
        )
        try:
            self._thread.start()
        except RuntimeError:  # the system refuses
            self._thread = None

    def __iter__(self) -> Iterator[Item]:
        if self._thread is None:
            yield from self._items
            return
        while True:
            try:
                item, error, has_ended = self._ready.get(timeout=_LONGEST_WAIT)
            except queue.Empty:
                continue
            if error is not None:
                raise error
            if has_ended:
                return
            yield item  # type: ignore[misc]  # it is an item until the end

    def _fetch(self) -> None:
        error: BaseException | None = None
        try:
            for item in self._items:
                self._ready.put((item, None, False))
                if self._is_closed.is_set():
                    break
        except BaseException as caught:  # raised in the thread that waits for the item
            error = caught
        # A generator is closed here, in the thread that ran it: it must not run in two.
        close = getattr(self._items, "close", lambda: None)
        with contextlib.suppress(Exception):
            close()
        self._ready.put((None, error, True))

    def close(self, patience: float = math.inf) -> None:
        """End the thread; wait for it, at most `patience` seconds."""
        self._is_closed.set()
        if self._thread is None or threading.current_thread() is self._thread:
            return
        until = time.monotonic() + patience
        while self._thread.is_alive() and time.monotonic() < until:
            with contextlib.suppress(queue.Empty):
                self._ready.get_nowait()
            self._thread.join(0.01)
