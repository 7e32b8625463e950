"""Chunks as maps from what enters them to what leaves them, and how these maps compose.

In: for each chunk of a file, what left it (`Traffic`) in a few trials, each with other crossings at
its edges (`Trial`). Out: what truly enters each chunk.

Within a stratum these maps are linear (`automata/strata.py`): what leaves for a set of crossings is
the union of what leaves for each of them. Walks may turn and come back, so what enters the chunks
is a least fixpoint, reached by going down and up over the chunks until nothing is new. This needs
no data: only the trials do, and all of them are made in one round.

Each crossing is in some column: a `Vector` is runs of columns with the same crossings. Cost: linear
in the runs of the vectors and their crossings, times the turns that walks take between chunks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

from sculpt.automata.strata import Crossing, Group
from sculpt.values import frozen

Crossings: TypeAlias = frozenset[Crossing]
Vector: TypeAlias = tuple[tuple[int, Crossings], ...]
"""Runs of columns (end, crossings), the last up to the width of the table."""

NO_CROSSINGS: Crossings = frozenset()


@frozen
class Traffic:
    """What crosses the edges of a chunk: downwards and upwards."""

    down: Vector
    up: Vector


def no_traffic(width: int) -> Traffic:
    """No walk crosses an edge."""
    empty = ((width, NO_CROSSINGS),) if width else ()
    return Traffic(empty, empty)


@frozen
class Trial:
    """The crossings that enter a chunk in one trial, besides those that are known to."""

    everywhere: Crossings
    """Crossings of local groups, in every column."""
    single: tuple[Crossing, int] | None = None
    """A crossing of a group that is not local, in one column (from 1)."""


class Stratum:
    """The trials of a stratum, and what follows from their results."""

    def __init__(self, groups: Sequence[Group], width: int) -> None:
        self.groups = groups
        self.width = width
        self.crossings: Crossings = frozenset(
            crossing for group in groups for crossing in group.crossings
        )
        local = [group for group in groups if group.is_local]
        count = max((len(group.crossings) for group in local), default=0)
        trials = [
            Trial(frozenset(g.crossings[ix] for g in local if ix < len(g.crossings)))
            for ix in range(count)
        ]
        self._group_of = {
            crossing: frozenset(g.crossings) for g in groups for crossing in g.crossings
        }
        self._local = {crossing: ix for g in local for ix, crossing in enumerate(g.crossings)}
        self._single: dict[tuple[Crossing, int], int] = {}
        for crossing in (
            crossing for group in groups if not group.is_local for crossing in group.crossings
        ):
            for column in range(1, width + 1):
                self._single[crossing, column] = len(trials)
                trials.append(Trial(NO_CROSSINGS, (crossing, column)))
        self.trials = trials
        """The trials of each chunk; one without any of these crossings comes before them."""

    def leaving(self, results: Sequence[Traffic], entering: Traffic) -> Traffic:
        """What leaves a chunk, given what enters it and what left it in each trial."""
        extra: list[tuple[int, Crossings]] = []
        begin = 0
        for end, crossings in union([entering.down, entering.up]):
            for crossing in crossings:
                if crossing not in self._local:
                    group = self._group_of[crossing]
                    columns = range(begin + 1, end + 1)
                    extra += [(self._single[crossing, column], group) for column in columns]
            begin = end
        down = self._side([result.down for result in results], entering, extra)
        up = self._side([result.up for result in results], entering, extra)
        return Traffic(down, up)

    def _side(
        self, results: Sequence[Vector], entering: Traffic, extra: Iterable[tuple[int, Crossings]]
    ) -> Vector:
        sides = [entering.down, entering.up, *results]
        vector: list[tuple[int, Crossings]] = []
        more = list(extra)
        for end, (down, up, born, *probed) in segments(sides):
            found = born & self.crossings
            for crossing in (*down, *up):
                if crossing in self._local:
                    found |= probed[self._local[crossing]] & self._group_of[crossing]
            for ix, group in more:
                found |= probed[ix] & group
            vector.append((end, found))
        return shortened(vector)

    def solve(self, chunks: Sequence[Sequence[Traffic]]) -> list[Traffic]:
        """What enters each chunk: the least fixpoint over the edges between them."""
        empty = no_traffic(self.width)
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
                    below = Traffic(leaving.down, entering[at + 1].up)
                    if below != entering[at + 1]:
                        entering[at + 1] = below
                        changed.add(at + 1)
                if at > 0:
                    above = Traffic(entering[at - 1].down, leaving.up)
                    if above != entering[at - 1]:
                        entering[at - 1] = above
                        changed.add(at - 1)
            order = reversed(order) if isinstance(order, range) else range(len(chunks))
        return entering


def segments(vectors: Sequence[Vector]) -> Iterator[tuple[int, list[Crossings]]]:
    """Runs of columns in which no vector changes: the end of each run, and each one's crossings."""
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
    """The crossings of all vectors, column by column."""
    return shortened((end, NO_CROSSINGS.union(*crossings)) for end, crossings in segments(vectors))


def shortened(runs: Iterable[tuple[int, Crossings]]) -> Vector:
    """The same vector, with adjacent runs of equal crossings joined."""
    vector: list[tuple[int, Crossings]] = []
    for end, crossings in runs:
        if vector and vector[-1][1] == crossings:
            vector[-1] = (end, crossings)
        else:
            vector.append((end, crossings))
    return tuple(vector)


def joined(sides: Sequence[Traffic]) -> Traffic:
    """The traffic of several strata together."""
    return Traffic(union([side.down for side in sides]), union([side.up for side in sides]))
