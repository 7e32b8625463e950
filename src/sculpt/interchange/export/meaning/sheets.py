"""The tables of a schema as other systems see them: a heading, columns, keys, links between them.

In: nothing. Out: the values that `tables` makes of a schema and that the writers of each format
read. A check keeps the rule that it comes from, so that what does not fit can be named.
"""

from __future__ import annotations

from sculpt.core import ir
from sculpt.core.dialect import Dialect
from sculpt.interchange.export.meaning.alternatives import Vocabulary
from sculpt.origins import Origin
from sculpt.values import field, frozen


@frozen
class Said:
    """A statement of the schema: where it is, and what it is called."""

    file: str
    line: int
    text: str
    number: int | None = None
    """That of a rule."""
    is_warning: bool = False
    kind: str = ""
    """The type of error that the statement had in the system that it was imported from."""
    origin: Origin | None = None
    """What it was there."""

    @property
    def name(self) -> str:
        """What reports call it."""
        return f"rule {self.number}" if self.number is not None else f"line {self.line}"


@frozen
class Left:
    """A statement that is left out, and why."""

    said: Said
    reason: str


@frozen
class Check:
    """What a rule says of a column: each of its cells satisfies the formula."""

    formula: ir.Formula
    said: Said


@frozen
class Column:
    """A column of a table, from 1."""

    number: int
    headings: tuple[str, ...] = ()
    """The texts that its heading may have; none if the schema does not say."""
    name: str = ""
    """The name of its region in the schema, if it has one."""
    documentation: str = ""
    checks: tuple[Check, ...] = ()


@frozen
class Part:
    """A column in a key or a link, and which of its cells take part."""

    column: int
    filter: ir.Formula
    is_value: bool = False
    """Are values compared, not texts?"""
    heading: str = ""
    """Of a column that only its heading tells; its number is then 0."""


@frozen
class Key:
    """No two rows have the same values in these columns."""

    parts: tuple[Part, ...]
    said: Said
    across: bool = False


@frozen
class Link:
    """The values in these columns occur in columns of another table, or of this one."""

    parts: tuple[Part, ...]
    table: str
    targets: tuple[Part, ...]
    several: bool
    """May they occur there more than once?"""
    said: Said


@frozen
class Comparison:
    """A column, in each row, compared with another one or with a text."""

    column: int
    word: str
    """As CSV Schema has it: `is`, `not`, `starts`, `ends`, `in`."""
    other: int | None
    text: str
    said: Said


@frozen
class Sheet:
    """A table."""

    name: str
    data: str | None
    dialect: Dialect
    header: int
    """How many rows come before the data."""
    heading_row: int | None
    """The one of them that has the headings, if one does."""
    columns: tuple[Column, ...]
    vocabulary: Vocabulary = field(repr=False, compare=False)
    keys: tuple[Key, ...] = ()
    links: tuple[Link, ...] = ()
    comparisons: tuple[Comparison, ...] = ()
    left: tuple[Left, ...] = ()
    blank_rows: Said | None = None
    """The rule that no row is blank, if there is one."""
    needs_rows: bool = False
    """Must there be a row of data?"""
    match: str = "exact"
    """Which headings there may be: see `headers.Header`."""
    ignores_case: bool = False
    """Does the case of headings not matter?"""
    checksum: str = ""
    """What the check sum of the file must be: `sha256:…`."""
    size: int | None = None
    """How many bytes the file must have."""
    documentation: str = ""

    def column(self, number: int) -> Column:
        """A column by its number."""
        return self.columns[number - 1]
