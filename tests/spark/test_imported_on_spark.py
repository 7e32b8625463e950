"""Schemas of other systems on Spark: the verdicts of the reference, word for word, for any cut."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import sculpt
import sculpt.spark
from sculpt.verdict import Verdict

pytestmark = pytest.mark.xdist_group("spark")

FERRIES = Path(__file__).parents[1] / "interchange" / "dspl" / "ferries"
BOATS = "hull,of,launched,length\n11,A,27/03/2011,7.5\n9,B,31/04/2012,\n11,C,01/01/2013,x\n"
PORTS = "code,name\nA,Rye\nB,\nB,Bath\n"


def data_package(folder: Path) -> Path:
    boats = {
        "fields": [
            {"name": "hull", "type": "integer", "constraints": {"minimum": 10}},
            {"name": "of", "type": "string"},
            {"name": "launched", "type": "date", "format": "%d/%m/%Y"},
            {"name": "length", "type": "number", "constraints": {"required": True}},
        ],
        "primaryKey": "hull",
        "foreignKeys": [{"fields": "of", "reference": {"resource": "ports", "fields": "code"}}],
    }
    ports = {"fields": [{"name": "code"}, {"name": "name"}], "primaryKey": "code"}
    resources = [
        {"name": "boats", "path": "boats.csv", "schema": boats},
        {"name": "ports", "path": "ports.csv", "schema": ports},
    ]
    return written(folder / "datapackage.json", json.dumps({"resources": resources}))


def csvw(folder: Path) -> Path:
    day = {"base": "date", "format": "dd/MM/yyyy"}
    boats = {
        "columns": [
            {"titles": "hull", "datatype": {"base": "integer", "minimum": 10}},
            {"titles": "of", "name": "of"},
            {"titles": "launched", "datatype": day},
            {"titles": "length", "datatype": "decimal", "required": True},
        ],
        "primaryKey": "hull",
        "foreignKeys": [
            {
                "columnReference": "of",
                "reference": {"resource": "ports.csv", "columnReference": "code"},
            }
        ],
    }
    ports = {
        "columns": [{"titles": "code", "name": "code"}, {"titles": "name"}],
        "primaryKey": "code",
    }
    tables = [
        {"url": "boats.csv", "tableSchema": boats},
        {"url": "ports.csv", "tableSchema": ports},
    ]
    metadata = {"@context": "http://www.w3.org/ns/csvw", "tables": tables}
    return written(folder / "metadata.json", json.dumps(metadata))


def csv_schema(folder: Path) -> Path:
    rules = ["hull: range(10,*) unique", 'of: any("A","B")', "launched: ukDate"]
    text = "\n".join(["version 1.1", "@totalColumns 4", *rules, "length: notEmpty", ""])
    return written(folder / "boats.csvs", text)


def dspl(folder: Path) -> Path:
    for path in FERRIES.iterdir():
        shutil.copy(path, folder)
    broken = (folder / "days.csv").read_text("utf-8").splitlines()
    written(folder / "days.csv", "\n".join([*broken[:2], broken[1], *broken[2:], ""]))
    return folder / "ferries.xml"


def written(path: Path, text: str) -> Path:
    path.write_text(text, "utf-8")
    return path


@pytest.mark.parametrize("made", [data_package, csvw, dspl])
def test_a_package_brings_its_data(
    spark: SparkSession, tmp_path: Path, made: Callable[[Path], Path]
) -> None:
    """`sculpt.spark.validate(spark, "datapackage.json")`, and the same for each other kind."""
    written(tmp_path / "boats.csv", BOATS)
    written(tmp_path / "ports.csv", PORTS)
    path = made(tmp_path)
    expected = sculpt.validate_all(path, engine="reference").outcomes
    found = sculpt.spark.validate(spark, str(path), max_violations=100).verdict.outcomes
    assert any(isinstance(each, Verdict) and each.violations for each in expected)
    local = sculpt.validate_all(path, engine="local").outcomes
    for outcomes in (found, local):
        assert list(map(as_by_reference, outcomes)) == list(expected)


@pytest.mark.parametrize("unit", [None, 20])
def test_a_schema_of_one_table(spark: SparkSession, tmp_path: Path, unit: int | None) -> None:
    data, path = written(tmp_path / "boats.csv", BOATS), csv_schema(tmp_path)
    expected = sculpt.validate(path, data, engine="reference")
    assert {each.column for each in expected.violations} == {1, 2, 3, 4}
    found = sculpt.spark.validate(spark, str(path), str(data), 100, unit=unit)
    assert [as_by_reference(each) for each in found.verdict.outcomes] == [expected]
    messages = {row.message for row in found.violations.collect()}
    assert messages == {each.message for each in expected.violations}
    assert any("boats.csvs:3" in message for message in messages)


def as_by_reference(outcome: object) -> object:
    return replace(outcome, engine="reference") if isinstance(outcome, Verdict) else outcome
