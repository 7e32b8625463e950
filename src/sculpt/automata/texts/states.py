"""What the reader of texts knows: its states, and what a text that ends there matches.

In: nothing. Out: the values that `reader` works on. Invariant: equal knowledge gives equal
values, so `ScanTable` can number them.
"""

from __future__ import annotations

from typing import NamedTuple

from sculpt.automata.coding import Tree
from sculpt.automata.nfa import States
from sculpt.core.dialect import Delimiter
from sculpt.core.ir import CoreToken, Symbol
from sculpt.syntax.regular import Regular
from sculpt.values import frozen


class TextState(NamedTuple):
    """What is known about the bytes of a text so far."""

    char: Tree
    """The position in the tree of all characters: its root between characters."""
    alive: frozenset[int]
    """Between characters: the states of the tokens' automata."""
    within: frozenset[tuple[int, Tree]]
    """Inside a character: the states that are reading it, and what they expect next."""
    literal: int
    """The node of the tree of literals, or `DEAD`."""
    empty: bool
    broken: bool
    """Some bytes were not characters."""
    lists: tuple[ListState, ...]


class ListState(NamedTuple):
    """What is known about the items of a list so far."""

    content: States
    item: TextState
    core: Outcome | None
    """What the item matched before the blanks at its end; `None` if there are none."""
    pending: bytes
    """Bytes that may begin a delimiter."""
    some: bool
    """There has been some text."""
    asks: bool = False
    """Some item was asked about: `content` is where its possible answers lead."""


@frozen
class ListRule:
    """A list as the reader sees it: its content, the delimiter of its items, their tokens."""

    content: Regular[Symbol]
    delimiter: Delimiter
    tokens: tuple[CoreToken, ...]
    """At least those of the content, and what they depend on."""


class Outcome(NamedTuple):
    """What a text matches: tokens by name, and list rules by index."""

    tokens: frozenset[str]
    """If tokens are asked about: what the text matches besides, before formulas are evaluated."""
    lists: frozenset[int]
    asked: frozenset[str] = frozenset()
    """Hidden tokens of which only the value of the text can tell whether they match."""
    asked_lists: frozenset[int] = frozenset()

    @property
    def is_open(self) -> bool:
        """Does it depend on answers?"""
        return bool(self.asked or self.asked_lists)
