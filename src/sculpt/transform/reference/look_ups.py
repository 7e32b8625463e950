"""Look-ups, as they are defined: from cell to cell.

In: a table, a look-up of a program and the cell where it starts. Out: the cells that it reaches, in
table order. `docs/language.md#look-ups`; the engine that works on columns has
`engines.lookups` instead.

Invariant: nothing is remembered from one look-up to the next. Cost: a look-up may visit each cell
of its region.
"""

from __future__ import annotations

from sculpt.core import ir
from sculpt.core.programs.look_ups import LookUp
from sculpt.core.programs.program import CoreProgram
from sculpt.engines.reference import Coordinate, Region, Table
from sculpt.tabular.grid import Grid


def cells_found(
    table: Table, program: CoreProgram, look_up: LookUp, origin: Coordinate
) -> list[Coordinate]:
    """The cells that a look-up reaches from a cell, in table order."""
    if look_up.path is not None:
        return sorted(table.walk(look_up.path, frozenset([origin])))
    region, direction = table.region(program.regions[look_up.region]), look_up.direction
    assert direction is not None
    is_vertical = direction in ("up", "down")
    lines = _lines_from(table.grid, origin, direction)
    match look_up.kind:
        case "directly":
            own = [(at, origin[1]) if is_vertical else (origin[0], at) for at in lines[1:]]
            return next(([cell] for cell in own if cell in region), [])
        case "closest":
            return next((held for at in lines if (held := _held(region, at, is_vertical))), [])
        case "within":
            across = origin[1] if is_vertical else origin[0]
            low, high = across - look_up.before, across + look_up.after
            for at in lines:
                for cell in _held(region, at, is_vertical):
                    if low <= (cell[1] if is_vertical else cell[0]) <= high:
                        return [cell]
            return []
    raise AssertionError(f"{look_up.kind} without a path")


def _lines_from(grid: Grid, origin: Coordinate, direction: ir.Direction) -> list[int]:
    """The numbers of the rows (or columns) in a direction, starting with that of a cell."""
    row, column = origin
    match direction:
        case "up":
            return list(range(row, 0, -1))
        case "down":
            return list(range(row, grid.height + 1))
        case "left":
            return list(range(column, 0, -1))
        case "right":
            return list(range(column, grid.width + 1))


def _held(region: Region, line: int, is_row: bool) -> list[Coordinate]:
    """The cells of a region in a row (or column), in table order."""
    return sorted(cell for cell in region if cell[0 if is_row else 1] == line)
