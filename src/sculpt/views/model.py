"""What can be seen of a table and a schema: regions, and windows into the table, as values.

In: what a source of windows finds (`reference`, `local`). Out: the values that every renderer
reads: the terminal, the page, the notebook. None of them reads anything else.

Invariant: a cell of a window has a region exactly if `sculpt.select` returns the cell for the
region's selector. All places are 1-based.
"""

from __future__ import annotations

from typing import Literal as OneOf
from typing import TypeAlias

from sculpt.core import ir
from sculpt.display import html_of
from sculpt.schema import Schema
from sculpt.values import frozen
from sculpt.verdict import Violation

Place: TypeAlias = tuple[int, int]
"""Row and column."""
RegionKind: TypeAlias = OneOf["rule", "type", "selector"]

TEXT_LIMIT = 200
"""The most characters of a cell that a window has."""
COLOURS = 8
"""How many colours there are; they are used again after that."""
VIOLATION, UNCHECKED = "violation", "unchecked"
"""What `find` can look for besides a region."""


@frozen
class RegionSpec:
    """A region to be found: its name, where it is written, and its selector."""

    name: str
    """`rule:3`, `type:Names` or `selector:1`."""
    kind: RegionKind
    text: str
    """The statement, or the selector that was given."""
    line: int | None
    documentation: str
    selector: ir.Selector


@frozen
class Region:
    """The cells that a rule, a token type or a selector selects in one table."""

    name: str
    """`rule:3`, `type:Names` or `selector:1`."""
    kind: RegionKind
    text: str
    line: int | None
    documentation: str
    colour: int
    """The number of its colour, below `COLOURS`."""
    cells: int
    """How many cells it has, padded ones included."""


@frozen
class Window:
    """Some rows and columns of a table; empty beyond its end."""

    row: int
    column: int
    """The place of the first cell."""
    table_rows: int
    table_columns: int
    """The size of the whole table."""
    texts: tuple[tuple[str | None, ...], ...]
    """By row and column: the text as tokens see it, at most `TEXT_LIMIT` characters of it; `None`
    for a padded cell. A byte that cannot be decoded is U+FFFD."""
    regions: tuple[tuple[tuple[str, ...], ...], ...]
    """By row and column: the names of the regions that hold the cell, in the order of the view."""
    checked: tuple[tuple[bool, ...], ...]
    """By row and column: does the cell lie in the region of at least one rule?"""
    cut: frozenset[Place] = frozenset()
    """The places of cells whose text is longer than shown."""
    violations: tuple[Violation, ...] = ()
    """The violations that name a row of the window: a column of it, or no column."""

    def __repr__(self) -> str:
        rows = f"rows {self.row:,} to {self.row + self.rows - 1:,} of {self.table_rows:,}"
        columns = f"{self.column:,} to {self.column + self.columns - 1:,} of {self.table_columns:,}"
        shown = f"{rows}, columns {columns}" if self.rows and self.columns else "empty"
        return f"<Window: {shown}>"

    def _repr_html_(self) -> str:
        return html_of(self)

    @property
    def rows(self) -> int:
        """How many rows it has."""
        return len(self.texts)

    @property
    def columns(self) -> int:
        """How many columns it has."""
        return len(self.texts[0]) if self.texts else 0

    def is_unchecked(self, row: int, column: int) -> bool:
        """Does a cell of the window hold text, but lie in the region of no rule?"""
        row_ix, col_ix = row - self.row, column - self.column
        return bool(self.texts[row_ix][col_ix]) and not self.checked[row_ix][col_ix]


def region_specs(
    schema: Schema, selectors: tuple[str, ...]
) -> tuple[dict[str, ir.CoreToken], tuple[RegionSpec, ...]]:
    """The regions of a view: rules, token types, given selectors; and the tokens they mention."""
    from sculpt.schema import parse_selector_text

    core = schema.core
    tokens = dict(core.tokens)
    specs = [
        RegionSpec(
            f"rule:{rule.number}", "rule", rule.text, rule.line, rule.documentation, rule.selector
        )
        for rule in core.rules
    ]
    specs += [
        RegionSpec(f"type:{name}", "type", each.text, each.line, each.documentation, each.selector)
        for name, each in core.types.items()
    ]
    for number, text in enumerate(selectors, 1):
        more, node = parse_selector_text(schema, text)
        tokens |= more
        specs.append(RegionSpec(f"selector:{number}", "selector", text, None, "", node))
    return tokens, tuple(specs)
