"""The command line: `sculpt validate | check | explain | select | fmt`.

In: arguments. Out: text or JSON on standard output, errors on standard error, and the exit status
of `docs/language.md` 8: 0 valid, 1 not valid, 2 the call or the schema is wrong, 3 data could not
be read or the run failed. Plain text where there is no terminal or `NO_COLOR` is set.

Invariant: no traceback for anything a user did; an interrupted run says so and ends with 3.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import shutil
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from types import FrameType
from typing import Annotated, Any, NoReturn, TypeVar

import typer
from rich.console import Console
from rich.text import Text

from sculpt import __version__, api
from sculpt.engines.choice import choose
from sculpt.errors import DataError, RunError, SchemaError, SculptError, UsageError
from sculpt.report.json import check_json, run_json
from sculpt.report.progress import ProgressLine, TaskLine, starting
from sculpt.report.run import Run, Unread
from sculpt.report.text import counted, diagnostic_text, run_text, statements_text, visible
from sculpt.syntax.includes import read_schema_text
from sculpt.tabular.source import STDIN, expand, read_bytes
from sculpt.verdict import DEFAULT_MAX_VIOLATIONS, Verdict

app = typer.Typer(
    name="sculpt",
    help="Validate the regions of messy tables: rules `selector -> content` over CSV-like files.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


class Format(StrEnum):
    """How results are written."""

    TEXT = "text"
    JSON = "json"


class Engine(StrEnum):
    """What runs the schema."""

    AUTO = "auto"
    LOCAL = "local"
    SPARK = "spark"
    REFERENCE = "reference"


SchemaPath = Annotated[
    str, typer.Argument(metavar="SCHEMA", help="The schema file, or - for standard input.")
]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="DIRECTIVE=VALUE",
        help="Override a directive of the schema, such as 'Col Delim=;'. May be repeated.",
    ),
]
Output = Annotated[Format, typer.Option("--format", "-f", help="Text for people, or JSON.")]
EngineChoice = Annotated[Engine, typer.Option("--engine", help="What runs the schema.")]


class _Console(Console):
    """A console for which a reader that has gone (`| head`) is no failure."""

    def on_broken_pipe(self) -> None:
        """Say nothing more; the exit status stays what it would have been."""
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _console(stderr: bool = False) -> Console:
    return _Console(
        stderr=stderr,
        highlight=False,
        soft_wrap=True,
        emoji=False,
        markup=False,
        legacy_windows=False,
        force_terminal=False if os.environ.get("NO_COLOR") else None,
    )


def _print(lines: Iterable[Text | str]) -> None:
    with _writing():
        console = _console()
        for line in lines:
            console.print(line)


def _write(text: str) -> None:
    with _writing():
        sys.stdout.write(text)
        sys.stdout.flush()


@contextlib.contextmanager
def _writing() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        # What could not be written is still in the stream, and would fail again at the exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        _fail(f"the output cannot be written: {reason}", 3)


def _print_json(value: Any) -> None:
    _write(json.dumps(value, ensure_ascii=False, indent=2) + "\n")


def _load(schema: str, settings: list[str] | None, output: Format = Format.TEXT) -> api.Schema:
    """The schema of a call; under `--format json` its errors are JSON as well."""
    try:
        if schema == STDIN:
            return api.Schema.parse(_schema_text(schema), settings or (), name=schema)
        return api.Schema.load(schema, settings or ())
    except SchemaError as error:
        if output is Format.JSON:
            _print_json(check_json(error.diagnostics))
            raise typer.Exit(2) from None
        raise


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


@app.command()
def validate(
    schema: SchemaPath,
    data: Annotated[
        list[str],
        typer.Argument(metavar="DATA", help="Files, directories, globs, or - for standard input."),
    ],
    output: Output = Format.TEXT,
    engine: EngineChoice = Engine.AUTO,
    max_violations: Annotated[
        int,
        typer.Option(min=0, help="Show at most this many violations per file; all are counted."),
    ] = DEFAULT_MAX_VIOLATIONS,
    strict: Annotated[bool, typer.Option("--strict", help="Warnings fail the run too.")] = False,
    threads: Annotated[
        int | None, typer.Option(min=1, help="Threads to use; as many as there are cores if unset.")
    ] = None,
    master: Annotated[
        str | None,
        typer.Option(
            metavar="URL", help="The Spark master, such as local[4] or spark://host:7077."
        ),
    ] = None,
    conf: Annotated[
        list[str] | None,
        typer.Option("--conf", metavar="KEY=VALUE", help="A setting of Spark. May be repeated."),
    ] = None,
    violations_to: Annotated[
        str | None,
        typer.Option(
            "--violations-to",
            metavar="DIR",
            help="On Spark: write all violations as a Parquet table to this new directory.",
        ),
    ] = None,
    verbose: Annotated[
        bool, typer.Option("--verbose", help="Show Spark's own log and the address of its page.")
    ] = False,
    settings: Settings = None,
) -> None:
    """Check data files against a schema.

    Exit status: 0 all valid, 1 some not valid, 2 the call or the schema is wrong,
    3 some data could not be read.
    """
    if [schema, *data].count(STDIN) > 1:
        raise UsageError("standard input can be read once only")
    loaded = _load(schema, settings, output)
    chosen = _choose_engine(engine, data, master, bool(conf or violations_to))
    if chosen is Engine.SPARK:
        cluster = _Cluster(master, conf or [], verbose, violations_to)
        run = _validate_on_spark(loaded, data, max_violations, cluster)
    else:
        if master or conf or violations_to:
            raise UsageError(
                f"`--master`, `--conf` and `--violations-to` are for Spark; this runs on {chosen}"
            )
        outcomes = [
            _validate_one(loaded, entry, chosen, max_violations, threads) for entry in expand(data)
        ]
        used = next((each.engine for each in outcomes if isinstance(each, Verdict)), str(chosen))
        run = Run(used, tuple(outcomes))
    run = replace(run, strict=strict)
    if output is Format.JSON:
        _print_json(run_json(run))
    else:
        _print(run_text(run, statements_text(loaded.core, loaded.source)))
        if not run.valid and loaded.lint:
            found = counted(len(loaded.lint), "warning")
            _print([Text(f"note: `sculpt check {schema}` has {found} about the schema", "dim")])
    raise typer.Exit(run.exit_status)


def _choose_engine(
    engine: Engine, data: list[str], master: str | None, wants_spark: bool
) -> Engine:
    """What `auto` stands for; it says so where Spark would have been right, but is not here."""
    if engine is not Engine.AUTO:
        return engine
    if wants_spark:
        return Engine.SPARK
    choice = choose(data, master)
    if choice.engine == "spark" and all(isinstance(entry, DataError) for entry in expand(data)):
        return Engine.LOCAL  # nothing to read: no reason to start Spark
    if choice.is_fallback:
        _note(f"{choice.reason}; the engine `local` does it")
    return Engine(choice.engine)


def _note(text: str) -> None:
    _console(stderr=True).print(Text.assemble(("note", "bold cyan"), f": {text}"))


@dataclass(frozen=True, slots=True)
class _Cluster:
    """What a call says about Spark."""

    master: str | None
    conf: list[str]
    verbose: bool
    violations_to: str | None


def _validate_on_spark(
    schema: api.Schema, data: list[str], max_violations: int, cluster: _Cluster
) -> Run:
    from sculpt.spark import validate as on_spark
    from sculpt.spark.session import open_session, parse_conf, ui_address
    from sculpt.spark.writing import check_absent, write_violations

    conf = parse_conf(cluster.conf)
    if cluster.violations_to is not None:
        check_absent(cluster.violations_to)
    console = _console(stderr=True)
    try:
        with contextlib.ExitStack() as stack:
            with starting(console, "starting Spark"):
                spark = stack.enter_context(open_session(cluster.master, conf, cluster.verbose))
            address = ui_address(spark) if cluster.verbose else None
            if address:
                _note(f"Spark shows its jobs at {address}")
            with TaskLine(console) as line:
                result = on_spark(spark, schema, data, max_violations, on_progress=line)
                verdict = result.verdict
                for text in result.notes:
                    _note(text)
                if cluster.violations_to is not None:
                    write_violations(result, cluster.violations_to, line)
        return verdict
    except (KeyboardInterrupt, _InterruptedRun):
        raise _InterruptedRun("interrupted") from None


def _validate_one(
    schema: api.Schema,
    entry: str | DataError,
    engine: Engine,
    max_violations: int,
    threads: int | None,
) -> Verdict | Unread:
    if isinstance(entry, DataError):
        return Unread(entry.path, str(entry))
    with ProgressLine(_console(stderr=True), entry) as line:
        try:
            return api.validate(
                schema,
                entry,
                engine,
                max_violations=max_violations,
                threads=threads,
                on_progress=line,
                on_compile=_announce,
            )
        except DataError as error:
            return Unread(entry, str(error))
        except (KeyboardInterrupt, _InterruptedRun):
            raise _InterruptedRun(line.partial()) from None


def _announce() -> None:
    _console(stderr=True).print(
        Text("compiling the kernels: this takes some seconds, once per installation", "dim")
    )


@app.command()
def check(
    schema: SchemaPath,
    output: Output = Format.TEXT,
    strict: Annotated[bool, typer.Option("--strict", help="Warnings fail the check too.")] = False,
    settings: Settings = None,
) -> None:
    """Check a schema without data: errors, and likely mistakes.

    Exit status: 0 usable, 1 with --strict and warnings, 2 the schema is wrong.
    """
    try:
        diagnostics = _load(schema, settings).lint
        failed = False
    except SchemaError as error:
        diagnostics, failed = error.diagnostics, True
    if output is Format.JSON:
        _print_json(check_json(diagnostics))
    else:
        for diagnostic in diagnostics:
            _print([diagnostic_text(diagnostic), ""])
        errors = sum(diagnostic.is_error for diagnostic in diagnostics)
        found = [counted(errors, "error")] if errors else []
        if len(diagnostics) > errors:
            found.append(counted(len(diagnostics) - errors, "warning"))
        _print([Text(f"{schema}: {' and '.join(found) or 'no errors, no warnings'}", "bold")])
    raise typer.Exit(2 if failed else 1 if strict and diagnostics else 0)


@app.command()
def explain(
    schema: SchemaPath,
    data: Annotated[
        list[str] | None,
        typer.Argument(metavar="DATA", help="Say which engine would take these, and why."),
    ] = None,
    output: Output = Format.TEXT,
    settings: Settings = None,
) -> None:
    """Show how each rule is evaluated: core form, streamability and what limits it."""
    from sculpt.report.explain import explanation_json, explanation_text

    loaded = _load(schema, settings, output)
    choice = choose(data) if data else None
    if output is Format.JSON:
        _print_json(explanation_json(loaded.explanation, choice))
    else:
        _print(explanation_text(schema, loaded.explanation, choice))


@app.command()
def select(
    schema: SchemaPath,
    data: Annotated[str, typer.Argument(metavar="DATA", help="A file, or - for standard input.")],
    selector: Annotated[
        str, typer.Argument(metavar="SELECTOR", help="May use the schema's tokens and token types.")
    ],
    output: Output = Format.TEXT,
    engine: EngineChoice = Engine.AUTO,
    settings: Settings = None,
) -> None:
    """List the cells that a selector selects."""
    if schema == data == STDIN:
        raise UsageError("standard input can be read once only")
    loaded = _load(schema, settings, output)
    in_words = output is Format.TEXT
    selection = api.select_cells(loaded, data, selector, engine, with_texts=in_words)
    cells = selection.cells
    if not in_words:
        _print_json({"count": len(cells), "cells": [list(cell) for cell in cells]})
        return
    lines = []
    for (row, column), text in zip(cells, selection.texts or (), strict=True):
        filled = (visible(text), "") if text else ("(empty)", "dim")
        shown = ("(padded)", "dim") if text is None else filled
        lines.append(Text.assemble((f"({row},{column})", "bold"), " ", shown))
    _print([*lines, Text(counted(len(cells), "cell"), "dim")])
    if not cells:
        size = f"{counted(selection.rows, 'row')} × {counted(selection.columns, 'column')}"
        notes = [f"the table has {size}", *api.undeclared_names(loaded, selector)]
        for note in notes:
            _note(note)


@app.command()
def fmt(
    schemas: Annotated[
        list[str],
        typer.Argument(metavar="SCHEMA", help="Schema files, or - for standard input."),
    ],
    write: Annotated[bool, typer.Option("--write", "-w", help="Rewrite the files.")] = False,
    check_only: Annotated[
        bool, typer.Option("--check", help="Change nothing; exit with 1 if a file would change.")
    ] = False,
) -> None:
    """Print a schema in its canonical form; comments are kept."""
    if write and check_only:
        raise UsageError("`--check` changes nothing and `--write` does: choose one")
    changed, failed = False, False
    for name in schemas:
        text = _schema_text(name)
        try:
            formatted = api.format_text(text, name)
        except SchemaError as error:
            _show_errors(error)
            failed = True
            continue
        if name == STDIN or not (check_only or write):
            changed = changed or formatted != text
            if not check_only:
                _write(formatted)
        elif formatted != text:
            changed = True
            if write:
                _replace_file(Path(name), formatted)
            _console(stderr=True).print(f"{name}: {'formatted' if write else 'would change'}")
    raise typer.Exit(2 if failed else 1 if check_only and changed else 0)


def _schema_text(name: str) -> str:
    try:
        if name == STDIN:
            return read_bytes(STDIN).decode("utf-8-sig")
        return read_schema_text(Path(name))
    except UnicodeDecodeError:
        _fail(f"{name}: the schema is not UTF-8", 2)
    except OSError as error:
        _fail(f"{name}: cannot be read: {(error.strerror or str(error)).lower()}", 2)


def _replace_file(path: Path, text: str) -> None:
    """Write beside the file and move into place, so that a full disk loses nothing."""
    real = path.resolve()
    beside = real.with_name(f".{real.name}.{os.getpid()}.tmp")
    try:
        beside.write_text(text, encoding="utf-8", newline="\n")
        shutil.copymode(real, beside)
        beside.replace(real)
    except OSError as error:
        beside.unlink(missing_ok=True)
        _fail(f"{path}: cannot be written: {(error.strerror or str(error)).lower()}", 3)


Result = TypeVar("Result")


def _fail(message: str, status: int) -> NoReturn:
    _console(stderr=True).print(Text.assemble(("error", "bold red"), ": ", message))
    raise typer.Exit(status)


def _show_errors(error: SchemaError) -> None:
    console = _console(stderr=True)
    for diagnostic in error.diagnostics:
        console.print(diagnostic_text(diagnostic))
        console.print()
    name = error.diagnostics[0].span.source.name
    count = counted(len(error.diagnostics), "error")
    console.print(Text.assemble(("error", "bold red"), f": {name}: {count}"))


def _run(command: Callable[[], Result]) -> Result:
    try:
        return command()
    except SchemaError as error:
        _show_errors(error)
        raise SystemExit(2) from None
    except (DataError, RunError) as error:
        _exit_quietly(str(error), 3)
    except SculptError as error:
        _exit_quietly(str(error), 2)
    except (KeyboardInterrupt, _InterruptedRun) as error:
        _exit_quietly(str(error) or "interrupted", 3)
    except MemoryError:
        _exit_quietly("out of memory", 3)
    except Exception as error:
        if os.environ.get("SCULPT_DEBUG"):
            raise
        facts = f"{type(error).__name__}: {error}"
        _exit_quietly(f"this is a mistake in sculpt, please report it: {facts}", 3)


def _exit_quietly(message: str, status: int) -> NoReturn:
    _console(stderr=True).print(Text.assemble(("error", "bold red"), ": ", message))
    raise SystemExit(status)


class _InterruptedRun(BaseException):
    """Ctrl-C, in a form that the option parser does not swallow."""


def _interrupt(number: int, frame: FrameType | None) -> NoReturn:
    raise _InterruptedRun


def main() -> None:
    """The entry point of the `sculpt` command."""
    if sys.stdout is None:  # closed by the caller: there is nobody to tell
        sys.stdout = io.StringIO()
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
