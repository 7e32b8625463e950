"""What a proposed program is made of.

In: nothing. Out: `Part`, `Layout`, `Field`, `Draft`. Invariant: values do not change; how far a
field is simplified is said from outside.
"""

from __future__ import annotations

from collections.abc import Sequence

from sculpt.inference.emit.words import Words
from sculpt.inference.files.sheet import Sheet
from sculpt.inference.frame.model import FramedTable
from sculpt.values import field, frozen

TARGET = "Record"


@frozen(eq=False)
class Part:
    """One table of each sheet, all of one kind."""

    sheets: tuple[Sheet, ...] = field(repr=False)
    tables: tuple[FramedTable, ...] = field(repr=False)

    @property
    def pairs(self) -> Sequence[tuple[Sheet, FramedTable]]:
        """Each sheet with its table."""
        return tuple(zip(self.sheets, self.tables, strict=True))

    @property
    def start(self) -> int:
        """The last row above the first body row of the first sheet; 0 if there is none."""
        table = self.tables[0]
        return max(table.headers, default=table.first - 1)


@frozen
class Layout:
    """How the columns of a table become fields."""

    is_cross: bool
    labels: tuple[int, ...]
    """Of a cross table: the columns that say what a row is about."""
    values: tuple[int, ...]
    """Of a cross table: the columns with a record a cell. Otherwise: all columns."""
    left_out: tuple[int, ...] = ()
    """Columns between these that are neither."""
    totals: tuple[int, ...] = ()
    """Columns that are sums of others."""


@frozen
class Field:
    """A field of a record."""

    name: str
    ladder: tuple[Words, ...]
    """Expressions, the most exact first; after the last one the field is dropped."""


@frozen
class Program:
    """A loop that emits records."""

    kind: str
    """`cell` or `row`."""
    region: Words
    fields: tuple[Field, ...]
    counts: tuple[int, ...]
    """How many records each sheet has."""
    comments: tuple[str, ...] = ()
