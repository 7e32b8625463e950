"""Guarded selectors: those that need no memory per column (paper, section 4).

In: core selectors and the `unique` constraints of their schema. Out: whether every `down` step
starts from few columns, and if not, a path with one that does not.

Guardedness follows the paper's induction, corrected where it is not exact. The set of columns in
which a `down` step starts must stay small. The `Extent` of a set of cells bounds it, in each row
and over all rows above: boundedly many cells (BOUNDED), these plus one right-open interval (OPEN),
or anything (WILD). A selector is guarded if no `down` in it starts from a WILD set. Filters
intersect: they keep BOUNDED, and turn OPEN into WILD unless the filter is itself OPEN or better.

Invariant: never too optimistic, for forward selectors: a guarded selector needs memory independent
of the width on all data that satisfy `unique`. Cost: linear in the schema: nodes are shared, and
each is visited once per extent, of which there are six.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum
from functools import reduce
from typing import assert_never

from sculpt.core import ir
from sculpt.values import frozen


class Shape(IntEnum):
    """How many cells of a row a set can have; see the module docstring."""

    BOUNDED = 0
    OPEN = 1
    WILD = 2


@frozen
class Extent:
    """The shape of a set in each row, and of the columns it covers over all rows."""

    row: Shape
    table: Shape

    def __or__(self, other: Extent) -> Extent:
        return Extent(max(self.row, other.row), max(self.table, other.table))

    def __and__(self, other: Extent) -> Extent:
        return Extent(_meet(self.row, other.row), _meet(self.table, other.table))


def _meet(left: Shape, right: Shape) -> Shape:
    return Shape.BOUNDED if Shape.BOUNDED in (left, right) else max(left, right)


_POINTS = Extent(Shape.BOUNDED, Shape.BOUNDED)
_ONE_A_ROW = Extent(Shape.BOUNDED, Shape.WILD)
_INTERVAL = Extent(Shape.OPEN, Shape.OPEN)
_ANYTHING = Extent(Shape.WILD, Shape.WILD)


class Guards:
    """Guardedness under a set of `unique` constraints; `assumed` tokens count as unique too."""

    def __init__(self, schema: ir.CoreSchema, assumed: Iterable[str] = ()) -> None:
        self._tokens = schema.tokens
        self._assumed = frozenset(assumed)
        self._unique = {id(u.selector) for u in schema.uniques if u.kind == "unique"}
        self._per_row = {id(u.selector) for u in schema.uniques}
        self._extents: dict[int, tuple[Extent, ir.Path | None]] = {}
        self._kept: list[ir.Path] = []
        self._walks: dict[tuple[int, Extent], tuple[Extent, ir.Path | None]] = {}

    def loose_step(self, selector: ir.Selector) -> ir.Path | None:
        """A sub-path with a `down` that may start from any number of cells; `None` if guarded."""
        return self._selector(selector)[1]

    def extent(self, selector: ir.Selector) -> Extent:
        """The extent of a selector's region."""
        return self._selector(selector)[0]

    def _selector(self, selector: ir.Selector) -> tuple[Extent, ir.Path | None]:
        key = id(selector)
        if key not in self._extents:
            extent, loose = self._evaluate(selector)
            if key in self._unique:
                extent = _POINTS
            elif key in self._per_row and extent.row is not Shape.BOUNDED:
                extent = _ONE_A_ROW
            self._extents[key] = (extent, loose)
        return self._extents[key]

    def _evaluate(self, selector: ir.Selector) -> tuple[Extent, ir.Path | None]:
        match selector:
            case ir.Token(name):
                if name in self._assumed:
                    return _POINTS, None
                # Padding is the right end of a row: an open interval.
                is_padding = self._tokens[name].is_missing and self._tokens[name].formula is None
                return (_INTERVAL if is_padding else _ANYTHING), None
            case ir.Position(_, None) | ir.Everything():
                return _INTERVAL, None
            case ir.Position():
                return _POINTS, None
            case ir.Not(part):
                return _ANYTHING, self.loose_step(part)
            case ir.And(parts):
                found = [self._selector(part) for part in parts]
                return reduce(Extent.__and__, (f[0] for f in found)), _first(f[1] for f in found)
            case ir.Or(parts):
                found = [self._selector(part) for part in parts]
                return reduce(Extent.__or__, (f[0] for f in found)), _first(f[1] for f in found)
            case ir.Reach(path, origin):
                start, loose = self._selector(origin)
                end, step = self._walk(path, start)
                return end, loose or step
            case _:
                assert_never(selector)

    def _walk(self, path: ir.Path, start: Extent) -> tuple[Extent, ir.Path | None]:
        key = (id(path), start)
        if key not in self._walks:
            self._kept.append(path)  # keeps the id from being reused
            self._walks[key] = self._step(path, start)
        return self._walks[key]

    def _step(self, path: ir.Path, start: Extent) -> tuple[Extent, ir.Path | None]:
        match path:
            case ir.Step(direction):
                is_loose = direction == "down" and start.row is Shape.WILD
                return start, path if is_loose else None
            case ir.Stay():
                return start, None
            case ir.Test(condition):
                extent, loose = self._selector(condition)
                return start & extent, loose
            case ir.Chain(parts):
                found: ir.Path | None = None
                for part in parts:
                    start, loose = self._walk(part, start)
                    found = found or loose
                return start, found
            case ir.Fork(parts):
                walks = [self._walk(part, start) for part in parts]
                return reduce(Extent.__or__, (w[0] for w in walks)), _first(w[1] for w in walks)
            case ir.Loop(inner, low, None) if low > 1 or (low and not ir.axes(inner)):
                # The first rounds are those of a bounded loop.
                rigid = low - 1 if ir.axes(inner) else low
                middle, first = self._rounds(inner, start, rigid)
                end, rest = self._walk(ir.Loop(inner, min(1, low - rigid), None), middle)
                return end, path if first is not None or rest is not None else None
            case ir.Loop(inner, _, None):
                end = _star(inner, start)
                _, loose = self._walk(inner, end)
                return end, path if loose is not None else None
            case ir.Loop(inner, low, high):
                end, loose = self._rounds(inner, start, low)
                while True:  # a bounded number of rounds: the extents only grow, and are few
                    after, more = self._walk(inner, end)
                    loose = loose or (more if high != low else None)
                    if high == low or end | after == end:
                        return end, path if loose is not None else None
                    end |= after
            case _:
                assert_never(path)

    def _rounds(self, inner: ir.Path, start: Extent, count: int) -> tuple[Extent, ir.Path | None]:
        """Exactly `count` rounds; extents soon repeat, so few rounds have to be walked."""
        loose: ir.Path | None = None
        seen: list[Extent] = []
        for ix in range(count):
            if start in seen:
                cycle = seen[seen.index(start) :]
                return cycle[(count - ix) % len(cycle)], loose
            seen.append(start)
            start, step = self._walk(inner, start)
            loose = loose or step
        return start, loose


