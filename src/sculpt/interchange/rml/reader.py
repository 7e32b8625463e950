"""Mappings: Turtle to triples maps, with the rules of R2RML and RML checked.

In: a `TextDocument`. Out: a `Mapping`. All errors are reported at once, each at its place: a
triples map without a subject map, a literal as a subject, a language tag that is none. What has a
meaning that a program cannot express (functions, other formats than CSV, RML-star) is a note.

Invariant: a triples map with an error is left out, and so is what refers to it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sculpt.diagnostics import Diagnostic
from sculpt.errors import SchemaError
from sculpt.interchange.documents import TextDocument
from sculpt.interchange.rml.graph import RmlGraph, is_iri, is_literal
from sculpt.interchange.rml.model import (
    Constant,
    Join,
    Mapping,
    Statement,
    Term,
    TriplesMap,
)
from sculpt.interchange.rml.places import Places
from sculpt.interchange.rml.sources import Sources, UnreadSourceError
from sculpt.interchange.rml.term_maps import LeftOutError, TermMaps
from sculpt.interchange.rml.vocabulary import NAMESPACES, RDF, short_name
from sculpt.origins import Note
from sculpt.values import replace

if TYPE_CHECKING:
    from rdflib.term import Node

_DEFAULT_GRAPHS = tuple(f"{each}defaultGraph" for each in NAMESPACES)
DEFAULT_GRAPH = "default graph"


def read_mapping(document: TextDocument) -> Mapping:
    """The mapping of a document; raises `SchemaError` with all that is wrong."""
    reader = _Reader(document)
    maps = reader.maps()
    if reader.problems:
        raise SchemaError(tuple(reader.problems), (document.name,))
    prefixes = tuple(sorted(reader.graph.prefixes.items()))
    return Mapping(tuple(maps), prefixes, tuple(reader.notes))


class _Reader:
    def __init__(self, document: TextDocument) -> None:
        self.document = document
        self.graph = RmlGraph(document)
        self.places = Places(document, self.graph.prefixes, self.graph.text_base)
        self.problems: list[Diagnostic] = []
        self.notes: list[Note] = []
        self.sources = Sources(self.graph, self.error, self.note)
        self.terms = TermMaps(self.graph, self.places, self.error, self.note)

    # ------------------------------------------------------------- what is said

    def error(self, owner: Node, message: str, *texts: str, hint: str | None = None) -> None:
        """Report an error in a triples map, at the first of some texts."""
        named = f"{short_name(str(owner))}: {message}" if is_iri(owner) else message
        self.problems.append(self.places.problem(self._key(owner), texts, named, hint))

    def note(self, owner: Node, what: str, *texts: str) -> None:
        """Note what is not taken over."""
        self.notes.append(Note(what, self.places.spot(self._key(owner), *texts)))

    def _key(self, owner: Node) -> str | None:
        return str(owner) if is_iri(owner) else None

    # ------------------------------------------------------------- triples maps

    def maps(self) -> list[TriplesMap]:
        """All triples maps; those with errors or notes about their source are left out."""
        nodes = self.graph.triples_maps()
        if not nodes:
            message = "there is no triples map in this mapping"
            self.problems.append(self.places.problem(None, (), message))
        found = []
        for node in nodes:
            made = self._map(node)
            if made is not None:
                found.append(made)
        by_key = {each.key: each for each in found}
        found.sort(key=lambda each: (each.place.line or 0, each.place.column or 0))
        for each in found:
            self._check_joins(each, by_key)
        return [self._without_lost_parents(each, {*by_key}) for each in found]

    def _check_joins(self, made: TriplesMap, by_key: dict[str, TriplesMap]) -> None:
        """Without a condition, the other triples map is about the same rows (R2RML, 8)."""
        for statement in made.statements:
            for each in statement.objects:
                if not isinstance(each, Join) or each.conditions or each.parent not in by_key:
                    continue
                parent = by_key[each.parent]
                if parent.source != made.source:
                    message = f"{made.name}: there is no join condition, but {parent.name} is about"
                    self.problems.append(
                        self.places.problem(
                            made.key,
                            ("parentTriplesMap",),
                            f"{message} another source",
                            "add `rr:joinCondition [ rr:child …; rr:parent … ]`",
                        )
                    )

    def _map(self, node: Node) -> TriplesMap | None:
        before = len(self.problems)
        try:
            source, is_sql = self.sources.read(node)
        except UnreadSourceError:
            source = None
            is_sql = False
        self.terms.is_sql = is_sql
        subject, graphs, classes = self._subject(node)
        statements = [] if classes is None else [classes]
        for each in self.graph.values(node, "predicateObjectMap"):
            made = self._statement(node, each, graphs)
            if made is not None:
                statements.append(made)
        if source is None or subject is None or len(self.problems) > before:
            return None
        name = short_name(str(node)) if is_iri(node) else "Map"
        bases = [str(each) for each in self.graph.values(node, "baseIRI")]
        base = (bases or [self.graph.base])[0]
        place = self.places.spot(self._key(node))
        return TriplesMap(str(node), name, source, subject, tuple(statements), place, base)

    def _subject(self, node: Node) -> tuple[Term | None, tuple[Term, ...], Statement | None]:
        """The subject, its graphs, and the statement about its classes."""
        constants = self.graph.values(node, "subject")
        maps = self.graph.values(node, "subjectMap")
        if len(constants) + len(maps) != 1:
            word = "none" if not constants + maps else "several"
            self.error(node, f"a triples map has one subject map, and this has {word}", "subject")
            return None, (), None
        if constants:
            return self.terms.constant(node, constants[0], "subject"), (), None
        (subject_map,) = maps
        graphs = self._graphs(node, subject_map)
        try:
            subject = self.terms.term(node, subject_map, "subject")
        except LeftOutError:
            subject = None
        classes = self.graph.values(subject_map, "class")
        objects = []
        for each in classes:
            if not is_iri(each):
                self.error(node, "a class is an IRI", str(each))
                continue
            objects.append(Term(Constant(str(each)), "iri", self.places.spot(self._key(node))))
        if not objects:
            return subject, graphs, None
        kind = Term(Constant(f"{RDF}type"), "iri", self.places.spot(self._key(node), "class"))
        return subject, graphs, Statement((kind,), tuple(objects), graphs)

    def _graphs(self, owner: Node, node: Node) -> tuple[Term, ...]:
        """The graphs that a subject map or a predicate-object map names."""
        found: list[Term] = []
        for each in self.graph.values(node, "graph"):
            term = self.terms.constant(owner, each, "graph")
            found += [] if term is None else [term]
        for each in self.graph.values(node, "graphMap"):
            try:
                term = self.terms.term(owner, each, "graph")
            except LeftOutError:
                continue
            found += [] if term is None else [term]
        return tuple(map(_known_graph, found))

    def _statement(
        self, owner: Node, node: Node, subject_graphs: tuple[Term, ...]
    ) -> Statement | None:
        """A predicate-object map; `None` if it has an error, or nothing that is taken over."""
        predicates = self._terms(owner, node, "predicate")
        objects: list[Term | Join] = [*self._terms(owner, node, "object", maps=False)]
        maps = self.graph.values(node, "objectMap")
        for each in maps:
            try:
                if self.graph.values(each, "parentTriplesMap"):
                    join = self._join(owner, each)
                    objects += [] if join is None else [join]
                else:
                    term = self.terms.term(owner, each, "object")
                    objects += [] if term is None else [term]
            except LeftOutError:
                continue
        if not (self.graph.values(node, "predicate") + self.graph.values(node, "predicateMap")):
            self.error(owner, "a predicate-object map has no predicate", "predicateObjectMap")
        if not maps and not self.graph.values(node, "object"):
            self.error(owner, "a predicate-object map has no object", "predicateObjectMap")
        graphs = tuple(dict.fromkeys((*subject_graphs, *self._graphs(owner, node))))
        if not predicates or not objects:
            return None
        return Statement(tuple(predicates), tuple(objects), graphs)

    def _terms(self, owner: Node, node: Node, position: str, maps: bool = True) -> list[Term]:
        found: list[Term] = []
        for each in self.graph.values(node, position):
            term = self.terms.constant(owner, each, position)
            found += [] if term is None else [term]
        for each in self.graph.values(node, f"{position}Map") if maps else ():
            try:
                term = self.terms.term(owner, each, position)
            except LeftOutError:
                continue
            found += [] if term is None else [term]
        return found

    # ------------------------------------------------------------- joins

    def _join(self, owner: Node, node: Node) -> Join | None:
        parents = self.graph.values(node, "parentTriplesMap")
        if len(parents) != 1 or parents[0] not in self.graph.triples_maps():
            name = short_name(str(parents[0]))
            message = "a referencing object map has one parent, which is a triples map"
            self.error(owner, message, name, "parentTriplesMap")
            return None
        conditions: list[tuple[str, str]] = []
        for each in self.graph.values(node, "joinCondition"):
            child, parent = (self._column(owner, each, name) for name in ("child", "parent"))
            if child is not None and parent is not None:
                conditions.append((child, parent))
        if not conditions and self.graph.values(node, "joinCondition"):
            return None
        place = self.places.spot(self._key(owner), "parentTriplesMap")
        return Join(str(parents[0]), tuple(conditions), place)

    def _column(self, owner: Node, node: Node, name: str) -> str | None:
        """The column of one side of a join condition."""
        found = self.graph.values(node, name)
        if not found:
            maps = self.graph.values(node, f"{name}Map")
            found = [value for each in maps for value in self.graph.values(each, "reference")]
            if maps and not found:
                self.note(owner, f"a join with a `{name}Map` that is not a reference", "Map")
                raise LeftOutError
        if len(found) != 1 or not is_literal(found[0]):
            self.error(owner, f"a join condition has one `{name}`", "joinCondition")
            return None
        return self.terms.column(str(found[0]))

    def _without_lost_parents(self, made: TriplesMap, keys: set[str]) -> TriplesMap:
        """The triples map without joins to those that are left out."""
        statements = []
        for statement in made.statements:
            kept = tuple(
                each
                for each in statement.objects
                if not isinstance(each, Join) or each.parent in keys
            )
            for each in statement.objects:
                if each not in kept:
                    self.notes.append(
                        Note("a join with a triples map that is left out", each.place)
                    )
            if kept:
                statements.append(replace(statement, objects=kept))
        return replace(made, statements=tuple(statements))


def _known_graph(term: Term) -> Term:
    """The term of a graph; the default graph has a name of its own."""
    if isinstance(term.expression, Constant) and term.expression.value in _DEFAULT_GRAPHS:
        place = replace(term.place, line=None, column=None)  # all are the same
        return Term(Constant(DEFAULT_GRAPH), "iri", place)
    return term
