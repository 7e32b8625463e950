"""Regular expressions of tokens: what is faster than asking about each character."""

from __future__ import annotations

import sys
import unicodedata

from sculpt.syntax.regex import category


def test_categories_are_those_of_unicode() -> None:
    """Every character has the category that Python's data says, also where they are not asked."""
    found: list[str | None] = [None] * (sys.maxunicode + 1)
    for name in {unicodedata.category(chr(code)) for code in range(sys.maxunicode + 1)}:
        for first, last in category(name).ranges:
            found[first : last + 1] = [name] * (last + 1 - first)
    assert found == [unicodedata.category(chr(code)) for code in range(sys.maxunicode + 1)]
