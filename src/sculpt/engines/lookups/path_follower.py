"""Follows paths from the cells of a strip, row by row.

In: the path of a look-up, the marks of a strip, and the handover of the strips that the path goes
on to. Out: for each cell, the first two of the cells that the path leads to; and the handover for
the next strip. A path that goes up leads to cells above, so handovers go down; for a path that goes
down, they go up. A path that goes both ways is searched, cell by cell, in the whole table.

If walks stay in their column from row to row (`composes`), the handover of a strip can be computed
before it is known what the strip receives: for each column, the cells found in the strip itself,
and the relation between the states in which walks enter and leave. Handovers compose like matrices
over sets of cells. Only the first two cells of each set are kept; that is exact, since the first
two of a union are among the first two of its parts.

Invariant: `composed` is associative, and gives what following both strips would. Cost: a cell costs
the states and turns of the path; a summary costs that again for each state of the relation.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from sculpt.automata.paths import PathGraph
from sculpt.core import ir
from sculpt.core.traversal import composes
from sculpt.engines.regions.marker import MarkedStrip
from sculpt.kernels.loops import reach as k
from sculpt.kernels.loops.lookups import NOWHERE

if TYPE_CHECKING:
    import numpy as np

    from sculpt.kernels.backend import Backend

    Array = np.ndarray[Any, Any]

FoundCells: TypeAlias = "tuple[Array, Array]"
PathHandover: TypeAlias = "tuple[Array, Array, Array]"
"""By state and column, the first and a second cell; and the relation, by two states and column."""


class Follower:
    """Follows one path."""

    def __init__(self, path: ir.Path, tests: Sequence[int], width: int, backend: Backend) -> None:
        self.tests = tests
        """The regions of the path's filters."""
        self.width = width
        self.backend = backend
        self.composes = composes(path)
        self._vertical = k.DOWN if "down" in ir.axes(path) else k.UP
        self._graph = PathGraph.of(ir.Reach(path, ir.Everything()))
        self._crossing = self._graph.targets(self._vertical) if self.composes else []
        """The states in which walks enter the next row; empty if handovers do not compose."""

    def empty(self) -> PathHandover:
        """The handover of no rows: it passes on what it receives."""
        import numpy as np

        nothing = np.full(self._graph.states * self.width, NOWHERE, dtype=np.int64)
        relation = np.repeat(np.eye(len(self._crossing), dtype=bool)[:, :, None], self.width, 2)
        return nothing, nothing.copy(), relation

    def summary(self, strip: MarkedStrip, sets: Sequence[frozenset[int]]) -> PathHandover:
        """The handover of a strip, whatever it receives; only useful if handovers compose."""
        import numpy as np

        first, second, relation = self.empty()
        if not self.composes:
            return first, second, relation
        _, own = self.follow(strip, sets, (first, second))
        for state in self._crossing:  # in other states no walk enters the next row
            at = self._places(state)
            first[at], second[at] = own[0][at], own[1][at]
        for ix, state in enumerate(self._crossing):
            entering = np.full_like(first, NOWHERE)
            entering[self._places(state)] = np.arange(self.width)
            received = (entering, np.full_like(first, NOWHERE))
            _, (leaving, _) = self.follow(strip, sets, received, is_open=False)
            for to, target in enumerate(self._crossing):
                relation[to, ix] = leaving[self._places(target)] != NOWHERE
        return first, second, relation

    def composed(self, far: PathHandover, near: PathHandover) -> PathHandover:
        """The handover of two adjacent strips; walks go through `near` first, then on to `far`."""
        import numpy as np

        first, second = near[0].copy(), near[1].copy()
        for to, target in enumerate(self._crossing):
            at = self._places(target)
            for ix, state in enumerate(self._crossing):
                reached = near[2][to, ix]
                if reached.any():
                    known = (each[self._places(state)] for each in far[:2])
                    more = [np.where(reached, each, NOWHERE) for each in known]
                    first[at], second[at] = _first_two([first[at], second[at], *more])
        relation = np.einsum("abc,bdc->adc", near[2].astype(np.int64), far[2].astype(np.int64)) > 0
        return first, second, relation

    def _places(self, state: int) -> slice:
        return slice(state * self.width, (state + 1) * self.width)

    def follow(
        self,
        strip: MarkedStrip,
        sets: Sequence[frozenset[int]],
        entering: FoundCells,
        is_open: bool = True,
    ) -> tuple[FoundCells, FoundCells]:
        """By cell: what the path leads to; and the handover of the strip."""
        import numpy as np

        graph = self._graph
        tests = np.concatenate(
            [[region in each for each in sets] for region in self.tests] or [[False]]
        ).astype(np.int64)
        beyond = (entering[0].copy(), entering[1].copy())
        row = np.empty((2, graph.states * strip.width), dtype=np.int64)
        out = np.empty((2, strip.rows * strip.width), dtype=np.int64)
        arcs_first = np.array(graph.firsts, dtype=np.int64)
        arcs = np.array(graph.arcs or [0], dtype=np.int64)
        self.backend.follow(
            strip.marks, strip.rows, strip.width, strip.base, is_open, self._vertical, tests,
            len(sets), arcs_first, arcs, graph.states, graph.start, graph.final,
            *beyond, row[0], row[1], out[0], out[1],
        )  # fmt: skip
        return (out[0], out[1]), beyond

    def search(self, strip: MarkedStrip, tests: Sequence[Array], cell: int) -> list[int]:
        """The cells that the path reaches from a cell, in table order; the strip is the table.

        `tests` says for each region of `Follower.tests` which cells are in it.
        """
        graph = self._graph
        steps = {k.UP: -self.width, k.DOWN: self.width, k.LEFT: -1, k.RIGHT: 1}
        todo = deque([(graph.start, cell)])
        seen = {(graph.start, cell)}
        found = set()
        while todo:
            state, at = todo.popleft()
            if state == graph.final:
                found.add(at)
            for kind, target in graph.arcs_of(state):
                to = at + steps.get(kind, 0)
                is_off = (kind == k.LEFT and at % self.width == 0) or (
                    kind == k.RIGHT and to % self.width == 0
                )
                if is_off or not 0 <= to < strip.rows * strip.width:
                    continue
                if kind >= k.TEST and not tests[kind - k.TEST][at]:
                    continue
                if (target, to) not in seen:
                    seen.add((target, to))
                    todo.append((target, to))
        return sorted(number + strip.base for number in found)


def _first_two(candidates: Sequence[Array]) -> FoundCells:
    """By column: the first two of the cells in some arrays, each cell once."""
    import numpy as np

    high = np.iinfo(np.int64).max
    ordered = np.sort(np.where(np.array(candidates) == NOWHERE, high, candidates), axis=0)
    first = ordered[0]
    second = np.where(ordered > first, ordered, high).min(axis=0)
    return np.where(first == high, NOWHERE, first), np.where(second == high, NOWHERE, second)
