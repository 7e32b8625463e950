"""Keys and references on plain values: what every other engine is measured against.

In: a plan, and the files of its tables, each read as a `Grid`. Out: what was found in each file. An
entry is a tuple of plain values, one for each part; equal entries are equal keys of a dictionary.
Regions are those of the reference engine.

Invariant: nothing is hashed by hand, written out or left to a kernel. Cost: O(cells) for each part;
memory for all tables and all entries.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product
from typing import TypeAlias

from sculpt.checks.model import Found, Request
from sculpt.checks.plan import Identity, Plan
from sculpt.core import ir
from sculpt.core.datatypes import reading
from sculpt.core.datatypes.moments import Moment, instant
from sculpt.engines.messages.findings import Finding, first_of
from sculpt.engines.messages.text_tokens import is_decodable
from sculpt.engines.options import CHUNK, Options
from sculpt.engines.reference import Table, heat_of, narrator_of
from sculpt.tabular.document import decode
from sculpt.tabular.grid import Grid, list_splitter, read_grid
from sculpt.tabular.inputs import Input
from sculpt.values import frozen
from sculpt.verdict import Place, Tally, Violation

Comparable: TypeAlias = tuple[object, ...]
"""What two texts share if they are equal; it can be the key of a dictionary."""


@frozen
class _Entry:
    """A cell of each part, or an item of one: what is compared, where it is, its texts."""

    values: tuple[Comparable, ...]
    row: int
    column: int
    texts: tuple[str, ...]
    item: int | None


@frozen
class _Side:
    """What a side of a statement has in one file."""

    selected: int
    entries: tuple[_Entry, ...]
    several: tuple[Finding, ...]
    """Rows with several cells of a part."""


class _File:
    """A file of a table."""

    def __init__(self, number: int, table: int, path: str, core: ir.CoreSchema, grid: Grid) -> None:
        self.number, self.table, self.path = number, table, path
        self.core, self.grid = core, grid
        self._regions = Table(grid, dict(core.tokens))

    def side(self, identity: Identity, is_right: bool) -> _Side:
        """The entries of a side, in the order of the table."""
        parts = identity.right_parts if is_right else identity.left_parts
        before = len(identity.left_parts) if is_right else 0
        found = [self._by_row(part) for part in parts]
        selected = sum(len(cells) for rows in found for cells in rows.values())
        if len(parts) == 1:
            places = [(cell,) for cells in found[0].values() for cell in cells]
            return _Side(selected, tuple(self._entries(parts, places)), ())
        common = sorted(set.intersection(*(set(rows) for rows in found)))
        several = [
            Finding("key-several", *rows[row][1], identity=identity.statement, part=before + ix)
            for row in common
            for ix, rows in enumerate(found)
            if len(rows[row]) > 1
        ]
        whole = [row for row in common if all(len(rows[row]) == 1 for rows in found)]
        tuples = [tuple(rows[row][0] for rows in found) for row in whole]
        return _Side(selected, tuple(self._entries(parts, tuples)), tuple(several))

    def _by_row(self, part: ir.CorePart) -> dict[int, list[tuple[int, int]]]:
        """The real cells of a part, by row."""
        rows: dict[int, list[tuple[int, int]]] = {}
        for place in sorted(self._regions.region(part.selector)):
            if self.grid.cell(*place) is not None:
                rows.setdefault(place[0], []).append(place)
        return rows

    def _entries(
        self, parts: tuple[ir.CorePart, ...], tuples: Iterable[tuple[tuple[int, int], ...]]
    ) -> Iterator[_Entry]:
        for places in tuples:
            options = [self._texts(part, at) for part, at in zip(parts, places, strict=True)]
            for chosen in product(*options):
                item = next((number for _, _, number in chosen if number is not None), None)
                values = tuple(value for value, _, _ in chosen)
                texts = tuple(text for _, text, _ in chosen)
                yield _Entry(values, *places[0], texts, item)

    def _texts(
        self, part: ir.CorePart, place: tuple[int, int]
    ) -> list[tuple[Comparable, str, int | None]]:
        """What a cell is compared by: its text, or each item of it; from 1."""
        cell = self.grid.cell(*place)
        assert cell is not None
        if part.items is None:
            return [(_comparable(part, cell.text, cell.decodable), cell.text, None)]
        return [
            (_comparable(part, item, is_decodable(item, cell)), item, number)
            for number, item in enumerate(list_splitter(part.items)(cell.text), 1)
        ]


def _comparable(part: ir.CorePart, text: str, decodable: bool) -> Comparable:
    """What texts share if they are equal: the value, if the part has a type and the text a value.

    A text that cannot be decoded has no value, and is equal to none that can be.
    """
    if not decodable:
        return ("bytes", text)
    value = reading.first_value(part.bases, text)
    return ("text", text) if value is None else _of_value(value)


def _of_value(value: object) -> Comparable:
    """The value, so that Python finds those equal that the type does."""
    if isinstance(value, Moment):
        return ("moment", value.zone is None, instant(value))
    if value != value:
        return ("not a number",)
    return (type(value).__name__, value)


class ReferenceIdentities:
    """Finds what violates keys and references, with all tables in memory."""

    def __init__(self, plan: Plan, request: Request, options: Options) -> None:
        self._plan = plan
        self._options = options
        self._files: list[_File] = []

    def __enter__(self) -> ReferenceIdentities:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the tables."""
        self._files = []

    def take(self, table: int, path: str, source: Input, rows: int, width: int) -> int:
        """Read a file of a table; return its number, from 0."""
        core = self._plan.tables[table].schema.core
        data = b"".join(bytes(block) for block, _ in source.blocks(CHUNK))
        grid = read_grid(decode(data, core.dialect.encoding), core.dialect)
        self._files.append(_File(len(self._files), table, path, core, grid))
        return len(self._files) - 1

    def judge(self) -> list[Found]:
        """What was found in each file."""
        findings: list[list[Finding]] = [[] for _ in self._files]
        tallies: list[list[Tally]] = [[] for _ in self._files]
        for identity in self._plan.identities:
            for file, side, found in self._judge(identity):
                findings[file].extend(found)
                tallies[file].append(_tally(identity, side, len(found)))
        return [
            self._found(file, findings[file.number], tallies[file.number]) for file in self._files
        ]

    def _judge(self, identity: Identity) -> Iterator[tuple[int, _Side, list[Finding]]]:
        """By file: its side of a statement, and what is wrong with it."""
        lefts = [
            (file, file.side(identity, False))
            for file in self._files
            if file.table == identity.left
        ]
        if identity.right is None:
            groups = [lefts] if identity.spans_files else [[each] for each in lefts]
            for group in groups:
                yield from _judge_key(identity, group)
            return
        if identity.left == identity.right:
            for file, side in lefts:
                right = file.side(identity, True)
                found = [*side.several, *right.several]
                found += _judge_reference(identity, file, side, _entries_of([(file, right)]))
                yield file.number, side, found
            return
        rights = [
            (file, file.side(identity, True))
            for file in self._files
            if file.table == identity.right
        ]
        targets = _entries_of(rights)
        for file, side in lefts:
            found = [*side.several, *_judge_reference(identity, file, side, targets)]
            yield file.number, side, found
        for file, side in rights:
            if side.several:
                yield file.number, side, list(side.several)

    def _found(self, file: _File, findings: list[Finding], tallies: list[Tally]) -> Found:
        ordered = sorted(findings, key=lambda finding: finding.order)
        narrator = narrator_of(file.core, file.grid)

        def listed() -> Iterator[Violation]:
            return map(narrator.violation, ordered)

        shown = narrator.violations(first_of(ordered, self._options.max_violations))
        heat = heat_of(ordered, file.grid.height, file.grid.width)
        return Found(tuple(tallies), shown, heat, listed)


