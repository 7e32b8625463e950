"""Dates and times of CSVW: which texts a format has, and what they are worth.

In: a datatype of dates or times, perhaps with a format. Out: a function from a text to the text of
XML Schema with the same value, or `None` if the text is not in the format ("Model for Tabular Data
and Metadata on the Web", 6.4.4). A format is one or several pictures
(`interchange/csvw/writing/formats.py`); a date that stands for a date and a time begins its day.

Invariant: the texts are those of the pictures. Cost: at most one match for each picture.
"""

from __future__ import annotations

from collections.abc import Callable

from sculpt.core.datatypes.canonical import canonical_text
from sculpt.core.datatypes.model import Base
from sculpt.core.datatypes.pictures.picture import picture_of
from sculpt.core.datatypes.reading import value as xsd_value
from sculpt.interchange.csvw.model import Datatype
from sculpt.interchange.csvw.writing.formats import moment_pictures
from sculpt.values import frozen

ReadMoment = Callable[[str], "str | None"]


def moment_reader(datatype: Datatype) -> ReadMoment:
    """What reads the texts of a datatype of dates or times."""
    if datatype.format is not None:
        pictures = moment_pictures(datatype.base, datatype.format)
        if pictures:
            bases = tuple(each.base for each in pictures)
            return _Formatted(Base(f"xs:{datatype.base}"), bases).read
    return _Plain(Base(f"xs:{datatype.base}")).read


@frozen
class _Formatted:
    base: Base
    pictures: tuple[Base, ...]

    def read(self, text: str) -> str | None:
        """The text of XML Schema."""
        for each in self.pictures:
            found = picture_of(each).read(text)
            if found is not None:
                return canonical_text(self.base, found)
        return None


@frozen
class _Plain:
    base: Base

    def read(self, text: str) -> str | None:
        """The text itself, if it is one of XML Schema."""
        return text if xsd_value(self.base, text) is not None else None
