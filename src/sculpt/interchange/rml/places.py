"""Where the nodes of a mapping are in its text.

In: the graph of a Turtle document, and its outline. Out: the place of a node, or of what one of its
properties says. rdflib keeps no places, so each node is paired with the term of the outline that it
was read from: IRIs by what they are, blank nodes by the way that leads to them.

Invariant: a place is that of the node, or else that of its triples map, or else the beginning of
the text; never one of something else. A pair is only made of what has the same properties. Cost:
linear in the text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sculpt.diagnostics import Diagnostic
from sculpt.interchange.documents import TextDocument
from sculpt.interchange.rml.graph import RmlGraph, is_blank
from sculpt.interchange.rml.turtle import Kind, Triple, Written
from sculpt.interchange.rml.vocabulary import local_name
from sculpt.origins import Spot

if TYPE_CHECKING:
    from rdflib.term import Node

_Key = tuple[Kind, str]


class Places:
    """The places of one document."""

    def __init__(self, document: TextDocument, graph: RmlGraph) -> None:
        self._document = document
        self._said: dict[_Key, list[Triple]] = {}
        for triple in graph.outline.triples:
            self._said.setdefault(triple.subject.key, []).append(triple)
        for inner in self._said.values():  # what is inside brackets is noted before what is around
            inner.sort(key=lambda each: each.predicate.start)
        self._keys = _Pairs(graph, self._said).keys

    def span(
        self, owner: Node | None, node: Node | None = None, name: str = "", value: str | None = None
    ) -> tuple[int, int]:
        """The characters of what a property says about a node: `value`, or its first value.

        If it says nothing, those of the node; if the node is not known, those of its owner.
        """
        for each in (node, owner):
            key = None if each is None else self._keys.get(each)
            if key is not None:
                return self._value(key, name, value) if each is node else self._node(key)
        return 0, self._line_end(0)

    def spot(
        self, owner: Node | None, node: Node | None = None, name: str = "", value: str | None = None
    ) -> Spot:
        """The place of the same."""
        return self._document.spot(self.span(owner, node, name, value)[0])

    def problem(self, span: tuple[int, int], message: str, hint: str | None = None) -> Diagnostic:
        """An error about some characters."""
        return self._document.problem("foreign-meaning", *span, message, hint)

    def _value(self, key: _Key, name: str, value: str | None) -> tuple[int, int]:
        said = [
            each
            for each in self._said[key]
            if name and name in (local_name(each.predicate.text), each.predicate.text)
        ]
        if not said:
            return self._node(key)
        found = next((each for each in said if each.object.text == value), said[0])
        is_short = found.object.kind in ("iri", "literal") and (
            value is None or found.object.text == value
        )
        shown = found.object if is_short else found.predicate
        return shown.start, min(shown.end, self._line_end(shown.start))

    def _node(self, key: _Key) -> tuple[int, int]:
        start = self._said[key][0].subject.start
        return start, self._line_end(start)

    def _line_end(self, start: int) -> int:
        stop = self._document.text.find("\n", start)
        return len(self._document.text) if stop < 0 else stop


class _Pairs:
    """Nodes of the graph, each with the term of the outline that it was read from."""

    def __init__(self, graph: RmlGraph, said: dict[_Key, list[Triple]]) -> None:
        self._graph, self._said = graph, said
        self.keys: dict[Node, _Key] = {}
        inner = {each.object.key for triples in said.values() for each in triples}
        roots = [key for key in said if key[0] == "blank" and key not in inner]
        roots.sort(key=lambda key: said[key][0].subject.start)
        for node in graph.subjects():
            if not is_blank(node):
                self._pair(node, ("iri", str(node)))
        nodes = graph.blank_roots()
        if len(nodes) == len(roots):
            for node, key in zip(nodes, roots, strict=True):
                self._pair(node, key)

    def _pair(self, first: Node, key: _Key) -> None:
        """Pair a node, and the blank nodes that are said about it, as far as they are alike."""
        todo = [(first, key)]
        while todo:
            node, key = todo.pop()
            triples = self._said.get(key, [])
            names = {each.predicate.text for each in triples}
            if node in self.keys or names != {*self._graph.properties(node)}:
                continue
            self.keys[node] = key
            for name in names:
                terms = [each.object for each in triples if each.predicate.text == name]
                there = [each for each in self._graph.others(node, name) if is_blank(each)]
                written = _blanks(terms)
                if len(written) == len(there):
                    todo += zip(there, written, strict=True)


def _blanks(terms: list[Written]) -> list[_Key]:
    """The different blank nodes of some terms; a list is one to the graph, too."""
    return list(dict.fromkeys(each.key for each in terms if each.kind in ("blank", "list")))
