"""What the command line says: texts and JSON on standard output, remarks and errors beside it.

Plain text where there is no terminal or `NO_COLOR` is set. Invariant: a closed pipe (`| head`) is
not an error; an output that cannot be written is, with exit status 3. What goes beside the output
never fails a run.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from typing import IO, Any, NoReturn

import typer
from rich.console import Console
from rich.text import Text

from sculpt.errors import SchemaError
from sculpt.report.text import counted, diagnostic_text


class TerminalConsole(Console):
    """A console that a closed pipe does not break; the one for remarks survives any failure."""

    def on_broken_pipe(self) -> None:
        """Say nothing more; the exit status stays what it would have been."""
        _discard(self.file)

    def print(self, *objects: Any, **settings: Any) -> None:
        """Print something."""
        with remarking() if self.stderr else contextlib.nullcontext():
            super().print(*objects, **settings)


def new_console(stderr: bool = False) -> Console:
    """A console for standard output, or for what goes beside it."""
    return TerminalConsole(
        stderr=stderr,
        highlight=False,
        soft_wrap=True,
        emoji=False,
        markup=False,
        legacy_windows=False,
        force_terminal=False if os.environ.get("NO_COLOR") else None,
    )


def print_lines(lines: Iterable[Text | str]) -> None:
    """Print texts for people."""
    with writing():
        console = new_console()
        for line in lines:
            console.print(line)


def write_text(text: str) -> None:
    """Write a text as it is."""
    with writing():
        sys.stdout.write(text)
        sys.stdout.flush()


@contextlib.contextmanager
def writing() -> Iterator[None]:
    """Write results in here: a closed pipe is not an error, a full disk is."""
    try:
        yield
    except BrokenPipeError:
        _discard(sys.stdout)
    except OSError as error:
        _discard(sys.stdout)
        reason = (error.strerror or str(error)).lower()
        fail(f"the output cannot be written: {reason}", 3)


@contextlib.contextmanager
def remarking() -> Iterator[None]:
    """Write remarks in here: if nobody can hear them, the run goes on."""
    try:
        yield
    except OSError:
        _discard(sys.stderr)


def _discard(stream: IO[str]) -> None:
    """Send what is written to a stream nowhere.

    What could not be written is still in the stream, and would fail again at the exit.
    """
    with contextlib.suppress(OSError, ValueError):  # a stream without a file, or one that is closed
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)


def print_json(value: Any) -> None:
    """Print a value as JSON."""
    write_text(json.dumps(value, ensure_ascii=False, indent=2) + "\n")


def note(text: str) -> None:
    """Say something that is no result."""
    new_console(stderr=True).print(Text.assemble(("note", "bold cyan"), f": {text}"))


@cache
def remark(text: str) -> None:
    """Say something about the installation, once."""
    note(text)


def fail(message: str, status: int) -> NoReturn:
    """End with an error and an exit status."""
    print_error(message)
    raise typer.Exit(status)


def print_error(message: str) -> None:
    """Print an error."""
    new_console(stderr=True).print(Text.assemble(("error", "bold red"), ": ", message))


def show_errors(error: SchemaError) -> None:
    """Print what is wrong with a schema."""
    console = new_console(stderr=True)
    for diagnostic in error.diagnostics:
        console.print(diagnostic_text(diagnostic))
        console.print()
    name = error.diagnostics[0].span.source.name
    count = counted(len(error.diagnostics), "error")
    console.print(Text.assemble(("error", "bold red"), f": {name}: {count}"))


class InterruptedRunError(BaseException):
    """Ctrl-C or a signal, with what the run can say of how far it came."""
