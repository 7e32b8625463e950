"""A DSPL dataset as Sculpt schemas: one for each table, and the references between them.

In: an XML document. Out: a `Package`. A table's schema says what the published checker of DSPL
looks at: headings, numbers of cells, types; ids of concepts that are there and unique; dimensions
that are there and unique together; rows of one combination of the other dimensions that are
adjacent. What ties the tables together: each value of a dimension is an instance of its concept.

Invariant: a dataset that contradicts itself raises `SchemaError` with all contradictions. Cost:
linear.
"""

from __future__ import annotations

from collections.abc import Iterable

from sculpt.diagnostics import Diagnostic, in_order
from sculpt.errors import SchemaError
from sculpt.interchange.access import Access
from sculpt.interchange.builder import NamePool, SchemaBuilder
from sculpt.interchange.documents import Element, XmlDocument
from sculpt.interchange.dspl.grammar import NAMESPACE, shape_problems
from sculpt.interchange.dspl.meaning import column_of, meaning_problems
from sculpt.interchange.dspl.model import Concept, Dataset, Name, dataset_of
from sculpt.interchange.dspl.tables import TableWriter
from sculpt.interchange.model import Note, Origin, Package, TableText


def recognises(document: XmlDocument) -> bool:
    """Is a document a DSPL dataset?"""
    return document.root.tag == f"{{{NAMESPACE}}}dspl"


def read(document: XmlDocument, access: Access) -> Package:
    """The schemas of a dataset. Nothing else is read: imported datasets are known by name."""
    if not recognises(document):
        hint = "`sculpt import --help` lists what can be read"
        message = f"the root is `{document.root.local}`, not the `dspl` of {NAMESPACE}"
        _refuse(document, [document.problem("foreign-syntax", document.root, message, hint)])
    _refuse(document, shape_problems(document))
    dataset = dataset_of(document.root)
    _refuse(document, meaning_problems(document, dataset))
    return _Importer(document, dataset).package()


def _refuse(document: XmlDocument, problems: Iterable[Diagnostic]) -> None:
    found = in_order(problems)
    if found:
        raise SchemaError(tuple(found), (document.name,))


class _Importer:
    def __init__(self, document: XmlDocument, dataset: Dataset) -> None:
        self.document = document
        self.dataset = dataset
        self.writers: dict[str, TableWriter] = {}
        self.notes: dict[str, Note] = {}

    def package(self) -> Package:
        names = NamePool()
        for table in self.dataset.tables:
            if table.file is not None:
                name = names.name(table.id, "table")
                self.writers[table.id] = TableWriter(self.document, self.dataset, table, name)
        title = self.dataset.title
        tie = SchemaBuilder(f"The tables of the dataset {title}" if title else "A dataset")
        for concept in self.dataset.concepts:
            self.write_concept(concept, tie)
        for each in self.dataset.slices:
            writer = self.writers.get("" if each.table is None else each.table.table)
            if writer is None or each.table is None:
                self.note(each.element, f"the slice `{each.id}` has no file")
                continue
            writer.slice(each, each.table)
            for use in each.dimensions:
                column = writer.region(column_of(each.table, use.concept))
                construct = f'slice "{each.id}", dimension "{use.concept.text}"'
                self.refer(writer, column, use.concept, use.element, construct, tie)
        tables = tuple(writer.build() for writer in self.writers.values())
        return Package("dspl", tables, self.tie(tie), tuple(self.notes.values()))

    def tie(self, builder: SchemaBuilder) -> TableText | None:
        """What is between tables; the only table of a dataset needs none."""
        built = builder.build("dataset")
        return built if built.origins or len(self.writers) != 1 else None

    def write_concept(self, concept: Concept, tie: SchemaBuilder) -> None:
        use = concept.table
        writer = self.writers.get("" if use is None else use.table)
        if use is None or writer is None:
            return
        writer.concept(concept, use)
        for each in concept.properties:
            if each.concept is None:
                continue
            mapped = [column for name, column, _ in use.properties if name == each.id]
            for column_id in mapped or [each.id]:
                construct = f'concept "{concept.id}", property "{each.id}"'
                region = writer.region(column_id)
                self.refer(writer, region, each.concept, each.element, construct, tie)

    def refer(
        self,
        writer: TableWriter,
        region: str | None,
        name: Name,
        element: Element,
        construct: str,
        tie: SchemaBuilder,
    ) -> None:
        """Each value of a column is an instance of a concept, if the concept has a table here."""
        if region is None:
            return
        concept = self.dataset.concept(name)
        if concept is None or concept.table is None:
            chain = self.dataset.ancestors(name)
            if chain[-1].is_external and not any(each.is_time for each in chain):
                self.external(chain[-1], element)
            return
        target = self.writers.get(concept.table.table)
        column = (
            None if target is None else target.region(concept.table.concept_column or name.local)
        )
        if target is None or column is None:
            self.note(element, f"the values of the concept `{concept.id}` are not in a file")
            return
        place = self.document.spot(element)
        tie.reference(
            f"{writer.name}({region} and Text)",
            f"{target.name}({column} and Text)",
            Origin(construct, place, "bad-reference"),
            several=True,
        )

    def external(self, name: Name, element: Element) -> None:
        self.note(
            element,
            f"the values of `{name.text}` are not checked: other datasets are known by name only",
        )

    def note(self, element: Element, message: str) -> None:
        self.notes.setdefault(message, Note(message, self.document.spot(element)))
