"""The text of `validate`: the report, the note about lints, the line about unchecked cells.

In: verdicts and their schema. Out: lines. What the verdicts lack for a good text is looked for in
the files again, if that costs little: places of each rule that fails, the cells of its region.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from sculpt.cli.terminal import announce
from sculpt.errors import DataError
from sculpt.interchange.fetched import file_of
from sculpt.report.blocks import labels_of
from sculpt.report.groups import groups_of
from sculpt.report.styled import Styled, counted, styled, visible
from sculpt.report.tables import schemas_of
from sculpt.report.text import coverage_text, run_text
from sculpt.schema import Schema
from sculpt.tabular.inputs import STDIN
from sculpt.values import replace
from sculpt.verdict import Unread, Verdict, Verdicts, Violation

MAX_SIZE_AGAIN = 1 << 26
"""A larger file is not read again only to show more."""


def report_lines(
    run: Verdicts, schema: Schema, show: int | None, settings: list[str]
) -> Iterator[Styled]:
    """The lines of `validate`; `show` places of each rule are shown in full, `None` means all."""
    schemas = schemas_of(schema)
    completed = (_completed(schemas[each.table], each) for each in run.outcomes)
    run = replace(run, outcomes=tuple(completed))
    lines = 0
    for line in run_text(run, labels_of(schema), show, partial(_columns_shown, schemas)):
        yield line
        lines += 1
    name = schema.source.name
    closing = []
    if not run.valid and schema.lint:
        found = counted(len(schema.lint), "warning")
        text = f"note: `sculpt check {visible(name)}` has {found} about the schema"
        closing.append(styled((text, "dim")))
    if not run.valid:
        closing += (styled((text, "dim")) for text in _sniffed(run, schemas))
    unchecked = coverage_text(run, partial(_show_call, schemas, settings))
    # A schema of another system says what it says: columns without checks are no oversight.
    if unchecked is not None and not schema.is_imported:
        closing.append(unchecked)
    if closing and lines > 1 and len(run.outcomes) == 1:
        yield styled()
    yield from closing


def _sniffed(run: Verdicts, schemas: Mapping[str | None, Schema]) -> Iterator[str]:
    """A note, if the first file that seems to be written in another way is not what was said."""
    from sculpt.cli.reports.dialects import note_about, seems_misread

    for each in run.outcomes:
        if isinstance(each, Verdict) and seems_misread(each, schemas[each.table].core):
            text = note_about(each, schemas[each.table].core.dialect)
            if text is not None:
                yield text
            return


def _completed(schema: Schema, outcome: Verdict | Unread) -> Verdict | Unread:
    """The verdict with some violations of each rule that fails, for text.

    The first violations of a file may all be of one rule. Then the others are looked for once more
    by themselves, if the file is not large, and has not changed.
    """
    if isinstance(outcome, Unread) or not outcome.violations:
        return outcome
    missing = {(each.rule, each.line) for each in groups_of(outcome) if not each.violations}
    rules = tuple(each for each in schema.core.rules if (each.number, each.line) in missing)
    uniques = tuple(each for each in schema.core.uniques if (None, each.line) in missing)
    path = outcome.path
    place = file_of(path) or path
    is_cheap = os.path.isfile(place) and os.path.getsize(place) <= MAX_SIZE_AGAIN
    if not (rules or uniques) or not is_cheap:
        return outcome
    from sculpt.engines import local
    from sculpt.engines.options import Options

    alone = replace(schema.core, rules=rules, uniques=uniques)
    try:
        found = local.validate(alone, path, Options(on_remark=announce))
    except DataError:
        return outcome  # it is gone by now
    if not {*found.rules} <= {*outcome.rules}:
        return outcome
    more = (each for each in found.violations if (each.rule, each.line) in missing)
    return replace(outcome, violations=(*outcome.violations, *more))


def _columns_shown(
    schemas: Mapping[str | None, Schema], verdict: Verdict, violations: Sequence[Violation]
) -> Mapping[tuple[int, int], Sequence[int]]:
    if not violations:
        return {}
    from sculpt.engines.results.second_look import region_columns

    core = schemas[verdict.table].core
    return region_columns(core, verdict.path, violations, verdict.columns)


def _show_call(
    schemas: Mapping[str | None, Schema], settings: list[str], verdict: Verdict
) -> str | None:
    """The call that shows the cells of a file that no rule checks."""
    schema, path = schemas[verdict.table].source.name, verdict.path
    if STDIN in (schema, path):
        return None  # what came from there is gone
    from shlex import join

    own = settings if verdict.table is None else []
    sets = [word for each in own for word in ("--set", each)]
    return join(["sculpt", "show", schema, path, "--unchecked", *sets])
