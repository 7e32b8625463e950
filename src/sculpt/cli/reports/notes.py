"""What is said about a schema of another system: what of it was not taken over."""

from __future__ import annotations

from sculpt.cli.terminal import note, remark
from sculpt.interchange.notes import CODE
from sculpt.origins import Note
from sculpt.report.styled import Styled, styled, visible
from sculpt.schema import Schema

_MAX_NOTES = 5


def tell_notes(schema: Schema) -> None:
    """Say what of a schema of another system was not taken over: the first few, and how many."""
    for each in schema.notes[:_MAX_NOTES]:
        remark(note_line(each))
    if len(schema.notes) > _MAX_NOTES:
        more = len(schema.notes) - _MAX_NOTES
        note(f"{more} more: `sculpt import {schema.source.name}` shows all")


def note_line(each: Note) -> Styled:
    """A line about something that was not taken over."""
    hint = f"; {each.hint}" if each.hint else ""
    text = f" [{CODE}]: {each.message} ({each.place.exact}){hint}"
    return styled(("warning", "bold yellow"), visible(text))
