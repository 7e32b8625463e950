"""Reports as JSON lines: one for each violation, then one for its file.

In: a `Report`, or the diagnostics of a schema. Out: lines, each a JSON object whose `type` is
`violation`, `file` or `diagnostic` (`docs/machines.md#json-lines`). Keys may be added, never
removed. A file that could not be read has only its `file` line, with an `error`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sculpt.diagnostics import Diagnostic
from sculpt.report.formats.checks import Report
from sculpt.report.formats.documents import json_text
from sculpt.report.json import diagnostic_json, file_json, violation_json
from sculpt.verdict import Unread, Violation


def json_lines(report: Report) -> Iterator[str]:
    """The lines of a run."""
    for outcome in report.run.outcomes:
        if not isinstance(outcome, Unread):
            for violation in outcome.violations:
                yield json_text({"type": "violation", **violation_line(outcome.path, violation)})
        facts = file_json(report.run, outcome)
        del facts["violations"]
        yield json_text({"type": "file", "file": facts.pop("path"), **facts})


def violation_line(path: str, violation: Violation) -> dict[str, Any]:
    """A violation and its file."""
    return {"file": path, **violation_json(violation)}


def diagnostic_lines(diagnostics: tuple[Diagnostic, ...]) -> Iterator[str]:
    """What is wrong with a schema."""
    for diagnostic in diagnostics:
        yield json_text({"type": "diagnostic", **diagnostic_json(diagnostic)})
