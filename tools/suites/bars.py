"""What each suite must reach, and what a run of the suites has reached.

In: the outcomes of cases, and the excuses that the judges give. Out: a `Tally` for each suite,
and a sentence for each bar that is missed. A case passes, is excused or fails. The bars are those
that the project set itself: all cases pass or are excused, and excuses are few.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Literal, TypeAlias

from sculpt.values import frozen
from suites.model import Case, Outcome

Standing: TypeAlias = Literal["passed", "excused", "failed"]

REASONS = MappingProxyType(
    {
        "a": "the suite contradicts its own specification",
        "b": "the outcome depends on the operating system's file names",
        "c": "the expression is not regular in the source language",
    }
)


@frozen
class Bar:
    """The least share of cases that pass or are excused, and of places that are right."""

    cases: float = 1.0
    places: float = 0.95


BARS: Mapping[str, Bar] = MappingProxyType(
    {
        "frictionless-standard": Bar(places=50 / 56),
        "frictionless-beyond": Bar(cases=12 / 24, places=0),
    }
)
"""The suites whose bar is another one than that of a `Bar` without arguments."""

FAMILIES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "CSVW": ("suites.csvw", "suites.csvw_conversion"),
        "CSV Schema": ("suites.csv_schema",),
        "Frictionless": ("suites.frictionless",),
        "RML": ("suites.rml",),
        "DSPL": ("suites.dspl",),
        "XML Schema": ("suites.xsd",),
    }
)
"""The modules of judges by the system that they judge, in the order of the page."""

LIMITS: Mapping[str, Mapping[str, int]] = MappingProxyType(
    {
        "CSVW": {"a": 2},
        "CSV Schema": {"a": 3, "b": 3},
        "Frictionless": {"a": 4},
        "RML": {"a": 1},
        "XML Schema": {"a": 2},
    }
)
"""How many cases of a system may be excused, by reason; `c` has no limit."""


@frozen
class Result:
    """A case that was run: who judged it, its outcome, and its excuse if it has one."""

    judge: str
    case: Case
    outcome: Outcome
    excuse: tuple[str, str] | None = None

    @property
    def standing(self) -> Standing:
        """Passed, excused or failed; a case that passes needs no excuse."""
        if self.outcome.passed:
            return "passed"
        return "failed" if self.excuse is None else "excused"


@frozen
class Tally:
    """The figures of one suite."""

    suite: str
    cases: int
    passed: int
    excused: int
    failed: int
    places: int
    places_given: int


def tally(suite: str, results: Iterable[Result]) -> Tally:
    """Count the results of a suite."""
    own = [result for result in results if result.case.suite == suite]
    standings = Counter(result.standing for result in own)
    places = [result.outcome.places for result in own if result.outcome.places is not None]
    return Tally(
        suite,
        len(own),
        standings["passed"],
        standings["excused"],
        standings["failed"],
        sum(places),
        len(places),
    )


def missed(results: Sequence[Result]) -> list[str]:
    """A sentence for each bar that is missed; none if all are met."""
    sentences = []
    for suite in dict.fromkeys(result.case.suite for result in results):
        sentences += _missed_by_suite(tally(suite, results))
    for family, judges in FAMILIES.items():
        own = [result for result in results if result.judge in judges]
        sentences += _missed_by_excuses(family, own)
    return sentences


def _missed_by_suite(figures: Tally) -> list[str]:
    bar = BARS.get(figures.suite, Bar())
    fine = figures.passed + figures.excused
    sentences = []
    if fine < bar.cases * figures.cases:
        sentences.append(
            f"{figures.suite}: {fine} of {figures.cases} cases pass or are excused, "
            f"{bar.cases:.0%} are required"
        )
    if figures.places < bar.places * figures.places_given:
        sentences.append(
            f"{figures.suite}: {figures.places} of {figures.places_given} places are right, "
            f"{bar.places:.0%} are required"
        )
    return sentences


def _missed_by_excuses(family: str, results: Sequence[Result]) -> list[str]:
    sentences = []
    excused = {
        result.case.name: result.excuse[0]
        for result in results
        if result.excuse is not None and result.standing == "excused"
    }
    for reason, count in sorted(Counter(excused.values()).items()):
        limit = LIMITS.get(family, {}).get(reason, 0)
        if reason not in REASONS:
            sentences.append(f"{family}: `{reason}` is no reason for an excuse")
        elif reason != "c" and count > limit:
            sentences.append(
                f"{family}: {count} cases are excused because {REASONS[reason]}, "
                f"at most {limit} may be"
            )
    for name in dict.fromkeys(r.case.name for r in results if r.excuse is not None):
        if name not in excused:
            sentences.append(f"{family}: {name} is excused, but passes")
    return sentences
