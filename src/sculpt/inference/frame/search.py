"""`find_frame`: what each line of a file is, and where its tables are.

In: the rows of a file, their cells trimmed. Out: its `Frame`.

The pipeline: facts of single lines → surroundings → features → the best labels → lines that are no
headings taken out of headers → tables. Blank rows are `empty`, and the labels are found among the
others. Of a long file only the head, the tail and the odd lines between them are looked at; the
other lines are data.

Invariant: any rows have a frame; nothing is raised. Cost: linear; a glance at each row, and for at
most some hundreds of rows the full work.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from sculpt.inference.frame.facts import Facts, facts_of
from sculpt.inference.frame.features import features_of, step_of
from sculpt.inference.frame.labelling import Labelling, best_labels
from sculpt.inference.frame.model import Frame, Label, Line
from sculpt.inference.frame.scoring import Weights
from sculpt.inference.frame.settling import settled
from sculpt.inference.frame.sums import misfits
from sculpt.inference.frame.surroundings import look_around
from sculpt.inference.frame.tables import tables_of
from sculpt.inference.frame.weights import WEIGHTS

_LONG_FILE = 1000
"""The most rows of which every one is looked at."""
_HEAD = 300
_TAIL = 200
_ODD = 120
"""Odd lines between head and tail that are looked at, each with its neighbours."""

_MOST_NOTES = 20
_UNREAD = 0.9
"""How sure the label of a line is that was not looked at."""

Shape: TypeAlias = tuple[int, int, bool]
"""Of an odd line: how many cells it fills, the first of them, whether it speaks of a total."""
Rows: TypeAlias = Sequence[Sequence[str]]


def find_frame(rows: Rows, weights: Weights = WEIGHTS) -> Frame:
    """What each line is, and where the tables are."""
    width = max(map(len, rows), default=0)
    odd = odd_rows(rows)
    lines = [facts for ix in rows_to_read(rows, odd) if (facts := facts_of(ix + 1, rows[ix]))]
    labelling = label(lines, weights)
    named = settled(rows, _name_all(rows, odd, lines, labelling))
    notes = tuple(_notes(lines, labelling))[:_MOST_NOTES]
    return Frame(named, tables_of(rows, named, width), width, labelling.gap, notes)


def label(lines: Sequence[Facts], weights: Weights) -> Labelling:
    """The best labels of lines that are not blank."""
    around = look_around(lines)
    steps = [step_of(lines[ix - 1], lines[ix], around, ix) for ix in range(1, len(lines))]
    return best_labels(features_of(lines, around), steps, weights)


def _notes(lines: Sequence[Facts], labelling: Labelling) -> Iterator[str]:
    """Which totals do not add up, though the rest of their row does."""
    numbers = [line.numbers for line in lines]
    for ix, labelled in enumerate(labelling.lines):
        if labelled.label == "derived":
            line = lines[ix]
            for column, total in misfits(numbers, ix):
                yield (
                    f"row {line.row}, column {column + 1}: the total is {line.texts[column]}, but"
                    f" its rows add up to {total:.10g}"
                )


def odd_rows(rows: Rows) -> dict[int, Shape]:
    """The rows in the middle of a long file that do not look like data, with their shapes.

    They fill another number of cells than most, or speak of a total.
    """
    if len(rows) <= _LONG_FILE:
        return {}
    fills = [len(row) - row.count("") for row in rows]
    usual = {fill for fill, often in Counter(fills).items() if often * 50 > len(rows)} - {1}
    odd = {}
    for ix in range(_HEAD, len(rows) - _TAIL):
        row, fill = rows[ix], fills[ix]
        total = "total" in "|".join(row[:2]).lower()
        if fill and (total or fill not in usual):
            odd[ix] = (fill, next(at for at, text in enumerate(row) if text), total)
    return odd


def rows_to_read(rows: Rows, odd: Mapping[int, Shape]) -> list[int]:
    """The indices of the rows to look at: all of them, or head, tail and what is odd between."""
    count = len(rows)
    if count <= _LONG_FILE:
        return list(range(count))
    step = -(-len(odd) // _ODD) or 1
    read = {*range(_HEAD), *range(count - _TAIL, count)}
    for ix in list(odd)[::step]:
        read.update((ix - 1, ix, ix + 1))
    return sorted(read)


def _name_all(
    rows: Rows, odd: Mapping[int, Shape], lines: Sequence[Facts], labelling: Labelling
) -> tuple[Line, ...]:
    """The labels of all rows: those that were found, those of odd lines, and data for the rest."""
    found = {
        facts.row: Line(facts.row, line.label, line.confidence, line.alternative)
        for facts, line in zip(lines, labelling.lines, strict=True)
    }
    found |= _name_odd(odd, found)
    return tuple(
        found.get(row)
        or (Line(row, "data", _UNREAD, "derived") if any(cells) else Line(row, "empty", 1.0))
        for row, cells in enumerate(rows, 1)
    )


def _name_odd(odd: Mapping[int, Shape], found: Mapping[int, Line]) -> dict[int, Line]:
    """The labels of the odd lines that were not looked at: that of most others of their shape."""
    votes: dict[Shape, Counter[Label]] = {}
    for ix, shape in odd.items():
        if ix + 1 in found and found[ix + 1].label in ("group", "data", "derived"):
            votes.setdefault(shape, Counter())[found[ix + 1].label] += 1
    named = {}
    for ix, shape in odd.items():
        if ix + 1 not in found and shape in votes:
            label = votes[shape].most_common(1)[0][0]
            named[ix + 1] = Line(ix + 1, label, _UNREAD, "derived" if label == "data" else "data")
    return named
