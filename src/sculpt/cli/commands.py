"""The commands about schemas and verdicts: validate, check, explain, fmt.

Functions import what only some calls need: a short run spends most of its time on imports.
"""

from __future__ import annotations

import os
from contextlib import nullcontext
from typing import TYPE_CHECKING

from sculpt import api
from sculpt.cli.arguments import choose_engine, load, schema_text
from sculpt.cli.parser import WrongCallError
from sculpt.cli.table import ALL, CheckFormat, Engine, Format, ReportFormat
from sculpt.cli.terminal import (
    InterruptedRunError,
    announce,
    note,
    open_error_console,
    print_json,
    print_lines,
    remark,
    show_errors,
    write_text,
)
from sculpt.errors import DataError, SchemaError, UsageError
from sculpt.interchange.load import is_foreign
from sculpt.report.progress import ProgressLine
from sculpt.report.styled import Styled, counted, styled, visible
from sculpt.report.text import diagnostics_text
from sculpt.tabular.inputs import STDIN, expand
from sculpt.values import frozen, replace
from sculpt.verdict import Unread, Verdict, Verdicts

if TYPE_CHECKING:
    from sculpt.checks.model import Request
    from sculpt.cli.cluster import Cluster
    from sculpt.cli.reports.lists import Lists
    from sculpt.diagnostics import Diagnostic
    from sculpt.report.lists.writer import ListWriter


@frozen
class _Wanted:
    """What a call of `validate` wants to know, and how it is to be told."""

    output: ReportFormat | None
    out: str | None
    no_data: bool
    engine: Engine
    show: int | str
    max_violations: int
    min_coverage: float | None
    strict: bool
    violations_to: str | None
    good_to: str | None
    bad_to: str | None
    tables: list[str]
    files: str | None
    skip_files: bool
    memory: str | None
    threads: int | None
    master: str | None
    conf: list[str]
    verbose: bool
    settings: list[str]


def validate(
    schema: str,
    data: list[str],
    output: ReportFormat | None,
    out: str | None,
    no_data: bool,
    engine: Engine,
    show: int | str,
    max_violations: int,
    min_coverage: float | None,
    strict: bool,
    violations_to: str | None,
    good_to: str | None,
    bad_to: str | None,
    tables: list[str],
    files: str | None,
    skip_files: bool,
    memory: str | None,
    threads: int | None,
    master: str | None,
    conf: list[str],
    verbose: bool,
    discover: bool,
    metadata: str | None,
    allow_http: bool,
    allow_outside: bool,
    settings: list[str],
) -> int:
    """Check data files against a schema; return the exit status."""
    if [schema, *data].count(STDIN) > 1:
        raise UsageError("standard input can be read only once")
    name, out = _place(output, out, ReportFormat)
    if no_data and name != ReportFormat.HTML:
        raise UsageError("`--no-data` is for HTML; other formats always have the texts of cells")
    wanted = _Wanted(
        output, out, no_data, engine, show, max_violations, min_coverage, strict, violations_to,
        good_to, bad_to, tables, files, skip_files, memory, threads, master, conf, verbose,
        settings,
    )  # fmt: skip
    if discover or metadata is not None:
        from sculpt.cli.reports.discovery import discovered, not_together

        not_together(settings, [schema, *data], name)
        with discovered(schema, metadata, allow_http, allow_outside) as found:
            return _validate(wanted, name, schema, found, [])
    loaded = load(schema, settings, name, out, data, allow_http, allow_outside)
    return _validate(wanted, name, schema, loaded, data)


