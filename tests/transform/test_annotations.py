"""Annotations of cells, as JSON and as RDF."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pyarrow as pa
import pytest
from rdflib import RDFS, Graph, Literal, URIRef
from rdflib.compare import isomorphic

from sculpt.transform.writers.annotations import Annotation, schema
from sculpt.transform.writers.formats import Format, Names, open_annotations

NAMES = Names({"geo": "http://geo.org/", "owl": "http://www.w3.org/2002/07/owl#"})

Row = tuple[str | None, int, int, str | None, str | None, str | None]

ROWS: list[Row] = [
    ("a b.csv", 1, 2, "Wien", "http://geo.org/", "owl:sameAs geo:Vienna"),
    ("a b.csv", 1, 2, "Wien", "http://geo.org/", "a city"),
    ("a b.csv", 1, 3, "Graz", "http://geo.org/", None),
    ("a b.csv", 9, 2, "note", None, 'says "hi"\n'),
    ("c.csv", 9, 2, "x", None, "geo:a <http://b.org/c>"),
    ("c.csv", 10, 1, "x", None, "geo:a other:b"),
    ("c.csv", 10, 1, "x", None, "geo:a geo:b geo:c"),
    ("c.csv", 11, 1, "y", "urn:one:", "1"),
    ("c.csv", 11, 1, "y", "urn:two", "2"),
]


def batch_of(rows: list[Row]) -> pa.RecordBatch:
    names = Annotation._fields
    return pa.RecordBatch.from_pylist(
        [dict(zip(names, row, strict=True)) for row in rows], schema=schema()
    )


def written(file_format: Format, *batches: pa.RecordBatch, base: str | None = None) -> str:
    stream = io.BytesIO()
    with open_annotations(file_format, stream, NAMES, base=base) as writer:
        for batch in batches:
            writer.write(batch)
    return stream.getvalue().decode()


EXPECTED_JSON = {
    "files": [
        {
            "path": "a b.csv",
            "cells": {
                "#cell=1,2": {
                    "entity": "http://geo.org/Wien",
                    "annotations": ["owl:sameAs geo:Vienna", "a city"],
                },
                "#cell=1,3": {"entity": "http://geo.org/Graz", "annotations": []},
                "#cell=9,2": {"annotations": ['says "hi"\n']},
            },
        },
        {
            "path": "c.csv",
            "cells": {
                "#cell=9,2": {"annotations": ["geo:a <http://b.org/c>"]},
                "#cell=10,1": {"annotations": ["geo:a other:b", "geo:a geo:b geo:c"]},
                "#cell=11,1": {
                    "entity": "urn:one:y",
                    "entities": ["urn:one:y", "urn:two:y"],
                    "annotations": ["1", "2"],
                },
            },
        },
    ]
}


@pytest.mark.parametrize("size", [1, 2, 4, 9])
def test_json(size: int) -> None:
    batches = [batch_of(ROWS[start : start + size]) for start in range(0, len(ROWS), size)]
    read = json.loads(written(Format.JSON, *batches))
    assert read == EXPECTED_JSON
    assert [list(file["cells"]) for file in read["files"]] == [
        ["#cell=1,2", "#cell=1,3", "#cell=9,2"],
        ["#cell=9,2", "#cell=10,1", "#cell=11,1"],
    ]


def test_json_of_no_annotations() -> None:
    assert json.loads(written(Format.JSON)) == {"files": []}
    assert json.loads(written(Format.JSON, batch_of([]))) == {"files": []}


@pytest.mark.parametrize("size", [2, 9])
@pytest.mark.parametrize(
    ("file_format", "syntax"), [(Format.NTRIPLES, "nt"), (Format.TURTLE, "turtle")]
)
def test_rdf(file_format: Format, syntax: str, size: int) -> None:
    batches = [batch_of(ROWS[start : start + size]) for start in range(0, len(ROWS), size)]
    graph = Graph()
    graph.parse(data=written(file_format, *batches, base="http://data.org/t"), format=syntax)
    expected = Graph()
    geo, table = "http://geo.org/", "http://data.org/t/"
    wien = URIRef(geo + "Wien")
    comments = [
        (wien, "a city"),
        (URIRef(table + "a%20b.csv#cell=9,2"), 'says "hi"\n'),
        (URIRef(table + "c.csv#cell=10,1"), "geo:a other:b"),
        (URIRef(table + "c.csv#cell=10,1"), "geo:a geo:b geo:c"),
        (URIRef("urn:one:y"), "1"),
        (URIRef("urn:two:y"), "2"),
    ]
    for subject, comment in comments:
        expected.add((subject, RDFS.comment, Literal(comment)))
    same = URIRef("http://www.w3.org/2002/07/owl#sameAs")
    expected.add((wien, same, URIRef(geo + "Vienna")))
    expected.add((URIRef(table + "c.csv#cell=9,2"), URIRef(geo + "a"), URIRef("http://b.org/c")))
    assert isomorphic(graph, expected)


def test_rdf_of_no_annotations() -> None:
    assert written(Format.NTRIPLES) == ""
    graph = Graph()
    graph.parse(data=written(Format.TURTLE), format="turtle")
    assert len(graph) == 0


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        ("a b.csv", Path("a b.csv").absolute().as_uri()),
        ("/data/é.csv", "file:///data/%C3%A9.csv"),
        ("s3://bucket/a b#1.csv", "s3://bucket/a%20b%231.csv"),
        (None, Path("-").absolute().as_uri()),
    ],
)
def test_cells_are_where_their_files_are(file: str | None, expected: str) -> None:
    line = written(Format.NTRIPLES, batch_of([(file, 9, 2, "x", None, "note")]))
    assert line == f'<{expected}#cell=9,2> <{RDFS.comment}> "note" .\n'


def test_other_formats_have_the_table() -> None:
    rows = list(csv.reader(io.StringIO(written(Format.CSV, batch_of(ROWS)), newline="")))
    assert rows[0] == ["file", "row", "column", "content", "namespace", "text"]
    assert rows[4] == ["a b.csv", "9", "2", "note", "", 'says "hi"\n']
    assert len(rows) == len(ROWS) + 1
