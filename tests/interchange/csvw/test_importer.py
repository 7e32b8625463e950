"""Metadata becomes a schema that a person would write; what cannot be said is a note."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sculpt.errors import SchemaError
from sculpt.interchange.access import Access
from sculpt.interchange.csvw import read, recognises
from sculpt.interchange.documents import JsonDocument
from sculpt.interchange.model import Package
from sculpt.schema import Schema, format_text

CONTEXT = "http://www.w3.org/ns/csvw"


def imported(value: Any) -> Package:
    body = json.dumps({"@context": CONTEXT, **value}).encode()
    return read(JsonDocument.parse("boats.json", body, "/data"), Access())


def table(*columns: dict[str, Any], **schema: Any) -> dict[str, Any]:
    return {"url": "boats.csv", "tableSchema": {"columns": list(columns), **schema}}


def text(*columns: dict[str, Any], dialect: dict[str, Any] | None = None, **schema: Any) -> str:
    given = table(*columns, **schema)
    (only,) = imported(given if dialect is None else {**given, "dialect": dialect}).tables
    assert format_text(only.text) == only.text
    assert Schema.parse(only.text).lint == ()
    return only.text


BOATS = """\
% boats.csv, as boats.json describes it.

Row Delim = \\n
Comment = #

Hull <= col(1) and not row(1)
Built <= col(2) and not row(1)

untitled := Empty
% titles of the columns (boats.json, /tableSchema/columns)
row(1) -> ("Hull" | "No." | untitled), ("Built" | untitled)

blank := Null or /[ \\t\\r\\n]+/
given := not blank
% column "Hull", required (boats.json, /tableSchema/columns/0)
Hull -> given?
integer := trimmed(xs:integer)
% column "Hull", datatype integer (boats.json, /tableSchema/columns/0/datatype)
Hull -> integer | blank
integer minimum 10 := trimmed(xs:integer >= 10)
% column "Hull", datatype minimum 10 (boats.json, /tableSchema/columns/0/datatype)
Hull and integer -> integer minimum 10

date d M yyyy := trimmed(xs:date("d/M/yyyy"))
% column "Built", datatype date d/M/yyyy (boats.json, /tableSchema/columns/1/datatype)
Built -> date d M yyyy | blank | "n/a"

