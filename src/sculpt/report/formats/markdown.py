"""Texts of strangers in Markdown: shown as they are, whatever they contain.

In: any text. Out: Markdown that renders as that text. Every character with a
meaning in Markdown becomes a character reference, which no rule of Markdown looks into: so a text
cannot end a cell of a table, be a link, a heading or HTML, or mention anybody. Characters that
cannot be seen get a visible one in their place.
"""

from __future__ import annotations

import re

from sculpt.report.styled import visible

_SPECIAL = re.compile(r"[!#$&*+\-.:<=>@\[\\\]^_`{|}~]")


def plain(text: str) -> str:
    """A text on one line."""
    return _SPECIAL.sub(lambda found: f"&#{ord(found[0])};", visible(text))


def code(text: str) -> str:
    """The same in a font of fixed width."""
    return f"<code>{plain(text)}</code>" if text else ""
