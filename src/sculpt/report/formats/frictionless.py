"""Reports in the shape that Frictionless gives them: a task for each file, with its error types.

In: a `Report`. Out: one JSON document with `valid`, `stats`, `warnings`, `errors` and `tasks`. A
violation of a schema that was imported from a Data Package has the type of error that Frictionless
has for the same fault; for others, the nearest type. What only warns is a text among the warnings.

Invariant: the `Report` of Frictionless reads the document; a task is valid exactly if its file is
valid in the run. `stats.errors` counts all errors, also those that the report does not hold. Cost:
linear in the violations.
"""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Iterable
from functools import cached_property
from typing import Any, TypeAlias

from sculpt.core import ir
from sculpt.core.datatypes.model import Condition
from sculpt.core.datatypes.reading import holds
from sculpt.interchange.export.meaning.alternatives import Vocabulary
from sculpt.interchange.export.meaning.atoms import Typed
from sculpt.interchange.export.meaning.headers import Header, header_of
from sculpt.report.formats.checks import Report
from sculpt.report.formats.documents import json_text
from sculpt.report.tables import table_mark
from sculpt.schema import Schema
from sculpt.syntax.regular import letters
from sculpt.values import frozen
from sculpt.verdict import Unread, Verdict, Violation

Members: TypeAlias = dict[str, Any]
_TABLE, _FILE = ("#table",), ("#file",)
_RESOURCE: tuple[str, ...] = ()
_ROW, _HEADER = (*_TABLE, "#row"), (*_TABLE, "#header")
_CELL, _LABEL = (*_ROW, "#cell"), (*_HEADER, "#label")
KINDS: dict[str, tuple[tuple[str, ...], str]] = {
    "type-error": (_CELL, "The text of the cell is not a value of the type of its field."),
    "constraint-error": (_CELL, "The value of the cell does not keep a constraint of its field."),
    "unique-error": (_CELL, "The value of the cell is in the same field of an earlier row."),
    "missing-cell": (_CELL, "The row ends before this field."),
    "extra-cell": (_CELL, "The row has more cells than the table has fields."),
    "forbidden-value": (_CELL, "The value of the cell is not allowed."),
    "sequential-value": (_CELL, "The value of the cell does not follow the one before it."),
    "truncated-value": (_CELL, "The value of the cell may have been cut off."),
    "ascii-value": (_CELL, "The cell has characters that are not ASCII."),
    "cell-error": (_CELL, "Something is wrong with the cell."),
    "blank-row": (_ROW, "No cell of the row has a value."),
    "primary-key": (_ROW, "An earlier row has the same primary key, or the row has none."),
    "foreign-key": (_ROW, "No row of the other table has these values."),
    "duplicate-row": (_ROW, "An earlier row has the same cells."),
    "row-constraint": (_ROW, "The row does not keep a condition."),
    "row-error": (_ROW, "Something is wrong with the row."),
    "blank-label": (_LABEL, "A label of the header has no text."),
    "duplicate-label": (_LABEL, "Two labels of the header are the same."),
    "incorrect-label": (_LABEL, "A label of the header is not the name of its field."),
    "missing-label": (_LABEL, "The header has no label for a field."),
    "extra-label": (_LABEL, "The header has a label for which there is no field."),
    "blank-header": (_HEADER, "No label of the header has a text."),
    "unmatched-header": (_HEADER, "No field has its label in the header."),
    "field-count": (_TABLE, "The table has another number of fields."),
    "row-count": (_TABLE, "The table has another number of rows."),
    "table-dimensions": (_TABLE, "The table has another size."),
    "required-value": (_TABLE, "A value that must be there is not."),
    "deviated-value": (_TABLE, "A value is far from the others."),
    "deviated-cell": (_TABLE, "A cell is much longer than the others."),
    "table-error": (_TABLE, "Something is wrong with the table."),
    "source-error": (_RESOURCE, "The data cannot be read as a table."),
    "encoding-error": (_RESOURCE, "The data cannot be decoded."),
    "hash-count": (_FILE, "The file has another hash."),
    "byte-count": (_FILE, "The file has another size."),
}
"""The types of errors: their tags, and what they mean, in our words."""
_NEAREST = {
    "key-several": "row-error",
    "reference-none": "foreign-key",
    "reference-several": "foreign-key",
    "require": "row-constraint",
    "unique": "table-error",
    "unique-per-row": "row-error",
    "undecodable": "encoding-error",
    "unclosed-quote": "source-error",
    "text-after-quote": "source-error",
    "nul-byte": "source-error",
}


