"""Where a violation is in its file, as editors and other programs count.

In: a violation, the dialect of its file, paths. Out: lines and columns, both 1-based and counted in
characters; URIs. Invariant: a column is given only if it is exact: not for rows that do not begin
with a line, nor for those that are too long to be shown from their beginning.
"""

from __future__ import annotations

import os
import re

from sculpt.core.dialect import Dialect
from sculpt.tabular.inputs import STDIN
from sculpt.tabular.stores import has_scheme
from sculpt.values import frozen
from sculpt.verdict import Violation

_LINE_END = re.compile(r"\r\n|\n|\r")
_LINE_DELIMITERS = (None, "\n", "\r\n", "\r")
_PATH = "/-._~!$'()*+,;=@"
"""The characters of a path that stand for themselves in a URI, without the colon."""


@frozen
class FilePlace:
    """A stretch of a file: its first character, and the one after its last."""

    line: int
    column: int | None = None
    end_line: int | None = None
    end_column: int | None = None


def place_of(violation: Violation, dialect: Dialect) -> FilePlace | None:
    """The place of a violation in its file; `None` if it names no row."""
    excerpt = violation.excerpt
    if excerpt is None:
        return None
    if excerpt.cut or dialect.row_delim not in _LINE_DELIMITERS:
        return FilePlace(excerpt.line)
    line, column = _position(excerpt.text, excerpt.start, excerpt.line)
    end_line, end_column = _position(excerpt.text, excerpt.end, excerpt.line)
    return FilePlace(line, column, end_line, end_column)


def _position(text: str, at: int, line: int) -> tuple[int, int]:
    """The line and the column of a character of a text that begins on a line."""
    ends = [end.end() for end in _LINE_END.finditer(text) if end.end() <= at]
    return line + len(ends), at - (ends[-1] if ends else 0) + 1


def relative_path(path: str, base: str = "") -> str:
    """The path from a folder to a file inside it, with slashes; other paths stay as they are."""
    if path == STDIN or has_scheme(path):
        return path
    for whole in (os.path.abspath, os.path.realpath):  # the folder may have been reached by a link
        folder, file = whole(base or os.curdir), whole(path)
        if file.startswith(folder.rstrip(os.sep) + os.sep):
            path = os.path.relpath(file, folder)
            break
    return path.replace(os.sep, "/")


def uri_of(path: str) -> str:
    """The URI of a file: relative if it is in the working directory, and `stdin` for a pipe."""
    from urllib.parse import quote

    if path in (STDIN, "<schema>"):
        return "stdin"
    if has_scheme(path):
        return quote(path, safe=_PATH + ":?#[]%")
    name = relative_path(path)
    root = "file://" if os.path.isabs(name) else ""
    return root + quote(os.fsencode(name), safe=_PATH)
