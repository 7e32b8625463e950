"""Reads a CSV Schema: its version, its global directives, and a column definition a line.

In: a document. Out: a `CsvSchema`, or `SchemaError` with all errors of the file, in its order.
Grammar: appendix A of CSV Schema Language 1.2, which has those of 1.0 and 1.1; what a version does
not have is refused. Blank lines are allowed everywhere.

Invariant: a line that cannot be read does not hide the errors of others; a reference to a column
that was not read is no error then. Cost: linear in the text.
"""

from __future__ import annotations

import re

from sculpt.diagnostics import closest
from sculpt.errors import SchemaError
from sculpt.interchange.csv_schema.model import Column, CsvSchema, Place
from sculpt.interchange.csv_schema.parsing.arguments import IDENTIFIER
from sculpt.interchange.csv_schema.parsing.cursor import Cursor, Stop
from sculpt.interchange.csv_schema.parsing.expressions import ExpressionReader
from sculpt.interchange.csv_schema.parsing.meaning import check
from sculpt.interchange.documents import TextDocument
from sculpt.values import replace

VERSIONS = ("1.0", "1.1", "1.2")
GLOBAL = (
    "separator",
    "quoted",
    "totalColumns",
    "permitEmpty",
    "noHeader",
    "ignoreColumnNameCase",
)
OF_COLUMNS = ("optional", "matchIsFalse", "ignoreCase", "warning")
_VERSION = re.compile(r"[^\s@/]+")
_COUNT = re.compile(r"[1-9][0-9]*(?![0-9A-Za-z.])")
_SEPARATOR = re.compile(r"TAB|'\\t'|'[^\r\n\f']'")
MAX_COLUMNS = 100_000


def parse(document: TextDocument) -> CsvSchema:
    """The schema that a document contains; raises `SchemaError` with all its errors."""
    cursor = Cursor(document)
    nul = document.text.find("\0")
    if nul >= 0:
        cursor.note("foreign-syntax", Place(nul, nul + 1), "a NUL character", "remove it")
        raise SchemaError(tuple(cursor.problems), (document.name,))
    schema = _Reader(cursor).schema()
    if cursor.problems:
        ordered = sorted(cursor.problems, key=lambda each: each.span.start)
        raise SchemaError(tuple(ordered), (document.name,))
    return schema


