"""The rows of a table, many at a time: bytes in, places and numbers of rows out.

In: an open file, the dialect of the table, perhaps a span of the file with the number of rows above
it. Out: `Piece`s in order: rows with their numbers in the table and in the file, and the texts of
their columns as Arrow arrays. The scanner of the engines finds the cells, in blocks and one block
ahead (`engines.scan`), and `StripTexts` takes off blanks, quotes and escapes.

Skipped rows, headers, comments and blank rows that are skipped are taken out here, after they were
counted; comments are kept as texts ("Model for Tabular Data and Metadata on the Web", 8).

Invariant: row numbers do not depend on where the file is cut. Cost: the scan, and a few passes of
numpy over numbers. Memory: a block of bytes, and 16 bytes for each of its cells, several times.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import TYPE_CHECKING, Any

from sculpt.csvw.dialects import reading_task
from sculpt.engines.chunks.spans import NOTED_READ_SIZE, Span, blocks_in
from sculpt.engines.data import Data
from sculpt.engines.in_order import blocks_in_order
from sculpt.engines.machines import Machines, build
from sculpt.engines.options import Options, choose_backend
from sculpt.engines.regions.marker import MarkedStrip
from sculpt.engines.regions.strip_texts import StripTexts
from sculpt.engines.scan.blocks import Block
from sculpt.engines.walk.strips import whole_rows
from sculpt.interchange.csvw.model import Dialect
from sculpt.tabular.inputs import Input
from sculpt.values import frozen, replace

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

    Array = np.ndarray[Any, Any]

READ_SIZE = 1 << 20
"""Bytes that are converted together: their columns fit the caches of a processor."""


PIECE_CELLS = 1 << 16
"""Cells that are converted together, about: rows of short cells become much longer texts."""


@frozen(slots=False)
class Piece:
    """Some rows of a table, without those that are no data."""

    numbers: Array
    """By row: its number in the table, from 1."""
    source_numbers: Array
    """By row: its number in the file, from 1."""
    widths: Array
    """By row: how many cells it has, without columns that are skipped."""
    source_count: int
    """How many rows of the file it is made of."""
    unfit: Array
    """The numbers in the file of rows with a cell that is broken, or that cannot be decoded."""
    comments: tuple[str, ...]
    texts: StripTexts
    cells: Array
    """By row: the number of its first cell in `texts`."""
    width: int

    @property
    def count(self) -> int:
        """How many rows there are."""
        return len(self.numbers)

    def parts(self, rows: int) -> Iterator[Piece]:
        """The same rows, at most `rows` at a time; the first part has the comments."""
        if self.count <= rows:
            yield self
            return
        for first in range(0, self.count, rows):
            chosen = slice(first, first + rows)
            yield replace(
                self,
                numbers=self.numbers[chosen],
                source_numbers=self.source_numbers[chosen],
                widths=self.widths[chosen],
                source_count=0 if first else self.source_count,
                unfit=self.unfit[:0] if first else self.unfit,
                comments=() if first else self.comments,
                cells=self.cells[chosen],
            )

    def column(self, index: int) -> pa.Array:
        """The texts of a column of the file, from 0; null where a row is too short."""
        import pyarrow as pa

        if index >= self.width:
            return pa.nulls(self.count, pa.string())
        return self.texts.of(self.cells + index)


@frozen
class Above:
    """How many rows are above a place of a file."""

    source: int = 0
    """All of them."""
    rows: int = 0
    """Those that are data."""


class TableRows:
    """The rows of a file, or of a span of it."""

    def __init__(
        self,
        data: Data,
        dialect: Dialect,
        width: int,
        machines: Machines | None = None,
        span: Span | None = None,
        above: Above | None = None,
        size: int = READ_SIZE,
    ) -> None:
        """`width` is the number of columns that are read, skipped ones not counted."""
        self.data, self.dialect, self.width = data, dialect, width
        self.machines = machines or machines_for(data, dialect)
        self.span = span
        self.above = above or Above()
        self._size = min(size, NOTED_READ_SIZE)

    def pieces(self) -> Generator[Piece, None, None]:
        """The pieces in order."""
        above = self.above
        for strip, widths, unfit in self._ended():
            piece, above = self._piece(strip, widths, unfit, above)
            yield from piece.parts(max(1, PIECE_CELLS // max(1, self.width)))

    def _ended(self) -> Iterator[tuple[MarkedStrip, Array, Array]]:
        """The strips with their ends: where the next one begins."""
        waiting: tuple[MarkedStrip, Array, Array] | None = None
        for found in self._strips():
            if waiting is not None:
                yield replace(waiting[0], end=int(found[0].starts[0])), *waiting[1:]
            waiting = found
        if waiting is not None:
            end = None if self.span is None else self.span.end
            yield replace(waiting[0], end=end), *waiting[1:]

    # ------------------------------------------------------------- strips

    def _blocks(self) -> Iterator[Block]:
        machines = self.machines
        if self.span is not None:
            return whole_rows(machines, blocks_in(machines, self.data.source, self.span))
        options = Options(chunk=self._size)
        return whole_rows(machines, blocks_in_order(machines, self.data, options))

    def _strips(self) -> Iterator[tuple[MarkedStrip, Array, Array]]:
        """The rows of blocks, padded to one width; how many cells each has, which are unfit."""
        for block in self._blocks():
            if block.rows:
                yield self._strip(block)

    def _strip(self, block: Block) -> tuple[MarkedStrip, Array, Array]:
        import numpy as np

        rows, cells = block.rows, block.cells
        ends = np.asarray(block.row_cells[:rows]).astype(np.int64)
        starts = np.asarray(block.row_starts[:rows]).astype(np.int64) + block.base
        places = np.asarray(block.places[: 2 * cells]).astype(np.int64).reshape(-1, 2)
        firsts = np.concatenate([[0], ends[:-1]])
        widths = ends - firsts
        width, skipped = max(1, self.width), self.dialect.skip_columns
        if skipped == 0 and bool((widths == width).all()):
            padded = places.copy()
        else:
            columns = np.arange(width) + skipped
            wanted = np.minimum(firsts[:, None] + columns, cells - 1)
            padded = places[wanted]
            padded[columns[None, :] >= widths[:, None]] = -1
        return (
            MarkedStrip(
                1, rows, width, np.empty(0, np.int64), starts, padded.reshape(-1), None,
                self._is_broken(block),
            ),
            np.maximum(widths - skipped, 0),
            self._unfit(block, ends),
        )  # fmt: skip

    def _is_broken(self, block: Block) -> bool:
        import numpy as np

        broken = self.machines.broken()
        if not any(broken):
            return False
        return bool(np.asarray(broken)[np.asarray(block.letters[: block.cells])].any())

    def _unfit(self, block: Block, ends: Array) -> Array:
        """Rows with a cell that is broken, or that cannot be decoded."""
        import numpy as np

        unfit = self.machines.unfit()
        if not any(unfit):
            return np.empty(0, np.int64)
        cells = np.flatnonzero(np.asarray(unfit)[np.asarray(block.letters[: block.cells])])
        return np.unique(np.searchsorted(ends, cells, "right"))

    # ------------------------------------------------------------- pieces

    def _piece(
        self, strip: MarkedStrip, widths: Array, unfit: Array, above: Above
    ) -> tuple[Piece, Above]:
        import numpy as np

        texts = StripTexts(self.machines, self.data, strip)
        if self.dialect.skip_columns and strip.is_broken:
            texts = _Shifted(self.machines, self.data, strip, self.dialect.skip_columns)
        sources = np.arange(strip.rows) + above.source + 1
        is_data, comments = self._judged(strip, sources, texts, widths)
        kept = np.flatnonzero(is_data)
        if not self.data.can_be_cut:
            texts.read_ahead()
        piece = Piece(
            np.arange(len(kept)) + above.rows + 1,
            sources[kept],
            widths[kept],
            strip.rows,
            sources[unfit[is_data[unfit]]],
            comments,
            texts,
            kept * strip.width,
            self.width,
        )
        return piece, Above(above.source + strip.rows, above.rows + len(kept))

    def _judged(
        self, strip: MarkedStrip, sources: Array, texts: StripTexts, widths: Array
    ) -> tuple[Array, tuple[str, ...]]:
        """Which rows are data, and the comments among the others."""
        import numpy as np

        dialect = self.dialect
        head = dialect.skip_rows + dialect.header_row_count
        is_data = sources > head
        comments: list[str] = []
        is_comment = self._comments(strip)
        if is_comment is not None or int(sources[0]) <= dialect.skip_rows:
            remarks = sources <= dialect.skip_rows
            if is_comment is not None:
                remarks = remarks | is_comment
                is_data = is_data & ~is_comment
            for row in np.flatnonzero(remarks).tolist():
                comments += self._remark(strip, row)
        if dialect.skip_blank_rows:
            is_data = is_data & ~_blank(strip, texts)
        return is_data, tuple(comments)

    def _comments(self, strip: MarkedStrip) -> Array | None:
        """Which rows are comments; `None` if none is."""
        import numpy as np

        prefix = self.dialect.comment_prefix
        if not prefix:
            return None
        wanted, begin = prefix.encode(self.data.codec, "replace"), int(strip.starts[0])
        window = self.data.window(begin, int(strip.starts[-1]) + len(wanted))
        at = strip.starts - begin
        content = np.frombuffer(window, np.uint8)
        if not len(content):
            return None
        is_near = content[np.minimum(at, len(content) - 1)] == wanted[0]
        if not is_near.any():
            return None
        found = np.zeros(strip.rows, bool)
        for row in np.flatnonzero(is_near).tolist():
            found[row] = window[at[row] : at[row] + len(wanted)] == wanted
        return found if found.any() else None

    def _remark(self, strip: MarkedStrip, row: int) -> list[str]:
        """The text of a row that is a comment, or that is skipped."""
        begin = int(strip.starts[row])
        end = int(strip.starts[row + 1]) if row + 1 < strip.rows else strip.end
        content = self.data.window(begin, begin + (1 << 20) if end is None else end)
        text = content.decode(self.data.codec, "replace").strip("\r\n")
        prefix = self.dialect.comment_prefix
        if prefix and text.startswith(prefix):
            return [text.removeprefix(prefix).strip()]
        return [text.strip()] if text.strip() else []


class _Shifted(StripTexts):
    """The texts of a strip that the plain reader reads, without the columns that are skipped."""

    def __init__(self, machines: Machines, data: Data, strip: MarkedStrip, skipped: int) -> None:
        super().__init__(machines, data, strip)
        self._skipped = skipped

    def _plain(self, cells: Array, raw: bool) -> list[str | None]:
        rows, width = self._grid.rows, self._strip.width
        found: list[str | None] = []
        for number in cells.tolist():
            row, column = divmod(number, width)
            given = rows[row].cells[self._skipped :]
            text = None
            if column < len(given):
                text = given[column].raw if raw else given[column].text
            found.append(text)
        return found


def _blank(strip: MarkedStrip, texts: StripTexts) -> Array:
    """Which rows have no text at all."""
    import numpy as np
    import pyarrow.compute as pc

    empty = np.ones(strip.rows, bool)
    for column in range(strip.width):
        found = texts.of(np.arange(strip.rows) * strip.width + column)
        lengths = pc.fill_null(pc.binary_length(pc.utf8_trim_whitespace(found)), 0)
        empty &= lengths.to_numpy(zero_copy_only=False) == 0
    return empty


def machines_for(data: Data, dialect: Dialect) -> Machines:
    """The machines that scan a file."""
    backend = choose_backend(data, Options())
    return build(reading_task(dialect), data.codec, backend, True, notes_texts=True)


def opened_data(source: Input, dialect: Dialect) -> Data:
    """A file as the scanner reads it."""
    return Data(source, reading_task(dialect).schema.dialect.encoding)
