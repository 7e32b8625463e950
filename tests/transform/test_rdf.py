"""RDF: the text of both syntaxes, and their graphs against one built by hand with rdflib."""

from __future__ import annotations

import io
from decimal import Decimal

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rdflib import RDF, XSD, BNode, Graph, Literal, URIRef
from rdflib.compare import isomorphic
from rdflib.term import Node

from sculpt.errors import UsageError
from sculpt.transform.arrow_types import DATATYPE, IS_IRI, LANGUAGE
from sculpt.transform.writers.formats import Format, open_writer
from sculpt.transform.writers.rdf import Names, resource
from sculpt.transform.writers.triples import NTriples

NAMES = Names({"default": "http://example.org/", "geo": "http://geo.org/#"})
SYNTAXES = {Format.NTRIPLES: "nt", Format.TURTLE: "turtle"}


def written(file_format: Format, *batches: pa.RecordBatch, names: Names = NAMES) -> str:
    stream = io.BytesIO()
    with open_writer(file_format, stream, batches[0].schema, "Obs", names) as writer:
        for batch in batches:
            writer.write(batch)
    return stream.getvalue().decode()


def graph_of(file_format: Format, text: str) -> Graph:
    graph = Graph()
    graph.parse(data=text, format=SYNTAXES[file_format])
    return graph


def built(*triples: tuple[Node, Node, Node]) -> Graph:
    graph = Graph()
    for triple in triples:
        graph.add(triple)
    return graph


RECORDS = pa.RecordBatch.from_arrays(
    [
        pa.array(["Wien", None]),
        pa.array([Decimal("12.50"), Decimal(3)], pa.decimal128(10, 2)),
        pa.array([["x", "y"], []], pa.list_(pa.string())),
        pa.array(["geo:Wien", "_:b"]),
        pa.array([1, None]),
    ],
    schema=pa.schema(
        [
            ("area", pa.string()),
            ("value", pa.decimal128(10, 2)),
            ("tag", pa.list_(pa.string())),
            pa.field("place", pa.string(), metadata=IS_IRI),
            ("number of people", pa.int64()),
        ]
    ),
)


def test_n_triples_of_records() -> None:
    assert written(Format.NTRIPLES, RECORDS).splitlines() == [
        "<http://example.org/Obs/1> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
        " <http://example.org/Obs> .",
        '<http://example.org/Obs/1> <http://example.org/area> "Wien" .',
        '<http://example.org/Obs/1> <http://example.org/value> "12.5"'
        "^^<http://www.w3.org/2001/XMLSchema#decimal> .",
        '<http://example.org/Obs/1> <http://example.org/tag> "x" .',
        '<http://example.org/Obs/1> <http://example.org/tag> "y" .',
        "<http://example.org/Obs/1> <http://example.org/place> <http://geo.org/#Wien> .",
        '<http://example.org/Obs/1> <http://example.org/number%20of%20people> "1"'
        "^^<http://www.w3.org/2001/XMLSchema#integer> .",
        "<http://example.org/Obs/2> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
        " <http://example.org/Obs> .",
        '<http://example.org/Obs/2> <http://example.org/value> "3"'
        "^^<http://www.w3.org/2001/XMLSchema#decimal> .",
        "<http://example.org/Obs/2> <http://example.org/place> _:b .",
    ]


def test_turtle_of_records() -> None:
    assert written(Format.TURTLE, RECORDS) == (
        "@prefix : <http://example.org/> .\n"
        "@prefix geo: <http://geo.org/#> .\n"
        "@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .\n"
        "<http://example.org/Obs/1> a :Obs ;\n"
        '    :area "Wien" ;\n'
        '    :value "12.5"^^xsd:decimal ;\n'
        '    :tag "x", "y" ;\n'
        "    :place geo:Wien ;\n"
        "    <http://example.org/number%20of%20people> 1 .\n"
        "<http://example.org/Obs/2> a :Obs ;\n"
        '    :value "3"^^xsd:decimal ;\n'
        "    :place _:b .\n"
    )


def test_records_without_a_namespace() -> None:
    batch = pa.RecordBatch.from_pydict({"a": ["x"]})
    lines = written(Format.NTRIPLES, batch, names=Names({})).splitlines()
    assert lines[0].startswith("<urn:sculpt:Obs:1> <http://www.w3.org/")
    assert lines[0].endswith("#type> <urn:sculpt:Obs> .")
    assert lines[1] == '<urn:sculpt:Obs:1> <urn:sculpt:a> "x" .'


