"""Rows as a text in some dialect: what the reader reads as these rows.

In: rows of texts, a dialect. Out: a text; `None` if the dialect cannot say a cell, or is one that
nobody writes, such as a delimiter by a pattern. Cells that are wider than their fixed width are cut
to it. Cost: linear.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from sculpt.core.dialect import Dialect

_BLANKS = "  "


def written(rows: Sequence[Sequence[str]], dialect: Dialect) -> str | None:
    """The text of the rows."""
    end = dialect.row_delim or "\n"
    if dialect.layouts:
        if len(dialect.layouts) > 1 or dialect.layouts[0].prefix:
            return None
        widths = dialect.layouts[0].widths
        return "".join(_padded(row, widths).rstrip() + end for row in rows)
    delimiter = dialect.col_delim.text
    if dialect.col_delim.pattern is not None:
        delimiter = _BLANKS
        if any(_BLANKS in text or not text for row in rows for text in row if len(row) > 1):
            return None
    special = (delimiter, "\n", "\r", end, *(dialect.quote or ""), *(dialect.comment or "")[:1])
    is_special = re.compile("|".join(map(re.escape, special))).search
    lines = []
    for row in rows:
        cells = []
        for text in row:
            cell = _quoted(text, dialect) if is_special(text) else text
            if cell is None:
                return None
            cells.append(cell)
        lines.append(delimiter.join(cells) + end)
    return "".join(lines)


def _quoted(text: str, dialect: Dialect) -> str | None:
    quote, escape = dialect.quote, dialect.escape
    if quote is None:
        return None
    if escape is None:
        inner = text.replace(quote, 2 * quote)
    else:
        inner = text.replace(escape, 2 * escape).replace(quote, escape + quote)
    return quote + inner + quote


def _padded(row: Sequence[str], widths: Sequence[int | None]) -> str:
    """Cells at their widths; a negative width is a filler, which is no cell."""
    cells, parts = iter(row), []
    for width in widths:
        if width is None:
            parts.append(next(cells, ""))
        elif width < 0:
            parts.append(" " * -width)
        else:
            parts.append(next(cells, "")[:width].ljust(width))
    return "".join((*parts, *cells))
