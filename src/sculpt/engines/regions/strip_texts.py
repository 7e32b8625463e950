"""The texts of the cells of a strip, as Arrow arrays.

In: a `MarkedStrip` and the data it comes from. Out: for any of its cells, the content or the raw
text; null for a padded cell. The scan has noted where the text of each cell begins and ends; a
kernel removes blanks and quotes. A strip with a broken or undecodable cell, and a dialect that the
kernel cannot handle (escapes outside quotes, quotes that may be text), go to the plain reader of
`tabular`.

Invariant: the texts are those of `tabular.grid`; tests compare the two. A byte that cannot be
decoded becomes U+FFFD. Cost: linear in the texts that are asked for; the plain reader is slower by
two orders of magnitude. Memory: the bytes of the strip, and 16 more per cell.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from sculpt.core.dialect import BlankRows
from sculpt.engines.data import Data
from sculpt.engines.machines import Machines
from sculpt.engines.regions.marker import MarkedStrip
from sculpt.kernels.backend import Backend
from sculpt.kernels.loops.texts import ABSENT
from sculpt.tabular.decoder import UNDECODABLE
from sculpt.tabular.document import Document
from sculpt.tabular.grid import Grid, read_grid
from sculpt.values import replace

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

    Array = np.ndarray[Any, Any]

_WINDOW = 1 << 20


class LocatedTexts(NamedTuple):
    """Where the texts of some cells are in the bytes of a strip, which are UTF-8."""

    data: bytes | bytearray
    begins: Array
    ends: Array
    kinds: Array
    """As `kernels.loops.texts` numbers them."""
    escape: int
    """What stands before a character of a text of the kind `DOUBLED`."""


class CellTexts(Protocol):
    """The texts of the cells of some rows."""

    def of(self, cells: Array, raw: bool = False) -> pa.Array:
        """The texts of some cells, which are in order and numbered from the first of the rows."""


class StripTexts:
    """The texts of a strip."""

    def __init__(self, machines: Machines, data: Data, strip: MarkedStrip) -> None:
        self._machines = machines
        self._dialect = machines.task.schema.dialect
        self._data = data
        self._strip = strip

    def of(self, cells: Array, raw: bool = False) -> pa.Array:
        """The texts of some cells, which are in order and numbered from the strip's first."""
        found = self.located(cells, raw)
        return (
            self._read(cells, raw)
            if found is None
            else gathered_texts(self._machines.backend, found)
        )

    def marked(self, cells: Array) -> list[str | None]:
        """The same as Python texts; a byte that cannot be decoded is a lone surrogate."""
        found = self.located(cells)
        if found is None:
            return self._plain(cells, False)
        texts: list[str | None] = gathered_texts(self._machines.backend, found).to_pylist()
        return texts

    def decoded(self, cells: Array) -> pa.Array | None:
        """The same as `of`; `None` if some cell of the strip may have undecodable bytes."""
        found = self.located(cells)
        return None if found is None else gathered_texts(self._machines.backend, found)

    # ------------------------------------------------------------- with the kernel

    @cached_property
    def _quote_and_escape(self) -> tuple[int, int] | None:
        """The quote and the escape, -1 if there is none; `None` if the kernel cannot take them."""
        quote, escape = self._dialect.quote, self._dialect.escape
        if self._dialect.layouts:
            return -1, -1
        if not all(each is None or each.isascii() for each in (quote, escape)):
            return None
        if not self._dialect.reads_quotes_simply:
            return None
        if quote is None:
            return (-1, -1) if escape is None else None
        return ord(quote), -1 if escape in (None, quote) else ord(escape or "")

    @cached_property
    def _bytes(self) -> tuple[bytes, Array, int] | None:
        """The rows in UTF-8, where texts are, and where the rows begin in the same numbers.

        `None` if the kernel cannot read them.
        """
        import numpy as np

        strip, codec = self._strip, self._data.codec
        if strip.is_broken or self._quote_and_escape is None:
            return None
        data, begin = self._window, int(strip.starts[0])
        if data.isascii():
            return data, strip.places, begin
        try:
            text = data.decode(codec)
        except UnicodeDecodeError:
            return None
        if codec == "utf-8":
            return data, strip.places, begin
        sizes = np.array([len(bytes([b]).decode(codec, "replace").encode()) for b in range(256)])
        ends = np.cumsum(sizes[np.frombuffer(data, dtype=np.uint8)])
        is_padded = strip.places < 0
        moved = np.concatenate([[0], ends])[np.where(is_padded, 0, strip.places - begin)]
        return text.encode(), np.where(is_padded, -1, moved), 0

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
        if self._data.has_replaced(self._window):
            _ = self._document

    def located(self, cells: Array, raw: bool = False) -> LocatedTexts | None:
        """Where the texts are, trimmed by the kernel; `None` if the plain reader must read them."""
        import numpy as np

        if self._bytes is None or self._quote_and_escape is None:
            return None
        data, places, base = self._bytes
        quote, escape = self._quote_and_escape
        dialect, backend = self._dialect, self._machines.backend
        buffer, count = backend.buffer(data), len(cells)
        begins, ends = np.empty(count, np.int64), np.empty(count, np.int64)
        kinds = np.empty(count, np.uint8)
        is_pattern = not dialect.layouts and dialect.col_delim.pattern is not None
        trims = (dialect.trim_left and not raw, dialect.trim_right and not raw)
        rows = (is_pattern and dialect.trim_left, is_pattern and dialect.trim_right)
        backend.trim_texts(
            buffer, places, base, cells, self._strip.width, quote, escape, dialect.trim_left,
            *trims, *rows, begins, ends, kinds,
        )  # fmt: skip
        return LocatedTexts(data, begins, ends, kinds, escape if escape >= 0 else quote)

    def located_parts(self, parts: tuple[Array, ...], order: Array) -> LocatedTexts | None:
        """The texts of several parts, part by part."""
        import numpy as np

        return self.located(np.concatenate(parts))

    # ------------------------------------------------------------- with the plain reader

    @cached_property
    def _document(self) -> Document:
        """The rows; a byte that cannot be decoded is the one of the file."""
        begin = int(self._strip.starts[0])
        return self._data.marked(self._window, begin)

    @cached_property
    def _grid(self) -> Grid:
        dialect = self._dialect
        keeps: BlankRows = "skip" if dialect.blank_rows == "skip" else "keep"
        grid = read_grid(self._document, replace(dialect, blank_rows=keeps))
        assert grid.height >= self._strip.rows, (grid.height, self._strip.rows)
        return grid

    def _read(self, cells: Array, raw: bool) -> pa.Array:
        import pyarrow as pa

        texts = self._plain(cells, raw)
        shown = [None if text is None else UNDECODABLE.sub("\ufffd", text) for text in texts]
        return pa.array(shown, pa.string())

    def _plain(self, cells: Array, raw: bool) -> list[str | None]:
        rows, width = self._grid.rows, self._strip.width
        texts: list[str | None] = []
        for number in cells.tolist():
            row, column = divmod(number, width)
            found = rows[row].cells
            if column >= len(found):
                texts.append(None)
                continue
            texts.append(found[column].raw if raw else found[column].text)
        return texts


def gathered_texts(backend: Backend, found: LocatedTexts) -> pa.Array:
    """Texts as an array; null for a padded cell."""
    import numpy as np
    import pyarrow as pa

    data, begins, ends, kinds, escape = found
    count = len(begins)
    buffer = backend.buffer(data)
    sizes = int((ends - begins).sum())
    texts, offsets = np.empty(sizes, np.uint8), np.empty(count + 1, np.int64)
    backend.gather_texts(buffer, begins, ends, kinds, escape, texts, offsets)
    absent = kinds == ABSENT
    nulls = int(absent.sum())
    valid = pa.py_buffer(np.packbits(~absent, bitorder="little")) if nulls else None
    if sizes < 1 << 31:
        buffers = [valid, pa.py_buffer(offsets.astype(np.int32)), pa.py_buffer(texts)]
        return pa.Array.from_buffers(pa.string(), count, buffers, nulls)
    buffers = [valid, pa.py_buffer(offsets), pa.py_buffer(texts)]
    return pa.Array.from_buffers(pa.large_string(), count, buffers, nulls).cast(pa.string())
