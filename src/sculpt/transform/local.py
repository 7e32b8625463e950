"""Programs and exports on this machine: the engines `local` and `reference`.

In: a schema, one file, and the policy for data that violates the schema. Out: a `TableRun`: its
verdict, and batches of the requested streams, made while going through the rows. The file is
validated first; a run that is refused reads no further.

Invariant: all results come from the same state of the file: if it changes between passes, that is
an error. Memory: see `evaluation.execution`.
"""

from __future__ import annotations

import os
import weakref
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Protocol

from sculpt.core.programs.program import CoreProgram
from sculpt.core.task import Task
from sculpt.engines import local, reference
from sculpt.engines.data import Data
from sculpt.engines.machines import Machines
from sculpt.engines.options import CHUNK, Options, choose_backend
from sculpt.engines.regions.marker import Marker
from sculpt.engines.results.listing import Listing
from sculpt.errors import DataError, UsageError
from sculpt.interchange.fetched import file_of
from sculpt.policy import WORDS_ACROSS_ROWS, Policy, check_verdicts, no_good_rows
from sculpt.schema import Schema
from sculpt.tabular.decoder import UNDECODABLE
from sculpt.tabular.document import decode
from sculpt.tabular.grid import Grid, read_grid
from sculpt.tabular.inputs import Input, stamp_of
from sculpt.tabular.stores import is_uri
from sculpt.transform.arrow_types import arrow_schema
from sculpt.transform.evaluation.execution import Batch, Execution
from sculpt.transform.evaluation.findings import Findings
from sculpt.transform.evaluation.opposites import with_hints
from sculpt.transform.exports import RegionExport, region_schema
from sculpt.values import field, frozen, mutable, replace
from sculpt.verdict import Verdict

if TYPE_CHECKING:
    import pyarrow as pa

    from sculpt.core.programs.finding.model import Find
    from sculpt.transform.evaluation.row_index import RowIndex
    from sculpt.transform.reference.rows import Gathered, Record


STRIP = 1 << 19
"""The number of cells in a strip, about: they and their texts fit a processor's cache."""
MIN_STRIP = 1 << 15
FEW_LOOPS = 2
"""With more statements, a strip has half the cells: each of them keeps what it computes."""
STRIPS_PER_THREAD = 4
"""For a small table: so that all threads have work, and none has to wait long for the last."""


@frozen
class Judged:
    """The verdict on a file by more than its rules."""

    verdict: Verdict
    bad_rows: frozenset[int] | None = frozenset()
    """The rows that errors name which rules do not find; `None` if one names no row."""


@frozen
class Validated:
    """All files of a run, validated together."""

    files: tuple[Judged, ...]
    tables: tuple[Verdict, ...] = ()
    """The verdicts on the files of other tables."""


class Validator(Protocol):
    """Validates by more than rules: what is above this package knows how."""

    def validate(self, files: Sequence[tuple[str, Input | None]], names_rows: bool) -> Validated:
        """The verdicts on files, some of them open; `names_rows` says whether bad rows matter."""


