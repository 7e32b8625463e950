"""A Turtle document as a graph, asked by the words of RML.

In: a `TextDocument`. Out: an `RmlGraph`: nodes, and what properties of RML and R2RML say about
them, whichever of the name spaces they are of.

Invariant: malformed Turtle is an error at its line. Cost: that of rdflib, which is imported here
and nowhere else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NoReturn

from sculpt.errors import SchemaError
from sculpt.extras import need
from sculpt.interchange.documents import TextDocument
from sculpt.interchange.rml.vocabulary import NAMESPACES, RDF, local_name

if TYPE_CHECKING:
    from rdflib.term import Node

_BASE = re.compile(r"(?:@base|(?i:base))\s*<([^<>\s]*)>")
NO_BASE = "http://mapping.invalid/"
"""What relative IRIs are relative to, if the mapping names no base."""


class RmlGraph:
    """The graph of a mapping."""

    def __init__(self, document: TextDocument) -> None:
        need("rdf", "reading RML")
        import rdflib

        self._graph = rdflib.Graph(bind_namespaces="none")
        try:
            self._graph.parse(data=document.text, format="turtle", publicID=NO_BASE)
        except Exception as error:  # rdflib has no common class for what it finds
            _refuse(document, error)
        bases = _BASE.findall(document.text)
        self.base: str = bases[-1] if bases else ""
        self.prefixes = {prefix: str(iri) for prefix, iri in self._graph.namespaces()}

    @property
    def text_base(self) -> str:
        """What the IRIs begin with that are written as relative ones."""
        return self.base or NO_BASE

    def triples_maps(self) -> list[Node]:
        """The nodes that are triples maps."""
        import rdflib

        found: dict[Node, None] = {}
        kind = rdflib.URIRef(f"{RDF}type")
        for namespace in NAMESPACES:
            for name in ("logicalSource", "logicalTable", "subjectMap", "predicateObjectMap"):
                found |= dict.fromkeys(self._graph.subjects(rdflib.URIRef(namespace + name)))
            is_map = rdflib.URIRef(f"{namespace}TriplesMap")
            found |= dict.fromkeys(self._graph.subjects(kind, is_map))
        return list(found)

    def values(self, node: Node, name: str) -> list[Node]:
        """What a property of RML or R2RML says about a node, in the order of the text."""
        import rdflib

        found: dict[Node, None] = {}
        for namespace in NAMESPACES:
            found |= dict.fromkeys(self._graph.objects(node, rdflib.URIRef(namespace + name)))
        return list(found)

    def others(self, node: Node, iri: str) -> list[Node]:
        """What any other property says about a node."""
        import rdflib

        return list(self._graph.objects(node, rdflib.URIRef(iri)))

    def properties(self, node: Node) -> Iterator[str]:
        """The properties that a node has."""
        yield from sorted({str(each) for each in self._graph.predicates(node)})

    def local_properties(self, node: Node) -> set[str]:
        """Those of RML and R2RML, without their name spaces."""
        return {name for each in self.properties(node) if (name := local_name(each)) is not None}


def is_iri(node: Any) -> bool:
    """Is a node an IRI?"""
    import rdflib

    return isinstance(node, rdflib.URIRef)


def is_literal(node: Any) -> bool:
    """Is a node a literal?"""
    import rdflib

    return isinstance(node, rdflib.Literal)


def _refuse(document: TextDocument, error: Exception) -> NoReturn:
    """Raise what is wrong with the Turtle, at its place."""
    line = int(getattr(error, "lines", 0))
    start = 0
    for _ in range(line):
        start = document.text.find("\n", start) + 1
    stop = document.text.find("\n", start)
    end = len(document.text) if stop < 0 else stop
    said = str(getattr(error, "_why", None) or error).splitlines()
    reason = said[0] if said else type(error).__name__
    problem = document.problem("foreign-syntax", start, end, f"this is not Turtle: {reason}")
    raise SchemaError((problem,), (document.name,)) from None
