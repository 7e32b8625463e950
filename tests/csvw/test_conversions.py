"""Conversions of small tables: what comes out, word for word, and what is said about bad cells."""

from __future__ import annotations

import gc
import json
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sculpt.csvw import to_json, to_rdf
from sculpt.csvw.conversion import Conversion, Request
from sculpt.csvw.converter import Target
from sculpt.errors import DataError, SchemaError, UsageError
from sculpt.interchange.access import Response
from sculpt.interchange.csvw.model import Column, Dialect, Table, TableGroup, TableSchema
from sculpt.interchange.fetched import file_of
from sculpt.tabular.inputs import Input

BASE = "http://example.org/lakes/"
LAKES = (
    "id,name,depth,seen,tags,country\n"
    "1,Bodensee,251.5,1/2/2021,warm;wide,CH\n"
    '2,"Lac ""Noir""",,31/12/2020,,FR\n'
    "3,Loch,abc,2/2/2021,cold,GB\n"
)
METADATA: dict[str, Any] = {
    "@context": ["http://www.w3.org/ns/csvw", {"@language": "en"}],
    "@id": "http://example.org/lakes/dataset",
    "url": "lakes.csv",
    "dc:title": "Lakes",
    "dc:issued": {"@value": "2021-03-01", "@type": "xsd:date"},
    "notes": [{"rdfs:comment": "checked", "schema:author": {"@id": "http://example.org/me"}}],
    "tableSchema": {
        "aboutUrl": "#lake-{id}",
        "rowTitles": "label",
        "columns": [
            {"titles": "id", "datatype": "integer", "suppressOutput": True},
            {
                "name": "label", "titles": "name", "propertyUrl": "schema:name", "lang": "de",
            },
            {"titles": "depth", "datatype": "decimal"},
            {"titles": "seen", "datatype": {"base": "date", "format": "d/M/yyyy"}},
            {"titles": "tags", "separator": ";", "ordered": True},
            {"titles": "country", "valueUrl": "http://example.org/country/{country}"},
            {"name": "kind", "virtual": True, "propertyUrl": "rdf:type", "valueUrl": "schema:Lake"},
        ],
    },
}  # fmt: skip


Files = dict[str, str | bytes]


def served(files: Files) -> Callable[[str], Response]:
    """A site that has some files."""

    def fetch(url: str) -> Response:
        body = files.get(url.removeprefix(BASE))
        if body is None:
            return Response(url, 404)
        return Response(url, body=body.encode() if isinstance(body, str) else body)

    return fetch


def lakes(metadata: dict[str, Any] | None = None, text: str = LAKES) -> Files:
    """The table of lakes, and its metadata beside it."""
    found: Files = {"lakes.csv": text}
    if metadata is not None:
        found["lakes.csv-metadata.json"] = json.dumps(metadata)
    return found


def json_of(files: Files, name: str = "lakes.csv", **options: Any) -> tuple[Any, Conversion]:
    """The JSON of a table, as values."""
    conversion = to_json(BASE + name, fetch=served(files), **options)
    return json.loads("".join(conversion)), conversion


def statements(files: Files, name: str = "lakes.csv", **options: Any) -> set[str]:
    """The statements of a table in N-Triples."""
    text = "".join(to_rdf(BASE + name, fetch=served(files), **options))
    assert text.endswith(" .\n")
    return set(text.splitlines())


# ------------------------------------------------------------- JSON


def test_a_table_without_metadata() -> None:
    found, conversion = json_of(lakes(text="a,b c\n1,\n"))
    url = BASE + "lakes.csv"
    rows = [{"rownum": 1, "url": f"{url}#row=2", "describes": [{"a": "1"}]}]
    assert found == {"tables": [{"url": url, "row": rows}]}
    assert conversion.problems == []


