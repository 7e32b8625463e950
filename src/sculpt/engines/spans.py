"""The rows that a chunk owns, as letters: from a cut of the file to the next one that holds.

In: a `Program`, an open input, the bytes near which the chunks of a file should begin. Out: the
blocks of letters of one chunk, and, when they are through, its `Span`. Whoever reads a chunk
arrives at the next cut at the start of a row, or goes on to the one behind it; so no cut is taken
on trust (`cuts`). Lines are counted on the way, for people.

Invariant: the spans of the chunks that follow each other are the whole file, each row in one.
Memory: a block of bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from typing import Any, Protocol, TypeAlias, TypeVar

from sculpt.engines.blocks import Block, Place, finish, row_end
from sculpt.engines.cuts import find_cut
from sculpt.engines.data import Data
from sculpt.engines.partition import scan_all
from sculpt.engines.program import Program
from sculpt.engines.strips import counted_rows
from sculpt.engines.walk import Walk
from sculpt.errors import DataError
from sculpt.kernels.backend import Backend
from sculpt.tabular.source import Input
from sculpt.values import frozen, mutable

READ_SIZE = 1 << 23
_LINE_FEED = 10

Payload = TypeVar("Payload")
OnBytes: TypeAlias = Callable[[bytes | bytearray], None]


@frozen
class Span:
    """The bytes of the rows that a chunk owns; an end of `None` is that of the file."""

    begin: int
    end: int | None


class Places(Protocol):
    """Where the chunks of a table begin."""

    def at(self, number: int) -> int | None:
        """Where a chunk begins; `None` if it has no cut."""

    def behind(self, number: int) -> Iterator[int]:
        """Where those behind it begin, in order."""


class Cuts:
    """The places at which a file can be cut, near the bytes at which its chunks should begin."""

    def __init__(self, program: Program, data: Data, bases: Sequence[int]) -> None:
        self._program = program
        self._data = data
        self._bases = bases

    def at(self, number: int) -> int | None:
        """Where a chunk begins; `None` if it has no cut."""
        bases, size = self._bases, self._data.source.size
        if number == 0:
            return self._data.skipped
        limit = bases[number + 1] if number + 1 < len(bases) else size
        assert limit is not None
        return find_cut(self._program, self._data.window, bases[number], limit)

    def behind(self, number: int) -> Iterator[int]:
        """The cuts behind a chunk's own, in order."""
        for later in range(number + 1, len(self._bases)):
            cut = self.at(later)
            if cut is not None:
                yield cut


def blocks_of(
    program: Program,
    source: Input,
    begin: int,
    cuts: Iterator[int],
    on_bytes: OnBytes | None = None,
) -> Generator[Block, None, Span]:
    """The letters of the rows from a place on, up to the first cut at which a row begins.

    Each block is good until the next is asked for. Without such a cut the end is that of the file.
    """
    start = program.table.start
    place, at = Place(begin, start, begin), begin
    while (cut := next(cuts, None)) is not None:
        while at < cut:
            data = source.chunk(at, program.buffers.take_bytes(min(READ_SIZE, cut - at)))
            place = yield from _scanned(program, data, at, place, on_bytes)
            if len(data) < min(READ_SIZE, cut - at):
                raise DataError(f"{source.path}: changed while it was read", source.path)
            at += len(data)
        if place.state != start:
            ended = row_end(program, source.window(cut, cut + 1), cut, place)
            if ended is not None:
                yield ended
                return Span(begin, cut)
        if place == Place(cut, start, cut):
            return Span(begin, cut)
    while True:
        data = source.chunk(at, program.buffers.take_bytes(READ_SIZE))
        place = yield from _scanned(program, data, at, place, on_bytes)
        at += len(data)
        if len(data) < READ_SIZE:
            break
    yield finish(program, place)
    return Span(begin, None)


def _scanned(
    program: Program, data: bytes | bytearray, base: int, place: Place, on_bytes: OnBytes | None
) -> Generator[Block, None, Place]:
    if on_bytes is not None:
        on_bytes(data)
    while place.at < base + len(data):
        scanned, place = scan_all(program, data, base, place)
        yield from scanned
        for block in scanned:
            for array in block.kept:
                program.buffers.give(array)
    program.buffers.give_bytes(data)
    return place


def blocks_in(
    program: Program, source: Input, span: Span, on_bytes: OnBytes | None = None
) -> Generator[Block, None, Span]:
    """The letters of a span that is known."""
    cuts = iter(() if span.end is None else (span.end,))
    return blocks_of(program, source, span.begin, cuts, on_bytes)


def walk_blocks(
    blocks: Generator[Block, None, Span], walks: Sequence[Walk]
) -> Generator[None, None, Span]:
    """Take walks through some rows; a pause after each block."""
    while True:
        try:
            block = next(blocks)
        except StopIteration as stop:
            span: Span = stop.value
            break
        for walk in walks:
            walk.take(block)
        yield
    if span.end is not None:
        for walk in walks:
            walk.flush()  # the blank rows at its end count: a row follows
    yield
    return span


def exhausted(generator: Generator[Any, None, Payload]) -> Payload:
    """What a generator returns when it is through."""
    while True:
        try:
            next(generator)
        except StopIteration as stop:
            value: Payload = stop.value
            return value


def counted_blocks(
    program: Program, blocks: Generator[Block, None, Span]
) -> Generator[Block, None, Span]:
    """The same in blocks of whole rows that count."""
    ended: list[Span] = []

    def noted() -> Iterator[Block]:
        ended.append((yield from blocks))

    yield from counted_rows(program, noted(), lambda: ended[0].end is not None)
    return ended[0]


@mutable
class Lines:
    """The line ends of a span, as a text editor counts them."""

    backend: Backend
    count: int = 0
    _ends_with_return: bool = False

    @classmethod
    def behind(cls, backend: Backend, source: Input, begin: int) -> Lines:
        """None yet, of a span that begins at a byte, which may be inside a line end."""
        before = source.window(begin - 1, begin) if begin else b""
        return cls(backend, _ends_with_return=before == b"\r")

    def take(self, data: bytes | bytearray) -> None:
        """The next bytes."""
        self.count += self._new(data)

    def _new(self, data: bytes | bytearray) -> int:
        found = int(self.backend.count_bytes(self.backend.buffer(data), _LINE_FEED))
        if b"\r" in data:
            found += data.count(b"\r") - data.count(b"\r\n")
        if self._ends_with_return and data.startswith(b"\n"):
            found -= 1
        self._ends_with_return = data.endswith(b"\r")
        return found

    def before(
        self, source: Input, span: Span, places: dict[int, int]
    ) -> Iterator[tuple[int, int]]:
        """By row that begins at some byte: the line ends before it in the span."""
        again = Lines.behind(self.backend, source, span.begin)
        at = span.begin
        for row, start in sorted(places.items()):
            while at < start:
                data = source.window(at, min(start, at + READ_SIZE))
                if not data:
                    break
                again.take(data)
                at += len(data)
            # A row may begin inside a line end: then that has not ended.
            is_inside = again._ends_with_return and source.window(at, at + 1) == b"\n"
            yield row, again.count - is_inside
