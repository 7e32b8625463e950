"""Selectors as one graph of nodes and one automaton of walkers (paper, section 4 and appendix).

In: core selectors. Out: a `Navigation`: the automata of all paths, in one numbering of states, and
the triggers of every node: facts of which at least one holds wherever the node is true. At a cell,
only nodes with a trigger that holds there need to be evaluated.

Invariant: an application refers only to applications with smaller numbers; the states of different
paths are disjoint. Cost: linear in the unrolled selectors.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import assert_never

from sculpt.core import ir
from sculpt.core.traversal import parts_of, tests_of
from sculpt.kernels.loops import reach as k
from sculpt.values import field, frozen, mutable

ALWAYS = "always"
_KINDS: Mapping[ir.Direction, int] = MappingProxyType(
    {"up": k.UP, "down": k.DOWN, "left": k.LEFT, "right": k.RIGHT}
)


@mutable(slots=True)
class Walker:
    """A state of a path's automaton: where a walker in it can get without a move, and its moves."""

    owner: int
    """The number of the application it belongs to."""
    free: list[int] = field(default_factory=list)
    tests: list[tuple[ir.Selector, int]] = field(default_factory=list)
    moves: list[tuple[ir.Direction, int]] = field(default_factory=list)


@mutable(slots=True)
class Application:
    """A path applied to a selector."""

    node: ir.Reach
    start: int
    final: int


class Navigation:
    """The automata of all paths in some selectors."""

    def __init__(
        self,
        selectors: Iterable[ir.Selector],
        decided: Mapping[int, int] = MappingProxyType({}),
        stops_at_tests: bool = False,
    ) -> None:
        """`decided` maps a node that is looked up instead of walked, by identity, to its number.

        With `stops_at_tests`, only the paths of the selectors themselves are built.
        """
        self.decided = decided
        self._stops_at_tests = stops_at_tests
        self.walkers: list[Walker] = []
        self.applications: list[Application] = []
        self.number: dict[int, int] = {}
        """The number of an application, by the identity of its node."""
        self._kept: list[ir.Selector] = []
        self._done: set[int] = set()
        self.rows: set[int] = set()
        self.columns: set[int] = set()
        self._triggers: dict[int, frozenset[object]] = {}
        self.awakened: dict[object, list[int]] = {}
        """By trigger: the applications it may start."""
        for selector in selectors:
            self._add(selector)
        for number, application in enumerate(self.applications):
            for trigger in self.triggers(application.node.origin):
                self.awakened.setdefault(trigger, []).append(number)

    def _add(self, selector: ir.Selector) -> None:
        """Add a selector, its parts first; without recursion, since token types nest deeply."""
        todo = [(selector, False)]
        while todo:
            node, ready = todo.pop()
            if id(node) in self._done:
                continue
            if id(node) in self.decided:
                continue
            if not ready:
                todo.append((node, True))
                if not self._stops_at_tests:
                    todo += [(part, False) for part in parts_of(node)]
                continue
            self._done.add(id(node))
            self._kept.append(node)
            if isinstance(node, ir.Position):
                if node.row is not None:
                    self.rows.add(node.row)
                if node.column is not None:
                    self.columns.add(node.column)
            elif isinstance(node, ir.Reach):
                number = len(self.applications)
                start, final = self._build(node.path, number)
                self.number[id(node)] = number
                self.applications.append(Application(node, start, final))

    def _walker(self, owner: int) -> int:
        self.walkers.append(Walker(owner))
        return len(self.walkers) - 1

    def _build(self, path: ir.Path, owner: int) -> tuple[int, int]:
        walkers = self.walkers
        match path:
            case ir.Stay():
                only = self._walker(owner)
                return only, only
            case ir.Step(direction):
                first, last = self._walker(owner), self._walker(owner)
                walkers[first].moves.append((direction, last))
                return first, last
            case ir.Test(condition):
                first, last = self._walker(owner), self._walker(owner)
                walkers[first].tests.append((condition, last))
                return first, last
            case ir.Chain(parts):
                return self._chain(parts, owner)
            case ir.Fork(parts):
                first, last = self._walker(owner), self._walker(owner)
                for part in parts:
                    begin, end = self._build(part, owner)
                    walkers[first].free.append(begin)
                    walkers[end].free.append(last)
                return first, last
            case ir.Loop(inner, low, None):
                first, at = self._chain([inner] * low, owner)
                begin, end = self._build(inner, owner)
                last = self._walker(owner)
                walkers[at].free += [begin, last]
                walkers[end].free += [begin, last]
                return first, last
            case ir.Loop(inner, low, int(high)):
                first, at = self._chain([inner] * low, owner)
                stops = [at]
                for _ in range(low, high):
                    begin, end = self._build(inner, owner)
                    walkers[at].free.append(begin)
                    at = end
                    stops.append(at)
                last = self._walker(owner)
                for stop in stops:
                    walkers[stop].free.append(last)
                return first, last
            case _:
                raise AssertionError(path)

    def _chain(self, parts: Iterable[ir.Path], owner: int) -> tuple[int, int]:
        first = at = self._walker(owner)
        for part in parts:
            begin, end = self._build(part, owner)
            self.walkers[at].free.append(begin)
            at = end
        return first, at

    def triggers(self, selector: ir.Selector) -> frozenset[object]:
        """Atoms and applications of which at least one holds wherever the selector does.

        A token is given by its name, a position as a pair, an application by its number; `ALWAYS`
        stands for selectors about which nothing of the kind can be said.
        """
        key = id(selector)
        if key not in self._triggers:
            self._triggers[key] = self._find_triggers(selector)
        return self._triggers[key]

    def _find_triggers(self, selector: ir.Selector) -> frozenset[object]:
        if id(selector) in self.decided:
            return frozenset([("decided", self.decided[id(selector)])])
        match selector:
            case ir.Token(name):
                return frozenset([name])
            case ir.Position(row, column):
                return frozenset([("row", row) if row is not None else ("column", column)])
            case ir.Reach():
                return frozenset([self.number[id(selector)]])
            case ir.Or(parts):
                return frozenset().union(*(self.triggers(part) for part in parts))
            case ir.And(parts):
                choices = [self.triggers(part) for part in parts]
                return min(choices, key=lambda each: (ALWAYS in each, len(each)))
            case ir.Everything() | ir.Not():
                return frozenset([ALWAYS])
            case _:
                assert_never(selector)


