"""Functions of one text that programs have, one text at a time: `stem`, `percent-decode`.

In: a text. Out: another, or `None` where the function is not defined. Cost: linear.
"""

from __future__ import annotations

import re

_FOLDERS = re.compile(r".*[/\\]", re.DOTALL)
_BAD_PERCENT = re.compile("%(?![0-9A-Fa-f]{2})")
_BYTES = re.compile("(?:%[0-9A-Fa-f]{2})+")
BAD_PERCENT = "has a `%` that is not part of a character in UTF-8"


def stem_of(path: str) -> str:
    """The name of a file, without folders and without what follows its last dot.

    A folder ends with a slash or a backslash. A dot at the start of a name belongs to the name.
    """
    name = _FOLDERS.sub("", path, count=1)
    dot = name.rfind(".")
    return name[:dot] if dot > 0 else name


def percent_decoded(text: str) -> str | None:
    """A text with `%C3%A9` and the like replaced by characters; `None` if one is not UTF-8."""
    if _BAD_PERCENT.search(text):
        return None
    try:
        return _BYTES.sub(lambda run: bytes.fromhex(run[0].replace("%", "")).decode(), text)
    except UnicodeDecodeError:
        return None
