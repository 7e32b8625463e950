"""A sample of a file: its head, its tail, and blocks in between.

In: the name of a file, a URI, or `-`. Out: a `Sample`. A file with random access is read at a few
places; of a packed file and of a pipe, only the head is read.

Invariant: at most `LIMIT` bytes are read of a plain file, whatever its size; pieces are in the
order of the file and do not overlap. Cost: a few reads.
"""

from __future__ import annotations

from sculpt.tabular.inputs import Input
from sculpt.values import field, frozen

LIMIT = 1 << 20
_HEAD = 1 << 19
_BLOCK = 1 << 16
_BLOCKS = 7
"""Blocks after the head, the last one at the end of the file."""


@frozen
class Piece:
    """Some bytes of a file."""

    start: int
    data: bytes = field(repr=False)


@frozen
class Sample:
    """What was read of a file."""

    path: str
    pieces: tuple[Piece, ...]
    is_whole: bool

    @property
    def head(self) -> bytes:
        """The beginning of the file."""
        return self.pieces[0].data

    @property
    def size(self) -> int:
        """The number of bytes that were read."""
        return sum(len(piece.data) for piece in self.pieces)


def take_sample(path: str) -> Sample:
    """Read a sample of a file; a `DataError` if it cannot be read."""
    with Input(path) as source:
        size = source.size
        if not source.is_plain or size is None:
            head = source.window(0, _HEAD)
            return Sample(path, (Piece(0, head),), len(head) < _HEAD)
        end = _HEAD + _BLOCKS * _BLOCK
        if size <= end:
            return Sample(path, (Piece(0, source.window(0, end)),), True)
        step = (size - end) // _BLOCKS + _BLOCK
        starts = [size - _BLOCK - step * ix for ix in range(_BLOCKS)]
        places = [(0, _HEAD), *((start, start + _BLOCK) for start in reversed(starts))]
        pieces = (Piece(start, source.window(start, stop)) for start, stop in places)
        return Sample(path, tuple(pieces), False)
