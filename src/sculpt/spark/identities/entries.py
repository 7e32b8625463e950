"""What the workers gather for keys and references: entries, as the rows of a data frame.

In: the marked cells of a file, or of a chunk of it, and the sides of statements that look at its
table. Out: segments of entries of at most 15 bytes (`short`), and Arrow batches with the columns
`ENTRIES` for the others. One kind of their rows holds entries, another rows with several cells of a
part, a third what was counted:

| side | key | row, column | count | places |
|---|---|---|---|---|
| `KEY`, `ONE`, `MANY` | the bytes of the entry | of the first | entries | of each entry |
| `RUN` | the bytes of the entry | of the first | rows | of the first entry |
| `RIGHT` | the bytes of the entry | of the first | entries | none |
| `SEVERAL` | different for each row | of the second cell | 1 | of the row, with the part |
| `COUNTS` | different for each item | selected cells, entries | 1 for a right side | none |

A place is some 64-bit numbers: row, start of the row in the data, item (or part), and the column of
each part. Equal entries of a reference in one strip share a row, so a country that is named by a
million rows does not send a million rows to one task. For the same reason equal entries of a key in
runs share a row of kind `RUN`, if they come one after the other, in one row or in rows that follow
each other: only the first of them can be a violation.

Invariant: rows of one `group` are compared with each other, by exact bytes. Cost: linear in the
cells. Memory: the entries of a strip.
"""

from __future__ import annotations

import struct
from collections.abc import Container, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from sculpt.checks.entry_bytes import SideBytes, SideEntries, several_cells
from sculpt.checks.identities.chunks import ChunkSides, GatheredChunk, Gathering
from sculpt.checks.identities.entries import EntryMaker, Texts
from sculpt.checks.identities.sides import Regions, Side, SideCells, StripCells, sides_of
from sculpt.checks.plan import Plan
from sculpt.core import ir
from sculpt.engines.chunks.pieces import pieces_of
from sculpt.engines.chunks.result import Chunk
from sculpt.engines.data import Data
from sculpt.engines.machines import Machines
from sculpt.engines.regions.chunk_marks import ChunkMarks
from sculpt.engines.regions.chunk_texts import ChunkTexts, is_plain
from sculpt.engines.regions.marker import MarkedStrip, Marker
from sculpt.engines.regions.strip_texts import StripTexts
from sculpt.engines.walk.walk import Boundary
from sculpt.kernels.backend import Backend
from sculpt.spark.identities.runs import long_runs, short_runs
from sculpt.spark.identities.short import HASHING, Segment, segment_of
from sculpt.values import frozen, replace

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

    Array = np.ndarray[Any, Any]

ENTRIES = (
    "group long, side int, key binary, file long, row long, start long, column long, count long,"
    " places binary"
)
COUNTS, SEVERAL, KEY, ONE, MANY, RIGHT, RUN = range(-2, 5)
"""What a row is: see the module's text. `ONE` and `MANY` are entries on the left of `~>`, `~>+`."""
HEAD = 3
"""The numbers of a place before its columns."""
_BATCH = 1 << 16
_MOST = 1 << 12
"""The most entries that share a row."""


@frozen
class Wanted:
    """What is gathered in the files of a table."""

    sides: tuple[Side, ...]
    all_sides: tuple[Side, ...]
    """Those too that cannot be judged: their regions have numbers."""
    before: int
    """How many regions of the task come before those of the sides."""
    stride: int
    """More than the number of any file."""

    @property
    def regions(self) -> tuple[ir.Selector, ...]:
        """The regions of all parts."""
        return Regions(self.all_sides).selectors

    def without(self, left_out: Container[int]) -> Wanted:
        """The same without some statements."""
        sides = tuple(each for each in self.sides if each.number not in left_out)
        return replace(self, sides=sides)

    def group(self, side: Side, file: int) -> int:
        """The number of the entries that are compared with each other."""
        return side.number * self.stride + (0 if side.identity.spans_files else file + 1)


def wanted_of(plan: Plan, table: int, stride: int) -> Wanted:
    """What the statements of a plan gather in the files of a table."""
    sides = sides_of(plan, table)
    return Wanted(sides, sides, len(plan.tables[table].schema.core.loops), stride)


def kind_of(side: Side) -> int:
    """What the rows of a side are."""
    if side.is_right:
        return RIGHT
    statement = side.identity.statement
    if isinstance(statement, ir.CoreKey):
        return RUN if statement.runs else KEY
    return MANY if statement.several else ONE


Gathered: TypeAlias = "pa.RecordBatch | Segment"


