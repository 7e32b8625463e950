"""Constraints of fields to rules and keys, each with an origin of its own.

In: a field, its region, its type. Out: statements in the builder.

The shapes that are written (`export` reads them back), for a field whose region is `Age`:

    required            `Age -> Text`, or `Age -> given` if other texts than the empty one are
                        missing
    minimum 5, …        `Age minimum := trimmed(Integer >= 5)`, `Age and integer -> Age minimum`
    minLength 2, …      `Name minLength := length(Text) >= 2`, `Name and Text -> Name minLength`
    pattern             `Name pattern = [A-Z]+`, `Name and Text -> Name pattern`
    enum                `Age enum := trimmed(Integer = 1 or Integer = 2)`, `Age and integer -> Age
                        enum`; `categories` alike
    unique              `key(Age and integer as Integer)`

Invariant: a rule of a constraint selects only cells that have a value of the type, so that one
fault is one violation. Cost: linear in the constraints.
"""

from __future__ import annotations

import json
from typing import Any

from sculpt.interchange.builder import SchemaBuilder
from sculpt.interchange.frictionless.columns.bounds import bound_of
from sculpt.interchange.frictionless.columns.fields import FALSE, TRUE, Typed
from sculpt.interchange.frictionless.columns.gaps import Gaps
from sculpt.interchange.frictionless.columns.patterns import NotTakenOverError, either, expression
from sculpt.interchange.frictionless.model import Constraint, Field
from sculpt.interchange.frictionless.reading.shapes import Findings, described
from sculpt.origins import Note, Origin
from sculpt.values import frozen

_SIGNS = {
    "minimum": ">=",
    "maximum": "<=",
    "exclusiveMinimum": ">",
    "exclusiveMaximum": "<",
}
_MAX_ITEMS = 10_000
"""The language counts no further."""
_MAX_LENGTH = 10**12 - 1
"""The longest that a bound can say; no text is longer."""
_SEVERAL_FORMS = ("boolean", "object", "array", "list", "geopoint", "integer", "number")
_LENGTHS = {"minLength": ">=", "maxLength": "<="}


@frozen
class Column:
    """A field where it stands in a table."""

    field: Field
    number: int | None
    """The column of the table, from 1; `None` if its label decides."""
    region: str
    """The name of its region."""
    kind: Typed
    gaps: Gaps

    @property
    def has_forms(self) -> bool:
        """Can a value be written in several ways, which keys take for different values?"""
        is_read = self.kind.key or self.kind.readable
        return self.field.type in _SEVERAL_FORMS and not is_read

    @property
    def values(self) -> str:
        """The selector of the cells that have a value of the type."""
        token = self.kind.name
        if token in ("", "String", "Any"):
            return f"{self.region} and {self.gaps.selector}"
        only = f" and not {self.gaps.texts}" if self.gaps.texts else ""
        reads_nothing = self.field.type == "list" or token == "xs:base64Binary"
        if reads_nothing and self.gaps.selector == "Text":
            only = " and Text"  # no text is a list without items, and data without bytes
        return f"{self.region} and {token}{only}"

    def part(self, builder: SchemaBuilder) -> str:
        """The cells that have a value, as a part of a key or a reference."""
        if self.kind.readable:
            return f"{self.values} as {self.compared(builder)}"
        return f"{self.values} as {self.kind.key}" if self.kind.key else self.values

    def compared(self, builder: SchemaBuilder) -> str:
        """The token of the texts whose values can be compared, if these are not all."""
        return builder.derived(f"{self.field.name} compared", self.kind.readable)

    def origin(self, kind: str, what: str, constraint: Constraint) -> Origin:
        """The origin of a statement about the field."""
        construct = f'field "{self.field.name}", {what}'
        return Origin(construct, constraint.at.spot, kind, self.number, self.field.name)


def write_constraint(
    column: Column, constraint: Constraint, builder: SchemaBuilder, findings: Findings
) -> None:
    """The statement of a constraint, or a note, or an error."""
    name, value = constraint.name, constraint.value
    match name:
        case "required":
            if value:
                origin = column.origin("constraint-error", "constraint required", constraint)
                builder.rule(column.region, column.gaps.given(builder), origin)
        case "unique":
            if value:
                _write_unique(column, constraint, builder)
        case "minLength" | "maxLength":
            _write_length(column, constraint, builder)
        case "pattern":
            _write_pattern(column, constraint, builder)
        case "enum" | "categories":
            _write_enum(column, constraint, builder, findings)
        case "jsonSchema":
            _leave_out(column, constraint, builder, "values are not checked by a JSON Schema")
        case _:
            _write_bound(column, constraint, builder, findings)


def _leave_out(
    column: Column, constraint: Constraint, builder: SchemaBuilder, why: str, hint: str = ""
) -> None:
    message = f'field "{column.field.name}", constraint {constraint.name}: {why}'
    builder.note(Note(message, constraint.at.spot, hint))


def _rule(
    column: Column, constraint: Constraint, builder: SchemaBuilder, token: str, shown: str
) -> None:
    selector = column.values
    if column.kind.readable:
        tokens = column.kind.around(column.compared(builder))
        readable = builder.derived(f"{column.field.name} readable", tokens)
        selector = f"{column.region} and {readable}"
    word = "" if constraint.name == "categories" else "constraint "
    what = f"{word}{constraint.name} {shown}"
    builder.rule(selector, token, column.origin("constraint-error", what, constraint))


