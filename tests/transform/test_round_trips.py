"""What is written in each format reads back the same, by an independent reader.

One test body for all formats. A reader returns the records of a document as dicts of texts.
Python's `csv` cannot tell null from an empty text in CSV and TSV (see `test_delimited`), and XML
has no control characters, so each format says what it keeps of a text.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable
from decimal import Decimal
from typing import Any
from xml.etree import ElementTree

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import rdflib
from hypothesis import given, settings
from hypothesis import strategies as st
from rdflib.compare import isomorphic

from sculpt.transform.writers.formats import Format, Names, open_writer
from sculpt.transform.writers.xml_records import name_text

Record = dict[str, str | None]
BASE = "http://example.org/"
NAMES = Names({"default": BASE})

HOSTILE = [
    "",
    " ",
    "plain",
    'say "hi"',
    '"',
    '""',
    "a,b",
    "a\tb",
    "line\nfeed",
    "carriage\rreturn",
    "both\r\n",
    "\x00",
    "".join(map(chr, range(0x20))),
    *map(chr, range(0x20)),
    "\x7f\x80\x85\x9f",
    "\\",
    "\\n",
    "\\u0041",
    "ends in \\",
    "it's",
    "]]>",
    "<a>&amp;</a>",
    "<!-- -->",
    "naïve ß 日本",
    "😀 𝔘",
    "e\u0301",
    "\ufeffmark",
    "\u2028\u2029",
    "\ufffe\uffff",
    "{}|^`%41%zz",
    "null",
    "NaN",
    "=1+1",
]
NOT_IN_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")


def written(
    file_format: Format, *batches: pa.RecordBatch, schema: pa.Schema = None, names: Names = NAMES
) -> bytes:
    stream = io.BytesIO()
    with open_writer(file_format, stream, schema or batches[0].schema, "Obs", names) as writer:
        for batch in batches:
            writer.write(batch)
    return stream.getvalue()


def read_delimited(separator: str) -> Callable[[bytes], list[Record]]:
    def read(data: bytes) -> list[Record]:
        lines = io.StringIO(data.decode(), newline="")
        return list(csv.DictReader(lines, delimiter=separator, strict=True))

    return read


def read_json(data: bytes) -> list[Record]:
    result = json.loads(data)
    assert isinstance(result, list)
    return result


def read_json_lines(data: bytes) -> list[Record]:
    lines = data.decode().split("\n")
    assert lines.pop() == ""
    return [json.loads(line) for line in lines]


def read_parquet(data: bytes) -> list[Record]:
    rows: list[Record] = pq.read_table(io.BytesIO(data)).to_pylist()
    return rows


def read_xml(data: bytes) -> list[Record]:
    root = ElementTree.fromstring(data.decode())
    assert root.tag == "records"
    assert {record.tag for record in root} <= {"Obs"}
    return [{name_text(part.tag): part.text or "" for part in record} for record in root]


def read_rdf(syntax: str) -> Callable[[bytes], list[Record]]:
    def read(data: bytes) -> list[Record]:
        graph = rdflib.Graph()
        graph.parse(data=data.decode(), format=syntax)
        kind = rdflib.URIRef(BASE + "Obs")
        records: list[Record] = []
        for number in range(1, len(set(graph.subjects(rdflib.RDF.type, kind))) + 1):
            pairs = graph.predicate_objects(rdflib.URIRef(f"{BASE}Obs/{number}"))
            facts = {str(p).removeprefix(BASE): str(o) for p, o in pairs if o != kind}
            records.append(dict(facts))
        return records

    return read


READERS: dict[Format, Callable[[bytes], list[Record]]] = {
    Format.CSV: read_delimited(","),
    Format.TSV: read_delimited("\t"),
    Format.JSON: read_json,
    Format.JSONL: read_json_lines,
    Format.PARQUET: read_parquet,
    Format.NTRIPLES: read_rdf("nt"),
    Format.NQUADS: read_rdf("nt"),
    Format.TURTLE: read_rdf("turtle"),
    Format.XML: read_xml,
}


def kept(file_format: Format, record: Record) -> Record:
    """What a format keeps of a record."""
    match file_format:
        case Format.CSV | Format.TSV:
            return {name: text or "" for name, text in record.items()}
        case Format.JSON | Format.JSONL | Format.PARQUET:
            return record
        case Format.NTRIPLES | Format.NQUADS | Format.TURTLE:
            return {name: text for name, text in record.items() if text is not None}
        case Format.XML:
            return {
                name: NOT_IN_XML.sub("\ufffd", text)
                for name, text in record.items()
                if text is not None
            }


def check_round_trip(file_format: Format, records: list[Record], kind: pa.DataType) -> None:
    schema = pa.schema([("a", kind), ("b", kind)])
    batch = pa.RecordBatch.from_pylist(records, schema=schema)
    data = written(file_format, batch)
    assert READERS[file_format](data) == [kept(file_format, record) for record in records]


KINDS = [pa.string(), pa.dictionary(pa.int32(), pa.string()), pa.large_string()]


@pytest.mark.parametrize("kind", KINDS, ids=str)
@pytest.mark.parametrize("file_format", Format)
def test_hostile_texts(file_format: Format, kind: pa.DataType) -> None:
    texts: list[str | None] = [*HOSTILE, None]
    records: list[Record] = [{"a": text, "b": texts[-ix]} for ix, text in enumerate(texts)]
    check_round_trip(file_format, records, kind)


texts_or_null = st.none() | st.text() | st.sampled_from(HOSTILE)


@pytest.mark.parametrize("file_format", Format)
@given(st.lists(st.fixed_dictionaries({"a": texts_or_null, "b": texts_or_null}), max_size=5))
@settings(max_examples=60)
def test_any_texts(file_format: Format, records: list[Record]) -> None:
    check_round_trip(file_format, records, pa.string())


TYPED = pa.RecordBatch.from_pydict(
    {
        "number": pa.array([Decimal("12.50"), None, Decimal("0.01")], pa.decimal128(38, 10)),
        "count": pa.array([1, 2, None], pa.int64()),
        "ratio": pa.array([0.5, float("-inf"), float("nan")]),
        "single": pa.array([0.1, None, 1e30], pa.float32()),
        "good": pa.array([True, None, False]),
        "day": pa.array([0, 1, None], pa.date32()),
        "when": pa.array([0, 1500, None], pa.timestamp("ms")),
        "zoned": pa.array([0, 1, None], pa.timestamp("s", "UTC")),
        "clock": pa.array([0, 86399, None], pa.time32("s")),
        "raw": pa.array([b"\x00", b"", None]),
        "names": pa.array([["x", 'y"'], [], None], pa.list_(pa.string())),
        "area": pa.array(["north", None, "north"]).dictionary_encode(),
    }
)


@pytest.mark.parametrize("file_format", [each for each in Format if each is not Format.PARQUET])
def test_batches_are_not_seen(file_format: Format) -> None:
    whole = written(file_format, TYPED)
    assert written(file_format, *(TYPED.slice(ix, 1) for ix in range(3))) == whole
    assert written(file_format, TYPED.slice(0, 0), TYPED.slice(0, 2), TYPED.slice(2)) == whole


@pytest.mark.parametrize("file_format", Format)
def test_a_document_without_records_is_one(file_format: Format) -> None:
    data = written(file_format, schema=TYPED.schema)
    assert READERS[file_format](data) == []
    assert written(file_format, TYPED.slice(0, 0)) == data


def graph_of(data: bytes, syntax: str) -> rdflib.Graph:
    graph = rdflib.Graph()
    graph.parse(data=data.decode(), format=syntax)
    return graph


@pytest.mark.parametrize("namespace", [None, BASE, "http://example.org/x", "urn:x:"])
def test_both_syntaxes_of_rdf_are_one_graph(namespace: str | None) -> None:
    names = Names({} if namespace is None else {"default": namespace, "xsd": BASE + "other#"})
    lines = graph_of(written(Format.NTRIPLES, TYPED, names=names), "nt")
    short = graph_of(written(Format.TURTLE, TYPED, names=names), "turtle")
    values: Any = [column.drop_null() for column in TYPED.columns]
    count = sum(
        sum(map(len, column.to_pylist())) if pa.types.is_list(column.type) else len(column)
        for column in values
    )
    assert len(lines) == count + TYPED.num_rows  # and one type each
    assert isomorphic(lines, short)
