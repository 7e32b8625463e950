"""Terms of RDF, before they are put together: a text, with the same text around each of them.

In: Arrow strings, such as the inside of IRIs or literals. Out: `Terms`: what comes before each, the
strings, what comes after. So `<`, `>` and the like are copied once, when a whole line is made, and
a term that is the same for all records is no array at all.

Invariant: `array` is what the terms are. Cost: none until they are joined.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

from sculpt.transform.writers.rendering import joined
from sculpt.values import frozen

if TYPE_CHECKING:
    import pyarrow as pa

    Objects: TypeAlias = "Terms | pa.Array"
    """One term for each record, or a list of them."""


@frozen(eq=False)
class Terms:
    """One term for each record."""

    before: str
    texts: pa.StringArray | None
    """`None` if all are the same."""
    after: str = ""

    @property
    def has_all(self) -> bool:
        """Does each record have a term?"""
        return self.texts is None or not self.texts.null_count

    def array(self, count: int) -> pa.StringArray:
        """The terms of some records."""
        import pyarrow as pa

        if self.texts is None:
            return pa.repeat(pa.scalar(self.before + self.after, pa.string()), count)
        if not self.before and not self.after:
            return self.texts
        return joined(self.before, self.texts, self.after)


def array_of(terms: Objects, count: int) -> pa.Array:
    """The terms of some records, or lists of them."""
    return terms.array(count) if isinstance(terms, Terms) else terms


def put_together(parts: Sequence[Terms | str], count: int) -> pa.StringArray:
    """Terms and texts one after the other, in one pass; no term may be missing."""
    import pyarrow as pa

    pieces: list[pa.StringArray | str] = []
    waiting = ""
    for part in parts:
        if isinstance(part, str):
            waiting += part
        elif part.texts is None:
            waiting += part.before + part.after
        else:
            pieces += [waiting + part.before, part.texts]
            waiting = part.after
    pieces += [waiting] if waiting else []
    if all(isinstance(each, str) for each in pieces):
        return pa.repeat(pa.scalar("".join(map(str, pieces)), pa.string()), count)
    return joined(*pieces)
