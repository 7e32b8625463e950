"""Look-ups: from each cell of a strip to the cells that belong to it (`docs/language.md#look-ups`).

In: the marks of a strip, and what the rest of the table hands to it. Out: for some of its cells,
the first cell that the look-up finds and a second one if there are several; `NOWHERE`
if there is none. Cells are numbered through the whole table. What a strip tells the others is a
`Handover`: for each column (and each state of a path) up to two cells.

    directly, within, closest   up, down: the nearest row wins, so handovers override each other
    closest                     left, right: by column, so handovers are united
    a path that goes up or down, not both: followed row by row (`path_follower`)
    any other path, and `all`: a search through the whole table, which is then one strip

Invariant: the cells found are those that the path of the look-up reaches; tests compare with a
search on the grid. Cost: some array operations per cell and look-up; a path costs its states and
turns per cell; a search costs the cells that it visits.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from sculpt.core import ir
from sculpt.core.programs.look_ups import LookUp, Reach
from sculpt.engines.lookups.path_follower import Follower, FoundCells, PathHandover
from sculpt.engines.regions.marker import MarkedStrip
from sculpt.kernels.loops.lookups import NOWHERE

if TYPE_CHECKING:
    import numpy as np

    from sculpt.kernels.backend import Backend

    Array = np.ndarray[Any, Any]

Handover: TypeAlias = "tuple[Array, ...]"
"""The first cell and a second one, by column; for a path see `path_follower.PathHandover`."""


class Regions:
    """The cells of a strip by region."""

    def __init__(self, strip: MarkedStrip, sets: Sequence[frozenset[int]]) -> None:
        self.strip = strip
        self.sets = sets
        self._held: dict[int, Array] = {}
        self._has: dict[int, bool] = {}
        self._last: tuple[Array, Array] | None = None
        self._computed: dict[tuple[object, str], Any] = {}

    def computed(self, owner: object, what: str, make: Callable[[], Any]) -> Any:
        """A value that an owner computes from this strip, computed once."""
        key = (owner, what)  # not its `id`, which may be reused
        if key not in self._computed:
            self._computed[key] = make()
        return self._computed[key]

    def holds(self, region: int) -> Array:
        """By cell: is it in the region?"""
        import numpy as np

        if region not in self._held:
            in_set = np.array([region in each for each in self.sets])
            self._held[region] = in_set[self.strip.marks]
        return self._held[region]

    def has(self, region: int) -> bool:
        """Does the region have a cell in this strip?"""
        if region not in self._has:
            self._has[region] = bool(self.holds(region).any())
        return self._has[region]

    def cells(self, region: int) -> Array:
        """The cells of a region, numbered from the strip's first, in order."""
        import numpy as np

        return np.flatnonzero(self.holds(region))

    def row_sizes(self, region: int) -> Array:
        """By row: how many cells of a region it has."""
        found: Array = self.grid(region).sum(axis=1)
        return found

    def columns(self, cells: Array) -> Array:
        """The columns of some cells; the last answer is kept, since it is often asked for again."""
        if self._last is None or self._last[0] is not cells:
            self._last = cells, cells % self.strip.width
        return self._last[1]

    def grid(self, region: int) -> Array:
        """By row and column: is the cell in the region?"""
        return self.holds(region).reshape(self.strip.rows, self.strip.width)


