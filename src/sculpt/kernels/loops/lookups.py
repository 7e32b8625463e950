"""The kernels of look-ups: from cells to other cells, on one strip of rows.

A cell's number is `row * width + column`, from 0.
"""

from __future__ import annotations

from sculpt.kernels.loops.reach import LEFT, RIGHT, TEST, UP
from sculpt.kernels.loops.types import Flags, Numbers, Small

NOWHERE = -1


def nearest_beside(
    held: Flags, cells: Numbers, width: int, step: int, base: int, out: Numbers
) -> None:
    """By cell: the nearest held cell in its row, strictly left (step 1) or right (step -1).

    `cells` are in order; `held` says for each cell of the strip whether the look-up accepts it.
    """
    row, last = -1, NOWHERE
    at = 0
    for number in range(len(cells)):
        ix = number if step > 0 else len(cells) - 1 - number
        cell = cells[ix]
        begin = cell // width * width
        if cell // width != row:
            row, last = cell // width, NOWHERE
            at = begin if step > 0 else begin + width - 1
        while at != cell:
            if held[at]:
                last = at
            at += step
        out[ix] = last + base if last != NOWHERE else NOWHERE


def number_cells(cells: Numbers, base: int, count: int, slots: Small, out: Small) -> int:
    """Number the cells of a strip that occur in `cells`, from 0 and in order; return their count.

    | array | holds |
    |---|---|
    | cells | numbers of cells in the whole table; those outside the strip are left out |
    | slots | zeros, one per cell of the strip; out: 1 + its number if the cell occurs |
    | out | by entry of `cells`: its new number, or -1 |
    """
    for ix in range(len(cells)):
        at = cells[ix] - base
        if 0 <= at < count:
            slots[at] = 1
    found = 0
    for at in range(count):
        if slots[at]:
            slots[at] = found + 1
            found += 1
    for ix in range(len(cells)):
        at = cells[ix] - base
        out[ix] = slots[at] - 1 if 0 <= at < count else -1
    return found


def _joined_sources(firsts: Numbers, seconds: Numbers, at: int, first: int, second: int) -> bool:
    """Merge two cells into the (up to) two at a place; keep the first two. Did anything change?"""
    changed = False
    for found in (first, second):
        if found == NOWHERE or firsts[at] == found or seconds[at] == found:
            continue
        if firsts[at] == NOWHERE or found < firsts[at]:
            firsts[at], seconds[at] = found, firsts[at]
            changed = True
        elif seconds[at] == NOWHERE or found < seconds[at]:
            seconds[at] = found
            changed = True
    return changed


def follow(
    marks: Numbers,
    rows: int,
    width: int,
    base: int,
    is_open: bool,
    vertical: int,
    tests: Numbers,
    sets_count: int,
    arcs_first: Numbers,
    arcs: Numbers,
    states: int,
    start: int,
    final: int,
    beyond_firsts: Numbers,
    beyond_seconds: Numbers,
    firsts: Numbers,
    seconds: Numbers,
    out_firsts: Numbers,
    out_seconds: Numbers,
) -> None:
    """The cells that a path leads to from each cell, for paths that go only up or only down.

    At most the first two are kept. Rows are taken from the side that the path leads to; within a
    row, steps are repeated until nothing changes. The results of the previous row are passed on.

    | array | holds |
    |---|---|
    | marks | by cell: the number of its set of regions |
    | base, is_open | the number of the first cell; can walks end in this strip? |
    | vertical | UP or DOWN: the direction of the path |
    | tests | (test * sets + set) -> does it hold? |
    | arcs_first, arcs | by state: its arcs (kind, target) |
    | beyond_firsts, beyond_seconds | by (state, column): cells found from the row before; in, out |
    | firsts, seconds | the same for the current row |
    | out_firsts, out_seconds | by cell: the cells that the path leads to |
    """
    for turned in range(rows):
        row = turned if vertical == UP else rows - 1 - turned
        for at in range(states * width):
            firsts[at], seconds[at] = NOWHERE, NOWHERE
        if is_open:
            for column in range(width):
                firsts[final * width + column] = base + row * width + column
        changed = True
        while changed:
            changed = False
            for turn in range(2):
                for step in range(width):
                    column = step if turn == 0 else width - 1 - step
                    mark = marks[row * width + column]
                    for state in range(states - 1, -1, -1):
                        at = state * width + column
                        for arc in range(arcs_first[state], arcs_first[state + 1]):
                            kind, target = arcs[2 * arc], arcs[2 * arc + 1] * width + column
                            if kind == vertical:
                                if _joined_sources(
                                    firsts,
                                    seconds,
                                    at,
                                    beyond_firsts[target],
                                    beyond_seconds[target],
                                ):
                                    changed = True
                                continue
                            if kind == LEFT:
                                if column == 0:
                                    continue
                                target -= 1
                            elif kind == RIGHT:
                                if column == width - 1:
                                    continue
                                target += 1
                            elif kind >= TEST and not tests[(kind - TEST) * sets_count + mark]:
                                continue
                            if _joined_sources(
                                firsts, seconds, at, firsts[target], seconds[target]
                            ):
                                changed = True
        for column in range(width):
            out_firsts[row * width + column] = firsts[start * width + column]
            out_seconds[row * width + column] = seconds[start * width + column]
        for at in range(states * width):
            beyond_firsts[at], beyond_seconds[at] = firsts[at], seconds[at]
