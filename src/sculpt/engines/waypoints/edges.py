"""Waypoints: rows from which a walk can start again, with all that comes down to them.

In: the edges that a walk has passed. Out: `Waypoint`s, whose edges are packed: equal ones are kept
once, and a wide one takes a few bytes a run instead of an object. Invariant: an edge that is
unpacked equals the one that was packed, whatever the machines have forgotten since.
"""

from __future__ import annotations

import zlib
from array import array
from collections.abc import Hashable
from typing import Literal as OneOf
from typing import NamedTuple

from sculpt.automata.cell_machine import UNCHECKED as NO_RULE
from sculpt.automata.cell_machine import Above, Taken
from sculpt.automata.nfa import States
from sculpt.engines.walk.walk import Edge
from sculpt.values import frozen


class Mark(NamedTuple):
    """What a cell can be marked with: a rule or a selector that selects it, or that none does."""

    what: OneOf["rule", "selector", "unchecked"]
    number: int = 0
    """The index of the rule or the selector."""


UNCHECKED = Mark("unchecked")
"""The mark of cells with text that no rule selects."""


class Marks(NamedTuple):
    """The marks of a cell, or of some cells together."""

    rules: frozenset[int] = frozenset()
    selectors: frozenset[int] = frozenset()
    unchecked: bool = False

    @classmethod
    def of_step(cls, taken: Taken) -> Marks:
        """The marks of a cell that takes a step."""
        return cls(taken.selected, taken.counted, NO_RULE in taken.found)

    def has(self, mark: Mark) -> bool:
        """Is this mark one of them?"""
        if mark.what == "unchecked":
            return self.unchecked
        return mark.number in (self.rules if mark.what == "rule" else self.selectors)


@frozen
class PackedEdge:
    """An edge in little memory."""

    runs: bytes
    """Packed: the ends of the runs, then the numbers of what comes down to them."""
    carry: tuple[States | None, ...]


@frozen
class Waypoint:
    """A row from which a walk can start again, and what is known of the rows up to the next one."""

    above: int
    """The number of rows above it."""
    begin: int
    """Where its row begins in the data."""
    end: int | None
    """Where the next one begins; `None` for the last."""
    edge: PackedEdge | None
    """What comes down to it; `None` at the top of the table."""
    firsts: tuple[tuple[int, tuple[int, int, int]], ...]
    """By notice of `unique`: row, column and row start of the first cell above."""
    count: int
    """Violations in its rows."""
    marks: Marks | None
    """The marks that cells of its rows have; `None` if they may have any."""
    entering: tuple[tuple[int, Hashable, Hashable], ...] = ()
    """By node that is decided before the walk: the walks that enter the rows from above and from
    below, packed; `None` without any."""


class EdgeStore:
    """Packs edges, and keeps equal parts of them once."""

    def __init__(self) -> None:
        self._aboves: list[Above] = []
        self._numbers: dict[Above, int] = {}
        self._packed: dict[PackedEdge, PackedEdge] = {}

    def pack(self, edge: Edge) -> PackedEdge:
        """An edge, packed."""
        numbers = [self._number(above) for _, above in edge.runs]
        flat = array("q", [*(end for end, _ in edge.runs), *numbers])
        packed = PackedEdge(zlib.compress(flat.tobytes(), 1), edge.carry)
        return self._packed.setdefault(packed, packed)

    def unpack(self, packed: PackedEdge, width: int) -> Edge:
        """The edge that was packed, in a table of some width."""
        flat = array("q", zlib.decompress(packed.runs))
        half = len(flat) // 2
        ends, aboves = flat[:half], (self._aboves[number] for number in flat[half:])
        return Edge(tuple(zip(ends, aboves, strict=True)), packed.carry, width)

    def _number(self, above: Above) -> int:
        number = self._numbers.setdefault(above, len(self._aboves))
        if number == len(self._aboves):
            self._aboves.append(above)
        return number
