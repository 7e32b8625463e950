"""Ways through the shared nodes of core selectors.

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
    """A selector and all it is made of, each node once, in the order of the text."""
    seen: set[int] = set()
    todo = [selector]
    while todo:
        node = todo.pop()
        if id(node) not in seen:
            seen.add(id(node))
            yield node
            todo.extend(reversed(parts_of(node)))


def last_row(selector: ir.Selector) -> float:
    """A row below which a selector selects nothing; infinite if none is known."""
    match selector:
        case ir.Position(row, _):
            return math.inf if row is None else row
        case ir.And(parts):
            return min(last_row(part) for part in parts)
        case ir.Or(parts):
            return max(last_row(part) for part in parts)
        case ir.Reach(path, origin):
            tests = [last_row(test) for test in tests_of(path)]
            if ir.axes(path) <= {"left", "right", "up"}:
                return last_row(origin)
            is_filtered = isinstance(path, ir.Chain) and isinstance(path.parts[-1], ir.Test)
            return tests[-1] if is_filtered else math.inf
        case _:
            return math.inf


def reach_nodes(selector: ir.Selector) -> list[ir.Reach]:
    """Every application of a path in a selector, each once, the outermost first."""
    return [node for node in nodes_of(selector) if isinstance(node, ir.Reach)]


def tokens_of(selector: ir.Selector) -> list[str]:
    """The tokens that a selector mentions, each once, in order."""
    names = (node.name for node in nodes_of(selector) if isinstance(node, ir.Token))
    return list(dict.fromkeys(names))
