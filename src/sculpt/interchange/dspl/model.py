"""A DSPL dataset as values: concepts, slices, tables, and which columns they use.

In: the root of a document whose shape is right. Out: a `Dataset`. Names of concepts are resolved:
one of this dataset, or an external one with the namespace of its dataset. Each value keeps its
element, for places. Cost: linear in the document.
"""

from __future__ import annotations

from collections.abc import Mapping

from sculpt.interchange.documents import Element
from sculpt.values import field, frozen

TIME = "http://www.google.com/publicdata/dataset/google/time"
"""The dataset of Google whose concepts are points in time."""


@frozen
class Name:
    """A concept or topic that is referred to; one of this dataset has no namespace."""

    text: str
    """As it is written: `time:year`."""
    local: str
    namespace: str = ""
    is_known: bool = True
    """Is its prefix declared?"""

    @property
    def is_external(self) -> bool:
        """Is it of another dataset?"""
        return self.namespace != "" or not self.is_known

    @property
    def is_time(self) -> bool:
        """Is it one of the points in time?"""
        return self.namespace == TIME


@frozen(eq=False)
class Column:
    """A column of a table; one with a `constant` is not in the file."""

    id: str
    type: str
    format: str | None
    constant: str | None
    element: Element = field(repr=False)


@frozen(eq=False)
class Table:
    """A table, and the file with its data."""

    id: str
    columns: tuple[Column, ...]
    file: str | None
    encoding: str
    format: str
    element: Element = field(repr=False)

    def column(self, column_id: str) -> Column | None:
        """The column of an id."""
        return next((each for each in self.columns if each.id == column_id), None)

    @property
    def written(self) -> tuple[Column, ...]:
        """The columns that are in the file."""
        return tuple(each for each in self.columns if each.constant is None)


@frozen(eq=False)
class TableUse:
    """How a concept or a slice uses a table: which of its columns is what."""

    table: str
    element: Element = field(repr=False)
    concept_column: str | None = None
    properties: tuple[tuple[str, str, Element], ...] = ()
    """The id of a property and of the column that has its values."""
    columns: tuple[tuple[Name, str, Element], ...] = ()
    """A dimension or metric of a slice, and its column."""


@frozen(eq=False)
class Property:
    """A property of a concept."""

    id: str
    concept: Name | None
    type: str | None
    is_parent: bool
    is_mapping: bool
    is_required: bool
    element: Element = field(repr=False)


@frozen(eq=False)
class Concept:
    """A concept: what a column is about."""

    id: str
    extends: Name | None
    type: str | None
    properties: tuple[Property, ...]
    topics: tuple[tuple[Name, Element], ...]
    table: TableUse | None
    title: str
    element: Element = field(repr=False)


@frozen(eq=False)
class Use:
    """A dimension or a metric of a slice."""

    concept: Name
    element: Element = field(repr=False)


@frozen(eq=False)
class Slice:
    """A combination of dimensions and metrics, and the table with their values."""

    id: str
    dimensions: tuple[Use, ...]
    metrics: tuple[Use, ...]
    table: TableUse | None
    element: Element = field(repr=False)


@frozen(eq=False)
class Dataset:
    """All of it. Things of equal id are all there, in the order of the file."""

    title: str
    imports: tuple[str, ...]
    topics: tuple[Element, ...]
    concepts: tuple[Concept, ...]
    slices: tuple[Slice, ...]
    tables: tuple[Table, ...]
    element: Element = field(repr=False)

    def concept(self, name: Name) -> Concept | None:
        """The concept of this dataset that a name is about, if there is one."""
        if name.is_external:
            return None
        return next((each for each in self.concepts if each.id == name.local), None)

    def table(self, table_id: str) -> Table | None:
        """The table of an id."""
        return next((each for each in self.tables if each.id == table_id), None)

    def ancestors(self, name: Name) -> tuple[Name, ...]:
        """The name of a concept, and what it extends, up to an external one or a circle."""
        found = [name]
        while (concept := self.concept(found[-1])) is not None and concept.extends is not None:
            if concept.extends.local in [each.local for each in found if not each.is_external]:
                break
            found.append(concept.extends)
        return tuple(found)

    def type_of(self, name: Name) -> str | None:
        """The type of a concept, its own or that of what it extends; `None` if it is not known."""
        for each in self.ancestors(name):
            concept = self.concept(each)
            if concept is not None and concept.type is not None:
                return concept.type
            if each.is_time:
                return "date"
        return None

    def time_of(self, name: Name) -> Name | None:
        """The point in time that a concept is or extends: `time:year`."""
        return next((each for each in self.ancestors(name) if each.is_time), None)


