"""What a DSPL dataset says that cannot be: references to nothing, columns that do not fit.

In: a `Dataset`. Out: a problem for each contradiction, with its element; all of them at once. What
depends on the data is not looked at here: that becomes statements of a schema. Cost: linear in the
dataset, times the length of chains of `extends`.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Iterator

from sculpt.diagnostics import Diagnostic, Suggestions
from sculpt.interchange.documents import Element, XmlDocument
from sculpt.interchange.dspl.formats import read_format
from sculpt.interchange.dspl.model import (
    Column,
    Concept,
    Dataset,
    Name,
    Slice,
    Table,
    TableUse,
    Use,
    name_of,
)

NEEDED = {"year": "y", "month": "yM", "day": "yMd", "week": "y", "quarter": "y"}
"""The fields that the format of a point in time must have."""
_SPELLED = {"y": "a year (`yyyy`)", "M": "a month (`MM`)", "d": "a day (`dd`)"}
_LESS_RESTRICTIVE = {"integer": {"float", "string"}}
"""The types that a concept may extend, besides its own and `string`."""


def meaning_problems(document: XmlDocument, dataset: Dataset) -> Iterator[Diagnostic]:
    """Everything that contradicts itself or refers to nothing."""
    return _Checker(document, dataset).problems()


class _Checker:
    def __init__(self, document: XmlDocument, dataset: Dataset) -> None:
        self.document = document
        self.dataset = dataset
        self.own = dataset.element.attributes.get("targetNamespace", "")

    def problems(self) -> Iterator[Diagnostic]:
        yield from self.repeated_ids()
        yield from self.topics()
        for concept in self.dataset.concepts:
            yield from self.concept(concept)
        yield from self.equal_slices()
        for each in self.dataset.slices:
            yield from self.slice(each)
        for table in self.dataset.tables:
            yield from self.table(table)

    def problem(self, element: Element, message: str, hint: str | None = None) -> Diagnostic:
        return self.document.problem("foreign-meaning", element, message, hint)

    # --------------------------------------------------------------- ids and references

    def repeated_ids(self) -> Iterator[Diagnostic]:
        data = self.dataset
        elements = [
            *data.topics,
            *(each.element for each in data.concepts),
            *(each.element for each in data.slices),
            *(each.element for each in data.tables),
        ]
        yield from self.repeated(elements, "dataset")
        for table in data.tables:
            yield from self.repeated([each.element for each in table.columns], f"`{table.id}`")

    def repeated(self, elements: Iterable[Element], where: str) -> Iterator[Diagnostic]:
        seen: dict[str, int] = {}
        for element in elements:
            own = element.attributes["id"]
            if own in seen:
                message = f"the id `{own}` is used already, on line {seen[own]}"
                yield self.problem(element, message, f"ids are unique in the {where}")
            seen.setdefault(own, element.line)

    def reference(self, name: Name, element: Element) -> Iterator[Diagnostic]:
        """A concept of this dataset must be there, an external one must be imported."""
        if not name.is_known:
            prefix = name.text.rpartition(":")[0]
            yield self.problem(
                element, f"the prefix `{prefix}` is not declared", f'add `xmlns:{prefix}="…"`'
            )
        elif name.is_external:
            if name.namespace not in self.dataset.imports:
                hint = f'add `<import namespace="{name.namespace}"/>`'
                yield self.problem(element, f"the dataset of `{name.text}` is not imported", hint)
        elif self.dataset.concept(name) is None:
            known = [each.id for each in self.dataset.concepts]
            message = f"there is no concept `{name.local}`"
            yield self.problem(element, message, _meant(name.local, known))

    def topics(self) -> Iterator[Diagnostic]:
        known = {topic.attributes["id"] for topic in self.dataset.topics}
        uses = [each for concept in self.dataset.concepts for each in concept.topics]
        for topic in self.dataset.topics:
            if "parentTopic" in topic.attributes:
                text = topic.attributes["parentTopic"]
                uses.append((name_of(text, topic.scope, self.own), topic))
        for name, element in uses:
            if not name.is_external and name.local not in known:
                message = f"there is no topic `{name.local}`"
                yield self.problem(element, message, _meant(name.local, known))

    # --------------------------------------------------------------- concepts

    def concept(self, concept: Concept) -> Iterator[Diagnostic]:
        if concept.extends is not None:
            yield from self.reference(concept.extends, concept.element)
            yield from self.extension(concept, concept.extends)
        elif concept.type is None:
            message = f"the concept `{concept.id}` has no type"
            hint = 'add `<type ref="string"/>`, or say what it extends'
            yield self.problem(concept.element, message, hint)
        seen: dict[str, int] = {}
        for each in concept.properties:
            if not each.id:
                yield self.problem(each.element, "a property has an id or a concept")
            elif each.id in seen:
                message = f"the property `{each.id}` is there already, on line {seen[each.id]}"
                yield self.problem(each.element, message)
            seen.setdefault(each.id, each.element.line)
            if each.concept is not None:
                yield from self.reference(each.concept, each.element)
            elif each.is_parent or each.is_mapping:
                word = "isParent" if each.is_parent else "isMapping"
                yield self.problem(each.element, f"a property with `{word}` refers to a concept")
        if concept.table is not None:
            yield from self.concept_table(concept, concept.table)

    def extension(self, concept: Concept, extends: Name) -> Iterator[Diagnostic]:
        chain = self.dataset.ancestors(Name(concept.id, concept.id))
        last = self.dataset.concept(chain[-1])
        if last is not None and last.extends is not None and concept.id == last.extends.local:
            message = f"the concept `{concept.id}` extends itself"
            yield self.problem(concept.element, message)
            return
        base = self.dataset.type_of(extends)
        own = concept.type
        if own is None or base is None or own == base or base == "string":
            return
        if base not in _LESS_RESTRICTIVE.get(own, ()):
            message = f"the type `{own}` of `{concept.id}` cannot extend `{base}`"
            yield self.problem(concept.element, message)

    def concept_table(self, concept: Concept, use: TableUse) -> Iterator[Diagnostic]:
        table = self.dataset.table(use.table)
        if table is None:
            yield self.no_table(use)
            return
        name = use.concept_column or concept.id
        column = table.column(name)
        own = Name(concept.id, concept.id)
        if column is None:
            hint = 'name it like the concept, or add `<mapConcept toColumn="…"/>`'
            yield self.no_column(use.element, table, name, f"the concept `{concept.id}`", hint)
        else:
            what = f"concept `{concept.id}`"
            yield from self.types(column, self.dataset.type_of(own), what)
        mapped = {property_id for property_id, _, _ in use.properties}
        known = {each.id: each for each in concept.properties}
        for property_id, column_id, element in use.properties:
            if table.column(column_id) is None:
                what = f"the property `{property_id}`"
                yield self.no_column(element, table, column_id, what, None)
            if property_id not in known and not self.is_open(concept):
                message = f"the concept `{concept.id}` has no property `{property_id}`"
                yield self.problem(element, message, _meant(property_id, known))
        for each in concept.properties:
            column = table.column(each.id) if each.id not in mapped else None
            if each.is_required and column is None and each.id not in mapped:
                what = f"the required property `{each.id}`"
                yield self.no_column(use.element, table, each.id, what, None)
            kind = each.type
            if kind is None and each.concept is not None:
                kind = self.dataset.type_of(each.concept)
            if column is not None:
                yield from self.types(column, kind, f"property `{each.id}`")

    def is_open(self, concept: Concept) -> bool:
        """May it have properties that this dataset does not name?"""
        return concept.extends is not None

    # --------------------------------------------------------------- slices

    def equal_slices(self) -> Iterator[Diagnostic]:
        seen: dict[frozenset[str], Slice] = {}
        for each in self.dataset.slices:
            key = frozenset(use.concept.text for use in each.dimensions)
            if key in seen:
                message = f"the slice `{each.id}` has the dimensions of `{seen[key].id}`"
                yield self.problem(each.element, message, "put the metrics of both into one slice")
            seen.setdefault(key, each)

    def slice(self, each: Slice) -> Iterator[Diagnostic]:
        seen: dict[str, Use] = {}
        for use in (*each.dimensions, *each.metrics):
            if use.concept.text in seen:
                message = f"the slice `{each.id}` has `{use.concept.text}` twice"
                yield self.problem(use.element, message)
            seen.setdefault(use.concept.text, use)
            yield from self.reference(use.concept, use.element)
        for use in each.dimensions:
            yield from self.instances(use)
        if not any(self.dataset.time_of(use.concept) for use in each.dimensions):
            message = f"the slice `{each.id}` has no dimension that is a point in time"
            yield self.problem(each.element, message, "add one such as `time:year`")
        if each.table is None:
            yield self.problem(each.element, f"the slice `{each.id}` has no table")
        else:
            yield from self.slice_table(each, each.table)

    def instances(self, use: Use) -> Iterator[Diagnostic]:
        """A dimension must have values: a table, or what another dataset says about it."""
        chain = self.dataset.ancestors(use.concept)
        concept = self.dataset.concept(use.concept)
        if concept is None or concept.table is not None or chain[-1].is_external:
            return
        message = f"`{concept.id}` is a dimension, but has no table of its values"
        yield self.problem(use.element, message, "give the concept a `<table ref=…>`")

    def slice_table(self, each: Slice, use: TableUse) -> Iterator[Diagnostic]:
        table = self.dataset.table(use.table)
        if table is None:
            yield self.no_table(use)
            return
        names = {one.concept.text for one in (*each.dimensions, *each.metrics)}
        for name, _, element in use.columns:
            if name.text not in names:
                message = f"the slice `{each.id}` has neither dimension nor metric `{name.text}`"
                yield self.problem(element, message, _meant(name.text, names))
        for word, uses in (("dimension", each.dimensions), ("metric", each.metrics)):
            for one in uses:
                yield from self.slice_column(table, use, one, word)

    def slice_column(
        self, table: Table, use: TableUse, one: Use, word: str
    ) -> Iterator[Diagnostic]:
        column_id = column_of(use, one.concept)
        column = table.column(column_id)
        if column is None:
            tag = "mapDimension" if word == "dimension" else "mapMetric"
            hint = f'add `<{tag} concept="{one.concept.text}" toColumn="…"/>`'
            what = f"the {word} `{one.concept.text}`"
            yield self.no_column(use.element, table, column_id, what, hint)
            return
        what = f"{word} `{one.concept.text}`"
        yield from self.types(column, self.dataset.type_of(one.concept), what)
        time = self.dataset.time_of(one.concept)
        if time is not None and column.type == "date" and column.format:
            yield from self.time_format(column, column.format, time)

    def time_format(self, column: Column, text: str, time: Name) -> Iterator[Diagnostic]:
        fields = read_format(text).fields
        missing = [each for each in NEEDED.get(time.local, "") if each not in fields]
        if missing == ["y"] and fields & set("xwY"):
            missing = []  # the year of a week, or of an era
        if missing:
            named = " and ".join(_SPELLED[each] for each in missing)
            message = f"the format `{text}` of `{column.id}` does not fit `{time.text}`"
            yield self.problem(column.element, message, f"it lacks {named}")

    # --------------------------------------------------------------- tables

    def table(self, table: Table) -> Iterator[Diagnostic]:
        for column in table.columns:
            if column.type == "date" and not column.format:
                message = f"the column `{column.id}` of dates has no format"
                hint = 'add one such as `format="yyyy"` or `format="yyyy-MM-dd"`'
                yield self.problem(column.element, message, hint)
        data = table.element.first("data")
        if data is None or table.file is None:
            return
        if table.format.lower() != "csv":
            message = f"the format `{table.format}` of the file is not known"
            yield self.problem(data, message, "DSPL has only `csv`")
        if not table.file:
            yield self.problem(data, "the name of the file is empty")
        try:
            codecs.lookup(table.encoding)
        except (LookupError, ValueError):
            yield self.problem(data, f"there is no encoding `{table.encoding}`")

    def types(self, column: Column, kind: str | None, what: str) -> Iterator[Diagnostic]:
        if kind is not None and column.type != kind:
            message = f"the column `{column.id}` has the type {column.type}, but the {what} {kind}"
            yield self.problem(column.element, message)

    def no_table(self, use: TableUse) -> Diagnostic:
        known = [each.id for each in self.dataset.tables]
        message = f"there is no table `{use.table}`"
        return self.problem(use.element, message, _meant(use.table, known))

    def no_column(
        self, element: Element, table: Table, name: str, what: str, hint: str | None
    ) -> Diagnostic:
        meant = _meant(name, [each.id for each in table.columns])
        message = f"the table `{table.id}` has no column `{name}` for {what}"
        return self.problem(element, message, meant or hint)


def column_of(use: TableUse, concept: Name) -> str:
    """The id of the column that has the values of a dimension or metric."""
    mapped = (column for name, column, _ in use.columns if name.text == concept.text)
    return next(mapped, concept.local)


def _meant(word: str, names: Iterable[str]) -> str | None:
    found = Suggestions(names).closest(word)
    return None if found is None else f"did you mean `{found}`?"
