"""The programs of section 5.3 of the paper, as printed, on the data of its figures."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path

import pytest
from executed_docs import run_command
from rdflib import OWL, RDF, Graph, Literal, Namespace, URIRef
from rdflib.compare import isomorphic
from rdflib.namespace import XSD
from rdflib.term import Node

import sculpt
from conftest import ROOT

EXAMPLES = ROOT / "examples"
CLIMATE = EXAMPLES / "climate" / "climate.csv"
CENSUS = EXAMPLES / "census" / "census.csv"
PROVENANCE = EXAMPLES / "provenance" / "provenance.txt"
ENGINES = ["local", "reference"]
SYNTAXES = {"nt": "nt", "ttl": "turtle"}


def text_of(path: str) -> str:
    return (EXAMPLES / path).read_text(encoding="utf-8")


def printed(rules: str, program: str, data: Path, engine: str) -> str:
    schema = sculpt.Schema.parse(rules + program)
    return sculpt.run(schema, data, engine=engine).text


def output(folder: Path, rules: str, program: str, data: Path, engine: str, name: str) -> Path:
    """The only output of a program, written by the command line."""
    (folder / "program.sculpt").write_text(rules + program, encoding="utf-8")
    to = folder / name
    call = ["run", str(folder / "program.sculpt"), str(data), "-o", str(to), "--engine", engine]
    outcome = run_command(call)
    assert outcome.status == 0, outcome.output
    return to


def graph(path: Path) -> Graph:
    found = Graph()
    found.parse(path, format=SYNTAXES[path.suffix[1:]])
    return found


def built(*triples: tuple[Node, Node, Node]) -> Graph:
    made = Graph()
    for triple in triples:
        made.add(triple)
    return made


# ----------------------------------------------------------------- basic transformations

CLIMATE_RULES = text_of("climate/printed.sculpt")
TYPES = """\
Useless-Temp = -99.00

%% Token type
Useful <= col(1) or
         (Temperature and not Useless-Temp) or
         (row(1) and not up*(Useless-Temp))
Useful-values <= (Temperature and not Useless-Temp)
"""
TEMPERATURES = ["27.83", "25.72", "26.44", "25.72", "24.61", "24.33", "24.89"]
TIMES = ["1935.04", "1935.12", "1935.21", "1935.29", "1935.37", "1935.46", "1935.54"]


@pytest.mark.parametrize("engine", ENGINES)
def test_useful_is_exported_as_the_paper_shows_it(tmp_path: Path, engine: str) -> None:
    schema = tmp_path / "climate.sculpt"
    schema.write_text(CLIMATE_RULES + TYPES, encoding="utf-8")
    outcome = run_command(["extract", str(schema), str(CLIMATE), "Useful", "--engine", engine])
    assert (outcome.status, outcome.errors) == (0, "")
    assert outcome.output == (
        "       , ENTEBBE AIR\n"
        "1935.04,       27.83\n"
        "1935.12,       25.72\n"
        "1935.21,       26.44\n"
        "1935.29,       25.72\n"
        "1935.37,       24.61\n"
        "1935.46,       24.33\n"
        "1935.54,       24.89\n"
    )


@pytest.mark.parametrize("engine", ENGINES)
def test_useful_as_a_table(engine: str) -> None:
    schema = sculpt.Schema.parse(CLIMATE_RULES + TYPES)
    table = sculpt.extract(schema, CLIMATE, "Useful", engine=engine)
    assert table.column_names == ["c1", "c4"]
    assert table.to_pylist() == [
        {"c1": "       ", "c4": " ENTEBBE AIR"},
        *(
            {"c1": time, "c4": "       " + temperature}
            for time, temperature in zip(TIMES, TEMPERATURES, strict=True)
        ),
    ]


@pytest.mark.parametrize("engine", ENGINES)
def test_the_average_of_a_column(engine: str) -> None:
    program = """
For each column c in Useful-values {
  print Average(c)
}
"""
    assert printed(CLIMATE_RULES + TYPES, program, CLIMATE, engine) == "25.65\n"


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("each", ["row", "cell"])
def test_rows_and_cells_work_analogously(each: str, engine: str) -> None:
    value = {"row": "Average(c)", "cell": "c.content"}[each]
    program = f"""
For each {each} c in Useful-values {{
  print {value}
}}
"""
    found = printed(CLIMATE_RULES + TYPES, program, CLIMATE, engine)
    assert found == "".join(f"{temperature}\n" for temperature in TEMPERATURES)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_loop_runs_over_the_coordinates_that_are_present(engine: str) -> None:
    program = """
For each column c in Useful { print c.column + ": " + Count(c) + " from " + c.cells[1].raw }
For each row r in Useful { print r.row + ": " + r.cells[1] + "|" + r.cells[2].raw }
For each cell x in Useful and row(1) { print "(" + x.row + "," + x.column + ")" + x.raw }
"""
    assert printed(CLIMATE_RULES + TYPES, program, CLIMATE, engine).splitlines() == [
        "1: 8 from        ",
        "4: 8 from  ENTEBBE AIR",
        "1: | ENTEBBE AIR",
        *(
            f"{row}: {time}|       {temperature}"
            for row, (time, temperature) in enumerate(zip(TIMES, TEMPERATURES, strict=True), 2)
        ),
        "(1,1)       ",
        "(1,4) ENTEBBE AIR",
    ]


@pytest.mark.parametrize("engine", ENGINES)
def test_the_useful_values_as_records(engine: str) -> None:
    program = """
