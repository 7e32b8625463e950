"""Judges the suites of Frictionless: packages with verdicts and places, and texts of fields.

In: `manifest.json` (packages, some with a `checklist.json`) and `values.json` (field descriptors
with texts). Out: an `Outcome` for each: is the verdict that of the suite, and are the places those
of the suite, `(table, row, field)` with the type of the error left out.

Frictionless counts each cell that a row lacks, or has too many, as an error of its own; Sculpt says
once where a row or a header ends too early or goes on. The judge counts the cells of such a row as
Frictionless does. Errors about labels have no row there, and those of keys no field.

`standard` packages are the suite `frictionless-standard`, the others, with checks of the framework
beyond the standard, `frictionless-beyond`: these are reported only.
"""

from __future__ import annotations

import contextlib
import json
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import sculpt
from sculpt.interchange.load import load
from sculpt.interchange.packages import import_bytes
from sculpt.origins import Origin
from sculpt.verdict import Violation
from suites.model import SHARED, Case, Outcome

FOLDER = SHARED / "frictionless"
PACKAGES, CHECKS, VALUES = "frictionless-standard", "frictionless-beyond", "frictionless-values"
SUITES = (PACKAGES, CHECKS, VALUES)
EXCUSED: dict[str, tuple[str, str]] = {}
"""Case names, each with the reason of the issue and the section that explains it."""
Place = tuple[int, int | None, int | None]
_LABELS = ("blank-label", "duplicate-label", "extra-label", "missing-label", "incorrect-label")
_ROWS = ("blank-row", "primary-key", "foreign-key", "row-constraint")
_WARNED = ("any", "wkt", "geojson")
"""Formats and a type that import only warns about: their texts are not judged."""


def cases(suite: str) -> list[Case]:
    """The cases of a suite; none if the folder is absent."""
    if not FOLDER.is_dir():
        return []
    if suite == VALUES:
        return [
            Case(suite, f"value-{number:03}", f"{each['field']} {each['text']!r}")
            for number, each in enumerate(_json(FOLDER / "values.json"), 1)
            if not is_warned(each["field"])
        ]
    return [
        Case(suite, each["id"], each["test"])
        for each in _json(FOLDER / "manifest.json")["entries"]
        if each["standard"] == (suite == PACKAGES)
    ]


def is_warned(field: dict[str, Any]) -> bool:
    """Is a field of a kind that import warns about?"""
    return field.get("format") in _WARNED or field["type"] in _WARNED[1:]


def judge(case: Case) -> Outcome:
    """Run one case."""
    if case.suite == VALUES:
        return _judge_value(
            _json(FOLDER / "values.json")[int(case.name.removeprefix("value-")) - 1]
        )
    entries = _json(FOLDER / "manifest.json")["entries"]
    return _judge_package(next(each for each in entries if each["id"] == case.name))


def _json(path: Path) -> Any:
    return json.loads(path.read_text("utf-8"))


# ------------------------------------------------------------- texts of fields


def _judge_value(entry: dict[str, Any]) -> Outcome:
    descriptor = json.dumps({"fields": [entry["field"]]}).encode()
    package = import_bytes("schema.json", descriptor, "frictionless")
    if package.all_notes:
        return Outcome(False, f"not taken over: {package.all_notes[0]}")
    schema = sculpt.Schema.parse(package.tables[0].text)
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder, "data.csv")
        quoted = entry["text"].replace('"', '""')
        data.write_text(f'{entry["field"]["name"]}\n"{quoted}"\n', "utf-8")
        verdict = sculpt.validate(schema, str(data), "reference")
    kinds = {_kind_of(package.tables[0].origins, each) for each in verdict.violations}
    # One empty cell is a blank row; the suite asks only whether the text is one of the type.
    found = not kinds - {"blank-row"}
    expected = entry["valid"]
    return Outcome(found == expected, "" if found == expected else f"valid is {found} here")


def _kind_of(origins: Mapping[str, Origin], violation: Violation) -> str:
    key = f"rule:{violation.rule}"
    return origins[key].kind if key in origins else str(violation.code)


# ------------------------------------------------------------- packages


def _judge_package(entry: dict[str, Any]) -> Outcome:
    with _prepared(FOLDER / entry["id"]) as path:
        try:
            found = places(path)
        except sculpt.SchemaError as error:
            is_right = not entry["valid"]
            return Outcome(is_right, "" if is_right else str(error), False)
    is_right = (not found) == entry["valid"]
    wanted = {(table, row, field) for table, row, field, _ in entry["errors"]}
    if not is_right:
        return Outcome(False, f"valid is {not found} here{_left_out(entry)}", False)
    same = found == wanted
    reason = "" if same else f"places {_shown(found - wanted)} more, {_shown(wanted - found)} less"
    return Outcome(True, reason, same)


