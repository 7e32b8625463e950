"""Reads the arguments of checks: texts, columns, numbers, dates and files.

In: a cursor after the name of a check. Out: the check. What is well-formed but wrong (bounds in the
wrong order, an unknown algorithm) is noted as `foreign-meaning`, and reading goes on.

Invariant: a check that is returned is complete. Cost: linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal

from sculpt.interchange.csv_schema import dates
from sculpt.interchange.csv_schema.model import (
    Checksum,
    ColumnRef,
    Compare,
    Concat,
    DateParts,
    FileCount,
    FileExists,
    IntegrityCheck,
    Length,
    Literal,
    NoExt,
    Place,
    Provider,
    Range,
    Regex,
    Unique,
    UriDecode,
)
from sculpt.interchange.csv_schema.parsing.cursor import Cursor

IDENTIFIER = re.compile(r"[A-Za-z0-9\-_.]+")
_NUMBER = re.compile(r"-?[0-9]+(?:\.[0-9]+)?(?![0-9A-Za-z.])")
_COUNT = re.compile(r"[0-9]+(?![0-9A-Za-z.])")
_MAX_DIGITS = 9
_DATE = re.compile(r"[0-9T:Z./+-]+")
_COLUMN_NEXT = re.compile(r"""\([ \t]*\$(?:"[^"\r\n]*"|[A-Za-z0-9\-_.]+)[ \t]*[,)]""")
_DATE_NEXT = re.compile(r"\([ \t]*[-0-9,)]")
_TEXT_NEXT = re.compile(r"""\([ \t]*(?:"|(?:concat|noExt|noext|uriDecode)[ \t]*\()""")
"""After a check whose arguments are optional: are these its arguments, or is it a group?"""
MAX_DEPTH = 100
"""Of texts such as `concat(noExt(…))`."""
MAX_DIGITS = 1000
ALGORITHMS = frozenset(
    (
        *("md2", "md5", "sha", "sha1", "sha224", "sha256", "sha384", "sha512"),
        *("sha512/224", "sha512/256", "sha3224", "sha3256", "sha3384", "sha3512"),
    )
)
"""The check sums that validators have, in lower case and without dashes."""