# ------------------------------------------------------------- reading


def dataset_of(root: Element) -> Dataset:
    """The dataset that a document describes."""
    own = root.attributes.get("targetNamespace", "")
    topics: list[Element] = []
    waiting = [topic for group in root.all("topics") for topic in group.all("topic")]
    while waiting:
        topic = waiting.pop(0)
        topics.append(topic)
        waiting[:0] = topic.all("topic")
    return Dataset(
        _title(root),
        tuple(each.attributes["namespace"] for each in root.all("import")),
        tuple(topics),
        tuple(_concept(each, own) for each in _grouped(root, "concepts", "concept")),
        tuple(_slice(each, own) for each in _grouped(root, "slices", "slice")),
        tuple(_table(each) for each in _grouped(root, "tables", "table")),
        root,
    )


def _grouped(root: Element, group: str, name: str) -> list[Element]:
    return [child for found in root.all(group) for child in found.all(name)]


def name_of(text: str, scope: Mapping[str, str], own: str) -> Name:
    """What a qualified name refers to; one without a prefix is of this dataset."""
    prefix, colon, local = text.rpartition(":")
    if not colon:
        return Name(text, text)
    namespace = scope.get(prefix)
    if namespace is None:
        return Name(text, local, is_known=False)
    return Name(text, local, "" if namespace == own else namespace)


def _title(element: Element) -> str:
    """The first name that `info` gives."""
    info = element.first("info")
    name = None if info is None else info.first("name")
    value = None if name is None else name.first("value")
    return "" if value is None else " ".join(value.text.split())


def _reference(element: Element, attribute: str, own: str) -> Name | None:
    text = element.attributes.get(attribute)
    return None if text is None else name_of(text.strip(), element.scope, own)


def _type(element: Element) -> str | None:
    found = element.first("type")
    return None if found is None else found.attributes["ref"]


def _is(element: Element, attribute: str) -> bool:
    return element.attributes.get(attribute) in ("true", "1")


def _concept(element: Element, own: str) -> Concept:
    topics = [(_reference(each, "ref", own), each) for each in element.all("topic")]
    return Concept(
        element.attributes["id"],
        _reference(element, "extends", own),
        _type(element),
        tuple(_property(each, own) for each in element.all("property")),
        tuple((name, each) for name, each in topics if name is not None),
        _table_use(element, own),
        _title(element),
        element,
    )


def _property(element: Element, own: str) -> Property:
    concept = _reference(element, "concept", own)
    return Property(
        element.attributes.get("id", "" if concept is None else concept.local),
        concept,
        _type(element),
        _is(element, "isParent"),
        _is(element, "isMapping"),
        _is(element, "isRequired"),
        element,
    )


def _slice(element: Element, own: str) -> Slice:
    def uses(name: str) -> tuple[Use, ...]:
        return tuple(
            Use(name_of(each.attributes["concept"].strip(), each.scope, own), each)
            for each in element.all(name)
        )

    return Slice(
        element.attributes["id"],
        uses("dimension"),
        uses("metric"),
        _table_use(element, own),
        element,
    )


def _table_use(element: Element, own: str) -> TableUse | None:
    """The table of a concept or slice, also in the older form between `data`."""
    data = element.first("data")
    found = element.first("table") or (None if data is None else data.first("table"))
    if found is None:
        return None
    concept = found.first("mapConcept")
    columns = [
        (name_of(each.attributes["concept"].strip(), each.scope, own), each)
        for each in (*found.all("mapDimension"), *found.all("mapMetric"))
    ]
    return TableUse(
        found.attributes["ref"],
        found,
        None if concept is None else concept.attributes["toColumn"],
        tuple(
            (each.attributes["ref"], each.attributes["toColumn"], each)
            for each in found.all("mapProperty")
        ),
        tuple((name, each.attributes["toColumn"], each) for name, each in columns),
    )


def _table(element: Element) -> Table:
    data = element.first("data")
    file = None if data is None else data.first("file")
    path = None if file is None else file.text.strip()
    attributes = {} if file is None else file.attributes
    return Table(
        element.attributes["id"],
        tuple(_column(each) for each in element.all("column")),
        path,
        attributes.get("encoding", "utf-8"),
        attributes.get("format", "csv"),
        element,
    )


def _column(element: Element) -> Column:
    value = element.first("value")
    return Column(
        element.attributes["id"],
        element.attributes["type"],
        element.attributes.get("format"),
        None if value is None else value.text.strip(),
        element,
    )
