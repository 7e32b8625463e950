"""The text of a cell, byte by byte: which tokens match what has been read so far.

In: tokens (expressions over characters), `.>` rules, a `Coding`. Out: a `TextReader`, whose states
are values: `feed` takes a state and a byte to the next state, `outcome` says what a text that ends
there matches. A state holds the live automaton states of all tokens at once. `ScanTable` remembers
the steps between states, so a byte of data costs the same however many tokens there are.

Literals share one tree of bytes, so a thousand headings cost no more than one. Equal expressions
are read once. Invariant: `outcome` after the bytes of a text is the set of tokens that match it; a
text with bytes that are not characters matches what undecodable cells match. Cost: a step is linear
in the automaton states that are alive.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from itertools import repeat
from typing import NamedTuple

from sculpt.automata.coding import LEAF, Coding, Tree, child
from sculpt.automata.nfa import MANY, Nfa, States
from sculpt.core.dialect import Delimiter
from sculpt.core.ir import CoreToken, Symbol
from sculpt.syntax.regular import CharSet, Regular
from sculpt.values import frozen

DEAD = -1


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
    core: frozenset[str] | None
    """What the item matched before the blanks at its end; `None` if there are none."""
    pending: bytes
    """Bytes that may begin a delimiter."""
    some: bool
    """There has been some text."""


@frozen
class ListRule:
    """A `.>` rule as the reader sees it: its content, and the delimiter of its items."""

    content: Regular[Symbol]
    delimiter: Delimiter
    tokens: tuple[CoreToken, ...]


class Outcome(NamedTuple):
    """What a text matches: tokens by name, and list rules by index."""

    tokens: frozenset[str]
    lists: frozenset[int]


class TextReader:
    """Reads texts against a set of tokens; see the module docstring."""

    def __init__(
        self, tokens: Iterable[CoreToken], coding: Coding, lists: Iterable[ListRule] = ()
    ) -> None:
        self.coding = coding
        self._letters: list[Tree | None] = []
        self._automata: list[Nfa[CharSet]] = []
        self._bases: list[int] = []
        """By automaton: the number of its first state."""
        self._after: dict[int, States] = {}
        self._accepted: dict[int, tuple[str, ...]] = {}
        self._nodes: list[dict[int, int]] = [{}]
        self._texts: dict[int, list[str]] = {}
        self._undecodable: frozenset[str] = frozenset()
        self._outcomes: dict[TextState, Outcome] = {}
        self._known_children: dict[int, tuple[tuple[int, ...], tuple[int, ...]]] = {}
        same: dict[Regular[CharSet], list[str]] = {}
        for token in tokens:
            if token.matches_undecodable:
                self._undecodable |= {token.name}
            if token.literal is not None:
                self._add_literal(token.name, token.literal)
            else:
                same.setdefault(token.pattern, []).append(token.name)
        start: set[int] = set()
        for pattern, names in same.items():
            start |= self._add_pattern(pattern, tuple(names))
        self.start: TextState
        self._lists = [ListReader(rule, coding) for rule in lists]
        self.start = TextState(
            coding.all,
            frozenset(start),
            frozenset(),
            0,
            True,
            False,
            tuple(reader.start for reader in self._lists),
        )

    def _add_literal(self, name: str, text: str) -> None:
        spelt = self.coding.encode(text)
        if text and not spelt:
            return
        node = 0
        for byte in spelt:
            if byte not in self._nodes[node]:
                self._nodes[node][byte] = len(self._nodes)
                self._nodes.append({})
            node = self._nodes[node][byte]
        self._texts.setdefault(node, []).append(name)

    def _add_pattern(self, pattern: Regular[CharSet], names: tuple[str, ...]) -> set[int]:
        nfa = Nfa(pattern)
        base = len(self._letters)
        for chars in nfa.letters:
            self._letters.append(None if chars is None else self.coding.tree(chars))
        self._bases.append(base)
        self._automata.append(nfa)
        self._accepted[base + nfa.final] = names
        return {base + state for state in nfa.start}

    def largest(self, sets: Iterable[frozenset[int]]) -> tuple[str, int]:
        """The token whose automaton has been in the most sets of states, and how many they are."""
        met: dict[str, set[frozenset[int]]] = {}
        finals = sorted(self._accepted)
        for alive in sets:
            own: dict[int, set[int]] = {}
            for state in alive:
                own.setdefault(bisect_left(finals, state), set()).add(state)
            for ix, states in own.items():
                name = self._accepted[finals[min(ix, len(finals) - 1)]][0]
                met.setdefault(name, set()).add(frozenset(states))
        name = max(met, key=lambda each: len(met[each]), default="")
        return name, len(met.get(name, ()))

    def byte_ranges(self) -> set[int]:
        """The bytes at which a range of some tree begins; bytes between two of them are alike."""
        starts: set[int] = set()
        trees = [tree for tree in self._letters if tree is not None] + [self.coding.all]
        seen: set[int] = set()
        while trees:
            tree = trees.pop()
            if id(tree) in seen:
                continue
            seen.add(id(tree))
            for low, high, below in tree:
                starts |= {low, high + 1}
                trees.append(below)
        for node in self._nodes:
            for byte in node:
                starts |= {byte, byte + 1}
        for reader in self._lists:
            starts |= reader.byte_ranges()
        return starts

    @property
    def has_lists(self) -> bool:
        """Are there list rules?"""
        return bool(self._lists)

    def alike(self, state: TextState, examples: tuple[int, ...]) -> list[tuple[int, ...]]:
        """A value for each of some bytes; where two are equal, `feed` leads to the same state."""
        trees = {id(tree): tree for _, tree in self._reading(state)}
        trees[id(state.char)] = state.char
        rows = [self._children(tree, examples) for tree in trees.values()]
        if state.literal != DEAD and self._nodes[state.literal]:
            rows.append(tuple(map(self._nodes[state.literal].get, examples, repeat(DEAD))))
        return list(zip(*rows, strict=True))

    def _children(self, tree: Tree, examples: tuple[int, ...]) -> tuple[int, ...]:
        """Where each of some bytes leads in a tree, as a number."""
        known = self._known_children.get(id(tree))
        if known is None or known[0] is not examples:
            numbers = tuple(id(child(tree, byte)) for byte in examples)
            known = self._known_children[id(tree)] = (examples, numbers)
        return known[1]

    def _reading(self, state: TextState) -> Iterable[tuple[int, Tree]]:
        """The automaton states that can read a byte, and which bytes."""
        if state.char is not self.coding.all:
            return state.within
        return [(q, tree) for q in state.alive if (tree := self._letters[q]) is not None]

    def feed(self, state: TextState, byte: int) -> TextState:
        """The state after one more byte."""
        lists = tuple(
            reader.feed(each, byte) for reader, each in zip(self._lists, state.lists, strict=True)
        )
        char = None if state.broken else child(state.char, byte)
        if char is None:
            nothing = (frozenset[int](), frozenset[tuple[int, Tree]](), DEAD)
            return TextState(self.coding.all, *nothing, False, True, lists)
        nodes = self._nodes
        literal = nodes[state.literal].get(byte, DEAD) if state.literal != DEAD else DEAD
        read: list[int] = []
        within: set[tuple[int, Tree]] = set()
        for q, tree in self._reading(state):
            below = child(tree, byte)
            if below is None:
                continue
            if below is LEAF:
                read.append(q)
            else:
                within.add((q, below))
        return TextState(
            self.coding.all if char is LEAF else char,
            self._after_all(read),
            frozenset(within),
            literal,
            False,
            False,
            lists,
        )

    def _after_all(self, states: list[int]) -> States:
        """The states after some have read their character."""
        if len(states) < MANY:
            return frozenset().union(*map(self._after_one, states))
        own: dict[int, list[int]] = {}
        for state in states:
            own.setdefault(bisect_right(self._bases, state) - 1, []).append(state)
        found: set[int] = set()
        for ix, some in own.items():
            base, nfa = self._bases[ix], self._automata[ix]
            found.update(base + q for q in nfa.after_all([state - base for state in some]))
        return frozenset(found)

    def _after_one(self, state: int) -> States:
        found = self._after.get(state)
        if found is None:
            ix = bisect_right(self._bases, state) - 1
            base = self._bases[ix]
            after = self._automata[ix].after(state - base)
            found = self._after[state] = frozenset(base + target for target in after)
        return found

    def is_broken(self, state: TextState) -> bool:
        """Would a text that ends here have bytes that are not characters?"""
        return state.broken or state.char is not self.coding.all

    def is_dead(self, state: TextState) -> bool:
        """Can no token match any more, whatever follows?"""
        return not state.alive and not state.within and state.literal == DEAD

    def outcome(self, state: TextState) -> Outcome:
        """What a text that ends here matches."""
        found = self._outcomes.get(state)
        if found is None:
            found = self._outcomes[state] = Outcome(self._tokens(state), self._list_outcome(state))
        return found

    def _tokens(self, state: TextState) -> frozenset[str]:
        if self.is_broken(state):
            return self._undecodable
        names: set[str] = set(self._undecodable)
        for q in state.alive:
            names.update(self._accepted.get(q, ()))
        if state.literal != DEAD:
            names.update(self._texts.get(state.literal, ()))
        return frozenset(names)

    def _list_outcome(self, state: TextState) -> frozenset[int]:
        return frozenset(
            ix
            for ix, (reader, each) in enumerate(zip(self._lists, state.lists, strict=True))
            if reader.accepts(each)
        )


class DelimiterFinder:
    """Finds delimiters in a stream of bytes: the leftmost match, and there the longest.

    `resolve` looks at the bytes that are still undecided. It returns how many of them a delimiter
    takes (if that is 0, the first byte is text), or `None` while it must see more.
    """

    def __init__(self, delimiter: Delimiter, coding: Coding) -> None:
        self.literal = coding.encode(delimiter.text) if delimiter.pattern is None else b""
        self.reader: TextReader | None = None
        if delimiter.pattern is not None:
            token = CoreToken("delimiter", delimiter.pattern)
            self.reader = TextReader([token], Coding(coding.codec))

    def resolve(self, pending: bytes, is_end: bool) -> int | None:
        """How many of the pending bytes are a delimiter; see the class docstring."""
        if self.reader is None:
            if self.literal and pending.startswith(self.literal):
                return len(self.literal)
            waits = not is_end and self.literal.startswith(pending)
            return None if waits and self.literal else 0
        state, longest = self.reader.start, 0
        for ix, byte in enumerate(pending):
            state = self.reader.feed(state, byte)
            if self.reader.is_dead(state):
                return longest
            if self.reader.outcome(state).tokens:
                longest = ix + 1
        return longest if is_end else None


class ListReader:
    """Splits a text into items as it is read, and reads them as a word."""

    def __init__(self, rule: ListRule, coding: Coding) -> None:
        self.nfa = Nfa(rule.content)
        self.items = TextReader(rule.tokens, coding)
        self.finder = DelimiterFinder(rule.delimiter, coding)
        self.blanks = coding.blanks
        self.start = ListState(self.nfa.start, self.items.start, None, b"", False)

    def byte_ranges(self) -> set[int]:
        """See `TextReader.byte_ranges`."""
        starts = self.items.byte_ranges()
        if self.finder.reader is not None:
            starts |= self.finder.reader.byte_ranges()
        for byte in (*self.finder.literal, *self.blanks):
            starts |= {byte, byte + 1}
        return starts

    def feed(self, state: ListState, byte: int) -> ListState:
        """The state after one more byte of the cell."""
        pending = state.pending + bytes([byte])
        state = state._replace(pending=b"", some=True)
        return self._advance(state, pending, is_end=False)

    def _advance(self, state: ListState, pending: bytes, is_end: bool) -> ListState:
        while pending:
            taken = self.finder.resolve(pending, is_end)
            if taken is None:
                return state._replace(pending=pending)
            if taken:
                state = self._end_item(state)
                pending = pending[taken:]
            else:
                state = self._text(state, pending[0])
                pending = pending[1:]
        return state

    def _text(self, state: ListState, byte: int) -> ListState:
        item = state.item
        if byte in self.blanks and item.char is self.items.coding.all:
            if item.empty:
                return state  # blanks before an item
            core = state.core if state.core is not None else self.items.outcome(item).tokens
            return state._replace(item=self.items.feed(item, byte), core=core)
        return state._replace(item=self.items.feed(item, byte), core=None)

    def _end_item(self, state: ListState) -> ListState:
        carried = state.core if state.core is not None else self.items.outcome(state.item).tokens
        content = self.nfa.step(state.content, lambda symbol: symbol.name in carried)
        return state._replace(content=content, item=self.items.start, core=None)

    def accepts(self, state: ListState) -> bool:
        """Is the text so far a list that the rule allows?"""
        if not state.some:
            return self.nfa.accepts(self.nfa.start)
        ended = self._end_item(self._advance(state._replace(pending=b""), state.pending, True))
        return self.nfa.accepts(ended.content)
