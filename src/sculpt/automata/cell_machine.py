"""What happens at one cell: the step of the streaming evaluation (paper, section 4 and appendix).

In: a task whose remaining paths only go right and down. Out: a `CellMachine`:

    (what comes from the left, what comes from above, the letter of the cell)
        -> (what goes right, what goes down, what is found here)

From the left come the walkers that moved right and the states of the row's words. From above come
the walkers that moved down, the states of column words, and the number of the column if a selector
names it. `navigator` remembers these steps in arrays, and a kernel follows them over whole tables.

A cell that cannot continue the word of a `->` rule is reported. The machine then goes on as if the
cell had been one of those expected, and the kernel counts one violation per rule and row. So a
table full of errors needs no more states than a clean one. Invariant: the first violation of a `->`
rule in each row, and every other finding, is what the reference finds. Cost: linear in the walkers
at the cell.
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping
from enum import IntEnum
from types import MappingProxyType
from typing import NamedTuple

from sculpt.automata.nfa import Nfa, States
from sculpt.automata.paths import ALWAYS, Navigation
from sculpt.automata.scanner import DEFECTS, TEXT, Letter
from sculpt.automata.words import Columns, Words, with_word, word_of
from sculpt.core import ir
from sculpt.core.task import Task, type_names

_NOTHING: Mapping[int, int] = MappingProxyType({})


class Kind(IntEnum):
    """The kinds of notices that the kernel distinguishes."""

    ONCE_A_ROW = 0
    """Of a `->` rule: only the first in each row counts."""
    EACH = 1
    """Every one counts."""
    UNIQUE = 2
    """All but the first in the table count."""
    UNIQUE_IN_ROW = 3
    """All but the first in each row count."""
    SELECTED = 4
    """A cell of a selector whose cells are wanted."""
    UNCHECKED = 5
    """A cell that holds text, but is in the region of no rule."""


class Notice(NamedTuple):
    """What a cell can report; `subject` is the index of a rule or constraint, or a defect's bit."""

    kind: Kind
    what: str
    subject: int


UNCHECKED = Notice(Kind.UNCHECKED, "unchecked", 0)


class Left(NamedTuple):
    """What comes from the left."""

    row: int
    """The number of the row if some selector names it, else 0."""
    walkers: frozenset[int]
    words: int
    """The `->` rules that have selected a cell in this row, with their states: see `Words`."""
    regions: tuple[States | None, ...]
    """The states of the `=>` rules; `None` for one that has failed."""


class Above(NamedTuple):
    """What comes from above."""

    column: int
    """The number of the column if some selector names it, else 0."""
    walkers: frozenset[int]
    words: Columns
    """The `|>` rules that have selected a cell in this column, with their states."""


class Taken(NamedTuple):
    """The outcome of a step."""

    right: Left
    below: Above
    found: tuple[Notice, ...]
    selected: frozenset[int]
    """The rules that select the cell."""
    counted: frozenset[int]
    """The selectors that select it, of those whose cells are counted."""
    is_loud: bool
    """Something was found or selected that `right` and `below` do not show."""
    is_counted: bool
    """Cells like it are counted for a rule or a selector."""


