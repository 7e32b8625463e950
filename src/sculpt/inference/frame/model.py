"""The frame of a file: what each of its lines is, and where its tables are.

Rows and columns are counted from 1. Invariant: `lines` has an entry for each row, in order; the
rows of tables are in `lines` with the labels that fit, and no row belongs to two tables.
"""

from __future__ import annotations

from typing import Literal as OneOf
from typing import TypeAlias

from sculpt.values import field, frozen

Label: TypeAlias = OneOf["empty", "metadata", "header", "group", "data", "derived", "notes"]
LABELS: tuple[Label, ...] = ("empty", "metadata", "header", "group", "data", "derived", "notes")


@frozen
class Line:
    """A row, and what it is."""

    row: int
    label: Label
    confidence: float
    """From 0 to 1: how much better its label is than the best other one."""
    alternative: Label | None = None


@frozen
class FramedColumn:
    """A column of a table."""

    number: int
    heading: tuple[str, ...]
    """From the top: the texts of the header rows that are about it; empty if it has none."""
    heading_row: int | None
    """The row of the last of these texts, from which `col(text)` reaches down."""
    kinds: dict[str, int]
    """How many of its data cells are of which kind."""
    is_label: bool
    """Does it say what a row is about, rather than hold a value?"""


@frozen
class FramedTable:
    """A table: header rows, then data with groups, totals and blank rows between."""

    headers: tuple[int, ...]
    first: int
    last: int
    """Its first and last row after the headers."""
    data: tuple[int, ...]
    groups: tuple[int, ...]
    derived: tuple[int, ...]
    columns: tuple[FramedColumn, ...]


@frozen
class Frame:
    """How a file is built."""

    lines: tuple[Line, ...]
    tables: tuple[FramedTable, ...]
    width: int
    confidence: float
    """The gap between the best labelling and the best one that differs in its tables."""
    notes: tuple[str, ...] = field(default_factory=tuple)
    """What a reader should know: totals that do not add up, dates that can be read two ways."""
