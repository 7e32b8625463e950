"""The entries of keys and references in a strip, each as bytes: equal entries, equal bytes.

In: a side of a key or of a reference, cells of a strip, its texts. Out: `SideEntries`: the places
of the entries, and the bytes of each. The bytes of a part are those of `checks.identities.values`;
of several parts, all but the last come after their length.

Invariant: two entries have the same bytes if, and only if, they are equal: nothing is hashed. Cost:
linear in the cells of the strip; values are read once for each distinct text of the strip. Memory:
the texts of the entries, twice.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from sculpt.checks.identities.entries import Texts
from sculpt.checks.identities.sides import Side, SideRows
from sculpt.checks.identities.values import PartBytes
from sculpt.engines.regions.marker import MarkedStrip
from sculpt.tabular.grid import list_splitter
from sculpt.values import frozen

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

    Array: TypeAlias = np.ndarray[Any, Any]


@frozen(eq=False)
class SideEntries:
    """The entries of one side in a strip, in the order of the table."""

    rows: Array
    starts: Array
    """By entry: where its row begins in the data."""
    items: Array
    """By entry: the number of its item, from 1; 0 if no part is a list."""
    columns: Array
    """By entry and part: the column of the cell."""
    keys: pa.Array
    """By entry: its bytes."""


def several_cells(rows: SideRows, strip: MarkedStrip) -> list[tuple[int, int, int, int]]:
    """Row, second column, start of the row and part, where a row has several cells of a part."""
    width = strip.width
    return [
        (strip.first_row + cell // width, cell % width + 1, int(strip.starts[cell // width]), part)
        for cell, part in rows.several
    ]


class SideBytes:
    """Makes the entries of one side, strip by strip."""

    def __init__(self, side: Side) -> None:
        self.side = side
        self._parts = [PartBytes(part) for part in side.parts]

    def entries(self, cells: tuple[Array, ...], strip: MarkedStrip, texts: Texts) -> SideEntries:
        """The entries of some cells of a strip, which are by part."""
        import numpy as np

        width = strip.width
        rows = cells[0] // width
        columns = np.stack([each % width + 1 for each in cells], axis=1)
        keys, owners, items = self._bytes_of(cells, texts)
        if owners is not None:
            rows, columns = rows[owners], columns[owners]
        return SideEntries(strip.first_row + rows, strip.starts[rows], items, columns, keys)

    def _bytes_of(
        self, cells: Sequence[Array], texts: Texts
    ) -> tuple[pa.Array, Array | None, Array]:
        """The bytes of entries; which cells each has, if not those of its number; its item."""
        import numpy as np

        listed = self.side.list_part
        if listed is None:
            coded = [self._coded(ix, _texts(texts, each)) for ix, each in enumerate(cells)]
            return _joined(coded), None, np.zeros(len(cells[0]), np.int64)
        items, owners, numbers = self._split(listed, _texts(texts, cells[listed]))
        coded = [
            items if ix == listed else self._coded(ix, _texts(texts, each)).take(_arrow(owners))
            for ix, each in enumerate(cells)
        ]
        return _joined(coded), owners, numbers

    def _coded(self, part: int, texts: pa.Array | list[str]) -> pa.Array:
        """The bytes of texts, or of their values."""
        import pyarrow as pa

        if not isinstance(texts, list):
            return self._parts[part].of_array(texts)
        distinct, numbers = _distinct(texts)
        coded = pa.array([self._parts[part].of(text) for text in distinct], pa.binary())
        return coded.take(_arrow(numbers))

    def _split(self, part: int, texts: pa.Array | list[str]) -> tuple[pa.Array, Array, Array]:
        """The bytes of all items; which cell each comes from; its number in the cell."""
        import numpy as np
        import pyarrow as pa

        distinct, numbers = _distinct(texts)
        split = list_splitter(self.side.parts[part].items)
        lists = [split(text) for text in distinct]
        sizes = np.array([len(each) for each in lists], np.int64)
        begins, counts = np.cumsum(sizes) - sizes, sizes[numbers]
        owners = np.repeat(np.arange(len(numbers)), counts)
        within = np.arange(len(owners)) - (np.cumsum(counts) - counts)[owners]
        coded = [self._parts[part].of(item) for each in lists for item in each]
        chosen = begins[numbers][owners] + within
        return pa.array(coded, pa.binary()).take(_arrow(chosen)), owners, within + 1


def _texts(texts: Texts, cells: Array) -> pa.Array | list[str]:
    """The texts of cells; a list if some may have bytes that cannot be decoded."""
    found = texts.decoded(cells)
    return [text or "" for text in texts.marked(cells)] if found is None else found


def _distinct(texts: pa.Array | list[str]) -> tuple[list[str], Array]:
    """The distinct texts, and for each text its number among them."""
    import numpy as np

    if isinstance(texts, list):
        known: dict[str, int] = {}
        numbers = [known.setdefault(text, len(known)) for text in texts]
        return list(known), np.array(numbers, np.int64)
    encoded = texts.dictionary_encode()
    return encoded.dictionary.to_pylist(), np.asarray(encoded.indices).astype(np.int64)


def _joined(coded: Sequence[pa.Array]) -> pa.Array:
    """The bytes of several parts, all but the last after their length."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if len(coded) == 1:
        return coded[0]
    pieces: list[pa.Array] = []
    for each in coded[:-1]:
        sizes = pc.binary_length(each).cast(pa.int32())
        buffers = [None, sizes.buffers()[1]]
        wide = pa.FixedSizeBinaryArray.from_buffers(
            pa.binary(4), len(each), buffers, 0, sizes.offset
        )
        pieces += [wide.cast(pa.binary()), each]
    return pc.binary_join_element_wise(*pieces, coded[-1], pa.scalar(b"", pa.binary()))


def _arrow(numbers: Array) -> pa.Array:
    import pyarrow as pa

    return pa.array(numbers, pa.int64())
