"""Cells and values of programs at one place of a table, as they are defined.

In: an expression of a `CoreProgram` and a `Place`. Out: the cell or the value; what goes wrong is
reported to `Findings`. Section 5.3 of the paper and `docs/language.md#13-programs`. All it shares
with the engine that works on columns is the meaning of texts (`core.programs.typed_values`), and
what `functions` names.

Invariant: a value that cannot be computed is `None` and has a finding, unless it is `optional`.
Cost: that of its look-ups; an aggregate of a region visits all its cells, each time.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING, assert_never

from sculpt.core.programs import expressions
from sculpt.core.programs.conditions import Is
from sculpt.core.programs.expressions import source_cell
from sculpt.core.programs.look_ups import LookUp
from sculpt.core.programs.program import CoreProgram, values_of
from sculpt.core.programs.typed_values import DECIMAL, parse_value
from sculpt.engines.reference import Coordinate, Region, Table
from sculpt.tabular.decoder import UNDECODABLE
from sculpt.tabular.grid import Grid
from sculpt.transform.conditions.truth import truth
from sculpt.transform.evaluation.findings import named, shown, single_look_up
from sculpt.transform.evaluation.opposites import opposite_hint
from sculpt.transform.reference.aggregates import aggregate_of, number_of
from sculpt.transform.reference.findings import Findings
from sculpt.transform.reference.functions import TextFunctions
from sculpt.transform.reference.look_ups import cells_found
from sculpt.transform.reference.places import Place
from sculpt.transform.reference.rows import Gathered, Rows
from sculpt.transform.reference.texts import Datum, single, text_of, typed
from sculpt.values import frozen

if TYPE_CHECKING:
    from sculpt.transform.conditions.files import Files
    from sculpt.transform.evaluation.token_casts import TokenReader


class Evaluator:
    """Evaluates expressions of a program on a table, and gathers what goes wrong."""

    def __init__(
        self,
        program: CoreProgram,
        grid: Grid,
        file: str,
        hidden_rows: frozenset[int] = frozenset(),
        files: Files | None = None,
        is_checking: bool = False,
        gathered: Gathered | None = None,
    ) -> None:
        self.program = program
        self.grid = grid
        self.file = file
        self.hidden_rows = hidden_rows
        self.files = files
        self.is_checking = is_checking
        """Is a `require` checked? Then what is wrong with an aggregate is reported at each use."""
        self.table = Table(grid, dict(program.tokens))
        self.findings = Findings()
        self.functions = TextFunctions(program, files, self.findings)
        self.rows = Rows(self, gathered or {})

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

    def _source(self, value: expressions.Value, place: Place) -> Place | Coordinate:
        """The cell whose text a value is made from, or else the place of the iteration."""
        cell = source_cell(value)
        if cell is None:
            return place
        before = len(self.findings)
        found = self.cell(cell, place)
        del self.findings.found[before:]
        return found or place

    # ------------------------------------------------------------- cells

    def cell(self, cell: expressions.Cell, place: Place) -> Coordinate | None:
        """The cell that an expression names; `None` and a finding unless there is exactly one."""
        match cell:
            case expressions.LoopCell():
                return place.cells[0]
            case expressions.ItemCell(index, line):
                if index <= len(place.cells):
                    return place.cells[index - 1]
                where = f"row {place.row}" if place.column is None else f"column {place.column}"
                message = f"{where} has no cell {index} in the region"
                self.findings.report("no-cell", line, place, None, message)
                return None
            case expressions.OwnCell(region, text, line):
                return self._own_cell(region, text, line, place)
            case expressions.OnlyCell(region, text, line):
                cells = sorted(self.table.region(self.program.regions[region]))
                return self._single(cells, text, "", line, place)
            case expressions.FoundCell(number, start, line):
                origin = self.cell(start, place)
                return None if origin is None else self._only_cell(number, origin, line)
            case expressions.OneCell(inner):
                before = len(self.findings)
                found = self.cell(inner, place)
                self.findings.insist_since(before)
                return found
            case expressions.LetCell(number, inner):
                named: Coordinate | None = self.findings.let(
                    number, lambda: self.cell(inner, place)
                )
                return named
            case _:
                assert_never(cell)

    def _own_cell(self, region: int, text: str, line: int, place: Place) -> Coordinate | None:
        """The cell of the loop's row or column that is in a region."""
        where = f" in row {place.row}" if place.row else f" in column {place.column}"
        return self._single(self._own_cells(region, place), text, where, line, place)

    def _own_cells(self, region: int, place: Place) -> list[Coordinate]:
        cells = self.table.region(self.program.regions[region])
        return sorted(each for each in cells if place.row == each[0] or place.column == each[1])

    def _single(
        self, cells: list[Coordinate], text: str, where: str, line: int, place: Place
    ) -> Coordinate | None:
        """The one cell of some; none or several are a finding."""
        if len(cells) == 1:
            return cells[0]
        if not cells:
            self.findings.report("lookup-none", line, place, None, f"`{text}` finds no cell{where}")
        else:
            both = f"{shown(*cells[0])} and {shown(*cells[1])}"
            message = f"`{text}` finds several cells{where}: {both}"
            self.findings.report("lookup-several", line, place, None, message)
        return None

    def _only_cell(self, number: int, origin: Coordinate, line: int) -> Coordinate | None:
        look_up = self.program.look_ups[number]
        found = cells_found(self.table, self.program, look_up, origin)
        if len(found) == 1:
            return found[0]
        start, content = shown(*origin), self.text(origin)
        if not found:
            message = f"`{look_up.text}` finds no cell from {start}"
            region = () if look_up.path else self.table.region(self.program.regions[look_up.region])
            hint = opposite_hint(look_up, origin, region)
            self.findings.report("lookup-none", line, origin, content, message, hint)
        else:
            first, second = found[:2]
            both = f"{shown(*first)} and {shown(*second)}"
            message = f"`{look_up.text}` finds several cells from {start}: {both}"
            hint = single_look_up(look_up, origin, first, second)
            self.findings.report("lookup-several", line, origin, content, message, hint)
        return None

    # ------------------------------------------------------------- values

    def value(self, value: expressions.Value, place: Place) -> Datum:
        """A value at a place; `None` if it is missing or cannot be computed."""
        match value:
            case expressions.Constant(text, to):
                return typed(text, to)
            case expressions.CellValue(cell, what, _):
                return self._cell_value(self.cell(cell, place), what)
            case expressions.LoopValue(what, _):
                return {"row": place.row, "column": place.column, "file": self.file}[what]
            case expressions.AllFound(number, start, separator, _):
                origin = self.cell(start, place)
                if origin is None:
                    return None
                texts = self._all_contents(self.program.look_ups[number], origin)
                return texts if separator is None else separator.join(texts)
            case expressions.AllOwn(region, separator, _):
                texts = self._contents(self._own_cells(region, place))
                return texts if separator is None else separator.join(texts)
            case expressions.RowValue():
                return self.rows.value(value, place)
            case expressions.EachRow():
                return self.rows.each(value, place)
            case expressions.GroupAggregate(function, line, _):
                self._report_texts(function, place.cells, line)
                return self._aggregate(function, place.cells, line, place)
            case expressions.RegionAggregate(function, region, line, _):
                cells = sorted(self.visible(region))
                if self.is_checking:
                    self._report_texts(function, cells, line)
                return self._aggregate(function, cells, line, place)
            case expressions.Joined(parts, _):
                joined = [self.value(part, place) for part in parts]
                if value.is_strict and any(part is None for part in joined):
                    return None
                return "".join(map(text_of, joined))
            case expressions.Cast():
                return self._cast(value, place)
            case expressions.Call():
                inner = self.value(value.value, place)
                if inner is None:
                    return None
                if value.function == "length":  # of a text, or of a list
                    return len(inner if isinstance(inner, list) else text_of(inner))
                source = self._source(value.value, place)
                return self.functions.apply(value, text_of(inner), source)
            case expressions.Optional(inner_value, default, _):
                before = len(self.findings)
                found = self.value(inner_value, place)
                self.findings.silence_since(before)
                return self.value(default, place) if found is None and default else found
            case expressions.One(inner_value, _):
                before = len(self.findings)
                found = self.value(inner_value, place)
                self.findings.insist_since(before)
                return found
            case expressions.LetValue(number, inner_value, _):
                named: Datum = self.findings.let(number, lambda: self.value(inner_value, place))
                return named
            case expressions.If(condition, then, otherwise, _):
                if truth(condition, At(self, place)):
                    return self.value(then, place)
                return None if otherwise is None else self.value(otherwise, place)
            case _:
                assert_never(value)

    def _cell_value(self, cell: Coordinate | None, what: str) -> Datum:
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

    def _all_contents(self, look_up: LookUp, origin: Coordinate) -> list[str]:
        return self._contents(cells_found(self.table, self.program, look_up, origin))

    def _contents(self, cells: Iterable[Coordinate]) -> list[str]:
        """The texts of the cells that are not padded."""
        texts = [self.text(cell) for cell in cells]
        return [text for text in texts if text is not None]

    def _cast(self, cast: expressions.Cast, place: Place) -> Datum:
        inner = self.value(cast.value, place)
        if inner is None:
            return None
        text = text_of(inner)
        reading = cast.reading
        try:
            if reading is None:
                return typed(text, cast.type)
            return single(self.reader.value(text, reading, cast.type), cast.type)
        except ValueError as error:
            source = self._source(cast.value, place)
            hint = None if reading is None else self.reader.hint(text, reading)
            self.findings.report(
                "bad-cast", cast.line, source, text, f"{named(text)} {error}", hint
            )
            return None

    # ------------------------------------------------------------- aggregates

    def check_regions(self) -> None:
        """Report the texts that aggregates of regions cannot use, once for each aggregate."""
        reported: set[tuple[str, int]] = set()
        for node in values_of(self.program, with_optional=False):
            if not isinstance(node, expressions.RegionAggregate):
                continue
            if (node.function, node.region) not in reported:
                reported.add((node.function, node.region))
                self._report_texts(node.function, sorted(self.visible(node.region)), node.line)

    def _report_texts(self, function: str, cells: Iterable[Coordinate], line: int) -> None:
        """Report the texts that are not numbers."""
        if function == "Count":
            return
        for cell in cells:
            text = self.text(cell)
            if text and number_of(text) is None:
                self.findings.report("not-a-number", line, cell, text, f"`{text}` is not a number")

    def _aggregate(
        self, function: str, cells: Iterable[Coordinate], line: int, place: Place
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
            self.findings.report("bad-cast", line, place, result, f"`{result}` {error}")
            return None


@frozen
class At:
    """The values at a place of a run, for conditions."""

    evaluator: Evaluator
    place: Place

    def value_of(self, value: expressions.Value) -> Datum:
        """A value; `None` if it is missing."""
        return self.evaluator.value(value, self.place)

    def is_held(self, question: Is) -> bool | None:
        """Is the cell in the region?"""
        evaluator = self.evaluator
        before = len(evaluator.findings)
        cell = evaluator.cell(question.cell.cell, self.place)
        if question.is_optional:
            evaluator.findings.silence_since(before)
        if cell is None:
            return None
        region = evaluator.program.regions[question.region]
        return cell in evaluator.table.region(region)

    def has_key(self, mapping: str, text: str) -> bool:
        """Does a mapping have the text?"""
        return text in self.evaluator.program.mappings[mapping]

    def has_file(self, path: str) -> bool:
        """Is there a file with this path?"""
        assert self.evaluator.files is not None
        return self.evaluator.files.is_file(path)
