"""Calls of a schema with more than rules: other tables, keys, references, conditions.

In: the options of a call. Out: a `Request`, and the verdicts of a run on this machine. Only a
schema that has checks needs this module.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from sculpt.checks.model import Request, request_of
from sculpt.checks.validation import Checked, checked_files
from sculpt.cli.terminal import InterruptedRunError, announce, note, open_error_console
from sculpt.engines.options import Options
from sculpt.errors import DataError, UsageError
from sculpt.report.progress import ProgressLine
from sculpt.report.styled import counted
from sculpt.schema import Schema
from sculpt.tabular.inputs import expand
from sculpt.values import frozen, replace
from sculpt.verdict import Unread, Verdict, Verdicts

if TYPE_CHECKING:
    from sculpt.report.lists.writer import ListWriter


@frozen
class Asked:
    """The options of a call about checks, as written."""

    tables: tuple[str, ...] = ()
    files: str | None = None
    skips_files: bool = False
    memory: str | None = None

    def request(self) -> Request:
        """What the call asks for; raises `UsageError` if an option is wrong."""
        tables: dict[str, str] = {}
        for each in self.tables:
            name, sign, path = each.partition("=")
            if not (name and sign and path):
                raise UsageError(f"`--table {each}`: write it as `--table NAME=PATH`")
            if name in tables:
                raise UsageError(f"`--table {each}`: the table `{name}` is named twice")
            tables[name] = path
        given = {} if self.memory is None else {"memory": self.memory}
        return request_of(tables, self.files, skips_files=self.skips_files, **given)

    @property
    def is_empty(self) -> bool:
        """Is nothing asked for?"""
        return self == Asked()


def checked_call(schema: Schema, asked: Asked) -> Request | None:
    """What checks are given; `None` if there is nothing for them to do."""
    if not schema.has_checks and asked.is_empty:
        return None
    request = asked.request()
    if not schema.has_checks:
        _check_needless(schema, request)
        return None
    return request


def _check_needless(schema: Schema, request: Request) -> None:
    """An option about checks that a schema does not have is a slip, if it names a table."""
    for name in request.tables:
        raise UsageError(f"there is no table `{name}`; the schema has no other tables")


def data_files(schema: Schema, data: Sequence[str], request: Request | None) -> list[str]:
    """All data of a call: its own, and that of other tables, as far as it is known."""
    if request is None or not schema.tables:
        return [*data]
    from sculpt.checks.plan import plan_of
    from sculpt.checks.validation import check_tables, data_of

    plan = plan_of(schema)
    check_tables(plan, request)
    return [*data, *(data_of(table, request) for table in plan.tables[1:])]


@contextmanager
def watched(path: str) -> Iterator[ProgressLine]:
    """The line about a file; if the run is interrupted meanwhile, it says what was found."""
    with ProgressLine(path, open_error_console) as line:
        try:
            yield line
        except (KeyboardInterrupt, InterruptedRunError):
            raise InterruptedRunError(line.partial()) from None


def validate_with_checks(
    schema: Schema,
    data: Sequence[str],
    engine: str,
    request: Request,
    max_violations: int,
    threads: int | None,
    writer: ListWriter | None,
) -> Verdicts:
    """The verdicts on all files and tables."""
    options = Options(max_violations, threads, on_remark=announce)
    entries = list(expand(data))
    with checked_files(schema, entries, engine, request, options, watched) as files:
        outcomes = [_listed(file, engine, options, writer) for file in files]
    tell_skipped(schema, request)
    used = next((each.engine for each in outcomes if isinstance(each, Verdict)), engine)
    return Verdicts(used, tuple(outcomes))


def _listed(
    file: Checked, engine: str, options: Options, writer: ListWriter | None
) -> Verdict | Unread:
    """The outcome for a file, which is listed if lists are asked for."""
    if writer is None or file.source is None or file.rules is None:
        return file.outcome
    with watched(file.path) as line:
        told = replace(options, on_progress=line)
        try:
            writer.list_checked(
                file.table.schema, file.rules, file.source, engine, told, file.founds
            )
        except DataError as error:
            return Unread(file.path, str(error), file.table.name)
    return file.outcome


def tell_skipped(schema: Schema, request: Request) -> None:
    """Say how many conditions were taken as met."""
    if not (request.skips_files and schema.has_requires):
        return
    from sculpt.checks.conditions import skipped_files

    if skipped := skipped_files(schema, request):
        verb = "is" if skipped == 1 else "are"
        note(f"{counted(skipped, 'condition')} about files {verb} taken as met: `--skip-files`")
