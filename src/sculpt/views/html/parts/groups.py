"""The rows of a report: a rule, a constraint or a structural code with its violations, and words.

In: a `Subject`. Out: `Group`s, those with most violations first, then those that warn, then those
that select nothing, then the others in the order of the schema; and the sentences that say what was
checked and found.
"""

from __future__ import annotations

from collections import Counter
from typing import Literal as OneOf
from typing import TypeAlias

from sculpt.core.documentation import title_of
from sculpt.report.groups import all_groups, key_of
from sculpt.report.styled import counted
from sculpt.values import frozen
from sculpt.verdict import VIOLATION_CODES, Tally, Verdict, Verdicts, Violation
from sculpt.views.html.subject import Subject
from sculpt.views.model import Region

State: TypeAlias = OneOf["fails", "warns", "idle", "holds"]
_UNITS = {
    "row-content": ("row", "rows"),
    "column-content": ("column", "columns"),
    "list-content": ("cell", "cells"),
    "region-content": ("region", "regions"),
}
_CHECKS = ("key", "reference", "require")
"""The codes of tallies of what rules cannot express."""


@frozen
class Group:
    """A rule, a constraint or a structural code in one table."""

    key: str
    """What its identifiers in the page end with: `rule-3`, `unique-12`, `undecodable`."""
    name: str
    """What people call it: `rule 3`, `unique`, `undecodable`."""
    title: str
    """The first sentence of its documentation; empty if it has none."""
    documentation: str
    tally: Tally
    region: Region | None
    violations: tuple[Violation, ...]
    """Those that are there in words."""

    @property
    def state(self) -> State:
        """Does it fail, warn, select nothing, or hold?"""
        return tally_state(self.tally)

    @property
    def result(self) -> str:
        """`18 of 18 rows fail`."""
        return tally_result(self.tally)

    @property
    def found(self) -> list[tuple[str, int]]:
        """The texts that were found, each with how many of the violations in words found it."""
        texts = Counter(each.found for each in self.violations if each.found is not None)
        return sorted(texts.items(), key=lambda item: (-item[1], item[0]))


def groups_of(subject: Subject) -> list[Group]:
    """All groups of a table."""
    verdict = subject.verdict
    violations = {key_of(each): each.violations for each in all_groups(verdict)}
    regions = {region.name: region for region in subject.regions}
    constraints = {each.line: each.documentation for each in subject.schema.constraints}
    groups = []
    keys: set[str] = set()
    for tally in (*verdict.rules, *verdict.structure):
        found = violations[key_of(tally)]
        region = regions.get(f"rule:{tally.rule}")
        if tally.rule is not None:
            said = region.documentation if region else ""
        else:
            said = constraints.get(tally.line, "") if tally.line else VIOLATION_CODES[tally.code]
        if tally.failed and not found and region is not None:
            found = subject.sampled(region)
        at = tally.rule if tally.rule is not None else tally.line
        key = f"{'rule' if tally.rule is not None else tally.code}{'' if at is None else f'-{at}'}"
        while key in keys:  # files that a schema includes have lines of the same number
            key += "x"
        keys.add(key)
        name = f"rule {tally.rule}" if tally.rule is not None else tally.code
        groups.append(Group(key, name, title_of(said), said, tally, region, found))
    order = {"fails": 0, "warns": 1, "idle": 2, "holds": 3}
    return sorted(groups, key=lambda each: (order[each.state], -each.tally.failed))


# ------------------------------------------------------------- sentences


def tally_state(tally: Tally) -> State:
    """Does it fail, warn, select nothing, or hold?"""
    if tally.failed:
        return "warns" if tally.severity == "warning" else "fails"
    return "holds" if tally.selected else "idle"


def tally_result(tally: Tally) -> str:
    """`18 of 18 rows fail`; of a rule that only warns, `warning: 18 of 18 rows fail`."""
    if tally.failed and tally.severity == "warning":
        return f"warning: {_result(tally)}"
    return _result(tally)


def _result(tally: Tally) -> str:
    one, many = _UNITS.get(tally.code, ("cell", "cells"))
    if not tally.selected and not tally.failed:
        return "selects no cell"
    if tally.code == "region-content":
        return "the region fails" if tally.failed else "the region holds"
    if tally.rule is None:
        return counted(tally.failed, "violation") if tally.failed else "holds"
    units = one if tally.checked == 1 else many
    if tally.failed:
        verb = "fails" if tally.failed == 1 else "fail"
        return f"{tally.failed:,} of {tally.checked:,} {units} {verb}"
    return f"1 {one} holds" if tally.checked == 1 else f"all {tally.checked:,} {many} hold"


