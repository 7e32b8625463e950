"""The head of a file: its header rows, and whether they fit the metadata of the table.

In: a table as metadata describes it, and its file. Out: the table with a column for each column of
the file; warnings if the header says something else than the metadata. A conversion goes on then,
with the columns of the metadata ("Metadata Vocabulary for Tabular Data", 5.4.3).

Invariant: a comment or a skipped row counts as a row, also where headers are ("Model for Tabular
Data and Metadata on the Web", 8). Cost: the first block of the file.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing

from sculpt.csvw.rows import Piece, TableRows, opened_data
from sculpt.engines.data import Data
from sculpt.interchange.csvw.embedded import with_header
from sculpt.interchange.csvw.language_tags import languages_match
from sculpt.interchange.csvw.model import Column, Dialect, Table
from sculpt.interchange.csvw.problems import Problem
from sculpt.tabular.inputs import Input
from sculpt.values import replace

HEAD_SIZE = 1 << 16
_MAX_SHOWN = 60


def headed(table: Table, source: Input) -> tuple[Table, tuple[Problem, ...]]:
    """The table with all columns, and what is wrong with the header."""
    dialect = table.dialect
    first = dialect.skip_rows
    rows = _first_rows(table, source, first + max(1, dialect.header_row_count))
    header = rows[first : first + dialect.header_row_count]
    width = len(rows[first]) if dialect.header_row_count == 0 and len(rows) > first else 0
    prefix = dialect.comment_prefix
    titles = [row for row in header if not (prefix and row and row[0].startswith(prefix))]
    complete = with_header(_widened(table, titles), titles, width)
    if not table.given or not titles:
        return complete, ()
    return complete, tuple(_misfits(table, titles))


def _widened(table: Table, header: Sequence[Sequence[str]]) -> Table:
    """The table with a column for each cell of the header, also where metadata has none."""
    columns = table.schema.columns
    real = [column for column in columns if not column.virtual]
    width = max(map(len, header), default=0)
    if not real or width <= len(real):
        return table
    more = [
        replace(table.inherited, number=number, name=f"_col.{number}")
        for number in range(len(real) + 1, width + 1)
    ]
    virtual = [column for column in columns if column.virtual]
    return replace(table, schema=replace(table.schema, columns=(*real, *more, *virtual)))


def _first_rows(table: Table, source: Input, count: int) -> list[tuple[str, ...]]:
    """The cells of the first rows of a file, whatever they are."""
    bare = replace(
        table.dialect, skip_rows=0, header_row_count=0, comment_prefix=None, skip_blank_rows=False
    )
    data = opened_data(source, bare)
    widest = max((int(piece.widths.max()) for piece in _pieces(data, bare, 1, count)), default=0)
    found: list[tuple[str, ...]] = []
    for piece in _pieces(data, bare, widest, count):
        columns = [piece.column(index).to_pylist() for index in range(widest)]
        for row in range(min(piece.count, count - len(found))):
            width = int(piece.widths[row])
            found.append(tuple(column[row] or "" for column in columns[:width]))
    return found


def _pieces(data: Data, dialect: Dialect, width: int, count: int) -> Iterator[Piece]:
    """The pieces that have the first rows."""
    with closing(TableRows(data, dialect, width, size=HEAD_SIZE).pieces()) as pieces:
        for piece in pieces:
            yield piece
            count -= piece.count
            if count <= 0:
                return


def _misfits(table: Table, header: Sequence[Sequence[str]]) -> Iterator[Problem]:
    """What the header says, and the metadata does not."""
    columns = [column for column in table.schema.columns if not column.virtual]
    width = max(map(len, header))
    if width != len(columns):
        message = f"the header has {width} columns, the metadata describes {len(columns)}"
        yield Problem("warning", f"{message}: those of the metadata count", table.place)
        return
    for place, column in enumerate(columns):
        texts = [row[place] for row in header if place < len(row) and row[place]]
        if texts and not _fits(table, column, texts):
            shown = texts[0][:_MAX_SHOWN]
            message = (
                f"the header of column {place + 1} is `{shown}`, which is not one of its titles"
            )
            yield Problem("warning", message, column.place)


def _fits(table: Table, column: Column, texts: Sequence[str]) -> bool:
    """Is one of the texts a title, in the language of the table?

    A column with a name and no titles fits any header, unless somebody validates (section 5.5.1).
    """
    known = {
        text
        for tag, titles in column.titles
        if tag == table.language or languages_match(tag, table.inherited.lang)
        for text in titles
    }
    return not column.titles or any(text in known for text in texts)
