"""The files of a run, prepared for its tasks: cut into chunks, with what each needs of the rest.

In: validated files, a program. Out: `Prepared`: units of `ProgramItem`s. The jobs: first those that
find where the chunks of large files begin and what enters them (`rounds`); then, only if a look-up
or an aggregate needs the rest of the table, one that summarises each chunk.

Invariant: an item is all that a task needs. If a look-up needs the whole table, or follows a path
that does not compose, each file is one item.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from sculpt.core.programs.look_ups import Reach
from sculpt.core.programs.program import CoreProgram
from sculpt.engines.data import Data
from sculpt.engines.machines import build
from sculpt.engines.regions.marker import Marker
from sculpt.errors import SculptError
from sculpt.kernels import choice as backends
from sculpt.schema import Schema
from sculpt.spark import tasks
from sculpt.spark.executions.tasks import Gathered, Production, ProgramItem, Summarise
from sculpt.spark.rounds import CheckedFile, Runner, Settings
from sculpt.spark.tasks import File, SettledChunk, WholeFile
from sculpt.spark.units import FILE_COST, MAX_UNIT, OnProgress, gather
from sculpt.transform.evaluation.execution import Batch, Execution
from sculpt.transform.evaluation.findings import Findings
from sculpt.transform.evaluation.summaries import Summariser, Summary
from sculpt.transform.local import marking_task
from sculpt.values import field, mutable, replace
from sculpt.verdict import Verdict

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

WHOLE = 1 << 62
"""A unit size that no file exceeds: each file is one item."""


@mutable
class PreparedFile:
    """A file whose regions can be found, chunk by chunk."""

    file: File
    rows: int
    width: int
    chunks: tuple[SettledChunk, ...]
    hidden_rows: tuple[int, ...] = ()
    total: Summary | None = None
    summaries: list[Summary] = field(default_factory=list)
    """One per chunk."""


@mutable
class Prepared:
    """A program and the files that it runs on."""

    schema: Schema
    program: CoreProgram
    production: Production
    files: list[PreparedFile]
    share: int
    """How many bytes of small files share a task."""

    @property
    def is_cut(self) -> bool:
        """Is some file worked on in chunks?"""
        return any(each.chunks for each in self.files)

    def units(self) -> list[list[ProgramItem]]:
        """The units of work, each item with what it needs of the rest."""
        costs = ((item, _cost(item)) for item in self._items())
        return gather(costs, self.share + FILE_COST)

    def _items(self) -> Iterator[ProgramItem]:
        for each in self.files:
            if not each.chunks:
                scope = WholeFile(each.file, each.width)
                yield ProgramItem(scope, each.hidden_rows, total=each.total)
                continue
            around = self.summariser(each).around(each.summaries) if each.summaries else []
            for number, settled in enumerate(each.chunks):
                item = ProgramItem(settled, _hidden_rows_of(each, number))
                if around:
                    above, below = around[number]
                    item = replace(item, above=above, below=below, total=each.total)
                yield item

    def summariser(self, prepared: PreparedFile) -> Summariser:
        """Merges the summaries of a file's chunks."""
        return Summariser(self.program, max(1, prepared.width), backends.plain())

    def final(self, prepared: PreparedFile, findings: Findings) -> Iterator[Batch]:
        """The batches that need the whole table."""
        with tasks.opened(prepared.file) as source:
            data = Data(source, self.schema.core.dialect.encoding)
            task = marking_task(self.schema, self.program)
            machines = build(task, data.codec, backends.plain(), notes_texts=True)
            marker = Marker(machines, data, prepared.width)
            finds = self.production.finds
            execution = Execution(
                self.program,
                marker,
                prepared.file.name,
                findings,
                indexes=None if finds is None else finds.indexes,
            )
            yield from execution.final(prepared.total or execution.summariser.empty())


def prepare(
    spark: SparkSession,
    schema: Schema,
    program: CoreProgram,
    files: Sequence[File],
    hidden: Mapping[int, tuple[int, ...]],
    unit: int | None,
    on_progress: OnProgress | None,
    force: bool,
    finds: Gathered | None = None,
) -> Prepared:
    """Cut files, and exchange summaries between chunks.

    `hidden` holds the rows to leave out, `finds` what was gathered of other tables.
    """
    task = marking_task(schema, program)
    settings = Settings(0, WHOLE if program.needs_whole else unit, on_progress)
    runner = Runner(spark, task, settings)
    run = runner.run(files)
    prepared_files = [_prepared_file(checked) for checked in run.files]
    for each in prepared_files:
        each.hidden_rows = hidden.get(each.file.number, ())
    production = Production.make(run.job, program, force, finds)
    share = unit or runner.share(files)
    prepared = Prepared(schema, program, production, prepared_files, share)
    needs_summaries = prepared.is_cut and Reach.ABOVE in program.reaches.values()
    if program.needs_pass or needs_summaries:
        _summarise(spark, prepared, on_progress)
    return prepared


def _summarise(spark: SparkSession, prepared: Prepared, on_progress: OnProgress | None) -> None:
    summarise = Summarise(prepared.production, prepared.units())
    by_number = {each.file.number: each for each in prepared.files}
    for reply in summarise.collect(spark, on_progress):
        by_number[reply.file].summaries.append(pickle.loads(reply.data))
    for each in prepared.files:
        summariser = prepared.summariser(each)
        each.total = summariser.empty()
        for summary in pickle.loads(pickle.dumps(each.summaries)):  # merging mutates them
            each.total = summariser.merged(each.total, summary)


def _prepared_file(checked: CheckedFile) -> PreparedFile:
    if isinstance(checked.outcome, SculptError):
        raise checked.outcome
    assert isinstance(checked.outcome, Verdict)
    verdict = checked.outcome
    return PreparedFile(checked.file, verdict.rows, verdict.columns, checked.chunks)


def _cost(item: ProgramItem) -> int:
    return MAX_UNIT if isinstance(item.scope, SettledChunk) else item.file.size + FILE_COST


def _hidden_rows_of(prepared: PreparedFile, number: int) -> tuple[int, ...]:
    """The hidden rows of a chunk."""
    chunks = [settled.chunk for settled in prepared.chunks]
    first = chunks[number].intake.rows
    last = chunks[number + 1].intake.rows if number + 1 < len(chunks) else prepared.rows
    return tuple(row for row in prepared.hidden_rows if first < row <= last)
