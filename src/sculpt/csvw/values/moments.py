"""Dates and times of CSVW: which texts a format has, and what they are worth.

In: a datatype of dates or times, perhaps with a format of UAX 35. Out: a function from a text to
the text of XML Schema with the same value, or `None` if the text is not in the format ("Model for
Tabular Data and Metadata on the Web", 6.4.4).

A format is a picture of `core.datatypes.pictures`, with two habits of its own: a bare `T` stands
for itself, and `S` shows how many digits of a second there may be, not how many there are.

Invariant: the texts are those of the pictures. Cost: one match for each text; with `n` times `S`
at most `n + 1`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from sculpt.core.datatypes.canonical import canonical_text
from sculpt.core.datatypes.model import Base, ConditionError
from sculpt.core.datatypes.pictures.picture import Picture, picture_of
from sculpt.core.datatypes.reading import value as xsd_value
from sculpt.interchange.csvw.model import Datatype
from sculpt.values import frozen

ReadMoment = Callable[[str], "str | None"]

_QUOTED = re.compile(r"'[^']*'|T")
_FRACTION = re.compile(r"(s)(\.?)(S+)")
MAX_DIGITS = 9


def moment_reader(datatype: Datatype) -> ReadMoment:
    """What reads the texts of a datatype of dates or times."""
    name = f"xs:{datatype.base}"
    if datatype.format is not None:
        pictures = moment_pictures(name, datatype.format)
        if pictures:
            return _Formatted(name, pictures).read
    return _Plain(Base(name)).read


@lru_cache(maxsize=1024)
def moment_pictures(name: str, text: str) -> tuple[Picture, ...]:
    """The pictures of a format, one for each number of digits of a second; none if it is wrong."""
    try:
        return tuple(picture_of(Base(name, each)) for each in written_pictures(text))
    except ConditionError:
        return ()


def written_pictures(text: str) -> list[str]:
    """The pictures of a format, as they are written in a schema."""
    quoted = _QUOTED.sub(lambda each: "'T'" if each[0] == "T" else each[0], text)
    found = _FRACTION.search(quoted)
    if found is None:
        return [quoted]
    most = len(found[3])
    before, after = quoted[: found.end(1)], quoted[found.end() :]
    counts = range(most, -1, -1) if most <= MAX_DIGITS else [most]
    return [f"{before}{found[2] + 'S' * count if count else ''}{after}" for count in counts]


@frozen
class _Formatted:
    name: str
    pictures: tuple[Picture, ...]

    def read(self, text: str) -> str | None:
        """The text of XML Schema."""
        for picture in self.pictures:
            found = picture.read(text)
            if found is not None:
                return canonical_text(Base(self.name), found)
        return None


@frozen
class _Plain:
    base: Base

    def read(self, text: str) -> str | None:
        """The text itself, if it is one of XML Schema."""
        return text if xsd_value(self.base, text) is not None else None
