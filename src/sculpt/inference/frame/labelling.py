"""The best labels of lines: the labelling with the highest score, and how sure it is.

In: the features of the lines that are not blank, and of the steps between them. Out: for each line
its best label, the runner-up, and how probable both are; for the file, the gap to the best
labelling in which some line plays another part.

The score of a labelling is the sum of the weights (`weights`) of its lines and steps: a conditional
random field over the labels. Viterbi's algorithm finds the best labelling; run from both ends, it
finds the best one through each line and label.

Invariant: the labels are those of one best labelling. Cost: linear, 36 additions a line and
direction.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from operator import add
from typing import TypeAlias

from sculpt.inference.frame.model import Label
from sculpt.inference.frame.scoring import ORDER, SCALE, Weights
from sculpt.values import frozen

_LABELS = range(len(ORDER))
_Step: TypeAlias = Sequence[tuple[int, ...]]
"""The weights of a step, from each label (row) to each (column)."""
_PARTS: dict[Label, int] = {
    "metadata": 0,
    "header": 1,
    "group": 2,
    "data": 2,
    "derived": 2,
    "notes": 3,
}
"""Labels of the same part can be exchanged, and the tables stay the same."""


@frozen
class Labelled:
    """The label of a line."""

    label: Label
    confidence: float
    alternative: Label


@frozen
class Labelling:
    """The best labels of some lines."""

    lines: tuple[Labelled, ...]
    gap: float
    """From 0 to 1: how much better it is than the best one that gives some line another part."""


def best_labels(
    features: Sequence[Sequence[str]], between: Sequence[str], weights: Weights
) -> Labelling:
    """The best labels of lines; `between[ix]` is what lies between the lines `ix` and `ix + 1`."""
    if not features:
        return Labelling((), 1.0)
    scores = [weights.scores(names) for names in features]
    tables = weights.tables()
    steps = [tables[name] for name in between]
    ahead = _from_start(scores, steps, weights.starts)
    behind = _from_end(scores, steps)
    chosen = _follow(ahead, steps)
    lines = []
    least = math.inf
    for left, right, label in zip(ahead, behind, chosen, strict=True):
        through = [one + other for one, other in zip(left, right, strict=True)]
        best = through[label]
        other = max((ix for ix in _LABELS if ix != label), key=through.__getitem__)
        lines.append(Labelled(ORDER[label], _sure(best - through[other]), ORDER[other]))
        part = _PARTS[ORDER[label]]
        rival = max(through[ix] for ix in _LABELS if _PARTS[ORDER[ix]] != part)
        least = min(least, best - rival)
    return Labelling(tuple(lines), _sure(least))


def _sure(gap: float) -> float:
    """A gap between two scores as a number from 0 to 1: the difference of their probabilities."""
    return round(math.tanh(max(0.0, gap) / SCALE / 2), 4)


def _from_start(
    scores: Sequence[list[float]], steps: Sequence[_Step], starts: Sequence[int]
) -> list[list[float]]:
    """The best score of the lines up to each line, ending in each label."""
    found = [[start + own for start, own in zip(starts, scores[0], strict=True)]]
    for own, step in zip(scores[1:], steps, strict=True):
        last = found[-1]
        columns = zip(*step, strict=True)
        found.append([max(map(add, last, column)) + own[ix] for ix, column in enumerate(columns)])
    return found


def _from_end(scores: Sequence[list[float]], steps: Sequence[_Step]) -> list[list[float]]:
    """The best score of the lines after each line, if that line has each label."""
    found = [[0.0] * len(ORDER)]
    for own, step in zip(reversed(scores[1:]), reversed(steps), strict=True):
        later = list(map(add, found[-1], own))
        found.append([max(map(add, row, later)) for row in step])
    return found[::-1]


def _follow(ahead: Sequence[list[float]], steps: Sequence[_Step]) -> list[int]:
    """The labels of the best labelling, found from its end."""
    chosen = [max(_LABELS, key=ahead[-1].__getitem__)]
    for scores, step in zip(reversed(ahead[:-1]), reversed(steps), strict=True):
        totals = [score + row[chosen[-1]] for score, row in zip(scores, step, strict=True)]
        chosen.append(max(_LABELS, key=totals.__getitem__))
    return chosen[::-1]
