"""Schemas of other systems from the command line: import, export, convert, and the others."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from executed_docs import Outcome, run_command

import sculpt

PACKAGE: dict[str, Any] = {
    "resources": [
        {
            "name": "boats",
            "path": "boats.csv",
            "schema": {
                "fields": [
                    {"name": "hull", "type": "integer", "constraints": {"minimum": 10}},
                    {"name": "port", "type": "string"},
                ],
                "primaryKey": "hull",
                "foreignKeys": [
                    {"fields": "port", "reference": {"resource": "ports", "fields": "code"}}
                ],
            },
        },
        {
            "name": "ports",
            "path": "ports.csv",
            "schema": {"fields": [{"name": "code", "type": "string"}], "primaryKey": "code"},
        },
    ]
}
CSVW: dict[str, Any] = {
    "@context": "http://www.w3.org/ns/csvw",
    "url": "boats.csv",
    "tableSchema": {
        "columns": [
            {"titles": "hull", "name": "hull", "datatype": {"base": "integer", "minimum": 10}},
            {"titles": "port", "name": "port"},
        ],
        "aboutUrl": "#{hull}",
    },
}
CSVS = "version 1.1\n@totalColumns 2\nhull: range(10,*) unique\nport: notEmpty\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write("datapackage.json", PACKAGE)
    write("boats.csv-metadata.json", CSVW)
    Path("boats.csvs").write_text(CSVS)
    Path("boats.csv").write_text("hull,port\n11,A\n12,B\n")
    Path("bad.csv").write_text("hull,port\n9,A\n")
    Path("ports.csv").write_text("code\nA\nB\n")


def write(name: str, value: Mapping[str, Any]) -> None:
    Path(name).write_text(json.dumps(value, indent=1))


def run(*arguments: str, stdin: bytes = b"", status: int = 0) -> Outcome:
    outcome = run_command(list(arguments), stdin)
    assert "Traceback" not in outcome.output + outcome.errors
    assert outcome.status == status, outcome.output + outcome.errors
    return outcome


def said(outcome: Outcome) -> str:
    return outcome.output + outcome.errors


# ------------------------------------------------------------- no import step


def test_a_package_is_validated_by_one_command() -> None:
    assert "2 inputs: 2 valid" in run("validate", "datapackage.json").output
    Path("boats.csv").write_text("hull,port\n9,A\n12,X\n12,B\n")
    found = run("validate", "datapackage.json", status=1).output
    pointer = "/resources/0/schema/fields/0/constraints/minimum"
    assert f"(datapackage.json, {pointer})" in found
    assert "(datapackage.json, /resources/0/schema/primaryKey)" in found
    assert "(datapackage.json, /resources/0/schema/foreignKeys/0)" in found


def test_each_kind_gives_a_verdict_in_its_own_words() -> None:
    found = run("validate", "boats.csv-metadata.json", status=0)
    assert "boats.csv [boats]: valid" in found.output.lower()
    words = 'column "hull", datatype minimum 10 (boats.csv-metadata.json'
    assert words in run("validate", "boats.csv-metadata.json", "bad.csv", status=1).output
    assert run("validate", "boats.csvs", "boats.csv").output.startswith("boats.csv: valid")
    assert "range(10,*) (boats.csvs:3)" in run("validate", "boats.csvs", "bad.csv", status=1).output


@pytest.mark.parametrize("engine", ["local", "reference"])
@pytest.mark.parametrize("output", ["json", "jsonl", "sarif", "junit", "csv", "frictionless"])
def test_reports_for_machines_name_the_construct(engine: str, output: str) -> None:
    call = ("validate", "boats.csvs", "bad.csv", "--engine", engine, "-f", output)
    assert "range(10,*)" in run(*call, status=1).output


def test_data_chooses_its_table() -> None:
    Path("elsewhere").mkdir()
    Path("elsewhere/ports.csv").write_text("code\nA\nA\n")
    found = run("validate", "datapackage.json", "elsewhere/ports.csv", status=1)
    assert "elsewhere/ports.csv: not valid" in found.output
    wrong = run("validate", "datapackage.json", "bad.csv", status=2).errors
    assert "describes 2 tables (`boats`, `ports`)" in wrong
    assert "--table boats=PATH" in wrong


def test_references_are_checked_whose_data_is_named() -> None:
    Path("boats.csv").write_text("hull,port\n11,A\n12,X\n")
    pointer = "(datapackage.json, /resources/0/schema/foreignKeys/0)"
    for engine in ("local", "reference"):
        found = run("validate", "datapackage.json", "boats.csv", "--engine", engine, status=1)
        assert found.output.startswith("boats.csv: not valid (3 rows × 2 columns, 1 violation)")
        assert pointer in found.output
        assert "ports.csv [ports]: valid" in found.output
    assert "boats.csv [boats]: not" in said(
        run("validate", "datapackage.json", "ports.csv", status=1)
    )
    assert "! violation" in run("show", "datapackage.json", "boats.csv").output
    run("validate", "datapackage.json", "boats.csv", "--table", "ports=boats.csv", status=1)
    verdict = sculpt.validate("datapackage.json", "boats.csv")
    assert [(each.code, each.row, each.column) for each in verdict.violations] == [
        ("reference-none", 3, 2)
    ]
    schema = sculpt.load("datapackage.json")
    assert not sculpt.validate(schema, "boats.csv").valid
    assert sculpt.validate(schema, "ports.csv").valid
    with sculpt.view(schema, "boats.csv") as view:
        assert not view.verdict.valid


def test_only_the_tables_that_references_need_are_read() -> None:
    third = {**PACKAGE["resources"][1], "name": "piers", "path": "piers.csv"}
    write("datapackage.json", {"resources": [*PACKAGE["resources"], third]})
    assert "2 inputs" in run("validate", "datapackage.json", "boats.csv").output
    Path("piers.csv").write_text("code\nA\n")
    assert run("validate", "datapackage.json", "piers.csv").output.startswith("piers.csv: valid")


def test_a_reference_within_a_table_stays_within_the_file() -> None:
    package = json.loads(json.dumps(PACKAGE))
    key = {"fields": "port", "reference": {"resource": "", "fields": "hull"}}
    package["resources"][0]["schema"]["foreignKeys"].append(key)
    write("datapackage.json", package)
    found = run("validate", "datapackage.json", "boats.csv", "-f", "frictionless", status=1)
    (boats, _) = json.loads(found.output.removesuffix(found.errors))["tasks"]
    assert [each["referenceName"] for each in boats["errors"]] == ["", ""]


def test_the_file_decides_before_its_name() -> None:
    for folder, text in (("x", "code\nA\n"), ("y", "other\nA\n")):
        Path(folder).mkdir()
        Path(folder, "t.csv").write_text(text)
    ports = PACKAGE["resources"][1]
    other = {"fields": [{"name": "other", "type": "string"}]}
    tables = [
        {**ports, "name": "one", "path": "x/t.csv"},
        {**ports, "name": "two", "path": "y/t.csv", "schema": other},
    ]
    write("datapackage.json", {"resources": tables})
    assert run("validate", "datapackage.json", "x/t.csv").output.startswith("x/t.csv: valid")
    assert run("validate", "datapackage.json", "./y/t.csv").output.startswith("./y/t.csv: valid")
    Path("t.csv").write_text("code\nA\n")
    run("validate", "datapackage.json", "t.csv", status=2)


@pytest.mark.parametrize(
    "call",
    [
        ("check", "datapackage.json"),
        ("explain", "boats.csvs"),
        ("show", "boats.csvs", "boats.csv"),
        ("why", "boats.csvs", "boats.csv", "2,1"),
        ("select", "boats.csvs", "boats.csv", "row(2)"),
        ("extract", "boats.csvs", "boats.csv", "row(2)"),
    ],
    ids=lambda call: call[0],
)
def test_every_command_takes_them(call: tuple[str, ...]) -> None:
    run(*call)


def test_a_schema_without_programs_is_said_to_have_none() -> None:
    for name in ("datapackage.json", "boats.csvs"):
        assert f"{name}: has no program to run" in run("run", name, status=2).errors


def test_a_schema_that_is_shown_alone_shows_its_only_table() -> None:
    assert run("show", "boats.csv-metadata.json").output.startswith("boats.csv: valid")
    wrong = run("show", "datapackage.json", status=2).errors
    assert "datapackage.json: describes 2 tables (`boats`, `ports`)" in wrong
    assert "`sculpt show datapackage.json boats.csv`" in wrong
    assert (
        "boats.csvs: is a schema; name the data after it"
        in run("show", "boats.csvs", status=2).errors
    )
    write("datapackage.json", {"resources": [{"name": "boats"}]})
    assert "a resource has a `path` or `data`" in run("show", "datapackage.json", status=2).errors
    Path("lines.json").write_text('{"a": 1}\n{"a": 2}\n')
    assert run("show", "lines.json").output.startswith("lines.json")


def test_standard_input_may_be_one() -> None:
    run("validate", "-", "boats.csv", stdin=CSVS.encode())
    run("validate", "-", stdin=json.dumps(PACKAGE).encode())
    assert "hull" in run("import", "-", stdin=CSVS.encode()).output


def test_python_takes_them() -> None:
    schema = sculpt.load("datapackage.json")
    assert [table.name for table in schema.tables] == ["boats", "ports"]
    assert schema.notes == ()
    assert sculpt.validate_all("datapackage.json").valid
    verdict = sculpt.validate("boats.csvs", "bad.csv")
    assert [each.row for each in verdict.violations] == [2]
    assert sculpt.load("boats.csvs").origins["rule:1"].place.file == "boats.csvs"


def test_data_in_a_descriptor_stops_no_other_table() -> None:
    package = json.loads(json.dumps(PACKAGE))
    del (inline := package["resources"][1])["path"]
    inline["data"] = [{"code": "A"}]
    write("datapackage.json", package)
    found = run("validate", "datapackage.json")
    assert "boats.csv [boats]: valid" in found.output
    assert "data in the descriptor is not read (datapackage.json, /resources/1/data)" in said(found)
    assert "`ports` is left out, so references to it are not checked" in said(found)
    write("datapackage.json", {"resources": [inline, {**inline, "name": "piers"}]})
    told = "the table `ports` has no data: datapackage.json names none; call with `--table ports="
    assert told in run("validate", "datapackage.json", status=2).errors
    write("datapackage.json", {"resources": [inline]})
    run("validate", "datapackage.json", "ports.csv")


# ------------------------------------------------------------- import


def test_what_a_package_leaves_out_is_a_comment_of_the_whole() -> None:
    package = json.loads(json.dumps(PACKAGE))
    package["resources"].append({"name": "sheet", "path": "boats.xlsx"})
    write("datapackage.json", package)
    run("import", "datapackage.json", "-o", "out")
    text = Path("out/datapackage.sculpt").read_text()
    assert "% Not taken over: the resource is not a table of text: its format is `xlsx`" in text
    assert "boats(port" in text  # the references come after it
    run("fmt", "--check", *map(str, Path("out").iterdir()))
    assert "no errors, no warnings" in run("check", "out/datapackage.sculpt").output
    run("validate", "out/datapackage.sculpt")


def test_what_only_conversion_needs_is_told_by_import_alone() -> None:
    name = "boats.csv-metadata.json"
    told = "what only conversion needs: `aboutUrl` (/tableSchema/aboutUrl)"
    assert told in run("import", name, "-o", "out").errors
    assert f"% Not taken over: {told}" in Path("out/Boats.sculpt").read_text()
    assert "1 thing cannot be taken over" in run("import", name, "--strict", status=2).errors
    assert told not in said(run("validate", name))
    assert run("check", name).output == f"{name}: no errors, no warnings\n"
    assert sculpt.load(name).notes == ()


def test_imported_files_say_the_same() -> None:
    found = run("import", "datapackage.json", "-o", "out")
    assert sorted(Path("out").iterdir()) == [
        Path("out/boats.sculpt"),
        Path("out/datapackage.sculpt"),
        Path("out/ports.sculpt"),
    ]
    assert "out/boats.sculpt: written" in found.errors
    checked = run("check", *map(str, Path("out").iterdir())).output
    assert checked.count("no errors, no warnings") == 3
    run("fmt", "--check", *map(str, Path("out").iterdir()))
    run("validate", "out/datapackage.sculpt")
    Path("boats.csv").write_text("hull,port\n9,Q\n")
    direct = json.loads(run("validate", "datapackage.json", "-f", "json", status=1).output)
    by_file = json.loads(run("validate", "out/datapackage.sculpt", "-f", "json", status=1).output)
    assert [place(each) for each in direct["files"]] == [place(each) for each in by_file["files"]]


def place(file: dict[str, Any]) -> list[tuple[str, int, int]]:
    return [(each["code"], each["row"], each["column"]) for each in file["violations"]]


def test_nothing_is_replaced() -> None:
    run("import", "boats.csvs", "-o", "boats.sculpt")
    run("import", "boats.csvs", "-o", "boats.sculpt")  # the same text: nothing would be lost
    Path("boats.sculpt").write_text("% edited\n")
    wrong = run("import", "boats.csvs", "-o", "boats.sculpt", status=2)
    assert "boats.sculpt: is there already" in wrong.errors
    assert Path("boats.sculpt").read_text() == "% edited\n"


def test_a_note_has_the_column_of_what_it_is_about() -> None:
    Path("boats.csvs").write_text('version 1.1\n@totalColumns 1\nhull: regex("(a)\\1")\n')
    assert "(boats.csvs:3:7)" in run("import", "boats.csvs").errors


def test_a_condition_is_named_as_it_was_written() -> None:
    Path("boats.csvs").write_text('version 1.1\n@totalColumns 2\nhull:\nport: fileExists("p")\n')
    found = run("validate", "boats.csvs", "boats.csv", "--files", ".", status=1).output
    assert '`fileExists("p")` does not hold: `p/A` is not a file' in found
    run("import", "boats.csvs", "-o", "own.sculpt")
    found = run("validate", "own.sculpt", "boats.csv", "--files", ".", status=1).output
    said = found.partition("(`")[2].partition("` does not hold")[0]
    assert said.startswith("is-file(")
    assert len(said) == 120
    assert said.endswith("…")


def test_what_is_not_taken_over_is_said_and_strict_fails() -> None:
    package = json.loads(json.dumps(PACKAGE))
    package["resources"][0]["schema"]["fields"][1]["constraints"] = {"pattern": "(?=A).*"}
    write("datapackage.json", package)
    pointer = "/resources/0/schema/fields/1/constraints/pattern"
    found = run("import", "datapackage.json")
    assert f"(datapackage.json, {pointer})" in found.errors
    assert "warning [not-taken-over]" in found.errors
    assert "% Not taken over" in found.output
    assert pointer in run("validate", "datapackage.json").errors
    strict = run("import", "datapackage.json", "-o", "out", "--strict", status=2)
    assert "1 thing cannot be taken over" in strict.errors
    assert not Path("out").exists()


def test_errors_of_all_sources_come_at_once() -> None:
    Path("a.json").write_text('{"resources": [')
    Path("b.csvs").write_text("version 1.1\n@totalColumns x\n")
    Path("c.xml").write_text("<?xml version='1.0'?><a><b></a>")
    found = run("import", "a.json", "b.csvs", "c.xml", status=2).errors
    assert "a.json:1:16: error [foreign-syntax]" in found
    assert "b.csvs:2:" in found
    assert "c.xml:1:" in found


def test_the_kind_is_by_content_and_may_be_named() -> None:
    Path("odd.txt").write_text(CSVS)
    assert "hull" in run("import", "odd.txt").output
    wrong = run("import", "odd.txt", "--from", "csvw", status=2).errors
    assert "this is not JSON" in wrong
    Path("plain.sculpt").write_text("row(1) -> a\n")
    assert "is not a schema of another system" in run("import", "plain.sculpt", status=2).errors
    Path("other.json").write_text('{"a": 1}')
    assert "no schema that can be read" in run("validate", "other.json", status=2).errors


# ------------------------------------------------------------- export


def test_a_package_goes_out_and_comes_back() -> None:
    run("import", "datapackage.json", "-o", "out")
    run("export", "out/datapackage.sculpt", "--to", "frictionless", "-o", "back", "--strict")
    package = json.loads(Path("back/datapackage.json").read_text())
    assert [each["name"] for each in package["resources"]] == ["boats", "ports"]
    fields = package["resources"][0]["schema"]["fields"]
    assert fields[0]["type"] == "integer"
    assert fields[0]["constraints"]["minimum"] == 10


def test_what_has_no_counterpart_is_named() -> None:
    Path("s.sculpt").write_text("row(1) -> a, b\ncol(1) and not row(1) => x+, y\n")
    found = run("export", "s.sculpt", "--to", "csvw", "-o", "s.json")
    assert "(s.sculpt:2)" in found.errors
    assert json.loads(Path("s.json").read_text())["tableSchema"]["columns"]
    run("export", "s.sculpt", "--to", "csvw", "--strict", "-o", "t.json", status=2)
    assert not Path("t.json").exists()
    assert "`--to` is missing" in run("export", "s.sculpt", status=2).errors


def test_paths_of_data_are_seen_from_where_the_export_is_written() -> None:
    for out, path in (("back", "../boats.csv"), ("deep/er/p.json", "../../boats.csv")):
        run("export", "datapackage.json", "--to", "frictionless", "-o", out)
        written = Path(out) / "datapackage.json" if out == "back" else Path(out)
        assert json.loads(written.read_text())["resources"][0]["path"] == path
        run("validate", str(written), "--allow-outside")
    found = run("export", "datapackage.json", "--to", "frictionless")
    assert json.loads(found.output)["resources"][0]["path"] == "boats.csv"


def test_several_files_need_a_directory() -> None:
    found = run("export", "datapackage.json", "--to", "csv-schema", status=2)
    assert "several files (`boats.csvs`, `ports.csvs`): write them with `-o DIR`" in found.errors
    run("export", "datapackage.json", "--to", "csv-schema", "-o", "back")
    run("check", "back/ports.csvs")


def test_a_table_without_columns_is_no_csv_schema() -> None:
    Path("s.sculpt").write_text("not exists(down) -> Text*\n")
    found = run("export", "s.sculpt", "--to", "csv-schema", status=2)
    assert "no rule of `s` says which there are" in found.errors


# ------------------------------------------------------------- CSVW


def test_metadata_beside_a_file_is_found() -> None:
    assert "valid" in run("validate", "--discover", "boats.csv").output
    Path("boats.csv").write_text("hull,port\n9,A\n")
    found = run("validate", "--discover", "boats.csv", status=1).output
    assert found.startswith("boats.csv")
    assert "datatype minimum 10" in found
    write(
        "other.json", {**CSVW, "tableSchema": {"columns": [{"titles": "hull"}, {"titles": "port"}]}}
    )
    run("validate", "--discover", "boats.csv", "--metadata", "other.json")
    assert "takes one file" in run("validate", "--discover", "a.csv", "b.csv", status=2).errors
    run("validate", "--discover", "absent.csv", status=3)


def test_without_metadata_nothing_is_called_valid() -> None:
    wrong = run("validate", "--discover", "ports.csv", status=2).errors
    assert "no metadata was found for ports.csv" in wrong
    assert "at ports.csv-metadata.json and csv-metadata.json;" in wrong
    write("csv-metadata.json", CSVW)
    wrong = run("validate", "--discover", "ports.csv", status=2).errors
    assert "ports.csv, so it is ignored" in wrong
    assert "no metadata was found for ports.csv" in wrong
    run("convert", "ports.csv", "--to", "json")


@pytest.mark.parametrize("call", [("validate",), ("convert", "--to", "json")])
def test_no_other_file_is_reported_on_than_the_one_that_is_named(call: tuple[str, ...]) -> None:
    found = run(*call, "bad.csv", "--metadata", "boats.csv-metadata.json", status=2)
    assert "boats.csv-metadata.json describes boats.csv, not bad.csv" in found.errors
    del (nameless := dict(CSVW))["url"]
    write("any.json", nameless)
    status = 1 if call == ("validate",) else 0
    assert "9" in run(*call, "bad.csv", "--metadata", "any.json", status=status).output


def test_conversions_are_one_document() -> None:
    found = json.loads(run("convert", "boats.csv", "--to", "json", "--minimal").output)
    assert [each["hull"] for each in found] == [11, 12]
    run("convert", "boats.csv-metadata.json", "--to", "ntriples", "-o", "boats.nt")
    assert Path("boats.nt").read_text().count("csvw#rownum") == 2
    assert "@prefix" in run("convert", "boats.csv", "--to", "turtle").output
    assert "`--to` is missing" in run("convert", "boats.csv", status=2).errors
    Path("bad.json").write_text('{"@context": "http://www.w3.org/ns/csvw", "url": 5}')
    run("convert", "bad.json", "--to", "json", status=2)


# ------------------------------------------------------------- what may be read


@pytest.mark.parametrize("path", ["../boats.csv", "/etc/passwd", "file:///etc/passwd"])
def test_no_data_outside_the_folder_is_read(path: str) -> None:
    write("datapackage.json", {"resources": [{**PACKAGE["resources"][1], "path": path}]})
    wrong = run("validate", "datapackage.json", status=2).errors
    assert "outside the folder of the schema" in wrong


def test_all_references_that_lead_outside_are_named() -> None:
    paths = [{**each, "path": f"../{each['path']}"} for each in PACKAGE["resources"]]
    write("datapackage.json", {"resources": paths})
    wrong = run("check", "datapackage.json", status=2).errors
    assert "2 references cannot be followed" in wrong
    assert "`../boats.csv` is outside" in wrong
    assert "`../ports.csv` is outside" in wrong


def test_data_that_is_absent_is_named_with_what_refers_to_it() -> None:
    Path("ports.csv").unlink()
    found = run("validate", "datapackage.json", status=3)
    assert "ports.csv" in said(found)
    assert "no such file" in said(found)


MAPPING = """\
@prefix rml: <http://w3id.org/rml/> .
@prefix ex: <http://example.org/> .
<#Boat> rml:logicalSource [ rml:source "gone.csv"; rml:referenceFormulation rml:CSV ];
  rml:subjectMap [ rml:template "http://example.org/{id}"; rml:class ex:Boat ];
  rml:predicateObjectMap [ rml:predicate ex:at; rml:objectMap [ rml:parentTriplesMap <#Port>;
    rml:joinCondition [ rml:child "port"; rml:parent "code" ] ] ] .