For each cell v in Useful-values {
  emit Reading(
    station: directly(up, row(1), v),
    time: directly(left, Timestamp, v),
    degrees: v as xs:decimal(4,2))
}
"""
    schema = sculpt.Schema.parse(CLIMATE_RULES + TYPES + program)
    assert list(sculpt.run(schema, CLIMATE, engine=engine).records("Reading")) == [
        {"station": "ENTEBBE AIR", "time": time, "degrees": Decimal(temperature)}
        for time, temperature in zip(TIMES, TEMPERATURES, strict=True)
    ]


# ----------------------------------------------------------------- namespaces, annotations, RDF

CENSUS_RULES = text_of("census/corrected.sculpt")
NAMESPACES = """
namespace default = http://foo.org/nationalstats.csv

namespace x = http://example.org/x#
namespace rdf = http://www.w3.org/1999/02/22-rdf-syntax-ns#
namespace owl = http://www.w3.org/2002/07/owl#
namespace dbpedia-owl = http://dbpedia.org/ontology/
namespace fbase = http://rdf.freebase.com/ns/
"""
AS_ENTITIES = """
For each cell c in col(GeoArea) {
  c.namespace = default
}
"""
ANNOTATED = """
For each cell c in col(GeoArea) {
  annotate c with "rdf:type dbpedia-owl:Place"
  annotate c with "owl:sameAs fbase:" + c.content
}
"""
ENGLAND = "http://foo.org/nationalstats.csv:England"
WALES = "http://foo.org/nationalstats.csv:Wales"
PLACE = URIRef("http://dbpedia.org/ontology/Place")
FBASE = Namespace("http://rdf.freebase.com/ns/")


def test_the_printed_schema_of_the_census_refuses_its_data() -> None:
    schema = sculpt.Schema.parse(text_of("census/printed.sculpt") + NAMESPACES + AS_ENTITIES)
    with pytest.raises(sculpt.RefusedError) as caught:
        sculpt.run(schema, CENSUS)
    (verdict,) = caught.value.verdicts
    assert [(each.row, each.column) for each in verdict.violations] == [(2, 1), (10, 1)]


@pytest.mark.parametrize("engine", ENGINES)
def test_cells_are_entities_of_a_namespace(tmp_path: Path, engine: str) -> None:
    program = NAMESPACES + AS_ENTITIES
    path = output(tmp_path, CENSUS_RULES, program, CENSUS, engine, "entities.json")
    cells = {
        "#cell=9,2": {"entity": ENGLAND, "annotations": []},
        "#cell=10,2": {"entity": WALES, "annotations": []},
    }
    assert json.loads(path.read_bytes()) == {"files": [{"path": str(CENSUS), "cells": cells}]}


@pytest.mark.parametrize("engine", ENGINES)
def test_annotations(tmp_path: Path, engine: str) -> None:
    program = NAMESPACES + ANNOTATED
    schema = sculpt.Schema.parse(CENSUS_RULES + program)
    file = str(CENSUS)
    assert [tuple(each.values()) for each in
            sculpt.run(schema, CENSUS, engine=engine).annotations.to_pylist()] == [
        (file, 9, 2, "England", None, "rdf:type dbpedia-owl:Place"),
        (file, 9, 2, "England", None, "owl:sameAs fbase:England"),
        (file, 10, 2, "Wales", None, "rdf:type dbpedia-owl:Place"),
        (file, 10, 2, "Wales", None, "owl:sameAs fbase:Wales"),
    ]  # fmt: skip
    path = output(tmp_path, CENSUS_RULES, program, CENSUS, engine, "annotations.json")
    cells = {
        "#cell=9,2": {"annotations": ["rdf:type dbpedia-owl:Place", "owl:sameAs fbase:England"]},
        "#cell=10,2": {"annotations": ["rdf:type dbpedia-owl:Place", "owl:sameAs fbase:Wales"]},
    }
    assert json.loads(path.read_bytes()) == {"files": [{"path": file, "cells": cells}]}


def said_of(england: str, wales: str) -> Graph:
    return built(
        (URIRef(england), RDF.type, PLACE),
        (URIRef(england), OWL.sameAs, FBASE.England),
        (URIRef(wales), RDF.type, PLACE),
        (URIRef(wales), OWL.sameAs, FBASE.Wales),
    )


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("ending", SYNTAXES)
def test_annotations_of_cells_as_rdf(tmp_path: Path, ending: str, engine: str) -> None:
    program = NAMESPACES + ANNOTATED
    path = output(tmp_path, CENSUS_RULES, program, CENSUS, engine, f"said.{ending}")
    file = CENSUS.as_uri()
    assert isomorphic(graph(path), said_of(f"{file}#cell=9,2", f"{file}#cell=10,2"))


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("ending", SYNTAXES)
@pytest.mark.parametrize("order", ["entities first", "entities last", "one loop"])
def test_annotations_of_entities_as_rdf(
    tmp_path: Path, order: str, ending: str, engine: str
) -> None:
    one_loop = ANNOTATED.replace("}", "  c.namespace = default\n}")
    programs = {
        "entities first": AS_ENTITIES + ANNOTATED,
        "entities last": ANNOTATED + AS_ENTITIES,
        "one loop": one_loop,
    }
    program = NAMESPACES + programs[order]
    path = output(tmp_path, CENSUS_RULES, program, CENSUS, engine, f"said.{ending}")
    assert isomorphic(graph(path), said_of(ENGLAND, WALES))


@pytest.mark.parametrize("engine", ENGINES)
def test_printing_rdf_prints_what_the_program_says(engine: str) -> None:
    program = """
