"""A chunk piece by piece: bytes with their letters, cut where rows seem to begin.

In: the `Machines`, data that can be cut, where a chunk begins, and the cuts after it. Out: `Piece`s
in order. A walk takes their blocks; whoever also needs the bytes of rows has them at hand. Most
pieces begin with a row, since they end after a line end; where that is not so, a row goes on.

Invariant: the letters are those of `spans.blocks_of`. Cost: one scan. Memory: a piece.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from itertools import chain

from sculpt.engines.chunks.spans import Span, start_of_row
from sculpt.engines.data import Data
from sculpt.engines.machines import Machines
from sculpt.engines.scan.blocks import Block, ScanPoint
from sculpt.engines.scan.decided import finish, row_end, scan_all
from sculpt.errors import DataError
from sculpt.values import frozen

PIECE = 1 << 23


@frozen
class Piece:
    """Some bytes, and their letters; both are valid until the next piece is asked for."""

    begin: int
    content: bytes | bytearray
    """Empty for the end of a row, or of the file, that only what follows shows."""
    blocks: tuple[Block, ...]
    begins_row: bool
    point: ScanPoint
    """Where the scan has arrived."""


def pieces_of(
    machines: Machines, data: Data, begin: int, cuts: Iterator[int]
) -> Generator[Piece, None, Span]:
    """The pieces of the rows from a byte on, up to the first cut at which a row begins.

    Without such a cut, up to the end of the file.
    """
    start, source, size = machines.table.start, data.source, data.source.size
    assert size is not None
    point = start_of_row(machines, begin)
    at = begin
    for cut in chain(cuts, (size,)):
        while at < cut:
            wanted = min(PIECE, cut - at)
            content = source.read_into(at, machines.buffers.take_bytes(wanted))
            if len(content) < wanted:
                raise DataError(f"{source.path}: changed while it was read", source.path)
            if at + wanted < cut and (last := content.rfind(b"\n")) >= 0:
                content = content[: last + 1]
            begins_row, blocks = point == start_of_row(machines, at), list[Block]()
            while point.at < at + len(content):
                more, point = scan_all(machines, content, at, point)
                blocks += more
            yield Piece(at, content, tuple(blocks), begins_row, point)
            at += len(content)
            machines.buffers.recycle(blocks)
            machines.buffers.give_bytes(content)
        if cut == size:
            break
        if point.state != start:
            ended = row_end(machines, data.window(cut, cut + 1), cut, point)
            if ended is not None:
                yield Piece(cut, b"", (ended,), False, point)
                return Span(begin, cut)
        if point == start_of_row(machines, cut):
            return Span(begin, cut)
    yield Piece(at, b"", (finish(machines, point),), False, point)
    return Span(begin, None)
