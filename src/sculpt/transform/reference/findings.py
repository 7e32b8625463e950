"""What has gone wrong so far in a run, and who hears of it.

In: what is wrong with a value, where and when. Out: the findings, each with its sort key; for
their order see `evaluation.findings`.

Invariant: `optional` silences the findings inside it, except those that `one` insists on. What a
`let` names is computed once in an iteration, and its findings are the same objects at each use.
Cost: a list of all findings.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sculpt.engines.reference import Coordinate
from sculpt.transform.evaluation.findings import finding
from sculpt.transform.reference.places import Place
from sculpt.transform.reference.texts import Datum
from sculpt.values import frozen
from sculpt.verdict import Violation

BY_ROW, AT_THE_END = range(2)
"""When a finding is made: in a loop over cells or rows, or when the whole table is known."""


@frozen(slots=False)
class Found:
    """A finding, with its sort key."""

    key: tuple[int, int, int]
    what: Violation


class Findings:
    """The findings of a run, in the order in which they are made."""

    def __init__(self) -> None:
        self.found: list[tuple[Found, bool]] = []
        """The findings; is each reported even inside `optional`?"""
        self.named: dict[int, tuple[Datum | Coordinate, list[tuple[Found, bool]]]] = {}
        """By number of a `let`, in this iteration: what it is, and what is wrong with it."""
        self.key = (AT_THE_END, 0, 0)
        """The sort key of what is found now."""

    def __len__(self) -> int:
        return len(self.found)

    def report(
        self,
        code: str,
        line: int,
        place: Place | Coordinate,
        found: str | None,
        message: str,
        hint: str | None = None,
    ) -> None:
        """Report that something is wrong at a place."""
        row, column = (place.row, place.column) if isinstance(place, Place) else place
        what = finding(code, line, row, column, found, message, hint)
        self.found.append((Found(self.key, what), False))

    def distinct(self) -> list[Found]:
        """The findings, each once: those of a `let` at its first use."""
        return list({id(found): found for found, _ in self.found}.values())

    def silence_since(self, before: int) -> None:
        """Forget the findings since then, except those that are reported in any case."""
        self.found[before:] = [each for each in self.found[before:] if each[1]]

    def insist_since(self, before: int) -> None:
        """Report the findings since then in any case."""
        self.found[before:] = [(found, True) for found, _ in self.found[before:]]

    def let(self, number: int, compute: Callable[[], Any]) -> Any:
        """What has a name, computed once in an iteration."""
        if number not in self.named:
            before, self.found = self.found, []
            value = compute()
            self.named[number] = value, self.found
            self.found = before
        value, found = self.named[number]
        self.found += found
        return value
