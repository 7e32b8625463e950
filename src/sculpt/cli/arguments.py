"""The arguments that several commands share: the schema and the engine."""

from __future__ import annotations

from collections.abc import Sequence

from sculpt import api
from sculpt.cli.table import Engine, Format
from sculpt.cli.terminal import fail, note
from sculpt.errors import DataError, SchemaError
from sculpt.tabular.inputs import STDIN, expand, read_bytes


def load(
    schema: str,
    settings: list[str],
    output: str = Format.TEXT,
    out: str | None = None,
    data: Sequence[str] = (),
    allow_http: bool = False,
    allow_outside: bool = False,
    tells: bool = True,
) -> api.Schema:
    """The schema of a call, of any system; its errors are written as its results would be.

    If it describes several tables, and data is given, it is that of the table of the data. What was
    not taken over is told, unless the caller does that itself.
    """
    try:
        if schema == STDIN:
            loaded = _read_stdin(settings, allow_http, allow_outside)
        else:
            loaded = api.load(schema, settings, allow_http=allow_http, allow_outside=allow_outside)
    except SchemaError as error:
        if output != Format.TEXT:
            from sculpt.cli.reports.delivery import deliver_diagnostics

            deliver_diagnostics(error, schema, data, output, out)
        raise
    if loaded.is_imported:
        from sculpt.cli.reports.notes import tell_notes
        from sculpt.interchange.packages import for_data

        if tells:
            tell_notes(loaded)
        return for_data(loaded, data)
    return loaded


def _read_stdin(settings: list[str], allow_http: bool, allow_outside: bool) -> api.Schema:
    body = read_bytes(STDIN)
    from sculpt.interchange.detect import text_kind

    if text_kind(body) is None:
        try:
            return api.Schema.parse(body.decode("utf-8-sig"), settings, name=STDIN)
        except UnicodeDecodeError:
            fail(f"{STDIN}: the schema is not UTF-8", 2)
    from sculpt.interchange.access import Access
    from sculpt.interchange.packages import import_bytes, schema_of_package

    access = Access(allow_http, allow_outside)
    return schema_of_package(import_bytes(STDIN, body, None, access), STDIN, settings, access)


def schema_text(name: str) -> str:
    """The text of a schema file."""
    from sculpt.syntax.includes import read_schema_text

    try:
        if name == STDIN:
            return read_bytes(STDIN).decode("utf-8-sig")
        return read_schema_text(name)
    except UnicodeDecodeError:
        fail(f"{name}: the schema is not UTF-8", 2)
    except OSError as error:
        fail(f"{name}: cannot be read: {(error.strerror or str(error)).lower()}", 2)


def choose_engine(
    engine: Engine,
    data: list[str],
    master: str | None,
    wants_spark: bool,
    may_use_spark: bool = True,
) -> Engine:
    """Choose the engine for `auto`; print a note if Spark would be better but cannot run here.

    An extra that the engine or the data needs, and that is missing, is a `UsageError`.
    """
    from sculpt.engines.choice import check_installed, choose

    if engine is Engine.AUTO and not may_use_spark:
        engine = Engine.LOCAL
    if engine is Engine.AUTO and wants_spark:
        engine = Engine.SPARK
    if engine is not Engine.AUTO:
        check_installed(engine, data)
        return engine
    choice = choose(data, master)
    check_installed(choice.engine, data)
    if choice.engine == "spark" and all(isinstance(entry, DataError) for entry in expand(data)):
        return Engine.LOCAL  # nothing to read: no reason to start Spark
    if choice.is_fallback:
        note(f"{choice.reason}; using the engine `local`")
    return Engine(choice.engine)
