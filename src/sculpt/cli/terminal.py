"""What the command line says: texts and JSON on standard output, remarks and errors beside it.

Plain text where there is no terminal or `NO_COLOR` is set. Invariant: a reader that has gone
(`| head`) is no failure; an output that cannot be written is, with exit status 3.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections.abc import Iterable, Iterator
from typing import Any, NoReturn

import typer
from rich.console import Console
from rich.text import Text

from sculpt.errors import SchemaError
from sculpt.report.text import counted, diagnostic_text


class TerminalConsole(Console):
    """A console for which a reader that has gone (`| head`) is no failure."""

    def on_broken_pipe(self) -> None:
        """Say nothing more; the exit status stays what it would have been."""
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


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
    """Whatever is written in here may meet a reader that has gone, or a full disk."""
    try:
        yield
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        # What could not be written is still in the stream, and would fail again at the exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        fail(f"the output cannot be written: {reason}", 3)


def print_json(value: Any) -> None:
    """Print a value as JSON."""
    write_text(json.dumps(value, ensure_ascii=False, indent=2) + "\n")


def note(text: str) -> None:
    """Say something that is no result."""
    new_console(stderr=True).print(Text.assemble(("note", "bold cyan"), f": {text}"))


def announce() -> None:
    """Say why the first run takes a while."""
    new_console(stderr=True).print(
        Text("compiling the kernels: this takes some seconds, once per installation", "dim")
    )


def fail(message: str, status: int) -> NoReturn:
    """End with an error and an exit status."""
    new_console(stderr=True).print(Text.assemble(("error", "bold red"), ": ", message))
    raise typer.Exit(status)


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
    """Ctrl-C, in a form that the option parser does not swallow."""