class _Reader:
    def __init__(self, cursor: Cursor) -> None:
        self.cursor = cursor
        self.has_lost_lines = False

    def schema(self) -> CsvSchema:
        version = self._version()
        schema = self._directives(CsvSchema(version, ()))
        schema = replace(schema, columns=self._columns(version))
        check(schema, self.cursor, is_complete=not self.has_lost_lines)
        return schema

    # ------------------------------------------------------------- prolog

    def _version(self) -> str:
        """The version; the newest, and an error, if it is not given or unknown."""
        cursor = self.cursor
        cursor.skip_gaps()
        named = cursor.word()
        if named is None or named[0] != "version":
            message = f"expected the version, found {cursor.found()}"
            cursor.note("foreign-syntax", cursor.here(), message, "begin with `version 1.2`")
            return VERSIONS[-1]
        cursor.at = named[1].end
        cursor.skip_blanks()
        start = cursor.at
        found = cursor.match(_VERSION) or ""
        if found not in VERSIONS:
            message = f"there is no version `{found}` of CSV Schema" if found else "no version"
            hint = f"the versions are {', '.join(VERSIONS[:-1])} and {VERSIONS[-1]}"
            cursor.note("foreign-meaning", Place(start, cursor.at), message, hint)
            return VERSIONS[-1]
        if not (cursor.is_at_end() or cursor.sees("@")):
            message = f"expected the end of the line after the version, found {cursor.found()}"
            cursor.note("foreign-syntax", cursor.here(), message)
            cursor.skip_line()
        return found

    def _directives(self, schema: CsvSchema) -> CsvSchema:
        cursor = self.cursor
        places: dict[str, Place] = {}
        while True:
            cursor.skip_gaps()
            cursor.skip_blanks()
            start = cursor.at
            if not cursor.take("@"):
                return replace(schema, places=tuple(places.items()))
            try:
                name = self._directive_name(start, GLOBAL, places)
                schema = self._apply(schema, name, start)
                places.setdefault(name, Place(start, cursor.at))
            except Stop:
                cursor.skip_line()

    def _directive_name(self, start: int, names: tuple[str, ...], seen: dict[str, Place]) -> str:
        """The name after a `@`, which must be one of some, and not be there already."""
        cursor = self.cursor
        named = cursor.word()
        if named is None:
            cursor.fail(f"expected a directive after `@`, found {cursor.found()}")
        name, word = named
        place = Place(start, word.end)
        if name == "warningDirective":  # what the appendix of the specification says
            name = "warning"
        if name not in names:
            where = "before the columns" if names is GLOBAL else "of a column"
            near = closest(name, names)
            listed = ", ".join(f"`@{each}`" for each in names)
            hint = f"did you mean `@{near}`?" if near else f"there are {listed}"
            cursor.fail(f"there is no directive `@{name}` {where}", hint, place)
        cursor.at = word.end
        if name in seen:
            message = f"`@{name}` is given twice"
            cursor.note("foreign-meaning", place, message, "keep one of them")
        return name

    def _apply(self, schema: CsvSchema, name: str, start: int) -> CsvSchema:
        cursor = self.cursor
        match name:
            case "separator":
                found = cursor.match(_SEPARATOR)
                if found is None:
                    hint = "write `@separator ';'` or `@separator TAB`"
                    cursor.fail(f"expected a character, found {cursor.found()}", hint)
                tab = found in ("TAB", r"'\t'")
                return replace(schema, separator="\t" if tab else found[1:-1])
            case "quoted":
                return replace(schema, is_quoted=True)
            case "totalColumns":
                count = cursor.match(_COUNT)
                if count is None or len(count) > 9:
                    hint = "write `@totalColumns 3`"
                    cursor.fail(f"expected a number of columns, found {cursor.found()}", hint)
                return replace(schema, total_columns=int(count))
            case "permitEmpty":
                return replace(schema, permits_empty=True)
            case "noHeader":
                schema = replace(schema, has_header=False)
            case _:
                schema = replace(schema, ignores_header_case=True)
        if schema.ignores_header_case and not schema.has_header:
            message = "`@noHeader` and `@ignoreColumnNameCase` exclude each other"
            cursor.note("foreign-meaning", Place(start, cursor.at), message, "keep one of them")
        return schema

    # ------------------------------------------------------------- columns

    def _columns(self, version: str) -> tuple[Column, ...]:
        cursor = self.cursor
        expressions = ExpressionReader(cursor, version)
        found: list[Column] = []
        while True:
            cursor.skip_gaps()
            cursor.skip_blanks()
            if cursor.at >= len(cursor.text):
                break
            try:
                found.append(self._column(expressions))
            except Stop:
                self.has_lost_lines = True
                cursor.skip_line()
            if len(found) > MAX_COLUMNS:
                message = f"there are more than {MAX_COLUMNS:,} columns"
                cursor.note("foreign-limit", cursor.here(), message)
                break
        if not found and not self.has_lost_lines:
            message = "the schema has no columns"
            cursor.note("foreign-syntax", cursor.here(), message, "add a line such as `Name:`")
        return tuple(found)

    def _column(self, expressions: ExpressionReader) -> Column:
        cursor = self.cursor
        start = cursor.at
        if cursor.sees("@"):
            cursor.fail("directives come before the columns", "move it up")
        if cursor.sees('"'):
            name, _ = cursor.string("the name of a column")
        else:
            found = cursor.match(IDENTIFIER)
            if found is None:
                message = f"expected the name of a column, found {cursor.found()}"
                cursor.fail(message, 'a name with other characters has quotes: `"a name":`')
            name = found
        place = Place(start, cursor.at)
        if not cursor.take(":"):
            message = f"expected `:` after the name of a column, found {cursor.found()}"
            cursor.fail(message, 'a name with other characters has quotes: `"a name":`')
        rules = expressions.rules()
        directives = self._column_directives()
        if not cursor.is_at_end():
            message = f"expected the end of the line, found {cursor.found()}"
            cursor.fail(message, "directives such as `@optional` come after the expressions")
        return Column(name, rules, directives, place)

    def _column_directives(self) -> tuple[str, ...]:
        cursor = self.cursor
        seen: dict[str, Place] = {}
        while cursor.sees("@"):
            start = cursor.at
            cursor.take("@")
            name = self._directive_name(start, OF_COLUMNS, seen)
            seen.setdefault(name, Place(start, cursor.at))
        return tuple(seen)
