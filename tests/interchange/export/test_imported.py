"""Metadata of CSVW, imported and exported: descriptions of columns, verdicts, notes, file names."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import sculpt
from made_columns import by_csvw
from sculpt.interchange.export import Exported, export
from sculpt.interchange.model import Package
from sculpt.interchange.packages import import_file, schema_of_package
from sculpt.schema import Schema

COLUMNS: list[dict[str, Any]] = [
    {
        "name": "room_id",
        "titles": "Room",
        "datatype": {"base": "integer", "minimum": "1", "maximum": "999"},
        "required": True,
    },
    {
        "name": "code",
        "titles": ["Code", "Door code"],
        "datatype": {"base": "string", "format": "^[A-Z]{2}[0-9]+$"},
        "required": True,
    },
    {"name": "remark", "titles": "Remark", "datatype": "string"},
    {
        "name": "label",
        "titles": "Label",
        "datatype": {"base": "string", "minLength": 2, "maxLength": 20},
    },
    {
        "name": "area",
        "titles": "Area",
        "datatype": {"base": "decimal", "minExclusive": "0"},
        "null": ["", "NA"],
    },
    {
        "name": "opened",
        "titles": "Opened",
        "datatype": {"base": "date", "format": "dd/MM/yyyy", "minimum": "2000-01-01"},
    },
    {
        "name": "checked",
        "titles": "Checked",
        "datatype": {"base": "date", "minimum": "2010-01-01", "maximum": "2030-12-31"},
        "required": True,
        "null": ["", "-"],
    },
    {"name": "heated", "titles": "Heated", "datatype": {"base": "boolean", "format": "Y|N"}},
    {"name": "doors", "titles": "Doors", "datatype": "integer", "separator": ";"},
]
METADATA: dict[str, Any] = {
    "@context": "http://www.w3.org/ns/csvw",
    "url": "rooms.csv",
    "tableSchema": {"columns": COLUMNS, "primaryKey": ["room_id"]},
}
ROWS = [
    ["Room", "Code", "Remark", "Label", "Area", "Opened", "Checked", "Heated", "Doors"],
    ["1", "AB12", "x", "Hall", "12.5", "27/03/2011", "2011-03-27", "Y", "1;2"],
    ["20", "CD3", "", "", "NA", "", "2012-01-01", "", ""],
    ["300", "EF1", "", "Attic", "", "01/01/2000", "2030-12-31", "N", "7"],
]
BROKEN = [
    (1, "0"),
    (1, "1000"),
    (1, "x"),
    (1, ""),
    (1, "300"),
    (2, "A1"),
    (2, ""),
    (4, "H"),
    (4, "H" * 21),
    (5, "0"),
    (5, "n/a"),
    (6, "2011-03-27"),
    (6, "31/12/1999"),
    (7, "2009-12-31"),
    (7, "2031-01-01"),
    (7, "-"),
    (8, "yes"),
    (9, "1;x"),
]


@pytest.fixture
def schema(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Schema:
    """The metadata, imported, beside its data."""
    monkeypatch.chdir(tmp_path)
    write_rows(ROWS)
    return imported("rooms.csv-metadata.json", json.dumps(METADATA))


def write_rows(rows: list[list[str]]) -> None:
    text = "".join(",".join(row) + "\n" for row in rows)
    Path("rooms.csv").write_text(text, "utf-8", newline="")


def imported(name: str, text: str) -> Schema:
    Path(name).write_text(text, "utf-8")
    return schema_of_package(import_file(name), name)


def again(result: Exported) -> Schema:
    """What was exported, imported."""
    ((name, text),) = result.files.items()
    return imported(name, text)


def own(schema: Schema) -> Schema:
    """The schema of the only table."""
    return schema.tables[0].schema if schema.tables else schema


def test_columns_come_back_as_they_were(schema: Schema) -> None:
    result = export(schema, "csvw")
    assert not result.notes
    (text,) = result.files.values()
    metadata = json.loads(text)
    assert metadata["tableSchema"]["columns"] == COLUMNS
    assert metadata["tableSchema"]["primaryKey"] == ["room_id"]
    assert metadata["url"] == "rooms.csv"
    assert metadata["dialect"] == {"commentPrefix": "#", "trim": True}


def test_names_after_columns_that_are_skipped(schema: Schema) -> None:
    text = json.dumps({**METADATA, "dialect": {"skipColumns": 1}})
    found = export(imported("rooms.csv-metadata.json", text), "csvw")
    columns = json.loads(found.files["rooms.csv-metadata.json"])["tableSchema"]["columns"]
    assert [each["name"] for each in columns] == ["col1", *(each["name"] for each in COLUMNS)]


def test_fields_of_a_data_package(schema: Schema) -> None:
    result = export(schema, "frictionless")
    (resource,) = json.loads(result.files["datapackage.json"])["resources"]
    assert "header" not in resource["dialect"]
    assert "commentRows" not in resource["dialect"]
    fields = resource["schema"]["fields"]
    assert [(each["name"], each["type"]) for each in fields] == [
        ("Room", "integer"),
        ("Code", "string"),
        ("Remark", "string"),
        ("Label", "string"),
        ("Area", "number"),
        ("Opened", "date"),
        ("Checked", "date"),
        ("Heated", "boolean"),
        ("Doors", "list"),
    ]
    constraints = [each.get("constraints") for each in fields]
    assert constraints[0] == {"required": True, "minimum": 1, "maximum": 999}
    assert constraints[3] == {"minLength": 2, "maxLength": 20}
    assert constraints[6] == {"required": True, "minimum": "2010-01-01", "maximum": "2030-12-31"}
    assert fields[4]["missingValues"] == ["", "NA"]


@pytest.mark.parametrize("to", ["csvw", "frictionless", "csv-schema"])
def test_valid_data_stays_valid_and_each_broken_cell_is_found(schema: Schema, to: str) -> None:
    schemas = [own(schema), own(again(export(schema, to)))]
    assert [sculpt.validate(each, "rooms.csv", "reference").valid for each in schemas] == [True] * 2
    for column, text in BROKEN:
        rows = [list(row) for row in ROWS]
        rows[1][column - 1] = text
        write_rows(rows)
        for each in schemas:
            found = sculpt.validate(each, "rooms.csv", "reference").violations
            assert found, (column, text)
            assert {place.column for place in found} == {column}, (column, text)


@pytest.mark.parametrize("to", ["csvw", "frictionless", "csv-schema"])
def test_no_column_is_added_or_lost(schema: Schema, to: str) -> None:
    found = own(again(export(schema, to)))
    for change in (lambda row: [*row, "x"], lambda row: row[:-1]):
        write_rows([*ROWS[:2], change(ROWS[2]), ROWS[3]])
        assert not sculpt.validate(found, "rooms.csv", "reference").valid


def test_the_packages_of_the_other_systems_agree(schema: Schema) -> None:
    from frictionless import Package as Theirs

    # The package `csvw` reads the bounds of a date with a format in that format.
    text = json.dumps(METADATA).replace(', "minimum": "2000-01-01"', "")
    schema = imported("rooms.csv-metadata.json", text)
    for to in ("csvw", "frictionless"):
        for name, text in export(schema, to).files.items():
            Path(name).write_text(text, "utf-8")
    (metadata,) = export(schema, "csvw").files
    assert Theirs("datapackage.json").validate().valid
    assert by_csvw(Path(metadata))
    write_rows([ROWS[0], ["0", *ROWS[1][1:]]])
    assert not Theirs("datapackage.json").validate().valid
    assert not by_csvw(Path(metadata))


def test_columns_that_are_only_counted_are_none() -> None:
    head = "row(1) -> a, b\nnot row(1) and col(1) -> Integer\n"
    for rule in (
        "right+(col(2)) -> ()",
        "right+(col(2)) -> Any*",
        "(col(2) or right+(col(2))) and not row(1) -> Any",
    ):
        result = export(Schema.parse(f"{head}{rule}\n", name="t.sculpt"), "csv-schema")
        assert not result.notes
        assert "@totalColumns 2" in result.files["t.csvs"]
    more = export(Schema.parse(f"{head}right+(col(2)) -> Integer*\n", name="t.sculpt"), "csvw")
    assert len(more.notes) == 1


def test_a_note_about_blank_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    package = import_file_of({"fields": [{"name": "b"}]})
    (note,) = export(schema_of_package(package, "p.json"), "csv-schema").notes
    assert note.message == "that a row has a value is left out: blank rows cannot be forbidden"


def test_notes_name_what_was_imported(schema: Schema) -> None:
    here = {"resource": "rooms.csv", "columnReference": "room_id"}
    linked = {
        **METADATA["tableSchema"],
        "foreignKeys": [{"columnReference": "doors", "reference": here}],
    }
    found = imported("rooms.csv-metadata.json", json.dumps({**METADATA, "tableSchema": linked}))
    note = next(each for each in export(found, "csv-schema").notes if "one table" in each.message)
    assert note.message == "foreign key doors is left out: CSV Schema is about one table"
    assert str(note.place) == "rooms.csv-metadata.json, /tableSchema/foreignKeys/0"


def test_the_name_of_metadata_is_where_it_is_looked_for(schema: Schema) -> None:
    assert list(export(schema, "csvw").files) == ["rooms.csv-metadata.json"]
    plain = Schema.parse("row(1) -> a\n", name="halls.sculpt")
    assert list(export(plain, "csvw").files) == ["halls.csv-metadata.json"]
    for data in ("data/my rooms.tsv", "http://example.org/data/my%20rooms.tsv?x=1"):
        assert list(export(plain, "csvw", data=data).files) == ["my rooms.tsv-metadata.json"]
    both = [{"url": "rooms.csv"}, {"url": "halls.csv"}]
    group = json.dumps({"@context": METADATA["@context"], "tables": both})
    for name in ("house.csv-metadata.json", "csv-metadata.json"):
        assert list(export(imported(name, group), "csvw").files) == [name]


def test_metadata_is_found_beside_its_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from sculpt.csvw import validate

    monkeypatch.chdir(tmp_path)
    text = "row(1) -> Room, Beds\nbeds := Integer >= 1\ncol(2) and not row(1) -> beds\n"
    ((name, metadata),) = export(Schema.parse(text, name="rooms.sculpt"), "csvw").files.items()
    Path(name).write_text(metadata, "utf-8")
    for beds, is_valid in (("2", True), ("0", False)):
        Path("rooms.csv").write_text(f"Room,Beds\nx,{beds}\n", "utf-8")
        assert validate("rooms.csv").valid is is_valid


def test_words_of_importers_do_not_come_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    fields = [{"name": "code", "title": "Door code"}, {"name": "beds", "type": "integer"}]
    resource = {"name": "rooms", "path": "rooms.csv", "title": "All", "schema": {"fields": fields}}
    package = import_file_of({"resources": [resource]})
    (table,) = package.tables
    assert "% Field beds." in table.text
    assert "% The resource rooms: All" in table.text
    for schema in (schema_of_package(package, "p.json"), Schema.parse(table.text, name="t.sculpt")):
        found = json.loads(export(schema, "frictionless").files["datapackage.json"])
        assert found["description"] == "All"
        columns = found["resources"][0]["schema"]["fields"]
        assert [each.get("description") for each in columns] == ["Door code", None]


def import_file_of(descriptor: dict[str, Any]) -> Package:
    Path("p.json").write_text(json.dumps(descriptor), "utf-8")
    return import_file("p.json", "frictionless")


@pytest.mark.parametrize(
    "head",
    ["rooms.csv, as rooms.csv-metadata.json describes it.", "rooms.csvs, CSV Schema 1.1."],
)
def test_heads_of_importers(head: str) -> None:
    text = "\n\nrow(1) -> a\n"
    for comment, kept in ((head, ""), (f"Rooms. {head} Not quite.", f"Rooms. {head} Not quite.")):
        schema = Schema.parse(f"% {comment}{text}", name="t.sculpt")
        found = json.loads(export(schema, "csvw").files["t.csv-metadata.json"])
        assert found.get("dc:description", "") == kept


@pytest.mark.parametrize("target", ["csvw", "frictionless"])
def test_rows_that_are_skipped_do_not_hide_columns(
    target: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Metadata that skips blank rows says so of each column; exported, it is one word."""
    monkeypatch.chdir(tmp_path)
    text = json.dumps({**METADATA, "dialect": {"skipBlankRows": True}})
    found = export(imported("rooms.csv-metadata.json", text), target)
    plain = export(imported("rooms.csv-metadata.json", json.dumps(METADATA)), target)
    assert [each.message for each in found.notes] == [each.message for each in plain.notes]
    ((_, ours),), ((_, theirs),) = found.files.items(), plain.files.items()
    assert '"skipBlankRows": true' in ours
    assert columns_of(json.loads(ours)) == columns_of(json.loads(theirs))


def columns_of(exported: dict[str, Any]) -> Any:
    if "resources" in exported:
        return exported["resources"][0]["schema"]
    return exported["tableSchema"]
