"""Reports for GitHub Actions: workflow commands that annotate files, and a summary in Markdown.

In: a `Report`, or the diagnostics of a schema. Out: lines for the log, which the runner turns into
annotations; and a page for `$GITHUB_STEP_SUMMARY`.

GitHub shows `MAX_ANNOTATIONS` annotations of a kind for each step: errors, and warnings. So of each
kind the first are for different rules, those with the most violations first; then come the second
ones, and so on. Invariant: no
text from a file can become a command of its own: line ends and `%` are escaped, in properties also
`:` and `,`, and lines that are not commands begin with our own words. A summary is at most
`MAX_SUMMARY` bytes, with what was there before; it is cut between two lines, and says so.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

from sculpt.core.dialect import Dialect
from sculpt.diagnostics import Diagnostic, Severity
from sculpt.report.formats.checks import (
    COVERAGE,
    Check,
    Group,
    Report,
    lack_of_coverage,
    taken_in_turn,
)
from sculpt.report.formats.markdown import code, plain
from sculpt.report.formats.places import place_of, relative_path
from sculpt.report.styled import counted, visible
from sculpt.report.tables import table_mark
from sculpt.tabular.inputs import STDIN
from sculpt.values import frozen
from sculpt.verdict import Unread, Verdict, Violation

MAX_ANNOTATIONS = 10
MAX_SUMMARY = 1 << 20
MAX_TITLE = 200
WORKSPACE = "GITHUB_WORKSPACE"
_KINDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}

_SIGNS = {
    "valid": "✅ valid",
    "nothing was checked": "⚠️ nothing was checked",
    "not valid": "❌ not valid",
}


def github_lines(report: Report) -> Iterator[str]:
    """The lines of a run."""
    others = list(_whole_files(report))
    room = MAX_ANNOTATIONS - min(len(others), MAX_ANNOTATIONS // 2)
    annotated = taken_in_turn(_by_check(report, is_warning=False), room)
    yield from others[: MAX_ANNOTATIONS - len(annotated)]
    yield from map(_annotation, annotated)
    about = list(_warned(report))
    room = MAX_ANNOTATIONS - min(len(about), MAX_ANNOTATIONS // 2)
    warned = taken_in_turn(_by_check(report, is_warning=True), room)
    yield from about[: MAX_ANNOTATIONS - len(warned)]
    yield from map(_annotation, warned)
    for outcome in report.run.outcomes:
        yield "sculpt: " + visible(_conclusion(report, outcome)).replace("##[", "## [")


@frozen
class _Spot:
    """A violation, its check, its file, the table it is of, and how its rows are written."""

    path: str
    table: str
    check: Check
    violation: Violation
    dialect: Dialect


def _annotation(spot: _Spot) -> str:
    """The annotation of a violation."""
    path, check, violation = spot.path, spot.check, spot.violation
    place = place_of(violation, spot.dialect)
    line, column = (None, None) if place is None else (place.line, place.column)
    title = f"sculpt {violation.code}{spot.table}: {check.title}"
    message = f"{_placed(path, violation)}: {violation.message}"
    hint = f"\nhint: {violation.hint}" if violation.hint else ""
    rule = "" if check.line is None else f"\n{check.name}: {check.text}"
    return command(check.severity, message + hint + rule, path, line, column, title)


def diagnostics_github(diagnostics: tuple[Diagnostic, ...]) -> Iterator[str]:
    """The lines about a schema."""
    for severity, kind in _KINDS.items():
        found = [each for each in diagnostics if each.severity is severity]
        by_code: dict[str, list[Diagnostic]] = {}
        for each in found:
            by_code.setdefault(each.code, []).append(each)
        for each in taken_in_turn(list(by_code.values()), MAX_ANNOTATIONS):
            span, hint = each.span, f"\nhint: {each.hint}" if each.hint else ""
            title = f"sculpt {each.code}"
            where = f"{span.source.name}, line {span.line}"
            yield command(
                kind,
                f"{where}: {each.message}{hint}",
                span.source.name,
                span.line,
                span.column,
                title,
            )
        if len(found) > MAX_ANNOTATIONS:
            yield f"sculpt: {len(found)} {kind}s, of which {MAX_ANNOTATIONS} are shown"


def command(
    kind: str,
    message: str,
    file: str | None = None,
    line: int | None = None,
    col: int | None = None,
    title: str | None = None,
) -> str:
    """A workflow command."""
    place = (
        None if file in (None, STDIN) else relative_path(file or "", os.environ.get(WORKSPACE, ""))
    )
    if title is not None and len(title) > MAX_TITLE:
        title = title[: MAX_TITLE - 1] + "…"
    given = {"file": place, "line": line if place else None, "col": col if place else None}
    properties = ",".join(
        f"{name}={_property(str(value))}"
        for name, value in {**given, "title": title}.items()
        if value is not None
    )
    return f"::{kind} {properties}::{_data(message)}"


def _data(text: str) -> str:
    shown = "\n".join(map(visible, text.split("\n")))
    return shown.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def _by_check(report: Report, is_warning: bool) -> list[list[_Spot]]:
    """The errors or the warnings of all files by check, those of the check with the most first."""
    found: dict[Check, list[_Spot]] = {}
    failed: dict[Check, int] = {}
    for outcome in report.run.outcomes:
        if isinstance(outcome, Unread):
            continue
        dialect = report.schema_of(outcome).core.dialect
        for group in report.groups(outcome):
            if group.check.is_warning is not is_warning:
                continue
            about = outcome.path, table_mark(outcome), group.check
            each = [_Spot(*about, violation, dialect) for violation in group.violations]
            found.setdefault(group.check, []).extend(each)
            failed[group.check] = failed.get(group.check, 0) + group.failed
    return [found[check] for check in sorted(found, key=lambda check: -failed[check])]


def _whole_files(report: Report) -> Iterator[str]:
    """Files that could not be read, and those of which too little is checked."""
    for outcome in report.run.outcomes:
        if isinstance(outcome, Unread):
            title = "sculpt: could not be read"
            yield command("error", outcome.message, outcome.path, title=title)
        elif lack := lack_of_coverage(report.run, outcome):
            title = f"sculpt {COVERAGE}"
            yield command("error", f"{outcome.path}: {lack}", outcome.path, title=title)


def _word(report: Report, outcome: Verdict | Unread) -> str:
    if not report.run.is_valid(outcome):
        return "not valid"
    is_empty = isinstance(outcome, Verdict) and outcome.checked_nothing
    return "nothing was checked" if is_empty else "valid"


def _conclusion(report: Report, outcome: Verdict | Unread) -> str:
    if isinstance(outcome, Unread):
        return outcome.message
    facts = [f"{counted(outcome.rows, 'row')} × {counted(outcome.columns, 'column')}"]
    if outcome.violation_count:
        facts.append(counted(outcome.violation_count, "violation"))
    warnings = len(outcome.warnings) + outcome.warning_violation_count
    if warnings:
        facts.append(counted(warnings, "warning"))
    return f"{outcome.path}{table_mark(outcome)}: {_word(report, outcome)} ({', '.join(facts)})"


def _warned(report: Report) -> Iterator[str]:
    """Warnings about the schema and its data; each of them once, with the number of files."""
    files: dict[tuple[str, str, int | None, str], list[str]] = {}
    hints = {}
    for outcome in report.run.outcomes:
        if not isinstance(outcome, Unread):
            home = report.schema_of(outcome).source.name
            for each in outcome.warnings:
                key = home, each.code, each.line, each.message
                files.setdefault(key, []).append(outcome.path + table_mark(outcome))
                hints[each.message] = each.hint
    shown = list(files.items())[:MAX_ANNOTATIONS]
    for (home, name, line, message), paths in shown:
        many = f" and {len(paths) - 1} more" if len(paths) > 1 else ""
        hint = f"\nhint: {hints[message]}" if hints[message] else ""
        text = f"{paths[0]}{many}: {message}{hint}"
        yield command("warning", text, home, line, title=f"sculpt {name}")


def _placed(path: str, violation: Violation) -> str:
    numbers = (("row", violation.row), ("column", violation.column))
    return ", ".join(
        [path, *(f"{name} {number}" for name, number in numbers if number is not None)]
    )


# ------------------------------------------------------------- the summary


def append_summary(report: Report, path: str) -> None:
    """Append the summary of a run to a file, as far as there is room."""
    have = os.path.getsize(path) if os.path.exists(path) else 0
    text = fitted(summary_lines(report), MAX_SUMMARY - have)
    with open(path, "ab") as file:
        file.write(text)


def summary_lines(report: Report) -> Iterator[str]:
    """The summary of a run, in Markdown."""
    run = report.run
    valid = sum(map(run.is_valid, run.outcomes))
    yield f"### Sculpt: {counted(len(run.outcomes), 'file')}, {valid:,} valid"
    yield ""
    yield f"Schema {code(report.schema.source.name)}"
    yield ""
    yield "| file | verdict | rows | columns | violations | warnings |"
    yield "|---|---|--:|--:|--:|--:|"
    for outcome in sorted(run.outcomes, key=run.is_valid):
        yield _file_row(report, outcome)
    for outcome in run.outcomes:
        if isinstance(outcome, Verdict) and outcome.found:
            yield from _failures(report, outcome)
    yield ""


def _file_row(report: Report, outcome: Verdict | Unread) -> str:
    name = code(outcome.path) + plain(table_mark(outcome))
    if isinstance(outcome, Unread):
        cells = [name, f"❌ {plain(outcome.message)}", "", "", "", ""]
    else:
        word = _SIGNS[_word(report, outcome)]
        warnings = len(outcome.warnings) + outcome.warning_violation_count
        numbers = (outcome.rows, outcome.columns, outcome.violation_count, warnings)
        cells = [name, word, *(f"{number:,}" for number in numbers)]
    return f"| {' | '.join(cells)} |"


def _failures(report: Report, verdict: Verdict) -> Iterator[str]:
    yield ""
    yield f"#### {code(verdict.path)}{plain(table_mark(verdict))}"
    yield ""
    yield "| rule | failed | first |"
    yield "|---|--:|---|"
    failed = [group for group in report.groups(verdict) if group.failed]
    for group in sorted(failed, key=lambda group: (group.check.is_warning, -group.failed)):
        word = "warning: " if group.check.is_warning else ""
        yield f"| {word}{_rule_cell(group.check)} | {_count(group)} | {_first_cell(group)} |"


def _rule_cell(check: Check) -> str:
    title = f"{plain(check.title)}<br>" if check.title != check.text else ""
    if check.line is None:
        return f"{plain(check.text)} ({code(check.code)})"
    return f"{title}{code(check.text)}<br>{plain(check.name)}"


def _count(group: Group) -> str:
    return f"{group.failed:,}" + (f" of {group.checked:,}" if group.checked else "")


def _first_cell(group: Group) -> str:
    if not group.violations:
        return ""
    first = group.violations[0]
    numbers = (("row", first.row), ("column", first.column))
    place = ", ".join(f"{name} {number}" for name, number in numbers if number is not None)
    return f"{place}: {code(first.message)}" if place else code(first.message)


def fitted(lines: Iterable[str], limit: int) -> bytes:
    """As many lines as fit, and what was left out."""
    kept: list[bytes] = []
    size = 0
    room = limit - 200
    left_out = 0
    for line in lines:
        data = f"{line}\n".encode("utf-8", "replace")
        if left_out or size + len(data) > room:
            left_out += 1
            continue
        kept.append(data)
        size += len(data)
    if left_out:
        kept.append(
            f"\n… {left_out:,} more lines do not fit into the summary of a step.\n".encode()
        )
    return b"".join(kept) if size or limit >= 200 else b""