def test_standard_mode_has_annotations_rows_and_titles() -> None:
    found, _ = json_of(lakes(METADATA))
    table = found["tables"][0]
    assert found.keys() == {"tables"}
    assert table["@id"] == "http://example.org/lakes/dataset"
    assert table["dc:title"] == "Lakes"
    assert table["dc:issued"] == "2021-03-01"
    assert table["notes"] == [{"rdfs:comment": "checked", "schema:author": "http://example.org/me"}]
    assert table["row"][0] == {
        "rownum": 1,
        "url": BASE + "lakes.csv#row=2",
        "titles": "Bodensee",
        "describes": [
            {
                "@id": BASE + "lakes.csv#lake-1",
                "schema:name": "Bodensee",
                "depth": 251.5,
                "seen": "2021-02-01",
                "tags": ["warm", "wide"],
                "country": "http://example.org/country/CH",
                "@type": "schema:Lake",
            }
        ],
    }
    assert "depth" not in table["row"][1]["describes"][0]
    assert "tags" not in table["row"][1]["describes"][0]
    assert table["row"][1]["titles"] == 'Lac "Noir"'


def test_a_bad_cell_is_a_string_and_a_warning_that_names_it() -> None:
    heard: list[str] = []
    found, conversion = json_of(
        lakes(METADATA), on_problem=lambda problem: heard.append(str(problem))
    )
    assert found["tables"][0]["row"][2]["describes"][0]["depth"] == "abc"
    assert [each.severity for each in conversion.problems] == ["warning"]
    assert conversion.problem_count == 1
    assert heard == [str(conversion.problems[0])]
    assert 'row 4, column "depth": `abc` is not a value of the datatype `decimal`' in heard[0]


def test_minimal_mode_is_an_array_of_objects() -> None:
    found, _ = json_of(lakes(METADATA), minimal=True)
    assert [each["@id"][-6:] for each in found] == ["lake-1", "lake-2", "lake-3"]


def test_objects_are_nested_where_a_value_names_a_subject() -> None:
    metadata = {
        "@context": "http://www.w3.org/ns/csvw",
        "url": "lakes.csv",
        "tableSchema": {
            "columns": [
                {"name": "id", "titles": "id", "aboutUrl": "#lake-{_row}"},
                {"name": "land", "titles": "land", "aboutUrl": "#land-{_row}"},
                {
                    "name": "in", "virtual": True, "aboutUrl": "#lake-{_row}",
                    "propertyUrl": "schema:containedInPlace", "valueUrl": "#land-{_row}",
                },
            ]
        },
    }  # fmt: skip
    found, _ = json_of(lakes(metadata, "id,land\n1,CH\n2,\n"), minimal=True)
    url = BASE + "lakes.csv"
    inner = {"@id": f"{url}#land-1", "land": "CH"}
    assert found[0] == {"@id": f"{url}#lake-1", "id": "1", "schema:containedInPlace": inner}
    assert found[1]["schema:containedInPlace"] == f"{url}#land-2"


def test_values_of_one_property_are_one_array() -> None:
    column = {"propertyUrl": "schema:name"}
    columns = [{"titles": "a", **column}, {"titles": "b", "separator": " ", **column}]
    metadata = {
        "@context": "http://www.w3.org/ns/csvw",
        "url": "lakes.csv",
        "tableSchema": {"columns": columns},
    }
    found, _ = json_of(lakes(metadata, "a,b\nx,y z\nx,\n,y\n,\n"), minimal=True)
    assert found == [
        {"schema:name": ["x", "y", "z"]},
        {"schema:name": "x"},
        {"schema:name": ["y"]},
    ]


def test_tables_of_a_group_and_one_that_is_suppressed() -> None:
    metadata = {
        "@context": "http://www.w3.org/ns/csvw",
        "dc:title": "Both",
        "tables": [{"url": "a.csv"}, {"url": "b.csv", "suppressOutput": True}, {"url": "c.csv"}],
    }
    files: Files = {"m.json": json.dumps(metadata)}
    files |= dict.fromkeys(("a.csv", "b.csv", "c.csv"), "x\n1\n")
    found, _ = json_of(files, "m.json")
    assert found["dc:title"] == "Both"
    assert [table["url"][-5:] for table in found["tables"]] == ["a.csv", "c.csv"]
    assert len(json_of(files, "m.json", minimal=True)[0]) == 2


