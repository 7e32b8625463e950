"""What the workers do for programs: summarise files and chunks, and make batches of records.

In: a `Production` (a program and how to run it) and units of `ProgramItem`s: files, or chunks with
what they need of the rest of the table. Out: pickled summaries; typed batches for a data frame; or
packed batches of several streams, with their findings. Nothing here needs a session.

Invariant: the results of the items, in order, are those of the whole table.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from sculpt.core.programs.look_ups import Reach
from sculpt.core.programs.program import CoreProgram
from sculpt.errors import DataError
from sculpt.spark import tasks
from sculpt.spark.executions.types import ddl, spark_schema
from sculpt.spark.tasks import File, Job, Scope
from sculpt.spark.units import ReplyFunction, UnitFunction
from sculpt.tabular.inputs import Input
from sculpt.transform.arrow_types import arrow_schema
from sculpt.transform.evaluation.execution import Execution
from sculpt.transform.evaluation.findings import Findings
from sculpt.transform.evaluation.summaries import Summary
from sculpt.transform.writers.parquet import plain_batch
from sculpt.values import frozen
from sculpt.verdict import said_of

if TYPE_CHECKING:
    import pyarrow as pa

    from sculpt.transform.evaluation.row_index import RowIndex

FINDINGS = -1
"""The stream of findings: pickled counts and violations."""


@frozen(slots=False)
class Gathered:
    """The rows of other tables that a program looks for, on their way to the workers.

    Spark sends what is large to each worker once, not with each task.
    """

    name: str
    """Different for different content, so that a worker makes its indexes once."""
    batches: Mapping[int, tuple[bytes, ...]]
    """By number of a find: its batches, packed."""
    keys: Mapping[int, int]
    """By number of a find: how many texts are compared."""

    @property
    def indexes(self) -> Mapping[int, RowIndex]:
        """The rows, by their texts."""
        if self.name not in _INDEXES:
            from sculpt.transform.evaluation.row_index import RowIndex

            _INDEXES.clear()  # those of an earlier job
            _INDEXES[self.name] = {
                number: RowIndex((each for data in packs for each in unpacked(data)), count)
                for (number, packs), count in zip(
                    self.batches.items(), self.keys.values(), strict=True
                )
            }
        return _INDEXES[self.name]


_INDEXES: dict[str, Mapping[int, RowIndex]] = {}
"""By name of what was gathered: its indexes, in this worker."""


@frozen(slots=False)
class Production:
    """A program and how to run it: all that is sent to the workers."""

    job: Job
    """The task that finds its regions."""
    program: bytes
    force: bool
    finds: Gathered | None = None
    """What was gathered of other tables."""

    @classmethod
    def make(
        cls, job: Job, program: CoreProgram, force: bool, finds: Gathered | None = None
    ) -> Production:
        """The production of a program."""
        return cls(job, pickle.dumps(program), force, finds)


@frozen(slots=False)
class ProgramItem:
    """A file or a chunk, and what it needs of the rest of the table."""

    scope: Scope
    hidden_rows: tuple[int, ...] = ()
    above: Summary | None = None
    below: Summary | None = None
    total: Summary | None = None

    @property
    def file(self) -> File:
        """The file."""
        return self.scope.file


@lru_cache(maxsize=4)
def core_program(pickled: bytes) -> CoreProgram:
    """The program of a production, the same object every time."""
    program: CoreProgram = pickle.loads(pickled)
    return program


def execution_of(
    production: Production, item: ProgramItem, source: Input, findings: Findings
) -> Execution:
    """The execution of an item."""
    marker = tasks.marker(production.job, item.scope, source)
    core = core_program(production.program)
    indexes = None if production.finds is None else production.finds.indexes
    name = item.file.name
    return Execution(core, marker, name, findings, item.hidden_rows, indexes=indexes)


def batches_of(
    production: Production, item: ProgramItem, findings: Findings
) -> Iterator[tuple[int, pa.RecordBatch]]:
    """The batches of an item, each with its stream; findings are added to `findings`."""
    with tasks.opened(item.file) as source:
        execution = execution_of(production, item, source, findings)
        empty = execution.summariser.empty()
        yield from execution.batches(item.total or empty, item.above or empty, item.below or empty)
        source.check_unchanged()


class Summarise(ReplyFunction[ProgramItem]):
    """The function that summarises items."""

    def __init__(self, production: Production, units: Sequence[Sequence[ProgramItem]]) -> None:
        super().__init__(units)
        self.production = production

    def run(self, item: ProgramItem) -> Iterator[tuple[int, bytes]]:
        """One pickled `Summary`."""
        with tasks.opened(item.file) as source:
            execution = execution_of(self.production, item, source, Findings())
            found = execution.summary((Reach.ABOVE, Reach.BELOW, Reach.COLUMNS))
            source.check_unchanged()
            yield 0, pickle.dumps(found)


class Emit(UnitFunction[ProgramItem]):
    """The function that makes the records of one stream, as the rows of a data frame.

    A value that cannot be computed fails the job, unless the production is forced.
    """

    def __init__(
        self, production: Production, units: Sequence[Sequence[ProgramItem]], stream: int
    ) -> None:
        super().__init__(units)
        self.production = production
        self.stream = stream
        self.columns = ddl(arrow_schema(core_program(production.program).streams[stream]))

    def run(self, item: ProgramItem) -> Iterator[Any]:
        """The records of an item."""
        findings = Findings(limit=1)
        bare = spark_schema(core_program(self.production.program).streams[self.stream])
        for _, batch in batches_of(self.production, item, findings):
            check_findings(findings, item.file.name, self.production.force)
            yield plain_batch(batch, bare)
        check_findings(findings, item.file.name, self.production.force)


def check_findings(findings: Findings, name: str, force: bool) -> None:
    """Fail if a value of a file could not be computed."""
    if findings.count and not force:
        first = findings.violations[0]
        raise DataError(f"{name}: {said_of(first)}", name)


class Pack(ReplyFunction[ProgramItem]):
    """The function that makes packed batches of several streams, in the order of the table."""

    def __init__(self, production: Production, units: Sequence[Sequence[ProgramItem]]) -> None:
        super().__init__(units)
        self.production = production

    def run(self, item: ProgramItem) -> Iterator[tuple[int, bytes]]:
        """The batches of an item with their streams, then its findings."""
        findings = Findings()
        for stream, batch in batches_of(self.production, item, findings):
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