def headline(verdict: Verdict) -> str:
    """What a reader must know first, in a sentence or two."""
    rules, failed = len(verdict.rules), sum(tally_state(each) == "fails" for each in verdict.rules)
    idle = sum(tally.selected == 0 and not tally.failed for tally in verdict.rules)
    parts = []
    if failed:
        verb = "is" if failed == 1 else "are"
        words = f"{failed:,} of {rules:,} rules {verb} violated"
        parts.append("The only rule is violated" if rules == 1 else words)
    failing = [each for each in verdict.structure if tally_state(each) == "fails"]
    checks = [each for each in failing if each.code in _CHECKS]
    if checks:
        found = sum(each.failed for each in checks)
        parts.append(f"{counted(found, 'violation')} of keys, references and conditions")
    broken = sum(each.failed for each in failing) - sum(each.failed for each in checks)
    if broken:
        parts.append(f"{counted(broken, 'violation')} of the structure")
    if verdict.warning_violation_count:
        parts = parts or ["No errors"]
        parts.append(counted(verdict.warning_violation_count, "warning"))
    if not parts:
        parts.append(_success(rules, idle, _has_checked(verdict)))
    elif idle:
        parts.append(f"{counted(idle, 'rule')} {'selects' if idle == 1 else 'select'} no cell")
    if rules > idle:
        parts.append(coverage_words(verdict))
    return "; ".join(part for part in parts if part)


def _success(rules: int, idle: int, has_checked: bool) -> str:
    if has_checked and idle == rules:
        return "All keys, references and conditions hold"
    if not rules:
        return "The schema has no rules, so nothing was checked"
    if idle == rules:
        return "Nothing was checked: no rule selects a cell"
    rest = f", but {idle:,} of them select no cell" if idle else ""
    if idle == 1:
        rest = ", but one of them selects no cell"
    return ("The only rule holds" if rules == 1 else f"All {rules:,} rules hold") + rest


def coverage_words(verdict: Verdict) -> str:
    """`12 cells are checked by no rule`."""
    coverage = verdict.coverage
    left = coverage.cells - coverage.checked
    if not coverage.cells:
        return ""
    if not left:
        return "every cell with text is checked"
    return f"{counted(left, 'cell')} {'is' if left == 1 else 'are'} checked by no rule"


def verdict_word(verdict: Verdict, run: Verdicts) -> tuple[str, str]:
    """The verdict in a word or two, and its class: `good`, `bad` or `idle`."""
    if not verdict.valid:
        return "Not valid", "bad"
    if run.strict and (verdict.warnings or verdict.warning_violation_count):
        return "Not valid, because of warnings", "bad"
    if not run.is_valid(verdict):
        return f"Not valid, because less than {run.min_coverage:g}% is checked", "bad"
    if not any(tally.selected for tally in verdict.rules) and not _has_checked(verdict):
        return "Nothing was checked", "idle"
    return "Valid, with warnings" if verdict.warning_violation_count else "Valid", "good"


def _has_checked(verdict: Verdict) -> bool:
    """Has a key, a reference or a condition checked anything?"""
    return any(tally.checked for tally in verdict.structure if tally.code in _CHECKS)


def violation_words(verdict: Verdict) -> str:
    """How many violations there are: `3`, or `3, and 2 warnings`."""
    warned = verdict.warning_violation_count
    return f"{verdict.violation_count:,}" + (
        f", and {counted(warned, 'warning')}" if warned else ""
    )


def place_words(row: int | None, column: int | None) -> str:
    """`row 3, column 4`; the table for a violation without a place."""
    places = (("row", row), ("column", column))
    parts = [f"{name} {number:,}" for name, number in places if number is not None]
    return ", ".join(parts) or "the whole table"


def row_ranges(rows: list[int], limit: int) -> str:
    """`3–19, 25`: numbers in order, runs folded, at most `limit` runs."""
    runs: list[list[int]] = []
    for row in rows:
        if runs and runs[-1][1] >= row - 1:
            runs[-1][1] = max(row, runs[-1][1])
        else:
            runs.append([row, row])
    shown = [f"{a:,}" if a == b else f"{a:,}–{b:,}" for a, b in runs[:limit]]
    return ", ".join(shown) + (", …" if len(runs) > limit else "")
