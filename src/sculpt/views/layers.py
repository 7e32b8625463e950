"""A part of a view: some rules, constraints and regions that are walked together through a file.

In: a schema, the regions of a view, data. Out: `Layer`s. Nearly always there is one. If the rules
and regions together need too many steps on the data, they are shared between two layers, and so on;
a single rule that still needs too many is walked by machines that forget steps.

Invariant: each rule, constraint and region is in exactly one layer, and defects are in the first.
Cost: one pass over the data for each layer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

from sculpt.automata.navigator import TooManyStepsError
from sculpt.core import ir
from sculpt.core.task import Task
from sculpt.engines import local
from sculpt.engines.machines import build
from sculpt.engines.options import Options
from sculpt.engines.results.details import Details
from sculpt.engines.results.listing import NO_EDGE
from sculpt.engines.walk.strips import strip_rows
from sculpt.engines.walk.walk import Hit, WalkResult
from sculpt.engines.waypoints.edges import Mark, Marks
from sculpt.engines.waypoints.lines import LinesOfRows
from sculpt.engines.waypoints.replay import Replay, RowFacts, StepRows
from sculpt.engines.waypoints.route import Route, ViewedData, find_route
from sculpt.errors import UnsupportedByEngine
from sculpt.values import frozen, replace
from sculpt.verdict import Verdict, Violation
from sculpt.views.model import Place, RegionSpec

AROUND_CELLS = 1 << 22
"""About how many cells `rows_around` has at most."""

Answer = TypeVar("Answer")


@frozen
class Share:
    """What a layer walks for."""

    rules: tuple[ir.CoreRule, ...]
    uniques: tuple[ir.CoreUnique, ...]
    regions: tuple[RegionSpec, ...]
    """Token types and given selectors."""
    defects: bool = True

    @property
    def size(self) -> int:
        """How many selectors it has."""
        return len(self.rules) + len(self.uniques) + len(self.regions)

    def halves(self) -> list[Share]:
        """Two shares with half of the selectors each."""
        parts = (self.rules, self.uniques, self.regions)
        sizes = [len(part) // 2 for part in parts]
        if sum(sizes) == 0:  # at most one of each kind: the first kind that there is, and the rest
            sizes[0 if self.rules else 1] = 1
        rules, uniques, regions = sizes
        some = (self.rules[:rules], self.uniques[:uniques], self.regions[:regions])
        others = (self.rules[rules:], self.uniques[uniques:], self.regions[regions:])
        return [Share(*some, self.defects), Share(*others, False)]

    def apart(self) -> list[Share]:
        """The rules and constraints, and the regions."""
        return [replace(self, regions=()), Share((), (), self.regions, False)]


class Layer:
    """Some rules, constraints and regions, and a file that was walked through for them."""

    def __init__(self, schema: ir.CoreSchema, share: Share, route: Route, data: ViewedData) -> None:
        self.share = share
        self.route = route
        self._schema = replace(schema, rules=share.rules, uniques=share.uniques)
        self._data = data
        self._replay = Replay(route, data)
        self._details: Details | None = None
        rules = [f"rule:{rule.number}" for rule in share.rules]
        others = [spec.name for spec in share.regions]
        self._names = (rules, others)
        self.marks: Mapping[str, Mark] = {
            **{name: Mark("rule", ix) for ix, name in enumerate(rules)},
            **{name: Mark("selector", ix) for ix, name in enumerate(others)},
        }
        """By name of a region: the mark of its cells."""
        self._sets: dict[Marks, frozenset[str]] = {}

    def names_of(self, marks: Marks) -> frozenset[str]:
        """The names of the regions that a cell is in."""
        known = self._sets.get(marks)
        if known is None:
            rules, others = self._names
            names = [rules[ix] for ix in marks.rules] + [others[ix] for ix in marks.selectors]
            known = self._sets[marks] = frozenset(names)
        return known

    # ------------------------------------------------------------- words

    def _narrating(self, found: WalkResult, unmatched: frozenset[str] | None = None) -> Details:
        """What puts hits into words, in the vocabulary of the schema alone."""
        machines = self.route.machines
        task = replace(machines.task, schema=self._schema, counted=())
        details = Details(replace(machines, task=task), found, self._data, unmatched=unmatched)
        details.lines = LinesOfRows(self._data.lines, details.starts, self._data.window)
        return details

    def verdict(self, path: str, limit: int) -> Verdict:
        """The verdict on the file, if this is the only layer."""
        return self._narrating(self.route.found).verdict(path, local.NAME, limit)

    def narrated(self, hits: list[Hit]) -> tuple[Violation, ...]:
        """Some hits in words."""
        if not hits:
            return ()
        if self._details is None:
            nothing = WalkResult(1, self.route.width, 0, [], NO_EDGE)
            whole = self._narrating(self.route.found)
            self._details = self._narrating(nothing, whole.unmatched())
        return self._details.narrated(hits)

    # ------------------------------------------------------------- places

    def facts(self, rows: range, columns: range) -> list[RowFacts]:
        """The marks of cells and the hits in some rows."""
        return self._walked(lambda: list(self._replay.facts(rows, columns)))

    def rows_around(self, row: int) -> range:
        """Some rows around a row; all in one waypoint, and the same for each of them.

        Of a table with a few very wide rows, those of a waypoint would be too many when padded.
        """
        rows = self.route.rows_of(self._replay.at_row(row))
        height = strip_rows(AROUND_CELLS, self.route.width)
        first = row - (row - rows.start) % height
        return range(first, min(rows.stop, first + height))

    def steps(self, rows: range) -> list[StepRows]:
        """The steps of all cells in some rows."""
        return self._walked(lambda: list(self._replay.steps(rows)))

    def find(self, mark: Mark | None, after: Place) -> Place | None:
        """The first place after another with a mark, or with a violation."""
        return self._walked(lambda: self._find(mark, after))

    def _find(self, mark: Mark | None, after: Place) -> Place | None:
        if after[0] > self.route.found.rows or not self.route.found.rows:
            return None
        for ix in range(self._replay.at_row(max(1, after[0])), len(self.route.waypoints)):
            waypoint = self.route.waypoints[ix]
            place = None
            if mark is None:
                if waypoint.count:
                    place = self._replay.first_violation(ix, after)
            elif waypoint.marks is None or waypoint.marks.has(mark):
                place = self._replay.first_mark(ix, mark, after)
            if place is not None:
                return place
        return None

    def counts(self) -> dict[str, int]:
        """By name of a region of this layer: how many cells it has."""
        found = self.route.found
        assert found.tallies is not None
        rules, others = self._names
        return {
            **dict(zip(rules, found.tallies.selected_in(found.width), strict=True)),
            **dict(zip(others, found.tallies.counted_in(found.width), strict=True)),
        }

    def _walked(self, work: Callable[[], Answer]) -> Answer:
        """Do some work; if its steps are too many after all, with machines that forget them."""
        try:
            return work()
        except TooManyStepsError:
            used = self.route.machines
            machines = build(used.task, self._data.codec, used.backend, forgets=True)
            self.route = replace(self.route, machines=machines)
            self._replay, self._details = Replay(self.route, self._data), None
            return work()


def find_layers(
    schema: ir.CoreSchema,
    tokens: Mapping[str, ir.CoreToken],
    share: Share,
    data: ViewedData,
    options: Options,
) -> list[Layer]:
    """Walk through a file for some rules and regions, which may mention `tokens`."""
    bare = replace(schema, tokens=tokens, rules=share.rules, uniques=share.uniques)
    marked = tuple(spec.selector for spec in share.regions)
    task = Task(bare, share.rules, share.uniques, (), share.defects, True, True, marked)
    try:
        route = find_route(task, data, options)
    except TooManyStepsError:
        if share.size > 1:
            return _shared(schema, tokens, share.halves(), data, options)
        route = find_route(task, data, options, forgets=True)
    except UnsupportedByEngine:  # too many tokens for one scan
        if not share.regions or share.size == len(share.regions):
            raise
        return _shared(schema, tokens, share.apart(), data, options)
    return [Layer(schema, share, route, data)]


def _shared(
    schema: ir.CoreSchema,
    tokens: Mapping[str, ir.CoreToken],
    shares: list[Share],
    data: ViewedData,
    options: Options,
) -> list[Layer]:
    return [
        layer for share in shares for layer in find_layers(schema, tokens, share, data, options)
    ]
