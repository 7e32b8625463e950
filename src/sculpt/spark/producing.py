"""Programs on Spark: `sculpt.spark.records`, `run --engine spark`, exports.

In: a session, a schema with programs, paths. Out: a data frame of typed records; or, for whoever
writes texts, the batches of all streams in the order of the tables. The jobs:

    validate    as `sculpt.spark.validate` does
    mark        where the chunks of large files begin, and what comes into them (`rounds`)
    summarise   only where a look-up or an aggregate needs the rest of the table
    emit        the records, made where the bytes are read; they stay distributed

Invariant: the records are those of the engine `local`, and come in the same order. Where a look-up
must have the whole table, or follows a path upwards, a file is one task.
"""

from __future__ import annotations

import os
import pickle
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from sculpt.automata import backend as backends
from sculpt.core.programs import CoreProgram, Reach
from sculpt.engines.chunks import CONTENT
from sculpt.engines.marking import Marker
from sculpt.errors import DataError, RunError, SculptError, UsageError
from sculpt.report.run import Unread
from sculpt.schema import Schema
from sculpt.spark import entry, tasks
from sculpt.spark.portions import (
    FINDINGS,
    Emit,
    Pack,
    Portion,
    Production,
    Summarise,
    spark_schema,
    unpacked,
)
from sculpt.spark.result import Result
from sculpt.spark.rounds import (
    FILE_COST,
    MAX_UNIT,
    Checked,
    OnProgress,
    Paths,
    Runner,
    Settings,
    mapped,
    units,
)
from sculpt.spark.session import joined_session, running_session
from sculpt.spark.tasks import File, Slice, Whole
from sculpt.spark.watch import failing, watching
from sculpt.tabular.stores import is_uri
from sculpt.transform.arrow_types import arrow_schema
from sculpt.transform.findings import Findings
from sculpt.transform.local import (
    Policy,
    check_verdicts,
    marking_task,
    no_good_rows,
    program_of,
)
from sculpt.transform.results import Results, target_stream
from sculpt.transform.running import Batch, Execution
from sculpt.transform.summaries import Summariser, Summary
from sculpt.verdict import RefusedError, Verdict

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

WHOLE = 1 << 62
"""A unit of work that no file fills: each file is one task."""


def records(
    spark: SparkSession,
    schema: Schema,
    paths: Paths,
    target: str | None = None,
    force: bool = False,
    only_good_rows: bool = False,
    unit: int | None = None,
) -> DataFrame:
    """The records that a schema's programs emit, as a typed data frame.

    Data that violates the schema raises `RefusedError`, unless `force` or `only_good_rows` is set.
    A value that cannot be had fails the job that needs it, and the message names the cell.
    """
    if force and only_good_rows:
        raise UsageError("`force` keeps all rows, `only_good_rows` does not: choose one")
    policy = Policy.FORCE if force else Policy.GOOD_ROWS if only_good_rows else Policy.REFUSE
    producer = SparkProducer(spark, schema, paths, policy, unit)
    producer.validate()
    return producer.frame(target_stream(producer.program, target))


@dataclass
class _Marked:
    """A file whose regions can be found, chunk by chunk."""

    file: File
    rows: int
    width: int
    slices: tuple[Slice, ...]
    hidden_rows: tuple[int, ...] = ()
    total: Summary | None = None
    parts: list[Summary] = field(default_factory=list)
    """The summary of each chunk."""


