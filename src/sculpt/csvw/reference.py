"""One row at a time: what the conversions to JSON and RDF are, step by step as they are defined.

In: a `TablePlan` and a `Row`: its numbers and the texts of its cells. Out: the text of the row in
JSON ("Generating JSON from Tabular Data on the Web", 4.2 and 4.3) or in RDF ("Generating RDF from
Tabular Data on the Web", 4.2), and what is wrong with its cells.

Invariant: `vectors` gives the same text for the same rows; tests compare the two. It falls back on
this module for what it cannot do for many rows at once. Cost: about 10 microseconds a cell.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sculpt.csvw.nesting import Forest, Subject, forest_of
from sculpt.csvw.plan import ColumnPlan, TablePlan
from sculpt.csvw.templates import Variable
from sculpt.csvw.terms import (
    RDF_FIRST,
    RDF_NIL,
    RDF_REST,
    RDF_TYPE,
    XSD_INTEGER,
    Format,
    csvw,
    iri,
    literal,
    name,
)
from sculpt.csvw.values.cells import Cell
from sculpt.csvw.values.datatypes import Value, quoted
from sculpt.interchange.csvw.context import compact
from sculpt.values import frozen


@frozen
class Row:
    """A row of a table."""

    number: int
    """Among the rows of data, from 1."""
    source_number: int
    """Among all rows of the file, from 1."""
    texts: tuple[str | None, ...]
    """Of the cells in the file, without columns that are skipped; `None` if the row is short."""


@frozen
class CellAnnotations:
    """What is known of a cell."""

    plan: ColumnPlan
    cell: Cell
    about: str | None
    predicate: str
    json_name: str
    value_url: str | None

    @property
    def has_value(self) -> bool:
        """Is there something to write?"""
        return self.value_url is not None or not self.cell.is_null


@frozen
class RowAnnotations:
    """What is known of a row."""

    row: Row
    cells: tuple[CellAnnotations, ...]

    @property
    def errors(self) -> Iterator[tuple[ColumnPlan, str]]:
        """What is wrong with its cells."""
        for each in self.cells:
            for message in each.cell.errors:
                yield each.plan, message


def annotated(plan: TablePlan, row: Row) -> RowAnnotations:
    """The annotations of a row."""
    read = []
    for column in plan.columns:
        text = None
        if column.index is not None and column.index < len(row.texts):
            text = row.texts[column.index]
        read.append(column.reader.read(text or ""))
    values: dict[str, Variable] = {
        "_row": str(row.number),
        "_sourceRow": str(row.source_number),
    }
    for column, cell in zip(plan.columns, read, strict=True):
        values[column.column.name] = _variable(cell)
    cells = tuple(_cell(plan, *each, values) for each in zip(plan.columns, read, strict=True))
    return RowAnnotations(row, cells)


def _variable(cell: Cell) -> Variable:
    if not cell.values:
        return None
    texts = tuple(value.text for value in cell.values)
    return texts if cell.is_list else texts[0]


def _cell(
    plan: TablePlan, column: ColumnPlan, cell: Cell, values: dict[str, Variable]
) -> CellAnnotations:
    given = {**values, **column.constants}
    about = None if column.about is None else column.about.url(given)
    predicate, json_name = column.predicate, column.json_name
    if column.property_template is not None:
        predicate = column.property_template.url(given)
        json_name = compact(predicate)
    value_url = None
    if column.value is not None and (column.column.virtual or not cell.is_null):
        value_url = column.value.url(given)
    assert predicate is not None
    assert json_name is not None
    return CellAnnotations(column, cell, about, predicate, json_name, value_url)


# ------------------------------------------------------------- JSON


def json_row(
    plan: TablePlan, annotations: RowAnnotations, minimal: bool, between: str = ","
) -> str:
    """The text of a row; in minimal mode only its objects, which may be none.

    `between` stands between the objects.
    """
    objects = between.join(_objects(annotations))
    if minimal:
        return objects
    row = annotations.row
    titles = _titles(plan, annotations)
    shown = ""
    if titles:
        texts = [quoted(text) for text, _ in titles]
        shown = f'"titles":{texts[0] if len(texts) == 1 else "[" + ",".join(texts) + "]"},'
    url = quoted(plan.row_url + str(row.source_number))
    return f'{{"rownum":{row.number},"url":{url},{shown}"describes":[{objects}]}}'


def _titles(plan: TablePlan, annotations: RowAnnotations) -> list[tuple[str, str | None]]:
    """The titles of a row, with their languages."""
    found = []
    for column in plan.titles:
        cell = next(each.cell for each in annotations.cells if each.plan is column)
        found += [(value.text, column.language) for value in cell.values or ()]
    return found


def _objects(annotations: RowAnnotations) -> Iterator[str]:
    """The objects of a row that are not inside others."""
    groups: dict[str | None, list[CellAnnotations]] = {}
    for each in annotations.cells:
        if each.plan.shown:
            groups.setdefault(each.about, []).append(each)
    present = [
        (identifier, cells)
        for identifier, cells in groups.items()
        if any(each.has_value for each in cells)
    ]
    subjects = [Subject(identifier, _links(cells)) for identifier, cells in present]
    urls = [each.value_url for each in annotations.cells if each.value_url is not None]
    forest = forest_of(subjects, urls)
    for root in forest.roots:
        yield _object(present, forest, root)


def _links(cells: Sequence[CellAnnotations]) -> tuple[tuple[int, str], ...]:
    return tuple(
        (each.plan.column.number, each.value_url) for each in cells if each.value_url is not None
    )


def _object(
    present: Sequence[tuple[str | None, list[CellAnnotations]]], forest: Forest, number: int
) -> str:
    identifier, cells = present[number]
    members: dict[str, list[tuple[str, bool]]] = {}
    for each in cells:
        if not each.has_value:
            continue
        inner = forest.inner.get((number, each.plan.column.number))
        if inner is not None:
            written = (_object(present, forest, inner), False)
        elif each.value_url is not None:
            is_type = each.json_name == "@type"
            written = (quoted(compact(each.value_url) if is_type else each.value_url), False)
        else:
            assert each.cell.values is not None
            items = ",".join(value.json for value in each.cell.values)
            written = (items, each.cell.is_list)
        members.setdefault(each.json_name, []).append(written)
    fields = [f"{quoted(key)}:{_joined(values)}" for key, values in members.items()]
    if identifier is not None:
        fields.insert(0, f'"@id":{quoted(identifier)}')
    return f"{{{','.join(fields)}}}"


def _joined(values: Sequence[tuple[str, bool]]) -> str:
    """The values of one name: an array if there are several, or if one is a list."""
    items = ",".join(text for text, _ in values)
    return f"[{items}]" if len(values) > 1 or values[0][1] else items


# ------------------------------------------------------------- RDF


@frozen
class Nodes:
    """The terms that stand for a table and its rows."""

    table: str
    label: str
    """What the labels of its blank nodes begin with."""

    def row(self, number: int) -> str:
        """The node of a row."""
        return f"_:{self.label}r{number}"

    def subject(self, number: int) -> str:
        """The subject of the cells of a row that have no other."""
        return f"_:{self.label}r{number}s"


def rdf_row(
    plan: TablePlan, annotations: RowAnnotations, minimal: bool, form: Format, nodes: Nodes
) -> str:
    """The statements of a row, as text."""
    row = annotations.row
    groups: dict[str, list[CellAnnotations]] = {}
    default = nodes.subject(row.number)
    for each in annotations.cells:
        if each.plan.shown:
            subject = default if each.about is None else iri(each.about)
            groups.setdefault(subject, []).append(each)
    blocks: list[str] = []
    if not minimal:
        node = nodes.row(row.number)
        blocks.append(block(nodes.table, [(csvw("row", form), node)], form))
        blocks.append(block(node, _of_row(plan, annotations, groups, form), form))
    for subject, cells in groups.items():
        pairs: list[tuple[str, str]] = []
        more: list[str] = []
        for each in cells:
            found, lists = _of_cell(each, form, f"{nodes.row(row.number)}c")
            pairs += found
            more += lists
        blocks.append(block(subject, pairs, form))
        blocks += more
    return "".join(blocks)


def _of_row(
    plan: TablePlan,
    annotations: RowAnnotations,
    groups: dict[str, list[CellAnnotations]],
    form: Format,
) -> list[tuple[str, str]]:
    row = annotations.row
    return [
        (name(RDF_TYPE, form), csvw("Row", form)),
        (csvw("rownum", form), literal(str(row.number), XSD_INTEGER, None, form)),
        (csvw("url", form), iri(plan.row_url + str(row.source_number))),
        *(
            (csvw("title", form), literal(text, None, language))
            for text, language in _titles(plan, annotations)
        ),
        *((csvw("describes", form), subject) for subject in groups),
    ]


def _of_cell(
    each: CellAnnotations, form: Format, label: str
) -> tuple[list[tuple[str, str]], list[str]]:
    """The predicates and objects of a cell, and the statements that make its list."""
    cell = each.cell
    # What depends on the row may have a prefix that the document does not declare.
    is_known = each.plan.predicate is not None
    predicate = name(each.predicate, form) if is_known else iri(each.predicate)
    if each.value_url is not None:
        return [(predicate, iri(each.value_url))], []
    if not cell.values:
        return [], []
    terms = [value_term(each.plan, value, form) for value in cell.values]
    if not (cell.is_list and each.plan.column.ordered):
        return [(predicate, term) for term in terms], []
    if form == "turtle":
        return [(predicate, f"( {' '.join(terms)} )")], []
    pieces = list_pieces(terms, each.plan.column.number)
    head, _, lines = label[:-1].join(pieces).partition(" ")
    return [(predicate, head)], [lines]


def value_term(plan: ColumnPlan, value: Value, form: Format) -> str:
    """The literal of a value."""
    datatype = plan.column.datatype
    is_string = datatype.base == "string"
    if not value.is_typed:
        return literal(value.text, None, plan.language if is_string else None)
    if is_string and datatype.id is None:
        return literal(value.text, None, plan.language)
    return literal(value.text, plan.datatype_url, None, form)


def list_pieces(terms: Sequence[str], column: int) -> list[str]:
    """A list in N-Triples: its first node, a blank, and its statements.

    The text is cut where the label of the row stands, which joins the pieces.
    """
    first, rest, nil = iri(RDF_FIRST), iri(RDF_REST), iri(RDF_NIL)
    text = f"\0c{column}i1 "
    for place, term in enumerate(terms, 1):
        node = f"\0c{column}i{place}"
        after = f"\0c{column}i{place + 1}" if place < len(terms) else nil
        text += f"{node} {first} {term} .\n{node} {rest} {after} .\n"
    return text.split("\0")


def block(subject: str, pairs: Sequence[tuple[str, str]], form: Format) -> str:
    """Statements about one subject."""
    if not pairs:
        return ""
    if form == "ntriples":
        return "".join(f"{subject} {predicate} {each} .\n" for predicate, each in pairs)
    inner = " ;\n  ".join(f"{predicate} {each}" for predicate, each in pairs)
    return f"{subject} {inner} .\n"
