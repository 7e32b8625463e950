"""Records that occur once: `emit distinct`.

In: the batches of a stream in the order of the table, and the records that came before. Out: the
batches without the records that are known, which the set then has too.

Invariant: two records are equal if their fields have the same canonical texts, or are null in both.
Memory: the texts of all distinct records of a table. Cost: one look into a set per record.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from sculpt.transform.writers.rendering import texts_of

if TYPE_CHECKING:
    import pyarrow as pa

Record: TypeAlias = "tuple[str | tuple[str, ...] | None, ...]"
"""The canonical texts of the fields of a record."""


def without_known(batch: pa.RecordBatch, known: set[Record]) -> pa.RecordBatch:
    """The records of a batch that are not known; they are known from then on."""
    import pyarrow as pa

    kept: list[int] = []
    for ix, record in enumerate(zip(*map(_keys, batch.columns), strict=True)):
        if record not in known:
            known.add(record)
            kept.append(ix)
    return batch if len(kept) == batch.num_rows else batch.take(pa.array(kept, pa.int64()))


def _keys(array: pa.Array) -> list[str | tuple[str, ...] | None]:
    import pyarrow as pa

    if pa.types.is_list(array.type):
        return [None if each is None else tuple(each) for each in array.to_pylist()]
    texts: list[str | tuple[str, ...] | None] = texts_of(array).to_pylist()
    return texts
