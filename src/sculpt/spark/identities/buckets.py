"""Entries on their way through the shuffle: packed by bucket, a few large rows for Spark.

In: entries: Arrow batches, and segments of short ones. Out: rows with the number of a bucket and
many entries as bytes; and back. Equal entries are in one bucket, since it is chosen by a hash of
their bytes. So Spark moves blocks of bytes, and never looks at an entry; comparing them is left to
arrays.

Invariant: the hash only chooses the bucket; nothing is equal because of it. Cost: linear in the
entries; of a long key, only the first bytes are hashed. Memory: `FLUSH` bytes of entries.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from sculpt.spark.identities.short import Segment, segments_in
from sculpt.spark.units import record_batch

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

    Array = np.ndarray[Any, Any]

PACKED = "bucket int, short boolean, data binary"
FLUSH = 1 << 25
PARTITION = 1 << 26
"""Bytes of tables for each partition of the shuffle, about."""
PER_PARTITION = 4
"""Buckets for each partition: Spark spreads them by a hash of its own."""
_HASHED = 256
"""Bytes of a key that are hashed."""
_MIX = 0x9E3779B97F4A7C15


def packed(entries: Iterable[pa.RecordBatch | Segment], buckets: int) -> Iterator[pa.RecordBatch]:
    """Entries, packed by bucket."""
    waiting: list[list[pa.RecordBatch]] = [[] for _ in range(buckets)]
    short: list[list[bytes]] = [[] for _ in range(buckets)]
    size = 0
    for each in entries:
        if isinstance(each, Segment):
            for bucket, data in each.by_bucket(buckets):
                short[bucket].append(data)
                size += len(data)
        else:
            for bucket, some in _split(each, buckets):
                waiting[bucket].append(some)
            size += each.nbytes
        if size >= FLUSH:
            yield from _flushed(waiting, short)
            size = 0
    yield from _flushed(waiting, short)


def unpacked(batches: Iterable[pa.RecordBatch]) -> tuple[pa.Table | None, list[Segment]]:
    """All entries in rows of packed ones: those in Arrow batches, and short ones."""
    import pyarrow as pa

    found: list[pa.RecordBatch] = []
    short: list[Segment] = []
    for batch in batches:
        for is_short, data in zip(batch.column("short"), batch.column("data"), strict=True):
            if is_short.as_py():
                short += segments_in(data.as_py())
            else:
                with pa.ipc.open_stream(data.as_buffer()) as reader:
                    found.extend(reader)
    return (pa.Table.from_batches(found) if found else None), short


def _split(batch: pa.RecordBatch, buckets: int) -> Iterator[tuple[int, pa.RecordBatch]]:
    """The rows of a batch by bucket."""
    import numpy as np
    import pyarrow as pa

    numbers = (hashes(batch.column("key")) % np.uint64(buckets)).astype(np.int64)
    order = np.argsort(numbers, kind="stable")
    sorted_batch = batch.take(pa.array(order))
    sizes = np.bincount(numbers, minlength=buckets)
    at = 0
    for bucket, size in enumerate(sizes.tolist()):
        if size:
            yield bucket, sorted_batch.slice(at, size)
        at += size


def _flushed(
    waiting: list[list[pa.RecordBatch]], short: list[list[bytes]]
) -> Iterator[pa.RecordBatch]:
    import pyarrow as pa

    compressed = pa.ipc.IpcWriteOptions(compression="lz4")  # most numbers are like the one before
    for bucket, batches in enumerate(waiting):
        if batches:
            sink = pa.BufferOutputStream()
            with pa.ipc.new_stream(sink, batches[0].schema, options=compressed) as writer:
                for batch in batches:
                    writer.write_batch(batch)
            batches.clear()
            yield record_batch(PACKED, [(bucket, False, sink.getvalue().to_pybytes())])
    for bucket, segments in enumerate(short):
        if segments:
            yield record_batch(PACKED, [(bucket, True, b"".join(segments))])
            segments.clear()


def hashes(keys: pa.Array) -> Array:
    """A number for each key, the same for equal ones."""
    import numpy as np
    import pyarrow as pa

    wide = keys.cast(pa.large_binary())
    _, ends, data = wide.buffers()
    offsets = np.frombuffer(ends, np.int64)[wide.offset : wide.offset + len(wide) + 1]
    sizes = offsets[1:] - offsets[:-1]
    held = (b"" if data is None else data.to_pybytes()) + bytes(8)
    words = np.ndarray((len(held) - 7,), "<u8", held, strides=(1,))
    found = sizes.astype(np.uint64) * np.uint64(_MIX)
    rows = np.arange(len(sizes))
    for at in range(0, min(_HASHED, int(sizes.max(initial=0))), 8):
        rows = rows[sizes[rows] > at]
        left = np.minimum(sizes[rows] - at, 8).astype(np.uint64)
        word = words[offsets[:-1][rows] + at]
        unused = np.uint64(8) * (np.uint64(8) - left)
        word = (word << unused) >> unused  # the bytes after the key do not count
        mixed = (found[rows] ^ word) * np.uint64(_MIX)
        found[rows] = mixed ^ (mixed >> np.uint64(29))
    return found
