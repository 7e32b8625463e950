"""Records as CSV or TSV (RFC 4180).

In: record batches. Out: lines that end in a line feed, the first with the names of the fields.
A field is quoted only where it has to be, and a quote in it is doubled; in TSV as well, so that a
tab in a text is kept. Invariant: null is an empty field and an empty text is `""`. A record of
one field that is null is therefore an empty line, which some readers pass over.
Cost: Arrow kernels throughout; see `texts`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sculpt.transform.base import Destination, TextWriter
from sculpt.transform.texts import bytes_of, joined, over_values, rewritten, texts_of

if TYPE_CHECKING:
    import pyarrow as pa


class DelimitedWriter(TextWriter):
    """Writes CSV, or TSV where the separator is a tab."""

    def __init__(
        self, to: Destination, schema: pa.Schema, separator: str = ",", *, header: bool = True
    ) -> None:
        super().__init__(to)
        self._names = schema.names
        self._separator = separator
        self._header = header
        self._special = f'^$|["\r\n{separator}]'

    def opening(self) -> str:
        """The names of the fields."""
        if not self._header:
            return ""
        import pyarrow as pa

        names = self._quoted(pa.array(self._names, pa.string())).to_pylist()
        return self._separator.join(names) + "\n"

    def rendered(self, piece: pa.RecordBatch) -> memoryview:
        """A line a record."""
        parts: list[pa.StringArray | str] = []
        for column in piece.columns:
            parts += [over_values(column, self._quoted), self._separator]
        parts[-1] = "\n"
        return bytes_of(joined(*parts, missing=""))

    def closing(self) -> str:
        """Nothing."""
        return ""

    def _quoted(self, values: pa.Array) -> pa.StringArray:
        return rewritten(texts_of(values), self._special, _in_quotes)


def _in_quotes(texts: pa.StringArray) -> pa.StringArray:
    import pyarrow.compute as pc

    return joined('"', pc.replace_substring(texts, '"', '""'), '"')
