"""`spark.read.format("sculpt")`: violations, regions and rows of files, as a data source.

In: options. Out: a data frame. In SQL, write `USING sculpt OPTIONS (…)`.

| option | meaning |
|---|---|
| `path` (or the argument of `load`) | a file, directory, glob or URI |
| `schema` | the schema file |
| `schemaText` | instead of `schema`: the text of the schema |
| `what` | `violations` (the default), `region` or `rows` |
| `records` | instead of `what`: the records of this target of the schema's programs |
| `onInvalid` | for `records`: `refuse` (the default), `force` or `good rows` |
| `selector` | for `region`: which cells |
| `set.Col Delim`, … | overrides a directive of the schema |

Spark plans a data source in a separate process without a session, so no job can find the edges
between chunks: one task reads a whole file, and small files share a task. For large files use
`sculpt.spark.validate`. Invariant: the rows of a file come in the order of its table. A file that
cannot be read fails the query, and the message names it.
"""

from __future__ import annotations

import json
import pickle
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition

from sculpt.checks.conditions import files_of
from sculpt.checks.model import Request
from sculpt.core.task import Task
from sculpt.engines.options import Options
from sculpt.errors import DataError, SculptError, UsageError
from sculpt.interchange.load import schema_for
from sculpt.policy import Policy, check_verdicts
from sculpt.schema import Schema, selector_task
from sculpt.spark import tasks
from sculpt.spark.executions.tasks import check_findings
from sculpt.spark.executions.types import ddl, spark_schema
from sculpt.spark.identities.one_file import FileChecks, marked_rows
from sculpt.spark.listers import LISTERS, Lister
from sculpt.spark.rounds import planned
from sculpt.spark.tasks import File, Job, WholeFile
from sculpt.spark.units import FILE_COST, MIN_UNIT, gather
from sculpt.syntax.ast import Document
from sculpt.transform.arrow_types import arrow_schema
from sculpt.transform.evaluation.findings import Findings
from sculpt.transform.local import TableRun, program_of
from sculpt.transform.results import target_stream
from sculpt.transform.writers.parquet import plain_batch
from sculpt.values import mutable
from sculpt.verdict import Verdict

if TYPE_CHECKING:
    from pyspark.sql.types import StructType

_KNOWN = ("path", "paths", "schema", "schematext", "what", "selector", "records", "oninvalid")


class SculptSource(DataSource):
    """The data source."""

    @classmethod
    def name(cls) -> str:
        """The name to pass to `format`."""
        return "sculpt"

    def _what(self) -> str:
        what = self.options.get("what", "violations")
        if what not in LISTERS:
            known = ", ".join(f"`{kind}`" for kind in LISTERS)
            raise UsageError(f"unknown value `{what}` of the option `what`; choose one of {known}")
        return what

    def schema(self) -> str:
        """The columns of the data frame."""
        if "records" in self.options:
            program = program_of(_schema(dict(self.options)))
            stream = target_stream(program, self.options["records"])
            return ddl(arrow_schema(program.streams[stream]))
        return LISTERS[self._what()].columns

    def reader(self, schema: StructType) -> DataSourceReader:
        """The object that plans partitions and reads them."""
        what, options = self._what(), dict(self.options)
        paths = _paths(options)
        for name in options:
            if name.lower() not in _KNOWN and not name.lower().startswith("set."):
                raise UsageError(f"the data source `sculpt` has no option `{name}`")
        known = _schema(options)
        if "records" in self.options:
            if known.has_checks:
                raise UsageError(
                    "the data source `sculpt` makes no records by a schema with keys, references or"
                    " conditions; use `sculpt.spark.records`"
                )
            return RecordsReader(known, self.options["records"], _policy(options), paths)
        has_checks = known.has_checks and what != "region"
        if has_checks:
            _check_alone(known)
        return SculptReader(what, _task(options, what), paths, known if has_checks else None)


@mutable
class FilesPartition(InputPartition):
    """Some files, read by one task."""

    files: tuple[File, ...]


class SculptReader(DataSourceReader):
    """Assigns files to partitions, and lists what is in them."""

    def __init__(
        self, what: str, task: Task, paths: Sequence[str], schema: Schema | None = None
    ) -> None:
        """`schema` is given if there is more to check than rules."""
        self.what = what
        self.paths = paths
        self.job = Job.make(task, 0, size=0)
        self.checks = None if schema is None else pickle.dumps(_bare(schema))

    def partitions(self) -> Sequence[InputPartition]:
        """Small files together, large ones alone."""
        return _partitions(self.paths)

    def read(self, partition: InputPartition) -> Iterator[Any]:
        """The rows of some files, as Arrow batches."""
        assert isinstance(partition, FilesPartition)
        for file in partition.files:
            job = Job(self.job.schema, 0, size=file.size)
            answer = tasks.answer(job, WholeFile(file))
            if isinstance(answer, SculptError):
                raise answer
            assert isinstance(answer, Verdict)
            lister = LISTERS[self.what](job, [])
            scope = WholeFile(file, answer.columns, answer.unmatched)
            if self.checks is not None:
                yield from self._with_checks(lister, scope, answer)
            elif self.what != "violations" or answer.found:
                yield from lister.run(scope)

    def _with_checks(self, lister: Lister, scope: WholeFile, verdict: Verdict) -> Iterator[Any]:
        """What is in a file, with what keys, references and conditions find in it."""
        assert self.checks is not None
        with tasks.opened(scope.file) as source, FileChecks(pickle.loads(self.checks)) as checks:
            found = checks.run(scope.file.name, source, verdict)
            if self.what == "violations":
                if verdict.found:
                    yield from lister.run(scope)
                for each in found:
                    yield from checks.batches(scope.file.name, each)
                return
            bad = checks.bad_rows(found)
            for batch in lister.run(scope):
                yield marked_rows(batch, bad)


