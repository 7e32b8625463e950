"""What crosses the edges of a chunk, in all its forms: crossings, walkers, words, sets of states.

In: crossings in columns (`relations`), and the machines that number states. Out: an `Intake`, which
is all that is known to enter a chunk; the `Edge` that a walk starts from; the sets of states that a
resolver takes; and back again. Cost: linear in the runs of the vectors; for a resolver, in the
columns.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, TypeVar

from sculpt.automata.cell_machine import Above
from sculpt.automata.nfa import States
from sculpt.automata.strata import Crossing
from sculpt.automata.words import Columns
from sculpt.engines.chunks.relations import (
    NO_CROSSINGS,
    Crossings,
    Traffic,
    Vector,
    no_traffic,
    shortened,
)
from sculpt.engines.machines import Machines
from sculpt.engines.walk.walk import Edge, Walk
from sculpt.kernels.backend import Backend
from sculpt.kernels.loops.reach import WORD
from sculpt.kernels.loops.walking.walk_arrays import ENDLESS
from sculpt.values import frozen

Payload = TypeVar("Payload")


@frozen
class Intake:
    """All that is known to enter a chunk."""

    rows: int
    """The number of rows above it."""
    width: int
    """Of the whole table."""
    traffic: Traffic
    edge: Edge | None = None
    """What the row above hands down, if all of it is known."""
    firsts: tuple[tuple[int, tuple[int, int, int]], ...] = ()
    """By notice of `unique`: row, column and row start of the first cell."""


def true_edge(machines: Machines, width: int, entering: Traffic) -> Edge:
    """The edge above a chunk: the walkers that come down, and no words yet."""
    regions = machines.navigator.machine.first_regions
    return edge_of(machines, entering.down, width, ((ENDLESS, ()),), regions)


def edge_of(
    machines: Machines,
    down: Vector,
    width: int,
    words: Sequence[tuple[int, Columns]],
    carry: tuple[States | None, ...],
) -> Edge:
    """An edge with these walkers, words of columns and words of regions."""
    navigator = machines.navigator
    columns = [(end, navigator.aboves[above]) for end, above in navigator.first_vector()]
    runs: list[tuple[int, Above]] = []
    stretched = _endless(down, NO_CROSSINGS)
    for end, (column, crossings, its_words) in together(columns, stretched, list(words)):
        walkers = frozenset(crossing.state for crossing in crossings if crossing.node < 0)
        above = Above(column.column, walkers, its_words)
        if runs and runs[-1][1] == above:
            runs[-1] = (end, above)
        else:
            runs.append((end, above))
    return Edge(tuple(runs), carry, width)


def _endless(vector: Sequence[tuple[int, Payload]], rest: Payload) -> list[tuple[int, Payload]]:
    return [*vector, (ENDLESS, rest)]


def together(*vectors: Sequence[tuple[int, Any]]) -> Iterator[tuple[int, list[Any]]]:
    """Runs of columns in which no vector changes: the end of each run, and the value of each."""
    at = [0] * len(vectors)
    end = 0
    while end < ENDLESS:
        end = min(vector[ix][0] for vector, ix in zip(vectors, at, strict=True))
        yield end, [vector[ix][1] for vector, ix in zip(vectors, at, strict=True)]
        for number, vector in enumerate(vectors):
            at[number] += vector[at[number]][0] == end


def walkers_down(walk: Walk, width: int) -> Vector:
    """The walkers that leave a chunk downwards."""
    vector = []
    for end, above in walk.edge().runs:
        vector.append((min(end, width), frozenset(Crossing(-1, each) for each in above.walkers)))
        if end >= width:
            break
    return shortened(vector) if width else ()


def states_of(vector: Vector, like: Crossing, words: int, backend: Backend) -> Any:
    """The crossings of one node and direction, as sets of states by column; `None` without any."""
    width = vector[-1][0] if vector else 0
    found: Any = None
    begin = 0
    for end, crossings in vector:
        states = [crossing.state for crossing in crossings if crossing._replace(state=0) == like]
        if states and found is None:
            found = backend.zeros(width * words)
        for state in states:
            for column in range(begin, end):
                found[column * words + state // WORD] |= 1 << (state % WORD)
        begin = end
    return found


def crossings_of(states: Any, like: Crossing, width: int, words: int) -> Vector:
    """Sets of states by column, as the crossings of one node and direction."""
    if states is None:
        return no_traffic(width).down
    vector: list[tuple[int, Crossings]] = []
    known: dict[tuple[int, ...], Crossings] = {(0,) * words: NO_CROSSINGS}
    for column in range(width):
        key = tuple(int(each) for each in states[column * words : (column + 1) * words])
        if key not in known:
            known[key] = frozenset(
                like._replace(state=word * WORD + bit)
                for word, value in enumerate(key)
                for bit in range(value.bit_length())
                if value >> bit & 1
            )
        vector.append((column + 1, known[key]))
    return shortened(vector)
