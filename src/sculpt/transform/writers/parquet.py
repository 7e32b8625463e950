"""Records as Parquet.

In: record batches. Out: one Parquet file, compressed with Snappy, which every reader supports.
Invariant: a reader sees the types of the schema; a dictionary is only an encoding, so its type in
the file is `string`. Parquet has no timestamps in seconds: they become milliseconds.
Cost: one row group per batch; small batches are first combined, up to `GROUP_ROWS` records, since
each group costs readers time. Memory is that of a row group.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from sculpt.transform.writers.rendering import fitting
from sculpt.transform.writers.writer import Destination, Writer

if TYPE_CHECKING:
    import pyarrow as pa

GROUP_ROWS = 1 << 16
_GROUP_BYTES = 1 << 28  # with long texts, a row group is full before it has `GROUP_ROWS` records


class ParquetWriter(Writer):
    """Writes a Parquet file; a stream must be that of a file, or in memory."""

    def __init__(self, to: Destination, schema: pa.Schema) -> None:
        super().__init__(to)
        self._schema = plain_schema(schema)
        self._coded: pa.Schema | None = None
        """The types that are written: dictionary-encoded fields stay so."""
        self._waiting: list[pa.RecordBatch] = []
        self._rows = self._bytes = 0
        self._parquet: Any = None

    def write(self, batch: pa.RecordBatch) -> None:
        """See `Writer`."""
        for part in fitting(batch, _GROUP_BYTES):
            if self._coded is None:
                self._coded = _coded_schema(part, self._schema)
            coded = _coded_batch(part, self._coded)
            self._waiting.append(coded)
            self._rows += coded.num_rows
            self._bytes += coded.nbytes
            if self._rows >= GROUP_ROWS or self._bytes >= _GROUP_BYTES:
                self._write_group()

    def _write_group(self) -> None:
        import pyarrow as pa

        table = pa.Table.from_batches(self._waiting)
        self._waiting.clear()
        self._rows = self._bytes = 0
        self._opened().write_table(table, row_group_size=table.num_rows)

    def _opened(self) -> Any:
        if self._parquet is None:
            from pyarrow.parquet import ParquetWriter as ArrowWriter

            schema = self._coded or self._schema
            self._parquet = ArrowWriter(
                self._output.stream,
                schema,
                compression="snappy",
                version="2.6",
                write_batch_size=1 << 16,  # statistics take time for each of these batches
                store_schema=False,  # otherwise readers would get dictionaries instead of texts
                store_decimal_as_integer=True,
                use_dictionary=[f.name for f in schema if not _is_measure(f.type)],
            )
        return self._parquet

    def _end(self) -> None:
        if self._rows:
            self._write_group()
        self._opened().close()

    def abandon(self) -> None:
        """See `Writer`."""
        if self._parquet is not None:
            with suppress(OSError, ValueError):  # the error that matters has been raised already
                self._parquet.close()
            self._parquet.is_open = False  # otherwise its finalizer would try once more
        super().abandon()


def _is_measure(kind: pa.DataType) -> bool:
    """Are equal values of this type so rare that a dictionary does not pay off?"""
    import pyarrow as pa

    return bool(pa.types.is_decimal(kind) or pa.types.is_floating(kind))


def _coded_schema(batch: pa.RecordBatch, schema: pa.Schema) -> pa.Schema:
    """A schema in which the dictionary-encoded fields of a batch stay so."""
    import pyarrow as pa

    coded = pa.dictionary(pa.int32(), pa.string())
    fields = []
    for field, array in zip(schema, batch.columns, strict=True):
        is_coded = array.type == coded and field.type == pa.string()
        fields.append(field.with_type(coded) if is_coded else field)
    return pa.schema(fields)


def _coded_batch(batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    import pyarrow as pa

    columns = []
    for column, kind in zip(batch.columns, schema.types, strict=True):
        if column.type != kind and pa.types.is_dictionary(kind):
            column = column.cast(pa.string()).dictionary_encode()
        columns.append(column if column.type == kind else column.cast(kind))
    return pa.RecordBatch.from_arrays(columns, schema=schema)


def plain_schema(schema: pa.Schema) -> pa.Schema:
    """A schema with plain types instead of dictionaries, and without metadata for writers."""
    import pyarrow as pa

    fields = []
    for field in schema:
        kind = field.type
        plain = kind.value_type if pa.types.is_dictionary(kind) else kind
        fields.append(pa.field(field.name, plain, field.nullable))
    return pa.schema(fields)


def plain_batch(batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    """A batch without dictionaries."""
    import pyarrow as pa

    columns = [
        column if column.type == kind else column.cast(kind)
        for column, kind in zip(batch.columns, schema.types, strict=True)
    ]
    return pa.RecordBatch.from_arrays(columns, schema=schema)
