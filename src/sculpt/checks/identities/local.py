"""Keys and references, found with compiled kernels.

In: a `Plan`, and the files of its tables, one after the other. Out: what was found in each file
(`Found`). Files are read once, to gather entries (`tables`), which wait in a `Store`; equal ones
are found partition by partition (`judge`). Rows are read again only for the violations that are put
into words, and for long entries that seem to be equal (`suspects`).

A key or reference that stays within a file is judged as soon as the file has been read. Invariant:
what is found does not depend on the memory, on strips, or on hashes. Memory: the budget of the
request; a strip; `violations.MOST` violations of each statement.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

from sculpt.checks.identities.entries import Hashing, random_hashing
from sculpt.checks.identities.judge import Judge, Suspects
from sculpt.checks.identities.sides import Side, sides_of
from sculpt.checks.identities.store import EntrySet, Store
from sculpt.checks.identities.suspects import SideFiles, confirm_key, confirm_reference
from sculpt.checks.identities.tables import Intake, TableFile
from sculpt.checks.identities.violations import (
    MOST,
    NONE,
    Collector,
    Files,
    Offences,
    OutsideRuns,
    Taker,
)
from sculpt.checks.model import Found, Request
from sculpt.checks.plan import Identity, Plan
from sculpt.checks.shared_pass import SharedPass, Wanted
from sculpt.core import ir
from sculpt.engines.local import thread_limit
from sculpt.engines.messages.findings import Finding
from sculpt.engines.options import Options
from sculpt.engines.results.details import Details
from sculpt.engines.results.listing import NO_EDGE
from sculpt.engines.walk.heat import HeatMap
from sculpt.engines.walk.strips import STRIP_CELLS
from sculpt.engines.walk.walk import WalkResult
from sculpt.kernels.backend import Backend
from sculpt.kernels.choice import plain
from sculpt.tabular.inputs import Input
from sculpt.values import field, frozen, mutable
from sculpt.verdict import Place, Tally, Violation

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, Any]

BATCH = 4096
"""How many violations are put into words at a time."""


@frozen
class Settings:
    """What only tests change."""

    strip: int = STRIP_CELLS
    most: int = MOST
    hashing: Hashing = field(default_factory=random_hashing)


@mutable
class _Group:
    """The entries that are compared with each other: of one file, or of all."""

    identity: Identity
    number: int
    left: EntrySet
    right: EntrySet | None
    left_files: SideFiles
    right_files: SideFiles
    found: Offences | None = None
    """The first violations, or all, once they are judged."""
    is_complete: bool = True
    counts: dict[int, int] = field(default_factory=dict)
    """By number of a file: how many violations it has."""


@mutable
class _File:
    """A file that was taken."""

    number: int
    table: int
    reader: TableFile | None
    path: str
    heat: HeatMap
    size: tuple[int, int] = (0, 0)
    """Rows and columns, once all entries were taken."""


@frozen
class _Case:
    """A violation before its texts are read."""

    order: tuple[int, int, int, str, int, int]
    """Row, column, line, code, number of the identity, item."""
    number: int
    """Of the identity."""
    is_right: bool
    cell: int
    item: int
    other: int
    part: int
    group: _Group

    def __lt__(self, other: _Case) -> bool:
        return self.order < other.order


class LocalIdentities:
    """Finds violated keys and references; `close` removes what it has on disk."""

    def __init__(
        self,
        plan: Plan,
        request: Request,
        options: Options,
        settings: Settings | None = None,
    ) -> None:
        self._plan, self._options = plan, options
        self._settings = settings or Settings()
        self._backend: Backend = options.backend or plain()
        self._store = Store(request.memory, self._settings.hashing, self._backend)
        self._files: list[_File] = []
        self._groups: dict[tuple[int, int | None], _Group] = {}
        """By identity, and by file for those that stay within one."""
        self.is_spoilt = False
        """Were the entries of a file taken only in part?"""

    def __enter__(self) -> LocalIdentities:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Remove temporary files; nothing can be listed any more."""
        self._store.close()

    @property
    def spilled(self) -> int:
        """How many bytes of entries went to the temporary directory."""
        return self._store.spilled

    # ------------------------------------------------------------- gathering

    def validate(
        self, table: int, path: str, source: Input, wanted: Wanted | None = None
    ) -> SharedPass | None:
        """Validate a file and gather its entries in one pass; `None` if that cannot be.

        If its entries were gathered only in part, `is_spoilt` is true: nothing can be judged.
        The edges of chunks will know what is `wanted`, too.
        """
        reader = self._reader(table, path, source)
        machines = None if reader is None else reader.machines_of_rules(wanted or Wanted())
        if reader is None or machines is None:
            return None
        file, intakes = self._opened(table, path, reader)
        found, is_whole = reader.validate(machines, intakes, partial(self._heat, file))
        if is_whole:
            self._ended(file, reader)
        self.is_spoilt = not is_whole
        return found

    def take(self, table: int, path: str, source: Input, rows: int, width: int) -> int:
        """Gather the entries of a file of a table; returns the number of the file."""
        reader = self._reader(table, path, source)
        file, intakes = self._opened(table, path, reader)
        file.size = (rows, width)
        if reader is not None:
            reader.gather(file.size, intakes, partial(self._heat, file))
            self._ended(file, reader)
        return file.number

    @property
    def last(self) -> int:
        """The number of the last file that was taken."""
        return len(self._files) - 1

    def _reader(self, table: int, path: str, source: Input) -> TableFile | None:
        """What reads a file; `None` if nothing is about its table."""
        sides = sides_of(self._plan, table)
        if not sides:
            return None
        schema, settings = self._plan.tables[table].schema.core, self._settings
        facts = (self._options, settings.hashing, settings.strip)
        reader = TableFile(schema, sides, path, source, *facts)
        if reader.backend.is_compiled and not self._backend.is_compiled:
            self._backend = self._store.backend = reader.backend
        return reader

    def _opened(
        self, table: int, path: str, reader: TableFile | None
    ) -> tuple[_File, list[Intake]]:
        """A file whose entries can be taken, and where those of each side go."""
        number = len(self._files)
        file = _File(number, table, reader, path, HeatMap(self._backend))
        self._files.append(file)
        intakes: list[Intake] = []
        for ix, side in enumerate(reader.sides if reader is not None else ()):
            assert reader is not None
            group = self._group(side, number)
            own = group.right_files if side.is_right else group.left_files
            found = group.right if side.is_right else group.left
            assert found is not None
            own.tables[number] = (reader, ix)
            intakes.append(Intake(found, own.files.add(number)))
        return file, intakes

    def _ended(self, file: _File, reader: TableFile) -> None:
        """All entries of a file were taken: judge what stays within it."""
        file.size = (reader.rows, reader.width)
        for side in reader.sides:
            group = self._group(side, file.number)
            own = group.right_files if side.is_right else group.left_files
            own.files.end(reader.rows * reader.width)
        for side in reader.sides:
            if not side.identity.spans_files and not side.is_right:
                self._judge(self._groups[side.number, file.number])

    def _group(self, side: Side, file: int) -> _Group:
        """The group of a side, for a file."""
        identity = side.identity
        key = (side.number, None if identity.spans_files else file)
        if key not in self._groups:
            new, has_right = self._store.new_set, identity.right is not None
            left, right = SideFiles(Files(), {}), SideFiles(Files(), {})
            sets = (new(), new() if has_right else None)
            self._groups[key] = _Group(identity, side.number, *sets, left, right)
        return self._groups[key]

    def _heat(self, file: _File, cells: Array) -> None:
        """Note where violations are."""
        import numpy as np

        assert file.reader is not None
        width = file.reader.width
        rows, columns = cells // width + 1, cells % width + 1
        places = np.stack([rows, columns], axis=1).ravel()
        file.heat.add_places(places, len(cells), 0)

    # ------------------------------------------------------------- judging

    def judge(self) -> list[Found]:
        """What was found, by the number of the file."""
        for number, identity in enumerate(self._plan.identities):
            group = self._groups.get((number, None))
            if identity.spans_files and group is not None and group.found is None:
                self._judge(group)
        return [self._found(file) for file in self._files]

    def _judge(self, group: _Group) -> None:
        """Find the violations of a group."""
        files = group.left_files.files
        collector = Collector(files, self._options.max_violations, most=self._settings.most)
        collector.on_places = partial(self._note, group)
        self._run(group, collector)
        group.found = collector.result()
        group.is_complete = collector.is_complete
        group.counts = {files.numbers[ix]: count for ix, count in collector.counts.items()}
        if group.is_complete:
            group.left.release()
            if group.right is not None:
                group.right.release()

    def _note(self, group: _Group, places: Array) -> None:
        files = group.left_files.files
        owners = files.index(places)
        for ix in set(owners.tolist()):
            self._heat(self._files[files.numbers[ix]], places[owners == ix] - files.bases[ix])

    def _run(self, group: _Group, collector: Collector) -> None:
        statement = group.identity.statement
        if isinstance(statement, ir.CoreKey):
            taking = self._outside_runs(group, collector) if statement.runs else collector
            confirm = partial(confirm_key, group.left_files)
            self._judge_with(confirm).key(group.left, taking)
            if isinstance(taking, OutsideRuns):
                taking.finish()
            return
        assert group.right is not None
        sides = (group.left_files, group.right_files, statement.several)
        judge = self._judge_with(partial(confirm_reference, *sides))
        judge.reference(group.left, group.right, statement.several, collector)

    def _outside_runs(self, group: _Group, collector: Collector) -> OutsideRuns:
        files = group.left_files.files
        (number,) = files.numbers  # a key in runs is about one file
        return OutsideRuns(collector, files.bases[0], self._files[number].size[1])

    def _judge_with(self, confirm: Any) -> Judge:
        def compare(suspects: Suspects, collector: Taker) -> None:
            confirm(suspects, collector)

        return Judge(self._backend, self._settings.hashing, compare, thread_limit(self._options))

    # ------------------------------------------------------------- results

    def _found(self, file: _File) -> Found:
        if file.reader is None:
            return Found()
        tallies = tuple(self._tallies(file))
        details = _details(file.reader)
        first = self._first(file)
        return Found(
            tallies=tallies,
            violations=tuple(self._worded(file, details, first)),
            heat=file.heat.heat(*file.size),
            listed=partial(self._listed, file),
        )

    def _tallies(self, file: _File) -> Iterator[Tally]:
        """What each statement has checked in a file, in the order of the schema."""
        assert file.reader is not None
        by_number: dict[int, list[int]] = {}
        for ix, side in enumerate(file.reader.sides):
            by_number.setdefault(side.number, []).append(ix)
        for number, indices in by_number.items():
            identity = self._plan.identities[number]
            statement = identity.statement
            counts = [file.reader.counts[ix] for ix in indices]
            failed = sum(each.several for each in counts)
            is_left = identity.left == file.table
            if is_left:
                failed += self._group_of(number, file).counts.get(file.number, 0)
            elif not failed:
                continue
            yield Tally(
                code="key" if isinstance(statement, ir.CoreKey) else "reference",
                rule=None,
                line=statement.line,
                text=statement.text,
                selected=counts[0].selected,
                checked=counts[0].checked,
                failed=failed,
                severity=statement.ending.severity,
            )

    def _group_of(self, number: int, file: _File) -> _Group:
        spans = self._plan.identities[number].spans_files
        return self._groups[number, None if spans else file.number]

    def _first(self, file: _File) -> list[_Case]:
        """The first errors and the first warnings of a file, in order."""
        limit = self._options.max_violations
        shown: dict[str, int] = {}
        found: list[_Case] = []
        for case in heapq.merge(*self._streams(file, is_short=True)):
            severity = case.group.identity.statement.ending.severity
            shown[severity] = shown.get(severity, 0) + 1
            if shown[severity] <= limit:
                found.append(case)
        return found

    def _streams(self, file: _File, is_short: bool) -> list[Iterator[_Case]]:
        """The violations of each statement in a file, in order; if short, the first of them."""
        assert file.reader is not None
        found: list[Iterator[_Case]] = []
        for ix, side in enumerate(file.reader.sides):
            group = self._group_of(side.number, file)
            found.append(self._several_cases(file, file.reader, ix, group, is_short))
            if not side.is_right:
                found.append(self._group_cases(file, group, is_short))
        return found

    def _several_cases(
        self, file: _File, reader: TableFile, ix: int, group: _Group, is_short: bool
    ) -> Iterator[_Case]:
        side = reader.sides[ix]
        limit = self._options.max_violations
        kept = (reader.counts[ix].kept or [])[:limit]
        places = kept if is_short else reader.several(ix)
        line = side.identity.statement.line
        for cell, part in places:
            row, column = divmod(cell, file.size[1])
            part += side.first_part
            order = (row + 1, column + 1, line, "key-several", side.number, part)
            yield _Case(order, side.number, side.is_right, cell, 0, NONE, part, group)

    def _group_cases(self, file: _File, group: _Group, is_short: bool) -> Iterator[_Case]:
        """The violations of a group in a file; if they were too many to be kept, found again."""
        window = group.left_files.files.range_of(file.number)
        assert group.found is not None
        if is_short or group.is_complete:
            found = group.found
            first, last = found.places.searchsorted(window).tolist()
            if is_short:
                last = min(last, first + self._options.max_violations)
            yield from self._cases(file, group, window[0], found.at(slice(first, last)))
            return
        after = (window[0] - 1, 0, 0)
        while True:
            files, most = group.left_files.files, self._settings.most
            collector = Collector(files, 0, window, after, most)
            self._run(group, collector)
            found = collector.result().at(slice(most))
            if not len(found):
                return
            yield from self._cases(file, group, window[0], found)
            after = found.last()

    def _cases(self, file: _File, group: _Group, base: int, found: Offences) -> Iterator[_Case]:
        statement = group.identity.statement
        is_key = isinstance(statement, ir.CoreKey)
        arrays = (found.places.tolist(), found.items.tolist(), found.others.tolist())
        for place, item, other in zip(*arrays, strict=True):
            row, column = divmod(place - base, file.size[1])
            code = "key" if is_key else ("reference-none" if other < 0 else "reference-several")
            order = (row + 1, column + 1, statement.line, code, group.number, item)
            yield _Case(order, group.number, False, place - base, item, other, 0, group)

    def _listed(self, file: _File) -> Iterator[Violation]:
        """All violations of a file, in order."""
        if file.reader is None:
            return
        details = _details(file.reader)
        cases: list[_Case] = []
        for case in heapq.merge(*self._streams(file, is_short=False)):
            cases.append(case)
            if len(cases) == BATCH:
                yield from self._worded(file, details, cases)
                cases = []
        yield from self._worded(file, details, cases)

    # ------------------------------------------------------------- words

    def _worded(self, file: _File, details: Details, cases: list[_Case]) -> Iterator[Violation]:
        """Violations in words."""
        assert file.reader is not None
        details.starts.clear()
        details._read_row.cache_clear()
        texts = self._texts(file, file.reader, details, cases)
        for ix, case in enumerate(cases):
            yield details.narrator.violation(self._finding(file, case, texts.get(ix, ())))

    def _texts(
        self, file: _File, reader: TableFile, details: Details, cases: list[_Case]
    ) -> dict[int, tuple[str, ...]]:
        """The texts of cases, by their index; fills in where their rows begin."""
        import numpy as np

        texts: dict[int, tuple[str, ...]] = {}
        wanted: dict[int, list[int]] = {}
        for at, case in enumerate(cases):
            if case.order[3] == "key-several":
                row = case.order[0]
                if row not in details.starts:
                    details.starts[row] = reader.start_of(row)
            else:
                wanted.setdefault(case.number, []).append(at)
        for number, indices in wanted.items():
            ix = next(
                ix for ix, side in enumerate(reader.sides)
                if side.number == number and not side.is_right
            )  # fmt: skip
            cells = np.array([cases[at].cell for at in indices], np.int64)
            items = np.array([cases[at].item for at in indices], np.int64)
            for which, starts, parts in reader.entries_at(ix, cells, items):
                for at, start, each in zip(which.tolist(), starts, parts, strict=True):
                    case = cases[indices[at]]
                    details.starts[case.order[0]] = start
                    texts[indices[at]] = each
        return texts

    def _finding(self, file: _File, case: _Case, texts: tuple[str, ...]) -> Finding:
        statement = case.group.identity.statement
        row, column, _, code, *_ = case.order
        other, is_elsewhere = None, False
        if case.other != NONE:
            group = case.group
            sides = group.left_files if group.right is None else group.right_files
            number, cell = sides.files.of(case.other)
            found = self._files[number]
            other_row, other_column = divmod(cell, found.size[1])
            other = Place(found.path, other_row + 1, other_column + 1)
            is_elsewhere = number != file.number
        return Finding(
            code=code,
            row=row,
            column=column,
            item=case.item or None,
            items=texts,
            identity=statement,
            other=other,
            is_elsewhere=is_elsewhere,
            part=case.part,
        )


def _details(reader: TableFile) -> Details:
    """What puts the findings of a file into words."""
    found = WalkResult(reader.rows, reader.width, 0, [], NO_EDGE)
    return Details(reader.machines, found, reader.data, unmatched=frozenset())