<#Port> rml:logicalSource [ rml:source "lost.csv"; rml:referenceFormulation rml:CSV ];
  rml:subjectMap [ rml:template "http://example.org/{code}"; rml:class ex:Port ] .
"""


@pytest.mark.parametrize("engine", ["local", "reference"])
def test_a_run_names_all_data_that_is_absent_with_what_refers_to_it(engine: str) -> None:
    """A file that two tables need is named once."""
    Path("m.ttl").write_text(MAPPING, encoding="utf-8")
    why = "cannot be read: no such file or directory"
    boat = f"gone.csv: {why}; the table `gone` needs it: see m.ttl"
    port = f"lost.csv: {why}; the table `lost` needs it: see m.ttl"
    found = run("run", "m.ttl", "--engine", engine, status=3)
    assert found.errors == f"error: 2 files cannot be read:\n  {boat}\n  {port}\n"
    Path("gone.csv").write_text("id,port\n1,x\n", encoding="utf-8")
    assert run("run", "m.ttl", "--engine", engine, status=3).errors == f"error: {port}\n"
    Path("gone.csv").unlink()
    Path("lost.csv").write_text("code\nx\n", encoding="utf-8")
    assert run("run", "m.ttl", "--engine", engine, status=3).errors == f"error: {boat}\n"


def test_nothing_is_fetched_without_permission() -> None:
    package = {"resources": [{**PACKAGE["resources"][1], "path": "http://127.0.0.1:9/p.csv"}]}
    write("datapackage.json", package)
    assert "--allow-http" in said(run("validate", "datapackage.json", status=2))
    run("validate", "datapackage.json", "--allow-http", status=3)


def test_swapped_arguments_are_noticed() -> None:
    found = run("validate", "boats.csv", "boats.csvs", status=2).errors
    assert "The schema comes first" in found


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: notEmpty\nb: is(1)\n", "this looks like CSV Schema, but does not begin with `version"),
        ("@totalColumns 1\na:\n", "this looks like CSV Schema, but does not begin with `version"),
        ("// of us\nVersion 1.1\na:\n", "this looks like CSV Schema, but does not begin with"),
        (
            '[\n {"name": "a",\n  "type": "b"}\n]\n',
            "this JSON is no schema that can be read: it is",
        ),
        (
            '// of us\n{"fields": []}\n',
            "this looks like JSON after a comment, and JSON has no comm",
        ),
    ],
)
def test_files_that_look_like_a_schema_of_another_system(text: str, message: str) -> None:
    """One error says what is missing, and not that each line is no statement."""
    Path("a.txt").write_text(text)
    for call in (["check", "a.txt"], ["validate", "a.txt", "boats.csv"]):
        found = run_command(call)
        assert found.status == 2
        said = found.output + found.errors
        assert f"a.txt:1:1: error [foreign-syntax]: {message}" in said
        assert "a.txt: 1 error" in said


def test_a_schema_may_resemble_another_system() -> None:
    """If its beginning is a statement, what is wrong further down is said."""
    Path("a.txt").write_text("version 1 = x\n% b\nnot a statement\n")
    assert "a.txt:3:1: error [not-a-statement]" in run("check", "a.txt", status=2).output


def test_the_data_of_a_package_with_one_table_need_not_be_named() -> None:
    assert sculpt.validate("boats.csv-metadata.json").valid
    with pytest.raises(sculpt.UsageError, match=r"has 2 tables: use `sculpt\.validate_all`"):
        sculpt.validate("datapackage.json")
    Path("own.sculpt").write_text("col(1) -> Any\n")
    for name in ("boats.csvs", "own.sculpt"):
        with pytest.raises(sculpt.UsageError, match="does not say where its data is: name a file"):
            sculpt.validate(name)
