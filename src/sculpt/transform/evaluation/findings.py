"""What goes wrong in a program at run time: a look-up, a cast, an index.

In: places in the table and what is wrong there. Out: `Violation`s: all of them are counted, and the
first are put into words. No record is dropped silently: a value that cannot be computed is
reported with its coordinates, and is null if the run goes on anyway (`--force`).

Invariant: the order is that of the table, whatever the strips and chunks: first the findings of
loops over cells and rows, row by row; then those made when the whole table is known, statement by
statement.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from itertools import islice

from sculpt.core.programs.look_ups import LookUp
from sculpt.values import field, mutable
from sculpt.verdict import DEFAULT_MAX_VIOLATIONS, Violation


@mutable
class Findings:
    """The findings of a run."""

    limit: int = DEFAULT_MAX_VIOLATIONS
    count: int = 0
    violations: list[Violation] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    """The file of each violation, set when the findings of a file are merged into those of all."""
    _keys: list[tuple[int, int]] = field(default_factory=list)
    """The row and column of the iteration in which each was made."""

    def add(
        self,
        places: Iterable[int],
        count: int,
        describe: Callable[[int], Violation],
        key: Callable[[int], tuple[int | None, int | None]],
    ) -> None:
        """Add `count` findings, in order; `describe` puts the one at a place into words.

        `key` returns the row and column of a place's iteration. `sort` applies the limit, when all
        are known.
        """
        self.count += count
        for place in islice(places, self.limit):
            row, column = key(place)
            self.violations.append(describe(place))
            self._keys.append((row or 0, column or 0))

    def sort(self) -> None:
        """Sort them by iteration, and keep the first `limit`."""
        keys = self._keys
        order = sorted(range(len(keys)), key=keys.__getitem__)[: self.limit]
        self.violations = [self.violations[ix] for ix in order]
        self._keys = [keys[ix] for ix in order]

    def merge(self, count: int, violations: Iterable[Violation], path: str) -> None:
        """Add the findings of another file, or of another part of one."""
        self.count += count
        room = max(0, self.limit - len(self.violations))
        more = list(islice(violations, room))
        self.violations += more
        self.paths += [path] * len(more)


def named(text: str) -> str:
    """A text as it is quoted in a sentence."""
    return f"`{text}`" if text else "an empty text"


_CLOSEST = re.compile(r"closest\s*\(\s*\w+\s*,\s*")


def single_look_up(
    look_up: LookUp, origin: tuple[int, int], first: tuple[int, int], second: tuple[int, int]
) -> str | None:
    """The look-up that finds only one of several cells, for a hint; rows and columns from 1.

    `closest` finds all cells of the first row (or column) that has any. So `directly` finds the one
    that is in the column (or row) of the origin; and `within` finds the first of them, if it looks
    no further than that one.
    """
    head = _CLOSEST.match(look_up.text)
    if look_up.kind != "closest" or head is None:
        return None
    rest = look_up.text[head.end() :]
    across = 1 if look_up.direction in ("up", "down") else 0
    for cell in (first, second):
        if cell[across] == origin[across] and cell != origin:
            return f"`directly({look_up.direction}, {rest}` finds only {shown(*cell)}"
    far = first[across] - origin[across]
    call = f"within({look_up.direction}, {max(0, -far)}, {max(0, far)}, {rest}"
    return f"`{call}` finds only {shown(*first)}"


def shown(row: int, column: int) -> str:
    """A place as messages name it."""
    return f"({row},{column})"


def finding(
    code: str,
    line: int,
    row: int | None,
    column: int | None,
    found: str | None,
    message: str,
    hint: str | None = None,
) -> Violation:
    """A finding at a cell; `line` is the line of the program."""
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
        hint=hint,
    )


def none_found(text: str) -> str:
    """What is said of a `find` without a row."""
    return f"`{text}` finds no row"


def several_found(text: str, first: int, second: int) -> str:
    """What is said of a `find` with several rows."""
    return f"`{text}` finds several rows: {first} and {second}"
