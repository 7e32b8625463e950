"""A mapping as data: triples maps, and what they say about terms.

In: what `reader` finds in a graph. Out: what `writer` makes programs of. All shortcuts are written
out: `rr:class` is a predicate-object map, `rr:predicate` a constant.

Invariant: a mapping keeps the rules of R2RML (sections 5 to 8), so whatever is here has a meaning.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from sculpt.origins import Note, Spot
from sculpt.values import field, frozen

TermType: TypeAlias = Literal["iri", "blank", "literal"]


@frozen
class Constant:
    """The same term for every row."""

    value: str


@frozen
class Reference:
    """The value of a column."""

    column: str


@frozen
class Template:
    """Texts and columns in turn: a `str` is a text, a `Reference` a column."""

    parts: tuple[str | Reference, ...]


Expression: TypeAlias = Constant | Reference | Template


@frozen
class Term:
    """What makes a term of a row."""

    expression: Expression
    type: TermType
    place: Spot = field(compare=False)
    language: str | None = None
    datatype: str | None = None


@frozen
class Condition:
    """A column of this table has the same text as one of the other table."""

    child: str
    parent: str
    child_place: Spot = field(compare=False)
    parent_place: Spot = field(compare=False)


@frozen
class Join:
    """The subject of another triples map, for rows with equal values."""

    parent: str
    """The number of the other triples map, as the graph names it."""
    conditions: tuple[Condition, ...]
    """None: the same row."""
    place: Spot = field(compare=False)


@frozen
class Statement:
    """Predicates and objects: each predicate with each object, in each of the graphs."""

    predicates: tuple[Term, ...]
    objects: tuple[Term | Join, ...]
    graphs: tuple[Term, ...]
    """Those of the subject included; none: the default graph."""


@frozen
class Source:
    """A CSV file, and how it is written."""

    path: str
    dialect: tuple[tuple[str, str], ...] = ()
    """Directives of Sculpt, in order."""
    nulls: tuple[str, ...] = ("",)
    """The texts that stand for a missing value."""


@frozen
class TriplesMap:
    """What is said about the rows of a source."""

    key: str
    """As the graph names it."""
    name: str
    source: Source
    subject: Term
    statements: tuple[Statement, ...]
    place: Spot
    base: str = ""
    """What comes before IRIs that are relative; empty if the mapping has none."""
    notes: tuple[Note, ...] = ()
    """What it says that is not taken over."""


@frozen
class Mapping:
    """A whole mapping."""

    maps: tuple[TriplesMap, ...]
    prefixes: tuple[tuple[str, str], ...]
    notes: tuple[Note, ...] = ()
    """What is not about one of these maps: those that are left out."""
