"""Records as XML: `<records><Obs><area>…</area>…</Obs>…</records>`.

In: record batches, and the name of their target. Out: XML 1.0 in UTF-8, one record per line.
A null has no element; a list has an element for each item. A character that XML 1.0 cannot
represent, not even escaped, becomes U+FFFD.
Invariant: any name becomes an XML name, and `name_text` restores it: a character that is not
allowed becomes `_x`, its code and `_`, as in SQL/XML (ISO 9075-14): `a b` is `a_x0020_b`. An `_x`
in the original becomes `_x005F_x`, so that different names stay different.
Cost: Arrow kernels; only texts with markup or control characters go through Python.
"""

from __future__ import annotations

import re
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

# Letters that every edition of XML 1.0 allows in names: expat, and so Python, follows the fourth.
_LETTERS = "A-Za-zÀ-ÖØ-öø-ıΑ-ΡΣ-ώА-яぁ-ゔァ-ヺ一-龥가-힣"
_NOT_IN_NAMES = re.compile(rf"_(?=x)|[^{_LETTERS}0-9._-]|^[0-9.-]")
_ESCAPE = re.compile("_x([0-9A-F]{4,6})_")
_NO_NAME = "_x_"  # stands for the empty name; a name `_x_` would be escaped

_SPECIAL = r"[\x00-\x08\x0b-\x1f&<>\x{fffe}\x{ffff}]"
_ESCAPES = {
    **dict.fromkeys([*range(0x20), 0xFFFE, 0xFFFF], "\ufffd"),
    ord("\t"): "\t",
    ord("\n"): "\n",
    ord("\r"): "&#13;",  # a parser would take a bare one for a line feed
    ord("&"): "&amp;",
    ord("<"): "&lt;",
    ord(">"): "&gt;",  # for `]]>`
}


class XmlWriter(TextWriter):
    """Writes an XML document."""

    def __init__(self, to: Destination, schema: pa.Schema, target: str) -> None:
        super().__init__(to)
        self._record = xml_name(target)
        self._fields = [xml_name(name) for name in schema.names]

    def opening(self) -> str:
        """The declaration, and the start of the root."""
        return '<?xml version="1.0" encoding="UTF-8"?>\n<records>\n'

    def rendered(self, piece: pa.RecordBatch) -> memoryview:
        """The elements of some records."""
        elements = map(_elements, self._fields, piece.columns)
        record = self._record
        return bytes_of(joined(f"<{record}>", *elements, f"</{record}>\n", missing=""))

    def closing(self) -> str:
        """The end of the root."""
        return "</records>\n"


def _elements(name: str, column: pa.Array) -> pa.StringArray:
    import pyarrow.compute as pc

    def element(values: pa.Array) -> pa.StringArray:
        texts = rewritten(texts_of(values), _SPECIAL, each(lambda t: t.translate(_ESCAPES)))
        return joined(f"<{name}>", texts, f"</{name}>")

    if is_list(column.type):
        return pc.binary_join(item_lists(column, element), "")
    return over_values(column, element)


def xml_name(name: str) -> str:
    """The XML name for any name, as described in the module's docstring."""
    return _NOT_IN_NAMES.sub(lambda found: f"_x{ord(found[0]):04X}_", name) or _NO_NAME


def name_text(name: str) -> str:
    """The original name of an XML name."""
    return "" if name == _NO_NAME else _ESCAPE.sub(lambda found: chr(int(found[1], 16)), name)
