"""Rows of another table, found by their texts.

In: batches of records as a `Find` gathers them: keys, the number of the row, other fields. Out: a
`RowIndex`: for the keys of many iterations at once, which records have them.

| array | entry | what |
|---|---|---|
| `hashes` | different hash, rising | 64 bits of the texts of the keys |
| `starts` | the same, and one more | where its records begin in `order` |
| `order` | record | numbers of records by hash, and in the order of the table within one |
| `mixed` | different hash | do records with different keys share it? |

Invariant: the answers are exact. A record is only found if its texts are equal; where texts that
differ have the same hash, they are compared one by one. Cost: a binary search for each iteration.
Memory: 24 bytes for each record at most, and the records themselves, as far as a budget allows;
beyond that they lie in a temporary file, of which the system keeps in memory what is used.
"""

from __future__ import annotations

import os
import secrets
import tempfile
import weakref
from collections.abc import Iterable, Iterator, Sequence
from threading import Lock
from typing import TYPE_CHECKING, Any

from sculpt.tabular.inputs import writing_temporary

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

    Array = np.ndarray[Any, Any]

MEMORY = 100_000_000
"""How many bytes of records are held in memory."""
_CHUNK = 1 << 26
"""The bytes of a chunk of records; far below the 2 GB that Arrow can address in one."""
_BLOCK = 1 << 16
"""How many records are hashed or compared at once."""
_SEED = secrets.randbits(63) | 1
"""Nobody can foresee the hashes, so nobody can write a file full of collisions."""


class RowIndex:
    """The records of a find, by their keys."""

    def __init__(
        self, batches: Iterable[pa.RecordBatch], keys: int, memory: int = MEMORY, bits: int = 64
    ) -> None:
        """`bits` is how much of a hash counts; fewer of them make collisions, for tests."""
        import numpy as np

        self._keys, self._bits = keys, bits
        self._appending = Lock()
        self._records = _Records(batches, memory)
        size = self._records.size
        hashes = np.empty(size, np.uint64)
        for first, block in self._records.blocks(range(keys)):
            hashes[first : first + len(block[0])] = self._hashed(block)
        self.order = np.argsort(hashes, kind="stable").astype(_narrow(size))
        in_order = hashes[self.order]
        is_first = np.ones(size, bool)
        is_first[1:] = in_order[1:] != in_order[:-1]
        self.hashes = in_order[is_first]
        self.starts = np.append(np.flatnonzero(is_first), size)
        self.mixed = self._mixed(is_first)

    def _mixed(self, is_first: Array) -> Array:
        """By hash: do its records have different keys? Null is equal to nothing."""
        import numpy as np

        again = np.flatnonzero(~is_first)
        mixed = np.zeros(len(self.hashes), bool)
        for start in range(0, len(again), _BLOCK):
            some = again[start : start + _BLOCK]
            one, other = self.order[some], self.order[some - 1]
            differ = some[~self._same(self.key_texts(one), self.key_texts(other))]
            mixed[np.searchsorted(self.starts, differ, "right") - 1] = True
        return mixed

    # ------------------------------------------------------------- questions

    def located(self, keys: Sequence[pa.Array]) -> tuple[Array, Array]:
        """For each iteration: where its records begin in `order`, and how many there are.

        An iteration without some key has none.
        """
        import numpy as np

        count = len(keys[0])
        starts, counts = np.zeros(count, np.int64), np.zeros(count, np.int64)
        if not len(self.hashes) or not count:
            return starts, counts
        hashes = self._hashed(keys)
        at = np.minimum(np.searchsorted(self.hashes, hashes), len(self.hashes) - 1)
        hit = np.flatnonzero(self.hashes[at] == hashes)
        group = at[hit]
        firsts = self.order[self.starts[group]]
        same = self._same(self.key_texts(firsts), [each.take(_indices(hit)) for each in keys])
        sure = same & ~self.mixed[group]
        starts[hit[sure]] = self.starts[group[sure]]
        counts[hit[sure]] = (self.starts[group + 1] - self.starts[group])[sure]
        for place, number in zip(
            *(each[self.mixed[group]].tolist() for each in (hit, group)), strict=True
        ):
            starts[place], counts[place] = self._among(number, [key[place].as_py() for key in keys])
        return starts, counts

    def _among(self, group: int, keys: list[str | None]) -> tuple[int, int]:
        """The records with some keys among those that share a hash.

        They are put next to each other, in the order of the table, at the end of `order`.
        """
        import numpy as np

        if None in keys:
            return 0, 0
        rows = self.order[self.starts[group] : self.starts[group + 1]]
        texts = [each.to_pylist() for each in self.key_texts(rows)]
        found = [row for row, *own in zip(rows.tolist(), *texts, strict=True) if own == keys]
        if not found:
            return 0, 0
        with self._appending:
            start = len(self.order)
            self.order = np.append(self.order, np.array(found, self.order.dtype))
        return start, len(found)

    def rows(self, starts: Array, counts: Array) -> Array:
        """The records of all iterations, one iteration after the other."""
        import numpy as np

        total = int(counts.sum())
        within = np.arange(total) - np.repeat(np.cumsum(counts) - counts, counts)
        found: Array = self.order[np.repeat(starts, counts) + within]
        return found

    def texts(self, field: int, rows: Array) -> pa.Array:
        """A field of records; those with a number below 0 are missing."""
        return self._records.taken(field, rows)

    def key_texts(self, rows: Array) -> list[pa.Array]:
        """The keys of records."""
        return [self.texts(field, rows) for field in range(self._keys)]

    # ------------------------------------------------------------- texts

    def _same(self, one: Sequence[pa.Array], other: Sequence[pa.Array]) -> Array:
        """Which keys are equal?"""
        import numpy as np
        import pyarrow.compute as pc

        found = np.ones(len(one[0]), bool)
        for mine, theirs in zip(one, other, strict=True):
            equal = pc.fill_null(pc.equal(_plain(mine), _plain(theirs)), False)
            found &= equal.to_numpy(zero_copy_only=False)
        return found

    def _hashed(self, keys: Sequence[pa.Array]) -> Array:
        """The hashes of keys."""
        import numpy as np

        found = np.zeros(len(keys[0]), np.uint64)
        for each in keys:
            found = found * np.uint64(_SEED) + hashes_of(_plain(each))
        return found if self._bits == 64 else found >> np.uint64(64 - self._bits)