class CellMachine:
    """The step; see the module docstring."""

    def __init__(
        self, task: Task, list_rules: dict[int, int], decided: Mapping[int, int] = _NOTHING
    ) -> None:
        """`list_rules` maps the number of a `.>` rule to its index in `Letter.outcome.lists`.

        `decided` maps a node whose truth is part of the letters, by identity, to its number.
        """
        self.decided = decided
        self.task = task
        self.tokens = task.schema.tokens
        self.strict = task.schema.dialect.strict_padding
        self.navigation = Navigation(task.selectors(), decided)
        self.words = Words()
        self.contents = [Nfa(rule.content) for rule in task.rules]
        self.regions = [ix for ix, rule in enumerate(task.rules) if rule.arrow == "=>"]
        self.list_rules = list_rules
        self.row_numbers = sorted(self.navigation.rows)
        self.column_numbers = sorted(self.navigation.columns)
        self.first_regions = tuple[States | None, ...](
            self.contents[ix].start for ix in self.regions
        )
        self._padding = frozenset(n for n, token in self.tokens.items() if token.matches_padding)
        self._rules_by_trigger: dict[object, list[int]] = {}
        for ix, rule in enumerate(task.rules):
            for trigger in self.navigation.triggers(rule.selector):
                self._rules_by_trigger.setdefault(trigger, []).append(ix)
        self._counted_by_trigger: dict[object, list[int]] = {}
        for ix, selector in enumerate(task.counted):
            for trigger in self.navigation.triggers(selector):
                self._counted_by_trigger.setdefault(trigger, []).append(ix)
        self._types = [
            {name: task.schema.types[name].selector for name in type_names(rule)}
            for rule in task.rules
        ]

    def forget_words(self, lefts: list[Left]) -> list[Left]:
        """Forget all lists of words but those of `lefts`; returns these with their new numbers."""
        old, self.words = self.words, Words()
        renewed: list[Left] = []
        for left in lefts:
            words = 0
            for rule, states in reversed(old.items(left.words)):
                words = self.words.changed(words, rule, states)
            renewed.append(left._replace(words=words))
        return renewed

    def is_warning(self, notice: Notice) -> bool:
        """Are the violations of a notice warnings?"""
        if notice.kind in (Kind.UNIQUE, Kind.UNIQUE_IN_ROW):
            return self.task.uniques[notice.subject].ending.is_warning
        if notice.what.endswith("-content"):
            return self.task.rules[notice.subject].ending.is_warning
        return False

    def all_notices(self) -> list[Notice]:
        """Every notice that a cell or the end of a row can give."""
        codes = {"->": "row-content", "=>": "region-content", "|>": "column-content"}
        return [
            *(Notice(Kind.EACH, code, bit) for bit, code in DEFECTS.items()),
            *(_unique_notice(ix, unique) for ix, unique in enumerate(self.task.uniques)),
            *(
                Notice(
                    Kind.ONCE_A_ROW if rule.arrow == "->" else Kind.EACH,
                    codes.get(rule.arrow, "list-content"),
                    ix,
                )
                for ix, rule in enumerate(self.task.rules)
            ),
            *(Notice(Kind.SELECTED, "selected", ix) for ix in range(len(self.task.targets))),
            *((UNCHECKED,) if self.task.coverage else ()),
        ]

    def row_start(self, row: int, regions: tuple[States | None, ...]) -> Left:
        """What comes from the left to the first cell of a row."""
        return Left(row, frozenset(), 0, regions)

    def column_start(self, column: int) -> Above:
        """What comes from above to the first row."""
        return Above(column, frozenset(), ())

    def row_end(self, left: Left) -> tuple[Notice, ...]:
        """What is found at the end of a row."""
        return tuple(
            Notice(Kind.ONCE_A_ROW, "row-content", ix)
            for ix, states in reversed(self.words.items(left.words))
            if not self.contents[ix].accepts(states)
        )

    def step(self, left: Left, above: Above, letter: Letter) -> Taken:
        """What goes right and down from a cell, and what is found there."""
        return _Cell(self, left, above, letter).take()


