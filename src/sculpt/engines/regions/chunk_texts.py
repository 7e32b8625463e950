"""The texts of some cells of a chunk, found from where their rows begin.

In: the bytes of a chunk, in a plain dialect, and its `ChunkRows`. Out: where the texts of cells
are, or the texts. Nothing has noted where texts are: a kernel finds the few that are wanted.

Invariant: the texts are those of `tabular.grid`. Rows with a cell that is broken or cannot be
decoded are read by it, one by one. Cost: of each row, the bytes up to its last wanted cell.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from sculpt.core.dialect import Dialect
from sculpt.engines.machines import Machines
from sculpt.engines.regions.chunk_marks import ChunkRows
from sculpt.engines.regions.strip_texts import LocatedTexts, gathered_texts
from sculpt.kernels.loops.cells import LINE_FEED, LINE_RETURN
from sculpt.kernels.loops.texts import DOUBLED, PLAIN
from sculpt.tabular.decoder import UNDECODABLE, exact_bytes
from sculpt.tabular.document import decode_piece
from sculpt.tabular.grid import Cell, read_grid
from sculpt.values import replace

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

    Array = np.ndarray[Any, Any]


def is_plain(dialect: Dialect) -> bool:
    """Are rows lines, and cells what one character separates? Comments are between rows."""
    delimiter, quote = dialect.col_delim, dialect.quote
    return (
        not dialect.layouts
        and dialect.row_delim in (None, "\n")
        and dialect.blank_rows != "skip"
        and delimiter.pattern is None
        and len(delimiter.text) == 1
        and delimiter.text.isascii()
        and (quote is None or quote.isascii())
        and dialect.escape in (None, quote)
        and dialect.reads_quotes_simply
    )


def _shown_bytes(text: str) -> bytes:
    """The same, but a byte that cannot be decoded becomes U+FFFD."""
    return UNDECODABLE.sub("\ufffd", text).encode()


class ChunkTexts:
    """The texts of a chunk; see `StripTexts`."""

    def __init__(
        self, machines: Machines, content: bytes | bytearray, base: int, rows: ChunkRows
    ) -> None:
        self._machines, self._content = machines, content
        self._dialect = machines.task.schema.dialect
        self._width, self._unfit = rows.width, frozenset(rows.unfit)
        self._starts = rows.starts - base

    def located(self, cells: Array) -> LocatedTexts:
        """Where the texts of some cells are, which are in order."""
        import numpy as np

        return self.located_parts((cells,), np.zeros(1, np.int64))

    def located_parts(
        self,
        parts: tuple[Array, ...],
        order: Array,
        encode: Callable[[str], bytes] = exact_bytes,
    ) -> LocatedTexts:
        """Where the texts of all first parts are, then of all second ones, and so on.

        The cells of all parts must be in the same rows, in the order of columns that is given.
        """
        import numpy as np

        cells = np.concatenate(parts) if len(parts) > 1 else parts[0]
        dialect, backend, count = self._dialect, self._machines.backend, len(cells)
        quote = -1 if dialect.quote is None else ord(dialect.quote)
        other_end = LINE_RETURN if dialect.row_delim is None else LINE_FEED
        begins, ends = np.empty(count, np.int64), np.empty(count, np.int64)
        kinds = np.empty(count, np.uint8)
        backend.find_texts(
            backend.buffer(self._content), self._starts, cells, len(parts), order, self._width,
            ord(dialect.col_delim.text), quote, other_end, dialect.trim_left,
            dialect.trim_right, begins, ends, kinds,
        )  # fmt: skip
        found = LocatedTexts(self._content, begins, ends, kinds, quote)
        return self._with_unfit(cells, found, encode) if self._unfit else found

    def _with_unfit(
        self, cells: Array, found: LocatedTexts, encode: Callable[[str], bytes]
    ) -> LocatedTexts:
        """The same, with the texts of rows that the kernel cannot read after all others."""
        import numpy as np

        rows = cells // self._width
        which = np.flatnonzero(np.isin(rows, np.array(sorted(self._unfit), np.int64)))
        data = bytearray(self._content)
        for at, cell in zip(which.tolist(), self._read(cells[which]), strict=True):
            begin = len(data)
            data += encode(cell.text)
            found.begins[at], found.ends[at], found.kinds[at] = begin, len(data), PLAIN
        return found._replace(data=data)

    def marked(self, cells: Array) -> list[str | None]:
        """The texts of some cells; a byte that cannot be decoded is a lone surrogate."""
        found = self.located(cells)
        escape = chr(found.escape) if found.escape >= 0 else ""
        arrays = (found.begins.tolist(), found.ends.tolist(), found.kinds.tolist())
        texts: list[str | None] = []
        for begin, end, kind in zip(*arrays, strict=True):
            text = bytes(found.data[begin:end]).decode("utf-8", "surrogatepass")
            texts.append(text if kind != DOUBLED else text.replace(2 * escape, escape))
        return texts

    def of(self, cells: Array, raw: bool = False) -> pa.Array:
        """The texts of some cells, which are in order, as an array."""
        import numpy as np
        import pyarrow as pa

        if raw:
            shown = (UNDECODABLE.sub("\ufffd", cell.raw) for cell in self._read(cells))
            return pa.array(list(shown), pa.string())
        found = self.located_parts((cells,), np.zeros(1, np.int64), _shown_bytes)
        return gathered_texts(self._machines.backend, found)

    def decoded(self, cells: Array) -> pa.Array | None:
        """The same as `of`; `None` if some row may have undecodable bytes."""
        return None if self._unfit else self.of(cells)

    def _read(self, cells: Array) -> list[Cell]:
        """Some cells by the plain reader."""
        known: dict[int, tuple[Cell, ...]] = {}
        found: list[Cell] = []
        for cell in cells.tolist():
            row, column = divmod(cell, self._width)
            if row not in known:
                known = {row: self._row(row)}
            found.append(known[row][column])
        return found

    def _row(self, row: int) -> tuple[Cell, ...]:
        """A row, by the plain reader."""
        begin = int(self._starts[row])
        is_last = row + 1 == len(self._starts)
        end = len(self._content) if is_last else int(self._starts[row + 1])
        document = decode_piece(bytes(self._content[begin:end]), "utf-8")
        grid = read_grid(document, replace(self._dialect, blank_rows="keep"))
        return tuple(grid.rows[0].cells)
