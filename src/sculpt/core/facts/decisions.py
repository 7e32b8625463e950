"""The nodes that a walk from above cannot decide, and the sweeps that decide them first.

In: core selectors. Out: `Decisions`: the applications that move up or left and all their parts,
parts first; which way each moves; how many rows below a cell can matter to it; and the schedule of
sweeps over the rows. `explain` and the local engine both use it, so they agree.

Once its parts are decided, a node that only goes down is decided by a sweep from above, a node that
only goes up by a sweep from below, and a node that stays within rows by either. A node that goes
both ways is swept until no walk crosses an edge that it had not crossed before. The last sweep is
from above: it is the walk that reads the content. If no loop climbs, a bounded number of rows of
look-ahead replaces the sweeps.

Cost: linear in the nodes, times the sweeps for the schedule.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from typing import Literal as OneOf
from typing import TypeAlias

from sculpt.core import ir
from sculpt.core.facts.costs import climb
from sculpt.core.traversal import nodes_of, parts_of
from sculpt.values import frozen


class Motion(Enum):
    """Which rows the walks of a node pass through."""

    LEVEL = "level"
    DOWN = "down"
    UP = "up"
    BOTH = "both"


Way: TypeAlias = OneOf["down", "up"]


@frozen
class Sweep:
    """One pass over the rows."""

    way: Way
    decided: tuple[int, ...]
    """The nodes that it decides."""
    turning: tuple[int, ...]
    """The nodes that go both ways: walks may have to be followed in further sweeps."""


class Decisions:
    """The nodes that are decided before the walk, in order."""

    def __init__(self, selectors: Iterable[ir.Selector]) -> None:
        self.nodes: list[ir.Reach | ir.Position] = []
        self.index: dict[int, int] = {}
        """The number of a node, by its identity."""
        self.parts: list[tuple[int, ...]] = []
        """By node: the nodes on which it depends directly."""
        self._seen: set[int] = set()
        for selector in selectors:
            for node in nodes_of(selector):
                if isinstance(node, ir.Reach) and ir.axes(node.path) & {"up", "left"}:
                    self._add(node)
        self.motions = [_motion(node) for node in self.nodes]
        self.heights = self._heights()
        """By node: how many rows below a cell are needed to decide it there and above."""
        self.ahead: float = max(self.heights, default=0)
        """Rows of look-ahead; infinite if a loop climbs."""

    def _add(self, selector: ir.Selector) -> None:
        """Add a node and all its parts, parts first."""
        todo = [(selector, False)]
        while todo:
            node, is_ready = todo.pop()
            if not is_ready:
                if id(node) not in self._seen:
                    self._seen.add(id(node))
                    todo.append((node, True))
                    todo += [(part, False) for part in parts_of(node)]
            elif isinstance(node, ir.Reach | ir.Position):
                self.index[id(node)] = len(self.nodes)
                self.nodes.append(node)
                self.parts.append(self._parts(node))

    def _parts(self, node: ir.Selector) -> tuple[int, ...]:
        found: dict[int, None] = {}
        seen: set[int] = set()
        todo = parts_of(node)
        while todo:
            part = todo.pop()
            if id(part) in self.index:
                found.setdefault(self.index[id(part)])
            elif id(part) not in seen:
                seen.add(id(part))
                todo += parts_of(part)
        return tuple(found)

    def _heights(self) -> list[float]:
        """By node: how far below an edge a walk that crosses or ends above it may have been."""
        heights = [0.0] * len(self.nodes)
        for number in reversed(range(len(self.nodes))):
            node = self.nodes[number]
            if isinstance(node, ir.Reach):
                heights[number] += climb(node.path).inner
            for part in self.parts[number]:
                heights[part] = max(heights[part], heights[number])
        return heights

    def schedule(self) -> list[Sweep]:
        """The sweeps over the rows, the walk last, if walks that go both ways do not turn."""
        sweeps: list[Sweep] = []
        done: set[int] = set()
        while not sweeps or sweeps[-1].way == "up" or len(done) < len(self.nodes):
            sweep = self._next_sweep(done)
            done.update(sweep.decided, sweep.turning)
            if sweep.turning and len(done) == len(self.nodes):
                sweeps.append(sweep)
                sweep = Sweep("down", (), ())
            sweeps.append(sweep)
        return sweeps

    def _next_sweep(self, done: set[int]) -> Sweep:
        """The sweep that decides most, given what is already decided."""
        options = [self._sweep("down", done), self._sweep("up", done)]
        return max(options, key=lambda each: len(each.decided) + len(each.turning))

    def _sweep(self, way: Way, done: set[int]) -> Sweep:
        exact = set(done)
        turning: list[int] = []
        for number, motion in enumerate(self.motions):
            if number in exact or not exact.issuperset(self.parts[number]):
                continue
            if motion is Motion.BOTH:
                turning.append(number)
            elif motion is Motion.LEVEL or motion.value == way:
                exact.add(number)
        return Sweep(way, tuple(sorted(exact - done)), tuple(turning))


def _motion(node: ir.Reach | ir.Position) -> Motion:
    axes = ir.axes(node.path) if isinstance(node, ir.Reach) else frozenset()
    match "up" in axes, "down" in axes:
        case False, False:
            return Motion.LEVEL
        case True, False:
            return Motion.UP
        case False, True:
            return Motion.DOWN
    return Motion.BOTH
