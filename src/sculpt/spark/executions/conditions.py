"""Conditions of `require` on Spark: what they find in the files of a table.

In: a schema with `require`s, and files whose rules have been checked. Out: `Conditions`: for each
file what was found, and a data frame of all violations. Files are prepared as for programs
(`preparation`), then the same check runs in tasks, file by file or chunk by chunk; what
shows only at the end of a table is an item of its own.

Invariant: what is found is what the other engines find. A directory of files that conditions ask
about must be one that all machines share. Cost: the jobs of the preparation, and one that checks;
listing all violations is another. Memory: the first violations.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from sculpt.checks.conditions import (
    EVERYTHING,
    conditions_of,
    files_of,
    folder_of_files,
    skipped_lines,
    tally_of,
)
from sculpt.checks.model import Found, Request
from sculpt.engines.local import order_of_violation
from sculpt.engines.messages.findings import first_of
from sculpt.engines.results.details import Details
from sculpt.engines.results.listing import NO_EDGE
from sculpt.engines.walk.heat import HeatMap
from sculpt.engines.walk.walk import WalkResult
from sculpt.kernels import choice as backends
from sculpt.report.lists.violations import violation_row
from sculpt.schema import Schema
from sculpt.spark import tasks
from sculpt.spark.executions.preparation import Prepared, prepare
from sculpt.spark.executions.tasks import Production, ProgramItem, execution_of
from sculpt.spark.listers import VIOLATIONS
from sculpt.spark.rounds import CheckedFiles, Settings
from sculpt.spark.tasks import File, WholeFile
from sculpt.spark.units import (
    FILE_COST,
    MAX_UNIT,
    ReplyFunction,
    UnitFunction,
    gather,
    record_batch,
)
from sculpt.transform.checking import CheckedPart, Checking
from sculpt.transform.conditions.files import Files
from sculpt.transform.evaluation.findings import Findings
from sculpt.values import field, frozen, mutable, replace
from sculpt.verdict import Heat, Verdict, Violation

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


@frozen(slots=False)
class ConditionItem:
    """A file or a chunk, or the end of a table."""

    item: ProgramItem
    rows: int
    """Of the whole table."""
    is_end: bool = False

    @property
    def file(self) -> File:
        """The file."""
        return self.item.file


@frozen(slots=False)
class ConditionWork:
    """What is sent to the workers: the conditions, and the directory that they ask about."""

    production: Production
    files: str | None

    def parts(self, item: ConditionItem, room: dict[str, int]) -> Iterator[CheckedPart]:
        """What is found in an item; `room` says how many violations are still described."""
        with tasks.opened(item.file) as source:
            execution = execution_of(self.production, item.item, source, Findings(0))
            files = None if self.files is None else Files(self.files)
            checking = Checking(execution, files, room.__getitem__)
            empty = execution.summariser.empty
            around = (item.item.total, item.item.above, item.item.below)
            total, above, below = (each or empty() for each in around)
            if item.is_end:
                yield checking.end(total)
            else:
                yield from checking.rows(total, above, below)
            source.check_unchanged()

    def with_excerpts(
        self, item: ConditionItem, violations: Sequence[Violation]
    ) -> list[Violation]:
        """Violations with their rows, which are looked for once more."""
        rows = sorted({each.row for each in violations if each.row is not None})
        if not rows:
            return list(violations)
        scope = item.item.scope
        with tasks.opened(item.file) as source:
            marker = tasks.marker(self.production.job, scope, source)
            line_at = None if scope.chunk is None else (scope.chunk.span.begin, scope.chunk.line)
            found = WalkResult(item.rows, marker.width, 0, [], NO_EDGE)
            details = Details(
                marker.machines, found, marker.data, unmatched=frozenset(), line_at=line_at
            )
            for strip in marker.strips():
                while rows and rows[0] < strip.first_row + strip.rows:
                    row = rows.pop(0)
                    details.starts[row] = int(strip.starts[row - strip.first_row])
                if not rows:
                    break
            return [
                each
                if each.row is None
                else replace(each, excerpt=details.narrator.excerpt(each.row, each.column))
                for each in violations
            ]


@mutable
class ItemFound:
    """What is found in an item, or in a file."""

    counts: dict[int, tuple[int, int, int]] = field(default_factory=dict)
    """By number of a `require`: selected, checked, failed."""
    heat: Heat = Heat()
    violations: list[Violation] = field(default_factory=list)
    has_rowless: bool = False
    """Does an error name no row?"""

    def count(self, number: int, counts: tuple[int, int, int]) -> None:
        """Add what a `require` has checked."""
        known = self.counts.get(number, (0, 0, 0))
        self.counts[number] = (known[0] + counts[0], known[1] + counts[1], known[2] + counts[2])


class CheckConditions(ReplyFunction[ConditionItem]):
    """The function that checks items."""

    def __init__(
        self, work: ConditionWork, limit: int, units: Sequence[Sequence[ConditionItem]]
    ) -> None:
        super().__init__(units)
        self.work, self.limit = work, limit

    def run(self, item: ConditionItem) -> Iterator[tuple[int, bytes]]:
        """A pickled `ItemFound`."""
        found, heat = ItemFound(), HeatMap(backends.plain())
        # At the end there are few violations, and it matters whether one of them names no row.
        room = dict.fromkeys(("error", "warning"), EVERYTHING if item.is_end else self.limit)
        for part in self.work.parts(item, room):
            for number, each in part.counts.items():
                found.count(number, (each.selected, each.checked, each.failed))
            for violation in part.violations:
                room[violation.severity] -= 1
            found.violations += part.violations
            if part.places is not None:
                rows = part.places[::2]
                rows[rows == 0] = item.rows
                heat.add_places(part.places, len(rows), 0)
        errors = (each for each in found.violations if each.severity == "error")
        found.has_rowless = any(each.row is None for each in errors)
        shown = first_of(found.violations, self.limit)
        found.violations = self.work.with_excerpts(item, shown)
        found.heat = heat.heat()
        yield 0, pickle.dumps(found)


class ListConditions(UnitFunction[ConditionItem]):
    """The function that lists every violation, with the number of its file."""

    columns = f"number long, {VIOLATIONS}"

    def __init__(self, work: ConditionWork, units: Sequence[Sequence[ConditionItem]]) -> None:
        super().__init__(units)
        self.work = work

    def run(self, item: ConditionItem) -> Iterator[Any]:
        """The violations of an item."""
        room = dict.fromkeys(("error", "warning"), EVERYTHING)
        for part in self.work.parts(item, room):
            if part.violations:
                own = (item.file.number, item.file.name)
                rows = [(own[0], *violation_row(own[1], each)) for each in part.violations]
                yield record_batch(self.columns, rows)


@frozen(slots=False)
class Conditions:
    """What the conditions of a table have found in its files."""

    spark: SparkSession
    work: ConditionWork
    units: Sequence[Sequence[ConditionItem]]
    found: Mapping[int, Found]
    """By number of a file."""
    all_bad: frozenset[int]
    """The files in which an error names no row."""

    def numbered_violations(self) -> DataFrame:
        """Every violation, with the number of its file."""
        return ListConditions(self.work, self.units).frame(self.spark)


def check_conditions(
    spark: SparkSession, schema: Schema, request: Request, run: CheckedFiles, settings: Settings
) -> Conditions:
    """Check the conditions of a schema in the files that could be read."""
    program = conditions_of(schema, request)
    files_of(schema, request)  # raises, if nobody says where files are
    read = [each.file for each in run.files if isinstance(each.outcome, Verdict)]
    prepared = prepare(
        spark, schema, program, read, {}, settings.unit, settings.on_progress, force=False
    )
    work = ConditionWork(prepared.production, folder_of_files(schema, request))
    units = _units(prepared)
    found: dict[int, ItemFound] = {}
    check = CheckConditions(work, settings.limit, units)
    for reply in check.collect(spark, settings.on_progress):
        _add(found.setdefault(reply.file, ItemFound()), pickle.loads(reply.data))
    files = {
        each.file.number: _found(
            schema, request, found[each.file.number], (each.rows, each.width), settings.limit
        )
        for each in prepared.files
    }
    return Conditions(
        spark,
        work,
        units,
        files,
        frozenset(number for number, each in found.items() if each.has_rowless),
    )


def _units(prepared: Prepared) -> list[list[ConditionItem]]:
    rows = {each.file.number: each.rows for each in prepared.files}
    items = [
        ConditionItem(item, rows[item.file.number]) for unit in prepared.units() for item in unit
    ]
    for each in prepared.files:
        end = ProgramItem(WholeFile(each.file, each.width), total=each.total)
        items.append(ConditionItem(end, each.rows, is_end=True))
    costs = ((item, _cost(item)) for item in items)
    return gather(costs, MAX_UNIT + FILE_COST)


def _cost(item: ConditionItem) -> int:
    if item.is_end:
        return FILE_COST
    scope = item.item.scope
    return MAX_UNIT if scope.chunk is not None else scope.file.size + FILE_COST


def _add(known: ItemFound, more: ItemFound) -> None:
    for number, counts in more.counts.items():
        known.count(number, counts)
    heat = HeatMap(backends.plain())
    for each in (known.heat, more.heat):
        heat.add(each)
    known.heat = heat.heat()
    known.violations += more.violations
    known.has_rowless |= more.has_rowless


def _found(
    schema: Schema, request: Request, found: ItemFound, size: tuple[int, int], limit: int
) -> Found:
    heat = HeatMap(backends.plain())
    heat.add(found.heat)
    ordered = sorted(found.violations, key=order_of_violation)
    return Found(
        tuple(tally_of(each, found.counts.get(each.number, (0, 0, 0))) for each in schema.requires),
        tuple(first_of(ordered, limit)),
        heat.heat(*size),
        skipped=skipped_lines(schema, request),
    )
