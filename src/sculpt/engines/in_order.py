"""Files read in order: small ones, uncuttable ones, schemas that walk left or up, programs.

In: the machines of a task, data. Out: blocks of letters in the order of the file, or a walk through
all of them, whatever the schema. Reading and scanning are one block ahead. Invariant: memory is
that of a few blocks and, if the schema walks up or left, of a strip per thread and one more
(`strips`, `sweeps`).
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Generator, Iterator
from typing import Protocol

from sculpt.engines.data import Data
from sculpt.engines.machines import Machines
from sculpt.engines.options import FIRST_CHUNK, Options, Progress
from sculpt.engines.scan.blocks import Block, ScanPoint
from sculpt.engines.scan.decided import finish, scan_all
from sculpt.engines.walk.strips import walk_strips
from sculpt.engines.walk.sweeps import Spool, Sweeps
from sculpt.engines.walk.walk import Walk
from sculpt.values import mutable


def blocks_in_order(machines: Machines, data: Data, options: Options) -> Iterator[Block]:
    """The letters of a whole file; each block is valid until the next is asked for."""
    return FileReader(data, options).blocks(machines)


def walk_in_order(
    machines: Machines, data: Data, options: Options, walk: Walk, threads: int = 1
) -> Generator[None, None, None]:
    """Take a walk through a whole file, whatever the schema; yields now and then."""
    reader = FileReader(data, options)
    if not machines.decisions.nodes:
        for block in reader.blocks(machines):
            walk.take(block)
            reader.report(walk)
            yield
    elif machines.decisions.ahead < math.inf:
        for _ in walk_strips(machines, reader.blocks(machines), walk, options.strip, threads):
            reader.report(walk)
            yield
    else:
        with contextlib.closing(Spool(machines)) as spool:
            for _ in spool.fill(reader.blocks(machines)):
                reader.report(None)
            walk.fix_width(spool.width)
            sweeps = Sweeps(machines, spool, options.strip, threads)
            for share in sweeps.run(walk):
                reader.report(walk, f"pass {sweeps.count + 1}", share)
                yield


class Counts(Protocol):
    """What progress is reported of."""

    @property
    def row(self) -> int:
        """Rows that have ended."""

    @property
    def count(self) -> int:
        """Violations so far."""


@mutable
class FileReader:
    """Reads a file in order, and reports progress."""

    data: Data
    options: Options
    read: int = 0

    def blocks(self, machines: Machines) -> Iterator[Block]:
        """The letters of a whole file; each block is valid until the next is asked for."""
        scans = self._scans(machines)
        for scanned in scans if self._is_short else self.data.source.ahead(scans):
            yield from scanned
            machines.buffers.recycle(scanned)

    def _scans(self, machines: Machines) -> Iterator[tuple[Block, ...]]:
        data = self.data
        place = ScanPoint(data.skipped, machines.table.start, data.skipped)
        base = 0
        for block, read in self._bytes():
            self.read = read
            while place.at < base + len(block):
                scanned, place = scan_all(machines, block, base, place)
                yield scanned
            base += len(block)
        yield (finish(machines, place),)

    @property
    def _is_short(self) -> bool:
        """Would starting a thread take longer than reading the file?"""
        size = self.data.source.size
        return self.data.can_be_cut and size is not None and size <= FIRST_CHUNK

    def _bytes(self) -> Iterator[tuple[bytes, int]]:
        """The bytes of a file, each block with the number of bytes read so far."""
        if not self._is_short:
            yield from self.data.source.ahead(self.data.blocks(self.options.chunk))
            return
        base = 0
        while block := self.data.window(base, base + self.options.chunk):
            base += len(block)  # some files claim to be empty, and are not
            yield block, base

    def report(self, walk: Counts | None, stage: str = "", share: float = 1) -> None:
        """Report progress; `share` is how much of a later pass is done."""
        if self.options.on_progress is not None:
            rows, count = (walk.row, walk.count) if walk is not None else (0, 0)
            read, total = int(self.read * share), self.data.source.size
            self.options.on_progress(Progress(read, total, rows, count, stage))


def measure_width(machines: Machines, data: Data, options: Options) -> int:
    """The width of the table: the largest number of cells in a row."""
    widest = begun = 0
    reader = FileReader(data, options)
    for block in reader.blocks(machines):
        widest, begun = _widest(machines, block, widest, begun)
        reader.report(None, "measuring the width")
    return widest


def _widest(machines: Machines, scanned: Block, widest: int, begun: int) -> tuple[int, int]:
    """The width of the widest row so far, and the cells of the row that has not ended."""
    if scanned.rows == 0:
        return max(widest, begun + scanned.cells), begun + scanned.cells
    inner = machines.backend.widest(scanned.row_cells, scanned.rows, scanned.cells)
    last = int(scanned.row_cells[scanned.rows - 1])
    first = begun + int(scanned.row_cells[0])
    return max(widest, int(inner), first), scanned.cells - last