def _validate(wanted: _Wanted, name: str, schema: str, loaded: api.Schema, data: list[str]) -> int:
    """Check data files against a schema that has been read."""
    out, engine = wanted.out, wanted.engine
    if not data and not loaded.tables:
        raise WrongCallError("the argument DATA is missing")
    request, every = _asked(wanted, schema, loaded, data)
    _check_place(loaded, every, name, out)
    loaded = loaded.with_loops() if wanted.strict else loaded
    is_page = name == ReportFormat.HTML
    on_spark = bool(wanted.master or wanted.conf)
    _check_list(wanted.violations_to, engine, on_spark)
    lists_to = (wanted.violations_to, wanted.good_to, wanted.bad_to)
    wants = any(each is not None for each in lists_to)
    wants_spark = bool(wanted.conf) or _is_table(wanted.violations_to)
    chosen = choose_engine(engine, every, wanted.master, wants_spark, not is_page)
    if is_page and (chosen is Engine.SPARK or wants):
        raise UsageError("HTML is made on this machine, and without lists of violations and rows")
    if chosen is not Engine.SPARK and on_spark:
        raise UsageError(f"`--master` and `--conf` are for Spark; this runs on {chosen}")
    lists = None
    if wants:
        from sculpt.cli.reports.lists import Lists

        lists = Lists(loaded, data, every, *lists_to, out)
    if is_page:
        from sculpt.cli.reports.pages import validate_to_page

        asked = (wanted.max_violations, wanted.strict, wanted.min_coverage, wanted.no_data, out)
        return validate_to_page(loaded, data, str(chosen), *asked, request)
    run = _verdicts(wanted, chosen, loaded, data, lists, request)
    run = replace(run, strict=wanted.strict, min_coverage=wanted.min_coverage)
    if name == ReportFormat.TEXT:
        show = None if wanted.show == ALL else int(wanted.show)
        _print_report(run, loaded, show, wanted.settings, out)
    else:
        from sculpt.cli.reports.delivery import deliver_report

        deliver_report(name, loaded, run, out)
    if out is not None:
        from sculpt.cli.reports.delivery import tell_written

        tell_written(run, out)
    return run.exit_status


def _asked(
    wanted: _Wanted, schema: str, loaded: api.Schema, data: list[str]
) -> tuple[Request | None, list[str]]:
    """What checks are given, and all data of the call."""
    about = (wanted.tables, wanted.files, wanted.skip_files, wanted.memory)
    if not (loaded.has_checks or any(about)):
        return None, data
    from sculpt.cli.reports.checks import Asked, checked_call, data_files

    request = checked_call(loaded, Asked(tuple(wanted.tables), *about[1:]))
    every = data_files(loaded, data, request)
    if [schema, *every].count(STDIN) > 1:
        raise UsageError("standard input can be read only once")
    return request, every


def _verdicts(
    wanted: _Wanted,
    chosen: Engine,
    loaded: api.Schema,
    data: list[str],
    lists: Lists | None,
    request: Request | None,
) -> Verdicts:
    """Run the chosen engine."""
    most, threads = wanted.max_violations, wanted.threads
    if chosen is Engine.SPARK:
        from sculpt.cli.cluster import Cluster

        cluster = Cluster(wanted.master, wanted.conf, wanted.verbose)
        return _validate_on_spark(loaded, data, most, cluster, lists, request)
    if request is None:
        return _validate_here(loaded, data, chosen, most, threads, lists)
    from sculpt.cli.reports.checks import validate_with_checks

    with lists.writer() if lists is not None else nullcontext() as writer:
        return validate_with_checks(loaded, data, str(chosen), request, most, threads, writer)


def _place(
    output: str | None, out: str | None, known: type[ReportFormat | CheckFormat]
) -> tuple[str, str | None]:
    """The name of the format of a report, and its file, if it is not standard output."""
    if out is None:
        return str(output or Format.TEXT), None
    from sculpt.cli.reports.delivery import chosen_format, named_file

    return chosen_format(output, named_file(out), known), named_file(out)


def _check_place(schema: api.Schema, data: list[str], name: str, out: str | None) -> None:
    """Look whether a report can be written, before any work is done."""
    if out is not None or name == ReportFormat.GITHUB:
        from sculpt.cli.reports.delivery import check_report

        check_report(schema, data, out, name)


