"""The commands that turn data into something else: run, extract.

The work is done in `program_output`, imported only when needed, so that other commands start
quickly.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sculpt.cli.arguments import choose_engine, load
from sculpt.cli.parser import WrongCallError
from sculpt.cli.table import Engine, Format
from sculpt.errors import UsageError
from sculpt.extras import need
from sculpt.tabular.inputs import STDIN

if TYPE_CHECKING:
    from sculpt.transform.writers import formats


def run(
    schema: str,
    data: list[str],
    out: str | None,
    file_format: formats.Format | None,
    only: str | None,
    force: bool,
    only_good_rows: bool,
    strict: bool,
    tables: list[str],
    files: str | None,
    skip_files: bool,
    memory: str | None,
    engine: Engine,
    threads: int | None,
    master: str | None,
    conf: list[str],
    verbose: bool,
    allow_http: bool,
    allow_outside: bool,
    settings: list[str],
) -> int:
    """Run the programs of a schema; return the exit status."""
    need("arrow", "`sculpt run`")
    from sculpt.cli.program_output import Call, run_here, run_on_spark
    from sculpt.policy import Policy

    if force and only_good_rows:
        raise UsageError("`--force` keeps all rows and `--only-good-rows` does not: choose one")
    if [schema, *data].count(STDIN) > 1:
        raise UsageError("standard input can be read only once")
    policy = Policy.FORCE if force else Policy.GOOD_ROWS if only_good_rows else Policy.REFUSE
    loaded = load(schema, settings, Format.TEXT, None, data, allow_http, allow_outside)
    loaded = loaded.with_loops() if strict else loaded
    request, every = None, data
    if loaded.has_checks or tables or files or skip_files or memory:
        from sculpt.cli.reports.checks import Asked, checked_call, data_files

        request = checked_call(loaded, Asked(tuple(tables), files, skip_files, memory))
        every = data_files(loaded, data, request)
        if [schema, *every].count(STDIN) > 1:
            raise UsageError("standard input can be read only once")
    if not data and not loaded.tables and loaded.program is None:
        from sculpt.transform.local import no_program

        raise no_program(loaded)
    if not data and not (loaded.tables and loaded.program is None):
        raise WrongCallError("the argument DATA is missing")
    call = Call(loaded, data, policy, out, file_format, only, strict, request, every)
    chosen = choose_engine(engine, every, master, bool(conf))
    if chosen is Engine.SPARK:
        from sculpt.cli.cluster import Cluster

        return run_on_spark(call, Cluster(master, conf, verbose))
    if master or conf:
        raise UsageError(f"`--master` and `--conf` are for Spark; this runs on {chosen}")
    return run_here(call, str(chosen), threads)


def extract(
    schema: str,
    data: str,
    region: str,
    out: str | None,
    file_format: formats.Format | None,
    engine: Engine,
    allow_http: bool,
    allow_outside: bool,
    settings: list[str],
) -> int:
    """Export a region; return the exit status."""
    need("arrow", "`sculpt extract`")
    from sculpt.cli.program_output import extract_region

    if schema == data == STDIN:
        raise UsageError("standard input can be read only once")
    loaded = load(schema, settings, Format.TEXT, None, [data], allow_http, allow_outside)
    chosen = choose_engine(engine, [data], None, False)
    extract_region(loaded, data, region, out, file_format, str(chosen))
    return 0
