"""A generated descriptor, imported and exported again, gets the same verdicts from the package.

A descriptor of which an import or an export leaves something out is not compared. Nor is a table on
which the imported schema and the package differ: `test_frictionless_equivalence` is about those.
"""

from __future__ import annotations

import json
import os
import warnings
from pathlib import Path
from typing import Any

import pytest
from frictionless_generated import resources, tables
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from test_frictionless_equivalence import good_texts, of_package, written

import sculpt
from sculpt.interchange.export import export
from sculpt.interchange.packages import import_bytes, schema_of_package

frictionless = pytest.importorskip("frictionless")

PAIRS = int(os.environ.get("SCULPT_PAIRS", "400"))
TABLES = 5


def exported(descriptor: dict[str, Any]) -> tuple[sculpt.Schema, dict[str, Any]] | None:
    """The imported schema, and the resource that it becomes; `None` if something is left out."""
    package = import_bytes("resource.json", json.dumps(descriptor).encode(), "frictionless")
    result = export(schema_of_package(package, "resource.json"), "frictionless")
    if package.all_notes or result.notes:
        return None
    (again,) = json.loads(result.files["datapackage.json"])["resources"]
    schema = sculpt.Schema.parse(package.tables[0].text)
    return schema, {**again, "$schema": descriptor["$schema"]}


@settings(max_examples=max(1, PAIRS // TABLES), suppress_health_check=list(HealthCheck))
@given(st.data())
def test_verdicts_are_kept(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    folder: Path = tmp_path_factory.getbasetemp()
    descriptor, texts = data.draw(resources())
    found = exported(descriptor)
    if found is None:
        return
    schema, again = found
    good = good_texts(descriptor, texts)
    for _ in range(TABLES):
        rows = data.draw(tables(descriptor, texts, good))
        written(folder / "data.csv", rows, descriptor["dialect"]["csv"]["delimiter"])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            before, after = of_package(descriptor, folder), of_package(again, folder)
        if None not in (before, after) and _is_like(schema, folder / "data.csv", before):
            assert before == after, (rows, descriptor, again)


def _is_like(schema: sculpt.Schema, data: Path, verdict: bool | None) -> bool:
    return sculpt.validate(schema, str(data), "reference").valid == verdict


def test_missing_values_of_texts_in_keys_and_references(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    reference = {"fields": "x", "reference": {"resource": "codes", "fields": "code"}}
    uses = {
        "fields": [{"name": "x", "type": "string"}, {"name": "n", "type": "integer"}],
        "missingValues": ["", "-"],
        "foreignKeys": [reference],
    }
    unique = {"name": "code", "type": "string", "constraints": {"unique": True}}
    codes = {"fields": [unique, {"name": "n"}], "missingValues": ["", "-"]}
    tables = {"uses": ("x,n\n-,1\na,2\n", uses), "codes": ("code,n\na,1\n-,2\n-,3\n", codes)}
    resources = []
    for name, (text, schema) in tables.items():
        (tmp_path / f"{name}.csv").write_text(text)
        resources.append({"name": name, "path": f"{name}.csv", "schema": schema})
    body = json.dumps({"name": "pack", "resources": resources}).encode()
    (tmp_path / "before.json").write_bytes(body)
    package = import_bytes("before.json", body, "frictionless")
    again = export(schema_of_package(package, "before.json"), "frictionless")
    assert (package.all_notes, again.notes) == ((), ())
    (tmp_path / "after.json").write_text(again.files["datapackage.json"])
    for name in ("before.json", "after.json"):
        assert frictionless.Package(name).validate().valid, name
