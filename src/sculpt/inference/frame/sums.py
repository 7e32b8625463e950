"""Rows that add up: which lines are sums of lines next to them.

In: the numbers of each line, by column. Out: for each line how well it is the sum of the lines
directly above and directly below it, from 0 (it is not) to 3 (in three columns or more).

A sum may be off by what rounding explains. Lines without numbers are stepped over. A line may
also be the sum of totals: the lines found first are added up in a second pass.

Invariant: at least two lines are added up. Cost: a search stops when the sum is passed in most
columns, so it looks at a few lines; never at more than `_FARTHEST`, in `_MOST_COLUMNS` columns.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from sculpt.values import frozen

_FARTHEST = 120
_MOST_COLUMNS = 6
_SMALL = 10.0
"""Smaller numbers add up by chance."""
_SURE = 3
"""As many columns do not add up by chance."""
_ROUNDED, _NEARLY = 0.002, 0.02
"""How far a sum is off, in proportion, if rounding does not explain it, yet it should add up."""


@frozen
class Sums:
    """How well a line adds up others: in how many columns, at most 3."""

    above: int = 0
    below: int = 0
    totals: int = 0
    """The lines above it that are sums themselves."""


def find_sums(lines: Sequence[Mapping[int, float]]) -> list[Sums]:
    """How well each line adds up its neighbours."""
    above = [_strength(lines, ix, range(ix - 1, -1, -1)) for ix in range(len(lines))]
    below = [_strength(lines, ix, range(ix + 1, len(lines))) for ix in range(len(lines))]
    found: list[int] = []
    sums = []
    for ix in range(len(lines)):
        totals = _strength(lines, ix, found[::-1][:_FARTHEST]) if len(found) > 1 else 0
        sums.append(Sums(above[ix], below[ix], totals))
        if above[ix] > 1 or below[ix] > 1:
            found.append(ix)
    return sums


def misfits(lines: Sequence[Mapping[int, float]], ix: int) -> list[tuple[int, float]]:
    """The columns in which a line is nearly the sum that it is in others, with the sum."""
    for others in (range(ix - 1, -1, -1), range(ix + 1, len(lines))):
        strength, taken = _reach(lines, ix, others)
        if strength < _SURE:
            continue
        found = []
        for column, number in lines[ix].items():
            parts = [lines[other].get(column) for other in others[:taken]]
            total = sum(part for part in parts if part is not None)
            off = abs(total - number)
            least = max(2 * _slack(number, taken), _ROUNDED * abs(number))
            if None not in parts and least < off <= _NEARLY * abs(number):
                found.append((column, total))
        return found
    return []


def _strength(lines: Sequence[Mapping[int, float]], ix: int, others: Sequence[int]) -> int:
    return _reach(lines, ix, others)[0]


def _reach(lines: Sequence[Mapping[int, float]], ix: int, others: Sequence[int]) -> tuple[int, int]:
    """In how many columns a line is the sum of the first few of some others, and how few."""
    goal = _goal(lines[ix])
    if not goal:
        return 0, 0
    enough = len(goal) * 0.6
    sums = dict.fromkeys(goal, 0.0)
    added = 0
    for taken, other in enumerate(others[:_FARTHEST], 1):
        numbers = lines[other]
        met = False
        for column in goal:
            if column in numbers:
                sums[column] += numbers[column]
                met = True
        if not met:
            continue
        added += 1
        reached = passed = large = 0
        for column, target in goal.items():
            gap = abs(sums[column]) - abs(target)
            if abs(gap) <= _slack(target, added):
                reached += 1
                large += abs(target) >= _SMALL
            elif gap > 0:
                passed += 1
        if added > 1 and reached >= enough:
            return min(_SURE, max(1, large)), taken
        if passed > len(goal) - enough:
            return 0, 0
    return 0, 0


def _goal(numbers: Mapping[int, float]) -> dict[int, float]:
    columns = [column for column, number in numbers.items() if number]
    step = max(1, len(columns) // _MOST_COLUMNS)
    return {column: numbers[column] for column in columns[::step][:_MOST_COLUMNS]}


def _slack(target: float, added: int) -> float:
    """What rounding explains: half a unit of the last digit for each line added."""
    size, root = abs(target), math.sqrt(added)
    if target.is_integer():
        return min(0.5 * root + 0.01, size * 0.02)
    return max(size * 1e-4, min(0.06 * root, size * 0.005))
