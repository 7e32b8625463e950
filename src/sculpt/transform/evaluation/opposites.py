"""Look-ups that find nothing because they go the wrong way: for hints.

In: findings of look-ups, and the cells of their regions around the cells that they start from. Out:
the findings, with a hint where the opposite direction finds a cell.

Invariant: cuts do not matter: the search is for the first `MAX_HINTS` findings of a table, and goes
`NEAR_ROWS` rows up and down. Cost: nothing if no look-up fails; otherwise one more walk through the
rows, which ends where that search does.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from sculpt.core import ir
from sculpt.core.programs.look_ups import LookUp
from sculpt.core.programs.program import CoreProgram
from sculpt.engines.lookups.finder import Regions
from sculpt.engines.regions.marker import Marker
from sculpt.transform.evaluation.findings import shown
from sculpt.values import replace
from sculpt.verdict import Violation

MAX_HINTS = 20
NEAR_ROWS = 1_000
_OPPOSITE: dict[ir.Direction, ir.Direction] = {
    "up": "down", "down": "up", "left": "right", "right": "left",
}  # fmt: skip
_HEAD = re.compile(r"((?:directly|closest|within)\s*\(\s*)(up|down|left|right)\b")
Place = tuple[int, int]
"""A row and a column, from 1."""


def opposite_hint(look_up: LookUp, origin: Place, region: Iterable[Place]) -> str | None:
    """The look-up in the other direction, if it finds a cell of the region near its origin."""
    head = _HEAD.match(look_up.text)
    if head is None or look_up.direction is None:
        return None  # a path
    direction = _OPPOSITE[look_up.direction]
    along = 0 if direction in ("up", "down") else 1
    sign = 1 if direction in ("down", "right") else -1

    def distance(cell: Place) -> int:
        return sign * (cell[along] - origin[along])

    def is_found(cell: Place) -> bool:
        aside = cell[1 - along] - origin[1 - along]
        if distance(cell) < 0 or abs(cell[0] - origin[0]) > NEAR_ROWS:
            return False
        match look_up.kind:
            case "directly":
                return aside == 0 and distance(cell) > 0
            case "within":
                return -look_up.before <= aside <= look_up.after
        return True

    found = [cell for cell in region if is_found(cell)]
    if not found:
        return None
    nearest = min(found, key=lambda cell: (distance(cell), cell))
    other = f"{head[1]}{direction}{look_up.text[head.end() :]}"
    return f"`{other}` finds {shown(*nearest)}"


def with_hints(
    program: CoreProgram, marker: Marker, violations: Sequence[Violation]
) -> list[Violation]:
    """Findings of one table, with hints for look-ups that found nothing."""
    look_ups = {f"`{each.text}` finds no cell": each for each in program.look_ups}
    asked: dict[int, tuple[LookUp, Place]] = {}
    for ix in hinted(violations):
        each = violations[ix]
        look_up = look_ups.get(each.message.rpartition(" from ")[0])
        if look_up and look_up.path is None and each.row is not None and each.column is not None:
            asked[ix] = look_up, (each.row, each.column)
    found = list(violations)
    near = _near(program, marker, list(asked.values())) if asked else {}
    for ix, (look_up, origin) in asked.items():
        found[ix] = replace(found[ix], hint=opposite_hint(look_up, origin, near[look_up.region]))
    return found


def hinted(violations: Sequence[Violation]) -> list[int]:
    """The findings of a table that may get a hint."""
    return [ix for ix, each in enumerate(violations) if each.code == "lookup-none"][:MAX_HINTS]


def _near(
    program: CoreProgram, marker: Marker, asked: Sequence[tuple[LookUp, Place]]
) -> dict[int, list[Place]]:
    """By region: its cells in the rows around those that look-ups start from."""
    import numpy as np

    near: dict[int, list[Place]] = {look_up.region: [] for look_up, _ in asked}
    origins = np.unique([row for _, (row, _) in asked])
    for strip in marker.strips(program.needs_table, reads_head=False):
        if strip.first_row > origins[-1] + NEAR_ROWS:
            break
        regions = Regions(strip, marker.sets)
        for region, cells in near.items():
            held = regions.cells(region)
            rows = held // strip.width + strip.first_row
            low = np.searchsorted(origins, rows - NEAR_ROWS)
            is_near = low < np.searchsorted(origins, rows + NEAR_ROWS, side="right")
            columns = held[is_near] % strip.width + 1
            cells += zip(rows[is_near].tolist(), columns.tolist(), strict=True)
    return near
