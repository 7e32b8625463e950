"""The places that a loop visits: its cells, rows or columns.

In: the kind of a loop and the cells of its region. Out: a `Place` for each iteration, in table
order. Section 5.3 of the paper, `docs/language.md#program-statements`.

Invariant: a row or column without cells of the region is no place. Cost: a pass over the cells for
each row or column, as it is defined.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from sculpt.engines.reference import Coordinate, Region
from sculpt.syntax.programs.tree import LoopKind
from sculpt.values import frozen


@frozen
class Place:
    """A cell, a row or a column with its cells of the region; empty outside of loops."""

    row: int | None = None
    column: int | None = None
    cells: tuple[Coordinate, ...] = ()


def places_of(kind: LoopKind, region: Region) -> Iterator[Place]:
    """The places of a loop over a region."""
    cells = sorted(region)
    match kind:
        case "cell":
            for row, column in cells:
                yield Place(row, column, ((row, column),))
        case "row":
            for number in sorted({row for row, _ in cells}):
                yield Place(number, None, tuple(each for each in cells if each[0] == number))
        case "column":
            for number in sorted({column for _, column in cells}):
                yield Place(None, number, tuple(each for each in cells if each[1] == number))
        case _:
            assert_never(kind)