class FileEntries:
    """The entries of a file, or of a chunk of it, some rows at a time."""

    def __init__(self, wanted: Wanted, file: int, backend: Backend) -> None:
        self._wanted, self._file, self._backend = wanted, file, backend
        self._sides = [
            (SideBytes(side), None if _has_list(side) else EntryMaker(side, backend, HASHING))
            for side in wanted.sides
        ]
        self._counts = [[0, 0] for _ in wanted.sides]
        self._first = 0
        self.waiting: list[Gathered] = []
        """What was gathered, and not taken yet."""
        self.mark = b""
        """Tells this part of a file from others, if it does not know the number of its rows."""

    def taken(self) -> list[Gathered]:
        """What was gathered since the last call."""
        found, self.waiting = self.waiting, []
        return found

    def of(self, cells: SideCells, strip: MarkedStrip, texts: Texts) -> Iterator[Gathered]:
        """The entries of some rows."""
        self._first = self._first or strip.first_row
        pairs = zip(self._sides, self._counts, strict=True)
        for (maker, short), count in pairs:
            side = maker.side
            group, kind = self._wanted.group(side, self._file), kind_of(side)
            rows = cells.rows_of(side)
            count[0] += rows.selected
            if short is not None and len(rows.cells[0]):
                entries = short.entries(texts, rows, 0)
                count[1] += len(entries)
                is_long = entries.is_hashed()
                if not is_long.all():
                    own = rows.cells if not is_long.any() else _taken(rows.cells, ~is_long)
                    kept = entries if not is_long.any() else entries.at(~is_long)
                    facts = (group, self._file, kind)
                    shares = kind in (ONE, MANY)
                    places = _places(own, strip)
                    if kind == RUN:
                        kept, places = short_runs(kept, places)
                    yield segment_of(self._backend, facts, kept, places, shares)
                left = _taken(rows.cells, is_long)
            else:
                left = rows.cells
            if len(left[0]):
                found = maker.entries(left, strip, texts)
                count[1] += len(found.rows) if short is None else 0
                yield from _batches(kind, group, self._file, found)
            if rows.several:
                several = several_cells(rows, strip)
                yield _several_batch(side.first_part, group, self._file, several)

    def counts(self) -> pa.RecordBatch:
        """What was counted, once all rows were taken."""
        key = struct.pack("<2q", self._file, self._first) + self.mark
        rows = [
            (self._wanted.group(side, self._file), COUNTS, key, self._file, count[0], 0, count[1],
             int(side.is_right), None)
            for side, count in zip(self._wanted.sides, self._counts, strict=True)
        ]  # fmt: skip
        return _batch(*zip(*rows, strict=True))


def _has_list(side: Side) -> bool:
    """Is a part a list, on this side or on the other? Items are compared as bytes, on both."""
    parts = (*side.identity.left_parts, *side.identity.right_parts)
    return side.identity.right is not None and any(part.items is not None for part in parts)


def _taken(cells: tuple[Array, ...], which: Array) -> tuple[Array, ...]:
    return tuple(each[which] for each in cells)


def _places(cells: tuple[Array, ...], strip: MarkedStrip) -> Array:
    """By entry: row, start of the row, and the column of each part."""
    import numpy as np

    rows = cells[0] // strip.width
    begins = rows * strip.width
    places = np.empty((len(rows), 2 + len(cells)), np.int64)
    places[:, 0], places[:, 1] = rows + strip.first_row, strip.starts[rows]
    for ix, each in enumerate(cells):
        places[:, 2 + ix] = each - begins + 1
    return places


def entry_batches(marker: Marker, wanted: Wanted, file: int) -> Iterator[Gathered]:
    """The entries of a file, or of a chunk of it, strip by strip."""
    entries = FileEntries(wanted, file, marker.machines.backend)
    regions = Regions(wanted.all_sides)
    for strip in marker.strips():
        texts = StripTexts(marker.machines, marker.data, strip)
        sets = [frozenset(each - wanted.before for each in known) for known in marker.sets]
        yield from entries.of(StripCells(regions, sets, strip), strip, texts)
    yield entries.counts()


def gathering_of(
    machines: Machines,
    data: Data,
    entries: FileEntries,
    wanted: Wanted,
    chunk: Chunk | None = None,
    start: tuple[int, Boundary | None] | None = None,
) -> Gathering[list[Gathered]] | None:
    """What gathers the entries of a chunk from its pieces; `None` if that cannot be.

    The edges of the chunk are known; otherwise `start` is where its first row begins, and an edge
    that is assumed. Rows count from the first of the table, or else from the byte at which the
    chunk begins.
    """
    dialect = machines.task.schema.dialect
    can_be = machines.backend.is_compiled and data.codec == "utf-8" and is_plain(dialect)
    if not can_be or machines.decisions.nodes:
        return None
    regions, width = Regions(wanted.all_sides), None
    if chunk is not None:
        assert chunk.intake.edge is not None
        width = chunk.intake.width
        start = (chunk.span.begin, chunk.intake.edge.boundary(machines))
    assert start is not None
    above = start[0] if chunk is None else chunk.intake.rows
    if start[1] is not None and width is None:
        width = start[1].width

    def gather(marks: ChunkMarks, texts: ChunkTexts) -> list[Gathered]:
        none = marks.starts[:0]
        row = above + gathering.rows + 1
        strip = MarkedStrip(row, marks.rows, marks.width, none, marks.starts, none, None, False)
        return list(entries.of(ChunkSides(regions, marks), strip, texts)) if marks.rows else []

    def on_chunk(found: GatheredChunk[list[Gathered]]) -> None:
        entries.waiting += found.payload

    facts = (wanted.before, gather, on_chunk, width, *start, chunk is not None)
    gathering = Gathering(machines, data, *facts)
    return gathering


