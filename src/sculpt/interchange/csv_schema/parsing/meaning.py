"""What a well-formed CSV Schema must not say.

In: a schema as it was read, and the cursor that read it. Out: errors, noted at the cursor: columns
that are defined twice or referred to but not defined, a number of columns that is not that of the
definitions, expressions that are not Java's.

Invariant: each expression is looked at once, wherever it is nested. Cost: linear in the schema.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from sculpt.diagnostics import Suggestions
from sculpt.interchange.csv_schema.java import expressions as java
from sculpt.interchange.csv_schema.model import (
    Both,
    Check,
    Checksum,
    Choice,
    ColumnRef,
    Compare,
    Concat,
    CsvSchema,
    Dated,
    DateParts,
    Either,
    Expression,
    FileCount,
    FileExists,
    Group,
    IntegrityCheck,
    Length,
    Literal,
    NoExt,
    Place,
    Provider,
    Range,
    Regex,
    Simple,
    Single,
    Unique,
    UriDecode,
)
from sculpt.interchange.csv_schema.parsing.cursor import Cursor


def check(schema: CsvSchema, cursor: Cursor, is_complete: bool) -> None:
    """Note what is wrong; columns are not counted or missed if some lines could not be read."""
    if is_complete:
        _check_total(schema, cursor)
        _check_references(schema, cursor)
    _check_names(schema, cursor)
    for column in schema.columns:
        for rule in column.rules:
            for single in singles(rule):
                if isinstance(single.check, Regex):
                    _check_regex(single.check, cursor)


def _check_total(schema: CsvSchema, cursor: Cursor) -> None:
    count = len(schema.columns)
    if schema.total_columns not in (None, count):
        message = f"`@totalColumns {schema.total_columns}`, but {count} columns are defined"
        place = schema.place_of("totalColumns")
        cursor.note("foreign-meaning", place, message, f"write `@totalColumns {count}`")


def _check_names(schema: CsvSchema, cursor: Cursor) -> None:
    first: dict[str, Place] = {}
    for column in schema.columns:
        known = first.setdefault(column.name, column.place)
        if known is not column.place:
            line = cursor.document.source.position(known.start)[0]
            message = f"the column `{column.name}` is defined already, in line {line}"
            cursor.note("foreign-meaning", column.place, message, "names must differ")


def _check_references(schema: CsvSchema, cursor: Cursor) -> None:
    names = {column.name for column in schema.columns}
    near = Suggestions(names)
    for column in schema.columns:
        for reference in (each for rule in column.rules for each in references(rule)):
            if reference.name not in names:
                guess = near.closest(reference.name)
                hint = f"did you mean `${guess}`?" if guess else "every column has a line `name:`"
                message = f"there is no column `{reference.name}`"
                cursor.note("foreign-meaning", reference.place, message, hint)


def _check_regex(check: Regex, cursor: Cursor) -> None:
    try:
        java.parse(check.pattern)
    except java.JavaError as error:
        if not error.is_valid_in_java:
            start = check.place.start + error.start
            place = Place(start, max(start + 1, check.place.start + error.end))
            cursor.note("foreign-meaning", place, str(error), error.hint)


# ------------------------------------------------------------- walks


def singles(expression: Expression) -> Iterator[Single]:
    """All checks in an expression."""
    match expression:
        case Single():
            yield expression
        case Both() | Either() | Group():
            for part in expression.parts:
                yield from singles(part)
        case Choice():
            for case in expression.cases:
                yield from singles(case.condition)
                for part in case.then:
                    yield from singles(part)
            for part in expression.otherwise:
                yield from singles(part)
        case _:
            assert_never(expression)


def references(expression: Expression) -> Iterator[ColumnRef]:
    """All columns that an expression refers to."""
    for single in singles(expression):
        if single.context is not None:
            yield single.context
        for provider in providers(single.check):
            yield from _columns(provider)


def providers(check: Check) -> tuple[Provider, ...]:
    """The texts that a check uses."""
    match check:
        case Compare():
            return check.values
        case DateParts():
            return check.parts
        case Unique():
            return check.columns
        case FileExists(root):
            return () if root is None else (root,)
        case Checksum(root, file) | FileCount(root, file):
            return (file,) if root is None else (root, file)
        case IntegrityCheck(root):
            return () if root is None else (root,)
        case Regex() | Range() | Length() | Simple() | Dated():
            return ()
    assert_never(check)


def _columns(provider: Provider) -> Iterator[ColumnRef]:
    match provider:
        case ColumnRef():
            yield provider
        case Literal():
            pass
        case Concat():
            for part in provider.parts:
                yield from _columns(part)
        case NoExt():
            yield from _columns(provider.of)
        case UriDecode():
            yield from _columns(provider.of)
            if provider.charset is not None:
                yield from _columns(provider.charset)
        case _:
            assert_never(provider)
