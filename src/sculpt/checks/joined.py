"""The verdict of the rules and what checks have found, as one verdict.

In: the verdict of an engine on a file, and some `Found`. Out: a `Verdict` that counts, shows and
orders all violations as if one engine had found them. Invariant: the order of the table; the first
errors and the first warnings, as many as a call asks for.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from heapq import merge

from sculpt.checks.model import Found
from sculpt.checks.plan import Identity, Plan
from sculpt.engines.local import order_of_violation
from sculpt.engines.messages.findings import first_of
from sculpt.engines.walk.heat import HeatMap
from sculpt.kernels.choice import plain
from sculpt.values import replace
from sculpt.verdict import Tally, Verdict, Violation, Warning


def joined(verdict: Verdict, founds: Sequence[Found], limit: int) -> Verdict:
    """The verdict on a file, with what checks have found in it."""
    tallies = [tally for found in founds for tally in found.tallies]
    told = tuple(each for found in founds for each in found.warnings)
    if not tallies:
        return replace(verdict, warnings=(*verdict.warnings, *told)) if told else verdict
    violations = sorted(
        (*verdict.violations, *(each for found in founds for each in found.violations)),
        key=order_of_violation,
    )
    heat = HeatMap(plain())
    for each in (verdict.heat, *(found.heat for found in founds)):
        heat.add(each)
    return replace(
        verdict,
        violation_count=verdict.violation_count + sum(found.count for found in founds),
        warning_violation_count=verdict.warning_violation_count
        + sum(found.warned for found in founds),
        violations=tuple(first_of(violations, limit)),
        warnings=(*_known_warnings(verdict, founds), *_vacuous(founds), *told),
        structure=_structure(verdict.structure, tallies),
        heat=heat.heat(verdict.rows, verdict.columns),
    )


def _known_warnings(verdict: Verdict, founds: Sequence[Found]) -> Iterator[Warning]:
    """The warnings about rules. That nothing was checked may be wrong, or have another reason."""
    has_checked = any(tally.checked for found in founds for tally in found.tallies)
    has_skipped = any(found.skipped for found in founds)
    for each in verdict.warnings:
        if each.code != "nothing-checked":
            yield each
        elif has_skipped and not has_checked:
            yield replace(each, message=f"{each.message}; conditions about files were skipped")
        elif not has_checked:
            yield each


def _vacuous(founds: Sequence[Found]) -> list[Warning]:
    """Warnings about checks that have nothing to check, in the order of their lines."""
    idle = [
        tally
        for found in founds
        for tally in found.tallies
        if not (tally.checked or tally.failed or tally.line in found.skipped)
    ]
    idle.sort(key=lambda tally: tally.line or 0)
    return [Warning("vacuous-check", None, each.line, _said_of(each)) for each in idle]


def _said_of(idle: Tally) -> str:
    """What a check with nothing to check lacks: cells, or rows that have a cell of each part."""
    lack = "has no row with all its parts" if idle.selected else "selects nothing"
    return f"{_SUBJECTS[idle.code]} {lack}: {idle.text}"


_SUBJECTS = {
    "key": "a key",
    "reference": "the left side of a reference",
    "require": "the loop of a condition",
}


def not_judged(plan: Plan, table: int, broken: Container[int]) -> Found:
    """What is said in the files of a table: its references to tables that could not be read."""
    return Found(
        warnings=tuple(
            Warning("not-judged", None, each.statement.line, _unjudged(plan, each))
            for each in plan.identities
            if each.left == table and needs_any(each, broken)
        )
    )


def needs_any(identity: Identity, broken: Container[int]) -> bool:
    """Does a reference need one of some tables, besides its own?"""
    return identity.left != identity.right and identity.right in broken


def _unjudged(plan: Plan, identity: Identity) -> str:
    assert identity.right is not None
    name = plan.tables[identity.right].name
    which = "its own table" if name is None else f"the table `{name}`"
    statement = identity.statement
    return (
        f"line {statement.line} is not judged, because {which} could not be read: {statement.text}"
    )


def _structure(known: Iterable[Tally], tallies: list[Tally]) -> tuple[Tally, ...]:
    """Constraints of the rules' engine, checks in the order of their lines, structural codes."""
    listed = list(known)
    uniques = [tally for tally in listed if tally.line is not None]
    others = [tally for tally in listed if tally.line is None]
    return (*uniques, *sorted(tallies, key=lambda tally: tally.line or 0), *others)


def all_violations(
    batches: Iterable[tuple[Violation, ...]], founds: Sequence[Found]
) -> Iterator[tuple[Violation, ...]]:
    """All violations of a file in the order of the table, some at a time.

    `batches` has those of the rules, in that order.
    """
    if not any(found.count or found.warned for found in founds):
        yield from batches
        return
    own = (violation for batch in batches for violation in batch)
    together = merge(own, *(found.listed() for found in founds), key=order_of_violation)
    batch: list[Violation] = []
    for violation in together:
        batch.append(violation)
        if len(batch) == BATCH:
            yield tuple(batch)
            batch = []
    if batch:
        yield tuple(batch)


BATCH = 1 << 10
