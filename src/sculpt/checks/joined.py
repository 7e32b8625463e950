"""The verdict of the rules and what checks have found, as one verdict.

In: the verdict of an engine on a file, and some `Found`. Out: a `Verdict` that counts, shows and
orders all violations as if one engine had found them. Invariant: the order of the table; the first
errors and the first warnings, as many as a call asks for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from heapq import merge

from sculpt.checks.model import Found
from sculpt.engines.local import order_of_violation
from sculpt.engines.messages.findings import first_of
from sculpt.engines.walk.heat import HeatMap
from sculpt.kernels.choice import plain
from sculpt.values import replace
from sculpt.verdict import Tally, Verdict, Violation


def joined(verdict: Verdict, founds: Sequence[Found], limit: int) -> Verdict:
    """The verdict on a file, with what checks have found in it."""
    tallies = [tally for found in founds for tally in found.tallies]
    if not tallies:
        return verdict
    violations = sorted(
        (*verdict.violations, *(each for found in founds for each in found.violations)),
        key=order_of_violation,
    )
    heat = HeatMap(plain())
    for each in (verdict.heat, *(found.heat for found in founds)):
        heat.add(each)
    warnings = verdict.warnings
    if any(tally.checked for tally in tallies):
        warnings = tuple(each for each in warnings if each.code != "nothing-checked")
    return replace(
        verdict,
        violation_count=verdict.violation_count + sum(found.count for found in founds),
        warning_violation_count=verdict.warning_violation_count
        + sum(found.warned for found in founds),
        violations=tuple(first_of(violations, limit)),
        warnings=warnings,
        structure=_structure(verdict.structure, tallies),
        heat=heat.heat(verdict.rows, verdict.columns),
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
