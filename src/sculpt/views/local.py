"""Windows of a file of any size: one pass, then at most the rows of a waypoint for each window.

In: a schema, a path, the regions to be found. Out: a `WindowSource`. The pass gives the verdict and
the waypoints (`engines/waypoints`); a window is read again from the nearest waypoint above it. Data
without random access is kept once, in a temporary file.

Invariant: windows equal those of `reference`. A file that has changed since the pass gives an
error, never other rows. Cost of a window: reading, scanning and walking at most the rows of a
waypoint, about `VIEW_CHUNK` bytes. Memory: the waypoints, the machines, the window.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import TypeVar

from sculpt.core import ir
from sculpt.engines import local
from sculpt.engines.options import Options
from sculpt.engines.waypoints.edges import UNCHECKED as NO_RULE
from sculpt.engines.waypoints.route import ViewedData
from sculpt.engines.waypoints.row_texts import CellText, RowTexts
from sculpt.errors import DataError, UsageError
from sculpt.tabular.inputs import Input
from sculpt.values import replace
from sculpt.verdict import Verdict, Violation
from sculpt.views.layers import Layer, Share, find_layers
from sculpt.views.marked import LocalMarks
from sculpt.views.model import TEXT_LIMIT, UNCHECKED, VIOLATION, Place, RegionSpec, Window

VIEW_CHUNK = 1 << 22
"""About how many bytes lie between two waypoints."""
SINCE = "after it was viewed; make a new view"

Answer = TypeVar("Answer")


class LocalSource:
    """The windows of a file."""

    def __init__(
        self,
        schema: ir.CoreSchema,
        tokens: Mapping[str, ir.CoreToken],
        path: str,
        specs: tuple[RegionSpec, ...],
        options: Options | None = None,
        verdict: Verdict | None = None,
        source: Input | None = None,
    ) -> None:
        """`verdict` is that of another engine on the same file, if there is one.

        `source` is the file, if it is already open; it is closed with the windows.
        """
        self._schema = schema
        used = options or Options(chunk=VIEW_CHUNK)
        self._options = replace(used, on_progress=None)
        """For later passes."""
        self._source = source or Input(path)
        self._close = weakref.finalize(self, self._source.close)
        self._lock = threading.RLock()
        self._order = {spec.name: number for number, spec in enumerate(specs)}
        others = tuple(spec for spec in specs if spec.kind != "rule")
        try:
            self._data = ViewedData(self._source, schema.dialect.encoding)
            share = Share(schema.rules, schema.uniques, others)
            self._layers = find_layers(schema, tokens, share, self._data, used)
            self.verdict = verdict or self._verdict(schema, used)
            self._source.check_unchanged()
        except BaseException:
            self.close()
            raise
        self._texts = RowTexts(self._first.route.machines, self._data, TEXT_LIMIT)

    @property
    def input(self) -> Input:
        """The open file."""
        return self._source

    @property
    def _first(self) -> Layer:
        return self._layers[0]

    def _verdict(self, schema: ir.CoreSchema, options: Options) -> Verdict:
        if len(self._layers) > 1 or schema.loops:  # layers count regions, not loops
            return local.validate_input(schema, self._source, options)
        return self._first.verdict(self._source.path, options.max_violations)

    def close(self) -> None:
        """Close the input, and delete what was kept of it."""
        self._close()

    def _checked(self, work: Callable[[], Answer]) -> Answer:
        """Do some work on the file that was viewed; an error if it is no longer there."""
        with self._lock:
            self._check()
            try:
                answer = work()
            except Exception:
                self._check()  # what has failed is perhaps only a consequence
                raise
            self._check()
            return answer

    def _check(self) -> None:
        if not self._close.alive:
            raise UsageError(f"{self._source.path}: the view is closed")
        self._source.check_unchanged(SINCE)
        if self._source.is_replaced:
            raise DataError(f"{self._source.path}: changed {SINCE}", self._source.path)

    # ------------------------------------------------------------- windows

    def window(self, row: int, rows: int, column: int, columns: int) -> Window:
        """A window."""
        found = self._first.route.found
        numbers = range(row, max(row, min(row + rows, found.rows + 1)))
        across = range(column, max(column, min(column + columns, found.width + 1)))
        return self._checked(lambda: self._window(numbers, across))

    def _window(self, rows: range, columns: range) -> Window:
        marks: dict[int, list[frozenset[str]]] = {}
        texts: list[list[CellText | None]] = []
        violations: list[Violation] = []
        for layer in self._layers:
            facts = layer.facts(rows, columns)
            if layer is self._first:
                texts += self._texts.of([at for each in facts for at in each.starts], columns)
            for each in facts:
                for number, cells in enumerate(each.marks, each.first_row):
                    names = [layer.names_of(each) for each in cells]
                    known = marks.get(number)
                    marks[number] = names if known is None else _united(known, names)
            violations += layer.narrated([hit for each in facts for hit in each.hits])
        assert [*marks] == [*rows], (rows, len(marks))
        if len(self._layers) > 1:
            violations.sort(key=local.order_of_violation)
        shown = {
            names: (
                ordered := tuple(sorted(names, key=self._order.__getitem__)),
                _is_checked(ordered),
            )
            for names in {each for cells in marks.values() for each in cells}
        }
        found = self._first.route.found
        return Window(
            rows.start,
            columns.start,
            found.rows,
            found.width,
            tuple(tuple(None if cell is None else cell.text for cell in row) for row in texts),
            tuple(tuple(shown[names][0] for names in row) for row in marks.values()),
            tuple(tuple(shown[names][1] for names in row) for row in marks.values()),
            frozenset(_cut_places(texts, rows, columns)),
            tuple(violations),
        )

    def marked(
        self, tokens: Mapping[str, ir.CoreToken], selectors: tuple[ir.Selector, ...]
    ) -> LocalMarks:
        """The same table, marked with other selectors: one more pass."""
        specs = tuple(
            RegionSpec(str(number), "selector", "", None, "", selector)
            for number, selector in enumerate(selectors)
        )
        share = Share((), (), specs, False)
        layers = self._checked(
            lambda: find_layers(self._schema, tokens, share, self._data, self._options)
        )
        return LocalMarks(layers, self._texts, self._checked)

    # ------------------------------------------------------------- places

    def find(self, what: str, after: Place) -> Place | None:
        """The first place after another."""
        return self._checked(lambda: self._find(what, after))

    def _find(self, what: str, after: Place) -> Place | None:
        if what == VIOLATION:
            places = [layer.find(None, after) for layer in self._layers]
            return min((place for place in places if place is not None), default=None)
        if what == UNCHECKED:
            return self._find_unchecked(after)
        layer = next(layer for layer in self._layers if what in layer.marks)
        return layer.find(layer.marks[what], after)

    def _find_unchecked(self, after: Place) -> Place | None:
        """The first cell with text that is unchecked in every layer that has rules."""
        layers = [layer for layer in self._layers if layer.share.rules] or [self._first]
        while True:
            places = [layer.find(NO_RULE, after) for layer in layers]
            found = [place for place in places if place is not None]
            if len(found) < len(places):
                return None
            if min(found) == max(found):
                return found[0]
            row, column = max(found)
            after = (row, column - 1)  # whatever is before it is checked in some layer

    @cached_property
    def counts(self) -> Mapping[str, int]:
        """By name of a region: how many cells it has."""
        return {name: count for each in self._layers for name, count in each.counts().items()}


def _united(some: list[frozenset[str]], others: list[frozenset[str]]) -> list[frozenset[str]]:
    return [a | b for a, b in zip(some, others, strict=True)]


def _is_checked(names: tuple[str, ...]) -> bool:
    return any(name.startswith("rule:") for name in names)


def _cut_places(texts: list[list[CellText | None]], rows: range, columns: range) -> Iterator[Place]:
    for row, cells in zip(rows, texts, strict=True):
        for column, cell in zip(columns, cells, strict=True):
            if cell is not None and cell.is_cut:
                yield row, column
