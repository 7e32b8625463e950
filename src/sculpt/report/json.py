"""The JSON of the command line. Its shape is a contract: keys may be added, never removed."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from sculpt.diagnostics import Diagnostic
from sculpt.verdict import Unread, Verdict, Verdicts, Violation

VERSION = 1


def run_json(run: Verdicts) -> dict[str, Any]:
    """The result of `sculpt validate`."""
    least = {} if run.min_coverage is None else {"min_coverage": run.min_coverage}
    return {
        "version": VERSION,
        "valid": run.valid,
        "engine": run.engine,
        **least,
        "files": [_file(run, outcome) for outcome in run.outcomes],
    }


def _file(run: Verdicts, outcome: Verdict | Unread) -> dict[str, Any]:
    if isinstance(outcome, Unread):
        return {
            "path": outcome.path,
            "valid": False,
            "rows": None,
            "columns": None,
            "violation_count": 0,
            "violations": [],
            "warnings": [],
            "error": outcome.message,
        }
    return {
        "path": outcome.path,
        "valid": run.is_valid(outcome),
        "rows": outcome.rows,
        "columns": outcome.columns,
        "violation_count": outcome.violation_count,
        "violations": [violation_json(violation) for violation in outcome.violations],
        "warnings": [asdict(warning) for warning in outcome.warnings],
    }


def violation_json(violation: Violation) -> dict[str, Any]:
    """One violation, without the excerpt that is for people."""
    fields = asdict(violation)
    del fields["excerpt"]
    fields["found"] = None if violation.found is None else printable(violation.found)
    return fields


def printable(text: str) -> str:
    """The text as Unicode: a byte that cannot be decoded becomes the replacement character."""
    return "".join("\ufffd" if 0xD800 <= ord(char) <= 0xDFFF else char for char in text)


def check_json(diagnostics: tuple[Diagnostic, ...]) -> dict[str, Any]:
    """The diagnostics of a schema: for `sculpt check`, and for any call with a wrong schema."""
    listed = [
        {
            "code": diagnostic.code,
            "severity": str(diagnostic.severity),
            "file": diagnostic.span.source.name,
            "line": diagnostic.span.line,
            "column": diagnostic.span.column,
            "message": diagnostic.message,
            "hint": diagnostic.hint,
        }
        for diagnostic in diagnostics
    ]
    valid = not any(diagnostic.is_error for diagnostic in diagnostics)
    return {"version": VERSION, "valid": valid, "diagnostics": listed}
