"""CSVW's dialects for the scanner: how a file is cut into rows and cells.

In: a dialect of CSVW. Out: the `Dialect` that our readers follow. Rows that are skipped, headers,
comments, blank rows and skipped columns stay in the table: CSVW numbers rows with them, so `rows`
takes them out.

Blanks around cells stay, whatever `trim` says: the parser that trims is not normative, values of
all types but texts are stripped anyway, and the W3C's tests expect texts with their blanks.

If there are several line ends and one of them is neither LF, CRLF nor CR, only the first of them
counts: `unfollowed` says so.
"""

from __future__ import annotations

from sculpt.core import ir
from sculpt.core.dialect import Delimiter, Dialect
from sculpt.core.task import Task
from sculpt.interchange.csvw import model

_COMMON = frozenset({"\n", "\r\n", "\r"})


def dialect_of(given: model.Dialect) -> Dialect:
    """The dialect for our readers; instead of a quote of several characters, the usual one."""
    quote = given.quote_char or None
    if quote is not None and len(quote) > 1:
        quote = '"'
    return Dialect(
        col_delim=Delimiter(given.delimiter or ","),
        row_delim=_row_delim(given),
        quote=quote,
        escape=None if given.double_quote or quote is None else given.escape_char,
        escapes="any" if given.double_quote or quote is None else "everywhere",
        trim_left=False,
        trim_right=False,
        blank_rows="keep",
        encoding=None if given.encoding.lower() in ("utf-8", "utf8") else given.encoding,
    )


def _row_delim(given: model.Dialect) -> str | None:
    ends = given.line_terminators
    if not ends or {"\n", "\r\n"}.issuperset(ends):
        return "\n"  # our readers take CRLF for it, too
    return None if len(ends) > 1 and _COMMON.issuperset(ends) else ends[0]


def unfollowed(given: model.Dialect) -> str | None:
    """What is not followed of a dialect, in words."""
    ends = given.line_terminators
    if len(ends) < 2 or _COMMON.issuperset(ends):
        return None
    return f"only the first line terminator, {ends[0]!r}, is used"


def reading_task(given: model.Dialect) -> Task:
    """The task of reading a table and nothing else."""
    schema = ir.CoreSchema(dialect_of(given), {}, {}, (), ())
    return Task(schema, (), defects=False)
