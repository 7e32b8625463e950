"""A CSV Schema as a Sculpt schema.

In: a document. Out: a `Package` of one table, which names no data. Each column is a token type by
its place; each expression becomes one statement: a rule if only the text of a cell matters, a key
for `unique`, a condition for what other columns and files matter to. The names of the columns, the
number of cells and an empty file are statements too.

Invariant: the statements are violated by exactly the rows that CSV Schema calls invalid, except
where a note says otherwise. A row that lacks cells is one violation; conditions about it wait until
it is complete. Cost: linear in the schema.
"""

from __future__ import annotations

import re
from pathlib import PurePath

from sculpt.interchange.access import Access
from sculpt.interchange.builder import SchemaBuilder, is_reserved, legal_name, literal
from sculpt.interchange.csv_schema import java
from sculpt.interchange.csv_schema.columns import ColumnImporter
from sculpt.interchange.csv_schema.model import CsvSchema, Place
from sculpt.interchange.csv_schema.parser import parse
from sculpt.interchange.documents import TextDocument
from sculpt.interchange.model import Origin, Package

_VERSION = re.compile(r"(?:\ufeff|\s|//[^\n]*\n|/\*.*?\*/)*version\s+\d", re.DOTALL)


def recognises(document: TextDocument) -> bool:
    """Does a text begin like a CSV Schema?"""
    return _VERSION.match(document.text) is not None


def read(document: TextDocument, access: Access | None = None) -> Package:
    """The table that a CSV Schema describes; raises `SchemaError`."""
    del access  # a CSV Schema refers to no other file
    schema = parse(document)
    name = PurePath(document.name).name
    builder = SchemaBuilder(f"{name}, CSV Schema {schema.version}.")
    _write_document(builder, schema)
    _write_columns(builder, document, schema)
    table = legal_name(PurePath(document.name).stem) or "table"
    return Package("csv-schema", (builder.build(table),))


def _write_document(builder: SchemaBuilder, schema: CsvSchema) -> None:
    """How the file becomes a table: RFC 4180, nothing trimmed, every line a row."""
    if schema.separator != ",":
        builder.directive("Col Delim", schema.separator)
    builder.directive("Trim", "none")
    builder.directive("Blank Rows", "keep")
    builder.gap()
    if schema.is_quoted:
        builder.comment("@quoted: cells may have quotes or not; their content is the same.")


def _write_columns(builder: SchemaBuilder, document: TextDocument, schema: CsvSchema) -> None:
    below = " and not row(1)" if schema.has_header else ""
    regions = {
        column.name: builder.region(_wish(column.name, number), f"col({number}){below} and Any")
        for number, column in enumerate(schema.columns, 1)
    }
    builder.gap()
    _write_shape(builder, document, schema, next(iter(regions.values())))
    for number, column in enumerate(schema.columns, 1):
        ColumnImporter(builder, document, regions, schema.has_header, number, column).write()


def _wish(name: str, number: int) -> str:
    """A name for a column: its own, unless that means something else in every schema."""
    for wish in (name, f"column {name}"):
        found = legal_name(wish)
        if found and not is_reserved(found):
            return wish
    return f"column {number}"


def _write_shape(
    builder: SchemaBuilder, document: TextDocument, schema: CsvSchema, first: str
) -> None:
    """The header, the number of cells in a row, and that there is a row at all."""
    columns = schema.columns
    place = document.spot(columns[0].place.start)
    if schema.has_header:
        names = [each.name for each in columns]
        cells = [_heading(builder, name, schema.ignores_header_case) for name in names]
        builder.rule("row(1)", ", ".join(cells), Origin("names of the columns", place), "=>")
    rows = "not row(1)" if schema.has_header else "true"
    count = len(columns)
    if schema.total_columns is not None:
        origin = _origin(document, schema.place_of("totalColumns"))
        builder.rule(rows, f"Any{{{count}}}", origin)
    else:
        word = "1 column" if count == 1 else f"{count} columns"
        builder.rule(rows, f"Any{{{count},}}", Origin(f"definitions of {word}", place))
    if not schema.permits_empty:
        builder.rule(first, "Any+", Origin("no @permitEmpty", place), "=>")


def _heading(builder: SchemaBuilder, name: str, ignores_case: bool) -> str:
    if not ignores_case or name.lower() == name.upper():
        return literal(name) if name else "Empty"
    return builder.token(f"heading {name}", java.escaped(name, True))


def _origin(document: TextDocument, place: Place) -> Origin:
    return Origin(document.text[place.start : place.end], document.spot(place.start))
