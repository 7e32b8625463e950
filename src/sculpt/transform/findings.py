"""What goes wrong in a program at run time: a look-up, a cast, an index.

In: places in the table and what was meant to be there. Out: `Violation`s, the first of them in
words, all of them counted. No record is dropped silently: a value that cannot be had is reported
with its coordinates, and is null if the run goes on all the same (`--force`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import islice

from sculpt.verdict import DEFAULT_MAX_VIOLATIONS, Violation


@dataclass
class Findings:
    """The findings of a run."""

    limit: int = DEFAULT_MAX_VIOLATIONS
    count: int = 0
    violations: list[Violation] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    """The file of each violation; those of one file are merged into those of all."""

    def add(self, places: Iterable[int], count: int, said: Callable[[int], Violation]) -> None:
        """So many findings; `said` puts the one at a place into words."""
        self.count += count
        for place in places:
            if len(self.violations) >= self.limit:
                return
            self.violations.append(said(place))

    def merge(self, count: int, violations: Iterable[Violation], path: str) -> None:
        """Those of another file, or of another part of one."""
        self.count += count
        room = max(0, self.limit - len(self.violations))
        more = list(islice(violations, room))
        self.violations += more
        self.paths += [path] * len(more)


def named(text: str) -> str:
    """A text in a sentence."""
    return f"`{text}`" if text else "an empty text"


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
