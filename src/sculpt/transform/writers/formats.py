"""The formats of records, and the writer of each.

In: a format, where to write, the Arrow schema and the target of the records, the namespaces of the
schema. Out: a `Writer`, which takes record batches.
Invariant: Arrow is imported only when a writer is opened, so that a command that writes nothing
does not wait for it.
"""

from __future__ import annotations

import os
from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING, assert_never

from sculpt.transform.iris import Names
from sculpt.transform.writers.writer import Destination, Writer

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "RDF",
    "Destination",
    "Format",
    "Names",
    "Writer",
    "extension_of",
    "format_of",
    "open_annotations",
    "open_writer",
]


class Format(StrEnum):
    """A format that records can be written in."""

    CSV = "csv"
    TSV = "tsv"
    JSON = "json"
    JSONL = "jsonl"
    PARQUET = "parquet"
    NTRIPLES = "ntriples"
    NQUADS = "nquads"
    TURTLE = "turtle"
    XML = "xml"


EXTENSIONS = MappingProxyType(
    {
        ".csv": Format.CSV,
        ".tsv": Format.TSV,
        ".json": Format.JSON,
        ".jsonl": Format.JSONL,
        ".ndjson": Format.JSONL,
        ".parquet": Format.PARQUET,
        ".nt": Format.NTRIPLES,
        ".nq": Format.NQUADS,
        ".ttl": Format.TURTLE,
        ".xml": Format.XML,
    }
)
"""The formats by file extension; the first of a format is the one that its files get."""
RDF = frozenset({Format.NTRIPLES, Format.NQUADS, Format.TURTLE})
"""The formats of which one document can hold the records of several targets."""


def format_of(path: str | os.PathLike[str]) -> Format | None:
    """The format that a file name implies, if any."""
    return EXTENSIONS.get(os.path.splitext(path)[1].lower())


def extension_of(chosen: Format) -> str:
    """The extension of files in a format, with its dot."""
    return next(extension for extension, known in EXTENSIONS.items() if known is chosen)


def open_writer(
    file_format: Format,
    to: Destination,
    schema: pa.Schema,
    target: str,
    names: Names,
    *,
    header: bool = True,
) -> Writer:
    """A writer of the records of a target.

    Parquet needs a file, or a stream that knows its position; the others write to any binary
    stream. `header` says whether CSV and TSV start with the names of the fields.
    """
    match file_format:
        case Format.CSV | Format.TSV:
            from sculpt.transform.writers.delimited import DelimitedWriter

            separator = "," if file_format is Format.CSV else "\t"
            return DelimitedWriter(to, schema, separator, header=header)
        case Format.JSON:
            from sculpt.transform.writers.json_records import JsonWriter

            return JsonWriter(to, schema)
        case Format.JSONL:
            from sculpt.transform.writers.json_records import JsonLinesWriter

            return JsonLinesWriter(to, schema)
        case Format.PARQUET:
            from sculpt.transform.writers.parquet import ParquetWriter

            return ParquetWriter(to, schema)
        case Format.NTRIPLES:
            from sculpt.transform.writers.rdf import n_triples

            return n_triples(to, schema, target, names)
        case Format.NQUADS:
            from sculpt.transform.writers.rdf import n_quads

            return n_quads(to, schema, target, names)
        case Format.TURTLE:
            from sculpt.transform.writers.rdf import turtle

            return turtle(to, schema, target, names)
        case Format.XML:
            from sculpt.transform.writers.xml_records import XmlWriter

            return XmlWriter(to, schema, target)
        case _:
            assert_never(file_format)


def open_annotations(
    file_format: Format, to: Destination, names: Names, *, base: str | None = None
) -> Writer:
    """A writer of annotations.

    In JSON they are a special document, in RDF triples, and in other formats the table of
    annotations. `base` is what the IRIs of files start with.
    """
    from sculpt.transform.writers import annotations

    match file_format:
        case Format.JSON:
            return annotations.AnnotationJsonWriter(to, names)
        case Format.NTRIPLES | Format.NQUADS | Format.TURTLE:
            is_turtle = file_format is Format.TURTLE
            syntax = annotations.annotation_syntax(names, is_turtle=is_turtle)
            return annotations.AnnotationRdfWriter(to, names, syntax, base)
        case _:
            return open_writer(file_format, to, annotations.schema(), "annotation", names)
