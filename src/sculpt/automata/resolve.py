"""Selectors that walk up or left, decided before the walk (paper, section 4: Theorem 4.1).

In: the selectors of a task. Out: a `Resolution`: the applications that the top-down walk cannot
decide, those that they are made of, and the letters in which the answers are written down. Each is
decided for all cells of a piece of the table by reachability over (cell, state of the path): any
direction, any number of turns. Its truth then becomes part of the letter of the cell, so that the
walk, and the next application, look it up like a token.

What only moves within rows is decided row by row, so a table of any length can be read in pieces.
What moves up needs all the rows. Invariant: a node is decided after the nodes it is made of. Cost:
linear in the cells times the states of the path; memory some 20 bytes a cell of the piece.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, assert_never

from sculpt import kernels as k
from sculpt.automata.backend import Backend
from sculpt.automata.paths import Navigation
from sculpt.automata.scanner import Letter
from sculpt.core import ir
from sculpt.core.traversal import nodes_of, parts_of, tests_of

_DIRECTIONS: dict[ir.Direction, int] = {"up": 0, "down": 1, "left": 2, "right": 3}


class Resolution:
    """The nodes that must be decided before the walk, in order."""

    def __init__(self, selectors: Iterable[ir.Selector], tokens: dict[str, ir.CoreToken]) -> None:
        self.nodes: list[ir.Reach | ir.Position] = []
        self.index: dict[int, int] = {}
        """The number of a node, by its identity."""
        self._padding = frozenset(name for name, token in tokens.items() if token.matches_padding)
        self._seen: set[int] = set()
        for selector in selectors:
            for node in nodes_of(selector):
                if isinstance(node, ir.Reach) and ir.axes(node.path) & {"up", "left"}:
                    self._add(node)
        reaches = [node for node in self.nodes if isinstance(node, ir.Reach)]
        self.is_within_rows = not any(ir.axes(node.path) & {"up", "down"} for node in reaches)

    def _add(self, selector: ir.Selector) -> None:
        """A node and all that it is made of, parts first."""
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

    def holds(self, selector: ir.Selector, letter: Letter) -> bool:
        """Is a selector true of a cell, all of whose applications are decided?"""
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
                return self.index[id(selector)] in letter.decided
            case _:
                assert_never(selector)


class Resolver:
    """Decides the nodes of a resolution for pieces of a table, and writes letters anew."""

    def __init__(self, resolution: Resolution, letters: Any, backend: Backend) -> None:
        """`letters` is the `ScanTable`, which numbers letters."""
        self.resolution = resolution
        self.table = letters
        self.backend = backend
        self._graphs: dict[int, _Graph] = {}
        self._mappings: dict[int, dict[tuple[int, int], int]] = {}

    def resolve(self, letters: Any, height: int, width: int, first_row: int) -> None:
        """Decide every node for a piece of so many rows; `letters` has all cells, padding too."""
        for number, node in enumerate(self.resolution.nodes):
            if isinstance(node, ir.Position):
                truths = self._positions(node, height, width, first_row)
            else:
                truths = self._reach(number, node, letters, height, width)
            self._relabel(number, letters, truths, height * width)

    def _positions(self, node: ir.Position, height: int, width: int, first_row: int) -> Any:
        truths = self.backend.small(max(1, height * width))
        rows = range(height) if node.row is None else [node.row - first_row]
        columns = range(width) if node.column is None else [node.column - 1]
        for row in rows:
            for column in columns:
                if 0 <= row < height and 0 <= column < width:
                    truths[row * width + column] = 1
        return truths

    def _reach(self, number: int, node: ir.Reach, letters: Any, height: int, width: int) -> Any:
        if number not in self._graphs:
            self._graphs[number] = _Graph(node, self.backend)
        graph = self._graphs[number]
        known = self.table.letters
        make = self.backend.signed
        holds = self.resolution.holds
        origins = make([holds(node.origin, letter) for letter in known])
        tests = make([holds(test, letter) for letter in known for test in graph.tests] or [0])
        cells = max(1, height * width)
        visited, expanded = (self.backend.zeros(cells * graph.words) for _ in range(2))
        truths = self.backend.small(cells)
        self.backend.reach(
            letters,
            height,
            width,
            origins,
            tests,
            len(graph.tests),
            graph.edges_first,
            graph.edges,
            graph.start,
            graph.final,
            graph.words,
            visited,
            expanded,
            self.backend.zeros(1 << 16),
            truths,
        )
        return truths

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


class _Graph:
    """A path's automaton as arrays: per state its edges (kind, target)."""

    def __init__(self, node: ir.Reach, backend: Backend) -> None:
        atoms = ir.Builder()
        nothing = atoms.make(ir.Everything)
        navigation = Navigation([ir.Reach(node.path, nothing)], stops_at_tests=True)
        application = navigation.applications[-1]
        self.tests: list[ir.Selector] = list({id(t): t for t in tests_of(node.path)}.values())
        places = {id(test): ix for ix, test in enumerate(self.tests)}
        firsts, edges = [0], list[int]()
        for walker in navigation.walkers:
            for target in walker.free:
                edges += [k.EDGE_FREE, target]
            for direction, target in walker.moves:
                edges += [_DIRECTIONS[direction], target]
            for test, target in walker.tests:
                edges += [k.EDGE_TEST + places[id(test)], target]
            firsts.append(len(edges))
        self.edges_first, self.edges = backend.signed(firsts), backend.signed(edges or [0])
        self.start, self.final = application.start, application.final
        self.words = (len(navigation.walkers) + k.WORD - 1) // k.WORD
