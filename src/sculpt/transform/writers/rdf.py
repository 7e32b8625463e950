"""Records as RDF.

In: record batches, the name of their target, and the namespaces of the schema. Out: N-Triples,
N-Quads or Turtle. Records with exactly the fields subject, predicate and object are triples; one
that lacks a part is left out. Other records with a field `subject` of IRIs are about it: every
other field that is not null is a triple. In both, a field `graph` of IRIs says in which graph the
triples are; null is the default graph. Of any other target T, record number n is the subject
`<base>T/n` with the type `<base>T`. The predicate of a field is the IRI or the prefixed name that
it is called by, or else `<base>field`. The metadata of a field says what its texts are
(`arrow_types`): IRIs, or literals with a language or a type; other values are literals with the XML
Schema type for their Arrow type. Each item of a list is an object.
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
    over_values,
    texts_of,
)
from sculpt.transform.writers.terms import Terms, array_of
from sculpt.transform.writers.triples import NTriples, Syntax, Turtle, xsd_type
from sculpt.transform.writers.writer import Destination, TextWriter

if TYPE_CHECKING:
    import pyarrow as pa

    from sculpt.transform.writers.terms import Objects

__all__ = ["Names", "RdfWriter", "entity", "n_quads", "n_triples", "turtle"]

_ROWS = 1 << 13
"""How many records are rendered at once: their lines fit a processor's cache."""
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

    def write(self, batch: pa.RecordBatch) -> None:
        """See `Writer`; a few records at a time, as each becomes several lines."""
        for start in range(0, batch.num_rows, _ROWS):
            super().write(batch.slice(start, _ROWS))
        if not batch.num_rows:
            super().write(batch)

    def opening(self) -> str:
        """See `Syntax`."""
        return self._syntax.opening()

    def closing(self) -> str:
        """See `Syntax`."""
        return self._syntax.closing()

    def rendered(self, piece: pa.RecordBatch) -> memoryview:
        """The triples of some records."""
        count = piece.num_rows
        columns = dict(zip(self._fields, piece.columns, strict=True))
        kind, graphs = None, None
        if self._shape is Shape.NUMBERED:
            subjects, kind = self._numbered(count), self._kind
        else:
            graph = columns.pop("graph") if self._has_graphs else None
            graphs = None if graph is None else _terms_of(graph, self._resources)
            if self._shape is Shape.TRIPLES:
                return bytes_of(self._triples(columns, graphs, count))
            subjects = _terms_of(columns.pop("subject"), self._resources)
        fields = [
            (self._predicates[name], self._objects(name, column))
            for name, column in columns.items()
        ]
        return bytes_of(self._syntax.records(subjects, kind, fields, graphs, count))

    def _objects(self, name: str, column: pa.Array) -> Objects:
        """The terms of a field's values: one per record, or a list of them."""
        render = self._renders[name]
        if is_list(column.type):
            return item_lists(
                column, lambda items: render(items).array(len(items)), empty_is_null=True
            )
        return _terms_of(column, render)

    def _render_of(self, field: pa.Field) -> Callable[[pa.Array], Terms]:
        """What makes terms of the values of a field."""
        known = field.metadata or {}
        if is_iri(field):
            return self._resources
        if LANGUAGE in known:
            suffix = f"@{known[LANGUAGE].decode()}"
        elif DATATYPE in known and known[DATATYPE] != _STRING:
            suffix = f"^^{self._syntax.term(escaped(known[DATATYPE].decode()))}"
        else:
            return self._syntax.literal_terms
        return lambda values: self._syntax.literal_terms(values, suffix)

    def _triples(
        self, columns: dict[str, pa.Array], graphed: Terms | None, count: int
    ) -> pa.StringArray:
        import pyarrow.compute as pc

        subjects = _terms_of(columns["subject"], self._resources).array(count)
        predicates = over_values(columns["predicate"], self._predicate_terms)
        objects = array_of(self._objects("object", columns["object"]), count)
        graphs = None if graphed is None else graphed.array(count)
        whole = pc.and_(
            pc.is_valid(subjects), pc.and_(pc.is_valid(predicates), pc.is_valid(objects))
        )
        if not pc.all(whole).as_py():
            subjects, predicates = subjects.filter(whole), predicates.filter(whole)
            objects = objects.filter(whole)
            graphs = None if graphs is None else graphs.filter(whole)
        return self._syntax.triples(subjects, predicates, objects, graphs)

    def _numbered(self, count: int) -> Terms:
        import pyarrow as pa

        first = self._written + 1
        self._written += count
        numbers = texts_of(pa.array(range(first, first + count), pa.int64()))
        return Terms(f"<{self._records}", numbers, ">")

    def _resources(self, values: pa.Array) -> Terms:
        def render(texts: pa.StringArray) -> pa.StringArray:
            return _once_each(texts, lambda text: resource(text, self._names, self._syntax))

        return self._syntax.resources(texts_of(values), render)

    def _predicate_terms(self, values: pa.Array) -> pa.StringArray:
        return _once_each(
            texts_of(values), lambda text: self._syntax.term(self._names.of_text(text))
        )


def _terms_of(column: pa.Array, render: Callable[[pa.Array], Terms]) -> Terms:
    """The terms of a column; of a dictionary, once for each of its entries."""
    import pyarrow as pa

    if not pa.types.is_dictionary(column.type):
        return render(column)
    if len(column.dictionary) == 1 and not column.null_count:
        text: str | None = render(column.dictionary).array(1)[0].as_py()
        if text is not None:
            return Terms(text, None)
    return Terms("", over_values(column, lambda values: render(values).array(len(values))))


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
