"""Simple types of XML Schema as values.

A type is built in, a restriction of another type, a list or a union. Types refer to each other
directly, so a chain of derivations is a chain of values; there are no circles.
"""

from __future__ import annotations

from typing import TypeAlias, assert_never

from sculpt.interchange.documents import Element, XmlDocument
from sculpt.values import field, frozen

NAMESPACE = "http://www.w3.org/2001/XMLSchema"


@frozen(eq=False)
class Facet:
    """A facet of a restriction, with its element."""

    name: str
    value: str
    element: Element = field(repr=False)


@frozen(eq=False)
class Definition:
    """Where a type is defined, what it is called there, and what is said about it."""

    document: XmlDocument = field(repr=False)
    element: Element = field(repr=False)
    kind: str
    """`simpleType`, `element` or `attribute`."""
    name: str = ""
    """Empty for a type without a name."""
    about: str = ""


@frozen
class Builtin:
    """A type of XML Schema itself, as Sculpt names it: `xs:date`."""

    name: str


@frozen(eq=False)
class Restriction:
    """The values of a type that have all facets; several patterns are alternatives."""

    base: SimpleType
    facets: tuple[Facet, ...]
    definition: Definition

    def values(self, name: str) -> list[str]:
        """The values of a facet."""
        return [facet.value for facet in self.facets if facet.name == name]


@frozen(eq=False)
class ListOf:
    """Items of a type, with white space between them."""

    item: SimpleType
    definition: Definition


@frozen(eq=False)
class UnionOf:
    """Values of one of several types, the first that fits."""

    members: tuple[SimpleType, ...]
    definition: Definition


SimpleType: TypeAlias = "Builtin | Restriction | ListOf | UnionOf"

ANY_TEXT = Builtin("xs:string")
_LISTS = frozenset(("xs:NMTOKENS", "xs:IDREFS", "xs:ENTITIES"))
TEXTS = frozenset(
    [
        "xs:string",
        "xs:normalizedString",
        "xs:token",
        "xs:language",
        "xs:NMTOKEN",
        "xs:Name",
        "xs:NCName",
        "xs:ID",
        "xs:IDREF",
        "xs:ENTITY",
        "xs:anyURI",
        "xs:QName",
        "xs:NOTATION",
    ]
)
"""Types whose values are their texts."""


def root_of(of: SimpleType) -> Builtin | ListOf | UnionOf:
    """What a type restricts in the end."""
    while isinstance(of, Restriction):
        of = of.base
    return of


def is_list(of: SimpleType) -> bool:
    """Are its values lists?"""
    root = root_of(of)
    return isinstance(root, ListOf) or (isinstance(root, Builtin) and root.name in _LISTS)


def has_text_values(of: SimpleType) -> bool:
    """Are equal values equal texts? Items of lists count; a union may have other members."""
    root = root_of(of)
    match root:
        case Builtin(name):
            return name in TEXTS or name in _LISTS
        case ListOf():
            return has_text_values(root.item)
        case UnionOf():
            return all(map(has_text_values, root.members))
        case _:
            assert_never(root)


def is_ascii(of: SimpleType) -> bool:
    """Do all texts of it have ASCII characters only?"""
    root = root_of(of)
    match root:
        case Builtin(name):
            return name == "xs:language" or name not in (*TEXTS, *_LISTS)
        case ListOf():
            return is_ascii(root.item)
        case UnionOf():
            return all(map(is_ascii, root.members))
        case _:
            assert_never(root)


def white_space(of: SimpleType) -> str:
    """What is done with white space before a text is judged: `preserve`, `replace`, `collapse`."""
    while isinstance(of, Restriction):
        if given := of.values("whiteSpace"):
            return given[-1]
        of = of.base
    if isinstance(of, Builtin):
        kept = {"xs:string": "preserve", "xs:normalizedString": "replace"}
        return kept.get(of.name, "collapse")
    return "collapse"


def normalised(text: str, facet: str) -> str:
    """A text with its white space as a facet says."""
    if facet == "preserve":
        return text
    replaced = text.translate({9: " ", 10: " ", 13: " "})
    if facet == "replace":
        return replaced
    return " ".join(piece for piece in replaced.split(" ") if piece)
