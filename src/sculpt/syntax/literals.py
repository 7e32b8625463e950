"""Texts between quotes: what is written, and which text is meant.

In: the characters between two quotes, or a text. Out: the other of the two. Selectors, contents,
derived tokens and programs share these escapes.

Invariant: `unescaped(quote(text)[1:-1]) == text`, and a quoted text is on one line. Cost: linear.
"""

from __future__ import annotations

import re

ESCAPES = {"n": "\n", "r": "\r", "t": "\t", '"': '"', "\\": "\\"}
"""By the character after a backslash: what the two stand for."""
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_WRITTEN = {char: f"\\{letter}" for letter, char in ESCAPES.items()}
_SPECIAL = re.compile(r'[\n\r\t"\\]')


def quote(text: str) -> str:
    """A text as a quoted literal."""
    escaped = _SPECIAL.sub(lambda found: _WRITTEN[found[0]], text)
    return f'"{escaped}"'


def unescaped(body: str) -> str:
    """The text that is meant; any other character after a backslash stands for itself."""
    return _ESCAPE.sub(lambda found: ESCAPES.get(found[1], found[1]), body)


def bad_escape(body: str) -> int | None:
    """Where the first backslash is that begins no escape."""
    wrong = (found.start() for found in _ESCAPE.finditer(body) if found[1] not in ESCAPES)
    return next(wrong, None)
