"""Records as RDF.

In: record batches, the name of their target, and the namespaces of the schema. Out: N-Triples,
N-Quads or Turtle. Records with exactly the fields subject, predicate and object are triples; one
that lacks a part is left out. Other records with a field `subject` of IRIs are about it: every
other field that is not null is a triple. In both, a field `graph` of IRIs says in which graph the
triples are; null is the default graph. Of any other target T, record number n is the subject `<base>T/n` with the type
`<base>T`. The predicate of a field is the IRI or the prefixed name that it is called by, or
else `<base>field`. The metadata of a field says what its texts are (`arrow_types`): IRIs, or
literals with a language or a type; other values are literals with the XML Schema type for their
Arrow type. Each item of a list is an object.
Invariant: records are numbered from 1 over all batches; the same records give the same graph in
all syntaxes. Cost: Arrow kernels; Python sees each different IRI that is not plain ASCII once.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum, auto
from typing import TYPE_CHECKING

from sculpt.errors import UsageError
from sculpt.transform.arrow_types import DATATYPE, IS_IRI, LANGUAGE
from sculpt.transform.iris import XSD, Names, blank_node, entity, escaped
from sculpt.transform.writers.rendering import (
    bytes_of,
    each,
    is_list,
    item_lists,
    joined,
    over_values,
    texts_of,
)
from sculpt.transform.writers.triples import NTriples, Syntax, Turtle, xsd_type
from sculpt.transform.writers.writer import Destination, TextWriter

if TYPE_CHECKING:
    import pyarrow as pa

    from sculpt.transform.writers.rendering import Render

__all__ = ["Names", "RdfWriter", "entity", "n_quads", "n_triples", "turtle"]

_STRING = f"{XSD}string".encode()
"""The type of literals that need no type."""


class RdfWriter(TextWriter):
    """Writes records in a syntax of RDF."""

    def __init__(
        self, to: Destination, schema: pa.Schema, target: str, names: Names, syntax: Syntax
    ) -> None:
        super().__init__(to)
        self._names, self._syntax = names, syntax
        self._fields = schema.names
        self._renders = {field.name: self._render_of(field) for field in schema}
        self._shape, self._has_graphs = shape_of(schema), has_graphs(schema)
        self._records = names.of_records(target)
        self._kind = syntax.term(names.of_name(target))
        self._predicates = {name: syntax.term(names.of_field(name)) for name in schema.names}
        self._written = 0

    def opening(self) -> str:
        """See `Syntax`."""
        return self._syntax.opening()

    def closing(self) -> str:
        """See `Syntax`."""
        return self._syntax.closing()

    def rendered(self, piece: pa.RecordBatch) -> memoryview:
        """The triples of some records."""
        columns = dict(zip(self._fields, piece.columns, strict=True))
        if self._shape is Shape.NUMBERED:
            subjects, kind, graphs = self._subjects(piece.num_rows), self._kind, None
        else:
            graph = columns.pop("graph") if self._has_graphs else None
            graphs = None if graph is None else over_values(graph, self._resources)
            if self._shape is Shape.TRIPLES:
                return bytes_of(self._triples(columns, graphs))
            subjects, kind = over_values(columns.pop("subject"), self._resources), None
        fields = [
            (self._predicates[name], self._objects(name, column))
            for name, column in columns.items()
        ]
        return bytes_of(self._syntax.records(subjects, kind, fields, graphs))

    def _objects(self, name: str, column: pa.Array) -> pa.Array:
        """The terms of a field's values: one per record, or a list of them."""
        render = self._renders[name]
        if is_list(column.type):
            return item_lists(column, render, empty_is_null=True)
        return over_values(column, render)

    def _render_of(self, field: pa.Field) -> Render:
        """What makes terms of the values of a field."""
        known = field.metadata or {}
        if is_iri(field):
            return self._resources
        if LANGUAGE in known:
            suffix = f"@{known[LANGUAGE].decode()}"
        elif DATATYPE in known and known[DATATYPE] != _STRING:
            suffix = f"^^{self._syntax.term(escaped(known[DATATYPE].decode()))}"
        else:
            return self._syntax.literals
        return lambda values: self._syntax.literals(values, suffix)

    def _triples(
        self, columns: dict[str, pa.Array], graphs: pa.StringArray | None
    ) -> pa.StringArray:
        import pyarrow.compute as pc

        subjects = over_values(columns["subject"], self._resources)
        predicates = over_values(columns["predicate"], self._predicate_terms)
        objects = self._objects("object", columns["object"])
        whole = pc.and_(
            pc.is_valid(subjects), pc.and_(pc.is_valid(predicates), pc.is_valid(objects))
        )
        if not pc.all(whole).as_py():
            subjects, predicates = subjects.filter(whole), predicates.filter(whole)
            objects = objects.filter(whole)
            graphs = None if graphs is None else graphs.filter(whole)
        return self._syntax.triples(subjects, predicates, objects, graphs)

    def _subjects(self, count: int) -> pa.StringArray:
        import pyarrow as pa

        first = self._written + 1
        self._written += count
        numbers = texts_of(pa.array(range(first, first + count), pa.int64()))
        return joined(f"<{self._records}", numbers, ">")

    def _resources(self, values: pa.Array) -> pa.StringArray:
        def render(texts: pa.StringArray) -> pa.StringArray:
            return _once_each(texts, lambda text: resource(text, self._names, self._syntax))

        return self._syntax.resources(texts_of(values), render)

    def _predicate_terms(self, values: pa.Array) -> pa.StringArray:
        return _once_each(
            texts_of(values), lambda text: self._syntax.term(self._names.of_text(text))
        )


