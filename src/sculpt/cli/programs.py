"""The commands that make something of data: run, extract.

What they do is in `running`, imported only when it is needed, so that other commands start quickly.
"""

from __future__ import annotations

from typing import Annotated

import typer

from sculpt.cli.arguments import (
    Conf,
    Engine,
    EngineChoice,
    Master,
    SchemaPath,
    Settings,
    Threads,
    Verbose,
    choose_engine,
    load,
)
from sculpt.cli.cluster import Cluster
from sculpt.errors import UsageError
from sculpt.tabular.source import STDIN
from sculpt.transform.writers import Format

Out = Annotated[
    str | None,
    typer.Option("--out", "-o", metavar="OUT", help="A file, or a directory for several outputs."),
]
FileFormat = Annotated[
    Format | None,
    typer.Option("--format", "-f", help="The format; the end of the name tells it, if not given."),
]


def run(
    schema: SchemaPath,
    data: Annotated[
        list[str],
        typer.Argument(metavar="DATA", help="Files, directories, globs, or - for standard input."),
    ],
    out: Out = None,
    file_format: FileFormat = None,
    only: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="One output: `text`, `annotations` or the name of records."
        ),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Run on data that violates the schema, too.")
    ] = False,
    only_good_rows: Annotated[
        bool,
        typer.Option("--only-good-rows", help="Leave out the rows that a violation names."),
    ] = False,
    engine: EngineChoice = Engine.AUTO,
    threads: Threads = None,
    master: Master = None,
    conf: Conf = None,
    verbose: Verbose = False,
    settings: Settings = None,
) -> None:
    """Run the programs of a schema: print, annotate, and turn regions into records.

    The data is validated first. Exit status: 0 done, 1 the data violates the schema or a value
    could not be had, 2 the call or the schema is wrong, 3 something could not be read or written.
    """
    from sculpt.cli.running import Call, run_here, run_on_spark
    from sculpt.transform.local import Policy

    if force and only_good_rows:
        raise UsageError("`--force` keeps all rows and `--only-good-rows` does not: choose one")
    if [schema, *data].count(STDIN) > 1:
        raise UsageError("standard input can be read once only")
    policy = Policy.FORCE if force else Policy.GOOD_ROWS if only_good_rows else Policy.REFUSE
    call = Call(load(schema, settings), data, policy, out, file_format, only)
    chosen = choose_engine(engine, data, master, bool(conf))
    if chosen is Engine.SPARK:
        raise typer.Exit(run_on_spark(call, Cluster(master, conf or [], verbose)))
    if master or conf:
        raise UsageError(f"`--master` and `--conf` are for Spark; this runs on {chosen}")
    raise typer.Exit(run_here(call, str(chosen), threads))


def extract(
    schema: SchemaPath,
    data: Annotated[str, typer.Argument(metavar="DATA", help="A file, or - for standard input.")],
    region: Annotated[
        str,
        typer.Argument(metavar="REGION", help="A token type of the schema, or any selector."),
    ],
    out: Out = None,
    file_format: FileFormat = None,
    engine: EngineChoice = Engine.AUTO,
    settings: Settings = None,
) -> None:
    """Export a region: its raw text, with the rows and columns that occur in it.

    The data need not be valid. CSV and TSV have no header; elsewhere `c2` is the second column.
    """
    from sculpt.cli.running import extract_region

    if schema == data == STDIN:
        raise UsageError("standard input can be read once only")
    loaded = load(schema, settings)
    chosen = choose_engine(engine, [data], None, False)
    extract_region(loaded, data, region, out, file_format, str(chosen))
