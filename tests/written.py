"""Texts near those of a picture: written by the tests' own means, and then damaged."""

from __future__ import annotations

from random import Random

from sculpt.automata.nfa import Nfa, States
from sculpt.core.acceptor import TextMatcher
from sculpt.core.datatypes.model import Base, Relation
from sculpt.core.datatypes.pictures.picture import Picture, picture_of
from sculpt.syntax.regular import CharSet, Regular

RELATIONS: tuple[Relation, ...] = ("<", "<=", ">", ">=", "=", "!=")


def picture(of: str, text: str, group: str | None = None, decimal: str | None = None) -> Picture:
    return picture_of(Base(of, text, group, decimal))


def damaged(random: Random, text: str, alphabet: str) -> str:
    """The text with a character less, more, changed, or moved."""
    at = random.randrange(len(text) + 1)
    match random.randrange(4):
        case 0:
            return text[:at] + text[at + 1 :]
        case 1:
            return text[:at] + random.choice(alphabet) + text[at:]
        case 2:
            return text[:at] + random.choice(alphabet) + text[at + 1 :]
        case _:
            return (
                text[: max(0, at - 1)]
                + text[at : at + 1]
                + text[max(0, at - 1) : at]
                + text[at + 1 :]
            )


def size(expression: Regular[CharSet]) -> int:
    """How many states a deterministic automaton of the language has, if nobody minimises it."""
    nfa = Nfa(expression)
    starts = {
        end
        for letter in nfa.letters
        if letter is not None
        for low, high in letter.ranges
        for end in (low, high + 1)
    }
    seen: set[States] = {nfa.start}
    todo = [nfa.start]
    while todo:
        states = todo.pop()
        for char in map(chr, starts):
            after = nfa.step(states, lambda letter, char=char: char in letter)  # type: ignore[misc]
            if after and after not in seen:
                seen.add(after)
                todo.append(after)
    return len(seen)


class Judge:
    """A condition as a language: what it says of a text."""

    def __init__(self, picture: Picture, relation: Relation, bound: object) -> None:
        found = picture.condition(relation, bound)
        self.yes, self.ask = TextMatcher(found.yes), TextMatcher(found.ask)

    def __call__(self, text: str) -> str:
        yes, ask = self.yes.matches(text), self.ask.matches(text)
        assert not (yes and ask), text
        return "yes" if yes else "ask" if ask else "no"
