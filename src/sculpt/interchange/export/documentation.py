"""Comments of a schema as descriptions, without the words that importers put into them.

In: the comment about a file or a column. Out: what its author says; of `Field code: Door code.`
that is `Door code`, of `Field code.` nothing. An imported schema may have been saved and edited,
so the words decide, and not where the schema comes from.

Invariant: a comment that no importer writes stays as it is. Cost: linear in the comment.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_HEADS = (
    r"The resource [^:]*?(?:: (?P<title>.+?))?(?:, part \d+ of its data)? From \S.*",
    r"The tables of a Data Package From \S.*",
    r"\S.*, as \S.* describes it\.",
    r"\S.*, CSV Schema \d+(?:\.\d+)*\.",
    r"The table \S+",
    r"The tables of the dataset .+",
)
"""How importers begin a file."""


def file_words(comment: str) -> str:
    """What the comment about a file says, if an importer did not write it."""
    for head in _HEADS:
        found = re.fullmatch(head, comment)
        if found is not None:
            return found.groupdict().get("title") or ""
    return comment


def column_words(comment: str, names: Iterable[str]) -> str:
    """What the comment about a column says besides its name, which is one of some."""
    for name in names:
        start = f"Field {name}"
        if comment == f"{start}." or re.fullmatch(rf"The column {re.escape(name)}, \w+", comment):
            return ""
        if comment.startswith(f"{start}: "):
            return comment.removeprefix(f"{start}: ").removesuffix(".")
    return comment
