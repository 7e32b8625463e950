"""Conditions of `require`: what they find in a file.

In: a schema with `require`s, and a file: an open input of the engine `local`, or a grid for the
reference. Out: `Found`. Only the `require`s of a program are evaluated; `print`, `emit` and
`annotate` are passed over.

Invariant: both engines find the same, to the last word. Memory: the first violations, and what
programs need (`transform.evaluation.execution`); all of them are found again, one strip after the
other, by `Found.listed`.
"""

from __future__ import annotations

import heapq
import os
from collections import Counter
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Any

from sculpt.checks.model import Found, Request
from sculpt.core.programs.look_ups import Reach
from sculpt.core.programs.program import CoreProgram
from sculpt.core.programs.statements import Loop, Require
from sculpt.errors import UsageError
from sculpt.schema import Schema
from sculpt.values import replace
from sculpt.verdict import Tally, Violation

if TYPE_CHECKING:
    import numpy as np

    from sculpt.checks.shared_pass import SharedPass, Wanted
    from sculpt.engines.messages.narrator import Narrator
    from sculpt.engines.options import Options
    from sculpt.engines.regions.marker import Marker
    from sculpt.engines.walk.heat import HeatMap
    from sculpt.syntax.ast import SeverityName
    from sculpt.tabular.grid import Grid
    from sculpt.tabular.inputs import Input
    from sculpt.transform.checking import CheckedPart, Checking, Counts
    from sculpt.transform.conditions.files import Files

    Array = np.ndarray[Any, Any]

EVERYTHING = 1 << 62


def has_requires(schema: Schema) -> bool:
    """Does a schema have a `require`?"""
    return schema.program is not None and bool(schema.program.requirements)


def skipped_files(schema: Schema, request: Request) -> int:
    """How many `require`s are taken as met because they ask about files."""
    if not request.skips_files or not has_requires(schema):
        return 0
    return sum(each.asks_files for each in _requires(schema))


def skipped_lines(schema: Schema, request: Request) -> frozenset[int]:
    """The lines of the `require`s that are taken as met."""
    if not skipped_files(schema, request):
        return frozenset()
    return frozenset(each.line for each in _requires(schema) if each.asks_files)


def files_of(schema: Schema, request: Request) -> Files | None:
    """The files that conditions ask about; raises `UsageError` if nobody says where they are."""
    asking = next((each for each in _requires(schema) if each.asks_files), None)
    if asking is None or request.skips_files:
        return None
    folder = folder_of_files(schema, request)
    if folder is None:
        origin = asking.ending.origin
        where = f"{schema.source.name}: line {asking.line}" if origin is None else str(origin)
        raise UsageError(
            f"{where} asks about files: give their directory with --files DIR, "
            "or take such conditions as met with --skip-files"
        )
    from sculpt.transform.conditions.files import Files

    return Files(folder)


def folder_of_files(schema: Schema, request: Request) -> str | None:
    """The directory below which conditions look for files: that of the call, or of the schema."""
    return schema.source.files if request.files is None else request.files


def required(
    schema: Schema,
    request: Request,
    options: Options,
    path: str,
    source: Input,
    rows: int,
    width: int,
    strip: int | None = None,
    shared: SharedPass | None = None,
) -> Found:
    """What the `require`s of a schema find in a file, by the engine `local`.

    `strip` is the number of cells in a strip, about; it is computed if not given. If threads have
    validated the file with what is `wanted_by` the conditions, `shared` knows its chunks.
    """
    check = _LocalCheck(schema, request, options, path, source, (rows, width), strip, shared)
    return check.found()


def wanted_by(schema: Schema, request: Request) -> Wanted:
    """The regions of conditions that ask about one row at a time; none if some ask for more."""
    from sculpt.checks.shared_pass import Wanted

    program = conditions_of(schema, request)
    return Wanted(program.marked, program.tokens) if is_rowwise(program) else Wanted()


