"""The sugar of the paper's section 2 and the `<a>` of its section 3, evaluated by definition.

Nothing here is desugared, reversed or remembered: each node of the syntax tree has its own
equation on plain sets. Slow, and independent of `core.desugar` and of the reference engine.
"""

from __future__ import annotations

import re

from sculpt.syntax import ast

Cells = frozenset[tuple[int, int]]
_MOVES = {"up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1)}
_TOKENS = {
    "a": "a+",
    "b": "[ab]",
    "n": "[0-9]+",
    "w": "[a-z]*",
    "Empty": "",
    "Null": "",
    "Any": ".*",
    "Text": ".+",
    "x": "x",
}


class Naive:
    """A table of texts; a padded cell is `None`."""

    def __init__(self, rows: list[list[str]], types: dict[str, ast.Selector] | None = None) -> None:
        self.width = max(map(len, rows), default=0)
        self.rows = [[*row, *[None] * (self.width - len(row))] for row in rows]
        self.types = types or {}
        self.all: Cells = frozenset(
            (i, j) for i in range(1, len(rows) + 1) for j in range(1, self.width + 1)
        )

    def carries(self, cell: tuple[int, int], name: str) -> bool:
        text = self.rows[cell[0] - 1][cell[1] - 1]
        if text is None:
            return name in ("Missing", "Null")
        return name != "Missing" and re.fullmatch(_TOKENS[name], text) is not None

    def region(self, node: ast.Selector) -> Cells:
        match node:
            case ast.Name(name) if name in self.types:
                return self.region(self.types[name])
            case ast.Name(name):
                return frozenset(cell for cell in self.all if self.carries(cell, name))
            case ast.Literal(text):
                return frozenset((i, j) for i, j in self.all if self.rows[i - 1][j - 1] == text)
            case ast.Root():
                return self.all & {(1, 1)}
            case ast.TrueSelector():
                return self.all
            case ast.Block(top, left, bottom, right):
                rows, columns = range(top, bottom + 1), range(left, right + 1)
                return frozenset((i, j) for i, j in self.all if i in rows and j in columns)
            case ast.Coordinate(row, column):
                return self.all & {(row, column)}
            case ast.WholeRow(row):
                # Section 2: row(k) is row({(k,0)}), the cells to the right of column 0.
                return frozenset((i, j) for i, j in self.all if i == row and j > 0)
            case ast.WholeColumn(column):
                return frozenset((i, j) for i, j in self.all if j == column and i > 0)
            case ast.Apply(path, operand):
                start = self.all & {(1, 1)} if operand is None else self.region(operand)
                return self.walk(path, start)
            case ast.Exists(path):
                return frozenset(c for c in self.all if self.walk(path, frozenset([c])))
            case ast.Nth(part, number):
                found = sorted(self.region(part))
                return frozenset(
                    (i, j)
                    for i, j in found
                    if sum(row == i and column <= j for row, column in found) == number
                )
            case ast.Not(part):
                return self.all - self.region(part)
            case ast.And(parts):
                return frozenset.intersection(*map(self.region, parts))
            case ast.Or(parts):
                return frozenset.union(*map(self.region, parts))

    def walk(self, path: ast.Path, cells: Cells) -> Cells:
        match path:
            case ast.Axis("cell"):
                return cells
            case ast.Axis("row"):
                # Section 2: the cells of the same row further right.
                return frozenset((i, j) for i, j in self.all for k, m in cells if i == k and j > m)
            case ast.Axis("col"):
                return frozenset((i, j) for i, j in self.all for k, m in cells if j == m and i > k)
            case ast.Axis(name):
                down, right = _MOVES[name]
                return self.all & frozenset((i + down, j + right) for i, j in cells)
            case ast.Filter(condition):
                return cells & self.region(condition)
            case ast.Filtered(inner, condition):
                return self.walk(inner, cells) & self.region(condition)
            case ast.Concat(parts):
                for part in parts:
                    cells = self.walk(part, cells)
                return cells
            case ast.Union(parts):
                return frozenset.union(*(self.walk(part, cells) for part in parts))
            case ast.Repeated(inner, low, high):
                # The union of a^i(C) for low <= i <= high; more rounds than cells add nothing new
                # once every set of the sequence has been seen.
                union: Cells = frozenset()
                seen: set[Cells] = set()
                count = 0
                while high is None or count <= high:
                    if count >= low:
                        union |= cells
                        if cells in seen:
                            break
                        seen.add(cells)
                    cells = self.walk(inner, cells)
                    count += 1
                return union
