"""Where a statement of a schema comes from, if the schema was imported from another system.

In: places in a foreign schema. Out: `Spot` (the place), `Origin` (what was said there), `Note`
(what was not taken over). A `Schema` that is imported carries the origins of its statements, and
every violation names the construct that it violates.

Invariant: the text of an origin is what its author wrote, followed by where: `column "GID",
datatype minimum 10 (trees.json, /tableSchema/columns/0/datatype)`.
"""

from __future__ import annotations

from sculpt.values import frozen


@frozen
class Spot:
    """A place in a foreign schema: a JSON pointer, or a line and a column from 1."""

    file: str
    pointer: str | None = None
    line: int | None = None
    column: int | None = None

    def __str__(self) -> str:
        if self.pointer is not None:
            return f"{self.file}, {self.pointer}" if self.pointer else self.file
        return self.file if self.line is None else f"{self.file}:{self.line}"

    @property
    def exact(self) -> str:
        """The place with its column, if that is known."""
        return str(self) if self.line is None or self.column is None else f"{self}:{self.column}"


@frozen
class Origin:
    """What a statement of an imported schema was in its source."""

    construct: str
    """In the source's own words: `column "GID", datatype minimum 10`, `range(1910,*)`."""
    place: Spot
    kind: str = ""
    """The type of error of the source's own system, if it has one: `type-error`."""
    column: int | None = None
    """The column of the table that it is about, from 1."""
    field: str | None = None
    """The name of that column in the source."""
    fields: tuple[str, ...] = ()
    """The names of all columns in the source, if it is about the table's width."""

    def __str__(self) -> str:
        return f"{self.construct.strip()} ({self.place})"


@frozen
class Note:
    """Something of a foreign schema that was not taken over."""

    message: str
    place: Spot
    hint: str = ""
    is_about_data: bool = True
    """Does it change which data is valid? What does not is told only by who imports the schema."""

    def __str__(self) -> str:
        return f"{self.place}: {self.message}"
