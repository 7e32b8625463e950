"""Cells and values of programs to core form: regions, look-ups, names and types.

In: an expression, and the loop that it is in. Out: a core cell or value; errors go to `problems`.
Regions and look-ups get their numbers here.

Invariant: the same selector, and the same look-up, has one number in a program. What a name stands
for is compiled once. Cost: linear, and a comparison with each region and look-up so far.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import assert_never

from sculpt.core import ir
from sculpt.core.datatypes.families import ANY_CASE
from sculpt.core.desugar import Desugarer
from sculpt.core.programs import expressions
from sculpt.core.programs.condition_compiler import RejectedError, each_of
from sculpt.core.programs.declarations import Declarations
from sculpt.core.programs.finding.compiler import FindCompiler, Gathering, Tables
from sculpt.core.programs.look_ups import LookUp, as_directly, direction_of, is_same, reach_of
from sculpt.core.programs.typed_values import (
    DECIMAL,
    INTEGER,
    LIST,
    TEXT,
    ValueType,
    parse_value,
    type_names,
    value_type,
)
from sculpt.core.traversal import tests_of
from sculpt.diagnostics import Diagnostic, Span, closest
from sculpt.syntax import ast
from sculpt.syntax.printer import print_selector
from sculpt.syntax.programs import tree as p


class ExpressionCompiler(FindCompiler):
    """Compiles cells and values."""

    def __init__(
        self,
        statements: tuple[ast.Statement, ...],
        declarations: Declarations,
        problems: list[Diagnostic],
        tables: Tables,
    ) -> None:
        self.problems = problems
        self.tables = tables
        self.gatherings: list[Gathering] = []
        self.desugarer = Desugarer(statements, [])  # its errors were reported before
        self.desugarer.problems = problems
        self.definitions = {s.name: s for s in statements if isinstance(s, ast.TokenDefinition)}
        self.regions: list[ir.Selector] = []
        self.look_ups: list[LookUp] = []
        self.namespaces = declarations.namespaces
        self.mappings = declarations.mappings
        self.patterns: dict[str, str] = {}
        self.lets = {}
        """What the names of the current loop stand for; `None` if that is an error."""
        self.heights: dict[str, int] = {}
        """How many levels each name has."""
        self.let_count = 0
        self.kind: p.LoopKind | None = None
        """What the current loop runs over; `None` outside loops."""

    def reject(self, code: str, message: str, span: Span, hint: str | None = None) -> Exception:
        """Report an error; the exception ends the statement."""
        self.problems.append(Diagnostic(code, message, span, hint))
        return RejectedError()

    def region(self, selector: ast.Selector) -> int:
        """The number of a region."""
        return self._region_of(self.desugarer.selector(selector))

    def _region_of(self, node: ir.Selector) -> int:
        for ix, known in enumerate(self.regions):
            if known is node:
                return ix
        self.regions.append(node)
        return len(self.regions) - 1

    # ------------------------------------------------------------- names

    def let(self, node: p.Let) -> None:
        """Give a name to a cell or a value."""
        self.let_count += 1
        self.lets[node.name] = self.let_count, None
        self.reached = 0
        found: expressions.Cell | expressions.Value | expressions.FoundRow
        if self.is_row(node.value):
            found = expressions.bare_row(self.row(node.value))
        else:
            found = self.cell(node.value) if self.is_cell(node.value) else self.value(node.value)
        self.lets[node.name] = self.let_count, found
        self.heights[node.name] = self.reached

    def _meaning(
        self, node: p.LetName
    ) -> expressions.LetCell | expressions.LetValue | expressions.RowValue:
        """What a name stands for."""
        number, found = self.lets[node.name]
        match found:
            case None:
                raise RejectedError  # its error was reported
            case (
                expressions.LoopCell()
                | expressions.ItemCell()
                | expressions.OwnCell()
                | expressions.OnlyCell()
                | expressions.FoundCell()
                | expressions.OneCell()
                | expressions.LetCell()
            ):
                return expressions.LetCell(number, found)
            case expressions.FoundRow():
                row = expressions.LetRow(number, found)
                return expressions.RowValue(row, 0, None, node.name, TEXT)
            case _:
                return expressions.LetValue(number, found, found.type)

    # ------------------------------------------------------------- cells

    def cell(self, node: p.Expression) -> expressions.Cell:
        """The cell that an expression stands for."""
        with self.nested(node.span, self._height(node)):
            return self._cell(node)

    def _height(self, node: p.Expression) -> int:
        """How many levels a name has, if it is one."""
        return self.heights.get(node.name, 0) if isinstance(node, p.LetName) else 0

    def _cell(self, node: p.Expression) -> expressions.Cell:
        match node:
            case p.Variable(name):
                if self.kind != "cell":
                    message = f"`{name}` is a {self.kind}, not a cell"
                    raise self.reject(
                        "wrong-type", message, node.span, f"`{name}.cells[1]` is its first cell"
                    )
                return expressions.LoopCell()
            case p.Item(p.Variable(name), index):
                if self.kind == "cell":
                    message = f"`{name}` is a cell and has no cells"
                    raise self.reject("wrong-type", message, node.span)
                if index < 1:
                    message = f"cells are counted from 1, so there is no cell {index}"
                    raise self.reject("bad-index", message, node.span)
                return expressions.ItemCell(index, node.span.line)
            case p.Find() | p.LetName() | p.Own() if self.is_of_row(node):
                message = "a cell of another table has no place in this one"
                hint = "it is a value: give it a type, compare it, or emit it"
                raise self.reject("wrong-type", message, node.span, hint)
            case p.Own():
                return expressions.OwnCell(self._own(node), written(node.span), node.span.line)
            case p.Only(wanted):
                region = self.region(wanted)
                return expressions.OnlyCell(region, written(node.span), node.span.line)
            case p.LookUp():
                number, origin = self._look_up(node, wants_all=False)
                return expressions.FoundCell(number, origin, node.span.line)
            case p.LetName(name):
                meaning = self._meaning(node)
                if isinstance(meaning, expressions.LetCell):
                    return meaning
                message = f"`{name}` is a value, not a cell"
                raise self.reject("wrong-type", message, node.span)
            case p.Policy(value, "one", _):
                return expressions.OneCell(self.cell(value))
        raise self.reject("wrong-type", "expected a cell", node.span)

    def _own(self, node: p.Own) -> int:
        """The region in which a row or column has its cell."""
        name = node.of.name if isinstance(node.of, p.Variable | p.LetName) else ""
        if not isinstance(node.of, p.Variable):
            message = f"`{name}` is no row or column, so it has no cells in a region"
            raise self.reject("wrong-type", message, node.span)
        if self.kind == "cell":
            message = f"`{name}` is a cell, and only a row or a column has a cell in a region"
            wanted = print_selector(node.wanted)
            hint = f"loop over rows, or use a look-up such as `directly(left, {wanted}, {name})`"
            raise self.reject("wrong-type", message, node.span, hint)
        return self.region(node.wanted)

    def is_cell(self, node: p.Expression) -> bool:
        """Does an expression stand for a cell?"""
        match node:
            case p.Variable():
                return self.kind == "cell"
            case p.Own(of, _) if self.is_row(of):
                return False
            case p.Item() | p.LookUp() | p.Own() | p.Only():
                return True
            case p.LetName():
                return isinstance(self._meaning(node), expressions.LetCell)
            case p.Policy(value, "one", _):
                return self.is_cell(value)
            case _:
                return False

    def _origin(self, node: p.Expression) -> expressions.Cell:
        found = self.cell(node)
        is_far = isinstance(expressions.base_of(found), expressions.OnlyCell)
        if self.kind == "column" or is_far:
            message = "a look-up must start from the cell of the loop, or from a cell of its row"
            raise self.reject("wrong-type", message, node.span)
        return found

    def _look_up(self, node: p.LookUp, wants_all: bool) -> tuple[int, expressions.Cell]:
        """The number of a look-up, and the cell from which it starts."""
        origin = self._origin(node.origin)
        kind, direction, path = node.kind, direction_of(node.direction), None
        tests: tuple[int, ...] = ()
        if node.path is not None:
            path = self.desugarer.path(node.path)
            direct = as_directly(path, self.desugarer.builder)
            if direct is not None:
                kind, path, (direction, wanted) = "directly", None, direct
                region = self._region_of(wanted)
            else:
                region = -1
                tests = tuple(self._region_of(test) for test in tests_of(path))
        else:
            assert node.wanted is not None
            region = self.region(node.wanted)
        before, after = (*node.distances, 0, 0)[:2]
        reach = reach_of(kind, direction, path, wants_all)
        span = node.span
        text = written(span)
        found = LookUp(kind, direction, region, before, after, path, tests, reach, span.line, text)
        for ix, known in enumerate(self.look_ups):
            if is_same(known, found):
                return ix, origin
        self.look_ups.append(found)
        return len(self.look_ups) - 1, origin

    # ------------------------------------------------------------- values

    def values(self, nodes: Iterable[p.Expression]) -> tuple[expressions.Value, ...]:
        """The values of some expressions; the errors of all of them are reported."""
        return each_of(*(partial(self.value, node) for node in nodes))

    def value(self, node: p.Expression) -> expressions.Value:
        """The value of an expression."""
        with self.nested(node.span, self._height(node)):
            return self._value(node)

    def _value(self, node: p.Expression) -> expressions.Value:
        match node:
            case p.Text(text):
                return expressions.Constant(text, TEXT)
            case p.Number(text):
                return self._number(node, DECIMAL if "." in text else INTEGER)
            case p.Variable(name):
                if self.kind != "cell":
                    message = f"`{name}` is a {self.kind}, not a value"
                    hint = f"`{name}.cells[1]` is its first cell, `{name}[A]` the one in a region"
                    raise self.reject("wrong-type", message, node.span, hint)
                return expressions.CellValue(expressions.LoopCell(), "content", TEXT)
            case p.Find():
                return self.found(node, node, None)
            case p.Own(of, wanted) if self.is_row(of):
                return self.found(node, of, wanted)
            case p.Item() | p.LookUp() | p.Own() | p.Only():
                return expressions.CellValue(self.cell(node), "content", TEXT)
            case p.LetName():
                meaning = self._meaning(node)
                if isinstance(meaning, expressions.LetCell):
                    return expressions.CellValue(meaning, "content", TEXT)
                return meaning
            case p.If():
                return self.choice(node)
            case p.Property(of, _) if self.is_of_row(of):
                return self.found_property(node)
            case p.Property(of, name):
                return self._property(node, of, name)
            case p.Aggregate(function, operand):
                return self._aggregate(node, function, operand)
            case p.Joined(parts):
                return expressions.Joined(self.values(parts), TEXT)
            case p.Cast(value, type_name, digits):
                if type_name in self.desugarer.derived:
                    return self._token_cast(node, value, type_name)
                to = self._type(type_name, digits, node.span)
                return expressions.Cast(self.value(value), to, node.span.line)
            case p.Call(function, arguments):
                return self.call(node, function, arguments)
            case p.Policy(value, kind, default):
                return self._policy(node, value, kind, default)
            case p.Named(name):
                message = f"there is no variable `{name}`"
                raise self.reject("unknown-variable", message, node.span)
            case _:
                assert_never(node)

    def _number(self, node: p.Number, to: ValueType) -> expressions.Constant:
        try:
            parse_value(node.text, to)
        except ValueError as error:
            raise self.reject("wrong-type", f"`{node.text}` {error}", node.span) from None
        return expressions.Constant(node.text, to)

    def _property(
        self, node: p.Property, of: p.Expression, name: expressions.CellFact
    ) -> expressions.Value:
        is_loop = isinstance(of, p.Variable) and self.kind != "cell"
        if is_loop and name == "file":
            return expressions.LoopValue("file", TEXT)
        if is_loop and (name == "row" or name == "column") and name == self.kind:
            return expressions.LoopValue(name, INTEGER)
        if is_loop:
            message = f"a {self.kind} has no `.{name}`"
            hint = f"`.cells[1].{name}` is that of its first cell"
            raise self.reject("wrong-type", message, node.span, hint)
        kind = INTEGER if name in ("row", "column") else TEXT
        return expressions.CellValue(self.cell(of), name, kind)

    def _aggregate(
        self, node: p.Aggregate, function: str, operand: p.Variable | ast.Selector
    ) -> expressions.Value:
        to = INTEGER if function == "Count" else DECIMAL
        if isinstance(operand, p.Variable):
            return expressions.GroupAggregate(function, node.span.line, to)
        return expressions.RegionAggregate(function, self.region(operand), node.span.line, to)

    def _type(self, name: str, digits: tuple[int, ...], span: Span) -> ValueType:
        try:
            return value_type(name, digits)
        except ValueError as error:
            if str(error):
                raise self.reject("wrong-type", str(error), span) from None
        known = [*type_names(), *self.desugarer.derived]
        near = closest(name, known) or closest(f"xs:{name}", known)
        hint = f"did you mean `{near}`?" if near else None
        if name in self.definitions:
            hint = f"a type gives texts a value: `other := {name} and Number`, and then `as other`"
        elif name in self.desugarer.definitions:
            hint = f"`{name}` is a token type: it is about places, and types are about texts"
        elif name == ANY_CASE:
            hint = "only keys and references know it; compare `lower(…)` with `lower(…)`"
        raise self.reject("unknown-type", f"there is no type `{name}`", span, hint)

    def _token_cast(self, node: p.Cast, value: p.Expression, name: str) -> expressions.Cast:
        """A cast to a derived token."""
        from sculpt.core.programs.token_types import MixedTypesError, token_type  # few have any

        if node.digits:
            raise self.reject("wrong-type", "only `xs:decimal` takes a number of digits", node.span)
        assert self.desugarer.defined is not None
        branches = self.desugarer.defined.branches_of(name)
        if branches is None:
            raise RejectedError  # its error was reported
        try:
            to, reading = token_type(name, branches)
        except MixedTypesError as error:
            message = f"the alternatives of `{name}` have values of different types: {error}"
            hint = "define a token for each type, and cast to one of them"
            raise self.reject("wrong-type", message, node.span, hint) from None
        return expressions.Cast(self.value(value), to, node.span.line, reading)

    def _policy(
        self, node: p.Policy, value: p.Expression, kind: p.PolicyKind, default: p.Expression | None
    ) -> expressions.Value:
        if kind == "one":
            if self.is_cell(value):
                return expressions.CellValue(self.cell(node), "content", TEXT)
            inner = self.value(value)
            return expressions.One(inner, inner.type)
        if kind == "all":
            if default is not None and not isinstance(default, p.Text):
                message = "`all` takes the text to put between the values"
                raise self.reject("wrong-type", message, default.span)
            joins = default.text if default is not None else None
            to = LIST if joins is None else TEXT
            if not isinstance(value, p.LookUp | p.Own) or self.is_of_row(value):
                return self.each_row(node, self.value(value), joins)
            if isinstance(value, p.Own):
                region = self._own(value)
                if self.kind == "column":
                    message = "`all` cannot hold the cells of a whole column"
                    raise self.reject("wrong-type", message, node.span)
                return expressions.AllOwn(region, joins, to)
            number, origin = self._look_up(value, wants_all=True)
            return expressions.AllFound(number, origin, joins, to)
        inner = self.value(value)
        if inner.type.kind == "list" and (
            default is not None or not isinstance(inner, expressions.Cast)
        ):
            message = "a list is never missing, so it cannot be optional"
            if isinstance(inner, expressions.Cast):
                message = "a list has no default"
            raise self.reject("wrong-type", message, node.span)
        if default is None:
            return expressions.Optional(inner, None, inner.type)
        if not isinstance(default, p.Text | p.Number):
            one, other, to = self.agreed((value, inner), (default, self.value(default)))
            return expressions.Optional(one, other, to)
        try:
            parse_value(default.text, inner.type)
        except ValueError as error:
            message = f"the default `{default.text}` {error}"
            raise self.reject("wrong-type", message, default.span) from None
        return expressions.Optional(
            inner, expressions.Constant(default.text, inner.type), inner.type
        )

    def written(self, span: Span) -> str:
        """What is written at a place, on one line."""
        return written(span)


def written(span: Span) -> str:
    """What is written at a place, on one line."""
    return " ".join(span.source.text[span.start : span.end].split())
