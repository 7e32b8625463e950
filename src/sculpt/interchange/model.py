"""What an importer makes of a foreign schema: Sculpt texts, and where each statement comes from.

In: nothing. Out: `TableText`, one for each table, and `Package`, all of them and what ties them
together. These are texts, so that what runs and what `sculpt import` prints cannot differ.

Invariant: the statements of a text that can be violated, kind by kind and in order, are those of
`origins`: `rule:3` is the third rule.
"""

from __future__ import annotations

from collections.abc import Mapping

from sculpt.origins import Note, Origin, Spot
from sculpt.values import field, frozen

__all__ = ["Note", "Origin", "Package", "Spot", "TableText"]


@frozen
class TableText:
    """The Sculpt text of one table, or of what ties tables together."""

    name: str
    """The name of the table in references: a plain name."""
    text: str = field(repr=False)
    origins: Mapping[str, Origin] = field(repr=False)
    """By `rule:3`, `key:1`, `unique:1`, `reference:2`, `require:1`: what it was in the source."""
    notes: tuple[Note, ...] = ()
    data: str | None = None
    """The path or URL of its data as the source has it, relative to the source; `None` if the
    source names none."""
    file: str = ""
    """The file name that `sculpt import` gives the text; made from `name` if it is empty."""
    parts: tuple[TableText, ...] = ()
    """Tables that its text looks into; their `include`s are written by whoever joins them."""

    @property
    def file_name(self) -> str:
        """The name of the file that the text is written to."""
        return self.file or f"{self.name.replace(' ', '-').replace(':', '-')}.sculpt"


@frozen
class Package:
    """Everything that an importer makes of one source."""

    kind: str
    """`csvw`, `frictionless`, `csv-schema`, `dspl`, `xsd` or `rml`."""
    tables: tuple[TableText, ...]
    tie: TableText | None = None
    """Statements between tables; its `include`s are written by whoever joins them."""
    notes: tuple[Note, ...] = ()
    """What is not about one table; it stands as comments in the text of the whole."""

    @property
    def is_single(self) -> bool:
        """Is it one schema, for any data?"""
        return len(self.tables) == 1 and self.tie is None and self.tables[0].data is None

    @property
    def data_notes(self) -> tuple[Note, ...]:
        """The notes of a call that checks data, each once."""
        return tuple(each for each in self.all_notes if each.is_about_data)

    @property
    def all_notes(self) -> tuple[Note, ...]:
        """All notes, each once, those about the whole first."""
        parts = (*self.tables, *(() if self.tie is None else (self.tie,)))
        return tuple(dict.fromkeys((*self.notes, *(each for part in parts for each in part.notes))))
