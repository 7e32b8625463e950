"""What the cells of a strip say, as Arrow arrays.

In: a `MarkedStrip` and the data that it is a part of. Out: for any cells of it, their content or
raw text; null for a padded cell. Kernels find the cells (`delimiters` says of which dialects); any
other dialect, a strip with a broken cell, and fixed widths beyond ASCII are read by the plain
reader of `tabular`.

Invariant: the texts are those of `tabular.grid`, the two ways are compared in tests. A byte that
cannot be decoded is U+FFFD. Cost: the kernels look at each byte of the rows once; the plain reader
is slower by two orders of magnitude. Memory: the bytes of the strip.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from sculpt.core.dialect import BlankRows
from sculpt.engines.data import Data
from sculpt.engines.delimiters import has_line_ends, layout_tables, splitting
from sculpt.engines.marking import MarkedStrip
from sculpt.engines.program import Program
from sculpt.kernels.texts import ABSENT, ODD
from sculpt.tabular.decoder import UNDECODABLE
from sculpt.tabular.document import decode_piece
from sculpt.tabular.grid import Grid, read_grid
from sculpt.values import replace

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

    Array = np.ndarray[Any, Any]

_WINDOW = 1 << 20
MANY = 16
"""Where one cell in so many is asked for, all are found at once, for the next ones too."""


class StripTexts:
    """The texts of a strip."""

    def __init__(self, program: Program, data: Data, strip: MarkedStrip) -> None:
        self._program = program
        self._dialect = program.task.schema.dialect
        self._data = data
        self._strip = strip
        self._placed: dict[bool, tuple[Array, Array, Array]] = {}
        """Where all texts stand, raw or not, once many have been asked for."""

    def of(self, cells: Array, raw: bool = False) -> pa.Array:
        """The texts of some cells, which are numbered from the strip's first and in order."""
        found = self._spans(cells, raw)
        return self._read(cells, raw) if found is None else found

    # ------------------------------------------------------------- with kernels

    @cached_property
    def _is_known(self) -> bool:
        """Can kernels find the cells?"""
        if self._dialect.layouts:
            return has_line_ends(self._dialect)
        return splitting(self._dialect) is not None

    @cached_property
    def _bytes(self) -> tuple[bytes, Array] | None:
        """The rows in UTF-8, and where each begins; `None` if kernels cannot read them."""
        strip, codec = self._strip, self._data.codec
        if strip.is_broken or not self._is_known:
            return None
        data = self._window
        starts = strip.starts - int(strip.starts[0])
        if data.isascii():
            return data, starts
        if self._dialect.layouts:
            return None  # widths count characters
        if codec == "utf-8":
            try:
                data.decode()
            except UnicodeDecodeError:
                return None
            return data, starts
        import numpy as np

        try:
            text = data.decode(codec)
        except UnicodeDecodeError:
            return None
        sizes = np.array([len(bytes([b]).decode(codec, "replace").encode()) for b in range(256)])
        ends = np.cumsum(sizes[np.frombuffer(data, dtype=np.uint8)])
        return text.encode(), np.concatenate([[0], ends])[starts]

    @cached_property
    def _window(self) -> bytes:
        begin, end = int(self._strip.starts[0]), self._strip.end
        if end is not None:
            return self._data.window(begin, end)
        size = _WINDOW
        while len(data := self._data.window(begin, begin + size)) == size:
            size *= 4
        return data

    def read_ahead(self) -> None:
        """Read the bytes now: another thread may ask for texts later."""
        _ = self._window

    def _spans(self, cells: Array, raw: bool) -> pa.Array | None:
        """The texts, from where they stand; `None` if kernels cannot tell."""
        import numpy as np
        import pyarrow as pa

        if self._bytes is None:
            return None
        count = len(cells)
        total = self._strip.rows * self._strip.width
        if raw in self._placed or MANY * count >= total:
            if raw not in self._placed:
                self._placed[raw] = self._places(np.arange(total), raw)
            begins, ends, kinds = (each[cells] for each in self._placed[raw])
        else:
            begins, ends, kinds = self._places(cells, raw)
        if (kinds == ODD).any():
            return None
        backend, buffer = self._program.backend, self._program.backend.buffer(self._bytes[0])
        sizes = int((ends - begins).sum())
        texts, offsets = np.empty(sizes, np.uint8), np.empty(count + 1, np.int64)
        tables = None if self._dialect.layouts else splitting(self._dialect)
        escape = -1 if tables is None else tables.marker
        backend.gather_texts(buffer, begins, ends, kinds, escape, texts, offsets)
        absent = kinds == ABSENT
        nulls = int(absent.sum())
        valid = pa.py_buffer(np.packbits(~absent, bitorder="little")) if nulls else None
        if sizes < 1 << 31:
            buffers = [valid, pa.py_buffer(offsets.astype(np.int32)), pa.py_buffer(texts)]
            return pa.Array.from_buffers(pa.string(), count, buffers, nulls)
        buffers = [valid, pa.py_buffer(offsets), pa.py_buffer(texts)]
        return pa.Array.from_buffers(pa.large_string(), count, buffers, nulls).cast(pa.string())

    def _places(self, cells: Array, raw: bool) -> tuple[Array, Array, Array]:
        """Where the texts of cells begin and end, and what they are."""
        import numpy as np

        assert self._bytes is not None
        data, starts = self._bytes
        dialect, backend = self._dialect, self._program.backend
        buffer = backend.buffer(data)
        count, width = len(cells), self._strip.width
        left, right = (dialect.trim_left and not raw, dialect.trim_right and not raw)
        begins, ends = np.empty(count, np.int64), np.empty(count, np.int64)
        kinds = np.empty(count, np.uint8)
        out = (begins, ends, kinds)
        feed = dialect.row_delim is not None
        if dialect.layouts:
            tables = layout_tables(dialect, width)
            backend.split_fixed(buffer, starts, width, cells, *tables, feed, left, right, *out)
            return out
        found = splitting(dialect)
        assert found is not None
        backend.split_cells(
            buffer, starts, width, cells, found.stops, found.delim, found.nexts, found.accepts,
            found.is_pattern, found.quote, found.escape, feed, dialect.trim_left,
            dialect.trim_right, left, right, *out,
        )  # fmt: skip
        return out

    # ------------------------------------------------------------- with the plain reader

    @cached_property
    def _grid(self) -> Grid:
        dialect = self._dialect
        keeps: BlankRows = "skip" if dialect.blank_rows == "skip" else "keep"
        document = decode_piece(self._window, self._data.codec)
        grid = read_grid(document, replace(dialect, blank_rows=keeps))
        assert grid.height >= self._strip.rows, (grid.height, self._strip.rows)
        return grid

    def _read(self, cells: Array, raw: bool) -> pa.Array:
        import pyarrow as pa

        rows, width = self._grid.rows, self._strip.width
        texts: list[str | None] = []
        for number in cells.tolist():
            row, column = divmod(number, width)
            found = rows[row].cells
            if column >= len(found):
                texts.append(None)
                continue
            text = found[column].raw if raw else found[column].text
            texts.append(UNDECODABLE.sub("\ufffd", text))
        return pa.array(texts, pa.string())
