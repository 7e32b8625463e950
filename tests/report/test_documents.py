"""JSON, JSON lines and CSV: what is read back is what was found, in the documented shape."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sculpt
from conftest import ROOT
from reported import HOSTILE, quoted_csv, reported
from sculpt.report.formats.checks import Report
from sculpt.report.formats.delimited import COLUMNS
from sculpt.report.formats.documents import json_text
from sculpt.report.formats.table import FORMATS, diagnostic_lines, implied_format, report_lines
from sculpt.report.json import printable
from sculpt.verdict import Unread, Violation

SHAPES: dict[str, Any] = json.loads((ROOT / "docs/report.schema.json").read_text(encoding="utf-8"))
PAGE = (ROOT / "docs/machines.md").read_text(encoding="utf-8")
FILES: dict[str, bytes | None] = {
    "good.csv": b"name,age\nAda,36\n",
    "bad.csv": b"name,age\nAda,x\nBob\nname,\xff\n",
    "hostile.csv": quoted_csv(HOSTILE),
    "missing.csv": None,
    "empty.csv": b"",
    "open.csv": b'name,age\n"Ada,36\n',
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def report() -> Report:
    return reported(FILES)


def text_of(name: str, report: Report) -> str:
    return "".join(f"{line}\n" for line in report_lines(name, report))


def check_shape(value: Any, shape: str) -> None:
    schema = {**SHAPES, "oneOf": [{"$ref": f"#/$defs/{shape}"}]}
    jsonschema.Draft202012Validator(schema).validate(value)


def violations_of(report: Report) -> list[tuple[str, Violation]]:
    read = [each for each in report.run.outcomes if not isinstance(each, Unread)]
    return [(verdict.path, each) for verdict in read for each in verdict.violations]


# ------------------------------------------------------------- the documented shape


def test_json_has_the_documented_shape(report: Report) -> None:
    document = json.loads(text_of("json", report))
    check_shape(document, "report")
    assert [each["path"] for each in document["files"]] == list(FILES)
    assert [each["valid"] for each in document["files"]] == [True, False, False, False, True, False]
    assert "error" in document["files"][3]
    found = violations_of(report)
    assert sum(len(each["violations"]) for each in document["files"]) == len(found) > 20


def test_json_lines_have_the_documented_shape(report: Report) -> None:
    lines = [json.loads(line) for line in text_of("jsonl", report).splitlines()]
    for line in lines:
        check_shape(line, "line")
    files = [line["file"] for line in lines if line["type"] == "file"]
    assert files == list(FILES)
    violations = [line for line in lines if line["type"] == "violation"]
    assert [line["file"] for line in violations] == [path for path, _ in violations_of(report)]
    for line in lines:
        if line["type"] == "file":
            own = [each for each in violations if each["file"] == line["file"]]
            assert line["violation_count"] == len(own)


def test_the_shape_notices_what_is_wrong(report: Report) -> None:
    document = json.loads(text_of("json", report))
    document["files"][1]["violations"][0]["row"] = "3"
    with pytest.raises(jsonschema.ValidationError):
        check_shape(document, "report")


def test_diagnostics_have_the_documented_shape() -> None:
    with pytest.raises(sculpt.SchemaError) as error:
        sculpt.Schema.parse("row(1 -> a\nx\n")
    found = error.value.diagnostics
    (text,) = diagnostic_lines("json", "s", found, 2) or ()
    check_shape(json.loads(text), "diagnostics")
    lines = [json.loads(line) for line in diagnostic_lines("jsonl", "s", found, 2) or ()]
    assert len(lines) == 2
    for line in lines:
        check_shape(line, "line")


def test_the_page_and_the_schema_name_the_same_keys() -> None:
    table = PAGE.partition("## JSON\n")[2].partition("\n## ")[0]
    found: dict[str, set[str]] = {}
    name = ""
    for line in table.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("|") and cells[0] != "object" and set(cells[0]) != {"-"}:
            name = cells[0] or name
            found.setdefault(name, set()).update(re.findall(r"`(\w+)`", cells[1]))
    shapes = {
        name: set(shape["properties"])
        for name, shape in SHAPES["$defs"].items()
        if "properties" in shape and name != "line"
    }
    assert found == shapes


def test_the_page_names_every_format() -> None:
    table = PAGE.partition("\n## ")[0]
    for name, each in FORMATS.items():
        row = next(line for line in table.splitlines() if line.startswith(f"| `{name}` |"))
        assert (f"`{each.extension}`" in row) == bool(each.extension)
        assert implied_format(f"a/b.C{each.extension.upper()}") == (
            name if each.extension else None
        )


# ------------------------------------------------------------- what is read back


def test_texts_of_json_are_read_back(report: Report) -> None:
    document = json.loads(text_of("json", report))
    found = [each for file in document["files"] for each in file["violations"]]
    for (_, violation), each in zip(violations_of(report), found, strict=True):
        expected = None if violation.found is None else printable(violation.found)
        assert each["found"] == expected
        assert each["message"] == violation.message


def test_csv_is_read_back(report: Report) -> None:
    text = text_of("csv", report)
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    assert tuple(rows[0]) == COLUMNS
    found = violations_of(report)
    assert {each for each in HOSTILE if each.strip()} <= {row["found"] for row in rows}
    for (path, violation), row in zip(found, rows, strict=True):
        assert row["file"] == path
        assert row["found"] == printable(violation.found or "")
        assert json.loads(row["expected"]) == list(violation.expected)
        assert row["message"] == violation.message
        numbers = (violation.rule, violation.line, violation.row, violation.column)
        for name, number in zip(("rule", "line", "row", "column"), numbers, strict=True):
            assert row[name] == ("" if number is None else str(number))


def test_csv_tells_a_missing_value_from_an_empty_text() -> None:
    report = reported({"a.csv": b"a,b\n,\n"}, "row(2) -> x, x\ncol(3) -> x\nrow(1) -> a, b, c\n")
    lines = text_of("csv", report).splitlines()
    assert [violation.found for _, violation in violations_of(report)] == [None, ""]
    fields = [line.split(",") for line in lines[1:]]
    assert [field[7] for field in fields] == ["", '""']


def test_ten_thousand_violations_are_all_counted() -> None:
    data = b"name,age\n" + b"Ada,x\n" * 10_000
    report = reported({"a.csv": data})
    (line,) = [x for x in text_of("jsonl", report).splitlines() if '"type":"file"' in x]
    facts = json.loads(line)
    assert facts["violation_count"] == 10_000
    tallies = {each["rule"]: each for each in facts["rules"]}
    assert (tallies[2]["checked"], tallies[2]["failed"]) == (10_000, 10_000)
    assert len(text_of("csv", report).splitlines()) == 1 + 1000


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(values, st.sampled_from([None, 2]))
def test_json_is_safe_to_print_and_reads_back(value: Any, indent: int | None) -> None:
    text = json_text(value, indent)
    assert json.loads(text) == value
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e\u2066\u2028]", text)
    if indent is None:
        assert "\n" not in text