def _once_each(texts: pa.StringArray, render: Callable[[str], str]) -> pa.StringArray:
    """Texts rendered in Python, once for each distinct text."""
    return over_values(texts.dictionary_encode(), each(render))


def resource(text: str, names: Names, syntax: Syntax) -> str:
    """The term of a text that is not a literal: a blank node, or an IRI."""
    if text.startswith("_:"):
        return blank_node(text[2:])
    return syntax.term(names.of_text(text))


def is_iri(field: pa.Field) -> bool:
    """Are the texts of a field IRIs?"""
    return (field.metadata or {}).items() >= IS_IRI.items()


class Shape(Enum):
    """What the records of a target say in RDF."""

    TRIPLES = auto()
    """They are triples, perhaps in a graph: they have a subject, a predicate and an object."""
    SUBJECTS = auto()
    """Each is about a subject, perhaps in a graph: the other fields are predicates."""
    NUMBERED = auto()
    """Each is a subject with a number; its target is the type."""


def shape_of(schema: pa.Schema) -> Shape:
    """What the records of a target say in RDF, by the names of their fields."""
    names = {*schema.names} - ({"graph"} if has_graphs(schema) else set())
    if names == {"subject", "predicate", "object"}:
        return Shape.TRIPLES
    is_about = "subject" in names and is_iri(schema.field("subject"))
    return Shape.SUBJECTS if is_about else Shape.NUMBERED


def has_graphs(schema: pa.Schema) -> bool:
    """Does a field say in which graph a triple is?"""
    return "graph" in schema.names and is_iri(schema.field("graph"))


def _without_graphs(schema: pa.Schema, target: str, syntax: str) -> None:
    """Refuse a syntax that cannot say in which graph a triple is."""
    if has_graphs(schema) and shape_of(schema) is not Shape.NUMBERED:
        raise UsageError(
            f"the records of `{target}` are in graphs, which {syntax} cannot express;"
            " use the format `nquads`, or a name that ends in `.nq`"
        )


def n_triples(to: Destination, schema: pa.Schema, target: str, names: Names) -> RdfWriter:
    """A writer of N-Triples."""
    _without_graphs(schema, target, "N-Triples")
    return RdfWriter(to, schema, target, names, NTriples())


def n_quads(to: Destination, schema: pa.Schema, target: str, names: Names) -> RdfWriter:
    """A writer of N-Quads."""
    return RdfWriter(to, schema, target, names, NTriples())


def turtle(to: Destination, schema: pa.Schema, target: str, names: Names) -> RdfWriter:
    """A writer of Turtle."""
    _without_graphs(schema, target, "Turtle")
    prefixes = names.prefixes()
    if any(not is_iri(field) and xsd_type(field.type) is not None for field in schema):
        prefixes.setdefault("xsd", XSD)
    return RdfWriter(to, schema, target, names, Turtle(prefixes))
