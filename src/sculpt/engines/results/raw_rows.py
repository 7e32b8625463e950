"""The rows of a file as they are, line ends included, each with whether it is good or bad.

In: the machines of a file, its data, and the numbers of its bad rows. Out: pieces of the file's
bytes in the order of the table; neighbouring rows of one kind may share a piece.

Invariant: all pieces together are the rows that count, byte for byte: without the byte order mark,
comment lines, and blank rows that the dialect leaves out. Cost: one scan, and a copy of the bytes;
rows are looked at one by one only if the dialect has comments or leaves out blank rows.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterator

from sculpt.engines.data import Data
from sculpt.engines.in_order import blocks_in_order
from sculpt.engines.machines import Machines
from sculpt.engines.options import Options
from sculpt.engines.scan.blocks import Block
from sculpt.engines.walk.strips import counted_rows, skips_blanks
from sculpt.tabular.grid import read_grid, row_end_pattern
from sculpt.values import frozen, replace

PIECE = 1 << 20


@frozen
class _Run:
    """Neighbouring rows of one kind."""

    is_good: bool
    start: int
    end: int


class RawRows:
    """Lists the rows of a file."""

    def __init__(self, machines: Machines, data: Data, options: Options) -> None:
        self._machines = machines
        self._data = data
        self._options = options
        dialect = machines.task.schema.dialect
        self._dialect = replace(dialect, blank_rows="keep", comment=None)
        self._row_end = row_end_pattern(dialect.row_delim)
        self._comments = _comment_starts(machines, data)
        self._is_plain = not (self._comments or skips_blanks(machines))

    def pieces(self, bad: Collection[int] | None) -> Iterator[tuple[bool, bytes]]:
        """All rows: whether they are good, and their bytes. If `bad` is `None`, all are bad."""
        ordered = sorted(bad or ())
        numbered = 0
        blocks = blocks_in_order(self._machines, self._data, self._options)
        for block in counted_rows(self._machines, blocks):
            if self._is_plain:
                runs = _runs(block, numbered, None if bad is None else ordered)
                numbered += block.rows
            else:
                named = None if bad is None else frozenset(ordered)
                runs = _single_rows(self._machines, block, numbered, named)
            for run in runs:
                numbered += not self._is_plain
                for piece in self._bytes(run):
                    yield run.is_good, piece

    def _bytes(self, run: _Run) -> Iterator[bytes]:
        """The bytes of a run in the file."""
        if self._comments:
            yield self._without_comments(run.start, run.end)
        elif self._data.recoded is not None:
            yield self._data.document(run.start, run.end)[0].data
        else:
            for start in range(run.start, run.end, PIECE):
                yield self._data.window(start, min(start + PIECE, run.end))

    def _without_comments(self, start: int, end: int) -> bytes:
        """One row, without the comment lines that may follow it."""
        window = self._data.window(start, end)
        document, _ = self._data.document(start, end)
        if not any(comment in window for comment in self._comments):
            return document.data
        first = read_grid(document, self._dialect).rows[0]
        line_end = self._row_end.match(document.text, first.end)
        return document.data[: document.byte_offset(line_end.end() if line_end else first.end)]


def _comment_starts(machines: Machines, data: Data) -> tuple[bytes, ...]:
    """What a comment line begins with, after each line end; empty if there are no comments."""
    comment = machines.task.schema.dialect.comment
    if comment is None:
        return ()
    try:
        mark = comment.encode(data.codec)
    except UnicodeEncodeError:  # nothing in this encoding can begin with it
        return ()
    return tuple(end + mark for end in machines.table.scanner.ends)


def _runs(block: Block, numbered: int, bad: list[int] | None) -> Iterator[_Run]:
    """The rows of a block, of which all count, as runs; `bad` is sorted."""

    def start(ix: int) -> int:
        return block.base + int(block.row_starts[ix])

    if bad is None:
        if block.rows:
            yield _Run(False, start(0), start(block.rows))
        return
    done = 0
    first = bisect_left(bad, numbered + 1)
    last = bisect_left(bad, numbered + block.rows + 1)
    for row in bad[first:last]:
        ix = row - numbered - 1
        if ix > done:
            yield _Run(True, start(done), start(ix))
        yield _Run(False, start(ix), start(ix + 1))
        done = ix + 1
    if block.rows > done:
        yield _Run(True, start(done), start(block.rows))


def _single_rows(
    machines: Machines, block: Block, numbered: int, bad: frozenset[int] | None
) -> Iterator[_Run]:
    """The rows of a block that count, one by one."""
    skips, blanks = skips_blanks(machines), machines.blanks()
    starts = [int(start) for start in block.row_starts[: block.rows + 1]]
    before = 0
    for ix in range(block.rows):
        end = int(block.row_cells[ix])
        if not (skips and end - before == 1 and blanks[int(block.letters[before])]):
            numbered += 1
            is_good = bad is not None and numbered not in bad
            yield _Run(is_good, block.base + starts[ix], block.base + starts[ix + 1])
        before = end
