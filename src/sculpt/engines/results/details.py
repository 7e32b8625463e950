"""Hits to violations: what a run of a compiled engine found, in words.

In: the machines, what was found, and the data. Out: `Violation`s and `Warning`s, word for word
those of the reference engine. They are made only for the first few hits: the rows that are shown
are read again, one by one, by the plain reader.

Invariant: memory is that of one row, without the middle of its long cells (`elision`). Cost: linear
in the rows that are shown, and in the bytes before them if lines must be counted; a quote that
never closes costs reading the rest of the file once more.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import islice
from types import MappingProxyType
from typing import NamedTuple

from sculpt.automata.cell_machine import Kind, Notice
from sculpt.automata.nfa import Nfa, States
from sculpt.core import ir
from sculpt.core.acceptor import Acceptor
from sculpt.engines.data import Data
from sculpt.engines.machines import Machines
from sculpt.engines.messages.findings import SCOPES, Finding, end_word, first_of
from sculpt.engines.messages.hints import unmatched_names
from sculpt.engines.messages.narrator import Narrator
from sculpt.engines.messages.text_tokens import LONG_LIST, TextTokens, list_failure
from sculpt.engines.messages.warnings import MAX_NEAR, warnings_of
from sculpt.engines.messages.words import is_long
from sculpt.engines.results.cell_texts import CellPlace, CellTexts
from sculpt.engines.results.elision import Elision, is_long_row, row_end
from sculpt.engines.results.tallies import (
    EndOfTable,
    columns_of_rules,
    heat_of,
    rule_tallies,
    structure_tallies,
)
from sculpt.engines.walk.counting import Place
from sculpt.engines.walk.walk import Hit, WalkResult
from sculpt.kernels.loops.walking.walk_arrays import ENDLESS
from sculpt.tabular.decoder import UNDECODABLE, utf8_size
from sculpt.tabular.grid import Cell, Defect, Grid, Row, read_grid
from sculpt.values import replace
from sculpt.verdict import FOUND_LIMIT, Coverage, UncheckedCell, Verdict, Violation, Warning

_HEAD = 1 << 20
_NO_LINES: Mapping[int, int] = MappingProxyType({})


class _ReadRow(NamedTuple):
    """A row that was read again, as a table of one row. Parts of long cells may be left out."""

    grid: Grid
    begin: int
    """The byte of the file at which it begins."""
    stretches: Sequence[tuple[int, int]]
    """The stretches of the data that were read."""


class Details:
    """The rows that a report shows, and what it says about them."""

    def __init__(
        self,
        machines: Machines,
        found: WalkResult,
        data: Data,
        lines: Mapping[int, int] = _NO_LINES,
        unmatched: frozenset[str] | None = None,
        line_at: tuple[int, int] | None = None,
    ) -> None:
        """`lines` has the line of the file on which a row begins, by row, where that is known.

        `unmatched`: see `Verdict`; without it, `found` is what was found in the whole table.
        `line_at`: a byte of the data, and its line, if no row before it is shown.
        """
        self.machines = machines
        self.schema = machines.task.schema
        self.found = found
        self.lines = lines
        self.data = data
        self.width = found.width
        self.starts: dict[int, int] = {}
        self._counted = line_at or (data.skipped, 1)
        self._ends_with_return = False
        self.texts = TextTokens(dict(self.schema.tokens))
        self._unmatched = unmatched
        self.narrator = Narrator(
            self, self.tokens_of, self.schema, self.texts.matcher, self.unmatched
        )
        dialect = self.schema.dialect
        self._row_dialect = replace(dialect, blank_rows="keep", comment=None)
        self._read_row = lru_cache(maxsize=4)(self._read_again)

    # ------------------------------------------------------------- the rows that are shown

    def _read_again(self, row: int) -> _ReadRow:
        start = self.starts[row]
        end = row_end(self.machines, self.data, start)
        if not is_long_row(end - start):
            return self._read_whole(start, end)
        stretches = self._elision.kept(start, end)
        document, begin, joints = self.data.pieces(stretches)
        grid = read_grid(document, self._row_dialect)
        for cell in grid.rows[0].cells:
            # In a cell that cannot be decoded the scanner does not distinguish blanks from text, so
            # all of the text may have been left out.
            if any(cell.start < at < cell.end for at in joints) and not is_long(cell.text):
                return self._read_whole(start, end)
        return _ReadRow(grid, begin, stretches)

    def _read_whole(self, start: int, end: int) -> _ReadRow:
        document, begin = self.data.document(start, end)
        return _ReadRow(read_grid(document, self._row_dialect), begin, [(start, end)])

    @cached_property
    def _elision(self) -> Elision:
        return Elision(self.machines, self.data)

    def raw(self, row: int, start: int) -> tuple[int, bytes, str]:
        """A row that begins at `start` in the data: its byte in the file, its bytes, its text."""
        grid, begin, _ = self._read_whole(start, row_end(self.machines, self.data, start))
        first, last = (
            grid.document.byte_offset(at) for at in (grid.rows[0].start, grid.rows[0].end)
        )
        text = grid.document.text[grid.rows[0].start : grid.rows[0].end]
        return begin + first, grid.document.data[first:last], UNDECODABLE.sub("\ufffd", text)

    def cell(self, row: int, column: int) -> Cell | None:
        """The cell at a place, `None` if it is padded."""
        cells = self.row(row).cells
        return cells[column - 1] if column <= len(cells) else None

    def row(self, row: int) -> Row:
        """A row; its places are characters of the document that was read for it."""
        return self._read_row(row).grid.rows[0]

    def offset(self, row: int, at: int) -> int:
        """The byte of the file at a character of a row."""
        read = self._read_row(row)
        return read.begin + read.grid.document.byte_offset(at)

    def text(self, row: int) -> str:
        """The source text of a row."""
        grid = self._read_row(row).grid
        return grid.document.text[grid.rows[0].start : grid.rows[0].end]

    def line(self, row: int) -> int:
        """The line of the file on which a row begins, as a text editor counts."""
        if row in self.lines:
            return self.lines[row]
        at, line = self._counted
        target = self.starts[row]
        if target < at:
            at, line, self._ends_with_return = self.data.skipped, 1, False
        while at < target:
            data = self.data.window(at, min(target, at + _HEAD))
            if not data:
                break
            line += data.count(b"\n") + data.count(b"\r") - data.count(b"\r\n")
            if self._ends_with_return and data.startswith(b"\n"):
                line -= 1
            self._ends_with_return = data.endswith(b"\r")
            at += len(data)
        self._counted = (at, line)
        # A row may begin inside a line end, which has not ended then.
        is_inside = self._ends_with_return and self.data.window(at, at + 1) == b"\n"
        return line - is_inside

    def rows_after(self, row: int, at: int) -> int:
        """How many rows begin after a character of a row, if quotes are just text."""
        ends = self.machines.table.scanner.ends
        place, count, held, is_at_end = self._place(row, at), 0, b"", False
        while window := self.data.window(place, place + _HEAD):
            place += len(window)
            data = held + window
            if len(ends) == 1:
                *lines, tail = data.split(ends[0])
                count += len(lines)
                held = tail[-(len(ends[0]) - 1) :] if len(ends[0]) > 1 else b""
                is_at_end = not tail
            else:  # whether a line feed follows a carriage return may show only in the next window
                is_cut = len(ends) == 3 and data.endswith(b"\r")
                data, held = (data[:-1], b"\r") if is_cut else (data, b"")
                count += data.count(b"\n")
                if len(ends) == 3:
                    count += data.count(b"\r") - data.count(b"\r\n")
                is_at_end = data.endswith(ends)
        if len(ends) == 3 and held:
            return count  # that carriage return is the last line end
        return count - is_at_end

    def _place(self, row: int, at: int) -> int:
        """Where in the data a character of a row begins."""
        read = self._read_row(row)
        size = utf8_size if self.data.codec == "utf-8" else lambda char: 1
        stretches = iter(read.stretches)
        place, end = next(stretches)
        for char in read.grid.document.text[:at]:
            place += size(char)
            if place >= end:
                place, end = next(stretches, (place, end))
        return place

    def tokens_of(self, row: int, column: int) -> tuple[str, ...]:
        """The tokens that a cell carries, in the order of the schema."""
        cell = self.cell(row, column)
        tokens = self.schema.tokens
        if cell is None:
            return tuple(
                name for name, each in tokens.items() if each.matches_padding and not each.hidden
            )
        carried = self.texts.of(cell.text, cell.decodable)
        return tuple(name for name in tokens if name in carried)

    def texts_of(self, places: Iterable[CellPlace]) -> list[str | None]:
        """The texts of selected cells; `None` for a padded one."""
        return self._cell_texts.of(places)

    @cached_property
    def _cell_texts(self) -> CellTexts:
        return CellTexts(self.machines, self.data, lru_cache(maxsize=1)(self._cells_at))

    def _cells_at(self, start: int) -> tuple[Cell, ...]:
        """The cells of the row that begins at `start` in the data."""
        read = self._read_whole(start, row_end(self.machines, self.data, start))
        return read.grid.rows[0].cells

    # ------------------------------------------------------------- the verdict

    def verdict(self, path: str, engine: str, limit: int) -> Verdict:
        """All that is known about the table, with the first violations."""
        ends = self._ends()
        warned = self.found.warned + sum(each.count for each in ends if self._is_warning(each))
        verdict = Verdict(
            path=path,
            engine=engine,
            rows=self.found.rows,
            columns=self.width,
            violation_count=self.found.count + sum(each.count for each in ends) - warned,
            violations=self.violations(limit),
            warnings=self.warnings(),
            unmatched=self.unmatched(),
            warning_violation_count=warned,
        )
        tallies = self.found.tallies
        if tallies is None:
            return verdict
        return replace(
            verdict,
            rules=tuple(rule_tallies(self.machines, self.found, tallies, ends)),
            structure=tuple(structure_tallies(self.machines, tallies)),
            coverage=self.coverage(),
            heat=heat_of(self.machines, self.found, ends),
        )

    def coverage(self) -> Coverage:
        """How much of the table the rules look at, if that was asked for."""
        tallies = self.found.tallies
        if tallies is None or not self.machines.task.coverage:
            return Coverage()
        cells = tuple(
            UncheckedCell(each.row, each.column, each.text or "")
            for each in self.with_texts(self.found.unchecked)
        )
        return Coverage(*tallies.cells[1:], cells)

    def with_texts(self, places: Iterable[Place]) -> list[Place]:
        """Unchecked cells with the beginnings of their texts."""
        return [
            each if each.text is not None else replace(each, text=self._beginning(each))
            for each in places
        ]

    def _beginning(self, place: Place) -> str:
        self.starts[place.row] = place.start
        cell = self.cell(place.row, place.column)
        assert cell is not None, place
        return cell.text[:FOUND_LIMIT]

    # ------------------------------------------------------------- violations

    def violations(self, limit: int) -> tuple[Violation, ...]:
        """The first errors and the first warnings."""
        found = self._findings(self.found.hits) + self._at_the_end(limit)
        open_quote = self._open_quote()
        if open_quote is not None and open_quote not in found:
            found = sorted([*found, open_quote], key=lambda finding: finding.order)
        return self.narrator.violations(first_of(found, limit))

    def _is_warning(self, end: EndOfTable) -> bool:
        return self.machines.task.rules[end.rule].ending.is_warning

    def _open_quote(self) -> Finding | None:
        """The quote in the last row that never closes, even if its hit was not kept."""
        if self.found.open_row is None or not self.machines.task.defects:
            return None
        row = self.found.rows
        self.starts[row] = self.found.open_row
        defects = self._read_row(row).grid.defects
        fits = [each for each in defects if each.code == "unclosed-quote"]
        assert fits, (row, defects)
        return Finding(fits[0].code, row, fits[0].column, defect=fits[0])

    def narrated(self, hits: Iterable[Hit]) -> tuple[Violation, ...]:
        """Some violations of the table, in order; rows read for earlier ones are forgotten."""
        self.starts.clear()
        self._read_row.cache_clear()
        return self.narrator.violations(self._findings(hits))

    def worded(
        self, findings: Iterable[Finding], starts: Mapping[int, int]
    ) -> tuple[Violation, ...]:
        """Findings of others in words; `starts` says where the row of each begins in the data."""
        self.starts = dict(starts)
        self._read_row.cache_clear()
        return self.narrator.violations(findings)

    def narrated_end(self) -> tuple[Violation, ...]:
        """All violations that show only at the end of the table."""
        return self.narrator.violations(self._at_the_end(ENDLESS))

    def has_error_at_the_end(self) -> bool:
        """Does an error show only at the end of the table?"""
        return not all(map(self._is_warning, self._ends()))

    def _findings(self, hits: Iterable[Hit]) -> list[Finding]:
        findings: list[Finding] = []
        for hit in hits:
            self.starts[hit.row] = hit.start
            findings.append(self._finding(hit))
        return sorted(findings, key=lambda finding: finding.order)

    def _finding(self, hit: Hit) -> Finding:
        notice = hit.notice
        row, column = hit.row, hit.column or None
        if notice.kind in (Kind.UNIQUE, Kind.UNIQUE_IN_ROW):
            unique = self.machines.task.uniques[notice.subject]
            return Finding(notice.what, row, column, unique=unique, first=hit.first)
        if not notice.what.endswith("-content"):
            return Finding(notice.what, row, column, defect=self._defect(row, column or 1, notice))
        rule = self.machines.task.rules[notice.subject]
        if notice.what == "list-content":
            return self._list_finding(rule, row, column or 1)
        expected = self._expected(rule, notice.subject, hit.states)
        return Finding(notice.what, row, column, rule=rule, expected=expected)

    def _defect(self, row: int, column: int, notice: Notice) -> Defect:
        grid = self._read_row(row).grid
        fits = [d for d in grid.defects if (d.row, d.column, d.code) == (1, column, notice.what)]
        assert fits, (notice.what, row, column, grid.defects)
        return fits[0]

    def _expected(self, rule: ir.CoreRule, ix: int, states: States) -> tuple[str, ...]:
        content: Nfa[ir.Symbol] = self.machines.navigator.machine.contents[ix]
        names = [symbol.name for symbol in content.next_letters(states)]
        end = [end_word(SCOPES[rule.arrow])] if content.accepts(states) else []
        return (*names, *end)

    def _list_finding(self, rule: ir.CoreRule, row: int, column: int) -> Finding:
        cell = self.cell(row, column)
        if cell is not None and is_long(cell.text):
            return Finding("list-content", row, column, rule=rule, **LONG_LIST)
        failure = list_failure(rule, Acceptor(rule.content), cell, self.texts)
        assert failure is not None, (rule.text, row, column)
        return Finding("list-content", row, column, rule=rule, **failure)

    def _at_the_end(self, limit: int) -> list[Finding]:
        """What is found at the end of the table: the unfinished words, some of each rule."""
        found: list[Finding] = []
        for end in self._ends():
            rule, states = self.machines.task.rules[end.rule], end.states
            expected = self._expected(rule, end.rule, states)
            if not end.first:
                found.append(Finding("region-content", None, None, rule=rule, expected=expected))
                continue
            for column in range(end.first, min(end.last, end.first + limit - 1) + 1):
                found.append(Finding("column-content", None, column, rule=rule, expected=expected))
        return sorted(found, key=lambda finding: finding.order)

    def _ends(self) -> list[EndOfTable]:
        """The words that are unfinished at the end of the table."""
        machine, edge = self.machines.navigator.machine, self.found.edge
        found: list[EndOfTable] = []
        for ix, states in zip(machine.regions, edge.carry, strict=True):
            if states is not None and not machine.contents[ix].accepts(states):
                found.append(EndOfTable(ix, states, 0, 0))
        begin = 0
        for end, above in edge.runs:
            end = min(end, self.width)
            for ix, word in above.words:
                if word is not None and not machine.contents[ix].accepts(word) and end > begin:
                    found.append(EndOfTable(ix, word, begin + 1, end))
            begin = max(begin, end)
        return found

    # ------------------------------------------------------------- warnings

    def unmatched(self) -> frozenset[str]:
        """The undeclared names in contents that no cell of the table has."""
        if self._unmatched is None:
            self._unmatched = unmatched_names(self.schema, self.found.met.tokens)
        return self._unmatched

    def warnings(self) -> tuple[Warning, ...]:
        """Rules that select nothing, and texts that match no cell."""
        met = self.found.met
        selected = {*met.rules, *columns_of_rules(self.found.edge, self.width)}
        empty = {
            rule.number for ix, rule in enumerate(self.machines.task.rules) if ix not in selected
        }
        constrained = bool(met.uniques)
        carried, rows, idle = met.tokens, self._first_rows, self._idle_loops()
        return tuple(warnings_of(self.schema, empty, constrained, carried, rows, idle))

    def _idle_loops(self) -> list[ir.CoreLoop]:
        """The loops that select nothing, if they are counted."""
        loops, tallies = self.schema.loops, self.found.tallies
        if tallies is None or not self.machines.task.counted:
            return []
        counts = tallies.counted_in(self.width)[: len(loops)]
        return [loop for loop, count in zip(loops, counts, strict=True) if not count]

    def _first_rows(self) -> tuple[Row, ...]:
        data = self.data.window(self.data.skipped, self.data.skipped + _HEAD)
        ends = islice(re.finditer(rb"[\r\n]{1,64}", data), MAX_NEAR, None)
        end = next((end.end() for end in ends), len(data))
        document, _ = self.data.document(self.data.skipped, self.data.skipped + end)
        return read_grid(document, self.schema.dialect).rows[:MAX_NEAR]