class SparkProducer:
    """Runs the programs of a schema over files on Spark."""

    def __init__(
        self,
        spark: SparkSession,
        schema: Schema,
        paths: Paths,
        policy: Policy,
        unit: int | None = None,
        on_progress: OnProgress | None = None,
        max_violations: int = 20,
    ) -> None:
        self.spark = spark
        self.schema = schema
        self.paths = paths
        self.policy = policy
        self.program = program_of(schema)
        self.force = policy is Policy.FORCE
        self.unit = unit
        self.on_progress = on_progress
        self.max_violations = max_violations
        self.verdicts: list[Verdict] = []
        self.notes: list[str] = []
        self._result: Result | None = None
        self._hidden: dict[int, tuple[int, ...]] = {}

    # ------------------------------------------------------------- validation

    def validate(self) -> None:
        """Validate all files; raises `RefusedError` if one does not conform and that matters."""
        self._result = entry.validate(
            self.spark, self.schema, self.paths, self.max_violations, self.unit, self.on_progress
        )
        self.verdicts = []
        for outcome in self._result.verdict.outcomes:
            if isinstance(outcome, Unread):
                raise DataError(outcome.message, outcome.path)
            self.verdicts.append(outcome)
        check_verdicts(self.verdicts, self.policy)
        if self.policy is Policy.GOOD_ROWS:
            self._hidden = self._bad_rows(self._result)

    def _bad_rows(self, result: Result) -> dict[int, tuple[int, ...]]:
        """By file: the rows that violations name."""
        found: dict[int, tuple[int, ...]] = {}
        for checked in result.run.checked:
            verdict = checked.outcome
            if not isinstance(verdict, Verdict) or verdict.valid:
                continue
            if any(each.all_bad for each in checked.slices):
                raise no_good_rows(checked.file.name)
        frame = result.violations.select("file", "code", "row").distinct()
        with failing(), watching(self.spark, self.on_progress):
            rows = frame.toArrow().to_pylist()
        by_name = {checked.file.name: checked.file.number for checked in result.run.checked}
        bad: dict[int, set[int]] = {}
        for each in rows:
            if each["row"] is None or each["code"] in CONTENT:
                raise no_good_rows(each["file"])
            bad.setdefault(by_name[each["file"]], set()).add(each["row"])
        found |= {number: tuple(sorted(rows)) for number, rows in bad.items()}
        return found

    # ------------------------------------------------------------- marking

    def _marked(self, program: CoreProgram) -> tuple[Production, list[_Marked]]:
        """The files with their chunks, and what these tell each other."""
        assert self._result is not None
        task = marking_task(self.schema, program)
        files = [checked.file for checked in self._result.run.checked]
        unit = WHOLE if program.needs_whole else self.unit
        settings = Settings(0, unit, self.on_progress)
        run = Runner(self.spark, task, settings).run(files)
        marked = [_marked_file(checked) for checked in run.checked]
        for each in marked:
            each.hidden_rows = self._hidden.get(each.file.number, ())
        if unit == WHOLE and any(file.size > MAX_UNIT for file in files):
            self.notes.append("a look-up needs the whole table, so each file is one task")
        production = Production.make(run.job, program, self.force)
        is_cut = any(each.slices for each in marked)
        if program.needs_pass or (is_cut and Reach.ABOVE in program.reaches.values()):
            self._summarise(production, program, marked)
        return production, marked

    def _summarise(
        self, production: Production, program: CoreProgram, marked: Sequence[_Marked]
    ) -> None:
        """Find what the chunks of each file tell each other."""
        gathered = units(_portions(marked), MAX_UNIT + FILE_COST)
        frame = mapped(
            self.spark, Summarise(production, gathered), len(gathered), Summarise.columns
        )
        with failing(), watching(self.spark, self.on_progress):
            table = frame.toArrow()
        names = ("unit", "place", "file", "reply")
        rows = sorted(zip(*(table.column(name).to_pylist() for name in names), strict=True))
        by_number = {each.file.number: each for each in marked}
        for _, _, number, reply in rows:
            by_number[number].parts.append(pickle.loads(reply))
        for each in marked:
            summariser = _summariser(program, each.width)
            each.total = summariser.empty()
            for part in pickle.loads(pickle.dumps(each.parts)):  # merging uses them up
                each.total = summariser.merged(each.total, part)

    # ------------------------------------------------------------- results

    def frame(self, stream: int) -> DataFrame:
        """The records of a stream, as a data frame."""
        program = self.program.only({stream})
        production, marked = self._marked(program)
        gathered = units(_portions(marked, program), MAX_UNIT + FILE_COST)
        schema = arrow_schema(program.streams[stream])
        columns = ddl(schema)
        made = mapped(self.spark, Emit(production, gathered, stream), len(gathered), columns)
        findings = Findings()
        last = [b for each in marked for _, b in self._final(program, each, findings)]
        if findings.count and not self.force:
            raise DataError(findings.violations[0].message, "")
        if last:
            import pyarrow as pa

            from sculpt.transform.parquet import plain_batch

            bare = spark_schema(program.streams[stream])
            table = pa.Table.from_batches([plain_batch(batch, bare) for batch in last], bare)
            made = made.unionAll(self.spark.createDataFrame(table, made.schema))
        return made

    def write_table(self, stream: int, directory: str, findings: Findings) -> None:
        """Write the records of a stream as Parquet, into a directory that is empty."""
        place = directory if is_uri(directory) else os.path.abspath(directory)
        try:
            with failing(), watching(self.spark, self.on_progress):
                self.frame(stream).write.mode("append").parquet(place)
        except RunError:
            self._find(stream, findings)
            if findings.count and not self.force:
                raise RefusedError(tuple(self.verdicts), tuple(findings.violations)) from None
            raise
        if self.force:
            self._find(stream, findings)

    def _find(self, stream: int, findings: Findings) -> None:
        """Find what cannot be had: a failed job tells only the first."""
        for table in self.tables(frozenset([stream]), findings):
            for _ in table:
                pass

    def tables(self, streams: frozenset[int], findings: Findings) -> Iterator[Iterator[Batch]]:
        """What some streams get, file by file, each in the order of its table."""
        program = self.program.only(streams)
        production, marked = self._marked(program)
        gathered = units(_portions(marked, program), MAX_UNIT + FILE_COST)
        frame = mapped(self.spark, Pack(production, gathered), len(gathered), Pack.columns)
        with failing():
            frame = frame.persist()
            try:
                with watching(self.spark, self.on_progress):
                    frame.count()  # all parts at once; then they are handed over one by one
                rows = _Rows(iter(frame.toLocalIterator()))
                for each in marked:
                    yield self._table(each, rows, program, findings)
            finally:
                frame.unpersist()

    def _table(
        self, marked: _Marked, rows: _Rows, program: CoreProgram, findings: Findings
    ) -> Iterator[Batch]:
        for row in rows.of(marked.file.number):
            if row["stream"] == FINDINGS:
                count, violations = pickle.loads(row["data"])
                findings.merge(count, violations, marked.file.name)
                continue
            for batch in unpacked(bytes(row["data"])):
                yield row["stream"], batch
        yield from self._final(program, marked, findings)

    def _final(self, program: CoreProgram, marked: _Marked, findings: Findings) -> Iterator[Batch]:
        """What is known when the whole table is."""
        with tasks.opened(marked.file) as source:
            execution = driver_execution(self.schema, program, marked, source, findings)
            total = marked.total or execution.summariser.empty()
            yield from execution.final(total)


