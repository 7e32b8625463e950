"""Schemas that were imported from another system: each statement with what it was there.

In: a core schema, and origins by `rule:3`, `key:1` and the like. Out: the schema, whose statements
carry their origins, so that violations name what their author wrote. Cost: linear.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from sculpt.core import ir
from sculpt.origins import Origin
from sculpt.values import replace

Stated = TypeVar("Stated", ir.CoreRule, ir.CoreUnique, ir.CoreKey, ir.CoreReference)


def with_origins(schema: ir.CoreSchema, origins: Mapping[str, Origin] | None) -> ir.CoreSchema:
    """The schema, its statements with their origins; the same if it was not imported."""
    if origins is None:
        return schema
    return replace(
        schema,
        rules=_imported("rule", schema.rules, origins),
        uniques=_imported("unique", schema.uniques, origins),
        keys=_imported("key", schema.keys, origins),
        references=_imported("reference", schema.references, origins),
    )


def _imported(
    kind: str, statements: tuple[Stated, ...], origins: Mapping[str, Origin]
) -> tuple[Stated, ...]:
    return tuple(
        replace(each, ending=each.ending.imported(origins.get(f"{kind}:{number}")))
        for number, each in enumerate(statements, 1)
    )
