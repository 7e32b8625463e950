"""The entry point: the commands together, and what becomes of errors."""

from __future__ import annotations

import io
import os
import signal
import sys
import threading
from collections.abc import Callable
from types import FrameType
from typing import Annotated, NoReturn, TypeVar

import typer
from rich.text import Text

from sculpt import __version__
from sculpt.cli import commands, programs
from sculpt.cli.terminal import InterruptedRunError, new_console, show_errors
from sculpt.errors import DataError, RunError, SchemaError, SculptError

app = typer.Typer(
    name="sculpt",
    help="Validate the regions of messy tables: rules `selector -> content` over CSV-like files.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


for command in (
    commands.validate,
    commands.check,
    commands.explain,
    commands.select,
    programs.run,
    programs.extract,
    commands.fmt,
):
    app.command()(command)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"sculpt {__version__}")
        raise typer.Exit


@app.callback()
def _main(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_version, is_eager=True, help="Show the version and exit."
        ),
    ] = False,
) -> None:
    """Validate the regions of messy tables: rules `selector -> content` over CSV-like files."""


Result = TypeVar("Result")


def _run(command: Callable[[], Result]) -> Result:
    try:
        return command()
    except SchemaError as error:
        show_errors(error)
        raise SystemExit(2) from None
    except (DataError, RunError) as error:
        _exit_quietly(str(error), 3)
    except SculptError as error:
        _exit_quietly(str(error), 2)
    except (KeyboardInterrupt, InterruptedRunError) as error:
        _exit_quietly(str(error) or "interrupted", 3)
    except MemoryError:
        _exit_quietly("out of memory", 3)
    except Exception as error:
        if os.environ.get("SCULPT_DEBUG"):
            raise
        facts = f"{type(error).__name__}: {error}"
        _exit_quietly(f"this is a mistake in sculpt, please report it: {facts}", 3)


def _exit_quietly(message: str, status: int) -> NoReturn:
    new_console(stderr=True).print(Text.assemble(("error", "bold red"), ": ", message))
    raise SystemExit(status)


def _interrupt(number: int, frame: FrameType | None) -> NoReturn:
    raise InterruptedRunError


def main() -> None:
    """The entry point of the `sculpt` command."""
    if sys.stdout is None:  # closed by the caller: there is nobody to tell
        sys.stdout = io.TextIOWrapper(io.BytesIO())
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # UTF-8 whatever the locale: JSON and data are
            stream.reconfigure(encoding="utf-8", errors="replace")
    is_main = threading.current_thread() is threading.main_thread()
    before = signal.signal(signal.SIGINT, _interrupt) if is_main else None
    try:
        _run(lambda: app(prog_name="sculpt"))
    finally:
        if is_main:
            signal.signal(signal.SIGINT, before)
