"""Many rows at once give the same text as one row at a time, whatever the metadata and the cut."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sculpt.csvw.conversion import Conversion, Request
from sculpt.csvw.converter import RowConverter, Target, row_text, rows_of, separator
from sculpt.csvw.headers import headed
from sculpt.csvw.plan import TablePlan, plan_of
from sculpt.csvw.reference import annotated
from sculpt.csvw.rows import TableRows, opened_data
from sculpt.interchange.csvw.model import Table, TableGroup
from sculpt.interchange.csvw.problems import Problems
from sculpt.interchange.csvw.reader import read_group
from sculpt.tabular.inputs import Input

URL = "http://example.org/data/table.csv"
TARGETS = [
    Target(None),
    Target(None, minimal=True),
    Target(None, minimal=True, lines=True),
    Target("ntriples"),
    Target("ntriples", minimal=True),
    Target("turtle"),
]

TEXTS = ["", " ", "a", "b", "a b", "é", 'q"q', "x\ny", "\\", "-", "NA", "a;b", ";", "a;;NA", "../x",
         "7", "007", "-0", "1.50", "+3", "1e3", "12%", "NaN", "true", "Y", "N", "2020-02-29",
         "2020-02-30", "1/2/2021", "10:00:00Z", "http://x.org/é?a=b#c", "%41",
         "schema:name"]  # fmt: skip
DATATYPES: list[Any] = [
    "string", "integer", "decimal", "double", "boolean", "date", "time", "anyURI", "gYear", "json",
    "token", "duration", "byte", "nonNegativeInteger", {"base": "boolean", "format": "Y|N"},
    {"base": "date", "format": "d/M/yyyy"}, {"base": "decimal", "format": "0.#%"},
    {"base": "string", "maxLength": 2}, {"base": "integer", "minimum": 5},
    {"base": "string", "format": "^[a-z]+$"}, {"@id": "http://example.org/type", "base": "string"},
]  # fmt: skip
TEMPLATES = [
    "#row-{_row}", "#a-{a}", "http://example.org/{a}/{b}", "{a}", "{+a}", "x/{a}", "other.csv{#b}",
    "schema:{a}", "#{_name}", "http://example.org/{?a,b}", "{/a*}", "#{_sourceRow}-{_column}", "",
    "x{+a}", "urn:{a}",
]  # fmt: skip


def members(name: str, values: st.SearchStrategy[Any], share: int = 3) -> st.SearchStrategy[Any]:
    """A property of a column, now and then."""
    return st.integers(1, share).flatmap(
        lambda draw: values.map(lambda value: {name: value}) if draw == share else st.just({})
    )


@st.composite
def columns(draw: st.DrawFn, name: str, virtual: bool) -> dict[str, Any]:
    """The description of a column."""
    found: dict[str, Any] = {"name": name}
    if virtual:
        found["virtual"] = True
    else:
        found["titles"] = name
    parts = [
        members("datatype", st.sampled_from(DATATYPES), 2),
        members("aboutUrl", st.sampled_from(TEMPLATES)),
        members(
            "propertyUrl", st.sampled_from(["schema:name", "rdf:type", "#{_name}", "#p-{b}"]), 5
        ),
        members("valueUrl", st.sampled_from(TEMPLATES), 4),
        members("separator", st.just(";"), 4),
        members("ordered", st.booleans()),
        members("null", st.sampled_from([["NA", ""], "-", []]), 4),
        members("default", st.sampled_from(["7", "a"]), 6),
        members("lang", st.sampled_from(["en", "de-AT"]), 4),
        members("required", st.just(True), 6),
        members("suppressOutput", st.just(True), 6),
    ]
    for part in parts:
        found |= draw(part)
    return found


@st.composite
def metadata(draw: st.DrawFn) -> dict[str, Any]:
    """A table of two to four columns, some of them virtual."""
    schema: dict[str, Any] = {
        "columns": [
            *(draw(columns(name, False)) for name in "abc"[: draw(st.integers(2, 3))]),
            *(draw(columns(name, True)) for name in "yz"[: draw(st.integers(0, 2))]),
        ]
    }
    schema |= draw(members("rowTitles", st.sampled_from(["a", ["a", "b"]]), 3))
    schema |= draw(members("aboutUrl", st.sampled_from(TEMPLATES), 2))
    dialect = draw(members("dialect", st.sampled_from([
        {"skipBlankRows": True}, {"commentPrefix": "a"}, {"header": False}, {"trim": False},
    ]), 4))  # fmt: skip
    return {
        "@context": "http://www.w3.org/ns/csvw",
        "url": "table.csv",
        "tableSchema": schema,
        **dialect,
    }


tables = st.lists(st.lists(st.sampled_from(TEXTS), min_size=1, max_size=4), max_size=12)


def written(rows: list[list[str]], names: list[str]) -> str:
    """A file with a header."""
    out = io.StringIO()
    csv.writer(out).writerows([names, *rows])
    return out.getvalue()


def read(document: dict[str, Any], path: Path) -> TablePlan:
    """The plan of the table that a document describes."""
    problems = Problems()
    group = read_group(document, f"{URL}-metadata.json", lambda _: None, problems)
    assert group is not None, problems.all
    with Input(str(path)) as source:
        table, _ = headed(group.tables[0], source)
    return plan_of(table, 1)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for the tables of all examples."""
    return tmp_path_factory.mktemp("agreement")


@given(metadata(), tables, st.integers(20, 200))
@settings(max_examples=120, deadline=None)
def test_vectors_agree_with_the_reference(
    folder: Path, document: dict[str, Any], rows: list[list[str]], size: int
) -> None:
    path = folder / "table.csv"
    names = [each["name"] for each in document["tableSchema"]["columns"] if "virtual" not in each]
    path.write_text(written(rows, names), "utf-8", newline="")
    plan = read(document, path)
    for target in TARGETS:
        converter = RowConverter(plan, target)
        with Input(str(path)) as source:
            data = opened_data(source, plan.table.dialect)
            for piece in TableRows(data, plan.table.dialect, plan.width, size=size).pieces():
                found = [annotated(plan, row) for row in rows_of(piece)]
                texts = [row_text(plan, each, target, converter.nodes) for each in found]
                converted = converter.convert(piece)
                expected = separator(target).join(text for text in texts if text)
                assert str(converted.text, "utf-8") == expected
                errors = sum(1 for each in found for _ in each.errors)
                assert converted.problem_count >= errors


@given(metadata(), tables, st.integers(20, 80))
@settings(max_examples=50, deadline=None)
def test_the_cut_does_not_change_the_text(
    folder: Path, document: dict[str, Any], rows: list[list[str]], size: int
) -> None:
    path = folder / "cut.csv"
    names = [each["name"] for each in document["tableSchema"]["columns"] if "virtual" not in each]
    path.write_text(written(rows, names), "utf-8", newline="")
    table = read(document, path).table
    for target in (Target(None), Target(None, minimal=True), Target("ntriples")):
        whole = document_text(table, path, target)
        assert document_text(table, path, target, size) == whole


def document_text(table: Table, path: Path, target: Target, size: int = 1 << 20) -> str:
    """The whole text of a conversion."""
    group = TableGroup((table,))
    request = Request(group, lambda _: Input(str(path)), target, threads=1, read_size=size)
    return "".join(Conversion(request))
