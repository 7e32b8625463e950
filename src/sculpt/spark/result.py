"""What a run on Spark gives: verdicts in hand, everything else as data frames.

In: a `Run`. Out: a `Result`. Verdicts, with counts and warnings, are here; violations, rows and
cells are made by tasks when someone asks for them, and go wherever Spark writes. They are found by
walking again through the chunks that have any, from edges that are known; so nothing is kept
between, and a part that is lost with an executor is made again.

Invariant: a data frame lists what was counted, each file's part in the order of its table.
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
from sculpt.spark.rounds import FILE_COST, MAX_UNIT, Checked, Run, mapped, units
from sculpt.spark.tasks import Job, Listed, Whole
from sculpt.values import frozen
from sculpt.verdict import Unread, Verdict, Verdicts

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


@frozen(slots=False)
class Result:
    """The outcome of a validation on Spark."""

    spark: SparkSession
    run: Run
    unread: tuple[tuple[int, Unread], ...]
    """Inputs that were not read at all, with their places among all inputs."""

    @property
    def verdict(self) -> Verdicts:
        """The verdicts: `.valid` over all, `.outcomes` file by file, in the order of the inputs."""
        outcomes: dict[int, Verdict | Unread] = dict(self.unread)
        for checked in self.run.checked:
            outcomes[checked.file.number] = _outcome(checked)
        return Verdicts(tasks.NAME, tuple(outcomes[number] for number in sorted(outcomes)))

    @property
    def valid(self) -> bool:
        """Do all inputs conform?"""
        return self.verdict.valid

    @property
    def notes(self) -> list[str]:
        """Large files that were read in order instead of in chunks, and why."""
        return [
            f"{each.file.name} was read in order, by one task: {each.note}"
            for each in self.run.checked
            if each.note is not None
        ]

    @property
    def violations(self) -> DataFrame:
        """Every violation of every file."""
        return self._listed([c for c in self.run.checked if _count(c)], ViolationLister)

    def bad_rows(self) -> DataFrame:
        """The raw rows that some violation names; all rows of a file with one that names none."""
        return self._listed(self._read(), BadRowLister)

    def good_rows(self) -> DataFrame:
        """The raw rows that are not bad."""
        return self._listed(self._read(), GoodRowLister)

    def _read(self) -> list[Checked]:
        return [c for c in self.run.checked if isinstance(c.outcome, Verdict)]

    def _listed(self, checked: Iterable[Checked], kind: type[Lister]) -> DataFrame:
        return _frame(self.spark, self.run.job, checked, kind)


def cells_frame(spark: SparkSession, run: Run) -> DataFrame:
    """The cells of a selector in the files of a run; files that cannot be read raise."""
    for checked in run.checked:
        if isinstance(checked.outcome, SculptError):
            raise checked.outcome
    return _frame(spark, run.job, run.checked, CellLister)


def _frame(
    spark: SparkSession, job: Job, checked: Iterable[Checked], kind: type[Lister]
) -> DataFrame:
    gathered = units(_items(checked, kind), MAX_UNIT + FILE_COST)
    return mapped(spark, kind(job, gathered), len(gathered), kind.columns)


def _outcome(checked: Checked) -> Verdict | Unread:
    outcome = checked.outcome
    if isinstance(outcome, Verdict):
        return outcome
    if isinstance(outcome, DataError):
        return Unread(checked.file.name, str(outcome))
    assert isinstance(outcome, SculptError)
    raise outcome


def _count(checked: Checked) -> int:
    return checked.outcome.violation_count if isinstance(checked.outcome, Verdict) else 0


def _items(checked: Iterable[Checked], kind: type[Lister]) -> Iterator[tuple[Listed, int]]:
    """What must be looked at to list something, with what it costs."""
    for each in checked:
        assert isinstance(each.outcome, Verdict)
        if not each.slices:
            yield Whole(each.file, each.outcome.columns), each.file.size + FILE_COST
        for piece in each.slices:
            if kind.is_in(piece):
                yield piece, MAX_UNIT
