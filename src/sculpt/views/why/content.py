"""What the content expression of a rule expects around a cell of its region.

In: a rule, a cell that it selects, and marks. Out: a `ContentTrace`: the word that the cell is part
of, read letter by letter as the reference engine reads it (`engines/reference.py: _Reader`), with
what could come at each letter and which of that the cell is.

Invariant: where the trace fails, and what it wanted there, is what `validate` reports. Cost: one
byte per cell of the word, and one dictionary look-up per cell that differs from the one before it
or changes what can follow; a word is read up to the block in which it has `MAX_CELLS` cells.
"""

from __future__ import annotations

import re
from collections import deque
from functools import cached_property, partial
from itertools import compress
from typing import NamedTuple, TypeAlias

from sculpt.core import ir
from sculpt.core.acceptor import Acceptor
from sculpt.engines.messages.findings import SCOPES, Scope, end_word
from sculpt.engines.messages.text_tokens import is_decodable
from sculpt.engines.messages.words import is_long
from sculpt.syntax.printer import print_content
from sculpt.syntax.regular import letters
from sculpt.tabular.grid import Cell, list_splitter
from sculpt.views.model import Place
from sculpt.views.source import MarkedBlock
from sculpt.views.why.marks import Marks
from sculpt.views.why.model import ContentTrace, Letter
from sculpt.views.why.selectors import Cells, shown_text
from sculpt.views.why.sentences import mismatch
from sculpt.views.why.vocabulary import Vocabulary

AROUND = 3
"""How many cells before and after the cell a trace has."""
MAX_CELLS = 5_000_000
MAX_ITEMS = 2 * AROUND + 1

_States: TypeAlias = frozenset[int]
_PADDING = -1
"""The place of padding among the symbols that a cell can be read as."""


class _Read(NamedTuple):
    """A cell of a word, its mark, and the states before it; `None` after the word has failed."""

    place: Place
    mark: int
    states: _States | None


class ContentReader:
    """Reads the words of one rule."""

    def __init__(self, rule: ir.CoreRule, words: Vocabulary, strict: bool) -> None:
        self.rule = rule
        self.scope: Scope = SCOPES[rule.arrow]
        self.words = words
        self.strict = strict
        written = words.rules[rule.number - 1]
        self.text = print_content(written.content)
        self.region = words.selector(written.selector)
        self.acceptor = Acceptor(rule.content)
        self.symbols = list(dict.fromkeys(each.symbol for each in letters(rule.content)))
        in_list = self.scope == "list"
        self._letters = [] if in_list else [self._node(symbol) for symbol in self.symbols]

    def _node(self, symbol: ir.Symbol) -> ir.Selector:
        name = symbol.name
        return self.words.type(name) if symbol.is_type else self.words.token_node(name)

    @property
    def nodes(self) -> list[ir.Selector]:
        """What must be marked."""
        return [self.region, self.words.padding, *self._letters]

    def readings(self, marks: Marks) -> list[frozenset[int]]:
        """By mark: the numbers of the symbols that a cell is, and whether it is padded."""
        held = marks.sets_of([self.words.padding, *self._letters])
        return [frozenset(ix - 1 for ix in each) for each in held]

    def expected(self, states: _States) -> tuple[str, ...]:
        """What can come next, as a violation names it."""
        names = [symbol.name for symbol in self.acceptor.next_symbols(states)]
        return (*names, *([end_word(self.scope)] if self.acceptor.accepts(states) else []))

    def reads(self, symbol: ir.Symbol, held: frozenset[int]) -> bool:
        """Can a cell be read as a symbol?"""
        number = self.symbols.index(symbol)
        if _PADDING not in held or symbol.is_type:
            return number in held
        token = self.words.tokens[symbol.name]
        return token.is_missing if self.strict else token.reads_padding

    def after(self, states: _States, held: frozenset[int]) -> _States:
        """The states after a cell; padding may be passed over, unless it is strict."""
        read = self.acceptor.step(states, lambda symbol: self.reads(symbol, held))
        return read | states if _PADDING in held and not self.strict else read

    def hint(self, wanted: tuple[str, ...], cell: Cell | None) -> str | None:
        """Why a cell is not the one token that is expected."""
        tokens = [self.words.tokens[name] for name in wanted if name in self.words.tokens]
        if len(tokens) != 1 or len(wanted) != 1 or tokens[0].reads_padding:
            return None
        found = mismatch(tokens[0], cell, self.words.texts)
        return None if found is None else f"{tokens[0].name} {found}"

    # ------------------------------------------------------------- words of cells

    def trace(self, marks: Marks, place: Place, cells: Cells) -> ContentTrace:
        """The word around a cell of the region."""
        if self.scope == "list":
            return self._list(place, cells(*place))
        return _Trace(self, marks, place, cells).run()

    # ------------------------------------------------------------- lists

    def _list(self, place: Place, cell: Cell | None) -> ContentTrace:
        """The items of a cell."""
        items = list_splitter(self.rule.list_delim)(cell.text) if cell is not None else []
        letters: list[Letter] = []
        states: _States | None = self.acceptor.initial
        failed: int | None = None
        wanted: tuple[str, ...] = ()
        for number, item in enumerate(items, 1):
            text = shown_text(_item(item, cell))
            if states is None:
                letters.append(Letter(*place, text, (), (), item=number))
                continue
            expected = self.expected(states)
            carried = self.words.texts.of(item, is_decodable(item, cell))
            names = tuple(name for name in expected if name in carried)
            letters.append(Letter(*place, text, expected, names, item=number))
            states = self.acceptor.step(states, partial(_is_one_of, carried)) or None
            if states is None:
                failed, wanted = number, expected
        ends_early = states is not None and not self.acceptor.accepts(states)
        if states is not None and ends_early:
            wanted = self.expected(states)
        at = failed or (len(items) if ends_early else 1)
        first = max(0, min(at - 1 - AROUND, len(items) - MAX_ITEMS))
        is_too_long = cell is not None and is_long(cell.text)  # as in the violation
        fails = failed is not None or ends_early
        hint = None if failed is None else self.hint(wanted, _item(items[failed - 1], cell))
        return ContentTrace(
            self.text,
            self.scope,
            tuple(letters[first : first + MAX_ITEMS]),
            first,
            first + MAX_ITEMS < len(items),
            self.expected(self.acceptor.initial),
            "fails" if fails else "passes",
            place if fails else None,
            None if is_too_long else failed,
            () if is_too_long else wanted,
            ends_early,
            hint,
        )


