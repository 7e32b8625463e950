"""A generated descriptor, imported and exported again, gets the same verdicts from the package.

A descriptor of which an import or an export leaves something out is not compared. Nor is a table on
whose texts the two systems differ, for a reason that `frictionless_differences` has.
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
from test_frictionless_equivalence import good_texts, of_package, reason, written

from sculpt.interchange.export import export
from sculpt.interchange.packages import import_bytes, schema_of_package

PAIRS = int(os.environ.get("SCULPT_FRICTIONLESS_PAIRS", "400"))
TABLES = 5


def exported(descriptor: dict[str, Any]) -> dict[str, Any] | None:
    """The resource, there and back; `None` if something was left out."""
    package = import_bytes("resource.json", json.dumps(descriptor).encode(), "frictionless")
    result = export(schema_of_package(package, "resource.json"), "frictionless")
    if package.all_notes or result.notes:
        return None
    (again,) = json.loads(result.files["datapackage.json"])["resources"]
    return {**again, "$schema": descriptor["$schema"]}


@settings(max_examples=max(1, PAIRS // TABLES), suppress_health_check=list(HealthCheck))
@given(st.data())
def test_verdicts_are_kept(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    folder: Path = tmp_path_factory.getbasetemp()
    descriptor, texts = data.draw(resources())
    again = exported(descriptor)
    if again is None:
        return
    good = good_texts(descriptor, texts)
    for _ in range(TABLES):
        rows = data.draw(tables(descriptor, texts, good))
        written(folder / "data.csv", rows, descriptor["dialect"]["csv"]["delimiter"])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            before, after = of_package(descriptor, folder), of_package(again, folder)
        if before is not None and after is not None and before != after:
            assert reason(descriptor, rows) is not None, (before, rows, descriptor, again)
