"""Records as JSON: one array of objects, or one object per line (JSON Lines).

In: record batches. Out: UTF-8 in which a decimal is an exact number without an exponent, a list
is an array, null is null, and a value that JSON has no type for (a date, binary, `INF`, `NaN`) is a
text. Invariant: every record has every field, in the order of the schema, and is on its own line.
Cost: Arrow kernels; only texts with quotes, backslashes or control characters go through Python.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from sculpt.transform.writers.rendering import (
    bytes_of,
    each,
    is_list,
    item_lists,
    joined,
    over_values,
    rewritten,
    texts_of,
)
from sculpt.transform.writers.writer import Destination, TextWriter

if TYPE_CHECKING:
    import pyarrow as pa

json_text = json.JSONEncoder(ensure_ascii=False).encode
"""A value as JSON; characters beyond ASCII are not escaped."""
_SPECIAL = r'["\\\x00-\x1f]'


class JsonLinesWriter(TextWriter):
    """Writes one object per line."""

    _before, _after = "", "\n"

    def __init__(self, to: Destination, schema: pa.Schema) -> None:
        super().__init__(to)
        self._keys = [json_text(name) for name in schema.names]

    def opening(self) -> str:
        """Nothing."""
        return ""

    def rendered(self, piece: pa.RecordBatch) -> memoryview:
        """The objects of some records."""
        parts: list[pa.StringArray | str] = []
        lead = self._before + "{"
        for key, column in zip(self._keys, piece.columns, strict=True):
            parts += [f"{lead}{key}:", over_values(column, _values)]
            lead = ","
        return bytes_of(joined(*parts, "}" + self._after, missing="null"))

    def closing(self) -> str:
        """Nothing."""
        return ""


class JsonWriter(JsonLinesWriter):
    """Writes one array, without holding it in memory."""

    _before, _after = ",\n", ""

    def __init__(self, to: Destination, schema: pa.Schema) -> None:
        super().__init__(to, schema)
        self._is_first = True

    def opening(self) -> str:
        """The start of the array."""
        return "["

    def rendered(self, piece: pa.RecordBatch) -> memoryview:
        """The objects of some records, each after a comma, except the very first."""
        text = super().rendered(piece)
        if self._is_first:
            self._is_first = False
            return text[1:]
        return text

    def closing(self) -> str:
        """The end of the array."""
        return "\n]\n"


def _values(values: pa.Array) -> pa.StringArray:
    import pyarrow as pa
    import pyarrow.compute as pc

    types, kind = pa.types, values.type
    if is_list(kind):
        return joined("[", pc.binary_join(item_lists(values, _items), ","), "]")
    texts = texts_of(values)
    if types.is_floating(kind):
        return rewritten(texts, "[A-Z]", lambda found: joined('"', found, '"'))
    if types.is_decimal(kind) or types.is_integer(kind) or types.is_boolean(kind):
        return texts
    escaped = rewritten(texts, _SPECIAL, each(lambda text: json_text(text)[1:-1]))
    return joined('"', escaped, '"')


def _items(items: pa.Array) -> pa.StringArray:
    import pyarrow.compute as pc

    return pc.fill_null(_values(items), "null")
