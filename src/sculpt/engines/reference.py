"""The reference engine: the paper's equations on plain sets.

In: a `CoreSchema` and a `Grid`. Out: a `Verdict`, or a region. Section 3 of the paper, line by
line: a selector denotes a set of coordinates, a path a function from sets to sets, a content
expression a set of words. Every other engine is measured against it, so it stays plain: it is not
optimised beyond remembering what it has computed, and shares no machinery with the others.

Invariant: `region(selector)` is the paper's [[selector]] on the padded table, with the decisions of
`docs/language.md#5-selectors` and `docs/language.md#7-rules`. Cost: O(cells) per selector node and
iteration of a loop; memory O(cells).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import groupby
from typing import TypeAlias, assert_never

from sculpt.core import ir
from sculpt.core.acceptor import Acceptor
from sculpt.engines.messages.findings import SCOPES, Finding, Scope, end_word, first_of
from sculpt.engines.messages.hints import unmatched_names
from sculpt.engines.messages.narrator import Narrator
from sculpt.engines.messages.table_text import GridText
from sculpt.engines.messages.text_tokens import TextTokens, list_failure
from sculpt.engines.messages.warnings import warnings_of
from sculpt.tabular.grid import Grid
from sculpt.verdict import (
    DEFAULT_MAX_VIOLATIONS,
    FOUND_LIMIT,
    HEAT_COLUMNS,
    HEAT_ROWS,
    MAX_UNCHECKED,
    VIOLATION_CODES,
    Coverage,
    Heat,
    Tally,
    UncheckedCell,
    Verdict,
    Violation,
    Warning,
)

NAME = "reference"

Coordinate: TypeAlias = tuple[int, int]
Region: TypeAlias = frozenset[Coordinate]

_VECTORS: dict[ir.Direction, Coordinate] = {
    "up": (-1, 0),
    "down": (1, 0),
    "left": (0, -1),
    "right": (0, 1),
}


class Table:
    """A tokenised table (paper, section 3): which tokens match which cell."""

    def __init__(self, grid: Grid, tokens: dict[str, ir.CoreToken]) -> None:
        self.grid = grid
        self.tokens = tokens
        self.texts = TextTokens(tokens)
        self._regions: dict[int, Region] = {}
        self._kept: list[ir.Selector] = []
        self._padding = frozenset(
            name for name, each in tokens.items() if each.matches_padding and not each.hidden
        )
        self.coordinates: Region = frozenset(
            (row, column)
            for row in range(1, grid.height + 1)
            for column in range(1, grid.width + 1)
        )

    def tokens_at(self, coordinate: Coordinate) -> frozenset[str]:
        """The set of tokens that a cell carries: T[i,j] in the paper."""
        cell = self.grid.cell(*coordinate)
        return self._padding if cell is None else self.texts.of(cell.text, cell.decodable)

    # ------------------------------------------------------------- [[selector]]

    def region(self, selector: ir.Selector) -> Region:
        """The cells that a selector selects."""
        key = id(selector)
        if key not in self._regions:
            self._kept.append(selector)  # keeps the id from being reused
            self._regions[key] = self._evaluate(selector)
        return self._regions[key]

    def _evaluate(self, selector: ir.Selector) -> Region:
        match selector:
            case ir.Token(name):
                return frozenset(c for c in self.coordinates if name in self.tokens_at(c))
            case ir.Position(row, column):
                return frozenset(
                    (i, j) for i, j in self.coordinates if row in (None, i) and column in (None, j)
                )
            case ir.Everything():
                return self.coordinates
            case ir.Not(part):
                return self.coordinates - self.region(part)
            case ir.And(parts):
                return frozenset.intersection(*(self.region(part) for part in parts))
            case ir.Or(parts):
                return frozenset.union(*(self.region(part) for part in parts))
            case ir.Reach(path, origin):
                return self.walk(path, self.region(origin))
            case _:
                assert_never(selector)

    def walk(self, path: ir.Path, cells: Region) -> Region:
        """The cells that a path reaches from some cells: [[path(cells)]] in the paper."""
        match path:
            case ir.Step(direction):
                down, right = _VECTORS[direction]
                # Paper: it swaps the bounds of `down` and `right` (down needs i < n).
                return frozenset((i + down, j + right) for i, j in cells) & self.coordinates
            case ir.Stay():
                return cells
            case ir.Test(condition):
                return cells & self.region(condition)
            case ir.Chain(parts):
                for part in parts:
                    cells = self.walk(part, cells)
                return cells
            case ir.Fork(parts):
                return frozenset.union(*(self.walk(part, cells) for part in parts))
            case ir.Loop(inner, low, high):
                return self._repeat(inner, low, high, cells)
            case _:
                assert_never(path)

    def _repeat(self, path: ir.Path, low: int, high: int | None, cells: Region) -> Region:
        for _ in range(low):
            before, cells = cells, self.walk(path, cells)
            if cells == before:  # further iterations change nothing
                break
        reached, new = set(cells), cells
        rounds = low
        while new and (high is None or rounds < high):
            new = self.walk(path, new) - reached
            reached.update(new)
            rounds += 1
        return frozenset(reached)


def select(tokens: dict[str, ir.CoreToken], grid: Grid, selector: ir.Selector) -> list[Coordinate]:
    """The cells of a selector, in table order."""
    return sorted(Table(grid, tokens).region(selector))


def validate(
    schema: ir.CoreSchema,
    grid: Grid,
    path: str = "",
    max_violations: int = DEFAULT_MAX_VIOLATIONS,
) -> Verdict:
    """The verdict on a table."""
    run = _Run(schema, grid)
    findings = sorted(run.findings(), key=lambda finding: finding.order)
    return Verdict(
        path=path,
        engine=NAME,
        rows=grid.height,
        columns=grid.width,
        violation_count=sum(finding.severity == "error" for finding in findings),
        violations=run.narrator.violations(first_of(findings, max_violations)),
        warnings=tuple(run.warnings()),
        unmatched=run.unmatched,
        rules=tuple(run.rule_tally(rule, findings) for rule in schema.rules),
        structure=tuple(run.structure_tallies(findings)),
        coverage=run.coverage(),
        heat=heat_of(findings, grid.height, grid.width),
        warning_violation_count=sum(finding.severity == "warning" for finding in findings),
    )


def narrator_of(schema: ir.CoreSchema, grid: Grid) -> Narrator:
    """What puts findings about a table into words."""
    return _Run(schema, grid).narrator


def heat_of(findings: Sequence[Finding | Violation], rows: int, columns: int) -> Heat:
    """Where violations are, in a table of some size."""
    row_step, column_step = _step(rows, HEAT_ROWS), _step(columns, HEAT_COLUMNS)
    counts = Counter(
        (
            ((finding.row or rows) - 1) // row_step,
            (finding.column - 1) // column_step + 1 if finding.column else 0,
        )
        for finding in findings
        if rows
    )
    return Heat(row_step, column_step, tuple((*at, n) for at, n in sorted(counts.items())))


def _step(size: int, buckets: int) -> int:
    step = 1
    while step * buckets < size:
        step *= 2
    return step


class _Run:
    def __init__(self, schema: ir.CoreSchema, grid: Grid) -> None:
        self.schema = schema
        self.grid = grid
        self.table = Table(grid, dict(schema.tokens))
        places = GridText(grid, schema.dialect.row_delim)
        self.narrator = Narrator(
            places, self.tokens_listed, schema, self.table.texts.matcher, lambda: self.unmatched
        )

    def tokens_listed(self, row: int, column: int) -> tuple[str, ...]:
        """The tokens that a cell carries, in the order of the schema."""
        carried = self.table.tokens_at((row, column))
        return tuple(name for name in self.schema.tokens if name in carried)

    def findings(self) -> Iterator[Finding]:
        for defect in self.grid.defects:
            yield Finding(defect.code, defect.row, defect.column, defect=defect)
        for unique in self.schema.uniques:
            yield from self.unique_findings(unique)
        for rule in self.schema.rules:
            yield from self.rule_findings(rule)

    def unique_findings(self, unique: ir.CoreUnique) -> Iterator[Finding]:
        cells = sorted(self.table.region(unique.selector))
        group = (lambda c: c[0]) if unique.kind == "unique-per-row" else (lambda c: 0)
        for _, occurrences in groupby(cells, key=group):
            first, *others = occurrences
            for row, column in others:
                yield Finding(unique.kind, row, column, unique=unique, first=first)

    # ------------------------------------------------------------- content

    def rule_findings(self, rule: ir.CoreRule) -> Iterator[Finding]:
        reader = _Reader(self.table, self.schema, rule)
        region = sorted(self.table.region(rule.selector))
        match rule.arrow:
            case "->":
                for row, cells in groupby(region, key=lambda c: c[0]):
                    yield from reader.check(list(cells), row=row)
            case "|>":
                region.sort(key=lambda c: (c[1], c[0]))
                for column, cells in groupby(region, key=lambda c: c[1]):
                    yield from reader.check(list(cells), column=column)
            case "=>":
                yield from reader.check(region)
            case ".>":
                for coordinate in region:
                    yield from reader.check_list(coordinate)
            case _:
                assert_never(rule.arrow)

    # ------------------------------------------------------------- tallies, coverage

    def rule_tally(self, rule: ir.CoreRule, findings: list[Finding]) -> Tally:
        region = self.table.region(rule.selector)
        match rule.arrow:
            case "->":
                units = len({row for row, _ in region})
            case "|>":
                units = len({column for _, column in region})
            case "=>":
                units = 1
            case ".>":
                units = len(region)
            case _:
                assert_never(rule.arrow)
        failed = sum(finding.rule is rule for finding in findings)
        code = f"{SCOPES[rule.arrow]}-content"
        severity = rule.ending.severity
        return Tally(code, rule.number, rule.line, rule.text, len(region), units, failed, severity)

    def structure_tallies(self, findings: list[Finding]) -> Iterator[Tally]:
        for unique in self.schema.uniques:
            cells = len(self.table.region(unique.selector))
            failed = sum(finding.unique is unique for finding in findings)
            facts = (cells, cells, failed, unique.ending.severity)
            yield Tally(unique.kind, None, unique.line, unique.text, *facts)
        cells = sum(len(row.cells) for row in self.grid.rows)
        found = Counter(finding.code for finding in findings if finding.defect is not None)
        for code in VIOLATION_CODES:
            if found[code]:
                yield Tally(code, None, None, "", cells, cells, found[code])

    def coverage(self) -> Coverage:
        checked = frozenset[Coordinate]().union(
            *(self.table.region(rule.selector) for rule in self.schema.rules)
        )
        with_text = [
            (row_ix + 1, col_ix + 1, cell.text)
            for row_ix, row in enumerate(self.grid.rows)
            for col_ix, cell in enumerate(row.cells)
            if cell.text
        ]
        others = [
            UncheckedCell(r, c, t[:FOUND_LIMIT]) for r, c, t in with_text if (r, c) not in checked
        ]
        return Coverage(len(with_text), len(with_text) - len(others), tuple(others[:MAX_UNCHECKED]))

    # ------------------------------------------------------------- warnings

    def warnings(self) -> Iterator[Warning]:
        rules = self.schema.rules
        empty = {rule.number for rule in rules if not self.table.region(rule.selector)}
        constrained = any(self.table.region(unique.selector) for unique in self.schema.uniques)
        idle = [loop for loop in self.schema.loops if not self.table.region(loop.selector)]
        rows = self.grid.rows
        return warnings_of(self.schema, empty, constrained, self.carried, lambda: rows, idle)

    @cached_property
    def unmatched(self) -> frozenset[str]:
        """The undeclared names in contents that no cell has."""
        return unmatched_names(self.schema, self.carried)

    @cached_property
    def carried(self) -> frozenset[str]:
        """The tokens that some cell of the table carries."""
        return frozenset().union(*(self.table.tokens_at(c) for c in self.table.coordinates))


class _Reader:
    """Runs the content expression of one rule over words of cells."""

    def __init__(self, table: Table, schema: ir.CoreSchema, rule: ir.CoreRule) -> None:
        self.table = table
        self.schema = schema
        self.rule = rule
        self.scope: Scope = SCOPES[rule.arrow]
        self.code = f"{self.scope}-content"
        self.acceptor = Acceptor(rule.content)
        self.strict = schema.dialect.strict_padding

    def check(
        self, cells: list[Coordinate], row: int | None = None, column: int | None = None
    ) -> Iterator[Finding]:
        """At most one finding: the first cell that no word could continue with, or the end."""
        states = self.acceptor.initial
        for coordinate in cells:
            after = self.after_cell(states, coordinate)
            if not after:
                yield Finding(
                    self.code, *coordinate, rule=self.rule, expected=self.expected(states)
                )
                return
            states = after
        if not self.acceptor.accepts(states):
            expected = self.expected(states)
            yield Finding(self.code, row, column, rule=self.rule, expected=expected)

    def check_list(self, coordinate: Coordinate) -> Iterator[Finding]:
        """Read the items of a cell as a word."""
        cell = self.table.grid.cell(*coordinate)
        failure = list_failure(self.rule, self.acceptor, cell, self.table.texts)
        if failure is not None:
            yield Finding(self.code, *coordinate, rule=self.rule, **failure)

    def after_cell(self, states: frozenset[int], coordinate: Coordinate) -> frozenset[int]:
        cell = self.table.grid.cell(*coordinate)
        if cell is not None:
            carried = self.table.tokens_at(coordinate)
            return self.acceptor.step(states, lambda s: self.reads(s, carried, coordinate))
        read = self.acceptor.step(states, lambda symbol: self.reads_padding(symbol, coordinate))
        # A padded cell may be skipped, unless padding is strict.
        return read if self.strict else read | states

    def reads(self, symbol: ir.Symbol, carried: frozenset[str], coordinate: Coordinate) -> bool:
        if symbol.is_type:
            return coordinate in self.table.region(self.schema.types[symbol.name].selector)
        return symbol.name in carried

    def reads_padding(self, symbol: ir.Symbol, coordinate: Coordinate) -> bool:
        if symbol.is_type:
            return coordinate in self.table.region(self.schema.types[symbol.name].selector)
        token = self.schema.tokens[symbol.name]
        return token.is_missing if self.strict else token.reads_padding

    def expected(self, states: frozenset[int]) -> tuple[str, ...]:
        names = [symbol.name for symbol in self.acceptor.next_symbols(states)]
        return (*names, *([end_word(self.scope)] if self.acceptor.accepts(states) else []))
