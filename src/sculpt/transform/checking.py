"""`require`s on one table: strips in, counts and violations out.

In: a program that has nothing but `require`s, as an `Execution` of a file or a chunk. Out: for each
strip, and for the end of the table, a `CheckedPart`: how often each condition was checked and
failed, where, and the first violations.

A condition fails where it is false, or where something in it cannot be computed: a text that has no
value, a look-up that finds no cell or several. Unknown is as good as true.

Invariant: the violations are those of `transform.reference`, whatever the strips and chunks. Cost:
that of the values; violations are put into words only if there is room for them.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from sculpt.core.programs import expressions as c
from sculpt.core.programs.conditions import Question, values_asked
from sculpt.core.programs.statements import Action, Loop, Require, regions_asked
from sculpt.engines.lookups.finder import Regions
from sculpt.engines.regions.marker import MarkedStrip
from sculpt.engines.regions.strip_texts import CellTexts
from sculpt.kernels.loops.lookups import NOWHERE
from sculpt.syntax.ast import SeverityName
from sculpt.transform.conditions.failures import (
    Failure,
    failed_question,
    failed_value,
    own_column,
    violation,
)
from sculpt.transform.evaluation.execution import Execution
from sculpt.transform.evaluation.frames import ColumnFrame, Known, TableFrame
from sculpt.transform.evaluation.reporting import Collector
from sculpt.transform.evaluation.summaries import Summary
from sculpt.transform.evaluation.truths import culprits, truths
from sculpt.transform.evaluation.values.evaluator import Evaluator
from sculpt.transform.evaluation.values.frame import Frame
from sculpt.transform.writers.rendering import texts_of
from sculpt.values import field, mutable
from sculpt.verdict import Violation

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

    from sculpt.transform.conditions.files import Files

    Array = np.ndarray[Any, Any]


@mutable
class Counts:
    """What a `require` has checked."""

    selected: int = 0
    checked: int = 0
    failed: int = 0


@mutable
class CheckedPart:
    """What the `require`s have found in a part of a table."""

    counts: dict[int, Counts] = field(default_factory=dict)
    """By number of a `require`."""
    places: Array | None = None
    """The row and column of each violation, one after the other; 0 where there is none."""
    violations: list[Violation] = field(default_factory=list)
    """The first errors and the first warnings, in the order of the table."""
    starts: dict[int, int] = field(default_factory=dict)
    """By row of a violation: where it begins in the data, if the part knows that."""


class Checking:
    """Checks the `require`s of a table or a chunk."""

    def __init__(
        self,
        execution: Execution,
        files: Files | None,
        room: Callable[[SeverityName], int],
    ) -> None:
        self.execution = execution
        self.files = files
        self.room = room
        """How many violations of a severity can still be shown."""

    def rows(
        self, total: Summary, above: Summary, below: Summary
    ) -> Generator[CheckedPart, None, None]:
        """What loops over cells and rows find, strip by strip; see `Execution.by_strip`."""
        return self.execution.by_strip(self.checked, total, above, below)

    def end(self, total: Summary) -> CheckedPart:
        """What is found when all rows are known: outside loops, and in loops over columns."""
        setting = self.execution.setting
        part, failed = CheckedPart(), list[_Failed]()
        for number, statement in enumerate(self.execution.program.statements):
            match statement:
                case Require():
                    regions = regions_asked(statement)
                    size = sum(total.extents[region].size for region in regions)
                    failed += self._check((statement,), TableFrame(setting, total), size, part)
                case Loop("column"):
                    frame = ColumnFrame(setting, total, total.columns.get(number, {}))
                    size = total.extents[statement.region].size
                    failed += self._check(statement.actions, frame, size, part)
        return self._told(part, failed)

    def checked(
        self, strip: MarkedStrip, regions: Regions, texts: CellTexts, known: Known
    ) -> CheckedPart:
        """What loops over cells and rows find in a strip; `known` is all that it needs besides."""
        part, failed = CheckedPart(), list[_Failed]()
        for loop, size, frame in self.execution.frames(strip, regions, texts, known):
            failed += self._check(loop.actions, frame, size, part)
        self._told(part, failed)
        for row in {each.row for each in part.violations if each.row is not None}:
            if strip.first_row <= row < strip.first_row + strip.rows:
                part.starts[row] = int(strip.starts[row - strip.first_row])
        return part

    def _check(
        self, actions: Iterable[Action], frame: Frame, size: int, part: CheckedPart
    ) -> list[_Failed]:
        """Check some `require`s in a frame, and count."""
        found: list[_Failed] = []
        for action in actions:
            assert isinstance(action, Require)
            failed = _Failed(action, self.execution, frame, self.files)
            part.counts[action.number] = Counts(size, frame.count, len(failed.at))
            if len(failed.at):
                found.append(failed)
        return found

    def _told(self, part: CheckedPart, failed: Sequence[_Failed]) -> CheckedPart:
        """Add the places of all violations, and the first of them in words."""
        import numpy as np

        if not failed:
            return part
        owners = np.repeat(np.arange(len(failed)), [len(each.at) for each in failed])
        at = np.concatenate([each.at for each in failed])
        places = zip(*(each.places() for each in failed), strict=True)
        rows, columns = (np.concatenate(parts) for parts in places)
        part.places = np.stack([rows, columns], axis=1).ravel()
        lines = np.array([each.require.line for each in failed])[owners]
        order = np.lexsort((lines, columns, columns == 0, rows, rows == 0))
        warns = np.array([each.require.ending.is_warning for each in failed])[owners][order]
        kept = np.sort(
            np.concatenate(
                [
                    np.flatnonzero(~warns)[: self.room("error")],
                    np.flatnonzero(warns)[: self.room("warning")],
                ]
            )
        )
        told = order[kept]
        for number, one in enumerate(failed):
            one.prepare(at[told[owners[told] == number]])
        for ix in told.tolist():
            one = failed[owners[ix]]
            place = int(rows[ix]) or None, int(columns[ix]) or None
            part.violations.append(violation(one.require, *place, one.failure(int(at[ix]))))
        return part


class _Failed:
    """Where a `require` fails in a frame, and why."""

    def __init__(
        self, require: Require, execution: Execution, frame: Frame, files: Files | None
    ) -> None:
        import numpy as np

        self.require = require
        self.frame = frame
        self.files = files
        self.reports = Collector(frame.place)
        self._execution = execution
        self._evaluator = self._evaluation(self.reports)
        noted = self._evaluator.noted = {}
        found = truths(require.condition, self._evaluator)
        broken = np.zeros(frame.count, np.bool_)
        for now, _ in self.reports.made:
            broken |= now
        self.at: Array = np.flatnonzero(found.false | broken)
        """The iterations in which it fails."""
        self.decided: list[tuple[Question, Array]] = []
        """The questions that decide, and in which iterations."""
        if len(self.at):
            where = found.false & ~broken
            for question, mine in culprits(require.condition, False, where, noted):
                if mine.any():
                    self.decided.append((question, mine))
        self._noted = noted
        self._texts: dict[int, dict[int, str | None]] = {}
        """By `id` of a value, by iteration: the texts to show."""

    def places(self) -> tuple[Array, Array]:
        """The rows and columns of the failures; 0 where there is none."""
        import numpy as np

        at = self.at
        rows, columns = (each[at] for each in self.frame.places())
        own = own_column(self.require, self.frame.width)
        if own is not None and bool(((rows > 0) & (columns == 0)).all()):
            return rows, np.full(len(at), own, np.int64)
        cells = np.full(len(at), NOWHERE, np.int64)
        seen = np.zeros(len(at), np.bool_)
        for now, report in self.reports.made:
            mine = now[at] & ~seen
            seen |= mine
            if report.cells is not None:
                cells[mine] = report.cells()[at[mine]]
        for question, where in self.decided:
            source = c.first_cell(question)
            if source is not None:
                mine = where[at]
                cells[mine] = self._evaluator.source_cells(source)[at[mine]]
        width = max(1, self.frame.width)
        down, across = cells // width + 1, cells % width + 1
        fits = (cells != NOWHERE) & ((rows == 0) | (rows == down))
        fits &= (columns == 0) | (columns == across)
        return np.where(fits, down, rows), np.where(fits, across, columns)

    def prepare(self, at: Array) -> None:
        """Read the values of all iterations that will be put into words at once."""
        import pyarrow as pa

        for question, where in self.decided:
            mine = at[where[at]]
            for value in values_asked(question) if len(mine) else ():
                texts = texts_of(self._array(value).take(pa.array(mine))).to_pylist()
                self._texts[id(value)] = dict(zip(mine.tolist(), texts, strict=True))

    def failure(self, ix: int) -> Failure:
        """Why it fails in an iteration that is prepared."""
        for now, report in self.reports.made:
            if now[ix]:
                return failed_value(report.describe(ix))
        question = next(question for question, mine in self.decided if mine[ix])
        known = self._noted[id(question)]
        answer = True if known.true[ix] else False if known.false[ix] else None
        texts = tuple(self._texts[id(value)][ix] for value in values_asked(question))
        return failed_question(question, answer, texts)

    def _array(self, value: c.Value) -> pa.Array:
        """The value in each iteration."""
        known = self._evaluator.compared
        if id(value) not in known:
            known[id(value)] = self._evaluation(None).array(value)
        return known[id(value)]

    def _evaluation(self, reports: Collector | None) -> Evaluator:
        execution = self._execution
        reader = execution.reader
        return Evaluator(execution.program, self.frame, None, reader, reports, self.files)
