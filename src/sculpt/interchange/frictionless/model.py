"""A Data Package as values: resources, dialects, schemas, fields, each with its place.

In: nothing. Out: the classes that `descriptors` fills and `tables` writes Sculpt text from. Names
are those of the standard (https://datapackage.org), in English words.

Invariant: what is here has the shape that the standard asks for; what had not was reported, or
noted, by `descriptors`. Defaults of the standard are filled in.
"""

from __future__ import annotations

from typing import Any

from sculpt.diagnostics import Diagnostic
from sculpt.interchange.documents import JsonDocument, pointer_of
from sculpt.origins import Spot
from sculpt.values import field, frozen


@frozen
class At:
    """A place in a descriptor: a document, and the path to a part of it."""

    document: JsonDocument = field(repr=False)
    path: tuple[str | int, ...] = ()

    @property
    def pointer(self) -> str:
        """The JSON pointer."""
        return pointer_of(self.path)

    @property
    def spot(self) -> Spot:
        """The place as origins and notes have it."""
        return self.document.spot(self.pointer)

    def to(self, *parts: str | int) -> At:
        """A place below this one."""
        return At(self.document, (*self.path, *parts))

    def problem(self, code: str, message: str, hint: str | None = None) -> Diagnostic:
        """An error at this place."""
        return self.document.problem(code, self.pointer, message, hint)


@frozen
class Constraint:
    """A constraint of a field: `minimum`, `pattern`, … and its value as JSON has it."""

    name: str
    value: Any
    at: At


@frozen
class Field:
    """A field of a table schema."""

    name: str
    type: str
    format: str
    at: At
    options: dict[str, Any]
    """`decimalChar`, `groupChar`, `bareNumber`, `trueValues`, `falseValues`, `delimiter`,
    `itemType`, as far as they are given."""
    constraints: tuple[Constraint, ...] = ()
    missing: tuple[str, ...] | None = None
    """Texts that stand for no value in this field; `None`: those of the schema."""
    title: str = ""

    def constraint(self, name: str) -> Constraint | None:
        """The constraint of a name."""
        return next((each for each in self.constraints if each.name == name), None)

    @property
    def is_required(self) -> bool:
        """Must each cell have a value?"""
        found = self.constraint("required")
        return found is not None and found.value is True


@frozen
class ForeignKey:
    """Fields that refer to those of a resource; of the same one if `resource` is empty."""

    fields: tuple[str, ...]
    resource: str
    targets: tuple[str, ...]
    at: At


@frozen
class FieldNames:
    """The fields of a primary or a unique key."""

    fields: tuple[str, ...]
    at: At


@frozen
class TableSchema:
    """A table schema."""

    at: At
    fields: tuple[Field, ...]
    fields_match: str = "exact"
    missing: tuple[str, ...] = ("",)
    primary_key: FieldNames | None = None
    unique_keys: tuple[FieldNames, ...] = ()
    foreign_keys: tuple[ForeignKey, ...] = ()

    def number_of(self, name: str) -> int | None:
        """The position of a field, from 1."""
        return next((ix for ix, each in enumerate(self.fields, 1) if each.name == name), None)


@frozen
class Dialect:
    """How the rows of a file are written."""

    at: At
    delimiter: str | None = None
    line_terminator: str | None = None
    quote: str = '"'
    double_quote: bool = True
    escape: str | None = None
    skip_initial_space: bool = False
    null_sequence: str | None = None
    header_rows: tuple[int, ...] = (1,)
    """Empty if there is no header."""
    header_join: str = " "
    is_case_sensitive: bool = True
    comment: str | None = None
    comment_rows: tuple[int, ...] = ()
    skip_blank_rows: bool = False


@frozen
class Checklist:
    """Checks of the framework beyond the standard, and which errors are wanted."""

    at: At
    checks: tuple[tuple[At, dict[str, Any]], ...] = ()
    picked: tuple[str, ...] = ()
    """Types or tags of the errors that are wanted; all if it is empty."""
    skipped: tuple[str, ...] = ()


@frozen
class Resource:
    """A resource that is a table."""

    at: At
    name: str
    paths: tuple[str, ...]
    """Relative to the folder of the descriptor; none if the data is inline, or not named."""
    dialect: Dialect
    schema: TableSchema | None
    title: str = ""
    encoding: str | None = None
    bytes: int | None = None
    hash: str | None = None
    rows: int | None = None
    checklist: Checklist | None = None

    @property
    def is_by_label(self) -> bool:
        """Do labels decide which field a column is?"""
        is_exact = self.schema is None or self.schema.fields_match == "exact"
        return not is_exact and bool(self.dialect.header_rows)
