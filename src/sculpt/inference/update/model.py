"""What an update found and changed, as immutable values.

Invariant: `Update.schema` is the text that was given, byte for byte, unless there are changes; the
lines of changes are those of the text that was given.
"""

from __future__ import annotations

import difflib

from sculpt.values import field, frozen


@frozen
class Cell:
    """A cell that forced a change."""

    path: str
    row: int | None
    column: int | None
    text: str | None
    """`None` if something is missing there."""

    def __str__(self) -> str:
        where = f"({self.row or '-'},{self.column or '-'})"
        if self.row is None and self.column is None:
            return self.path
        if self.text is None:
            return f"{self.path} {where}"
        return f"{self.path} {where} " + (f"`{shown(self.text)}`" if self.text else "an empty cell")


@frozen
class Change:
    """A statement that was changed, and the first cell that forced it."""

    line: int
    """Where the statement is in the schema that was given."""
    what: str
    """In words: `tonnes gains n/a`."""
    before: str
    """The statement; empty if there was none."""
    after: str
    """What became of it, comment lines of an update included."""
    cell: Cell

    def __str__(self) -> str:
        return f"line {self.line}: {self.what}, forced by {self.cell}"


@frozen
class Update:
    """A schema, updated for files."""

    path: str
    """The schema that was given."""
    before: str = field(repr=False)
    schema: str = field(repr=False)
    """The new text; that of before if there is nothing to change, or `problems`."""
    paths: tuple[str, ...] = ()
    """The files."""
    changes: tuple[Change, ...] = ()
    problems: tuple[str, ...] = ()
    """Why some files cannot be accepted by changing statements; then nothing is changed."""
    notes: tuple[str, ...] = ()
    """What may be wrong with the new schema."""

    @property
    def is_current(self) -> bool:
        """Did the schema accept all files as it was?"""
        return not self.changes and not self.problems

    @property
    def diff(self) -> str:
        """The unified diff; empty if nothing changes."""
        lines = difflib.unified_diff(
            self.before.splitlines(keepends=True),
            self.schema.splitlines(keepends=True),
            self.path,
            f"{self.path} (updated)",
        )
        ended = (
            line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
            for line in lines
        )
        return "".join(ended)


def shown(text: str, most: int = 60) -> str:
    """A text on one line, not too long."""
    line = " ".join("".join(char if char.isprintable() else " " for char in text).split())
    return line if len(line) <= most else f"{line[: most - 1]}…"
