"""CSV Schema as it is written: a schema, its columns, and the expressions about them.

In: nothing. Out: value classes, one for each kind of expression of CSV Schema 1.0, 1.1 and 1.2
(https://digital-preservation.github.io/csv-schema/), that the parser makes and that everything else
matches on.

Invariant: `start` and `end` are offsets into the source, so the text between them is what the
author wrote. Meaning is not in here: a column that is referred to may not exist.
"""

from __future__ import annotations

from decimal import Decimal
from typing import TypeAlias

from sculpt.values import field, frozen


@frozen
class Place:
    """Some characters of the source."""

    start: int
    end: int


# ------------------------------------------------------------- texts


@frozen
class ColumnRef:
    """`$name`: the cell of a column in the same row."""

    name: str
    place: Place = field(compare=False)


@frozen
class Literal:
    """A text between quotes."""

    text: str


@frozen
class Concat:
    """`concat(a, b)`: texts one after the other."""

    parts: tuple[Provider, ...]


@frozen
class NoExt:
    """`noExt(a)`: a path without the extension of its file."""

    of: Provider


@frozen
class UriDecode:
    """`uriDecode(a)`: percent-encoded characters decoded, from UTF-8 or another character set."""

    of: Provider
    charset: Provider | None = None


Provider: TypeAlias = ColumnRef | Literal | Concat | NoExt | UriDecode


# ------------------------------------------------------------- checks


@frozen
class Compare:
    """`is`, `not`, `in`, `starts`, `ends`, and `any`, which alone has several values."""

    kind: str
    values: tuple[Provider, ...]


@frozen
class Regex:
    """`regex("…")`, in the syntax of Java."""

    pattern: str
    place: Place = field(compare=False)
    """That of the pattern, without its quotes."""


@frozen
class Range:
    """`range(low, high)`, both inclusive; `None` is `*`."""

    low: Decimal | None
    high: Decimal | None


@frozen
class Length:
    """`length(n)`, `length(low, high)`; `None` is `*`."""

    low: int | None
    high: int | None


@frozen
class Simple:
    """An expression without arguments: `empty`, `uuid4`, `identical` and the like."""

    kind: str


@frozen
class Dated:
    """`xDateTime`, `xDateTimeTz`, `xDate`, `xTime` or `ukDate`, perhaps between two bounds."""

    kind: str
    low: str | None = None
    high: str | None = None


@frozen
class DateParts:
    """`date(year, month, day)`, perhaps between two dates, or `partDate(year, month, day)`."""

    parts: tuple[Provider, ...]
    low: str | None = None
    high: str | None = None
    is_partial: bool = False


@frozen
class Unique:
    """`unique`, or `unique($a, $b)`."""

    columns: tuple[ColumnRef, ...] = ()


@frozen
class FileExists:
    """`fileExists`, perhaps with a path to put before the cell."""

    root: Provider | None = None


@frozen
class Checksum:
    """`checksum(file(root, name), "MD5")`."""

    root: Provider | None
    file: Provider
    algorithm: str
    place: Place = field(compare=False)
    """That of the algorithm."""


@frozen
class FileCount:
    """`fileCount(file(root, name))`."""

    root: Provider | None
    file: Provider


@frozen
class IntegrityCheck:
    """`integrityCheck(root, folder, "includeFolder")`: is each file of a folder in the table?"""

    root: Provider | None
    folder: str
    has_folders: bool


Check: TypeAlias = (
    Compare
    | Regex
    | Range
    | Length
    | Simple
    | Dated
    | DateParts
    | Unique
    | FileExists
    | Checksum
    | FileCount
    | IntegrityCheck
)


# ------------------------------------------------------------- expressions


@frozen
class Single:
    """A check of the column's own cell, or of another one: `$other/is("x")`."""

    check: Check
    context: ColumnRef | None
    place: Place = field(compare=False)


@frozen
class Both:
    """`a and b`: all of them."""

    parts: tuple[Expression, ...]
    place: Place = field(compare=False)


@frozen
class Either:
    """`a or b`: at least one of them."""

    parts: tuple[Expression, ...]
    place: Place = field(compare=False)


@frozen
class Group:
    """`(a b)`: all of them."""

    parts: tuple[Expression, ...]
    place: Place = field(compare=False)


@frozen
class Case:
    """A condition, and what must hold where it is true."""

    condition: Expression
    then: tuple[Expression, ...]


@frozen
class Choice:
    """`if(c, a, b)` and `switch((c, a), (d, b), e)`: the first case whose condition is true."""

    cases: tuple[Case, ...]
    otherwise: tuple[Expression, ...]
    place: Place = field(compare=False)


Expression: TypeAlias = Single | Both | Either | Group | Choice


# ------------------------------------------------------------- columns and schemas


@frozen
class Column:
    """A column: its name, what must hold for its cells, and its directives."""

    name: str
    rules: tuple[Expression, ...]
    directives: tuple[str, ...]
    place: Place = field(compare=False)
    """That of its name."""

    @property
    def ignores_case(self) -> bool:
        """Are upper and lower case the same?"""
        return "ignoreCase" in self.directives

    @property
    def is_optional(self) -> bool:
        """May its cells be empty, whatever the rules say?"""
        return "optional" in self.directives

    @property
    def is_negated(self) -> bool:
        """Is a cell valid if the rules do not hold for it?"""
        return "matchIsFalse" in self.directives

    @property
    def severity(self) -> str:
        """How grave its violations are."""
        return "warning" if "warning" in self.directives else "error"


@frozen
class CsvSchema:
    """A schema: its version, its global directives and its columns."""

    version: str
    columns: tuple[Column, ...]
    separator: str = ","
    total_columns: int | None = None
    is_quoted: bool = False
    has_header: bool = True
    ignores_header_case: bool = False
    permits_empty: bool = False
    places: tuple[tuple[str, Place], ...] = field(default=(), compare=False)
    """Where its global directives are, by name."""

    def place_of(self, directive: str) -> Place:
        """Where a directive is; the start of the schema if it has none of this name."""
        return dict(self.places).get(directive, Place(0, 0))
