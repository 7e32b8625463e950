"""`missingValues`: the texts that stand for no value, as tokens.

In: the missing values of a field. Out: `Gaps`: what a type rule reads besides values, what a
required cell matches, and the texts to leave out of constraints.

The shapes that are written (`export` reads them back): with the default, the empty text, `Null` and
`Text` are all that is needed; otherwise `missing := "NA" or Empty` and `given := Any and not
missing`.

Invariant: a padded cell has no value, and is read as `Missing`. Cost: constant.
"""

from __future__ import annotations

from sculpt.interchange.builder import SchemaBuilder
from sculpt.interchange.frictionless.columns.patterns import either
from sculpt.values import frozen


@frozen
class Gaps:
    """How a cell without a value looks."""

    content: str
    """What a rule of a type reads besides values, as an alternative: `Null`."""
    selector: str
    """The cells that have a value, as a selector has it: `Text`."""
    texts: str = ""
    """The token of the texts for no value, if a value could look like one."""

    @property
    def blank(self) -> str:
        """What reads a cell without a value."""
        return f"({self.content})" if "|" in self.content else self.content

    def given(self, builder: SchemaBuilder) -> str:
        """The token of a cell that has a value, defined if it must be."""
        if not self.texts:
            return self.selector
        return builder.derived("given", self.selector, "A text that is a value.")


def gaps_of(missing: tuple[str, ...], is_strict: bool, builder: SchemaBuilder) -> Gaps:
    """The tokens of missing values; defined if they are not the default."""
    if missing == ("",):
        return Gaps("Null | Missing" if is_strict else "Null", "Text")
    if not missing:
        return Gaps("Missing", "Any")
    name = builder.derived("missing", either(missing), "Texts that stand for no value.")
    return Gaps(f"{name} | Missing", f"Any and not {name}", name)
