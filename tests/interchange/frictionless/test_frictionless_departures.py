"""Where the package departs from the standard: the table of `from-frictionless.md`, executed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import sculpt

frictionless = pytest.importorskip("frictionless")


def fields(**kinds: Any) -> dict[str, Any]:
    listed = [
        {"name": name, **({"type": kind} if isinstance(kind, str) else kind)}
        for name, kind in kinds.items()
    ]
    return {"fields": listed}


def resource(name: str = "t", path: object = "t.csv", **more: Any) -> dict[str, Any]:
    return {"name": name, "path": path, "schema": fields(id="integer", b="string"), **more}


def value(text: str, field: dict[str, Any]) -> tuple[list[dict[str, Any]], dict[str, str]]:
    """A resource with a field that has a text."""
    return [resource(schema=fields(id="string", b=field))], {"t.csv": f'id,b\nx,"{text}"\n'}


UNIQUE = {**fields(id="integer", b="string"), "uniqueKeys": [["id", "b"]]}
TARGET = {"resource": "t", "fields": ["id", "b"]}
PAIRS = {
    **fields(x="integer", y="string"),
    "foreignKeys": [{"fields": ["x", "y"], "reference": TARGET}],
}
CASES: dict[str, tuple[tuple[list[dict[str, Any]], dict[str, str]], bool]] = {
    "binary": (value("?", {"type": "string", "format": "binary"}), False),
    "blank": (([resource()], {"t.csv": "id, b\n2, y\n"}), False),
    "uniqueKeys": (([resource(schema=UNIQUE)], {"t.csv": "id,b\n1,x\n1,x\n"}), False),
    "nullSequence": (
        ([resource(dialect={"nullSequence": "-"})], {"t.csv": "id,b\n-,x\n"}),
        True,
    ),
    "case": (
        ([resource(dialect={"caseSensitiveHeader": False})], {"t.csv": "ID,b\n1,x\n"}),
        True,
    ),
    "foreign key": (
        (
            [resource(), resource("u", "u.csv", schema=PAIRS)],
            {"t.csv": "id,b\n1,x\n", "u.csv": "x,y\n1,\n"},
        ),
        True,
    ),
    "year": (value("-2020", {"type": "year"}), True),
    "groupChar": (value("1,000", {"type": "integer", "groupChar": ","}), True),
    "email": (value("a@b.c", {"type": "string", "format": "email"}), True),
    "duration": (value("P2D", {"type": "duration", "constraints": {"minimum": "P1D"}}), True),
    "exclusiveMaximum": (
        value("1", {"type": "integer", "constraints": {"exclusiveMaximum": 2}}),
        True,
    ),
    "parts": (
        ([resource(path=["t.csv", "u.csv"])], {"t.csv": "id,b\n1,x\n", "u.csv": "y,2\n"}),
        False,
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_departures(name: str, tmp_path: Path) -> None:
    """Sculpt gives the verdict of the standard, and the package the other one."""
    (resources, files), ours = CASES[name]
    for path, text in files.items():
        (tmp_path / path).write_text(text)
    descriptor = tmp_path / "datapackage.json"
    descriptor.write_text(json.dumps({"name": "p", "resources": resources}))
    assert sculpt.validate_all(str(descriptor)).valid is ours
    assert frictionless.validate(str(descriptor), type="package").valid is not ours


def test_parts_with_headers(tmp_path: Path) -> None:
    """Where each file has the header, as the package wants it, both agree."""
    for name in ("t.csv", "u.csv"):
        (tmp_path / name).write_text("id,b\n1,x\n")
    descriptor = tmp_path / "datapackage.json"
    resources = [resource(path=["t.csv", "u.csv"])]
    descriptor.write_text(json.dumps({"name": "p", "resources": resources}))
    assert sculpt.validate_all(str(descriptor)).valid
    assert frictionless.validate(str(descriptor), type="package").valid
