"""What the lines of a file have in common, against which a single line stands out.

In: the facts of the lines that are not blank. Out: `Surroundings`: what each column mostly holds,
how many cells a line mostly fills, which lines look like the body of a table, which texts repeat.

Invariant: every list has one entry a line. Cost: one pass over the cells for each of these.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from sculpt.inference.frame.facts import BLANK, CODE, GAP, MOMENT, NUMBER, WORDS, YEAR, Facts
from sculpt.inference.frame.sums import Sums, find_sums
from sculpt.values import frozen

ALIKE = str.maketrans({YEAR: NUMBER, GAP: NUMBER, MOMENT: CODE})
"""Classes that stand for each other in a column: a number may be missing, or look like a year."""

_NEAR = 3
"""Lines above and below with which the numbers of a line are compared."""


@frozen
class Surroundings:
    """What the lines of a file have in common."""

    typical: int
    """How many cells a line of the body fills, mostly."""
    prose: str
    """Which share of the lines has a single cell: few, some, most or all."""
    columns: str
    """The class that most cells of each column have."""
    body: tuple[bool, ...]
    """Does a line look like one of the body of a table?"""
    shapes: tuple[str, ...]
    """The classes of each line's cells, with `ALIKE` ones made equal."""
    shape_counts: dict[str, int]
    repeats: tuple[dict[str, int], ...]
    """For each column, how many lines have which text in it."""
    sums: tuple[Sums, ...]
    tops: tuple[tuple[str, str, bool], ...]
    """Are the numbers of a line the largest: of the lines above, of those below, of all?"""


def look_around(lines: Sequence[Facts]) -> Surroundings:
    """What some lines, none of them blank, have in common."""
    shapes = [line.classes.translate(ALIKE).rstrip(BLANK) for line in lines]
    width = max((len(shape) for shape in shapes), default=0)
    tallies: list[Counter[str]] = [Counter() for _ in range(width)]
    repeats: list[dict[str, int]] = [{} for _ in range(width)]
    for line, shape in zip(lines, shapes, strict=True):
        wide = line.count > 1
        for ix in line.filled:
            text = line.texts[ix]
            known = repeats[ix]
            known[text] = known.get(text, 0) + 1
            if wide:
                tallies[ix][shape[ix]] += 1
    columns = "".join(tally.most_common(1)[0][0] if tally else BLANK for tally in tallies)
    counts = sorted(line.count for line in lines if line.count > 1)
    typical = counts[len(counts) // 2] if counts else 1
    return Surroundings(
        typical,
        _prose(lines),
        columns,
        _bodies(lines, shapes, columns, typical),
        tuple(shapes),
        dict(Counter(shapes)),
        tuple(repeats),
        tuple(find_sums([line.numbers for line in lines])),
        _tops(lines),
    )


def _prose(lines: Sequence[Facts]) -> str:
    single = sum(line.count == 1 for line in lines) / max(1, len(lines))
    return "few" if single < 0.25 else "some" if single < 0.6 else "most" if single < 1 else "all"


def _tops(lines: Sequence[Facts]) -> tuple[tuple[str, str, bool], ...]:
    """Which lines have the largest numbers, of their neighbours and of all."""
    tops: dict[int, float] = {}
    figures = []
    for line in lines:
        own = {ix: number for ix, number in line.numbers.items() if line.classes[ix] != YEAR}
        figures.append(own)
        for ix, number in own.items():
            if number > tops.get(ix, 0.0):
                tops[ix] = number
    found = []
    for at, own in enumerate(figures):
        above = _exceeds(own, figures[max(0, at - _NEAR) : at])
        below = _exceeds(own, figures[at + 1 : at + 1 + _NEAR])
        largest = sum(number >= tops.get(ix, 0.0) for ix, number in own.items())
        found.append((above, below, len(own) > 0 and largest * 3 > len(own) * 2))
    return tuple(found)


def _exceeds(own: Mapping[int, float], others: Sequence[Mapping[int, float]]) -> str:
    """Does a line exceed its neighbours in most columns, and if so do they have enough numbers?"""
    pairs = more = 0
    for other in others:
        for ix, number in own.items():
            if ix in other:
                pairs += 1
                more += number > other[ix]
    if pairs < 2 or pairs < len(own) or more * 5 < pairs * 4:
        return ""
    return "all" if more == pairs else "most"


def _bodies(
    lines: Sequence[Facts], shapes: Sequence[str], columns: str, typical: int
) -> tuple[bool, ...]:
    """Which lines fill about as many cells as most do, with what their columns mostly hold."""
    numeric = columns.count(NUMBER) > 0
    found = []
    for line, shape in zip(lines, shapes, strict=True):
        if line.count < 2 or line.count < typical * 0.4:
            found.append(False)
            continue
        figures = sum(line.classes[ix] in (NUMBER, GAP) for ix in line.filled)
        years = line.classes.count(YEAR)
        fits = sum(shape[ix] == columns[ix] for ix in line.filled)
        if numeric:
            alone = years == 1 and line.classes[line.filled[0]] == YEAR
            good = figures > 0 and (years <= figures or alone) and fits * 2 >= len(line.filled)
        else:
            good = fits == len(line.filled) and not _may_be_headings(line)
        found.append(good)
    return tuple(found)


def _may_be_headings(line: Facts) -> bool:
    """In a table of nothing but words, a first row of words looks like data, and is not."""
    return line.row == 1 and all(line.classes[ix] == WORDS for ix in line.filled)
