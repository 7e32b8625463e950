"""There and back: what is imported and exported again means the same to the source's own tools.

The cases are those of the public suites, where these are present. What an import or an export says
that it leaves out may make a difference, and nothing else may.
"""

from __future__ import annotations

import json
import os
import shutil
import warnings
from pathlib import Path
from typing import Any

import pytest
from suites.model import SHARED

import sculpt
from made_columns import by_csvw
from sculpt.csvw import validate as validate_csvw
from sculpt.csvw.sources import opened
from sculpt.csvw.validation import schema_of
from sculpt.interchange.access import Response
from sculpt.interchange.csvw.writing.importer import import_group
from sculpt.interchange.export import export
from sculpt.interchange.packages import import_bytes, import_file, schema_of_package
from suites import csv_schema, csvw

LOST = {
    "036": "`rows` of a checklist: the number of rows has no counterpart",
}
"""Packages whose report is not kept, and why; import or export says so."""


def _packages() -> list[str]:
    manifest = SHARED / "frictionless" / "manifest.json"
    if not manifest.is_file():
        return []
    return [entry["id"] for entry in json.loads(manifest.read_text("utf-8"))["entries"]]


def _report(folder: Path, name: str) -> list[Any]:
    """What their package finds: table, type, row and field of each error."""
    from frictionless import Checklist, Package

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        listed = folder / "checklist.json"
        checklist = Checklist.from_descriptor(str(listed)) if listed.exists() else None
        report = Package(str(folder / name)).validate(checklist=checklist)
    found = [["", error.type, None, None] for error in report.errors]
    for number, task in enumerate(report.tasks, 1):
        for error in task.errors:
            place = (getattr(error, "row_number", None), getattr(error, "field_number", None))
            found.append([number, error.type, *place])
    return sorted(found, key=str)


@pytest.mark.parametrize("name", _packages())
def test_a_data_package(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "case"
    shutil.copytree(SHARED / "frictionless" / name, folder)
    folder.chmod(0o755)
    monkeypatch.chdir(folder)
    package = import_file("datapackage.json", "frictionless")
    result = export(schema_of_package(package, "datapackage.json"), "frictionless")
    (folder / "exported.json").write_text(result.files["datapackage.json"], "utf-8")
    before, after = _report(folder, "datapackage.json"), _report(folder, "exported.json")
    if name in LOST:
        assert before != after
        assert package.all_notes or result.notes
        return
    assert before == after


def _positive() -> list[str]:
    entries = csvw.manifest("csvw-validation").items()
    return [name for name, entry in entries if "Positive" in entry["type"]]


@pytest.mark.parametrize("name", _positive())
def test_csvw_metadata(name: str, tmp_path: Path) -> None:
    entry = csvw.manifest("csvw-validation")[name]
    given = entry.get("option", {}).get("metadata")
    metadata = None if given is None else csvw.BASE + given
    fetch = csvw.fetch_for(entry)
    with opened(csvw.BASE + entry["action"], metadata, fetch=fetch, any_tables=True) as found:
        assert found.group is not None
        schema = schema_of(found, import_group(found.group))
        (text,) = export(schema, "csvw").files.values()
        folder = os.path.realpath(schema.source.folder or os.curdir)
        urls = {
            os.path.relpath(os.path.realpath(path), folder): url
            for url, path in found.files.items()
        }
    for path, url in urls.items():
        text = text.replace(f'"{path}"', f'"{url}"')
    where = f"{csvw.BASE}exported-metadata.json"

    def serve(url: str) -> Response:
        return Response(url, body=text.encode()) if url == where else fetch(url)

    result = validate_csvw(where, fetch=serve)
    assert (result.errors, result.warnings) == ((), ())
    for url in urls.values():
        relative = url.removeprefix(csvw.BASE).partition("?")[0]
        (tmp_path / relative).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(csvw.FOLDER / relative, tmp_path / relative)
        text = text.replace(f'"{url}"', f'"{relative}"')
    (tmp_path / "exported.json").write_text(text, "utf-8")
    assert by_csvw(tmp_path / "exported.json")


def _schemas() -> list[str]:
    wanted = ("valid", "invalid", "warnings")
    return [name for name, entry in csv_schema._entries().items() if entry["expect"] in wanted]


@pytest.mark.parametrize("name", _schemas())
def test_csv_schema(name: str, tmp_path: Path) -> None:
    entry = csv_schema._entries()[name]
    try:
        package = csv_schema._imported(entry, tmp_path)
    except sculpt.SchemaError:
        pytest.skip("the schema is refused, as the suite says")
    schema = schema_of_package(package, str(tmp_path / "schema.csvs"))
    result = export(schema, "csv-schema")
    (text,) = result.files.values()
    again = import_bytes(str(tmp_path / "again.csvs"), text.encode(), "csv-schema")
    if result.notes:
        return  # the text is well-formed, and says less
    data, files = csv_schema._laid_out(entry, tmp_path)
    skips = bool(entry["options"].get("skipFileChecks"))
    below = None if skips else str(files)
    schemas = (schema, schema_of_package(again, str(tmp_path / "again.csvs")))
    before, after = (
        sculpt.validate(each, str(data), "local", files=below, skip_files=skips) for each in schemas
    )
    assert before.valid == after.valid
    assert _places(before) == _places(after)


def _places(verdict: sculpt.Verdict) -> set[tuple[int | None, int | None, str]]:
    return {(each.row, each.column, each.severity) for each in verdict.violations}