@mutable
class TableRun:
    """The programs of a schema on one file."""

    schema: Schema
    path: str
    policy: Policy = Policy.REFUSE
    engine: str = "local"
    options: Options = field(default_factory=Options)
    strip: int | None = None
    """The number of cells in a strip, about; computed if not given."""
    source: Input | None = None
    """The file, if it is already open: standard input can be read only once."""
    findings: Findings = field(default_factory=Findings)
    """What went wrong in the programs so far."""
    hidden: list[int] | None = None
    """The rows to leave out, once they are known."""
    stamp: tuple[int, int] | None = None
    """The size and time of the file when it was validated."""
    named: frozenset[int] | None = frozenset()
    """The bad rows that rules do not find (`Judged.bad_rows`)."""
    indexes: Mapping[int, RowIndex] = field(default_factory=dict)
    """The rows of other tables, for the engine `local`."""
    gathered: Gathered = field(default_factory=dict)
    """The same, for the engine `reference`."""

    @property
    def program(self) -> CoreProgram:
        """The programs."""
        return program_of(self.schema)

    def validate(self) -> Verdict:
        """The verdict on the file."""
        self.note_stamp()
        if self.engine == "reference":
            grid = self._grid()
            limit = self.options.max_violations
            return reference.validate(self.schema.core, grid, self.path, limit)
        with self._opened() as source:
            verdict = local.validate_input(self.schema.core, source, self.options)
            source.check_unchanged()
            return verdict

    def note_stamp(self) -> None:
        """Note which state of the file is validated."""
        if self.source is None and not is_uri(self.path):
            self.stamp = stamp_of(self.path)

    def batches(self, verdict: Verdict, streams: frozenset[int]) -> Iterator[Batch]:
        """The batches of some streams; `findings` grows meanwhile."""
        hidden = self.hide(verdict)
        program = self.program.only(streams)
        if self.engine == "reference":
            yield from self._by_reference(program, hidden)
            return
        with self._opened() as source:
            threads = self.options.threads or os.cpu_count() or 1
            strip = self.strip or strip_size(verdict.rows * verdict.columns, threads)
            if self.strip is None and len(program.statements) > FEW_LOOPS:
                strip = max(strip // 2, MIN_STRIP)
            task = marking_task(self.schema, program)
            marker = marker_of(task, source, self.options, verdict.columns, strip)
            execution = Execution(
                program, marker, self.path, self.findings, hidden, threads, self.indexes
            )
            needs_pass = program.needs_pass
            empty = execution.summariser.empty()
            total = execution.summary() if needs_pass else empty
            before = len(self.findings.violations)
            yield from execution.batches(total, empty, execution.summariser.empty())
            yield from execution.final(total)
            found = self.findings.violations[before:]
            self.findings.violations[before:] = with_hints(program, marker, found)
            source.check_unchanged()

    def hide(self, verdict: Verdict) -> list[int]:
        """The rows to leave out; raises an error if an error of the data names no row."""
        if self.hidden is None:
            hides = self.policy is Policy.GOOD_ROWS and not verdict.valid
            self.hidden = self._bad_rows(verdict) if hides else []
        return self.hidden

    def _bad_rows(self, verdict: Verdict) -> list[int]:
        """The rows that errors name."""
        found: set[int] | None
        if self.engine == "reference":
            everything = reference.validate(self.schema.core, self._grid(), self.path, 1 << 60)
            errors = [v for v in everything.violations if v.severity == "error"]
            named = [None if v.code in WORDS_ACROSS_ROWS else v.row for v in errors]
            found = None if None in named else {row for row in named if row is not None}
        else:
            with self._opened() as source:
                core = self.schema.core
                data = Data(source, core.dialect.encoding)
                task = Task.of_rules(core)
                machines = _machines(data, task, self.options, notes_texts=False)
                found = Listing(machines, data, verdict.columns).bad_rows(vague=WORDS_ACROSS_ROWS)
        if found is None or self.named is None:
            raise no_good_rows(self.path)
        return sorted(found | self.named)

    # ------------------------------------------------------------- the file

    def _opened(self) -> Input | _Borrowed:
        if self.source is not None:
            return _Borrowed(self.source)
        source = Input(self.path)
        if self.stamp is not None and source.stamp != self.stamp:
            source.close()
            raise DataError(f"{self.path}: changed after it was validated", self.path)
        return source

    def _grid(self) -> Grid:
        dialect = self.schema.core.dialect
        with self._opened() as source:
            data = b"".join(bytes(block) for block, _ in source.blocks(CHUNK))
            return read_grid(decode(data, dialect.encoding), dialect)

    def _by_reference(self, program: CoreProgram, hidden: list[int]) -> Iterator[Batch]:
        import pyarrow as pa

        from sculpt.transform.reference.programs import run_programs

        run = run_programs(program, self._grid(), self.path, frozenset(hidden), self.gathered)
        self.findings.merge(len(run.findings), run.findings, self.path)
        for stream, rows in enumerate(run.streams):
            schema = arrow_schema(self.program.streams[stream])
            columns = list(zip(*rows, strict=True)) or [()] * len(schema)
            arrays = [
                pa.array(list(column), kind)
                for column, kind in zip(columns, schema.types, strict=True)
            ]
            if rows:
                yield stream, pa.RecordBatch.from_arrays(arrays, schema.names)


class LocalProducer:
    """Runs the programs of a schema over files, one after the other."""

    def __init__(
        self,
        schema: Schema,
        paths: Sequence[str],
        policy: Policy,
        engine: str = "local",
        options: Options | None = None,
        validator: Validator | None = None,
    ) -> None:
        """`validator` is for a schema with more than rules."""
        self.program = program_of(schema)
        self._validator = validator
        self._schema, self._engine, self._options = schema, engine, options or Options()
        self._others: tuple[Verdict, ...] = ()
        self._indexes: dict[int, RowIndex] = {}
        self._gathered: dict[int, Sequence[Record]] = {}
        self.force = policy is Policy.FORCE
        self._runs = [
            TableRun(schema, path, policy, engine, options or Options()) for path in paths
        ]
        self.verdicts: list[Verdict] = []

    def validate(self) -> None:
        """Validate all files; raises `RefusedError` if the policy does not allow the violations."""
        for run in self._runs:
            place = file_of(run.path) or run.path
            if run.source is None and not (is_uri(place) or os.path.isfile(place)):
                run.source = Input(run.path)  # a pipe can be read only once: keep it
                weakref.finalize(self, run.source.close)
        policy = self._runs[0].policy if self._runs else Policy.REFUSE
        others = self._validate_all(self._validator, policy) if self._validator else ()
        if self._validator is None:
            self.verdicts = [run.validate() for run in self._runs]
        self._others = others
        check_verdicts([*self.verdicts, *others], policy)
        for run, verdict in zip(self._runs, self.verdicts, strict=True):
            run.hide(verdict)

    def _validate_all(self, validator: Validator, policy: Policy) -> tuple[Verdict, ...]:
        """Validate all files by more than rules; the verdicts on other tables are returned."""
        for run in self._runs:
            run.note_stamp()
        files = [(run.path, run.source) for run in self._runs]
        found = validator.validate(files, policy is Policy.GOOD_ROWS)
        self.verdicts = [each.verdict for each in found.files]
        for run, judged in zip(self._runs, found.files, strict=True):
            run.named = judged.bad_rows
        return found.tables

    @property
    def left_out(self) -> list[int]:
        """By file: how many rows are left out because they have violations."""
        return [len(run.hidden or ()) for run in self._runs]

    def tables(self, streams: frozenset[int], findings: Findings) -> Iterator[Iterator[Batch]]:
        """The batches of some streams, file by file."""
        self._gather(self.program.only(streams).found, findings)
        known = {"indexes": self._indexes, "gathered": self._gathered}
        for run, verdict in zip(self._runs, self.verdicts, strict=True):
            yield replace(run, findings=findings, **known).batches(verdict, streams)

    def _gather(self, finds: Iterable[int], findings: Findings) -> None:
        """Gather the rows of other tables, as far as that was not done before."""
        for number in finds:
            find = self.program.finds[number]
            if number in self._indexes or number in self._gathered:
                continue
            batches = self._found(find, findings)
            if self._engine == "reference":
                self._gathered[number] = [
                    tuple(each.values()) for batch in batches for each in batch.to_pylist()
                ]
            else:
                from sculpt.transform.evaluation.row_index import RowIndex

                self._indexes[number] = RowIndex(batches, find.keys)

    def _found(self, find: Find, findings: Findings) -> Iterator[pa.RecordBatch]:
        """What is gathered of a table."""
        assert self._validator is not None, "other tables are validated by more than rules"
        table = next(each for each in self._schema.tables if each.name == find.table)
        schema = replace(table.schema, program=find.program)
        for verdict in self._others:
            if verdict.table == find.table:
                run = TableRun(schema, verdict.path, Policy.FORCE, self._engine, self._options)
                run.findings = findings
                for _, batch in run.batches(verdict, frozenset([0])):
                    yield batch


class _Borrowed:
    """An input that the caller closes."""

    def __init__(self, source: Input) -> None:
        self._source = source

    def __enter__(self) -> Input:
        return self._source

    def __exit__(self, *_: object) -> None:
        return None


def strip_size(cells: int, threads: int) -> int:
    """The number of cells in a strip, about, for a table of some cells."""
    return min(max(cells // (STRIPS_PER_THREAD * threads), MIN_STRIP), STRIP)


def marker_of(task: Task, source: Input, options: Options, width: int, strip: int) -> Marker:
    """What marks the regions of a task in a file."""
    data = Data(source, task.schema.dialect.encoding)
    machines = _machines(data, task, options, notes_texts=True)
    return Marker(machines, data, width, None, strip, options.on_progress)


def _machines(data: Data, task: Task, options: Options, notes_texts: bool) -> Machines:
    backend = options.backend or choose_backend(data, options)
    return options.build(task, data.codec, backend, True, notes_texts)


def program_of(schema: Schema) -> CoreProgram:
    """The programs of a schema; raises an error if it has none."""
    if schema.program is None or not schema.program.statements:
        raise no_program(schema)
    return schema.program


def no_program(schema: Schema) -> UsageError:
    """The error about a schema that has no programs."""
    return UsageError(
        f"{schema.source.name}: has no program to run:"
        " no `print`, and no loop that emits, prints or annotates"
    )


def marking_task(schema: Schema, program: CoreProgram) -> Task:
    """The task of finding the regions of a program."""
    return Task.of_selectors(schema.core, program.tokens, program.marked)


def export_region(
    schema: Schema, task: Task, path: str, options: Options | None = None
) -> Iterator[tuple[set[int], pa.RecordBatch | None]]:
    """The rows of a region: first its columns, with no batch; then the batches."""
    given = options or Options()
    with Input(path) as source:
        data = Data(source, schema.core.dialect.encoding)
        backend = given.backend or choose_backend(data, given)
        _, width = local.size_of(task, source, replace(given, backend=backend))
        machines = given.build(task, data.codec, backend, True, True)
        export = RegionExport(Marker(machines, data, width))
        columns = export.columns()
        yield columns, None
        with closing(export.batches(columns)) as batches:
            for batch in batches:
                yield columns, batch
        source.check_unchanged()


def export_by_reference(task: Task, grid: Grid) -> Iterator[tuple[set[int], pa.RecordBatch | None]]:
    """The same, cell by cell."""
    import pyarrow as pa

    cells = reference.select(dict(task.schema.tokens), grid, task.targets[0])
    columns = {column - 1 for _, column in cells}
    yield columns, None
    rows: dict[int, dict[str, str]] = {}
    for row, column in cells:
        cell = grid.cell(row, column)
        if cell is not None:
            rows.setdefault(row, {})[f"c{column}"] = UNDECODABLE.sub("\ufffd", cell.raw)
        else:
            rows.setdefault(row, {})
    schema = region_schema(columns)
    if rows:
        yield columns, pa.RecordBatch.from_pylist([rows[row] for row in sorted(rows)], schema)
