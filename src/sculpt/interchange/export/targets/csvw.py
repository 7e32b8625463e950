"""Tables as CSVW metadata: a table description for each, in a group if there are several.

In: the sheets of a schema. Out: the metadata, and notes on what it cannot say. Invariant: names of
columns are unique in their table, and as the vocabulary wants them. Cost: linear in the sheets.
"""

from __future__ import annotations

import re
import urllib.parse
from typing import Any, TypeAlias

from sculpt.interchange.export.meaning.gaps import NO_VALUE, left_aside
from sculpt.interchange.export.meaning.sheets import (
    Key,
    Link,
    Sheet,
    left_out,
    short,
    uncompared,
    without_columns,
)
from sculpt.interchange.export.targets.csvw_types import column_of
from sculpt.interchange.export.targets.fitting import fitted, narrowed
from sculpt.origins import Note, Spot

Members: TypeAlias = dict[str, Any]
CONTEXT = "http://www.w3.org/ns/csvw"
_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.]*")
_NAME = re.compile(r"(?:[A-Za-z0-9.]|%[0-9A-Fa-f]{2})(?:[A-Za-z0-9_.]|%[0-9A-Fa-f]{2})*")
_WARNING = "a warning has no counterpart, only errors do"


def metadata_of(sheets: list[Sheet]) -> tuple[Members, list[Note]]:
    """The metadata of some tables."""
    notes: list[Note] = []
    names = {sheet.name: _names(sheet) for sheet in sheets}
    tables = [_table(sheet, sheets, names, notes) for sheet in sheets]
    head: Members = {"@context": CONTEXT}
    if len(tables) == 1:
        return {**head, **tables[0]}, notes
    return {**head, "tables": tables}, notes


def url_of(sheet: Sheet) -> str:
    """The URL of the data of a table, relative to the metadata."""
    return sheet.data or f"{sheet.name}.csv"


def _names(sheet: Sheet) -> dict[int, str]:
    """The names of the columns: of the source, or made of the region's name or the heading."""
    sources = {each.number: each.source for each in sheet.columns if _NAME.fullmatch(each.source)}
    found = sources if len(set(sources.values())) == len(sources) else {}
    for column in sheet.columns:
        if column.number in found:
            continue
        plain = [text for text in column.headings if _PLAIN.fullmatch(text)]
        wish = next(filter(None, (*plain, column.name, *column.headings)), "")
        words = re.sub(r"[^\w.]+", "_", wish).strip("_.")
        base = name = urllib.parse.quote(words, safe="") or f"col{column.number}"
        number = 1
        while name in found.values():
            number += 1
            name = f"{base}_{number}"
        found[column.number] = name
    return found


def _table(
    sheet: Sheet, sheets: list[Sheet], names: dict[str, dict[int, str]], notes: list[Note]
) -> Members:
    reason = "a condition between cells has no counterpart"
    notes += [left_out(each.said, reason) for each in sheet.comparisons]
    notes += [left_out(left.said, left.reason) for left in sheet.left]
    if sheet.blank_rows is not None:
        notes.append(left_out(sheet.blank_rows, "blank rows cannot be forbidden"))
    if sheet.match != "exact":
        message = "columns that are found by their headings: in CSVW they have places"
        notes.append(Note(message, Spot(sheet.name)))
    if sheet.ignores_case:
        message = "headings in any case: CSVW compares them as they are"
        notes.append(Note(message, Spot(sheet.name)))
    if sheet.checksum:
        notes.append(Note("the check sum of the file: CSVW has none", Spot(sheet.name)))
    if sheet.size is not None:
        notes.append(Note("the size of the file: CSVW has none", Spot(sheet.name)))
    own = names[sheet.name]
    notes += [*without_columns(sheet), *uncompared(sheet, own.values())]
    columns = []
    for column in sheet.columns:
        members, domain, left = fitted(column, sheet.vocabulary, column_of)
        notes += [*left, *narrowed(column, domain)]
        title, description = short(column.documentation)
        described = {"dc:title": title, "dc:description": description}
        titles: Members = {}
        if column.headings and sheet.heading_row is not None:
            texts = list(column.headings)
            titles["titles"] = texts[0] if len(texts) == 1 else texts
        columns.append(
            {
                "name": own[column.number],
                **titles,
                **{name: text for name, text in described.items() if text},
                **members,
            }
        )
    schema: Members = {"columns": columns}
    _add_keys(schema, sheet, own, notes)
    links = [_foreign_key(link, sheet, sheets, names, notes) for link in sheet.links]
    known = [link for link in links if link is not None]
    if known:
        schema["foreignKeys"] = known
    described = {"dc:description": sheet.documentation} if sheet.documentation else {}
    return {
        "url": url_of(sheet),
        **described,
        "dialect": _dialect(sheet, notes),
        "tableSchema": schema,
    }


