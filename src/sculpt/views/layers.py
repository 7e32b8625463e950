"""A part of a view: some rules, constraints and regions that are walked together through a file.

In: a schema, the regions of a view, data. Out: `Layer`s. Nearly always there is one. If the rules
and regions together need too many steps on the data, they are shared between two layers, and so on;
a single rule that still needs too many is walked by machines that forget steps.

Invariant: each rule, constraint and region is in exactly one layer, and defects are in the first.
Cost: one pass over the data for each layer.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import TypeVar

from sculpt.automata.cell_machine import RULE, TARGET, Kind, Notice
from sculpt.automata.navigator import TooManyStepsError
from sculpt.core import ir
from sculpt.core.task import Task
from sculpt.engines import local
from sculpt.engines.machines import build
from sculpt.engines.options import Options
from sculpt.engines.results.details import Details
from sculpt.engines.results.listing import NO_EDGE
from sculpt.engines.walk.walk import Hit, WalkResult
from sculpt.engines.waypoints.lines import LinesOfRows
from sculpt.engines.waypoints.replay import EventRows, Replay, RowFacts
from sculpt.engines.waypoints.route import Route, ViewedData, find_route
from sculpt.errors import UnsupportedByEngine
from sculpt.values import frozen, replace
from sculpt.verdict import Verdict, Violation
from sculpt.views.model import Place, RegionSpec

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
        """Two shares with half of everything each."""
        parts = [self.rules, self.uniques, self.regions]
        if len(self.rules) == len(self.uniques) == len(self.regions) == 1:
            return [replace(self, regions=()), Share((), (), self.regions, False)]
        rules, uniques, regions = (len(part) // 2 for part in parts)
        if not rules + uniques + regions:  # at most one of each
            uniques = len(self.uniques) if not self.rules or not self.regions else 0
            rules = len(self.rules)
        first = Share(
            self.rules[:rules], self.uniques[:uniques], self.regions[:regions], self.defects
        )
        return [
            first,
            Share(self.rules[rules:], self.uniques[uniques:], self.regions[regions:], False),
        ]

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
        self.names: Mapping[Notice, str] = {
            Notice(Kind.MARKED, what, ix): name
            for what, names in (
                (RULE, [f"rule:{rule.number}" for rule in share.rules]),
                (TARGET, [spec.name for spec in share.regions]),
            )
            for ix, name in enumerate(names)
        }
        self.notices = {name: notice for notice, name in self.names.items()}
        """By name of a region: the mark of its cells."""
        self._sets: dict[tuple[Notice, ...], frozenset[str]] = {}

    def names_of(self, notices: tuple[Notice, ...]) -> frozenset[str]:
        """The names of the regions that notices of a cell say it is in."""
        known = self._sets.get(notices)
        if known is None:
            names = (self.names.get(notice) for notice in notices)
            known = self._sets[notices] = frozenset(name for name in names if name is not None)
        return known

    # ------------------------------------------------------------- words

    def _narrating(self, found: WalkResult) -> Details:
        """What puts hits into words, in the vocabulary of the schema alone."""
        share = self.share
        task = Task(self._schema, share.rules, share.uniques, defects=share.defects)
        details = Details(replace(self.route.machines, task=task), found, self._data)
        details.lines = LinesOfRows(self._data.lines, details.starts, self._data.window)
        return details

    def verdict(self, path: str, limit: int) -> Verdict:
        """The verdict on the file, if this is the only layer."""
        details = self._narrating(self.route.found)
        count, violations = details.violations(limit)
        return Verdict(
            path=path,
            engine=local.NAME,
            rows=self.route.found.rows,
            columns=details.width,
            violation_count=count,
            violations=violations,
            warnings=details.warnings(),
        )

    def narrated(self, hits: list[Hit]) -> tuple[Violation, ...]:
        """Some hits in words."""
        if not hits:
            return ()
        if self._details is None:
            nothing = WalkResult(1, self.route.width, 0, [], NO_EDGE, frozenset(), frozenset())
            self._details = self._narrating(nothing)
        return self._details.narrated(hits)

    # ------------------------------------------------------------- places

    def facts(self, rows: range, columns: range) -> list[RowFacts]:
        """The marks of cells and the hits in some rows."""
        return self._walked(lambda: list(self._replay.facts(rows, columns)))

    def rows_around(self, row: int) -> range:
        """The rows of the waypoint that a row belongs to."""
        return self.route.rows_of(self._replay.at_row(row))

    def events(self, rows: range) -> list[EventRows]:
        """The events of all cells in some rows."""
        return self._walked(lambda: list(self._replay.events(rows)))

    def find(self, mark: Notice | None, after: Place) -> Place | None:
        """The first place after another with a mark, or with a violation."""
        return self._walked(lambda: self._find(mark, after))

    def _find(self, mark: Notice | None, after: Place) -> Place | None:
        if after[0] > self.route.found.rows or not self.route.found.rows:
            return None
        for ix in range(self._replay.at_row(max(1, after[0])), len(self.route.waypoints)):
            waypoint = self.route.waypoints[ix]
            if mark is None:
                is_there = waypoint.count > 0
            else:
                is_there = waypoint.marks is None or mark in waypoint.marks
            if is_there and (place := self._replay.first(ix, mark, after)) is not None:
                return place
        return None

    def counts(self) -> dict[str, int]:
        """By name of a region of this layer: how many cells it has."""
        found = dict.fromkeys(self.notices, 0)
        for name, count in self._walked(lambda: list(self._counted())):
            found[name] += count
        return found

    def _counted(self) -> Iterator[tuple[str, int]]:
        total: Counter[tuple[Notice, ...]] = Counter()
        for ix, waypoint in enumerate(self.route.waypoints):
            if waypoint.marks is None or waypoint.marks & self.names.keys():
                total += self._replay.tally(ix)
        for notices, count in total.items():
            for notice in notices:
                if notice in self.names:
                    yield self.names[notice], count

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
    task = Task(bare, share.rules, share.uniques, (), share.defects, marked)
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
