"""What crosses the edge between two chunks of rows, stratum by stratum.

In: the `Navigation` of a task, its `Decisions`, the costs of its schema. Out: `Strata`: the
crossings that are possible at an edge. A crossing is the state of a path in which a walk crosses
the edge, downwards or upwards, in some column. A stratum holds the applications whose tests and
origins are known once all lower strata are. So within one stratum, the map from what enters a chunk
to what leaves it is linear:

    leaves(v) = what starts inside, plus the union over the crossings of v of what each leads to

Crossings fall into groups: those of an application and of the applications that start where it
ends. Groups do not affect each other, so one trial of a chunk can follow a crossing of each group
at once. A group is local if none of its walks moves up or down after it has moved sideways: then a
walk that crosses an edge leaves in the column in which it came, and one trial follows a crossing in
all columns at once.

Cost: linear in the states of the paths, times the crossings for locality.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import NamedTuple

from sculpt.automata.paths import Navigation, Walker, path_automaton
from sculpt.core import ir
from sculpt.core.facts.costs import Costs
from sculpt.core.facts.decisions import Decisions
from sculpt.values import frozen, mutable

_VERTICAL = ("up", "down")


class Crossing(NamedTuple):
    """A walk that crosses an edge: the state in which it arrives, and the path it follows."""

    node: int
    """The number of a decided node, or -1 for the walkers of the cell machine."""
    state: int
    goes_up: bool = False


@frozen
class Group:
    """Crossings that may lead to each other."""

    crossings: tuple[Crossing, ...]
    is_local: bool


@mutable(slots=True)
class _PathStates:
    """An application of a path, as a graph of states."""

    node: ir.Reach
    number: int
    """As `Crossing.node`."""
    walkers: Mapping[int, Walker]
    start: int
    final: int
    stratum: int

    def crossings(self) -> list[Crossing]:
        found = {
            Crossing(self.number, to, direction == "up")
            for walker in self.walkers.values()
            for direction, to in walker.moves
            if direction in _VERTICAL
        }
        return sorted(found)


class Strata:
    """The crossings of a task's applications, in strata and groups."""

    def __init__(self, navigation: Navigation, decisions: Decisions, costs: Costs) -> None:
        self._paths: list[_PathStates] = []
        self._by_node: dict[int, int] = {}
        self.of_decision = [costs.strata(node) for node in decisions.nodes]
        """By decided node: its stratum."""
        owned: dict[int, dict[int, Walker]] = defaultdict(dict)
        for state, walker in enumerate(navigation.walkers):
            owned[walker.owner][state] = walker
        for number, each in enumerate(navigation.applications):
            self._add(each.node, -1, owned[number], each.start, each.final, costs)
        for number, node in enumerate(decisions.nodes):
            if isinstance(node, ir.Reach):
                alone = path_automaton(node)
                states = dict(enumerate(alone.walkers))
                path = alone.applications[-1]
                self._add(node, number, states, path.start, path.final, costs)
        self.count = max((path.stratum for path in self._paths), default=0)
        """V: the number of strata above the lowest one, in which nothing crosses an edge."""
        self._fed = self._links()

    def _add(
        self,
        node: ir.Reach,
        number: int,
        walkers: Mapping[int, Walker],
        start: int,
        final: int,
        costs: Costs,
    ) -> None:
        self._by_node[id(node)] = len(self._paths)
        stratum = costs.strata(node)
        self._paths.append(_PathStates(node, number, walkers, start, final, stratum))

    def _links(self) -> list[list[int]]:
        """By path: the paths of the same stratum that begin where it ends."""
        fed: list[list[int]] = [[] for _ in self._paths]
        for ix, path in enumerate(self._paths):
            todo: list[ir.Selector] = [path.node.origin]
            while todo:
                origin = todo.pop()
                if isinstance(origin, ir.Or):
                    todo += origin.parts
                elif id(origin) in self._by_node:
                    source = self._by_node[id(origin)]
                    if self._paths[source].stratum == path.stratum:
                        fed[source].append(ix)
        return fed

    def groups(self, stratum: int) -> list[Group]:
        """The groups of a stratum that have crossings."""
        members = [ix for ix, path in enumerate(self._paths) if path.stratum == stratum]
        leader = {ix: ix for ix in members}

        def find(ix: int) -> int:
            while leader[ix] != ix:
                ix = leader[ix]
            return ix

        for ix in members:
            for other in self._fed[ix]:
                leader[find(ix)] = find(other)
        gathered: dict[int, list[int]] = defaultdict(list)
        for ix in members:
            gathered[find(ix)].append(ix)
        found = [self._group(paths) for paths in gathered.values()]
        return [group for group in found if group.crossings]

    def _group(self, paths: list[int]) -> Group:
        crossings = [(ix, crossing) for ix in paths for crossing in self._paths[ix].crossings()]
        is_local = all(self._stays(ix, crossing.state) for ix, crossing in crossings)
        return Group(tuple(crossing for _, crossing in crossings), is_local)

    def _stays(self, number: int, state: int) -> bool:
        """Does a walk that crosses an edge in this state cross others only in its own column?"""
        todo = [(number, state, False)]
        seen = set(todo)
        while todo:
            ix, at, has_turned = todo.pop()
            walker = self._paths[ix].walkers[at]
            following = [(ix, to, has_turned) for to in walker.free]
            following += [(ix, to, has_turned) for _, to in walker.tests]
            for direction, to in walker.moves:
                if direction in _VERTICAL and has_turned:
                    return False
                following.append((ix, to, has_turned or direction not in _VERTICAL))
            if at == self._paths[ix].final:
                following += [(o, self._paths[o].start, has_turned) for o in self._fed[ix]]
            new = set(following) - seen
            seen |= new
            todo += new
        return True
