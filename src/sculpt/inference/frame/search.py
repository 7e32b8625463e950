"""`find_frame`: what each line of a file is, and where its tables are.

In: the rows of a file, their cells trimmed. Out: its `Frame`.

The pipeline: facts of single lines → surroundings → features → the best labels → tables. Blank rows
are `empty`, and the labels are found among the others. Of a long file only the head, the tail and
the odd lines between them are looked at; the other lines are data.

Invariant: any rows have a frame; nothing is raised. Cost: linear; a glance at each row, and for at
most `_MOST_LINES` rows the full work.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from sculpt.inference.frame.facts import Facts, facts_of
from sculpt.inference.frame.features import features_of, step_of
from sculpt.inference.frame.labelling import Labelling, best_labels
from sculpt.inference.frame.model import Frame, Line
from sculpt.inference.frame.scoring import Weights
from sculpt.inference.frame.surroundings import look_around
from sculpt.inference.frame.tables import tables_of
from sculpt.inference.frame.weights import WEIGHTS

_LONG_FILE = 1000
"""Rows of which every one is looked at."""
_HEAD = 300
_TAIL = 200
_ODD = 300
"""Odd lines between head and tail that are looked at."""
_MOST_LINES = _HEAD + _TAIL + _ODD

Rows = Sequence[Sequence[str]]


def find_frame(rows: Rows, weights: Weights = WEIGHTS) -> Frame:
    """What each line is, and where the tables are."""
    width = max(map(len, rows), default=0)
    lines = [facts for ix in rows_to_read(rows) if (facts := facts_of(ix + 1, rows[ix]))]
    labelling = label(lines, weights)
    named = _name_all(rows, lines, labelling)
    return Frame(named, tables_of(rows, named, width), width, labelling.gap)


def label(lines: Sequence[Facts], weights: Weights) -> Labelling:
    """The best labels of lines that are not blank."""
    around = look_around(lines)
    steps = [step_of(lines[ix - 1], lines[ix], around, ix) for ix in range(1, len(lines))]
    return best_labels(features_of(lines, around), steps, weights)


def rows_to_read(rows: Rows) -> list[int]:
    """The indices of the rows to look at: all of them, or head, tail and what is odd between."""
    count = len(rows)
    if count <= _LONG_FILE:
        return list(range(count))
    fills = [sum(map(bool, row)) for row in rows]
    usual = {fill for fill, often in Counter(fills).items() if often * 50 > count}
    usual.discard(1)
    middle = range(_HEAD, count - _TAIL)
    odd = [ix for ix in middle if fills[ix] and (fills[ix] not in usual or _is_total(rows[ix]))]
    step = -(-len(odd) // _ODD) or 1
    return [*range(_HEAD), *odd[::step], *range(count - _TAIL, count)]


def _is_total(row: Sequence[str]) -> bool:
    return any("total" in text.lower() for text in row[:2])


def _name_all(rows: Rows, lines: Sequence[Facts], labelling: Labelling) -> tuple[Line, ...]:
    """The labels of all rows: those that were found, `empty` and, for what was skipped, data."""
    found = {
        facts.row: Line(facts.row, line.label, line.confidence, line.alternative)
        for facts, line in zip(lines, labelling.lines, strict=True)
    }
    return tuple(
        found.get(row)
        or (Line(row, "data", 0.9, "derived") if any(cells) else Line(row, "empty", 1.0))
        for row, cells in enumerate(rows, 1)
    )
