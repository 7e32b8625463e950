"""Embedded metadata: what the header rows of a file say, joined with the metadata of its table.

In: a `Table`, and the cells of its header rows. Out: the table with a column for each column of the
file ("Model for Tabular Data", section 8; "Metadata Vocabulary", section 5.6).

Invariant: columns that metadata describes stay as they are; without any, each header cell is the
title of a column that inherits from the table. Virtual columns come last. Cost: linear.
"""

from __future__ import annotations

from collections.abc import Sequence

from sculpt.interchange.csvw.language_tags import UNDEFINED
from sculpt.interchange.csvw.model import Column, Table
from sculpt.interchange.csvw.reading.schemas import name_of
from sculpt.values import replace


def with_header(table: Table, header: Sequence[Sequence[str]], width: int = 0) -> Table:
    """The table with columns for all columns of the file.

    `header` has the cells of the header rows without skipped columns; `width` is the number of
    columns if there are none.
    """
    skipped = table.dialect.skip_columns
    real = [column for column in table.schema.columns if not column.virtual]
    virtual = [column for column in table.schema.columns if column.virtual]
    count = max([len(row) for row in header] or [width])
    if not real:
        real = [_embedded(table, header, number) for number in range(1, count + 1)]
    columns = tuple(
        replace(column, number=number, source_number=_source(column, number, skipped))
        for number, column in enumerate((*real, *virtual), 1)
    )
    return replace(table, schema=replace(table.schema, columns=columns))


def _source(column: Column, number: int, skipped: int) -> int | None:
    return None if column.virtual else number + skipped


def _embedded(table: Table, header: Sequence[Sequence[str]], number: int) -> Column:
    cells = [row[number - 1] for row in header if len(row) >= number]
    texts = tuple(text for text in cells if text)
    titles = ((UNDEFINED, texts),) if texts else ()
    name = name_of(titles, UNDEFINED, number)
    return replace(table.inherited, number=number, name=name, titles=titles)
