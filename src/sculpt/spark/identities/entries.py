"""What the workers gather for keys and references: entries, as the rows of a data frame.

In: the marked cells of a file, or of a chunk of it, and the sides of statements that look at its
table. Out: Arrow batches with the columns `ENTRIES`. One kind of row holds entries, another rows
with several cells of a part, a third what was counted:

| side | key | row, column | count | places |
|---|---|---|---|---|
| `KEY`, `ONE`, `MANY` | the bytes of the entry | of the first | entries | of each entry |
| `RIGHT` | the bytes of the entry | of the first | entries | none |
| `SEVERAL` | different for each row | of the second cell | 1 | of the row, with the part |
| `COUNTS` | different for each item | selected cells, entries | 1 for a right side | none |

A place is some 64-bit numbers: row, start of the row in the data, item (or part), and the column of
each part. Equal entries of a reference in one strip share a row, so a country that is named by a
million rows does not send a million rows to one task.

Invariant: rows of one `group` are compared with each other, by exact bytes. Cost: linear in the
cells. Memory: the entries of a strip.
"""

from __future__ import annotations

import struct
from collections.abc import Container, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from sculpt.checks.entry_bytes import SideBytes, SideEntries
from sculpt.checks.identities.sides import Regions, Side, StripCells, sides_of
from sculpt.checks.plan import Plan
from sculpt.core import ir
from sculpt.engines.regions.marker import Marker
from sculpt.engines.regions.strip_texts import StripTexts
from sculpt.values import frozen, replace

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

    Array = np.ndarray[Any, Any]

ENTRIES = (
    "group long, side int, key binary, file long, row long, column long, count long, places binary"
)
COUNTS, SEVERAL, KEY, ONE, MANY, RIGHT = range(-2, 4)
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
        return KEY
    return MANY if statement.several else ONE


def entry_batches(marker: Marker, wanted: Wanted, file: int) -> Iterator[pa.RecordBatch]:
    """The entries of a file, or of a chunk of it."""
    makers = [SideBytes(side) for side in wanted.sides]
    regions = Regions(wanted.all_sides)
    counts = [[0, 0] for _ in makers]
    first = 0
    for strip in marker.strips():
        first = first or strip.first_row
        texts = StripTexts(marker.machines, marker.data, strip)
        sets = [frozenset(each - wanted.before for each in known) for known in marker.sets]
        marked = StripCells(regions, sets, strip)
        for maker, count in zip(makers, counts, strict=True):
            found = maker.entries(marked, strip, texts)
            count[0] += found.selected
            count[1] += len(found.rows)
            group = wanted.group(maker.side, file)
            yield from _batches(kind_of(maker.side), group, file, found)
            if found.several:
                yield _several_batch(maker.side.first_part, group, file, found.several)
    key = struct.pack("<2q", file, first)
    rows = [
        (wanted.group(side, file), COUNTS, key, file, *count, int(side.is_right), None)
        for side, count in zip(wanted.sides, counts, strict=True)
    ]
    yield _batch(*zip(*rows, strict=True))


def _batches(kind: int, group: int, file: int, found: SideEntries) -> Iterator[pa.RecordBatch]:
    import numpy as np

    if not len(found.rows):
        return
    places = np.column_stack([found.rows, found.starts, found.items, found.columns])
    keys, counts = found.keys, np.ones(len(places), np.int64)
    if kind != KEY:
        keys, counts, places = _shared(found.keys, places)
    firsts = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
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
