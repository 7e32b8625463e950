"""The reference implementation of programs: each statement, as defined, on a table in memory.

In: a `CoreProgram` and a `Grid`. Out: a `ReferenceRun`: the rows of each stream as Python values,
and what went wrong. Section 5.3 of the paper and `docs/language.md#13-programs`. It is the
yardstick for the engine that works on columns, so it stays plain: a loop is a loop, a look-up walks
from cell to cell, an aggregate adds fractions. All it shares with that engine is the meaning of
texts (`core.programs.typed_values`), of namespaces (`iris`) and of groups (RE2).

Invariant: a value that cannot be computed is `None` and has a finding, unless it is `optional`;
for their order see `evaluation.findings`.
Cost: a look-up may visit each cell of its region, for each cell of the loop.
"""

from __future__ import annotations

import base64
import datetime as dt
import math
import re
from collections.abc import Callable, Iterable, Iterator
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, assert_never

from sculpt.core import ir
from sculpt.core.builtins import FRIENDLY
from sculpt.core.programs import program as programs
from sculpt.core.programs.conditions import Is, values_asked
from sculpt.core.programs.program import (
    CoreProgram,
    LookUp,
    first_cell,
    source_cell,
    values_of,
)
from sculpt.core.programs.typed_values import DECIMAL, Value, ValueType, parse_value
from sculpt.engines.reference import Coordinate, Region, Table
from sculpt.syntax.programs.tree import LoopKind
from sculpt.tabular.decoder import UNDECODABLE
from sculpt.tabular.grid import Grid
from sculpt.transform.conditions.failures import Failure, failed_question, failed_value, violation
from sculpt.transform.conditions.text_functions import BAD_PERCENT, percent_decoded, stem_of
from sculpt.transform.conditions.truth import culprit, truth
from sculpt.transform.evaluation.casts import captured
from sculpt.transform.evaluation.findings import finding, named, shown, single_look_up
from sculpt.transform.evaluation.opposites import hinted, opposite_hint
from sculpt.transform.iris import entity
from sculpt.values import frozen, replace
from sculpt.verdict import Violation

if TYPE_CHECKING:
    from sculpt.transform.conditions.files import Files
    from sculpt.transform.evaluation.token_casts import TokenReader

T = TypeVar("T")
Datum: TypeAlias = Value | list[str] | None

MAX_EXPONENT = 1000
"""A text with an exponent above this, or below its negative, is not a number for aggregates."""
_NUMBER = re.compile(FRIENDLY["Number"], re.DOTALL)
_EXPONENT = re.compile("[eE][+-]?0*([0-9]*)$")
_BLANKS = " \t\r\n"


@frozen(slots=False)
class ReferenceRun:
    """The results of the programs of a schema on a table."""

    streams: tuple[tuple[tuple[object, ...], ...], ...]
    """For each stream of the program: its rows, in order."""
    findings: tuple[Violation, ...]


def run_programs(
    program: CoreProgram, grid: Grid, file: str, hidden_rows: frozenset[int] = frozenset()
) -> ReferenceRun:
    """Run all statements, in order; loops and aggregates skip the hidden rows."""
    run = _Run(program, grid, file, hidden_rows)
    run.check_regions()
    for number, statement in enumerate(program.statements, 1):
        match statement:
            case programs.Print():
                run.key = (_AT_THE_END, number, 0)
                run.act(statement, _Place())
            case programs.Loop(kind, region, actions, _, _):
                for place in _places(kind, run.visible(region)):
                    by_row = place.row is not None
                    key = (_BY_ROW, place.row or 0) if by_row else (_AT_THE_END, number)
                    run.key = (*key, place.column or 0)
                    run.named.clear()
                    for action in actions:
                        run.act(action, place)
            case programs.Require():
                raise AssertionError("a `require` is checked before")
            case _:
                assert_never(statement)
    findings = [each.what for each in sorted(run.distinct(), key=lambda each: each.key)]
    told = set(hinted(findings))
    findings = [
        each if ix in told or each.code != "lookup-none" else replace(each, hint=None)
        for ix, each in enumerate(findings)
    ]
    return ReferenceRun(tuple(map(tuple, run.ordered())), tuple(findings))


