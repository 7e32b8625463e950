"""Programs of several tables, run as one: the schema that brings them in has none of its own.

In: a schema without a program, whose tables have programs and data. Out: a `Producer` for all of
them: streams are numbered one table after the other, and so are files. Targets with the same name
and fields go to the same output.

Invariant: what a table gives is what a run of its own schema on its data gives. Cost: that of all
these runs, one after the other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sculpt.checks.model import Request
from sculpt.checks.plan import plan_of
from sculpt.checks.programs import ProgramValidator
from sculpt.checks.validation import data_of, needed_by
from sculpt.core.programs.program import CoreProgram
from sculpt.engines.options import Options
from sculpt.errors import DataError, UnreadFilesError, UsageError
from sculpt.policy import Policy
from sculpt.schema import Schema
from sculpt.tabular.inputs import expand
from sculpt.transform.evaluation.execution import Batch
from sculpt.transform.evaluation.findings import Findings
from sculpt.transform.local import LocalProducer, no_program
from sculpt.transform.results import Producer
from sculpt.values import frozen, replace
from sculpt.verdict import RefusedError, Verdict


@frozen
class TableProgram:
    """A table with a program, and the data that it runs on."""

    name: str
    schema: Schema
    data: str
    needed: str
    """Which table needs the data, and what says so."""
    request: Request
    """What the call says about the tables of this table."""

    def unread(self, error: DataError) -> DataError:
        """The error about a file that cannot be read, with what needs it."""
        own = {each if isinstance(each, str) else each.path for each in expand([self.data])}
        return UnreadFilesError.of(
            # Any other file is of another table, and its error says of which.
            DataError(f"{each}; {self.needed}", each.path) if each.path in own else each
            for each in UnreadFilesError.parts(error)
        )


def table_programs(schema: Schema, request: Request | None = None) -> list[TableProgram]:
    """The programs that a run without data executes; an error if there are none."""
    asked = request or Request()
    found = []
    for planned in plan_of(schema).tables[1:]:
        name, program = planned.name, planned.schema.program
        assert name is not None
        if "." in name or program is None or not program.statements:
            continue
        inner = {
            key.removeprefix(f"{name}."): path
            for key, path in asked.tables.items()
            if key.startswith(f"{name}.")
        }
        own = replace(asked, tables=inner)
        data, needed = data_of(planned, asked), needed_by(planned)
        found.append(TableProgram(name, planned.schema, data, needed, own))
    if schema.program is not None and schema.program.statements:
        raise UsageError(f"{schema.source.name}: DATA is missing")
    if not found:
        raise no_program(schema)
    return found


def local_joint(
    schema: Schema,
    policy: Policy,
    engine: str,
    options: Options,
    request: Request | None = None,
) -> JointProducer:
    """The programs of the tables of a schema, on this machine."""
    producers: list[tuple[TableProgram, Producer]] = []
    unread: list[DataError] = []
    for each in table_programs(schema, request):
        paths = []
        for path in expand([each.data]):
            if isinstance(path, DataError):
                unread.append(each.unread(path))
            else:
                paths.append(path)
        validator = None
        if each.schema.has_checks:
            validator = ProgramValidator(each.schema, engine, each.request, options)
        producer = LocalProducer(each.schema, paths, policy, engine, options, validator)
        producers.append((each, producer))
    if unread:
        raise UnreadFilesError.of(unread)
    return JointProducer(producers)


class JointProducer:
    """Runs the programs of several tables, one after the other."""

    def __init__(self, producers: Sequence[tuple[TableProgram, Producer]]) -> None:
        """Each producer is that of a table."""
        self._producers = producers
        self.program = _joined([(table.name, each.program) for table, each in producers])
        self.force = all(each.force for _, each in producers)

    @property
    def verdicts(self) -> list[Verdict]:
        """The verdict on each file, table by table."""
        return [
            replace(verdict, table=table.name)
            for table, each in self._producers
            for verdict in each.verdicts
        ]

    @property
    def left_out(self) -> list[int]:
        """By file: how many rows are left out because they have violations."""
        return [rows for _, each in self._producers for rows in each.left_out]

    def validate(self) -> None:
        """Validate the files of all tables.

        Raises `RefusedError` with all that is wrong, or an error with all that cannot be read.
        """
        refused: list[Verdict] = []
        unread: list[DataError] = []
        for table, each in self._producers:
            try:
                each.validate()
            except RefusedError as error:
                refused += [_of_table(verdict, table.name) for verdict in error.verdicts]
            except DataError as error:
                unread.append(table.unread(error))
        if unread:
            raise UnreadFilesError.of(unread)
        if refused:
            raise RefusedError(tuple(refused))

    def tables(self, streams: frozenset[int], findings: Findings) -> Iterator[Iterator[Batch]]:
        """The batches of some streams, file by file, table by table."""
        before = 0
        for _, each in self._producers:
            count = len(each.program.streams)
            own = frozenset(s - before for s in streams if before <= s < before + count)
            for table in each.tables(own, findings) if own else ():
                yield _renumbered(table, before)
            before += count


def _of_table(verdict: Verdict, name: str) -> Verdict:
    within = name if verdict.table is None else f"{name}.{verdict.table}"
    return replace(verdict, table=within)


def _renumbered(table: Iterator[Batch], by: int) -> Iterator[Batch]:
    for stream, batch in table:
        yield stream + by, batch


def _joined(programs: Sequence[tuple[str, CoreProgram]]) -> CoreProgram:
    """A program with the streams of all; only its outputs are of interest."""
    first = programs[0][1]
    namespaces: dict[str, str] = {}
    for name, program in programs:
        for prefix, iri in program.namespaces.items():
            if namespaces.setdefault(prefix, iri) != iri:
                raise UsageError(
                    f"the tables disagree about the namespace `{prefix}`: in `{name}` it is {iri},"
                    f" and before {namespaces[prefix]}"
                )
    streams = tuple(stream for _, program in programs for stream in program.streams)
    fields = {each.name: each.fields for each in reversed(streams) if each.kind == "records"}
    for each in streams:
        if each.kind == "records" and each.fields != fields[each.name]:
            raise UsageError(
                f"two tables emit `{each.name}` with different fields: give them different names"
            )
    return replace(first, streams=streams, namespaces=namespaces, statements=(), finds=())
