"""Imported schemas decide as the package `frictionless` does, on generated descriptors and tables.

2,000 pairs; `SCULPT_PAIRS=50000` for more, and then each with the local engine too. A
difference must be one of `differences`, whose sections say why the import is right.
"""

from __future__ import annotations

import copy
import csv
import json
import os
from pathlib import Path
from typing import Any

import pytest
from frictionless_differences import explained, explained_table
from frictionless_generated import resources, tables
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import sculpt
from sculpt.interchange.packages import import_bytes

frictionless = pytest.importorskip("frictionless")

PAIRS = int(os.environ.get("SCULPT_PAIRS", "2000"))
TABLES = 5
"""Tables for each descriptor."""
IS_FULL = PAIRS > 2000


def of_package(descriptor: dict[str, Any], folder: Path) -> bool | None:
    """The verdict of the package; `None` if it fails: times with and without a zone."""
    given = copy.deepcopy(descriptor)
    resource = frictionless.Resource.from_descriptor(given, basepath=str(folder))
    try:
        return bool(resource.validate().valid)
    except TypeError:
        return None


def good_texts(
    descriptor: dict[str, Any], texts: tuple[tuple[str, ...], ...]
) -> tuple[tuple[str, ...], ...]:
    """The texts of each field that the package takes for values."""
    found = []
    for field, some in zip(descriptor["schema"]["fields"], texts, strict=True):
        read = frictionless.Field.from_descriptor(copy.deepcopy(field)).create_cell_reader()
        found.append(tuple(text for text in some if _is_good(read, text)))
    return tuple(found)


def _is_good(read: Any, text: str) -> bool:
    try:
        value, notes = read(text)
    except TypeError:
        return False
    return value is not None and not notes


def written(path: Path, rows: tuple[tuple[str, ...], ...], delimiter: str) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, delimiter=delimiter, lineterminator="\n").writerows(rows)


def reason(descriptor: dict[str, Any], rows: tuple[tuple[str, ...], ...]) -> str | None:
    """Why the verdicts may differ, if they may."""
    fields = {field["name"]: field for field in descriptor["schema"]["fields"]}
    names = list(fields)
    if descriptor["dialect"]["header"] and "fieldsMatch" in descriptor["schema"]:
        names = list(rows[0])
    named = [dict(zip(names, row, strict=False)) for row in rows]
    for row in named:
        for name, text in row.items():
            found = explained(fields[name], text) if name in fields else None
            if found is not None:
                return found
    return explained_table(descriptor, named)


@settings(
    max_examples=max(1, PAIRS // TABLES),
    phases=(Phase.explicit, Phase.reuse, Phase.generate),  # to shrink five tables takes minutes
    suppress_health_check=list(HealthCheck),
)
@given(st.data())
def test_verdicts_are_those_of_the_package(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    """The verdict of the imported text is that of the package, on both engines."""
    folder = tmp_path_factory.getbasetemp()
    descriptor, texts = data.draw(resources())
    body = json.dumps(descriptor).encode()
    package = import_bytes("resource.json", body, "frictionless")
    schema = sculpt.Schema.parse(package.tables[0].text)
    assert not schema.lint, schema.lint
    path = folder / "data.csv"
    good = good_texts(descriptor, texts)
    for number in range(TABLES):
        rows = data.draw(tables(descriptor, texts, good))
        written(path, rows, descriptor["dialect"]["csv"]["delimiter"])
        found = sculpt.validate(schema, str(path), "reference")
        if number == 0 or IS_FULL:
            local = sculpt.validate(schema, str(path), "local")
            assert local.violations == found.violations
        expected = of_package(descriptor, folder)
        if expected is not None and found.valid != expected:
            shown = [(each.line, each.row, each.column, each.message) for each in found.violations]
            assert reason(descriptor, rows) is not None, (
                expected,
                shown,
                rows,
                package.tables[0].text,
            )