def frictionless_lines(report: Report) -> Iterable[str]:
    """The document of a run."""
    tasks = [_task(report, outcome) for outcome in report.run.outcomes]
    stats = {
        "tasks": len(tasks),
        "errors": sum(task["stats"]["errors"] for task in tasks),
        "warnings": sum(task["stats"]["warnings"] for task in tasks),
    }
    document = {
        "valid": report.run.valid,
        "stats": stats,
        "warnings": [],
        "errors": [],
        "tasks": tasks,
    }
    return [json_text(document, indent=2)]


def _task(report: Report, outcome: Verdict | Unread) -> Members:
    name = outcome.table or os.path.splitext(os.path.basename(outcome.path))[0]
    task: Members = {
        "name": re.sub(r"[^-a-z0-9._/]+", "-", name.lower()).strip("-") or "table",
        "type": "table",
        "valid": report.run.is_valid(outcome),
        "place": outcome.path,
    }
    if isinstance(outcome, Unread):
        error = _described("source-error", outcome.message, outcome.message)
        stats = {"errors": 1, "warnings": 0}
        return {**task, "labels": [], "stats": stats, "warnings": [], "errors": [error]}
    facts = Facts(report.schema_of(outcome))
    warned = [each for each in outcome.violations if each.severity == "warning"]
    warnings = [_sentence(outcome, each) for each in warned]
    warnings += [each.message for each in outcome.warnings]
    stats = {
        "errors": outcome.violation_count,
        "warnings": outcome.warning_violation_count + len(outcome.warnings),
        "fields": outcome.columns,
        "rows": max(outcome.rows - facts.header_rows, 0),
    }
    errors = [_error(each, facts) for each in outcome.violations if each.severity != "warning"]
    return {
        **task,
        "labels": list(facts.labels),
        "stats": stats,
        "warnings": warnings,
        "errors": errors,
    }


def _sentence(outcome: Verdict, violation: Violation) -> str:
    places = (("row", violation.row), ("column", violation.column))
    where = ", ".join(f"{axis} {number}" for axis, number in places if number is not None)
    return f"{outcome.path}{table_mark(outcome)}: {where or 'the table'}: {violation.message}"


# ------------------------------------------------------------- what is known of a schema


@frozen(slots=False)
class Facts:
    """What a report needs to know about the schema of a file."""

    schema: Schema

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """Its tokens."""
        return Vocabulary(self.schema.core.tokens)

    @cached_property
    def header(self) -> Header:
        """Its header."""
        return header_of(self.schema.core.rules, self.vocabulary)

    @property
    def header_rows(self) -> int:
        """How many rows are not data."""
        return self.header.heading_row or 0

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """The headings, as far as the schema says what they are."""
        known = self.header.headings
        return tuple(known[n][0] if n in known else "" for n in range(1, max(known, default=0) + 1))

    def label(self, column: int | None) -> str:
        """The heading of a column; empty if it is not known."""
        is_known = column is not None and 1 <= column <= len(self.labels)
        return self.labels[column - 1] if is_known and column is not None else ""

    @cached_property
    def endings(self) -> dict[tuple[str, int | None], ir.Ending]:
        """The clauses of statements, by kind and line; those of rules by their number."""
        core = self.schema.core
        found: dict[tuple[str, int | None], ir.Ending] = {
            ("rule", rule.number): rule.ending for rule in core.rules
        }
        listed = (("unique", core.uniques), ("key", core.keys), ("reference", core.references))
        for kind, statements in listed:
            found |= {(kind, each.line): each.ending for each in statements}
        return found | {("require", each.line): each.ending for each in self.schema.requires}

    def ending(self, violation: Violation) -> ir.Ending:
        """The clause of the statement that is violated."""
        if violation.rule is not None:
            return self.endings.get(("rule", violation.rule), ir.Ending())
        kinds = [violation.code.partition("-")[0]]
        kinds += ["reference"] if violation.code == "key-several" else []
        found = (self.endings.get((kind, violation.line)) for kind in kinds)
        return next((each for each in found if each is not None), ir.Ending())

    def nearest(self, violation: Violation) -> str:
        """The type of error of a violation whose statement comes from nowhere else."""
        if violation.code in _NEAREST:
            return _NEAREST[violation.code]
        if violation.code == "key":
            key = next((k for k in self.schema.core.keys if k.line == violation.line), None)
            return "unique-error" if key is not None and len(key.parts) == 1 else "primary-key"
        if violation.rule in self.header.rules:
            return "missing-label" if violation.column is None else "incorrect-label"
        if violation.row is None:
            return "table-error"
        if violation.found is None:
            return "missing-cell"
        return self._of_cell(violation, violation.found)

    def _of_cell(self, violation: Violation, text: str) -> str:
        """Is a text not of the type, or is it, and does not keep what else is asked of it?"""
        if not text:
            return "constraint-error"
        rule = self.schema.core.rules[(violation.rule or 1) - 1]
        names = {each.symbol.name for each in letters(rule.content) if not each.symbol.is_type}
        bases = {
            sign.atom.base
            for name in names
            for each in self.vocabulary.alternatives(ir.Has(name)) or ()
            for sign in each
            if sign.holds and isinstance(sign.atom, Typed)
        }
        is_typed = any(holds(Condition(base), text) for base in bases)
        return "type-error" if bases and not is_typed else "constraint-error"


