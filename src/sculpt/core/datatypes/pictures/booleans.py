"""Pictures of booleans: the text that means true and the text that means false, `Y|N`.

In: a picture. Out: a `BooleanPicture`. Nothing is quoted, and upper and lower case differ. True is
larger than false, as in Python. Cost: none to speak of.
"""

from __future__ import annotations

from sculpt.core.datatypes.algebra import Chars, either
from sculpt.core.datatypes.model import Base, Language, Relation
from sculpt.core.datatypes.pictures.relations import holds, order_of
from sculpt.core.datatypes.pictures.scanning import MAX_PICTURE, bad_picture
from sculpt.syntax.regular import literal
from sculpt.values import frozen

TYPES = frozenset({"Boolean", "xs:boolean"})


@frozen
class BooleanPicture:
    """Two texts."""

    true: str
    false: str

    @property
    def pattern(self) -> Chars:
        """The texts of the picture."""
        return either(literal(self.true), literal(self.false))

    def read(self, text: str) -> bool | None:
        """The value of a text."""
        return {self.true: True, self.false: False}.get(text)

    def condition(self, relation: Relation, bound: object) -> Language:
        """The texts whose value compares so with a bound."""
        return Language(
            either(
                *(
                    literal(text)
                    for text, value in ((self.true, True), (self.false, False))
                    if holds(relation, order_of(value, bool(bound)))
                )
            )
        )


def boolean_picture(base: Base) -> BooleanPicture:
    """The picture of a base; raises `ConditionError`."""
    picture = base.picture or ""
    hint = f'write the texts for true and false: `{base.type}("Y|N")`'
    if len(picture) > MAX_PICTURE:
        raise bad_picture(f"a picture has at most {MAX_PICTURE} characters", MAX_PICTURE)
    parts = picture.split("|")
    if len(parts) < 2:
        raise bad_picture(
            f"a picture of `{base.type}` has two texts, with `|` between them; "
            f"here is only one: `{picture}`",
            0,
            len(picture),
            hint,
        )
    true, false = parts[:2]
    if len(parts) > 2:
        raise bad_picture(
            "a second `|`: a boolean has two texts only", len(true) + len(false) + 1, None, hint
        )
    if not true or not false:
        missing, place = ("true", 0) if not true else ("false", len(picture) - 1)
        raise bad_picture(
            f"the text for {missing} is missing",
            place,
            None,
            "an empty cell is no value; say `or Empty` if it may stand here",
        )
    if true == false:
        raise bad_picture("true and false have the same text", 0, len(picture), hint)
    return BooleanPicture(true, false)