class _Cell:
    """One cell during its step."""

    def __init__(self, machine: CellMachine, left: Left, above: Above, letter: Letter) -> None:
        self.machine = machine
        self.left = left
        self.above = above
        self.letter = letter
        self.carried = machine._padding if letter.is_padded else letter.outcome.tokens
        self.truths: dict[int, bool] = {}
        self.active: dict[int, set[int]] = {}
        self.entering: dict[int, list[int]] = {}
        walkers = machine.navigation.walkers
        for walker in (*left.walkers, *above.walkers):
            self.entering.setdefault(walkers[walker].owner, []).append(walker)

    # ------------------------------------------------------------- selectors

    def holds(self, selector: ir.Selector) -> bool:
        match selector:
            case ir.Token(name):
                return name in self.carried
            case ir.Position(row, column):
                if id(selector) in self.machine.decided:
                    return self.machine.decided[id(selector)] in self.letter.decided
                return row in (None, self.left.row) and column in (None, self.above.column)
            case ir.Everything():
                return True
        key = id(selector)
        if key in self.machine.decided:
            return self.machine.decided[key] in self.letter.decided
        if key not in self.truths:
            self.truths[key] = self._find(selector)
        return self.truths[key]

    def _find(self, selector: ir.Selector) -> bool:
        match selector:
            case ir.Not(part):
                return not self.holds(part)
            case ir.And(parts):
                return all(self.holds(part) for part in parts)
            case ir.Or(parts):
                return any(self.holds(part) for part in parts)
            case ir.Reach():
                number = self.machine.navigation.number[id(selector)]
                return self.machine.navigation.applications[number].final in self.walk(number)
        raise AssertionError(selector)

    def walk(self, number: int) -> set[int]:
        """The walkers of an application at this cell, after everything that takes no move."""
        if number in self.active:
            return self.active[number]
        application = self.machine.navigation.applications[number]
        todo = list(self.entering.get(number, ()))
        if self.holds(application.node.origin):
            todo.append(application.start)
        walkers = self.machine.navigation.walkers
        seen = set(todo)
        while todo:
            walker = walkers[todo.pop()]
            targets = walker.free
            if walker.tests:
                targets = targets + [to for test, to in walker.tests if self.holds(test)]
            for target in targets:
                if target not in seen:
                    seen.add(target)
                    todo.append(target)
        self.active[number] = seen
        return seen

    def awake(self) -> list[object]:
        """What is true at this cell, as triggers; applications in the order of their numbers."""
        navigation = self.machine.navigation
        found: list[object] = [ALWAYS, *self.carried]
        if self.left.row:
            found.append(("row", self.left.row))
        if self.above.column:
            found.append(("column", self.above.column))
        found += [("decided", number) for number in self.letter.decided]
        queue = list(self.entering)
        known = set(queue)
        for trigger in found:
            for number in navigation.awakened.get(trigger, ()):
                if number not in known:
                    known.add(number)
                    queue.append(number)
        heapq.heapify(queue)
        while queue:
            number = heapq.heappop(queue)
            if navigation.applications[number].final in self.walk(number):
                found.append(number)
                for woken in navigation.awakened.get(number, ()):
                    if woken not in known:
                        known.add(woken)
                        heapq.heappush(queue, woken)
        return found

    # ------------------------------------------------------------- the step

    def take(self) -> Taken:
        machine = self.machine
        candidates: set[int] = set()
        others: set[int] = set()
        for trigger in self.awake():
            candidates.update(machine._rules_by_trigger.get(trigger, ()))
            others.update(machine._counted_by_trigger.get(trigger, ()))
        rules = machine.task.rules
        selected = [ix for ix in sorted(candidates) if self.holds(rules[ix].selector)]
        found: list[Notice] = []
        if machine.task.defects and self.letter.flags:
            found += [
                Notice(Kind.EACH, code, bit)
                for bit, code in DEFECTS.items()
                if self.letter.flags & bit
            ]
        for ix, unique in enumerate(machine.task.uniques):
            if self.holds(unique.selector):
                found.append(_unique_notice(ix, unique))
        words, columns = self.left.words, self.above.words
        regions = list(self.left.regions)
        is_loud = False
        for ix in selected:
            content = machine.contents[ix]
            match rules[ix].arrow:
                case "->":
                    begun = machine.words.find(words, ix)
                    states = content.start if begun is None else begun
                    after = self.read(ix, states)
                    if not after:
                        found.append(Notice(Kind.ONCE_A_ROW, "row-content", ix))
                        after = content.any_step(states) or states
                    words = machine.words.changed(words, ix, after)
                case "|>":
                    is_loud = True
                    above = word_of(columns, ix, content.start)
                    below = self.read(ix, above) or None if above is not None else None
                    columns = with_word(columns, ix, below)
                    if above is not None and below is None:
                        found.append(Notice(Kind.EACH, "column-content", ix))
                case "=>":
                    is_loud = True
                    place = machine.regions.index(ix)
                    before = regions[place]
                    regions[place] = self.read(ix, before) or None if before is not None else None
                    if before is not None and regions[place] is None:
                        found.append(Notice(Kind.EACH, "region-content", ix))
                case ".>":
                    is_loud = True
                    if not self.is_list(ix):
                        found.append(Notice(Kind.EACH, "list-content", ix))
        for ix, target in enumerate(machine.task.targets):
            if self.holds(target):
                found.append(Notice(Kind.SELECTED, "selected", ix))
        is_loud = is_loud or bool(found)
        if machine.task.coverage and not selected and self.letter.flags & TEXT:
            found.append(UNCHECKED)
        counted = [ix for ix in others if self.holds(machine.task.counted[ix])]
        right, down = self.moved()
        return Taken(
            Left(self.left.row, right, words, tuple(regions)),
            Above(self.above.column, down, columns),
            tuple(found),
            frozenset(selected),
            frozenset(counted),
            is_loud,
            machine.task.tallies and bool(selected or counted),
        )

    def moved(self) -> tuple[frozenset[int], frozenset[int]]:
        right: set[int] = set()
        down: set[int] = set()
        walkers = self.machine.navigation.walkers
        for active in self.active.values():
            for at in active:
                for direction, to in walkers[at].moves:
                    (right if direction == "right" else down).add(to)
        return frozenset(right), frozenset(down)

    # ------------------------------------------------------------- content

    def read(self, ix: int, states: States) -> States:
        content = self.machine.contents[ix]
        types = self.machine._types[ix]
        if not self.letter.is_padded:
            carried = self.carried
            return content.step(
                states,
                lambda symbol: (
                    self.holds(types[symbol.name]) if symbol.is_type else symbol.name in carried
                ),
            )
        tokens, strict = self.machine.tokens, self.machine.strict
        read = content.step(
            states,
            lambda symbol: (
                self.holds(types[symbol.name])
                if symbol.is_type
                else tokens[symbol.name].is_missing
                if strict
                else tokens[symbol.name].reads_padding
            ),
        )
        # A padded cell may be skipped, unless padding is strict.
        return read if strict else read | states

    def is_list(self, ix: int) -> bool:
        if self.letter.is_padded:
            content = self.machine.contents[ix]
            return content.accepts(content.start)
        return self.machine.list_rules[ix] in self.letter.outcome.lists


def _unique_notice(ix: int, unique: ir.CoreUnique) -> Notice:
    in_row = unique.kind == "unique-per-row"
    return Notice(Kind.UNIQUE_IN_ROW if in_row else Kind.UNIQUE, unique.kind, ix)