def _check_list(violations_to: str | None, engine: Engine, on_spark: bool) -> None:
    """A name with an unknown ending is a slip, unless the call is about Spark."""
    if violations_to is None or on_spark or engine is Engine.SPARK:
        return
    ending = os.path.splitext(violations_to)[1]
    if ending and _is_table(violations_to):
        raise UsageError(
            f"{violations_to}: cannot infer the format from the name: `.parquet`, `.csv` and"
            " `.jsonl` are files; for a directory that Spark writes, add `--engine spark`"
        )


def _is_table(violations_to: str | None) -> bool:
    """Is this the directory of a table that Spark writes, and not a file?"""
    if violations_to is None:
        return False
    from sculpt.report.lists.violations import has_format

    return not has_format(violations_to)


def _print_report(
    run: Verdicts, schema: api.Schema, show: int | None, settings: list[str], out: str | None
) -> None:
    from sculpt.cli.reports.text import report_lines

    if out is None:
        print_lines(report_lines(run, schema, show, settings))
        return
    from sculpt.cli.reports.delivery import deliver

    deliver((line.plain for line in report_lines(run, schema, show, settings)), out)


def _validate_here(
    schema: api.Schema,
    data: list[str],
    engine: Engine,
    max_violations: int,
    threads: int | None,
    lists: Lists | None,
) -> Verdicts:
    with lists.writer() if lists is not None else nullcontext() as writer:
        outcomes = [
            _validate_one(schema, entry, engine, max_violations, threads, writer)
            for entry in expand(data)
        ]
    used = next((each.engine for each in outcomes if isinstance(each, Verdict)), str(engine))
    return Verdicts(used, tuple(outcomes))


def _validate_on_spark(
    schema: api.Schema,
    data: list[str],
    max_violations: int,
    cluster: Cluster,
    lists: Lists | None,
    request: Request | None,
) -> Verdicts:
    from sculpt.cli.cluster import on_cluster
    from sculpt.spark import validate as on_spark

    if lists is not None:
        lists.check_for_spark()
    with on_cluster(cluster) as (spark, line):
        asked = {} if request is None else request.for_spark
        result = on_spark(spark, schema, data, max_violations, on_progress=line, **asked)
        verdict = result.verdict
        for text in result.notes:
            note(text)
        if request is not None:
            from sculpt.cli.reports.checks import tell_skipped

            tell_skipped(schema, request)
        if lists is not None:
            lists.write_from_spark(result, line)
    return verdict


def _validate_one(
    schema: api.Schema,
    entry: str | DataError,
    engine: Engine,
    max_violations: int,
    threads: int | None,
    writer: ListWriter | None,
) -> Verdict | Unread:
    if isinstance(entry, DataError):
        return Unread(entry.path, str(entry))
    with ProgressLine(entry, open_error_console) as line:
        try:
            if writer is not None:
                from sculpt.cli.reports.lists import validate_and_list

                return validate_and_list(writer, entry, engine, max_violations, threads, line)
            return api.validate(
                schema,
                entry,
                engine,
                max_violations=max_violations,
                threads=threads,
                on_progress=line,
                on_remark=announce,
            )
        except DataError as error:
            return Unread(entry, str(error))
        except (KeyboardInterrupt, InterruptedRunError):
            raise InterruptedRunError(line.partial()) from None