def _is_one_of(names: frozenset[str], symbol: ir.Symbol) -> bool:
    return symbol.name in names


def _item(text: str, cell: Cell | None) -> Cell:
    return Cell(text, text, 0, 0, decodable=is_decodable(text, cell))


class _Stretch:
    """The cells of a word in one block of the table, in the order of the word."""

    def __init__(
        self, marks: Marks, region: ir.Selector, block: MarkedBlock, scope: Scope, place: Place
    ) -> None:
        row = place[0] if scope == "row" else None
        column = place[1] if scope == "column" else None
        cells = marks.cells(block, row, column)
        self._flags = marks.flags(region, cells)
        self._first = row or block.first_row, column or 1
        self._across = 1 if column is not None else marks.columns
        """How many of the cells looked at are in a row."""
        chosen = compress(cells, self._flags)
        self.marks = bytes(chosen) if len(marks.table.sets) <= 256 else list(chosen)

    @cached_property
    def _numbers(self) -> list[int]:
        return list(compress(range(len(self._flags)), self._flags))

    def place(self, number: int) -> Place:
        """The place of a cell of the word, counted from 0."""
        down, right = divmod(self._numbers[number], self._across)
        return self._first[0] + down, self._first[1] + right

    def number_of(self, place: Place) -> int | None:
        """The number of a cell of the word; `None` if it is not in this stretch."""
        ix = (place[0] - self._first[0]) * self._across + place[1] - self._first[1]
        return self._flags.count(1, 0, ix) if 0 <= ix < len(self._flags) else None

    def run_end(self, number: int) -> int:
        """Where the cells with the same mark end, from one of them on."""
        if isinstance(self.marks, list):
            return number + 1
        other = re.compile(b"[^" + re.escape(self.marks[number : number + 1]) + b"]", re.DOTALL)
        found = other.search(self.marks, number)
        return len(self.marks) if found is None else found.start()


