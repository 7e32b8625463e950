"""The rows that a chunk owns, as letters: from its cut to the next one at which a row begins.

In: the `Machines`, an open input, the bytes near which the chunks of a file should begin. Out: the
blocks of letters of one chunk and, after the last of them, its `Span`. The scan of a chunk either
arrives at the next cut at the start of a row, or goes on to the cut after it; so no cut is taken on
trust (`cuts`). Lines are counted on the way, since reports name them.

Invariant: consecutive spans cover the whole file, and each row is in exactly one. Memory: a block
of bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from typing import Any, Protocol, TypeAlias, TypeVar

from sculpt.engines.chunks.cuts import Read, find_cut
from sculpt.engines.data import Data
from sculpt.engines.machines import Machines
from sculpt.engines.scan.blocks import Block, ScanPoint
from sculpt.engines.scan.decided import finish, row_end, scan_all
from sculpt.engines.walk.strips import counted_rows
from sculpt.engines.walk.walk import Walk
from sculpt.errors import DataError
from sculpt.kernels.backend import Backend
from sculpt.tabular.inputs import Input
from sculpt.values import frozen, mutable

READ_SIZE = 1 << 23
NOTED_READ_SIZE = 1 << 22
"""If texts are noted: their places may take 16 times the memory of the bytes."""
_LINE_FEED = 10

FindCut: TypeAlias = Callable[[Machines, Read, int, int], int | None]
Payload = TypeVar("Payload")
OnBytes: TypeAlias = Callable[[bytes | bytearray], None]


@frozen
class Span:
    """The bytes of the rows that a chunk owns; an `end` of `None` is the end of the file."""

    begin: int
    end: int | None


def start_of_row(machines: Machines, at: int) -> ScanPoint:
    """The point of a scan at a byte where a row begins."""
    return ScanPoint(at, machines.table.start, at)


class ChunkStarts(Protocol):
    """Where the chunks of a table begin."""

    def at(self, number: int) -> int | None:
        """Where a chunk begins; `None` if it has no cut."""

    def after(self, number: int) -> Iterator[int]:
        """Where the chunks after it begin, in order."""


class Cuts:
    """The places at which a file can be cut, near the bytes at which its chunks should begin."""

    def __init__(
        self, machines: Machines, data: Data, bases: Sequence[int], find: FindCut = find_cut
    ) -> None:
        self._machines = machines
        self._find_cut = find
        self._data = data
        self._bases = bases
        self._found: dict[int, int | None] = {}

    def at(self, number: int) -> int | None:
        """Where a chunk begins; `None` if it has no cut."""
        if number == 0:
            return self._data.skipped
        if number not in self._found:
            # All threads go by the cut that was found first, even if the file has changed since.
            self._found.setdefault(number, self._find(number))
        return self._found[number]

    def _find(self, number: int) -> int | None:
        bases, size = self._bases, self._data.source.size
        limit = bases[number + 1] if number + 1 < len(bases) else size
        assert limit is not None
        return self._find_cut(self._machines, self._data.window, bases[number], limit)

    def after(self, number: int) -> Iterator[int]:
        """The cuts after a chunk's own, in order."""
        for later in range(number + 1, len(self._bases)):
            cut = self.at(later)
            if cut is not None:
                yield cut


def blocks_of(
    machines: Machines,
    source: Input,
    begin: int,
    cuts: Iterator[int],
    on_bytes: OnBytes | None = None,
) -> Generator[Block, None, Span]:
    """The letters of the rows from a byte on, up to the first cut at which a row begins.

    Without such a cut, up to the end of the file. Each block is valid until the next is asked for.
    """
    start = machines.table.start
    size = NOTED_READ_SIZE if machines.table.notes_texts else READ_SIZE
    point, at = ScanPoint(begin, start, begin), begin
    while (cut := next(cuts, None)) is not None:
        while at < cut:
            data = source.read_into(at, machines.buffers.take_bytes(min(size, cut - at)))
            point = yield from _scanned(machines, data, at, point, on_bytes)
            if len(data) < min(size, cut - at):
                raise DataError(f"{source.path}: changed while it was read", source.path)
            at += len(data)
        if point.state != start:
            ended = row_end(machines, source.window(cut, cut + 1), cut, point)
            if ended is not None:
                yield ended
                return Span(begin, cut)
        if point == ScanPoint(cut, start, cut):
            return Span(begin, cut)
    while True:
        data = source.read_into(at, machines.buffers.take_bytes(size))
        point = yield from _scanned(machines, data, at, point, on_bytes)
        at += len(data)
        if len(data) < size:
            break
    yield finish(machines, point)
    return Span(begin, None)


