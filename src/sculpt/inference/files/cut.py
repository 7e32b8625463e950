"""A large file cut down: its head, blocks in between, its tail, as a small file of whole rows.

In: a path, and the dialect of the file. Out: a `Cut`: a copy of some of its rows in a scratch
folder; `None` if the file is small, or cannot be cut. So all that learns from rows reads a small
file, whatever the size, and only the engine reads the large one.

Invariant: each row of the copy is a row of the file, in the order of the file; its first `head`
rows are the first rows of the file, its last `tail` rows the last ones. A cut inside a quoted cell
shows by rows of unusual width, or by line ends inside cells: then the next line is tried, and at
last the block is left out. Quoted cells that hold line ends, delimiters and quotes may look like
rows even so; what is learnt of them is put right where all rows are counted. Cost: a plain file is
read at a few places; a packed one is unpacked once.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Sequence

from sculpt.core.dialect import Dialect
from sculpt.inference.files.rows import is_plain, rows_of
from sculpt.inference.files.sheet import Cut, Rows
from sculpt.inference.sniff.sample import Piece
from sculpt.tabular.document import decode_piece, find_encoding
from sculpt.tabular.inputs import BLOCK_SIZE, Input, writing_temporary
from sculpt.values import frozen

_BLOCKS = 12
_TRIES = 40
"""Line ends at which a cut is tried."""
_LOOKED_AT = 30
"""Rows beside a cut that tell whether it is one between rows."""
_UNIT = 4
"""Cuts are at multiples of this: no cut goes through a character of UTF-16 or UTF-32."""


@frozen
class _Sizes:
    """How many bytes are read."""

    whole: int
    """Files up to this size are read as a whole."""
    head: int
    block: int
    tail: int


_PLAIN = _Sizes(4 << 20, 1 << 20, 1 << 16, 1 << 18)
_SLOW = _Sizes(1 << 19, 1 << 18, 1 << 14, 1 << 16)
"""Of dialects that only the readable reader reads."""


def cut_copy(path: str, dialect: Dialect, scratch: str) -> Cut | None:
    """The copy of a file; `None` if the whole file is to be read."""
    with Input(path) as source:
        head = source.window(0, _PLAIN.head)
        codec, skipped = find_encoding(head[:4], dialect.encoding)
        is_fast = is_plain(decode_piece(head, codec, skipped).text, dialect)
        pieces = _pieces(source, _PLAIN if is_fast else _SLOW)
    if pieces is None:
        return None
    cutter = _Cutter(dialect, codec)
    first = cutter.head(pieces[0].data, skipped)
    if first is None:
        return None
    data, rows, tail = [first[0]], [*first[1]], 0
    for place, piece in enumerate(pieces[1:], 2):
        found = cutter.block(piece.data, place == len(pieces))
        if found is not None:
            data.append(found[0])
            rows += found[1]
            tail = len(found[1]) if place == len(pieces) else 0
    copy = os.path.join(tempfile.mkdtemp(dir=scratch), os.path.basename(path) or "copy")
    with writing_temporary(), open(copy, "wb") as file:
        file.write(b"".join(data))
    return Cut(copy, len(first[1]), tail, tuple(rows))


def _pieces(source: Input, sizes: _Sizes) -> list[Piece] | None:
    """Head, blocks and tail; `None` if the input is small."""
    if not source.is_plain or source.size is None:
        return _of_stream(source, sizes)
    return None if source.size <= sizes.whole else list(_of_plain(source, source.size, sizes))


def _of_plain(source: Input, size: int, sizes: _Sizes) -> Iterator[Piece]:
    yield Piece(0, source.window(0, sizes.head))
    step = (size - sizes.head - sizes.tail) // (_BLOCKS + 1)
    for number in range(1, _BLOCKS + 1):
        start = (sizes.head + step * number) // _UNIT * _UNIT
        yield Piece(start, source.window(start, start + sizes.block))
    start = (size - sizes.tail) // _UNIT * _UNIT
    yield Piece(start, source.window(start, size))


def _of_stream(source: Input, sizes: _Sizes) -> list[Piece] | None:
    """The same of packed data, whose size shows only at its end."""
    head, tail, at, step = bytearray(), b"", 0, 1
    kept: list[Piece] = []
    for number, (block, _) in enumerate(source.blocks(BLOCK_SIZE)):
        head += block[: max(0, sizes.head - len(head))]
        if number % step == 0 and at >= sizes.head:
            start = -at % _UNIT
            kept.append(Piece(at + start, block[start : start + sizes.block]))
            if len(kept) > 2 * _BLOCKS:
                kept, step = kept[::2], 2 * step
        tail = tail[-sizes.tail :] + block
        at += len(block)
    if at <= sizes.whole:
        return None
    begin = -(-(at - sizes.tail) // _UNIT) * _UNIT
    middle = [piece for piece in kept if piece.start + len(piece.data) <= begin]
    return [Piece(0, bytes(head)), *middle, Piece(begin, tail[len(tail) - (at - begin) :])]


class _Cutter:
    """Cuts pieces of a file between rows."""

    def __init__(self, dialect: Dialect, codec: str) -> None:
        self._dialect, self._codec = dialect, codec
        self._marks = "\n".encode(codec), "\r".encode(codec)
        self._widths: frozenset[int] = frozenset()
        self._has_breaks = False

    def head(self, data: bytes, skipped: int) -> tuple[bytes, Rows] | None:
        """The first rows; they say what is usual."""
        for end in self._ends(data):
            rows = self._rows(data[skipped:end])
            if len(rows) <= 2 * _LOOKED_AT:
                return None
            self._widths = frozenset(map(len, rows[:-_LOOKED_AT]))
            self._has_breaks = any(map(_has_break, rows[:-_LOOKED_AT]))
            if self._fits(rows[-_LOOKED_AT:]):
                return data[:end], rows
        return None

    def block(self, data: bytes, is_tail: bool) -> tuple[bytes, Rows] | None:
        """The rows of another piece; the last one of a file is kept to its end."""
        for start in self._starts(data):
            for end in [len(data)] if is_tail else self._ends(data):
                rows = self._rows(data[start:end], is_tail)
                if not self._fits(rows[:_LOOKED_AT]):
                    break
                if is_tail or self._fits(rows[-_LOOKED_AT:]):
                    return data[start:end], rows
        return None

    def _rows(self, data: bytes, is_end: bool = False) -> Rows:
        return rows_of(decode_piece(data, self._codec), self._dialect, is_end)

    def _fits(self, rows: Sequence[Sequence[str]]) -> bool:
        """Do rows look like those of the head?"""
        if not rows or any(len(row) not in self._widths for row in rows):
            return False
        return self._has_breaks or not any(map(_has_break, rows))

    def _starts(self, data: bytes) -> Iterator[int]:
        """Where lines begin, the first ones first."""
        mark, at = self._mark(data), 0
        for _ in range(_TRIES):
            at = data.find(mark, at)
            while at >= 0 and at % len(mark):
                at = data.find(mark, at + 1)
            if at < 0:
                return
            at += len(mark)
            yield at

    def _ends(self, data: bytes) -> Iterator[int]:
        """Where lines end, the last ones first."""
        mark, at = self._mark(data), len(data)
        for _ in range(_TRIES):
            at = data.rfind(mark, 0, at)
            while at >= 0 and at % len(mark):
                at = data.rfind(mark, 0, at + len(mark) - 1)
            if at < 0:
                return
            yield at + len(mark)

    def _mark(self, data: bytes) -> bytes:
        return self._marks[0] if self._marks[0] in data else self._marks[1]


def _has_break(row: Sequence[str]) -> bool:
    return any("\n" in text or "\r" in text for text in row)