class Finder:
    """Finds the found cells of cells for one look-up."""

    def __init__(self, look_up: LookUp, width: int, backend: Backend) -> None:
        self.look_up = look_up
        self.width = width
        self.backend = backend
        self._follower = (
            None if look_up.path is None else Follower(look_up.path, look_up.tests, width, backend)
        )

    @property
    def hands_down(self) -> bool:
        """Do strips hand something to the one below?"""
        return self.look_up.reach is Reach.ABOVE

    def empty(self) -> Handover:
        """The handover of no rows."""
        import numpy as np

        if self._follower is not None:
            return self._follower.empty()
        nothing = np.full(self.width, NOWHERE, dtype=np.int64)
        return nothing, nothing.copy()

    def summary(self, regions: Regions) -> Handover:
        """What a strip hands to the others, whatever it receives from them."""
        look_up = self.look_up
        if self._follower is not None:
            return self._follower.summary(regions.strip, regions.sets)
        match look_up.reach:
            case Reach.COLUMNS:
                return _columns(regions, look_up.region)
            case Reach.ABOVE | Reach.BELOW:
                return self._vertical(regions)[1]
        return self.empty()

    def merged(self, above: Handover, below: Handover) -> Handover:
        """The handover of two adjacent strips."""
        if self.look_up.reach is Reach.COLUMNS:
            return _united(above, below)
        far, near = (above, below) if self.hands_down else (below, above)
        if self._follower is not None:
            return self._follower.composed(_path_handover(far), _path_handover(near))
        return _overridden(far, near)

    def find(self, regions: Regions, cells: Array, entering: Handover) -> FoundCells:
        """The found cells of some cells of a strip; the cells are numbered from its first.

        `entering` is the handover from above or from below, or that of the columns of the table.
        """
        look_up = self.look_up
        if self._follower is not None:
            if look_up.reach is Reach.TABLE:
                return _two_of(self._searched(regions, cells))
            (firsts, seconds), _ = self._followed(regions, entering)
            return firsts[cells], seconds[cells]
        if look_up.reach is Reach.COLUMNS:
            first, second = self._across(entering)
            columns = regions.columns(cells)
            return first[columns], second[columns]
        if look_up.kind == "directly" and look_up.direction in ("left", "right"):
            return self._beside(regions, cells)
        if look_up.reach is Reach.TABLE and look_up.kind == "within":
            return _sideways(regions, look_up, cells)
        columns = regions.columns(cells)
        if not regions.has(look_up.region):
            seconds = _none(len(cells)) if look_up.kind != "closest" else entering[1][columns]
            return entering[0][columns], seconds
        (firsts, seconds), _ = self._vertical(regions)
        if look_up.kind == "directly":  # not in the cell's own row
            firsts, seconds = (
                _moved(each, self.width, look_up.direction) for each in (firsts, seconds)
            )
        first, second = firsts[cells], seconds[cells]
        outside = first == NOWHERE
        first[outside], second[outside] = (edge[columns[outside]] for edge in entering)
        return first, second

    def leaving(self, regions: Regions, entering: Handover) -> Handover:
        """What a strip hands down, given what it receives from above."""
        if self._follower is not None:
            return (*self._followed(regions, entering)[1], entering[2])
        if not regions.has(self.look_up.region):
            return entering
        return self.merged(entering, self._vertical(regions)[1])

    def find_all(self, regions: Regions, cells: Array) -> list[list[int]]:
        """All found cells of each cell, in table order; the strip must be the whole table."""
        look_up, base = self.look_up, regions.strip.base
        if self._follower is not None:
            return self._searched(regions, cells)
        first, _ = self.find(regions, cells, self.empty())
        if look_up.kind != "closest":
            return [[] if cell == NOWHERE else [int(cell)] for cell in first]
        return _all_closest(regions, look_up, [int(cell) for cell in cells], base)

    def _beside(self, regions: Regions, cells: Array) -> FoundCells:
        """The nearest cell of the region in the same row."""
        import numpy as np

        strip, held = regions.strip, regions.holds(self.look_up.region)
        first = np.empty(len(cells), dtype=np.int64)
        step = 1 if self.look_up.direction == "left" else -1
        cells = np.ascontiguousarray(cells)
        self.backend.nearest_beside(held, cells, strip.width, step, strip.base, first)
        return first, _none(len(cells))

    # ------------------------------------------------------------- up and down

    def _vertical(self, regions: Regions) -> tuple[FoundCells, Handover]:
        """By cell: what is found in its own row or further on; and the handover of the strip."""
        found: tuple[FoundCells, Handover] = regions.computed(
            self, "vertical", lambda: self._compute_vertical(regions)
        )
        return found

    def _compute_vertical(self, regions: Regions) -> tuple[FoundCells, Handover]:
        import numpy as np

        look_up, strip = self.look_up, regions.strip
        grid = regions.grid(look_up.region)
        goes_up = look_up.direction == "up"
        nothing = np.full((strip.rows, strip.width), NOWHERE, dtype=np.int64)
        if not grid.any():
            edge = (nothing[0].copy(), nothing[0].copy())
            return (nothing.ravel(), nothing.ravel().copy()), edge
        numbers = np.arange(strip.rows * strip.width).reshape(grid.shape) + strip.base
        second = nothing
        match look_up.kind:
            case "directly":
                own = np.where(grid, numbers, NOWHERE)
            case "within":
                own = _nearest_in_row(grid, numbers, look_up.before, look_up.after)
            case _:
                own, second = _row_holds(grid, numbers)
        rows = np.arange(strip.rows)
        if look_up.kind == "closest":
            nearest = _filled(np.where(own[:, 0] != NOWHERE, rows, NOWHERE), goes_up)
            known = nearest != NOWHERE
            at = np.where(known, nearest, 0)
            first = np.where(known[:, None], own[at], NOWHERE)
            second = np.where(known[:, None], second[at], NOWHERE)
        else:
            first = _filled(own, goes_up)
        last = -1 if goes_up else 0
        edge = (first[last].copy(), second[last].copy())
        return (first.ravel(), second.ravel()), edge

    def _across(self, held: Handover) -> FoundCells:
        """By column: the cells of the nearest column that has any; its own column is nearest."""
        import numpy as np

        at = np.where(held[0] != NOWHERE, np.arange(self.width), NOWHERE)
        nearest = _filled(at, self.look_up.direction == "left")
        known = nearest != NOWHERE
        picked = np.where(known, nearest, 0)
        first, second = (np.where(known, each[picked], NOWHERE) for each in held)
        return first, second

    # ------------------------------------------------------------- paths

    def _followed(self, regions: Regions, entering: Handover) -> tuple[FoundCells, Handover]:
        follower, strip = self._follower, regions.strip
        assert follower is not None
        given = (entering[0], entering[1])
        found: tuple[FoundCells, Handover] = regions.computed(
            self, "followed", lambda: follower.follow(strip, regions.sets, given)
        )
        return found

    def _searched(self, regions: Regions, cells: Array) -> list[list[int]]:
        follower, strip = self._follower, regions.strip
        assert follower is not None
        tests = [regions.holds(region) for region in self.look_up.tests]
        return [follower.search(strip, tests, int(cell)) for cell in cells]


