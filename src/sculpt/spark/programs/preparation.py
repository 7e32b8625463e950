"""The files of a run, ready for its tasks: cut into chunks that know what the rest tells them.

In: files that were validated, a program. Out: `Prepared`: units of portions. Two jobs: one finds
where the chunks of large files begin and what comes into them (`rounds`); one, only where a look-up
or an aggregate needs the rest of the table, summarises each chunk.

Invariant: a portion is all that a task must know. Where a look-up must have the whole table, or
follows a path that does not compose, a file is one portion.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from sculpt.core.programs.program import CoreProgram, Reach
from sculpt.engines.data import Data
from sculpt.engines.machines import build
from sculpt.engines.regions.marker import Marker
from sculpt.errors import SculptError
from sculpt.kernels import choice as backends
from sculpt.schema import Schema
from sculpt.spark import tasks
from sculpt.spark.cluster.watch import failing, watching
from sculpt.spark.programs.tasks import Portion, Production, Summarise
from sculpt.spark.rounds import (
    FILE_COST,
    MAX_UNIT,
    Checked,
    OnProgress,
    Runner,
    Settings,
    mapped,
    units,
)
from sculpt.spark.tasks import File, Slice, Whole
from sculpt.transform.evaluation.execution import Batch, Execution
from sculpt.transform.evaluation.findings import Findings
from sculpt.transform.evaluation.summaries import Summariser, Summary
from sculpt.transform.local import marking_task
from sculpt.values import field, mutable, replace
from sculpt.verdict import Verdict

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

WHOLE = 1 << 62
"""A unit of work that no file fills: each file is one task."""


@mutable
class Marked:
    """A file whose regions can be found, chunk by chunk."""

    file: File
    rows: int
    width: int
    slices: tuple[Slice, ...]
    hidden_rows: tuple[int, ...] = ()
    total: Summary | None = None
    parts: list[Summary] = field(default_factory=list)
    """The summary of each chunk."""


@mutable
class Prepared:
    """A program and the files that it runs on."""

    schema: Schema
    program: CoreProgram
    production: Production
    files: list[Marked]
    share: int
    """How many bytes of small files a task works on."""

    @property
    def is_cut(self) -> bool:
        """Is some file worked on in chunks?"""
        return any(each.slices for each in self.files)

    def units(self) -> list[list[Portion]]:
        """What tasks work on, with what is known of the rest."""
        costs = ((portion, _cost(portion)) for portion in self._portions())
        return units(costs, self.share + FILE_COST)

    def _portions(self) -> Iterator[Portion]:
        for each in self.files:
            if not each.slices:
                listed = Whole(each.file, each.width)
                yield Portion(listed, each.hidden_rows, total=each.total)
                continue
            around = self.summariser(each).around(each.parts) if each.parts else []
            for number, piece in enumerate(each.slices):
                portion = Portion(piece, _rows_of(each, number))
                if around:
                    above, below = around[number]
                    portion = replace(portion, above=above, below=below, total=each.total)
                yield portion

    def summariser(self, marked: Marked) -> Summariser:
        """What puts the summaries of a file's chunks together."""
        return Summariser(self.program, max(1, marked.width), backends.plain())

    def final(self, marked: Marked, findings: Findings) -> Iterator[Batch]:
        """What is known when the whole of a table is."""
        with tasks.opened(marked.file) as source:
            data = Data(source, self.schema.core.dialect.encoding)
            task = marking_task(self.schema, self.program)
            marker = Marker(build(task, data.codec, backends.plain()), data, marked.width)
            execution = Execution(self.program, marker, marked.file.name, findings)
            yield from execution.final(marked.total or execution.summariser.empty())


def prepare(
    spark: SparkSession,
    schema: Schema,
    program: CoreProgram,
    files: Sequence[File],
    hidden: Mapping[int, tuple[int, ...]],
    unit: int | None,
    on_progress: OnProgress | None,
    force: bool,
) -> Prepared:
    """Cut files, and find what their chunks tell each other; `hidden` has rows to leave out."""
    task = marking_task(schema, program)
    settings = Settings(0, WHOLE if program.needs_whole else unit, on_progress)
    runner = Runner(spark, task, settings)
    run = runner.run(files)
    marked = [_marked(checked) for checked in run.checked]
    for each in marked:
        each.hidden_rows = hidden.get(each.file.number, ())
    production = Production.make(run.job, program, force)
    prepared = Prepared(schema, program, production, marked, unit or runner.share(files))
    tells = prepared.is_cut and Reach.ABOVE in program.reaches.values()
    if program.needs_pass or tells:
        _summarise(spark, prepared, on_progress)
    return prepared


def _summarise(spark: SparkSession, prepared: Prepared, on_progress: OnProgress | None) -> None:
    gathered = prepared.units()
    function = Summarise(prepared.production, gathered)
    frame = mapped(spark, function, len(gathered), Summarise.columns)
    with failing(), watching(spark, on_progress):
        table = frame.toArrow()
    names = ("unit", "place", "file", "reply")
    rows = sorted(zip(*(table.column(name).to_pylist() for name in names), strict=True))
    by_number = {each.file.number: each for each in prepared.files}
    for _, _, number, reply in rows:
        by_number[number].parts.append(pickle.loads(reply))
    for each in prepared.files:
        summariser = prepared.summariser(each)
        each.total = summariser.empty()
        for part in pickle.loads(pickle.dumps(each.parts)):  # merging uses them up
            each.total = summariser.merged(each.total, part)


def _marked(checked: Checked) -> Marked:
    if isinstance(checked.outcome, SculptError):
        raise checked.outcome
    assert isinstance(checked.outcome, Verdict)
    return Marked(checked.file, checked.outcome.rows, checked.outcome.columns, checked.slices)


def _cost(portion: Portion) -> int:
    listed = portion.listed
    return MAX_UNIT if isinstance(listed, Slice) else listed.file.size + FILE_COST


def _rows_of(marked: Marked, number: int) -> tuple[int, ...]:
    """The hidden rows of a chunk."""
    first = marked.slices[number].piece.entry.rows
    is_last = number + 1 == len(marked.slices)
    last = marked.rows if is_last else marked.slices[number + 1].piece.entry.rows
    return tuple(row for row in marked.hidden_rows if first < row <= last)