def test_comments_and_skipped_rows_follow_the_rows_and_count() -> None:
    metadata = {
        "@context": "http://www.w3.org/ns/csvw",
        "url": "lakes.csv",
        "dialect": {"skipRows": 1, "skipColumns": 1, "commentPrefix": "%", "delimiter": ";"},
    }
    found, _ = json_of(lakes(metadata, "made by hand\nx;a\n1;2\n% half way\n3;4\n"))
    table = found["tables"][0]
    assert table["rdfs:comment"] == ["made by hand", "half way"]
    assert [row["url"][-5:] for row in table["row"]] == ["row=3", "row=5"]
    assert [row["describes"] for row in table["row"]] == [[{"a": "2"}], [{"a": "4"}]]


def test_a_header_that_is_not_the_one_of_the_metadata_is_a_warning() -> None:
    metadata = {
        "@context": "http://www.w3.org/ns/csvw",
        "url": "lakes.csv",
        "tableSchema": {"columns": [{"titles": "a"}, {"titles": "b"}]},
    }
    _, conversion = json_of(lakes(metadata, "a,x\n1,2\n"))
    assert "header of column 2 is `x`" in conversion.problems[0].message
    columns = [{"name": "x"}, {"titles": {"fr": "b"}}]
    other = {**metadata, "lang": "de", "tableSchema": {"columns": columns}}
    _, conversion = json_of(lakes(other, "a,b\n1,2\n"))
    assert [each.message[:22] for each in conversion.problems] == ["the header of column 2"]
    found, conversion = json_of(lakes(metadata, "a,b,c\n1,2,3\n"), minimal=True)
    assert found == [{"a": "1", "b": "2", "_col.3": "3"}]
    assert len(conversion.problems) == 1


def test_rows_of_another_width_are_warnings() -> None:
    found, conversion = json_of(lakes(text="a,b\n1,2,3\n\n4\n5,6\n"), minimal=True)
    assert found == [{"a": "1", "b": "2"}, {"a": "4"}, {"a": "5", "b": "6"}]
    assert [each.message.split(":")[0] for each in conversion.problems] == ["row 2"]


@pytest.mark.parametrize("cell", [b'"x"y', b"\xff", b'"x'])
def test_cells_that_cannot_be_read_are_warnings(cell: bytes) -> None:
    found, conversion = json_of({"lakes.csv": b"a,b\n1,2\n3," + cell + b"\n"}, minimal=True)
    assert len(found) == 2
    assert [each.message.split(":")[0] for each in conversion.problems] == ["row 3"]


# ------------------------------------------------------------- RDF


def test_minimal_statements() -> None:
    lake = f"<{BASE}lakes.csv#lake-2>"
    own = {each for each in statements(lakes(METADATA), minimal=True) if each.startswith(lake)}
    assert own == {
        f'{lake} <http://schema.org/name> "Lac \\"Noir\\""@de .',
        f'{lake} <{BASE}lakes.csv#seen> "2020-12-31"^^<http://www.w3.org/2001/XMLSchema#date> .',
        f"{lake} <{BASE}lakes.csv#country> <http://example.org/country/FR> .",
        f"{lake} <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://schema.org/Lake> .",
    }


def test_ordered_values_are_a_list() -> None:
    rdf = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
    found = statements(lakes(METADATA), minimal=True)
    assert f"<{BASE}lakes.csv#lake-1> <{BASE}lakes.csv#tags> _:t1r1c5i1 ." in found
    assert {each for each in found if each.startswith("_:t1r1c5")} == {
        f'_:t1r1c5i1 <{rdf}first> "warm" .',
        f"_:t1r1c5i1 <{rdf}rest> _:t1r1c5i2 .",
        f'_:t1r1c5i2 <{rdf}first> "wide" .',
        f"_:t1r1c5i2 <{rdf}rest> <{rdf}nil> .",
    }


