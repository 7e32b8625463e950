"""The tables of a run, and the keys and references between them.

In: a schema. Out: a `Plan`. A schema brings in other tables, each with a schema of its own, which
may bring in more. They are numbered here, and each key or reference is said over these numbers, so
that whoever gathers entries needs no names.

Invariant: table 0 is the one that the schema describes; the others come in the order of the text,
each before those that it brings in. A statement is found in the files of its left side, except that
a row of the right side with several cells of a part is found there. Cost: linear in the schemas.
"""

from __future__ import annotations

from collections.abc import Iterator

from sculpt.core import ir
from sculpt.schema import Schema, Table
from sculpt.values import frozen, replace


@frozen
class PlannedTable:
    """A table of a run."""

    number: int
    schema: Schema
    table: Table | None
    """How it was brought in; `None` for the main one."""
    name: str | None = None
    """What calls and reports name it: `Depts`, or `Depts.Cities` for a table of that table."""


@frozen
class Identity:
    """A key or a reference, over the numbers of tables."""

    statement: ir.CoreKey | ir.CoreReference
    left: int
    right: int | None
    """`None` for a key."""

    @property
    def left_parts(self) -> tuple[ir.CorePart, ...]:
        """The parts of a key, or of the left side."""
        each = self.statement
        return each.parts if isinstance(each, ir.CoreKey) else each.left.parts

    @property
    def right_parts(self) -> tuple[ir.CorePart, ...]:
        """The parts of the right side; a key has none."""
        each = self.statement
        return () if isinstance(each, ir.CoreKey) else each.right.parts

    @property
    def spans_files(self) -> bool:
        """Are all files of the tables compared with each other, not each with itself?

        A reference within one table stays within a file; a key says what it wants.
        """
        if isinstance(self.statement, ir.CoreKey):
            return self.statement.across
        return self.left != self.right


@frozen
class Plan:
    """All tables of a run, and all keys and references."""

    tables: tuple[PlannedTable, ...]
    identities: tuple[Identity, ...]
    """Table by table, in the order of their schemas: keys, then references."""


def plan_of(schema: Schema) -> Plan:
    """The tables and identities of a schema, and of the tables that it brings in."""
    tables: list[PlannedTable] = []
    identities: list[Identity] = []
    _add(schema, None, "", tables, identities)
    return Plan(tuple(tables), tuple(identities))


def seen_by(plan: Plan, number: int) -> Schema:
    """The schema of a table, with all statements that can be violated in its files.

    A reference of another schema may be about its rows, and one of its own about another table.
    It is for reports: nothing can be validated by it.
    """
    schema = plan.tables[number].schema
    about = tuple(
        each.statement
        for each in plan.identities
        if number in (each.left, each.right) and isinstance(each.statement, ir.CoreReference)
    )
    return replace(schema, core=replace(schema.core, references=about))


def _add(
    schema: Schema,
    table: Table | None,
    within: str,
    tables: list[PlannedTable],
    found: list[Identity],
) -> int:
    number = len(tables)
    name = None if table is None else within + table.name
    tables.append(PlannedTable(number, schema, table, name))
    own: list[Identity] = []
    at = len(found)
    names: dict[str | None, int] = {None: number}
    for each in schema.tables:
        inner = "" if name is None else f"{name}."
        names[each.name] = _add(each.schema, each, inner, tables, found)
    own.extend(_identities(schema.core, names))
    found[at:at] = own
    return number


def _identities(core: ir.CoreSchema, names: dict[str | None, int]) -> Iterator[Identity]:
    for key in core.keys:
        yield Identity(key, names[None], None)
    for reference in core.references:
        yield Identity(reference, names[reference.left.table], names[reference.right.table])