@pytest.mark.parametrize("file_format", SYNTAXES)
def test_datatypes(file_format: Format) -> None:
    batch = pa.RecordBatch.from_pydict(
        {
            "decimal": pa.array([Decimal("1.50")], pa.decimal128(5, 2)),
            "integer": pa.array([-7], pa.int8()),
            "double": pa.array([0.5]),
            "float": pa.array([0.5], pa.float32()),
            "boolean": pa.array([True]),
            "date": pa.array([0], pa.date32()),
            "dateTime": pa.array([0], pa.timestamp("us", "UTC")),
            "time": pa.array([60], pa.time32("s")),
            "base64Binary": pa.array([b"\x00"]),
            "coded": pa.array([9], pa.dictionary(pa.int8(), pa.int64())),
        }
    )
    times = ["1970-01-01", "1970-01-01T00:00:00Z", "00:01:00"]
    texts = ["1.5", "-7", "0.5", "0.5", "true", *times, "AA==", "9"]
    kinds = [*batch.schema.names[:-1], "integer"]
    subject = URIRef("http://example.org/Obs/1")
    expected = built(
        (subject, RDF.type, URIRef("http://example.org/Obs")),
        *(
            (subject, URIRef(f"http://example.org/{name}"), Literal(text, datatype=XSD[kind]))
            for name, text, kind in zip(batch.schema.names, texts, kinds, strict=True)
        ),
    )
    assert isomorphic(graph_of(file_format, written(file_format, batch)), expected)


def triples(
    *rows: tuple[str | None, str | None, str | None], object_is_iri: bool = False
) -> pa.RecordBatch:
    fields = [pa.field(name, pa.string()) for name in ("predicate", "subject", "object")]
    if object_is_iri:
        fields[2] = fields[2].with_metadata(IS_IRI)
    columns = list(zip(*rows, strict=True)) or [(), (), ()]
    arrays = [pa.array(columns[ix], pa.string()) for ix in (1, 0, 2)]
    return pa.RecordBatch.from_arrays(arrays, schema=pa.schema(fields))


ROWS: tuple[tuple[str | None, str | None, str | None], ...] = (
    ("geo:Wien", "geo:name", "geo:Wien"),
    ("geo:Wien", "name", 'Vienna "2"'),
    ("_:x", "geo:in", "_:y"),
    ("Graz West", "_:p", "geo:a b"),
    (None, "geo:in", "a"),
    ("geo:a", None, "a"),
    ("geo:a", "geo:in", None),
    ("geo:a", "geo:of", ""),
    ("geo:Wien", "geo:in", "http://a.org/"),
)


@pytest.mark.parametrize("file_format", SYNTAXES)
@pytest.mark.parametrize("object_is_iri", [False, True])
def test_records_that_are_triples(file_format: Format, *, object_is_iri: bool) -> None:
    geo, base = "http://geo.org/#", "http://example.org/"
    wien, y = URIRef(geo + "Wien"), BNode()
    objects: list[Node] = [
        wien,
        URIRef(base + "Vienna%20%222%22"),
        y,
        URIRef(geo + "a%20b"),
        URIRef(base),
        URIRef("http://a.org/"),
    ]
    if not object_is_iri:
        objects = [Literal(row[2]) for row in ROWS if None not in row]
    expected = built(
        (wien, URIRef(geo + "name"), objects[0]),
        (wien, URIRef(base + "name"), objects[1]),
        (BNode(), URIRef(geo + "in"), objects[2]),
        (URIRef(base + "Graz%20West"), URIRef(base + "_:p"), objects[3]),
        (URIRef(geo + "a"), URIRef(geo + "of"), objects[4]),
        (wien, URIRef(geo + "in"), objects[5]),
    )
    batch = triples(*ROWS, object_is_iri=object_is_iri)
    for batches in ([batch], [batch.slice(ix, 1) for ix in range(len(ROWS))]):
        text = written(file_format, *batches)
        assert isomorphic(graph_of(file_format, text), expected)
        assert text == written(file_format, batch)


def test_turtle_keeps_the_predicates_of_a_subject_together() -> None:
    assert written(Format.TURTLE, triples(*ROWS[:2]), triples(*ROWS[-1:])).splitlines()[2:] == [
        'geo:Wien geo:name "geo:Wien" ;',
        '    :name "Vienna \\"2\\"" ;',
        '    geo:in "http://a.org/" .',
    ]


@pytest.mark.parametrize("file_format", SYNTAXES)
def test_triples_with_lists_and_numbers(file_format: Format) -> None:
    batch = pa.RecordBatch.from_pydict(
        {
            "subject": pa.array(["a", "a", "a"]).dictionary_encode(),
            "predicate": pa.array([1, 2, 3]),
            "object": pa.array([["x", None, "y"], [], None], pa.list_(pa.string())),
        }
    )
    subject, predicate = URIRef("http://example.org/a"), URIRef("http://example.org/1")
    expected = built((subject, predicate, Literal("x")), (subject, predicate, Literal("y")))
    assert isomorphic(graph_of(file_format, written(file_format, batch)), expected)


def test_a_fourth_field_makes_records_of_triples() -> None:
    batch = triples(*ROWS[:1]).append_column("year", pa.array([2011]))
    assert "<http://example.org/Obs/1>" in written(Format.NTRIPLES, batch)


any_text = st.text() | st.sampled_from(["geo:a", "_:a", "_:", "http://a.org/b", ":", ".", "a."])