def _wish(column: Column, constraint: Constraint) -> str:
    return f"{column.region} {constraint.name}"


def _write_unique(column: Column, constraint: Constraint, builder: SchemaBuilder) -> None:
    origin = column.origin("unique-error", "constraint unique", constraint)
    if column.has_forms:
        why = f"two ways of writing one {column.field.type} count as different"
        _leave_out(column, constraint, builder, why)
    builder.key([column.part(builder)], origin)


def _write_length(column: Column, constraint: Constraint, builder: SchemaBuilder) -> None:
    if column.field.type in ("array", "object"):
        _leave_out(column, constraint, builder, "the items of JSON are not counted")
        return
    if constraint.name == "minLength" and constraint.value == 0:
        return  # holds for every text
    if constraint.value > _MAX_LENGTH:
        if constraint.name == "minLength":
            _leave_out(column, constraint, builder, "no text is compared with so large a length")
        return
    operand = "String"
    if column.field.type == "list":
        if not column.kind.operands or constraint.value > _MAX_ITEMS:
            _leave_out(column, constraint, builder, "so many items are not counted")
            return
        operand = column.kind.operands[0]
    tokens = f"length({operand}) {_LENGTHS[constraint.name]} {constraint.value}"
    token = builder.derived(_wish(column, constraint), tokens)
    _rule(column, constraint, builder, token, str(constraint.value))


def _write_pattern(column: Column, constraint: Constraint, builder: SchemaBuilder) -> None:
    try:
        written = expression(constraint.value)
    except NotTakenOverError as reason:
        _leave_out(column, constraint, builder, str(reason))
        return
    token = builder.token(_wish(column, constraint), written)
    _rule(column, constraint, builder, token, constraint.value)


def _write_bound(
    column: Column, constraint: Constraint, builder: SchemaBuilder, findings: Findings
) -> None:
    kind, sign = column.kind, _SIGNS[constraint.name]
    if not kind.operands:
        why = "values written like this are not compared"
        _leave_out(column, constraint, builder, why)
        return
    limit = bound_of(column.field, kind, constraint.value)
    if limit is None:
        if kind.instant is not None and kind.instant.type.startswith("xs:g"):
            _leave_out(column, constraint, builder, "such dates are not compared")
            return
        message = f"{described(constraint.value)} is not a value of type `{column.field.type}`"
        findings.wrong(constraint.at, message)
        return
    if kind.readable:
        why = "only numbers with regular groups, without a `+` or an exponent, are compared"
        _leave_out(column, constraint, builder, why)
    compared = [f"{operand} {sign} {limit}" for operand in kind.operands]
    if column.field.type == "number":
        compared.append("INF" if sign.startswith(">") else '"-INF"')
    token = builder.derived(_wish(column, constraint), kind.around(" or ".join(compared)))
    _rule(column, constraint, builder, token, str(constraint.value))


def _write_enum(
    column: Column, constraint: Constraint, builder: SchemaBuilder, findings: Findings
) -> None:
    allowed = []
    for ix, value in enumerate(constraint.value):
        tokens = _enumerated(column, value)
        if tokens is None:
            message = f"{described(value)} is not a value of type `{column.field.type}`"
            findings.wrong(constraint.at.to(ix), message)
        elif tokens:
            allowed.append(tokens)
    if column.field.type in ("object", "array", "list", "geopoint", "geojson"):
        _leave_out(column, constraint, builder, "values of this type are compared as texts")
    if column.kind.readable:
        why = "only numbers with regular groups, without a `+` or an exponent, are compared"
        _leave_out(column, constraint, builder, why)
    if not allowed:
        return
    tokens = column.kind.around(" or ".join(dict.fromkeys(allowed)))
    token = builder.derived(_wish(column, constraint), tokens)
    shown = ", ".join(str(each) for each in constraint.value[:5])
    more = ", …" if len(constraint.value) > 5 else ""
    _rule(column, constraint, builder, token, shown + more)


def _enumerated(column: Column, value: Any) -> str | None:
    """The token of an allowed value; `None` if the type has no such value."""
    field, kind = column.field, column.kind
    if value is None or (isinstance(value, dict | list) and field.type in ("string", "any")):
        return None
    if field.type == "boolean":
        return _truth(field, value)
    if kind.operands and field.type != "list":
        limit = bound_of(field, kind, value)
        special = field.type == "number" and value in ("NaN", "INF", "-INF")
        if limit is None and not special and kind.instant is not None:
            return None
        if special:
            return either((str(value),))
        return None if limit is None else " or ".join(f"{each} = {limit}" for each in kind.operands)
    if isinstance(value, str):
        return either((value,))
    return either((json.dumps(value, ensure_ascii=False),))


def _truth(field: Field, value: Any) -> str | None:
    """The texts of a truth value."""
    true, false = field.options.get("trueValues", TRUE), field.options.get("falseValues", FALSE)
    if value is True or value in true:
        return either(true)
    return either(false) if value is False or value in false else None
