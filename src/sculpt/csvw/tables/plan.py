"""How the rows of a table are converted: everything that does not depend on a row, computed once.

In: a table with its columns. Out: a `TablePlan`: for each column what reads its cells, the
templates of its URLs, its name in JSON and its predicate in RDF, if no row can change them.

Invariant: both ways of converting, row by row (`reference`) and many rows at once (`vectors`), work
from the same plan. Spark's tasks make it again, of the same table. Cost: linear in the columns.
"""

from __future__ import annotations

from functools import cached_property
from urllib.parse import unquote

from sculpt.csvw.tables.templates import Template, template_of, without_fragment
from sculpt.csvw.values.cells import CellReader
from sculpt.errors import UsageError
from sculpt.interchange.csvw.model import Column, Table
from sculpt.interchange.csvw.problems import Problem, Problems
from sculpt.interchange.csvw.reading.context import DATATYPES, XSD, compact
from sculpt.values import frozen

OF_ROW = frozenset({"_row", "_sourceRow"})
UNDEFINED = "und"


@frozen
class ColumnPlan:
    """How the cells of a column are converted."""

    column: Column
    index: int | None
    """The position in the file, from 0; `None` for a virtual column."""
    reader: CellReader
    about: Template | None
    property_template: Template | None
    """`None` if the property is the same in all rows."""
    property_url: str | None
    """The property of all rows, if it is the same; `None` also if there is none."""
    value: Template | None
    predicate: str | None
    """In RDF, the IRI of the property of all rows."""
    json_name: str | None
    """In JSON, the name of the property of all rows."""

    @property
    def shown(self) -> bool:
        """Is it part of the output?"""
        return not self.column.suppress_output

    @property
    def language(self) -> str | None:
        """The language of its strings."""
        return self.column.lang if self.column.lang != UNDEFINED else None

    @property
    def constants(self) -> dict[str, str]:
        """The variables of templates that all its cells have in common."""
        return column_variables(self.column)

    @property
    def datatype_url(self) -> str:
        """The IRI of its datatype."""
        datatype = self.column.datatype
        return datatype.id or DATATYPES.get(datatype.base, XSD + datatype.base)

    @property
    def templates(self) -> tuple[Template, ...]:
        """The templates that depend on rows."""
        given = (self.about, self.property_template, self.value)
        return tuple(each for each in given if each is not None)


@frozen(slots=False)
class TablePlan:
    """How the rows of a table are converted."""

    table: Table
    number: int
    """The number of the table in its group, from 1."""
    columns: tuple[ColumnPlan, ...]

    @property
    def url(self) -> str:
        """The URL of the table."""
        return self.table.url

    @property
    def row_url(self) -> str:
        """The URL of a row, without its number."""
        return f"{without_fragment(self.table.url)}#row="

    @cached_property
    def width(self) -> int:
        """How many columns of the file it has."""
        return sum(each.index is not None for each in self.columns)

    @cached_property
    def titles(self) -> tuple[ColumnPlan, ...]:
        """The columns whose cells are the titles of a row."""
        by_name = {each.column.name: each for each in self.columns}
        return tuple(by_name[name] for name in self.table.schema.row_titles if name in by_name)

    @cached_property
    def by_name(self) -> dict[str, ColumnPlan]:
        """The columns by their names."""
        return {each.column.name: each for each in self.columns}

    @cached_property
    def variables(self) -> frozenset[str]:
        """All variables of templates that depend on rows."""
        found: set[str] = set()
        for column in self.columns:
            for template in column.templates:
                found.update(template.variables)
        return frozenset(found)

    @cached_property
    def subjects(self) -> tuple[str | None, ...]:
        """The templates of the subjects of rows; `None` is the one without a URL."""
        found: dict[str | None, None] = {}
        for each in self.columns:
            if each.shown:
                found.setdefault(None if each.about is None else each.about.text)
        return tuple(found)


def plan_of(table: Table, number: int) -> TablePlan:
    """The plan of a table; raises `UsageError` if a template is beyond all limits."""
    try:
        columns = tuple(_column(table, each) for each in table.schema.columns)
    except ValueError as error:
        raise UsageError(f"{table.url}: {error}") from None
    return TablePlan(table, number, columns)


def template_problems(table: Table) -> tuple[Problem, ...]:
    """The templates of a table that are beyond all limits, each once."""
    problems = Problems()
    for column in table.schema.columns:
        templates = (column.about_url, column.property_url, column.value_url)
        places = dict(column.url_places)
        for name, text in zip(("aboutUrl", "propertyUrl", "valueUrl"), templates, strict=True):
            try:
                template_of(text or "", table.url)
            except ValueError as error:
                problems.error(places.get(name, column.place), str(error))
    return problems.all


def column_variables(column: Column) -> dict[str, str]:
    """The variables of templates that all cells of a column have in common."""
    found = {"_name": unquote(column.name), "_column": str(column.number)}
    if column.source_number is not None:
        found["_sourceColumn"] = str(column.source_number)
    return found


def _column(table: Table, column: Column) -> ColumnPlan:
    constants = column_variables(column)
    about, prop, value = (
        None if text is None else template_of(text, table.url).bound(constants)
        for text in (column.about_url, column.property_url, column.value_url)
    )
    same = prop is None or not prop.variables
    url = prop.url({}) if prop is not None and same else None
    predicate = url or f"{without_fragment(table.url)}#{_fragment(column.name)}"
    name = compact(url) if url is not None else unquote(column.name)
    return ColumnPlan(
        column,
        _index(table, column),
        CellReader.of(column),
        about,
        None if same else prop,
        url,
        value,
        predicate if same else None,
        name if same else None,
    )


def _index(table: Table, column: Column) -> int | None:
    if column.virtual or column.source_number is None:
        return None
    return column.source_number - 1 - table.dialect.skip_columns


def _fragment(name: str) -> str:
    """The name of a column in a URL: names have only the characters of variables of templates."""
    return name.replace("-", "%2D").replace("~", "%7E")
