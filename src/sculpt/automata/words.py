"""How far each rule has read its word: what a cell hands to the right and down.

In: rules by number, each with the states of its content. Out: for rows a `Words`, in which each
list of rules has a number; for columns, where few rules meet, plain tuples.

Invariant: equal lists are equal values, whatever the order in which the rules were met. Cost: a
rule after all others in its list costs one dictionary access; any other costs the rules after it.
"""

from __future__ import annotations

from bisect import bisect_left
from operator import itemgetter
from typing import TypeAlias

from sculpt.automata.nfa import NONE, States

Columns: TypeAlias = tuple[tuple[int, States | None], ...]
"""`|>` rules, in order, each with the states of its word; `None` for one that has failed."""


class Words:
    """Lists of rules, in order, each with the states of its word; each list has a number.

    A list is another list plus one rule. So rules that are met in order, like those of the columns
    of a table, cost one dictionary access each, however many there are.
    """

    def __init__(self) -> None:
        self._lists: list[tuple[int, int, States]] = [(0, -1, NONE)]
        self._numbers: dict[tuple[int, int, States], int] = {}

    def items(self, words: int) -> list[tuple[int, States]]:
        """The rules of a list, each with its states; the last rule first."""
        found: list[tuple[int, States]] = []
        while words:
            words, rule, states = self._lists[words]
            found.append((rule, states))
        return found

    def find(self, words: int, rule: int) -> States | None:
        """The states of a rule's word; `None` if it is not in the list."""
        while True:
            words, last, states = self._lists[words]
            if last <= rule:
                return states if last == rule else None

    def changed(self, words: int, rule: int, states: States) -> int:
        """The same list, except that a rule's word has these states."""
        later: list[tuple[int, States]] = []
        while (top := self._lists[words])[1] > rule:
            later.append(top[1:])
            words = top[0]
        if top[1] == rule:
            words = top[0]
        words = self._number(words, rule, states)
        for other, its_states in reversed(later):
            words = self._number(words, other, its_states)
        return words

    def _number(self, words: int, rule: int, states: States) -> int:
        key = (words, rule, states)
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self._lists)
            self._lists.append(key)
        return number


def word_of(words: Columns, rule: int, start: States) -> States | None:
    """The states of a rule's word; its start if it has selected nothing yet."""
    at = bisect_left(words, rule, key=_rule_of)
    return words[at][1] if at < len(words) and words[at][0] == rule else start


def with_word(words: Columns, rule: int, states: States | None) -> Columns:
    """The same words, with new states for one rule."""
    at = bisect_left(words, rule, key=_rule_of)
    after = at + (at < len(words) and words[at][0] == rule)
    return (*words[:at], (rule, states), *words[after:])


_rule_of = itemgetter(0)
