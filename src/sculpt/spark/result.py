"""The result of a run on Spark: verdicts at once, everything else as data frames.

In: `CheckedFiles`, and what keys and references have found. Out: a `Result`. It holds the verdicts,
with counts and warnings. Violations, rows and cells are computed by tasks when they are needed, and
go wherever Spark writes. The tasks walk again through the chunks that have any, from edges that are
known. So nothing is stored in between, and a partition that is lost with an executor is computed
again.

Invariant: a data frame lists exactly what was counted, each file in the order of its table;
violations of conditions, keys and references come after those of rules, in no order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import reduce
from typing import TYPE_CHECKING

from sculpt.errors import DataError, SculptError
from sculpt.spark import tasks
from sculpt.spark.listers import (
    ROWS,
    BadRowLister,
    CellLister,
    GoodRowLister,
    Lister,
    NumberedRowLister,
    ViolationLister,
)
from sculpt.spark.rounds import CheckedFile, CheckedFiles
from sculpt.spark.tasks import Job, Scope, WholeFile
from sculpt.spark.units import FILE_COST, MAX_UNIT, gather
from sculpt.values import field, frozen, replace
from sculpt.verdict import Unread, Verdict, Verdicts

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from sculpt.checks.model import Found
    from sculpt.spark.executions.conditions import Conditions
    from sculpt.spark.identities.check import Judged
    from sculpt.spark.partitions import CheckedFrame


@frozen(slots=False)
class OtherTable:
    """A table that the schema brings in: some files, or a data frame."""

    name: str
    run: CheckedFiles | None = None
    frame: CheckedFrame | None = None
    number: int = 0
    """That of the data frame among the outcomes."""


@frozen(slots=False)
class Result:
    """The outcome of a validation on Spark."""

    spark: SparkSession
    run: CheckedFiles
    unread: tuple[tuple[int, Unread], ...]
    """Inputs that were not read at all, each with its position among the inputs."""

    tables: tuple[OtherTable, ...] = ()
    judged: Judged | None = None
    """What keys and references have found, if there are any."""
    conditions: tuple[Conditions, ...] = ()
    """What the conditions of each table have found, if it has any."""
    limit: int = 0
    """How many violations of each file are described."""
    unjudged: Mapping[int, Found] = field(default_factory=dict)
    """By number of a file: the references that could not be judged in it, if there are any."""

    def __repr__(self) -> str:
        outcomes = self.verdict
        valid = sum(map(outcomes.is_valid, outcomes.outcomes))
        return f"<Result: {valid:,} of {len(outcomes.outcomes):,} valid, engine {outcomes.engine}>"

    @property
    def verdict(self) -> Verdicts:
        """The verdicts: `.valid` over all, `.outcomes` file by file, in the order of the inputs.

        Those of the tables that the schema brings in come last.
        """
        outcomes: dict[int, Verdict | Unread] = dict(self.unread)
        for name, run in self.runs():
            for checked in run.files:
                outcome = replace(_outcome(checked), table=name)
                if isinstance(outcome, Verdict):
                    outcome = self.joined(outcome, checked.file.number)
                outcomes[checked.file.number] = outcome
        for table, frame in self._frames():
            verdict = replace(frame.verdict, table=table.name)
            outcomes[table.number] = self.joined(verdict, table.number)
        return Verdicts(tasks.NAME, tuple(outcomes[number] for number in sorted(outcomes)))

    def joined(self, verdict: Verdict, number: int) -> Verdict:
        """The verdict of the rules, with what other statements have found in that file."""
        founds = [each.found for each in self.conditions]
        founds += [] if self.judged is None else [self.judged.found]
        found = [each[number] for each in (*founds, self.unjudged) if number in each]
        if not found:
            return verdict
        from sculpt.checks.joined import joined

        return joined(verdict, found, self.limit)

    def runs(self) -> list[tuple[str | None, CheckedFiles]]:
        """The files of each table, by its name; those of the schema's own table come first."""
        others = [(each.name, each.run) for each in self.tables if each.run is not None]
        return [(None, self.run), *others]

    def _frames(self) -> list[tuple[OtherTable, CheckedFrame]]:
        return [(each, each.frame) for each in self.tables if each.frame is not None]

    def close(self) -> None:
        """Release the data frames that were given as tables: Spark keeps their rows."""
        for _, frame in self._frames():
            frame.close()

    @property
    def valid(self) -> bool:
        """Do all inputs conform?"""
        return self.verdict.valid

    @property
    def notes(self) -> list[str]:
        """The large files that were not read in chunks, and why."""
        return [
            f"{each.file.name} was read from start to end by one task: {each.note}"
            for _, run in self.runs()
            for each in run.files
            if each.note is not None
        ]

    @property
    def violations(self) -> DataFrame:
        """Every violation of every file."""
        found = self._listed(_count, ViolationLister)
        for _, frame in self._frames():
            found = found.unionAll(frame.violations(frame.verdict.path))
        for each in self.conditions:
            found = found.unionAll(each.numbered_violations().drop("number"))
        return found if self.judged is None else found.unionAll(self.judged.violations())

    def bad_rows(self) -> DataFrame:
        """The raw rows that some error names; all rows of a file if an error names none."""
        named = self._named()
        if named is None:
            return self._listed(_is_read, BadRowLister)
        return self._numbered_rows(named, "not good or is_named")

    def good_rows(self) -> DataFrame:
        """The raw rows that are not bad."""
        named = self._named()
        if named is None:
            return self._listed(_is_read, GoodRowLister)
        return self._numbered_rows(named, "good and not is_named")

    def _named(self) -> DataFrame | None:
        """Number of the file and row, of rows that errors name; `None` if there are only rules."""
        frames = [] if self.judged is None else [self.judged.bad_rows()]
        for each in self.conditions:
            errors = each.numbered_violations().where("severity = 'error'")
            frames.append(errors.select("number", "row").distinct())
        return reduce(lambda first, second: first.union(second), frames) if frames else None

    def named_rows(self) -> dict[int, set[int] | None]:
        """By number of a file: the rows that errors name which no rule finds.

        `None` if one of them names no row.
        """
        found: dict[int, set[int] | None] = {}
        named = self._named()
        for row in named.toLocalIterator() if named is not None else ():
            rows = found.setdefault(row["number"], set())
            if rows is not None:
                rows.add(row["row"])
        for each in self.conditions:
            found |= dict.fromkeys(each.all_bad)
        return found

    def _numbered_rows(self, named: DataFrame, condition: str) -> DataFrame:
        """The raw rows for which a condition holds: are they good, does an error name them?"""
        from pyspark.sql import functions

        all_bad = sorted(number for each in self.conditions for number in each.all_bad)
        rows = self._listed(_is_read, NumberedRowLister)
        marked = named.distinct().withColumn("is_named", functions.lit(True))
        joined = rows.join(marked, ["number", "row"], "left").fillna(False, ["is_named"])
        is_named = functions.col("is_named") | functions.col("number").isin(all_bad)
        chosen = joined.withColumn("is_named", is_named).where(condition)
        return chosen.select(*(each.split()[0] for each in ROWS.split(", ")))

    def _listed(self, wanted: Callable[[CheckedFile], object], kind: type[Lister]) -> DataFrame:
        frames = [
            _frame(self.spark, run.job, [each for each in run.files if wanted(each)], kind)
            for _, run in self.runs()
        ]
        return reduce(lambda first, second: first.unionAll(second), frames)


