"""Core selectors back to readable syntax.

In: a core selector. Out: a syntax tree that means the same, without sugar. Shared nodes are
written out each time they occur, so the size is limited; `…` shows where something is left out.
"""

from __future__ import annotations

from typing import assert_never

from sculpt.core import ir
from sculpt.diagnostics import Source, Span
from sculpt.syntax import ast
from sculpt.syntax.names import quote, unescaped
from sculpt.syntax.printer import print_path, print_selector

MAX_NODES = 400
_NOWHERE = Span(Source("<core>", ""), 0, 0)
_ELLIPSIS = ast.Literal("…", span=_NOWHERE)


def selector_text(selector: ir.Selector) -> str:
    """A core selector in the concrete syntax."""
    return print_selector(_Lifter().selector(selector)).replace(quote("…"), "…")


def path_text(path: ir.Path) -> str:
    """A core path in the concrete syntax."""
    return print_path(_Lifter().path(path)).replace(quote("…"), "…")


class _Lifter:
    def __init__(self) -> None:
        self.left = MAX_NODES

    def selector(self, node: ir.Selector) -> ast.Selector:
        self.left -= 1
        if self.left < 0:
            return _ELLIPSIS
        match node:
            case ir.Token(name):
                if not name.startswith('"'):
                    return ast.Name(name, span=_NOWHERE)
                return ast.Literal(unescaped(name[1:-1]), span=_NOWHERE)
            case ir.Position(1, 1):
                return ast.Root(span=_NOWHERE)
            case ir.Position(row, column):
                if row is not None and column is not None:
                    return ast.Coordinate(row, column, span=_NOWHERE)
                if row is not None:
                    return ast.WholeRow(row, span=_NOWHERE)
                assert column is not None
                return ast.WholeColumn(column, span=_NOWHERE)
            case ir.Everything():
                return ast.TrueSelector(span=_NOWHERE)
            case ir.Not(part):
                return ast.Not(self.selector(part), span=_NOWHERE)
            case ir.And(parts):
                return ast.And(tuple(self.selector(part) for part in parts), span=_NOWHERE)
            case ir.Or(parts):
                return ast.Or(tuple(self.selector(part) for part in parts), span=_NOWHERE)
            case ir.Reach(path, origin):
                return ast.Apply(self.path(path), self.selector(origin), span=_NOWHERE)
            case _:
                assert_never(node)

    def path(self, node: ir.Path) -> ast.Path:
        self.left -= 1
        match node:
            case ir.Step(direction):
                return ast.Axis(direction, span=_NOWHERE)
            case ir.Stay():
                return ast.Axis("cell", span=_NOWHERE)
            case ir.Test(condition):
                return ast.Filter(self.selector(condition), span=_NOWHERE)
            case ir.Chain():
                return ast.Concat(tuple(self.path(part) for part in flat(node)), span=_NOWHERE)
            case ir.Fork(parts):
                return ast.Union(tuple(self.path(part) for part in parts), span=_NOWHERE)
            case ir.Loop(inner, low, high):
                return ast.Repeated(self.path(inner), low, high, span=_NOWHERE)
            case _:
                assert_never(node)


def flat(chain: ir.Chain) -> list[ir.Path]:
    """The steps of a chain, those of chains inside it included."""
    steps: list[ir.Path] = []
    for part in chain.parts:
        steps += flat(part) if isinstance(part, ir.Chain) else [part]
    return steps
