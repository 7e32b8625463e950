"""Primary, unique and foreign keys to `key(…)` and `~>+`.

In: the keys of a schema, and the columns of its fields. Out: statements in the builder; those
between tables go to the builder of what ties them.

Invariant: values are compared by their type where both sides have one of the same kind, and as
texts elsewhere. A row that lacks a part is no entry, as in SQL; the parts of a primary key are
required (Table Schema, "primaryKey"). Cost: linear.
"""

from __future__ import annotations

from collections.abc import Sequence

from sculpt.interchange.builder import SchemaBuilder, literal
from sculpt.interchange.frictionless.columns.constraints import Column
from sculpt.interchange.frictionless.columns.gaps import Gaps
from sculpt.interchange.frictionless.headings import Layout
from sculpt.interchange.frictionless.model import FieldNames, ForeignKey, TableSchema
from sculpt.origins import Note, Origin
from sculpt.values import replace

_FAMILIES = {"integer": "number", "number": "number"}


def write_keys(
    schema: TableSchema, columns: dict[str, Column], builder: SchemaBuilder, resource: str
) -> None:
    """The keys of a table that are about itself."""
    builder.gap()
    if schema.primary_key is not None:
        names, spot = schema.primary_key.fields, schema.primary_key.at.spot
        construct = f"primaryKey {', '.join(names)}"
        _note_forms(schema.primary_key, columns, builder)
        parts = [columns[each].part(builder) for each in names]
        builder.key(parts, Origin(construct, spot, "primary-key"))
        for each in names:
            column = columns[each]
            origin = Origin(
                f'{construct}: field "{each}" has a value', spot, "primary-key", column.number, each
            )
            builder.rule(column.region, column.gaps.given(builder), origin)
    for key in schema.unique_keys:
        construct = f"uniqueKeys {', '.join(key.fields)}"
        _note_forms(key, columns, builder)
        parts = [columns[each].part(builder) for each in key.fields]
        builder.key(parts, Origin(construct, key.at.spot, "unique-error"))
    for foreign in schema.foreign_keys:
        if foreign.resource in ("", resource):
            targets = [columns[each] for each in foreign.targets]
            write_reference(foreign, [columns[each] for each in foreign.fields], targets, builder)


def _note_forms(key: FieldNames, columns: dict[str, Column], builder: SchemaBuilder) -> None:
    """Say of which fields of a key only the texts are compared, though they have values."""
    for column in (columns[each] for each in key.fields):
        if column.has_forms:
            what = f'field "{column.field.name}": two ways of writing one {column.field.type}'
            builder.note(Note(f"{what} count as different in a key", key.at.spot))


def write_reference(
    key: ForeignKey,
    left: Sequence[Column],
    right: Sequence[Column],
    builder: SchemaBuilder,
    names: tuple[str, str] | None = None,
) -> None:
    """A foreign key; `names` are those of the tables if there are two."""
    parts = [_pair(one, other) for one, other in zip(left, right, strict=True)]
    for one, other in zip(left, right, strict=True):
        if one.field.type == "list" or other.field.type == "list":
            message = "a foreign key of lists is about their items"
            builder.note(Note(message, key.at.spot))
        elif _family(one) != _family(other):
            message = (
                f"`{one.field.name}` and `{other.field.name}` have different types, and are"
                " compared as texts"
            )
            builder.note(Note(message, key.at.spot))
    sides = [", ".join(each[0] for each in parts), ", ".join(each[1] for each in parts)]
    if names is not None:
        sides = [f"{name}({side})" for name, side in zip(names, sides, strict=True)]
    to = f"{key.resource}: " if key.resource else ""
    construct = f"foreignKeys {', '.join(key.fields)} to {to}{', '.join(key.targets)}"
    number = left[0].number if len(left) == 1 else None
    field = left[0].field.name if len(left) == 1 else None
    origin = Origin(construct, key.at.spot, "foreign-key", number, field)
    if sides[0] == sides[1]:
        return  # every value is one of its own column
    builder.reference(sides[0], sides[1], origin, several=True)


def _family(column: Column) -> str:
    return _FAMILIES.get(column.field.type, column.field.type) if column.kind.key else ""


def _pair(left: Column, right: Column) -> tuple[str, str]:
    if _family(left) == _family(right):
        return _typed_part(left), _typed_part(right)
    return left.values, right.values


def _typed_part(column: Column) -> str:
    """A part of a reference; definitions of another table cannot be added here."""
    return f"{column.values} as {column.kind.key}" if column.kind.key else column.values


def labelled_column(name: str, like: Column, layout: Layout) -> Column:
    """A column of a table without a schema, found by its label; its type is that of another."""
    region = f"down+(row({layout.top}) and {literal(name)})"
    field = replace(like.field, name=name)
    kind = replace(
        like.kind, name="String", key=like.kind.key if like.kind.key[:1].isupper() else ""
    )
    return Column(field, None, region, kind, Gaps("Null", "Text"))
