"""The rows of one table as text: pieces of rows in, pieces of the output out.

In: a `TablePlan`, the form of the output, and `Piece`s of rows. Out: for each piece its text and
what is wrong with its cells. Pieces do not depend on each other, so threads and Spark's tasks each
convert some.

Invariant: rows are joined as they stand in the output, so that pieces can be joined in turn with
`separator`. Cost: see `vectors`; tables whose properties depend on rows take the plain way.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sculpt.csvw import reference
from sculpt.csvw.plan import TablePlan
from sculpt.csvw.reference import Nodes, Row
from sculpt.csvw.rows import Piece
from sculpt.csvw.terms import Format, iri
from sculpt.csvw.vectors import json_rows, rdf_rows
from sculpt.csvw.vectors.batch import Batch, BatchMaker
from sculpt.interchange.csvw.model import Place
from sculpt.interchange.csvw.problems import Problem
from sculpt.interchange.csvw.urls import shown
from sculpt.transform.writers.rendering import bytes_of
from sculpt.values import frozen

if TYPE_CHECKING:
    import pyarrow as pa

MAX_PROBLEMS = 100
"""Problems of a piece that are listed; the others are counted."""

_UNFIT = "a cell has a quote that never closes, text after its quotes, or bytes of another encoding"


@frozen
class Target:
    """What the rows become."""

    form: Format | None
    """The syntax of RDF, or `None` for JSON."""
    minimal: bool = False
    lines: bool = False
    """JSON Lines: each row on a line of its own; in minimal mode, each object."""


@frozen(slots=False)
class Converted:
    """A piece of the output."""

    text: memoryview | bytes
    problems: tuple[Problem, ...]
    problem_count: int
    comments: tuple[str, ...] = ()


def nodes_of(plan: TablePlan) -> Nodes:
    """The terms of a table and its rows."""
    table = plan.table
    return Nodes(iri(table.id) if table.id else f"_:t{plan.number}", f"t{plan.number}")


class RowConverter:
    """Converts the rows of a table; several threads may share one."""

    def __init__(self, plan: TablePlan, target: Target) -> None:
        self.plan, self.target = plan, target
        self.nodes = nodes_of(plan)
        module = json_rows if target.form is None else rdf_rows
        self._can_join = module.can_join(plan)
        self._maker = BatchMaker(plan, target.form)
        self._separator = separator(target)

    def convert(self, piece: Piece) -> Converted:
        """The text of a piece."""
        problems = _Collected(self.plan.url)
        self._check_widths(piece, problems)
        if not piece.count:
            return problems.converted(b"", piece.comments)
        if not self._can_join:
            return self._one_by_one(piece, problems)
        batch = self._maker.batch(piece)
        if self.target.form is not None and rdf_rows.is_mixed(batch):
            return self._one_by_one(piece, problems)
        self._take_errors(batch, problems)
        return problems.converted(self._text(self._rows(batch)), piece.comments)

    def _rows(self, batch: Batch) -> pa.Array:
        form, minimal = self.target.form, self.target.minimal
        if form is None:
            between = between_objects(self.target)
            return json_rows.json_rows(batch, minimal, between, self._separator)
        return rdf_rows.rdf_rows(batch, minimal, form, self.nodes)

    def _text(self, rows: pa.Array) -> memoryview:
        """The rows of a piece, each of which ends with the separator, without the last one."""
        whole = bytes_of(rows.drop_null() if rows.null_count else rows)
        return whole[: len(whole) - len(self._separator)] if len(whole) else whole

    # ------------------------------------------------------------- the plain way

    def _one_by_one(self, piece: Piece, problems: _Collected) -> Converted:
        texts = []
        for row in rows_of(piece):
            found = reference.annotated(self.plan, row)
            for column, message in found.errors:
                problems.add(row.source_number, column.column.name, message)
            text = row_text(self.plan, found, self.target, self.nodes)
            if text:
                texts.append(text)
        return problems.converted(self._separator.join(texts).encode(), piece.comments)

    # ------------------------------------------------------------- problems

    def _take_errors(self, batch: Batch, problems: _Collected) -> None:
        found = []
        for column in self.plan.columns:
            vector = batch.vectors[column.column.number]
            problems.count += vector.error_count - len(vector.errors)
            found += [(row, column.column.name, message) for row, message in vector.errors]
        sources = batch.piece.source_numbers
        for row, name, message in sorted(found, key=lambda each: each[0]):
            problems.add(int(sources[row]), name, message)

    def _check_widths(self, piece: Piece, problems: _Collected) -> None:
        """Rows must have as many cells as there are columns; a blank row has none."""
        import numpy as np

        for source in piece.unfit.tolist():
            problems.add(source, None, _UNFIT)
        wanted = self.plan.width
        is_wrong = (piece.widths != wanted) & (piece.widths > 1 if wanted > 1 else True)
        for row in np.flatnonzero(is_wrong).tolist():
            cells = int(piece.widths[row])
            message = f"the row has {cells} cells; the table has {wanted} columns"
            problems.add(int(piece.source_numbers[row]), None, message)


def row_text(plan: TablePlan, found: reference.RowAnnotations, target: Target, nodes: Nodes) -> str:
    """The text of one row, the plain way."""
    if target.form is None:
        return reference.json_row(plan, found, target.minimal, between_objects(target))
    return reference.rdf_row(plan, found, target.minimal, target.form, nodes)


def separator(target: Target) -> str:
    """What stands between two rows."""
    if target.form is not None:
        return ""
    return "\n" if target.lines else ",\n"


def between_objects(target: Target) -> str:
    """What stands between two objects of a row."""
    return "\n" if target.lines and target.minimal else ","


def rows_of(piece: Piece) -> Iterator[Row]:
    """The rows of a piece, one at a time."""
    columns = [piece.column(index).to_pylist() for index in range(piece.width)]
    numbers, sources = piece.numbers.tolist(), piece.source_numbers.tolist()
    for place, (number, source) in enumerate(zip(numbers, sources, strict=True)):
        yield Row(number, source, tuple(column[place] for column in columns))


class _Collected:
    """The problems of a piece."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.found: list[Problem] = []
        self.count = 0

    def add(self, row: int, column: str | None, message: str) -> None:
        """Something is wrong with a cell or a row."""
        self.count += 1
        if len(self.found) < MAX_PROBLEMS:
            where = f"row {row}" if column is None else f'row {row}, column "{column}"'
            self.found.append(Problem("warning", f"{where}: {message}", Place(shown(self.url))))

    def converted(self, text: memoryview | bytes, comments: tuple[str, ...]) -> Converted:
        """A piece of the output with these problems."""
        return Converted(text, tuple(self.found), self.count, comments)
