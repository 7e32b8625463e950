"""Files as sheets: sniffed, read, and looked over for their frame.

In: a path. Out: a `Sheet`. Invariant: a file that is only text gives a sheet, whatever it is; one
that cannot be read raises `DataError`. Cost: linear; a plain dialect is read by the standard
library, any other by the readable reader of `tabular`, which is ten times slower.
"""

from __future__ import annotations

import csv
import io
import re
from itertools import islice

from sculpt.core.dialect import Dialect
from sculpt.inference.frame.model import Frame
from sculpt.inference.frame.search import find_frame
from sculpt.inference.sheet import Rows, Sheet, sheet_of
from sculpt.inference.sniff.finder import sniff
from sculpt.tabular.document import decode
from sculpt.tabular.grid import read_grid
from sculpt.tabular.inputs import read_bytes

_BLANKS = " \t"
MOST_ROWS = 200_000
"""Rows after these are left to the engine: it has the last word on them."""


def read_sheet(path: str) -> Sheet:
    """A file, as it is built."""
    found = sniff(path)
    directives = tuple(
        tuple(line.split(" = ", 1)) for line in found.directives if line != "Col Delim = ,"
    )
    rows = rows_of(read_bytes(path), found.dialect)
    frame = find_frame(rows) if rows else Frame((), (), 0, 0.0)
    return sheet_of(path, rows, frame, tuple((name, value) for name, value in directives))


def rows_of(data: bytes, dialect: Dialect) -> Rows:
    """The rows of a document, without blank ones at the end."""
    document = decode(data, dialect.encoding)
    if _is_plain(document.text, dialect):
        rows = _plain_rows(document.text, dialect)
    else:
        grid = read_grid(document, dialect)
        rows = [tuple(cell.text for cell in row.cells) for row in grid.rows[:MOST_ROWS]]
    while rows and rows[-1] == ("",):
        rows.pop()
    return tuple(rows)


def _is_plain(text: str, dialect: Dialect) -> bool:
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
        found = islice(reader, MOST_ROWS)
        if _is_trimmed(text, dialect.col_delim.text):
            rows = [tuple(row) or ("",) for row in found]
        else:
            rows = [tuple(cell.strip(_BLANKS) for cell in row) or ("",) for row in found]
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
