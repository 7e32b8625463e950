"""Schemas of metadata: columns, keys, and references that are resolved later.

In: a schema description and what it inherits. Out: a `TableSchema` without foreign keys, and its
foreign keys as they were written: their targets are known only once all tables of the group are
("Metadata Vocabulary", sections 5.5 and 5.6).

Invariant: names of columns are unique, virtual columns come last, and every name that a key uses is
that of a column; what breaks this is an error or a warning, as the standard says.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

from sculpt.interchange.csvw.language_tags import UNDEFINED
from sculpt.interchange.csvw.model import Column, ForeignKey, Table, TableSchema, Titles
from sculpt.interchange.csvw.reading import inherited
from sculpt.interchange.csvw.reading.common import common_properties
from sculpt.interchange.csvw.reading.inherited import Inherited, read_inherited, with_inherited
from sculpt.interchange.csvw.reading.properties import (
    Object,
    Scope,
    check_names,
    check_type,
    flag,
    identifier,
    link,
    names,
    objects,
    shown,
    titles,
)
from sculpt.values import field, frozen

_SCHEMA = inherited.NAMES | {"@id", "@type", "columns", "foreignKeys", "primaryKey", "rowTitles"}
_COLUMN = inherited.NAMES | {"@id", "@type", "name", "suppressOutput", "titles", "virtual"}
_NAME = re.compile(r"(?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2})(?:\.?(?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2}))*")


@frozen(eq=False)
class WrittenKey:
    """A foreign key of which only the columns on this side are known."""

    columns: tuple[str, ...]
    target: Scope
    """The scope of its `reference`."""
    reference: Object


@frozen(eq=False)
class ReadSchema:
    """A schema, its foreign keys as written, and what its columns inherit from it."""

    schema: TableSchema = TableSchema()
    keys: tuple[WrittenKey, ...] = ()
    inherited: Inherited = field(default_factory=dict)
    has_columns: bool = False
    names: tuple[str, ...] = ()
    """The names of columns that references can use: those that were written."""


def read_schema(scope: Scope, given: Object, around: Sequence[Inherited]) -> ReadSchema:
    """A schema description; `around` is what the group and the table give its columns."""
    check_names(scope, given, _SCHEMA, "a schema")
    check_type(scope, given, "Schema")
    own = read_inherited(scope, given)
    described = objects(scope, given, "columns")
    columns = tuple(
        _column(scope.below("columns", ix), item, number, (*around, own))
        for number, (ix, item) in enumerate(described, 1)
    )
    _check_columns(scope, columns)
    # Only a name that was written can be referred to (section 5.1.4).
    known = tuple(
        column.name
        for column, (_, item) in zip(columns, described, strict=True)
        if item.get("name") == column.name
    )
    schema = TableSchema(
        columns,
        names(scope, given, "primaryKey", known),
        names(scope, given, "rowTitles", known),
        id=identifier(scope, given),
        common=common_properties(scope, given),
        place=scope.place,
    )
    keys = tuple(
        key
        for ix, item in objects(scope, given, "foreignKeys")
        if (key := _written_key(scope.below("foreignKeys", ix), item, known)) is not None
    )
    has_columns = any(not column.virtual for column in columns)
    return ReadSchema(schema, keys, own, has_columns, known)


# ------------------------------------------------------------- columns


def _column(scope: Scope, given: Object, number: int, around: Sequence[Inherited]) -> Column:
    check_names(scope, given, _COLUMN, "a column")
    check_type(scope, given, "Column")
    found = titles(scope, given)
    virtual = flag(scope, given, "virtual")
    column = Column(
        number,
        None if virtual else number,
        _name(scope, given) or name_of(found, scope.language, number),
        found,
        virtual,
        suppress_output=flag(scope, given, "suppressOutput"),
        id=identifier(scope, given),
        common=common_properties(scope, given),
        place=scope.place,
    )
    return with_inherited(column, *around, read_inherited(scope, given))


def _name(scope: Scope, given: Object) -> str | None:
    if "name" not in given:
        return None
    value = given["name"]
    if isinstance(value, str) and _NAME.fullmatch(value) and not value.startswith("_"):
        return value
    message = f"{shown(value)} cannot be the name of a column: it is ignored"
    scope.warning(f"{message} (letters, digits, `_` and `.`, not beginning with `_`)", "name")
    return None


def name_of(found: Titles, language: str, number: int) -> str:
    """The name of a column that has none: its first title, or its number."""
    for tag, texts in found:
        if tag in (language, UNDEFINED):
            return quote(texts[0], safe="")
    return f"_col.{number}"


def _check_columns(scope: Scope, columns: Sequence[Column]) -> None:
    seen: dict[str, Column] = {}
    virtual: Column | None = None
    is_told = False
    for column in columns:
        if column.name in seen:
            message = f"the name `{column.name}` is that of an earlier column"
            scope.problems.error(column.place.below("name"), message)
        seen[column.name] = column
        if column.virtual:
            virtual = column
        elif virtual is not None and not is_told:
            is_told = True
            message = f"virtual columns come last, but `{virtual.name}` comes before this one"
            scope.problems.error(column.place, message)


# ------------------------------------------------------------- foreign keys


def _written_key(scope: Scope, given: Object, known: Sequence[str]) -> WrittenKey | None:
    for name in given:
        if name not in ("columnReference", "reference"):
            scope.error(f"a foreign key cannot have `{name}`", name)
    columns = _required_names(scope, given, known)
    reference = given.get("reference")
    if not isinstance(reference, Mapping):
        scope.error("a foreign key needs a `reference`, which is an object")
        return None
    return WrittenKey(columns, scope.below("reference"), reference) if columns else None


def _required_names(scope: Scope, given: Object, known: Sequence[str]) -> tuple[str, ...]:
    """A column reference that must be there: what is a warning elsewhere is an error."""
    value: Any = given.get("columnReference")
    listed = [value] if isinstance(value, str) else value
    if not isinstance(listed, list) or not listed:
        scope.error("`columnReference` must be the name of a column or an array of names")
        return ()
    for each in listed:
        if not isinstance(each, str) or each not in known:
            message = f"`columnReference` has {shown(each)}, which is the name of no column"
            scope.error(message, "columnReference")
            return ()
    return tuple(listed)


def resolve_key(key: WrittenKey, tables: Sequence[tuple[Table, ReadSchema]]) -> ForeignKey | None:
    """A foreign key with the table and columns that it refers to; `None` after an error."""
    scope, given = key.target, key.reference
    for name in given:
        if name not in ("resource", "schemaReference", "columnReference"):
            scope.error(f"the `reference` of a foreign key cannot have `{name}`", name)
    if ("resource" in given) == ("schemaReference" in given):
        scope.error("a `reference` has either `resource` or `schemaReference`, and not both")
        return None
    word = "resource" if "resource" in given else "schemaReference"
    url = link(scope, given, word)
    found = [
        (table, schema)
        for table, schema in tables
        if (table.url if word == "resource" else table.schema.id) == url
    ]
    if not found or url is None:
        scope.error(f"`{word}` {shown(given[word])} is no table of this group", word)
        return None
    if len(found) > 1 and word == "schemaReference":
        scope.error(f"several tables have the schema {shown(given[word])}", word)
        return None
    target, schema = found[0]
    columns = _required_names(scope, given, schema.names)
    if not columns:
        return None
    if len(columns) != len(key.columns):
        message = f"{len(key.columns)} columns cannot refer to {len(columns)}"
        scope.error(message, "columnReference")
        return None
    return ForeignKey(key.columns, target.url, columns, scope.place)
