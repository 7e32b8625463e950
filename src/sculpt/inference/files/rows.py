"""The rows of a text, quickly where that is possible.

In: a document, its dialect. Out: its rows as texts, as tokens see them. Cost: linear; a plain
dialect is read by the standard library, any other by the readable reader of `tabular`, which is
ten times slower.
"""

from __future__ import annotations

import csv
import io
import re

from sculpt.core.dialect import Dialect
from sculpt.inference.files.sheet import Rows
from sculpt.tabular.document import Document
from sculpt.tabular.grid import read_grid
from sculpt.values import replace

_BLANKS = " \t"


def rows_of(document: Document, dialect: Dialect, is_end: bool = True) -> Rows:
    """The rows of a document; without blank ones at the end, if that is the end of a file."""
    if is_plain(document.text, dialect):
        rows = _plain_rows(document.text, dialect)
    else:
        used = dialect if is_end else replace(dialect, blank_rows="keep")
        grid = read_grid(document, used)
        rows = [tuple(cell.text for cell in row.cells) for row in grid.rows]
    while is_end and rows and rows[-1] == ("",):
        rows.pop()
    return tuple(rows)


def is_plain(text: str, dialect: Dialect) -> bool:
    """Does the reader of the standard library read the same?"""
    delimiter = dialect.col_delim
    if dialect.layouts or delimiter.pattern is not None or len(delimiter.text) != 1:
        return False
    if dialect.escape is not None or dialect.comment is not None or dialect.row_delim is not None:
        return False
    if dialect.blank_rows != "inner" or not (dialect.trim_left and dialect.trim_right):
        return False
    if "\0" in text or delimiter.text in "\r\n":
        return False
    if dialect.quote is None or dialect.quote not in text:
        return True
    if dialect.stray_quotes == "text":
        return False
    quote = re.escape(dialect.quote)
    return re.search(rf"[ \t]{quote}|{quote}[ \t]", text) is None


def _plain_rows(text: str, dialect: Dialect) -> list[tuple[str, ...]]:
    quote = dialect.quote
    previous = csv.field_size_limit(1 << 30)
    try:
        reader = csv.reader(
            io.StringIO(text, newline=""),
            delimiter=dialect.col_delim.text,
            quotechar=quote,
            quoting=csv.QUOTE_NONE if quote is None else csv.QUOTE_MINIMAL,
        )
        if _is_trimmed(text, dialect.col_delim.text):
            rows = [tuple(row) or ("",) for row in reader]
        else:
            rows = [tuple(cell.strip(_BLANKS) for cell in row) or ("",) for row in reader]
    finally:
        csv.field_size_limit(previous)
    return rows


def _is_trimmed(text: str, delimiter: str) -> bool:
    """Are there no blanks beside delimiters and line ends?

    Quotes have none beside them, or the text would not be read here.
    """
    if delimiter in _BLANKS or text[:1] in _BLANKS or text[-1:] in _BLANKS:
        return False
    return not any(
        blank + end in text or end + blank in text
        for blank in _BLANKS
        for end in (delimiter, "\n", "\r")
    )
