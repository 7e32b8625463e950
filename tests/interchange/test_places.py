"""Errors and lints of imported schemas are about what their authors wrote."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import sculpt
from sculpt.diagnostics import Source
from sculpt.errors import SchemaError
from sculpt.interchange.builder import SchemaBuilder
from sculpt.interchange.notes import remarks_of
from sculpt.origins import Origin, Spot
from sculpt.schema import Schema


def test_an_error_in_the_text_is_about_the_source(tmp_path: Path) -> None:
    datatype = {"base": "string", "minLength": 10**13}
    table = {"columns": [{"name": "a", "titles": "a", "datatype": datatype}]}
    metadata = {"@context": "http://www.w3.org/ns/csvw", "tableSchema": table, "url": "a.csv"}
    path = tmp_path / "a.json"
    path.write_text(json.dumps(metadata, indent=1))
    with pytest.raises(SchemaError) as caught:
        sculpt.load(path)
    (problem,) = caught.value.diagnostics
    assert problem.render().splitlines()[:2] == [
        f'{path}:8:17: error [foreign-limit]: column "a", datatype minLength 10000000000000: this'
        " cannot be written as Sculpt: `10000000000000` is not a whole number of at most 12 digits",
        ' 8 |     "datatype": {',
    ]


def test_what_cannot_be_written_is_about_the_source(tmp_path: Path) -> None:
    """The builder knows what it was told, and where that stands."""
    path = tmp_path / "a.json"
    path.write_text('{\n "a": 1\n}')
    builder = SchemaBuilder("A title")
    builder.token("x", "(a{1000}){1000}")
    builder.rule("col(1)", "x", Origin("the pattern", Spot(str(path), "/a")))
    with pytest.raises(SchemaError) as caught:
        builder.build("a")
    (problem,) = caught.value.diagnostics
    assert (problem.span.source.name, problem.span.line) == (str(path), 2)
    assert problem.message.startswith("the pattern: this cannot be written as Sculpt: the repet")


CONTRADICTION = """\
version 1.2
@totalColumns 2
a: is("a") or not("a") @matchIsFalse
b:
"""


def test_lints_are_not_about_how_the_importer_writes(tmp_path: Path) -> None:
    path = tmp_path / "a.csvs"
    path.write_text(CONTRADICTION)
    schema = sculpt.load(path)
    assert {each.code for each in schema.text_lint} == {"matches-everything", "matches-nothing"}
    assert (schema.lint, remarks_of(schema)) == ((), ())


def test_a_lint_about_a_statement_is_about_its_source(tmp_path: Path) -> None:
    source = tmp_path / "a.json"
    source.write_text('{\n "a": 1\n}')
    origin = Origin("the first column", Spot(str(source), "/a"))
    text = "% a comment\n\ncol(1) and col(2) -> Any\n"
    schema = Schema.imported(Source(str(source), text, origins={"rule:1": origin}))
    (remark,) = remarks_of(schema)
    assert (remark.code, remark.span.line) == ("never-matches", 2)
    assert remark.message.startswith("the first column: ")
