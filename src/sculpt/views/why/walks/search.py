"""The shortest walk of a path to a cell, found backwards in long strides.

In: a path, the cells it may start from, a cell, and the marks of the selectors that matter. Out: a
`Found` walk, or `None` if there is none. It is a search over pairs of a cell and a state of the
path's automaton, from the cell back to where the path starts, fewest steps first (Dijkstra).

Strides: a repetition of one step with filters, such as `down*` or `(right[Text])+`, is one arc, a
slide. How far a walk may slide is where a filter first fails, and it is worth leaving the slide
only at cells that a walk can get to before it: both are marks, so cells in between are skipped.

Cost: O(p log p) for p pairs, of which there are at most as many as the `Effort` allows; a slide of
n cells is one pair and a search through n bytes. Invariant: a walk that is found is a shortest one.
"""

from __future__ import annotations

from heapq import heappop, heappush
from typing import NamedTuple, TypeAlias

from sculpt.core import ir
from sculpt.syntax import ast
from sculpt.values import frozen
from sculpt.views.model import Place
from sculpt.views.why.marks import VECTORS, Marks
from sculpt.views.why.vocabulary import Vocabulary
from sculpt.views.why.walks.paths import STAY, direction_of, joined, other_rounds, straight

MAX_PAIRS = 1_000_000


class GaveUpError(Exception):
    """A search has looked at as many pairs as it may."""


class Effort:
    """How many pairs of a cell and a state may still be looked at."""

    def __init__(self, pairs: int = MAX_PAIRS) -> None:
        self.most = self.left = pairs

    def spend(self) -> None:
        """Look at one more pair."""
        if self.left <= 0:
            raise GaveUpError
        self.left -= 1


@frozen
class Move:
    """Some steps in one direction, with what is tested before and after each; or only tests."""

    direction: ir.Direction | None
    count: int
    before: tuple[ast.Selector, ...]
    after: tuple[ast.Selector, ...]

    def backwards(self) -> Move:
        """The same steps from their end to their start."""
        opposite = None if self.direction is None else ir.OPPOSITE[self.direction]
        return Move(opposite, self.count, self.after, self.before)


@frozen
class Found:
    """A walk: where it starts and ends, and its moves."""

    start: Place
    end: Place
    moves: tuple[Move, ...]

    def backwards(self) -> Found:
        """The walk from its end to its start, along the path backwards."""
        moves = tuple(move.backwards() for move in reversed(self.moves))
        return Found(self.end, self.start, moves)


class _Arc(NamedTuple):
    """An arc into a state: where it comes from, and what it does."""

    source: int
    direction: ir.Direction | None = None
    before: tuple[ast.Selector, ...] = ()
    after: tuple[ast.Selector, ...] = ()
    before_nodes: tuple[ir.Selector, ...] = ()
    after_nodes: tuple[ir.Selector, ...] = ()
    entry: ir.Selector | None = None
    """For a slide: the cells at which a walk can enter it."""


class PathGraph:
    """The automaton of a plain path from the cells of a selector, to be searched backwards."""

    def __init__(self, path: ast.Path, origin: ir.Selector, words: Vocabulary) -> None:
        self.origin = origin
        self._words = words
        self.into: list[list[_Arc]] = []
        self.nodes: list[ir.Selector] = [origin]
        """The selectors whose marks a search needs."""
        self.start, self.final = self._build(path, STAY)

    def _state(self) -> int:
        self.into.append([])
        return len(self.into) - 1

    def _add(self, target: int, arc: _Arc) -> None:
        self.into[target].append(arc)
        self.nodes += [*arc.before_nodes, *arc.after_nodes]
        if arc.entry is not None:
            self.nodes.append(arc.entry)

    def _core(self, tests: tuple[ast.Selector, ...]) -> tuple[ir.Selector, ...]:
        return tuple(self._words.selector(test) for test in tests)

    def _build(self, path: ast.Path, before: ast.Path) -> tuple[int, int]:
        """The first and the last state of a path; `before` is what is walked before it."""
        first, last = self._state(), self._state()
        match path:
            case ast.Axis("cell"):
                self._add(last, _Arc(first))
            case ast.Axis():
                self._add(last, _Arc(first, direction_of(path)))
            case ast.Filter(condition):
                tests = (condition,)
                self._add(last, _Arc(first, None, tests, (), self._core(tests)))
            case ast.Concat(parts):
                self._add(last, _Arc(self._chain(first, parts, before)))
            case ast.Union(parts):
                for part in parts:
                    begin, end = self._build(part, before)
                    self._add(begin, _Arc(first))
                    self._add(last, _Arc(end))
            case ast.Repeated(inner, low, high):
                around = joined(before, other_rounds(path))
                at = self._rounds(first, inner, low, around)
                if high is not None:
                    self._add(last, _Arc(at))
                    for _ in range(high - low):
                        at = self._rounds(at, inner, 1, around)
                        self._add(last, _Arc(at))
                elif (step := straight(inner)) is not None:
                    direction, earlier, later = step
                    entry = joined(before, *[inner] * low)
                    entries = self._words.reach(entry, self.origin)
                    nodes = self._core(earlier), self._core(later)
                    self._add(last, _Arc(at, direction, earlier, later, *nodes, entries))
                else:
                    begin, end = self._build(inner, around)
                    for source in (at, end):
                        self._add(begin, _Arc(source))
                        self._add(last, _Arc(source))
            case _:
                raise AssertionError(path)
        return first, last

    def _chain(self, at: int, parts: tuple[ast.Path, ...], before: ast.Path) -> int:
        for ix, part in enumerate(parts):
            begin, end = self._build(part, joined(before, *parts[:ix]))
            self._add(begin, _Arc(at))
            at = end
        return at

    def _rounds(self, at: int, inner: ast.Path, count: int, around: ast.Path) -> int:
        for _ in range(count):
            begin, end = self._build(inner, around)
            self._add(begin, _Arc(at))
            at = end
        return at


