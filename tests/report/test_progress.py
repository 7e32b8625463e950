"""The progress line of a run: only on a terminal, and only after a while."""

from __future__ import annotations

import io
import math

import pytest
from rich.console import Console

from sculpt.engines.options import Progress
from sculpt.report import progress
from sculpt.report.progress import ProgressLine, TaskLine

HALF = Progress(read=500_000, total=1_000_000, rows=1_234, violations=5, stage="pass 2")


class Terminal:
    """Opens a console on a text buffer, and counts how often it is called."""

    def __init__(self, is_there: bool = True) -> None:
        self.file = io.StringIO()
        self.console = Console(file=self.file, force_terminal=True, width=120) if is_there else None
        self.opened = 0

    def __call__(self) -> Console | None:
        self.opened += 1
        return self.console


def test_a_line_is_drawn_after_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "DELAY", 0.0)
    terminal = Terminal()
    with ProgressLine("a.csv", terminal) as line:
        line(HALF)
    assert terminal.opened == 1
    assert "a.csv" in terminal.file.getvalue()
    assert "pass 2: 1,234 rows, 5 violations" in terminal.file.getvalue()


def test_before_that_no_terminal_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "DELAY", math.inf)
    terminal = Terminal()
    with ProgressLine("a.csv", terminal) as line:
        line(HALF)
    assert (terminal.opened, terminal.file.getvalue()) == (0, "")
    assert line.partial() == "interrupted: a.csv: 5 violations in the first 1,234 rows"


def test_where_there_is_no_terminal_it_is_asked_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "DELAY", 0.0)
    terminal = Terminal(is_there=False)
    with ProgressLine("a.csv", terminal) as line:
        line(HALF)
        line(HALF)
    assert terminal.opened == 1


def test_the_line_of_a_cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "DELAY", 0.0)
    terminal = Terminal()
    with TaskLine(terminal.console) as line:
        line(3, 8)
    assert "3/8" in terminal.file.getvalue()
    with TaskLine(None) as line:
        line(3, 8)
