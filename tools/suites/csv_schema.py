"""The suite of csv-validator: schemas accepted or refused, and verdicts on data with their places.

In: `../shared/suites/csvschema`. Out: an `Outcome` for each case: the verdict, and whether the
places (severity, row, column) are those of the suite, where it gives any.

What the suite leaves to its runner:
- `{RES}` is the absolute path of its resources, so files are looked for below `/`.
- Paths such as `file:///T:/WORK/RF_5/content/file1` come with path substitutions, which the
  manifest does not have: what is before `/content` stands for the folder of the data. The runner
  lays out a directory in which these paths exist.
- Rows count data rows. A wrong number of cells is reported one column after the last cell, and each
  cell that a short row lacks again; Sculpt reports such a row once, where it ends.
- With `failFast`, only the first error is listed.
- A case with data whose schema is refused counts as invalid, if the suite says so without places.
"""

from __future__ import annotations

import csv
import functools
import json
import re
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import sculpt
from sculpt.errors import SchemaError
from sculpt.interchange.model import Package
from sculpt.interchange.packages import import_bytes, schema_of_package
from sculpt.origins import Origin
from suites.model import SHARED, Case, Outcome

SUITES = ("csv-schema",)
FOLDER = SHARED / "csvschema"
EXCUSED: dict[str, tuple[str, str]] = {}
"""Cases that may fail, each with a reason of the issue and the words that explain it."""


@functools.cache
def _entries() -> dict[str, dict[str, Any]]:
    manifest = FOLDER / "manifest.json"
    if not manifest.exists():
        return {}
    found = json.loads(manifest.read_text("utf-8"))["entries"]
    return {each["id"]: each for each in found}


def cases(suite: str) -> list[Case]:
    """The cases of the suite; none if it is absent."""
    return [
        Case(suite, name, f"{entry['group']}: {entry['name']}")
        for name, entry in _entries().items()
    ]


def judge(case: Case, engine: str = "local") -> Outcome:
    """Run one case."""
    entry = _entries()[case.name]
    with tempfile.TemporaryDirectory() as folder:
        return _judged(entry, Path(folder), engine)


def _judged(entry: dict[str, Any], folder: Path, engine: str) -> Outcome:
    expected = entry["expect"]
    try:
        package = _imported(entry, folder)
    except SchemaError as error:
        if expected == "schema-error" or (expected == "invalid" and "errors" not in entry):
            return Outcome(True)
        return Outcome(False, f"the schema is refused: {error.diagnostics[0].message}")
    if expected in ("schema-ok", "schema-error"):
        return Outcome(expected == "schema-ok", "the schema is accepted")
    data, files = _laid_out(entry, folder)
    skips = bool(entry["options"].get("skipFileChecks"))
    verdict = sculpt.validate(
        schema_of_package(package, str(folder / "schema.csvs")),
        str(data),
        engine,
        files=None if skips else str(files),
        skip_files=skips,
    )
    found = "valid"
    if any(each.severity == "warning" for each in verdict.violations):
        found = "warnings"
    if not verdict.valid:
        found = "invalid"
    if found != expected:
        first = verdict.violations[0].message if verdict.violations else "no violation"
        return Outcome(False, f"{found}, not {expected}: {first}")
    return _placed(entry, package, verdict, data)


def _imported(entry: dict[str, Any], folder: Path) -> Package:
    body = _text(FOLDER / entry["schema"]).encode("utf-8", "surrogateescape")
    if entry["options"].get("acceptancePathPlaceholder"):
        acceptance = str(FOLDER / "resources" / "acceptance").encode()
        body = body.replace(b"$$acceptancePath$$", acceptance)
    return import_bytes(str(folder / "schema.csvs"), body, "csv-schema")


def _text(path: Path) -> str:
    text = path.read_bytes().decode("utf-8", "surrogateescape")
    return text.replace("{RES}", str(FOLDER / "resources"))


def _laid_out(entry: dict[str, Any], folder: Path) -> tuple[Path, Path]:
    """The data, and the directory in which its paths are those of files."""
    source = FOLDER / entry["data"]
    text = _text(source)
    data = folder / "data.csv"
    data.write_bytes(text.encode("utf-8", "surrogateescape"))
    roots = set(re.findall(r"file:///([^,\"\r\n]*?)/content\b", text))
    content = source.parent / "content"
    if not roots or not content.is_dir():
        return data, Path("/")
    for root in roots:
        target = folder / "files" / root / "content"
        shutil.copytree(content, target)
    return data, folder / "files"


# ------------------------------------------------------------- places


def _placed(
    entry: dict[str, Any], package: Package, verdict: sculpt.Verdict, data: Path
) -> Outcome:
    if "errors" not in entry:
        return Outcome(True)
    header = int("names of the columns" in package.tables[0].text)
    rows = _rows(data, _separator(package))
    found = {
        (severity, row, column)
        for severity, row, column, origin in places(package, verdict)
        if row is not None and not _is_shape(origin)
    }
    found |= {
        (severity, row, len(rows[row - 1]) + 1)
        for severity, row, _, origin in places(package, verdict)
        if row is not None and _is_shape(origin)
    }
    wanted = {
        (each["severity"], each["row"] + header, each["column"])
        for each in entry["errors"]
        if each["column"] is not None
    }
    # A row that lacks several cells is reported once, where it ends.
    short = {row: len(cells) for row, cells in enumerate(rows, 1)}
    width = max(short.values(), default=0)
    wanted = {
        place for place in wanted if place[2] <= short.get(place[1], width) + 1 or place in found
    }
    same = wanted <= found if entry["options"].get("failFast") else wanted == found
    reason = "" if same else f"places {sorted(found)}, not {sorted(wanted)}"
    return Outcome(True, reason, same)


def _is_shape(origin: Origin | None) -> bool:
    construct = "" if origin is None else origin.construct
    return construct.startswith(("@totalColumns", "definitions of"))


def _separator(package: Package) -> str:
    match = re.search(r"^Col Delim = (.*)$", package.tables[0].text, re.MULTILINE)
    return "," if match is None else match[1].replace(r"\t", "\t")


def _rows(data: Path, separator: str) -> list[list[str]]:
    with data.open(encoding="utf-8", errors="surrogateescape", newline="") as file:
        return list(csv.reader(file, delimiter=separator))


def places(
    package: Package, verdict: sculpt.Verdict
) -> Iterator[tuple[str, int | None, int | None, Origin | None]]:
    """Severity, row and column of each violation, and the source's rule.

    A key is found at its first part: for `$other/unique` that is another column than the rule's.
    """
    (table,) = package.tables
    lines = table.text.splitlines()
    numbers: dict[str, dict[int, int]] = {"key": {}, "require": {}}
    for number, line in enumerate(lines, 1):
        for kind, known in numbers.items():
            if line.lstrip().startswith(f"{kind}("):
                known[number] = len(known) + 1
    for each in verdict.violations:
        name = f"rule:{each.rule}"
        for kind, known in numbers.items():
            if each.line in known:
                name = f"{kind}:{known[each.line]}"
        origin = table.origins.get(name)
        column = each.column
        if each.code == "key" and origin is not None and origin.column is not None:
            column = origin.column
        yield each.severity, each.row, column, origin