class _Records:
    """Records in chunks, in memory or in a temporary file."""

    def __init__(self, batches: Iterable[pa.RecordBatch], memory: int) -> None:
        import numpy as np

        self._chunks: list[pa.RecordBatch] = []
        held = 0
        with _Spill() as spill:
            for chunk in _chunks(batches):
                held += chunk.nbytes
                if held > memory:
                    for each in self._chunks:
                        spill.put(each)
                    self._chunks = []
                    spill.put(chunk)
                else:
                    self._chunks.append(chunk)
            if spill.is_used:
                for each in self._chunks:
                    spill.put(each)
                self._chunks = spill.mapped(self)
        self.bounds = np.cumsum([0, *(each.num_rows for each in self._chunks)])
        self.size = int(self.bounds[-1])

    def blocks(self, fields: Iterable[int]) -> Iterator[tuple[int, list[pa.Array]]]:
        """Some fields of all records, a few at a time, each with the number of the first."""
        wanted = [*fields]
        for bound, chunk in zip(self.bounds.tolist(), self._chunks, strict=False):
            for start in range(0, chunk.num_rows, _BLOCK):
                piece = chunk.slice(start, _BLOCK)
                yield bound + start, [piece.column(field) for field in wanted]

    def taken(self, field: int, rows: Array) -> pa.Array:
        """A field of some records; null for a number below 0."""
        import numpy as np
        import pyarrow as pa

        if not self._chunks:
            return pa.nulls(len(rows), pa.string())
        if len(self._chunks) == 1:
            return self._chunks[0].column(field).take(_indices(rows))
        chunk_of = np.searchsorted(self.bounds, rows, "right") - 1
        parts, places = [], []
        for number in np.unique(chunk_of).tolist():
            at = np.flatnonzero(chunk_of == number)
            inside = rows[at] - (self.bounds[number] if number >= 0 else 0)
            parts.append(self._chunks[max(number, 0)].column(field).take(_indices(inside)))
            places.append(at)
        if not parts:
            return self._chunks[0].column(field)[:0]
        back = np.empty(len(rows), np.int64)
        back[np.concatenate(places)] = np.arange(len(rows))
        return pa.concat_arrays(parts).take(pa.array(back))


