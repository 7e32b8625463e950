"""Violations by the rule, constraint or structural code that they violate, as values.

In: a `Verdict`. Out: `Group`s: how many units of the rule fail, and the violations of it that were
put into words. Structural codes come first, since a broken document causes other violations; then
rules and constraints, those with the most violations first; then those that only warn.

Invariant: every violation of the verdict is in exactly one group. Where an engine gives no tallies,
the violations are counted instead; a number that is not known is `None`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TypeAlias

from sculpt.core import ir
from sculpt.syntax.ast import SeverityName
from sculpt.syntax.regular import least_length
from sculpt.values import frozen, replace
from sculpt.verdict import Tally, Verdict, Violation

STRUCTURAL = ("unclosed-quote", "undecodable", "text-after-quote", "nul-byte")
"""The codes of a broken document, those that cause most harm first."""
UNITS = {
    "row-content": ("row", "rows"),
    "column-content": ("column", "columns"),
    "region-content": ("region", "regions"),
    "key": ("entry", "entries"),
    "reference": ("entry", "entries"),
    "require": ("case", "cases"),
}
STATEMENTS = {"reference-none": "reference", "reference-several": "reference"}
"""The code of the tally of a violation, where it is another one."""
Key: TypeAlias = tuple[str, int | None, int | None, SeverityName]
"""Code, rule, line, severity."""
WORDS: dict[SeverityName, tuple[str, str]] = {
    "error": ("violation", "bold red"),
    "warning": ("warning", "bold yellow"),
}
"""What text calls a violation of a severity, and the style of the word."""


def key_of(item: Violation | Tally | Group) -> Key:
    """What a violation, a tally or a group is about; see `all_groups` for `key-several`."""
    return STATEMENTS.get(item.code, item.code), item.rule, item.line, item.severity


@frozen
class Group:
    """The violations of one rule, constraint or structural code."""

    code: str
    rule: int | None
    line: int | None
    failed: int
    """All of its violations; if `is_exact` is not set, at least this many."""
    checked: int | None
    """Rows, columns, cells or one region; `None` if not known."""
    selected: int | None
    violations: tuple[Violation, ...]
    """Those that are in words."""
    is_exact: bool = True
    severity: SeverityName = "error"

    @property
    def shown_code(self) -> str:
        """The code of its violations in words, if all have the same."""
        codes = {each.code for each in self.violations}
        return codes.pop() if len(codes) == 1 else self.code


def groups_of(verdict: Verdict) -> list[Group]:
    """The groups of a verdict that have violations, in the order of a report."""
    return sorted((group for group in all_groups(verdict) if group.failed), key=_order)


def all_groups(verdict: Verdict) -> list[Group]:
    """A group for each rule, constraint and structural code that was checked."""
    listed: dict[Key, list[Violation]] = {}
    # A row with several cells of a part violates a key or a reference: the tally says which.
    several = {t.line: key_of(t) for t in verdict.structure if t.code in ("key", "reference")}
    for violation in verdict.violations:
        key = key_of(violation)
        if violation.code == "key-several":
            key = several.get(violation.line, key)
        listed.setdefault(key, []).append(violation)
    groups = []
    for tally in _tallies(verdict):
        shown = tuple(listed.pop(key_of(tally), ()))
        groups.append(_group(tally, shown))
    groups += [
        Group(*key[:3], len(found), None, None, tuple(found), verdict.has_all, key[3])
        for key, found in listed.items()
    ]
    return groups


def _tallies(verdict: Verdict) -> Iterable[Tally]:
    """One tally a key: constraints of included files may be on the same line."""
    joined: dict[Key, Tally] = {}
    for tally in (*verdict.structure, *verdict.rules):
        key = key_of(tally)
        other = joined.get(key)
        if other is not None:
            tally = replace(
                other,
                selected=other.selected + tally.selected,
                checked=other.checked + tally.checked,
                failed=other.failed + tally.failed,
            )
        joined[key] = tally
    return joined.values()


def _group(tally: Tally, shown: tuple[Violation, ...]) -> Group:
    return Group(
        tally.code,
        tally.rule,
        tally.line,
        tally.failed,
        tally.checked,
        tally.selected,
        shown,
        severity=tally.severity,
    )


def _order(group: Group) -> tuple[int, int, int, int]:
    if group.code in STRUCTURAL:
        return 0, STRUCTURAL.index(group.code), 0, 0
    is_warning = group.severity == "warning"
    return 1 + is_warning, -group.failed, group.rule or 0, group.line or 0


def failing(group: Group) -> str:
    """`18 of 20 rows fail`."""
    if group.code == "region-content":
        return "the region fails"
    one, several = UNITS.get(group.code, ("cell", "cells"))
    least = "" if group.is_exact else "at least "
    verb = "fails" if group.failed == 1 else "fail"
    if group.checked is None:
        return f"{least}{group.failed:,} {one if group.failed == 1 else several} {verb}"
    noun = one if group.checked == 1 else several
    return f"{group.failed:,} of {group.checked:,} {noun} {verb}"


def advice(group: Group, rule: ir.CoreRule | None) -> str | None:
    """What the tally of a rule says about a likely mistake in it."""
    if rule is None or rule.arrow != "->" or not group.checked or group.checked < 2:
        return None
    if group.selected == group.checked and least_length(rule.content) > 1:
        return "each row of the region has one cell: `=>` reads it from top to bottom"
    return None


def found_values(violations: Sequence[Violation]) -> list[tuple[str, int]]:
    """The texts that were found, and how often, the most frequent first."""
    texts = (each.found.strip(" \t") for each in violations if each.found is not None)
    return Counter(texts).most_common()


def ranges(numbers: Iterable[int]) -> list[str]:
    """`3-19`, `25`: numbers in order, runs of them shortened."""
    runs: list[list[int]] = []
    for number in sorted(set(numbers)):
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return [f"{first}" if first == last else f"{first}-{last}" for first, last in runs]
