"""Functions for the workers that list what is in files: violations, cells, rows.

In: a `Job` and units of scopes (files, or chunks with known edges). Out: Arrow batches with the
columns that each lister declares. Invariant: each scope is listed in the order of its table, with
one batch in memory.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from types import MappingProxyType
from typing import Any, TypeAlias

from sculpt.engines.results.listing import Listing
from sculpt.report.json import printable
from sculpt.report.lists.violations import violation_row
from sculpt.spark import tasks
from sculpt.spark.tasks import Job, Scope, SettledChunk
from sculpt.spark.units import UnitFunction, record_batch

VIOLATIONS = (
    "file string, code string, rule int, line int, row long, column long, offset long,"
    " found string, tokens array<string>, expected array<string>, message string, hint string,"
    " severity string, first_file string, first_row long, first_column long, target_file string,"
    " target_row long, target_column long"
)
"""The columns of a table of violations: the fields of `Violation`, and the file."""
CELLS = "file string, row long, column long, content string"
ROWS = "file string, row long, offset long, text string, raw binary"

Rows: TypeAlias = Sequence[Sequence[Any]]


class Lister(UnitFunction[Scope]):
    """A function for the workers that lists one kind of thing."""

    def __init__(self, job: Job, units: Sequence[Sequence[Scope]]) -> None:
        super().__init__(units)
        self.job = job

    @staticmethod
    def is_in(settled: SettledChunk) -> bool:
        """Can a chunk have anything to list?"""
        return True

    def run(self, item: Scope) -> Iterator[Any]:
        """What is in a file or chunk, as Arrow batches."""
        with tasks.opened(item.file) as source:
            listing = tasks.listing(self.job, item, source)
            for rows in self.rows(item, listing):
                yield record_batch(self.columns, rows)
            source.check_unchanged()

    @abstractmethod
    def rows(self, item: Scope, listing: Listing) -> Iterator[Rows]:
        """The rows of the data frame, some at a time."""


class ViolationLister(Lister):
    """Every violation."""

    columns = VIOLATIONS

    @staticmethod
    def is_in(settled: SettledChunk) -> bool:
        """See `Lister`."""
        return bool(settled.chunk.count) or (settled.has_rowless and settled.chunk.span.end is None)

    def rows(self, item: Scope, listing: Listing) -> Iterator[Rows]:
        """See `Lister`."""
        for violations in listing.violations():
            yield [violation_row(item.file.name, each) for each in violations]


class CellLister(Lister):
    """Every cell of a selector."""

    columns = CELLS

    def rows(self, item: Scope, listing: Listing) -> Iterator[Rows]:
        """See `Lister`."""
        for cells in listing.cells():
            name = item.file.name
            yield [(name, r, c, None if t is None else printable(t)) for r, c, t in cells]


class RowLister(Lister):
    """The raw rows, each marked as good or bad."""

    columns = f"{ROWS}, good boolean"
    wants_good: bool | None = None

    def rows(self, item: Scope, listing: Listing) -> Iterator[Rows]:
        """See `Lister`."""
        all_bad = item.all_bad if isinstance(item, SettledChunk) else None
        for rows in listing.rows(self.wants_good, all_bad):
            yield [(item.file.name, r.row, r.offset, r.text, r.raw, r.is_good) for r in rows]


class NumberedRowLister(RowLister):
    """The raw rows, each with the number of its file."""

    columns = f"number long, {ROWS}, good boolean"

    def rows(self, item: Scope, listing: Listing) -> Iterator[Rows]:
        """See `Lister`."""
        for rows in super().rows(item, listing):
            yield [(item.file.number, *row) for row in rows]


class GoodRowLister(RowLister):
    """The raw rows that no error names."""

    columns = ROWS
    wants_good = True

    @staticmethod
    def is_in(settled: SettledChunk) -> bool:
        """See `Lister`."""
        return not settled.all_bad

    def rows(self, item: Scope, listing: Listing) -> Iterator[Rows]:
        """See `Lister`."""
        for rows in super().rows(item, listing):
            yield [row[:-1] for row in rows]


class BadRowLister(GoodRowLister):
    """The raw rows that some error names."""

    wants_good = False

    @staticmethod
    def is_in(settled: SettledChunk) -> bool:
        """See `Lister`."""
        return bool(settled.chunk.count) or settled.all_bad


LISTERS: MappingProxyType[str, type[Lister]] = MappingProxyType(
    {"violations": ViolationLister, "region": CellLister, "rows": RowLister}
)
"""What the data source can list."""