# ----------------------------------------------------------------- arrays


def _path_handover(edge: Handover) -> PathHandover:
    first, second, relation = edge
    return first, second, relation


def _two_of(found: Sequence[Sequence[int]]) -> FoundCells:
    """The first and the second of the cells in each list."""
    import numpy as np

    first, second = (
        np.array([each[ix] if len(each) > ix else NOWHERE for each in found], dtype=np.int64)
        for ix in range(2)
    )
    return first, second


def _none(count: int) -> Array:
    """No second cell, for `count` cells."""
    import numpy as np

    return np.broadcast_to(np.int64(NOWHERE), count)


def _filled(array: Array, forward: bool) -> Array:
    """Fill each empty place with the nearest value before it (or after it).

    Values must grow from the first place to the last, so that the nearest is the extreme.
    """
    import numpy as np

    if forward:
        return np.maximum.accumulate(array, axis=0)
    high = np.iinfo(np.int64).max
    flipped = np.where(array == NOWHERE, high, array)[::-1]
    filled = np.minimum.accumulate(flipped, axis=0)[::-1]
    return np.where(filled == high, NOWHERE, filled)


def _moved(array: Array, width: int, direction: ir.Direction | None) -> Array:
    """By cell: the value of the cell above it (or below it)."""
    import numpy as np

    row = np.full(width, NOWHERE, dtype=np.int64)
    parts = [row, array[:-width]] if direction == "up" else [array[width:], row]
    return np.concatenate(parts)


