"""Chunks as maps from what enters them to what leaves them, and how they are put together.

In: for each chunk of a file, what left it in a few runs (`Crossings`), each run with other marks
put at its edges (`Probe`). Out: what truly enters each chunk.

Within a stratum these maps are linear (`automata/strata.py`), so what leaves for a set of marks is
the union of what leaves for each; walks may turn and come back, so what enters all chunks is the
least fixpoint, reached by going down and up over the chunks until nothing is new. This needs no
data: only the runs do, and they are all made in one job.

Marks stand in columns: a `Vector` is runs of columns with the same marks. Cost: linear in the runs
of the vectors and the marks that are there, times the turns that walks take between chunks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

from sculpt.automata.strata import Group, Mark
from sculpt.values import frozen

Marks: TypeAlias = frozenset[Mark]
Vector: TypeAlias = tuple[tuple[int, Marks], ...]
"""Runs of columns (end, marks), the last up to the width of the table."""

NO_MARKS: Marks = frozenset()


@frozen
class Crossings:
    """What crosses the edges of a chunk: downwards and upwards."""

    down: Vector
    up: Vector


def nothing(width: int) -> Crossings:
    """No walk crosses an edge."""
    empty = ((width, NO_MARKS),) if width else ()
    return Crossings(empty, empty)


@frozen
class Probe:
    """The marks that one run of a chunk begins with, besides those that are known."""

    everywhere: Marks
    """Marks of local groups, in every column."""
    single: tuple[Mark, int] | None = None
    """A mark of another group, in one column (from 1)."""


class Stratum:
    """The probes of a stratum, and what their runs tell together."""

    def __init__(self, groups: Sequence[Group], width: int) -> None:
        self.groups = groups
        self.width = width
        self.marks: Marks = frozenset(mark for group in groups for mark in group.marks)
        local = [group for group in groups if group.is_local]
        count = max((len(group.marks) for group in local), default=0)
        probes = [
            Probe(frozenset(g.marks[ix] for g in local if ix < len(g.marks))) for ix in range(count)
        ]
        self._group_of = {mark: frozenset(g.marks) for g in groups for mark in g.marks}
        self._local = {mark: ix for g in local for ix, mark in enumerate(g.marks)}
        self._single: dict[tuple[Mark, int], int] = {}
        for mark in (mark for group in groups if not group.is_local for mark in group.marks):
            for column in range(1, width + 1):
                self._single[mark, column] = len(probes)
                probes.append(Probe(NO_MARKS, (mark, column)))
        self.probes = probes
        """The runs of each chunk, after one without any of these marks."""

    def leaving(self, runs: Sequence[Crossings], entering: Crossings) -> Crossings:
        """What leaves a chunk, whose runs are given, for what enters it."""
        born, *probed = runs
        extra: list[tuple[int, Marks]] = []
        begin = 0
        for end, marks in union([entering.down, entering.up]):
            for mark in marks:
                if mark not in self._local:
                    group = self._group_of[mark]
                    columns = range(begin + 1, end + 1)
                    extra += [(self._single[mark, column], group) for column in columns]
            begin = end
        down = self._side([run.down for run in (born, *probed)], entering, extra)
        up = self._side([run.up for run in (born, *probed)], entering, extra)
        return Crossings(down, up)

    def _side(
        self, runs: Sequence[Vector], entering: Crossings, extra: Iterable[tuple[int, Marks]]
    ) -> Vector:
        sides = [entering.down, entering.up, *runs]
        vector: list[tuple[int, Marks]] = []
        more = list(extra)
        for end, (down, up, born, *probed) in segments(sides):
            found = born & self.marks
            for mark in (*down, *up):
                if mark in self._local:
                    found |= probed[self._local[mark]] & self._group_of[mark]
            for ix, group in more:
                found |= probed[ix] & group
            vector.append((end, found))
        return shortened(vector)

    def solve(self, chunks: Sequence[Sequence[Crossings]]) -> list[Crossings]:
        """What enters each chunk: the least fixpoint over the edges between them."""
        empty = nothing(self.width)
        entering = [empty for _ in chunks]
        order: Iterable[int] = range(len(chunks))
        changed = set(range(len(chunks)))
        while changed:
            for at in order:
                if at not in changed:
                    continue
                changed.discard(at)
                leaving = self.leaving(chunks[at], entering[at])
                if at + 1 < len(chunks):
                    below = Crossings(leaving.down, entering[at + 1].up)
                    if below != entering[at + 1]:
                        entering[at + 1] = below
                        changed.add(at + 1)
                if at > 0:
                    above = Crossings(entering[at - 1].down, leaving.up)
                    if above != entering[at - 1]:
                        entering[at - 1] = above
                        changed.add(at - 1)
            order = reversed(order) if isinstance(order, range) else range(len(chunks))
        return entering


def segments(vectors: Sequence[Vector]) -> Iterator[tuple[int, list[Marks]]]:
    """The columns in which none of the vectors changes: their end, and the marks of each."""
    at = [0] * len(vectors)
    if not vectors or not vectors[0]:
        return
    width = vectors[0][-1][0]
    end = 0
    while end < width:
        end = min(vector[ix][0] for vector, ix in zip(vectors, at, strict=True))
        yield end, [vector[ix][1] for vector, ix in zip(vectors, at, strict=True)]
        for number, vector in enumerate(vectors):
            if vector[at[number]][0] == end:
                at[number] += 1


def union(vectors: Sequence[Vector]) -> Vector:
    """The marks of all, column by column."""
    return shortened((end, NO_MARKS.union(*marks)) for end, marks in segments(vectors))


def shortened(runs: Iterable[tuple[int, Marks]]) -> Vector:
    """The same vector, with neighbouring runs of equal marks as one."""
    vector: list[tuple[int, Marks]] = []
    for end, marks in runs:
        if vector and vector[-1][1] == marks:
            vector[-1] = (end, marks)
        else:
            vector.append((end, marks))
    return tuple(vector)


def joined(sides: Sequence[Crossings]) -> Crossings:
    """All that crosses, of several strata."""
    return Crossings(union([side.down for side in sides]), union([side.up for side in sides]))
