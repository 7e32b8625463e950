"""The reference implementation of programs: each statement, as defined, on a table in memory.

In: a `CoreProgram` and a `Grid`. Out: a `ReferenceRun`: the rows of each stream as Python values,
and what went wrong. Section 5.3 of the paper and `docs/language.md#13-programs`. It is the
yardstick for the engine that works on columns, so it stays plain: a loop is a loop, a look-up walks
from cell to cell, an aggregate adds fractions.

Invariant: the findings are in the order that `evaluation.findings` defines.
Cost: a look-up may visit each cell of its region, for each cell of the loop.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, assert_never

from sculpt.core.programs.program import CoreProgram
from sculpt.core.programs.statements import Action, Annotate, Emit, Loop, Print, Require
from sculpt.tabular.grid import Grid
from sculpt.transform.evaluation.opposites import hinted
from sculpt.transform.reference.evaluator import Evaluator
from sculpt.transform.reference.findings import AT_THE_END, BY_ROW
from sculpt.transform.reference.places import Place, places_of
from sculpt.transform.reference.rows import Gathered
from sculpt.transform.reference.texts import text_of
from sculpt.values import frozen, replace
from sculpt.verdict import Violation


@frozen(slots=False)
class ReferenceRun:
    """The results of the programs of a schema on a table."""

    streams: tuple[tuple[tuple[object, ...], ...], ...]
    """For each stream of the program: its rows, in order."""
    findings: tuple[Violation, ...]


def run_programs(
    program: CoreProgram,
    grid: Grid,
    file: str,
    hidden_rows: frozenset[int] = frozenset(),
    gathered: Gathered | None = None,
) -> ReferenceRun:
    """Run all statements, in order; loops and aggregates skip the hidden rows.

    `gathered` has the records of other tables that finds need.
    """
    evaluator = Evaluator(program, grid, file, hidden_rows, gathered=gathered)
    findings, streams = evaluator.findings, _Streams(evaluator)
    evaluator.check_regions()
    for number, statement in enumerate(program.statements, 1):
        match statement:
            case Print():
                findings.key = (AT_THE_END, number, 0)
                streams.act(statement, Place())
            case Loop(kind, region, actions, _, _):
                for place in places_of(kind, evaluator.visible(region)):
                    by_row = place.row is not None
                    key = (BY_ROW, place.row or 0) if by_row else (AT_THE_END, number)
                    findings.key = (*key, place.column or 0)
                    findings.named.clear()
                    for action in actions:
                        streams.act(action, place)
            case Require():
                raise AssertionError("a `require` is checked before")
            case _:
                assert_never(statement)
    found = [each.what for each in sorted(findings.distinct(), key=lambda each: each.key)]
    told = set(hinted(found))
    found = [
        each if ix in told or each.code != "lookup-none" else replace(each, hint=None)
        for ix, each in enumerate(found)
    ]
    return ReferenceRun(tuple(map(tuple, streams.ordered())), tuple(found))


class _Streams:
    """The rows of the streams of a program, as its actions make them."""

    def __init__(self, evaluator: Evaluator) -> None:
        self.evaluator = evaluator
        self.streams = evaluator.program.streams
        self.rows: list[list[tuple[object, ...]]] = [[] for _ in self.streams]
        self.keys: list[list[tuple[float, ...]]] = [[] for _ in self.streams]
        """The sort key of each row of each stream."""

    def act(self, action: Action, place: Place) -> None:
        """Perform an action at a place."""
        evaluator = self.evaluator
        row: tuple[object, ...]
        match action:
            case Print(_, value):
                row = (text_of(evaluator.value(value, place)),)
            case Annotate(_, value, namespace):
                text = None if value is None else text_of(evaluator.value(value, place))
                content = evaluator.text(place.cells[0])
                row = (evaluator.file, place.row, place.column, content, namespace, text)
            case Emit(_, values):
                row = tuple(evaluator.value(value, place) for value in values)
            case Require():
                raise AssertionError("a `require` is checked before")
            case _:
                assert_never(action)
        self.rows[action.stream].append(row)
        by_cell = self.streams[action.stream].kind == "annotations"
        key = (place.row or math.inf, (place.column or 0) if by_cell else 0)
        self.keys[action.stream].append(key)

    def ordered(self) -> Iterator[list[tuple[object, ...]]]:
        """The streams: lines as they were printed, records by row, annotations by cell."""
        for stream, rows, keys in zip(self.streams, self.rows, self.keys, strict=True):
            numbered = list(zip(keys, range(len(rows)), strict=True))
            order = numbered if stream.kind == "print" else sorted(numbered)
            in_order = [rows[ix] for _, ix in order]
            if stream.is_distinct:
                known: dict[tuple[object, ...], tuple[object, ...]] = {}
                for row in in_order:
                    known.setdefault(_record(row), row)
                in_order = list(known.values())
            yield in_order


def _record(row: tuple[Any, ...]) -> tuple[object, ...]:
    """A record as `emit distinct` compares it."""
    return tuple(
        None if each is None else tuple(each) if isinstance(each, list) else text_of(each)
        for each in row
    )
