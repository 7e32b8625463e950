"""Records as RDF.

In: record batches, the name of their target, and the namespaces of the schema. Out: N-Triples or
Turtle. Records with exactly the fields subject, predicate and object are triples; one that lacks
a part is left out. Of any other target T, record number n is the subject `<base>T/n` with the type
`<base>T`, and every field that is not null is a triple with the predicate `<base>field`.
The texts of a field with the metadata `sculpt.iri: true` are IRIs, those of other fields are
literals, with the XML Schema type for their Arrow type. Each item of a list is an object.
Invariant: records are numbered from 1 over all batches; the same records give the same graph in
both syntaxes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from sculpt.transform.arrow_types import IS_IRI
from sculpt.transform.iris import XSD, Names, blank_node, entity
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

__all__ = ["Names", "RdfWriter", "entity", "n_triples", "turtle"]


class RdfWriter(TextWriter):
    """Writes records in a syntax of RDF."""

    def __init__(
        self, to: Destination, schema: pa.Schema, target: str, names: Names, syntax: Syntax
    ) -> None:
        super().__init__(to)
        self._names, self._syntax = names, syntax
        self._fields = schema.names
        self._iris = {field.name for field in schema if is_iri(field)}
        self._records = names.of_records(target)
        self._kind = syntax.term(names.of_name(target))
        self._predicates = [syntax.term(names.of_name(name)) for name in schema.names]
        self._written = 0

    def opening(self) -> str:
        """See `Syntax`."""
        return self._syntax.opening()

    def closing(self) -> str:
        """See `Syntax`."""
        return self._syntax.closing()

    def rendered(self, piece: pa.RecordBatch) -> memoryview:
        """The triples of some records."""
        objects = {
            name: self._objects(name, column)
            for name, column in zip(self._fields, piece.columns, strict=True)
        }
        if objects.keys() == {"subject", "predicate", "object"}:
            return bytes_of(self._triples(piece, objects["object"]))
        subjects = self._subjects(piece.num_rows)
        fields = list(zip(self._predicates, objects.values(), strict=True))
        return bytes_of(self._syntax.records(subjects, self._kind, fields))

    def _objects(self, name: str, column: pa.Array) -> pa.Array:
        """The terms of a field's values: one per record, or a list of them."""
        render = self._resources if name in self._iris else self._syntax.literals
        if is_list(column.type):
            return item_lists(column, render, empty_is_null=True)
        return over_values(column, render)

    def _triples(self, piece: pa.RecordBatch, objects: pa.Array) -> pa.StringArray:
        import pyarrow.compute as pc

        subjects = over_values(piece.column("subject"), self._resources)
        predicates = over_values(piece.column("predicate"), self._predicate_terms)
        whole = pc.and_(
            pc.is_valid(subjects), pc.and_(pc.is_valid(predicates), pc.is_valid(objects))
        )
        if pc.all(whole).as_py():
            return self._syntax.triples(subjects, predicates, objects)
        parts = [array.filter(whole) for array in (subjects, predicates, objects)]
        return self._syntax.triples(*parts)

    def _subjects(self, count: int) -> pa.StringArray:
        import pyarrow as pa

        first = self._written + 1
        self._written += count
        numbers = texts_of(pa.array(range(first, first + count), pa.int64()))
        return joined(f"<{self._records}", numbers, ">")

    def _resources(self, values: pa.Array) -> pa.StringArray:
        return _once_each(texts_of(values), lambda text: resource(text, self._names, self._syntax))

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


def n_triples(to: Destination, schema: pa.Schema, target: str, names: Names) -> RdfWriter:
    """A writer of N-Triples."""
    return RdfWriter(to, schema, target, names, NTriples())


def turtle(to: Destination, schema: pa.Schema, target: str, names: Names) -> RdfWriter:
    """A writer of Turtle."""
    prefixes = names.prefixes()
    if any(not is_iri(field) and xsd_type(field.type) is not None for field in schema):
        prefixes.setdefault("xsd", XSD)
    return RdfWriter(to, schema, target, names, Turtle(prefixes))
