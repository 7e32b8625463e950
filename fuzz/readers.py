"""Written outputs, as read by independent libraries.

In: a file of one output of a program, and its format. Out: its records, each value as a word: its
text in the canonical form of `docs/language.md#13-programs`; for floats, the number that it is.
`words_kept` has the words that a format must preserve for a record that was written.

CSV and JSON are read by the standard library, Parquet by DuckDB (types too), XML by ElementTree;
`graphs` has RDF and annotations. Invariant: nothing here calls the writers; only the escapes of XML
names are those of Sculpt. Cost: 1 ms per file.
"""

from __future__ import annotations

import base64
import csv
import datetime as dt
import io
import json
import re
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias
from xml.etree import ElementTree

import duckdb

from sculpt.core.programs.statements import Stream
from sculpt.core.programs.typed_values import ValueType
from sculpt.transform.writers.formats import Format
from sculpt.transform.writers.xml_records import name_text

Row: TypeAlias = dict[str, Any]
Word: TypeAlias = str | list[str] | None

_DUCKDB = duckdb.connect(config={"threads": 1})
_NOT_IN_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
_NUMBERS = ("decimal", "integer", "double", "float")
_SQL_INTEGERS = {8: "TINYINT", 16: "SMALLINT", 32: "INTEGER", 64: "BIGINT"}
_SQL = {
    "double": "DOUBLE", "float": "FLOAT", "boolean": "BOOLEAN", "date": "DATE", "time": "TIME",
    "dateTime": "TIMESTAMP", "dateTimeStamp": "TIMESTAMP WITH TIME ZONE", "binary": "BLOB",
    "list": "VARCHAR[]",
}  # fmt: skip


class Number(str):
    """A number in JSON, as written."""


# ------------------------------------------------------------- words


def word_of(value: Any, kind: ValueType) -> Word:
    """The word of a value."""
    match kind.kind:
        case _ if value is None:
            return None
        case "list":
            return list(value)
        case "decimal":
            text = format(value, "f")
            return text.rstrip("0").rstrip(".") if "." in text else text
        case "double" | "float":
            return repr(value)
        case "boolean":
            return "true" if value else "false"
        case "date":
            return str(value.isoformat())
        case "dateTime" | "dateTimeStamp" | "time":
            has_zone = kind.kind == "dateTimeStamp"
            moment = value.astimezone(dt.UTC).replace(tzinfo=None) if has_zone else value
            text = str(moment.isoformat())
            return (text.rstrip("0") if "." in text else text) + "Z" * has_zone
        case "binary":
            return base64.b64encode(value).decode()
    return str(value)


def word_in(text: str, kind: str) -> str:
    """The word of a text that was written: floats may be written in several ways."""
    if kind not in ("double", "float"):
        return text
    number = float(text.replace("INF", "inf"))
    if kind == "float":
        (number,) = struct.unpack("f", struct.pack("f", number))
    return repr(number)


def words_kept(file_format: Format, stream: Stream, row: Row) -> list[tuple[str, Word]]:
    """The words of a record, as far as a format keeps them."""
    words = [(name, word_of(row[name], kind)) for name, kind in stream.fields]
    match file_format:
        case Format.CSV | Format.TSV:
            return [(n, ";".join(w) if isinstance(w, list) else w or "") for n, w in words]
        case Format.XML:
            return [
                (name, _NOT_IN_XML.sub("\ufffd", item))
                for name, word in words
                for item in (word if isinstance(word, list) else [] if word is None else [word])
            ]
    return words


# ------------------------------------------------------------- tables


def read_delimited(separator: str) -> Callable[[Path, Stream], list[list[tuple[str, Word]]]]:
    """A reader of CSV or TSV."""

    def read(path: Path, stream: Stream) -> list[list[tuple[str, Word]]]:
        text = io.StringIO(path.read_bytes().decode(), newline="")
        header, *lines = csv.reader(text, delimiter=separator, strict=True)
        assert header == [name for name, _ in stream.fields]
        return [
            [(name, word_in(text, kind.kind) if text else "") for (name, kind), text in
             zip(stream.fields, line or [""], strict=True)]
            for line in lines
        ]  # fmt: skip

    return read


def read_json(path: Path, stream: Stream) -> list[list[tuple[str, Word]]]:
    """A reader of JSON and JSON Lines."""
    text = path.read_bytes().decode()
    load = json.JSONDecoder(parse_int=Number, parse_float=Number, object_pairs_hook=list).decode
    lines = text.split("\n")
    assert lines.pop() == ""
    objects = load(text) if path.suffix == ".json" else map(load, lines)
    return [
        [
            (name, _json_word(value, kind))
            for (name, value), (_, kind) in zip(each, stream.fields, strict=True)
        ]
        for each in objects
    ]


def _json_word(value: Any, kind: ValueType) -> Word:
    if isinstance(value, bool):
        assert kind.kind == "boolean"
        return "true" if value else "false"
    if isinstance(value, str):
        is_number = kind.kind in _NUMBERS and value not in ("NaN", "INF", "-INF")
        assert isinstance(value, Number) == is_number
        return word_in(value, kind.kind)
    assert value is None or kind.kind == "list"
    return value if value is None else list(value)


def read_parquet(path: Path, stream: Stream) -> list[list[tuple[str, Word]]]:
    """A reader of Parquet, which also compares the types."""
    found = _DUCKDB.execute("select * from read_parquet(?)", [str(path)])
    columns = [(each[0], str(each[1])) for each in found.description or ()]
    assert columns == [(name, _sql_type(kind)) for name, kind in stream.fields]
    return [
        [(name, word_of(row[ix], kind)) for ix, (name, kind) in enumerate(stream.fields)]
        for row in found.fetchall()
    ]


def _sql_type(kind: ValueType) -> str:
    if kind.kind == "decimal":
        return f"DECIMAL({kind.precision},{kind.scale})"
    return _SQL_INTEGERS[kind.bits] if kind.kind == "integer" else _SQL.get(kind.kind, "VARCHAR")


def read_xml(path: Path, stream: Stream) -> list[list[tuple[str, Word]]]:
    """A reader of XML."""
    root = ElementTree.fromstring(path.read_bytes())
    assert root.tag == "records"
    target = "annotation" if stream.kind == "annotations" else stream.name
    assert {record.tag for record in root} <= {target}
    kinds = dict(stream.fields)
    named = [[(name_text(part.tag), part.text or "") for part in record] for record in root]
    return [[(name, word_in(text, kinds[name].kind)) for name, text in record] for record in named]


READERS: dict[Format, Callable[[Path, Stream], list[list[tuple[str, Word]]]]] = {
    Format.CSV: read_delimited(","),
    Format.TSV: read_delimited("\t"),
    Format.JSON: read_json,
    Format.JSONL: read_json,
    Format.PARQUET: read_parquet,
    Format.XML: read_xml,
}
_RDF = {Format.NTRIPLES, Format.NQUADS, Format.TURTLE}
assert READERS.keys() | _RDF == set(Format), "a format has no reader"
