"""What `check` says of a schema of another system: each remark with its line and a caret.

In: an imported schema. Out: warnings about the file that it was imported from: what was not taken
over, and likely mistakes in what a statement was there. Invariant: nothing is said of how the
importer writes. Cost: that of the lints; each file is read once more.
"""

from __future__ import annotations

from collections.abc import Iterable

from sculpt.diagnostics import Diagnostic
from sculpt.interchange.places import Places, origins_by_line
from sculpt.origins import Note
from sculpt.schema import Schema

CODE = "not-taken-over"
_ABOUT_STATEMENTS = frozenset(("accepts-nothing", "never-matches", "constant-condition"))
"""Lints that hold of a statement, however it is written."""


def remarks_of(schema: Schema) -> tuple[Diagnostic, ...]:
    """All remarks about an imported schema."""
    return (*diagnostics_of(schema.notes, schema.source.name), *lints_of(schema))


def diagnostics_of(notes: Iterable[Note], name: str) -> tuple[Diagnostic, ...]:
    """Each note about the schema file of a name as a warning."""
    places = Places(name)
    return tuple(
        Diagnostic(CODE, each.message, places.span(each.place), each.hint or None) for each in notes
    )


def lints_of(schema: Schema) -> tuple[Diagnostic, ...]:
    """The likely mistakes of an imported schema, where they are in its source."""
    found = [each for each in schema.text_lint if each.code in _ABOUT_STATEMENTS]
    if not found:
        return ()
    places, by_line = Places(schema.source.name), origins_by_line(schema.source)
    return tuple(
        Diagnostic(
            each.code, f"{origin.construct.strip()}: {each.message}", places.span(origin.place)
        )
        for each in found
        if (origin := by_line.get(each.span.line)) is not None
    )
