"""How many rows each step of each draft refuses, by one run of the engine over all files.

In: drafts with their ladders, files, and who judges them. Out: `Counts`: for each file, the
failures of each step, and the texts that the first steps refuse, if they are few. A file is
accepted by a schema exactly if none of its rules fails, so counts say of every choice of steps
whether it accepts the file, and no choice has to be run.

The first steps are errors and all others warnings, so that the violations that a verdict lists are
those of the first steps. Cost: about that of one validation; counts of files are added.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import TypeAlias

from sculpt.inference.emit.text import counting_text
from sculpt.inference.emit.words import Draft
from sculpt.inference.proof.judges import Judge
from sculpt.values import field, frozen, replace
from sculpt.verdict import FOUND_LIMIT, Verdict

LISTED = 1000
"""Violations that are listed for each file."""

Step: TypeAlias = tuple[int, int]
"""A draft, and a place in its ladder."""


@frozen
class FileCounts:
    """What was counted in a file."""

    path: str
    rows: int
    columns: int
    failed: dict[Step, int] = field(repr=False)
    repeated: frozenset[str] = frozenset()
    """Anchors that are in several cells."""
    texts: dict[int, Counter[str]] = field(default_factory=dict, repr=False)
    """By draft: what its first step refuses, if all of that is known."""
    first: dict[tuple[int, str], int] = field(default_factory=dict, repr=False)
    """By draft and text: the first row in which its first step refuses it."""
    checked: dict[int, int] = field(default_factory=dict, repr=False)
    """By draft: how many rows its rule is about."""
    problem: str = ""
    """How the file breaks its own dialect."""


@frozen(slots=False)
class Counts:
    """What was counted in all files."""

    files: tuple[FileCounts, ...]

    @cached_property
    def failed(self) -> Counter[Step]:
        """The failures of each step."""
        total: Counter[Step] = Counter()
        for each in self.files:
            total.update(each.failed)
        return total

    @property
    def repeated(self) -> frozenset[str]:
        """Anchors that are in several cells of a file."""
        return frozenset().union(*(each.repeated for each in self.files))

    def texts(self, draft: int) -> Counter[str] | None:
        """What the first step of a draft refuses; `None` if that is not known."""
        total: Counter[str] = Counter()
        for each in self.files:
            if each.failed.get((draft, 0)):
                if draft not in each.texts:
                    return None
                total.update(each.texts[draft])
        return total

    def checked(self, draft: int) -> int:
        """How many rows the rule of a draft is about."""
        return sum(each.checked.get(draft, 0) for each in self.files)

    def without(self, paths: Iterable[str]) -> Counts:
        """The counts of the other files."""
        dropped = frozenset(paths)
        return Counts(tuple(each for each in self.files if each.path not in dropped))


def count(
    judge: Judge, paths: Sequence[str], directives: Sequence[str], drafts: Sequence[Draft]
) -> Counts:
    """Count with all steps of all drafts."""
    steps = [(place, level) for place, draft in enumerate(drafts) for level in steps_of(draft)]
    found = _counted(judge, paths, directives, drafts, steps)
    short = {
        place
        for place in range(len(drafts))
        if 0 < found.failed[place, 0] <= LISTED and found.texts(place) is None
    }
    if not short:
        return found
    # Others fail so often that the few failures of these are not listed: these alone.
    again = _counted(judge, paths, directives, drafts, [(place, 0) for place in sorted(short)])
    return Counts(
        tuple(
            replace(each, texts={**each.texts, **more.texts}, first={**each.first, **more.first})
            for each, more in zip(found.files, again.files, strict=True)
        )
    )


def steps_of(draft: Draft) -> range:
    """The steps that can refuse anything: the last one of a rule about cells cannot."""
    return range(len(draft.ladder) - 1 if draft.cells else len(draft.ladder))


def _counted(
    judge: Judge,
    paths: Sequence[str],
    directives: Sequence[str],
    drafts: Sequence[Draft],
    steps: Sequence[Step],
) -> Counts:
    rules = [
        Draft(
            drafts[place].selector,
            drafts[place].arrow,
            (drafts[place].ladder[level],),
            clause=" ! warning" if level else "",
        )
        for place, level in steps
    ]
    schema, anchors = counting_text(directives, rules)
    outcomes = judge(schema, paths, LISTED)
    return Counts(
        tuple(
            _of_file(path, outcome, steps, anchors)
            for path, outcome in zip(paths, outcomes, strict=True)
        )
    )


def _of_file(
    path: str, outcome: Verdict, steps: Sequence[Step], anchors: Sequence[str]
) -> FileCounts:
    tallies = outcome.rules[: len(steps)]
    failed = {
        step: tally.failed for step, tally in zip(steps, tallies, strict=True) if tally.failed
    }
    checked = {step[0]: tally.checked for step, tally in zip(steps, tallies, strict=True)}
    uniques = outcome.structure[: len(anchors)]
    repeated = frozenset(
        anchor for anchor, tally in zip(anchors, uniques, strict=True) if tally.failed
    )
    listed: dict[int, Counter[str]] = {}
    first: dict[tuple[int, str], int] = {}
    for each in outcome.violations:
        if each.severity == "error" and each.rule is not None and each.found is not None:
            text = each.found.strip(" \t")
            place = steps[each.rule - 1][0]
            if len(each.found) < FOUND_LIMIT:
                listed.setdefault(place, Counter())[text] += 1
                first.setdefault((place, text), each.row or 0)
    texts = {
        place: found for place, found in listed.items() if found.total() == failed.get((place, 0))
    }
    broken = (e for e in outcome.violations if e.rule is None and e.severity == "error")
    problem = next((each.message for each in broken if each.code not in _UNIQUE), "")
    if not problem:  # so many cells are refused that it is counted, but not listed
        more = outcome.structure[len(anchors) :]
        codes = (each.code for each in more if each.failed and each.severity == "error")
        problem = next(codes, "").replace("-", " ")
    return FileCounts(
        path, outcome.rows, outcome.columns, failed, repeated, texts, first, checked, problem
    )


_UNIQUE = ("unique", "unique-per-row")