class Arguments:
    """Reads arguments from a cursor."""

    def __init__(self, cursor: Cursor, version: str) -> None:
        self.cursor = cursor
        self.version = version

    # ------------------------------------------------------------- columns and texts

    def column(self) -> ColumnRef:
        """`$name` or `$"a name"`."""
        cursor = self.cursor
        cursor.skip_blanks()
        start = cursor.at
        cursor.need("$", "this")
        if cursor.sees('"'):
            name, _ = cursor.string("the name of a column")
        else:
            found = cursor.match(IDENTIFIER)
            if found is None:
                cursor.fail(f"expected the name of a column after `$`, found {cursor.found()}")
            name = found
        return ColumnRef(name, Place(start, cursor.at))

    def provider(self, depth: int = 0) -> Provider:
        """A text: of a column, a literal, or made of others."""
        cursor = self.cursor
        if depth > MAX_DEPTH:
            message = f"the text is nested more than {MAX_DEPTH} levels deep"
            cursor.fail(message, code="foreign-limit")
        if cursor.sees("$"):
            return self.column()
        if cursor.sees('"'):
            return Literal(cursor.string("a text")[0])
        named = cursor.word()
        if named is None or named[0] not in ("concat", "noExt", "noext", "uriDecode"):
            hint = 'a text is `"…"`, `$column`, `concat(…)`, `noExt(…)` or `uriDecode(…)`'
            cursor.fail(f"expected a text, found {cursor.found()}", hint)
        name, place = named
        since = "1.2" if name == "uriDecode" else "1.1"
        if since > self.version:
            message = f"version {self.version} has no `{name}`"
            cursor.fail(message, f"write `version {since}` in the first line", place)
        cursor.at = place.end
        return self._made_of(name, depth + 1)

    def _made_of(self, name: str, depth: int) -> Provider:
        cursor = self.cursor
        cursor.need("(", f"`{name}`")
        parts = [self.provider(depth)]
        most = {"concat": 10_000, "uriDecode": 2}.get(name, 1)
        while len(parts) < most and cursor.take(","):
            parts.append(self.provider(depth))
        cursor.need(")", f"the arguments of `{name}`")
        if name == "concat":
            return Concat(tuple(parts))
        if name == "uriDecode":
            return UriDecode(parts[0], parts[1] if len(parts) > 1 else None)
        return NoExt(parts[0])

    def file(self) -> tuple[Provider | None, Provider]:
        """`file(name)` or `file(root, name)`."""
        cursor = self.cursor
        named = cursor.word()
        if named is None or named[0] != "file":
            cursor.fail(f"expected `file(`, found {cursor.found()}", "write `file($column)`")
        cursor.at = named[1].end
        cursor.need("(", "`file`")
        first = self.provider()
        second = self.provider() if cursor.take(",") else None
        cursor.need(")", "the arguments of `file`")
        return (None, first) if second is None else (first, second)

    # ------------------------------------------------------------- numbers and dates

    def number(self) -> Decimal | None:
        """A number, or `None` for `*`."""
        cursor = self.cursor
        if self.version != "1.0" and cursor.take("*"):
            return None
        found = cursor.match(_NUMBER)
        if found is None or len(found) > MAX_DIGITS:
            hint = "write `version 1.1` in the first line to use `*`" if cursor.sees("*") else None
            cursor.fail(f"expected a number, found {cursor.found()}", hint)
        return Decimal(found)

    def count(self) -> int | None:
        """A number without a sign, or `None` for `*`."""
        cursor = self.cursor
        if cursor.take("*"):
            return None
        found = cursor.match(_COUNT)
        if found is None:
            cursor.fail(f"expected a number of characters or `*`, found {cursor.found()}")
        if len(found.lstrip("0")) > _MAX_DIGITS:
            message = f"`{found}` is too large: no cell has so many characters"
            place = Place(cursor.at - len(found), cursor.at)
            cursor.fail(message, "write `*` if there is no limit", place, "foreign-limit")
        return int(found)

    def dates(self, kind: str) -> tuple[str | None, str | None]:
        """The bounds of a check of dates or times, if it has any."""
        cursor = self.cursor
        if not cursor.begins(_DATE_NEXT):
            return None, None
        cursor.take("(")
        cursor.skip_blanks()
        start = cursor.at
        low = self.date(kind)
        cursor.need(",", "the first date")
        high = self.date(kind)
        end = cursor.at
        cursor.need(")", "the last date")
        if low and high and not dates.is_ordered(kind, low, high):
            message = f"`{low}` is after `{high}`"
            hint = "the earlier one comes first"
            cursor.note("foreign-meaning", Place(start, end), message, hint)
        return low, high

    def date(self, kind: str) -> str | None:
        """A bound; `None`, and an error, if there is no such date."""
        cursor = self.cursor
        cursor.skip_blanks()
        start = cursor.at
        found = cursor.match(_DATE)
        if found is None:
            cursor.fail(f"expected a date or time such as {dates.EXAMPLES[kind]}")
        reason = dates.problem(kind, found)
        if reason is not None:
            hint = f"`{kind}` is written as {dates.EXAMPLES[kind]}"
            cursor.note("foreign-meaning", Place(start, cursor.at), f"`{found}` {reason}", hint)
            return None
        return found


# ------------------------------------------------------------- one function a check


def compare(kind: str) -> Callable[[Arguments], Compare]:
    """The reader of `is`, `not`, `in`, `starts`, `ends` or `any`."""

    def read(source: Arguments) -> Compare:
        cursor = source.cursor
        cursor.need("(", f"`{kind}`")
        values = [source.provider()]
        while kind == "any" and cursor.take(","):
            values.append(source.provider())
        cursor.need(")", f"the text of `{kind}`")
        return Compare(kind, tuple(values))

    return read


def regex(source: Arguments) -> Regex:
    """`regex("…")`; the expression ends at the first `")`, so it may have quotes."""
    cursor = source.cursor
    cursor.skip_blanks()
    line_end = re.compile(r"[\r\n]|$").search(cursor.text, cursor.at)
    assert line_end is not None
    end = cursor.text.find('")', cursor.at + 2, line_end.start())
    if not cursor.text.startswith('("', cursor.at) or end < 0:
        cursor.fail('expected an expression such as `("[a-z]+")` after `regex`')
    place = Place(cursor.at + 2, end)
    cursor.at = end + 2
    return Regex(cursor.text[place.start : place.end], place)


def number_range(source: Arguments) -> Range:
    """`range(low, high)`."""
    cursor = source.cursor
    cursor.need("(", "`range`")
    start = cursor.at
    low = source.number()
    cursor.need(",", "the lower bound of `range`")
    high = source.number()
    place = Place(start, cursor.at)
    cursor.need(")", "the upper bound of `range`")
    if low is None and high is None:
        message = "`range(*,*)` allows every number"
        cursor.note("foreign-meaning", place, message, "give one of the two numbers")
    elif low is not None and high is not None and low > high:
        message = f"the lower bound, {low}, is above the upper one, {high}"
        cursor.note("foreign-meaning", place, message, "the smaller number comes first")
    return Range(low, high)


