"""`sculpt explain`: what keys and references gather, and how their parts are found.

In: the keys and references of a `CoreSchema`, and an explainer for each table. Out: an
`IdentityExplanation` each. Invariant: the class and the passes of a side are those of a rule with
the same selectors. Cost: as for rules.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING
from typing import Literal as OneOf

from sculpt.core import ir
from sculpt.values import frozen

if TYPE_CHECKING:
    from sculpt.core.facts.explain import Explainer, RuleExplanation


@frozen
class SideExplanation:
    """What is gathered of one table, and how its cells are found."""

    table: str | None
    """`None` for the table that the schema describes."""
    gathered: str
    compared: str
    selectors: RuleExplanation
    """The facts about all parts together."""


@frozen
class IdentityExplanation:
    """The facts about a key or a reference; a key has one side."""

    kind: OneOf["key", "reference"]
    line: int
    text: str
    sides: tuple[SideExplanation, ...]
    spans_files: bool
    """Are the files of a table compared with each other, not each with itself?"""


def explain_identities(
    schema: ir.CoreSchema, explainers: Mapping[str | None, Explainer]
) -> Iterator[IdentityExplanation]:
    """All keys, then all references; an explainer for each table, `None` for the main one."""
    for key in schema.keys:
        side = _side("key", key, ir.CoreSide(None, key.parts), explainers)
        yield IdentityExplanation("key", key.line, key.text, (side,), key.across)
    for each in schema.references:
        sides = tuple(
            _side("reference", each, side, explainers) for side in (each.left, each.right)
        )
        is_between = each.left.table != each.right.table
        yield IdentityExplanation("reference", each.line, each.text, sides, is_between)


def _side(
    kind: OneOf["key", "reference"],
    statement: ir.CoreKey | ir.CoreReference,
    side: ir.CoreSide,
    explainers: Mapping[str | None, Explainer],
) -> SideExplanation:
    first, *others = (part.selector for part in side.parts)
    selectors = explainers[side.table].entry(
        kind, None, statement.line, statement.text, first, letters=tuple(others)
    )
    compared = "; ".join(map(_compared, side.parts))
    return SideExplanation(side.table, _gathered(side.parts), compared, selectors)


def _gathered(parts: tuple[ir.CorePart, ...]) -> str:
    what = "row that has a cell of each part" if len(parts) > 1 else "cell"
    lists = [part.text for part in parts if part.items is not None]
    if lists:
        return f"an entry for each item of `{lists[0]}` in each {what}"
    return f"an entry for each {what}"


def _compared(part: ir.CorePart) -> str:
    if not part.bases:
        return f"`{part.text}` by text"
    types = " or ".join(dict.fromkeys(base.type for base in part.bases))
    read = "" if part.text.endswith(f" as {types}") else f", read as `{types}`"
    return f"`{part.text}` by value{read}"
