"""What is wrong with CSVW metadata: errors and warnings, with their places.

In: calls of the readers. Out: `Problem`, a value; `Problems`, which collects them. The standard
says of each mistake which of the two it is: an error makes the metadata (or the table) invalid; of
what a warning is about, a default is used instead ("Metadata Vocabulary", section 5.1).

Invariant: problems are in the order in which they were found, and no problem is listed twice.

`error_of` makes one exception of all errors. What a document refers to and what may not be read is
a wrong call; what cannot be read is an error of data; all else is an error of the schema, at its
place in the document that has it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from sculpt.diagnostics import Diagnostic, Source, Span
from sculpt.errors import DataError, SchemaError, SculptError, UsageError
from sculpt.interchange.access import one_error
from sculpt.interchange.csvw.model import Place
from sculpt.interchange.csvw.urls import written
from sculpt.interchange.documents import JsonDocument
from sculpt.values import field, frozen


@frozen
class Problem:
    """A mistake in metadata: what it is, and where."""

    severity: Literal["error", "warning"]
    message: str
    place: Place
    cause: SculptError | None = field(default=None, compare=False, repr=False)
    """Why something that the metadata refers to, or the metadata itself, cannot be used."""

    def __str__(self) -> str:
        place = f"{self.place}: " if str(self.place) else ""
        return f"{place}{self.severity}: {self.message}"


class Problems:
    """Collects the problems of a reading."""

    def __init__(self) -> None:
        self._found: dict[Problem, None] = {}

    def error(self, place: Place, message: str, cause: SculptError | None = None) -> None:
        """The standard forbids it; or something cannot be used, for a `cause`."""
        self._found[Problem("error", message, place, cause)] = None

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


def error_of(problems: Sequence[Problem], documents: Mapping[str, JsonDocument]) -> SculptError:
    """All errors as one exception; `documents` are those that were read, by their URLs."""
    errors = [each for each in problems if each.severity == "error"]
    unread = [each for each in errors if isinstance(each.cause, UsageError | DataError)]
    if unread and len(unread) == len(errors):
        return one_error([_unread(each, documents) for each in unread])
    found: dict[Diagnostic, None] = {}
    for each in errors:
        if isinstance(each.cause, SchemaError):
            found.update(dict.fromkeys(each.cause.diagnostics))
        else:
            found[_diagnostic(each, documents)] = None
    names = dict.fromkeys(each.span.source.name for each in found)
    return SchemaError(tuple(found), tuple(names))


def reason_of(error: SculptError) -> str:
    """Why a document cannot be used, in one line."""
    if not isinstance(error, SchemaError):
        return str(error)
    first = error.diagnostics[0]
    line, column = first.span.source.position(first.span.start)
    return f"{first.message} ({first.span.source.name}:{line}:{column})"


def _name(url: str, documents: Mapping[str, JsonDocument]) -> str:
    return documents[url].name if url in documents else written(url)


def _unread(problem: Problem, documents: Mapping[str, JsonDocument]) -> UsageError | DataError:
    """Why something cannot be read, after what refers to it."""
    place, cause = problem.place, problem.cause
    where = _name(place.document, documents) if place.document else ""
    where += f", {place.pointer}" if where and place.pointer else ""
    message = f"{where}: {cause}" if where and where not in str(cause) else str(cause)
    return DataError(message, cause.path) if isinstance(cause, DataError) else UsageError(message)


def _diagnostic(problem: Problem, documents: Mapping[str, JsonDocument]) -> Diagnostic:
    place = problem.place
    document = documents.get(place.document)
    if document is not None:
        return document.problem("foreign-meaning", place.pointer, problem.message)
    span = Span(Source(_name(place.document, documents), ""), 0, 0)
    return Diagnostic("foreign-meaning", problem.message, span)
