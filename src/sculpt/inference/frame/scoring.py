"""Weights: how much each feature of a line, and each step to the next, speaks for each label.

In: the features of a line. Out: its scores, one for each label in the order of `ORDER`.

Invariant: a feature without weights scores nothing. Cost: six additions a feature.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sculpt.inference.frame.model import Label
from sculpt.values import frozen

ORDER: tuple[Label, ...] = ("metadata", "header", "group", "data", "derived", "notes")
"""The labels of lines that are not blank, in the order of their weights."""
SCALE = 10.0
"""Weights are whole numbers: ten points more make a label e times as probable."""


@frozen
class Weights:
    """What each feature says."""

    lines: Mapping[str, tuple[int, ...]]
    """For each feature of a line, how much it speaks for each label."""
    steps: Mapping[str, Mapping[Label, tuple[int, ...]]]
    """By what lies between two lines, for each label of the first, the weights of the second's."""
    starts: tuple[int, ...]
    """The weights of the label of the first line."""

    def scores(self, features: Sequence[str]) -> list[float]:
        """How much the features of a line speak for each label."""
        known = [self.lines[name] for name in features if name in self.lines]
        return [float(sum(column)) for column in zip(*known, strict=True)] or [0.0] * len(ORDER)

    def tables(self) -> dict[str, list[tuple[int, ...]]]:
        """The weights of steps, in the order of `ORDER` both ways."""
        return {name: [rows[label] for label in ORDER] for name, rows in self.steps.items()}