_Targets: TypeAlias = dict[tuple[Comparable, ...], list[tuple[_File, _Entry]]]


def _entries_of(sides: Iterable[tuple[_File, _Side]]) -> _Targets:
    found: _Targets = {}
    for file, side in sides:
        for entry in side.entries:
            found.setdefault(entry.values, []).append((file, entry))
    return found


def _judge_key(
    identity: Identity, sides: list[tuple[_File, _Side]]
) -> Iterator[tuple[int, _Side, list[Finding]]]:
    assert isinstance(identity.statement, ir.CoreKey)
    first: dict[tuple[Comparable, ...], tuple[_File, _Entry]] = {}
    latest: dict[tuple[Comparable, ...], int] = {}
    for file, side in sides:
        found = list(side.several)
        for entry in side.entries:
            known = first.setdefault(entry.values, (file, entry))
            before = latest.get(entry.values, entry.row)
            latest[entry.values] = entry.row
            if identity.statement.runs and entry.row - before <= 1:
                continue
            if known[1] is not entry:
                found.append(_finding("key", identity, file, entry, known))
        yield file.number, side, found


def _judge_reference(
    identity: Identity, file: _File, side: _Side, targets: _Targets
) -> Iterator[Finding]:
    assert isinstance(identity.statement, ir.CoreReference)
    for entry in side.entries:
        equal = targets.get(entry.values, [])
        if not equal:
            yield _finding("reference-none", identity, file, entry, None)
        elif len(equal) > 1 and not identity.statement.several:
            yield _finding("reference-several", identity, file, entry, equal[0])


def _finding(
    code: str, identity: Identity, file: _File, entry: _Entry, other: tuple[_File, _Entry] | None
) -> Finding:
    place = None if other is None else Place(other[0].path, other[1].row, other[1].column)
    return Finding(
        code,
        entry.row,
        entry.column,
        item=entry.item,
        items=entry.texts,
        identity=identity.statement,
        other=place,
        is_elsewhere=other is not None and other[0] is not file,
    )


def _tally(identity: Identity, side: _Side, failed: int) -> Tally:
    statement = identity.statement
    code = "key" if identity.right is None else "reference"
    facts = (side.selected, len(side.entries), failed, statement.ending.severity)
    return Tally(code, None, statement.line, statement.text, *facts)