@frozen(slots=False)
class ReferenceCheck:
    """What a `require` finds in a table."""

    require: programs.Require
    selected: int
    """Cells of the region of its loop, or of its own regions."""
    checked: int
    """Iterations."""
    violations: tuple[Violation, ...]


def check_requires(
    program: CoreProgram, grid: Grid, file: str, files: Files | None = None
) -> list[ReferenceCheck]:
    """Check each `require` of a program that has nothing else, in the order of the text."""
    run = _Run(program, grid, file, frozenset(), files)
    run.is_checking = True
    found: list[ReferenceCheck] = []
    for statement in program.statements:
        match statement:
            case programs.Loop(kind, region, actions, _, _):
                cells = run.visible(region)
                places = list(_places(kind, cells))
                for action in actions:
                    assert isinstance(action, programs.Require)
                    found.append(run.checked(action, places, len(cells)))
            case programs.Require():
                regions = programs.regions_asked(statement)
                size = sum(len(run.visible(region)) for region in regions)
                found.append(run.checked(statement, [_Place()], size))
            case _:
                raise AssertionError(statement)
    return found


_BY_ROW, _AT_THE_END = range(2)
"""When a finding is made: in a loop over cells or rows, or when the whole table is known."""


@frozen(slots=False)
class _Found:
    """A finding, with its sort key."""

    key: tuple[int, int, int]
    what: Violation


# ----------------------------------------------------------------- the places of a loop


@frozen
class _Place:
    """A cell, a row or a column with its cells of the region; empty outside of loops."""

    row: int | None = None
    column: int | None = None
    cells: tuple[Coordinate, ...] = ()


def _places(kind: LoopKind, region: Region) -> Iterator[_Place]:
    cells = sorted(region)
    match kind:
        case "cell":
            for row, column in cells:
                yield _Place(row, column, ((row, column),))
        case "row":
            for number in sorted({row for row, _ in cells}):
                yield _Place(number, None, tuple(each for each in cells if each[0] == number))
        case "column":
            for number in sorted({column for _, column in cells}):
                yield _Place(None, number, tuple(each for each in cells if each[1] == number))
        case _:
            assert_never(kind)


# ----------------------------------------------------------------- look-ups


def cells_found(
    table: Table, program: CoreProgram, look_up: LookUp, origin: Coordinate
) -> list[Coordinate]:
    """The cells that a look-up reaches from a cell, in table order."""
    if look_up.path is not None:
        return sorted(table.walk(look_up.path, frozenset([origin])))
    region, direction = table.region(program.regions[look_up.region]), look_up.direction
    assert direction is not None
    is_vertical = direction in ("up", "down")
    lines = _lines_from(table.grid, origin, direction)
    match look_up.kind:
        case "directly":
            own = [(at, origin[1]) if is_vertical else (origin[0], at) for at in lines[1:]]
            return next(([cell] for cell in own if cell in region), [])
        case "closest":
            return next((held for at in lines if (held := _held(region, at, is_vertical))), [])
        case "within":
            across = origin[1] if is_vertical else origin[0]
            low, high = across - look_up.before, across + look_up.after
            for at in lines:
                for cell in _held(region, at, is_vertical):
                    if low <= (cell[1] if is_vertical else cell[0]) <= high:
                        return [cell]
            return []
    raise AssertionError(f"{look_up.kind} without a path")


def _lines_from(grid: Grid, origin: Coordinate, direction: ir.Direction) -> list[int]:
    """The numbers of the rows (or columns) in a direction, starting with that of a cell."""
    row, column = origin
    match direction:
        case "up":
            return list(range(row, 0, -1))
        case "down":
            return list(range(row, grid.height + 1))
        case "left":
            return list(range(column, 0, -1))
        case "right":
            return list(range(column, grid.width + 1))


def _held(region: Region, line: int, is_row: bool) -> list[Coordinate]:
    """The cells of a region in a row (or column), in table order."""
    return sorted(cell for cell in region if cell[0 if is_row else 1] == line)


# ----------------------------------------------------------------- statements


