"""The commands about schemas and verdicts: validate, check, explain, select, fmt.

Functions import what only some calls need: a short run spends most of its time on imports.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from sculpt import api
from sculpt.cli.arguments import choose_engine, load, schema_text
from sculpt.cli.table import ALL, Engine, Format
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
from sculpt.report.progress import ProgressLine
from sculpt.report.styled import counted, styled, visible
from sculpt.report.text import coverage_text, diagnostics_text, run_text
from sculpt.tabular.inputs import STDIN, expand
from sculpt.values import replace
from sculpt.verdict import DEFAULT_MAX_VIOLATIONS, Unread, Verdict, Verdicts, Violation

_MAX_SIZE_AGAIN = 1 << 26
"""A larger file is not read again only to show more."""

if TYPE_CHECKING:
    from sculpt.cli.cluster import Cluster


def validate(
    schema: str,
    data: list[str],
    output: Format,
    engine: Engine,
    show: int | str,
    max_violations: int,
    min_coverage: float | None,
    strict: bool,
    threads: int | None,
    master: str | None,
    conf: list[str],
    violations_to: str | None,
    verbose: bool,
    settings: list[str],
) -> int:
    """Check data files against a schema; return the exit status."""
    if [schema, *data].count(STDIN) > 1:
        raise UsageError("standard input can be read only once")
    loaded = load(schema, settings, output)
    chosen = choose_engine(engine, data, master, bool(conf or violations_to))
    if chosen is Engine.SPARK:
        from sculpt.cli.cluster import Cluster

        cluster = Cluster(master, conf, verbose)
        run = _validate_on_spark(loaded, data, max_violations, cluster, violations_to)
    else:
        if master or conf or violations_to:
            raise UsageError(
                f"`--master`, `--conf` and `--violations-to` are for Spark; this runs on {chosen}"
            )
        outcomes = [
            _validate_one(loaded, entry, chosen, max_violations, threads) for entry in expand(data)
        ]
        used = next((each.engine for each in outcomes if isinstance(each, Verdict)), str(chosen))
        run = Verdicts(used, tuple(outcomes))
    run = replace(run, strict=strict, min_coverage=min_coverage)
    if output is Format.JSON:
        from sculpt.report.json import run_json

        print_json(run_json(run))
    else:
        _print_verdicts(run, loaded, None if show == ALL else int(show), settings)
    return run.exit_status


def _print_verdicts(
    run: Verdicts, schema: api.Schema, show: int | None, settings: list[str]
) -> None:
    from sculpt.report.blocks import labels_of

    run = replace(run, outcomes=tuple(_completed(schema, each) for each in run.outcomes))
    print_lines(run_text(run, labels_of(schema), show, partial(_columns_shown, schema)))
    name = schema.source.name
    closing = []
    if not run.valid and schema.lint:
        found = counted(len(schema.lint), "warning")
        text = f"note: `sculpt check {visible(name)}` has {found} about the schema"
        closing.append(styled((text, "dim")))
    line = coverage_text(run, lambda path: _show_call(name, path, settings))
    if line is not None:
        closing.append(line)
    if closing:
        has_gap = run.valid or len(run.outcomes) > 1
        print_lines(closing if has_gap else [styled(), *closing])


def _completed(schema: api.Schema, outcome: Verdict | Unread) -> Verdict | Unread:
    """The verdict with some violations of each rule that fails, for text.

    The first violations of a file may all be of one rule. Then the others are looked for once more
    by themselves, if the file is not large.
    """
    from sculpt.report.groups import groups_of

    if isinstance(outcome, Unread) or len(outcome.violations) == outcome.violation_count:
        return outcome
    missing = {group.rule for group in groups_of(outcome) if not group.violations} - {None}
    path, limit = outcome.path, min(len(outcome.violations), DEFAULT_MAX_VIOLATIONS)
    if not missing or not os.path.isfile(path) or os.path.getsize(path) > _MAX_SIZE_AGAIN:
        return outcome
    from sculpt.engines import local
    from sculpt.engines.options import Options

    rules = tuple(rule for rule in schema.core.rules if rule.number in missing)
    alone = replace(schema.core, rules=rules, uniques=())
    try:
        found = local.validate(alone, path, Options(max_violations=limit)).violations
    except DataError:
        return outcome  # it is gone by now
    more = (violation for violation in found if violation.rule in missing)
    return replace(outcome, violations=(*outcome.violations, *more))


def _columns_shown(
    schema: api.Schema, verdict: Verdict, violations: Sequence[Violation]
) -> Mapping[tuple[int, int], Sequence[int]]:
    if not violations:
        return {}
    from sculpt.engines.results.second_look import region_columns

    return region_columns(schema.core, verdict.path, violations, verdict.columns)


def _show_call(schema: str, path: str, settings: list[str]) -> str | None:
    """The call that shows the cells of a file that no rule checks."""
    if STDIN in (schema, path):
        return None  # what came from there is gone
    from shlex import join

    sets = [word for each in settings for word in ("--set", each)]
    return join(["sculpt", "show", schema, path, "--unchecked", *sets])


def _validate_on_spark(
    schema: api.Schema,
    data: list[str],
    max_violations: int,
    cluster: Cluster,
    violations_to: str | None,
) -> Verdicts:
    from sculpt.cli.cluster import on_cluster
    from sculpt.spark import validate as on_spark
    from sculpt.spark.violations import check_absent, write_violations
    from sculpt.transform.guard import check_outputs

    if violations_to is not None:
        check_absent(violations_to)
        check_outputs(schema, data, [violations_to])
    with on_cluster(cluster) as (spark, line):
        result = on_spark(spark, schema, data, max_violations, on_progress=line)
        verdict = result.verdict
        for text in result.notes:
            note(text)
        if violations_to is not None:
            write_violations(result, violations_to, line)
    return verdict


def _validate_one(
    schema: api.Schema,
    entry: str | DataError,
    engine: Engine,
    max_violations: int,
    threads: int | None,
) -> Verdict | Unread:
    if isinstance(entry, DataError):
        return Unread(entry.path, str(entry))
    with ProgressLine(entry, open_error_console) as line:
        try:
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


def check(schema: str, output: Format, strict: bool, settings: list[str]) -> int:
    """Check a schema without data; return the exit status."""
    try:
        diagnostics = load(schema, settings).lint
        failed = False
    except SchemaError as error:
        diagnostics, failed = error.diagnostics, True
    if output is Format.JSON:
        from sculpt.report.json import check_json

        print_json(check_json(diagnostics))
    else:
        print_lines(diagnostics_text(diagnostics))
        errors = sum(diagnostic.is_error for diagnostic in diagnostics)
        found = [counted(errors, "error")] if errors else []
        if len(diagnostics) > errors:
            found.append(counted(len(diagnostics) - errors, "warning"))
        text = f"{visible(schema)}: {' and '.join(found) or 'no errors, no warnings'}"
        print_lines([styled((text, "bold"))])
    return 2 if failed else 1 if strict and diagnostics else 0


def explain(schema: str, data: list[str], output: Format, settings: list[str]) -> int:
    """Show how each rule is evaluated; return the exit status."""
    from sculpt.engines.choice import choose
    from sculpt.report.explain import explanation_json, explanation_text

    loaded = load(schema, settings, output)
    choice = choose(data) if data else None
    if output is Format.JSON:
        print_json(explanation_json(loaded.explanation, choice))
    else:
        print_lines(explanation_text(schema, loaded.explanation, choice))
    return 0


def select(
    schema: str, data: str, selector: str, output: Format, engine: Engine, settings: list[str]
) -> int:
    """List the cells that a selector selects; return the exit status."""
    if schema == data == STDIN:
        raise UsageError("standard input can be read only once")
    loaded = load(schema, settings, output)
    in_words = output is Format.TEXT
    selection = api.select_cells(
        loaded, data, selector, engine, with_texts=in_words, on_remark=announce
    )
    cells = selection.cells
    if not in_words:
        print_json({"count": len(cells), "cells": [list(cell) for cell in cells]})
        return 0
    lines = []
    for (row, column), text in zip(cells, selection.texts or (), strict=True):
        filled = (visible(text), "") if text else ("(empty)", "dim")
        shown = ("(padded)", "dim") if text is None else filled
        lines.append(styled((f"({row},{column})", "bold"), " ", shown))
    print_lines([*lines, styled((counted(len(cells), "cell"), "dim"))])
    if not cells:
        size = f"{counted(selection.rows, 'row')} × {counted(selection.columns, 'column')}"
        notes = [f"the table has {size}", *api.undeclared_names(loaded, selector)]
        for text in notes:
            note(text)
    return 0


def fmt(schemas: list[str], write: bool, check_only: bool) -> int:
    """Print schemas in their canonical form, or rewrite them; return the exit status."""
    if write and check_only:
        raise UsageError("`--check` changes nothing and `--write` does: choose one")
    changed, failed = False, False
    for name in schemas:
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