def _star(inner: ir.Path, start: Extent) -> Extent:
    """The extent of any number of rounds of a forward path."""
    moves = ir.axes(inner)
    if not moves:
        return start
    if moves <= {"down", "up"}:
        # The columns stay the same: every cell is below the start. A filter may split an interval.
        if start.table is Shape.BOUNDED:
            return _POINTS
        return _INTERVAL if start.table is Shape.OPEN and not has_test(inner) else _ANYTHING
    # `right*` fills the row to its end wherever it starts, `(right|down)*` fills the quadrant.
    return _INTERVAL if is_free(inner) and "right" in moves else _ANYTHING


def has_test(path: ir.Path) -> bool:
    """Does the path filter anywhere?"""
    match path:
        case ir.Test():
            return True
        case ir.Step() | ir.Stay():
            return False
        case ir.Chain(parts) | ir.Fork(parts):
            return any(has_test(part) for part in parts)
        case ir.Loop(inner, _, _):
            return has_test(inner)
        case _:
            assert_never(path)


def is_free(path: ir.Path) -> bool:
    """Is each round one plain step, chosen freely? Then a loop fills everything it can reach."""
    match path:
        case ir.Step() | ir.Stay():
            return True
        case ir.Fork(parts):
            return all(is_free(part) for part in parts)
        case ir.Loop(inner, low, high):
            return is_free(inner) and low <= 1 and (high is None or high == 1)
        case _:
            return False


def _first(values: Iterable[ir.Path | None]) -> ir.Path | None:
    return next((value for value in values if value is not None), None)