def path_automaton(node: ir.Reach) -> Navigation:
    """The automaton of one path alone; the paths inside its tests are not built."""
    everything = ir.Builder().make(ir.Everything)
    return Navigation([ir.Reach(node.path, everything)], stops_at_tests=True)


@frozen(slots=False)
class PathGraph:
    """The automaton of one path as lists that kernels read, and its tests."""

    firsts: list[int]
    """By state: its first arc; at the end, the number of all arcs."""
    arcs: list[int]
    """Two numbers per arc: its kind (`kernels/loops/reach.py`), and the state that it leads to."""
    start: int
    final: int
    tests: list[ir.Selector]
    """The selectors that the path filters by; their numbers are part of the kinds of arcs."""

    @classmethod
    def of(cls, node: ir.Reach) -> PathGraph:
        """The graph of an application's path."""
        navigation = path_automaton(node)
        application = navigation.applications[-1]
        tests = tests_of(node.path)
        numbers = {id(test): ix for ix, test in reversed([*enumerate(tests)])}
        firsts, arcs = [0], list[int]()
        for walker in navigation.walkers:
            for target in walker.free:
                arcs += [k.FREE, target]
            for direction, target in walker.moves:
                arcs += [_KINDS[direction], target]
            for test, target in walker.tests:
                arcs += [k.TEST + numbers[id(test)], target]
            firsts.append(len(arcs) // 2)
        return cls(firsts, arcs, application.start, application.final, [*tests])

    @property
    def states(self) -> int:
        """The number of states."""
        return len(self.firsts) - 1

    def arcs_of(self, state: int) -> list[tuple[int, int]]:
        """The arcs of a state: kind and target."""
        flat = self.arcs[2 * self.firsts[state] : 2 * self.firsts[state + 1]]
        return list(zip(flat[::2], flat[1::2], strict=True))

    def targets(self, kind: int) -> list[int]:
        """The states that arcs of this kind lead to."""
        arcs = [arc for state in range(self.states) for arc in self.arcs_of(state)]
        return sorted({target for each, target in arcs if each == kind})
