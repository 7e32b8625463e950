"""Selectors that walk up or left, decided before the walk (paper, section 4: Theorem 4.1).

In: the `Decisions` of a task. Out: a `Resolver`, which decides one node after another for a strip
of the table, by reachability over pairs of cell and path state, in any direction and with any
number of turns. The truth of a node becomes part of the letter of each cell, so that the walk and
the nodes decided later look it up like a token.

Walks enter and leave a strip across its edges, each in some column and state: `decide` takes the
walks that enter and returns those that leave. Invariant: if all walks that enter are given, and the
strip has the look-ahead that `Decisions` asks for, then the truth in its own rows, and what leaves
it downwards, are those of the whole table. Cost: linear in the cells times the states of the path;
memory some 20 bytes per cell of the strip.
"""

from __future__ import annotations

import math
from typing import Any, assert_never

from sculpt.automata.paths import PathGraph
from sculpt.automata.scanner import Letter
from sculpt.core import ir
from sculpt.core.facts.decisions import Decisions
from sculpt.kernels.backend import Backend
from sculpt.kernels.loops import reach as k
from sculpt.values import frozen, mutable


@mutable(slots=True)
class Strip:
    """Some rows of a table, one letter per cell, padding included."""

    letters: Any
    rows: int
    """Its own rows."""
    height: int
    """Its own rows and those of its look-ahead."""
    width: int
    first_row: int
    """The number of its first row."""


@frozen
class StripTraffic:
    """The walks that cross the edges of a strip: sets of states by column; `None` without any."""

    down: Any = None
    up: Any = None