def chunk_entries(
    machines: Machines, data: Data, chunk: Chunk, wanted: Wanted, file: int
) -> Iterator[Gathered] | None:
    """The entries of a chunk whose edges are known, piece by piece; `None` if that cannot be."""
    entries = FileEntries(wanted, file, machines.backend)
    gathering = gathering_of(machines, data, entries, wanted, chunk)
    if gathering is None:
        return None
    return _by_piece(machines, data, chunk, entries, gathering)


def _by_piece(
    machines: Machines,
    data: Data,
    chunk: Chunk,
    entries: FileEntries,
    gathering: Gathering[list[Gathered]],
) -> Iterator[Gathered]:
    span, width = chunk.span, chunk.intake.width
    for piece in pieces_of(
        machines, data, span.begin, iter(() if span.end is None else (span.end,))
    ):
        gathering.take_piece(piece, width)
        yield from entries.taken()
    gathering.end(span.end, width)
    yield from entries.taken()
    assert gathering.error is None, gathering.error
    yield entries.counts()


def _batches(kind: int, group: int, file: int, found: SideEntries) -> Iterator[pa.RecordBatch]:
    import numpy as np
    import pyarrow as pa

    if not len(found.rows):
        return
    places = np.column_stack([found.rows, found.starts, found.items, found.columns])
    keys, counts = found.keys, np.ones(len(places), np.int64)
    sizes = counts
    if kind == RUN:
        begins, counts = long_runs(keys, found.rows)
        keys, places, sizes = keys.take(pa.array(begins)), places[begins], sizes[: len(begins)]
    elif kind != KEY:
        keys, counts, places = _shared(found.keys, places)
        sizes = counts
    firsts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    for at in range(0, len(counts), _BATCH):
        ends = firsts[at : at + _BATCH + 1]
        heads = places[ends[:-1]]
        size = len(heads)
        yield _batch(
            np.full(size, group),
            np.full(size, kind, np.int32),
            keys.slice(at, size),
            np.full(size, file),
            heads[:, 0],
            heads[:, 1],
            heads[:, HEAD],
            counts[at : at + size],
            [None] * size if kind == RIGHT else _packed(places, ends),
        )


def _shared(keys: pa.Array, places: Array) -> tuple[pa.Array, Array, Array]:
    """Distinct keys, how many entries each has, and all places in the order of these keys.

    A key with very many entries comes several times.
    """
    import numpy as np
    import pyarrow as pa

    encoded = keys.dictionary_encode()
    numbers = np.asarray(encoded.indices)
    if len(encoded.dictionary) == len(keys):
        return keys, np.ones(len(places), np.int64), places
    order = np.argsort(numbers, kind="stable")
    counts = np.bincount(numbers).astype(np.int64)
    pieces = -(-counts // _MOST)
    sizes = np.full(int(pieces.sum()), _MOST, np.int64)
    sizes[np.cumsum(pieces) - 1] = counts - _MOST * (pieces - 1)
    owners = pa.array(np.repeat(np.arange(len(counts)), pieces), pa.int64())
    return encoded.dictionary.take(owners), sizes, places[order]


def _packed(places: Array, ends: Array) -> pa.Array:
    """Places as bytes; `ends` says where those of each row begin, and where the last end."""
    import numpy as np
    import pyarrow as pa

    some = np.ascontiguousarray(places[ends[0] : ends[-1]], dtype=np.int64)
    offsets = ((ends - ends[0]) * (8 * places.shape[1])).astype(np.int32)
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(some)]
    return pa.Array.from_buffers(pa.binary(), len(ends) - 1, buffers)


def _several_batch(
    first_part: int, group: int, file: int, several: Sequence[tuple[int, int, int, int]]
) -> pa.RecordBatch:
    rows = [
        (
            group,
            SEVERAL,
            struct.pack("<4q", file, row, column, part),
            file,
            row,
            start,
            column,
            1,
            struct.pack("<4q", row, start, first_part + part, column),
        )
        for row, column, start, part in several
    ]
    return _batch(*zip(*rows, strict=True))


def _batch(*columns: Any) -> pa.RecordBatch:
    import pyarrow as pa

    types = {"long": pa.int64(), "int": pa.int32(), "binary": pa.binary()}
    declared = [column.split() for column in ENTRIES.split(",")]
    arrays = [
        each if isinstance(each, pa.Array) else pa.array(each, types[kind])
        for each, (_, kind) in zip(columns, declared, strict=True)
    ]
    return pa.RecordBatch.from_arrays(arrays, [name for name, _ in declared])
