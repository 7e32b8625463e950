"""All files of a run: rules, conditions, then keys and references between them.

In: a schema, the files of its own table, and a `Request` that may replace the data of its other
tables. Out: `Checked` files: those of the schema's own table in order, then those of the others in
the order of the plan. Each file is validated by the rules of its own schema, and its entries are
gathered, in the same pass where that can be; then the entries of all files are judged together.

Invariant: a file that cannot be read is an `Unread`, and no reference to its table is judged. The
sources stay open, or at rest, until the run is closed; so do temporary files. Cost: a pass over
each file for its rules, and what checks need; memory as `Request.memory` says, or, without numpy
and pyarrow, that of all tables.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TYPE_CHECKING, Protocol, TypeAlias

from sculpt.checks.joined import joined, needs_any, not_judged
from sculpt.checks.model import Found, Request
from sculpt.checks.plan import Plan, PlannedTable, plan_of
from sculpt.core import ir
from sculpt.engines.options import CHUNK, Options, Progress
from sculpt.errors import DataError, UsageError
from sculpt.extras import missing
from sculpt.interchange.fetched import is_unfetched
from sculpt.schema import Schema
from sculpt.tabular.inputs import STDIN, Input, expand
from sculpt.values import mutable, replace
from sculpt.verdict import Unread, Verdict

if TYPE_CHECKING:
    from sculpt.checks.shared_pass import SharedPass
    from sculpt.tabular.grid import Grid

MAX_OPEN = 32
"""If there are more files, they rest: only the one that is read is open."""

OnProgress: TypeAlias = Callable[[Progress], None]
Watch: TypeAlias = Callable[[str], AbstractContextManager[OnProgress | None]]
"""Given the name of a file: what shows how far it is read."""


class Identities(Protocol):
    """What gathers entries and judges keys and references."""

    def take(self, table: int, path: str, source: Input, rows: int, width: int) -> int:
        """Gather the entries of a file; return its number, from 0."""

    def judge(self) -> list[Found]:
        """What was found, by the number of the file."""

    def close(self) -> None:
        """Remove what is temporary."""


@mutable
class Checked:
    """One file of a run."""

    table: PlannedTable
    path: str
    outcome: Verdict | Unread
    source: Input | None = None
    """Open until the run is closed; `None` if it could not be read."""
    rules: Verdict | None = None
    """The verdict of the rules alone."""
    founds: tuple[Found, ...] = ()
    """What checks have found."""


@mutable
class Known:
    """What is known of a file before the run: it is open, and perhaps its rules were checked."""

    source: Input
    verdict: Verdict | None = None


@mutable
class _Entry:
    table: PlannedTable
    path: str
    error: DataError | None = None


@contextmanager
def checked_files(
    schema: Schema,
    inputs: Sequence[str | DataError],
    engine: str,
    request: Request,
    options: Options,
    watch: Watch | None = None,
    known: Mapping[str, Known] | None = None,
) -> Iterator[tuple[Checked, ...]]:
    """Validate all files of a run; they stay open until the context ends.

    `inputs` are files of the schema's own table, or why there is none (`tabular.inputs.expand`).
    `known` files of the schema's own table are not opened again, nor closed.
    """
    plan = plan_of(schema)
    entries = [*_own_entries(plan, inputs), *_table_entries(plan, request)]
    if sum(each.path == STDIN for each in entries) > 1:
        raise UsageError("standard input can be read only once")
    run = _Run(plan, engine, request, options, watch or _unwatched, len(entries) > MAX_OPEN)
    try:
        for entry in entries:
            given = (known or {}).get(entry.path) if entry.table.number == 0 else None
            run.add(entry, given)
        run.judge()
        yield tuple(run.files)
    finally:
        run.close()


def _unwatched(path: str) -> AbstractContextManager[OnProgress | None]:
    return nullcontext()


# ------------------------------------------------------------- which files


def _own_entries(plan: Plan, inputs: Sequence[str | DataError]) -> Iterator[_Entry]:
    if not inputs:
        check_without_data(plan)
    return (_entry(plan.tables[0], each) for each in inputs)


def _entry(table: PlannedTable, given: str | DataError) -> _Entry:
    if isinstance(given, DataError):
        return _Entry(table, given.path, given)
    return _Entry(table, given)


def check_without_data(plan: Plan) -> None:
    """A schema of tables and references only needs no data of its own."""
    schema = plan.tables[0].schema
    name, core = schema.source.name, schema.core
    if len(plan.tables) == 1:
        raise UsageError(f"{name}: DATA is missing")
    about = [(each.line, each.text) for each in core.rules]
    about += [(each.line, each.text) for each in core.uniques]
    about += [(each.line, each.text) for each in schema.requires]
    about += [
        (each.statement.line, each.statement.text)
        for each in plan.identities
        if 0 in (each.left, each.right)
    ]
    if about:
        line, text = min(about)
        raise UsageError(
            f"{name}: DATA is missing: line {line} is about the table that the schema describes:"
            f" {text}"
        )


def _table_entries(plan: Plan, request: Request) -> Iterator[_Entry]:
    check_tables(plan, request)
    for table in plan.tables[1:]:
        yield from (_entry(table, each) for each in expand([data_of(table, request)]))


def check_tables(plan: Plan, request: Request) -> None:
    """Raise an error if a table that is given data does not exist, or its data may not be read."""
    names = [table.name for table in plan.tables[1:]]
    for name in request.tables:
        if name not in names:
            known = ", ".join(f"`{each}`" for each in names)
            listed = f"the tables are {known}" if names else "the schema has no other tables"
            raise UsageError(f"there is no table `{name}`; {listed}")
    _check_fetched(plan, request)


def _check_fetched(plan: Plan, request: Request) -> None:
    """Raise an error if data that a schema of another system names was not to be fetched."""
    refused = []
    for table in plan.tables[1:]:
        data = None if table.table is None or table.name in request.tables else table.table.data
        if data is not None and table.schema.is_imported and is_unfetched(data):
            what = f"{table.schema.source.name}, table `{table.name}`"
            refused.append(f"{what}: {data}: is not fetched: allow it with `--allow-http`")
    if refused:
        from sculpt.interchange.access import one_error

        raise one_error([UsageError(each) for each in refused])


def data_of(table: PlannedTable, request: Request) -> str:
    """The data of a table that was brought in: what the call says, or else its statement."""
    assert table.table is not None
    assert table.name is not None
    data = request.tables.get(table.name, table.table.data)
    if data is None:
        name = table.schema.source.name if table.schema.is_imported else _statement(table)
        cure = "" if table.schema.is_imported else "add `for` and a path, or "
        raise UsageError(
            f"the table `{table.name}` has no data: {name} names none; {cure}call with"
            f" `--table {table.name}=PATH`"
        )
    return data


def _statement(table: PlannedTable) -> str:
    assert table.table is not None
    if table.schema.is_imported:
        return f"see {table.schema.source.name}"
    return f"line {table.table.line} ({table.table.text})"


# ------------------------------------------------------------- the run


class _Run:
    """The files of a run, and what was found in them."""

    def __init__(
        self,
        plan: Plan,
        engine: str,
        request: Request,
        options: Options,
        watch: Watch,
        rests: bool,
    ) -> None:
        self.plan, self.engine, self.request = plan, engine, request
        self._is_plain = engine == "reference" or bool(missing("arrow"))
        """Do plain sets judge checks, with all tables in memory? Arrays need an extra."""
        self.files: list[Checked] = []
        self._watch, self._rests = watch, rests
        self._line: OnProgress | None = None
        self._options = replace(options, on_progress=self._tell)
        self._is_watched = options.on_progress
        self._own: list[Input] = []
        self._identities: Identities | None = None
        self._numbers: dict[int, int] = {}
        """By number of a file in `_identities`: its index in `files`."""
        self._is_spoilt = False
        """Were the entries of a file gathered only in part? Then all are gathered again."""
        self._left_out: set[int] = set()
        """Tables that could not be read as a whole, and that nothing is gathered for."""

    def _tell(self, progress: Progress) -> None:
        line = self._line or self._is_watched
        if line is not None:
            line(progress)

    @contextmanager
    def _watched(self, path: str) -> Iterator[None]:
        with self._watch(path) as self._line:
            yield
        self._line = None

    def close(self) -> None:
        """Close the files that were opened here, and remove what is temporary."""
        try:
            if self._identities is not None:
                self._identities.close()
        finally:
            for source in self._own:
                source.close()

    def add(self, entry: _Entry, known: Known | None) -> None:
        """Validate a file by the rules and conditions of its schema."""
        if entry.error is not None:
            self.files.append(unread_file(entry.table, entry.path, entry.error))
            return
        with self._watched(entry.path):
            try:
                self.files.append(self._validated(entry, known))
            except DataError as error:
                if error.path != entry.path:
                    raise
                self.files.append(unread_file(entry.table, entry.path, error))

    def _validated(self, entry: _Entry, known: Known | None) -> Checked:
        if known is None:
            known = Known(Input(entry.path))
            self._own.append(known.source)
        source, schema = known.source, entry.table.schema
        shared = None if known.verdict is not None else self._in_one_pass(entry, source)
        verdict = known.verdict if shared is None else shared.verdict
        if verdict is None:
            verdict = self._by_rules(schema.core, source)
        verdict = replace(verdict, table=entry.table.name)
        source.check_unchanged()
        if self.plan.identities and len(self.files) not in self._numbers.values():
            self._gather(entry.table.number, source, verdict)
        founds = self._conditions(schema, source, verdict, shared)
        if self._rests:
            source.rest()
        limit = self._options.max_violations
        outcome = joined(verdict, founds, limit)
        return Checked(entry.table, entry.path, outcome, source, verdict, founds)

    def _in_one_pass(self, entry: _Entry, source: Input) -> SharedPass | None:
        """Validate a file, gather its entries, and find edges for conditions; if that can be."""
        if self._is_plain:
            return None
        schema = entry.table.schema
        wanted = None
        if schema.has_requires:
            from sculpt.checks import conditions

            wanted = conditions.wanted_by(schema, self.request)
        if self.plan.identities and not self._is_spoilt:
            from sculpt.checks.identities import LocalIdentities

            if self._identities is None:
                self._identities = self._gatherer(self.plan)
            assert isinstance(self._identities, LocalIdentities)
            self._is_spoilt = True  # unless all goes well
            table = entry.table.number
            shared = self._identities.validate(table, entry.path, source, wanted)
            self._is_spoilt = self._identities.is_spoilt
            if shared is not None and not self._is_spoilt:
                self._numbers[self._identities.last] = len(self.files)
            if shared is not None:
                return shared
        if wanted is None or not wanted.selectors:
            return None
        from sculpt.checks.shared_pass import shared_pass

        return shared_pass(schema.core, source, self._options, wanted)

    def _gather(self, table: int, source: Input, verdict: Verdict) -> None:
        """Gather the entries of a file that was validated."""
        if self._is_spoilt:
            return
        if self._identities is None:
            self._identities = self._gatherer(self.plan)
        self._is_spoilt = True
        size = (verdict.rows, verdict.columns)
        number = self._identities.take(table, source.path, source, *size)
        source.check_unchanged()
        self._numbers[number], self._is_spoilt = len(self.files), False

    def _by_rules(self, core: ir.CoreSchema, source: Input) -> Verdict:
        if self.engine == "reference":
            from sculpt.engines import reference

            limit = self._options.max_violations
            return reference.validate(core, _grid(core, source), source.path, limit)
        from sculpt.engines import local

        return local.validate_input(core, source, self._options)

    def _conditions(
        self, schema: Schema, source: Input, verdict: Verdict, shared: SharedPass | None
    ) -> tuple[Found, ...]:
        """What the `require`s of a schema find in a file of its table."""
        if not schema.has_requires:
            return ()
        from sculpt.checks import conditions

        request, options, path = self.request, self._options, source.path
        if self._is_plain:
            grid, limit = _grid(schema.core, source), options.max_violations
            return (conditions.required_by_reference(schema, request, grid, path, limit),)
        size = (verdict.rows, verdict.columns)
        found = conditions.required(schema, request, options, path, source, *size, shared=shared)
        source.check_unchanged()
        return (found,)

    # ------------------------------------------------------------- keys and references

    def judge(self) -> None:
        """Judge the keys and references that can be judged.

        If a file could not be read, or not in one pass, all others are gathered again, until they
        can be: a file that can no longer be read is left out.
        """
        if not self.plan.identities:
            return
        founds: list[Found] | None = None
        while founds is None:
            self._check_unchanged()
            if self._is_spoilt or self._broken - self._left_out:
                self._gather_again()
                continue
            assert self._identities is not None
            founds = self._identities.judge()
            if self._check_unchanged():
                founds = None
        for number, found in enumerate(founds):
            file = self.files[self._numbers[number]]
            assert file.rules is not None
            unjudged = not_judged(self.plan, file.table.number, self._broken)
            file.founds = (*file.founds, found, unjudged)
            file.outcome = joined(file.rules, file.founds, self._options.max_violations)

    def _check_unchanged(self) -> bool:
        """Say of each file that has changed that it cannot be read; is there one?"""
        has_changed = False
        for file in self.files:
            if file.rules is not None and file.source is not None:
                try:
                    file.source.check_unchanged()
                except DataError as error:
                    unread = unread_file(file.table, file.path, error)
                    file.outcome, file.rules, has_changed = unread.outcome, None, True
        return has_changed

    def _gather_again(self) -> None:
        """Gather all files from the beginning; one that cannot be read is unread from now on."""
        if self._identities is not None:
            self._identities.close()
        self._left_out = self._broken
        self._identities, self._numbers = self._gatherer(self._plan_of_read()), {}
        for ix, file in enumerate(self.files):
            if file.rules is None:
                continue
            assert file.source is not None
            size = (file.rules.rows, file.rules.columns)
            with self._watched(file.path):
                try:
                    table = file.table.number
                    number = self._identities.take(table, file.path, file.source, *size)
                    file.source.check_unchanged()
                except DataError as error:
                    if error.path != file.path:
                        raise
                    unread = unread_file(file.table, file.path, error)
                    file.outcome, file.rules = unread.outcome, None
                    return
            self._numbers[number] = ix
            if self._rests:
                file.source.rest()
        self._is_spoilt = False

    def _plan_of_read(self) -> Plan:
        """The plan without references to a table that could not be read as a whole."""
        broken = self._broken
        judged = (each for each in self.plan.identities if not needs_any(each, broken))
        return replace(self.plan, identities=tuple(judged))

    @property
    def _broken(self) -> set[int]:
        """The tables that could not be read as a whole."""
        return {file.table.number for file in self.files if file.rules is None}

    def _gatherer(self, plan: Plan) -> Identities:
        if self._is_plain:
            from sculpt.checks.reference import ReferenceIdentities

            return ReferenceIdentities(plan, self.request, self._options)
        from sculpt.checks.identities import LocalIdentities

        return LocalIdentities(plan, self.request, self._options)


def _grid(core: ir.CoreSchema, source: Input) -> Grid:
    from sculpt.tabular.document import decode
    from sculpt.tabular.grid import read_grid

    data = b"".join(bytes(block) for block, _ in source.blocks(CHUNK))
    return read_grid(decode(data, core.dialect.encoding), core.dialect)


def unread_file(table: PlannedTable, path: str, error: DataError) -> Checked:
    """A file that cannot be checked; for that of another table, who needs it."""
    message = str(error) if table.table is None else f"{error}; {needed_by(table)}"
    return Checked(table, path, Unread(path, message, table.name))


def needed_by(table: PlannedTable) -> str:
    """Which table needs a file, and what says so."""
    return f"the table `{table.name}` needs it: {_statement(table)}"
