"""Language tags in CSVW: which texts are well-formed, and which match.

In: a text. Out: whether it is a tag; whether two tags match by truncation ("Metadata Vocabulary",
section 5.5.1: languages match if they are equal when cut to the length of the shorter). Cost:
linear in the text.
"""

from __future__ import annotations

from sculpt.core.datatypes.language_tags import is_well_formed as is_language_tag

__all__ = ["UNDEFINED", "is_language_tag", "languages_match"]

UNDEFINED = "und"
"""The tag of texts whose language is not known; it matches every language."""


def languages_match(first: str, second: str) -> bool:
    """Is one tag the beginning of the other, or is one of them not known?"""
    one, other = first.lower(), second.lower()
    if UNDEFINED in (one, other):
        return True
    short, long = sorted((one.split("-"), other.split("-")), key=len)
    return long[: len(short)] == short
