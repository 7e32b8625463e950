"""Arguments and options that several commands share, and what they stand for."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from sculpt import api
from sculpt.cli.terminal import fail, note, print_json
from sculpt.engines.choice import choose
from sculpt.errors import DataError, SchemaError
from sculpt.report.json import check_json
from sculpt.syntax.includes import read_schema_text
from sculpt.tabular.source import STDIN, expand, read_bytes


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
Threads = Annotated[
    int | None, typer.Option(min=1, help="Threads to use; as many as there are cores if unset.")
]
Master = Annotated[
    str | None,
    typer.Option(metavar="URL", help="The Spark master, such as local[4] or spark://host:7077."),
]
Conf = Annotated[
    list[str] | None,
    typer.Option("--conf", metavar="KEY=VALUE", help="A setting of Spark. May be repeated."),
]
Verbose = Annotated[
    bool, typer.Option("--verbose", help="Show Spark's own log and the address of its page.")
]
EngineChoice = Annotated[Engine, typer.Option("--engine", help="What runs the schema.")]


def load(schema: str, settings: list[str] | None, output: Format = Format.TEXT) -> api.Schema:
    """The schema of a call; under `--format json` its errors are JSON as well."""
    try:
        if schema == STDIN:
            return api.Schema.parse(schema_text(schema), settings or (), name=schema)
        return api.Schema.load(schema, settings or ())
    except SchemaError as error:
        if output is Format.JSON:
            print_json(check_json(error.diagnostics))
            raise typer.Exit(2) from None
        raise


def schema_text(name: str) -> str:
    """The text of a schema file."""
    try:
        if name == STDIN:
            return read_bytes(STDIN).decode("utf-8-sig")
        return read_schema_text(Path(name))
    except UnicodeDecodeError:
        fail(f"{name}: the schema is not UTF-8", 2)
    except OSError as error:
        fail(f"{name}: cannot be read: {(error.strerror or str(error)).lower()}", 2)


def choose_engine(engine: Engine, data: list[str], master: str | None, wants_spark: bool) -> Engine:
    """What `auto` stands for; it says so where Spark would have been right, but is not here."""
    if engine is not Engine.AUTO:
        return engine
    if wants_spark:
        return Engine.SPARK
    choice = choose(data, master)
    if choice.engine == "spark" and all(isinstance(entry, DataError) for entry in expand(data)):
        return Engine.LOCAL  # nothing to read: no reason to start Spark
    if choice.is_fallback:
        note(f"{choice.reason}; the engine `local` does it")
    return Engine(choice.engine)
