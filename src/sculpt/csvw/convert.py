"""The conversions of CSVW: `to_json` and `to_rdf`.

In: the path or URL of a table or of metadata. Out: a `Conversion`: pieces of one document, as they
become ready. Metadata with errors raises `SchemaError` at once; warnings, and what is wrong with
cells, are in `Conversion.problems`, and are given to `on_problem` as they are found.

Invariant: nothing is fetched but through `fetch`, or as `access` allows. Memory: a few megabytes of
rows for each thread, however large the tables are.
"""

from __future__ import annotations

import os
import weakref
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from typing import Any, get_args

from sculpt.csvw.conversion import Conversion, OnProblem, Request
from sculpt.csvw.converter import Target
from sculpt.csvw.sources import Opened, opened
from sculpt.csvw.tables.headers import headed
from sculpt.csvw.tables.plan import template_problems
from sculpt.csvw.texts.terms import Format
from sculpt.errors import UsageError
from sculpt.extras import need
from sculpt.interchange.access import Access, Fetch
from sculpt.interchange.csvw.model import Table, TableGroup
from sculpt.interchange.csvw.problems import Problem, error_of
from sculpt.tabular.inputs import Input
from sculpt.values import frozen, replace

Metadata = str | os.PathLike[str] | Mapping[str, Any] | None


def to_json(
    source: str | os.PathLike[str],
    metadata: Metadata = None,
    *,
    minimal: bool = False,
    provenance: bool = False,
    fetch: Fetch | None = None,
    access: Access | None = None,
    threads: int | None = None,
    on_problem: OnProblem | None = None,
    any_tables: bool = False,
) -> Conversion:
    """A table, or all tables of metadata, as JSON: pieces of the text of one document.

    `metadata` is used instead of what the rules of the standard find; it describes the source, or
    `any_tables`. `minimal` gives only the objects that rows describe. `provenance` adds how the
    document was made, to the object of the group.
    """
    found = prepared(source, metadata, fetch, access, any_tables)
    return _conversion(found, Target(None, minimal), provenance, threads, on_problem)


def to_rdf(
    source: str | os.PathLike[str],
    metadata: Metadata = None,
    *,
    minimal: bool = False,
    format: Format = "ntriples",  # noqa: A002
    provenance: bool = False,
    fetch: Fetch | None = None,
    access: Access | None = None,
    threads: int | None = None,
    on_problem: OnProblem | None = None,
    any_tables: bool = False,
) -> Conversion:
    """A table, or all tables of metadata, as RDF: pieces of the text of one document.

    `metadata` is used instead of what the rules of the standard find; it describes the source, or
    `any_tables`. `minimal` gives only the statements that cells make. `provenance` adds statements
    about how the document was made.
    """
    if format not in get_args(Format):
        raise UsageError(f"`{format}` is not a format: it is one of {', '.join(get_args(Format))}")
    found = prepared(source, metadata, fetch, access, any_tables)
    return _conversion(found, Target(format, minimal), provenance, threads, on_problem)


def _conversion(
    source: AbstractContextManager[Prepared],
    target: Target,
    provenance: bool,
    threads: int | None,
    on_problem: OnProblem | None,
) -> Conversion:
    need("csvw", "converting CSVW")
    need("arrow", "converting CSVW")
    with ExitStack() as stack:
        found = stack.enter_context(source)
        request = Request(
            found.group, found.open_table, target, threads, provenance, found.metadata
        )
        kept = stack.pop_all()
    conversion = _Closing(request, found.problems, on_problem)
    conversion.keep(kept)
    return conversion


class _Closing(Conversion):
    """A conversion that closes its source when it ends, or when it is forgotten."""

    _kept: ExitStack

    def keep(self, kept: ExitStack) -> None:
        """What to close at the end."""
        self._kept = kept
        weakref.finalize(self, kept.close)

    def __next__(self) -> str:
        try:
            return super().__next__()
        except BaseException:
            self._kept.close()
            raise

    def close(self) -> None:
        """See `Conversion`."""
        super().close()
        self._kept.close()


@frozen(slots=False)
class Prepared:
    """A source whose metadata is known, and whose headers have been read."""

    group: TableGroup
    files: Mapping[str, str]
    problems: tuple[Problem, ...]
    metadata: tuple[str, ...]

    def open_table(self, table: Table) -> Input:
        """The open file of a table."""
        return Input(self.files[table.url], table.url)


@contextmanager
def prepared(
    source: str | os.PathLike[str],
    metadata: Metadata,
    fetch: Fetch | None,
    access: Access | None,
    any_tables: bool = False,
) -> Iterator[Prepared]:
    """Open a source, and read its metadata and headers; raises `SchemaError`."""
    with opened(source, metadata, fetch=fetch, access=access, any_tables=any_tables) as found:
        yield prepared_of(found)


def prepared_of(found: Opened) -> Prepared:
    """The tables of a source with all their columns; raises `SculptError`."""
    if found.has_errors or found.group is None:
        raise error_of(found.problems, found.documents)
    exploding = [each for table in found.group.tables for each in template_problems(table)]
    if exploding:
        raise error_of(exploding, found.documents)
    tables, problems = [], list(found.problems)
    for table in found.group.tables:
        if table.suppress_output:
            tables.append(table)
            continue
        with Input(found.files[table.url], table.url) as source:
            complete, more = headed(table, source)
        tables.append(complete)
        problems += more
    group = replace(found.group, tables=tuple(tables))
    metadata = () if found.metadata is None else (found.metadata,)
    return Prepared(group, found.files, tuple(problems), metadata)
