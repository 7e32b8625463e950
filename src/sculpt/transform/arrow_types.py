"""The types of fields as Arrow types.

In: the `ValueType`s of a stream. Out: its Arrow schema: what Parquet, Spark and data frames see. A
field that holds IRIs, or literals with a language or a type of RDF, is a text; its metadata says
so, and the RDF writers look for that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sculpt.core.programs.statements import Stream
from sculpt.core.programs.typed_values import ValueType

if TYPE_CHECKING:
    import pyarrow as pa


IS_IRI = {b"sculpt.iri": b"true"}
"""The metadata of a field that holds IRIs."""
LANGUAGE, DATATYPE = b"sculpt.language", b"sculpt.datatype"
"""The keys of the metadata of a field whose texts have a language, or a type that is an IRI."""


def arrow_type(kind: ValueType) -> pa.DataType:
    """The Arrow type of a value."""
    import pyarrow as pa

    match kind.kind:
        case "decimal":
            return pa.decimal128(kind.precision, kind.scale)
        case "integer":
            return {8: pa.int8(), 16: pa.int16(), 32: pa.int32()}.get(kind.bits, pa.int64())
        case "double":
            return pa.float64()
        case "float":
            return pa.float32()
        case "boolean":
            return pa.bool_()
        case "date":
            return pa.date32()
        case "dateTime":
            return pa.timestamp("us")
        case "dateTimeStamp":
            return pa.timestamp("us", tz="UTC")
        case "time":
            return pa.time64("us")
        case "binary":
            return pa.binary()
        case "list":
            return pa.list_(pa.string())
    return pa.string()


def arrow_schema(stream: Stream) -> pa.Schema:
    """The Arrow schema of a stream."""
    import pyarrow as pa

    return pa.schema(
        [pa.field(name, arrow_type(kind), metadata=_metadata(kind)) for name, kind in stream.fields]
    )


def _metadata(kind: ValueType) -> dict[bytes, bytes] | None:
    """What RDF writers must know of a field besides its Arrow type."""
    if kind.kind == "iri" or kind.has_iris:
        return IS_IRI
    if kind.language:
        return {LANGUAGE: kind.language.encode()}
    if kind.datatype:
        return {DATATYPE: kind.datatype.encode()}
    return None
