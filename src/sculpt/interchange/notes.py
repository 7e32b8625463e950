"""Notes as diagnostics: what was not taken over, with its line and a caret.

In: the notes of an imported schema. Out: warnings about the file that it was imported from. Cost:
the file is read once more; a note about another file has no excerpt.
"""

from __future__ import annotations

from collections.abc import Iterable

from sculpt.diagnostics import Diagnostic, Source, Span
from sculpt.errors import SculptError
from sculpt.interchange.access import read_file
from sculpt.interchange.documents import JsonDocument
from sculpt.origins import Note, Spot

CODE = "not-taken-over"


def diagnostics_of(notes: Iterable[Note]) -> tuple[Diagnostic, ...]:
    """Each note as a warning."""
    places = _Places()
    return tuple(
        Diagnostic(CODE, each.message, places.span(each.place), each.hint or None) for each in notes
    )


class _Places:
    """Finds places in files, each of which is read once."""

    def __init__(self) -> None:
        self._documents: dict[str, JsonDocument | Source] = {}

    def span(self, spot: Spot) -> Span:
        """The characters that a note is about."""
        document = self._document(spot)
        if isinstance(document, JsonDocument):
            return document.span(spot.pointer or "")
        start = 0
        for _ in range((spot.line or 1) - 1):
            start = document.text.find("\n", start) + 1
        start += (spot.column or 1) - 1
        end = document.text.find("\n", start)
        return Span(document, start, len(document.text) if end < 0 else max(start, end))

    def _document(self, spot: Spot) -> JsonDocument | Source:
        if spot.file not in self._documents:
            self._documents[spot.file] = _read(spot)
        return self._documents[spot.file]


def _read(spot: Spot) -> JsonDocument | Source:
    try:
        body = read_file(spot.file)
        if spot.pointer is not None:
            return JsonDocument.parse(spot.file, body)
        return Source(spot.file, body.decode("utf-8", "replace"))
    except SculptError:  # standard input, or what was fetched
        return Source(spot.file, "")
