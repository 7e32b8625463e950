"""`find(Table(A), x)` to core form: rows of other tables, and what is gathered to find them.

In: a `find` of a program, and the statements of the tables that the schema brings in. Out: core
rows and values; and, when the program is complete, the `Find`s. Regions of another table are
selectors in the words of its own schema. Errors go to `problems`.

Invariant: finds with the same table and the same regions are one, and gather each field once. Cost:
linear, and a comparison with each find so far.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping

from sculpt.core.programs import expressions
from sculpt.core.programs.condition_compiler import RejectedError
from sculpt.core.programs.function_compiler import FunctionCompiler
from sculpt.core.programs.typed_values import INTEGER, LIST, TEXT, ValueType
from sculpt.diagnostics import Span, closest
from sculpt.syntax import ast
from sculpt.syntax.programs import tree as p
from sculpt.values import field, mutable, replace

ROW = "r"
"""The variable of the loop that gathers rows."""

Tables = Mapping[str, tuple[ast.Statement, ...] | None]
"""The statements of the tables of a schema, by name; `None` if they have errors."""


@mutable
class Gathering:
    """What is gathered of a table, as far as it is known."""

    table: str
    parts: tuple[ast.Selector, ...]
    line: int
    text: str
    spans: tuple[Span, ...]
    fields: list[p.Expression] = field(default_factory=list)

    def asks(self, node: p.Expression) -> int:
        """The number of a field; it is gathered once."""
        if node not in self.fields:
            self.fields.append(node)
        return self.fields.index(node)

    @property
    def loop(self) -> p.Loop:
        """The loop that gathers it."""
        span = self.spans[0]
        emitted = tuple(p.Field(f"f{n}", each, span=span) for n, each in enumerate(self.fields))
        emit = p.Emit("rows", emitted, target_span=span, span=span)
        return p.Loop("row", ROW, self.parts[0], (emit,), span=span)


class FindCompiler(FunctionCompiler):
    """Compiles finds."""

    tables: Tables
    gatherings: list[Gathering]
    lets: dict[str, tuple[int, expressions.Cell | expressions.Value | expressions.FoundRow | None]]

    @abstractmethod
    def written(self, span: Span) -> str:
        """What is written at a place."""

    # ------------------------------------------------------------- rows

    def is_row(self, node: p.Expression) -> bool:
        """Does an expression stand for a row of another table?"""
        if isinstance(node, p.LetName):
            return isinstance(self.lets[node.name][1], expressions.FoundRow)
        return isinstance(node, p.Find)

    def row(self, node: p.Expression) -> expressions.Row:
        """The row of another table that an expression stands for."""
        if isinstance(node, p.LetName):
            number, found = self.lets[node.name]
            assert isinstance(found, expressions.FoundRow)
            return expressions.LetRow(number, found)
        assert isinstance(node, p.Find)
        if self.in_require:
            message = "a condition of `require` cannot look into another table"
            hint = "a reference says that a value occurs there: `col(Dept) ~> Depts(Code)`"
            raise self.reject("wrong-type", message, node.span, hint)
        if node.table not in self.tables:
            near = closest(node.table, self.tables)
            meant = f"did you mean `{near}`?" if near else None
            message = f"there is no table `{node.table}`"
            raise self.reject("unknown-table", message, node.table_span, meant)
        if self.tables[node.table] is None:
            raise RejectedError  # its errors were reported
        if len(node.keys) != len(node.parts):
            message = f"`find` needs a value for each region of `{node.table}`"
            usage = "each region is compared with one value: `find(Depts(Code, Year), x, y)`"
            raise self.reject("wrong-type", message, node.span, usage)
        keys = self.values(node.keys)
        return expressions.FoundRow(self._find(node), keys, self.written(node.span), node.span.line)

    def _find(self, node: p.Find) -> int:
        """The number of a find."""
        for number, known in enumerate(self.gatherings):
            if (known.table, known.parts) == (node.table, node.parts):
                return number
        spans = tuple(each.span for each in node.parts)
        made = Gathering(node.table, node.parts, node.span.line, self.written(node.span), spans)
        for part, span in zip(node.parts, spans, strict=True):
            made.asks(p.Own(_loop(span), part, span=span))
        made.asks(p.Property(_loop(node.span), "row", span=node.span))
        self.gatherings.append(made)
        return len(self.gatherings) - 1

    # ------------------------------------------------------------- values

    def found(
        self, node: p.Expression, of: p.Expression, wanted: ast.Selector | None
    ) -> expressions.RowValue:
        """The cell of a row that is in a region; without one, that of the first key."""
        row = self.row(of)
        gathering = self.gatherings[expressions.bare_row(row).find]
        text = self.written(node.span)
        if wanted is None:
            return expressions.RowValue(row, 0, None, text, TEXT)
        own = p.Own(_loop(node.span), wanted, span=node.span)
        at = gathering.asks(_optional(p.Property(own, "column", span=node.span)))
        return expressions.RowValue(row, gathering.asks(_optional(own)), at, text, TEXT)

    def found_property(self, node: p.Property) -> expressions.RowValue:
        """A property of the cell of a row."""
        kind: ValueType = INTEGER if node.name in ("row", "column") else TEXT
        if not isinstance(node.of, p.Own):
            row = self.row(node.of)
            gathering = self.gatherings[expressions.bare_row(row).find]
            own = p.Own(_loop(node.span), gathering.parts[0], span=gathering.spans[0])
            at = gathering.asks(p.Property(own, node.name, span=node.span))
            return expressions.RowValue(row, at, None, self.written(node.span), kind)
        found = self.found(node.of, node.of.of, node.of.wanted)
        gathering = self.gatherings[expressions.bare_row(found.row).find]
        own = p.Own(_loop(node.span), node.of.wanted, span=node.span)
        at = gathering.asks(_optional(p.Property(own, node.name, span=node.span)))
        return replace(found, field=at, text=self.written(node.span), type=kind)

    def is_of_row(self, node: p.Expression) -> bool:
        """Does an expression stand for a row of another table, or for a cell of one?"""
        return self.is_row(node.of if isinstance(node, p.Own) else node)

    def each_row(
        self, node: p.Policy, value: expressions.Value, separator: str | None
    ) -> expressions.EachRow:
        """`value all`, where the value is about a row that `find` finds."""
        rows = expressions.rows_in([value])
        if not rows:
            message = "`all` applies only to look-ups, and to values with a `find` in them"
            raise self.reject("wrong-type", message, node.span)
        if len(rows) > 1:
            message = "`all` lists the rows of one `find`, and this value has several"
            raise self.reject("wrong-type", message, node.span)
        if value.type.kind == "list":
            raise self.reject("wrong-type", "a list cannot be an item of a list", node.span)
        to = replace(
            TEXT if separator is not None else LIST,
            language=value.type.language,
            datatype=value.type.datatype,
            has_iris=value.type.kind == "iri" and separator is None,
        )
        return expressions.EachRow(rows[0], value, separator, to)


def _loop(span: Span) -> p.Variable:
    return p.Variable(ROW, span=span)


def _optional(node: p.Expression) -> p.Policy:
    return p.Policy(node, "optional", None, span=node.span)
