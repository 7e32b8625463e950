"""Tables as a Data Package (version 2): a resource for each, with dialect, schema, keys and links.

In: the sheets of a schema. Out: the descriptor, and notes on what it cannot say. Invariant: names
of resources are unique and as the standard wants them; the names of fields are the headings, which
Table Schema compares. Cost: linear in the sheets.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, TypeAlias

from sculpt.core.dialect import Dialect
from sculpt.interchange.export.meaning.domains import Domain, without_specials
from sculpt.interchange.export.meaning.gaps import SOME_CELLS, left_aside, with_gaps
from sculpt.interchange.export.meaning.sheets import (
    Column,
    Key,
    Link,
    Part,
    Sheet,
    left_out,
    short,
    uncompared,
    without_columns,
)
from sculpt.interchange.export.targets.fitting import fitted, narrowed
from sculpt.interchange.export.targets.frictionless_fields import field_of
from sculpt.origins import Note, Spot

Members: TypeAlias = dict[str, Any]
INHERENT = frozenset(
    (
        "source-error",
        "blank-header",
        "blank-label",
        "duplicate-label",
        "incorrect-label",
        "missing-label",
        "extra-label",
        "blank-row",
        "missing-cell",
        "extra-cell",
    )
)
"""Errors that Frictionless finds in every table: no descriptor asks for them."""
PROFILE = "https://datapackage.org/profiles/2.0/datapackage.json"


def package_of(sheets: list[Sheet], name: str) -> tuple[Members, list[Note]]:
    """The descriptor of a Data Package."""
    names = _resource_names(sheets)
    notes: list[Note] = []
    resources = [_resource(sheet, names, sheets, notes) for sheet in sheets]
    package: Members = {"$schema": PROFILE, "name": _slug(name)}
    if sheets and sheets[0].documentation:
        package["description"] = sheets[0].documentation
    return {**package, "resources": resources}, notes


def _slug(name: str) -> str:
    return re.sub(r"[^a-z0-9._]+", "-", name.lower()).strip("-") or "table"


def _resource_names(sheets: list[Sheet]) -> dict[str, str]:
    found: dict[str, str] = {}
    for sheet in sheets:
        base = slug = _slug(sheet.name)
        number = 1
        while slug in found.values():
            number += 1
            slug = f"{base}-{number}"
        found[sheet.name] = slug
    return found


def _resource(
    sheet: Sheet, names: Mapping[str, str], sheets: list[Sheet], notes: list[Note]
) -> Members:
    reason = "a condition between cells has no counterpart"
    notes += [left_out(each.said, reason) for each in sheet.comparisons]
    notes += [
        left_out(left.said, left.reason) for left in sheet.left if left.said.kind not in INHERENT
    ]
    resource: Members = {
        "name": names[sheet.name],
        "type": "table",
        "path": sheet.data or f"{names[sheet.name]}.csv",
        "format": "csv",
        "mediatype": "text/csv",
    }
    resource["encoding"] = sheet.dialect.encoding or "utf-8"
    if sheet.checksum:
        resource["hash"] = sheet.checksum
    if sheet.size is not None:
        resource["bytes"] = sheet.size
    notes += without_columns(sheet)
    notes += uncompared(sheet, map(field_name, sheet.columns))
    dialect = _dialect(sheet, notes)
    if dialect:
        resource["dialect"] = dialect
    if sheet.columns:
        resource["schema"] = _schema(sheet, names, sheets, notes)
    return resource


# ------------------------------------------------------------- the dialect


def _dialect(sheet: Sheet, notes: list[Note]) -> Members:
    dialect = sheet.dialect
    found: Members = _header(sheet)
    if dialect.comment is not None:
        found["commentChar"] = dialect.comment
    if dialect.blank_rows == "skip":
        found["skipBlankRows"] = True
    return {**found, **csv_dialect(dialect, sheet, notes, "Table Dialect")}


def _header(sheet: Sheet) -> Members:
    """Which rows are not data."""
    if sheet.header == 0:
        return {"header": False}
    if sheet.heading_row is None and not sheet.columns:
        return {} if sheet.header == 1 else {"headerRows": [sheet.header]}
    if sheet.heading_row is None:
        return {"header": False, "commentRows": list(range(1, sheet.header + 1))}
    others = [row for row in range(1, sheet.header + 1) if row != sheet.heading_row]
    found: Members = {"headerCase": False} if sheet.ignores_case else {}
    if sheet.heading_row != 1:
        found["headerRows"] = [sheet.heading_row]
    if others:
        found["commentRows"] = others
    return found


def csv_dialect(dialect: Dialect, sheet: Sheet, notes: list[Note], system: str) -> Members:
    """What Table Dialect and CSVW call the same."""
    found: Members = {}
    if dialect.layouts or dialect.col_delim.pattern is not None:
        what = "fixed widths" if dialect.layouts else "a delimiter that is an expression"
        notes.append(Note(f"{what}: {system} has none", Spot(sheet.name)))
    elif dialect.col_delim.text != ",":
        found["delimiter"] = dialect.col_delim.text
    if dialect.row_delim is not None:
        found["lineTerminator"] = dialect.row_delim
    if dialect.quote is None:
        found["quoteChar"] = ""
    elif dialect.quote != '"':
        found["quoteChar"] = dialect.quote
    if dialect.escape is not None:
        found |= {"doubleQuote": False, "escapeChar": dialect.escape}
    if dialect.stray_quotes == "text":
        notes.append(Note(f"quotes that are text: {system} cannot say so", Spot(sheet.name)))
    if dialect.escape != dialect.bare_escape:
        what = "on quotes" if dialect.escapes == "quotes" else "inside quotes"
        message = f"an escape that acts {what} alone: in {system} it acts on any character"
        notes.append(Note(message, Spot(sheet.name)))
    if dialect.trim_left:
        found["skipInitialSpace"] = True
    return found


# ------------------------------------------------------------- the schema


def field_name(column: Column) -> str:
    """The name of a field: its heading."""
    return column.headings[0] if column.headings else column.name or f"field{column.number}"


def _part_name(sheet: Sheet, part: Part) -> str:
    return part.heading or field_name(sheet.column(part.column))


def _schema(
    sheet: Sheet, names: Mapping[str, str], sheets: list[Sheet], notes: list[Note]
) -> Members:
    fields: list[Members] = []
    domains: dict[int, Domain] = {}
    for column in sheet.columns:
        if len(column.headings) > 1 and sheet.heading_row is not None:
            texts = ", ".join(f"`{each}`" for each in column.headings[1:])
            message = f"column {column.number} may also have the heading {texts}"
            notes.append(Note(f"{message}; a field has one name", Spot(sheet.name)))
        members, domain, left = fitted(column, sheet.vocabulary, field_of)
        notes += [*left, *narrowed(column, domain)]
        domains[column.number] = with_gaps(domain, column, sheet, sheets)
        fields.append({"name": field_name(column), **_described(column), **members})
    schema: Members = {"fields": fields}
    if sheet.match != "exact":
        schema["fieldsMatch"] = sheet.match
    missing = [list(without_specials(domains[each.number]).missing) for each in sheet.columns]
    _add_missing(schema, missing)
    _add_keys(schema, sheet, domains, notes)
    links = [_foreign_key(link, sheet, names, sheets, domains, notes) for link in sheet.links]
    known = [link for link in links if link is not None]
    if known:
        schema["foreignKeys"] = known
    return schema


def _described(column: Column) -> Members:
    title, description = short(column.documentation)
    found = {"title": title, "description": description}
    return {name: text for name, text in found.items() if text}


def _add_missing(schema: Members, marks: list[list[str]]) -> None:
    """Missing values: of the schema if all fields have the same, otherwise of the fields."""
    if all(each == marks[0] for each in marks):
        if marks[0] != [""]:
            schema["missingValues"] = marks[0]
        return
    for field, own in zip(schema["fields"], marks, strict=True):
        if own != [""]:
            field["missingValues"] = own


def _add_keys(
    schema: Members, sheet: Sheet, domains: Mapping[int, Domain], notes: list[Note]
) -> None:
    for key in sheet.keys:
        if key.said.is_warning:
            notes.append(left_out(key.said, "a warning has no counterpart, only errors do"))
            continue
        if key.across:
            notes.append(left_out(key.said, "a key across files has no counterpart"))
            continue
        if not _have_values(key.parts, sheet, domains):
            notes.append(left_out(key.said, SOME_CELLS))
            continue
        fields = [_part_name(sheet, part) for part in key.parts]
        if "primaryKey" not in schema and _is_primary(key, domains):
            schema["primaryKey"] = fields
        elif len(fields) == 1:
            field = schema["fields"][key.parts[0].column - 1]
            field["constraints"] = {**field.get("constraints", {}), "unique": True}
        else:
            schema.setdefault("uniqueKeys", []).append(fields)


def _have_values(parts: tuple[Part, ...], sheet: Sheet, domains: Mapping[int, Domain]) -> bool:
    """Are the cells that have a value those that take part?"""
    for part in parts:
        texts = left_aside(sheet, part)
        missing = set(domains[part.column].missing)
        if texts is None or (texts and not {"", *texts} & missing <= set(texts) <= missing):
            return False
    return True


def _is_primary(key: Key, domains: Mapping[int, Domain]) -> bool:
    """Is it the primary key, whose cells cannot be empty? The source says so, or the columns."""
    if key.said.kind:
        return key.said.kind == "primary-key"
    return all(domains[part.column].is_required for part in key.parts)


def _foreign_key(
    link: Link,
    sheet: Sheet,
    names: Mapping[str, str],
    sheets: list[Sheet],
    domains: Mapping[int, Domain],
    notes: list[Note],
) -> Members | None:
    if link.said.is_warning:
        notes.append(left_out(link.said, "a warning has no counterpart, only errors do"))
        return None
    other = next(each for each in sheets if each.name == link.table)
    is_whole = all(left_aside(other, part) is not None for part in link.targets)
    if not (is_whole and _have_values(link.parts, sheet, domains)):
        notes.append(left_out(link.said, SOME_CELLS))
        return None
    target = {part.column for part in link.targets}
    if not link.several and not any(
        {part.column for part in key.parts} <= target for key in other.keys
    ):
        reason = "a foreign key may occur there several times"
        said = link.said
        message = f"{said.name} is exported without a part of it: {reason}{said.quoted}"
        notes.append(Note(message, said.place, "or write `~>+`"))
    resource = "" if other is sheet else names[other.name]
    return {
        "fields": [_part_name(sheet, part) for part in link.parts],
        "reference": {
            "resource": resource,
            "fields": [_part_name(other, part) for part in link.targets],
        },
    }
