"""The expressions of all tokens as one automaton over characters, run as sets of states.

In: expressions, each with the tokens that match its texts, and those that are asked about there
(`core.ir.CoreToken.ask`). Out: `Patterns`: what each state reads, as a tree of bytes; where a set
of states leads; what a text that ends in a state matches.

Invariant: states are numbered through, one expression after the other. Cost: following the empty
moves of a set of states is linear in the states passed, and is remembered for single states and
for the last sets of one automaton.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable

from sculpt.automata.coding import Coding, Tree
from sculpt.automata.nfa import MANY, Nfa, States
from sculpt.syntax.regular import CharSet, Regular

_Names = tuple[str, ...]
MAX_TOGETHER = 10_000
"""Sets of states of which it is remembered where they lead."""


class Patterns:
    """Expressions that are read at once."""

    def __init__(self, coding: Coding) -> None:
        self._coding = coding
        self.trees: list[Tree | None] = []
        """By state: the characters that it reads; `None` at an end."""
        self._automata: list[Nfa[CharSet]] = []
        self._bases: list[int] = []
        """By automaton: the number of its first state."""
        self._owners: list[int] = []
        """By state: its automaton."""
        self._after: dict[int, States] = {}
        self._together: dict[tuple[int, ...], States] = {}
        self.accepted: dict[int, _Names] = {}
        """By end: the tokens of the expression."""
        self.asked: dict[int, _Names] = {}
        """By end: the tokens that are asked about there."""
        self._asking: set[int] = set()
        """The automata for texts that are asked about."""

    def add(self, pattern: Regular[CharSet], names: _Names, asked: _Names) -> set[int]:
        """Add an expression; returns the states in which it starts."""
        nfa = Nfa(pattern)
        base = len(self.trees)
        for chars in nfa.letters:
            self.trees.append(None if chars is None else self._coding.tree(chars))
            self._owners.append(len(self._bases))
        if asked:
            self._asking.add(len(self._bases))
            self.asked[base + nfa.final] = asked
        self._bases.append(base)
        self._automata.append(nfa)
        self.accepted[base + nfa.final] = names
        return {base + state for state in nfa.start}

    @property
    def asks(self) -> bool:
        """Are there texts that are asked about?"""
        return bool(self._asking)

    def may_ask(self, states: Iterable[int]) -> bool:
        """May a text that goes on from some states, or ends there, be asked about?"""
        return self.asks and any(self._owners[state] in self._asking for state in states)

    def after(self, states: list[int]) -> States:
        """The states after some have read their character."""
        if len(states) < MANY:
            return frozenset().union(*map(self._after_one, states))
        own: dict[int, list[int]] = {}
        for state in states:
            own.setdefault(self._owners[state], []).append(state)
        return frozenset().union(*(self._after_own(ix, tuple(own[ix])) for ix in own))

    def _after_own(self, ix: int, states: tuple[int, ...]) -> States:
        """The same for states of one automaton, which mostly meets few sets of them."""
        found = self._together.get(states)
        if found is None:
            base, nfa = self._bases[ix], self._automata[ix]
            after = nfa.after_all([state - base for state in states])
            found = frozenset(base + target for target in after)
            if len(self._together) >= MAX_TOGETHER:
                self._together.clear()
            self._together[states] = found
        return found

    def _after_one(self, state: int) -> States:
        found = self._after.get(state)
        if found is None:
            ix = self._owners[state]
            base = self._bases[ix]
            after = self._automata[ix].after(state - base)
            found = self._after[state] = frozenset(base + target for target in after)
        return found

    def largest(self, sets: Iterable[frozenset[int]]) -> tuple[str, int]:
        """The token whose automaton has been in the most sets of states, and how many they are."""
        met: dict[str, set[frozenset[int]]] = {}
        finals = sorted(self.accepted)
        for alive in sets:
            own: dict[int, set[int]] = {}
            for state in alive:
                own.setdefault(bisect_left(finals, state), set()).add(state)
            for ix, states in own.items():
                final = finals[min(ix, len(finals) - 1)]
                name = (*self.accepted[final], *self.asked.get(final, ()))[0]
                met.setdefault(name, set()).add(frozenset(states))
        name = max(met, key=lambda each: len(met[each]), default="")
        return name, len(met.get(name, ()))
