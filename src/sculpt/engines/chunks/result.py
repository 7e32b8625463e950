"""What was found in a chunk, and in a whole file: values that can be sent between processes.

In: what walks found. Out: `ChunkResult` from one piece of work; `Chunk` and `Outcome` once the true
edges of all chunks are known. Invariant: everything here can be pickled.
"""

from __future__ import annotations

from sculpt.engines.chunks.edges import Intake
from sculpt.engines.chunks.spans import Span
from sculpt.engines.walk.counting import Place
from sculpt.engines.walk.tallies import Met, Tallies
from sculpt.engines.walk.walk import Edge, Hit, WalkResult
from sculpt.values import frozen
from sculpt.verdict import Heat


@frozen
class WordTrial:
    """Where one state of each `=>` and `|>` rule leads: the edge below, and the words that fail."""

    edge: Edge
    deaths: tuple[Hit, ...]


@frozen
class ChunkResult:
    """What was found in a chunk."""

    span: Span
    rows: int
    width: int
    count: int = 0
    warned: int = 0
    """How many of the violations are warnings."""
    hits: tuple[Hit, ...] = ()
    """The first hits; rows count from the first of the chunk, or of the table after `settle`."""
    firsts: tuple[tuple[int, tuple[int, int, int]], ...] = ()
    met: Met = Met()
    tallies: Tallies | None = None
    unchecked: tuple[Place, ...] = ()
    """The first unchecked cells; rows count like those of hits."""
    heat: Heat = Heat()
    """Where the violations are, if the rows above the chunk were known."""
    places: tuple[int, ...] | None = ()
    """Otherwise row and column of each; `None` if there are too many to send."""
    open_row: int | None = None
    assumed: Edge | None = None
    below: Edge | None = None
    """`None` if the chunk was not walked through."""
    depends: bool = False
    """Would some row have ended differently if the table were wider?"""
    lines: int = 0
    """Line ends in the span."""
    line_of: tuple[tuple[int, int], ...] = ()
    """By row of a hit: the number of lines before it in the chunk."""
    fresh: WordTrial | None = None
    """The words that begin in this chunk."""
    words: tuple[WordTrial, ...] = ()
    """The words that began earlier, by the number of the state that they are in."""


@frozen
class Chunk:
    """A chunk whose edges are known, with the number of violations in it."""

    span: Span
    intake: Intake
    count: int
    line: int = 1
    """The line of the file on which it begins."""


@frozen
class Outcome:
    """What was found in a file, and what its chunks need to be listed in full."""

    found: WalkResult
    chunks: tuple[Chunk, ...]
    lines: dict[int, int]
    """By row of a hit: its line in the file."""
    rounds: int
