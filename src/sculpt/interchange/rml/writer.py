"""Mappings as Sculpt texts: a file for each source, with a program for its triples maps.

In: a `Mapping`. Out: a `Package`. Each source becomes a table: rules that its header has the
columns, regions for them, and a loop over its rows for each triples map. A loop emits records with
a subject; predicates are fields. What a record cannot say becomes another target: a second object
of a predicate, another graph, a predicate that differs from row to row.

A table that others join with is described once more, in a file with the columns that they need,
since two tables may join with each other, and a table with itself.

Invariant: targets have different names in all files, so that they can be written together.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence

from sculpt.interchange.builder import NamePool, SchemaBuilder
from sculpt.interchange.documents import TextDocument
from sculpt.interchange.model import Package, TableText
from sculpt.interchange.rml.columns import Columns
from sculpt.interchange.rml.model import (
    Constant,
    Join,
    Mapping,
    Source,
    Statement,
    Term,
    TriplesMap,
)
from sculpt.interchange.rml.reader import DEFAULT_GRAPH
from sculpt.interchange.rml.terms import Names, Values, columns_of, is_from_column
from sculpt.origins import Spot
from sculpt.syntax.programs.functions import AGGREGATES, FUNCTIONS
from sculpt.values import frozen, replace

_WIDTH = 96
_NOT_IN_WORDS = re.compile(r"[^\w-]+")


def written(mapping: Mapping, document: TextDocument) -> Package:
    """The texts of a mapping."""
    return _Writer(mapping, document).package()


@frozen
class Parent:
    """A table that others join with: its text, and what its regions are called."""

    text: TableText
    columns: Columns


class _Writer:
    def __init__(self, mapping: Mapping, document: TextDocument) -> None:
        self.mapping, self.document = mapping, document
        self.by_key = {each.key: each for each in mapping.maps}
        self.sources: dict[Source, list[TriplesMap]] = {}
        for each in mapping.maps:
            self.sources.setdefault(each.source, []).append(each)
        pool = NamePool()
        self.tables = {source: pool.name(_stem(source.path), "Table") for source in self.sources}
        self.targets = NamePool(("text", "annotations"))
        self.parents = {source: self._parent(source) for source in self.sources}

    def package(self) -> Package:
        tables = tuple(self._table(source, maps) for source, maps in self.sources.items())
        return Package("rml", tables, self._tie())

    def _tie(self) -> TableText | None:
        """What is said of triples maps that have no table, since they are left out."""
        if not self.mapping.notes:
            return None
        builder = SchemaBuilder(f"The tables of a mapping\nFrom {self.document.name}")
        for note in self.mapping.notes:
            builder.note(note)
        return builder.build("")

    # ------------------------------------------------------------- tables

    def _begun(self, title: str, source: Source) -> SchemaBuilder:
        """A builder with the directives of a source."""
        builder = SchemaBuilder(title)
        directives = {"Trim": "none", "Blank Rows": "skip", **dict(source.dialect)}
        for name, value in directives.items():
            builder.directive(name, value)
        builder.gap()
        return builder

    def _table(self, source: Source, maps: Sequence[TriplesMap]) -> TableText:
        by = os.path.basename(self.document.name)
        builder = self._begun(f"{source.path}, mapped to RDF by {by}.", source)
        names = Names(self.mapping.prefixes)
        columns = Columns(builder, source)
        for each in maps:
            for column, place in self._columns(each):
                columns.ask(column, place)
        columns.state()
        for each in maps:
            for term in self._own_terms(each):
                if is_from_column(term):
                    columns.state_iris(columns_of(term)[0])
        loops = [self._loop(each, columns, names) for each in maps]
        builder.gap()
        for prefix, iri in sorted(names.used.items()):
            builder.program([f"namespace {prefix} = {iri}"])
        for each, lines in zip(maps, loops, strict=True):
            for note in each.notes:
                builder.note(note)
            builder.gap()
            builder.program(lines)
        joined = {self.by_key[join.parent].source for each in maps for join in _joins(each)}
        parts = tuple(
            parent.text
            for other, parent in self.parents.items()
            if other in joined and parent is not None
        )
        made = builder.build(self.tables[source], source.path)
        return replace(made, parts=parts)

    def _columns(self, made: TriplesMap) -> Iterator[tuple[str, Spot]]:
        """The columns of its own table that a triples map needs, each with what needs it."""
        for term in self._own_terms(made):
            yield from ((column, term.place) for column in columns_of(term))
        for join in _joins(made):
            yield from ((each.child, each.child_place) for each in join.conditions)

    def _own_terms(self, made: TriplesMap) -> Iterator[Term]:
        """The terms that a triples map makes of its own rows."""
        yield made.subject
        for statement in made.statements:
            yield from (*statement.predicates, *statement.graphs)
            for each in statement.objects:
                if isinstance(each, Term):
                    yield each
                elif not each.conditions:
                    yield self.by_key[each.parent].subject

    # ------------------------------------------------------------- parents of joins

    def _parent(self, source: Source) -> Parent | None:
        """The description of a table that others join with; `None` if none does."""
        joins = [
            join
            for made in self.mapping.maps
            for join in _joins(made)
            if self.by_key[join.parent].source == source
        ]
        if not joins:
            return None
        title = f"{source.path}: the columns that other tables look into."
        builder = self._begun(title, source)
        columns = Columns(builder, source)
        subjects = [self.by_key[join.parent].subject for join in joins]
        for join in joins:
            for each in join.conditions:
                columns.ask(each.parent, each.parent_place)
        for subject in subjects:
            for column in columns_of(subject):
                columns.ask(column, subject.place)
        columns.state()
        for subject in subjects:
            if is_from_column(subject):
                columns.state_iris(columns_of(subject)[0])
        name = self.tables[source]
        file = f"{_word(name)}-keys.sculpt"
        return Parent(builder.build(name, source.path, file), columns)

    # ------------------------------------------------------------- loops

    def _loop(self, made: TriplesMap, columns: Columns, names: Names) -> list[str]:
        """The lines of the loop of a triples map."""
        return _LoopWriter(self, made, columns, names).lines()


class _LoopWriter:
    """Writes the loop of one triples map."""

    def __init__(self, writer: _Writer, made: TriplesMap, columns: Columns, names: Names) -> None:
        self.writer, self.made, self.names = writer, made, names
        self.values = Values(columns, names, made.base)
        self.lets: dict[str, str] = {}
        """What is computed once, and its name."""
        self.taken = NamePool(("r", "subject", *FUNCTIONS, *AGGREGATES))

    def lines(self) -> list[str]:
        emits = list(self._emits())
        if not emits:
            end = "none of its triples are taken over" if self.made.notes else "it has no triples"
            return [f"% {self.made.name} ({self.made.place}): {end}"]
        subject = self.values.optional(self.made.subject)
        said = "subject"
        lines = [f"% {self.made.name} ({self.made.place})", "For each row r in not row(1) {"]
        if len(emits) > 1 and not isinstance(self.made.subject.expression, Constant):
            lines.append(f"  let subject = {subject}")
        else:
            said = subject
        lines += [f"  let {name} = {value}" for value, name in self.lets.items()]
        for fields in emits:
            target = self.writer.targets.name(_word(self.made.name), "Target")
            lines += _emit(target, [("subject", said), *fields])
        return [*lines, "}"]

    def _emits(self) -> Iterator[list[tuple[str, str]]]:
        """The fields of each record, without its subject."""
        for graph, pairs in self._by_graph().items():
            is_default = graph is None or graph.expression == Constant(DEFAULT_GRAPH)
            ends = [] if graph is None or is_default else [("graph", self.values.optional(graph))]
            records: list[dict[str, str]] = []
            for predicate, value in pairs:
                if not isinstance(predicate.expression, Constant):
                    said = self.values.optional(predicate)
                    yield [*ends, ("predicate", said), ("object", value)]
                    continue
                name = self.names.short(predicate.expression.value)
                free = next((each for each in records if name not in each), None)
                if free is None:
                    free = {}
                    records.append(free)
                free[name] = value
            for fields in records:
                yield [*ends, *fields.items()]

    def _by_graph(self) -> dict[Term | None, list[tuple[Term, str]]]:
        """By graph: the predicates and objects that are in it; each pair once."""
        found: dict[Term | None, dict[tuple[str, str], tuple[Term, str]]] = {}
        for statement in self.made.statements:
            for graph in _graphs(statement):
                pairs = found.setdefault(graph, {})
                for predicate, value in self._pairs(statement):
                    pairs.setdefault((repr(predicate.expression), value), (predicate, value))
        return {graph: list(pairs.values()) for graph, pairs in found.items()}

    def _pairs(self, statement: Statement) -> Iterator[tuple[Term, str]]:
        for predicate in statement.predicates:
            for each in statement.objects:
                yield predicate, self._object(each)

    def _object(self, each: Term | Join) -> str:
        if isinstance(each, Term):
            return self.values.optional(each)
        parent = self.writer.by_key[each.parent]
        if not each.conditions:
            return self.values.optional(parent.subject)
        known = self.writer.parents[parent.source]
        assert known is not None
        table = self.writer.tables[parent.source]
        regions = ", ".join(known.columns.name(one.parent) for one in each.conditions)
        keys = ", ".join(f"{self.values.cell(one.child)} optional" for one in each.conditions)
        found = f"find({table}({regions}), {keys})"
        row = self.lets.get(found) or self.taken.name(_word(table).lower(), "row")
        self.lets[found] = row
        there = Values(known.columns, self.names, parent.base, row)
        if isinstance(parent.subject.expression, Constant):  # it has no column that can be missing
            key = there.cell(each.conditions[0].parent)
            return f"(if {key} = {key} then {there.value(parent.subject)}) all"
        value = there.value(parent.subject)
        return f"({value}) all" if value.endswith("optional)") else f"{value} all"


def _graphs(statement: Statement) -> Sequence[Term | None]:
    """The graphs of a statement, without the places where they are named; `None` is the default."""
    if not statement.graphs:
        return (None,)
    named: dict[object, Term | None] = {}
    for each in statement.graphs:
        is_default = each.expression == Constant(DEFAULT_GRAPH)
        named.setdefault(each.expression, None if is_default else each)
    return tuple(named.values())


def _joins(made: TriplesMap) -> list[Join]:
    """The joins of a triples map that have conditions."""
    return [
        each
        for statement in made.statements
        for each in statement.objects
        if isinstance(each, Join) and each.conditions
    ]


def _emit(target: str, fields: Iterable[tuple[str, str]]) -> list[str]:
    """The lines of an `emit`."""
    named = [(_field(name), value) for name, value in fields]
    short = f"  emit {target}({', '.join(f'{name}: {value}' for name, value in named)})"
    if len(short) <= _WIDTH:
        return [short]
    *most, last = [f"    {name}: {value}" for name, value in named]
    return [f"  emit {target}(", *(f"{each}," for each in most), last, "  )"]


def _field(name: str) -> str:
    return name if re.fullmatch(r"[^\W\d][\w-]*", name) else f'"{name}"'


def _stem(path: str) -> str:
    name = path.replace("\\", "/").rstrip("/").rpartition("/")[2]
    return name.partition(".")[0] or name


def _word(name: str) -> str:
    """A name as one word."""
    word = _NOT_IN_WORDS.sub("-", name).strip("-")
    return word if word and not word[0].isdigit() else f"T{word}"
