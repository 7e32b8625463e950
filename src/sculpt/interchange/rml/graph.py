"""A Turtle document as a graph, asked by the words of RML.

In: a `TextDocument`. Out: an `RmlGraph`: nodes, and what properties of RML and R2RML say about
them, whichever of the name spaces they are of; and the outline of the text, for places.

Invariant: malformed Turtle is an error at its place. Cost: that of rdflib, which is imported here
and nowhere else.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NoReturn

from sculpt.errors import SchemaError
from sculpt.extras import need
from sculpt.interchange.documents import TextDocument
from sculpt.interchange.rml.turtle import Fault, outline_of
from sculpt.interchange.rml.vocabulary import FUNCTION_VALUES, NAMESPACES, RDF, local_name

if TYPE_CHECKING:
    from rdflib.term import Node

NO_BASE = "http://mapping.invalid/"
"""What relative IRIs are relative to, if the mapping names no base."""


class RmlGraph:
    """The graph of a mapping."""

    def __init__(self, document: TextDocument) -> None:
        need("rdf", "reading RML")
        import rdflib

        self.outline = outline_of(document.text, NO_BASE)
        if self.outline.fault is not None:
            _refuse(document, self.outline.fault)
        # This store keeps the order of the text, which `places` relies on; the usual one does not.
        self._graph = rdflib.Graph(store="SimpleMemory", bind_namespaces="none")
        try:
            self._graph.parse(data=document.text, format="turtle", publicID=NO_BASE)
        except Exception as error:  # rdflib has no common class for what it finds
            _refuse(document, _fault_of(document.text, error))
        self.base = self.outline.base
        self.prefixes = {prefix: str(iri) for prefix, iri in self._graph.namespaces()}

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
        for name in FUNCTION_VALUES:  # these are made like triples maps, and make values
            for each in self._graph.objects(None, rdflib.URIRef(name)):
                found.pop(each, None)
        return list(found)

    def subjects(self) -> list[Node]:
        """All nodes that something is said about, in the order of the text."""
        return list(dict.fromkeys(self._graph.subjects()))

    def blank_roots(self) -> list[Node]:
        """The blank nodes among them that nothing refers to."""
        inner = {*self._graph.objects()}
        return [each for each in self.subjects() if is_blank(each) and each not in inner]

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


def is_blank(node: Any) -> bool:
    """Is a node a blank node?"""
    import rdflib

    return isinstance(node, rdflib.BNode)


def is_literal(node: Any) -> bool:
    """Is a node a literal?"""
    import rdflib

    return isinstance(node, rdflib.Literal)


def _refuse(document: TextDocument, fault: Fault) -> NoReturn:
    """Raise what is wrong with the Turtle."""
    message = fault.message
    if fault.code == "foreign-syntax":
        message = f"this is not Turtle: {message}"
    problem = document.problem(fault.code, fault.start, fault.end, message)
    raise SchemaError((problem,), (document.name,)) from None


def _fault_of(text: str, error: Exception) -> Fault:
    """What rdflib finds wrong, at its place."""
    start = min(int(getattr(error, "_i", 0)), len(text))
    stop = text.find("\n", start)
    said = str(getattr(error, "_why", None) or error).splitlines()
    reason = said[0] if said else type(error).__name__
    return Fault("foreign-syntax", start, len(text) if stop < 0 else stop, reason)
