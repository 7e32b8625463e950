"""Files as sheets: sniffed, read, and looked over for their frame.

In: a path, and a folder for copies. Out: a `Sheet`; that of a large file has only some of its rows
(`cut`). Invariant: a file that is only text gives a sheet, whatever it is; one that cannot be read
raises `DataError`. Cost: linear in what is read, and that is bounded.
"""

from __future__ import annotations

from sculpt.core.dialect import Dialect
from sculpt.inference.files.cut import cut_copy
from sculpt.inference.files.rows import rows_of
from sculpt.inference.files.sheet import Sheet, sheet_of
from sculpt.inference.files.tableless import is_tableless
from sculpt.inference.frame.model import Frame
from sculpt.inference.frame.search import find_frame
from sculpt.inference.sniff.finder import sniff
from sculpt.inference.sniff.model import DEFAULTS, Encoding, Sniffed, values_of
from sculpt.tabular.document import decode
from sculpt.tabular.inputs import read_bytes
from sculpt.values import frozen, replace


@frozen
class Reading:
    """A way to read a file."""

    dialect: Dialect
    directives: tuple[tuple[str, str], ...]
    """The same as a schema writes it, without what is the default."""


def sniffed_reading(found: Sniffed) -> Reading:
    """How a file is written, as far as a sample tells."""
    directives = ((each.name, each.value) for each in found.findings)
    return Reading(found.dialect, tuple(each for each in directives if not _is_default(*each)))


def reading_in(dialect: Dialect, encoding: Encoding) -> Reading:
    """The reading of a dialect."""
    values = values_of(dialect)
    if dialect.layouts:
        values = tuple(each for each in values if each[0] in ("Col Widths", "Comment"))
    directives = [each for each in values if not _is_default(*each)]
    if encoding.directive is not None:
        directives.append(("Encoding", encoding.directive))
    return Reading(replace(dialect, encoding=encoding.codec), tuple(directives))


def _is_default(name: str, value: str) -> bool:
    return DEFAULTS.get(name) == value


def read_sheet(path: str, scratch: str, reading: Reading | None = None) -> Sheet:
    """A file, as it is built; it is sniffed unless the reading is known."""
    used = sniffed_reading(sniff(path)) if reading is None else reading
    cut = cut_copy(path, used.dialect, scratch)
    if cut is None:
        document = decode(read_bytes(path), used.dialect.encoding)
        rows, text = rows_of(document, used.dialect), document.text
    else:
        rows, text = cut.rows, ""
    frame = find_frame(rows) if rows else Frame((), (), 0, 0.0)
    if frame.tables and is_tableless(rows, text):
        frame = replace(frame, tables=())
    return sheet_of(path, rows, frame, used.directives, cut)
