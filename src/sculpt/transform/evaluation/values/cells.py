"""The cells that values are about, for many iterations at once.

In: a cell of a program. Out: its number in the table for each iteration. A cell that is missing, or
not the only one, is `NOWHERE` and a finding.

Invariant: the cells are those of `transform.reference`, iteration by iteration. Cost: a few array
operations per cell, and those of its look-ups.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from sculpt.core.programs import expressions as c
from sculpt.core.programs.program import CoreProgram
from sculpt.kernels.loops.lookups import NOWHERE
from sculpt.transform.evaluation.findings import finding, shown, single_look_up
from sculpt.transform.evaluation.reporting import Lets, Reporter, Voice
from sculpt.transform.evaluation.values.frame import Frame
from sculpt.transform.evaluation.values.places import Places
from sculpt.verdict import Violation

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, Any]


class Cells:
    """Finds the cells of a program in a frame."""

    def __init__(self, program: CoreProgram, frame: Frame, reporter: Reporter, lets: Lets) -> None:
        self.program = program
        self.frame = frame
        self.reporter = reporter
        self.lets = lets
        self.places = Places(frame, reporter)
        self._sources: dict[int, Array] = {}
        """By `id` of a cell whose text is wrong somewhere: the cells."""

    def find(self, cell: c.Cell) -> Array:
        """The cell of each iteration; a missing one is a finding."""
        match cell:
            case c.LoopCell():
                return self.frame.cells(cell)
            case c.ItemCell(index, line):
                found = self.frame.cells(cell)
                self._report_items(found == NOWHERE, index, line)
                return found
            case c.OwnCell(region, text, line):
                return self._own(region, text, line)
            case c.OnlyCell(region, text, line):
                return self._only(region, text, line)
            case c.FoundCell(look_up, origin, line):
                return self._found(look_up, origin, line)
            case c.OneCell(inner):
                with self.reporter.voice(Voice.LOUD):
                    return self.find(inner)
            case c.LetCell(number, inner):
                named: Array = self.lets.once(number, lambda: self.find(inner))
                return named

    def _own(self, region: int, text: str, line: int) -> Array:
        """The cell of each row or column that is in a region."""
        first, second = self.frame.own(region)

        def where(ix: int) -> str:
            row, column = self.frame.place(ix)
            return f" in row {row}" if row is not None else f" in column {column}"

        return self._single(first, second, text, line, where)

    def _only(self, region: int, text: str, line: int) -> Array:
        """The only cell of a region, for each iteration."""
        import numpy as np

        one, other = self.frame.only(region)
        first, second = (np.full(self.frame.count, each, np.int64) for each in (one, other))
        return self._single(first, second, text, line, lambda _: "")

    def _single(
        self, first: Array, second: Array, text: str, line: int, where: Callable[[int], str]
    ) -> Array:
        """The first of two cells, where there is no second one."""
        import numpy as np

        def none(ix: int) -> Violation:
            return self.places.at_iteration(
                "lookup-none", line, ix, None, f"`{text}` finds no cell{where(ix)}"
            )

        def several(ix: int) -> Violation:
            one, other = (shown(*self.places.coordinate(each[ix])) for each in (first, second))
            message = f"`{text}` finds several cells{where(ix)}: {one} and {other}"
            return self.places.at_iteration("lookup-several", line, ix, None, message)

        self.places.report(first == NOWHERE, none)
        many = second != NOWHERE
        if not many.any():
            return first
        self.places.report(many, several)
        return np.where(many, NOWHERE, first)

    def _found(self, look_up: int, origin: c.Cell, line: int) -> Array:
        import numpy as np

        frame = self.frame
        start = self.find(origin)
        known = start != NOWHERE
        if known.all():
            first, second = frame.found(look_up, start)
        else:
            first = np.full(len(start), NOWHERE, dtype=np.int64)
            second = first.copy()
            first[known], second[known] = frame.found(look_up, start[known])
        text = self.program.look_ups[look_up].text

        def none(ix: int) -> Violation:
            message = f"`{text}` finds no cell from {shown(*self.places.coordinate(start[ix]))}"
            return self.places.at_cell("lookup-none", line, int(start[ix]), message)

        def several(ix: int) -> Violation:
            places = [self.places.coordinate(each[ix]) for each in (start, first, second)]
            origin, one, other = (shown(*place) for place in places)
            message = f"`{text}` finds several cells from {origin}: {one} and {other}"
            hint = single_look_up(self.program.look_ups[look_up], *places)
            return self.places.at_cell("lookup-several", line, int(start[ix]), message, hint)

        many = second != NOWHERE
        self.places.report((first == NOWHERE) & known, none, lambda: start)
        if not many.any():
            return first
        self.places.report(many, several, lambda: start)
        return np.where(many, NOWHERE, first)

    def _report_items(self, missing: Array, index: int, line: int) -> None:
        """Report the rows or columns that have no i-th cell."""

        def describe(ix: int) -> Violation:
            row, column = self.frame.place(ix)
            what = f"row {row}" if row is not None else f"column {column}"
            message = f"{what} has no cell {index} in the region"
            return self.places.at_iteration("no-cell", line, ix, None, message)

        self.places.report(missing, describe)

    # ------------------------------------------------------------- sources of texts

    def sources(self, source: c.Cell) -> Array:
        """The cells whose texts a value is made from; what is wrong with them was reported."""
        if id(source) not in self._sources:
            silent = Reporter(None, self.frame.place)
            quiet = Cells(self.program, self.frame, silent, Lets(silent))
            self._sources[id(source)] = quiet.find(source)
        return self._sources[id(source)]

    def at_source(
        self,
        code: str,
        line: int,
        ix: int,
        text: str | None,
        message: str,
        source: c.Cell | None,
        hint: str | None = None,
    ) -> Violation:
        """A finding at the cell whose text it is about, or else where the iteration is."""
        row, column = self.frame.place(ix)
        if source is not None:
            cells = self.sources(source)
            if cells[ix] != NOWHERE:
                row, column = self.places.coordinate(cells[ix])
        return finding(code, line, row, column, text, message, hint)

    def report_texts(
        self, mask: Array, describe: Callable[[int], Violation], source: c.Cell | None
    ) -> None:
        """Report texts that are made from those of some cells."""
        cells = None if source is None else lambda: self.sources(source)
        self.places.report(mask, describe, cells)