def cells_frame(spark: SparkSession, run: CheckedFiles) -> DataFrame:
    """The cells of a selector in the files of a run; files that cannot be read raise."""
    for checked in run.files:
        if isinstance(checked.outcome, SculptError):
            raise checked.outcome
    return _frame(spark, run.job, run.files, CellLister)


def _frame(
    spark: SparkSession, job: Job, checked: Iterable[CheckedFile], kind: type[Lister]
) -> DataFrame:
    return kind(job, gather(_scopes(checked, kind), MAX_UNIT + FILE_COST)).frame(spark)


def _outcome(checked: CheckedFile) -> Verdict | Unread:
    outcome = checked.outcome
    if isinstance(outcome, Verdict):
        return outcome
    if isinstance(outcome, DataError):
        return Unread(checked.file.name, str(outcome))
    assert isinstance(outcome, SculptError)
    raise outcome


def _is_read(checked: CheckedFile) -> bool:
    return isinstance(checked.outcome, Verdict)


def _count(checked: CheckedFile) -> int:
    return checked.outcome.found if isinstance(checked.outcome, Verdict) else 0


def _scopes(checked: Iterable[CheckedFile], kind: type[Lister]) -> Iterator[tuple[Scope, int]]:
    """The scopes that must be read to list something, each with its cost."""
    for each in checked:
        assert isinstance(each.outcome, Verdict)
        if not each.chunks:
            whole = WholeFile(each.file, each.outcome.columns, each.outcome.unmatched)
            yield whole, each.file.size + FILE_COST
        for settled in each.chunks:
            if kind.is_in(settled):
                yield settled, MAX_UNIT
