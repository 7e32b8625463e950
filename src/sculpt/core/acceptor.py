"""Does a word belong to a regular language? The plain way: sets of states of an automaton.

In: a `Regular` expression over any alphabet. Out: an `Acceptor`: its states come from the Thompson
construction, and a run is a set of them (paper, section 3: a region satisfies a content expression
if one can choose a token of each cell so that together they spell a word of it).

The reference engine and the lints use it. The fast engines have their own automata, so that the
two can disagree. Invariant: every state can still reach the end (empty sub-languages are pruned
first), so a run dies exactly at the letter after which nothing can follow. Cost: building is linear
in the unrolled size; a step is linear in the number of states.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Generic, TypeVar, assert_never

from sculpt.syntax.regular import (
    CharSet,
    Choice,
    Epsilon,
    Letter,
    Nothing,
    Regular,
    Repeat,
    Sequence,
)

T = TypeVar("T")
MAX_REMEMBERED = 10_000


def prune(expression: Regular[T], impossible: Callable[[T], bool]) -> Regular[T]:
    """The same language without the words that need an impossible letter."""
    match expression:
        case Nothing() | Epsilon():
            return expression
        case Letter(symbol):
            return Nothing() if impossible(symbol) else expression
        case Sequence(parts):
            kept = tuple(prune(part, impossible) for part in parts)
            return Nothing() if any(isinstance(part, Nothing) for part in kept) else Sequence(kept)
        case Choice(parts):
            pruned = (prune(part, impossible) for part in parts)
            alive = tuple(part for part in pruned if not isinstance(part, Nothing))
            return Choice(alive) if alive else Nothing()
        case Repeat(part, low, high):
            inner = prune(part, impossible)
            if not isinstance(inner, Nothing):
                return Repeat(inner, low, high)
            return Epsilon() if low == 0 else Nothing()
        case _:
            assert_never(expression)


class Acceptor(Generic[T]):
    """A nondeterministic automaton with empty moves, and at most one letter for each state."""

    def __init__(self, expression: Regular[T]) -> None:
        self._empty: list[list[int]] = []
        self._letter: list[tuple[T, int] | None] = []
        self.start, self.final = self._build(prune(expression, lambda symbol: False))
        self.initial = self.closure([self.start])

    def _state(self) -> int:
        self._empty.append([])
        self._letter.append(None)
        return len(self._empty) - 1

    def _build(self, expression: Regular[T]) -> tuple[int, int]:
        first, last = self._state(), self._state()
        match expression:
            case Nothing():
                pass
            case Epsilon():
                self._empty[first].append(last)
            case Letter(symbol):
                self._letter[first] = (symbol, last)
            case Choice(parts):
                for part in parts:
                    begin, end = self._build(part)
                    self._empty[first].append(begin)
                    self._empty[end].append(last)
            case Sequence(parts):
                self._empty[self._chain(first, parts)].append(last)
            case Repeat(part, low, None):
                at = self._chain(first, [part] * low)
                begin, end = self._build(part)
                self._empty[at] += [begin, last]
                self._empty[end] += [begin, last]
            case Repeat(part, low, high):
                assert high is not None
                at = self._chain(first, [part] * low)
                self._empty[at].append(last)
                for _ in range(high - low):
                    at = self._chain(at, [part])
                    self._empty[at].append(last)
            case _:
                assert_never(expression)
        return first, last

    def _chain(self, at: int, parts: Iterable[Regular[T]]) -> int:
        for part in parts:
            begin, end = self._build(part)
            self._empty[at].append(begin)
            at = end
        return at

    def closure(self, states: Iterable[int]) -> frozenset[int]:
        """The states reachable without reading."""
        seen = set(states)
        todo = list(seen)
        while todo:
            for target in self._empty[todo.pop()]:
                if target not in seen:
                    seen.add(target)
                    todo.append(target)
        return frozenset(seen)

    def step(self, states: frozenset[int], reads: Callable[[T], bool]) -> frozenset[int]:
        """The states after one more letter; `reads` says which symbols it can be read as."""
        targets = []
        for state in states:
            letter = self._letter[state]
            if letter is not None and reads(letter[0]):
                targets.append(letter[1])
        return self.closure(targets)

    def next_symbols(self, states: frozenset[int]) -> list[T]:
        """The symbols that can be read next, in the order of the expression."""
        listed: dict[T, None] = {}
        for state in sorted(states):
            letter = self._letter[state]
            if letter is not None:
                listed.setdefault(letter[0])
        return list(listed)

    def accepts(self, states: frozenset[int]) -> bool:
        """Could the word end here?"""
        return self.final in states


class TextMatcher:
    """Matches whole texts against a token's expression; caches its steps."""

    def __init__(self, expression: Regular[CharSet]) -> None:
        self._acceptor = Acceptor(expression)
        self._steps: dict[tuple[frozenset[int], str], frozenset[int]] = {}

    def step(self, states: frozenset[int], char: str) -> frozenset[int]:
        """The states after one more character."""
        key = (states, char)
        found = self._steps.get(key)
        if found is None:
            if len(self._steps) > MAX_REMEMBERED:
                self._steps.clear()
            found = self._steps[key] = self._acceptor.step(states, partial(_reads, char))
        return found

    def matches(self, text: str) -> bool:
        """Is the whole text in the language?"""
        states = self._acceptor.initial
        for char in text:
            if not states:
                return False
            states = self.step(states, char)
        return self._acceptor.accepts(states)

    def longest_prefix(self, text: str, start: int, end: int) -> int:
        """The end of the longest non-empty match that begins at `start`; `start` if none does."""
        states, best = self._acceptor.initial, start
        for ix in range(start, end):
            states = self.step(states, text[ix])
            if not states:
                break
            if self._acceptor.accepts(states):
                best = ix + 1
        return best

    def alive_length(self, text: str) -> int:
        """How many characters can be read before no match is possible."""
        states = self._acceptor.initial
        for ix, char in enumerate(text):
            states = self.step(states, char)
            if not states:
                return ix
        return len(text)


