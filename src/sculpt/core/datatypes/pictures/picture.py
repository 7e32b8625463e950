"""Pictures: a type's texts as a picture shows them, by the type's family.

In: a `Base` with a picture. Out: a `Picture`: the language of its texts, the value of a text, and
comparisons with a bound as languages. What each symbol accepts is in `docs/pictures.md`.

Invariant: `read` gives a value exactly for the texts of `pattern`, and `condition` has exactly the
texts whose value compares so (or asks). The two are built by different code. Cost: a picture is
built once.
"""

from __future__ import annotations

from decimal import Decimal
from functools import lru_cache
from typing import Protocol, TypeAlias

from sculpt.core.acceptor import is_nothing
from sculpt.core.datatypes.model import Base, ConditionError, Language, Relation
from sculpt.core.datatypes.moments import Moment
from sculpt.core.datatypes.pictures import booleans, dates, number_shape
from sculpt.core.datatypes.pictures.booleans import boolean_picture
from sculpt.core.datatypes.pictures.dates import date_picture
from sculpt.core.datatypes.pictures.numbers import number_picture
from sculpt.core.datatypes.pictures.scanning import bad_picture, is_surrogate
from sculpt.syntax.regular import CharSet, Regular

TYPES = booleans.TYPES | dates.TYPES | number_shape.TYPES
"""The types that have pictures."""


Value: TypeAlias = Decimal | float | Moment | bool
"""A float for `xs:double` and `xs:float` only; other numbers are exact."""


class Picture(Protocol):
    """How the values of a type are written."""

    @property
    def pattern(self) -> Regular[CharSet]:
        """The texts of the picture."""

    def read(self, text: str) -> Value | None:
        """The value of a text; `None` if the picture does not have it."""

    def condition(self, relation: Relation, bound: object) -> Language:
        """The texts whose value compares so with a bound, which is a value of the type."""


@lru_cache(maxsize=1024)
def picture_of(base: Base) -> Picture:
    """The picture of a base that has one; raises `ConditionError` with the place in it."""
    assert base.picture is not None, base
    if base.type not in TYPES:
        raise ConditionError(
            "bad-picture",
            f"`{base.type}` has no pictures",
            (0, len(base.picture)),
            "pictures are for numbers, dates, times and booleans",
        )
    if base.type not in number_shape.TYPES and (base.group, base.decimal) != (None, None):
        raise ConditionError(
            "bad-picture", f"`{base.type}` has no group and no decimal character", None
        )
    for at, char in enumerate(base.picture):
        if is_surrogate(char):
            raise bad_picture("this byte is not a character", at)
    if base.type in booleans.TYPES:
        return boolean_picture(base)
    return date_picture(base) if base.type in dates.TYPES else number_picture(base)


def writable(base: Base, bound: object) -> bool:
    """Can the picture of a base write a value? `0.5` by the picture `0` it cannot."""
    found = picture_of(base).condition("=", bound)
    return not (is_nothing(found.yes) and is_nothing(found.ask))
