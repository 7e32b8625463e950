"""What a page may say about a view: all of it, or all but the texts of cells.

In: a `View`. Out: a `Subject`, which every module of the page reads instead of the view: the words
of violations and warnings, the cells that no rule checks, windows. Without data it has places and
counts, and neither the text of any cell nor a message that might quote one.

Windows of a large file cost up to a chunk each. So a window is asked for with the rows around it,
and those near it are cut out of it; after `MAX_READS` windows no others are read, and the page says
that a place is not drawn. Invariant: what a subject without data returns does not depend on the
texts of cells, except on whether there is one.
"""

from __future__ import annotations

from functools import cached_property
from itertools import islice

from sculpt.errors import UnsupportedByEngine
from sculpt.report.blocks import Labels, labels_of
from sculpt.report.styled import Styled
from sculpt.schema import Schema
from sculpt.values import replace
from sculpt.verdict import (
    VIOLATION_CODES,
    WARNING_CODES,
    Coverage,
    Tally,
    UncheckedCell,
    Verdict,
    Violation,
    Warning,
)
from sculpt.views.model import Place, Region, Window
from sculpt.views.view import View

MAX_READS = 32
"""The most windows that are read for one file."""
MAX_SAMPLES = 16
"""The most rules of a file that violations are looked for, if the verdict has none in words."""
ALL_COLUMNS = 64
"""A table with at most this many columns is read in whole rows."""
NEARBY = 2_048
"""The cells that are read with a window, if they are next to it, and their rows."""
MAX_ROWS = 64
WHY_LINES = 60
"""The most lines that say why a cell is in a region."""
_BUCKETS = 3
HIDDEN = "•••"
"""What stands for a text that is not shown."""


