"""The progress of a long run, on a terminal: bytes, rows, violations so far, time left.

In: `Progress` values from an engine. Out: one line on standard error, drawn after two seconds and
redrawn from then on; nothing if there is no terminal. The last value is kept, so that an
interrupted run can report what it had found. `rich` is imported only when a line is shown.
"""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import TYPE_CHECKING

from sculpt.report.styled import visible

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress as Bar
    from rich.progress import TaskID

    from sculpt.engines.options import Progress

DELAY = 2.0


@contextlib.contextmanager
def starting(console: Console | None, what: str) -> Iterator[None]:
    """Show on a terminal that something takes a while, for as long as it does."""
    with console.status(what) if console is not None else contextlib.nullcontext():
        yield


class TaskLine:
    """A line about the tasks of a cluster; call it with how many are done, and how many in all."""

    def __init__(self, console: Console | None) -> None:
        """`console` is a terminal, or `None` if there is none."""
        self.console = console
        self._begun = time.monotonic()
        self._bar: Bar | None = None
        self._task: TaskID | None = None

    def __enter__(self) -> TaskLine:
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()

    def __call__(self, done: int, tasks: int) -> None:
        """Show how far the run is."""
        if self.console is None or time.monotonic() - self._begun < DELAY:
            return
        if self._bar is None:
            self._start(self.console)
        assert self._bar is not None
        assert self._task is not None
        self._bar.update(self._task, completed=done, total=tasks)

    def _start(self, console: Console) -> None:
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
        from rich.progress import Progress as Bar

        columns = (BarColumn(), MofNCompleteColumn(), TextColumn("tasks"), TimeElapsedColumn())
        self._bar = Bar(*columns, console=console, transient=True)
        self._task = self._bar.add_task("", total=None)
        self._bar.start()


class ProgressLine:
    """A line about one file; call it with each `Progress`."""

    def __init__(self, name: str, open_console: Callable[[], Console | None]) -> None:
        """`open_console` returns a terminal, or `None` if there is none."""
        self.name = name
        self._open_console = open_console
        self._appears = time.monotonic() + DELAY
        self.last: Progress | None = None
        self._bar: Bar | None = None
        self._task: TaskID | None = None

    def __enter__(self) -> ProgressLine:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def __call__(self, progress: Progress) -> None:
        """Show how far the run is."""
        self.last = progress
        if time.monotonic() < self._appears:
            return
        if self._bar is None:
            console = self._open_console()
            if console is None:
                self._appears = math.inf
                return
            self._start(console, progress)
        assert self._bar is not None
        assert self._task is not None
        facts = f"{progress.rows:,} rows, {progress.violations:,} violations"
        if progress.stage:
            facts = f"{progress.stage}: {facts}"
        self._bar.update(self._task, completed=progress.read, facts=facts)

    def _start(self, console: Console, progress: Progress) -> None:
        from rich.progress import (
            BarColumn,
            DownloadColumn,
            TextColumn,
            TimeRemainingColumn,
            TransferSpeedColumn,
        )
        from rich.progress import Progress as Bar

        self._bar = Bar(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            DownloadColumn(),
            TransferSpeedColumn(),
            TimeRemainingColumn(),
            TextColumn("{task.fields[facts]}"),
            console=console,
            transient=True,
        )
        self._task = self._bar.add_task(visible(self.name), total=progress.total, facts="")
        self._bar.start()

    def partial(self) -> str:
        """What an interrupted run had found."""
        if self.last is None:
            return "interrupted"
        rows, violations = self.last.rows, self.last.violations
        return f"interrupted: {self.name}: {violations:,} violations in the first {rows:,} rows"
