"""A second look at a few rows of a file: which cells of a row a rule selects, and the rows' texts.

In: a schema, a path, and the violations that a report is about to show. Out: the columns that their
rules select in their rows; or excerpts of rows. A verdict has only the places of violations. What
else a region holds in such a row is known to the walk, but kept by nobody, since most rows are
never shown. So it is found again here: the task is `selector and (row(3) or row(17))`, and the walk
ends at the last of the rows.

Invariant: the columns are those of `select`. A row that cannot be found for little is left out, and
so is one whose text has changed meanwhile: the report then shows less, and does not fail. Cost: the
bytes up to the last row, `MAX_BYTES` at most; for a schema that needs several passes, the whole
file, if it is no larger than that.
"""

from __future__ import annotations

import contextlib
import math
import os
import stat
from collections.abc import Iterable, Iterator

from sculpt.automata.navigator import TooManyStepsError
from sculpt.core import ir
from sculpt.core.task import Task
from sculpt.engines.data import Data
from sculpt.engines.in_order import walk_in_order
from sculpt.engines.options import Options
from sculpt.engines.results.details import Details
from sculpt.engines.walk.walk import Hit, Walk, WidthNeededError
from sculpt.errors import SculptError
from sculpt.interchange.fetched import file_of
from sculpt.kernels import choice as kernels
from sculpt.kernels.backend import Backend
from sculpt.tabular.inputs import Input
from sculpt.verdict import Excerpt, Violation

MAX_BYTES = 1 << 22
"""How much of a file is read again at most, by compiled kernels."""
MAX_BYTES_PLAIN = 1 << 16
"""The same for kernels that run as plain Python."""
MAX_ROWS = 100
"""How many rows are looked at."""
_BLOCK = 1 << 18


def region_columns(
    schema: ir.CoreSchema, path: str, violations: Iterable[Violation], width: int
) -> dict[tuple[int, int], tuple[int, ...]]:
    """The columns of a rule's cells in the rows of its violations, by rule and row."""
    found: dict[tuple[int, int], tuple[int, ...]] = {}
    with _failing_quietly(), _Look(schema, path) as look:
        texts = {
            (each.rule, each.row): each.excerpt.text
            for each in violations
            if each.rule is not None and each.row is not None and each.excerpt is not None
            if (each.offset or 0) <= look.most
        }
        wanted = dict(list(texts.items())[:MAX_ROWS])
        rows: dict[int, list[int]] = {}
        for number, row in wanted:
            rows.setdefault(number, []).append(row)
        rules = [rule for rule in schema.rules if rule.number in rows]
        targets = tuple(_in_rows(rule.selector, rows[rule.number]) for rule in rules)
        details, hits = look.hits(targets, max((row for _, row in wanted), default=0), width)
        for hit in hits:
            key = rules[hit.notice.subject].number, hit.row
            details.starts[hit.row] = hit.start
            if details.text(hit.row) == wanted[key]:
                found[key] = (*found.get(key, ()), hit.column)
    return found


def excerpts(
    schema: ir.CoreSchema, path: str, places: Iterable[tuple[int, int]]
) -> dict[tuple[int, int], Excerpt]:
    """The rows of some places, each with its cell."""
    found: dict[tuple[int, int], Excerpt] = {}
    listed = list(places)
    rows = sorted({row for row, _ in listed})[:MAX_ROWS]
    with _failing_quietly(), _Look(schema, path) as look:
        target = _in_rows(ir.Position(None, 1), rows)
        details, hits = look.hits((target,), rows[-1] if rows else 0, 0)
        details.starts.update((hit.row, hit.start) for hit in hits)
        for row, column in listed:
            if row in details.starts:
                found[row, column] = details.narrator.excerpt(row, column)
    return found


def _in_rows(selector: ir.Selector, rows: Iterable[int]) -> ir.Selector:
    return ir.And((selector, ir.Or(tuple(ir.Position(row, None) for row in sorted(rows)))))


@contextlib.contextmanager
def _failing_quietly() -> Iterator[None]:
    """A report can be made without this."""
    with contextlib.suppress(SculptError, OSError, TooManyStepsError, WidthNeededError):
        yield


class _TooMuchError(SculptError):
    """To look would cost too much."""


class _Look:
    """A file that is read again down to some row."""

    def __init__(self, schema: ir.CoreSchema, path: str) -> None:
        if not stat.S_ISREG(os.stat(file_of(path) or path).st_mode):
            raise _TooMuchError(path)  # what comes through a pipe is gone
        self.schema = schema
        self.source = Input(path)
        self.data = Data(self.source, schema.dialect.encoding)
        self.backend: Backend = kernels.for_input(self._size_up_to).backend
        self.most = MAX_BYTES if self.backend.is_compiled else MAX_BYTES_PLAIN

    def _size_up_to(self, limit: int) -> int:
        return len(self.data.window(0, limit))

    def __enter__(self) -> _Look:
        return self

    def __exit__(self, *_: object) -> None:
        self.source.close()

    def hits(
        self, targets: tuple[ir.Selector, ...], last: int, width: int
    ) -> tuple[Details, list[Hit]]:
        """The cells of selectors, down to a row; a width of 0 means that they do not need it."""
        if not targets or not last:
            raise _TooMuchError
        task = Task.of_selectors(self.schema, self.schema.tokens, targets)
        options = Options(threads=1, chunk=_BLOCK, backend=self.backend)
        machines = options.build(task, self.data.codec, self.backend, False, False)
        needs_all = machines.decisions.nodes and not machines.decisions.ahead < math.inf
        if needs_all and self._size_up_to(self.most + 1) > self.most:
            raise _TooMuchError
        walk = Walk(machines, 0, width, is_exact=width > 0)
        blocks = 2 + self.most // _BLOCK
        for number, _ in enumerate(walk_in_order(machines, self.data, options, walk)):
            if walk.row >= last or number > blocks:
                break
        result = walk.result(has_met=False)
        return Details(machines, result, self.data), result.hits
