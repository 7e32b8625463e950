"""Runs the tables of the grammar: the text of an expression to a parse tree.

In: a text, a start symbol of `grammar.lark`, and a function that classifies names. Out: a `Tree`,
or an error: the unexpected character or token, and what was expected instead. `grammar.py` holds
the tables; this module can run any tables of this kind.

Invariant: trees, places and errors are those of Lark, which compiles the tables
(`tests/syntax/test_grammar.py` compares the two). Nothing recurses: a text may be nested to any
depth. Cost: linear; an unexpected token adds a cost linear in the depth of the text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import NamedTuple, TypeAlias

from sculpt.syntax.grammar import ACCEPT, IGNORED, RULES, STARTS, STATES, TERMINALS

END = "$END"
"""The type of the token after the last one."""

Node: TypeAlias = "Tree | Token"


class Token(NamedTuple):
    """A word of the text: its terminal, its characters and where they begin."""

    type: str
    text: str
    start: int

    @property
    def end(self) -> int:
        """The place just after its last character."""
        return self.start + len(self.text)


class Tree(NamedTuple):
    """A rule, or its alias, and what it has read; punctuation is left out, but not of its place."""

    name: str
    children: list[Node]
    start: int
    end: int


class UnexpectedCharacterError(Exception):
    """No terminal begins with the character at `start`."""

    def __init__(self, start: int) -> None:
        super().__init__(start)
        self.start = start


class UnexpectedTokenError(Exception):
    """The grammar does not allow a token at its place; `expected` has what it allows."""

    def __init__(self, token: Token, expected: frozenset[str]) -> None:
        super().__init__(token, expected)
        self.token = token
        self.expected = expected


def parse(text: str, start: str, type_of_name: Callable[[str], str]) -> Tree:
    """The parse tree of a whole text; `type_of_name` gives the real terminal of a `NAME`."""
    states = [STARTS[start]]
    nodes: list[Node] = []
    extents: list[tuple[int, int]] = []
    """By node: where it begins and ends, parentheses around it included."""
    for token in _tokens(text, type_of_name):
        while True:
            action = STATES[states[-1]][0].get(token.type)
            if action is None:
                raise UnexpectedTokenError(token, _expected(states))
            if action >= 0:
                break
            origin, size, kept, name = RULES[~action]
            if size > 1:
                extents[-size:] = [(extents[-size][0], extents[-1][1])]
            if name:
                nodes[-size:] = [_tree(name, nodes[-size:], kept, extents[-1])]
            elif size > 1:
                nodes[-size:] = [nodes[kept[0] - size]]
            _reduce(states, origin, size)
        if action == ACCEPT:
            break
        states.append(action)
        nodes.append(token)
        extents.append((token.start, token.end))
    (tree,) = nodes
    assert isinstance(tree, Tree), tree  # a start symbol always makes a tree
    return tree


def _reduce(states: list[int], origin: str, size: int) -> None:
    """Go back to where a rule began, and continue from there."""
    del states[-size:]
    states.append(STATES[states[-1]][1][origin])


def _tree(name: str, nodes: list[Node], kept: tuple[int, ...], extent: tuple[int, int]) -> Tree:
    """The tree of a rule from the nodes of its symbols."""
    children: list[Node] = []
    for ix in kept:
        if ix >= 0:
            children.append(nodes[ix])
            continue
        part = nodes[~ix]
        assert isinstance(part, Tree), part
        if children:
            children += part.children
        else:  # a list that grows by one part at a time: copying it each time would be quadratic
            children = part.children
    return Tree(name, children, *extent)


def _expected(states: list[int]) -> frozenset[str]:
    """The terminals that can come next."""
    return frozenset(each for each in STATES[states[-1]][0] if _fits(each, [*states]))


def _fits(terminal: str, states: list[int]) -> bool:
    """Is a terminal shifted in the end? Reducing a rule is not enough. Mutates `states`."""
    while (action := STATES[states[-1]][0].get(terminal)) is not None and action < 0:
        origin, size, _, _ = RULES[~action]
        _reduce(states, origin, size)
    return action is not None


def _tokens(text: str, type_of_name: Callable[[str], str]) -> Iterator[Token]:
    """The tokens of a text, then its end; lazily, so that the first error is the one raised."""
    match = _scanner().match
    at = 0
    while at < len(text):
        found = match(text, at)
        if found is None:
            raise UnexpectedCharacterError(at)
        terminal = found.lastgroup
        assert terminal is not None, found
        if terminal not in IGNORED:
            word = found[0]
            yield Token(type_of_name(word) if terminal == "NAME" else terminal, word, at)
        at = found.end()
    yield Token(END, "", at)


@cache
def _scanner() -> re.Pattern[str]:
    return re.compile("|".join(f"(?P<{name}>{regex})" for name, regex in TERMINALS))
