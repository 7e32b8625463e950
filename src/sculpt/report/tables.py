"""Which schema a file of a run is about: the main one, or that of another table.

In: the schema of a run. Out: by the name of a table, its schema with all statements that can be
violated in its files; and how reports name the table of a file. Cost: nothing for a schema without
other tables.
"""

from __future__ import annotations

from collections.abc import Mapping

from sculpt.schema import Schema
from sculpt.verdict import Unread, Verdict


def schemas_of(schema: Schema) -> Mapping[str | None, Schema]:
    """The schemas of all tables; that of the main one is at `None`."""
    if not schema.tables:
        return {None: schema}
    from sculpt.checks.plan import plan_of, seen_by

    plan = plan_of(schema)
    return {table.name: seen_by(plan, table.number) for table in plan.tables}


def table_mark(outcome: Verdict | Unread) -> str:
    """What comes after the path of a file of another table: ` [Depts]`."""
    return "" if outcome.table is None else f" [{outcome.table}]"
