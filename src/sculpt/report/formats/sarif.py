"""Reports as SARIF 2.1.0, the format in which code hosts and editors read findings.

In: a `Report`, or the diagnostics of a schema. Out: a document with one run: its rules are the
checks of the schema, with their documentation; its results are violations and warnings; what could
not be read, and how many results were left out, are notifications of the invocation.

Invariant: at most `MAX_RESULTS` results, taken from all files and rules in turn, errors first. A
fingerprint depends on the rule's text, the value found and how often it was found before, not on
the row, so it survives rows that come or go. Columns count characters; offsets count bytes of the
file.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from hashlib import sha256
from typing import Any

from sculpt import __version__
from sculpt.diagnostics import CODES, Diagnostic, Severity, Span
from sculpt.report.formats.checks import (
    COVERAGE,
    Check,
    Report,
    lack_of_coverage,
    meaning_of,
    taken_in_turn,
)
from sculpt.report.formats.documents import json_text
from sculpt.report.formats.places import place_of, uri_of
from sculpt.report.tables import table_mark
from sculpt.schema import Schema
from sculpt.values import field, frozen, mutable
from sculpt.verdict import (
    WARNING_CODES,
    Unread,
    Verdicts,
    Violation,
    Warning,
)

MAX_RESULTS = 5_000
SCHEMA_URI = "https://json.schemastore.org/sarif-2.1.0.json"
HASH = "primaryLocationLineHash"
"""The fingerprint that GitHub compares."""
_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "note"}
_NOTICES = {
    "unread": "an input could not be read",
    "left-out": "there are more results than the report lists",
}
_MAX_FILES = 10
"""Files that are named beside a warning."""


def sarif_lines(report: Report) -> Iterator[str]:
    """The document of a run."""
    log = _Log()
    identified = list(_identified(report.checks))
    numbers = [log.rule(_descriptor(check, name)) for check, name in identified]
    warnings = [*_warnings(report, log), *_uncovered(report, log)][:MAX_RESULTS]
    chosen: list[_Spot] = []
    for severity in ("error", "warning"):  # warnings get the room that errors leave
        spots = [each for each in _spots(report) if each and each[0].severity == severity]
        chosen += taken_in_turn(spots, MAX_RESULTS - len(warnings) - len(chosen))
    results = [*warnings]
    occurrences: Counter[tuple[str, ...]] = Counter()
    for spot in sorted(chosen, key=lambda spot: spot.position):
        check, name = identified[spot.check]
        rule = {"ruleId": name, "ruleIndex": numbers[spot.check]}
        spotted = (str(spot.file), name, check.text, *_found(spot.violation))
        results.append({**rule, **_result(report, log, spot)})
        results[-1]["partialFingerprints"] = _fingerprints(spotted, occurrences, 2)
    read = [outcome for outcome in report.run.outcomes if not isinstance(outcome, Unread)]
    counted = len(warnings) + sum(verdict.found for verdict in read)
    notices = list(_unread(report.run, log))
    if counted > len(results):
        notices.append(_left_out(counted, len(results)))
    yield from log.lines(results, notices, report.run.exit_status)


def diagnostics_sarif(diagnostics: tuple[Diagnostic, ...], status: int) -> Iterator[str]:
    """The document about a schema."""
    log = _Log()
    occurrences: Counter[tuple[str, ...]] = Counter()
    results = []
    for diagnostic in diagnostics[:MAX_RESULTS]:
        code, source = diagnostic.code, diagnostic.span.source
        severity, meaning = CODES[code]
        descriptor: dict[str, Any] = {
            "id": code,
            "shortDescription": _message(meaning),
            "defaultConfiguration": {"level": _LEVELS[severity]},
        }
        spotted = (source.name, code, source.line(diagnostic.span.line).strip())
        hint = f" ({diagnostic.hint})" if diagnostic.hint else ""
        results.append(
            {
                "ruleId": code,
                "ruleIndex": log.rule(descriptor),
                "level": _LEVELS[severity],
                "message": _message(diagnostic.message + hint),
                "locations": [log.location(source.name, _span_region(diagnostic.span))],
                "partialFingerprints": _fingerprints(spotted, occurrences),
            }
        )
    left_out = len(diagnostics) - len(results)
    notices = [_left_out(len(diagnostics), len(results))] if left_out else []
    yield from log.lines(results, notices, status)


@mutable
class _Log:
    """The rules and files that results refer to by number."""

    rules: list[dict[str, Any]] = field(default_factory=list)
    numbers: dict[str, int] = field(default_factory=dict)
    uris: dict[str, str] = field(default_factory=dict)
    artifacts: dict[str, int] = field(default_factory=dict)

    def rule(self, descriptor: dict[str, Any]) -> int:
        """The number of a rule; the first description with its id counts."""
        number = self.numbers.setdefault(descriptor["id"], len(self.rules))
        if number == len(self.rules):
            self.rules.append(descriptor)
        return number

    def location(self, path: str, region: dict[str, Any] | None = None) -> dict[str, Any]:
        """A place in a file."""
        uri = self.uris.get(path) or self.uris.setdefault(path, uri_of(path))
        number = self.artifacts.setdefault(uri, len(self.artifacts))
        physical: dict[str, Any] = {"artifactLocation": {"uri": uri, "index": number}}
        if region is not None:
            physical["region"] = region
        return {"physicalLocation": physical}

    def lines(
        self, results: list[dict[str, Any]], notices: list[dict[str, Any]], status: int
    ) -> Iterator[str]:
        """The document."""
        invocation = {
            "executionSuccessful": status in (0, 1),
            "exitCode": status,
            "toolExecutionNotifications": notices,
        }
        driver = {
            "name": "sculpt",
            "version": __version__,
            "semanticVersion": __version__,
            "rules": self.rules,
            "notifications": [
                {"id": name, "shortDescription": _message(text)} for name, text in _NOTICES.items()
            ],
        }
        run = {
            "tool": {"driver": driver},
            "columnKind": "unicodeCodePoints",
            "invocations": [invocation],
            "artifacts": [{"location": {"uri": uri}} for uri in self.artifacts],
            "results": results,
        }
        document = {"$schema": SCHEMA_URI, "version": "2.1.0", "runs": [run]}
        yield from json_text(document, indent=1).split("\n")


def _message(text: str) -> dict[str, str]:
    return {"text": text}


# ------------------------------------------------------------- rules


def _identified(checks: Iterable[Check]) -> Iterator[tuple[Check, str]]:
    """Checks with ids that stay the same if other statements come or go."""
    seen: Counter[str] = Counter()
    for check in checks:
        if check.line is None:
            yield check, check.code
            continue
        name = f"{check.code}/{_digest(check.text)[:8]}"
        seen[name] += 1
        yield check, name if seen[name] == 1 else f"{name}-{seen[name]}"


def _descriptor(check: Check, name: str) -> dict[str, Any]:
    meaning = meaning_of(check.code)
    if check.line is None:
        return {
            "id": name,
            "shortDescription": _message(meaning),
            "help": _message(meaning),
            "defaultConfiguration": {"level": "error"},
        }
    where = f"line {check.line} of {check.file}"
    words = check.documentation or meaning
    return {
        "id": name,
        "shortDescription": _message(check.title),
        "fullDescription": _message(words),
        "help": {
            "text": f"{words}\n\n{check.text}\n({check.name} of {check.file})",
            "markdown": f"{_indented(check.text)}\n\n{_prose(words)}\n\n{_prose(where)}",
        },
        "defaultConfiguration": {"level": check.severity},
        "properties": {"code": check.code, "rule": check.rule, "line": check.line},
    }


def _indented(text: str) -> str:
    """A text as a block of code in Markdown."""
    return "\n".join(f"    {line}" for line in text.splitlines())


def _prose(text: str) -> str:
    """A text in Markdown, in which no character has a special meaning."""
    from sculpt.report.formats.markdown import plain

    return "\n".join(map(plain, text.split("\n")))


# ------------------------------------------------------------- results


@frozen
class _Spot:
    """A violation, where it is among all of them, and the numbers of its file and its check."""

    position: int
    file: int
    check: int
    violation: Violation

    @property
    def severity(self) -> str:
        """That of its violation."""
        return self.violation.severity


def _spots(report: Report) -> Iterator[list[_Spot]]:
    """The violations of each file and check."""
    before = 0
    numbers = {check: number for number, check in enumerate(report.checks)}
    for file, outcome in enumerate(report.run.outcomes):
        if isinstance(outcome, Unread):
            continue
        positions = {id(each): before + ix for ix, each in enumerate(outcome.violations)}
        before += len(positions)
        for group in report.groups(outcome):
            number = numbers[group.check]
            yield [_Spot(positions[id(each)], file, number, each) for each in group.violations]


def _result(report: Report, log: _Log, spot: _Spot) -> dict[str, Any]:
    violation = spot.violation
    outcome = report.run.outcomes[spot.file]
    place = place_of(violation, report.schema_of(outcome).core.dialect)
    region: dict[str, Any] = {"startLine": 1 if place is None else place.line}
    if place is not None and place.column is not None:
        region["startColumn"] = place.column
        region["endLine"], region["endColumn"] = place.end_line, place.end_column
    if violation.offset is not None:
        region["byteOffset"] = violation.offset
    where = [f"{name} {n}" for name, n in _coordinates(violation) if n is not None]
    hint = f" ({violation.hint})" if violation.hint else ""
    text = f"{', '.join(where)}: {violation.message}" if where else violation.message
    table = {} if outcome.table is None else {"table": outcome.table}
    other = violation.first or violation.target
    related = {} if other is None else {"relatedLocations": [log.location(other.file)]}
    return {
        "level": "error" if report.run.strict else violation.severity,
        "message": _message(text + hint),
        "locations": [log.location(outcome.path, region)],
        **related,
        "properties": {
            **table,
            "row": violation.row,
            "column": violation.column,
            "found": violation.found,
            "expected": violation.expected,
        },
    }


def _coordinates(violation: Violation) -> tuple[tuple[str, int | None], ...]:
    return ("row", violation.row), ("column", violation.column)


def _found(violation: Violation) -> tuple[str, ...]:
    """What was found and expected: all that a fingerprint knows of the place."""
    return ("" if violation.found is None else f"={violation.found}", *violation.expected)


def _warnings(report: Report, log: _Log) -> Iterator[dict[str, Any]]:
    """A result for each warning, however many files have it; it is about the schema."""
    files: dict[tuple[str | None, Warning], list[str]] = {}
    homes: dict[str | None, Schema] = {}
    marks: dict[str | None, str] = {}
    for outcome in report.run.outcomes:
        homes[outcome.table] = report.schema_of(outcome)
        marks[outcome.table] = table_mark(outcome)
        if not isinstance(outcome, Unread):
            for warning in outcome.warnings:
                files.setdefault((outcome.table, warning), []).append(outcome.path)
    level = "error" if report.run.strict else "warning"
    occurrences: Counter[tuple[str, ...]] = Counter()
    for (table, warning), named in files.items():
        paths = list(dict.fromkeys(named))
        descriptor = {
            "id": warning.code,
            "shortDescription": _message(WARNING_CODES[warning.code]),
            "defaultConfiguration": {"level": "warning"},
        }
        rules = {rule.number: rule for rule in homes[table].core.rules}
        rule = None if warning.rule is None else rules.get(warning.rule)
        home = homes[table].source.name if rule is None else rule.span.source.name
        spotted = (warning.code, warning.message if rule is None else rule.text)
        hint = f" ({warning.hint})" if warning.hint else ""
        mark = marks[table]
        many = f", and {len(paths) - 1} more" if len(paths) > 1 else ""
        yield {
            "ruleId": warning.code,
            "ruleIndex": log.rule(descriptor),
            "level": level,
            "message": _message(f"{paths[0]}{mark}{many}: {warning.message}{hint}"),
            "locations": [log.location(home, {"startLine": warning.line or 1})],
            "relatedLocations": [log.location(path) for path in paths[:_MAX_FILES]],
            "partialFingerprints": _fingerprints(spotted, occurrences),
        }


def _uncovered(report: Report, log: _Log) -> Iterator[dict[str, Any]]:
    """A result for each file of which too few cells are checked."""
    for outcome in report.run.outcomes:
        lack = None if isinstance(outcome, Unread) else lack_of_coverage(report.run, outcome)
        if lack is not None:
            descriptor = {
                "id": COVERAGE,
                "shortDescription": _message("too few cells are checked by a rule"),
                "defaultConfiguration": {"level": "error"},
            }
            yield {
                "ruleId": COVERAGE,
                "ruleIndex": log.rule(descriptor),
                "level": "error",
                "message": _message(lack),
                "locations": [log.location(outcome.path, {"startLine": 1})],
                "partialFingerprints": _fingerprints((COVERAGE,), Counter()),
            }


def _fingerprints(
    spotted: tuple[str, ...], occurrences: Counter[tuple[str, ...]], skipped: int = 0
) -> dict[str, str]:
    """What identifies a result; the first texts tell occurrences apart, but are not in the name."""
    occurrences[spotted] += 1
    name = f"{_digest(*spotted[skipped:])[:16]}:{occurrences[spotted]}"
    return {"sculpt/v1": name, HASH: name}


def _digest(*texts: str) -> str:
    joined = "\0".join(f"{len(text)}:{text}" for text in texts)
    return sha256(joined.encode("utf-8", "surrogatepass")).hexdigest()


def _span_region(span: Span) -> dict[str, Any]:
    line, column = span.source.position(span.start)
    end_line, end_column = span.source.position(span.end)
    return {
        "startLine": line,
        "startColumn": column,
        "endLine": end_line,
        "endColumn": end_column,
        "charOffset": span.start,
        "charLength": span.end - span.start,
    }


# ------------------------------------------------------------- notifications


def _unread(run: Verdicts, log: _Log) -> Iterator[dict[str, Any]]:
    for outcome in run.outcomes:
        if isinstance(outcome, Unread):
            yield {
                "descriptor": {"id": "unread"},
                "level": "error",
                "message": _message(outcome.message),
                "locations": [log.location(outcome.path)],
            }


def _left_out(counted: int, listed: int) -> dict[str, Any]:
    text = (
        f"{counted:,} results were counted and {listed:,} are listed here, from all files and"
        f" rules in turn. `--max-violations` sets how many of a file are kept, but a report never"
        f" has more than {MAX_RESULTS:,}; `--violations-to` writes all."
    )
    return {"descriptor": {"id": "left-out"}, "level": "warning", "message": _message(text)}
