"""Units of work, and the functions that run them in Spark's workers.

In: items (files, or chunks of files), each with its cost. Out: units, one per partition of a data
frame; and the output of a function on them: batches of rows, or replies that the driver collects
in order.

Invariant: the output of a unit depends only on its items, so a lost task can be run again on any
node. Replies are in the order of the units, and of the items in each unit.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Protocol, TypeAlias, TypeVar

from sculpt.spark.cluster.watch import failing, watching
from sculpt.spark.cluster.workers import map_in_arrow

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from sculpt.spark.tasks import File

OnProgress: TypeAlias = Callable[[int, int], None]

MIN_UNIT, MAX_UNIT = 1 << 22, 1 << 28
"""A unit has 4 to 256 MB: starting a task takes about as long as reading 50 MB."""
FILE_COST = 1 << 17
"""Opening a file costs as much as reading this many bytes."""


class HasFile(Protocol):
    """Anything that belongs to a file."""

    @property
    def file(self) -> File:
        """The file."""


Item = TypeVar("Item")
FileItem = TypeVar("FileItem", bound=HasFile)


def gather(items: Iterable[tuple[Item, int]], target: int) -> list[list[Item]]:
    """Gather items into units, in order; each unit costs at most `target`, or is one item."""
    units: list[list[Item]] = []
    filled = target
    for item, cost in items:
        if not units or filled + cost > target:
            units.append([])
            filled = 0
        units[-1].append(item)
        filled += cost
    return units


class UnitFunction(ABC, Generic[Item]):
    """A function for the workers: it runs the units assigned to a partition.

    It is sent to every worker with all units, and the partition holds the numbers of those to run:
    this works on any version of Spark.
    """

    columns: str
    """The columns of the data frame that it makes."""

    def __init__(self, units: Sequence[Sequence[Item]]) -> None:
        self.units = units

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        """Run the units whose numbers are in Arrow batches."""
        for batch in batches:
            for number in batch.column(0).to_pylist():
                yield from self.run_unit(number)

    def run_unit(self, number: int) -> Iterator[Any]:
        """The batches of a unit."""
        for item in self.units[number]:
            yield from self.run(item)

    @abstractmethod
    def run(self, item: Item) -> Iterator[Any]:
        """The batches of an item."""

    def frame(self, spark: SparkSession) -> DataFrame:
        """The data frame that this function makes, with one partition per unit."""
        count = len(self.units)
        return map_in_arrow(spark.range(0, count, 1, max(1, count)), self, self.columns)


class Reply(NamedTuple):
    """A row of the data frame of a `ReplyFunction`."""

    unit: int
    place: int
    file: int
    stream: int
    data: bytes


class ReplyFunction(UnitFunction[FileItem]):
    """A function for the workers whose replies are bytes, some for each item."""

    columns = "unit long, place long, file long, stream long, data binary"

    def run_unit(self, number: int) -> Iterator[Any]:
        """The replies of a unit, numbered."""
        place = 0
        for item in self.units[number]:
            for stream, data in self.run(item):
                reply = Reply(number, place, item.file.number, stream, data)
                yield record_batch(self.columns, [reply])
                place += 1

    @abstractmethod
    def run(self, item: FileItem) -> Iterator[tuple[int, bytes]]:
        """The replies for an item, each with the number of its stream, or 0."""

    def collect(self, spark: SparkSession, on_progress: OnProgress | None) -> list[Reply]:
        """All replies, in order, collected by the driver."""
        with failing(), watching(spark, on_progress):
            table = self.frame(spark).toArrow()
        columns = (table.column(name).to_pylist() for name in Reply._fields)
        return sorted(map(Reply._make, zip(*columns, strict=True)))


def record_batch(columns: str, rows: Sequence[Sequence[Any]]) -> Any:
    """Rows as an Arrow batch, with the columns that a data frame declares."""
    import pyarrow as pa

    types = {
        "string": pa.string(),
        "int": pa.int32(),
        "long": pa.int64(),
        "binary": pa.binary(),
        "boolean": pa.bool_(),
        "array<string>": pa.list_(pa.string()),
    }
    declared = [column.split() for column in columns.split(",")]
    by_column = list(zip(*rows, strict=True)) or [()] * len(declared)
    arrays = [
        pa.array(values, types[kind]) for values, (_, kind) in zip(by_column, declared, strict=True)
    ]
    return pa.RecordBatch.from_arrays(arrays, [name for name, _ in declared])
