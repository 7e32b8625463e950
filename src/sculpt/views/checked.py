"""Windows of a table whose verdict has more than rules: keys, references, conditions.

In: a source of windows, the verdict on its file with what checks have found, and these violations.
Out: the same source, which shows them too. Memory: at most `MAX_SHOWN` violations; those further
down the table are counted, not shown.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from heapq import merge
from itertools import islice
from typing import TYPE_CHECKING

from sculpt.core import ir
from sculpt.engines.local import order_of_violation
from sculpt.values import replace
from sculpt.verdict import CHECK_CODES, Verdict, Violation
from sculpt.views.model import VIOLATION, Place, Window
from sculpt.views.source import MarkedTable, WindowSource

if TYPE_CHECKING:
    from sculpt.checks.model import Found

MAX_SHOWN = 10_000
"""Violations of checks that windows show."""


def shown_violations(verdict: Verdict, founds: Sequence[Found]) -> tuple[Violation, ...]:
    """The violations that checks have found: the first of the table."""
    known = tuple(each for each in verdict.violations if each.code in CHECK_CODES)
    if len(known) == sum(found.count + found.warned for found in founds):
        return known
    every = merge(*(found.listed() for found in founds), key=order_of_violation)
    return tuple(islice(every, MAX_SHOWN))


class CheckedSource:
    """A source of windows that shows what checks have found."""

    def __init__(
        self, source: WindowSource, verdict: Verdict, violations: Iterable[Violation]
    ) -> None:
        self._source = source
        self.verdict = verdict
        self._violations = [each for each in violations if each.row is not None]
        self._rows = [each.row or 0 for each in self._violations]

    @property
    def counts(self) -> Mapping[str, int]:
        """By name of a region: how many cells it has."""
        return self._source.counts

    def window(self, row: int, rows: int, column: int, columns: int) -> Window:
        """A window."""
        window = self._source.window(row, rows, column, columns)
        first = bisect_left(self._rows, row)
        last = bisect_left(self._rows, row + len(window.texts))
        across = range(column, column + columns)
        more = [
            each
            for each in self._violations[first:last]
            if each.column is None or each.column in across
        ]
        both = sorted((*window.violations, *more), key=order_of_violation)
        return replace(window, violations=tuple(both)) if more else window

    def find(self, what: str, after: Place) -> Place | None:
        """The first place after another."""
        found = self._source.find(what, after)
        if what != VIOLATION:
            return found
        width = self.verdict.columns
        places = (
            (each.row or 0, each.column or width)
            for each in self._violations[bisect_left(self._rows, after[0]) :]
        )
        ours = next((place for place in places if place > after), None)
        return min((place for place in (found, ours) if place is not None), default=None)

    def marked(
        self, tokens: Mapping[str, ir.CoreToken], selectors: tuple[ir.Selector, ...]
    ) -> MarkedTable:
        """The same table, marked with other selectors."""
        return self._source.marked(tokens, selectors)

    def close(self) -> None:
        """Let go of files and memory."""
        self._source.close()
