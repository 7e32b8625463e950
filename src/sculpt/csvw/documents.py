"""What surrounds the rows in a whole document, in JSON and in RDF.

In: a group of tables, what the rows become. Out: the text before the first table, before and after
the rows of each table, and at the end ("Generating JSON from Tabular Data on the Web", 4.1;
"Generating RDF from Tabular Data on the Web", 4.1). Comments in a file are known after its rows, so
they stand there.

Invariant: with the rows in between, the text is one document. Cost: linear in the metadata.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

from sculpt.csvw.converter import Target, nodes_of
from sculpt.csvw.tables.plan import TablePlan, plan_of
from sculpt.csvw.texts.annotations import Statements, members, written
from sculpt.csvw.texts.provenance import Provenance
from sculpt.csvw.texts.terms import RDF_TYPE, Format, csvw, iri, literal, name, prologue
from sculpt.interchange.csvw.model import TableGroup
from sculpt.interchange.csvw.reading.context import expand
from sculpt.values import frozen

_COMMENT = "rdfs:comment"


class Frame(ABC):
    """What surrounds the rows of tables."""

    @abstractmethod
    def head(self) -> str:
        """Before the first table."""

    @abstractmethod
    def before(self, plan: TablePlan, is_first: bool) -> str:
        """Before the rows of a table."""

    @abstractmethod
    def after(self, plan: TablePlan, comments: Sequence[str]) -> str:
        """After the rows of a table."""

    @abstractmethod
    def tail(self, provenance: Provenance | None) -> str:
        """After the last table."""


def frame_of(group: TableGroup, target: Target, provenance: bool = False) -> Frame:
    """What surrounds the rows of a group of tables; `provenance` says whether that will come."""
    if target.form is not None:
        return RdfFrame(group, target.form, target.minimal, provenance)
    return MinimalJson() if target.minimal else StandardJson(group)


def has_comment(plan: TablePlan) -> bool:
    """Does the metadata of a table have a comment? Then those of its file do not count."""
    return any(expand(key) == expand(_COMMENT) for key, _ in plan.table.common)


# ------------------------------------------------------------- JSON


@frozen
class MinimalJson(Frame):
    """An array of all objects of all rows."""

    def head(self) -> str:
        """See `Frame`."""
        return "[\n"

    def before(self, plan: TablePlan, is_first: bool) -> str:
        """See `Frame`."""
        return ""

    def after(self, plan: TablePlan, comments: Sequence[str]) -> str:
        """See `Frame`."""
        return ""

    def tail(self, provenance: Provenance | None) -> str:
        """See `Frame`."""
        return "\n]\n"


@frozen
class StandardJson(Frame):
    """An object for the group, with an array of tables, each with an array of rows."""

    group: TableGroup

    def head(self) -> str:
        """See `Frame`."""
        given: dict[str, Any] = {} if self.group.id is None else {"@id": self.group.id}
        given |= members(self.group.notes, self.group.common)
        return f'{{{_members(given)}"tables":['

    def before(self, plan: TablePlan, is_first: bool) -> str:
        """See `Frame`."""
        table = plan.table
        given: dict[str, Any] = {} if table.id is None else {"@id": table.id}
        given["url"] = table.url
        given |= members(table.notes, table.common)
        return f'{"" if is_first else ","}\n{{{_members(given)}"row":[\n'

    def after(self, plan: TablePlan, comments: Sequence[str]) -> str:
        """See `Frame`."""
        if not comments or has_comment(plan):
            return "\n]}"
        shown = comments[0] if len(comments) == 1 else list(comments)
        return f'\n],"{_COMMENT}":{_json(shown)}}}'

    def tail(self, provenance: Provenance | None) -> str:
        """See `Frame`."""
        more = ""
        if provenance is not None:
            more = f',"prov:wasGeneratedBy":{_json(provenance.as_json())}'
        return f"\n]{more}}}\n"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _members(given: dict[str, Any]) -> str:
    """Members of an object, each with a comma."""
    return "".join(f"{_json(key)}:{_json(value)}," for key, value in given.items())


# ------------------------------------------------------------- RDF


class RdfFrame(Frame):
    """Statements about the group and its tables."""

    def __init__(
        self, group: TableGroup, form: Format, minimal: bool, provenance: bool = False
    ) -> None:
        self._group, self._form, self._minimal = group, form, minimal
        self._provenance = provenance
        self._statements = Statements(form)
        self._node = iri(group.id) if group.id else "_:g"

    def head(self) -> str:
        """See `Frame`."""
        if self._minimal:
            return self._prologue()
        group, form = self._group, self._form
        own = [(self._node, name(RDF_TYPE, form), csvw("TableGroup", form))]
        found = self._statements.of(self._node, group.notes, group.common)
        return self._prologue() + written([*own, *found])

    def _prologue(self) -> str:
        if self._form == "ntriples":
            return ""
        known = ["prov:"] if self._provenance else []
        for table in self._group.tables:
            known += [str(each.predicate) for each in plan_of(table, 1).columns]
        return prologue(f"{known}{self._group!r}")

    def before(self, plan: TablePlan, is_first: bool) -> str:
        """See `Frame`."""
        if self._minimal:
            return ""
        table, form = plan.table, self._form
        node = nodes_of(plan).table
        own = [
            (self._node, csvw("table", form), node),
            (node, name(RDF_TYPE, form), csvw("Table", form)),
            (node, csvw("url", form), iri(table.url)),
        ]
        return written([*own, *self._statements.of(node, table.notes, table.common)])

    def after(self, plan: TablePlan, comments: Sequence[str]) -> str:
        """See `Frame`."""
        if self._minimal or has_comment(plan):
            return ""
        node, predicate = nodes_of(plan).table, name(expand(_COMMENT), self._form)
        return written((node, predicate, literal(text)) for text in comments)

    def tail(self, provenance: Provenance | None) -> str:
        """See `Frame`."""
        if provenance is None or self._minimal:
            return ""
        found = provenance.statements(self._node, self._statements, self._form)
        return written(found)
