"""Units of work, and the functions that run them in the workers of Spark.

In: items (files, or chunks of files) with what each costs. Out: units, each of which one partition
of a data frame stands for; and what a function makes of them: batches of rows, or replies that the
driver collects in order.

Invariant: a unit is a pure function of its items, so a task that is lost is run again anywhere. The
order of replies is that of the units and of the items in them.
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
"""A unit of work has between 4 and 256 MB: starting a task takes as long as reading some 50 MB."""
FILE_COST = 1 << 17
"""Opening a file costs as much as reading this many bytes."""


class HasFile(Protocol):
    """An item, or what has one: it belongs to a file."""

    @property
    def file(self) -> File:
        """The file."""


Item = TypeVar("Item")
FileItem = TypeVar("FileItem", bound=HasFile)


def gather(items: Iterable[tuple[Item, int]], target: int) -> list[list[Item]]:
    """Gather items, in order, into units until their costs reach a target."""
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

    It is shipped whole, with all units, and given their numbers: so it works on any Spark.
    """

    columns: str
    """Those of the data frame that it makes."""

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
        """A data frame with a partition for each unit, and what this function makes of it."""
        count = len(self.units)
        return map_in_arrow(spark.range(0, count, 1, max(1, count)), self, self.columns)


class Reply(NamedTuple):
    """A row of what a `ReplyFunction` makes."""

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
        """The replies of an item; the number is the stream that one belongs to, if any."""

    def collect(self, spark: SparkSession, on_progress: OnProgress | None) -> list[Reply]:
        """All replies, in order, brought to the driver."""
        with failing(), watching(spark, on_progress):
            table = self.frame(spark).toArrow()
        columns = (table.column(name).to_pylist() for name in Reply._fields)
        return sorted(map(Reply._make, zip(*columns, strict=True)))


def record_batch(columns: str, rows: Sequence[Sequence[Any]]) -> Any:
    """Rows as Arrow takes them, with the columns that a data frame declares."""
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
