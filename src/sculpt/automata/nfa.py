"""Regular expressions as nondeterministic automata, run as sets of states.

In: a `Regular` expression over any alphabet. Out: an `Nfa`. Its sets of states hold only states
that read a letter, numbered in the order of the text, and the end: empty moves have been followed.
It serves both tokens (letters are sets of characters) and content (letters are tokens); the
reference engine has its own.

Invariant: the end can be reached from every state of a set, so a run is dead exactly when no
continuation remains. Cost: building is linear in the unrolled expression; following the empty moves
of a set of states is linear in the states passed, and is remembered for single states.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Generic, TypeVar

from sculpt.syntax.regular import (
    Choice,
    Epsilon,
    Letter,
    Nothing,
    Regular,
    Repeat,
    Sequence,
)

T = TypeVar("T")
States = frozenset[int]
NONE: States = frozenset()
MANY = 16
"""For this many states or more, empty moves are followed together, since they may share many."""


class Nfa(Generic[T]):
    """`letters[state]` is what a state reads, `None` at the end; `start` is a set of states."""

    def __init__(self, expression: Regular[T]) -> None:
        self._empty: list[list[int]] = []
        self._letter: list[T | None] = []
        self._after: list[int] = []
        first, last = self._build(expression)
        self._alive = self._reaching(last)
        self._closures: dict[int, States] = {}
        self.final = last
        self.start = self.closure([first])

    @property
    def letters(self) -> list[T | None]:
        """What each state reads."""
        return self._letter

    def _state(self, letter: T | None = None, after: int = -1) -> int:
        self._empty.append([])
        self._letter.append(letter)
        self._after.append(after)
        return len(self._empty) - 1

    def _build(self, expression: Regular[T]) -> tuple[int, int]:
        match expression:
            case Nothing():
                return self._state(), self._state()
            case Epsilon():
                only = self._state()
                return only, only
            case Letter(symbol):
                first = self._state(symbol)
                last = self._state()
                self._after[first] = last
                return first, last
            case Choice(parts):
                first = self._state()
                ends = []
                for part in parts:
                    begin, end = self._build(part)
                    self._empty[first].append(begin)
                    ends.append(end)
                last = self._state()
                for end in ends:
                    self._empty[end].append(last)
                return first, last
            case Sequence(parts):
                return self._chain(parts)
            case Repeat(part, low, None):
                first, at = self._chain([part] * low)
                begin, end = self._build(part)
                last = self._state()
                self._empty[at] += [begin, last]
                self._empty[end] += [begin, last]
                return first, last
            case Repeat(part, low, int(high)):
                first, at = self._chain([part] * low)
                skips = [at]
                for _ in range(low, high):
                    begin, end = self._build(part)
                    self._empty[at].append(begin)
                    at = end
                    skips.append(at)
                last = self._state()
                for skip in skips:
                    self._empty[skip].append(last)
                return first, last
            case _:
                raise AssertionError(expression)

    def _chain(self, parts: Iterable[Regular[T]]) -> tuple[int, int]:
        first = at = self._state()
        for part in parts:
            begin, end = self._build(part)
            self._empty[at].append(begin)
            at = end
        return first, at

    def _reaching(self, last: int) -> list[bool]:
        """Which states can reach the end."""
        before: list[list[int]] = [[] for _ in self._empty]
        for state, targets in enumerate(self._empty):
            for target in targets:
                before[target].append(state)
            if self._after[state] >= 0:
                before[self._after[state]].append(state)
        alive = [False] * len(self._empty)
        alive[last] = True
        todo = [last]
        while todo:
            for state in before[todo.pop()]:
                if not alive[state]:
                    alive[state] = True
                    todo.append(state)
        return alive

    def closure(self, states: Iterable[int]) -> States:
        """The states that read a letter, and the end, that empty moves lead to."""
        todo = list(states)
        seen = set(todo)
        found: list[int] = []
        while todo:
            state = todo.pop()
            if not self._alive[state]:
                continue
            if self._letter[state] is not None or state == self.final:
                found.append(state)
            for target in self._empty[state]:
                if target not in seen:
                    seen.add(target)
                    todo.append(target)
        return frozenset(found)

    def after(self, state: int) -> States:
        """Where reading the state's letter leads."""
        if state not in self._closures:
            self._closures[state] = self.closure([self._after[state]])
        return self._closures[state]

    def after_all(self, states: list[int]) -> States:
        """Where reading the letters of some states leads; at most linear in the automaton."""
        if len(states) == 1:
            return self.after(states[0])
        if len(states) < MANY:
            return NONE.union(*map(self.after, states))
        return self.closure({self._after[state] for state in states})

    def step(self, states: States, reads: Callable[[T], bool]) -> States:
        """The states after one letter, where `reads` says which letters match it."""
        letters = self._letter
        return self.after_all(
            [q for q in states if (letter := letters[q]) is not None and reads(letter)]
        )

    def any_step(self, states: States) -> States:
        """The states after one letter, whatever it is."""
        return self.step(states, lambda letter: True)

    def accepts(self, states: States) -> bool:
        """Could the word end here?"""
        return self.final in states

    def next_letters(self, states: States) -> list[T]:
        """What could be read next, each once, in the order of the text."""
        found: dict[T, None] = {}
        for state in sorted(states):
            letter = self._letter[state]
            if letter is not None:
                found.setdefault(letter)
        return list(found)
