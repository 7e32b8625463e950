"""Reports in the shape of Frictionless: its own package reads them, and knows their errors."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from frictionless import Report as TheirReport
from frictionless import system, validate

from reported import HOSTILE, quoted_csv, reported
from sculpt.diagnostics import Source
from sculpt.origins import Origin, Spot
from sculpt.report.formats.checks import Report
from sculpt.report.formats.frictionless import KINDS, frictionless_lines
from sculpt.schema import Schema
from sculpt.values import replace

SCHEMA = """\
small := 1 <= Integer <= 5
row(1) -> Id, Name, Size
col(1) and not row(1) -> xs:integer
col(2) and not row(1) -> Text
col(3) and not row(1) -> small | Empty
key(col(1) and not row(1))
key(col(1) and not row(1), col(2) and not row(1))
col(3) and Text and not row(1) ~> col(1) and not row(1)
For each row r in not row(1) {
  require(r.cells[2] != "no")
}
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def document_of(report: Report) -> dict[str, Any]:
    document: dict[str, Any] = json.loads("\n".join(frictionless_lines(report)))
    return document


def read(report: Report) -> TheirReport:
    """The report as their package reads it, which must keep all that we wrote."""
    document = document_of(report)
    theirs = TheirReport.from_descriptor(document)
    assert theirs.valid == report.run.valid
    again = theirs.to_descriptor()
    for ours, back in zip(document["tasks"], again["tasks"], strict=True):
        for error, other in zip(ours["errors"], back["errors"], strict=True):
            words = ("title", "description", "message")  # theirs, not ours
            assert {k: v for k, v in error.items() if k not in words} == {
                k: v for k, v in other.items() if k not in words
            }
    return theirs


def rows(report: Report) -> list[list[Any]]:
    found: list[list[Any]] = read(report).flatten(["rowNumber", "fieldNumber", "fieldName", "type"])
    return found


def test_the_nearest_types() -> None:
    data = b"Id,Name,Sz\n1,a,1\nx,,9\n1,b,\n3\n4,no,\n1,a,z\n"
    assert rows(reported({"d.csv": data}, SCHEMA)) == [
        [None, 3, "Size", "incorrect-label"],
        [2, None, None, "foreign-key"],
        [3, 1, "Id", "type-error"],
        [3, 2, "Name", "constraint-error"],
        [3, None, None, "foreign-key"],
        [3, 3, "Size", "constraint-error"],
        [4, 1, "Id", "unique-error"],
        [5, 2, "Name", "missing-cell"],
        [6, None, None, "row-constraint"],
        [7, 1, "Id", "unique-error"],
        [7, None, None, "primary-key"],
        [7, None, None, "foreign-key"],
        [7, 3, "Size", "type-error"],
    ]


def test_a_broken_document_and_a_missing_file() -> None:
    report = reported({"bad.csv": b'Id,Name,Size\n1,\xff,"open\n', "none.csv": None}, SCHEMA)
    theirs = read(report)
    assert [task.name for task in theirs.tasks] == ["bad", "none"]
    kinds = {error.type for error in theirs.tasks[0].errors}
    assert {"encoding-error", "source-error"} <= kinds
    assert [error.type for error in theirs.tasks[1].errors] == ["source-error"]


def test_warnings_leave_a_task_valid() -> None:
    schema = "row(1) -> A\ncol(1) and not row(1) -> Integer ! warning\n"
    document = document_of(reported({"d.csv": b"A\nx\n"}, schema))
    (task,) = document["tasks"]
    assert document["valid"] is task["valid"] is True
    assert task["errors"] == []
    assert task["warnings"] == ["d.csv: row 2, column 1: found `x`, expected Integer"]
    assert document["stats"] == {"tasks": 1, "errors": 0, "warnings": 1}


def test_all_errors_are_counted() -> None:
    data = b"A\n" + b"x\n" * 30
    schema = "row(1) -> A\ncol(1) and not row(1) -> Integer\n"
    document = document_of(reported({"d.csv": data}, schema, limit=7))
    assert document["stats"]["errors"] == 30
    assert len(document["tasks"][0]["errors"]) == 7


def test_hostile_texts() -> None:
    assert not read(reported({"d.csv": quoted_csv(HOSTILE)})).valid


def test_the_origin_of_a_statement_decides() -> None:
    text = "row(1) -> A, B\ncol(2) and not row(1) -> Integer\n"
    origins = {
        "rule:1": Origin('field "A", label', Spot("d.json", "/x"), "extra-label"),
        "rule:2": Origin('field "b", minimum 3', Spot("d.json", "/y"), "constraint-error", 2, "b"),
    }
    schema = Schema.imported(Source("d.json", text, origins=origins))
    report = reported({"d.csv": b"A,B,C\n1,x\n"}, text)
    (error, other) = document_of(replace(report, schema=schema))["tasks"][0]["errors"]
    assert (error["type"], error["label"]) == ("extra-label", "C")
    assert (other["type"], other["fieldName"], other["note"]) == (
        "constraint-error",
        "b",
        'field "b", minimum 3',
    )


def test_every_type_is_known_to_their_package() -> None:
    for kind, (tags, _) in KINDS.items():
        theirs = system.select_error_class(kind)
        assert (theirs.type, tuple(theirs.tags)) == (kind, tags or ())


def test_the_shape_is_that_of_their_reports() -> None:
    Path("d.csv").write_text("Id,Name,Size\n1,a,1\nx,b,\n", encoding="utf-8")
    fields = [{"name": "Id", "type": "integer"}, {"name": "Name"}, {"name": "Size"}]
    Path("datapackage.json").write_text(
        json.dumps({"resources": [{"name": "d", "path": "d.csv", "schema": {"fields": fields}}]}),
        encoding="utf-8",
    )
    theirs = validate("datapackage.json").to_descriptor()
    ours = document_of(reported({"d.csv": Path("d.csv").read_bytes()}, SCHEMA))
    assert ours.keys() == theirs.keys()
    (our_task,), (their_task,) = ours["tasks"], theirs["tasks"]
    assert our_task.keys() == their_task.keys()
    error, other = our_task["errors"][0], their_task["errors"][0]
    assert error.keys() == other.keys()
    for name in ("type", "title", "tags", "rowNumber", "fieldNumber", "fieldName", "cells", "cell"):
        assert error[name] == other[name]
