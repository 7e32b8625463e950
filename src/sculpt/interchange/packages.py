"""Schema files of other systems to a `Package` of Sculpt texts, and a package to a `Schema`.

In: the path or the bytes of a file. Out: a `Package`; a `Schema`. A file that describes one table
and names no data becomes the schema of that table; any other becomes a schema that brings in its
tables, each with its data, and ties them together.

Invariant: what is loaded is the text that `sculpt import` prints. Cost: that of the importer.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from sculpt.core import ir
from sculpt.diagnostics import Source
from sculpt.errors import DataError, SchemaError, UsageError
from sculpt.interchange.access import Access, folder_of, is_web_url, one_error, read_file
from sculpt.interchange.builder import literal, note_comment
from sculpt.interchange.model import Note, Package, TableText
from sculpt.interchange.places import in_source
from sculpt.schema import Schema, Table
from sculpt.syntax import ast
from sculpt.values import replace

NO_ACCESS = Access()


def import_file(name: str, kind: str | None = None, access: Access = NO_ACCESS) -> Package:
    """What a foreign schema file, or one at a URL, says, as Sculpt texts."""
    if is_web_url(name):
        return import_bytes(name, access.found(name).body, kind, access)
    try:
        body = read_file(name)
    except DataError as error:
        raise UsageError(error.message) from None
    return import_bytes(name, body, kind, access)


def import_bytes(
    name: str, body: bytes, kind: str | None = None, access: Access = NO_ACCESS
) -> Package:
    """What the bytes of a foreign schema say, as Sculpt texts."""
    from sculpt.interchange.detect import KINDS, document_of, importer_of, kind_of

    folder = folder_of(name)
    if kind is not None:
        if kind not in KINDS:
            raise UsageError(f"unknown kind `{kind}`; the kinds are {', '.join(KINDS)}")
        return importer_of(kind)(document_of(kind, name, body, folder), access)
    found = kind_of(name, body, folder)
    if found is None:
        kinds = ", ".join(KINDS.values())
        raise UsageError(f"{name}: is not a schema of another system; those are {kinds}")
    return importer_of(found[0])(found[1], access)


# ------------------------------------------------------------- a package as a schema


def schema_of_package(
    package: Package, name: str, settings: Iterable[str] = (), access: Access = NO_ACCESS
) -> Schema:
    """The schema of what was imported from the file of a name."""
    folder = folder_of(name)
    listed = tuple(settings)
    if package.is_single:
        source = _source(only_of(package), name, folder, package.kind)
        return _imported(source, listed, package)

    paths = _data_paths(package.tables, name, folder, access)

    def data(table: TableText) -> str | None:
        return None if table.data is None else paths[table.name, table.data]

    shelf: dict[str, Source] = {}
    for each in files_of(package, data):
        shelf[each.file_name] = replace(_source(each, name, folder, package.kind), shelf=shelf)
    tie = tie_of(package, data)
    source = replace(_source(tie, name, folder, package.kind), shelf=shelf)
    return _imported(source, listed, package)


def _imported(source: Source, settings: Sequence[str], package: Package) -> Schema:
    """The schema of a text; errors about the text are said of what it was made from."""
    try:
        return Schema.imported(source, settings, package.data_notes)
    except SchemaError as error:
        found = dict.fromkeys(in_source(each) for each in error.diagnostics)
        raise SchemaError(tuple(found), error.files or (source.name,)) from None


def _source(table: TableText, name: str, folder: str, kind: str) -> Source:
    # Only Data Packages say where the files are whose sizes and check sums they name.
    files = folder if kind == "frictionless" and not is_web_url(folder) else None
    return Source(name, table.text, folder, origins=table.origins, files=files)


def _data_paths(
    tables: Sequence[TableText], name: str, folder: str, access: Access
) -> dict[tuple[str, str], str | None]:
    """Where the data of tables is, checked, all of it; relative to the folder of the schema."""
    listed = [part for table in tables for part in (*table.parts, table)]
    found: dict[tuple[str, str], str | None] = {}
    errors: list[UsageError | DataError] = []
    for table in listed:
        if table.data is None or (table.name, table.data) in found:
            continue
        found[table.name, table.data] = None
        try:
            what = f"{name}, table `{table.name}`"
            found[table.name, table.data] = access.data_path(table.data, folder, what)
        except (UsageError, DataError) as error:
            errors.append(error)
    if errors:
        raise one_error(errors)
    return found


def files_of(package: Package, data: Callable[[TableText], str | None]) -> list[TableText]:
    """The texts of all tables, and of those that they look into, each with its `include`s."""
    found: dict[str, TableText] = {}
    for table in package.tables:
        for part in table.parts:
            found.setdefault(part.file_name, part)
        found[table.file_name] = _with_includes(table, table.parts, data)
    return list(found.values())


def tie_of(package: Package, data: Callable[[TableText], str | None]) -> TableText:
    """The text that brings in all tables of a package, each with its `data`, and ties them."""
    tie = package.tie or TableText("", "", {})
    return _with_includes(tie, package.tables, data, package.notes)


def only_of(package: Package) -> TableText:
    """The text of a package that is one schema."""
    (only,) = package.tables
    return _with_includes(only, (), lambda _: None, package.notes)


def _with_includes(
    tie: TableText,
    tables: Sequence[TableText],
    data: Callable[[TableText], str | None],
    notes: Sequence[Note] = (),
) -> TableText:
    """A text, after the `include`s of some tables, and comments about what is not in it."""
    if not tables and not notes:
        return tie
    lines = []
    for table in tables:
        path = data(table)
        end = "" if path is None else f" for {literal(path)}"
        lines.append(f"include {literal(table.file_name)} as {table.name}{end}")
    for note in notes:
        lines += [*([""] if lines else []), *note_comment(note)]
    head, rest = _split_head(tie.text)
    text = "\n".join((*head, *lines, *([""] if rest else []), *rest)) + "\n"
    return replace(tie, text=text)


def _split_head(text: str) -> tuple[list[str], list[str]]:
    """The comment that a text begins with, and its other lines."""
    lines = text.removesuffix("\n").split("\n") if text else []  # literals have other line ends
    at = 0
    while at < len(lines) and lines[at].startswith("%"):
        at += 1
    if at < len(lines) and lines[at]:
        at = 0  # the comment is about the statement below it
    head = [*lines[:at], ""] if at else []
    return head, [*lines[at + 1 :]] if at else lines


def for_data(schema: Schema, data: Sequence[str]) -> Schema:
    """The schema to use for given data: that of the table that it is data of, in a package.

    It brings in the tables that references between it and others need.
    """
    if not (data and schema.is_package):
        return schema
    wanted = {each.name for path in data for each in _tables_of(path, schema.tables)}
    tables = [each for each in schema.tables if each.name in wanted] or list(schema.tables)
    if len(tables) == 1:
        return _with_references(tables[0], schema)
    names = ", ".join(f"`{each.name}`" for each in schema.tables)
    raise UsageError(
        f"{schema.source.name} describes {len(schema.tables)} tables ({names}): say whose data it"
        f" is with `--table {schema.tables[0].name}=PATH`, or give no data"
    )


def _tables_of(path: str, tables: Sequence[Table]) -> list[Table]:
    """The tables whose data is the file at a path; if there is none, a file of its name."""
    known = [(each.data, each) for each in tables if each.data is not None]
    place, name = os.path.realpath(path), os.path.basename(path)
    same = [each for data, each in known if os.path.realpath(data) == place]
    return same or [each for data, each in known if os.path.basename(data) == name]


def _with_references(table: Table, package: Schema) -> Schema:
    """The schema of a table of a package, with the references between it and other tables.

    Their lines come after those of its own text, so that a line names one statement.
    """
    own, known = table.schema, table.schema.origins
    end = own.source.text.count("\n")
    statements, references, needed = [*own.statements], [*own.core.references], set[str | None]()
    written = [each for each in package.statements if isinstance(each, ast.Reference)]
    for number, (statement, each) in enumerate(
        zip(written, package.core.references, strict=True), 1
    ):
        sides = {each.left.table, each.right.table}
        if table.name in sides:
            needed |= sides - {table.name}
            statements.append(_seen_from(table, statement))
            references.append(_seen_from(table, replace(each, line=end + each.line)))
            known[f"reference:{len(references)}"] = package.origins[f"reference:{number}"]
    others = tuple(each for each in package.tables if each.name in needed)
    return replace(
        own,
        source=replace(own.source, origins=known),
        statements=tuple(statements),
        core=replace(own.core, references=tuple(references)),
        tables=(*own.tables, *others),
        notes=package.notes,
    )


_Reference = TypeVar("_Reference", ast.Reference, ir.CoreReference)


def _seen_from(table: Table, reference: _Reference) -> _Reference:
    """A reference as the schema of a table says it, where the table has no name."""
    left, right = reference.left, reference.right
    if left.table == table.name:
        left = replace(left, table=None)
    if right.table == table.name:
        right = replace(right, table=None)
    return replace(reference, left=left, right=right)
