"""Findings: violations as bare facts, without their words.

In: what an engine found, and where. Out: `Finding`s, which the narrator puts into words. Invariant:
a finding holds everything that orders and identifies a violation.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal as OneOf
from typing import TypeAlias, TypeVar

from sculpt.core import ir
from sculpt.syntax.ast import SeverityName
from sculpt.tabular.grid import Defect
from sculpt.values import frozen
from sculpt.verdict import Place, Violation

Scope: TypeAlias = OneOf["row", "region", "column", "list"]
SCOPES: dict[str, Scope] = {"->": "row", "=>": "region", "|>": "column", ".>": "list"}
_PLAIN_ENDS = {"row": "end of row", "region": "end of region", "column": "end of column"}
ENDS = frozenset((*_PLAIN_ENDS.values(), "end of list"))
"""What `expected` says if a word could have ended."""


@frozen
class Finding:
    """A violation without its words. `item` counts the items of a list from 1."""

    code: str
    row: int | None
    column: int | None
    rule: ir.CoreRule | None = None
    unique: ir.CoreUnique | None = None
    defect: Defect | None = None
    first: tuple[int, int] | None = None
    """The place of the one cell that `unique` allows."""
    expected: tuple[str, ...] = ()
    item: int | None = None
    items: tuple[str, ...] = ()
    identity: ir.CoreKey | ir.CoreReference | None = None
    """The key or reference that is violated."""
    other: Place | None = None
    """The first equal entry of a key; the first target of several."""
    is_elsewhere: bool = False
    """Is `other` in another file?"""
    part: int = 0
    """The part of a key or reference that has several cells in a row; from 0."""

    @property
    def ending(self) -> ir.Ending:
        """The clause of the statement that is violated; a defect is always an error."""
        source = self.rule or self.unique or self.identity
        return ir.Ending() if source is None else source.ending

    @property
    def severity(self) -> SeverityName:
        """How grave it is."""
        return self.ending.severity

    @property
    def statement_line(self) -> int:
        """The line of its constraint, 0 for a rule or a defect."""
        constraint = self.unique or self.identity
        return constraint.line if constraint else 0

    @property
    def order(self) -> tuple[object, ...]:
        """Row, column, rule; places without a row or column come last."""
        return (
            self.row is None,
            self.row or 0,
            self.column is None,
            self.column or 0,
            self.rule.number if self.rule else 0,
            self.statement_line,
            self.defect.at if self.defect else 0,
            self.code,
        )


def end_word(scope: Scope) -> str:
    """What `expected` says if the word could have ended."""
    return _PLAIN_ENDS.get(scope, "end of list")


Coded = TypeVar("Coded", bound="Finding | Violation")


def first_of(found: Sequence[Coded], limit: int) -> list[Coded]:
    """The first errors and the first warnings, at most `limit` of each, in their order.

    So neither hides the other. A quote that never closes is always among them: it swallows all rows
    after it, and must not be hidden by other violations.
    """
    shown: dict[SeverityName, list[int]] = {"error": [], "warning": []}
    for ix, each in enumerate(found):
        kept = shown[each.severity]
        if len(kept) < limit:
            kept.append(ix)
        elif kept and each.code == "unclosed-quote":
            kept[-1] = ix
    return [found[ix] for ix in sorted(shown["error"] + shown["warning"])]
