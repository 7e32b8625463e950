"""Keys and references in a data frame: its entries, and its violations in words.

In: a `CheckedFrame`. Out: a `Source`. Entries are made where its partitions are. The rows that
violations name are not there any more when entries have met, so they are joined: the bytes of each
row of the data frame with the violations that name it.

Invariant: as for files. Cost: the join is part of the data frame of violations, so it is computed
only if somebody asks for that.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from sculpt.engines.data import Data
from sculpt.report.lists.violations import violation_row
from sculpt.spark import tasks
from sculpt.spark.cluster.workers import map_in_arrow
from sculpt.spark.identities.buckets import PACKED, packed
from sculpt.spark.identities.check import Source
from sculpt.spark.identities.entries import COUNTS, Wanted, entry_batches
from sculpt.spark.identities.judgement import Fact, facts_of
from sculpt.spark.identities.wording import Wording, Words
from sculpt.spark.listers import VIOLATIONS
from sculpt.spark.partitions import NAME, CheckedFrame, FrameBytes, SettledFunction
from sculpt.spark.tasks import Job
from sculpt.spark.units import record_batch
from sculpt.values import replace
from sculpt.verdict import Violation

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame


class FrameSource(Source):
    """A table in a data frame."""

    def __init__(self, table: int, number: int, checked: CheckedFrame) -> None:
        self.table, self.number, self.checked = table, number, checked
        self.spark = checked.frame.sparkSession
        self.name = checked.verdict.path

    @property
    def size(self) -> int:
        """See `Source`."""
        return self.checked.layout.size

    def entries(self, wanted: Wanted, buckets: int) -> DataFrame:
        """See `Source`."""
        return self.checked.mapped(_Entries(self.checked, wanted, buckets, self.number))

    def names(self) -> dict[int, str]:
        """See `Source`."""
        return {self.number: self.name}

    def sizes(self) -> dict[int, tuple[int, int]]:
        """See `Source`."""
        return {self.number: (self.checked.verdict.rows, self.checked.verdict.columns)}

    def violations(self, frame: DataFrame, words: Words) -> DataFrame:
        """See `Source`."""
        own = frame.where(frame["side"] > COUNTS).where(frame["file"] == self.number)
        facts = map_in_arrow(own, _RowFacts(words.stride), _RowFacts.columns)
        rows = self.checked.mapped(_RawRows(*self.checked.arguments))
        joined = facts.join(rows, "row").select("identity", "fact", "raw")
        width = self.checked.verdict.columns
        file = None if self.name == NAME else self.name
        function = _Word(self.checked.job, words, self.number, width, file)
        return map_in_arrow(joined, function, VIOLATIONS)

    def shown(
        self, facts: Mapping[int, Sequence[tuple[int, Fact]]], words: Words
    ) -> dict[int, tuple[Violation, ...]]:
        """None: the verdict on a data frame describes no violation."""
        return {}


class _Entries(SettledFunction):
    """The entries of a partition."""

    columns = PACKED

    def __init__(self, checked: CheckedFrame, wanted: Wanted, buckets: int, file: int) -> None:
        super().__init__(*checked.arguments)
        self.wanted, self.buckets, self.file = pickle.dumps(wanted), buckets, file

    def answer(self, number: int, batches: Sequence[Any]) -> Iterator[Any]:
        """See `PartitionFunction`."""
        marker = self.marker(number, batches)
        entries = entry_batches(marker, pickle.loads(self.wanted), self.file)
        yield from packed(entries, self.buckets)


class _RawRows(SettledFunction):
    """The bytes of each row."""

    columns = "row long, raw binary"

    def answer(self, number: int, batches: Sequence[Any]) -> Iterator[Any]:
        """See `PartitionFunction`."""
        for rows in self.listing(number, batches).rows(None, all_bad=True):
            yield record_batch(self.columns, [(each.row, each.raw) for each in rows])


class _RowFacts:
    """A function for the workers: each violation as a row of its own."""

    columns = "row long, identity long, fact binary"

    def __init__(self, stride: int) -> None:
        self.stride = stride

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for facts in facts_of(batch, self.stride) if batch.num_rows else ():
                rows = [(each.row, facts.identity, pickle.dumps(each)) for each in facts.listed()]
                yield record_batch(self.columns, rows)


class _Word:
    """A function for the workers: violations with the bytes of their rows in, words out."""

    columns = VIOLATIONS

    def __init__(self, job: Job, words: Words, number: int, width: int, file: str | None) -> None:
        self.job, self.words = job, words
        self.number, self.width, self.file = number, width, file

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            if batch.num_rows:
                yield record_batch(self.columns, list(self._worded(batch)))

    def _worded(self, batch: pa.RecordBatch) -> Iterator[tuple[Any, ...]]:
        """The rows of a batch are read as if they were a table."""
        named = [(each["identity"], pickle.loads(each["fact"])) for each in batch.to_pylist()]
        starts, pieces, at = [], [], 0
        for raw in batch.column("raw").to_pylist():
            starts.append(at)
            pieces += [raw, b"\n"]
            at += len(raw) + 1
        data = Data(FrameBytes(b"".join(pieces), 0, b"", at), "utf-8")
        machines = tasks.machines_of(self.job, data, forgets=True)
        wording = Wording(machines, data, self.width, self.number, self.words.names)
        for (number, fact), start in zip(named, starts, strict=True):
            moved = fact._replace(start=start)
            for each in wording.violations(self.words.identity(number), [moved]):
                yield violation_row(self.file, replace(each, offset=None))