def test_a_bad_cell_is_a_plain_literal() -> None:
    found = statements(lakes(METADATA), minimal=True)
    assert f'<{BASE}lakes.csv#lake-3> <{BASE}lakes.csv#depth> "abc" .' in found


@pytest.mark.parametrize("minimal", [False, True])
def test_turtle_and_ntriples_mean_the_same(minimal: bool) -> None:
    from rdflib import Graph
    from rdflib.compare import isomorphic

    graphs = []
    for form in ("ntriples", "turtle"):
        text = "".join(
            to_rdf(BASE + "lakes.csv", fetch=served(lakes(METADATA)), minimal=minimal, format=form)
        )
        graphs.append(Graph().parse(data=text, format="nt" if form == "ntriples" else form))
    assert len(graphs[0]) > 15
    assert isomorphic(*graphs)


def test_standard_statements_about_rows_and_tables() -> None:
    found = statements(lakes(METADATA))
    csvw, table = "http://www.w3.org/ns/csvw#", "<http://example.org/lakes/dataset>"
    assert f"_:g <{csvw}table> {table} ." in found
    assert f"{table} <{csvw}row> _:t1r3 ." in found
    assert f'_:t1r3 <{csvw}title> "Loch"@de .' in found
    assert f"_:t1r3 <{csvw}url> <{BASE}lakes.csv#row=4> ." in found
    assert f"_:t1r3 <{csvw}describes> <{BASE}lakes.csv#lake-3> ." in found
    assert any(each.startswith(f"{table} <{csvw}note> _:n") for each in found)


def test_provenance_is_given_on_demand() -> None:
    prov = "http://www.w3.org/ns/prov#"
    assert not any(prov in each for each in statements(lakes(METADATA)))
    found = statements(lakes(METADATA), provenance=True)
    used = {each.split()[2] for each in found if f"<{prov}entity>" in each}
    assert used == {f"<{BASE}lakes.csv>", f"<{BASE}lakes.csv-metadata.json>"}
    as_json, _ = json_of(lakes(METADATA), provenance=True)
    assert as_json["prov:wasGeneratedBy"]["@type"] == "prov:Activity"


# ------------------------------------------------------------- errors


def test_errors_in_metadata_are_raised_together_with_their_places() -> None:
    bad = {"@context": "http://www.w3.org/ns/csvw", "@type": "Column", "tables": []}
    with pytest.raises(SchemaError) as caught:
        to_json(BASE + "m.json", fetch=served({"m.json": json.dumps(bad)}))
    assert len(caught.value.diagnostics) == 2
    assert {each.code for each in caught.value.diagnostics} == {"foreign-meaning"}
    assert "m.json" in str(caught.value)


def test_a_table_that_is_not_there() -> None:
    metadata = {"@context": "http://www.w3.org/ns/csvw", "url": "gone.csv"}
    with pytest.raises(DataError, match=r"gone\.csv"):
        to_rdf(BASE + "m.json", fetch=served({"m.json": json.dumps(metadata)}))


def test_an_unknown_format() -> None:
    with pytest.raises(UsageError, match="ntriples, turtle"):
        to_rdf(BASE + "lakes.csv", format="rdfxml", fetch=served(lakes()))  # type: ignore[arg-type]


def test_a_template_beyond_all_limits() -> None:
    metadata = {
        "@context": "http://www.w3.org/ns/csvw",
        "url": "lakes.csv",
        "tableSchema": {"columns": [{"titles": "a", "aboutUrl": "{a}" * 10_000}]},
    }
    with pytest.raises(SchemaError) as caught:
        json_of(lakes(metadata, "a\n1\n"))
    (found,) = caught.value.diagnostics
    assert found.message == (
        "/tableSchema/columns/0/aboutUrl: the template has 30,000 characters; the limit is 10,000"
    )
    assert found.span.source.text[found.span.start :].startswith('"{a}{a}')


# ------------------------------------------------------------- streams


