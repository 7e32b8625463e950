"""A file as rows of texts, with what it is known to be built like.

In: a path, the directives of its dialect. Out: a `Sheet`. Invariant: the texts are what tokens
see, as far as a plain reader can tell; the engine has the last word (`verify`). Cost: one pass.
"""

from __future__ import annotations

from collections import Counter
from itertools import chain

from sculpt.inference.frame.model import Frame, FramedTable
from sculpt.values import field, frozen

Rows = tuple[tuple[str, ...], ...]


@frozen
class Cut:
    """Some rows of a large file, as a file of their own."""

    path: str
    """Of the copy."""
    head: int
    """How many of its first rows are the first rows of the file."""
    tail: int
    """How many of its last rows are the last ones of the file."""
    rows: Rows = field(repr=False)


@frozen(eq=False)
class Sheet:
    """A file that has been read."""

    path: str
    rows: Rows = field(repr=False)
    frame: Frame = field(repr=False)
    directives: tuple[tuple[str, str], ...]
    """Those that are not the default, as a schema writes them."""
    counts: Counter[str] = field(repr=False)
    """How many cells have a text."""
    places: dict[str, tuple[int, int]] = field(repr=False)
    """The first cell with a text."""
    cut: Cut | None = None
    """What of the file was read, if that is not all."""

    @property
    def source(self) -> str:
        """The path of a file with exactly these rows."""
        return self.path if self.cut is None else self.cut.path

    @property
    def numbered(self) -> int:
        """How many of the first rows have the same number in the file."""
        return len(self.rows) if self.cut is None else self.cut.head

    def text(self, row: int, column: int) -> str:
        """The text of a cell; padded ones are empty."""
        cells = self.rows[row - 1]
        return cells[column - 1] if column <= len(cells) else ""

    @property
    def tables(self) -> tuple[FramedTable, ...]:
        """The tables of its frame."""
        return self.frame.tables


def sheet_of(
    path: str,
    rows: Rows,
    frame: Frame,
    directives: tuple[tuple[str, str], ...],
    cut: Cut | None = None,
) -> Sheet:
    """A sheet with its index of texts."""
    counts = Counter(chain.from_iterable(rows))
    places: dict[str, tuple[int, int]] = {}
    for number, row in enumerate(rows, 1):
        for column, text in enumerate(row, 1):
            if text not in places:
                places[text] = (number, column)
    return Sheet(path, rows, frame, directives, counts, places, cut)
