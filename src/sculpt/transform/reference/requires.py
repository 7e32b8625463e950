"""The reference implementation of `require`: each condition, as defined, on a table in memory.

In: a `CoreProgram` of nothing but `require`s, and a `Grid`. Out: a `ReferenceCheck` for each:
where it was checked, and the violations. `docs/language.md#require`; `transform.checking`
does the same on columns.

Invariant: at most one violation for each `require` and place: the first value that cannot be
computed, or else the culprit. Cost: that of the values, at each place.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sculpt.core.programs.conditions import values_asked
from sculpt.core.programs.expressions import first_cell
from sculpt.core.programs.program import CoreProgram
from sculpt.core.programs.statements import Loop, Require, regions_asked
from sculpt.engines.reference import Coordinate
from sculpt.tabular.grid import Grid
from sculpt.transform.conditions.failures import (
    Failure,
    failed_question,
    failed_value,
    own_column,
    violation,
)
from sculpt.transform.conditions.truth import culprit, truth
from sculpt.transform.reference.evaluator import At, Evaluator
from sculpt.transform.reference.places import Place, places_of
from sculpt.transform.reference.texts import text_of
from sculpt.values import frozen
from sculpt.verdict import Violation

if TYPE_CHECKING:
    from sculpt.transform.conditions.files import Files


@frozen(slots=False)
class ReferenceCheck:
    """What a `require` finds in a table."""

    require: Require
    selected: int
    """Cells of the region of its loop, or of its own regions."""
    checked: int
    """Iterations."""
    violations: tuple[Violation, ...]


def check_requires(
    program: CoreProgram, grid: Grid, file: str, files: Files | None = None
) -> list[ReferenceCheck]:
    """Check each `require` of a program that has nothing else, in the order of the text."""
    evaluator = Evaluator(program, grid, file, files=files, is_checking=True)
    found: list[ReferenceCheck] = []
    for statement in program.statements:
        match statement:
            case Loop(kind, region, actions, _, _):
                cells = evaluator.visible(region)
                places = list(places_of(kind, cells))
                for action in actions:
                    assert isinstance(action, Require)
                    found.append(_checked(evaluator, action, places, len(cells)))
            case Require():
                regions = regions_asked(statement)
                size = sum(len(evaluator.visible(region)) for region in regions)
                found.append(_checked(evaluator, statement, [Place()], size))
            case _:
                raise AssertionError(statement)
    return found


def _checked(
    evaluator: Evaluator, require: Require, places: list[Place], selected: int
) -> ReferenceCheck:
    """Check a `require` at some places."""
    violations = []
    own = own_column(require, evaluator.grid.width)
    for place in places:
        evaluator.findings.named.clear()
        failed = _failure(evaluator, require, place)
        if failed is not None:
            failure, at = failed
            row, column = _within(place, at, own)
            violations.append(violation(require, row, column, failure))
    return ReferenceCheck(require, selected, len(places), tuple(violations))


def _failure(
    evaluator: Evaluator, require: Require, place: Place
) -> tuple[Failure, Coordinate | None] | None:
    """Why a `require` fails at a place, and the cell that this is about."""
    at = At(evaluator, place)
    evaluator.findings.found.clear()
    holds = truth(require.condition, at) is not False
    wrong = [found.what for found, _ in evaluator.findings.found]
    if wrong:
        row, column = wrong[0].row, wrong[0].column
        is_cell = row is not None and column is not None
        return failed_value(wrong[0]), (row or 0, column or 0) if is_cell else None
    if holds:
        return None
    question, answer = culprit(require.condition, False, at)
    values = values_asked(question)
    texts = tuple(evaluator.value(each, place) for each in values)
    source = first_cell(question)
    cell = None if source is None else evaluator.cell(source, place)
    written = tuple(None if each is None else text_of(each) for each in texts)
    return failed_question(question, answer, written), cell


def _within(
    place: Place, cell: Coordinate | None, own: int | None
) -> tuple[int | None, int | None]:
    """The place of a violation: that of a cell, if it is in the row and column of the loop.

    In a row, an imported condition may have a column of its own.
    """
    if own is not None and place.row is not None and place.column is None:
        return place.row, own
    if cell is None or place.row not in (None, cell[0]) or place.column not in (None, cell[1]):
        return place.row, place.column
    return cell
