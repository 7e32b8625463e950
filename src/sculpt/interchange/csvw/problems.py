"""What is wrong with CSVW metadata: errors and warnings, with their places.

In: calls of the readers. Out: `Problem`, a value; `Problems`, which collects them. The standard
says of each mistake which of the two it is: an error makes the metadata (or the table) invalid; of
what a warning is about, a default is used instead ("Metadata Vocabulary", section 5.1).

Invariant: problems are in the order in which they were found, and no problem is listed twice.
"""

from __future__ import annotations

from typing import Literal

from sculpt.interchange.csvw.model import Place
from sculpt.values import frozen


@frozen
class Problem:
    """A mistake in metadata: what it is, and where."""

    severity: Literal["error", "warning"]
    message: str
    place: Place
    data: str | None = None
    """The path or URL of data that cannot be read, if it is about that."""

    def __str__(self) -> str:
        place = f"{self.place}: " if str(self.place) else ""
        return f"{place}{self.severity}: {self.message}"


class Problems:
    """Collects the problems of a reading."""

    def __init__(self) -> None:
        self._found: dict[Problem, None] = {}

    def error(self, place: Place, message: str, data: str | None = None) -> None:
        """The standard forbids it; or some `data` cannot be read."""
        self._found[Problem("error", message, place, data)] = None

    def warning(self, place: Place, message: str) -> None:
        """The standard ignores it, or uses a default."""
        self._found[Problem("warning", message, place)] = None

    @property
    def all(self) -> tuple[Problem, ...]:
        """All problems so far."""
        return tuple(self._found)

    @property
    def has_errors(self) -> bool:
        """Is one of them an error?"""
        return any(each.severity == "error" for each in self._found)

    def extend(self, problems: tuple[Problem, ...]) -> None:
        """Add problems that were found elsewhere."""
        self._found.update(dict.fromkeys(problems))
