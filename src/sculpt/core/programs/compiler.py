"""Syntax tree of programs to core form: resolves names, regions, look-ups and types.

In: the statements of a schema. Out: a `CoreProgram`; errors go to `problems`.

Invariant and cost: see `program`.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from typing import assert_never

from sculpt.core import ir
from sculpt.core.desugar import Desugarer
from sculpt.core.programs import program as programs
from sculpt.core.programs.declarations import Declarations, declared
from sculpt.core.programs.program import CoreProgram
from sculpt.core.programs.reach import as_directly, direction_of, is_same, reach_of
from sculpt.core.programs.typed_values import (
    DECIMAL,
    INTEGER,
    IRI,
    LIST,
    TEXT,
    ValueType,
    parse_value,
    type_names,
    value_type,
)
from sculpt.core.traversal import tests_of
from sculpt.diagnostics import Diagnostic, Span, closest
from sculpt.extras import missing
from sculpt.syntax import ast
from sculpt.syntax.programs import tree as p
from sculpt.syntax.programs.value_parser import MAX_DIGITS
from sculpt.syntax.regex import capturing_pattern

_ARGUMENTS = {"trim": 0, "upper": 0, "lower": 0, "replace": 2, "split": 2, "capture": 2, "map": 1}
_USES = {
    "replace": '`replace(text, "old", "new")`',
    "split": '`split(text, ";", 2)`',
    "capture": "`capture(text, Token, 1)`",
    "map": "`map(text, Mapping)`",
    "iri": "`iri(text)` or `iri(namespace, text)`",
}


ALWAYS_CAPTURED = 4_096
"""RE2 accepts any expression without counts that is shorter than this."""
OUTPUTS = {"text": "the printed lines", "annotations": "the annotations of cells"}
"""The names of the outputs that are not records."""


class _RejectedError(Exception):
    pass


def compile_programs(
    statements: Iterable[ast.Statement], problems: list[Diagnostic]
) -> CoreProgram | None:
    """The programs of a schema; `None` if it has none."""
    listed = tuple(statements)
    bodies = [s.body for s in listed if isinstance(s, ast.Program) and s.body is not None]
    if not bodies:
        return None
    compiler = _Compiler(listed, declared(bodies, problems), problems)
    found: list[programs.Print | programs.Loop] = []
    for body in bodies:
        try:
            match body:
                case p.Print():
                    found.append(compiler.lone_print(body))
                case p.Loop():
                    found.append(compiler.loop(body))
        except _RejectedError:
            continue
    return compiler.program(tuple(found))


class _Compiler:
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
        self.look_ups: list[programs.LookUp] = []
        self.streams: list[programs.Stream] = []
        self.namespaces = declarations.namespaces
        self.mappings = declarations.mappings
        self.patterns: dict[str, str] = {}
        self.kind: p.LoopKind | None = None
        """What the current loop runs over; `None` outside loops."""
        self.has_printed = False
        """Does the current statement have a stream of lines?"""

    def program(self, statements: tuple[programs.Print | programs.Loop, ...]) -> CoreProgram:
        return CoreProgram(
            self.desugarer.tokens,
            tuple(self.regions),
            tuple(self.look_ups),
            statements,
            tuple(self.streams),
            self.namespaces,
            self.mappings,
            self.patterns,
        )

    def error(self, code: str, message: str, span: Span, hint: str | None = None) -> None:
        self.problems.append(Diagnostic(code, message, span, hint))

    def reject(self, code: str, message: str, span: Span, hint: str | None = None) -> Exception:
        self.error(code, message, span, hint)
        return _RejectedError()

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
        kind: programs.StreamKind,
        name: str,
        fields: tuple[tuple[str, ValueType], ...],
        span: Span,
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
                    return ix
        self.has_printed |= kind == "print"
        self.streams.append(programs.Stream(kind, name, fields))
        return len(self.streams) - 1

    # ------------------------------------------------------------- statements

    def lone_print(self, body: p.Print) -> programs.Print:
        self.kind, self.has_printed = None, False
        return self.print(body)

    def print(self, body: p.Print) -> programs.Print:
        value = self.value(body.value)
        return programs.Print(self.stream("print", "", (("text", TEXT),), body.span), value)

    def loop(self, body: p.Loop) -> programs.Loop:
        self.kind, self.has_printed = body.kind, False
        region = self.region(body.selector)
        actions = []
        for action in body.actions:
            try:
                actions.append(self.action(action))
            except _RejectedError:
                continue
        return programs.Loop(body.kind, region, tuple(actions), body.span.line)

    def action(self, action: p.Action) -> programs.Action:
        match action:
            case p.Print():
                return self.print(action)
            case p.Annotate(variable, value):
                self.must_be_cell(variable, "annotated")
                return programs.Annotate(self.annotations(action.span), self.value(value), None)
            case p.SetNamespace(variable, name):
                self.must_be_cell(variable, "put into a namespace")
                if name.name not in self.namespaces:
                    raise self.unknown_namespace(name)
                iri = self.namespaces[name.name]
                return programs.Annotate(self.annotations(action.span), None, iri)
            case p.Emit(target, fields):
                if target in OUTPUTS:
                    message = f"`{target}` is the name of another output: {OUTPUTS[target]}"
                    raise self.reject("reserved-name", message, action.target_span)
                values = self.values(each.value for each in fields)
                typed = tuple((f.name, v.type) for f, v in zip(fields, values, strict=True))
                stream = self.stream("records", target, typed, action.target_span)
                return programs.Emit(stream, values)
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

    def cell(self, node: p.Expression) -> programs.Cell:
        """The cell that an expression stands for."""
        match node:
            case p.Variable(name):
                if self.kind != "cell":
                    message = f"`{name}` is a {self.kind}, not a cell"
                    raise self.reject(
                        "wrong-type", message, node.span, f"`{name}.cells[1]` is its first cell"
                    )
                return programs.LoopCell()
            case p.Item(p.Variable(name), index):
                if self.kind == "cell":
                    message = f"`{name}` is a cell and has no cells"
                    raise self.reject("wrong-type", message, node.span)
                if index < 1:
                    message = f"cells are counted from 1, so there is no cell {index}"
                    raise self.reject("bad-index", message, node.span)
                return programs.ItemCell(index, node.span.line)
            case p.LookUp():
                number, origin = self.look_up(node, wants_all=False)
                return programs.FoundCell(number, origin, node.span.line)
            case p.Policy(value, "one", _):
                return self.cell(value)
        raise self.reject("wrong-type", "expected a cell", node.span)

    def origin(self, node: p.Expression) -> programs.LoopCell | programs.ItemCell:
        found = self.cell(node)
        if isinstance(found, programs.FoundCell) or self.kind == "column":
            message = "a look-up must start from the cell of the loop, or from a cell of its row"
            raise self.reject("wrong-type", message, node.span)
        return found

    def look_up(
        self, node: p.LookUp, wants_all: bool
    ) -> tuple[int, programs.LoopCell | programs.ItemCell]:
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
        text = " ".join(span.source.text[span.start : span.end].split())
        found = programs.LookUp(
            kind, direction, region, before, after, path, tests, reach, span.line, text
        )
        for ix, known in enumerate(self.look_ups):
            if is_same(known, found):
                return ix, origin
        self.look_ups.append(found)
        return len(self.look_ups) - 1, origin

    # ------------------------------------------------------------- values

    def values(self, nodes: Iterable[p.Expression]) -> tuple[programs.Value, ...]:
        """The values of some expressions; the errors of all of them are reported."""
        found: list[programs.Value] = []
        before = len(self.problems)
        for node in nodes:
            with contextlib.suppress(_RejectedError):
                found.append(self.value(node))
        if len(self.problems) > before:
            raise _RejectedError
        return tuple(found)

    def value(self, node: p.Expression) -> programs.Value:
        match node:
            case p.Text(text):
                return programs.Constant(text, TEXT)
            case p.Number(text):
                return self.number(node, DECIMAL if "." in text else INTEGER)
            case p.Variable(name):
                if self.kind != "cell":
                    message = f"`{name}` is a {self.kind}, not a value"
                    hint = f"`{name}.cells[1]` is its first cell, `Sum({name})` a value"
                    raise self.reject("wrong-type", message, node.span, hint)
                return programs.CellValue(programs.LoopCell(), "content", TEXT)
            case p.Item() | p.LookUp():
                return programs.CellValue(self.cell(node), "content", TEXT)
            case p.Property(of, name):
                return self.property(node, of, name)
            case p.Aggregate(function, operand):
                return self.aggregate(node, function, operand)
            case p.Joined(parts):
                return programs.Joined(self.values(parts), TEXT)
            case p.Cast(value, type_name, digits):
                to = self.type(type_name, digits, node.span)
                return programs.Cast(self.value(value), to, node.span.line)
            case p.Call(function, arguments):
                return self.call(node, function, arguments)
            case p.Policy(value, kind, default):
                return self.policy(node, value, kind, default)
            case p.Named(name):
                message = f"there is no variable `{name}`"
                raise self.reject("unknown-variable", message, node.span)
            case _:
                assert_never(node)

    def number(self, node: p.Number, to: ValueType) -> programs.Constant:
        try:
            parse_value(node.text, to)
        except ValueError as error:
            raise self.reject("wrong-type", f"`{node.text}` {error}", node.span) from None
        return programs.Constant(node.text, to)

    def property(
        self, node: p.Property, of: p.Expression, name: programs.CellFact
    ) -> programs.Value:
        is_loop = isinstance(of, p.Variable) and self.kind != "cell"
        if is_loop and name == "file":
            return programs.LoopValue("file", TEXT)
        if is_loop and (name == "row" or name == "column") and name == self.kind:
            return programs.LoopValue(name, INTEGER)
        if is_loop:
            message = f"a {self.kind} has no `.{name}`"
            hint = f"`.cells[1].{name}` is that of its first cell"
            raise self.reject("wrong-type", message, node.span, hint)
        kind = INTEGER if name in ("row", "column") else TEXT
        return programs.CellValue(self.cell(of), name, kind)

    def aggregate(
        self, node: p.Aggregate, function: str, operand: p.Variable | ast.Selector
    ) -> programs.Value:
        to = INTEGER if function == "Count" else DECIMAL
        if isinstance(operand, p.Variable):
            return programs.GroupAggregate(function, node.span.line, to)
        return programs.RegionAggregate(function, self.region(operand), node.span.line, to)

    def type(self, name: str, digits: tuple[int, ...], span: Span) -> ValueType:
        try:
            return value_type(name, digits)
        except ValueError as error:
            if str(error):
                raise self.reject("wrong-type", str(error), span) from None
        near = closest(name, type_names()) or closest(f"xs:{name}", type_names())
        hint = f"did you mean `{near}`?" if near else None
        raise self.reject("unknown-type", f"there is no type `{name}`", span, hint)

    def policy(
        self, node: p.Policy, value: p.Expression, kind: p.PolicyKind, default: p.Expression | None
    ) -> programs.Value:
        if kind == "one":
            return self.value(value)
        if kind == "all":
            if not isinstance(value, p.LookUp):
                raise self.reject("wrong-type", "`all` applies only to look-ups", node.span)
            if default is not None and not isinstance(default, p.Text):
                message = "`all` takes the text to put between the values"
                raise self.reject("wrong-type", message, default.span)
            number, origin = self.look_up(value, wants_all=True)
            joins = default.text if default is not None else None
            return programs.AllFound(number, origin, joins, LIST if joins is None else TEXT)
        inner = self.value(value)
        if inner.type is LIST:
            raise self.reject(
                "wrong-type", "a list is never missing, so it cannot be optional", node.span
            )
        if default is None:
            return programs.Optional(inner, None, inner.type)
        if not isinstance(default, p.Text | p.Number):
            message = "the default of `optional` must be a text or a number"
            raise self.reject("wrong-type", message, default.span)
        try:
            parse_value(default.text, inner.type)
        except ValueError as error:
            message = f"the default `{default.text}` {error}"
            raise self.reject("wrong-type", message, default.span) from None
        return programs.Optional(inner, programs.Constant(default.text, inner.type), inner.type)

    # ------------------------------------------------------------- functions

    def call(
        self, node: p.Call, function: str, arguments: tuple[p.Expression, ...]
    ) -> programs.Value:
        if function == "iri":
            return self.iri(node, arguments)
        text, *others = arguments
        wanted = _ARGUMENTS[function]
        if len(others) != wanted:
            hint = _USES.get(function, f"`{function}(text)`")
            plural = "s" if wanted else ""
            message = f"`{function}` takes {wanted + 1} argument{plural}, not {len(arguments)}"
            raise self.reject("wrong-type", message, node.span, hint)
        if isinstance(text, p.Named):
            message = f"there is no variable `{text.name}`"
            raise self.reject("unknown-variable", message, text.span, _USES.get(function))
        constants: tuple[str | int, ...] = ()
        match function:
            case "replace":
                constants = tuple(self.text(each) for each in others)
                if not constants[0]:
                    raise self.reject("wrong-type", "the text to replace is empty", others[0].span)
            case "split":
                constants = (self.text(others[0]), self.index(others[1]))
                if not constants[0]:
                    raise self.reject("wrong-type", "the separator is empty", others[0].span)
            case "capture":
                constants = self.capture(others[0], others[1])
            case "map":
                constants = (self.mapping(others[0]),)
        return programs.Call(function, self.value(text), constants, TEXT, node.span.line)

    def iri(self, node: p.Call, arguments: tuple[p.Expression, ...]) -> programs.Value:
        prefix = ""
        if len(arguments) == 2 and isinstance(arguments[0], p.Named):
            if arguments[0].name not in self.namespaces:
                raise self.unknown_namespace(arguments[0])
            prefix = self.namespaces[arguments[0].name]
        elif len(arguments) != 1:
            message = "`iri` takes a text, or a namespace and a text"
            raise self.reject("wrong-type", message, node.span, _USES["iri"])
        return programs.Call("iri", self.value(arguments[-1]), (prefix,), IRI, node.span.line)

    def text(self, node: p.Expression) -> str:
        if not isinstance(node, p.Text):
            raise self.reject("wrong-type", "expected a text in quotes", node.span)
        return node.text

    def index(self, node: p.Expression) -> int:
        if not isinstance(node, p.Number) or "." in node.text:
            raise self.reject("wrong-type", "expected a whole number", node.span)
        if len(node.text) > MAX_DIGITS:
            raise self.reject("bad-index", "this number is too large", node.span)
        if int(node.text) < 1:
            raise self.reject("bad-index", "parts are counted from 1", node.span)
        return int(node.text)

    def mapping(self, node: p.Expression) -> str:
        if not isinstance(node, p.Named):
            message = "expected the name of a mapping"
            raise self.reject("wrong-type", message, node.span, _USES["map"])
        if node.name not in self.mappings:
            near = closest(node.name, self.mappings)
            hint = (
                f"did you mean `{near}`?" if near else f'add `mapping {node.name} = {{ "a": "b" }}`'
            )
            message = f"there is no mapping `{node.name}`"
            raise self.reject("unknown-mapping", message, node.span, hint)
        return node.name

    def capture(self, token: p.Expression, number: p.Expression) -> tuple[str, int]:
        if not isinstance(token, p.Named) or token.name not in self.definitions:
            message = "expected a token that the schema defines"
            raise self.reject("wrong-type", message, token.span, _USES["capture"])
        index = self.index(number)
        pattern, groups = capturing_pattern(self.definitions[token.name].text)
        if index > groups:
            plural = "" if groups == 1 else "s"
            message = (
                f"`{token.name}` has {groups} group{plural} in parentheses, so no group {index}"
            )
            raise self.reject("bad-index", message, number.span)
        if not _can_capture(pattern):
            message = f"`{token.name}` is too large to capture its groups"
            hint = "use counts up to 1,000; `*` and `+` cost the least"
            raise self.reject("wrong-type", message, token.span, hint)
        self.patterns[token.name] = pattern
        return token.name, index


def _can_capture(pattern: str) -> bool:
    """Does RE2 accept the expression?

    Only a long one, or one with counts, can be too large. Without pyarrow, which brings RE2, that
    is found when it is installed, as it must be before the program can run.
    """
    if ("{" not in pattern and len(pattern) < ALWAYS_CAPTURED) or missing("arrow"):
        return True
    import pyarrow as pa
    import pyarrow.compute as pc

    try:
        pc.extract_regex(pa.array([], pa.string()), pattern=pattern)
    except pa.ArrowInvalid:
        return False
    return True
