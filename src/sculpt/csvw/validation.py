"""CSVW validation: metadata by the letter of the standard, cells by the schema that it becomes.

In: a table or metadata, perhaps with metadata of the user. Out: a `Validation`: errors and
warnings, of the metadata and of the data, and the verdicts of the engine ("Model for Tabular Data",
section 6.6).

Invariant: cells are judged by the Sculpt text that `sculpt import` prints, on the engines that run
every other schema. Metadata with errors is not applied. Cost: that of the engine: files of any size
stream.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, Literal

from sculpt.csvw.sources import Opened, opened
from sculpt.diagnostics import Source
from sculpt.errors import SchemaError
from sculpt.interchange.access import Access, Fetch
from sculpt.interchange.csvw.model import Place
from sculpt.interchange.csvw.problems import Problem
from sculpt.interchange.csvw.writing.importer import import_group
from sculpt.interchange.model import Note, Package
from sculpt.interchange.packages import tie_of
from sculpt.schema import Schema
from sculpt.values import field, frozen, replace
from sculpt.verdict import Unread, Verdict, Verdicts, Violation

MAX_LISTED = 100
"""Violations of a table that are listed; all of them are counted."""


@frozen
class Finding:
    """Something wrong with the metadata, or with a cell or row of a table."""

    severity: Literal["error", "warning"]
    message: str
    place: Place | None = None
    """Of metadata: where."""
    table: str | None = None
    """Of data: the URL of the table."""
    violation: Violation | None = field(default=None, repr=False)
    """Of data: row, column, what was found and what was expected."""

    def __str__(self) -> str:
        where = str(self.place) if self.place is not None else self.table or ""
        if self.violation is not None and self.violation.row is not None:
            where += f", row {self.violation.row}"
            if self.violation.column is not None:
                where += f", column {self.violation.column}"
        return f"{where}: {self.severity}: {self.message}" if where else self.message


@frozen
class Validation:
    """The result of a validation."""

    errors: tuple[Finding, ...]
    warnings: tuple[Finding, ...]
    verdicts: Verdicts | None = None
    """Of the tables, in the order of the metadata; `None` if it has errors."""
    schema: Schema | None = field(default=None, repr=False)
    """The schema that the tables were checked against."""

    @property
    def valid(self) -> bool:
        """Are there no errors? Warnings do not matter."""
        return not self.errors


def validate(
    source: str | os.PathLike[str],
    metadata: str | os.PathLike[str] | Mapping[str, Any] | None = None,
    *,
    fetch: Fetch | None = None,
    access: Access | None = None,
    engine: Literal["local", "reference"] = "local",
    max_violations: int = MAX_LISTED,
    any_tables: bool = False,
) -> Validation:
    """Validate a table, or all tables of metadata.

    `source` is the path or URL of either. `metadata` is used instead of what would be found by the
    rules of the standard. If it describes other tables, it is refused; with `any_tables`, it is
    used for these, as the standard allows. `fetch` reads every URL, files included; without it,
    files are read, and other URLs only if `access` allows it.
    """
    with opened(source, metadata, fetch=fetch, access=access, any_tables=any_tables) as found:
        findings = [_of_metadata(each) for each in found.problems]
        verdicts, schema = None, None
        if found.group is not None and not found.has_errors:
            package = import_group(found.group)
            try:
                schema = schema_of(found, package)
            except SchemaError as error:
                findings += [_of_schema(each.message, found) for each in error.diagnostics]
            else:
                findings += [_of_note(each) for each in package.data_notes]
                verdicts = _checked(schema, engine, max_violations)
                names = [table.name for table in package.tables]
                urls = dict(zip(names, (each.url for each in found.group.tables), strict=True))
                findings += _of_data(verdicts, urls)
    return Validation(
        tuple(each for each in findings if each.severity == "error"),
        tuple(each for each in findings if each.severity == "warning"),
        verdicts,
        schema,
    )


def schema_of(found: Opened, package: Package) -> Schema:
    """The schema of all tables, each with its local file."""
    assert found.group is not None
    name = found.metadata or found.url
    paths = {
        table.name: found.files[described.url]
        for table, described in zip(package.tables, found.group.tables, strict=True)
    }
    shelf = {
        table.file_name: Source(name, table.text, origins=table.origins) for table in package.tables
    }
    tie = tie_of(package, lambda table: paths[table.name])
    source = Source(name, tie.text, origins=tie.origins)
    return Schema.imported(replace(source, shelf=shelf), (), package.data_notes)


def _checked(schema: Schema, engine: str, max_violations: int) -> Verdicts:
    from sculpt.checks.model import request_of
    from sculpt.checks.validation import checked_files
    from sculpt.engines.options import Options

    options = Options(max_violations)
    with checked_files(schema, [], engine, request_of(), options) as found:
        return Verdicts(engine, tuple(each.outcome for each in found))


# ------------------------------------------------------------- findings


def _of_metadata(problem: Problem) -> Finding:
    return Finding(problem.severity, problem.message, problem.place)


def _of_note(note: Note) -> Finding:
    """Something of the metadata that is not checked, or not exactly."""
    message = f"{note.message}; {note.hint}" if note.hint else note.message
    return Finding("warning", message, Place(note.place.file, note.place.pointer or ""))


def _of_schema(message: str, found: Opened) -> Finding:
    """Metadata that the standard allows, but that cannot be a schema, such as a dialect."""
    return Finding(
        "error", f"this cannot be checked: {message}", Place(found.metadata or found.url)
    )


def _of_data(verdicts: Verdicts, urls: Mapping[str, str]) -> list[Finding]:
    """What is wrong with cells and rows; `urls` are those of the tables, by their names."""
    findings = []
    for outcome in verdicts.outcomes:
        url = urls.get(outcome.table or "", outcome.path)
        match outcome:
            case Unread():
                findings.append(Finding("error", outcome.message, table=url))
            case Verdict():
                findings += [
                    Finding(each.severity, each.message, table=url, violation=each)
                    for each in outcome.violations
                ]
    return findings
