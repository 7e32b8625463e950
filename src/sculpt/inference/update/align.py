"""A word beside a content expression: the fewest changes with which it is read.

In: a content expression as unrolled places, and the cells of a word, each with the letters that
read it. Out: the changes: a letter that reads another text (`Other`), is left out (`Absent`), or
has a further cell before it (`Extra`). Invariant: the changes, made in the content, let it read the
word, if its counts were unrolled as a whole. Cost: cells × places, a shortest path; a run of equal
cells counts as three.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Mapping, Sequence
from itertools import groupby
from typing import TypeAlias

from sculpt.syntax import ast
from sculpt.syntax.regular import Choice, Epsilon, Letter, Nothing, Repeat
from sculpt.syntax.regular import Sequence as Parts
from sculpt.values import frozen

_MOST_COPIES = 40
_MOST_WORK = 600_000
ABSENT, EXTRA = 21, 24


@frozen
class Element:
    """A cell of a word, or several that are alike."""

    reads: frozenset[int]
    """The letters of the content that read it."""
    cells: tuple[tuple[int | None, int | None, str | None], ...]
    """Row, column, text; no text if it is padded."""
    is_optional: bool = False
    """May it be skipped?"""


@frozen
class Other:
    """A letter has to read other cells."""

    letter: int
    element: Element


@frozen
class Absent:
    """A letter has to be optional."""

    letter: int
    before: Element | None
    """The cell that stands in its place; none at the end of the word."""


@frozen
class Extra:
    """Cells before a letter, or at the end of the content if there is none."""

    letter: int | None
    elements: tuple[Element, ...]


Op: TypeAlias = Other | Absent | Extra
Price: TypeAlias = Callable[[int, Element], int]


class Places:
    """The content as states: moves without reading, and at most one letter at each state."""

    def __init__(self, content: ast.Content) -> None:
        self.moves: list[list[int]] = []
        self.letter: list[tuple[int, int] | None] = []
        self.loops: set[int] = set()
        """Letters in a repetition."""
        self._next = 0
        self.start = self._state()
        self.end = self._build(content, self.start, False)
        self.letters = self._next

    def _state(self) -> int:
        self.moves.append([])
        self.letter.append(None)
        return len(self.moves) - 1

    def _build(self, node: ast.Content, first: int, loops: bool) -> int:
        """Add a part from a state on; the state after it."""
        match node:
            case Letter():
                at, last = self._state(), self._state()
                self.moves[first].append(at)
                self.letter[at] = (self._next, last)
                if loops:
                    self.loops.add(self._next)
                self._next += 1
                return last
            case Parts(parts):
                for part in parts:
                    first = self._build(part, first, loops)
                return first
            case Choice(parts):
                last = self._state()
                for part in parts:
                    self.moves[self._build(part, first, loops)].append(last)
                return last
            case Repeat(part, low, high):
                return self._repeated(part, low, high, first)
            case Epsilon() | Nothing():
                return first

    def _repeated(self, part: ast.Content, low: int, high: int | None, first: int) -> int:
        number = self._next
        copies = min(max(low, high or 0), _MOST_COPIES) if high is not None else min(low, 3)
        last = self._state()
        for copy in range(copies):
            if copy >= low:
                self.moves[first].append(last)
            self._next = number
            first = self._build(part, first, True)
        if high is None or not copies:
            begin = self._state()
            self.moves[first].append(begin)
            self.moves[begin].append(last)
            self._next = number
            self.moves[self._build(part, begin, True)].append(begin)
        self.moves[first].append(last)
        return last


def elements(cells: Sequence[Element]) -> list[Element]:
    """A word in which runs of cells that are read alike count as three."""
    found: list[Element] = []
    for _, group in groupby(cells, key=lambda each: (each.reads, each.is_optional)):
        run = list(group)
        if len(run) <= 2 * _MOST_COPIES:
            found += run
            continue
        middle = tuple(cell for each in run[1:-1] for cell in each.cells)
        found += [run[0], Element(run[0].reads, middle, run[0].is_optional), run[-1]]
    return found


def changes(places: Places, word: Sequence[Element], price: Price) -> list[Op] | None:
    """The cheapest changes; `None` if the word and the content are too long to compare."""
    if len(word) * len(places.moves) > _MOST_WORK:
        return None
    layers: list[_Layer] = [_Layer(places, {places.start: (0, None)}, word[0] if word else None)]
    for ix, element in enumerate(word):
        entries: dict[int, tuple[int, _Step]] = {}

        def offer(state: int, cost: int, step: _Step, known: dict[int, tuple[int, _Step]]) -> None:
            if state not in known or cost < known[state][0]:
                known[state] = (cost, step)

        for state, (cost, _) in layers[-1].best.items():
            if element.is_optional:
                offer(state, cost, (state, None), entries)
            letter = places.letter[state]
            if letter is not None:
                number, after = letter
                if number in element.reads:
                    offer(after, cost, (state, None), entries)
                else:
                    worth = cost + price(number, element)
                    offer(after, worth, (state, Other(number, element)), entries)
            if letter is not None or state == places.end:
                extra = EXTRA + (letter is not None and letter[0] in places.loops)
                at = None if letter is None else letter[0]
                offer(state, cost + extra, (state, Extra(at, (element,))), entries)
        following = word[ix + 1] if ix + 1 < len(word) else None
        layers.append(_Layer(places, dict(entries), following))
    return _merged(_traced(layers, places.end))


_Step: TypeAlias = tuple[int, Op | None]


class _Layer:
    """The cheapest ways to each state after some cells."""

    def __init__(
        self,
        places: Places,
        entries: Mapping[int, tuple[int, _Step | None]],
        following: Element | None,
    ) -> None:
        self.best: dict[int, tuple[int, _Step | None]] = {}
        """The cost, and the step from the layer before, if it was entered there."""
        self.within: dict[int, _Step] = {}
        """The step from another state of this layer."""
        heap = [(cost, state) for state, (cost, _) in entries.items()]
        self.best.update(entries)
        heapq.heapify(heap)
        while heap:
            cost, state = heapq.heappop(heap)
            if cost > self.best[state][0]:
                continue
            targets: list[tuple[int, int, Op | None]] = [(s, 0, None) for s in places.moves[state]]
            if (letter := places.letter[state]) is not None:
                targets.append((letter[1], ABSENT, Absent(letter[0], following)))
            for target, more, op in targets:
                if target not in self.best or cost + more < self.best[target][0]:
                    self.best[target] = (cost + more, None)
                    self.within[target] = (state, op)
                    heapq.heappush(heap, (cost + more, target))


def _traced(layers: Sequence[_Layer], state: int) -> list[Op]:
    found: list[Op] = []
    ix = len(layers) - 1
    while True:
        layer = layers[ix]
        step = layer.best[state][1]
        if step is None and state not in layer.within:
            return found[::-1]
        if step is None:
            state, op = layer.within[state]
        else:
            state, op = step
            ix -= 1
        if op is not None:
            found.append(op)


def _merged(ops: list[Op]) -> list[Op]:
    """Neighbouring extra cells at one place are one change."""
    found: list[Op] = []
    for op in ops:
        last = found[-1] if found else None
        if isinstance(op, Extra) and isinstance(last, Extra) and op.letter == last.letter:
            found[-1] = Extra(op.letter, (*last.elements, *op.elements))
        else:
            found.append(op)
    return found
