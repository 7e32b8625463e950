"""The formats of reports, each declared once: its name, the extension of its files, what writes it.

In: a `Report`, or the diagnostics of a schema. Out: the lines of a document. Invariant: a format is
imported when it is used, so that a call in one format does not wait for the others.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from importlib import import_module
from types import MappingProxyType
from typing import TypeAlias, cast

from sculpt.diagnostics import Diagnostic
from sculpt.report.formats.checks import Report
from sculpt.values import frozen

Writer: TypeAlias = Callable[[Report], Iterable[str]]


@frozen
class ReportFormat:
    """A format of reports."""

    extension: str
    """Of files in this format, with its dot; empty if no name implies the format."""
    module: str
    function: str
    """What makes the lines of a document."""


_HERE = "sculpt.report.formats"
FORMATS = MappingProxyType(
    {
        "json": ReportFormat(".json", f"{_HERE}.table", "json_document"),
        "jsonl": ReportFormat(".jsonl", f"{_HERE}.json_lines", "json_lines"),
        "csv": ReportFormat(".csv", f"{_HERE}.delimited", "csv_lines"),
        "sarif": ReportFormat(".sarif", f"{_HERE}.sarif", "sarif_lines"),
        "junit": ReportFormat(".xml", f"{_HERE}.junit", "junit_lines"),
        "github": ReportFormat("", f"{_HERE}.github", "github_lines"),
        "frictionless": ReportFormat("", f"{_HERE}.frictionless", "frictionless_lines"),
    }
)
"""By name: the formats that are made of a `Report`. Text is for people, and a page is made of
views."""
HTML = "html"
IMPLIED = MappingProxyType(
    {
        **{each.extension: name for name, each in FORMATS.items() if each.extension},
        ".ndjson": "jsonl",
        ".html": HTML,
        ".htm": HTML,
    }
)
"""The formats that the extension of a file implies."""


def implied_format(path: str | None) -> str | None:
    """The format that the name of an output implies, if any."""
    return None if path is None else IMPLIED.get(os.path.splitext(path)[1].lower())


def report_lines(name: str, report: Report) -> Iterable[str]:
    """A report in a format."""
    chosen = FORMATS[name]
    return cast("Writer", getattr(import_module(chosen.module), chosen.function))(report)


def json_document(report: Report) -> Iterable[str]:
    """A report as one JSON document."""
    from sculpt.report.formats.documents import json_text
    from sculpt.report.json import run_json

    return [json_text(run_json(report.run), indent=2)]


def diagnostic_lines(
    name: str, schema: str, diagnostics: tuple[Diagnostic, ...], status: int
) -> Iterable[str] | None:
    """What is wrong with a schema; `None` if the format has no form for it."""
    match name:
        case "json":
            from sculpt.report.formats.documents import json_text
            from sculpt.report.json import check_json

            return [json_text(check_json(diagnostics), indent=2)]
        case "jsonl":
            from sculpt.report.formats.json_lines import diagnostic_lines as in_lines

            return in_lines(diagnostics)
        case "sarif":
            from sculpt.report.formats.sarif import diagnostics_sarif

            return diagnostics_sarif(diagnostics, status)
        case "junit":
            from sculpt.report.formats.junit import diagnostics_junit

            return diagnostics_junit(schema, diagnostics)
        case "github":
            from sculpt.report.formats.github import diagnostics_github

            return diagnostics_github(diagnostics)
        case _:
            return None