print "@prefix : <http://foo.org/nationalstats.csv>"
For each cell c in col(GeoArea) {
 print ":"+c.content+"owl:sameAs fbase:"+c.content
}
"""
    assert printed(CENSUS_RULES, program, CENSUS, engine) == (
        "@prefix : <http://foo.org/nationalstats.csv>\n"
        ":Englandowl:sameAs fbase:England\n"
        ":Walesowl:sameAs fbase:Wales\n"
    )


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("ending", SYNTAXES)
def test_the_census_as_records_of_rdf(tmp_path: Path, ending: str, engine: str) -> None:
    program = """
namespace default = http://foo.org/nationalstats.csv
For each cell v in down+(right+(GeoArea)) {
  emit Obs(
    area: iri(default, directly(left, col(GeoArea), v)),
    activity: directly(up, row(8), v),
    count: v as xs:integer)
}
"""
    path = output(tmp_path, CENSUS_RULES, program, CENSUS, engine, f"obs.{ending}")
    base = Namespace("http://foo.org/nationalstats.csv#")
    observations = [
        (ENGLAND, "All", 38881374),
        (ENGLAND, "Part-time", 27183134),
        (WALES, "All", 2245166),
        (WALES, "Part-time", 1476735),
    ]
    triples: list[tuple[Node, Node, Node]] = []
    for number, (area, activity, count) in enumerate(observations, 1):
        subject = base[f"Obs/{number}"]
        triples += [
            (subject, RDF.type, base.Obs),
            (subject, base.area, URIRef(area)),
            (subject, base.activity, Literal(activity)),
            (subject, base["count"], Literal(count, datatype=XSD.integer)),
        ]
    assert isomorphic(graph(path), built(*triples))


# ----------------------------------------------------------------- several cells of a row

PROVENANCE_RULES = text_of("provenance/corrected.sculpt")
REGION = "\nRDF <= col(subject) or col(predicate) or col(object)\n"


@pytest.mark.parametrize("engine", ENGINES)
def test_triples_of_the_cells_of_a_row(engine: str) -> None:
    program = """
For each row r in RDF {
  print r.cells[1] +" "+ r.cells[2] +" "+ r.cells[3]
}
"""
    assert printed(PROVENANCE_RULES + REGION, program, PROVENANCE, engine) == (
        ":e4 type PER\n"
        ':e4 mention "Bart"\n'
        ':e4 mention "JoJo"\n'
        ":e4 per:siblings :e7\n"
        ':e4 per:age "10"\n'
        ":e4 per:parent :e9\n"
    )


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("ending", SYNTAXES)
def test_triples_by_a_real_writer(tmp_path: Path, ending: str, engine: str) -> None:
    program = r"""
namespace default = http://example.org/
namespace per = http://example.org/person#
For each cell o in col(object) and rdf-lit {
  emit Fact(
    subject: directly(left, rdf-id and col(subject), o),
    predicate: left(o),
    object: replace(o, "\"", ""))
}
For each cell o in col(object) and not rdf-lit {
  emit Link(subject: left.left(o), predicate: left(o), object: iri(o))
}
"""
    (tmp_path / "program.sculpt").write_text(PROVENANCE_RULES + REGION + program, encoding="utf-8")
    base, per = Namespace("http://example.org/"), Namespace("http://example.org/person#")
    expected = {
        "Fact": built(
            (base.e4, base.mention, Literal("Bart")),
            (base.e4, base.mention, Literal("JoJo")),
            (base.e4, per.age, Literal("10")),
        ),
        "Link": built(
            (base.e4, base.type, base.PER),
            (base.e4, per.siblings, base.e7),
            (base.e4, per.parent, base.e9),
        ),
    }
    for target, triples in expected.items():
        path = tmp_path / f"{target}.{ending}"
        call = ["run", str(tmp_path / "program.sculpt"), str(PROVENANCE), "-o", str(path)]
        outcome = run_command([*call, "--only", target, "--engine", engine])
        assert outcome.status == 0, outcome.output
        assert isomorphic(graph(path), triples)
