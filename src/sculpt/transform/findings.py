"""What goes wrong in a program at run time: a look-up, a cast, an index.

In: places in the table and what was meant to be there. Out: `Violation`s, the first of them in
words, all of them counted. No record is dropped silently: a value that cannot be had is reported
with its coordinates, and is null if the run goes on all the same (`--force`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from sculpt.verdict import DEFAULT_MAX_VIOLATIONS, Violation


@dataclass
class Findings:
    """The findings of a run over one table."""

    limit: int = DEFAULT_MAX_VIOLATIONS
    count: int = 0
    violations: list[Violation] = field(default_factory=list)

    def add(self, places: Iterable[int], count: int, said: Callable[[int], Violation]) -> None:
        """So many findings; `said` puts the one at a place into words."""
        self.count += count
        for place in places:
            if len(self.violations) >= self.limit:
                return
            self.violations.append(said(place))

    def merge(self, count: int, violations: Iterable[Violation]) -> None:
        """Those of another part of the table."""
        self.count += count
        self.violations = [*self.violations, *violations][: self.limit]


def finding(
    code: str, line: int, row: int | None, column: int | None, found: str | None, message: str
) -> Violation:
    """A finding at a cell; `line` is that of the program."""
    return Violation(
        code=code,
        rule=None,
        line=line,
        row=row,
        column=column,
        offset=None,
        found=found,
        tokens=(),
        expected=(),
        message=message,
    )
