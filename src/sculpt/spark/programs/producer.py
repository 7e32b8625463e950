"""Programs on Spark: a typed data frame, Parquet, or batches in the order of the tables.

In: a session, a schema with programs, paths. Out: records in one of these forms. The jobs:

    validate    as `sculpt.spark.validate` does
    prepare     those after which each chunk can be processed independently (`preparation`)
    emit        the records, made where the bytes are read: rows of a data frame, files that
                the tasks write themselves (`parquet`), or packed batches for writers of text

Invariant: the records are those of the engine `local`, and come in the same order.
"""

from __future__ import annotations

import os
import pickle
import secrets
from collections.abc import Container, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from sculpt.checks.model import Request
from sculpt.checks.plan import plan_of
from sculpt.checks.validation import data_of
from sculpt.core.programs.program import CoreProgram
from sculpt.errors import DataError, RunError, UnreadFilesError, UsageError
from sculpt.policy import WORDS_ACROSS_ROWS, Policy, check_verdicts, no_good_rows
from sculpt.schema import Schema
from sculpt.spark import files as entry
from sculpt.spark.cluster.watch import failing, watching
from sculpt.spark.executions.preparation import Prepared, PreparedFile, prepare
from sculpt.spark.executions.tasks import (
    FINDINGS,
    Emit,
    Gathered,
    Pack,
    check_findings,
    packed,
    unpacked,
)
from sculpt.spark.executions.types import spark_schema
from sculpt.spark.programs.parquet import PartFiles, Write, Written, begin, finish
from sculpt.spark.result import Result
from sculpt.spark.rounds import Paths, planned
from sculpt.spark.tasks import File
from sculpt.spark.units import MAX_UNIT, OnProgress
from sculpt.tabular.stores import is_uri
from sculpt.transform.arrow_types import arrow_schema
from sculpt.transform.atomic import Place
from sculpt.transform.evaluation.execution import Batch
from sculpt.transform.evaluation.findings import Findings
from sculpt.transform.local import program_of
from sculpt.transform.writers.parquet import plain_batch
from sculpt.values import replace
from sculpt.verdict import RefusedError, Unread, Verdict, Violation

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


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
        request: Request | None = None,
    ) -> None:
        """`request` is for a schema with more than rules."""
        self.spark = spark
        self.schema = schema
        self.paths = paths
        self.policy = policy
        self.program = program_of(schema)
        self.force = policy is Policy.FORCE
        self.unit = unit
        self.on_progress = on_progress
        self.max_violations = max_violations
        self.request = request
        self.verdicts: list[Verdict] = []
        self.notes: list[str] = []
        self._result: Result | None = None
        self._hidden: dict[int, tuple[int, ...]] = {}

    # ------------------------------------------------------------- validation

    def validate(self) -> None:
        """Validate all files; raise `RefusedError` if one is invalid and the policy refuses it."""
        if not isinstance(self.paths, str | os.PathLike):
            self.paths = list(self.paths)
            if not self.paths:
                raise UsageError("no data given")
        asked = {} if self.request is None else self.request.for_spark
        limits = (self.max_violations, self.unit, self.on_progress)
        self._result = entry.validate(self.spark, self.schema, self.paths, *limits, **asked)
        outcomes = self._result.verdict.outcomes
        unread = [each for each in outcomes if isinstance(each, Unread)]
        if unread:
            raise UnreadFilesError.of(DataError(each.message, each.path) for each in unread)
        verdicts = [each for each in outcomes if not isinstance(each, Unread)]
        self.verdicts = [each for each in verdicts if each.table is None]
        others = [each for each in verdicts if each.table is not None]
        check_verdicts([*self.verdicts, *others], self.policy)
        if self.policy is Policy.GOOD_ROWS:
            self._hidden = self._bad_rows(self._result)

    @property
    def left_out(self) -> list[int]:
        """By file: how many rows are left out because they have violations."""
        assert self._result is not None
        files = (checked.file.number for checked in self._result.run.files)
        return [len(self._hidden.get(number, ())) for number in files]

    def _bad_rows(self, result: Result) -> dict[int, tuple[int, ...]]:
        """By number of a file: the rows that errors name."""
        found: dict[int, tuple[int, ...]] = {}
        for checked in result.run.files:
            verdict = checked.outcome
            if not isinstance(verdict, Verdict) or verdict.valid:
                continue
            if any(each.all_bad for each in checked.chunks):
                raise no_good_rows(checked.file.name)
        errors = result.violations.where("severity = 'error'")
        frame = errors.select("file", "code", "row").distinct()
        with failing(), watching(self.spark, self.on_progress):
            rows = frame.toArrow().to_pylist()
        numbers: dict[str, list[int]] = {}  # a file may be given twice
        for checked in result.run.files:
            numbers.setdefault(checked.file.name, []).append(checked.file.number)
        bad: dict[int, set[int]] = {}
        for each in rows:
            if each["file"] not in numbers:
                continue  # a file of another table
            if each["row"] is None or each["code"] in WORDS_ACROSS_ROWS:
                raise no_good_rows(each["file"])
            for number in numbers[each["file"]]:
                bad.setdefault(number, set()).add(each["row"])
        found |= {number: tuple(sorted(rows)) for number, rows in bad.items()}
        return found

    # ------------------------------------------------------------- results

    def _prepared(self, streams: Container[int], findings: Findings) -> Prepared:
        """The files, prepared for the part of the program that feeds some streams.

        What goes wrong in other tables that the program looks into goes to `findings`.
        """
        assert self._result is not None
        program = self.program.only(streams)
        finds = self._gathered(program, findings) if program.found else None
        files = [checked.file for checked in self._result.run.files]
        if program.needs_whole and any(file.size > MAX_UNIT for file in files):
            self.notes.append(
                "each file is processed by one task: a look-up needs the whole table,"
                " or its path cannot be followed chunk by chunk"
                if not program.distinct
                else "each file is processed by one task: `emit distinct` compares all its records"
            )
        return prepare(
            self.spark,
            self.schema,
            program,
            files,
            self._hidden,
            self.unit,
            self.on_progress,
            self.force,
            finds,
        )

    def _gathered(self, program: CoreProgram, findings: Findings) -> Gathered:
        """The rows of other tables that a program looks for: found by tasks, collected here."""
        batches: dict[int, tuple[bytes, ...]] = {}
        for number in program.found:
            find = program.finds[number]
            table = next(each for each in self.schema.tables if each.name == find.table)
            schema = replace(table.schema, program=find.program)
            planned_table = next(
                each for each in plan_of(self.schema).tables if each.table == table
            )
            files = _read(planned(data_of(planned_table, self.request or Request())))
            asked = (self.unit, self.on_progress, True)
            prepared = prepare(self.spark, schema, find.program, files, {}, *asked)
            made = (batch for each in self._packed(prepared, findings) for _, batch in each)
            batches[number] = tuple(packed(batch) for batch in made)
        keys = {number: program.finds[number].keys for number in batches}
        return Gathered(secrets.token_hex(16), batches, keys)

    def frame(self, stream: int) -> DataFrame:
        """The records of a stream, as a data frame."""
        import pyarrow as pa

        findings = Findings()
        prepared = self._prepared({stream}, findings)
        made = Emit(prepared.production, prepared.units(), stream).frame(self.spark)
        last = [b for each in prepared.files for _, b in prepared.final(each, findings)]
        check_findings(findings, findings.paths[0] if findings.paths else "", self.force)
        if last:
            bare = spark_schema(self.program.streams[stream])
            table = pa.Table.from_batches([plain_batch(batch, bare) for batch in last], bare)
            made = made.unionAll(self.spark.createDataFrame(table, made.schema))
        return made

    def write_tables(
        self, places: Mapping[int, Place], findings: Findings
    ) -> dict[int, int | None]:
        """Write the records of streams as Parquet, each to a directory; their counts.

        A directory must be new or empty. Tasks write the files themselves. Output to a store is
        written by Spark, which knows how to commit files there, and is not counted.
        """
        stored = {stream: place for stream, place in places.items() if is_uri(place.directory)}
        here = {
            stream: replace(place, directory=os.path.abspath(place.directory))
            for stream, place in places.items()
            if stream not in stored
        }
        counts: dict[int, int | None] = dict(self._write_here(here, findings)) if here else {}
        for stream, place in stored.items():
            self._write_stored(stream, place.directory, findings)
            counts[stream] = None
        return counts

    def _write_here(self, places: Mapping[int, Place], findings: Findings) -> dict[int, int]:
        """Have tasks write to directories that all machines can access."""
        prepared = self._prepared(places, findings)
        units = prepared.units()
        begin(places)
        write = Write(prepared.production, units, places, findings.limit)
        replies = write.collect(self.spark, self.on_progress)
        written: list[Written] = [pickle.loads(reply.data) for reply in replies]
        files = [file for each in written for file in each.files]
        found: dict[int, list[tuple[int, tuple[Violation, ...]]]] = {}
        for file, count, violations in (each for unit in written for each in unit.findings):
            found.setdefault(file, []).append((count, violations))
        schemas = {stream: arrow_schema(self.program.streams[stream]) for stream in places}
        with PartFiles(places, schemas, len(units)) as last:
            for each in prepared.files:
                for count, violations in found.get(each.file.number, ()):
                    findings.merge(count, violations, each.file.name)
                for stream, batch in prepared.final(each, findings):
                    last.put(stream, batch)
            for stream in places.keys() - {stream for stream, _, _ in files}:
                last.open(stream)  # a table without records still has its fields
            files += last.ended()
        finish(places, files)
        return {stream: sum(rows for each, _, rows in files if each == stream) for stream in places}

    def _write_stored(self, stream: int, uri: str, findings: Findings) -> None:
        """Have Spark write to a store."""
        try:
            with failing(), watching(self.spark, self.on_progress):
                self.frame(stream).write.parquet(uri)
        except RunError as error:
            if "[PATH_ALREADY_EXISTS]" in str(error):
                raise UsageError(f"{uri}: already exists; name a new directory") from error
            self._collect(stream, findings)
            if findings.count and not self.force:
                found = tuple(findings.violations)
                raise RefusedError(tuple(self.verdicts), found, tuple(findings.paths)) from None
            raise
        if self.force:
            self._collect(stream, findings)

    def _collect(self, stream: int, findings: Findings) -> None:
        """Collect all values that cannot be computed: a failed job reports only the first."""
        for table in self.tables(frozenset([stream]), findings):
            for _ in table:
                pass

    def tables(self, streams: frozenset[int], findings: Findings) -> Iterator[Iterator[Batch]]:
        """The batches of some streams, file by file, each in the order of its table."""
        yield from self._packed(self._prepared(streams, findings), findings)

    def _packed(self, prepared: Prepared, findings: Findings) -> Iterator[Iterator[Batch]]:
        """The batches of prepared files, file by file."""
        pack = Pack(prepared.production, prepared.units())
        with failing():
            frame = pack.frame(self.spark).persist()
            try:
                with watching(self.spark, self.on_progress):
                    frame.count()  # computes all partitions in parallel; then each is fetched
                rows = _Rows(iter(frame.toLocalIterator()))
                for each in prepared.files:
                    yield _table(prepared, each, rows, findings)
            finally:
                frame.unpersist()


def _table(
    prepared: Prepared, file: PreparedFile, rows: _Rows, findings: Findings
) -> Iterator[Batch]:
    for row in rows.of(file.file.number):
        if row["stream"] == FINDINGS:
            count, violations = pickle.loads(row["data"])
            findings.merge(count, violations, file.file.name)
            continue
        for batch in unpacked(bytes(row["data"])):
            yield row["stream"], batch
    yield from prepared.final(file, findings)


def _read(files: Iterable[File | DataError]) -> list[File]:
    """Files that can be read; raises the first error."""
    found = []
    for each in files:
        if isinstance(each, DataError):
            raise each
        found.append(each)
    return found


class _Rows:
    """Rows in the order of files."""

    def __init__(self, rows: Iterator[Any]) -> None:
        self._rows = rows
        self._next: Any = None

    def of(self, file: int) -> Iterator[Any]:
        """The rows of a file, which must be the next one."""
        while True:
            row = self._next if self._next is not None else next(self._rows, None)
            self._next = None
            if row is None:
                return
            if row["file"] != file:
                self._next = row
                return
            yield row
