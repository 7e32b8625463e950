"""Where something is wrong: findings at cells and iterations of a frame.

In: by iteration, whether something is wrong there, and how to put it into words. Out: reports
(`reporting`), which become findings if somebody needs to know.

Invariant: nothing is put into words before it is shown. Cost: one mask per report.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from sculpt.transform.evaluation.findings import finding
from sculpt.transform.evaluation.reporting import Reporter
from sculpt.transform.evaluation.values.frame import Frame
from sculpt.verdict import Violation

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, Any]


class Places:
    """Reports what is wrong in the iterations of a frame."""

    def __init__(self, frame: Frame, reporter: Reporter) -> None:
        self.frame = frame
        self.reporter = reporter

    def coordinate(self, cell: int) -> tuple[int, int]:
        """The row and column of a cell, for people."""
        return int(cell) // self.frame.width + 1, int(cell) % self.frame.width + 1

    def at_iteration(
        self, code: str, line: int, ix: int, text: str | None, message: str
    ) -> Violation:
        """A finding where an iteration is."""
        row, column = self.frame.place(ix)
        return finding(code, line, row, column, text, message)

    def at_cell(
        self, code: str, line: int, cell: int, message: str, hint: str | None = None
    ) -> Violation:
        """A finding at a cell."""
        import numpy as np

        text = self.frame.texts(np.array([cell]), raw=False)[0].as_py()
        return finding(code, line, *self.coordinate(cell), text, message, hint)

    def report(
        self,
        mask: Array,
        describe: Callable[[int], Violation],
        cells: Callable[[], Array] | None = None,
    ) -> None:
        """Something is wrong in some iterations; `describe` puts it into words."""
        self.reporter.mask(mask, describe, cells)

    def mask(self, places: Any) -> Array:
        """By iteration: is it one of these?"""
        import numpy as np

        mask = np.zeros(self.frame.count, dtype=np.bool_)
        mask[places] = True
        return mask