def is_nothing(expression: Regular[T]) -> bool:
    """Is the language empty?"""
    match expression:
        case Nothing():
            return True
        case Epsilon() | Letter():
            return False
        case Sequence(parts):
            return any(is_nothing(part) for part in parts)
        case Choice(parts):
            return all(is_nothing(part) for part in parts)
        case Repeat(part, low, _):
            return low > 0 and is_nothing(part)
        case _:
            assert_never(expression)


def accepts_something_nonempty(expression: Regular[CharSet]) -> bool:
    """Is there a word other than the empty one?"""
    acceptor = Acceptor(expression)
    # After pruning every state reaches the end, so any letter that can be read leads to a word.
    return not is_nothing(expression) and any(
        acceptor.next_symbols(frozenset([state])) for state in acceptor.initial
    )


def intersect(left: Regular[CharSet], right: Regular[CharSet], limit: int = 2_000) -> bool | None:
    """Do the two languages share a text? `None` if that takes more than `limit` states."""
    a, b = Acceptor(left), Acceptor(right)
    todo = [(a.initial, b.initial)]
    seen = set(todo)
    while todo:
        ours, theirs = todo.pop()
        if a.accepts(ours) and b.accepts(theirs):
            return True
        if len(seen) > limit:
            return None
        for char in representatives([*a.next_symbols(ours), *b.next_symbols(theirs)]):
            reads = partial(_reads, char)
            pair = (a.step(ours, reads), b.step(theirs, reads))
            if pair[0] and pair[1] and pair not in seen:
                seen.add(pair)
                todo.append(pair)
    return False


def _reads(char: str, chars: CharSet) -> bool:
    return char in chars


def representatives(sets: Iterable[CharSet]) -> list[str]:
    """One character for each way in which the sets overlap: the starts of all their ranges."""
    starts: set[int] = set()
    for chars in sets:
        for low, high in chars.ranges:
            starts.add(low)
            starts.add(min(high + 1, 0x10FFFF))
    return [chr(start) for start in sorted(starts)]