def _left_out(entry: dict[str, Any]) -> str:
    """Which checks beyond the standard a case asks for, if errors of them were not found."""
    if entry["standard"]:
        return ""
    kinds = ", ".join(sorted({f"`{kind}`" for *_, kind in entry["errors"]}))
    return (
        f", as the case asks for the check {kinds}, which is beyond the standard" if kinds else ""
    )


def _shown(found: set[Place]) -> str:
    return str(sorted(found, key=str))


@contextlib.contextmanager
def _prepared(folder: Path) -> Iterator[Path]:
    """The package of a case; the checklist is put into its resources, as the framework takes it."""
    checklist = folder / "checklist.json"
    if not checklist.exists():
        yield folder / "datapackage.json"
        return
    with tempfile.TemporaryDirectory() as copied:
        shutil.copytree(folder, copied, dirs_exist_ok=True, copy_function=shutil.copyfile)
        path = Path(copied, "datapackage.json")
        package = _json(path)
        for resource in package["resources"]:
            resource["checklist"] = _json(checklist)
        path.unlink()
        path.write_text(json.dumps(package), "utf-8")
        yield path


def places(path: Path) -> set[Place]:
    """The places of all errors of a package, as Frictionless counts them."""
    schema = load(str(path))
    verdicts = sculpt.validate_all(schema, files=str(path.parent), engine="local")
    numbers = {table.name: number for number, table in enumerate(schema.tables, 1)}
    found: set[Place] = set()
    tables = {table.name: table for table in schema.tables}
    for outcome in verdicts.outcomes:
        assert isinstance(outcome, sculpt.Verdict), outcome
        assert outcome.table is not None
        table = tables[outcome.table]
        shape = _Shape(table.schema, outcome.path)
        for violation in outcome.violations:
            if violation.severity != "error":
                continue
            origin = _origin(table.schema, violation) or _origin(schema, violation)
            found |= {
                (numbers[table.name], row, field) for row, field in shape.cells(violation, origin)
            }
    return found


def _origin(schema: sculpt.Schema, violation: Violation) -> Origin | None:
    """What the violated statement was."""
    if violation.rule is not None:
        return schema.origins.get(f"rule:{violation.rule}")
    core = schema.core
    word = violation.code.partition("-")[0]
    lines = {
        "key": [each.line for each in core.keys],
        "reference": [each.line for each in core.references],
        "require": [each.line for each in schema.requires],
    }
    for kind, found in lines.items():
        if kind == word and violation.line in found:
            return schema.origins.get(f"{kind}:{found.index(violation.line) + 1}")
    return None


class _Shape:
    """The rows of a file, to say which of their cells a violation is about."""

    def __init__(self, schema: sculpt.Schema, path: str) -> None:
        self.table = sculpt.read_table(schema, path)
        self.absent = 0
        fields = [each.column for each in schema.origins.values() if each.kind == "incorrect-label"]
        self.fields = max((each for each in fields if each is not None), default=0)
        if not self.fields:
            typed = [each.column for each in schema.origins.values() if each.column is not None]
            self.fields = max(typed, default=self.width(1))

    def width(self, row: int) -> int:
        """How many cells a row has."""
        if row > self.table.height:
            return 0
        cells = (self.table.cell(row, column) for column in range(1, self.table.width + 1))
        return sum(each is not None for each in cells)

    def cells(
        self, violation: Violation, origin: Origin | None
    ) -> set[tuple[int | None, int | None]]:
        """The rows and fields of a violation, as Frictionless gives them."""
        row, column = violation.row, violation.column
        kind = origin.kind if origin is not None else violation.code
        if not self.table.height or origin is None:
            return {(None, None)}  # the file is empty, or cannot be decoded
        match kind:
            case "missing-label" if origin.field is None:
                return {(None, each) for each in range(self.width(1) + 1, self.fields + 1)}
            case "missing-label":
                self.absent += 1  # fields without a label count after the last label
                return {(None, self.width(1) + self.absent)}
            case "extra-label" if self.fields and column is not None:
                return {(None, each) for each in range(column, self.width(1) + 1)}
            case "missing-cell" if row is not None:
                return {(row, each) for each in range(self.width(row) + 1, self.fields + 1)}
            case "extra-cell" if row is not None and column is not None:
                return {(row, each) for each in range(column, self.width(row) + 1)}
            case _ if kind in _LABELS:
                return {(None, column)}
            case _ if kind in _ROWS:
                return {(row, None)}
            case "type-error" | "constraint-error" | "unique-error":
                return {(row, column or origin.column)}
            case "ascii-value" | "forbidden-value":
                return {(row, column)}
        return {(None, None)}
