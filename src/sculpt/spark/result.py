"""The result of a run on Spark: verdicts at once, everything else as data frames.

In: `CheckedFiles`. Out: a `Result`. It holds the verdicts, with counts and warnings. Violations,
rows and cells are computed by tasks when they are needed, and go wherever Spark writes. The tasks
walk again through the chunks that have any, from edges that are known. So nothing is stored in
between, and a partition that is lost with an executor is computed again.

Invariant: a data frame lists exactly what was counted, each file in the order of its table.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from sculpt.errors import DataError, SculptError
from sculpt.spark import tasks
from sculpt.spark.listers import (
    BadRowLister,
    CellLister,
    GoodRowLister,
    Lister,
    ViolationLister,
)
from sculpt.spark.rounds import CheckedFile, CheckedFiles
from sculpt.spark.tasks import Job, Scope, WholeFile
from sculpt.spark.units import FILE_COST, MAX_UNIT, gather
from sculpt.values import frozen
from sculpt.verdict import Unread, Verdict, Verdicts

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


@frozen(slots=False)
class Result:
    """The outcome of a validation on Spark."""

    spark: SparkSession
    run: CheckedFiles
    unread: tuple[tuple[int, Unread], ...]
    """Inputs that were not read at all, each with its position among the inputs."""

    @property
    def verdict(self) -> Verdicts:
        """The verdicts: `.valid` over all, `.outcomes` file by file, in the order of the inputs."""
        outcomes: dict[int, Verdict | Unread] = dict(self.unread)
        for checked in self.run.files:
            outcomes[checked.file.number] = _outcome(checked)
        return Verdicts(tasks.NAME, tuple(outcomes[number] for number in sorted(outcomes)))

    @property
    def valid(self) -> bool:
        """Do all inputs conform?"""
        return self.verdict.valid

    @property
    def notes(self) -> list[str]:
        """The large files that were not read in chunks, and why."""
        return [
            f"{each.file.name} was read from start to end by one task: {each.note}"
            for each in self.run.files
            if each.note is not None
        ]

    @property
    def violations(self) -> DataFrame:
        """Every violation of every file."""
        return self._listed([c for c in self.run.files if _count(c)], ViolationLister)

    def bad_rows(self) -> DataFrame:
        """The raw rows that some error names; all rows of a file if an error names none."""
        return self._listed(self._read(), BadRowLister)

    def good_rows(self) -> DataFrame:
        """The raw rows that are not bad."""
        return self._listed(self._read(), GoodRowLister)

    def _read(self) -> list[CheckedFile]:
        return [c for c in self.run.files if isinstance(c.outcome, Verdict)]

    def _listed(self, checked: Iterable[CheckedFile], kind: type[Lister]) -> DataFrame:
        return _frame(self.spark, self.run.job, checked, kind)


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
