"""Programs to core form: statements, and the streams that their results go to.

In: the statements of a schema. Out: a `CoreProgram`; errors go to `problems`. What they say about
cells and values is compiled by `expression_compiler`, with `function_compiler` and
`condition_compiler` below it.

Invariant: an action with errors is left out, and those after it are still compiled, so that their
errors are reported too; for the rest, and the cost, see `program`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import assert_never

from sculpt.core import ir
from sculpt.core.programs.condition_compiler import RejectedError
from sculpt.core.programs.declarations import Declarations, declared
from sculpt.core.programs.expression_compiler import ExpressionCompiler, written
from sculpt.core.programs.finding.compiler import Gathering, Tables
from sculpt.core.programs.finding.model import Find
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
from sculpt.core.programs.typed_values import INTEGER, TEXT, ValueType
from sculpt.diagnostics import Diagnostic, Span
from sculpt.syntax import ast
from sculpt.syntax.printer import print_selector, with_clause
from sculpt.syntax.programs import tree as p
from sculpt.values import replace

OUTPUTS = {"text": "the printed lines", "annotations": "the annotations of cells"}
"""The names of the outputs that are not records."""


def compile_programs(
    statements: Iterable[ast.Statement], problems: list[Diagnostic], tables: Tables | None = None
) -> CoreProgram | None:
    """The programs of a schema; `None` if it has none. `tables` has those that it brings in."""
    listed = tuple(statements)
    bodies = [s.body for s in listed if isinstance(s, ast.Program) and s.body is not None]
    if not bodies:
        return None
    compiler = _Compiler(listed, declared(bodies, problems), problems, tables or {})
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


class _Compiler(ExpressionCompiler):
    """Compiles statements, and gathers what they share."""

    def __init__(
        self,
        statements: tuple[ast.Statement, ...],
        declarations: Declarations,
        problems: list[Diagnostic],
        tables: Tables,
    ) -> None:
        super().__init__(statements, declarations, problems, tables)
        self.streams: list[Stream] = []
        self.by_column: list[bool] = []
        """By stream: does a loop over columns feed it first?"""
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
            tuple(self.find(each) for each in self.gatherings),
        )

    def find(self, gathering: Gathering) -> Find:
        """What gathers rows of another table, in the words of its schema."""
        statements = self.tables[gathering.table]
        assert statements is not None
        there = _Compiler(statements, declared([], self.problems), self.problems, {})
        program = there.program((there.loop(gathering.loop),), ())
        keys = len(gathering.parts)
        return Find(gathering.table, program, keys, gathering.line, gathering.text)

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
            with_clause(written(node.span), node.clause),
            written(node.condition.span),
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
