"""What each construct becomes, and what is left out, with its line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from frictionless import Package

from sculpt.errors import UsageError
from sculpt.interchange.export import Exported, export
from sculpt.schema import Schema

HEAD = "row(1) -> a, b\n"


def exported(text: str, to: str) -> Exported:
    return export(Schema.parse(text, name="t.sculpt"), to)


def resource(text: str, notes: int = 0) -> dict[str, Any]:
    """The only resource of the package, which their package takes for well-formed."""
    result = exported(text, "frictionless")
    assert len(result.notes) == notes, result.notes
    package = json.loads(result.files["datapackage.json"])
    assert not list(Package.metadata_validate(package))
    (only,) = package["resources"]
    return dict(only)


def field(tokens: str, notes: int = 0) -> dict[str, Any]:
    text = f"{HEAD}t := {tokens}\ncol(a) -> t\n"
    return dict(resource(text, notes)["schema"]["fields"][0])


def datatype(tokens: str) -> Any:
    text = f"{HEAD}t := {tokens}\ncol(a) -> t\n"
    metadata = json.loads(exported(text, "csvw").files["t.csv-metadata.json"])
    column = metadata["tableSchema"]["columns"][0]
    return {name: value for name, value in column.items() if name not in ("name", "titles")}


def rule(tokens: str) -> str:
    text = f"{HEAD}t := {tokens}\ncol(a) -> t\n"
    lines = exported(text, "csv-schema").files["t.csvs"].splitlines()
    return next(line for line in lines if line.startswith("a:"))


REQUIRED = {"required": True}


@pytest.mark.parametrize(
    ("tokens", "members"),
    [
        ("Integer or Empty", {"type": "integer"}),
        (
            "xs:unsignedByte",
            {"type": "integer", "constraints": {**REQUIRED, "minimum": 0, "maximum": 255}},
        ),
        ("Number > 0.5 or Empty", {"type": "number", "constraints": {"exclusiveMinimum": 0.5}}),
        ('xs:time("HH:mm") or Empty', {"type": "time", "format": "%H:%M"}),
        ("xs:gYear or Empty", {"type": "year"}),
        (
            "Boolean or Empty",
            {"type": "boolean", "trueValues": ["true", "1"], "falseValues": ["false", "0"]},
        ),
        ('Boolean("Y|N") or Empty', {"type": "boolean", "trueValues": ["Y"], "falseValues": ["N"]}),
        ("Email or Empty", {"type": "string", "format": "email"}),
        ("JsonObject or Empty", {"type": "object"}),
        ("xs:duration or Empty", {"type": "duration"}),
        ('"x" or "y" or Empty', {"type": "string", "constraints": {"enum": ["x", "y"]}}),
        (
            "Integer = 1 or Empty or Integer = 2",
            {"type": "integer", "constraints": {"enum": [1, 2]}},
        ),
        ('list(Integer, ";")', {"type": "list", "delimiter": ";", "itemType": "integer"}),
        ('list(String, ";")', {"type": "list", "delimiter": ";"}),
        (
            'Number("#,##0.0", group ".", decimal ",") or Empty',
            {"type": "number", "groupChar": ".", "decimalChar": ","},
        ),
        ("xs:hexBinary", {"type": "string", "constraints": {"pattern": "(?:[0-9A-Fa-f]{2})*"}}),
        (
            "length(Text) = 3",
            {"type": "string", "constraints": {**REQUIRED, "minLength": 3, "maxLength": 3}},
        ),
        (
            "2 <= length(xs:string) <= 5",
            {"type": "string", "constraints": {**REQUIRED, "minLength": 2, "maxLength": 5}},
        ),
        ("length(xs:string) <= 5", {"type": "string", "constraints": {"maxLength": 5}}),
        (
            "length(xs:string) >= 3 or Empty",
            {"type": "string", "constraints": {"minLength": 3}},
        ),
        ('Integer or "-"', {"type": "integer", "missingValues": ["-"]}),
        (
            'not Empty and not "-"',
            {"type": "string", "constraints": REQUIRED, "missingValues": ["-", ""]},
        ),
    ],
)  # fmt: skip
def test_fields(tokens: str, members: dict[str, Any]) -> None:
    found = {name: value for name, value in field(tokens).items() if name != "name"}
    missing = sorted(found.pop("missingValues", [""])), sorted(members.get("missingValues", [""]))
    assert missing[0] == missing[1]
    assert found == {name: value for name, value in members.items() if name != "missingValues"}


@pytest.mark.parametrize(
    ("tokens", "members"),
    [
        ("xs:short or Empty", {"datatype": "short"}),
        ("Integer", {"datatype": "integer", "required": True}),
        ("Number >= 1 or Empty", {"datatype": {"base": "number", "minimum": "1"}}),
        ('Date("d.M.yyyy") or Empty', {"datatype": {"base": "date", "format": "d.M.yyyy"}}),
        (
            'Number("#,##0.0", group " ") or Empty',
            {"datatype": {"base": "number", "format": {"pattern": "#,##0.0", "groupChar": " "}}},
        ),
        ('Boolean("Y|N") or Empty', {"datatype": {"base": "boolean", "format": "Y|N"}}),
        ("length(Text) <= 3 or Empty", {"datatype": {"base": "string", "maxLength": 3}}),
        ('list(xs:date, " ")', {"datatype": "date", "separator": " "}),
        ("/[a-c]+/ or Empty", {"datatype": {"base": "string", "format": "^[a-c]+$"}}),
        ('"x" or "n/a" or Integer or Empty', {"datatype": "integer", "null": ["", "n/a", "x"]}),
    ],
)  # fmt: skip
def test_datatypes(tokens: str, members: dict[str, Any]) -> None:
    found = datatype(tokens)
    if isinstance(found.get("null"), list):
        found["null"].sort()
    assert found == members


@pytest.mark.parametrize(
    ("tokens", "line"),
    [
        ("String", "a:"),
        ("Text", "a: notEmpty"),
        ('"x" or Empty', 'a: is("x") @optional'),
        ("2 <= length(xs:string) <= 5", "a: length(2,5)"),
        ("2 <= Integer < 9", r'a: regex("[+\-]?[0-9]+") range(2,8)'),
        ("length(Text) = 4", "a: length(4)"),
        ("xs:date or Empty", "a: xDate @optional"),
        ("xs:date >= 2000-01-01 or Empty", "a: xDate(2000-01-01,9999-12-31) @optional"),
        ("xs:date < 2000-03-01", "a: xDate(0001-01-01,2000-02-29)"),
        ("2001-01-01 < xs:date <= 2002-01-01", "a: xDate(2001-01-02,2002-01-01)"),
        ("xs:date = 2001-01-01", "a: xDate(2001-01-01,2001-01-01)"),
        ('Date("yyyy-MM-dd")', "a: xDate length(10)"),
        ('xs:date("dd/MM/yyyy") or Empty', "a: ukDate @optional"),
        ('Date("dd/MM/yyyy") >= 2000-12-01', "a: ukDate(01/12/2000,31/12/9999)"),
        (
            'xs:dateTime <= "2000-01-01T12:00:00"',
            "a: xDateTime(0001-01-01T00:00:00,2000-01-01T12:00:00)",
        ),
        ('xs:time >= "08:00:00"', "a: xTime(08:00:00,23:59:59.999)"),
        ('Text and not "x"', 'a: notEmpty not("x")'),
        ('"x" or /[0-9]{2}/', 'a: is("x") or regex("[0-9]{2}")'),
        (r'/["a]/', r'a: regex("[\x22a]")'),
        ("Empty", "a: empty"),
    ],
)
def test_column_rules(tokens: str, line: str) -> None:
    assert rule(tokens) == line


def test_dialects() -> None:
    text = (
        "Col Delim = ;\nQuote = '\nEscape = \\\\\nEscapes = everywhere\nTrim = none\nComment = #\n"
        f"Blank Rows = skip\nEncoding = latin-1\n{HEAD}"
    )
    found = resource(text)
    assert found["encoding"] == "iso8859-1"
    assert found["dialect"] == {
        "commentChar": "#",
        "skipBlankRows": True,
        "delimiter": ";",
        "quoteChar": "'",
        "doubleQuote": False,
        "escapeChar": "\\",
    }
    metadata = json.loads(exported(text, "csvw").files["t.csv-metadata.json"])
    assert metadata["dialect"] == {
        "commentPrefix": "#",
        "trim": False,
        "delimiter": ";",
        "quoteChar": "'",
        "doubleQuote": False,
        "skipBlankRows": True,
        "encoding": "iso8859-1",
    }
    assert "@separator ';'" in exported(text, "csv-schema").files["t.csvs"]
    assert len(exported("Col Widths = 4, *\n" + HEAD, "csvw").notes) == 1


@pytest.mark.parametrize("system", ["frictionless", "csvw"])
def test_quotes_that_no_other_system_has(system: str) -> None:
    """Each directive is a note of its own: elsewhere an escape acts outside quotes, too."""
    escape = f"Escape = \\\\\n{HEAD}"
    usual = len(exported(f"Escapes = everywhere\n{escape}", system).notes)
    assert len(exported(f"Escapes = quotes\n{escape}", system).notes) == usual + 1
    assert len(exported(f"Escapes = any\n{escape}", system).notes) == usual + 1
    stray = f"Stray Quotes = text\nEscapes = everywhere\n{escape}"
    assert len(exported(stray, system).notes) == usual + 1
    assert len(exported(stray.replace("text", "error"), system).notes) == usual


def test_a_column_without_texts() -> None:
    text = "row(1) -> a, b\ncol(a) -> Integer\ncol(b) -> Empty\n"
    assert resource(text)["schema"]["fields"][1]["constraints"] == {"maxLength": 0}
    columns = json.loads(exported(text, "csvw").files["t.csv-metadata.json"])["tableSchema"]
    assert columns["columns"][1]["datatype"] == {"base": "string", "maxLength": 0}
    assert "b: empty" in exported(text, "csv-schema").files["t.csvs"]


def test_csv_schema_has_no_stray_quotes() -> None:
    assert len(exported(f"Stray Quotes = text\n{HEAD}", "csv-schema").notes) == 1


def test_headers() -> None:
    below = "row(3) -> a, b\ndown{3,}(row(1)) and col(1) -> Integer\n"
    assert resource(below)["dialect"]["headerRows"] == [3]
    assert resource(below)["dialect"]["commentRows"] == [1, 2]
    without = "col(1) -> Integer\ncol(2) -> Text\n"
    assert resource(without)["dialect"]["header"] is False
    assert "@noHeader" in exported(without, "csv-schema").files["t.csvs"]
    unknown = "col(2) and not row(1) -> Integer\n"
    assert resource(unknown, notes=1)["dialect"]["commentRows"] == [1]
    by_heading = "col(Depth) -> Integer\ncol(Site) -> Text\n"
    schema = resource(by_heading)["schema"]
    assert [each["name"] for each in schema["fields"]] == ["Depth", "Site"]
    assert schema["fieldsMatch"] == "partial"
    assert len(exported(by_heading, "csvw").notes) == 1
    caseless = "h = (?i)depth\nrow(1) -> h\ncol(1) and not row(1) -> Integer\n"
    assert resource(caseless)["dialect"]["headerCase"] is False
    assert "@ignoreColumnNameCase" in exported(caseless, "csv-schema").files["t.csvs"]


PARTLY_KNOWN = "row(1) -> (Id | No), Email, Day\ncol(1) and not row(1) -> Integer\n"


def test_a_heading_that_is_not_known_is_not_compared() -> None:
    """`Email` is a token. The others stay the names of their columns, but the header may differ."""
    found = resource(PARTLY_KNOWN, notes=2)
    assert [each["name"] for each in found["schema"]["fields"]] == ["Id", "field2", "Day"]
    assert found["dialect"] == {"header": False, "commentRows": [1], "skipInitialSpace": True}
    assert exported(PARTLY_KNOWN, "frictionless").notes[0].message == (
        "the heading of column 2 is not known, so the header is not compared; `field2` is made up"
    )
    result = exported(PARTLY_KNOWN, "csvw")
    metadata = json.loads(result.files["t.csv-metadata.json"])
    assert (metadata["dialect"]["header"], metadata["dialect"]["skipRows"]) == (False, 1)
    columns = metadata["tableSchema"]["columns"]
    assert [each["name"] for each in columns] == ["Id", "col2", "Day"]
    assert not any("titles" in each for each in columns)
    assert result.notes[0].message.endswith("`col2` is made up")
    assert exported(PARTLY_KNOWN, "csv-schema").notes[0].message == (
        "the heading of column 2 is not known; in CSV Schema a header is compared, here with"
        " `column2`"
    )


def test_a_name_of_a_region_is_not_made_up() -> None:
    text = "A <= col(1) and not row(1)\nrow(1) -> A, B\nB <= col(2) and not row(1)\nA -> Text\n"
    notes = exported(text, "frictionless").notes
    assert notes[0].message == "the headings are not known, so the header is not compared"


PROGRAMS = """\
row(1) -> a, b
print "hello"
namespace ex = https://example.org/
For each row r in not row(1) {
  let x = r[col(a)]
  require(x != r[col(b)])
  emit X("a": x)
}
For each row r in not row(1) {
  require(r[col(1)] = r[col(2)])
}
"""


@pytest.mark.parametrize("system", ["frictionless", "csvw", "csv-schema"])
def test_programs_are_named(system: str) -> None:
    """What they write is left out, each statement with its line; their conditions are others."""
    notes = [(each.place.line, each.message) for each in exported(PROGRAMS, system).notes]
    what = "is left out: what a program writes has no counterpart"
    assert (2, f'line 2 {what}: print "hello"') in notes
    assert (4, f"line 4 {what}: For each row r in not row(1) {{ … }}") in notes
    lines = {2, 4, 6} if system == "csv-schema" else {2, 4, 6, 10}
    assert {line for line, _ in notes} == lines


def test_conditions_between_selectors_that_are_columns() -> None:
    lines = exported(PROGRAMS, "csv-schema").files["t.csvs"].splitlines()
    assert "a: is($b)" in lines


@pytest.mark.parametrize("system", ["frictionless", "csvw"])
def test_a_schema_without_columns(system: str) -> None:
    (note,) = exported("a = [a-z]+\n", system).notes
    assert note.message.startswith("no rule says which columns there are")


def test_rules_of_several_columns() -> None:
    whole = resource(f"{HEAD}true -> Any{{2}}\nnot row(1) -> Integer, Text\n")
    assert [each["type"] for each in whole["schema"]["fields"]] == ["integer", "string"]
    spread = resource(f"{HEAD}down+(row(1)) -> Integer*\n")
    assert [each["type"] for each in spread["schema"]["fields"]] == ["integer", "integer"]
    listed = resource(f"{HEAD}col(b) .>[;] Integer*\ncol(a) |> Integer*\ncol(b) => Any*\n")
    assert [each["type"] for each in listed["schema"]["fields"]] == ["integer", "list"]


def test_keys() -> None:
    required = (
        f"{HEAD}col(a) -> Text\ncol(b) -> Text\nkey(col(a))\nkey(col(b))\nkey(col(a), col(b))\n"
    )
    schema = resource(required)["schema"]
    assert schema["primaryKey"] == ["a"]
    assert schema["fields"][1]["constraints"]["unique"] is True
    assert schema["uniqueKeys"] == [["a", "b"]]
    optional = resource(f"{HEAD}key(col(a) and Text)\n")["schema"]
    assert optional["fields"][0]["constraints"] == {"unique": True}
    assert len(exported(required, "csvw").notes) == 2
    lines = exported(required, "csv-schema").files["t.csvs"].splitlines()
    assert "a: notEmpty unique unique($b)" in lines
    assert "b: notEmpty unique" in lines


def test_references(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("depts.sculpt").write_text("row(1) -> Code, Name\ncol(Code) -> Text\nkey(col(Code))\n")
    Path("staff.sculpt").write_text(
        'include "depts.sculpt" as Depts for "data/depts.csv"\n'
        "row(1) -> Id, Boss, Deputy, Dept\ncol(Id) -> Text\nkey(col(Id))\n"
        "col(Boss) and Text ~> col(Id)\ncol(Deputy) ~> col(Id)\n"
        "col(Dept) ~>+ Depts(col(Code))\n"
        "col(Dept) ~> Depts(col(Name)) ! warning\n"
    )
    result = export(Schema.load("staff.sculpt"), "frictionless")
    package = json.loads(result.files["datapackage.json"])
    assert not list(Package.metadata_validate(package))
    assert [each["path"] for each in package["resources"]] == ["staff.csv", "data/depts.csv"]
    assert package["resources"][0]["schema"]["foreignKeys"] == [
        {"fields": ["Boss"], "reference": {"resource": "", "fields": ["Id"]}},
        {"fields": ["Deputy"], "reference": {"resource": "", "fields": ["Id"]}},
        {"fields": ["Dept"], "reference": {"resource": "depts", "fields": ["Code"]}},
    ]
    assert [note.place.line for note in result.notes] == [8]
    result = export(Schema.load("staff.sculpt"), "csvw")
    metadata = json.loads(result.files["staff.csv-metadata.json"])
    assert [table["url"] for table in metadata["tables"]] == ["staff.csv", "data/depts.csv"]
    assert metadata["tables"][0]["tableSchema"]["foreignKeys"] == [
        {
            "columnReference": ["Deputy"],
            "reference": {"resource": "staff.csv", "columnReference": ["Id"]},
        }
    ]
    assert [note.place.line for note in result.notes] == [5, 7, 8]
    assert "cells without a value" in result.notes[0].message
    assert sorted(export(Schema.load("staff.sculpt"), "csv-schema").files) == [
        "Depts.csvs",
        "staff.csvs",
    ]


NO_VALUES = """row(1) -> code, near
not row(1) -> Any{2}
key(col(code) and Text and not "-")
col(near) and Text and not "-" ~>+ col(code) and not row(1)
"""


def test_texts_that_take_no_part_in_keys_and_references() -> None:
    schema = Schema.parse(NO_VALUES, name="t.sculpt")
    found = export(schema, "frictionless")
    assert not found.notes
    (resource,) = json.loads(found.files["datapackage.json"])["resources"]
    assert resource["schema"]["missingValues"] == ["", "-"]
    found = export(schema, "csv-schema")
    assert [note.place.line for note in found.notes] == [4]
    assert 'code: is("-") or unique @optional' in found.files["t.csvs"]
    found = export(schema, "csvw")
    assert [note.place.line for note in found.notes] == [3, 4]
    assert json.loads(found.files["t.csv-metadata.json"])["tableSchema"].keys() == {"columns"}


def test_a_key_of_some_cells_only_is_left_out() -> None:
    text = "row(1) -> code, near\nnot row(1) -> Any{2}\nword = [a-z]+\nkey(col(code) and word)\n"
    for target in ("frictionless", "csvw", "csv-schema"):
        found = export(Schema.parse(text, name="t.sculpt"), target)
        assert [note.place.line for note in found.notes] == [4], target


def test_a_list_with_items_is_required_if_an_empty_cell_is_refused() -> None:
    text = 'row(1) -> a\nsome := length(list(String, ";")) >= 1 and Text\ncol(a) -> some\n'
    found = export(Schema.parse(text, name="t.sculpt"), "frictionless")
    (resource,) = json.loads(found.files["datapackage.json"])["resources"]
    assert resource["schema"]["fields"][0]["constraints"] == {"required": True, "minLength": 1}


def test_rows_without_a_value_of_a_column() -> None:
    """In CSV Schema a key of several columns asks about each of them."""
    text = "row(1) -> a, b\nnot row(1) -> Any{2}\nkey(col(a) and Text, col(b) and Text)\n"
    found = export(Schema.parse(text, name="t.sculpt"), "csv-schema")
    assert "a: $b/empty or unique($b) @optional" in found.files["t.csvs"]


def test_what_is_left_out_is_named_with_its_line() -> None:
    text = f"""{HEAD}col(a) -> Integer
