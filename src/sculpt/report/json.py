"""The JSON of the command line. Its shape is a contract: keys may be added, never removed."""

from __future__ import annotations

import re
from dataclasses import asdict
from typing import Any

from sculpt.diagnostics import Diagnostic
from sculpt.verdict import Place, Tally, Unread, Verdict, Verdicts, Violation

VERSION = 1
_SURROGATE = re.compile("[\ud800-\udfff]")


def run_json(run: Verdicts) -> dict[str, Any]:
    """The result of `sculpt validate`."""
    least = {} if run.min_coverage is None else {"min_coverage": run.min_coverage}
    return {
        "version": VERSION,
        "valid": run.valid,
        "engine": run.engine,
        **least,
        "files": [file_json(run, outcome) for outcome in run.outcomes],
    }


def file_json(run: Verdicts, outcome: Verdict | Unread) -> dict[str, Any]:
    """The outcome for one input; `table` is there for one of another table of the schema."""
    table = {} if outcome.table is None else {"table": outcome.table}
    if isinstance(outcome, Unread):
        return {
            "path": outcome.path,
            **table,
            "valid": False,
            "rows": None,
            "columns": None,
            "violation_count": 0,
            "warning_violation_count": 0,
            "violations": [],
            "warnings": [],
            "rules": [],
            "structure": [],
            "coverage": None,
            "error": outcome.message,
        }
    return {
        "path": outcome.path,
        **table,
        "valid": run.is_valid(outcome),
        "rows": outcome.rows,
        "columns": outcome.columns,
        "violation_count": outcome.violation_count,
        "warning_violation_count": outcome.warning_violation_count,
        "violations": [violation_json(violation) for violation in outcome.violations],
        "warnings": [asdict(warning) for warning in outcome.warnings],
        "rules": [_tally_json(tally, "rule") for tally in outcome.rules],
        "structure": [_tally_json(tally, "code") for tally in outcome.structure],
        "coverage": asdict(outcome.coverage),
    }


def _tally_json(tally: Tally, name: str) -> dict[str, Any]:
    """What a rule has checked; a constraint or a structural code has no number, but a code."""
    fields = ("line", "text", "selected", "checked", "failed", "severity")
    return {each: getattr(tally, each) for each in (name, *fields)}


def violation_json(violation: Violation) -> dict[str, Any]:
    """One violation, without the excerpt that is for people."""
    return {
        "code": violation.code,
        "rule": violation.rule,
        "line": violation.line,
        "row": violation.row,
        "column": violation.column,
        "offset": violation.offset,
        "found": None if violation.found is None else printable(violation.found),
        "tokens": violation.tokens,
        "expected": violation.expected,
        "message": violation.message,
        "hint": violation.hint,
        "severity": violation.severity,
        "first": _place_json(violation.first),
        "target": _place_json(violation.target),
    }


def _place_json(place: Place | None) -> dict[str, Any] | None:
    """A cell of some file."""
    if place is None:
        return None
    return {"file": place.file, "row": place.row, "column": place.column}


def printable(text: str) -> str:
    """The text as Unicode: a byte that cannot be decoded becomes the replacement character."""
    return _SURROGATE.sub("\ufffd", text)


def check_json(diagnostics: tuple[Diagnostic, ...]) -> dict[str, Any]:
    """The diagnostics of a schema: for `sculpt check`, and for any call with a wrong schema."""
    valid = not any(diagnostic.is_error for diagnostic in diagnostics)
    listed = [diagnostic_json(diagnostic) for diagnostic in diagnostics]
    return {"version": VERSION, "valid": valid, "diagnostics": listed}


def diagnostic_json(diagnostic: Diagnostic) -> dict[str, Any]:
    """One diagnostic."""
    return {
        "code": diagnostic.code,
        "severity": str(diagnostic.severity),
        "file": diagnostic.span.source.name,
        "line": diagnostic.span.line,
        "column": diagnostic.span.column,
        "message": diagnostic.message,
        "hint": diagnostic.hint,
    }
