"""Threads that work ahead: results in order, errors where they are asked for, nothing left over."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sculpt.engines.pool import Pool, work_ahead


@pytest.fixture(autouse=True)
def nothing_stays() -> Iterator[None]:
    before = threading.active_count()
    yield
    assert threading.active_count() == before


def refuse_threads(monkeypatch: pytest.MonkeyPatch, after: int) -> None:
    """Let the system start some threads of a pool, and refuse any other."""
    start, started = threading.Thread.start, iter(range(after))

    def refusing(thread: threading.Thread) -> None:
        if next(started, None) is None:
            raise RuntimeError("can't start new thread")
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", refusing)


def squares(count: int) -> Iterator[Callable[[], int]]:
    return (partial(pow, number, 2) for number in range(count))


@given(st.integers(0, 30), st.integers(1, 5))
def test_results_come_in_order(count: int, threads: int) -> None:
    assert list(work_ahead(squares(count), threads)) == [n * n for n in range(count)]


@pytest.mark.parametrize("startable", [0, 1, 2])
def test_threads_that_cannot_be_started_are_done_without(
    startable: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    refuse_threads(monkeypatch, startable)
    calls: list[int] = []

    def work(number: int) -> int:
        calls.append(number)
        return number

    works = (partial(work, number) for number in range(20))
    assert list(work_ahead(works, 4)) == list(range(20))
    assert sorted(calls) == list(range(20))  # each once, also the one whose thread was refused


def test_without_threads_a_function_is_called_when_its_result_is_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    refuse_threads(monkeypatch, 0)
    taken: list[int] = []

    def works() -> Iterator[Callable[[], int]]:
        for number in range(3):
            taken.append(number)
            yield partial(pow, number, 2)

    with closing(work_ahead(works(), 4)) as results:
        assert next(results) == 0
        assert taken == [0]


@pytest.mark.parametrize("startable", [0, 2])
def test_an_error_is_raised_where_the_result_is_asked_for(
    startable: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    refuse_threads(monkeypatch, startable)
    works: Iterator[Callable[[], object]] = iter([partial(pow, 2, 2), partial(divmod, 1, 0)])
    results = work_ahead(works, 2)
    assert next(results) == 4
    with pytest.raises(ZeroDivisionError):
        next(results)


def test_a_caller_that_stops_early_waits_for_what_has_begun() -> None:
    begun, may_end = threading.Event(), threading.Event()
    ended: list[int] = []

    def work(number: int) -> int:
        if number:
            begun.set()
            may_end.wait(10)
        ended.append(number)
        return number

    results = work_ahead((partial(work, number) for number in range(100)), 2)
    assert next(results) == 0
    begun.wait(10)
    closer = threading.Thread(target=results.close)
    closer.start()
    assert ended == [0]
    may_end.set()
    closer.join()
    assert 2 <= len(ended) <= 4  # one had been asked for, and at most three were pending


def test_a_result_can_be_asked_for_twice() -> None:
    with Pool(1) as pool:
        call = pool.submit(partial(pow, 3, 2))
        assert (call.result(), call.result()) == (9, 9)


def test_a_pool_waits_for_what_was_submitted() -> None:
    done: list[int] = []
    with Pool(2) as pool:
        for number in range(10):
            pool.submit(partial(done.append, number))
    assert sorted(done) == list(range(10))
