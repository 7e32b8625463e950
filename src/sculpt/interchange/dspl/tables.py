"""The schema of one table of a DSPL dataset.

In: the table, and the concepts and slices that use it. Out: a `TableText`. Columns are found by
their headings in the first row, in any order, as DSPL finds them. Each construct is a statement
of its own, and a statement about values looks only at cells that have a text: a blank metric is
valid.
"""

from __future__ import annotations

from sculpt.interchange.builder import SchemaBuilder, literal
from sculpt.interchange.documents import Element, XmlDocument
from sculpt.interchange.dspl.formats import read_format
from sculpt.interchange.dspl.meaning import column_of
from sculpt.interchange.dspl.model import Column, Concept, Dataset, Slice, Table, TableUse
from sculpt.interchange.model import Note, Origin, TableText

_EXPRESSIONS = {
    "integer": "-?[0-9]+",
    "float": r"-?([0-9]+(\.[0-9]+)?|\.[0-9]+)",
    "boolean": "(?i)true|false",
}


class TableWriter:
    """Writes the schema of a table, statement by statement."""

    def __init__(self, document: XmlDocument, dataset: Dataset, table: Table, name: str) -> None:
        self.document = document
        self.dataset = dataset
        self.table = table
        self.name = name
        self.builder = SchemaBuilder(f"The table {table.id}")
        self.regions: dict[str, str] = {}
        self.required: set[str] = set()
        self._head()

    def region(self, column_id: str) -> str | None:
        """The name of the region of a column; `None` if its values are not in the file."""
        return self.regions.get(column_id)

    def origin(
        self, construct: str, element: Element, kind: str = "", column: Column | None = None
    ) -> Origin:
        """Where a statement comes from."""
        place = self.document.spot(element)
        return Origin(construct, place, kind, None, None if column is None else column.id)

    def build(self) -> TableText:
        """The schema."""
        return self.builder.build(self.name, self.table.file)

    # --------------------------------------------------------------- what is true of every table

    def _head(self) -> None:
        builder, table = self.builder, self.table
        builder.directive("Trim", "none")
        if table.encoding.lower().replace("_", "-") not in ("utf-8", "utf8"):
            builder.directive("Encoding", table.encoding)
        builder.gap()
        headings = {}
        for column in table.written:
            selector = f"row(1) and {literal(column.id)}"
            headings[column.id] = builder.region(f"{column.id} heading", selector)
        for column in table.written:
            about = f"The column {column.id}, {column.type}"
            self.regions[column.id] = builder.region(
                column.id, f"col({headings[column.id]})", about
            )
        builder.gap()
        self._rows(headings)
        for column in table.written:
            self._type(column)

    def _rows(self, headings: dict[str, str]) -> None:
        builder, table = self.builder, self.table
        count = len(table.written)
        names = " | ".join(literal(column.id) for column in table.written)
        size = f"{count} column{'s' if count != 1 else ''}"
        element = table.element
        construct = f'table "{table.id}", the headings of its {size}'
        # `=>`, so that a file without any row is a violation.
        content = f"({names}){{{count}}}" if count > 1 else names
        builder.rule("row(1)", content, self.origin(construct, element, "inconsistency"), "=>")
        for column in table.written:
            construct = f'table "{table.id}", column "{column.id}"'
            origin = self.origin(construct, column.element, "inconsistency", column)
            builder.unique(headings[column.id], origin)
        construct = f'table "{table.id}", {size}'
        origin = self.origin(construct, element, "inconsistency")
        builder.rule("not row(1)", f"Any{{{count}}}" if count > 1 else "Any", origin)

    def _type(self, column: Column) -> None:
        builder, region = self.builder, self.regions[column.id]
        construct = f'column "{column.id}", type {column.type}'
        content = None
        if column.type == "date" and column.format:
            construct += f", format {column.format}"
            found = read_format(column.format)
            if found.type is None:
                message = f"the format `{column.format}` of `{column.id}`: {found.reason}"
                builder.note(Note(message, self.document.spot(column.element)))
            else:
                content = builder.derived(f"{column.id} date", found.type)
        elif column.type == "concept":
            content = "xs:QName"
        elif column.type in _EXPRESSIONS:
            content = builder.token(column.type, _EXPRESSIONS[column.type])
        if content is not None:
            origin = self.origin(construct, column.element, "inconsistency", column)
            builder.rule(f"{region} and Text", content, origin)

    # --------------------------------------------------------------- concepts and slices

    def _must_have(self, column_id: str, construct: str, element: Element) -> None:
        """No cell of a column is blank; said once, by whoever needs it first."""
        region = self.regions.get(column_id)
        if region is None or column_id in self.required:
            return
        self.required.add(column_id)
        column = self.table.column(column_id)
        origin = self.origin(construct, element, "missing-info", column)
        self.builder.rule(f"{region} and Any", "Text", origin)

    def concept(self, concept: Concept, use: TableUse) -> None:
        """The ids of a concept are there, and unique."""
        column_id = use.concept_column or concept.id
        region = self.regions.get(column_id)
        column = self.table.column(column_id)
        if region is not None:
            self._must_have(column_id, f'concept "{concept.id}", its ids', concept.element)
            construct = f'concept "{concept.id}", unique ids'
            origin = self.origin(construct, concept.element, "repeated-info", column)
            self.builder.key([f"{region} and Text"], origin)
        for each in concept.properties:
            mapped = [column for name, column, _ in use.properties if name == each.id]
            for property_column in mapped or [each.id]:
                region = self.regions.get(property_column)
                construct = f'concept "{concept.id}", property "{each.id}"'
                if region is not None and each.is_required:
                    self._must_have(property_column, f"{construct}, required", each.element)
                if region is not None and each.is_mapping:
                    origin = self.origin(f"{construct}, a mapping", each.element, "repeated-info")
                    self.builder.key([f"{region} and Text"], origin)

    def slice(self, each: Slice, use: TableUse) -> None:
        """Dimensions are there, and unique together; equal ones but for the time are adjacent."""
        builder = self.builder
        keys, groups, names = [], [], []
        for one in each.dimensions:
            column_id = column_of(use, one.concept)
            region = self.regions.get(column_id)
            if region is None:
                continue
            construct = f'slice "{each.id}", dimension "{one.concept.text}"'
            self._must_have(column_id, construct, one.element)
            keys.append(f"{region} and Text")
            if self.dataset.time_of(one.concept) is None:
                groups.append(f"{region} and Text")
                names.append(f'"{one.concept.text}"')
        if not keys:
            return
        dimensions = ", ".join(f'"{one.concept.text}"' for one in each.dimensions)
        construct = f'slice "{each.id}", dimensions {dimensions}'
        builder.key(keys, self.origin(construct, each.element, "repeated-info"))
        if groups and len(groups) < len(keys):
            construct = f'slice "{each.id}", rows sorted by {", ".join(names)}'
            builder.runs(groups, self.origin(construct, each.element, "other"))