def length(source: Arguments) -> Length:
    """`length(n)`, `length(low, high)`."""
    cursor = source.cursor
    cursor.need("(", "`length`")
    start = cursor.at
    low = source.count()
    high = source.count() if cursor.take(",") else low
    place = Place(start, cursor.at)
    cursor.need(")", "the numbers of `length`")
    if low is not None and high is not None and low > high:
        message = f"the least length, {low}, is above the greatest, {high}"
        cursor.note("foreign-meaning", place, message, "the smaller number comes first")
    return Length(low, high)


def unique(source: Arguments) -> Unique:
    """`unique` or `unique($a, $b)`."""
    cursor = source.cursor
    if not cursor.begins(_COLUMN_NEXT):
        return Unique()
    cursor.take("(")
    columns = [source.column()]
    while cursor.take(","):
        columns.append(source.column())
    cursor.need(")", "the columns of `unique`")
    return Unique(tuple(columns))


def _three(source: Arguments, name: str) -> tuple[Provider, ...]:
    cursor = source.cursor
    cursor.need("(", f"`{name}`")
    year = source.provider()
    cursor.need(",", "the year")
    month = source.provider()
    cursor.need(",", "the month")
    return year, month, source.provider()


def date(source: Arguments) -> DateParts:
    """`date(year, month, day)`, `date(year, month, day, from, to)`."""
    cursor = source.cursor
    parts = _three(source, "date")
    low = high = None
    if cursor.take(","):
        start = cursor.at
        low = source.date("xDate")
        cursor.need(",", "the first date")
        high = source.date("xDate")
        if low and high and not dates.is_ordered("xDate", low, high):
            message = f"`{low}` is after `{high}`"
            place = Place(start, cursor.at)
            cursor.note("foreign-meaning", place, message, "the earlier one comes first")
    cursor.need(")", "the arguments of `date`")
    return DateParts(parts, low, high)


def part_date(source: Arguments) -> DateParts:
    """`partDate(year, month, day)`."""
    parts = _three(source, "partDate")
    source.cursor.need(")", "the day")
    return DateParts(parts, is_partial=True)


def file_exists(source: Arguments) -> FileExists:
    """`fileExists` or `fileExists(root)`."""
    cursor = source.cursor
    if not (cursor.begins(_COLUMN_NEXT) or cursor.begins(_TEXT_NEXT)):
        return FileExists()
    cursor.take("(")
    root = source.provider()
    cursor.need(")", "the path of `fileExists`")
    return FileExists(root)


def checksum(source: Arguments) -> Checksum:
    """`checksum(file(…), "MD5")`."""
    cursor = source.cursor
    cursor.need("(", "`checksum`")
    root, file = source.file()
    cursor.need(",", "the file of `checksum`")
    algorithm, place = cursor.string("the name of a check sum")
    cursor.need(")", "the arguments of `checksum`")
    if algorithm.lower().replace("-", "") not in ALGORITHMS:
        hint = "check sums include `MD5`, `SHA-1`, `SHA-256` and `SHA-512`"
        cursor.note("foreign-meaning", place, f"there is no check sum `{algorithm}`", hint)
    return Checksum(root, file, algorithm, place)


def file_count(source: Arguments) -> FileCount:
    """`fileCount(file(…))`."""
    source.cursor.need("(", "`fileCount`")
    root, file = source.file()
    source.cursor.need(")", "the file of `fileCount`")
    return FileCount(root, file)


def integrity_check(source: Arguments) -> IntegrityCheck:
    """`integrityCheck(root, folder, "includeFolder")`; the first two may be left out."""
    cursor = source.cursor
    cursor.need("(", "`integrityCheck`")
    values = [source.provider()]
    while cursor.take(","):
        values.append(source.provider())
    place = Place(cursor.at, cursor.at)
    cursor.need(")", "the arguments of `integrityCheck`")
    if len(values) > 3:
        cursor.fail("`integrityCheck` takes at most a path, a folder and a word", place=place)
    folder = values[1] if len(values) == 3 else Literal("content")
    if not isinstance(folder, Literal):
        message = "the folder of `integrityCheck` must be a text between quotes"
        cursor.fail(message, place=place)
    word = values[-1]
    if not isinstance(word, Literal) or word.text not in ("includeFolder", "excludeFolder"):
        hint = 'the last argument is `"includeFolder"` or `"excludeFolder"`'
        message = "it must be said whether folders are listed too"
        cursor.fail(message, hint, place)
    root = values[0] if len(values) > 1 else None
    return IntegrityCheck(root, folder.text, word.text == "includeFolder")