% 2 columns in each row (boats.json, /tableSchema)
(col(2) or right+(col(2))) and not row(1) -> Any
% primary key number (boats.json, /tableSchema/primaryKey)
key(Hull as xs:integer)
"""


def test_each_construct_is_a_statement_with_its_origin() -> None:
    number = {
        "name": "number",
        "titles": ["Hull", "No."],
        "required": True,
        "datatype": {"base": "integer", "minimum": 10},
    }
    built = {
        "titles": "Built",
        "datatype": {"base": "date", "format": "d/M/yyyy"},
        "null": ["", "n/a"],
    }
    assert text(number, built, primaryKey="number") == BOATS
    origins = imported(table(number, built, primaryKey="number")).tables[0].origins
    assert str(origins["rule:4"]) == (
        'column "Hull", datatype minimum 10 (boats.json, /tableSchema/columns/0/datatype)'
    )
    assert (origins["rule:4"].column, origins["rule:4"].field) == (1, "number")
    assert origins["key:1"].kind == "primary-key"


@pytest.mark.parametrize(
    ("column", "line"),
    [
        ({"datatype": "string"}, None),
        ({"datatype": {"format": "[a-z]+"}}, "string format a-z := /[a-z]+/"),
        ({"datatype": {"format": '"x" /'}}, "string format x := /\\x{22}x\\x{22}\\x{20}\\//"),
        ({"datatype": {"minLength": 3}}, "string minLength 3 := length(String) >= 3"),
        (
            {"datatype": {"base": "hexBinary", "length": 2}},
            "hexBinary length 2 := trimmed(length(xs:hexBinary) = 2)",
        ),
        (
            {"datatype": {"base": "boolean", "format": "Y|N"}},
            'boolean Y N := trimmed(Boolean("Y|N"))',
        ),
        (
            {"datatype": {"base": "decimal", "format": "#,##0.0"}},
            'decimal 0 0 := trimmed(xs:decimal("#,##0.0;-#,##0.0") or',
        ),
        (
            {"datatype": {"base": "time", "format": "HH:mm:ss.S"}},
            'xs:time("HH:mm:ss.S") or xs:time("HH:mm:ss")',
        ),
        (
            {"datatype": "integer", "separator": ";"},
            'list of integer := list(xs:integer or Empty, ";")',
        ),
        ({"datatype": "integer", "default": "x"}, "A -> integer?"),
        ({"datatype": "integer", "default": "1"}, "A -> integer | blank"),
        ({"datatype": "integer", "null": "NA"}, 'A -> (integer | "NA")?'),
        (
            {"datatype": "any", "required": True, "null": ["", "-"]},
            'given A := not Empty and not "-"',
        ),
    ],
)
def test_columns(column: dict[str, Any], line: str | None) -> None:
    found = text({"titles": "A", **column})
    if line is None:
        assert ":=" not in found.replace("untitled := Empty", "")
    else:
        assert line in found.replace("\n    ", " ")


@pytest.mark.parametrize(
    ("dialect", "lines"),
    [
        ({"delimiter": "\t", "quoteChar": "'"}, ["Col Delim = \\t", "Quote = '"]),
        ({"quoteChar": None, "commentPrefix": None}, ["Quote = none"]),
        (
            {"doubleQuote": False, "trim": False},
            ["Escape = \\\\\nEscapes = everywhere", "Trim = none"],
        ),
        (
            {"encoding": "latin-1", "skipBlankRows": True},
            ["Encoding = latin-1", "Blank Rows = skip"],
        ),
        ({"skipColumns": 2}, ["A <= col(3) and not row(1)", "row(1) and right+(col(2)) ->"]),
        ({"header": False}, ["A <= col(1)\n", "col(1) or right+(col(1)) -> Any"]),
        ({"headerRowCount": 2}, ["A <= col(1) and down+(row(2))", "(1,1)..(2,1) |>"]),
        ({"skipRows": 1, "commentPrefix": None}, ["A <= col(1) and down+(row(2))", "row(2) ->"]),
        ({"skipRows": 1}, ["Remark <= remark and col(1) or right+(remark and col(1))"]),
    ],
)
def test_dialects(dialect: dict[str, Any], lines: list[str]) -> None:
    found = text({"titles": "A"}, dialect=dialect)
    assert [line for line in lines if line not in found] == []


def test_one_column_is_no_plural() -> None:
    assert "% 1 column in each row (" in text({"name": "a"})


def test_tables_are_tied_by_references() -> None:
    ports = {"columns": [{"name": "code", "titles": "Code"}], "primaryKey": "code"}
    reference = {"resource": "ports.csv", "columnReference": "code"}
    boats = {
        "columns": [{"name": "home", "titles": "Home"}],
        "foreignKeys": [{"columnReference": "home", "reference": reference}],
    }
    package = imported(
        {
            "tables": [
                {"url": "boats.csv", "tableSchema": boats},
                {"url": "ports.csv", "tableSchema": ports},
            ]
        }
    )
    assert [(each.name, each.data) for each in package.tables] == [
        ("Boats", "boats.csv"),
        ("Ports", "ports.csv"),
    ]
    assert package.tie is not None
    assert package.tie.text == (
        "% foreign key home (boats.json, /tables/0/tableSchema/foreignKeys/0)\n"
        "Boats(Home) ~> Ports(Code)\n"
    )


def test_a_table_without_columns_is_checked_by_what_all_of_them_inherit() -> None:
    (only,) = imported({"url": "t.csv", "datatype": "integer"}).tables
    assert "Cells <= not row(1)" in only.text
    assert "Cells -> (integer | blank)*" in only.text


def test_what_cannot_be_said_is_a_note() -> None:
    package = imported(
        table(
            {"titles": "A", "datatype": {"format": "(?=a)b"}},
            {"name": "b"},
            {"titles": "C", "datatype": {"format": "x"}, "separator": ";"},
        )
    )
    assert [note.message for note in package.all_notes] == [
        'column "b" has a name but no titles, so no header fits it',
        'column "A": the format `(?=a)b` is not checked: look-around (`(?=`) is not regular',
        'column "C": blanks around the items of the list',
    ]
    assert str(package.all_notes[0].place) == "boats.json, /tableSchema/columns/1"


def test_warnings_of_the_metadata_are_notes_and_errors_are_raised_together() -> None:
    package = imported({**table({"titles": "A", "null": 1}), "x": 1})
    assert len(package.notes) == 2
    with pytest.raises(SchemaError) as caught:
        imported({**table({"titles": "A", "@type": "x"}), "@id": "_:a"})
    assert [each.code for each in caught.value.diagnostics] == ["foreign-meaning"] * 2


@pytest.mark.parametrize(
    ("value", "is_ours"),
    [
        ({"@context": CONTEXT}, True),
        ({"@context": [CONTEXT, {"@language": "en"}]}, True),
        ({"tableSchema": {}}, True),
        ({"resources": []}, False),
        ([], False),
    ],
)
def test_metadata_is_recognised(value: Any, is_ours: bool) -> None:
    assert recognises(JsonDocument.parse("x.json", json.dumps(value).encode())) is is_ours


def test_a_linked_schema_must_be_inside_the_folder(tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    (tmp_path / "schema.json").write_text("{}")
    body = json.dumps({"@context": CONTEXT, "url": "t.csv", "tableSchema": "../schema.json"})
    document = JsonDocument.parse("m.json", body.encode(), str(inner))
    with pytest.raises(SchemaError, match="allow it with `--allow-outside`"):
        read(document, Access())
    assert read(document, Access(allow_outside=True)).tables[0].name == "T"
