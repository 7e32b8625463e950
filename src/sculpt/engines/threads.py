"""Threads that share the chunks of a file: the driver of the composition on one machine.

In: the machines of a forward schema, data that can be cut, the number of threads. Out: what one
walk through the file finds: the chunks are folded in one pass (`chunks/fold.py`). Invariant: the
answer does not depend on the threads. Cost: one scan and one walk per chunk, and a second walk
where an assumption was wrong; memory is that of one chunk per thread and one more.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from functools import partial

from sculpt.engines.chunks.cuts import guess_cut
from sculpt.engines.chunks.fold import Fold, PreparedChunk
from sculpt.engines.chunks.result import Outcome
from sculpt.engines.chunks.spans import Cuts
from sculpt.engines.data import Data
from sculpt.engines.machines import Machines, without_collection
from sculpt.engines.options import FIRST_CHUNK, MIN_CHUNK, Options, Progress
from sculpt.engines.pool import work_ahead
from sculpt.engines.walk.walk import WalkResult


def fold_by_threads(
    machines: Machines, data: Data, options: Options, threads: int, width: int | None
) -> WalkResult:
    """What is found in a file whose chunks threads prepare."""
    fold = Fold(machines, data.skipped, options.max_violations, width)
    return fold_chunks(fold, data, options, threads).found


def fold_chunks(fold: Fold, data: Data, options: Options, threads: int) -> Outcome:
    """Fold all chunks of a file, which threads prepare."""
    machines = fold.machines
    first, chunk, size = min(FIRST_CHUNK, options.chunk), options.chunk, data.source.size
    assert size is not None
    # Short files are cut finer, so that less new memory is touched and no thread has much more to
    # do than the others.
    chunk = min(chunk, max(MIN_CHUNK, size // (16 * threads)))
    bases = [0, *range(first, size, chunk)]
    cuts = Cuts(machines, data, bases, guess_cut)

    def works() -> Iterator[Callable[[], PreparedChunk | None]]:
        for number in range(1, len(bases)):
            limits = fold.wanted, fold.wanted_unchecked
            yield partial(fold.prepare, data, cuts, number, fold.walk.boundary(), *limits)

    def take(chunk: PreparedChunk | None) -> None:
        if chunk is None:
            return
        fold.take(chunk)
        if options.on_progress is not None:
            read = chunk.begin + len(chunk.data)
            options.on_progress(Progress(read, size, fold.rows, fold.count))

    with without_collection():  # nearly all steps are met in the first chunk
        take(fold.prepare(data, cuts, 0, None, options.max_violations))
    with contextlib.closing(work_ahead(works(), threads)) as prepared:
        for each in prepared:
            take(each)
    return fold.finish()
