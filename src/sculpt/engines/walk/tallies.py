"""What walks count: cells, rows and violations, as sums that can be added.

In: the counts of a walk by step, by left and by notice (`kernels/loops/walking/counts.py`), and
what the navigator knows about these. Out: `Tallies` of the rows that were walked through, by rule,
constraint and selector; `Met`, what was met at all. Invariant: both are plain values that depend
only on the rows, not on how the steps are numbered, so those of chunks can be sent between
processes and added. Cost: linear in the steps that were used.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from operator import add
from typing import Any, NamedTuple

from sculpt.automata.navigator import Navigator
from sculpt.automata.scanner import TEXT
from sculpt.values import frozen


@frozen
class Met:
    """What the cells of some rows have met."""

    rules: frozenset[int] = frozenset()
    """The rules that have selected a cell."""
    uniques: frozenset[int] = frozenset()
    """The constraints that have."""
    tokens: frozenset[str] = frozenset()
    """The tokens that cells have carried."""

    def joined(self, other: Met) -> Met:
        """What the cells of both have met."""
        uniques, tokens = self.uniques | other.uniques, self.tokens | other.tokens
        return Met(self.rules | other.rules, uniques, tokens)


class Tallies(NamedTuple):
    """Sums over some rows of a table.

    A cell in a column that only other rows have is padding of the table, and rules may select it;
    but how many columns there are shows only at the end. Such cells are alike, so their number is
    a number for each column: `beyond` times the width of the table, less what `selected` lacks.
    """

    selected: tuple[int, ...]
    """By rule: the cells that it selects, less one for each column of a row in `beyond`."""
    beyond: tuple[int, ...]
    """By rule: the rows in which it selects all cells beyond the width that the table had."""
    rows: tuple[int, ...]
    """By rule, for `->`: the rows in which it selects a cell."""
    uniques: tuple[int, ...]
    """By constraint: the cells of its region."""
    counted: tuple[int, ...]
    """Like `selected`, for selectors whose cells are counted."""
    counted_beyond: tuple[int, ...]
    found: tuple[int, ...]
    """By notice: the violations, except those that show at the end of the table."""
    cells: tuple[int, int, int]
    """Real cells; those of them that hold text; those of these that some rule selects."""

    def plus(self, other: Tallies) -> Tallies:
        """The sums over the rows of both."""
        pairs: Iterator[tuple[Any, Any]] = zip(self, other, strict=True)
        return Tallies(*(tuple(map(add, ours, theirs)) for ours, theirs in pairs))

    def with_found(self, more: Mapping[int, int]) -> Tallies:
        """The same with further violations, by notice."""
        found = (count + more.get(notice, 0) for notice, count in enumerate(self.found))
        return self._replace(found=tuple(found))

    def selected_in(self, width: int) -> list[int]:
        """By rule: the cells that it selects in a table of some width."""
        return [n + width * rows for n, rows in zip(self.selected, self.beyond, strict=True)]

    def counted_in(self, width: int) -> list[int]:
        """By selector whose cells are counted: its cells in a table of some width."""
        return [n + width * rows for n, rows in zip(self.counted, self.counted_beyond, strict=True)]


def met_in(navigator: Navigator, counts: Any) -> Met:
    """What was met by the cells that took these steps."""
    rules, uniques, tokens = set[int](), set[int](), set[str]()
    for entry, taken in enumerate(navigator.taken[: len(counts)]):
        if counts[entry]:
            rules |= taken.selected
            uniques.update(each.subject for each in taken.found if each.what in _UNIQUE)
            tokens |= navigator.letters[navigator.entry_keys[entry] & 0xFFFFF].outcome.tokens
    return Met(frozenset(rules), frozenset(uniques), frozenset(tokens))


def tallied(navigator: Navigator, counts: Any, beyond: Any, ends: Any, found: Any) -> Tallies:
    """The sums of counts by step, by left and by notice; see `walk_arrays.Ledger`."""
    task, words = navigator.machine.task, navigator.machine.words
    selected, rule_beyond = [0] * len(task.rules), [0] * len(task.rules)
    counted, counted_beyond = [0] * len(task.counted), [0] * len(task.counted)
    rows, uniques = [0] * len(task.rules), [0] * len(task.uniques)
    cells = texts = checked = 0
    for entry, taken in enumerate(navigator.taken[: len(counts)]):
        count, further = int(counts[entry]), int(beyond[2 * entry])
        if not count and not further:
            continue
        for numbers, sums, sums_beyond in (
            (taken.selected, selected, rule_beyond),
            (taken.counted, counted, counted_beyond),
        ):
            for ix in numbers:
                sums[ix] += count - int(beyond[2 * entry + 1])
                sums_beyond[ix] += further
        for notice in taken.found:
            if notice.what in _UNIQUE:
                uniques[notice.subject] += count
        letter = navigator.letters[navigator.entry_keys[entry] & 0xFFFFF]
        if not letter.is_padded:
            cells += count
            if letter.flags & TEXT:
                texts += count
                checked += count if taken.selected else 0
    for left, state in enumerate(navigator.lefts[: len(ends)]):
        if count := int(ends[left]):
            for rule, _ in words.items(state.words):
                rows[rule] += count
    return Tallies(
        selected=tuple(selected),
        beyond=tuple(rule_beyond),
        rows=tuple(rows),
        uniques=tuple(uniques),
        counted=tuple(counted),
        counted_beyond=tuple(counted_beyond),
        found=tuple(map(int, found)),
        cells=(cells, texts, checked),
    )


_UNIQUE = ("unique", "unique-per-row")
