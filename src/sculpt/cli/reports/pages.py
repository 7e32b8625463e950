"""The report of `validate` as a page: `-f html`.

In: a schema and the inputs of a call. Out: an HTML document and the exit status. The page is made
of views, which check the files themselves, so this is the whole of `validate` for this format.
"""

from __future__ import annotations

from contextlib import ExitStack

from sculpt import api
from sculpt.cli.reports.delivery import deliver, tell_written
from sculpt.cli.terminal import InterruptedRunError
from sculpt.errors import DataError
from sculpt.tabular.inputs import expand
from sculpt.verdict import Unread, Verdicts
from sculpt.views.view import View


def validate_to_page(
    schema: api.Schema,
    data: list[str],
    engine: str,
    max_violations: int,
    strict: bool,
    min_coverage: float | None,
    no_data: bool,
    out: str | None,
) -> int:
    """Check data files and write the page about them; return the exit status."""
    from sculpt.views.html.report import report_html

    with ExitStack() as stack:
        entries: list[View | Unread] = []
        try:
            for entry in expand(data):
                viewed = _view(schema, entry, engine, max_violations)
                if not isinstance(viewed, Unread):
                    stack.enter_context(viewed)
                entries.append(viewed)
            page = report_html(entries, strict=strict, min_coverage=min_coverage, no_data=no_data)
        except KeyboardInterrupt:
            raise InterruptedRunError("interrupted") from None
        outcomes = tuple(each if isinstance(each, Unread) else each.verdict for each in entries)
    run = Verdicts(engine, outcomes, strict, min_coverage)
    deliver([page.removesuffix("\n")], out)
    if out is not None:
        tell_written(run, out)
    return run.exit_status


def _view(
    schema: api.Schema, entry: str | DataError, engine: str, max_violations: int
) -> View | Unread:
    if isinstance(entry, DataError):
        return Unread(entry.path, str(entry))
    try:
        return api.view(schema, entry, engine=engine, max_violations=max_violations)
    except DataError as error:
        return Unread(entry, str(error))