class Resolver:
    """Decides nodes for strips of a table, and updates their letters."""

    def __init__(
        self,
        decisions: Decisions,
        tokens: dict[str, ir.CoreToken],
        table: Any,
        backend: Backend,
    ) -> None:
        """`table` is the `ScanTable`, which numbers letters."""
        self.decisions = decisions
        self.table = table
        self.backend = backend
        self._padding = frozenset(name for name, token in tokens.items() if token.matches_padding)
        self._graphs: dict[int, _NodeFacts] = {}
        self._mappings: dict[int, dict[tuple[int, int], int]] = {}
        self._arrays: tuple[Any, Any, Any, Any] | None = None

    def decide(self, number: int, strip: Strip, entering: StripTraffic) -> StripTraffic:
        """Decide a node for a strip, given the walks that enter it; returns those that leave it."""
        node = self.decisions.nodes[number]
        ahead = self.decisions.heights[number]
        height = strip.height
        if ahead < math.inf:
            height = min(height, strip.rows + int(ahead))
        leaving = StripTraffic()
        if isinstance(node, ir.Position):
            truths = self._positions(node, strip, height)
        else:
            truths, leaving = self._reach(number, strip, height, entering)
        self._relabel(number, strip.letters, truths, height * strip.width)
        return leaving

    def words_of(self, number: int) -> int:
        """How many numbers per column `StripTraffic` needs for a set of the node's states."""
        return (
            self._graph(number).words if isinstance(self.decisions.nodes[number], ir.Reach) else 0
        )

    def _graph(self, number: int) -> _NodeFacts:
        if number not in self._graphs:
            node = self.decisions.nodes[number]
            assert isinstance(node, ir.Reach)
            self._graphs[number] = _NodeFacts(node, self.backend)
        return self._graphs[number]

    def _positions(self, node: ir.Position, strip: Strip, height: int) -> Any:
        width = strip.width
        truths = self.backend.small(max(1, height * width))
        rows = range(height) if node.row is None else [node.row - strip.first_row]
        columns = range(width) if node.column is None else [node.column - 1]
        for row in rows:
            for column in columns:
                if 0 <= row < height and 0 <= column < width:
                    truths[row * width + column] = 1
        return truths

    def _reach(
        self, number: int, strip: Strip, height: int, entering: StripTraffic
    ) -> tuple[Any, StripTraffic]:
        graph = self._graph(number)
        origins, tests = graph.facts(self)
        edge = max(1, strip.width) * graph.words
        cells = max(1, height * strip.width)
        visited, expanded, stack, truths = self._room(cells, graph.words)
        down, up = self.backend.zeros(edge), self.backend.zeros(edge)
        crossings = self.backend.reach(
            strip.letters,
            strip.rows,
            height,
            strip.width,
            origins,
            tests,
            len(graph.tests),
            graph.arcs_first,
            graph.arcs,
            graph.start,
            graph.final,
            graph.words,
            self.backend.zeros(1) if entering.down is None else entering.down,
            self.backend.zeros(1) if entering.up is None else entering.up,
            entering.down is not None,
            entering.up is not None,
            visited,
            expanded,
            stack,
            truths,
            down,
            up,
        )
        leaving = StripTraffic(
            down if crossings & k.GOES_DOWN else None, up if crossings & k.GOES_UP else None
        )
        return truths, leaving

    def _room(self, cells: int, words: int) -> tuple[Any, Any, Any, Any]:
        """The arrays of a search, used again for the next strip: fresh memory costs more."""
        backend = self.backend
        if self._arrays is None or len(self._arrays[0]) < cells * words:
            sets = backend.room(cells * words), backend.room(cells * words)
            stack = backend.zeros(1 << 16 if backend.is_compiled else 256)
            self._arrays = (*sets, stack, backend.small_room(cells * words))
        return self._arrays

    def _relabel(self, number: int, letters: Any, truths: Any, cells: int) -> None:
        remembered = self._mappings.setdefault(number, {})
        at = 0
        while at < cells:
            mapping = [-1] * (2 * len(self.table.letters))
            for (letter, truth), new in remembered.items():
                mapping[2 * letter + truth] = new
            at = self.backend.relabel(letters, truths, self.backend.signed(mapping), at, cells)
            if at < cells:
                letter, truth = int(letters[at]), int(truths[at])
                old: Letter = self.table.letters[letter]
                decided = old.decided | {number} if truth else old.decided
                renewed = old._replace(decided=decided)
                remembered[letter, truth] = self.table.letter_id(renewed)

    def holds(self, selector: ir.Selector, letter: Letter) -> bool:
        """Is a selector true of a cell? All its applications must have been decided."""
        match selector:
            case ir.Token(name):
                carried = self._padding if letter.is_padded else letter.outcome.tokens
                return name in carried
            case ir.Everything():
                return True
            case ir.Not(part):
                return not self.holds(part, letter)
            case ir.And(parts):
                return all(self.holds(part, letter) for part in parts)
            case ir.Or(parts):
                return any(self.holds(part, letter) for part in parts)
            case ir.Reach() | ir.Position():
                return self.decisions.index[id(selector)] in letter.decided
            case _:
                assert_never(selector)


class _NodeFacts:
    """The graph of a node's path as arrays, and facts about letters."""

    def __init__(self, node: ir.Reach, backend: Backend) -> None:
        graph = PathGraph.of(node)
        self.arcs_first, self.arcs = (
            backend.signed(graph.firsts),
            backend.signed(graph.arcs or [0]),
        )
        self.start, self.final = graph.start, graph.final
        self.tests = graph.tests
        self.node = node
        self._origins: list[int] = []
        self._tests: list[int] = []
        self._arrays: tuple[Any, Any] | None = None
        self.words = (graph.states + k.WORD - 1) // k.WORD

    def facts(self, resolver: Resolver) -> tuple[Any, Any]:
        """By letter: does the path start there, and which of its tests hold?"""
        new = resolver.table.letters[len(self._origins) :]
        if new or self._arrays is None:
            holds = resolver.holds
            self._origins += [holds(self.node.origin, letter) for letter in new]
            self._tests += [holds(test, letter) for letter in new for test in self.tests]
            make = resolver.backend.signed
            self._arrays = make(self._origins or [0]), make(self._tests or [0])
        return self._arrays
