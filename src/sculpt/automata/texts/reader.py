"""The text of a cell, byte by byte: which tokens match what has been read so far.

In: tokens (expressions over characters), `.>` rules, a `Coding`. Out: a `TextReader`, whose states
are values: `feed` takes a state and a byte to the next state, `outcome` says what a text that ends
there matches. A state holds the live automaton states of all tokens at once. `ScanTable` remembers
the steps between states, so a byte of data costs the same however many tokens there are.

Literals share one tree of bytes, so a thousand headings cost no more than one. Equal expressions
are read once. Hidden tokens are read like others, and formulas are evaluated over them where a text
ends. A text may be one of which only `holds` can tell what it matches: its outcome has `asked`
names, and `decide` gives the outcome once the whole text is known.

Invariant: `outcome` after the bytes of a text is the set of tokens that match it, unless it asks; a
text with bytes that are not characters matches what undecodable cells match. Cost: a step is linear
in the automaton states that are alive.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from itertools import repeat

from sculpt.automata.coding import LEAF, Coding, Tree, child
from sculpt.automata.nfa import Nfa
from sculpt.automata.texts.formulas import Formulas
from sculpt.automata.texts.patterns import Patterns
from sculpt.automata.texts.states import ListRule, ListState, Outcome, TextState
from sculpt.core.dialect import Delimiter
from sculpt.core.formulas import needed
from sculpt.core.ir import CoreToken, Symbol
from sculpt.errors import UnsupportedByEngine
from sculpt.syntax.regular import CharSet, Nothing, Regular, letters

DEAD = -1
MAX_NESTED = 8
"""Lists within lists, beyond which this reader does not go."""


class TextReader:
    """Reads texts against a set of tokens; see the module docstring."""

    def __init__(
        self,
        tokens: Iterable[CoreToken],
        coding: Coding,
        lists: Iterable[ListRule] = (),
        kept: Iterable[str] | None = None,
        nested: int = 0,
    ) -> None:
        """`kept` has the tokens that outcomes list: without it, all that are not hidden.

        `nested` is the number of lists around the texts that are read.
        """
        table = {token.name: token for token in tokens}
        if kept is None:
            kept = [name for name, token in table.items() if not token.hidden]
        kept = list(kept)
        used = needed(table, kept)
        self.coding = coding
        self._formulas = Formulas(used, kept)
        self._patterns = Patterns(coding)
        self._nodes: list[dict[int, int]] = [{}]
        self._texts: dict[int, list[str]] = {}
        self._outcomes: dict[TextState, Outcome] = {}
        self._known_children: dict[int, tuple[tuple[int, ...], tuple[int, ...]]] = {}
        self._conditions = {token.name: token.condition for token in used}
        self._undecodable = frozenset(
            token.name for token in used if token.matches_undecodable and token.formula is None
        )
        self._users = _users(used)
        start = self._add_tokens(used)
        rules = list(lists)
        listed = [(token.name, token.items) for token in used if token.items is not None]
        self._list_names = [name for name, _ in listed]
        self._list_rules = len(rules)
        everything = tuple(table.values())
        rules += [ListRule(each.content, each.delimiter, everything) for _, each in listed]
        if rules and nested == MAX_NESTED:
            raise UnsupportedByEngine(
                f"lists within lists, more than {MAX_NESTED} deep;"
                " use `--engine reference` if the file is small"
            )
        self._lists = [ListReader(rule, coding, nested + 1) for rule in rules]
        self.start: TextState = TextState(
            coding.all,
            frozenset(start),
            frozenset(),
            0,
            True,
            False,
            tuple(reader.start for reader in self._lists),
        )

    def _add_tokens(self, tokens: Iterable[CoreToken]) -> set[int]:
        """Build the automata of tokens; the states in which they start."""
        same: dict[Regular[CharSet], tuple[list[str], list[str]]] = {}
        for token in tokens:
            if token.literal is not None:
                self._add_literal(token.name, token.literal)
            elif token.formula is None and token.items is None:
                same.setdefault(token.pattern, ([], []))[0].append(token.name)
            if not isinstance(token.ask, Nothing):
                same.setdefault(token.ask, ([], []))[1].append(token.name)
        start: set[int] = set()
        for pattern, (names, asked) in same.items():
            start |= self._patterns.add(pattern, tuple(names), tuple(asked))
        return start

    @property
    def asks(self) -> bool:
        """Are there texts that are asked about?"""
        return self._patterns.asks or any(reader.items.asks for reader in self._lists)

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

    def largest(self, sets: Iterable[frozenset[int]]) -> tuple[str, int]:
        """The token whose automaton has been in the most sets of states, and how many they are."""
        name, count = self._patterns.largest(sets)
        return self._users.get(name, name), count

    def byte_ranges(self) -> set[int]:
        """The bytes at which a range of some tree begins; bytes between two of them are alike."""
        starts: set[int] = set()
        trees = [tree for tree in self._patterns.trees if tree is not None] + [self.coding.all]
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
        trees = self._patterns.trees
        return [(q, tree) for q in state.alive if (tree := trees[q]) is not None]

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
        found: dict[int, Tree | None] = {}
        for q, tree in self._reading(state):
            number = id(tree)  # many states read the same characters
            if number not in found:
                found[number] = child(tree, byte)
            below = found[number]
            if below is None:
                continue
            if below is LEAF:
                read.append(q)
            else:
                within.add((q, below))
        return TextState(
            self.coding.all if char is LEAF else char,
            self._patterns.after(read),
            frozenset(within),
            literal,
            False,
            False,
            lists,
        )

    def is_broken(self, state: TextState) -> bool:
        """Would a text that ends here have bytes that are not characters?"""
        return state.broken or state.char is not self.coding.all

    def is_dead(self, state: TextState) -> bool:
        """Can no token match any more, whatever follows?"""
        return not state.alive and not state.within and state.literal == DEAD

    def may_ask(self, state: TextState) -> bool:
        """May a text that goes on from here, or ends here, be one that is asked about?"""
        states = (*state.alive, *(q for q, _ in state.within))
        return self._patterns.may_ask(states) or any(
            reader.may_ask(each) for reader, each in zip(self._lists, state.lists, strict=True)
        )

    def outcome(self, state: TextState) -> Outcome:
        """What a text that ends here matches."""
        found = self._outcomes.get(state)
        if found is None:
            found = self._outcomes[state] = self._find_outcome(state)
        return found

    def _find_outcome(self, state: TextState) -> Outcome:
        accepted = [
            (ix, is_asked)
            for ix, (reader, each) in enumerate(zip(self._lists, state.lists, strict=True))
            for is_asked in reader.verdict(each)
        ]
        rules = self._list_rules
        lists = frozenset(ix for ix, is_asked in accepted if ix < rules and not is_asked)
        asked_lists = frozenset(ix for ix, is_asked in accepted if ix < rules and is_asked)
        if self.is_broken(state):
            return Outcome(self._formulas.kept(self._undecodable), lists, asked_lists=asked_lists)
        names: set[str] = set(self._undecodable)
        asked: set[str] = set()
        for q in state.alive:
            names.update(self._patterns.accepted.get(q, ()))
            asked.update(self._patterns.asked.get(q, ()))
        if state.literal != DEAD:
            names.update(self._texts.get(state.literal, ()))
        for ix, is_asked in accepted:
            if ix >= rules:
                (asked if is_asked else names).add(self._list_names[ix - rules])
        matched, open_names = frozenset(names), frozenset(asked - names)
        if not self._formulas.depends(matched, open_names):
            return Outcome(self._formulas.close(matched), lists, asked_lists=asked_lists)
        return Outcome(matched, lists, open_names, asked_lists)

    def possible(self, outcome: Outcome) -> frozenset[str]:
        """The tokens that a text with some outcome matches, for some answer."""
        if not outcome.asked:
            return outcome.tokens
        return self._formulas.possible(outcome.tokens, outcome.asked)

    def decide(self, outcome: Outcome, text: bytes) -> Outcome:
        """The outcome of a text that was asked about, without anything open."""
        lists = outcome.lists.union(
            ix for ix in outcome.asked_lists if self._lists[ix].accepts_all(text)
        )
        if not outcome.asked:
            return Outcome(outcome.tokens, lists)
        matched = (name for name in outcome.asked if self._answer(name, text))
        return Outcome(self._formulas.close(outcome.tokens.union(matched)), lists)

    def _answer(self, name: str, text: bytes) -> bool:
        from sculpt.core.datatypes import reading  # few schemas have conditions

        condition = self._conditions[name]
        if condition is not None:
            return reading.holds(condition, text.decode(self.coding.codec))
        return self._lists[self._list_rules + self._list_names.index(name)].accepts_all(text)


def _users(tokens: Iterable[CoreToken]) -> dict[str, str]:
    """For hidden tokens: a token that users know, and that depends on it."""
    table = {token.name: token for token in tokens}
    return {
        part.name: token.name
        for token in table.values()
        if not token.hidden
        for part in needed(table, [token.name])
        if part.hidden
    }


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

    def __init__(self, rule: ListRule, coding: Coding, nested: int = 1) -> None:
        self.nfa = Nfa(rule.content)
        names = dict.fromkeys(letter.symbol.name for letter in letters(rule.content))
        self.items = TextReader(rule.tokens, coding, kept=names, nested=nested)
        self.finder = DelimiterFinder(rule.delimiter, coding)
        self.blanks = coding.blanks
        self.start = ListState(self.nfa.start, self.items.start, None, b"", False)
        self._dead = ListState(frozenset(), self.items.start, None, b"", True)

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
        if not state.content:
            return self._dead
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
            core = state.core if state.core is not None else self.items.outcome(item)
            return state._replace(item=self.items.feed(item, byte), core=core)
        return state._replace(item=self.items.feed(item, byte), core=None)

    def _end_item(self, state: ListState) -> ListState:
        outcome = state.core if state.core is not None else self.items.outcome(state.item)
        carried = self.items.possible(outcome)
        content = self.nfa.step(state.content, lambda symbol: symbol.name in carried)
        asks = state.asks or bool(outcome.asked)
        return state._replace(content=content, item=self.items.start, core=None, asks=asks)

    def verdict(self, state: ListState) -> tuple[bool, ...]:
        """Is the text so far a list that is allowed? Nothing, if not; else: is that to be asked?"""
        if not state.some:
            return (False,) if self.nfa.accepts(self.nfa.start) else ()
        ended = self._end_item(self._advance(state._replace(pending=b""), state.pending, True))
        return (ended.asks,) if self.nfa.accepts(ended.content) else ()

    def may_ask(self, state: ListState) -> bool:
        """May the list, however it goes on, be one that is asked about?"""
        return bool(state.content) and (state.asks or self.items.asks)

    def accepts_all(self, text: bytes) -> bool:
        """Is a whole text a list that is allowed? Asks about its items."""
        content = self.nfa.start
        for item in self._split(text):
            state = self.items.start
            for byte in item:
                state = self.items.feed(state, byte)
            outcome = self.items.outcome(state)
            if outcome.asked:
                outcome = self.items.decide(outcome, item)
            content = self.nfa.step(content, partial(_is_among, outcome.tokens))
        return self.nfa.accepts(content)

    def _split(self, text: bytes) -> Iterator[bytes]:
        """The items of a text, without the blanks around them; no text has none."""
        blanks, item, pending = bytes(self.blanks), bytearray(), b""
        for at in range(len(text) + 1 if text else 0):
            is_end = at == len(text)
            pending += text[at : at + 1]
            while pending and (taken := self.finder.resolve(pending, is_end)) is not None:
                if taken:
                    yield bytes(item.strip(blanks))
                    item.clear()
                else:
                    item += pending[:1]
                pending = pending[taken or 1 :]
        if text:
            yield bytes(item.strip(blanks))


def _is_among(tokens: frozenset[str], symbol: Symbol) -> bool:
    return symbol.name in tokens
