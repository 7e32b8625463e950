"""The lists of a call: all violations, good rows and bad rows, written while files are checked.

In: what a call asks for; then, file by file, the verdict and the open input. Out: the files. What
the verdict does not hold is found in a second walk through the file (`engines.results.listing`).

Invariant: the lists have exactly what was counted. Good rows are those that no error names; all
rows are bad if an error names no row. Rows are those of the schema's own table; violations, of all
tables. A list appears when all files have been listed, or not at
all; a file that could not be read is in none. Memory: a batch of violations, and the numbers of the
bad rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from contextlib import ExitStack
from types import TracebackType
from typing import IO, TYPE_CHECKING

from sculpt.core.task import Task
from sculpt.engines import local, reference
from sculpt.engines.data import Data
from sculpt.engines.messages.findings import first_of
from sculpt.engines.options import CHUNK, Options, Progress, choose_backend
from sculpt.engines.results.listing import Listing
from sculpt.engines.results.raw_rows import RawRows
from sculpt.report.lists.rows import OpenTarget, RowTarget, row_target
from sculpt.report.lists.violations import ViolationWriter, check_format, open_violations
from sculpt.schema import Schema
from sculpt.tabular.document import decode, find_encoding
from sculpt.tabular.grid import Grid, read_grid, row_end_pattern
from sculpt.tabular.inputs import Input
from sculpt.transform.atomic import check_place, placed
from sculpt.values import frozen, replace
from sculpt.verdict import Verdict, Violation

if TYPE_CHECKING:
    from sculpt.checks.model import Found

ALL = 1 << 60


@frozen
class Wanted:
    """Where the lists of a call go."""

    violations: str | None = None
    good: RowTarget | None = None
    bad: RowTarget | None = None

    def check(self) -> None:
        """Raise an error if a list cannot be written: before any work is done."""
        if self.violations is not None:
            check_format(self.violations)
            check_place(self.violations)
        for target in (self.good, self.bad):
            if target is not None:
                target.check()


def wanted_lists(
    violations: str | None, good: str | None, bad: str | None, entries: Sequence[str]
) -> Wanted:
    """The lists of a call with some inputs."""
    targets = [None if path is None else row_target(path, entries) for path in (good, bad)]
    return Wanted(violations, *targets)


class ListWriter:
    """Writes the lists of a call. Use it in a `with`: the lists are in place when that ends."""

    def __init__(self, schema: Schema, wanted: Wanted) -> None:
        self._schema = schema
        self._wanted = wanted
        self._stack = ExitStack()
        self._violations: ViolationWriter | None = None
        self._good: OpenTarget | None = None
        self._bad: OpenTarget | None = None
        self.is_open = False
        """Has a file been read?"""
        self.violations = self.good_rows = self.bad_rows = 0
        """How many have been listed."""

    def __enter__(self) -> ListWriter:
        self._stack.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self._stack.__exit__(kind, error, at)

    def _open(self) -> None:
        """Open the lists, when the first file has been read."""
        if self.is_open:
            return
        self.is_open = True
        wanted, stack = self._wanted, self._stack
        self._good = wanted.good.open(stack) if wanted.good is not None else None
        self._bad = wanted.bad.open(stack) if wanted.bad is not None else None
        if wanted.violations is not None:
            place = stack.enter_context(placed(wanted.violations))
            # Opened last, so closed first: if that fails, nothing has been moved into place.
            self._violations = stack.enter_context(open_violations(wanted.violations, place))

    # ------------------------------------------------------------- engines

    def validate(self, path: str, engine: str, options: Options) -> Verdict:
        """The verdict on a file, which is listed as well. Standard input is read only once."""
        with Input(path) as source:
            if engine == "reference":
                return self._by_reference(source, options.max_violations)
            verdict = local.validate_input(self._schema.core, source, options)
            source.check_unchanged()
            self.list_file(verdict, source, options)
            return verdict

    def list_checked(
        self,
        schema: Schema,
        verdict: Verdict,
        source: Input,
        engine: str,
        options: Options,
        founds: Sequence[Found],
    ) -> None:
        """List a file of any table: `verdict` is that of its rules, `founds` is of its checks."""
        if verdict.table is not None and self._wanted.violations is None:
            return  # it has no rows to list
        if engine == "reference":
            self._list_by_reference(schema, source, founds, verdict.table)
        else:
            self.list_file(verdict, source, options, schema, founds)

    def list_file(
        self,
        verdict: Verdict,
        source: Input,
        options: Options,
        schema: Schema | None = None,
        founds: Sequence[Found] = (),
    ) -> None:
        """List a file whose verdict is known; `schema` is that of its table, if it is another."""
        self._open()
        found = _Found(schema or self._schema, verdict, source, _staged(options), founds)
        lists_rows = self._lists_rows and verdict.table is None
        bad: set[int] | None = set()
        if self._violations is not None:
            bad = self._write(verdict.path, found.violations())
        elif lists_rows:
            bad = found.bad_rows()
        if lists_rows:
            self._write_rows(verdict, found.mark, bad, found.pieces(bad))
        source.check_unchanged()

    def list_rows(
        self,
        verdict: Verdict,
        source: Input,
        options: Options,
        schema: Schema | None = None,
        named: Set[int] | None = frozenset(),
    ) -> None:
        """The same, without the violations, which another engine lists.

        `named` are rows that errors name which no rule finds; `None` if one names no row.
        """
        self._open()
        if self._lists_rows:
            found = _Found(schema or self._schema, verdict, source, _staged(options))
            bad = found.bad_rows()
            bad = None if bad is None or named is None else bad | named
            self._write_rows(verdict, found.mark, bad, found.pieces(bad))
            source.check_unchanged()

    def list_violations(self, path: str, violations: Sequence[Violation]) -> None:
        """Some violations of a file that another engine has listed."""
        self._open()
        if self._violations is not None:
            self._violations.write(path, violations)
            self.violations += len(violations)

    def _by_reference(self, source: Input, limit: int) -> Verdict:
        verdict = self._list_by_reference(self._schema, source, ())
        return replace(verdict, violations=tuple(first_of(verdict.violations, limit)))

    def _list_by_reference(
        self, schema: Schema, source: Input, founds: Sequence[Found], table: str | None = None
    ) -> Verdict:
        self._open()
        core = schema.core
        content = b"".join(block for block, _ in source.blocks(CHUNK))
        document = decode(content, core.dialect.encoding)
        grid = read_grid(document, core.dialect)
        verdict = reference.validate(core, grid, source.path, ALL)
        bad = self._write(source.path, _together([verdict.violations], founds))
        if table is None:
            rows = _rows_of(grid, core.dialect.row_delim, bad)
            self._write_rows(verdict, content[: document.skipped], bad, rows)
        return verdict

    # ------------------------------------------------------------- writing

    @property
    def _lists_rows(self) -> bool:
        return self._good is not None or self._bad is not None

    def _write(self, path: str, batches: Iterable[tuple[Violation, ...]]) -> set[int] | None:
        """Write violations; the rows that errors name, `None` if one names no row."""
        named: set[int | None] = set()
        for violations in batches:
            named |= _named(violations)
            self.list_violations(path, violations)
        return _rows_in(named)

    def _write_rows(
        self,
        verdict: Verdict,
        mark: bytes,
        bad: set[int] | None,
        pieces: Iterator[tuple[bool, bytes]],
    ) -> None:
        """Write good and bad rows; each file begins with the byte order mark of the input."""
        count = verdict.rows if bad is None else len(bad)
        self.bad_rows += count
        self.good_rows += verdict.rows - count
        with ExitStack() as stack:
            files: dict[bool, IO[bytes]] = {}
            for is_good, target in ((True, self._good), (False, self._bad)):
                if target is not None:
                    files[is_good] = stack.enter_context(target.file(verdict.path))
            marked: set[bool] = set()
            for is_good, piece in pieces:
                if is_good not in files:
                    continue
                if is_good not in marked:
                    marked.add(is_good)
                    files[is_good].write(mark)
                files[is_good].write(piece)


class _Found:
    """What the local engine finds in a file whose verdict is known."""

    def __init__(
        self,
        schema: Schema,
        verdict: Verdict,
        source: Input,
        options: Options,
        founds: Sequence[Found] = (),
    ) -> None:
        self._verdict = verdict
        self._founds = founds
        self._options = options
        encoding = schema.core.dialect.encoding
        self._data = Data(source, encoding)
        backend = options.backend or choose_backend(self._data, options)
        task = Task.of_rules(schema.core)
        self._machines = options.build(task, self._data.codec, backend, True, False)
        self.mark = source.window(0, find_encoding(source.window(0, 4), encoding)[1])

    @property
    def _listing(self) -> Listing:
        return Listing(
            self._machines,
            self._data,
            self._verdict.columns,
            options=self._options,
            unmatched=self._verdict.unmatched,
        )

    def violations(self) -> Iterator[tuple[Violation, ...]]:
        """All violations, some at a time."""
        verdict = self._verdict
        own = iter([verdict.violations]) if verdict.has_all else self._listing.violations()
        return _together(own, self._founds)

    def bad_rows(self) -> set[int] | None:
        """The rows that errors name; `None` if one names no row."""
        named = _named(each for found in self._founds for each in found.listed())
        own: set[int] | None
        if self._verdict.has_all:
            own = _rows_in(_named(self._verdict.violations))
        else:
            own = self._listing.bad_rows()
        others = _rows_in(named)
        return None if own is None or others is None else own | others

    def pieces(self, bad: set[int] | None) -> Iterator[tuple[bool, bytes]]:
        """All rows: whether they are good, and their bytes."""
        return RawRows(self._machines, self._data, self._options).pieces(bad)


def _together(
    batches: Iterable[tuple[Violation, ...]], founds: Sequence[Found]
) -> Iterator[tuple[Violation, ...]]:
    """The violations of rules and of checks, in the order of the table."""
    if not founds:
        return iter(batches)
    from sculpt.checks.joined import all_violations

    return all_violations(batches, founds)


def _named(violations: Iterable[Violation]) -> set[int | None]:
    """The rows of errors, `None` for one without a row: a row with only warnings is good."""
    return {each.row for each in violations if each.severity == "error"}


def _rows_in(named: set[int | None]) -> set[int] | None:
    return None if None in named else {row for row in named if row is not None}


def _staged(options: Options) -> Options:
    """The same options; progress says that this is another pass."""
    told = options.on_progress
    if told is None:
        return options

    def tell(progress: Progress) -> None:
        told(replace(progress, stage=progress.stage or "listing"))

    return replace(options, on_progress=tell)


def _rows_of(
    grid: Grid, row_delim: str | None, bad: set[int] | None
) -> Iterator[tuple[bool, bytes]]:
    """The rows of a table in memory: whether they are good, and their bytes with the line end."""
    document, row_end = grid.document, row_end_pattern(row_delim)
    for number, row in enumerate(grid.rows, 1):
        line_end = row_end.match(document.text, row.end)
        begin = document.byte_offset(row.start)
        end = document.byte_offset(line_end.end() if line_end else row.end)
        yield bad is not None and number not in bad, document.data[begin:end]
