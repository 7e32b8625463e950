"""The cost of evaluating a selector row by row (`docs/language.md#10-streamability`).

In: core selectors. Out: vertical strata, rows of look-ahead, and whether the width of the table
must be known first.

Invariant: never too optimistic: whether a selector holds in a row depends on no row further below
than its look-ahead, and whether a width-free selector holds at a real cell does not depend on the
width. `tests/core/test_fragments.py` checks both on generated tables. Cost: linear; facts are
cached by node.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import reduce
from typing import TypeVar, assert_never

from sculpt.core import ir
from sculpt.core.traversal import parts_of, reach_nodes, tests_of
from sculpt.values import frozen

Fact = TypeVar("Fact")


class _Memo(dict[int, Fact]):
    """One fact per node, by identity."""

    def get_or(self, node: ir.Selector, compute: Callable[[], Fact]) -> Fact:
        if id(node) not in self:
            self[id(node)] = compute()
        return self[id(node)]


class Costs:
    """The cost of evaluating selectors row by row; facts are cached for a whole schema."""

    def __init__(self, schema: ir.CoreSchema) -> None:
        self._tokens = schema.tokens
        self._strata: _Memo[int] = _Memo()
        self._entries: _Memo[tuple[bool, int]] = _Memo()
        self._ahead: _Memo[float] = _Memo()
        self._real: _Memo[bool] = _Memo()
        self._free: _Memo[bool] = _Memo()

    def strata(self, selector: ir.Selector) -> int:
        """V: nested applications that move vertically; a chain of them counts once."""
        return self._strata.get_or(selector, lambda: self._count_strata(selector))

    def _count_strata(self, selector: ir.Selector) -> int:
        if isinstance(selector, ir.Reach):
            vertical, below = self._entry(selector)
            return below + vertical
        return max((self.strata(part) for part in parts_of(selector)), default=0)

    def _entry(self, selector: ir.Selector) -> tuple[bool, int]:
        """A selector as the start of a path, since `B(A(x))` is `A.B(x)`.

        Does it move vertically, and how many strata are below it?
        """
        return self._entries.get_or(selector, lambda: self._find_entry(selector))

    def _find_entry(self, selector: ir.Selector) -> tuple[bool, int]:
        match selector:
            case ir.Reach(path, origin):
                vertical, below = self._entry(origin)
                moves = bool(ir.axes(path) & {"up", "down"})
                inner = max((self.strata(test) for test in tests_of(path)), default=0)
                return vertical or moves, max(below, inner)
            case ir.Or(parts):
                entries = [self._entry(part) for part in parts]
                return any(e[0] for e in entries), max(e[1] for e in entries)
        return False, self.strata(selector)

    def look_ahead(self, selector: ir.Selector) -> float:
        """How many rows below a cell matter to it; infinite if a loop climbs."""

        def compute() -> float:
            below = max((self.look_ahead(part) for part in parts_of(selector)), default=0)
            return below + (climb(selector.path).suffix if isinstance(selector, ir.Reach) else 0)

        return self._ahead.get_or(selector, compute)

    def rows_climbed(self, selector: ir.Selector) -> float:
        """The most rows that a walk of the selector can climb."""
        return max((climb(reach.path).inner for reach in reach_nodes(selector)), default=0)

    # In a stream, the width of the table is known last.

    def width_free(self, selector: ir.Selector) -> bool:
        """Is the answer at a real cell the same for every width of the table?"""

        def compute() -> bool:
            if not all(self.width_free(part) for part in parts_of(selector)):
                return False
            if not isinstance(selector, ir.Reach):
                return True
            safe = self._left_from_real(selector.path, self.surely_real(selector.origin))[1]
            return safe and fills_evenly(selector.path)

        return self._free.get_or(selector, compute)

    def surely_real(self, selector: ir.Selector) -> bool:
        """Are all cells of the region certainly real, none padded?"""

        def compute() -> bool:
            match selector:
                case ir.Token(name):
                    return not self._tokens[name].matches_padding
                case ir.Position(_, column):
                    return column == 1
                case ir.And(parts):
                    return any(self.surely_real(part) for part in parts)
                case ir.Or(parts):
                    return all(self.surely_real(part) for part in parts)
                case ir.Reach(path, origin):
                    return self._left_from_real(path, self.surely_real(origin))[0]
                case _:
                    return False

        return self._real.get_or(selector, compute)

    def _left_from_real(self, path: ir.Path, real: bool) -> tuple[bool, bool]:
        """Does a walk end on real cells, and does every `left` start on one?

        `real` says whether the walk starts on real cells.
        """
        match path:
            case ir.Step(direction):
                return (real, real) if direction == "left" else (False, True)
            case ir.Stay():
                return real, True
            case ir.Test(condition):
                return real or self.surely_real(condition), True
            case ir.Chain(parts):
                safe = True
                for part in parts:
                    real, fine = self._left_from_real(part, real)
                    safe = safe and fine
                return real, safe
            case ir.Fork(parts):
                ends = [self._left_from_real(part, real) for part in parts]
                return all(e[0] for e in ends), all(e[1] for e in ends)
            case ir.Loop(inner, low, _):
                after, safe = self._left_from_real(inner, real)
                if after != real and (real or low > 0):
                    again, safe_again = self._left_from_real(inner, real and after)
                    return again and after and (real or low > 0), safe and safe_again
                return after and real, safe
            case _:
                assert_never(path)


@frozen
class Climb:
    """The most rows that a walk can climb: in total, and between two of its points."""

    whole: float
    prefix: float
    """From its start to any point."""
    suffix: float
    """From any point to its end."""
    inner: float
    """From any point to any later one."""

    def then(self, other: Climb) -> Climb:
        """One walk after the other."""
        return Climb(
            self.whole + other.whole,
            max(self.prefix, self.whole + other.prefix),
            max(other.suffix, self.suffix + other.whole),
            max(self.inner, other.inner, self.suffix + other.prefix),
        )

    def __or__(self, other: Climb) -> Climb:
        return Climb(
            max(self.whole, other.whole),
            max(self.prefix, other.prefix),
            max(self.suffix, other.suffix),
            max(self.inner, other.inner),
        )


_LEVEL = Climb(0, 0, 0, 0)


def climb(path: ir.Path) -> Climb:
    """The most rows that a walk along a path can climb; infinite if a loop climbs."""
    match path:
        case ir.Step("up"):
            return Climb(1, 1, 1, 1)
        case ir.Step("down"):
            return Climb(-1, 0, 0, 0)
        case ir.Step() | ir.Stay() | ir.Test():
            return _LEVEL
        case ir.Chain(parts):
            return reduce(Climb.then, (climb(part) for part in parts), _LEVEL)
        case ir.Fork(parts):
            return reduce(Climb.__or__, (climb(part) for part in parts))
        case ir.Loop(_, _, 0):
            return _LEVEL
        case ir.Loop(inner, low, high):
            once = climb(inner)
            if once.whole <= 0:
                # More rounds climb no further; a climb may span two neighbouring ones.
                across = max(once.inner, once.suffix + once.prefix)
                return Climb(low * once.whole, once.prefix, once.suffix, across)
            rounds = math.inf if high is None else high - 1
            others = rounds * once.whole if rounds else 0  # 0 * inf would be nan
            whole = others + once.whole
            across = once.suffix + once.prefix + others - once.whole if rounds else 0
            inner_most = max(once.inner, whole, math.inf if whole == math.inf else across)
            return Climb(whole, once.prefix + others, once.suffix + others, inner_most)
        case _:
            assert_never(path)


def fills_evenly(path: ir.Path) -> bool:
    """Does every loop treat all columns beyond the widest row alike?

    It does not if a round takes two steps to the right (every other column), or a step to the right
    and one down (a front that outgrows every row): then the width must be known first.
    """
    match path:
        case ir.Step() | ir.Stay() | ir.Test():
            return True
        case ir.Chain(parts) | ir.Fork(parts):
            return all(fills_evenly(part) for part in parts)
        case ir.Loop(inner, _, None):
            return fills_evenly(inner) and all(
                rights == 0 or (rights == 1 and not down) for rights, down in _rounds(inner)
            )
        case ir.Loop(inner, _, _):
            return fills_evenly(inner)
        case _:
            assert_never(path)


def _rounds(path: ir.Path) -> frozenset[tuple[int, bool]]:
    """The ways through a path: steps right outside inner loops, at most 2; any vertical step?"""
    match path:
        case ir.Step(direction):
            return frozenset([(int(direction == "right"), direction in ("down", "up"))])
        case ir.Stay() | ir.Test():
            return frozenset([(0, False)])
        case ir.Chain(parts):
            return reduce(_joined, (_rounds(part) for part in parts), frozenset([(0, False)]))
        case ir.Fork(parts):
            return frozenset().union(*(_rounds(part) for part in parts))
        case ir.Loop(inner, low, high):
            once = _rounds(inner)
            ways: frozenset[tuple[int, bool]] = frozenset([(0, False)])
            rounds = min(2, low if high is None else high)
            for _ in range(rounds):
                ways |= _joined(ways, once)
            # An unbounded inner loop can repeat freely, so what it adds fixes no column.
            return ways | frozenset((0, down) for _, down in once) if high is None else ways
        case _:
            assert_never(path)


def _joined(
    left: frozenset[tuple[int, bool]], right: frozenset[tuple[int, bool]]
) -> frozenset[tuple[int, bool]]:
    return frozenset((min(2, a + c), b or d) for a, b in left for c, d in right)
