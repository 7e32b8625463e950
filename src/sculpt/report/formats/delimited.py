"""Violations as CSV: a header, then one row for each (RFC 4180).

In: violations and the files they are in. Out: lines; a text with a line break in it goes over
several. Invariant: a reader of CSV gets back the texts exactly as they are, so a text that begins
with `=` is not changed either: a program that takes such a text for a formula must be told to
import texts. Only a byte that cannot be decoded becomes U+FFFD. An empty field is a missing value,
and `""` an empty text. `expected` is a JSON array.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from sculpt.report.formats.checks import Report
from sculpt.report.json import printable
from sculpt.verdict import Place, Unread, Violation

COLUMNS = (
    "file",
    "code",
    "rule",
    "line",
    "row",
    "column",
    "offset",
    "found",
    "expected",
    "message",
    "hint",
    "severity",
    "first_file",
    "first_row",
    "first_column",
    "target_file",
    "target_row",
    "target_column",
)
_SPECIAL = re.compile(r'^$|[",\r\n]')


def csv_lines(report: Report) -> Iterator[str]:
    """The rows of a run: the violations that its verdicts hold."""
    yield header()
    for outcome in report.run.outcomes:
        if not isinstance(outcome, Unread):
            for violation in outcome.violations:
                yield csv_row(outcome.path, violation)


def header() -> str:
    """The names of the columns."""
    return ",".join(COLUMNS)


def csv_row(path: str, violation: Violation) -> str:
    """A violation."""
    expected = json.dumps(violation.expected, ensure_ascii=False)
    values = (
        path,
        violation.code,
        violation.rule,
        violation.line,
        violation.row,
        violation.column,
        violation.offset,
        violation.found,
        expected,
        violation.message,
        violation.hint,
        violation.severity,
        *_place_fields(violation.first),
        *_place_fields(violation.target),
    )
    return ",".join(map(_field, values))


def _place_fields(place: Place | None) -> tuple[str | int | None, ...]:
    return (None, None, None) if place is None else (place.file, place.row, place.column)


def _field(value: str | int | None) -> str:
    if value is None:
        return ""
    text = printable(str(value))
    return '"' + text.replace('"', '""') + '"' if _SPECIAL.search(text) else text
