"""Why a selector holds at a cell or not: its syntax tree, part by part.

In: a selector of the syntax tree, a cell, and the marks of all nodes that matter. Out: a `Part`.
Two methods go through the same tree: `ask` collects the core nodes that must be marked first, in
one pass over the data; `explain` reads their marks.

Invariant: `Part.holds` is the mark of the selector itself. Filters and origins are explained to a
depth of `MAX_DEPTH`; beyond that it is only said whether they hold. Cost: each answer is bounded by
its `Effort` and by `MAX_PARTS`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias, assert_never

from sculpt.core import ir
from sculpt.report.text import visible
from sculpt.syntax import ast
from sculpt.tabular.decoder import UNDECODABLE
from sculpt.tabular.grid import Cell
from sculpt.values import replace
from sculpt.views.model import TEXT_LIMIT, Place
from sculpt.views.why.marks import Marks
from sculpt.views.why.model import Part, Stop, Walk
from sculpt.views.why.sentences import position_words, stop_words, token_words, walk_words
from sculpt.views.why.vocabulary import Vocabulary, written
from sculpt.views.why.walks.folding import walk_of
from sculpt.views.why.walks.plans import PathPlan, StopPlan, plan_of
from sculpt.views.why.walks.search import Effort, Found, GaveUpError, PathGraph, shortest

MAX_DEPTH = 3
MAX_PARTS = 300
"""The most parts of an answer; further ones are not taken apart."""

Cells: TypeAlias = Callable[[int, int], Cell | None]


class Questions:
    """The selectors of some regions: what must be marked to explain them."""

    def __init__(self, words: Vocabulary, rows: int, columns: int) -> None:
        self.words = words
        self.rows, self.columns = rows, columns
        self._asked: dict[int, ir.Selector] = {}
        self._plans: dict[int, PathPlan] = {}
        self._depths: dict[int, int] = {}

    @property
    def nodes(self) -> tuple[ir.Selector, ...]:
        """Everything that must be marked."""
        return tuple(self._asked.values())

    def add(self, *nodes: ir.Selector) -> None:
        """Ask for more nodes."""
        for node in nodes:
            self._asked.setdefault(id(node), node)

    def plan(self, selector: ast.Apply | ast.Exists) -> PathPlan:
        """The plan of a selector that follows a path."""
        if id(selector) not in self._plans:
            self._plans[id(selector)] = plan_of(selector, self.words, self.rows, self.columns)
        return self._plans[id(selector)]

    def ask(self, selector: ast.Selector, depth: int = 0) -> None:
        """Ask for all that explains a selector; `depth` counts the paths around it."""
        if self._depths.get(id(selector), MAX_DEPTH + 1) <= depth:
            return
        self._depths[id(selector)] = depth
        self.add(self.words.selector(selector))
        match selector:
            case ast.Name() if (definition := self.words.definition(selector)) is not None:
                self.ask(definition.selector, depth)
            case ast.Not(part) | ast.Nth(part):
                self.ask(part, depth)
            case ast.And(parts) | ast.Or(parts):
                for part in parts:
                    self.ask(part, depth)
            case ast.Apply() | ast.Exists() if depth < MAX_DEPTH:
                plan = self.plan(selector)
                self.add(*plan.nodes)
                for stop in plan.stops:
                    if isinstance(stop.node, ast.Filter):
                        self.ask(stop.node.condition, depth + 1)
                if isinstance(selector, ast.Apply) and selector.operand is not None:
                    self.ask(selector.operand, depth + 1)


class Explainer:
    """Explains selectors by marks."""

    def __init__(self, questions: Questions, marks: Marks, cells: Cells) -> None:
        self.questions = questions
        self.words = questions.words
        self.marks = marks
        self.cells = cells
        self.effort = Effort()
        self._left = MAX_PARTS
        self._told: set[tuple[str, Place]] = set()

    def explain(self, selector: ast.Selector, place: Place, depth: int = 0) -> Part:
        """Does a selector hold at a cell, and why?"""
        self._left -= 1
        holds = self.marks.holds(self.words.selector(selector), place)
        part = Part(written(selector), selector.span, *place, holds)
        match selector:
            case ast.Name() if (definition := self.words.definition(selector)) is not None:
                return self._type(part, definition, depth)
            case ast.Name() | ast.Literal():
                token = self.words.token(selector)
                cell = self.cells(*place)
                return replace(part, reason=token_words(token, cell, holds, self.words.texts))
            case ast.TrueSelector():
                return replace(part, reason="every cell is selected")
            case ast.Root():
                return replace(part, reason=position_words(1, 1, place, holds))
            case ast.Coordinate(row, column):
                return replace(part, reason=position_words(row, column, place, holds))
            case ast.Block(top, left, bottom, right):
                first, last = f"({top},{left})", f"({bottom},{right})"
                reason = f"the cell is {'in' if holds else 'outside'} the block {first}..{last}"
                return replace(part, reason=reason)
            case ast.WholeRow(row):
                return replace(part, reason=position_words(row, None, place, holds))
            case ast.WholeColumn(column):
                return replace(part, reason=position_words(None, column, place, holds))
            case ast.Nth(inner, number):
                reason = self._counted(inner, number, place)
                return self._made_of(part, reason, (inner,), depth)
            case ast.Not(inner):
                reason = "because this does not hold" if holds else "because this holds"
                return self._made_of(part, reason, (inner,), depth)
            case ast.And(parts):
                reason = "because all of these hold" if holds else "because not all of these hold"
                return self._made_of(part, reason, parts, depth)
            case ast.Or(parts):
                reason = (
                    "because one of these is enough" if holds else "because none of these holds"
                )
                return self._made_of(part, reason, parts, depth)
            case ast.Apply() | ast.Exists():
                return self._path(part, selector, depth)
            case _:
                assert_never(selector)

    def _counted(self, selector: ast.Selector, number: int, place: Place) -> str:
        """Which of the cells of a selector in its row a cell is, counted from the left."""
        node = self.words.selector(selector)
        if not self.marks.holds(node, place):
            return "because this does not hold"
        found = self.marks.count_in_row(node, place)
        rest = "" if found == number else f", not cell {number}"
        return f"it is cell {found} of these in its row{rest}"

    def _made_of(
        self, part: Part, reason: str, selectors: tuple[ast.Selector, ...], depth: int
    ) -> Part:
        if self._left < len(selectors):
            return part
        place = part.row, part.column
        parts = tuple(self.explain(each, place, depth) for each in selectors)
        return replace(part, reason=reason, parts=parts)

    def _type(self, part: Part, definition: ast.TypeDefinition, depth: int) -> Part:
        """A token type is explained once for each cell."""
        key = definition.name, (part.row, part.column)
        if key in self._told or self._left < 1:
            return replace(part, reason="explained above" if key in self._told else "")
        self._told.add(key)
        reason = f"defined in line {definition.span.line}"
        return self._made_of(part, reason, (definition.selector,), depth)

    # ------------------------------------------------------------- paths

    def _path(self, part: Part, selector: ast.Apply | ast.Exists, depth: int) -> Part:
        if depth >= MAX_DEPTH or self._left < 1:
            return part
        plan = self.questions.plan(selector)
        try:
            if part.holds:
                return self._walk(part, selector, plan, depth)
            stop = (
                self._stop_of_exists(plan, (part.row, part.column), depth)
                if isinstance(selector, ast.Exists)
                else self._stop_of_apply(plan, (part.row, part.column), depth)
            )
        except GaveUpError:
            how = "it holds" if part.holds else "it does not hold"
            reason = f"{how}, but the search for a walk gave up after {self.effort.most:,} places"
            return replace(part, reason=reason, gave_up=True)
        from_here = isinstance(selector, ast.Exists)
        origin = "" if isinstance(selector, ast.Exists) else self._origin_words(selector)
        return replace(part, reason=stop_words(stop, from_here, origin), stop=stop)

    def _walk(
        self, part: Part, selector: ast.Apply | ast.Exists, plan: PathPlan, depth: int
    ) -> Part:
        found = shortest(plan.graph, self.marks, (part.row, part.column), self.effort)
        assert found is not None, (part, "marked, but not reached")
        if isinstance(selector, ast.Exists):
            walk = self._shown(found.backwards())
            return replace(part, reason=walk_words(walk, from_here=True), walk=walk)
        walk = self._shown(found)
        operand = selector.operand
        origin = None
        if operand is not None and not self._is_plain(operand):
            origin = self.explain(operand, walk.start, depth + 1)
        return replace(part, reason=walk_words(walk), walk=walk, origin=origin)

    def _stop_of_exists(self, plan: PathPlan, place: Place, depth: int) -> Stop:
        """The last test or step of the path that a walk from a cell comes to, in vain."""
        for stop in reversed(plan.stops):
            assert stop.leads is not None
            assert stop.rest is not None
            if self.marks.holds(stop.leads, place):
                found = shortest(stop.rest, self.marks, place, self.effort)
                assert found is not None, (stop, place)
                walk = self._shown(found.backwards())
                return self._stop(stop, walk.end, walk, depth)
        raise GaveUpError  # a path with very many steps, not all of which were looked at

    def _stop_of_apply(self, plan: PathPlan, place: Place, depth: int) -> Stop:
        """The stop that is in the way to a cell; if none is, the nearest one of all."""
        best: tuple[int, StopPlan, Found] | None = None
        for stop in plan.stops:
            if stop.leads is not None and self.marks.holds(stop.leads, place):
                assert stop.rest is not None
                found = shortest(stop.rest, self.marks, place, self.effort)
                assert found is not None, (stop, place)
                steps = sum(move.count for move in found.moves)
                if best is None or steps < best[0]:
                    best = steps, stop, found
        if best is not None:
            _, stop, found = best
            return self._stop(stop, found.start, self._way(stop.way, found.start), depth)
        near = self.marks.nearest(plan.anywhere, place)
        if near is None:
            if self.marks.nearest(plan.graph.origin, place) is not None:
                raise GaveUpError  # a path with very many steps, not all of which were looked at
            return Stop("nowhere")
        stops = [stop for stop in plan.stops if self.marks.holds(stop.places, near)]
        tests = [stop for stop in stops if stop.kind == "test"]
        if not tests and self.marks.holds(plan.ends, near):
            return Stop("end", *near, self._text(near), walk=self._way(plan.graph, near))
        stop = (tests or stops)[0]
        return self._stop(stop, near, self._way(stop.way, near), depth)

    def _stop(self, plan: StopPlan, place: Place, walk: Walk | None, depth: int) -> Stop:
        stop = Stop(plan.kind, *place, self._text(place), walk=walk)
        if isinstance(plan.node, ast.Filter):
            return replace(stop, test=self.explain(plan.node.condition, place, depth + 1))
        return replace(stop, direction=plan.node.name)

    def _way(self, graph: PathGraph | None, place: Place) -> Walk | None:
        """A shortest walk to a place; `None` if the search for it gives up."""
        assert graph is not None
        try:
            found = shortest(graph, self.marks, place, self.effort)
        except GaveUpError:
            return None
        assert found is not None, (place, "marked, but not reached")
        return self._shown(found)

    # ------------------------------------------------------------- cells

    def _shown(self, found: Found) -> Walk:
        return walk_of(found, self._text(found.start))

    def _origin_words(self, selector: ast.Apply) -> str:
        operand = selector.operand
        if operand is None:
            return "`root` selects no cell"
        text = f"`{visible(written(operand))}` selects no cell"
        if not isinstance(operand, ast.Name) or self.words.definition(operand) is not None:
            return text
        is_text = self.words.token(operand).literal is not None
        return f"{text} (it is not declared, so it stands for that text)" if is_text else text

    def _text(self, place: Place) -> str | None:
        return shown_text(self.cells(*place))

    def _is_plain(self, selector: ast.Selector) -> bool:
        """Does a cell's text or place say by itself that the selector holds?"""
        return (
            isinstance(
                selector,
                ast.Name
                | ast.Literal
                | ast.Root
                | ast.Coordinate
                | ast.Block
                | ast.WholeRow
                | ast.WholeColumn
                | ast.TrueSelector,
            )
            and self.words.definition(selector) is None
        )


def shown_text(cell: Cell | None) -> str | None:
    """The text of a cell as a window has it."""
    return None if cell is None else UNDECODABLE.sub("\ufffd", cell.text[:TEXT_LIMIT])
