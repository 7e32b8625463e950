"""Reports as JUnit XML, which build servers show: a suite for each file, a case for each check.

In: a `Report`, or the diagnostics of a schema. Out: lines of XML. The suite of a file of another
table names that table after the path. A case fails if its check has
violations, with their number and the first places. A check that only warns passes, and says the
same in its `system-out`; one that selected nothing, or was not judged, is skipped. Under
`--strict`, a warning is a failure. A file that could not be read is a suite with one error.

Invariant: a suite is free of failures and errors exactly if its file is valid in the run. Names
are unique in their suite. Every character is one that XML 1.0 allows.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from sculpt.diagnostics import Diagnostic
from sculpt.report.formats.checks import COVERAGE, Check, Group, Report, lack_of_coverage
from sculpt.report.styled import counted
from sculpt.report.tables import table_mark
from sculpt.values import frozen
from sculpt.verdict import Unread, Verdict, Warning

MAX_PLACES = 10
"""Places that a failure lists."""
_ILLEGAL = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"}
_SPECIAL = re.compile('[&<>"\t\n\r]')


@frozen
class _Case:
    """A case: its name, and its result, if it has not passed."""

    name: str
    result: str = ""
    """`failure`, `error` or `skipped`; empty if it has passed. It may still have a body."""
    kind: str = ""
    message: str = ""
    body: str = ""


@frozen
class _Suite:
    """The cases of a file."""

    name: str
    cases: tuple[_Case, ...]

    @property
    def counts(self) -> str:
        """The numbers of its cases, as attributes."""
        found = Counter(case.result for case in self.cases)
        results = (("failures", "failure"), ("errors", "error"), ("skipped", "skipped"))
        numbers = " ".join(f'{plural}="{found[one]}"' for plural, one in results)
        return f'tests="{len(self.cases)}" {numbers}'


def junit_lines(report: Report) -> Iterator[str]:
    """The document of a run."""
    return _document([_suite(report, outcome) for outcome in report.run.outcomes])


def diagnostics_junit(name: str, diagnostics: tuple[Diagnostic, ...]) -> Iterator[str]:
    """The document about a schema that cannot be used: an error for each diagnostic."""
    cases = [
        _Case(
            f"{each.span.source.name}:{each.span.line}:{each.span.column}: {each.code}",
            "error" if each.is_error else "skipped",
            each.code,
            each.message,
            each.render(),
        )
        for each in diagnostics
    ]
    return _document([_Suite(name, tuple(_renamed(cases)))])


def _suite(report: Report, outcome: Verdict | Unread) -> _Suite:
    suite = outcome.path + table_mark(outcome)
    if isinstance(outcome, Unread):
        case = _Case("the file can be read", "error", "unread", outcome.message)
        return _Suite(suite, (case,))
    others = list(outcome.warnings)
    strict = report.run.strict
    cases: list[_Case] = []
    for group in report.groups(outcome):
        warning = next((each for each in others if _is_about(each, group.check)), None)
        if warning is not None:
            others.remove(warning)
        cases.append(_case(group, warning, strict))
    cases += [_warned(warning.message, warning, strict) for warning in others]
    if report.run.min_coverage is not None:
        lack = lack_of_coverage(report.run, outcome)
        cases.append(_Case(COVERAGE, "failure" if lack else "", COVERAGE, lack or ""))
    return _Suite(suite, tuple(_renamed(cases)))


def _is_about(warning: Warning, check: Check) -> bool:
    """Does a warning say that a check has checked nothing?"""
    if warning.code == "vacuous-rule":
        return warning.rule == check.rule
    if warning.code not in ("vacuous-check", "not-judged"):
        return False
    return warning.line == check.line and warning.message.endswith(check.text)


def _case(group: Group, warning: Warning | None, strict: bool) -> _Case:
    check = group.check
    name = check.code if check.line is None else check.title
    if not group.failed:
        return _Case(name) if warning is None else _warned(name, warning, strict)
    units = "" if not group.checked else f" of {group.checked:,} checked"
    lines = [f"{check.name}: {check.text}"]
    if check.documentation:
        lines.append(check.documentation)
    for each in group.violations[:MAX_PLACES]:
        place = [f"{axis} {n}" for axis, n in (("row", each.row), ("column", each.column)) if n]
        hint = f" (hint: {each.hint})" if each.hint else ""
        lines.append(f"{', '.join(place) or 'the table'}: {each.message}{hint}")
    hidden = group.failed - min(len(group.violations), MAX_PLACES)
    if hidden:
        lines.append(f"… and {hidden:,} more")
    result = "failure" if strict or not check.is_warning else ""
    word = "warning" if check.is_warning else "violation"
    message = f"{counted(group.failed, word)}{units}: {check.text}"
    if not result:
        lines.insert(0, message)
    return _Case(name, result, check.code, message, "\n".join(lines))


def _warned(name: str, warning: Warning, strict: bool) -> _Case:
    hint = f"hint: {warning.hint}" if warning.hint else ""
    return _Case(name, "failure" if strict else "skipped", warning.code, warning.message, hint)


def _renamed(cases: Iterable[_Case]) -> Iterator[_Case]:
    """Cases whose names are unique."""
    seen: Counter[str] = Counter()
    for case in cases:
        seen[case.name] += 1
        number = "" if seen[case.name] == 1 else f" #{seen[case.name]}"
        yield _Case(case.name + number, case.result, case.kind, case.message, case.body)


def _document(suites: list[_Suite]) -> Iterator[str]:
    everything = _Suite("sculpt", tuple(case for suite in suites for case in suite.cases))
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield f'<testsuites name="sculpt" {everything.counts}>'
    for suite in suites:
        name = _escaped(suite.name)
        yield f'  <testsuite name="{name}" {suite.counts}>'
        for case in suite.cases:
            start = f'    <testcase classname="{name}" name="{_escaped(case.name)}"'
            body = _escaped(case.body, in_text=True)
            if not case.result and not body:
                yield f"{start}/>"
                continue
            yield f"{start}>"
            shown = f'message="{_escaped(case.message)}" type="{_escaped(case.kind)}"'
            if not case.result:
                yield f"      <system-out>{body}</system-out>"
            elif case.result == "skipped" or not body:
                yield f"      <{case.result} {shown}/>"
            else:
                yield f"      <{case.result} {shown}>{body}</{case.result}>"
            yield "    </testcase>"
        yield "  </testsuite>"
    yield "</testsuites>"


def _escaped(text: str, in_text: bool = False) -> str:
    """A text for an attribute, or for an element: there, line feeds and tabs stay as they are."""
    legal = _ILLEGAL.sub("\ufffd", text)
    known = {**_ENTITIES, "\t": "\t", "\n": "\n"} if in_text else _ENTITIES
    return _SPECIAL.sub(lambda at: known.get(at[0]) or f"&#{ord(at[0])};", legal)
