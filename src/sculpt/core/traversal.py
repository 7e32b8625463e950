"""Traversals of the shared nodes of core selectors.

In: a core selector. Out: its parts, its applications of paths, its tokens. Invariant: a node that
is used many times is visited once, so the cost is linear in the number of nodes.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import assert_never

from sculpt.core import ir


def tests_of(path: ir.Path) -> list[ir.Selector]:
    """The selectors that a path filters by."""
    match path:
        case ir.Test(condition):
            return [condition]
        case ir.Step() | ir.Stay():
            return []
        case ir.Chain(parts) | ir.Fork(parts):
            return [test for part in parts for test in tests_of(part)]
        case ir.Loop(inner, _, _):
            return tests_of(inner)
        case _:
            assert_never(path)


def parts_of(selector: ir.Selector) -> list[ir.Selector]:
    """The selectors that a selector is made of, one level down."""
    match selector:
        case ir.Not(part):
            return [part]
        case ir.And(parts) | ir.Or(parts):
            return list(parts)
        case ir.Reach(path, origin):
            return [origin, *tests_of(path)]
        case _:
            return []


def nodes_of(selector: ir.Selector) -> Iterator[ir.Selector]:
    """A selector and all its parts, each node once, in the order of the text."""
    seen: set[int] = set()
    todo = [selector]
    while todo:
        node = todo.pop()
        if id(node) not in seen:
            seen.add(id(node))
            yield node
            todo.extend(reversed(parts_of(node)))


def counted_tokens(selector: ir.Selector) -> set[str]:
    """The tokens of the cells that `S#k` counts in their row: more than one may have them."""
    found: set[str] = set()
    for node in nodes_of(selector):
        if isinstance(node, ir.Not) and isinstance(node.part, ir.Reach):
            reach = node.part
            if any(test is reach.origin for test in tests_of(reach.path)):
                found.update(tokens_of(reach.origin))
    return found


def last_row(selector: ir.Selector) -> float:
    """A row below which a selector selects nothing; infinite if none is known."""
    match selector:
        case ir.Position(row, _):
            return math.inf if row is None else row
        case ir.And(parts):
            return min(last_row(part) for part in parts)
        case ir.Or(parts):
            return max(last_row(part) for part in parts)
        case ir.Not(ir.Reach(ir.Loop(ir.Step("down"), 1, None), ir.Position(int(row), None))):
            return row
        case ir.Reach(path, origin):
            tests = [last_row(test) for test in tests_of(path)]
            if ir.axes(path) <= {"left", "right", "up"}:
                return last_row(origin)
            is_filtered = isinstance(path, ir.Chain) and isinstance(path.parts[-1], ir.Test)
            return tests[-1] if is_filtered else math.inf
        case _:
            return math.inf


MAX_VERTICAL = 8


def composes(path: ir.Path) -> bool:
    """Can a path be evaluated on each strip of rows alone, and the results combined?

    Walks must stay in their column from row to row: they must not go up or down, then sideways,
    then up or down again. And they must not count many rows, as `down{100}` does.
    """
    return 3 not in _progress(path)[0] and _vertical_steps(path) <= MAX_VERTICAL


def _vertical_steps(path: ir.Path) -> int:
    """How many steps up or down a path has, with bounded loops unrolled."""
    match path:
        case ir.Step(direction):
            return int(direction in ("up", "down"))
        case ir.Stay() | ir.Test():
            return 0
        case ir.Chain(parts) | ir.Fork(parts):
            return sum(_vertical_steps(part) for part in parts)
        case ir.Loop(inner, low, high):
            return _vertical_steps(inner) * max(low, high or 1)
        case _:
            assert_never(path)


_VERTICAL = (frozenset([1]), frozenset([1]), frozenset([3]), frozenset([3]))
_SIDEWAYS = (frozenset([0]), frozenset([2]), frozenset([2]), frozenset([3]))
_NO_MOVE = tuple(frozenset([ix]) for ix in range(4))


def _progress(path: ir.Path) -> tuple[frozenset[int], ...]:
    """For each number of parts of such a walk done before a path (0 to 3): those done after it."""
    match path:
        case ir.Step(direction):
            return _VERTICAL if direction in ("up", "down") else _SIDEWAYS
        case ir.Stay() | ir.Test():
            return _NO_MOVE
        case ir.Chain(parts):
            found = _NO_MOVE
            for part in parts:
                found = _then(found, _progress(part))
            return found
        case ir.Fork(parts):
            several = [_progress(part) for part in parts]
            return tuple(frozenset().union(*(each[ix] for each in several)) for ix in range(4))
        case ir.Loop(inner, low, high):
            once = _progress(inner)
            found = _NO_MOVE
            for _ in range(min(low, 4)):  # more rounds do not get further
                found = _then(found, once)
            again = tuple(before | after for before, after in zip(_NO_MOVE, once, strict=True))
            for _ in range(4 if high is None else min(high - low, 4)):
                found = _then(found, again)
            return found
        case _:
            assert_never(path)


def _then(
    first: tuple[frozenset[int], ...], second: tuple[frozenset[int], ...]
) -> tuple[frozenset[int], ...]:
    return tuple(frozenset().union(*(second[ix] for ix in each)) for each in first)


def reach_nodes(selector: ir.Selector) -> list[ir.Reach]:
    """Every application of a path in a selector, each once, the outermost first."""
    return [node for node in nodes_of(selector) if isinstance(node, ir.Reach)]


def tokens_of(selector: ir.Selector) -> list[str]:
    """The tokens that a selector mentions, each once, in order."""
    names = (node.name for node in nodes_of(selector) if isinstance(node, ir.Token))
    return list(dict.fromkeys(names))