def required_by_reference(
    schema: Schema, request: Request, grid: Grid, path: str, limit: int
) -> Found:
    """The same, cell by cell."""
    from sculpt.engines.local import order_of_violation
    from sculpt.engines.messages.findings import first_of
    from sculpt.engines.reference import heat_of, narrator_of
    from sculpt.transform.reference.requires import check_requires

    checks = check_requires(conditions_of(schema, request), grid, path, files_of(schema, request))
    counts = {
        each.require.number: (each.selected, each.checked, len(each.violations)) for each in checks
    }
    every = (violation for each in checks for violation in each.violations)
    ordered = sorted(every, key=order_of_violation)
    narrator = narrator_of(schema.core, grid)
    return Found(
        tuple(tally_of(each, counts.get(each.number, (0, 0, 0))) for each in _requires(schema)),
        tuple(_with_excerpt(narrator, each) for each in first_of(ordered, limit)),
        heat_of(ordered, grid.height, grid.width),
        lambda: iter(ordered),
        skipped_lines(schema, request),
    )


def _with_excerpt(narrator: Narrator, violation: Violation) -> Violation:
    """A violation, with the row where it is."""
    if violation.row is None:
        return violation
    return replace(violation, excerpt=narrator.excerpt(violation.row, violation.column))


def _requires(schema: Schema) -> tuple[Require, ...]:
    return schema.program.requires if schema.program is not None else ()


def conditions_of(schema: Schema, request: Request) -> CoreProgram:
    """The program that checks what is not skipped."""
    assert schema.program is not None
    program = schema.program.required
    if not skipped_files(schema, request):
        return program
    return program.with_actions(lambda each: isinstance(each, Require) and not each.asks_files)


def tally_of(require: Require, counts: tuple[int, int, int]) -> Tally:
    """What a `require` has checked: `counts` has what it selected, checked and failed."""
    severity = require.ending.severity
    return Tally("require", None, require.line, require.text, *counts, severity)


