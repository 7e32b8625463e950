"""A terminal with colours. Only this module of `cli` imports `rich`.

In: `Styled` lines. Out: what `rich` prints for them. Invariant: that of `terminal`, which opens a
console only if there is a terminal, because the import takes 40 ms.
"""

from __future__ import annotations

import contextlib
from typing import Any

from rich.console import Console
from rich.text import Text

from sculpt.report.streams import discard, remarking
from sculpt.report.styled import Styled


class TerminalConsole(Console):
    """A console that survives a closed pipe; the one for remarks survives any failure."""

    def __init__(self, stderr: bool) -> None:
        super().__init__(
            stderr=stderr,
            highlight=False,
            soft_wrap=True,
            emoji=False,
            markup=False,
            legacy_windows=False,
        )

    def on_broken_pipe(self) -> None:
        """Print nothing more; the exit status does not change."""
        discard(self.file)

    def print(self, *objects: Any, **settings: Any) -> None:
        """Print something."""
        with remarking() if self.stderr else contextlib.nullcontext():
            super().print(*objects, **settings)

    def print_line(self, line: Styled) -> None:
        """Print a line in its colours."""
        self.print(Text.assemble(*line.pieces))
