"""Selectors that are empty on every table, found by bounding where their cells can be.

In: a core selector. Out: a box of rows and columns that contains its region on every table, whether
the region is certainly empty, and its row if it is certainly in only one. This is an abstract
interpretation of section 3's equations: a box for a set of cells, a shift for a step, an
intersection for `and` and filters.

Invariant: sound, not complete: `is_empty` is right when it says yes. Cost: linear in the selector.
"""

from __future__ import annotations

import math
from typing import TypeAlias, assert_never

from sculpt.core import ir
from sculpt.core.acceptor import TextMatcher, intersect, is_nothing
from sculpt.core.formulas import is_regular
from sculpt.values import frozen

Range: TypeAlias = tuple[float, float]


@frozen
class Box:
    """Rows and columns between bounds, both ends included."""

    rows: Range
    columns: Range

    @property
    def is_empty(self) -> bool:
        """Does it contain no cell?"""
        return self.rows[0] > self.rows[1] or self.columns[0] > self.columns[1]

    def __and__(self, other: Box) -> Box:
        return Box(_both(self.rows, other.rows), _both(self.columns, other.columns))

    def __or__(self, other: Box) -> Box:
        if self.is_empty or other.is_empty:
            return other if self.is_empty else self
        return Box(_either(self.rows, other.rows), _either(self.columns, other.columns))


def _both(a: Range, b: Range) -> Range:
    return max(a[0], b[0]), min(a[1], b[1])


def _either(a: Range, b: Range) -> Range:
    return min(a[0], b[0]), max(a[1], b[1])


MAX_COMPARED = 12
_ALL: Range = (1, math.inf)
_TABLE = Box(_ALL, _ALL)
_EMPTY = Box((1, 0), (1, 0))


def is_empty(selector: ir.Selector, schema: ir.CoreSchema) -> bool:
    """Is the region empty on every table?"""
    return _Bounds(schema).box(selector).is_empty


def only_row(selector: ir.Selector, schema: ir.CoreSchema) -> int | None:
    """The one row in which the region lies on every table, if there is one."""
    first, last = _Bounds(schema).box(selector).rows
    return int(first) if first == last else None


class _Bounds:
    def __init__(self, schema: ir.CoreSchema) -> None:
        self.tokens = schema.tokens
        self.boxes: dict[int, Box] = {}
        self.full: dict[int, bool] = {}

    def box(self, selector: ir.Selector) -> Box:
        key = id(selector)
        if key not in self.boxes:
            self.boxes[key] = self.evaluate(selector)
        return self.boxes[key]

    def evaluate(self, selector: ir.Selector) -> Box:
        match selector:
            case ir.Token(name):
                token = self.tokens[name]
                if not is_regular(token):
                    return _TABLE
                if is_nothing(token.pattern) and not token.matches_padding:
                    return _EMPTY
                # Column 1 is always real: every row has a cell.
                return Box(_ALL, (2, math.inf)) if token.is_missing else _TABLE
            case ir.Position(row, column):
                rows = _ALL if row is None else (row, row)
                return Box(rows, _ALL if column is None else (column, column))
            case ir.Everything():
                return _TABLE
            case ir.Not(part):
                return _EMPTY if self.is_full(part) else _TABLE
            case ir.And(parts):
                box = _TABLE
                for part in parts:
                    box &= self.box(part)
                return _EMPTY if self.contradicts(parts) else box
            case ir.Or(parts):
                box = _EMPTY
                for part in parts:
                    box |= self.box(part)
                return box
            case ir.Reach(path, origin):
                return self.walk(path, self.box(origin))
            case _:
                assert_never(selector)

    def is_full(self, selector: ir.Selector) -> bool:
        """Is the region certainly the whole table?"""
        key = id(selector)
        if key not in self.full:
            self.full[key] = self.find_full(selector)
        return self.full[key]

    def find_full(self, selector: ir.Selector) -> bool:
        match selector:
            case ir.Everything():
                return True
            case ir.Not(part):
                return self.box(part).is_empty
            case ir.Or(parts):
                ids = {id(part) for part in parts}
                opposites = any(isinstance(p, ir.Not) and id(p.part) in ids for p in parts)
                return opposites or any(self.is_full(part) for part in parts)
            case ir.And(parts):
                return all(self.is_full(part) for part in parts)
        return False

    def contradicts(self, parts: tuple[ir.Selector, ...]) -> bool:
        """Can no cell be in all of them? So `a and not a`, and tokens that share no text."""
        ids = {id(part) for part in parts}
        if any(isinstance(part, ir.Not) and id(part.part) in ids for part in parts):
            return True
        names = [part.name for part in parts if isinstance(part, ir.Token)][:MAX_COMPARED]
        return any(
            self.disjoint(self.tokens[first], self.tokens[second])
            for ix, first in enumerate(names)
            for second in names[ix + 1 :]
        )

    def disjoint(self, a: ir.CoreToken, b: ir.CoreToken) -> bool:
        if a.matches_padding and b.matches_padding:
            return False
        if not (is_regular(a) and is_regular(b)):
            return False
        for one, other in ((a, b), (b, a)):
            if one.literal is not None:
                return not TextMatcher(other.pattern).matches(one.literal)
        return intersect(a.pattern, b.pattern) is False

    def walk(self, path: ir.Path, box: Box) -> Box:
        if box.is_empty:
            return _EMPTY
        match path:
            case ir.Step(direction):
                return self.shifted(direction, box) & _TABLE
            case ir.Stay():
                return box
            case ir.Test(condition):
                return box & self.box(condition)
            case ir.Chain(parts):
                for part in parts:
                    box = self.walk(part, box)
                return box
            case ir.Fork(parts):
                joined = _EMPTY
                for part in parts:
                    joined |= self.walk(part, box)
                return joined
            case ir.Loop(inner, low, high):
                return self.loop(inner, low, high, box)
            case _:
                assert_never(path)

    def loop(self, inner: ir.Path, low: int, high: int | None, box: Box) -> Box:
        start = box
        if low > 0:
            box = self.walk(inner, box)  # at least one round: a sound start for any count
            if box.is_empty:
                return _EMPTY
        if low <= 1 and high == low:
            return box if low else start
        moves = ir.axes(inner)
        rows = (1 if "up" in moves else box.rows[0], math.inf if "down" in moves else box.rows[1])
        columns = (
            1 if "left" in moves else box.columns[0],
            math.inf if "right" in moves else box.columns[1],
        )
        return box | Box(rows, columns)

    def shifted(self, direction: ir.Direction, box: Box) -> Box:
        rows, columns = box.rows, box.columns
        match direction:
            case "up":
                return Box((rows[0] - 1, rows[1] - 1), columns)
            case "down":
                return Box((rows[0] + 1, rows[1] + 1), columns)
            case "left":
                return Box(rows, (columns[0] - 1, columns[1] - 1))
            case "right":
                return Box(rows, (columns[0] + 1, columns[1] + 1))
            case _:
                assert_never(direction)