# ------------------------------------------------------------- errors


def _described(kind: str, message: str, note: str) -> Members:
    tags, description = KINDS[kind]
    return {
        "type": kind,
        "title": kind.replace("-", " ").title(),
        "description": description,
        "message": message,
        "tags": list(tags),
        "note": note,
    }


def _error(violation: Violation, facts: Facts) -> Members:
    ending = facts.ending(violation)
    origin = ending.origin
    kind = origin.kind if origin is not None and origin.kind in KINDS else facts.nearest(violation)
    tags = KINDS[kind][0]
    if tags in (_CELL, _ROW) and violation.row is None:
        kind, tags = "table-error", _TABLE
    note = origin.construct if origin is not None else violation.message
    found = _described(kind, violation.message, note)
    column = violation.column
    if column is None and origin is not None:
        column = origin.column
    cells = _cells(violation, facts)
    if column is None and tags == _CELL:
        column = len(cells) + 1  # the row ends too early
    name = (origin.field if origin is not None else None) or facts.label(column)
    cell = violation.found or ""
    if tags == _CELL:
        place = {"rowNumber": violation.row, "fieldName": name, "fieldNumber": column}
        return {**found, "cells": cells, "cell": cell, **place}
    if tags == _ROW:
        target = _reference(violation, facts, cell) if kind == "foreign-key" else {}
        return {**found, "cells": cells, "rowNumber": violation.row, **target}
    if tags in (_LABEL, _HEADER):
        labels = cells or list(facts.labels)
        header = {"labels": labels, "rowNumbers": [violation.row or 1]}
        if tags == _HEADER:
            return {**found, **header}
        return {**found, **header, "label": cell, "fieldName": name, "fieldNumber": column or 1}
    return found


def _reference(violation: Violation, facts: Facts, cell: str) -> Members:
    """What a foreign key refers to."""
    references = facts.schema.core.references
    own = next((each for each in references if each.line == violation.line), None)
    return {
        "fieldNames": [] if own is None else [_region(part) for part in own.left.parts],
        "fieldCells": [cell],
        "referenceName": "" if own is None else own.right.table or "",
        "referenceFieldNames": [] if own is None else [_region(part) for part in own.right.parts],
    }


def _region(part: ir.CorePart) -> str:
    """The region of a part, without its filter and its type."""
    return part.text.partition(" and ")[0].partition(" as ")[0]


def _cells(violation: Violation, facts: Facts) -> list[str]:
    """The cells of the row, as far as the report has it."""
    excerpt, dialect = violation.excerpt, facts.schema.core.dialect
    delimiter = dialect.col_delim
    is_usual = delimiter.pattern is None and len(delimiter.text) == 1
    if excerpt is None or excerpt.cut or not (is_usual and dialect.reads_quotes_simply):
        return [] if violation.found is None else [violation.found]
    rows = csv.reader(
        [excerpt.text],
        delimiter=delimiter.text,
        quotechar=dialect.quote or '"',
        quoting=csv.QUOTE_MINIMAL if dialect.quote else csv.QUOTE_NONE,
        escapechar=dialect.escape,
        doublequote=dialect.escape is None,
    )
    try:
        return next(iter(rows), [])
    except csv.Error:
        return [] if violation.found is None else [violation.found]