def wide_table(rows: int) -> bytes:
    """A table of some rows."""
    lines = [f"{n},name {n},{n % 7}.5,{'x' * (n % 3)}" for n in range(rows)]
    return ("a,b,c,d\n" + "\n".join(lines) + "\n").encode()


def request_for(path: Path, target: Target, **options: Any) -> Request:
    """A conversion of a table that has four columns."""
    columns = tuple(Column(n, n, name) for n, name in enumerate("abcd", 1))
    table = Table(BASE + "wide.csv", TableSchema(columns), Dialect())
    return Request(TableGroup((table,)), lambda _: Input(str(path)), target, **options)


@pytest.mark.parametrize("target", [Target(None), Target(None, True), Target("ntriples")])
def test_threads_give_the_text_of_one_thread(tmp_path: Path, target: Target) -> None:
    path = tmp_path / "wide.csv"
    path.write_bytes(wide_table(5_000))
    texts = {
        "".join(Conversion(request_for(path, target, threads=threads, read_size=size)))
        for threads, size in ((1, 1 << 20), (4, 1 << 14), (3, 5_000))
    }
    assert len(texts) == 1


def test_pieces_come_before_the_input_ends(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    content, go_on = wide_table(60_000), threading.Event()

    def feed() -> None:
        with open(pipe, "wb") as out:
            out.write(content[: len(content) // 2])
            out.flush()
            assert go_on.wait(60)
            out.write(content[len(content) // 2 :])

    feeder = threading.Thread(target=feed)
    feeder.start()
    try:
        with Conversion(request_for(pipe, Target(None), threads=2, read_size=1 << 16)) as found:
            texts = [next(found), next(found), next(found)]
            assert '"rownum":1,' in texts[-1]
            assert not go_on.is_set()
            go_on.set()
            texts += found
    finally:
        go_on.set()
        feeder.join()
    rows = json.loads("".join(texts))["tables"][0]["row"]
    assert [row["rownum"] for row in rows] == list(range(1, 60_001))


def test_a_conversion_that_is_dropped_leaves_no_files(tmp_path: Path) -> None:
    conversion = to_json(BASE + "lakes.csv", fetch=served(lakes(METADATA)))
    path = file_of(BASE + "lakes.csv")
    assert path is not None
    folder = Path(path).parent
    assert folder.is_dir()
    next(conversion)
    del conversion
    gc.collect()
    assert not folder.exists()
    assert file_of(BASE + "lakes.csv") is None


def test_turtle_declares_the_prefixes_that_it_uses() -> None:
    from rdflib import Graph

    columns = [
        {"titles": "a", "propertyUrl": "http://schema.org{/_name}"},
        {"titles": "b", "propertyUrl": "{+b}"},
    ]
    metadata = {
        "@context": "http://www.w3.org/ns/csvw",
        "url": "lakes.csv",
        "tableSchema": {"columns": columns},
    }
    files = lakes(metadata, "a,b\n1,http://xmlns.com/foaf/0.1/name\n")
    text = "".join(to_rdf(BASE + "lakes.csv", fetch=served(files), minimal=True, format="turtle"))
    assert "schema:a" in text
    assert "foaf" not in text.partition("\n\n")[0]
    assert len(Graph().parse(data=text, format="turtle")) == 2


@pytest.mark.parametrize(
    ("form", "text", "fits"),
    [("[AB]", "xAx", False), ("(a+)+$", "a" * 60 + "b", False), ("[AB]", "A", True)],
)
def test_a_format_is_about_the_whole_text_in_bounded_time(form: str, text: str, fits: bool) -> None:
    columns = [{"titles": "a", "datatype": {"base": "string", "format": form}}]
    metadata = {
        "@context": "http://www.w3.org/ns/csvw",
        "url": "t.csv",
        "tableSchema": {"columns": columns},
    }
    with to_json(
        BASE + "m.json", fetch=served({"m.json": json.dumps(metadata), "t.csv": f"a\n{text}\n"})
    ) as pieces:
        assert text in "".join(pieces)
    assert (pieces.problems == []) is fits
