"""Values about rows of other tables, for many iterations at once.

In: a `RowValue` or `EachRow` of a program, and the indexes of the tables. Out: an array with an
entry for each iteration. A row that is missing, or not the only one, is a finding. Inside `all`
nothing is: a value that is missing for a row is left out of the list.

Invariant: the values are those of `transform.reference`. Cost: a search for each iteration; for
`all`, the value is computed once for each row that is found.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from sculpt.core.programs import expressions as c
from sculpt.transform.evaluation.findings import none_found, several_found
from sculpt.transform.evaluation.reporting import Lets
from sculpt.transform.evaluation.row_index import RowIndex
from sculpt.transform.evaluation.values.cells import Cells
from sculpt.transform.writers.rendering import texts_of
from sculpt.verdict import Violation

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

    Array = np.ndarray[Any, Any]


class Rows:
    """Finds the rows of a program's values."""

    def __init__(
        self,
        indexes: Mapping[int, RowIndex],
        cells: Cells,
        lets: Lets,
        array: Callable[[c.Value], pa.Array],
        row_field: Callable[[int], int],
        given: tuple[c.FoundRow, Array] | None = None,
    ) -> None:
        """`array` computes values; `given` is the row that `all` is at, in each iteration."""
        self._indexes, self._cells, self._lets, self._array = indexes, cells, lets, array
        self._row_field, self._given = row_field, given

    def value(self, value: c.RowValue) -> pa.Array:
        """A field of the row of each iteration."""
        rows = self._found(value.row)
        bare = c.bare_row(value.row)
        index = self._indexes[bare.find]
        found = index.texts(value.field, rows)
        if value.place is not None and not self._is_given(bare):
            has_cell = index.texts(value.place, rows).is_valid().to_numpy(zero_copy_only=False)

            def describe(ix: int) -> Violation:
                message = f"`{value.text}` finds no cell in its row, or several"
                source = c.source_cell(bare.keys[0])
                return self._cells.at_source("lookup-none", bare.line, ix, None, message, source)

            source = c.source_cell(bare.keys[0])
            self._cells.report_texts((rows >= 0) & ~has_cell, describe, source)
        return found

    def _is_given(self, row: c.FoundRow) -> bool:
        return self._given is not None and self._given[0] == row

    def _found(self, row: c.Row) -> Array:
        """The record of each iteration; -1 if there is none."""
        if isinstance(row, c.LetRow) and not self._is_given(row.row):
            named: Array = self._lets.once(row.number, lambda: self._found(row.row))
            return named
        bare = c.bare_row(row)
        if self._given is not None and self._given[0] == bare:
            return self._given[1]
        return self._single(bare)

    def _single(self, row: c.FoundRow) -> Array:
        """The record of each iteration, where there is exactly one."""
        import numpy as np

        index = self._indexes[row.find]
        keys = self._keys(row)
        starts, counts = index.located(keys)
        known = np.ones(len(starts), bool)
        for key in keys:
            known &= key.is_valid().to_numpy(zero_copy_only=False)
        source = c.source_cell(row.keys[0])

        def none(ix: int) -> Violation:
            text = keys[0][ix].as_py()
            message = none_found(row.text)
            return self._cells.at_source("lookup-none", row.line, ix, text, message, source)

        def several(ix: int) -> Violation:
            numbers = index.texts(self._row_field(row.find), index.order[starts[ix] :][:2])
            message = several_found(row.text, *numbers.to_pylist())
            text = keys[0][ix].as_py()
            return self._cells.at_source("lookup-several", row.line, ix, text, message, source)

        self._cells.report_texts(known & (counts == 0), none, source)
        self._cells.report_texts(counts > 1, several, source)
        firsts = index.order[starts] if len(index.order) else starts
        return np.where(counts == 1, firsts, -1)

    def _keys(self, row: c.FoundRow) -> list[pa.Array]:
        return [texts_of(self._array(key)) for key in row.keys]

    def repetitions(self, row: c.FoundRow) -> tuple[Array, Array, Array]:
        """All records of all iterations, the iteration of each, and how many each has."""
        import numpy as np

        index = self._indexes[row.find]
        starts, counts = index.located(self._keys(row))
        return index.rows(starts, counts), np.repeat(np.arange(len(counts)), counts), counts


def listed(values: pa.Array, counts: Array, separator: str | None) -> pa.Array:
    """The values of each iteration as a list of texts, or joined; missing ones are left out."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    texts = texts_of(values)
    if texts.null_count:
        kept = texts.is_valid().to_numpy(zero_copy_only=False)
        iterations = np.repeat(np.arange(len(counts)), counts)[kept]
        counts = np.bincount(iterations, minlength=len(counts))
        texts = texts.filter(pa.array(kept))
    ends = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
    lists = pa.ListArray.from_arrays(pa.array(ends, pa.int32()), texts)
    return lists if separator is None else pc.binary_join(lists, separator)
