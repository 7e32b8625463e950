"""The cells and URLs of some rows, as arrays: what the writers of JSON and RDF rows work on.

In: the plan of a table, and a `Piece` of its rows. Out: a `Batch`: the vectors of all columns that
the output or a template needs, and the URLs of cells.

Invariant: everything has one entry for each row of the piece. Cost: see `columns` and `urls`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sculpt.csvw.tables.plan import OF_ROW, ColumnPlan, TablePlan
from sculpt.csvw.tables.rows import Piece
from sculpt.csvw.texts.terms import Format
from sculpt.csvw.vectors.columns import ColumnConverter, ColumnVector
from sculpt.csvw.vectors.urls import Urls
from sculpt.values import frozen

if TYPE_CHECKING:
    import pyarrow as pa


@frozen(slots=False)
class Batch:
    """Some rows of a table."""

    plan: TablePlan
    piece: Piece
    vectors: dict[int, ColumnVector]
    """By the number of a column."""
    urls: Urls
    form: Format | None

    @property
    def count(self) -> int:
        """How many rows there are."""
        return self.piece.count

    def about(self, column: ColumnPlan) -> pa.Array | None:
        """The URLs of what cells are about."""
        return None if column.about is None else self.urls.of(column.about, column)

    def value_urls(self, column: ColumnPlan) -> pa.Array | None:
        """The value URLs of a column; null where there is no value."""
        import pyarrow as pa
        import pyarrow.compute as pc

        if column.value is None:
            return None
        urls = self.urls.of(column.value, column)
        if column.column.virtual:
            return urls
        content = self._content(column)
        if not content.null_count:
            return urls
        return pc.if_else(pc.is_valid(content), urls, pa.scalar(None, pa.string()))

    def _content(self, column: ColumnPlan) -> pa.Array:
        """An array that is null where a cell has no value."""
        vector = self.vectors[column.column.number]
        found = vector.json if self.form is None else vector.terms
        if found is None:
            found = vector.pieces
        assert found is not None
        return found


class BatchMaker:
    """Makes the batches of a table; it remembers cells, so each thread has one of its own."""

    def __init__(self, plan: TablePlan, form: Format | None) -> None:
        self.plan = plan
        self.form = form
        wanted = plan.variables
        self._converters = [
            ColumnConverter(each, form, each.column.name in wanted or each in plan.titles)
            for each in plan.columns
        ]

    def batch(self, piece: Piece) -> Batch:
        """The batch of a piece."""
        import pyarrow as pa

        vectors: dict[int, ColumnVector] = {}
        variables: dict[str, pa.Array] = {}
        for converter in self._converters:
            column = converter.plan
            if column.index is None:
                texts = pa.nulls(piece.count, pa.string())
            else:
                texts = piece.column(column.index)
            vector = vectors[column.column.number] = converter.convert(texts)
            if vector.variable is not None:
                variables[column.column.name] = vector.variable
        numbers = {"_row": piece.numbers, "_sourceRow": piece.source_numbers}
        for name in OF_ROW & self.plan.variables:
            variables[name] = pa.array(numbers[name]).cast(pa.string())
        return Batch(self.plan, piece, vectors, Urls(piece.count, variables), self.form)
