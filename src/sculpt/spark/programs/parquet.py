"""Records as Parquet files, written by the tasks themselves: no record passes through Java.

In: units of `ProgramItem`s, and for each stream a directory that every worker can access. Out: a
directory with at least one file, one for each unit that has records, and `_SUCCESS` as Spark writes
it. Spark's own writer takes rows from Java; passing them over and encoding them again there takes
several times longer than making them (`benchmarks/transform.py`).

Invariant: the directory holds only files that the driver knows. Each attempt of a task writes under
unique names in `.parts`; the driver moves the files that finished tasks report, and removes the
rest. So a task that is lost, run twice or still running leaves nothing behind. Memory: one row
group per stream.
"""

from __future__ import annotations

import os
import pickle
import secrets
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from sculpt.errors import RunError
from sculpt.spark.executions.tasks import Production, ProgramItem, batches_of, core_program
from sculpt.spark.tasks import File
from sculpt.spark.units import ReplyFunction
from sculpt.transform.arrow_types import arrow_schema
from sculpt.transform.atomic import Place, errors_named
from sculpt.transform.evaluation.findings import Findings
from sculpt.transform.writers.parquet import ParquetWriter
from sculpt.values import field, frozen, mutable
from sculpt.verdict import Violation

if TYPE_CHECKING:
    import pyarrow as pa

PARTS = ".parts"
"""Where the files of a place are until the driver knows that they are complete."""
SUCCESS = "_SUCCESS"


@frozen
class Written:
    """What a task reports when its files are complete."""

    files: tuple[tuple[int, str, int], ...]
    """Of each file: its stream, its name and its number of records."""
    findings: tuple[tuple[int, int, tuple[Violation, ...]], ...]
    """By number of the input file: how many values could not be computed, and the first of them."""


@mutable
class PartFiles:
    """The files that one unit, or the driver, writes: one for each stream that has records."""

    streams: Mapping[int, Place]
    schemas: Mapping[int, pa.Schema]
    number: int
    _stack: ExitStack = field(default_factory=ExitStack)
    _writers: dict[int, ParquetWriter] = field(default_factory=dict)
    _names: dict[int, str] = field(default_factory=dict)
    _rows: dict[int, int] = field(default_factory=dict)

    def __enter__(self) -> PartFiles:
        return self

    def __exit__(self, *error: Any) -> None:
        self._stack.__exit__(*error)

    def put(self, stream: int, batch: pa.RecordBatch) -> None:
        """Write some records of a stream."""
        self.open(stream)
        self._rows[stream] += batch.num_rows
        with self._naming(stream):
            self._writers[stream].write(batch)

    def open(self, stream: int) -> None:
        """Open the file of a stream, if it is not open."""
        if stream in self._writers:
            return
        name = f"part-{self.number:05}-{secrets.token_hex(8)}.snappy.parquet"
        place = self.streams[stream]
        if not os.path.isdir(_parts(place)):
            raise _unseen(place, "a worker cannot access the directory")
        with self._naming(stream):
            writer = ParquetWriter(os.path.join(_parts(place), name), self.schemas[stream])
        self._stack.enter_context(writer)
        self._writers[stream], self._names[stream], self._rows[stream] = writer, name, 0

    def ended(self) -> tuple[tuple[int, str, int], ...]:
        """Close the files, which are complete now."""
        for stream, writer in self._writers.items():
            with self._naming(stream):
                writer.close()
        return tuple((stream, name, self._rows[stream]) for stream, name in self._names.items())

    def _naming(self, stream: int) -> Any:
        place = self.streams[stream]
        return errors_named(place.name, place.directory)


@frozen(slots=False)
class Bundle:
    """The items of a unit, whose records go to the same files."""

    number: int
    items: Sequence[ProgramItem]

    @property
    def file(self) -> File:
        """The file of the first."""
        return self.items[0].file


class Write(ReplyFunction[Bundle]):
    """The function that writes the records of units to files, and reports these files."""

    def __init__(
        self,
        production: Production,
        units: Sequence[Sequence[ProgramItem]],
        places: Mapping[int, Place],
        limit: int,
    ) -> None:
        super().__init__([[Bundle(number, unit)] for number, unit in enumerate(units)])
        self.production = production
        self.places = places
        self.limit = limit

    def run(self, item: Bundle) -> Iterator[tuple[int, bytes]]:
        """Write the records of a unit; yields a pickled `Written`."""
        streams = core_program(self.production.program).streams
        schemas = {stream: arrow_schema(streams[stream]) for stream in self.places}
        found: list[tuple[int, int, tuple[Violation, ...]]] = []
        with PartFiles(self.places, schemas, item.number) as parts:
            for each in item.items:
                findings = Findings(self.limit)
                for stream, batch in batches_of(self.production, each, findings):
                    parts.put(stream, batch)
                if findings.count:
                    first = tuple(findings.violations)
                    found.append((each.file.number, findings.count, first))
            yield 0, pickle.dumps(Written(parts.ended(), tuple(found)))


def begin(places: Mapping[int, Place]) -> None:
    """Make the directories that tasks write to."""
    for place in places.values():
        with errors_named(place.name, place.directory):
            os.makedirs(_parts(place))


def finish(places: Mapping[int, Place], files: Sequence[tuple[int, str, int]]) -> None:
    """Keep the reported files, and remove everything else."""
    for stream, name, _ in files:
        place = places[stream]
        path = os.path.join(_parts(place), name)
        if not os.path.exists(path):
            raise _unseen(place, "a worker wrote a file that this machine cannot access")
        with errors_named(place.name, place.directory):
            os.rename(path, os.path.join(place.directory, name))
    for place in places.values():
        with errors_named(place.name, place.directory):
            shutil.rmtree(_parts(place))
            with open(os.path.join(place.directory, SUCCESS), "xb"):
                pass


def _parts(place: Place) -> str:
    return os.path.join(place.directory, PARTS)


def _unseen(place: Place, what: str) -> RunError:
    return RunError(
        f"{place.name}: cannot be written: {what};"
        " name a directory that all machines share, or a URI of a store"
    )