def _row_holds(grid: Array, numbers: Array) -> tuple[Array, Array]:
    """By cell: the first and the second cell of the region in its row."""
    import numpy as np

    first = np.where(grid.any(axis=1), numbers[:, 0] + grid.argmax(axis=1), NOWHERE)
    rest = grid.copy()
    rest[np.arange(len(grid)), grid.argmax(axis=1)] = False
    second = np.where(rest.any(axis=1), numbers[:, 0] + rest.argmax(axis=1), NOWHERE)
    wide = [np.broadcast_to(each[:, None], grid.shape) for each in (first, second)]
    return wide[0], wide[1]


def _nearest_in_row(grid: Array, numbers: Array, before: int, after: int) -> Array:
    """By cell: the first cell of the region from `before` columns before it to `after` after it."""
    import numpy as np

    width = grid.shape[1]
    held = np.where(grid, np.arange(width), NOWHERE)
    following = _filled(held.T, forward=False).T
    columns = np.arange(width)
    found = following[:, np.maximum(columns - before, 0)]
    inside = (found != NOWHERE) & (found <= columns + after)
    return np.where(inside, numbers[:, :1] + found, NOWHERE)


def _sideways(regions: Regions, look_up: LookUp, cells: Array) -> FoundCells:
    """`within` to the left or right: the nearest column, and there the first row in the window."""
    import numpy as np

    strip = regions.strip
    grid = regions.grid(look_up.region)
    rows = np.arange(strip.rows)
    held = np.where(grid, rows[:, None], NOWHERE)
    following = _filled(held, forward=False)
    found = following[np.maximum(rows - look_up.before, 0)]
    inside = (found != NOWHERE) & (found <= (rows + look_up.after)[:, None])
    columns = np.where(inside, np.arange(strip.width), NOWHERE)
    nearest = _filled(columns.T, look_up.direction == "left").T.ravel()[cells]
    known = nearest != NOWHERE
    picked = np.where(known, nearest, 0)
    source_rows = found[cells // strip.width, picked]
    first = np.where(known, source_rows * strip.width + picked + strip.base, NOWHERE)
    return first, np.full(len(cells), NOWHERE, dtype=np.int64)


def _columns(regions: Regions, region: int) -> Handover:
    """By column: the first and a second cell of a region."""
    import numpy as np

    grid, strip = regions.grid(region), regions.strip
    columns = np.arange(strip.width)
    first = grid.argmax(axis=0)
    rest = grid.copy()
    rest[first, columns] = False
    second = rest.argmax(axis=0)
    a = np.where(grid.any(axis=0), first * strip.width + columns + strip.base, NOWHERE)
    b = np.where(rest.any(axis=0), second * strip.width + columns + strip.base, NOWHERE)
    return a, b


def _all_closest(regions: Regions, look_up: LookUp, cells: list[int], base: int) -> list[list[int]]:
    import numpy as np

    grid, width = regions.grid(look_up.region), regions.strip.width
    is_vertical = look_up.direction in ("up", "down")
    lines = grid if is_vertical else grid.T
    held = np.where(lines.any(axis=1), np.arange(len(lines)), NOWHERE)
    nearest = _filled(held, look_up.direction in ("up", "left"))
    found = []
    for cell in cells:
        line = int(nearest[cell // width if is_vertical else cell % width])
        others = np.flatnonzero(lines[line]).tolist() if line != NOWHERE else []
        places = [(line, n) if is_vertical else (n, line) for n in others]
        found.append([row * width + column + base for row, column in places])
    return found


def _overridden(far: Handover, near: Handover) -> Handover:
    """The nearer cells win, where there are any."""
    import numpy as np

    missing = near[0] == NOWHERE
    return np.where(missing, far[0], near[0]), np.where(missing, far[1], near[1])


def _united(a: Handover, b: Handover) -> Handover:
    """Up to two cells of both, by column."""
    import numpy as np

    first = np.where(a[0] == NOWHERE, b[0], a[0])
    second = np.where(a[1] != NOWHERE, a[1], np.where(a[0] == NOWHERE, b[1], b[0]))
    return first, second
