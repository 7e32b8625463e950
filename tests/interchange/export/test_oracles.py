"""What is exported gives the verdict of the schema: by the other systems' own packages."""

from __future__ import annotations

import json
import os
import warnings
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

import sculpt
from made_columns import Made, by_csvw, schemas
from sculpt.csvw import validate as validate_csvw
from sculpt.interchange.export import export
from sculpt.interchange.packages import import_bytes, schema_of_package
from sculpt.schema import Schema

PAIRS = int(os.environ.get("SCULPT_PAIRS", "400"))
TABLES = 4
FEW = settings(max_examples=max(1, PAIRS // TABLES))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("exported")


def exported(made: Made, to: str) -> tuple[Schema, str]:
    """The schema, and the one file that it becomes; nothing may be left out."""
    schema = Schema.parse(made.text, name="t.sculpt")
    result = export(schema, to)
    assert not result.notes, (made.text, result.notes)
    (text,) = result.files.values()
    return schema, text


def ours(schema: Schema, data: Path) -> bool:
    return sculpt.validate(schema, data, "reference").valid


@given(made=schemas())
@FEW
def test_a_data_package_gives_the_same_verdict(folder: Path, made: Made) -> None:
    schema, text = exported(made, "frictionless")
    (folder / "datapackage.json").write_text(text, "utf-8")
    for table in made.tables:
        (folder / "t.csv").write_text(table, "utf-8", newline="")
        report = by_frictionless(folder / "datapackage.json")
        mine = ours(schema, folder / "t.csv")
        if report.valid and not mine and '"uniqueKeys"' in text:
            continue  # the package does not check them
        if mine and all(
            kind in (["unique-error"], ["primary-key"]) for kind in report.flatten(["type"])
        ):
            continue  # it compares values, as in `true` and `1`, and the key compares texts
        assert report.valid == mine, (made.text, table, text, report)


def by_frictionless(path: Path) -> Any:
    """The report of their package."""
    from frictionless import Package

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        package = Package(str(path))
        assert not list(Package.metadata_validate(json.loads(path.read_text("utf-8"))))
        return package.validate()


@given(made=schemas(keys=False))
@FEW
def test_csvw_metadata_gives_the_same_verdict(folder: Path, made: Made) -> None:
    schema, text = exported(made, "csvw")
    (folder / "t-metadata.json").write_text(text, "utf-8")
    for table in made.tables:
        (folder / "t.csv").write_text(table, "utf-8", newline="")
        expected = ours(schema, folder / "t.csv")
        found = validate_csvw(str(folder / "t-metadata.json"))
        assert not found.warnings
        assert found.valid == expected, (made.text, table, text, found.errors)
        if "gYear" not in text:  # the package takes every text for one
            assert by_csvw(folder / "t-metadata.json") == expected, (made.text, table, text)


@given(made=schemas())
@FEW
def test_csv_schema_gives_the_same_verdict(folder: Path, made: Made) -> None:
    schema, text = exported(made, "csv-schema")
    package = import_bytes(str(folder / "t.csvs"), text.encode(), "csv-schema")
    again = schema_of_package(package, str(folder / "t.csvs"))
    for table in made.tables:
        (folder / "t.csv").write_text(table, "utf-8", newline="")
        verdict = sculpt.validate(again, folder / "t.csv", "reference")
        assert verdict.valid == ours(schema, folder / "t.csv"), (made.text, table, text, verdict)