class _Spill:
    """A temporary file with records, which is mapped into memory when it is complete."""

    def __init__(self) -> None:
        self._path: str | None = None
        self._writer: Any = None

    @property
    def is_used(self) -> bool:
        """Is anything in it?"""
        return self._path is not None

    def __enter__(self) -> _Spill:
        return self

    def __exit__(self, *_: object) -> None:
        if self._writer is not None:
            self._writer.close()
        if self._path is not None and os.path.exists(self._path):
            os.unlink(self._path)  # the mapping keeps what is in it

    def put(self, batch: pa.RecordBatch) -> None:
        """Append a chunk."""
        import pyarrow as pa

        with writing_temporary():
            if self._writer is None:
                handle, self._path = tempfile.mkstemp(prefix="sculpt-", suffix=".arrow")
                os.close(handle)
                self._writer = pa.ipc.new_file(self._path, batch.schema)
            self._writer.write_batch(batch)

    def mapped(self, owner: object) -> list[pa.RecordBatch]:
        """All chunks, in memory only as far as they are used."""
        import pyarrow as pa

        with writing_temporary():
            self._writer.close()
            self._writer = None
            source = pa.memory_map(self._path, "r")
        weakref.finalize(owner, source.close)
        reader = pa.ipc.open_file(source)
        return [reader.get_batch(number) for number in range(reader.num_record_batches)]


def _chunks(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Batches, gathered into larger ones, without dictionaries."""
    waiting: list[pa.RecordBatch] = []
    held = 0
    for batch in batches:
        plain = _plain_batch(batch)
        if waiting and held + plain.nbytes > _CHUNK:
            yield _one(waiting)
            waiting, held = [], 0
        waiting.append(plain)
        held += plain.nbytes
    if waiting:
        yield _one(waiting)


def _one(batches: list[pa.RecordBatch]) -> pa.RecordBatch:
    import pyarrow as pa

    return pa.Table.from_batches(batches).combine_chunks().to_batches()[0]


def _plain_batch(batch: pa.RecordBatch) -> pa.RecordBatch:
    import pyarrow as pa

    return pa.RecordBatch.from_arrays(
        [_plain(each) for each in batch.columns], names=batch.schema.names
    )


def _plain(array: pa.Array) -> pa.Array:
    import pyarrow as pa

    return array.dictionary_decode() if pa.types.is_dictionary(array.type) else array


def _indices(rows: Array) -> pa.Array:
    """Numbers of records, null below 0."""
    import pyarrow as pa

    return pa.array(rows, pa.int64(), mask=rows < 0)


def _narrow(size: int) -> Any:
    import numpy as np

    return np.int32 if size < 1 << 31 else np.int64


def hashes_of(texts: pa.Array) -> Array:
    """A hash of 64 bits for each text; that of null is that of an empty text.

    Bytes are digits of a number in base `_SEED`, whose halves are then stirred.
    """
    import numpy as np
    import pyarrow as pa

    array = texts if pa.types.is_string(texts.type) else texts.cast(pa.string())
    count = len(array)
    found = np.zeros(count, np.uint64)
    if not count:
        return found
    _, ends, data = array.buffers()
    offsets = np.frombuffer(ends, np.int32)[array.offset : array.offset + count + 1].astype(
        np.int64
    )
    lengths = np.diff(offsets)
    if array.null_count:
        lengths = np.where(array.is_null().to_numpy(zero_copy_only=False), 0, lengths)
    total = int(lengths.sum())
    if total:
        first = np.cumsum(lengths) - lengths
        within = np.arange(total) - np.repeat(first, lengths)
        at = within + np.repeat(offsets[:-1], lengths)
        digits = np.frombuffer(data, np.uint8)[at].astype(np.uint64) + np.uint64(1)
        powers = np.cumprod(np.full(int(lengths.max()), _SEED, np.uint64))
        has_bytes = lengths > 0
        found[has_bytes] = np.add.reduceat(digits * powers[within], first[has_bytes])
    found ^= found >> np.uint64(31)
    found *= np.uint64(0x9E3779B97F4A7C15)
    return found ^ (found >> np.uint64(29))