class RecordsReader(DataSourceReader):
    """Assigns files to partitions, and makes the records of a target from them."""

    def __init__(self, schema: Schema, target: str, policy: Policy, paths: Sequence[str]) -> None:
        self.text = pickle.dumps((schema.core, schema.program, schema.source))
        self.stream = target_stream(program_of(schema), target)
        self.policy = policy
        self.paths = paths

    def partitions(self) -> Sequence[InputPartition]:
        """Small files together, large ones alone."""
        return _partitions(self.paths)

    def read(self, partition: InputPartition) -> Iterator[Any]:
        """The records of some files, as Arrow batches; a file that is refused fails the query."""
        assert isinstance(partition, FilesPartition)
        core, program, source = pickle.loads(self.text)
        schema = Schema(source, Document(()), (), core, program)
        bare = spark_schema(program.streams[self.stream])
        for file in partition.files:
            findings = Findings(limit=1)
            options = Options(threads=1)
            with tasks.opened(file) as data:
                run = TableRun(schema, file.name, self.policy, "local", options, source=data)
                run.findings = findings
                verdict = run.validate()
                check_verdicts([verdict], self.policy)
                for _, batch in run.batches(verdict, frozenset([self.stream])):
                    check_findings(findings, file.name, self.policy is Policy.FORCE)
                    yield plain_batch(batch, bare)
            check_findings(findings, file.name, self.policy is Policy.FORCE)


def _check_alone(schema: Schema) -> None:
    """Raise an error if some statement is about more than one file."""
    across = next((each for each in schema.core.keys if each.across), None)
    told = f"line {across.line} is about all files" if across is not None else ""
    if schema.tables:
        told = f"line {schema.tables[0].line} brings in another table"
    if told:
        raise UsageError(
            f"the data source `sculpt` reads each file by itself, but {told};"
            " use `sculpt.spark.validate`"
        )
    files_of(schema, Request())


def _bare(schema: Schema) -> Schema:
    """A schema without its text."""
    return Schema(schema.source, Document(()), (), schema.core, schema.program)


def _partitions(paths: Sequence[str]) -> list[InputPartition]:
    files: list[tuple[File, int]] = []
    for entry in planned(paths):
        if isinstance(entry, DataError):
            raise entry
        files.append((entry, entry.size + FILE_COST))
    return [FilesPartition(tuple(unit)) for unit in gather(files, MIN_UNIT)]


def _policy(options: dict[str, str]) -> Policy:
    lowered = {name.lower(): value for name, value in options.items()}
    try:
        return Policy(lowered.get("oninvalid", "refuse"))
    except ValueError:
        known = ", ".join(f"`{each}`" for each in Policy)
        raise UsageError(f"the option `onInvalid` must be one of {known}") from None


def _paths(options: dict[str, str]) -> list[str]:
    """The path or paths that `load` was given."""
    if "paths" in options:
        several: list[str] = json.loads(options["paths"])
        return several
    if "path" not in options:
        raise UsageError("the data source `sculpt` needs a path: `.load(path)`")
    return [options["path"]]


def _listed(options: dict[str, str]) -> list[str]:
    """The paths, if there are any: Spark asks for the columns without them, too."""
    return _paths(options) if {"path", "paths"} & {*options} else []


def _schema(options: dict[str, str]) -> Schema:
    """The schema that the options name, or contain."""
    lowered = {name.lower(): value for name, value in options.items()}
    settings = [
        f"{name[4:]}={value}" for name, value in options.items() if name.lower().startswith("set.")
    ]
    if "schematext" in lowered:
        return Schema.parse(lowered["schematext"], settings)
    if "schema" in lowered:
        return schema_for(lowered["schema"], _listed(options), settings)
    raise UsageError("the data source `sculpt` needs the option `schema` or `schemaText`")


def _task(options: dict[str, str], what: str) -> Task:
    schema = _schema(options)
    lowered = {name.lower(): value for name, value in options.items()}
    if what != "region":
        return Task.of_rules(schema.core)
    if "selector" not in lowered:
        raise UsageError("`what` = `region` needs the option `selector`")
    return selector_task(schema, lowered["selector"])
