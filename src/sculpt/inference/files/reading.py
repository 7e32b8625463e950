"""Files as sheets: sniffed, read, and looked over for their frame.

In: a path, and a folder for copies. Out: a `Sheet`; that of a large file has only some of its rows
(`cut`). Invariant: a file that is only text gives a sheet, whatever it is; one that cannot be read
raises `DataError`. Cost: linear in what is read, and that is bounded.
"""

from __future__ import annotations

from sculpt.inference.files.cut import cut_copy
from sculpt.inference.files.rows import rows_of
from sculpt.inference.files.sheet import Sheet, sheet_of
from sculpt.inference.files.tableless import is_tableless
from sculpt.inference.frame.model import Frame
from sculpt.inference.frame.search import find_frame
from sculpt.inference.sniff.finder import sniff
from sculpt.tabular.document import decode
from sculpt.tabular.inputs import read_bytes
from sculpt.values import replace


def read_sheet(path: str, scratch: str) -> Sheet:
    """A file, as it is built."""
    found = sniff(path)
    directives = tuple(
        tuple(line.split(" = ", 1)) for line in found.directives if line != "Col Delim = ,"
    )
    cut = cut_copy(path, found.dialect, scratch)
    if cut is None:
        rows = rows_of(decode(read_bytes(path), found.dialect.encoding), found.dialect)
    else:
        rows = cut.rows
    frame = find_frame(rows) if rows else Frame((), (), 0, 0.0)
    if frame.tables and is_tableless(rows):
        frame = replace(frame, tables=())
    return sheet_of(path, rows, frame, tuple((name, value) for name, value in directives), cut)
