"""How the words of `=>` and `|>` rules go on from chunk to chunk.

In: for one chunk, where each state of a word leads (`WordTrial`), and the states in which words
enter the chunk. Out: the states in which they leave it, and the words that fail. Invariant: content
is read with sets of states, so a word leaves a chunk in the union of what its states lead to. Cost:
linear in the runs of columns times the states of a word.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from sculpt.automata.nfa import NONE, States
from sculpt.automata.words import Columns
from sculpt.engines.chunks.edges import together
from sculpt.engines.chunks.result import WordTrial
from sculpt.engines.machines import Machines
from sculpt.engines.walk.walk import Hit, order_of
from sculpt.values import replace

ColumnWords: TypeAlias = tuple[tuple[int, Columns], ...]
"""Runs of columns, with the states of the `|>` rules in each."""


def word_states(machines: Machines) -> list[list[int]]:
    """By rule: the states that its word can be in; none for `->` and `.>` rules."""
    machine = machines.navigator.machine
    return [
        [
            state
            for state, letter in enumerate(nfa.letters)
            if letter is not None or state == nfa.final
        ]
        if rule.arrow in ("=>", "|>")
        else []
        for rule, nfa in zip(machines.task.rules, machine.contents, strict=True)
    ]


class WordReader:
    """Reads words through a chunk: the union of what their states lead to.

    A word fails when the last of its states fails: at the last of the places where states fail.
    """

    def __init__(
        self,
        machines: Machines,
        states: list[list[int]],
        fresh: WordTrial,
        runs: Sequence[WordTrial],
    ) -> None:
        self._regions = machines.navigator.machine.regions
        self._rules = [ix for ix, rule in enumerate(machines.task.rules) if rule.arrow == "|>"]
        self._numbers = [{state: ix for ix, state in enumerate(each)} for each in states]
        self._runs = [*runs, fresh]
        self._deaths = [
            {(each.notice.subject, _column(each)): each for each in run.deaths}
            for run in self._runs
        ]
        self.deaths: list[Hit] = []

    def _runs_of(self, rule: int, word: States) -> list[int]:
        return [self._numbers[rule][state] for state in word]

    def _die(self, rule: int, column: int, runs: list[int]) -> None:
        """Record where a word failed: where the last of its states did."""
        deaths = [self._deaths[run][rule, column] for run in runs]
        last = max(deaths, key=order_of)
        before = NONE.union(*(each.states for each in deaths if order_of(each) == order_of(last)))
        self.deaths.append(replace(last, states=before))

    def region(self, place: int, word: States | None) -> States | None:
        """The states of a `=>` rule below the chunk."""
        if word is None:
            return None
        rule = self._regions[place]
        runs = self._runs_of(rule, word)
        carries = [self._runs[run].edge.carry[place] for run in runs]
        alive = [after for after in carries if after is not None]
        if alive:
            return NONE.union(*alive)
        self._die(rule, 0, runs)
        return None

    def columns(self, words: Sequence[tuple[int, Columns]], width: int) -> ColumnWords:
        """The states of `|>` rules below the chunk, column by column."""
        edges = [run.edge.runs for run in self._runs]
        found: list[tuple[int, Columns]] = []
        begin = 0
        for end, (above, *belows) in together(words, *edges):
            after = [dict(each.words) for each in belows]
            merged = self._column(dict(above), after, range(begin + 1, min(end, width) + 1))
            if found and found[-1][1] == merged:
                found[-1] = (end, merged)
            else:
                found.append((end, merged))
            begin = end
        return tuple(found)

    def _column(
        self,
        above: dict[int, States | None],
        belows: list[dict[int, States | None]],
        columns: range,
    ) -> Columns:
        """The words below some columns that do not differ."""
        found: list[tuple[int, States | None]] = []
        for rule in self._rules:
            fresh = len(belows) - 1
            if rule in above and above[rule] is None:
                found.append((rule, None))
                continue
            word = above.get(rule)
            runs = [fresh] if word is None else self._runs_of(rule, word)
            if rule not in belows[runs[0]]:
                continue
            alive = [after for run in runs if (after := belows[run][rule]) is not None]
            found.append((rule, NONE.union(*alive) if alive else None))
            if not alive:
                for column in columns:
                    self._die(rule, column, runs)
        return tuple(found)


def _column(hit: Hit) -> int:
    """The column of a failed column word; 0 for the word of a region."""
    return hit.column if hit.notice.what == "column-content" else 0
