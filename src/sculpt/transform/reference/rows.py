"""Rows of other tables, as `find` defines them: by comparing texts, one row after the other.

In: a `RowValue` or `EachRow` of a program and a place. Out: its value; what goes wrong is reported.
`docs/language.md#find`; the engine that works on columns has `evaluation.values.rows` instead.

Invariant: inside `all` nothing is reported. Cost: all rows of the other table, for each row of the
loop.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

from sculpt.core.programs import expressions
from sculpt.core.programs.expressions import bare_row, source_cell
from sculpt.transform.evaluation.findings import none_found, several_found
from sculpt.transform.reference.places import Place
from sculpt.transform.reference.texts import Datum, text_of

if TYPE_CHECKING:
    from sculpt.transform.reference.evaluator import Evaluator

Record: TypeAlias = "tuple[Datum, ...]"
Gathered: TypeAlias = Mapping[int, Sequence[Record]]
"""By number of a find: the records of its table."""


class Rows:
    """Finds the rows of a program's values."""

    def __init__(self, evaluator: Evaluator, gathered: Gathered) -> None:
        self._evaluator, self._gathered = evaluator, gathered
        self._given: list[tuple[expressions.FoundRow, Record]] = []
        """The rows that `all` is at."""

    def value(self, value: expressions.RowValue, place: Place) -> Datum:
        """A field of a row."""
        bare = bare_row(value.row)
        given = next((record for row, record in self._given if row == bare), None)
        if given is not None:
            return given[value.field]
        row = value.row
        if isinstance(row, expressions.LetRow):
            record: Record | None = self._evaluator.findings.let(
                row.number, lambda: self._single(bare, place)
            )
        else:
            record = self._single(bare, place)
        if record is None:
            return None
        if value.place is not None and record[value.place] is None:
            message = f"`{value.text}` finds no cell in its row, or several"
            self._report("lookup-none", bare, None, message, place)
        return record[value.field]

    def each(self, value: expressions.EachRow, place: Place) -> Datum:
        """A value for each row that is found."""
        keys = self._keys(value.row, place)
        findings = self._evaluator.findings
        found: list[str] = []
        for record in self._matches(value.row, keys):
            before, names = len(findings), dict(findings.named)
            findings.named.clear()
            self._given.insert(0, (value.row, record))
            item = self._evaluator.value(value.value, place)
            del self._given[0]
            del findings.found[before:]
            findings.named.clear()
            findings.named.update(names)
            if item is not None:
                found.append(text_of(item))
        return found if value.separator is None else value.separator.join(found)

    def _keys(self, row: expressions.FoundRow, place: Place) -> list[str | None]:
        values = [self._evaluator.value(key, place) for key in row.keys]
        return [None if each is None else text_of(each) for each in values]

    def _matches(self, row: expressions.FoundRow, keys: list[str | None]) -> list[Record]:
        if None in keys:
            return []
        return [each for each in self._gathered[row.find] if [*each[: len(keys)]] == keys]

    def _single(self, row: expressions.FoundRow, place: Place) -> Record | None:
        keys = self._keys(row, place)
        if None in keys:
            return None
        found = self._matches(row, keys)
        if len(found) == 1:
            return found[0]
        if not found:
            self._report("lookup-none", row, keys[0], none_found(row.text), place)
            return None
        at = self._evaluator.program.finds[row.find].row_field
        first, second = (int(text_of(each[at])) for each in found[:2])
        message = several_found(row.text, first, second)
        self._report("lookup-several", row, keys[0], message, place)
        return None

    def _report(
        self, code: str, row: expressions.FoundRow, text: str | None, message: str, place: Place
    ) -> None:
        """Report at the cell of the first key, or else at the iteration."""
        cell = source_cell(row.keys[0])
        findings = self._evaluator.findings
        before = len(findings)
        where = None if cell is None else self._evaluator.cell(cell, place)
        del findings.found[before:]
        findings.report(code, row.line, where or place, text, message)