class _Pair(NamedTuple):
    """A cell and a state, and how a walk goes on from there."""

    place: Place
    state: int
    then: _Pair | None
    arc: _Arc | None
    times: int


class _Slide(NamedTuple):
    """A slide that has been followed backwards for some steps, and may be for more."""

    pair: _Pair
    arc: _Arc
    times: int
    limit: int | None


_Waiting: TypeAlias = "list[tuple[int, int, _Pair | _Slide]]"


def shortest(graph: PathGraph, marks: Marks, place: Place, effort: Effort) -> Found | None:
    """A shortest walk that ends at a cell; raises `GaveUpError` if it takes too long."""
    return _Search(graph, marks, effort).run(place)


class _Search:
    def __init__(self, graph: PathGraph, marks: Marks, effort: Effort) -> None:
        self.graph = graph
        self.marks = marks
        self.effort = effort
        self.waiting: _Waiting = []
        self.pushed = 0

    def run(self, place: Place) -> Found | None:
        graph, seen = self.graph, set[tuple[Place, int]]()
        self.push(0, _Pair(place, graph.final, None, None, 0))
        while self.waiting:
            steps, _, item = heappop(self.waiting)
            if isinstance(item, _Slide):
                self.slide_on(steps - item.times, item)
                pair = _Pair(
                    _moved(item.pair.place, item.arc, item.times),
                    item.arc.source,
                    item.pair,
                    item.arc,
                    item.times,
                )
            else:
                pair = item
            if (pair.place, pair.state) in seen:
                continue
            seen.add((pair.place, pair.state))
            self.effort.spend()
            if pair.state == graph.start and self.marks.holds(graph.origin, pair.place):
                return _found(pair, place)
            self.expand(steps, pair)
        return None

    def push(self, steps: int, item: _Pair | _Slide) -> None:
        self.pushed += 1
        heappush(self.waiting, (steps, self.pushed, item))

    def expand(self, steps: int, pair: _Pair) -> None:
        """Follow all arcs into a pair backwards."""
        holds, place = self.marks.holds, pair.place
        for arc in self.graph.into[pair.state]:
            if arc.entry is not None:
                if holds(arc.entry, place):
                    self.push(steps, _Pair(place, arc.source, pair, arc, 0))
                self.slide_on(steps, _Slide(pair, arc, 0, self.limit(arc, place)))
            elif arc.direction is not None:
                moved = _moved(place, arc, 1)
                if self.marks.is_inside(moved):
                    self.push(steps + 1, _Pair(moved, arc.source, pair, arc, 1))
            elif all(holds(node, place) for node in arc.before_nodes):
                self.push(steps, _Pair(place, arc.source, pair, arc, 0))

    def limit(self, arc: _Arc, place: Place) -> int | None:
        """How many steps of a slide can be followed backwards; `None` if only the table ends it."""
        assert arc.direction is not None
        back = ir.OPPOSITE[arc.direction]
        limits = [self.marks.steps_to(node, False, place, back) for node in arc.after_nodes]
        one = _moved(place, arc, 1)
        limits += [self.marks.steps_to(node, False, one, back) for node in arc.before_nodes]
        return min((each for each in limits if each is not None), default=None)

    def slide_on(self, steps: int, slide: _Slide) -> None:
        """Wait for the next cell at which a walk can enter a slide."""
        assert slide.arc.direction is not None
        assert slide.arc.entry is not None
        one = slide.times + 1
        if slide.limit is not None and one > slide.limit:
            return
        back = ir.OPPOSITE[slide.arc.direction]
        place = _moved(slide.pair.place, slide.arc, one)
        more = self.marks.steps_to(slide.arc.entry, True, place, back)
        if more is not None and (slide.limit is None or one + more <= slide.limit):
            self.push(steps + one + more, slide._replace(times=one + more))


def _moved(place: Place, arc: _Arc, count: int) -> Place:
    """The cell from which an arc leads to a place."""
    assert arc.direction is not None
    down, right = VECTORS[arc.direction]
    return place[0] - down * count, place[1] - right * count


def _found(pair: _Pair, end: Place) -> Found:
    moves, start = [], pair.place
    while pair.then is not None:
        arc = pair.arc
        assert arc is not None
        if arc.direction is not None and pair.times:
            moves.append(Move(arc.direction, pair.times, arc.before, arc.after))
        elif arc.direction is None and arc.before:
            moves.append(Move(None, 0, arc.before, ()))
        pair = pair.then
    return Found(start, end, tuple(moves))
