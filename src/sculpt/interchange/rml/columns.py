"""The columns of a table that a mapping mentions, as regions of a Sculpt schema.

In: headings, as terms of a mapping ask for them. Out: the names of regions: the cells below a
heading that have a value; and of those whose text is an IRI, or can follow a base.

Invariant: each heading must be in the header exactly once, which is a rule with the place in the
mapping that asks for it. Each region is defined once, and only if it is asked for.
"""

from __future__ import annotations

from sculpt.interchange.builder import SchemaBuilder, literal
from sculpt.interchange.rml.model import Source
from sculpt.origins import Origin, Spot

_IRI_CHARACTERS = r"[^\x00-\x20<>\"{}|\\^`]"
_ABSOLUTE = rf"[A-Za-z][A-Za-z0-9+.\-]*:{_IRI_CHARACTERS}*"


class Columns:
    """The columns of one table."""

    def __init__(self, builder: SchemaBuilder, source: Source) -> None:
        self._builder, self._source = builder, source
        self._asked: dict[str, Spot] = {}
        self._names: dict[str, str] = {}

    def ask(self, heading: str, place: Spot) -> None:
        """A term needs a column."""
        self._asked.setdefault(heading, place)

    def state(self) -> None:
        """Write the rules about the header, and the regions of all columns that were asked for."""
        for heading, place in self._asked.items():
            origin = Origin(f"column {literal(heading)}", place, field=heading)
            selector = f"row(1) and {literal(heading)}"
            message = f"there must be one column `{heading}`"
            self._builder.rule(selector, "Any", origin, arrow="=>", message=message)
        self._builder.gap()
        missing = "".join(
            f" and not {literal(each)}" if each else " and not Empty" for each in self._source.nulls
        )
        for heading in self._asked:
            selector = f"down+(row(1) and {literal(heading)}){missing}"
            self._names[heading] = self._builder.region(heading, selector)

    def name(self, heading: str) -> str:
        """The region of a column."""
        return self._names[heading]

    def state_iris(self, heading: str) -> None:
        """Write the regions of the IRIs in a column."""
        self.absolute(heading)
        self.relative(heading)

    def absolute(self, heading: str) -> str:
        """The region of the cells whose text is an IRI."""
        token = self._builder.token("absolute-iri", _ABSOLUTE)
        return self._builder.region(f"{heading} iri", f"{self.name(heading)} and {token}")

    def relative(self, heading: str) -> str:
        """The region of the cells whose text is not one, but would be after a base."""
        whole = self._builder.token("absolute-iri", _ABSOLUTE)
        part = self._builder.token("part-of-iri", f"{_IRI_CHARACTERS}+")
        selector = f"{self.name(heading)} and {part} and not {whole}"
        return self._builder.region(f"{heading} path", selector)