def _dialect(sheet: Sheet, notes: list[Note]) -> Members:
    dialect = sheet.dialect
    # CSVW skips lines that begin with `#` unless a dialect says otherwise.
    found: Members = {"commentPrefix": dialect.comment, "trim": _trim(sheet)}
    if dialect.layouts or dialect.col_delim.pattern is not None:
        what = "fixed widths" if dialect.layouts else "a delimiter that is an expression"
        notes.append(Note(f"{what}: CSVW has none", Spot(sheet.name)))
    elif dialect.col_delim.text != ",":
        found["delimiter"] = dialect.col_delim.text
    # A line feed takes the carriage return before it along, as in CSVW if a dialect says nothing.
    if dialect.row_delim not in (None, "\n"):
        found["lineTerminators"] = [dialect.row_delim]
    if dialect.quote != '"':
        found["quoteChar"] = dialect.quote
    if dialect.escape is not None:
        found["doubleQuote"] = False
        if dialect.escape != "\\":
            message = f"the escape character `{dialect.escape}`: CSVW has only the backslash"
            notes.append(Note(message, Spot(sheet.name)))
    if dialect.stray_quotes == "text":
        notes.append(Note("quotes that are text: CSVW has none", Spot(sheet.name)))
    if dialect.escape != dialect.bare_escape:
        what = "on quotes" if dialect.escapes == "quotes" else "inside quotes"
        message = f"an escape that acts {what} alone: in CSVW it acts on any character"
        notes.append(Note(message, Spot(sheet.name)))
    if dialect.blank_rows == "skip":
        found["skipBlankRows"] = True
    if dialect.encoding is not None:
        found["encoding"] = dialect.encoding
    return {**found, **_header(sheet)}


def _trim(sheet: Sheet) -> bool | str:
    left, right = sheet.dialect.trim_left, sheet.dialect.trim_right
    if left == right:
        return left
    return "start" if left else "end"


def _header(sheet: Sheet) -> Members:
    """Which rows are not data; those before the headings are skipped."""
    if sheet.heading_row is None:
        skipped = {"skipRows": sheet.header} if sheet.header else {}
        return {"header": False, **skipped}
    found: Members = {}
    if sheet.heading_row > 1:
        found["skipRows"] = sheet.heading_row - 1
    count = sheet.header - sheet.heading_row + 1
    if count > 1:
        found["headerRowCount"] = count
    return found


# ------------------------------------------------------------- keys


def _add_keys(schema: Members, sheet: Sheet, names: dict[int, str], notes: list[Note]) -> None:
    for key in _primary_first(sheet.keys):
        if key.said.is_warning:
            notes.append(left_out(key.said, _WARNING))
        elif key.across:
            notes.append(left_out(key.said, "a key across files has no counterpart"))
        elif any(left_aside(sheet, part) != () for part in key.parts):
            notes.append(left_out(key.said, NO_VALUE))
        elif "primaryKey" in schema:
            notes.append(left_out(key.said, "CSVW has one key a table"))
        else:
            schema["primaryKey"] = [names[part.column] for part in key.parts]


def _primary_first(keys: tuple[Key, ...]) -> list[Key]:
    return sorted(keys, key=lambda key: key.said.kind not in ("", "primary-key"))


def _has_places(link: Link) -> bool:
    return all(part.column for part in (*link.parts, *link.targets))


def _foreign_key(
    link: Link,
    sheet: Sheet,
    sheets: list[Sheet],
    names: dict[str, dict[int, str]],
    notes: list[Note],
) -> Members | None:
    if link.said.is_warning:
        notes.append(left_out(link.said, _WARNING))
        return None
    if not _has_places(link):
        notes.append(left_out(link.said, "a part of it is found by its heading only"))
        return None
    if link.several:
        notes.append(left_out(link.said, "CSVW wants exactly one row that is referred to"))
        return None
    if any(left_aside(sheet, part) != () for part in link.parts):
        notes.append(left_out(link.said, NO_VALUE))
        return None
    other = next(each for each in sheets if each.name == link.table)
    return {
        "columnReference": [names[sheet.name][part.column] for part in link.parts],
        "reference": {
            "resource": url_of(other),
            "columnReference": [names[other.name][part.column] for part in link.targets],
        },
    }
