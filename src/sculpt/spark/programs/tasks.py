"""What the workers do for programs: summaries, and batches of streams, of files and chunks.

In: a `Production` (a program, how to run it) and units of portions: files, or chunks with what the
rest of the table tells them. Out: pickled summaries; typed batches for a data frame; or batches of
several streams, packed, with what went wrong. Nothing here needs a session.

Invariant: a portion is a pure function of its file's bytes and of what it is given, so a task that
is lost is run again anywhere, and the parts in order are the whole.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from sculpt.core.programs.program import CoreProgram, Reach
from sculpt.engines.data import Data
from sculpt.engines.regions.marker import Marker
from sculpt.errors import DataError
from sculpt.spark import tasks
from sculpt.spark.programs.types import spark_schema
from sculpt.spark.tasks import Job, Listed, Slice
from sculpt.tabular.inputs import Input
from sculpt.transform.evaluation.execution import Execution
from sculpt.transform.evaluation.findings import Findings
from sculpt.transform.evaluation.summaries import Summary
from sculpt.transform.writers.parquet import plain_batch
from sculpt.values import frozen
from sculpt.verdict import said_of

if TYPE_CHECKING:
    import pyarrow as pa

PACKED = "unit long, place long, file long, stream long, data binary"
FINDINGS = -1
"""The stream of what went wrong: pickled counts and violations."""


@frozen(slots=False)
class Production:
    """A program and how to run it: all that travels to the workers."""

    job: Job
    """The task that finds its regions."""
    program: bytes
    force: bool

    @classmethod
    def make(cls, job: Job, program: CoreProgram, force: bool) -> Production:
        """The production of a program."""
        return cls(job, pickle.dumps(program), force)


@frozen(slots=False)
class Portion:
    """A file or a chunk, and what it must know of the rest."""

    listed: Listed
    hidden_rows: tuple[int, ...] = ()
    above: Summary | None = None
    below: Summary | None = None
    total: Summary | None = None


@lru_cache(maxsize=4)
def core_program(pickled: bytes) -> CoreProgram:
    """The program of a production, the same object every time."""
    program: CoreProgram = pickle.loads(pickled)
    return program


def execution_of(
    production: Production, portion: Portion, source: Input, findings: Findings
) -> Execution:
    """The execution of a portion."""
    job, listed = production.job, portion.listed
    data = Data(source, tasks.task_of(job.schema).schema.dialect.encoding)
    program = tasks.machines_of(job, data, forgets=True, notes_texts=True)
    piece = listed.piece if isinstance(listed, Slice) else None
    marker = Marker(program, data, width_of(listed), piece)
    core = core_program(production.program)
    return Execution(core, marker, listed.file.name, findings, portion.hidden_rows)


def width_of(listed: Listed) -> int:
    """The width of the table that a file or chunk is a part of."""
    if isinstance(listed, Slice):
        return listed.piece.entry.width
    assert listed.width is not None
    return listed.width


def portion_batches(
    production: Production, portion: Portion, findings: Findings
) -> Iterator[tuple[int, pa.RecordBatch]]:
    """The batches of a portion, each with its stream; `findings` grows meanwhile."""
    with tasks.opened(portion.listed.file) as source:
        execution = execution_of(production, portion, source, findings)
        empty = execution.summariser.empty()
        yield from execution.batches(
            portion.total or empty, portion.above or empty, portion.below or empty
        )
        source.check_unchanged()


class Summarise:
    """The function that summarises portions."""

    columns = "unit long, place long, file long, reply binary"

    def __init__(self, production: Production, gathered: Sequence[Sequence[Portion]]) -> None:
        self.production = production
        self.gathered = gathered

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        """Summarise the units whose numbers come."""
        for batch in batches:
            for number in batch.column(0).to_pylist():
                for place, portion in enumerate(self.gathered[number]):
                    reply = pickle.dumps(self._summary(portion))
                    yield row_of(self.columns, number, place, portion.listed.file.number, reply)

    def _summary(self, portion: Portion) -> Summary:
        with tasks.opened(portion.listed.file) as source:
            execution = execution_of(self.production, portion, source, Findings())
            found = execution.summary((Reach.ABOVE, Reach.BELOW, Reach.COLUMNS))
            source.check_unchanged()
            return found


class Emit:
    """The function that makes the records of one stream, as the rows of a data frame.

    A value that cannot be had fails the job, unless the production is forced.
    """

    def __init__(
        self, production: Production, gathered: Sequence[Sequence[Portion]], stream: int
    ) -> None:
        self.production = production
        self.gathered = gathered
        self.stream = stream

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        """Run the units whose numbers come."""
        for batch in batches:
            for number in batch.column(0).to_pylist():
                for portion in self.gathered[number]:
                    yield from self.made(portion)

    def made(self, portion: Portion) -> Iterator[Any]:
        """The records of a portion."""
        findings = Findings(limit=1)
        bare = spark_schema(core_program(self.production.program).streams[self.stream])
        for _, batch in portion_batches(self.production, portion, findings):
            check_findings(findings, portion.listed.file.name, self.production.force)
            yield plain_batch(batch, bare)
        check_findings(findings, portion.listed.file.name, self.production.force)


def check_findings(findings: Findings, name: str, force: bool) -> None:
    """Fail if a value could not be had in a file."""
    if findings.count and not force:
        first = findings.violations[0]
        raise DataError(f"{name}: {said_of(first)}", name)


class Pack:
    """The function that makes several streams, packed, in the order of the table."""

    columns = PACKED

    def __init__(self, production: Production, gathered: Sequence[Sequence[Portion]]) -> None:
        self.production = production
        self.gathered = gathered

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        """Run the units whose numbers come."""
        for batch in batches:
            for number in batch.column(0).to_pylist():
                place = 0
                for portion in self.gathered[number]:
                    for stream, data in self._packed(portion):
                        file = portion.listed.file.number
                        yield row_of(self.columns, number, place, file, stream, data)
                        place += 1

    def _packed(self, portion: Portion) -> Iterator[tuple[int, bytes]]:
        findings = Findings()
        for stream, batch in portion_batches(self.production, portion, findings):
            yield stream, packed(batch)
        yield FINDINGS, pickle.dumps((findings.count, findings.violations))


def packed(batch: pa.RecordBatch) -> bytes:
    """A batch as bytes."""
    import pyarrow as pa

    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batch.schema) as writer:
        writer.write_batch(batch)
    data: bytes = sink.getvalue().to_pybytes()
    return data


def unpacked(data: bytes) -> Iterator[pa.RecordBatch]:
    """The batches that `Pack` has packed."""
    import pyarrow as pa

    with pa.ipc.open_stream(data) as reader:
        yield from reader


def row_of(columns: str, *values: Any) -> Any:
    """One row of a data frame with such columns."""
    import pyarrow as pa

    names = [column.split()[0] for column in columns.split(", ")]
    types = {"long": pa.int64(), "binary": pa.binary()}
    kinds = [types[column.split()[1]] for column in columns.split(", ")]
    arrays = [pa.array([value], kind) for value, kind in zip(values, kinds, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, names)