not exists(down) -> Text*
col(b) -> small ! warning
small := not /[a-z]+/
col(b) -> small
row(4) -> Text*
unique(Total)
key(row(2) or col(1))
col(a) => Integer, Text*
For each row r in not row(1) {{
  require(r.cells[1] != "7")
}}
"""
    for to, lines in (
        ("frictionless", [3, 4, 6, 7, 8, 9, 10, 12]),
        ("csvw", [3, 4, 6, 7, 8, 9, 10, 12]),
        ("csv-schema", [3, 4, 6, 7, 8, 9, 10, 12]),
    ):
        result = exported(text, to)
        assert [note.place.line for note in result.notes] == lines, result.notes
        with pytest.raises(UsageError, match="line 12 is left out: a condition"):
            export(Schema.parse(text, name="t.sculpt"), to, strict=True)
    assert resource(text, notes=8)["schema"]["fields"][0]["type"] == "integer"


@pytest.mark.parametrize("to", ["frictionless", "csvw", "csv-schema"])
def test_keys_and_references_that_ignore_case_are_left_out(to: str) -> None:
    text = f"{HEAD}key(col(a) as AnyCase)\ncol(b) as AnyCase ~>+ col(a) as AnyCase\n"
    result = exported(text, to)
    assert [note.place.line for note in result.notes] == [2, 3]
    assert all("ignores case has no counterpart" in note.message for note in result.notes)


def test_warnings_of_a_column() -> None:
    text = f'{HEAD}col(a) -> Integer ! warning "is it?"\n'
    result = exported(text, "csv-schema")
    assert not result.notes
    assert r'a: regex("[+\-]?[0-9]+") @warning' in result.files["t.csvs"]
    assert len(exported(text, "frictionless").notes) == 1


def test_documentation() -> None:
    text = "% All ships.\n\n% A berth. There are many.\nBerth <= col(1) and not row(1)\n"
    text += "row(1) -> Place\n"
    package = json.loads(exported(text, "frictionless").files["datapackage.json"])
    assert package["description"] == "All ships."
    (column,) = package["resources"][0]["schema"]["fields"]
    assert (column["name"], column["title"]) == ("Place", "A berth")
    assert column["description"] == "A berth. There are many."
    assert "// A berth. There are many." in exported(text, "csv-schema").files["t.csvs"]


def test_comparisons_of_two_columns() -> None:
    text = """row(1) -> a, b, c