@given(st.lists(st.tuples(any_text, any_text, any_text), max_size=6), st.booleans())
@settings(max_examples=150)
def test_any_triples_are_one_graph_in_both_syntaxes(
    rows: list[tuple[str, str, str]], object_is_iri: bool
) -> None:
    batch = triples(*rows, object_is_iri=object_is_iri)
    lines, short = (graph_of(each, written(each, batch)) for each in SYNTAXES)
    assert isomorphic(lines, short)
    predicates = {NAMES.of_text(row[1]) for row in rows}
    assert {str(predicate) for predicate in lines.predicates()} == predicates
    if not object_is_iri:
        assert {str(literal) for literal in lines.objects()} == {row[2] for row in rows}


# ------------------------------------------------------------- records about a subject

IRI_FIELD = {"metadata": IS_IRI}


def about(*graph: str | None) -> pa.RecordBatch:
    fields = [
        pa.field("subject", pa.string(), **IRI_FIELD),
        pa.field("geo:kind", pa.string(), **IRI_FIELD),
        pa.field("<http://x.org/y>", pa.list_(pa.string()), **IRI_FIELD),
        pa.field("name", pa.string(), metadata={LANGUAGE: b"en"}),
        pa.field("http://x.org/born", pa.string(), metadata={DATATYPE: str(XSD.date).encode()}),
    ]
    arrays = [
        pa.array(["http://x.org/1", "_:b c", None]),
        pa.array(["geo:Town", "geo:Town", "geo:Town"]).dictionary_encode(),
        pa.array([["http://x.org/2", "_:b"], [], None], pa.list_(pa.string())),
        pa.array(['W"ien', None, "Rom"]),
        pa.array(["2001-02-03", "?", None]),
    ]
    if graph:
        fields.append(pa.field("graph", pa.string(), **IRI_FIELD))
        arrays.append(pa.array(graph))
    return pa.RecordBatch.from_arrays(arrays, schema=pa.schema(fields))


def test_records_about_a_subject() -> None:
    assert written(Format.NTRIPLES, about()) == (
        "<http://x.org/1> <http://geo.org/#kind> <http://geo.org/#Town> .\n"
        "<http://x.org/1> <http://x.org/y> <http://x.org/2> .\n"
        "<http://x.org/1> <http://x.org/y> _:b .\n"
        '<http://x.org/1> <http://example.org/name> "W\\"ien"@en .\n'
        '<http://x.org/1> <http://x.org/born> "2001-02-03"'
        "^^<http://www.w3.org/2001/XMLSchema#date> .\n"
        "_:b_x0020_c <http://geo.org/#kind> <http://geo.org/#Town> .\n"
        '_:b_x0020_c <http://x.org/born> "?"^^<http://www.w3.org/2001/XMLSchema#date> .\n'
    )


def test_turtle_about_a_subject_is_the_same_graph() -> None:
    one, other = (graph_of(each, written(each, about())) for each in SYNTAXES)
    assert len(one) == 7
    assert isomorphic(one, other)


def test_records_in_graphs() -> None:
    lines = written(Format.NQUADS, about("geo:g", None, "geo:g")).splitlines()
    assert [line.endswith(" <http://geo.org/#g> .") for line in lines] == [True] * 5 + [False] * 2
    with pytest.raises(UsageError, match="`Obs` are in graphs, which N-Triples cannot express"):
        written(Format.NTRIPLES, about("geo:g", None, None))
    with pytest.raises(UsageError, match="Turtle"):
        written(Format.TURTLE, about("geo:g", None, None))


def test_triples_in_graphs() -> None:
    fields = [
        *(pa.field(name, pa.string()) for name in ("subject", "predicate", "object")),
        pa.field("graph", pa.string(), **IRI_FIELD),
    ]
    arrays = [pa.array([text, text, None]) for text in ("geo:a", "geo:p", "o")]
    arrays.append(pa.array([None, "geo:g", "geo:g"]))
    batch = pa.RecordBatch.from_arrays(arrays, schema=pa.schema(fields))
    bare = '<http://geo.org/#a> <http://geo.org/#p> "o"'
    assert written(Format.NQUADS, batch) == f"{bare} .\n{bare} <http://geo.org/#g> .\n"


def test_a_subject_that_is_a_text_is_a_field() -> None:
    batch = pa.RecordBatch.from_pydict({"subject": ["Maths"], "graph": ["x"]})
    assert written(Format.NTRIPLES, batch).count("<http://example.org/Obs/1>") == 3


@given(st.lists(st.text(alphabet='%aF9/:#<>" é\\_[]?', max_size=12), min_size=1, max_size=6))
@settings(max_examples=200, deadline=None)
def test_any_iris_are_written_as_one_by_one(texts: list[str]) -> None:
    """What is written for many at once is what the definition says of each."""
    wanted = [f"{start}{text}" for text in texts for start in ("http://x.org/", "", "_:", "geo:")]
    fields = [pa.field("subject", pa.string(), **IRI_FIELD), pa.field("p", pa.string())]
    for some in (wanted, [each for each in wanted if each.startswith("http")]):
        arrays = [pa.array(some), pa.array(["o"] * len(some))]
        batch = pa.RecordBatch.from_arrays(arrays, schema=pa.schema(fields))
        found = [line.split(" ")[0] for line in written(Format.NTRIPLES, batch).splitlines()]
        assert found == [resource(each, NAMES, NTriples()) for each in some]
