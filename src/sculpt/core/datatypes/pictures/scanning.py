"""The characters of a picture: which are symbols, which are text.

In: a picture as it is written. Out: its characters, each with its place and whether quotes make it
plain text: `'…'` is text, `''` is one quote, inside quotes and outside (UAX 35, Part 4, 8). The
characters of `''` and the quotes themselves belong to the place of what they stand for.

`bad_picture` is the error of a picture that is none, with the place in it. Cost: linear.
"""

from __future__ import annotations

from sculpt.core.datatypes.model import ConditionError
from sculpt.values import frozen

MAX_PICTURE = 1_000


@frozen
class Mark:
    """A character of a picture."""

    char: str
    at: int
    """Its place in the picture, from 0."""
    is_text: bool = False
    """It stands in quotes, so it means nothing but itself."""


def bad_picture(
    message: str, start: int = 0, end: int | None = None, hint: str | None = None
) -> ConditionError:
    """The error of a picture; without an end, it is about one character."""
    return ConditionError("bad-picture", message, (start, start + 1 if end is None else end), hint)


def is_surrogate(char: str) -> bool:
    """Does it stand for a byte that is no character?"""
    return 0xD800 <= ord(char) <= 0xDFFF


def marks(picture: str) -> list[Mark]:
    """The characters of a picture, without the quotes."""
    if not picture:
        raise bad_picture("this picture is empty", 0, 0)
    if len(picture) > MAX_PICTURE:
        raise bad_picture(f"a picture has at most {MAX_PICTURE} characters", MAX_PICTURE)
    found: list[Mark] = []
    opened: int | None = None
    at = 0
    while at < len(picture):
        if picture.startswith("''", at):
            found.append(Mark("'", at, True))
            at += 2
            continue
        if picture[at] == "'":
            opened = at if opened is None else None
        else:
            found.append(Mark(picture[at], at, opened is not None))
        at += 1
    if opened is not None:
        raise bad_picture(
            "this quote is not closed", opened, len(picture), "for a quote as text, write `''`"
        )
    return found