class _Trace:
    """One word, read from its start. Cells that change nothing are passed over in long strides."""

    def __init__(self, reader: ContentReader, marks: Marks, place: Place, cells: Cells) -> None:
        self.reader = reader
        self.marks = marks
        self.place = place
        self.cells = cells
        self.states: _States | None = reader.acceptor.initial
        self.failed: Place | None = None
        self.wanted: tuple[str, ...] = ()
        self.count = 0
        self.at: int | None = None
        """The number of the cell in the word, once it was met."""
        self.noted: list[tuple[int, _Read]] = []
        """Cells near the asked one, by their number in the word."""
        self._after: dict[tuple[_States, int], _States] = {}
        self._held: list[frozenset[int]] = []

    def run(self) -> ContentTrace:
        """Read the word to its end, or as far as that can be done."""
        reader = self.reader
        is_row = reader.scope == "row"
        row, is_whole = (self.place[0] if is_row else 1), True
        while row <= self.marks.rows:
            block = self.marks.table.block(row)
            self._read(_Stretch(self.marks, reader.region, block, reader.scope, self.place))
            row = self.marks.rows + 1 if is_row else block.end
            is_shown = self.at is not None and self.count > self.at + AROUND + 1
            if row <= self.marks.rows and (
                self.count > MAX_CELLS or (self.states is None and is_shown)
            ):
                is_whole = False
                break
        return self._result(is_whole)

    def _read(self, stretch: _Stretch) -> None:
        size, number = len(stretch.marks), 0
        watched = deque(self._watched(stretch))
        if len(self._held) < len(self.marks.table.sets):
            self._held = self.reader.readings(self.marks)
        while number < size:
            end, states, after = size, self.states, None
            if states is not None:
                after = self._step(states, stretch.marks[number])
                end = stretch.run_end(number) if after == states else number + 1
            while watched and watched[0] < end:
                seen = watched.popleft()
                read = _Read(stretch.place(seen), stretch.marks[seen], states)
                self.noted.append((self.count + seen, read))
            if states is not None and not after:
                self.failed, self.wanted = stretch.place(number), self.reader.expected(states)
            self.states = after or None
            number = end
        self.count += size

    def _watched(self, stretch: _Stretch) -> list[int]:
        """The cells of a stretch that may be among the shown ones."""
        size = len(stretch.marks)
        if self.at is None:
            found = stretch.number_of(self.place)
            if found is None:
                del self.noted[:-AROUND]
                return list(range(max(0, size - AROUND), size))
            self.at = self.count + found
        near = range(self.at - AROUND - self.count, self.at + AROUND + 1 - self.count)
        return [number for number in near if 0 <= number < size]

    def _step(self, states: _States, mark: int) -> _States:
        key = states, mark
        if key not in self._after:
            self._after[key] = self.reader.after(states, self._held[mark])
        return self._after[key]

    # ------------------------------------------------------------- the trace

    def _result(self, is_whole: bool) -> ContentTrace:
        reader = self.reader
        at = self.at
        shown = [(n, read) for n, read in self.noted if at is not None and abs(n - at) <= AROUND]
        ends_early = (
            is_whole and self.states is not None and not reader.acceptor.accepts(self.states)
        )
        if ends_early and self.states is not None:
            self.wanted = reader.expected(self.states)
        fails = self.failed is not None or ends_early
        here = next((read for _, read in shown if read.place == self.place), None)
        is_shown = self.failed in [read.place for _, read in shown]
        return ContentTrace(
            reader.text,
            reader.scope,
            tuple(self._letter(read) for _, read in shown),
            shown[0][0] if shown else 0,
            bool(shown) and (not is_whole or self.count > shown[-1][0] + 1),
            () if here is None or here.states is None else reader.expected(here.states),
            "fails" if fails else "passes" if is_whole else "unknown",
            self.failed,
            None,
            self.wanted,
            ends_early,
            self._hint() if is_shown else None,
        )

    def _hint(self) -> str | None:
        assert self.failed is not None
        return self.reader.hint(self.wanted, self.cells(*self.failed))

    def _letter(self, read: _Read) -> Letter:
        text = shown_text(self.cells(*read.place))
        if read.states is None:
            return Letter(*read.place, text, (), ())
        reader, held = self.reader, self._held[read.mark]
        symbols = reader.acceptor.next_symbols(read.states)
        names = tuple(symbol.name for symbol in symbols if reader.reads(symbol, held))
        skipped = not names and _PADDING in held and not reader.strict
        return Letter(*read.place, text, reader.expected(read.states), names, skipped)
