"""The report of `validate` as a page: `-f html`.

In: a schema and the inputs of a call. Out: an HTML document and the exit status. The page is made
of views, which check the files themselves, so this is the whole of `validate` for this format.
"""

from __future__ import annotations

from contextlib import ExitStack, closing
from typing import TYPE_CHECKING

from sculpt import api
from sculpt.cli.reports.delivery import deliver, tell_written
from sculpt.cli.terminal import InterruptedRunError
from sculpt.errors import DataError
from sculpt.tabular.inputs import expand
from sculpt.verdict import Unread, Verdict, Verdicts
from sculpt.views.view import View

if TYPE_CHECKING:
    from sculpt.checks.model import Request

MAX_OPEN = 100
"""The most files that have a part of their own in the page; a view holds its file open."""


def validate_to_page(
    schema: api.Schema,
    data: list[str],
    engine: str,
    max_violations: int,
    strict: bool,
    min_coverage: float | None,
    no_data: bool,
    out: str | None,
    request: Request | None = None,
) -> int:
    """Check data files and write the page about them; return the exit status.

    `request` is for a schema with more than rules.
    """
    from sculpt.views.html.report import report_html

    with ExitStack() as stack, closing(_Entries()) as entries:
        try:
            if request is not None:
                _add_checked(stack, entries, schema, data, engine, max_violations, request)
            else:
                for entry in expand(data):
                    entries.add(_view(schema, entry, engine, max_violations))
            page = report_html(entries, strict=strict, min_coverage=min_coverage, no_data=no_data)
        except KeyboardInterrupt:
            raise InterruptedRunError("interrupted") from None
        outcomes = tuple(each.verdict if isinstance(each, View) else each for each in entries)
    run = Verdicts(engine, outcomes, strict, min_coverage)
    deliver([page.removesuffix("\n")], out)
    if out is not None:
        tell_written(run, out)
    return run.exit_status


class _Entries(list["View | Verdict | Unread"]):
    """What is known of the inputs so far; at most `MAX_OPEN` of them are open views."""

    def __init__(self) -> None:
        super().__init__()
        self._open: list[int] = []

    def add(self, entry: View | Unread) -> None:
        """Add an input; if too many are open, keep the verdict on the one with least violations."""
        self.append(entry)
        if isinstance(entry, View):
            self._open.append(len(self) - 1)
        if len(self._open) > MAX_OPEN:
            least = min(self._open, key=lambda ix: (self._view(ix).verdict.violation_count, -ix))
            self._open.remove(least)
            view, self[least] = self._view(least), self._view(least).verdict
            view.close()

    def close(self) -> None:
        """Close what is open."""
        for ix in self._open:
            self._view(ix).close()

    def _view(self, ix: int) -> View:
        view = self[ix]
        assert isinstance(view, View)
        return view


def _add_checked(
    stack: ExitStack,
    entries: _Entries,
    schema: api.Schema,
    data: list[str],
    engine: str,
    max_violations: int,
    request: Request,
) -> None:
    """Add the views of all files of all tables, with what checks have found in them.

    The run is open until the stack is closed.
    """
    from sculpt.checks.validation import checked_files
    from sculpt.cli.reports.checks import tell_skipped, watched
    from sculpt.engines.options import Options
    from sculpt.report.tables import schemas_of
    from sculpt.views.choice import view_of_checked

    schemas, options = schemas_of(schema), Options(max_violations)
    run = checked_files(schema, list(expand(data)), engine, request, options, watched)
    for file in stack.enter_context(run):
        entries.add(view_of_checked(schemas[file.table.name], file, engine, max_violations))
    tell_skipped(schema, request)


def _view(
    schema: api.Schema, entry: str | DataError, engine: str, max_violations: int
) -> View | Unread:
    if isinstance(entry, DataError):
        return Unread(entry.path, str(entry))
    try:
        return api.view(schema, entry, engine=engine, max_violations=max_violations)
    except DataError as error:
        return Unread(entry, str(error))