class _Rows:
    """Rows that come in the order of files."""

    def __init__(self, rows: Iterator[Any]) -> None:
        self._rows = rows
        self._next: Any = None

    def of(self, file: int) -> Iterator[Any]:
        """The rows of a file, which is the next one."""
        while True:
            row = self._next if self._next is not None else next(self._rows, None)
            self._next = None
            if row is None:
                return
            if row["file"] != file:
                self._next = row
                return
            yield row


def _marked_file(checked: Checked) -> _Marked:
    if isinstance(checked.outcome, SculptError):
        raise checked.outcome
    assert isinstance(checked.outcome, Verdict)
    return _Marked(checked.file, checked.outcome.rows, checked.outcome.columns, checked.slices)


def _summariser(program: CoreProgram, width: int) -> Summariser:
    return Summariser(program, max(1, width), backends.plain())


def _portions(
    marked: Sequence[_Marked], program: CoreProgram | None = None
) -> Iterator[tuple[Portion, int]]:
    """The files and chunks to work on, with what they cost; with `program`, what they must know."""
    for each in marked:
        if not each.slices:
            listed = Whole(each.file, each.width)
            cost = each.file.size + FILE_COST
            yield Portion(listed, each.hidden_rows, total=each.total), cost
            continue
        summariser = None if program is None else _summariser(program, each.width)
        for number, piece in enumerate(each.slices):
            portion = Portion(piece, _rows_of(each, number))
            if summariser is not None and each.parts:
                above, below = summariser.around(each.parts, number)
                portion = replace(portion, above=above, below=below, total=each.total)
            yield portion, MAX_UNIT


def _rows_of(marked: _Marked, number: int) -> tuple[int, ...]:
    """The hidden rows of a chunk."""
    first = marked.slices[number].piece.entry.rows
    is_last = number + 1 == len(marked.slices)
    last = marked.rows if is_last else marked.slices[number + 1].piece.entry.rows
    return tuple(row for row in marked.hidden_rows if first < row <= last)


def driver_execution(
    schema: Schema, program: CoreProgram, marked: _Marked, source: Any, findings: Findings
) -> Execution:
    """The execution of a file as the driver needs it: for what ends with the table."""
    from sculpt.engines.data import Data
    from sculpt.engines.program import build

    data = Data(source, schema.core.dialect.encoding)
    compiled = build(marking_task(schema, program), data.codec, backends.plain())
    marker = Marker(compiled, data, marked.width)
    return Execution(program, marker, marked.file.name, findings)


def ddl(schema: pa.Schema) -> str:
    """An Arrow schema as Spark spells it."""
    return ", ".join(f"`{field.name.replace('`', '``')}` {_spelt(field.type)}" for field in schema)


def _spelt(kind: pa.DataType) -> str:
    import pyarrow as pa

    if pa.types.is_decimal(kind):
        return f"decimal({kind.precision},{kind.scale})"
    if pa.types.is_timestamp(kind):
        return "timestamp" if kind.tz else "timestamp_ntz"
    names = {
        pa.string(): "string",
        pa.int8(): "tinyint",
        pa.int16(): "smallint",
        pa.int32(): "int",
        pa.int64(): "bigint",
        pa.float32(): "float",
        pa.float64(): "double",
        pa.bool_(): "boolean",
        pa.date32(): "date",
        pa.time64("us"): "time(6)",
        pa.binary(): "binary",
        pa.list_(pa.string()): "array<string>",
    }
    return names[kind]


def spark_results(
    schema: Schema, paths: Sequence[str], policy: Policy, spark: SparkSession | None
) -> Results:
    """The results of a run on Spark, for `sculpt.run`: the session must outlive them."""
    session = spark or running_session()
    if session is None:
        raise UsageError(
            "a run on Spark needs the session that its results come from:"
            " `sculpt.run(…, spark=spark)`"
        )
    producer = SparkProducer(session, schema, paths, policy)
    producer.validate()
    return Results(producer)


def export_on_spark(
    schema: Schema, task: Any, path: str, spark: SparkSession | None
) -> Iterator[tuple[set[int], pa.RecordBatch | None]]:
    """The columns of a region, then its rows in batches, as tasks find them."""
    from sculpt.spark.exporting import exported

    with joined_session(spark) as session:
        yield from exported(session, task, path)
