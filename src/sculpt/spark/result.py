"""What a run on Spark gives: verdicts in hand, everything else as data frames.

In: a `Run`. Out: a `Result`. Verdicts, with counts and warnings, are here; violations, rows and
cells are made by tasks when someone asks for them, and go wherever Spark writes. They are found by
walking again through the chunks that have any, from edges that are known; so nothing is kept
between, and a part that is lost with an executor is made again.

Invariant: a data frame lists what was counted, each file's part in the order of its table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sculpt.engines.listing import Listing
from sculpt.errors import DataError, SculptError
from sculpt.report.json import printable
from sculpt.report.run import Run as Report
from sculpt.report.run import Unread
from sculpt.spark import tasks
from sculpt.spark.rounds import FILE_COST, MAX_UNIT, Checked, Run, mapped, units
from sculpt.spark.tasks import Job, Listed, Slice, Whole
from sculpt.verdict import Verdict, Violation

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

VIOLATIONS = (
    "file string, code string, rule int, line int, row long, column long, offset long,"
    " found string, tokens array<string>, expected array<string>, message string, hint string"
)
"""The columns of a table of violations: the fields of `Violation`, and the file."""
CELLS = "file string, row long, column long, content string"
ROWS = "file string, row long, offset long, text string, raw binary"


@dataclass(frozen=True)
class Result:
    """The outcome of a validation on Spark."""

    spark: SparkSession
    run: Run
    unread: tuple[tuple[int, Unread], ...]
    """Inputs that were not read at all, with their places among all inputs."""

    @property
    def verdict(self) -> Report:
        """The verdicts: `.valid` over all, `.outcomes` file by file, in the order of the inputs."""
        outcomes: dict[int, Verdict | Unread] = dict(self.unread)
        for checked in self.run.checked:
            outcomes[checked.file.number] = _outcome(checked)
        return Report(tasks.NAME, tuple(outcomes[number] for number in sorted(outcomes)))

    @property
    def valid(self) -> bool:
        """Do all inputs conform?"""
        return self.verdict.valid

    @property
    def violations(self) -> DataFrame:
        """Every violation of every file."""
        found = [c for c in self.run.checked if _count(c)]
        return self._listed(found, _Violations, VIOLATIONS, lambda piece: True)

    def bad_rows(self) -> DataFrame:
        """The raw rows that some violation names; all rows of a file with one that names none."""
        return self._listed(self._read(), _BadRows, ROWS, lambda each: True)

    def good_rows(self) -> DataFrame:
        """The raw rows that are not bad."""
        return self._listed(self._read(), _GoodRows, ROWS, lambda each: True)

    def _read(self) -> list[Checked]:
        return [c for c in self.run.checked if isinstance(c.outcome, Verdict)]

    def _listed(
        self,
        checked: Iterable[Checked],
        kind: type[_Lister],
        columns: str,
        wants: Callable[[Slice], bool],
    ) -> DataFrame:
        gathered = units(_items(checked, kind), MAX_UNIT + FILE_COST)
        return mapped(self.spark, kind(self.run.job, gathered), len(gathered), columns)


def cells_frame(spark: SparkSession, run: Run) -> DataFrame:
    """The cells of a selector in the files of a run; files that cannot be read raise."""
    for checked in run.checked:
        if isinstance(checked.outcome, SculptError):
            raise checked.outcome
    gathered = units(_items(run.checked, _Cells), MAX_UNIT + FILE_COST)
    return mapped(spark, _Cells(run.job, gathered), len(gathered), CELLS)


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


def _items(checked: Iterable[Checked], kind: type[_Lister]) -> Iterator[tuple[Listed, int]]:
    """What must be looked at to list something, with what it costs."""
    for each in checked:
        assert isinstance(each.outcome, Verdict)
        if not each.slices:
            yield Whole(each.file, each.outcome.columns), each.file.size + FILE_COST
        for piece in each.slices:
            if kind.is_in(piece):
                yield piece, MAX_UNIT


class _Lister:
    """A function for the workers that lists one kind of things."""

    names: tuple[str, ...]

    def __init__(self, job: Job, gathered: list[list[Listed]]) -> None:
        self.job = job
        self.gathered = gathered

    @staticmethod
    def is_in(piece: Slice) -> bool:
        """May there be any in a chunk?"""
        return True

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        for batch in batches:
            for number in batch.column(0).to_pylist():
                for item in self.gathered[number]:
                    yield from self._batches(item)

    def _batches(self, item: Listed) -> Iterator[Any]:
        with tasks.opened(item.file) as source:
            listing = tasks.listing(self.job, item, source)
            for rows in self.rows(item, listing):
                yield record_batch(self.columns, rows)
            source.check_unchanged()

    columns: str

    def rows(self, item: Listed, listing: Listing) -> Iterator[Sequence[Sequence[Any]]]:
        """The rows of the data frame, some at a time."""
        raise NotImplementedError


class _Violations(_Lister):
    columns = VIOLATIONS

    @staticmethod
    def is_in(piece: Slice) -> bool:
        return bool(piece.piece.count) or (piece.all_bad and piece.piece.span.end is None)

    def rows(self, item: Listed, listing: Listing) -> Iterator[Sequence[Sequence[Any]]]:
        for violations in listing.violations():
            yield [violation_row(item.file.name, each) for each in violations]


class _Cells(_Lister):
    columns = CELLS

    def rows(self, item: Listed, listing: Listing) -> Iterator[Sequence[Sequence[Any]]]:
        for cells in listing.cells():
            name = item.file.name
            yield [(name, r, c, None if t is None else printable(t)) for r, c, t in cells]


class _Rows(_Lister):
    columns = ROWS
    wants_bad: bool

    def rows(self, item: Listed, listing: Listing) -> Iterator[Sequence[Sequence[Any]]]:
        all_bad = item.all_bad if isinstance(item, Slice) else None
        codec = (listing.data.recoded or listing.data).codec
        for rows in listing.rows(self.wants_bad, all_bad):
            yield [
                (item.file.name, r.row, r.offset, r.raw.decode(codec, "replace"), r.raw)
                for r in rows
            ]


class _BadRows(_Rows):
    wants_bad = True

    @staticmethod
    def is_in(piece: Slice) -> bool:
        return bool(piece.piece.count) or piece.all_bad


class _GoodRows(_Rows):
    wants_bad = False

    @staticmethod
    def is_in(piece: Slice) -> bool:
        return not piece.all_bad


def violation_row(name: str | None, violation: Violation) -> tuple[Any, ...]:
    """A violation as a row of the table of violations."""
    found = violation.found
    return (
        name,
        violation.code,
        violation.rule,
        violation.line,
        violation.row,
        violation.column,
        violation.offset,
        None if found is None else printable(found),
        list(violation.tokens),
        list(violation.expected),
        printable(violation.message),
        None if violation.hint is None else printable(violation.hint),
    )


def record_batch(columns: str, rows: Sequence[Sequence[Any]]) -> Any:
    """Rows as Arrow takes them, with the columns that a data frame declares."""
    import pyarrow as pa

    types = {
        "string": pa.string(),
        "int": pa.int32(),
        "long": pa.int64(),
        "binary": pa.binary(),
        "array<string>": pa.list_(pa.string()),
    }
    declared = [column.split() for column in columns.split(",")]
    by_column = list(zip(*rows, strict=True)) or [()] * len(declared)
    arrays = [
        pa.array(values, types[kind]) for values, (_, kind) in zip(by_column, declared, strict=True)
    ]
    return pa.RecordBatch.from_arrays(arrays, [name for name, _ in declared])
