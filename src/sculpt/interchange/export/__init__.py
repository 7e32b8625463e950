"""From Sculpt to other systems: Data Packages, CSVW metadata and CSV Schema.

In: a `Schema`, and the name of a target. Out: `Exported`: the files, and a note for each statement
that the target cannot express, with its line. A schema fits if its rules are about columns of a
rectangle; what a rule means decides, not how it is written.

Invariant: what is exported rejects no more than the notes and `docs/export.md` say. Cost: linear in
the schema, apart from rules that combine many alternatives.
"""

from __future__ import annotations

import json
import os
import urllib.parse
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeAlias
from typing import Literal as OneOf

from sculpt.errors import UsageError
from sculpt.origins import Note
from sculpt.schema import Schema
from sculpt.values import frozen, replace

if TYPE_CHECKING:
    from sculpt.interchange.export.meaning.sheets import Sheet

Target: TypeAlias = OneOf["frictionless", "csvw", "csv-schema"]
TARGETS: Mapping[str, str] = {
    "frictionless": "a Data Package",
    "csvw": "CSVW metadata",
    "csv-schema": "CSV Schema",
}


@frozen
class Exported:
    """What a schema is in another system."""

    files: Mapping[str, str]
    """The text of each file, by its name."""
    notes: tuple[Note, ...] = ()
    """What the other system cannot express, and was left out."""


def export(
    schema: Schema,
    to: str,
    *,
    strict: bool = False,
    data: str | None = None,
    name: str = "",
    folder: str | None = None,
) -> Exported:
    """A schema in the terms of another system.

    `data` is the path of the data of the schema's own table, `name` the name of that table; both
    are made from the name of the schema if they are not given. Paths of data are seen from
    `folder`, where the files will be; it is that of the schema if it is not given. With `strict`, a
    statement that has no counterpart is an error.
    """
    from sculpt.interchange.export.meaning.tables import sheets_of, table_name

    if to not in TARGETS:
        raise UsageError(f"unknown target `{to}`; the targets are {', '.join(TARGETS)}")
    own = name or table_name(schema)
    start = schema.source.folder if folder is None else folder
    sheets = [
        replace(sheet, data=_relative(sheet.data, start)) for sheet in sheets_of(schema, own, data)
    ]
    notes: list[Note]
    match to:
        case "frictionless":
            from sculpt.interchange.export.targets.frictionless import package_of

            package, notes = package_of(sheets, own)
            files = {"datapackage.json": _json(package)}
        case "csvw":
            from sculpt.interchange.export.targets.csvw import metadata_of

            metadata, notes = metadata_of(sheets)
            files = {_metadata_name(sheets, own): _json(metadata)}
        case _:
            from sculpt.interchange.export.targets.csv_schema import schemas_of

            files, notes = schemas_of(sheets)
    unique = tuple(sorted(dict.fromkeys(notes), key=lambda note: note.place.line or 0))
    if strict and unique:
        listed = "\n".join(f"  {note}" for note in unique)
        raise UsageError(f"{TARGETS[to]} cannot express all of the schema:\n{listed}")
    return Exported(files, unique)


def _metadata_name(sheets: list[Sheet], own: str) -> str:
    """The name under which CSVW looks for the metadata of a table: that of its data, and more."""
    if own == "csv-metadata":
        return "csv-metadata.json"  # that of all tables of a folder
    is_main = len(sheets) == 1 or sheets[0].name == own
    path = urllib.parse.urlsplit(sheets[0].data or "").path if is_main else ""
    data = urllib.parse.unquote(path.rpartition("/")[2]) or f"{own}.csv"
    return f"{data}-metadata.json"


def _relative(data: str | None, folder: str) -> str | None:
    """The path of data as seen from a folder; URLs stay as they are."""
    if data is None or "://" in data:
        return data
    start = os.path.realpath(folder or os.curdir)
    return os.path.relpath(os.path.realpath(data), start).replace(os.sep, "/")


def _json(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"
