"""Names of fields: identifiers that resemble headings.

In: texts. Out: distinct words of lower-case letters, digits and `_`. Invariant: a name is one that
programs allow, and no two are equal. Cost: linear in the characters.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_LONGEST = 40


def field_names(wishes: Iterable[str]) -> tuple[str, ...]:
    """A name for each wish; equal ones are numbered."""
    taken: set[str] = set()
    names = []
    for place, wish in enumerate(wishes, 1):
        base = identifier(wish) or f"column_{place}"
        name, number = base, 1
        while name in taken:
            number += 1
            name = f"{base}_{number}"
        taken.add(name)
        names.append(name)
    return tuple(names)


def identifier(text: str) -> str:
    """A text as a word; empty if it has neither letters nor digits."""
    words = [word for word in re.split(r"[\W_]+", text.lower()) if word]
    while len(words) > 1 and len("_".join(words)) > _LONGEST:
        words.pop()
    name = "_".join(words)[:_LONGEST]
    return f"column_{name}" if name and not name[0].isalpha() else name
