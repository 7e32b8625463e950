"""What a derived token asks of a text's value: a base, something measured, a relation, a bound.

In: nothing. Out: the values that the other modules of this package work on. A `Base` is a type,
written as its name alone or with a picture. A `Condition` is one test of a text of the base:
`Integer >= 5`, `length(Text) <= 8`. Two-sided bounds, `=` and Boolean operators are not here: they
are formulas over several conditions (`ir.Formula`).

A condition has two meanings, which must be the same, and tests compare them:

- `reading.holds(condition, text)` reads the text as a value and compares it, the plain way;
- `languages.language(condition)` is the set of the texts for which it holds, as a regular language.
  Where that is not regular, `Language.ask` has the texts that only `holds` can decide.
"""

from __future__ import annotations

from typing import Literal as OneOf
from typing import TypeAlias

from sculpt.syntax.regular import CharSet, Nothing, Regular
from sculpt.values import frozen

Measured: TypeAlias = OneOf["value", "length", "digits", "decimals"]
Relation: TypeAlias = OneOf["<", "<=", ">", ">=", "=", "!="]


@frozen
class Base:
    """A type, or a picture of one; only texts of the base have a value."""

    type: str
    """The name of a predefined token: `Number`, `xs:date`."""
    picture: str | None = None
    group: str | None = None
    """The group character of a picture of a number, if it is not `,`."""
    decimal: str | None = None
    """The decimal character, if it is not `.`."""


@frozen
class Condition:
    """One test; without a relation, that the text is in the base at all."""

    base: Base
    measured: Measured = "value"
    relation: Relation | None = None
    bound: str = ""
    """In the XML Schema form of the type; a whole number for lengths, digits and decimals."""


@frozen
class Language:
    """The texts for which a condition holds."""

    yes: Regular[CharSet]
    ask: Regular[CharSet] = Nothing()
    """Texts that may be of the base; `reading.holds` decides. No text is in both."""


class ConditionError(Exception):
    """A base or a condition that makes no sense, such as a bound that is no value of the type."""

    def __init__(
        self, code: str, message: str, at: tuple[int, int] | None = None, hint: str | None = None
    ) -> None:
        """`at` is where in the picture, or in the bound, the mistake is."""
        super().__init__(message)
        self.code, self.message, self.at, self.hint = code, message, at, hint

    def __reduce__(self) -> tuple[type[ConditionError], tuple[object, ...]]:
        return type(self), (self.code, self.message, self.at, self.hint)
