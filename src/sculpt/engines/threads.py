"""Threads that share the chunks of a file: the driver of the composition on one machine.

In: the machines of a task, data that can be cut, the number of threads. Out: what one walk through
the file finds. For a forward schema, the chunks are folded in one pass (`chunks/fold.py`). For one
that walks up or left, they are measured and probed first, as on a cluster (`chunks/compose.py`),
unless reading in order is cheaper. Invariant: the answer does not depend on the threads. Cost: one
scan and one walk per chunk, and a second walk where an assumption was wrong; memory is that of one
chunk per thread and one more.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from sculpt.engines.chunks.compose import Entries, InOrder, Result, find_entries, perform
from sculpt.engines.chunks.cuts import can_be_cut
from sculpt.engines.chunks.edges import Entry
from sculpt.engines.chunks.fold import DecidedFold, Fold, PreparedChunk, decide_chunk, prepare
from sculpt.engines.chunks.spans import Cuts, Span
from sculpt.engines.data import Data
from sculpt.engines.machines import Machines, without_collection
from sculpt.engines.options import FIRST_CHUNK, MIN_CHUNK, Options, Progress
from sculpt.engines.pool import work_ahead
from sculpt.engines.walk.walk import WalkResult

DECIDED_CHUNK = 1 << 22
"""The most bytes of a chunk whose letters are kept."""


def threads_for(machines: Machines, data: Data, options: Options) -> int:
    """How many threads share the chunks of a file; 1 if the file is read in order."""
    size = data.source.size
    if machines.forgets or not data.can_be_cut or not can_be_cut(machines):
        return 1
    if size is None or size <= min(FIRST_CHUNK, options.chunk):
        return 1  # starting a thread would take longer than reading the file
    cores = os.cpu_count() or 1
    return min(options.threads or cores, 4 * cores)  # more would only wait for each other


def fold_by_threads(
    machines: Machines, data: Data, options: Options, threads: int, width: int | None
) -> WalkResult:
    """Fold the chunks of a file, which threads prepare."""
    first, chunk, size = min(FIRST_CHUNK, options.chunk), options.chunk, data.source.size
    assert size is not None
    # Short files are cut finer, so that less new memory is touched and no thread has much more to
    # do than the others.
    chunk = min(chunk, max(MIN_CHUNK, size // (16 * threads)))
    bases = [0, *range(first, size, chunk)]
    cuts = Cuts(machines, data, bases)
    fold = Fold(machines, data.skipped, options.max_violations, width)

    def works() -> Iterator[Callable[[], PreparedChunk | None]]:
        for number in range(1, len(bases)):
            above, limit = fold.walk.boundary(), fold.wanted
            yield partial(prepare, machines, data, cuts, number, above, limit)

    def take(chunk: PreparedChunk | None) -> None:
        if chunk is None:
            return
        fold.take(chunk)
        if options.on_progress is not None:
            read = chunk.begin + len(chunk.data)
            options.on_progress(Progress(read, size, fold.rows, fold.count))

    with without_collection():  # nearly all steps are met in the first chunk
        take(prepare(machines, data, cuts, 0, None, options.max_violations))
    with contextlib.closing(work_ahead(works(), threads)) as prepared:
        for each in prepared:
            take(each)
    return fold.finish().found


def decide_by_threads(
    machines: Machines, data: Data, options: Options, threads: int
) -> WalkResult | None:
    """Fold the chunks of a file after threads have decided their nodes; `None` if it does not pay.

    In order, a file is decided once, or once per sweep. Here it is measured and probed first.
    """
    size = data.source.size
    assert size is not None
    bases = range(0, size, min(options.chunk, DECIDED_CHUNK, max(MIN_CHUNK, size // (4 * threads))))
    passes = len(machines.decisions.schedule())
    rounds = find_entries(machines, len(bases), threads * passes)
    entered = _drive(rounds, machines, data, bases, options, threads)
    if isinstance(entered, InOrder):
        return None
    fold = DecidedFold(machines, options.max_violations, entered[0][1].width)
    works = (partial(decide_chunk, machines, data, *each) for each in entered)
    with contextlib.closing(work_ahead(works, threads)) as blocks:
        for (span, entry), block in zip(entered, blocks, strict=True):
            fold.take(span, entry, block)
            if options.on_progress is not None:
                walk = fold.walk
                options.on_progress(Progress(span.end or size, size, walk.row, walk.count))
    return fold.finish().found


def _drive(
    rounds: Entries,
    machines: Machines,
    data: Data,
    bases: Sequence[int],
    options: Options,
    threads: int,
) -> list[tuple[Span, Entry]] | InOrder:
    """Let threads do the works of all rounds."""
    works = next(rounds)
    while True:
        tasks = (partial(perform, work, machines, data, bases, 0) for work in works)
        results: list[Result] = []
        for result in work_ahead(tasks, threads):
            results.append(result)
            if options.on_progress is not None:
                read = len(results) * (data.source.size or 0) // len(works)
                options.on_progress(Progress(read, data.source.size, 0, 0, "preparing"))
        data.source.check_unchanged()  # else chunks need not fit together
        try:
            works = rounds.send(results)
        except StopIteration as stop:
            entered: list[tuple[Span, Entry]] | InOrder = stop.value
            return entered