class _LocalCheck:
    """The `require`s of a schema on one file."""

    def __init__(
        self,
        schema: Schema,
        request: Request,
        options: Options,
        path: str,
        source: Input,
        size: tuple[int, int],
        strip: int | None,
        shared: SharedPass | None,
    ) -> None:
        self.schema = schema
        self.options = options
        self.path = path
        self.source = source
        self.rows, self.width = size
        self.strip = strip
        self.program = conditions_of(schema, request)
        self.shared = shared if shared is not None and is_rowwise(self.program) else None
        self.files = files_of(schema, request)
        self._all = _requires(schema)
        self._skipped = skipped_lines(schema, request)
        self.shown: Counter[SeverityName] = Counter()
        """How many violations of rows are known so far."""

    def found(self) -> Found:
        """What is found: counts, the first violations, where they are."""
        from sculpt.engines.local import order_of_violation
        from sculpt.engines.messages.findings import first_of
        from sculpt.engines.walk.heat import HeatMap

        limit = self.options.max_violations
        checking = self._checking(limit)
        counts: dict[int, Counts] = {}
        violations: list[Violation] = []
        starts: dict[int, int] = {}
        heat = HeatMap(checking.execution.backend)
        with closing(self._parts(checking)) as parts:
            for is_end, part in parts:
                _add(counts, part)
                violations += part.violations
                starts |= part.starts
                if not is_end:
                    self.shown.update(each.severity for each in part.violations)
                if part.places is not None:
                    self._count_places(heat, part.places)
        self.source.check_unchanged()
        violations.sort(key=order_of_violation)
        return Found(
            tuple(tally_of(each, _numbers(counts.get(each.number))) for each in self._all),
            self._with_excerpts(checking.execution.marker, first_of(violations, limit), starts),
            heat.heat(self.rows, self.width),
            self.listed,
            self._skipped,
        )

    def _with_excerpts(
        self, marker: Marker, violations: Sequence[Violation], starts: dict[int, int]
    ) -> tuple[Violation, ...]:
        """The violations that are shown, with their rows, which are read again.

        `starts` says where rows begin; those it lacks are looked for.
        """
        shown = {each.row for each in violations if each.row is not None}
        if not shown:
            return tuple(violations)
        rows = sorted(shown - starts.keys())
        from sculpt.engines.results.details import Details
        from sculpt.engines.results.listing import NO_EDGE
        from sculpt.engines.walk.walk import WalkResult

        found = WalkResult(self.rows, self.width, 0, [], NO_EDGE)
        details = Details(marker.machines, found, marker.data, unmatched=frozenset())
        details.starts.update((row, starts[row]) for row in shown & starts.keys())
        for strip in marker.strips() if rows else ():
            below = strip.first_row + strip.rows
            while rows and rows[0] < below:
                row = rows.pop(0)
                details.starts[row] = int(strip.starts[row - strip.first_row])
            if not rows:
                break
        return tuple(_with_excerpt(details.narrator, each) for each in violations)

    def listed(self) -> Iterator[Violation]:
        """All violations, in the order of the table; the file is read again."""
        from sculpt.engines.local import order_of_violation

        with closing(self._parts(self._checking(EVERYTHING))) as parts:
            _, end = next(parts)
            others = (each for _, part in parts for each in part.violations)
            yield from heapq.merge(end.violations, others, key=order_of_violation)

    def _checking(self, limit: int) -> Checking:
        from sculpt.transform.checking import Checking
        from sculpt.transform.evaluation.execution import Execution
        from sculpt.transform.evaluation.findings import Findings
        from sculpt.transform.local import marker_of, marking_task, strip_size

        threads = self.options.threads or os.cpu_count() or 1
        task = marking_task(self.schema, self.program)
        strip = self.strip or strip_size(self.rows * self.width, threads)
        marker = marker_of(task, self.source, self.options, self.width, strip)
        execution = Execution(self.program, marker, self.path, Findings(0), (), threads)
        shown = self.shown = Counter()
        return Checking(execution, self.files, lambda severity: limit - shown[severity])

    def _parts(self, checking: Checking) -> Generator[tuple[bool, CheckedPart], None, None]:
        """What is found at the end of the table, then strip by strip; is it the end?"""
        execution = checking.execution
        if self.shared is not None:
            from sculpt.checks.rowwise import RowwiseCheck
            from sculpt.transform.checking import CheckedPart

            yield True, CheckedPart()
            check = RowwiseCheck(execution, checking, self.shared, self.options)
            with closing(check.parts()) as parts:
                for part in parts:
                    yield False, part
            return
        empty = execution.summariser.empty
        total = execution.summary() if self.program.needs_pass else empty()
        yield True, checking.end(total)
        with closing(checking.rows(total, empty(), empty())) as parts:
            for part in parts:
                yield False, part

    def _count_places(self, heat: HeatMap, places: Array) -> None:
        """Count violations where they are; one without a row is in the last one."""
        rows = places[::2]
        rows[rows == 0] = self.rows
        if self.rows:
            heat.add_places(places, len(rows), 0)


def is_rowwise(program: CoreProgram) -> bool:
    """Does a program ask about nothing beyond the row that it looks at, and follow no paths?"""
    return (
        bool(program.statements)
        and all(isinstance(each, Loop) and each.kind != "column" for each in program.statements)
        and all(reach is Reach.ROW for reach in program.reaches.values())
        and all(program.look_ups[number].path is None for number in program.reaches)
        and not program.needs_pass
        and not program.needs_whole
    )


def _add(counts: dict[int, Counts], part: CheckedPart) -> None:
    """Add the counts of a part."""
    for number, more in part.counts.items():
        known = counts.setdefault(number, more)
        if known is not more:
            known.selected += more.selected
            known.checked += more.checked
            known.failed += more.failed


def _numbers(counts: Counts | None) -> tuple[int, int, int]:
    return (0, 0, 0) if counts is None else (counts.selected, counts.checked, counts.failed)
