"""What the command line prints: results on standard output, remarks and errors on standard error.

Plain text if there is no terminal or `NO_COLOR` is set; otherwise `rich` is imported.
Invariant: a closed pipe (`| head`) is not an error; an output that cannot be written is, with exit
status 3. A failure to write to standard error never fails a run. What data, file names or messages
contain cannot steer the terminal: only line ends and tabs are sent as they are (`harmless`).
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import IO, TYPE_CHECKING, Any, NoReturn

from sculpt.report.streams import discard, remarking
from sculpt.report.styled import Styled, harmless, styled

if TYPE_CHECKING:
    from sculpt.cli.console import TerminalConsole
    from sculpt.errors import SchemaError


def open_console(stderr: bool = False) -> TerminalConsole | None:
    """A console for standard output or standard error; `None` if that is not a terminal."""
    stream = sys.stderr if stderr else sys.stdout
    settings = os.environ
    is_asked = settings.get("FORCE_COLOR") or settings.get("TTY_COMPATIBLE")
    if settings.get("NO_COLOR") or not (is_asked or stream.isatty()):
        return None
    from sculpt.cli.console import TerminalConsole

    console = TerminalConsole(stderr)
    return console if console.is_terminal else None


def open_error_console() -> TerminalConsole | None:
    """A console for standard error; `None` if that is not a terminal."""
    return open_console(stderr=True)


def open_colour_console(file: IO[str] | None = None) -> TerminalConsole:
    """A console that writes colours, wherever it writes to: standard output, or a file."""
    from sculpt.cli.console import TerminalConsole

    return TerminalConsole(stderr=False, file=file, is_forced=True)


def print_lines(lines: Iterable[Styled]) -> None:
    """Print lines for people."""
    print_lines_on(open_console(), lines)


def print_lines_on(console: TerminalConsole | None, lines: Iterable[Styled]) -> None:
    """Print lines for people, in colour if there is a console; each as soon as it is made."""
    with writing():
        _print(lines, sys.stdout, console)


def remark(*lines: Styled) -> None:
    """Print something to standard error."""
    with remarking():
        _print(lines, sys.stderr, open_error_console())


def _print(lines: Iterable[Styled], stream: IO[str], console: TerminalConsole | None) -> None:
    for line in map(harmless, lines):
        if console is not None:
            console.print_line(line)
        else:
            stream.write(f"{line.plain}\n")
    stream.flush()


def terminal_width() -> int:
    """The columns of the terminal, 80 if there is none.

    Like `shutil.get_terminal_size`, which takes longer to import than this function to run.
    """
    columns = os.environ.get("COLUMNS", "")
    if columns.isdecimal() and int(columns):
        return int(columns)
    try:
        return os.get_terminal_size(1).columns or 80
    except OSError:
        return 80


def write_text(text: str) -> None:
    """Write a text as it is."""
    with writing():
        sys.stdout.write(text)
        sys.stdout.flush()


@contextlib.contextmanager
def writing() -> Iterator[None]:
    """For a block that writes results: a closed pipe is not an error, a full disk is."""
    try:
        yield
    except BrokenPipeError:
        discard(sys.stdout)
    except OSError as error:
        discard(sys.stdout)
        reason = (error.strerror or str(error)).lower()
        fail(f"the output cannot be written: {reason}", 3)


def print_json(value: Any) -> None:
    """Print a value as JSON."""
    import json

    write_text(json.dumps(value, ensure_ascii=False, indent=2) + "\n")


def note(text: str) -> None:
    """Print something that is not a result."""
    remark(styled(("note", "bold cyan"), f": {text}"))


@cache
def announce(text: str) -> None:
    """Print something about the installation, once."""
    note(text)


def fail(message: str, status: int) -> NoReturn:
    """End with an error and an exit status."""
    print_error(message)
    raise StopError(status)


def print_error(message: str) -> None:
    """Print an error."""
    remark(styled(("error", "bold red"), ": ", message))


def show_errors(error: SchemaError, others: Sequence[str] = (), can_discover: bool = False) -> None:
    """Print what is wrong with a schema; `others` are the files that were given beside it.

    Some commands `can_discover` the metadata of data.
    """
    from sculpt.report.styled import counted
    from sculpt.report.text import diagnostics_text

    remark(*diagnostics_text(error.diagnostics))
    name = error.diagnostics[0].span.source.name
    print_error(f"{name}: {counted(len(error.diagnostics), 'error')}")
    from sculpt.interchange.load import seems_swapped
    from sculpt.schema import is_no_schema

    if others and seems_swapped(error, others):
        remark(styled((f"hint: is `{name}` the data? The schema comes first.", "cyan")))
    elif can_discover and not others and is_no_schema(error.diagnostics):
        text = f"hint: is `{name}` the data? `--discover` uses the CSVW metadata beside it."
        remark(styled((text, "cyan")))


class StopError(Exception):
    """Ends a call with an exit status; everything has been printed already."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


class InterruptedRunError(BaseException):
    """Ctrl-C or a signal, with a message that says how far the run got."""
