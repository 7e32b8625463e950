"""The dialect of a table as directives, and where its rows and columns are.

In: a `Dialect`. Out: directives of the builder; a `Frame` that selects header and data cells by
their position ("Metadata Vocabulary", section 5.9).

Invariant: rows are counted as Sculpt counts them. Comment lines are not rows there; but skipped
rows count them, so with skipped rows they are kept as rows, and left out of all selections.
"""

from __future__ import annotations

from sculpt.interchange.builder import SchemaBuilder
from sculpt.interchange.csvw.model import Dialect
from sculpt.interchange.csvw.urls import shown
from sculpt.interchange.model import Note, Spot
from sculpt.values import frozen

_TRIMS = {"true": "both", "false": "none", "start": "left", "end": "right"}


@frozen
class Frame:
    """The parts of a table: skipped rows and columns, header rows, data."""

    skipped_rows: int
    header_rows: int
    skipped_columns: int
    comment: str | None = None
    """A token type of the cells of comment lines, if they are rows."""
    filled: str | None = None
    """A token type of the cells of rows that have a text, if the others are skipped."""

    def row(self, number: int) -> str:
        """A row after the skipped ones, without the skipped columns."""
        return self._data(f"row({self.skipped_rows + number})")

    def column(self, position: int) -> str:
        """The data cells of a column."""
        return self._without_comments(" and ".join([f"col({position})", *self._of_data()]))

    def cells(self) -> str:
        """All data cells."""
        return self._data(" and ".join(self._of_data()) or "true")

    def rows(self, part: str) -> str:
        """The cells of a part of all data rows."""
        return self._without_comments(" and ".join([part, *self._of_data()]))

    def below_skipped(self, part: str) -> str:
        """The cells of a part of the table, header and data."""
        skipped = [f"down+(row({self.skipped_rows}))"] if self.skipped_rows else []
        filled = [] if self.filled is None else [self.filled]
        return self._without_comments(" and ".join([part, *skipped, *filled]))

    def header_column(self, number: int) -> str:
        """The header cells of a column after the skipped ones."""
        column = self.skipped_columns + number
        first, last = self.skipped_rows + 1, self.skipped_rows + self.header_rows
        return self._without_comments(f"({first},{column})..({last},{column})")

    def _no_head(self) -> list[str]:
        rows = self.skipped_rows + self.header_rows
        if rows < 2:
            return ["not row(1)"] if rows else []
        return [f"down+(row({rows}))"]

    def _data(self, selector: str) -> str:
        skipped = self.skipped_columns
        parts = [selector, *([f"right+(col({skipped}))"] if skipped else [])]
        return self._without_comments(" and ".join(parts))

    def _without_comments(self, selector: str) -> str:
        return selector if self.comment is None else f"{selector} and not {self.comment}"

    def _of_data(self) -> list[str]:
        return [*self._no_head(), *([] if self.filled is None else [self.filled])]


def write_directives(builder: SchemaBuilder, dialect: Dialect) -> Frame:
    """Write how the file is read; where its parts are."""
    if dialect.encoding.lower() not in ("utf-8", "utf8"):
        builder.directive("Encoding", dialect.encoding)
    if dialect.delimiter != ",":
        builder.directive("Col Delim", dialect.delimiter)
    _row_delimiter(builder, dialect)
    _quotes(builder, dialect)
    if _TRIMS[dialect.trim] != "both":
        builder.directive("Trim", _TRIMS[dialect.trim])
    if dialect.skip_blank_rows:
        builder.directive("Blank Rows", "skip")
    remark = None
    if dialect.comment_prefix is not None:
        if dialect.skip_rows:
            remark = _remarks(builder, dialect.comment_prefix)
        elif dialect.comment_prefix == "none":
            builder.raw_directive("Comment", r"\x6eone")  # the word alone would mean no comments
        else:
            builder.directive("Comment", dialect.comment_prefix)
    filled = None
    if dialect.skip_blank_rows:
        about = "Rows whose cells are all empty are skipped, too."
        filled = builder.region("Filled", "Text or right+(Text) or left+(Text)", about)
    rows = dialect.skip_rows, dialect.header_row_count
    return Frame(*rows, dialect.skip_columns, remark, filled)


def _quotes(builder: SchemaBuilder, dialect: Dialect) -> None:
    if dialect.quote_char is None:
        builder.directive("Quote", "none")
        return
    if len(dialect.quote_char) > 1:
        _note(builder, dialect, f"quotes of several characters, `{dialect.quote_char}`")
        return
    if dialect.quote_char != '"':
        builder.directive("Quote", dialect.quote_char)
    if not dialect.double_quote:
        builder.directive("Escape", "\\")
        builder.directive("Escapes", "everywhere")


def _row_delimiter(builder: SchemaBuilder, dialect: Dialect) -> None:
    ends = set(dialect.line_terminators)
    if ends <= {"\n", "\r\n"}:
        builder.directive("Row Delim", "\n")
    elif len(ends) == 1:
        builder.directive("Row Delim", ends.pop())
    elif not ends <= {"\n", "\r\n", "\r"}:
        _note(builder, dialect, "several line terminators that are not line ends")


def _remarks(builder: SchemaBuilder, prefix: str) -> str:
    """A token type of the cells of comment lines."""
    escaped = "".join(char if char.isalnum() else f"\\U{ord(char):08x}" for char in prefix)
    text = builder.token("remark", f"{escaped}.*", "Comment lines: skipped rows count them.")
    return builder.region("Remark", f"{text} and col(1) or right+({text} and col(1))")


def _note(builder: SchemaBuilder, dialect: Dialect, what: str) -> None:
    place = Spot(shown(dialect.place.document), dialect.place.pointer)
    builder.note(Note(f"the dialect has {what}", place))