A <= col(1) and not row(1)
B <= col(2) and not row(1)
For each row r in not row(1) {
  require(r[A] = r[B])
  require(contains("xyz", r[B]))
  require(starts(r[B], r[A]))
  require(r[A] = r[B] or r[A] = "x")
}
"""
    result = exported(text, "csv-schema")
    lines = result.files["t.csvs"].splitlines()
    assert "a: is($b)" in lines
    assert 'b: in("xyz") starts($a)' in lines
    assert [note.place.line for note in result.notes] == [8]
    for to in ("csvw", "frictionless"):
        assert [note.place.line for note in exported(text, to).notes] == [5, 6, 7, 8]
    some = text.replace("For each row r in not row(1)", "For each row r in row(2)")
    assert len(exported(some, "csv-schema").notes) == 4


def test_a_date_loses_its_other_forms() -> None:
    (note,) = exported(f"{HEAD}col(a) -> Date\n", "frictionless").notes
    assert "2011-03-27" in note.message
    assert "xs:date" in note.hint


def test_an_unknown_target() -> None:
    with pytest.raises(UsageError, match="the targets are frictionless, csvw, csv-schema"):
        exported(HEAD, "xsd")


def test_a_check_sum() -> None:
    text = f'{HEAD}require(checksum("t.csv", "md5") = "abc123")\n'
    assert resource(text)["hash"] == "md5:abc123"
    assert len(exported(text, "csvw").notes) == 1


def test_a_size_of_a_file() -> None:
    text = f'{HEAD}require(file-size("t.csv") = 0)\n'
    assert resource(text)["bytes"] == 0
    for to, system in (("csvw", "CSVW"), ("csv-schema", "CSV Schema")):
        assert f"the size of the file: {system} has none" in [
            note.message for note in exported(text, to).notes
        ]
    assert "bytes" not in resource(text.replace("= 0)", ">= 0)"), 1)
    assert "bytes" not in resource(text.replace("= 0)", "= 0) ! warning"), 1)
