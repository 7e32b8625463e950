"""Runs the cases of the suites in processes, each within a time limit.

In: the modules of judges, by name. Out: their `Result`s, in the order of the judges, suites and
cases. A judge that hangs or crashes fails its case: its process is ended and another one takes
over. Cases go to the processes in units, so that a judge which prepares many cases at once
(`UNIT` of its module) does so once.
"""

from __future__ import annotations

import importlib
import multiprocessing
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.connection import Connection
from queue import Empty, SimpleQueue
from threading import Thread
from types import ModuleType

from sculpt.values import frozen
from suites.bars import Result
from suites.model import Case, Outcome

SECONDS = 60.0
"""How long a unit of cases may take before its process is ended."""


@frozen
class Unit:
    """Cases that one process runs one after the other."""

    judge: str
    cases: tuple[Case, ...]


def judge_module(name: str) -> ModuleType:
    """The module that judges; it is imported only when its cases run."""
    return importlib.import_module(name)


def collected(judges: Sequence[str]) -> list[Unit]:
    """The cases of judges, cut into units."""
    units = []
    for name in judges:
        module = judge_module(name)
        size = getattr(module, "UNIT", 1)
        for suite in module.SUITES:
            cases = module.cases(suite)
            units += [
                Unit(name, tuple(cases[first : first + size]))
                for first in range(0, len(cases), size)
            ]
    return units


def run(
    units: Sequence[Unit],
    processes: int = 2,
    seconds: float = SECONDS,
    progress: Callable[[int, Unit], None] = lambda done, unit: None,
) -> list[Result]:
    """Run units of cases, and say after each how many are done."""
    waiting: SimpleQueue[int] = SimpleQueue()
    done: SimpleQueue[tuple[int, list[Outcome] | BaseException]] = SimpleQueue()
    for index in range(len(units)):
        waiting.put(index)
    threads = [
        Thread(target=_tend, args=(units, waiting, done, seconds), daemon=True)
        for _ in range(min(processes, len(units)))
    ]
    for thread in threads:
        thread.start()
    outcomes: dict[int, list[Outcome]] = {}
    for _ in units:
        index, given = done.get()
        if isinstance(given, BaseException):
            raise given
        outcomes[index] = given
        progress(len(outcomes), units[index])
    for thread in threads:
        thread.join()
    return list(_results(units, outcomes))


def _results(units: Sequence[Unit], outcomes: dict[int, list[Outcome]]) -> Iterator[Result]:
    for index, unit in enumerate(units):
        excused = judge_module(unit.judge).EXCUSED
        for case, outcome in zip(unit.cases, outcomes[index], strict=True):
            excuse = excused.get(f"{case.suite}/{case.name}", excused.get(case.name))
            yield Result(unit.judge, case, outcome, excuse)


def _tend(
    units: Sequence[Unit],
    waiting: SimpleQueue[int],
    done: SimpleQueue[tuple[int, list[Outcome] | BaseException]],
    seconds: float,
) -> None:
    """Feed one process with units, and replace it when it hangs or dies."""
    worker: _Worker | None = None
    while True:
        try:
            index = waiting.get_nowait()
        except Empty:
            break
        try:
            worker = worker or _Worker()
            outcomes = worker.run(units[index], seconds)
        except BaseException as error:
            done.put((index, error))
            break
        if worker.ended:
            worker = None
        done.put((index, outcomes))
    if worker is not None:
        worker.end()


class _Worker:
    """A process that runs units, and the pipe to it."""

    def __init__(self) -> None:
        # Spawned, not forked: the threads of this process hold locks that a fork would copy.
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs,), daemon=True)
        self._process.start()
        theirs.close()
        self.ended = False

    def run(self, unit: Unit, seconds: float) -> list[Outcome]:
        """The outcomes of a unit. A case that takes too long fails, and so do those after it."""
        self._pipe.send(unit)
        outcomes: list[Outcome] = []
        while len(outcomes) < len(unit.cases):
            try:
                if self._pipe.poll(seconds):
                    outcomes.append(self._pipe.recv())
                    continue
                reason = f"took more than {seconds:g} s"
            except (EOFError, ConnectionError):
                reason = "the process that ran it died"
            self.end()
            failed = Outcome(False, reason)
            outcomes += [failed] * (len(unit.cases) - len(outcomes))
        return outcomes

    def end(self) -> None:
        """End the process."""
        self.ended = True
        self._pipe.close()
        self._process.terminate()
        self._process.join()


def _serve(pipe: Connection) -> None:
    while True:
        try:
            unit = pipe.recv()
        except EOFError:
            return
        module = judge_module(unit.judge)
        for case in unit.cases:
            pipe.send(_judged(module, case))


def _judged(module: ModuleType, case: Case) -> Outcome:
    try:
        outcome = module.judge(case)
    except Exception as error:  # whatever a judge raises is why its case fails
        place = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{place.filename.rpartition('/')[2]}:{place.lineno}"
        return Outcome(False, f"{type(error).__name__} at {where}: {error}".splitlines()[0])
    assert isinstance(outcome, Outcome), (case, outcome)
    return outcome


def progress_line(total: int) -> Callable[[int, Unit], None]:
    """Says on standard error how far a run is: on one line of a terminal, else at each tenth."""
    live = sys.stderr.isatty()

    def show(done: int, unit: Unit) -> None:
        text = f"{done} of {total} units of cases, {unit.cases[0].suite}"
        if live:
            end = "\n" if done == total else ""
            print(f"\r\x1b[K{text}", end=end, file=sys.stderr, flush=True)
        elif done * 10 // total != (done - 1) * 10 // total:
            print(text, file=sys.stderr, flush=True)

    return show