def _scanned(
    machines: Machines,
    data: bytes | bytearray,
    base: int,
    point: ScanPoint,
    on_bytes: OnBytes | None,
) -> Generator[Block, None, ScanPoint]:
    if on_bytes is not None:
        on_bytes(data)
    while point.at < base + len(data):
        scanned, point = scan_all(machines, data, base, point)
        yield from scanned
        machines.buffers.recycle(scanned)
    machines.buffers.give_bytes(data)
    return point


def blocks_in(
    machines: Machines, source: Input, span: Span, on_bytes: OnBytes | None = None
) -> Generator[Block, None, Span]:
    """The letters of a known span."""
    cuts = iter(() if span.end is None else (span.end,))
    return blocks_of(machines, source, span.begin, cuts, on_bytes)


def read_rows(
    machines: Machines, data: Data, begin: int, end: int
) -> tuple[bytes | bytearray, list[Block], ScanPoint]:
    """The bytes from a row on up to another place, their letters, and the point after them.

    The caller returns bytes and blocks to the buffers.
    """
    source = data.source
    content = source.read_into(begin, machines.buffers.take_bytes(end - begin))
    if len(content) < end - begin:
        raise DataError(f"{source.path}: changed while it was read", source.path)
    blocks: list[Block] = []
    point = start_of_row(machines, begin)
    while point.at < end:
        more, point = scan_all(machines, content, begin, point)
        blocks += more
    return content, blocks, point


def with_last_row(
    machines: Machines, data: Data, blocks: Sequence[Block], point: ScanPoint
) -> tuple[list[Block], int]:
    """Blocks with the row that ends at their end, and where the row begins that does not."""
    end = point.at
    if end == data.source.size:
        return [*blocks, finish(machines, point)], end
    if point.state == machines.table.start:
        return list(blocks), end
    ended = row_end(machines, data.window(end, end + 1), end, point)
    return (list(blocks), point.begun) if ended is None else ([*blocks, ended], end)


def walk_blocks(
    blocks: Generator[Block, None, Span], walks: Sequence[Walk]
) -> Generator[None, None, Span]:
    """Take walks through some rows; yields after each block."""
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
            walk.flush()  # a row follows, so the blank rows at the end count
    yield
    return span


def exhausted(generator: Generator[Any, None, Payload]) -> Payload:
    """Run a generator to its end; returns what it returns."""
    while True:
        try:
            next(generator)
        except StopIteration as stop:
            value: Payload = stop.value
            return value


def counted_blocks(
    machines: Machines, blocks: Generator[Block, None, Span]
) -> Generator[Block, None, Span]:
    """The same cells, in blocks of whole rows that count."""
    ended: list[Span] = []

    def with_end() -> Iterator[Block]:
        ended.append((yield from blocks))

    yield from counted_rows(machines, with_end(), lambda: ended[0].end is not None)
    return ended[0]


@mutable
class Lines:
    """The line ends of a span, as a text editor counts them."""

    backend: Backend
    source: Input
    count: int = 0
    _ends_with_return: bool = False

    @classmethod
    def after(cls, backend: Backend, source: Input, begin: int) -> Lines:
        """A count of 0 for a span that begins at a byte; that may be inside a line end."""
        before = source.window(begin - 1, begin) if begin else b""
        return cls(backend, source, _ends_with_return=before == b"\r")

    def take(self, data: bytes | bytearray) -> None:
        """Count the line ends of the next bytes."""
        self.count += self._new(data)

    def _new(self, data: bytes | bytearray) -> int:
        found = int(self.backend.count_bytes(self.backend.buffer(data), _LINE_FEED))
        if b"\r" in data:
            found += data.count(b"\r") - data.count(b"\r\n")
        if self._ends_with_return and data.startswith(b"\n"):
            found -= 1
        self._ends_with_return = data.endswith(b"\r")
        return found

    def before(self, span: Span, places: dict[int, int]) -> Iterator[tuple[int, int]]:
        """By row: the line ends before it in the span; `places` has the byte of each row."""
        source = self.source
        again = Lines.after(self.backend, source, span.begin)
        at = span.begin
        for row, start in sorted(places.items()):
            while at < start:
                data = source.window(at, min(start, at + READ_SIZE))
                if not data:
                    break
                again.take(data)
                at += len(data)
            # A row may begin inside a line end, which has not ended then.
            is_inside = again._ends_with_return and source.window(at, at + 1) == b"\n"
            yield row, again.count - is_inside
