"""CSVW metadata as values: what is left of a metadata document once it has been read.

In: nothing; `reader.py` makes these values of a JSON document, `embedded.py` of header rows. Out:
the annotations of a table group, its tables, their schemas and columns ("Metadata Vocabulary for
Tabular Data", sections 5.3 to 5.11; "Model for Tabular Data and Metadata on the Web", section 4).

Invariant: everything is *normalised* (section 6.1): links are absolute URLs, schemas and dialects
that were links have been loaded, inherited properties have reached the columns, defaults are in
place, datatypes are objects whose base has its canonical name (`double` for `number`, `dateTime`
for `datetime`, `base64Binary` for `binary`, `anyAtomicType` for `any`), references of foreign keys
point at columns, strings of common properties and notes are value objects with their language.
Only the URI templates are as they were written: they are expanded for a row. Nothing is mutable.

A value knows its `place`, so that a message can say which part of which document it is about.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias

from sculpt.values import field, frozen

Json: TypeAlias = "bool | int | float | str | Sequence[Json] | Mapping[str, Json] | None"
"""A JSON value: `list` or `tuple`, `dict`, or a simple value."""

Titles: TypeAlias = "tuple[tuple[str, tuple[str, ...]], ...]"
"""Natural language: languages (`und` if none is known) with their texts, as they were written."""

CommonProperties: TypeAlias = "tuple[tuple[str, Json], ...]"
"""Names as they were written (`dc:title`, or an absolute URL), and normalised JSON-LD values.

`context.expand` gives the absolute URL of a name.
"""

Direction: TypeAlias = Literal["ltr", "rtl", "auto", "inherit"]

Trim: TypeAlias = Literal["true", "false", "start", "end"]


@frozen
class Place:
    """A part of a metadata document: its URL, and a JSON pointer (empty for the whole of it)."""

    document: str = ""
    pointer: str = ""

    def below(self, *steps: str | int) -> Place:
        """The place of a member or an item."""
        path = "".join(f"/{str(step).replace('~', '~0').replace('/', '~1')}" for step in steps)
        return Place(self.document, self.pointer + path)

    def __str__(self) -> str:
        return f"{self.document}, {self.pointer}" if self.pointer else self.document


NOWHERE = Place()
"""The place of what no document says: embedded metadata and defaults."""


@frozen
class Bound:
    """A limit of the values of a datatype: `property` is how the document names it."""

    operator: Literal[">=", "<=", ">", "<"]
    text: str
    property: str


@frozen
class Datatype:
    """A datatype: a built-in one, or one derived from it by a format, lengths and bounds.

    `format` is a regular expression, a picture of a number or a date, or `true|false` texts; what
    it is depends on `base`. For numbers, `format` is the pattern, and the two characters may be
    given without it.
    """

    base: str = "string"
    format: str | None = None
    decimal_char: str | None = None
    group_char: str | None = None
    length: int | None = None
    min_length: int | None = None
    max_length: int | None = None
    bounds: tuple[Bound, ...] = ()
    id: str | None = None
    name: str | None = None
    title: Json = None
    description: Json = None
    common: CommonProperties = ()
    place: Place = field(default=NOWHERE, compare=False)


STRING = Datatype()


@frozen
class Column:
    """A column. `number` counts all columns of the table from 1, the virtual ones among them.

    `source_number` is the position in the file, `None` for a virtual column. `name` is always
    given: the one of the document, or the first title, percent-encoded, or `_col.1`.
    `property_url` and the like are the templates as written, `None` if there is none.
    """

    number: int
    source_number: int | None
    name: str
    titles: Titles = ()
    virtual: bool = False
    about_url: str | None = None
    property_url: str | None = None
    value_url: str | None = None
    datatype: Datatype = STRING
    null: tuple[str, ...] = ("",)
    lang: str = "und"
    text_direction: Direction = "inherit"
    separator: str | None = None
    ordered: bool = False
    default: str = ""
    required: bool = False
    suppress_output: bool = False
    id: str | None = None
    common: CommonProperties = ()
    place: Place = field(default=NOWHERE, compare=False)
    url_places: tuple[tuple[str, Place], ...] = field(default=(), compare=False)
    """By `aboutUrl` and the like: where the template is that the column has."""


@frozen
class ForeignKey:
    """Columns of this table whose values together name one row of another table.

    `columns` and `referenced_columns` are names of columns; `referenced_table` is the URL of a
    table of the same group.
    """

    columns: tuple[str, ...]
    referenced_table: str
    referenced_columns: tuple[str, ...]
    place: Place = field(default=NOWHERE, compare=False)


@frozen
class TableSchema:
    """The columns of a table, and what joins their cells to rows."""

    columns: tuple[Column, ...] = ()
    primary_key: tuple[str, ...] = ()
    row_titles: tuple[str, ...] = ()
    foreign_keys: tuple[ForeignKey, ...] = ()
    id: str | None = None
    common: CommonProperties = ()
    place: Place = field(default=NOWHERE, compare=False)


@frozen
class Dialect:
    """How a file becomes rows and cells; the defaults are those of section 5.9."""

    encoding: str = "utf-8"
    line_terminators: tuple[str, ...] = ("\r\n", "\n")
    quote_char: str | None = '"'
    double_quote: bool = True
    comment_prefix: str | None = "#"
    delimiter: str = ","
    header_row_count: int = 1
    skip_rows: int = 0
    skip_columns: int = 0
    skip_blank_rows: bool = False
    skip_initial_space: bool = False
    trim: Trim = "true"
    id: str | None = None
    place: Place = field(default=NOWHERE, compare=False)

    @property
    def escape_char(self) -> str:
        """What makes a quote a plain character inside quotes."""
        return '"' if self.double_quote else "\\"


@frozen
class Transformation:
    """A conversion that the metadata offers; nothing here runs it."""

    url: str
    script_format: str
    target_format: str
    source: str | None = None
    titles: Titles = ()
    id: str | None = None
    common: CommonProperties = ()
    place: Place = field(default=NOWHERE, compare=False)


@frozen
class Table:
    """A table: the URL of its data and what is known about it.

    `given` says whether a schema with columns was in the metadata. If not, the columns are those of
    the header, and its schema holds only the virtual ones, or none, until `embedded.py` has
    put the two together.
    """

    url: str
    schema: TableSchema = TableSchema()
    dialect: Dialect = Dialect()
    table_direction: Direction = "auto"
    transformations: tuple[Transformation, ...] = ()
    notes: tuple[Json, ...] = ()
    suppress_output: bool = False
    id: str | None = None
    common: CommonProperties = ()
    inherited: Column = Column(0, None, "")
    language: str = "und"
    given: bool = False
    place: Place = field(default=NOWHERE, compare=False)


@frozen
class TableGroup:
    """The tables that one metadata document describes."""

    tables: tuple[Table, ...]
    id: str | None = None
    notes: tuple[Json, ...] = ()
    common: CommonProperties = ()
    language: str = "und"
    place: Place = field(default=NOWHERE, compare=False)

    def table(self, url: str) -> Table | None:
        """The table with this URL."""
        return next((table for table in self.tables if table.url == url), None)
