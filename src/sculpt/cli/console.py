"""A terminal with colours. Only this module of `cli` imports `rich`.

In: `Styled` lines. Out: what `rich` prints for them. Invariant: that of `terminal`, which opens a
console only if there is a terminal, because the import takes 40 ms.
"""

from __future__ import annotations

import contextlib
import os
from typing import IO, Any, TypeAlias
from typing import Literal as OneOf

from rich.console import Console
from rich.text import Text

from sculpt.report.streams import discard, remarking
from sculpt.report.styled import Styled

_System: TypeAlias = OneOf["auto", "256"]


class TerminalConsole(Console):
    """A console that survives a closed pipe; the one for remarks survives any failure."""

    def __init__(self, stderr: bool, file: IO[str] | None = None, is_forced: bool = False) -> None:
        """`is_forced`: there are colours even if there is no terminal, and if `NO_COLOR` is set."""
        system: _System = "auto"
        if is_forced and os.environ.get("TERM", "dumb") in ("", "dumb", "unknown"):
            system = "256"  # a file or a pager: nothing says what will show it
        super().__init__(
            stderr=stderr,
            file=file,
            color_system=system,
            force_terminal=True if is_forced else None,
            no_color=False if is_forced else None,
            highlight=False,
            soft_wrap=True,
            emoji=False,
            markup=False,
            legacy_windows=False,
        )

    def on_broken_pipe(self) -> None:
        """Print nothing more, and let a command that prints results end; see `writing`."""
        discard(self.file)
        if not self.stderr:
            raise BrokenPipeError

    def print(self, *objects: Any, **settings: Any) -> None:
        """Print something."""
        with remarking() if self.stderr else contextlib.nullcontext():
            super().print(*objects, **settings)

    def print_line(self, line: Styled) -> None:
        """Print a line in its colours."""
        self.print(Text.assemble(*line.pieces))

    @property
    def has_many_colours(self) -> bool:
        """Can it show 256 colours or more?"""
        return self.color_system in ("256", "truecolor")
