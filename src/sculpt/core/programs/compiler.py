"""Syntax tree of programs to core form: resolves names, regions, look-ups and types.

In: the statements of a schema. Out: a `CoreProgram`; errors go to `problems`.

Invariant and cost: see `program`.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import assert_never

from sculpt.core import ir
from sculpt.core.desugar import Desugarer
from sculpt.core.programs import expressions
from sculpt.core.programs.condition_compiler import RejectedError, each_of
from sculpt.core.programs.declarations import Declarations, declared
from sculpt.core.programs.function_compiler import FunctionCompiler
from sculpt.core.programs.look_ups import LookUp, as_directly, direction_of, is_same, reach_of
from sculpt.core.programs.program import CoreProgram
from sculpt.core.programs.statements import (
    Action,
    Annotate,
    Emit,
    Loop,
    Print,
    Require,
    Statement,
    Stream,
    StreamKind,
)
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
from sculpt.syntax.printer import print_selector, with_clause
from sculpt.syntax.programs import tree as p
from sculpt.values import replace

OUTPUTS = {"text": "the printed lines", "annotations": "the annotations of cells"}
"""The names of the outputs that are not records."""


def compile_programs(
    statements: Iterable[ast.Statement], problems: list[Diagnostic]
) -> CoreProgram | None:
    """The programs of a schema; `None` if it has none."""
    listed = tuple(statements)
    bodies = [s.body for s in listed if isinstance(s, ast.Program) and s.body is not None]
    if not bodies:
        return None
    compiler = _Compiler(listed, declared(bodies, problems), problems)
    found: list[Statement] = []
    for body in bodies:
        try:
            match body:
                case p.Print():
                    found.append(compiler.lone_print(body))
                case p.Require():
                    found.append(compiler.lone_require(body))
                case p.Loop():
                    found.append(compiler.loop(body))
        except RejectedError:
            continue
    return compiler.program(*_apart(found))


def _apart(
    statements: Iterable[Statement],
) -> tuple[tuple[Statement, ...], tuple[Statement, ...]]:
    """What is run, and what is checked before that; a loop may do both."""
    run: list[Statement] = []
    checked: list[Statement] = []
    for each in statements:
        match each:
            case Loop():
                requires = tuple(a for a in each.actions if isinstance(a, Require))
                others = tuple(a for a in each.actions if not isinstance(a, Require))
                if requires:
                    checked.append(replace(each, actions=requires))
                if others or not requires:
                    run.append(replace(each, actions=others))
            case Require():
                checked.append(each)
            case Print():
                run.append(each)
    return tuple(run), tuple(checked)


class _Compiler(FunctionCompiler):
    def __init__(
        self,
        statements: tuple[ast.Statement, ...],
        declarations: Declarations,
        problems: list[Diagnostic],
    ) -> None:
        self.problems = problems
        self.desugarer = Desugarer(statements, [])  # its errors were reported before
        self.desugarer.problems = problems
        self.definitions = {s.name: s for s in statements if isinstance(s, ast.TokenDefinition)}
        self.regions: list[ir.Selector] = []
        self.look_ups: list[LookUp] = []
        self.streams: list[Stream] = []
        self.by_column: list[bool] = []
        """By stream: does a loop over columns feed it first?"""
        self.namespaces = declarations.namespaces
        self.mappings = declarations.mappings
        self.patterns: dict[str, str] = {}
        self.lets: dict[str, tuple[int, expressions.Cell | expressions.Value | None]] = {}
        """What the names of the current loop stand for; `None` if that is an error."""
        self.heights: dict[str, int] = {}
        """How many levels each name has."""
        self.let_count = 0
        self.kind: p.LoopKind | None = None
        """What the current loop runs over; `None` outside loops."""
        self.has_printed = False
        """Does the current statement have a stream of lines?"""
        self.require_count = 0

    def program(
        self,
        statements: tuple[Statement, ...],
        requirements: tuple[Statement, ...],
    ) -> CoreProgram:
        return CoreProgram(
            self.desugarer.tokens,
            tuple(self.regions),
            tuple(self.look_ups),
            statements,
            tuple(self.streams),
            self.namespaces,
            self.mappings,
            self.patterns,
            requirements,
        )

    def error(self, code: str, message: str, span: Span, hint: str | None = None) -> None:
        self.problems.append(Diagnostic(code, message, span, hint))

    def reject(self, code: str, message: str, span: Span, hint: str | None = None) -> Exception:
        self.error(code, message, span, hint)
        return RejectedError()

    def region(self, selector: ast.Selector) -> int:
        return self.region_of(self.desugarer.selector(selector))

    def region_of(self, node: ir.Selector) -> int:
        for ix, known in enumerate(self.regions):
            if known is node:
                return ix
        self.regions.append(node)
        return len(self.regions) - 1

    def stream(
        self,
        kind: StreamKind,
        name: str,
        fields: tuple[tuple[str, ValueType], ...],
        span: Span,
        is_distinct: bool = False,
    ) -> int:
        """The number of a stream; the lines of each statement have their own stream."""
        if kind != "print" or self.has_printed:
            for ix, known in reversed(list(enumerate(self.streams))):
                if (known.kind, known.name) == (kind, name):
                    if known.fields != fields:
                        mine, theirs = (", ".join(f"{n}: {t.name}" for n, t in each)
                                        for each in (fields, known.fields))  # fmt: skip
                        message = f"`{name}` has different fields here than before: {mine}"
                        raise self.reject("wrong-type", message, span, f"before: {theirs}")
                    self.check_distinct(name, ix, is_distinct, span)
                    return ix
        self.has_printed |= kind == "print"
        self.streams.append(Stream(kind, name, fields, is_distinct))
        self.by_column.append(self.kind == "column")
        return len(self.streams) - 1

    def check_distinct(self, name: str, stream: int, is_distinct: bool, span: Span) -> None:
        """Distinct records come from one kind of `emit`."""
        if self.streams[stream].is_distinct != is_distinct:
            message = f"`{name}` is emitted with `distinct` and without it"
            raise self.reject("wrong-type", message, span, "write it in both places, or in none")
        if is_distinct and self.by_column[stream] != (self.kind == "column"):
            message = f"distinct `{name}` come from a loop over columns, and from another one"
            raise self.reject("wrong-type", message, span, "give them different names")

    # ------------------------------------------------------------- statements

    def lone_print(self, body: p.Print) -> Print:
        self.kind, self.has_printed = None, False
        return self.print(body)

    def print(self, body: p.Print) -> Print:
        value = self.value(body.value)
        return Print(self.stream("print", "", (("text", TEXT),), body.span), value)

    def lone_require(self, body: p.Require) -> Require:
        self.kind, self.has_printed = None, False
        return self.require(body)

    def require(self, node: p.Require) -> Require:
        self.in_require = True
        try:
            condition = self.condition(node.condition)
        finally:
            self.in_require = False
        self.require_count += 1
        return Require(
            self.require_count - 1,
            condition,
            node.span.line,
            with_clause(_written(node.span), node.clause),
            _written(node.condition.span),
            ir.Ending.of(node.clause),
        )

    def loop(self, body: p.Loop) -> Loop:
        self.kind, self.has_printed = body.kind, False
        self.lets, self.heights = {}, {}
        region = self.region(body.selector)
        actions = []
        for action in body.actions:
            try:
                if isinstance(action, p.Let):
                    self.let(action)
                else:
                    actions.append(self.action(action))
            except RejectedError:
                continue
        text = f"For each {body.kind} {body.variable} in {print_selector(body.selector)}"
        return Loop(body.kind, region, tuple(actions), body.span.line, text)

    def let(self, node: p.Let) -> None:
        """Give a name to a cell or a value."""
        self.let_count += 1
        self.lets[node.name] = self.let_count, None
        self.reached = 0
        found = self.cell(node.value) if self.is_cell(node.value) else self.value(node.value)
        self.lets[node.name] = self.let_count, found
        self.heights[node.name] = self.reached

    def meaning(self, node: p.LetName) -> expressions.LetCell | expressions.LetValue:
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
            case _:
                return expressions.LetValue(number, found, found.type)

    def action(self, action: p.Print | p.Annotate | p.SetNamespace | p.Emit | p.Require) -> Action:
        match action:
            case p.Require():
                return self.require(action)
            case p.Print():
                return self.print(action)
            case p.Annotate(variable, value):
                self.must_be_cell(variable, "annotated")
                return Annotate(self.annotations(action.span), self.value(value), None)
            case p.SetNamespace(variable, name):
                self.must_be_cell(variable, "put into a namespace")
                if name.name not in self.namespaces:
                    raise self.unknown_namespace(name)
                iri = self.namespaces[name.name]
                return Annotate(self.annotations(action.span), None, iri)
            case p.Emit(target, fields, is_distinct):
                if target in OUTPUTS:
                    message = f"`{target}` is the name of another output: {OUTPUTS[target]}"
                    raise self.reject("reserved-name", message, action.target_span)
                values = self.values(each.value for each in fields)
                typed = tuple((f.name, v.type) for f, v in zip(fields, values, strict=True))
                span = action.target_span
                stream = self.stream("records", target, typed, span, is_distinct)
                return Emit(stream, values)
            case _:
                assert_never(action)

    def annotations(self, span: Span) -> int:
        fields = ("file", TEXT), ("row", INTEGER), ("column", INTEGER), ("content", TEXT)
        return self.stream("annotations", "", (*fields, ("namespace", TEXT), ("text", TEXT)), span)

    def must_be_cell(self, variable: p.Variable, done: str) -> None:
        if self.kind != "cell":
            message = f"`{variable.name}` is a {self.kind}, and only a cell can be {done}"
            raise self.reject("wrong-type", message, variable.span, "loop over cells instead")

    def unknown_namespace(self, name: p.Named) -> Exception:
        near = closest(name.name, self.namespaces)
        hint = f"did you mean `{near}`?" if near else f"add `namespace {name.name} = …`"
        message = f"there is no namespace `{name.name}`"
        return self.reject("unknown-namespace", message, name.span, hint)

    # ------------------------------------------------------------- cells

    def cell(self, node: p.Expression) -> expressions.Cell:
        """The cell that an expression stands for."""
        with self.nested(node.span, self.height(node)):
            return self._cell(node)

    def height(self, node: p.Expression) -> int:
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
            case p.Own():
                return expressions.OwnCell(self.own(node), _written(node.span), node.span.line)
            case p.Only(wanted):
                region = self.region(wanted)
                return expressions.OnlyCell(region, _written(node.span), node.span.line)
            case p.LookUp():
                number, origin = self.look_up(node, wants_all=False)
                return expressions.FoundCell(number, origin, node.span.line)
            case p.LetName(name):
                meaning = self.meaning(node)
                if isinstance(meaning, expressions.LetCell):
                    return meaning
                message = f"`{name}` is a value, not a cell"
                raise self.reject("wrong-type", message, node.span)
            case p.Policy(value, "one", _):
                return expressions.OneCell(self.cell(value))
        raise self.reject("wrong-type", "expected a cell", node.span)

    def own(self, node: p.Own) -> int:
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
        match node:
            case p.Variable():
                return self.kind == "cell"
            case p.Item() | p.LookUp() | p.Own() | p.Only():
                return True
            case p.LetName():
                return isinstance(self.meaning(node), expressions.LetCell)
            case p.Policy(value, "one", _):
                return self.is_cell(value)
            case _:
                return False

    def origin(self, node: p.Expression) -> expressions.Cell:
        found = self.cell(node)
        is_far = isinstance(expressions.base_of(found), expressions.OnlyCell)
        if self.kind == "column" or is_far:
            message = "a look-up must start from the cell of the loop, or from a cell of its row"
            raise self.reject("wrong-type", message, node.span)
        return found

    def look_up(self, node: p.LookUp, wants_all: bool) -> tuple[int, expressions.Cell]:
        """The number of a look-up, and the cell from which it starts."""
        origin = self.origin(node.origin)
        kind, direction, path = node.kind, direction_of(node.direction), None
        tests: tuple[int, ...] = ()
        if node.path is not None:
            path = self.desugarer.path(node.path)
            direct = as_directly(path, self.desugarer.builder)
            if direct is not None:
                kind, path, (direction, wanted) = "directly", None, direct
                region = self.region_of(wanted)
            else:
                region = -1
                tests = tuple(self.region_of(test) for test in tests_of(path))
        else:
            assert node.wanted is not None
            region = self.region(node.wanted)
        before, after = (*node.distances, 0, 0)[:2]
        reach = reach_of(kind, direction, path, wants_all)
        span = node.span
        text = _written(span)
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
        with self.nested(node.span, self.height(node)):
            return self._value(node)

    def _value(self, node: p.Expression) -> expressions.Value:
        match node:
            case p.Text(text):
                return expressions.Constant(text, TEXT)
            case p.Number(text):
                return self.number(node, DECIMAL if "." in text else INTEGER)
            case p.Variable(name):
                if self.kind != "cell":
                    message = f"`{name}` is a {self.kind}, not a value"
                    hint = f"`{name}.cells[1]` is its first cell, `{name}[A]` the one in a region"
                    raise self.reject("wrong-type", message, node.span, hint)
                return expressions.CellValue(expressions.LoopCell(), "content", TEXT)
            case p.Item() | p.LookUp() | p.Own() | p.Only():
                return expressions.CellValue(self.cell(node), "content", TEXT)
            case p.LetName():
                meaning = self.meaning(node)
                if isinstance(meaning, expressions.LetCell):
                    return expressions.CellValue(meaning, "content", TEXT)
                return meaning
            case p.If():
                return self.choice(node)
            case p.Property(of, name):
                return self.property(node, of, name)
            case p.Aggregate(function, operand):
                return self.aggregate(node, function, operand)
            case p.Joined(parts):
                return expressions.Joined(self.values(parts), TEXT)
            case p.Cast(value, type_name, digits):
                if type_name in self.desugarer.derived:
                    return self.token_cast(node, value, type_name)
                to = self.type(type_name, digits, node.span)
                return expressions.Cast(self.value(value), to, node.span.line)
            case p.Call(function, arguments):
                return self.call(node, function, arguments)
            case p.Policy(value, kind, default):
                return self.policy(node, value, kind, default)
            case p.Named(name):
                message = f"there is no variable `{name}`"
                raise self.reject("unknown-variable", message, node.span)
            case _:
                assert_never(node)

    def number(self, node: p.Number, to: ValueType) -> expressions.Constant:
        try:
            parse_value(node.text, to)
        except ValueError as error:
            raise self.reject("wrong-type", f"`{node.text}` {error}", node.span) from None
        return expressions.Constant(node.text, to)

    def property(
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

    def aggregate(
        self, node: p.Aggregate, function: str, operand: p.Variable | ast.Selector
    ) -> expressions.Value:
        to = INTEGER if function == "Count" else DECIMAL
        if isinstance(operand, p.Variable):
            return expressions.GroupAggregate(function, node.span.line, to)
        return expressions.RegionAggregate(function, self.region(operand), node.span.line, to)

    def type(self, name: str, digits: tuple[int, ...], span: Span) -> ValueType:
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
        raise self.reject("unknown-type", f"there is no type `{name}`", span, hint)

    def token_cast(self, node: p.Cast, value: p.Expression, name: str) -> expressions.Cast:
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

    def policy(
        self, node: p.Policy, value: p.Expression, kind: p.PolicyKind, default: p.Expression | None
    ) -> expressions.Value:
        if kind == "one":
            if self.is_cell(value):
                return expressions.CellValue(self.cell(node), "content", TEXT)
            inner = self.value(value)
            return expressions.One(inner, inner.type)
        if kind == "all":
            if not isinstance(value, p.LookUp | p.Own):
                raise self.reject("wrong-type", "`all` applies only to look-ups", node.span)
            if default is not None and not isinstance(default, p.Text):
                message = "`all` takes the text to put between the values"
                raise self.reject("wrong-type", message, default.span)
            joins = default.text if default is not None else None
            to = LIST if joins is None else TEXT
            if isinstance(value, p.Own):
                region = self.own(value)
                if self.kind == "column":
                    message = "`all` cannot hold the cells of a whole column"
                    raise self.reject("wrong-type", message, node.span)
                return expressions.AllOwn(region, joins, to)
            number, origin = self.look_up(value, wants_all=True)
            return expressions.AllFound(number, origin, joins, to)
        inner = self.value(value)
        if inner.type is LIST and (default is not None or not isinstance(inner, expressions.Cast)):
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


def _written(span: Span) -> str:
    """What is written at a place, on one line."""
    return " ".join(span.source.text[span.start : span.end].split())
