"""Aggregates of rows, columns and regions, for many iterations at once.

In: the tallies of a frame. Out: an Arrow array of their results. A text that is not a number, and a
result that no column can hold, are findings.

Invariant: the results are those of `transform.reference`. Cost: that of the tallies (`tallies`),
and one number per iteration.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sculpt.core.programs import expressions as c
from sculpt.core.programs.typed_values import DECIMAL, parse_value
from sculpt.kernels.loops.lookups import NOWHERE
from sculpt.transform.arrow_types import arrow_type
from sculpt.transform.evaluation.findings import Findings, finding, named
from sculpt.transform.evaluation.reporting import Collector, Report
from sculpt.transform.evaluation.tallies import Tally
from sculpt.transform.evaluation.values.arrays import constant
from sculpt.transform.evaluation.values.frame import Frame
from sculpt.transform.evaluation.values.places import Places
from sculpt.verdict import Violation

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

    Array = np.ndarray[Any, Any]


class Aggregates:
    """Computes the aggregates of a program in a frame."""

    def __init__(self, places: Places) -> None:
        self.places = places
        self.frame = places.frame
        self.reporter = places.reporter

    def of_groups(self, aggregate: c.GroupAggregate) -> pa.Array:
        """The aggregate of the row or column of each iteration."""
        import pyarrow as pa

        function, line = aggregate.function, aggregate.line
        tallies = self.frame.group_tallies(function == "Median")
        if function != "Count":
            self._report_texts(tallies, function, line)
        values = [
            self._fitting(tally, function, line, range(ix, ix + 1))
            for ix, tally in enumerate(tallies)
        ]
        return pa.array(values, arrow_type(aggregate.type))

    def _report_texts(self, tallies: list[Tally], function: str, line: int) -> None:
        """Report the texts that are not numbers."""
        import numpy as np

        def add(places: list[int]) -> None:
            for ix in places:
                report_bad(self.reporter.findings, tallies[ix], function, line, self.frame, ix)

        def first(ix: int) -> Violation:
            return self._bad_text(tallies[ix], line)

        def cells() -> Array:
            found = (tally.bad[0][0] if tally.bad else NOWHERE for tally in tallies)
            return np.fromiter(found, np.int64, len(tallies))

        bad = np.fromiter((bool(tally.bad) for tally in tallies), np.bool_, len(tallies))
        if bad.any():
            self.reporter.report(Report(bad, add, first, cells))

    def _bad_text(self, tally: Tally, line: int) -> Violation:
        """The first text of a tally that is not a number."""
        cell, text = tally.bad[0]
        place = self.places.coordinate(cell)
        return finding("not-a-number", line, *place, text, f"`{text}` is not a number")

    def of_region(self, aggregate: c.RegionAggregate) -> pa.Array:
        """The aggregate of a region, the same in each iteration."""
        import numpy as np
        import pyarrow as pa

        tally = self.frame.region_tally(aggregate.region)
        function, line, kind = aggregate.function, aggregate.line, aggregate.type
        if not self.frame.count:
            return pa.array([], arrow_type(kind))
        if isinstance(self.reporter, Collector) and tally.bad and function != "Count":
            count, cell = self.frame.count, tally.bad[0][0]
            self.places.report(
                np.ones(count, np.bool_),
                lambda _: self._bad_text(tally, line),
                lambda: np.full(count, cell, np.int64),
            )
        value = self._fitting(tally, function, line, range(self.frame.count))
        return constant(value, kind, self.frame.count)

    def _fitting(self, tally: Tally, function: str, line: int, iterations: range) -> Any:
        """The result for some iterations, if a column can hold it."""
        if tally.bad and function != "Count":
            return None
        value = tally.result(function)
        if value is None or function == "Count":
            return value
        text = f"{value:f}"
        try:
            return parse_value(text, DECIMAL)
        except ValueError as error:
            message = f"{named(text)} {error}"

            def describe(ix: int) -> Violation:
                return self.places.at_iteration("bad-cast", line, ix, text, message)

            self.places.report(self.places.mask(iterations), describe)
            return None


def report_bad(
    findings: Findings | None, tally: Tally, function: str, line: int, frame: Frame, iteration: int
) -> None:
    """Report the cells of a tally that do not hold a number."""
    if findings is None or not tally.bad or function == "Count":
        return
    width = frame.width

    def describe(ix: int) -> Violation:
        cell, text = tally.bad[ix]
        message = f"`{text}` is not a number"
        return finding("not-a-number", line, cell // width + 1, cell % width + 1, text, message)

    findings.add(range(len(tally.bad)), tally.bad_count, describe, lambda _: frame.place(iteration))
