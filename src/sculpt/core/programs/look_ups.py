"""Look-ups in core form, and how far they reach, which decides how they are evaluated.

In: the parts of a look-up. Out: a `LookUp`, and its `Reach`: within its row, with what the rows
above hand down, with an earlier pass for the rows below or for columns, or with the whole table in
memory. A path that means the same as `directly`, `d.([not A].d)*.[A]`, is recognised: nodes are
shared, so this is one comparison.

Invariant: no look-up needs more than its `Reach` says. Cost: linear in the path.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum

from sculpt.core import ir
from sculpt.core.traversal import composes
from sculpt.syntax import ast
from sculpt.syntax.programs.tree import LookUpKind
from sculpt.values import frozen


class Reach(StrEnum):
    """What must be known to find the cells of a look-up, cheapest first."""

    ROW = "its own row"
    ABOVE = "what the rows above hand down"
    BELOW = "an earlier pass, for the rows below"
    COLUMNS = "an earlier pass, for each column"
    TABLE = "the whole table in memory"


@frozen
class LookUp:
    """How to find other cells from a cell."""

    kind: LookUpKind
    direction: ir.Direction | None
    region: int
    """The region to look for; -1 for a path."""
    before: int
    after: int
    path: ir.Path | None
    tests: tuple[int, ...]
    """The regions that a path filters by, in the order of `traversal.tests_of`."""
    reach: Reach
    line: int
    text: str


def as_directly(path: ir.Path, builder: ir.Builder) -> tuple[ir.Direction, ir.Selector] | None:
    """The direction and the selector of the `directly` that a path is equivalent to, if any."""
    make = builder.make
    match path:
        case ir.Chain((ir.Step(direction), _, ir.Test(wanted))):
            step, misses = make(ir.Step, direction), make(ir.Test, make(ir.Not, wanted))
            again = make(ir.Loop, make(ir.Chain, (misses, step)), 0, None)
            expected = make(ir.Chain, (step, again, make(ir.Test, wanted)))
            return (direction, wanted) if expected is path else None
    return None


def direction_of(axis: ast.AxisName | None) -> ir.Direction | None:
    """The axis as a direction, if it is one."""
    match axis:
        case "up" | "down" | "left" | "right":
            return axis
    return None


def reach_of(
    kind: LookUpKind, direction: ir.Direction | None, path: ir.Path | None, wants_all: bool
) -> Reach:
    """How far a look-up reaches."""
    if path is not None:
        axes = ir.axes(path)
        if not axes & {"up", "down"}:
            return Reach.TABLE if wants_all else Reach.ROW
        if wants_all or {"up", "down"} <= axes:
            return Reach.TABLE
        if "up" in axes:
            return Reach.ABOVE
        return Reach.BELOW if composes(path) else Reach.TABLE
    sideways = direction in ("left", "right")
    if kind == "directly" and sideways:
        return Reach.ROW
    if (kind == "within" and sideways) or (kind == "closest" and wants_all):
        return Reach.TABLE
    if sideways:
        return Reach.COLUMNS
    return Reach.ABOVE if direction == "up" else Reach.BELOW


def is_same(a: LookUp, b: LookUp) -> bool:
    """Do two look-ups find the same cells?"""
    getters: list[Callable[[LookUp], object]] = [
        lambda s: s.kind, lambda s: s.direction, lambda s: s.region, lambda s: s.before,
        lambda s: s.after, lambda s: s.reach, lambda s: id(s.path),
    ]  # fmt: skip
    return all(get(a) == get(b) for get in getters)
