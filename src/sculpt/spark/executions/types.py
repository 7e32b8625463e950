"""The types of records in Spark.

In: a stream of a program, whose fields have Arrow types. Out: the types that Spark uses, as an
Arrow schema and as DDL text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sculpt.core.programs.statements import Stream
from sculpt.transform.arrow_types import arrow_schema

if TYPE_CHECKING:
    import pyarrow as pa


def spark_schema(stream: Stream) -> pa.Schema:
    """The Arrow schema of a stream as Spark expects it: times are in nanoseconds."""
    import pyarrow as pa

    fields = []
    for field in arrow_schema(stream):
        kind = pa.time64("ns") if field.type == pa.time64("us") else field.type
        fields.append(pa.field(field.name, kind))
    return pa.schema(fields)


def ddl(schema: pa.Schema) -> str:
    """An Arrow schema as Spark DDL."""
    return ", ".join(f"`{field.name.replace('`', '``')}` {_spelt(field.type)}" for field in schema)


def _spelt(kind: pa.DataType) -> str:
    import pyarrow as pa

    if pa.types.is_decimal(kind):
        return f"decimal({kind.precision},{kind.scale})"
    if pa.types.is_timestamp(kind):
        return "timestamp" if kind.tz else "timestamp_ntz"
    names = {
        pa.string(): "string",
        pa.int8(): "tinyint",
        pa.int16(): "smallint",
        pa.int32(): "int",
        pa.int64(): "bigint",
        pa.float32(): "float",
        pa.float64(): "double",
        pa.bool_(): "boolean",
        pa.date32(): "date",
        pa.time64("us"): "time(6)",
        pa.binary(): "binary",
        pa.list_(pa.string()): "array<string>",
    }
    return names[kind]
