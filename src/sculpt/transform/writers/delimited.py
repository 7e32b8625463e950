"""Records as CSV or TSV (RFC 4180).

In: record batches. Out: lines that end in a line feed, the first with the names of the fields.
A field is quoted only if it has to be, and a quote in it is doubled; in TSV too, so that a tab in
a text is kept. Invariant: null is an empty field and an empty text is `""`. A record whose only
field is null is therefore an empty line, which some readers skip.
Cost: Arrow kernels throughout; see `rendering`.
"""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING

from sculpt.transform.writers.rendering import bytes_of, joined, over_values, rewritten, texts_of
from sculpt.transform.writers.writer import Destination, TextWriter

if TYPE_CHECKING:
    import pyarrow as pa


class DelimitedWriter(TextWriter):
    """Writes CSV, or TSV if the separator is a tab."""

    def __init__(
        self, to: Destination, schema: pa.Schema, separator: str = ",", *, header: bool = True
    ) -> None:
        super().__init__(to)
        self._names = schema.names
        self._separator = separator
        self._header = header
        self._special = f'^$|["\r\n{separator}]'
        self._quotable = re.compile(f'["\r\n{separator}]'.encode())

    def opening(self) -> str:
        """The names of the fields."""
        if not self._header:
            return ""
        import pyarrow as pa

        names = self._quoted(pa.array(self._names, pa.string())).to_pylist()
        return self._separator.join(names) + "\n"

    def rendered(self, piece: pa.RecordBatch) -> memoryview:
        """One line per record."""
        parts: list[pa.StringArray | str] = []
        ends = [self._separator] * (piece.num_columns - 1) + ["\n"]
        for column, end in zip(piece.columns, ends, strict=True):
            if _is_coded(column):  # few distinct texts: append what follows to each once
                parts.append(over_values(column, partial(self._ended, end)))
            else:
                parts += [over_values(column, self._quoted), end]
        return bytes_of(joined(*parts, missing=""))

    def _ended(self, end: str, values: pa.Array) -> pa.StringArray:
        return joined(self._quoted(values), end)

    def closing(self) -> str:
        """Nothing."""
        return ""

    def _quoted(self, values: pa.Array) -> pa.StringArray:
        texts = texts_of(values)
        if not self._is_special(texts):
            return texts
        return rewritten(texts, self._special, _in_quotes)

    def _is_special(self, texts: pa.StringArray) -> bool:
        """Might some text need quotes? Looks at all bytes at once."""
        import pyarrow.compute as pc

        if pc.any(pc.equal(pc.binary_length(texts), 0)).as_py():
            return True
        return self._quotable.search(bytes_of(texts)) is not None


def _is_coded(column: pa.Array) -> bool:
    """Is the column encoded by a dictionary no longer than itself, without nulls?"""
    import pyarrow as pa

    if not pa.types.is_dictionary(column.type) or column.null_count:
        return False
    return len(column.dictionary) <= len(column) and not column.dictionary.null_count


def _in_quotes(texts: pa.StringArray) -> pa.StringArray:
    import pyarrow.compute as pc

    return joined('"', pc.replace_substring(texts, '"', '""'), '"')