class _Run:
    def __init__(
        self,
        program: CoreProgram,
        grid: Grid,
        file: str,
        hidden_rows: frozenset[int],
        files: Files | None = None,
    ) -> None:
        self.program = program
        self.grid = grid
        self.file = file
        self.hidden_rows = hidden_rows
        self.files = files
        self.is_checking = False
        """Is a `require` checked? Then what is wrong with an aggregate is reported at each use."""
        self.table = Table(grid, dict(program.tokens))
        self.streams: list[list[tuple[object, ...]]] = [[] for _ in program.streams]
        self.keys: list[list[tuple[float, ...]]] = [[] for _ in program.streams]
        """The sort key of each row of each stream."""
        self.found: list[tuple[_Found, bool]] = []
        """The findings; is each reported even inside `optional`?"""
        self.named: dict[int, tuple[Datum | Coordinate, list[tuple[_Found, bool]]]] = {}
        """By number of a `let`, in this iteration: what it is, and what is wrong with it."""
        self.key = (_AT_THE_END, 0, 0)

    @cached_property
    def reader(self) -> TokenReader:
        """Reads texts by derived tokens; few programs do."""
        from sculpt.transform.evaluation.token_casts import TokenReader

        return TokenReader(self.program.tokens)

    def visible(self, region: int) -> Region:
        """The cells of a region that are not in hidden rows."""
        cells = self.table.region(self.program.regions[region])
        return frozenset(cell for cell in cells if cell[0] not in self.hidden_rows)

    def text(self, cell: Coordinate, raw: bool = False) -> str | None:
        """The text of a cell; `None` if it is padded."""
        found = self.grid.cell(*cell)
        if found is None:
            return None
        return UNDECODABLE.sub("\ufffd", found.raw if raw else found.text)

    def act(self, action: programs.Action, place: _Place) -> None:
        """Perform an action at a place."""
        row: tuple[object, ...]
        match action:
            case programs.Print(_, value):
                row = (text_of(self.value(value, place)),)
            case programs.Annotate(_, value, namespace):
                text = None if value is None else text_of(self.value(value, place))
                content = self.text(place.cells[0])
                row = (self.file, place.row, place.column, content, namespace, text)
            case programs.Emit(_, values):
                row = tuple(self.value(value, place) for value in values)
            case programs.Require():
                raise AssertionError("a `require` is checked before")
            case _:
                assert_never(action)
        self.streams[action.stream].append(row)
        by_cell = self.program.streams[action.stream].kind == "annotations"
        key = (place.row or math.inf, (place.column or 0) if by_cell else 0)
        self.keys[action.stream].append(key)

    def checked(
        self, require: programs.Require, places: list[_Place], selected: int
    ) -> ReferenceCheck:
        """Check a `require` at some places."""
        violations = []
        for place in places:
            self.named.clear()
            failed = self.failure(require, place)
            if failed is not None:
                failure, at = failed
                row, column = _within(place, at)
                violations.append(violation(require, row, column, failure))
        return ReferenceCheck(require, selected, len(places), tuple(violations))

    def failure(
        self, require: programs.Require, place: _Place
    ) -> tuple[Failure, Coordinate | None] | None:
        """Why a `require` fails at a place, and the cell that this is about."""
        at = _At(self, place)
        self.found.clear()
        holds = truth(require.condition, at) is not False
        wrong = [found.what for found, _ in self.found]
        if wrong:
            row, column = wrong[0].row, wrong[0].column
            is_cell = row is not None and column is not None
            return failed_value(wrong[0]), (row or 0, column or 0) if is_cell else None
        if holds:
            return None
        question, answer = culprit(require.condition, False, at)
        values = values_asked(question)
        texts = tuple(self.value(each, place) for each in values)
        source = first_cell(question)
        cell = None if source is None else self.cell(source, place)
        written = tuple(None if each is None else text_of(each) for each in texts)
        return failed_question(question, answer, written), cell

    def ordered(self) -> Iterator[list[tuple[object, ...]]]:
        """The streams: lines as they were printed, records by row, annotations by cell."""
        for stream, rows, keys in zip(self.program.streams, self.streams, self.keys, strict=True):
            numbered = list(zip(keys, range(len(rows)), strict=True))
            order = numbered if stream.kind == "print" else sorted(numbered)
            in_order = [rows[ix] for _, ix in order]
            if stream.is_distinct:
                known: dict[tuple[object, ...], tuple[object, ...]] = {}
                for row in in_order:
                    known.setdefault(_record(row), row)
                in_order = list(known.values())
            yield in_order

    def report(
        self,
        code: str,
        line: int,
        place: _Place | Coordinate,
        found: str | None,
        message: str,
        hint: str | None = None,
    ) -> None:
        """Report that something is wrong at a place."""
        row, column = (place.row, place.column) if isinstance(place, _Place) else place
        what = finding(code, line, row, column, found, message, hint)
        self.found.append((_Found(self.key, what), False))

    def distinct(self) -> list[_Found]:
        """The findings, each once: those of a `let` at its first use."""
        return list({id(found): found for found, _ in self.found}.values())

    def silenced(self, before: int) -> None:
        """Forget the findings since then, except those that are reported in any case."""
        self.found[before:] = [each for each in self.found[before:] if each[1]]

    def insisted(self, before: int) -> None:
        """The findings since then are reported in any case."""
        self.found[before:] = [(found, True) for found, _ in self.found[before:]]

    def let(self, number: int, compute: Callable[[], Any]) -> Any:
        """What has a name, computed once in an iteration."""
        if number not in self.named:
            before, self.found = self.found, []
            value = compute()
            self.named[number] = value, self.found
            self.found = before
        value, found = self.named[number]
        self.found += found
        return value

    def source(self, value: programs.Value, place: _Place) -> _Place | Coordinate:
        """The cell whose text a value is made from, or else the place of the iteration."""
        cell = source_cell(value)
        if cell is None:
            return place
        before = len(self.found)
        found = self.cell(cell, place)
        del self.found[before:]
        return found or place

    # ------------------------------------------------------------- cells

    def cell(self, cell: programs.Cell, place: _Place) -> Coordinate | None:
        """The cell that an expression names; `None` and a finding unless there is exactly one."""
        match cell:
            case programs.LoopCell():
                return place.cells[0]
            case programs.ItemCell(index, line):
                if index <= len(place.cells):
                    return place.cells[index - 1]
                where = f"row {place.row}" if place.column is None else f"column {place.column}"
                message = f"{where} has no cell {index} in the region"
                self.report("no-cell", line, place, None, message)
                return None
            case programs.OwnCell(region, text, line):
                return self.own_cell(region, text, line, place)
            case programs.OnlyCell(region, text, line):
                cells = sorted(self.table.region(self.program.regions[region]))
                return self.single(cells, text, "", line, place)
            case programs.FoundCell(number, start, line):
                origin = self.cell(start, place)
                return None if origin is None else self.only_cell(number, origin, line)
            case programs.OneCell(inner):
                before = len(self.found)
                found = self.cell(inner, place)
                self.insisted(before)
                return found
            case programs.LetCell(number, inner):
                named: Coordinate | None = self.let(number, lambda: self.cell(inner, place))
                return named
            case _:
                assert_never(cell)

    def own_cell(self, region: int, text: str, line: int, place: _Place) -> Coordinate | None:
        """The cell of the loop's row or column that is in a region."""
        where = f" in row {place.row}" if place.row else f" in column {place.column}"
        return self.single(self.own_cells(region, place), text, where, line, place)

    def own_cells(self, region: int, place: _Place) -> list[Coordinate]:
        cells = self.table.region(self.program.regions[region])
        return sorted(each for each in cells if place.row == each[0] or place.column == each[1])

    def single(
        self, cells: list[Coordinate], text: str, where: str, line: int, place: _Place
    ) -> Coordinate | None:
        """The one cell of some; none or several are a finding."""
        if len(cells) == 1:
            return cells[0]
        if not cells:
            self.report("lookup-none", line, place, None, f"`{text}` finds no cell{where}")
        else:
            both = f"{shown(*cells[0])} and {shown(*cells[1])}"
            message = f"`{text}` finds several cells{where}: {both}"
            self.report("lookup-several", line, place, None, message)
        return None

    def only_cell(self, number: int, origin: Coordinate, line: int) -> Coordinate | None:
        look_up = self.program.look_ups[number]
        found = cells_found(self.table, self.program, look_up, origin)
        if len(found) == 1:
            return found[0]
        start, content = shown(*origin), self.text(origin)
        if not found:
            message = f"`{look_up.text}` finds no cell from {start}"
            region = () if look_up.path else self.table.region(self.program.regions[look_up.region])
            hint = opposite_hint(look_up, origin, region)
            self.report("lookup-none", line, origin, content, message, hint)
        else:
            first, second = found[:2]
            both = f"{shown(*first)} and {shown(*second)}"
            message = f"`{look_up.text}` finds several cells from {start}: {both}"
            hint = single_look_up(look_up, origin, first, second)
            self.report("lookup-several", line, origin, content, message, hint)
        return None

    # ------------------------------------------------------------- values

    def value(self, value: programs.Value, place: _Place) -> Datum:
        """A value at a place; `None` if it is missing or cannot be computed."""
        match value:
            case programs.Constant(text, to):
                return _typed(text, to)
            case programs.CellValue(cell, what, _):
                return self.cell_value(self.cell(cell, place), what)
            case programs.LoopValue(what, _):
                return {"row": place.row, "column": place.column, "file": self.file}[what]
            case programs.AllFound(number, start, separator, _):
                origin = self.cell(start, place)
                if origin is None:
                    return None
                texts = self.all_contents(self.program.look_ups[number], origin)
                return texts if separator is None else separator.join(texts)
            case programs.AllOwn(region, separator, _):
                texts = self.contents(self.own_cells(region, place))
                return texts if separator is None else separator.join(texts)
            case programs.GroupAggregate(function, line, _):
                self.report_texts(function, place.cells, line)
                return self.aggregate(function, place.cells, line, place)
            case programs.RegionAggregate(function, region, line, _):
                cells = sorted(self.visible(region))
                if self.is_checking:
                    self.report_texts(function, cells, line)
                return self.aggregate(function, cells, line, place)
            case programs.Joined(parts, _):
                return "".join([text_of(self.value(part, place)) for part in parts])
            case programs.Cast():
                return self.cast(value, place)
            case programs.Call():
                inner = self.value(value.value, place)
                if inner is None:
                    return None
                if value.function == "length":  # of a text, or of a list
                    return len(inner if isinstance(inner, list) else text_of(inner))
                return self.call(value, text_of(inner), self.source(value.value, place))
            case programs.Optional(inner_value, default, _):
                before = len(self.found)
                found = self.value(inner_value, place)
                self.silenced(before)
                return self.value(default, place) if found is None and default else found
            case programs.One(inner_value, _):
                before = len(self.found)
                found = self.value(inner_value, place)
                self.insisted(before)
                return found
            case programs.LetValue(number, inner_value, _):
                named: Datum = self.let(number, lambda: self.value(inner_value, place))
                return named
            case programs.If(condition, then, otherwise, _):
                if truth(condition, _At(self, place)):
                    return self.value(then, place)
                return None if otherwise is None else self.value(otherwise, place)
            case _:
                assert_never(value)

    def cell_value(self, cell: Coordinate | None, what: str) -> Datum:
        if cell is None:
            return None
        match what:
            case "content":
                return self.text(cell)
            case "raw":
                return self.text(cell, raw=True)
            case "row":
                return cell[0]
            case "column":
                return cell[1]
            case "file":
                return self.file
        raise AssertionError(what)

    def all_contents(self, look_up: LookUp, origin: Coordinate) -> list[str]:
        return self.contents(cells_found(self.table, self.program, look_up, origin))

    def contents(self, cells: Iterable[Coordinate]) -> list[str]:
        """The texts of the cells that are not padded."""
        texts = [self.text(cell) for cell in cells]
        return [text for text in texts if text is not None]

    def cast(self, cast: programs.Cast, place: _Place) -> Datum:
        inner = self.value(cast.value, place)
        if inner is None:
            return None
        text = text_of(inner)
        reading = cast.reading
        try:
            if reading is None:
                return _typed(text, cast.type)
            return _single(self.reader.value(text, reading, cast.type), cast.type)
        except ValueError as error:
            source = self.source(cast.value, place)
            hint = None if reading is None else self.reader.hint(text, reading)
            self.report("bad-cast", cast.line, source, text, f"{named(text)} {error}", hint)
            return None

    def call(self, call: programs.Call, text: str, place: _Place | Coordinate) -> Datum:
        """Apply a text function to a text."""
        match call.function, call.arguments:
            case "trim", ():
                return text.strip(_BLANKS)
            case "upper", ():
                return text.upper()
            case "lower", ():
                return text.lower()
            case "stem", ():
                return stem_of(text)
            case "percent-decode", ():
                decoded = percent_decoded(text)
                if decoded is not None:
                    return decoded
                self.report("bad-percent", call.line, place, text, f"{named(text)} {BAD_PERCENT}")
            case "replace", (str(old), str(new)):
                return text.replace(old, new)
            case "iri", (str(prefix),):
                return entity(prefix, text) if prefix else text
            case "split", (str(separator), int(index)):
                parts = text.split(separator)
                if index <= len(parts):
                    return parts[index - 1].strip(_BLANKS)
                message = f"{named(text)} has no part {index} when split at `{separator}`"
                self.report("no-part", call.line, place, text, message)
            case "capture", (str(token), int(group)):
                import pyarrow as pa

                pattern = self.program.patterns[token]
                found: str | None = captured(pa.array([text]), pattern, group)[0].as_py()
                if found is not None:
                    return found
                message = f"{named(text)} does not match `{token}`"
                self.report("no-match", call.line, place, text, message)
            case "map", (str(name),):
                if text in self.program.mappings[name]:
                    return self.program.mappings[name][text]
                message = f"{named(text)} is not in the mapping `{name}`"
                self.report("unmapped", call.line, place, text, message)
            case "count-files", ():
                assert self.files is not None
                return self.files.count(text)
            case "checksum", (str(algorithm),):
                assert self.files is not None
                digest = self.files.checksum(text, algorithm)
                if digest is not None:
                    return digest
                self.report("no-file", call.line, place, text, f"{named(text)} is not a file")
            case unknown:
                raise AssertionError(unknown)
        return None

    # ------------------------------------------------------------- aggregates

    def check_regions(self) -> None:
        """Report the texts that aggregates of regions cannot use, once for each aggregate."""
        reported: set[tuple[str, int]] = set()
        for node in values_of(self.program, with_optional=False):
            if not isinstance(node, programs.RegionAggregate):
                continue
            if (node.function, node.region) not in reported:
                reported.add((node.function, node.region))
                self.report_texts(node.function, sorted(self.visible(node.region)), node.line)

    def report_texts(self, function: str, cells: Iterable[Coordinate], line: int) -> None:
        """Report the texts that are not numbers."""
        if function == "Count":
            return
        for cell in cells:
            text = self.text(cell)
            if text and number_of(text) is None:
                self.report("not-a-number", line, cell, text, f"`{text}` is not a number")

    def aggregate(
        self, function: str, cells: Iterable[Coordinate], line: int, place: _Place
    ) -> Datum:
        """An aggregate of some cells; bad texts are reported elsewhere."""
        texts = [text for cell in cells if (text := self.text(cell)) is not None]
        if function == "Count":
            return len(texts)
        numbers = [number_of(text) for text in texts if text]
        exact = [number for number in numbers if number is not None]
        if len(exact) < len(numbers):
            return None
        result = aggregate_of(function, exact)
        if result is None:
            return None
        try:
            return parse_value(result, DECIMAL)
        except ValueError as error:
            self.report("bad-cast", line, place, result, f"`{result}` {error}")
            return None


