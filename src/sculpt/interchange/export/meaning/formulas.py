"""Formulas over tokens, with constants folded.

In: formulas of the core form. Out: the same, in which `TRUE` and `FALSE` occur only alone.
Invariant: equal parts of an `and` or `or` occur once. Cost: linear.
"""

from __future__ import annotations

from collections.abc import Iterable

from sculpt.core import ir
from sculpt.core.derivation.branches import both, either

TRUE: ir.Formula = ir.Both(())
FALSE: ir.Formula = ir.Either(())


def conjunction(parts: Iterable[ir.Formula]) -> ir.Formula:
    """All of them."""
    found = [part for part in parts if part != TRUE]
    return FALSE if FALSE in found else both(found)


def disjunction(parts: Iterable[ir.Formula]) -> ir.Formula:
    """Some of them."""
    found = [part for part in parts if part != FALSE]
    return TRUE if TRUE in found else either(found)


def negation(part: ir.Formula) -> ir.Formula:
    """The opposite."""
    if part == TRUE:
        return FALSE
    if part == FALSE:
        return TRUE
    return part.part if isinstance(part, ir.Lacks) else ir.Lacks(part)
