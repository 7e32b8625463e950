"""The annotations of cells, as JSON or as RDF.

In: record batches with the columns of `schema`, in the order of the tables, so that the annotations
of a cell and the cells of a file are together. Out: a JSON document with the cells of each file
by their fragments (RFC 7111, `#cell=row,column`), or N-Triples or Turtle.
In RDF the subject is the entity of the cell, or the cell itself if it has no namespace. An
annotation of two words that are both prefixed names or `<IRI>`s is a predicate and an object; any
other is a comment. An entity without annotations has no triple.
Invariant: only the current cell is kept between batches, so memory is that of a batch.
Cost: a few microseconds per annotation, in Python; annotations are for people to read.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote

from sculpt.transform.iris import RDFS, Names, entity, escaped_part
from sculpt.transform.writers.json_records import json_text
from sculpt.transform.writers.rendering import bytes_of
from sculpt.transform.writers.triples import NTriples, Syntax, Turtle
from sculpt.transform.writers.writer import Destination, TextWriter

if TYPE_CHECKING:
    import pyarrow as pa


class Annotation(NamedTuple):
    """An annotation of a cell; one without a text only says that the cell is an entity."""

    file: str | None
    row: int
    column: int
    content: str | None
    namespace: str | None
    text: str | None


def schema() -> pa.Schema:
    """The columns of a batch of annotations."""
    import pyarrow as pa

    return pa.schema(
        [
            ("file", pa.string()),
            ("row", pa.int64()),
            ("column", pa.int64()),
            ("content", pa.string()),
            ("namespace", pa.string()),
            ("text", pa.string()),
        ]
    )


def annotations_of(batch: pa.RecordBatch) -> Iterator[Annotation]:
    """The annotations in a batch."""
    columns = [batch.column(name).to_pylist() for name in Annotation._fields]
    return map(Annotation._make, zip(*columns, strict=True))


class AnnotationJsonWriter(TextWriter):
    """Writes `{"files": [{"path": …, "cells": {"#cell=9,2": {…}}}]}`.

    The `entity` of a cell in several namespaces is that of the first; all are its `entities`.
    """

    def __init__(self, to: Destination, names: Names) -> None:
        super().__init__(to)
        self._names = names
        self._cell: list[Annotation] = []
        self._is_first_cell = self._is_first_file = True

    def opening(self) -> str:
        """The start of the list of files."""
        return '{"files": ['

    def rendered(self, piece: pa.RecordBatch) -> memoryview:
        """The complete cells; the last one may continue in the next batch."""
        parts: list[str] = []
        for annotation in annotations_of(piece):
            if self._cell and self._cell[0][:3] != annotation[:3]:
                parts.append(self._cell_text(ends_file=self._cell[0].file != annotation.file))
            self._cell.append(annotation)
        return memoryview("".join(parts).encode())

    def closing(self) -> str:
        """The last cell, and the end of the list of files."""
        return (self._cell_text(ends_file=True) if self._cell else "") + "\n]}\n"

    def _cell_text(self, *, ends_file: bool) -> str:
        """The text of the current cell, which is then forgotten."""
        first = self._cell[0]
        before = ","
        if self._is_first_cell:
            comma = "" if self._is_first_file else ","
            before = f'{comma}\n{{"path": {json_text(first.file)}, "cells": {{'
        text = f'{before}\n"#cell={first.row},{first.column}": {self._facts()}'
        self._cell.clear()
        self._is_first_cell, self._is_first_file = ends_file, False
        return text + ("\n}}" if ends_file else "")

    def _facts(self) -> str:
        facts: dict[str, object] = {}
        entities = {
            self._names.absolute(entity(each.namespace, each.content or "")): None
            for each in self._cell
            if each.namespace is not None
        }
        if entities:
            facts["entity"] = next(iter(entities))
        if len(entities) > 1:
            facts["entities"] = list(entities)
        facts["annotations"] = [each.text for each in self._cell if each.text is not None]
        return json_text(facts)


class AnnotationRdfWriter(TextWriter):
    """Writes the triples of annotations.

    `base` is what the IRIs of files start with; without one they are `file://` IRIs.
    """

    def __init__(
        self, to: Destination, names: Names, syntax: Syntax, base: str | None = None
    ) -> None:
        super().__init__(to)
        self._names, self._syntax, self._base = names, syntax, base
        self._cell: list[Annotation] = []
        self._comment = syntax.term(RDFS + "comment")

    def opening(self) -> str:
        """See `Syntax`."""
        return self._syntax.opening()

    def closing(self) -> str:
        """The last cell; see `Syntax`."""
        return "".join(self._triples(self._ended()).to_pylist()) + self._syntax.closing()

    def rendered(self, piece: pa.RecordBatch) -> memoryview:
        """The triples of the complete cells; the last one may continue in the next batch."""
        ended: list[Annotation] = []
        for annotation in annotations_of(piece):
            if self._cell and self._cell[0][:3] != annotation[:3]:
                ended += self._ended()
            self._cell.append(annotation)
        return bytes_of(self._triples(ended))

    def _ended(self) -> list[Annotation]:
        """The annotations of the current cell, which is then forgotten.

        An annotation without a namespace is about the first entity of the cell.
        """
        cell, self._cell = self._cell, []
        first = next((each.namespace for each in cell if each.namespace is not None), None)
        return [
            each._replace(namespace=first if each.namespace is None else each.namespace)
            for each in cell
            if each.text is not None
        ]

    def _triples(self, annotations: list[Annotation]) -> pa.StringArray:
        import pyarrow as pa

        subjects, predicates, objects = [], [], []
        texts = pa.array([each.text for each in annotations], pa.string())
        literals = self._syntax.literals(texts).to_pylist()
        for annotation, literal in zip(annotations, literals, strict=True):
            assert annotation.text is not None
            subjects.append(self._syntax.term(self._subject(annotation)))
            relation = self._relation(annotation.text)
            predicates.append(self._comment if relation is None else relation[0])
            objects.append(literal if relation is None else relation[1])
        terms = [pa.array(column, pa.string()) for column in (subjects, predicates, objects)]
        return self._syntax.triples(*terms)

    def _subject(self, annotation: Annotation) -> str:
        if annotation.namespace is not None:
            return self._names.absolute(entity(annotation.namespace, annotation.content or ""))
        file = file_iri(annotation.file or "-", self._base)
        return self._names.absolute(f"{file}#cell={annotation.row},{annotation.column}")

    def _relation(self, text: str) -> tuple[str, str] | None:
        """The predicate and the object of a text that is two IRIs."""
        iris = [self._names.of_reference(word) for word in text.split()]
        match iris:
            case [str(predicate), str(object_)]:
                return self._syntax.term(predicate), self._syntax.term(object_)
            case _:
                return None


@lru_cache(maxsize=16)
def file_iri(file: str, base: str | None) -> str:
    """The IRI of a file: below a base, or its location."""
    if base is not None:
        separator = "" if base.endswith(("/", "#", ":")) else "/"
        return base + separator + quote(file.lstrip("/"))
    if "://" in file:
        return escaped_part(file)
    return Path(file).absolute().as_uri()


def annotation_syntax(names: Names, *, is_turtle: bool) -> Syntax:
    """The syntax of a document of annotations."""
    return Turtle({"rdfs": RDFS} | names.prefixes()) if is_turtle else NTriples()
