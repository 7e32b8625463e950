"""An independent check of what `why` says: every part, walk and stop, by definition.

Nothing here searches or marks. Selectors are evaluated by `naive`; a walk is played cell by cell
and must be a word of its path; the least number of steps comes from distances that are lowered
until none changes.
"""

from __future__ import annotations

from collections.abc import Iterator

from naive import Cells, Naive
from sculpt.schema import parse_selector_tree
from sculpt.syntax import ast
from sculpt.views.why.model import Part, Stop, Test, Walk

Place = tuple[int, int]
_MOVES = {"up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1)}
_LONG = {"row": "right", "col": "down"}


class Replay:
    """Checks answers about one table."""

    def __init__(self, table: Naive) -> None:
        self.table = table

    def check(self, part: Part) -> None:
        """Check a part, and all that is in it."""
        selector = parse_selector_tree(part.text)
        assert part.span.source.text[part.span.start : part.span.end] == part.text
        place = (part.row, part.column)
        assert part.holds == (place in self.table.region(selector)), part
        self._check_parts(part, selector, place)
        assert not part.gave_up, "on a table of some 30 cells"
        if isinstance(selector, ast.Apply | ast.Exists):
            self._check_path(part, selector, place)

    def _check_parts(self, part: Part, selector: ast.Selector, place: Place) -> None:
        for each in part.parts:
            assert (each.row, each.column) == place
            self.check(each)
        inner = [each.holds for each in part.parts]
        if not inner:
            return
        match selector:
            case ast.Nth():
                assert inner[0] or not part.holds
            case ast.Not():
                assert part.holds == (not inner[0])
            case ast.And(parts):
                assert len(parts) == len(inner)
                assert part.holds == all(inner)
            case ast.Or(parts):
                assert len(parts) == len(inner)
                assert part.holds == any(inner)
            case ast.Name():
                assert inner == [part.holds]
            case _:
                raise AssertionError(part)

    # ------------------------------------------------------------- paths

    def _origin(self, selector: ast.Apply) -> Cells:
        if selector.operand is None:
            return self.table.all & {(1, 1)}
        return self.table.region(selector.operand)

    def _check_path(self, part: Part, selector: ast.Apply | ast.Exists, place: Place) -> None:
        if part.walk is None and part.stop is None:
            return  # too deep inside other paths to be explained
        if part.holds:
            assert part.walk is not None
            assert part.stop is None
            if isinstance(selector, ast.Exists):
                starts: Cells = frozenset([place])
                assert part.walk.start == place
                ends = [*self.distances(selector.path, dict.fromkeys(starts, 0)).values()]
            else:
                starts = self._origin(selector)
                assert part.walk.end == place
                ends = [self.distances(selector.path, dict.fromkeys(starts, 0))[place]]
            assert part.walk.start in starts
            self.check_walk(part.walk, selector.path)
            assert part.walk.length == min(ends), "not a shortest walk"
            if part.origin is not None:
                assert (part.origin.row, part.origin.column) == part.walk.start
                assert part.origin.holds
                self.check(part.origin)
            return
        assert part.walk is None
        assert part.stop is not None
        if isinstance(selector, ast.Exists):
            self.check_stop(part.stop, selector.path, frozenset([place]))
        else:
            self.check_stop(part.stop, selector.path, self._origin(selector))

    def check_stop(self, stop: Stop, path: ast.Path, starts: Cells) -> None:
        """The place is one where a walk gets to, and what stops it there does."""
        if stop.kind == "nowhere":
            assert not starts
            return
        assert stop.row is not None
        assert stop.column is not None
        place = (stop.row, stop.column)
        if stop.kind == "end":
            assert place in self.table.walk(path, starts)
        elif stop.kind == "test":
            assert stop.test is not None
            assert (stop.test.row, stop.test.column) == place
            assert not stop.test.holds
            self.check(stop.test)
            condition = parse_selector_tree(stop.test.text)
            assert any(
                place in cells and isinstance(node, ast.Filter) and node.condition == condition
                for node, cells in self.arrivals(path, starts)
            ), "no walk comes to this test here"
        else:
            assert stop.kind == "edge"
            assert stop.direction is not None
            down, right = _MOVES[stop.direction]
            assert (place[0] + down, place[1] + right) not in self.table.all
            assert any(
                place in cells and isinstance(node, ast.Axis) and node.name == stop.direction
                for node, cells in self.arrivals(path, starts)
            ), "no walk takes this step here"
        assert stop.walk is not None
        assert stop.walk.start in starts
        assert stop.walk.end == place
        self.trajectory(stop.walk)

    # ------------------------------------------------------------- walks

    def trajectory(self, walk: Walk) -> list[Place]:
        """All cells of a walk; each step moves one cell, and each test holds where it is made."""
        places = [walk.start]
        self._check_tests(walk.tests, walk.start)
        before = None
        for step in walk.steps:
            assert step.count >= 1
            down, right = _MOVES[step.direction]
            for _ in range(step.count):
                row, column = places[-1]
                places.append((row + down, column + right))
                assert places[-1] in self.table.all
                self._check_tests(step.tests, places[-1])
            assert places[-1] == (step.row, step.column)
            assert (step.direction, step.tests) != before, "equal steps are one"
            before = (step.direction, step.tests)
        assert places[-1] == walk.end
        return places

    def _check_tests(self, tests: tuple[Test, ...], place: Place) -> None:
        for test in tests:
            assert test.span.source.text[test.span.start : test.span.end] == test.text
            assert place in self.table.region(parse_selector_tree(test.text)), test

    def check_walk(self, walk: Walk, path: ast.Path) -> None:
        """A walk is one that its path allows."""
        places = self.trajectory(walk)
        assert len(places) - 1 in self._follow(path, frozenset([0]), places)

    def _follow(self, path: ast.Path, at: frozenset[int], places: list[Place]) -> frozenset[int]:
        """The places of a walk, by number, at which a path can end that begins at some of them."""
        match path:
            case ast.Axis("cell"):
                return at
            case ast.Axis("row" | "col" as name):
                step = ast.Axis("right" if name == "row" else "down", span=path.span)
                return self._follow(ast.Repeated(step, 1, None, span=path.span), at, places)
            case ast.Axis(name):
                down, right = _MOVES[name]
                return frozenset(
                    ix + 1
                    for ix in at
                    if ix + 1 < len(places)
                    and places[ix + 1] == (places[ix][0] + down, places[ix][1] + right)
                )
            case ast.Filter(condition):
                region = self.table.region(condition)
                return frozenset(ix for ix in at if places[ix] in region)
            case ast.Filtered(inner, condition):
                region = self.table.region(condition)
                return frozenset(
                    ix for ix in self._follow(inner, at, places) if places[ix] in region
                )
            case ast.Concat(parts):
                for part in parts:
                    at = self._follow(part, at, places)
                return at
            case ast.Union(parts):
                return frozenset().union(*(self._follow(part, at, places) for part in parts))
            case ast.Repeated(inner, low, high):
                for _ in range(low):
                    at = self._follow(inner, at, places)
                found, rounds = at, low
                while high is None or rounds < high:
                    at = self._follow(inner, at, places)
                    if at <= found:
                        break
                    found, rounds = found | at, rounds + 1
                return found

    # ------------------------------------------------------------- distances

    def distances(self, path: ast.Path, start: dict[Place, int]) -> dict[Place, int]:
        """By cell that a path leads to: the least number of steps."""
        match path:
            case ast.Axis("cell"):
                return start
            case ast.Axis("row" | "col" as name):
                step = ast.Axis("right" if name == "row" else "down", span=path.span)
                return self.distances(ast.Repeated(step, 1, None, span=path.span), start)
            case ast.Axis(name):
                down, right = _MOVES[name]
                moved = {(i + down, j + right): steps + 1 for (i, j), steps in start.items()}
                return {place: steps for place, steps in moved.items() if place in self.table.all}
            case ast.Filter(condition):
                region = self.table.region(condition)
                return {place: steps for place, steps in start.items() if place in region}
            case ast.Filtered(inner, condition):
                region = self.table.region(condition)
                found = self.distances(inner, start)
                return {place: steps for place, steps in found.items() if place in region}
            case ast.Concat(parts):
                for part in parts:
                    start = self.distances(part, start)
                return start
            case ast.Union(parts):
                return _least(*(self.distances(part, start) for part in parts))
            case ast.Repeated(inner, low, high):
                for _ in range(low):
                    start = self.distances(inner, start)
                found, rounds = start, low
                while high is None or rounds < high:
                    start = self.distances(inner, start)
                    lower = _least(found, start)
                    if lower == found and high is None:
                        break
                    found, rounds = lower, rounds + 1
                return found

    def arrivals(
        self, path: ast.Path, cells: Cells
    ) -> Iterator[tuple[ast.Axis | ast.Filter, Cells]]:
        """Every step and filter that walks come to, with the cells where they do."""
        match path:
            case ast.Axis("row" | "col" as name):
                step = ast.Axis("right" if name == "row" else "down", span=path.span)
                yield from self.arrivals(ast.Repeated(step, 1, None, span=path.span), cells)
            case ast.Axis() | ast.Filter():
                yield path, cells
            case ast.Filtered(inner, condition):
                yield from self.arrivals(inner, cells)
                test = ast.Filter(condition, span=path.span)
                yield test, self.table.walk(inner, cells)
            case ast.Concat(parts):
                for part in parts:
                    yield from self.arrivals(part, cells)
                    cells = self.table.walk(part, cells)
            case ast.Union(parts):
                for part in parts:
                    yield from self.arrivals(part, cells)
            case ast.Repeated(inner, _, high):
                rounds, seen = 0, set[Cells]()
                while (high is None or rounds < high) and cells not in seen:
                    seen.add(cells)
                    yield from self.arrivals(inner, cells)
                    cells = self.table.walk(inner, cells)
                    rounds += 1


def _least(*found: dict[Place, int]) -> dict[Place, int]:
    least: dict[Place, int] = {}
    for each in found:
        for place, steps in each.items():
            least[place] = min(steps, least.get(place, steps))
    return least
