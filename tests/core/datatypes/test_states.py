"""How many states an automaton has that reads many conditions at the same time: few."""

from __future__ import annotations

import random

import pytest

from sculpt.automata.nfa import Nfa, States
from sculpt.core.datatypes.languages import language
from sculpt.core.datatypes.model import Condition
from sculpt.syntax.regular import CharSet
from typed_texts import condition

LIMIT = 5_000


def states_of(conditions: list[Condition]) -> int:
    """The states of the subset construction over all conditions; at most `LIMIT`."""
    automata = []
    for test in conditions:
        found = language(test)
        automata += [Nfa(found.yes), Nfa(found.ask)]
    sets = {letter for each in automata for letter in each.letters if letter is not None}
    chars = _one_char_of_each_class(sets)
    start = tuple(each.start for each in automata)
    seen, todo = {start}, [start]
    while todo and len(seen) < LIMIT:
        alive = todo.pop()
        for char in chars:
            after = tuple(
                _step(each, states, char) for each, states in zip(automata, alive, strict=True)
            )
            if after not in seen:
                seen.add(after)
                todo.append(after)
    return len(seen)


def _step(automaton: Nfa[CharSet], states: States, char: str) -> States:
    return automaton.step(states, lambda chars: char in chars) if states else states


def _one_char_of_each_class(sets: set[CharSet]) -> list[str]:
    starts = {chr(low) for chars in sets for low, _ in chars.ranges}
    starts |= {chr(high + 1) for chars in sets for _, high in chars.ranges if high < 0x10FFFF}
    return list({tuple(char in chars for chars in sets): char for char in sorted(starts)}.values())


def between(type_name: str, pairs: list[tuple[str, str]]) -> list[Condition]:
    return [
        each
        for low, high in pairs
        for each in (condition(type_name, ">=", low), condition(type_name, "<=", high))
    ]


def numbers(count: int, decimals: int) -> list[tuple[str, str]]:
    rng = random.Random(count)
    return [
        (f"{rng.uniform(-1e3, 1e3):.{decimals}f}", f"{rng.uniform(1e3, 1e6):.{decimals}f}")
        for _ in range(count)
    ]


def days(count: int, time: str = "") -> list[tuple[str, str]]:
    rng = random.Random(count)

    def day(first: int, last: int) -> str:
        return f"{rng.randint(first, last)}-{rng.randint(1, 12):02}-{rng.randint(1, 28):02}{time}"

    return [(day(1950, 1999), day(2000, 2049)) for _ in range(count)]


@pytest.mark.parametrize(
    ("conditions", "most"),
    [
        (between("Integer", numbers(20, 0)), 500),
        (between("Number", numbers(20, 2)), 1_000),
        (between("xs:double", numbers(2, 2)), 600),
        (between("xs:date", days(4)), 1_500),
        (between("Date", days(2)), 2_000),
        (between("xs:dateTime", days(2, "T10:30:00")), 2_000),
        ([condition("xs:decimal", "<=", "18", "digits")], 400),
        ([condition("Text", "<=", "1000000", "length")], 1_100),
    ],
    ids=lambda given: str(given[0].base.type) if isinstance(given, list) else "",
)
def test_states(conditions: list[Condition], most: int) -> None:
    assert 10 < states_of(conditions) < most
