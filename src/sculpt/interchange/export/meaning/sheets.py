"""The tables of a schema as other systems see them: a heading, columns, keys, links between them.

In: nothing. Out: the values that `tables` makes of a schema and that the writers of each format
read. A check keeps the rule that it comes from, so that what does not fit can be named: by its
line, or, if the schema was imported, by what it was in the source.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from sculpt.core import ir
from sculpt.core.dialect import Dialect
from sculpt.core.documentation import title_of
from sculpt.interchange.export.meaning.alternatives import Vocabulary
from sculpt.origins import Note, Origin, Spot
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
        """What notes call it: in an imported schema, what it was in the source."""
        if self.origin is not None:
            is_sentence = self.kind == "blank-row"
            return f"that {self.origin.construct}" if is_sentence else self.origin.construct
        return f"rule {self.number}" if self.number is not None else f"line {self.line}"

    @property
    def quoted(self) -> str:
        """Its text after a colon; of an imported one nothing, as nobody wrote it."""
        return f": {self.text}" if self.origin is None else ""

    @property
    def place(self) -> Spot:
        """Where it stands: in an imported schema, its place in the source."""
        return Spot(self.file, line=self.line) if self.origin is None else self.origin.place


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
    source: str = ""
    """Its name in the system that the schema was imported from, if that has one."""
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
    blank: Mapping[int, tuple[str, ...]] = field(default_factory=lambda: MappingProxyType({}))
    """The texts that a blank row may have, by column."""
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

    @property
    def unknown_headings(self) -> str:
        """Which headings are not known, though there is a header; empty if all are."""
        unknown = [column.number for column in self.columns if not column.headings]
        if self.header == 0 or not unknown:
            return ""
        if len(unknown) == len(self.columns):
            return "the headings are not known"
        listed = ", ".join(map(str, unknown))
        if len(unknown) == 1:
            return f"the heading of column {listed} is not known"
        return f"the headings of the columns {listed} are not known"

    def made_up(self, names: Iterable[str]) -> str:
        """The names, of all columns, that no statement of the schema has."""
        found = (
            f"`{name}`"
            for column, name in zip(self.columns, names, strict=True)
            if not (column.headings or column.name or column.source)
        )
        return ", ".join(found)


def uncompared(sheet: Sheet, names: Iterable[str]) -> list[Note]:
    """The note on a header that is not compared, as some of its headings are not known."""
    if not sheet.unknown_headings:
        return []
    made_up = sheet.made_up(names)
    rest = f"; {made_up} {'are' if ',' in made_up else 'is'} made up" if made_up else ""
    message = f"{sheet.unknown_headings}, so the header is not compared{rest}"
    return [Note(message, Spot(sheet.name), "say in a rule what each heading is")]


def without_columns(sheet: Sheet) -> list[Note]:
    """The note on a table of which nothing is said."""
    if sheet.columns:
        return []
    message = "no rule says which columns there are, so nothing is exported about them"
    return [Note(message, Spot(sheet.name), "add a rule about the header")]


def left_out(said: Said, reason: str, hint: str = "") -> Note:
    """The note on a statement that is left out."""
    return Note(f"{said.name} is left out: {reason}{said.quoted}", said.place, hint)


def short(documentation: str) -> tuple[str, str]:
    """A title and a description: the title only if there is more to say."""
    text = " ".join(documentation.split())
    title = title_of(documentation)
    return ("", text) if title == text.removesuffix(".") else (title, text)
