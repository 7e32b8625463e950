"""Parquet: types that a reader sees, and row groups."""

from __future__ import annotations

import io
from decimal import Decimal

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sculpt.transform.writers import parquet
from sculpt.transform.writers.parquet import ParquetWriter


def written(schema: pa.Schema, *batches: pa.RecordBatch) -> io.BytesIO:
    stream = io.BytesIO()
    with ParquetWriter(stream, schema) as writer:
        for batch in batches:
            writer.write(batch)
    return stream


TYPES = {
    "area": pa.dictionary(pa.int32(), pa.string()),
    "number": pa.decimal128(20, 3),
    "day": pa.date32(),
    "second": pa.timestamp("s"),
    "nano": pa.timestamp("ns", "UTC"),
    "names": pa.list_(pa.string()),
    "text": pa.string(),
}
BATCH = pa.RecordBatch.from_pydict(
    {
        "area": pa.array(["n", None, "n"], TYPES["area"]),
        "number": pa.array([Decimal("1.5"), None, Decimal(2)], TYPES["number"]),
        "day": pa.array([0, None, 1], TYPES["day"]),
        "second": pa.array([0, None, 1], TYPES["second"]),
        "nano": pa.array([0, None, 1], TYPES["nano"]),
        "names": pa.array([["a"], None, []], TYPES["names"]),
        "text": ["", None, "\x00"],
    }
)


def test_a_reader_sees_the_types_and_no_dictionary() -> None:
    stream = written(BATCH.schema, BATCH)
    read = pq.read_table(stream)
    # Parquet has no timestamps in seconds.
    seen = {**TYPES, "area": pa.string(), "second": pa.timestamp("ms")}
    assert dict(zip(read.schema.names, read.schema.types, strict=True)) == seen
    assert read.to_pylist() == BATCH.to_pylist()
    file = pq.ParquetFile(stream)
    assert str(file.schema.column(0).logical_type) == "String"
    assert file.metadata.row_group(0).column(0).compression == "SNAPPY"


def test_small_batches_are_one_row_group(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet, "GROUP_ROWS", 7)
    stream = written(BATCH.schema, *[BATCH] * 4, BATCH.slice(0, 0))
    file = pq.ParquetFile(stream).metadata
    assert [file.row_group(ix).num_rows for ix in range(file.num_row_groups)] == [9, 3]
    assert pq.read_table(stream).to_pylist() == BATCH.to_pylist() * 4


def test_a_large_batch_is_one_row_group() -> None:
    batch = pa.RecordBatch.from_pydict({"n": list(range(parquet.GROUP_ROWS * 2))})
    stream = written(batch.schema, batch, batch)
    file = pq.ParquetFile(stream).metadata
    assert [file.row_group(ix).num_rows for ix in range(2)] == [batch.num_rows] * 2


def test_each_batch_may_have_a_dictionary_of_its_own() -> None:
    batches = [
        pa.RecordBatch.from_arrays([pa.array(values).dictionary_encode()], ["area"])
        for values in (["a", "b"], ["c"], ["b", "a"])
    ]
    stream = written(batches[0].schema, *batches)
    assert pq.read_table(stream).column("area").to_pylist() == ["a", "b", "c", "b", "a"]


def test_without_records_the_schema_is_there() -> None:
    read = pq.read_table(written(BATCH.schema))
    assert read.num_rows == 0
    assert read.schema.names == BATCH.schema.names


def test_a_lent_stream_stays_open() -> None:
    assert not written(BATCH.schema, BATCH).closed
