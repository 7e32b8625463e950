"""What to look for if a selector follows a path: its walks, and the places where walks stop.

In: `path(selector)` or `exists(path)`. Out: a `PathPlan`: selectors to be marked, and graphs to be
searched once they are.

How a path fails is a question about other paths. A walk comes to a test at the cells that the path
before the test leads to. Where the test fails, walks stop. If the path after the test leads from
such a cell to the one we ask about, then this stop is why: only this test was in the way. So a stop
is found like a walk, and that there is one is a mark like any other.

Cost: for each test of a path, two more paths of at most the same length.
"""

from __future__ import annotations

from sculpt.core import ir
from sculpt.syntax import ast
from sculpt.values import frozen
from sculpt.views.why.model import StopKind
from sculpt.views.why.vocabulary import Vocabulary
from sculpt.views.why.walks.paths import Occurrence, direction_of, occurrences, plain, reverse
from sculpt.views.why.walks.search import PathGraph

MAX_STOPS = 64
"""The most tests and steps of a path at which a stop is looked for."""


@frozen(eq=False)
class StopPlan:
    """Walks that stop at one test, or at one step because it would leave the table."""

    kind: StopKind
    node: ast.Axis | ast.Filter
    places: ir.Selector
    """Where they stop."""
    leads: ir.Selector | None
    """The cells that such a walk would lead to, if it could go on; for `exists`, those from which a
    walk stops there. `None` for a step, after which there is nothing."""
    rest: PathGraph | None
    """Finds the nearest of the places."""
    way: PathGraph | None
    """Finds a walk to such a place; `None` for `exists`, where `rest` does that."""

    @property
    def nodes(self) -> list[ir.Selector]:
        """What must be marked."""
        graphs = [graph for graph in (self.rest, self.way) if graph is not None]
        leads = [] if self.leads is None else [self.leads]
        return [self.places, *leads, *(node for graph in graphs for node in graph.nodes)]


@frozen(eq=False)
class PathPlan:
    """What to look for if a selector follows a path."""

    graph: PathGraph
    """Its walks; for `exists`, they are searched from their end."""
    stops: tuple[StopPlan, ...]
    ends: ir.Selector
    """The cells that its walks lead to; for `exists`, those they can start from."""
    anywhere: ir.Selector
    """The cells where any walk stops or ends; not used for `exists`."""

    @property
    def nodes(self) -> list[ir.Selector]:
        """What must be marked."""
        return [
            *self.graph.nodes,
            *(node for stop in self.stops for node in stop.nodes),
            self.ends,
            self.anywhere,
        ]


def plan_of(
    selector: ast.Apply | ast.Exists, words: Vocabulary, rows: int, columns: int
) -> PathPlan:
    """The plan of a selector for a table of a size."""
    path = plain(selector.path)
    found = list(occurrences(path))
    if len(found) > MAX_STOPS:
        found = [each for each in found if isinstance(each.node, ast.Filter)][:MAX_STOPS]
    edges = {
        "up": words.position(1, None),
        "down": words.position(rows, None),
        "left": words.position(None, 1),
        "right": words.position(None, columns),
    }

    def blocked(each: Occurrence) -> ir.Selector:
        """The cells at which a test fails, or a step would leave the table."""
        if isinstance(each.node, ast.Filter):
            return words.negation(words.selector(each.node.condition))
        return edges[direction_of(each.node)]

    if isinstance(selector, ast.Exists):
        stops = tuple(_stop_of_exists(each, blocked(each), words) for each in found)
        graph = PathGraph(reverse(path), words.everything, words)
        ends = words.selector(selector)
        return PathPlan(graph, stops, ends, ends)
    root = words.position(1, 1)
    origin = root if selector.operand is None else words.selector(selector.operand)
    stops = tuple(_stop_of_apply(each, blocked(each), origin, words) for each in found)
    ends = words.reach(path, origin)
    anywhere = words.either(ends, *(stop.places for stop in stops))
    return PathPlan(PathGraph(path, origin, words), stops, ends, anywhere)


def _stop_of_apply(
    each: Occurrence, blocked: ir.Selector, origin: ir.Selector, words: Vocabulary
) -> StopPlan:
    places = words.both(words.reach(each.before, origin), blocked)
    way = PathGraph(each.before, origin, words)
    if isinstance(each.node, ast.Axis):
        return StopPlan("edge", each.node, places, None, None, way)
    rest = PathGraph(each.after, places, words)
    return StopPlan("test", each.node, places, words.reach(each.after, places), rest, way)


def _stop_of_exists(each: Occurrence, blocked: ir.Selector, words: Vocabulary) -> StopPlan:
    back = reverse(each.before)
    kind: StopKind = "edge" if isinstance(each.node, ast.Axis) else "test"
    graph = PathGraph(back, blocked, words)
    return StopPlan(kind, each.node, blocked, words.reach(back, blocked), graph, None)