class Subject:
    """A view, with or without the texts of its cells."""

    def __init__(self, view: View, no_data: bool = False, max_reads: int = MAX_READS) -> None:
        self.view = view
        self.no_data = no_data
        self._max_reads = self._reads_left = max_reads
        self._samples = 0
        self._read: list[Window] = []

    @property
    def schema(self) -> Schema:
        """The schema of the view."""
        return self.view.schema

    @property
    def path(self) -> str:
        """The file."""
        return self.view.path

    @cached_property
    def labels(self) -> Labels:
        """What to say about the statements of the schema."""
        return labels_of(self.schema)

    @cached_property
    def regions(self) -> tuple[Region, ...]:
        """The regions of the view."""
        return self.view.regions

    @cached_property
    def region_numbers(self) -> dict[str, tuple[int, int]]:
        """By name of a region: its number in the view, and that of its colour."""
        return {each.name: (number, each.colour) for number, each in enumerate(self.regions)}

    @cached_property
    def verdict(self) -> Verdict:
        """The verdict."""
        found = self.view.verdict
        if not self.no_data:
            return found
        unchecked = tuple(UncheckedCell(c.row, c.column, HIDDEN) for c in found.coverage.unchecked)
        coverage = Coverage(found.coverage.cells, found.coverage.checked, unchecked)
        return replace(
            found,
            violations=tuple(_without_data(each) for each in found.violations),
            warnings=tuple(
                Warning(each.code, each.rule, each.line, _warning_words(each))
                for each in found.warnings
            ),
            coverage=coverage,
        )

    def window(self, row: int, rows: int, column: int, columns: int) -> Window | None:
        """A window; `None` if too many have been read already."""
        verdict = self.verdict
        row, column = max(1, row), max(1, column)
        rows = min(rows, verdict.rows - row + 1)
        columns = min(columns, verdict.columns - column + 1)
        for window in self._read:
            if _holds(window, row, rows, column, columns):
                return part_of(window, row, rows, column, columns)
        if self._reads_left <= 0 or rows < 1 or columns < 1:
            return None
        self._reads_left -= 1
        whole = verdict.columns <= ALL_COLUMNS
        first, across = (1, verdict.columns) if whole else (column, columns)
        more = max(0, min(NEARBY // max(1, across), MAX_ROWS) - rows)
        start = max(1, row - more // 4)
        read = self.view.window(start, rows + more, first, across)
        self._read.append(_redacted(read) if self.no_data else read)
        return part_of(self._read[-1], row, rows, column, columns)

    # ------------------------------------------------------------- beyond the verdict

    def sampled(self, region: Region) -> tuple[Violation, ...]:
        """Some violations of a rule of which the verdict has none in words.

        The verdict has the first ones of the table, which may all be of other rules. Looked at are
        the first rows of the rule's region, those after the last violation in words, and the rows
        with most violations, first in the columns of these. Half of the windows that may be read
        are left for the page.
        """
        self._samples += 1
        if self._reads_left <= self._max_reads // 2 or self._samples > MAX_SAMPLES:
            return ()
        severity = next(each.severity for each in self.verdict.rules if _is_of(each, region))
        narrated = [each for each in self.verdict.violations if each.severity == severity]
        last = (narrated[-1].row or 0) if narrated else 0
        starts = [self.view.find(region.name), self.view.find(region.name, (last, 0))]
        heat = self.verdict.heat
        across = {(place[1] - 1) // heat.column_step + 1 for place in starts if place is not None}
        hottest = sorted(heat.counts, key=lambda each: (each[1] not in across, -each[2]))[:_BUCKETS]
        starts += [
            (row * heat.row_step + 1, max(0, column - 1) * heat.column_step + 1)
            for row, column, _ in hottest
        ]
        for start in starts:
            if start is None or self._reads_left <= self._max_reads // 2:
                continue
            found = [each for each in self._violations_from(*start) if _is_of(each, region)]
            if found:
                return tuple(found)
        return ()

    def _violations_from(self, row: int, column: int) -> tuple[Violation, ...]:
        columns = self.verdict.columns
        across = columns if columns <= ALL_COLUMNS else min(ALL_COLUMNS, columns - column + 1)
        first = 1 if columns <= ALL_COLUMNS else column
        rows = max(1, min(MAX_ROWS, NEARBY // max(1, across)))
        window = self.window(row, rows, first, across)
        return () if window is None else window.violations

    def why(self, row: int, column: int, region: Region) -> tuple[Styled, ...]:
        """Why a cell is in a region and what its content expected there; nothing without data."""
        if self.no_data:
            return ()
        try:
            answer = self.view.why(row, column, region.name)
        except UnsupportedByEngine:  # the page says the rest without it
            return ()
        from sculpt.views.why.text import why_text

        return tuple(islice(why_text(answer), WHY_LINES))


def _is_of(found: Violation | Tally, region: Region) -> bool:
    return region.name == f"rule:{found.rule}"


def around(place: Place, rows: int, columns: int, table: tuple[int, int]) -> tuple[int, ...]:
    """Row, rows, column and columns of a window around a place, inside the table."""
    made: list[int] = []
    for at, size, whole in zip(place, (rows, columns), table, strict=True):
        count = min(size, whole)
        made += [max(1, min(at - count // 2, whole - count + 1)), count]
    return tuple(made)


# ------------------------------------------------------------- without data


def _without_data(violation: Violation) -> Violation:
    expected = ", ".join(f"`{each}`" for each in violation.expected)
    words = VIOLATION_CODES.get(violation.code, violation.code)
    return replace(
        violation,
        found=None,
        tokens=(),
        message=f"{words}; expected {expected}" if expected else words,
        hint=None,
        excerpt=None,
    )


def _warning_words(warning: Warning) -> str:
    of = f"rule {warning.rule}: " if warning.rule is not None else ""
    return of + WARNING_CODES.get(warning.code, warning.code)


def _redacted(window: Window) -> Window:
    return replace(
        window,
        texts=tuple(tuple(HIDDEN if text else text for text in row) for row in window.texts),
        violations=tuple(_without_data(each) for each in window.violations),
        cut=frozenset(),
    )


# ------------------------------------------------------------- parts of windows


def _holds(window: Window, row: int, rows: int, column: int, columns: int) -> bool:
    return (
        window.row <= row
        and window.column <= column
        and row + rows <= window.row + window.rows
        and column + columns <= window.column + window.columns
    )


def part_of(window: Window, row: int, rows: int, column: int, columns: int) -> Window:
    """The part of a window at a place."""
    down = slice(row - window.row, row - window.row + rows)
    across = slice(column - window.column, column - window.column + columns)
    return Window(
        row,
        column,
        window.table_rows,
        window.table_columns,
        tuple(each[across] for each in window.texts[down]),
        tuple(each[across] for each in window.regions[down]),
        tuple(each[across] for each in window.checked[down]),
        frozenset(
            (r, c)
            for r, c in window.cut
            if row <= r < row + rows and column <= c < column + columns
        ),
        tuple(
            each
            for each in window.violations
            if each.row is not None
            and row <= each.row < row + rows
            and (each.column is None or column <= each.column < column + columns)
        ),
    )