def _record(row: tuple[Any, ...]) -> tuple[object, ...]:
    """A record as `emit distinct` compares it."""
    return tuple(
        None if each is None else tuple(each) if isinstance(each, list) else text_of(each)
        for each in row
    )


@frozen
class _At:
    """The values at a place of a run, for conditions."""

    run: _Run
    place: _Place

    def value_of(self, value: programs.Value) -> Datum:
        """A value; `None` if it is missing."""
        return self.run.value(value, self.place)

    def is_held(self, question: Is) -> bool | None:
        """Is the cell in the region?"""
        run = self.run
        before = len(run.found)
        cell = run.cell(question.cell.cell, self.place)
        if question.is_optional:
            run.silenced(before)
        return (
            None if cell is None else cell in run.table.region(run.program.regions[question.region])
        )

    def has_key(self, mapping: str, text: str) -> bool:
        """Does a mapping have the text?"""
        return text in self.run.program.mappings[mapping]

    def has_file(self, path: str) -> bool:
        """Is there a file with this path?"""
        assert self.run.files is not None
        return self.run.files.is_file(path)


def _within(place: _Place, cell: Coordinate | None) -> tuple[int | None, int | None]:
    """The place of a violation: that of a cell, if it is in the row and column of the loop."""
    if cell is None or place.row not in (None, cell[0]) or place.column not in (None, cell[1]):
        return place.row, place.column
    return cell


