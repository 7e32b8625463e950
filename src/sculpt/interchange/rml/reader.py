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
    Condition,
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
from sculpt.interchange.rml.terms import Names
from sculpt.interchange.rml.vocabulary import NAMESPACES, RDF, short_name
from sculpt.origins import Note, Spot
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
    read = {each.key for each in maps}
    left = [note for key, notes in reader.notes.items() if key not in read for note in notes]
    return Mapping(tuple(maps), prefixes, tuple(left))


class _Reader:
    def __init__(self, document: TextDocument) -> None:
        self.graph = RmlGraph(document)
        self.places = Places(document, self.graph)
        self.names = Names(self.graph.prefixes.items())
        self.problems: list[Diagnostic] = []
        self.notes: dict[str, list[Note]] = {}
        """By triples map: what of it is not taken over."""
        self.same_row: list[tuple[Node, Node, str]] = []
        """Joins without a condition: the triples map, the object map, the other triples map."""
        self.sources = Sources(self.graph, self.error, self.note)
        self.terms = TermMaps(self.graph, self.places, self.error, self.note)

    # ------------------------------------------------------------- what is said

    def error(
        self,
        owner: Node,
        message: str,
        node: Node | None = None,
        name: str = "",
        value: str | None = None,
        hint: str | None = None,
    ) -> None:
        """Report an error in a triples map, at what a property says about a node."""
        span = self.places.span(owner, node, name, value)
        self.problems.append(self.places.problem(span, _named(owner, message), hint))

    def note(self, owner: Node, what: str, node: Node | None = None, name: str = "") -> None:
        """Note what is not taken over."""
        note = Note(_named(owner, what), self.places.spot(owner, node, name))
        self.notes.setdefault(str(owner), []).append(note)

    def left_out(self, owner: Node, what: str, error: LeftOutError) -> None:
        """Note a term that is not taken over; `what` is made of it."""
        self.note(owner, f"{what} {error.why}", error.node, error.name)

    # ------------------------------------------------------------- triples maps

    def maps(self) -> list[TriplesMap]:
        """All triples maps; those with errors or notes about their source are left out."""
        nodes = self.graph.triples_maps()
        if not nodes:
            message = "there is no triples map in this mapping"
            self.problems.append(self.places.problem(self.places.span(None), message))
        found = []
        for node in nodes:
            made = self._map(node)
            if made is not None:
                found.append(made)
        by_key = {each.key: each for each in found}
        found.sort(key=lambda each: (each.place.line or 0, each.place.column or 0))
        self._check_same_rows(by_key)
        return [self._finished(each, {*by_key}) for each in found]

    def _check_same_rows(self, by_key: dict[str, TriplesMap]) -> None:
        """Without a condition, the other triples map is about the same rows (R2RML, 8)."""
        for owner, node, parent in self.same_row:
            made, other = by_key.get(str(owner)), by_key.get(parent)
            if made is not None and other is not None and made.source != other.source:
                message = f"there is no join condition, but {other.name} is about another source"
                hint = "add `rr:joinCondition [ rr:child …; rr:parent … ]`"
                self.error(owner, message, node, "parentTriplesMap", hint=hint)

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
        place = self.places.spot(node)
        return TriplesMap(str(node), name, source, subject, tuple(statements), place, base)

    def _subject(self, node: Node) -> tuple[Term | None, tuple[Term, ...], Statement | None]:
        """The subject, its graphs, and the statement about its classes."""
        constants = self.graph.values(node, "subject")
        maps = self.graph.values(node, "subjectMap")
        if len(constants) + len(maps) != 1:
            word = "none" if not constants + maps else "several"
            name = "subjectMap" if maps else "subject"
            message = f"a triples map has one subject map, and this has {word}"
            self.error(node, message, node, name)
            return None, (), None
        if constants:
            constant = self.terms.constant(node, node, "subject", constants[0], "subject")
            return constant, (), None
        (subject_map,) = maps
        graphs = self._graphs(node, subject_map)
        try:
            subject = self.terms.term(node, subject_map, "subject")
        except LeftOutError as error:
            self.left_out(node, "the triples map, with a subject", error)
            subject = None
        classes = self.graph.values(subject_map, "class")
        objects = []
        for each in classes:
            if not is_iri(each):
                self.error(node, "a class is an IRI", subject_map, "class", str(each))
                continue
            place = self.places.spot(node, subject_map, "class", str(each))
            objects.append(Term(Constant(str(each)), "iri", place))
        if not objects:
            return subject, graphs, None
        place = self.places.spot(node, subject_map, "class")
        kind = Term(Constant(f"{RDF}type"), "iri", place)
        return subject, graphs, Statement((kind,), tuple(objects), graphs)

    def _graphs(self, owner: Node, node: Node) -> tuple[Term, ...]:
        """The graphs that a subject map or a predicate-object map names."""
        return tuple(map(_known_graph, self._terms(owner, node, "graph", "a graph")))

    def _statement(
        self, owner: Node, node: Node, subject_graphs: tuple[Term, ...]
    ) -> Statement | None:
        """A predicate-object map; `None` if it has an error, or nothing that is taken over."""
        predicates = self._terms(owner, node, "predicate", "a predicate")
        what = self._objects_of(predicates)
        objects: list[Term | Join] = [*self._terms(owner, node, "object", what, maps=False)]
        maps = self.graph.values(node, "objectMap")
        for each in maps:
            try:
                if self.graph.values(each, "parentTriplesMap"):
                    join = self._join(owner, each)
                    objects += [] if join is None else [join]
                else:
                    term = self.terms.term(owner, each, "object")
                    objects += [] if term is None else [term]
            except LeftOutError as error:
                self.left_out(owner, what, error)
        if not (self.graph.values(node, "predicate") + self.graph.values(node, "predicateMap")):
            self.error(owner, "a predicate-object map has no predicate", node)
        if not maps and not self.graph.values(node, "object"):
            self.error(owner, "a predicate-object map has no object", node)
        graphs = tuple(dict.fromkeys((*subject_graphs, *self._graphs(owner, node))))
        if not predicates or not objects:
            return None
        return Statement(tuple(predicates), tuple(objects), graphs)

    def _objects_of(self, predicates: list[Term]) -> str:
        """What notes call an object of some predicates."""
        names = [
            f"`{self.names.short(each.expression.value)}`"
            for each in predicates
            if isinstance(each.expression, Constant)
        ]
        return f"an object of {' and '.join(names)}" if names else "an object"

    def _terms(
        self, owner: Node, node: Node, position: str, what: str, maps: bool = True
    ) -> list[Term]:
        """The terms that a node has at a position; `what` is what notes call one."""
        found: list[Term] = []
        for each in self.graph.values(node, position):
            term = self.terms.constant(owner, node, position, each, position)
            found += [] if term is None else [term]
        for each in self.graph.values(node, f"{position}Map") if maps else ():
            try:
                term = self.terms.term(owner, each, position)
            except LeftOutError as error:
                self.left_out(owner, what, error)
                continue
            found += [] if term is None else [term]
        return found

    # ------------------------------------------------------------- joins

    def _join(self, owner: Node, node: Node) -> Join | None:
        parents = self.graph.values(node, "parentTriplesMap")
        if len(parents) != 1 or parents[0] not in self.graph.triples_maps():
            message = "a referencing object map has one parent, which is a triples map"
            self.error(owner, message, node, "parentTriplesMap")
            return None
        conditions: list[Condition] = []
        for each in self.graph.values(node, "joinCondition"):
            child, parent = (self._column(owner, each, name) for name in ("child", "parent"))
            if child is not None and parent is not None:
                conditions.append(Condition(child[0], parent[0], child[1], parent[1]))
        if not conditions and self.graph.values(node, "joinCondition"):
            return None
        if not conditions:
            self.same_row.append((owner, node, str(parents[0])))
        place = self.places.spot(owner, node, "parentTriplesMap")
        return Join(str(parents[0]), tuple(conditions), place)

    def _column(self, owner: Node, node: Node, name: str) -> tuple[str, Spot] | None:
        """The column of one side of a join condition, and its place."""
        said = [(node, name, value) for value in self.graph.values(node, name)]
        maps = self.graph.values(node, f"{name}Map")
        if not said:
            said = [
                (each, "reference", value)
                for each in maps
                for value in self.graph.values(each, "reference")
            ]
            if maps and not said:
                why = f"that is joined by a `{name}Map` without a reference"
                raise LeftOutError(why, node, f"{name}Map")
        if len(said) != 1 or not is_literal(said[0][2]):
            self.error(owner, f"a join condition has one `{name}`", node, name)
            return None
        ((there, word, value),) = said
        return self.terms.column(str(value)), self.places.spot(owner, there, word)

    def _finished(self, made: TriplesMap, keys: set[str]) -> TriplesMap:
        """The triples map with its notes, and without joins to those that are left out."""
        notes = [*self.notes.get(made.key, ())]
        statements = []
        for statement in made.statements:
            kept = tuple(
                each
                for each in statement.objects
                if not isinstance(each, Join) or each.parent in keys
            )
            for each in statement.objects:
                if each not in kept:
                    what = self._objects_of([*statement.predicates])
                    message = f"{made.name}: {what}, whose triples map is left out"
                    notes.append(Note(message, each.place))
            if kept:
                statements.append(replace(statement, objects=kept))
        return replace(made, statements=tuple(statements), notes=tuple(notes))


def _named(owner: Node, message: str) -> str:
    """A message about a triples map, with its name if it has one."""
    return f"{short_name(str(owner))}: {message}" if is_iri(owner) else message


def _known_graph(term: Term) -> Term:
    """The term of a graph; the default graph has a name of its own."""
    if isinstance(term.expression, Constant) and term.expression.value in _DEFAULT_GRAPHS:
        return Term(Constant(DEFAULT_GRAPH), "iri", term.place)
    return term
