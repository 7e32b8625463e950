"""Walks as they are shown: equal steps folded, each test with its place in the schema."""

from __future__ import annotations

from sculpt.core.ir import Direction
from sculpt.syntax import ast
from sculpt.values import replace
from sculpt.views.model import Place
from sculpt.views.why.marks import VECTORS
from sculpt.views.why.model import Step, Test, Walk
from sculpt.views.why.vocabulary import written
from sculpt.views.why.walks.search import Found, Move


def walk_of(found: Found, start_text: str | None) -> Walk:
    """A walk that was found, in folded steps."""
    trail = _Trail(found.start)
    for move in found.moves:
        trail.add(move)
    assert trail.place == found.end, (found, trail.place)
    steps = tuple(_folded(trail.steps))
    return Walk(found.start, start_text, found.end, tuple(trail.tests), steps)


class _Trail:
    """The steps of a walk so far, and what was tested at its start."""

    def __init__(self, place: Place) -> None:
        self.place = place
        self.tests: list[Test] = []
        self.steps: list[Step] = []

    def add(self, move: Move) -> None:
        """Add steps; what is tested before a step is tested after the one before it."""
        before, after = _tests(move.before), _tests(move.after)
        if move.direction is None:
            self._test(before + after)
            return
        self._test(before)
        if before and move.count > 1:
            self._step(move.direction, move.count - 1, after + before)
            self._step(move.direction, 1, after)
        else:
            self._step(move.direction, move.count, after)

    def _test(self, tests: tuple[Test, ...]) -> None:
        """Add tests at the last place."""
        if not self.steps:
            self.tests += tests
        elif tests:
            last = self.steps.pop()
            if last.count > 1:  # only the last of these steps is tested
                down, right = VECTORS[last.direction]
                row, column = last.row - down, last.column - right
                self.steps.append(replace(last, count=last.count - 1, row=row, column=column))
            self.steps.append(replace(last, count=1, tests=last.tests + tests))

    def _step(self, direction: Direction, count: int, tests: tuple[Test, ...]) -> None:
        down, right = VECTORS[direction]
        self.place = self.place[0] + down * count, self.place[1] + right * count
        self.steps.append(Step(direction, count, *self.place, tests))


def _folded(steps: list[Step]) -> list[Step]:
    """The steps, equal ones next to each other as one."""
    folded: list[Step] = []
    for step in steps:
        last = folded[-1] if folded else None
        if last and (last.direction, last.tests) == (step.direction, step.tests):
            folded[-1] = replace(step, count=last.count + step.count)
        else:
            folded.append(step)
    return folded


def _tests(conditions: tuple[ast.Selector, ...]) -> tuple[Test, ...]:
    return tuple(Test(written(each), each.span) for each in conditions)