def _typed(text: str, to: ValueType) -> Value:
    """What a text means in a type."""
    return _single(parse_value(text, to), to)


def _single(value: T, to: ValueType) -> T | _Single:
    """A value, which knows that it is of single precision if it is."""
    return _Single(value) if isinstance(value, float) and to.kind == "float" else value


# ----------------------------------------------------------------- numbers and texts


def number_of(text: str) -> Decimal | None:
    """The exact number that a text spells; `None` if it is not a number for aggregates."""
    if not _NUMBER.fullmatch(text):
        return None
    exponent = _EXPONENT.search(text)
    if exponent:
        digits = exponent[1]
        if len(digits) > len(str(MAX_EXPONENT)) or int(digits or 0) > MAX_EXPONENT:
            return None
    return Decimal(text)


def aggregate_of(function: str, numbers: list[Decimal]) -> str | None:
    """An aggregate of exact numbers as a text; `None` if it needs a number and there is none."""
    if function == "Sum":
        return _decimal_text(sum(map(Fraction, numbers), Fraction(0)), _places_of(numbers))
    if not numbers:
        return None
    places = _places_of(numbers)
    ordered = sorted(map(Fraction, numbers))
    match function:
        case "Min":
            return _decimal_text(ordered[0], places)
        case "Max":
            return _decimal_text(ordered[-1], places)
        case "Average":
            return _decimal_text(sum(ordered, Fraction(0)) / len(ordered), places)
        case "Median":
            below, above = ordered[(len(ordered) - 1) // 2], ordered[len(ordered) // 2]
            return _decimal_text((below + above) / 2, places)
    raise AssertionError(function)


def _places_of(numbers: list[Decimal]) -> int:
    """The most decimals that a number is written with."""
    places = 0
    for number in numbers:
        exponent = number.as_tuple().exponent
        assert isinstance(exponent, int)
        places = max(places, -exponent)
    return places


def _decimal_text(value: Fraction, places: int) -> str:
    """A number with `places` decimals, rounded half away from zero."""
    scaled = math.floor(abs(value) * 10**places + Fraction(1, 2))
    digits = Decimal(scaled).as_tuple().digits  # `str` refuses integers of many thousand digits
    return format(Decimal((int(value < 0), digits, -places)), "f")


def text_of(value: Datum) -> str:
    """The canonical text of a value; that of a missing value is empty."""
    match value:
        case None:
            return ""
        case str():
            return value
        case bool():
            return "true" if value else "false"
        case Decimal():
            return _without_zeros(format(value, "f")) if value else "0"
        case int():
            return str(value)
        case float():
            return _float_text(value)
        case dt.datetime():
            bare = _without_zeros(value.replace(tzinfo=None).isoformat())
            return bare + ("" if value.tzinfo is None else "Z")
        case dt.time():
            return _without_zeros(value.isoformat())
        case dt.date():
            return value.isoformat()
        case bytes():
            return base64.b64encode(value).decode()
        case list():
            return ";".join(value)
        case _:
            assert_never(value)


class _Single(float):
    """A number of single precision: fewer digits distinguish it from its neighbours."""

    def __repr__(self) -> str:
        import numpy as np

        return str(np.float32(self))


def _float_text(value: float) -> str:
    """The shortest text: with an exponent below 1e-5 and from 1e15 on."""
    if not math.isfinite(value):
        return repr(float(value)).replace("inf", "INF").replace("nan", "NaN")
    sign, digits, _ = Decimal(repr(value)).as_tuple()
    exponent = Decimal(repr(value)).adjusted() if value else 0
    lead = "-" if sign else ""
    if -5 <= exponent < 15:
        return lead + _without_zeros(format(abs(Decimal(repr(value))), "f"))
    shown = "".join(map(str, digits)).rstrip("0")
    fraction = f".{shown[1:]}" if len(shown) > 1 else ""
    return f"{lead}{shown[0]}{fraction}e{exponent:+d}"


def _without_zeros(text: str) -> str:
    """A text without zeros at the end of its decimals."""
    return text.rstrip("0").rstrip(".") if "." in text else text
