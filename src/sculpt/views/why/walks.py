"""Walks as they are shown: equal steps folded, each test with its place in the schema."""

from __future__ import annotations

from sculpt.syntax import ast
from sculpt.values import replace
from sculpt.views.model import Place
from sculpt.views.why.model import Step, Test, Walk
from sculpt.views.why.paths import VECTORS
from sculpt.views.why.search import Found, Move
from sculpt.views.why.vocabulary import written


def walk_of(found: Found, start_text: str | None) -> Walk:
    """A walk that was found, in folded steps."""
    folding = _Folding(found.start)
    for move in found.moves:
        folding.add(move)
    folding.fold()
    assert folding.place == found.end, (found, folding.place)
    return Walk(found.start, start_text, found.end, tuple(folding.tests), tuple(folding.steps))


class _Folding:
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
            self._step(move, move.count - 1, after + before)
            self._step(move, 1, after)
        else:
            self._step(move, move.count, after)

    def _test(self, tests: tuple[Test, ...]) -> None:
        if not tests:
            return
        if not self.steps:
            self.tests += tests
            return
        last = self.steps[-1]
        if last.count > 1:  # only the last of these steps is tested
            down, right = VECTORS[last.direction]
            at = last.row - down, last.column - right
            self.steps[-1] = replace(last, count=last.count - 1, row=at[0], column=at[1])
            last = replace(last, count=1)
            self.steps.append(last)
        self.steps[-1] = replace(last, tests=last.tests + tests)
        self.fold()

    def _step(self, move: Move, count: int, tests: tuple[Test, ...]) -> None:
        assert move.direction is not None
        down, right = VECTORS[move.direction]
        self.place = self.place[0] + down * count, self.place[1] + right * count
        self.fold()
        self.steps.append(Step(move.direction, count, *self.place, tests))

    def fold(self) -> None:
        """Make the last two steps one, if they are equal."""
        if len(self.steps) > 1:
            first, second = self.steps[-2:]
            if (first.direction, first.tests) == (second.direction, second.tests):
                self.steps[-2:] = [replace(second, count=first.count + second.count)]


def _tests(conditions: tuple[ast.Selector, ...]) -> tuple[Test, ...]:
    return tuple(Test(written(each), each.span) for each in conditions)
