"""The best labels of lines: the labelling with the highest score, and how sure it is.

In: the features of the lines that are not blank, and of the steps between them. Out: for each line
its best label, the runner-up, and how probable both are; for the file, the gap to the best
labelling in which some line plays another part.

The score of a labelling is the sum of the weights (`weights`) of its lines and steps: a conditional
random field over the labels. The best labelling is found by Viterbi's algorithm; the best one through
each line and label by running it from both ends.

Invariant: the labels are those of one best labelling. Cost: linear, 36 additions a line and
direction.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache

from sculpt.inference.frame.model import Label
from sculpt.inference.frame.weights import FORBIDDEN, LINES, ORDER, SCALE, STARTS, STEPS
from sculpt.values import frozen

_PARTS = {"metadata": 0, "header": 1, "group": 2, "data": 2, "derived": 2, "notes": 3}
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


def best_labels(features: Sequence[Sequence[str]], steps: Sequence[str]) -> Labelling:
    """The best labels of lines; `steps[ix]` lies between the lines `ix` and `ix + 1`."""
    if not features:
        return Labelling((), 1.0)
    emissions = [_emission(names) for names in features]
    ahead = _from_start(emissions, steps)
    behind = _from_end(emissions, steps)
    through = [
        [one + other for one, other in zip(left, right, strict=True)]
        for left, right in zip(ahead, behind, strict=True)
    ]
    lines = []
    gap = math.inf
    chosen = _follow(ahead, emissions, steps)
    for scores, label in zip(through, chosen, strict=True):
        best = scores[label]
        other = max((ix for ix in range(len(ORDER)) if ix != label), key=scores.__getitem__)
        lines.append(Labelled(ORDER[label], _sure(best - scores[other]), ORDER[other]))
        part = _PARTS[ORDER[label]]
        for ix, score in enumerate(scores):
            if _PARTS[ORDER[ix]] != part:
                gap = min(gap, best - score)
    return Labelling(tuple(lines), _sure(gap))


def _sure(gap: float) -> float:
    """A gap between two scores as a number from 0 to 1: the difference of their probabilities."""
    return round(math.tanh(max(0.0, gap) / SCALE / 2), 4)


def _emission(names: Sequence[str]) -> list[float]:
    sums = [0.0] * len(ORDER)
    for name in names:
        weights = LINES.get(name)
        if weights is not None:
            sums = [total + weight for total, weight in zip(sums, weights, strict=True)]
    return sums


@cache
def _step(name: str) -> tuple[tuple[float, ...], ...]:
    """The weights of a step, from each label (row) to each (column)."""
    return tuple(
        tuple(
            -1e6 if (one, other) in FORBIDDEN else weight
            for other, weight in zip(ORDER, STEPS[name][one], strict=True)
        )
        for one in ORDER
    )


def _from_start(emissions: Sequence[list[float]], steps: Sequence[str]) -> list[list[float]]:
    """The best score of the lines up to each line, ending in each label."""
    labels = range(len(ORDER))
    scores = [[start + own for start, own in zip(STARTS, emissions[0], strict=True)]]
    for own, name in zip(emissions[1:], steps, strict=True):
        last, step = scores[-1], _step(name)
        scores.append([max(last[one] + step[one][ix] for one in labels) + own[ix] for ix in labels])
    return scores


def _from_end(emissions: Sequence[list[float]], steps: Sequence[str]) -> list[list[float]]:
    """The best score of the lines after each line, if that line has each label."""
    labels = range(len(ORDER))
    scores = [[0.0] * len(ORDER)]
    for own, name in zip(reversed(emissions[1:]), reversed(steps), strict=True):
        later = [score + weight for score, weight in zip(scores[-1], own, strict=True)]
        step = _step(name)
        scores.append([max(step[ix][other] + later[other] for other in labels) for ix in labels])
    return scores[::-1]


def _follow(
    ahead: Sequence[list[float]], emissions: Sequence[list[float]], steps: Sequence[str]
) -> list[int]:
    """The labels of the best labelling, found from its end."""
    labels = range(len(ORDER))
    chosen = [max(labels, key=ahead[-1].__getitem__)]
    for scores, name in zip(reversed(ahead[:-1]), reversed(steps), strict=True):
        step = _step(name)
        after = chosen[-1]
        chosen.append(max(labels, key=lambda ix: scores[ix] + step[ix][after]))
    return chosen[::-1]
