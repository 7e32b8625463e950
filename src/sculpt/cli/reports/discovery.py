"""A call that names data only: the metadata beside it, found by the rules of CSVW, is its schema.

In: the path or URL of a table, and perhaps that of metadata to use instead. Out: a schema of all
tables that the metadata describes, each with its data on this machine, while the source is open.
Metadata with errors is a `SchemaError`; its warnings are printed. Without metadata the call is
wrong: what is not checked is not valid.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from sculpt.cli.reports.notes import tell_notes
from sculpt.cli.terminal import remark
from sculpt.csvw.sources import Opened, opened
from sculpt.csvw.validation import schema_of
from sculpt.errors import UsageError
from sculpt.interchange.access import Access
from sculpt.interchange.csvw.problems import Problem, error_of
from sculpt.interchange.csvw.urls import written
from sculpt.interchange.csvw.writing.importer import import_group
from sculpt.report.styled import styled, visible
from sculpt.schema import Schema
from sculpt.values import replace


def not_together(settings: Sequence[str], data: Sequence[str], name: str) -> None:
    """Raise an error if a call has options that `--discover` leaves no room for."""
    if settings:
        raise UsageError("`--set` is for a schema that is named; metadata has its own dialect")
    if len(data) > 1:
        raise UsageError(f"`--discover` takes one file at a time, not {len(data)}")


@contextmanager
def discovered(
    source: str, metadata: str | None, allow_http: bool, allow_outside: bool
) -> Iterator[Schema]:
    """The schema of a table, by the metadata that describes it."""
    access = Access(allow_http, allow_outside)
    with opened(source, metadata, access=access) as found:
        if found.has_errors or found.group is None:
            raise error_of(found.problems, found.documents)
        for problem in found.problems:
            show_problem(problem)
        if found.metadata is None:
            raise UsageError(_nothing_found(found))
        files = {url: written(path) for url, path in found.files.items()}
        schema = schema_of(replace(found, files=files), import_group(found.group))
        tell_notes(schema)
        yield schema


def _nothing_found(found: Opened) -> str:
    """That a table has no metadata, and where it could be."""
    places = " and ".join(written(url) for url in found.looked_at)
    return (
        f"no metadata was found for {written(found.url)}, so nothing would be checked: there is"
        f" none about it at {places}; name it with `--metadata FILE`, or name a schema"
    )


def show_problem(problem: Problem) -> None:
    """Print what is wrong with metadata, or with a cell."""
    style = "bold red" if problem.severity == "error" else "bold yellow"
    place = f" ({problem.place})" if str(problem.place) else ""
    remark(styled((problem.severity, style), visible(f": {problem.message}{place}")))