def check(
    schemas: list[str],
    output: CheckFormat | None,
    out: str | None,
    strict: bool,
    allow_http: bool,
    allow_outside: bool,
    settings: list[str],
) -> int:
    """Check schemas without data; return the exit status."""
    if schemas.count(STDIN) > 1:
        raise UsageError("standard input can be read only once")
    name, out = _place(output, out, CheckFormat)
    found: dict[str, tuple[Diagnostic, ...]] = {}
    failed = False
    files: list[str] = []
    for schema in schemas:
        try:
            asked = (allow_http, allow_outside, False)
            loaded = load(schema, settings, Format.TEXT, None, (), *asked)
            found[schema] = _remarks(loaded)
            files += loaded.files
        except SchemaError as error:
            found[schema], failed = error.diagnostics, True
            files += error.files
    diagnostics = tuple(each for some in found.values() for each in some)
    status = 2 if failed else 1 if strict and diagnostics else 0
    if out is not None:
        from sculpt.transform.guard import check_files

        check_files(files, STDIN if STDIN in schemas else "", [], [out])
    if name == CheckFormat.TEXT:
        _print_checked(found, out)
        return status
    from sculpt.cli.reports.delivery import deliver
    from sculpt.report.formats.table import diagnostic_lines

    lines = diagnostic_lines(name, schemas[0], diagnostics, status)
    assert lines is not None, name
    deliver(lines, out)
    return status


def _remarks(schema: api.Schema) -> tuple[Diagnostic, ...]:
    """Likely mistakes; of a schema of another system, also what was not taken over."""
    if not schema.is_imported:
        return schema.lint
    from sculpt.interchange.notes import remarks_of

    return remarks_of(schema)


def _print_checked(found: dict[str, tuple[Diagnostic, ...]], out: str | None) -> None:
    lines: list[Styled] = []
    for schema, diagnostics in found.items():
        lines += diagnostics_text(diagnostics)
        errors = sum(diagnostic.is_error for diagnostic in diagnostics)
        kinds = [counted(errors, "error")] if errors else []
        if len(diagnostics) > errors:
            kinds.append(counted(len(diagnostics) - errors, "warning"))
        text = f"{visible(schema)}: {' and '.join(kinds) or 'no errors, no warnings'}"
        lines.append(styled((text, "bold")))
    if out is None:
        print_lines(lines)
        return
    from sculpt.cli.reports.delivery import deliver

    deliver((line.plain for line in lines), out)


def explain(
    schema: str,
    data: list[str],
    output: Format,
    allow_http: bool,
    allow_outside: bool,
    settings: list[str],
) -> int:
    """Show how each rule is evaluated; return the exit status."""
    from sculpt.engines.choice import check_installed, choose
    from sculpt.report.explain import explanation_json, explanation_text

    loaded = load(schema, settings, output, None, (), allow_http, allow_outside)
    choice = choose(data) if data else None
    if output is Format.JSON:
        print_json(explanation_json(loaded.explanation, choice))
    else:
        print_lines(explanation_text(schema, loaded.explanation, choice))
    if choice is not None:
        try:
            check_installed(choice.engine, data)
        except UsageError as error:  # the engine would refuse to start: an explanation need not
            note(str(error))
    return 0


def fmt(schemas: list[str], write: bool, check_only: bool) -> int:
    """Print schemas in their canonical form, or rewrite them; return the exit status."""
    if write and check_only:
        raise UsageError("`--check` changes nothing and `--write` does: choose one")
    changed, failed = False, False
    for name in schemas:
        if name != STDIN and is_foreign(name):
            raise UsageError(
                f"{name}: is a schema of another system: `sculpt import {name}` makes one of it"
            )
        text = schema_text(name)
        try:
            formatted = api.format_text(text, name)
        except SchemaError as error:
            show_errors(error)
            failed = True
            continue
        if name == STDIN or not (check_only or write):
            changed = changed or formatted != text
            if not check_only:
                write_text(formatted)
        elif formatted != text:
            changed = True
            if write:
                _rewrite(name, formatted)
            remark(styled(f"{name}: {'formatted' if write else 'would change'}"))
    return 2 if failed else 1 if check_only and changed else 0


def _rewrite(name: str, text: str) -> None:
    from pathlib import Path

    from sculpt.transform.atomic import placed

    with placed(name) as beside:
        Path(beside).write_text(text, encoding="utf-8", newline="\n")
