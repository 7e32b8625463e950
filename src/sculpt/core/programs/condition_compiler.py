"""Syntax tree of conditions to core form: types of both sides, regions, mappings.

In: a condition, and what compiles its values (`expression_compiler`). Out: a core condition; errors
go to `problems`, with the place of the side that is wrong.

A literal takes the type of the other side: in `v as Date >= "2010-01-01"` it is a date, and an
error of the schema if it is none. So do the literals of an `if` (`agreed`). Cost: linear.
"""

from __future__ import annotations

import contextlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from functools import partial
from typing import TypeVar, assert_never

from sculpt.core.programs import conditions as c
from sculpt.core.programs import expressions
from sculpt.core.programs.typed_values import DECIMAL, LIST, TEXT, ValueType, parse_value
from sculpt.diagnostics import Span
from sculpt.syntax import ast
from sculpt.syntax.printer import print_selector
from sculpt.syntax.programs import conditions as q
from sculpt.syntax.programs import tree as p
from sculpt.syntax.regex import MAX_DEPTH

T = TypeVar("T")
MAX_LEVELS = MAX_DEPTH + 20
"""More than what can be written in one value; so only values that use names have too many."""


class RejectedError(Exception):
    """A part of a program cannot be compiled; the reason is in `problems` already."""


class ConditionCompiler(ABC):
    """Compiles conditions."""

    in_require = False
    """Is the condition of a `require` compiled?"""
    level = 0
    """In how many values, cells and conditions the current one is."""
    reached = 0
    """The highest level so far in the current statement, with the names that it uses."""

    @contextlib.contextmanager
    def nested(self, span: Span, further: int = 0) -> Iterator[None]:
        """Inside one more value, cell or condition; `further` levels are in a name."""
        self.level += 1
        self.reached = max(self.reached, self.level + further)
        try:
            if self.level + further > MAX_LEVELS:
                message = f"with the names that it uses, this is more than {MAX_LEVELS} levels deep"
                raise self.reject("too-deep", message, span, "use fewer names in other names")
            yield
        finally:
            self.level -= 1

    @abstractmethod
    def reject(self, code: str, message: str, span: Span, hint: str | None = None) -> Exception:
        """Report an error; the exception ends the statement."""

    @abstractmethod
    def value(self, node: p.Expression) -> expressions.Value:
        """The value of an expression."""

    @abstractmethod
    def cell(self, node: p.Expression) -> expressions.Cell:
        """The cell that an expression stands for."""

    @abstractmethod
    def is_cell(self, node: p.Expression) -> bool:
        """Does an expression stand for a cell?"""

    @abstractmethod
    def region(self, selector: ast.Selector) -> int:
        """The number of a region."""

    @abstractmethod
    def mapping(self, node: p.Expression) -> str:
        """The name of a mapping."""

    @abstractmethod
    def path_of_file(self, node: p.Expression, span: Span) -> expressions.Value:
        """The path of a file; conditions of `require` may ask for one."""

    def condition(self, node: q.Condition) -> c.Condition:
        """A condition in core form."""
        with self.nested(node.span):
            return self._condition(node)

    def _condition(self, node: q.Condition) -> c.Condition:
        found: c.Condition
        match node:
            case q.Comparison():
                return self._comparison(node)
            case q.Is(value, wanted, is_negated):
                found = self._is(value, wanted)
                return c.Not(found) if is_negated else found
            case q.In(value, mapping, is_negated):
                found = self._in(value, mapping)
                return c.Not(found) if is_negated else found
            case q.Test(function, value, part):
                one, other = each_of(
                    partial(self._text, function, value), partial(self._text, function, part)
                )
                return c.Test(function, one, other)
            case q.IsFile(value):
                return c.IsFile(self.path_of_file(value, node.span))
            case q.Not(part):
                return c.Not(self.condition(part))
            case q.And(parts):
                return c.And(each_of(*(partial(self.condition, part) for part in parts)))
            case q.Or(parts):
                return c.Or(each_of(*(partial(self.condition, part) for part in parts)))
            case q.Choice(first, then, otherwise):
                nodes = (first, then) if otherwise is None else (first, then, otherwise)
                found_first, found_then, *rest = each_of(
                    *(partial(self.condition, each) for each in nodes)
                )
                return c.Choice(found_first, found_then, rest[0] if rest else None)
            case _:
                assert_never(node)

    # ------------------------------------------------------------- questions

    def _is(self, node: p.Expression, wanted: ast.Selector) -> c.Is:
        is_optional = False
        if isinstance(node, p.Policy) and node.kind == "optional" and node.default is None:
            node, is_optional = node.value, True
        if not self.is_cell(node):
            hint = 'ask about the cell itself, or compare the value: `= "x"`'
            raise self.reject("wrong-type", "`is` asks about a cell, not a value", node.span, hint)
        cell = expressions.CellValue(self.cell(node), "content", TEXT)
        return c.Is(cell, self.region(wanted), is_optional, print_selector(wanted))

    def _in(self, node: p.Expression, mapping: p.Named) -> c.In:
        value = self.value(node)
        if c.family_of(value.type) != "text":
            message = f"a mapping has texts, and this is {_named(value.type)}"
            raise self.reject("wrong-type", message, node.span)
        return c.In(value, self.mapping(mapping))

    def _text(self, function: str, node: p.Expression) -> expressions.Value:
        """A value that is a text."""
        value = self.value(node)
        if c.family_of(value.type) != "text":
            message = f"`{function}` is about texts, and this is {_named(value.type)}"
            hint = '`"" + x` is the text of `x`'
            if isinstance(node, p.Number):
                hint = f'`"{node.text}"` is a text'
            raise self.reject("wrong-type", message, node.span, hint)
        return value

    def _comparison(self, node: q.Comparison) -> c.Comparison:
        left, right = each_of(partial(self.value, node.left), partial(self.value, node.right))
        for side, value in ((node.left, left), (node.right, right)):
            if c.family_of(value.type) is None:
                message = f"values of `{value.type.name}` cannot be compared"
                hint = "without `as` they are compared as texts"
                if isinstance(value, expressions.AllFound):
                    hint = 'join the texts of a list: `all(", ")`'
                elif value.type is LIST:
                    hint = "`length` counts the items of a list; without `as` it is a text"
                raise self.reject("wrong-type", message, side.span, hint)
        left = self._read(node.left, left, node.right, right)
        right = self._read(node.right, right, node.left, left)
        left = self._literal(node.left, left, right.type)
        right = self._literal(node.right, right, left.type)
        family = c.family_of(left.type)
        if family != c.family_of(right.type):
            message = f"{_named(left.type)} cannot be compared with {_named(right.type)}"
            cure = _cure(node, left.type, right.type)
            raise self.reject("wrong-type", message, node.span, cure)
        if family in c.UNORDERED and node.relation not in ("=", "!="):
            message = f"values of `{left.type.name}` have no order"
            raise self.reject("wrong-type", message, node.span, "use `=` or `!=`")
        return c.Comparison(left, node.relation, right)

    def _read(
        self,
        node: p.Expression,
        value: expressions.Value,
        other: p.Expression,
        measure: expressions.Value,
    ) -> expressions.Value:
        """The text of a cell as a number, if a `require` compares it with an aggregate."""
        cell = node.value if isinstance(node, p.Policy) and node.default is None else node
        is_text = value.type == TEXT and self.is_cell(cell)
        if not (self.in_require and is_text and isinstance(other, p.Aggregate)):
            return value
        if isinstance(value, expressions.Optional):
            read = expressions.Cast(value.value, measure.type, node.span.line)
            return expressions.Optional(read, None, measure.type)
        return expressions.Cast(value, measure.type, node.span.line)

    def _literal(
        self, node: p.Expression, value: expressions.Value, to: ValueType
    ) -> expressions.Value:
        """A literal in the type of what it is compared with; other values as they are."""
        if not isinstance(value, expressions.Constant) or not isinstance(node, p.Text | p.Number):
            return value
        family = c.family_of(to)
        if family == c.family_of(value.type) or (isinstance(node, p.Number) and family == "text"):
            return value
        return self._constant(node, to)

    def _constant(self, node: p.Text | p.Number, to: ValueType) -> expressions.Constant:
        try:
            parse_value(node.text, to)
        except ValueError as error:
            message = f"`{node.text}` {error}"
            raise self.reject("wrong-type", message, node.span) from None
        return expressions.Constant(node.text, to)

    # ------------------------------------------------------------- choices

    def choice(self, node: p.If) -> expressions.If:
        """An `if` as a value."""
        conditions: list[c.Condition] = []
        nodes = (node.then,) if node.otherwise is None else (node.then, node.otherwise)
        values: list[expressions.Value] = []
        each_of(
            lambda: conditions.append(self.condition(node.condition)),
            *(partial(lambda each: values.append(self.value(each)), each) for each in nodes),
        )
        (condition,), (then, *rest) = conditions, values
        if node.otherwise is None:
            self._must_be_single(then, node.then)
            return expressions.If(condition, then, None, then.type)
        one, other, kind = self.agreed((node.then, then), (node.otherwise, rest[0]))
        return expressions.If(condition, one, other, kind)

    def agreed(
        self,
        one: tuple[p.Expression, expressions.Value],
        other: tuple[p.Expression, expressions.Value],
    ) -> tuple[expressions.Value, expressions.Value, ValueType]:
        """Two values of which one is taken, in one type."""
        (first, a), (second, b) = one, other
        self._must_be_single(a, first)
        self._must_be_single(b, second)
        if _holds_same(a.type, b.type):
            return a, b, a.type if a.type == b.type else TEXT
        if isinstance(second, p.Text | p.Number) and isinstance(b, expressions.Constant):
            return a, self._constant(second, a.type), a.type
        if isinstance(first, p.Text | p.Number) and isinstance(a, expressions.Constant):
            return self._constant(first, b.type), b, b.type
        message = f"this is {_named(b.type)}, and the other value is {_named(a.type)}"
        raise self.reject("wrong-type", message, second.span, "give both the same type with `as`")

    def _must_be_single(self, value: expressions.Value, node: p.Expression) -> None:
        if value.type is LIST:
            message = "a list cannot be one of two values"
            raise self.reject("wrong-type", message, node.span, 'join its texts: `all(", ")`')


def each_of(*parts: Callable[[], T]) -> tuple[T, ...]:
    """The results of all parts; if some are rejected, the errors of all of them are reported."""
    found: list[T] = []
    for part in parts:
        with contextlib.suppress(RejectedError):
            found.append(part())
    if len(found) < len(parts):
        raise RejectedError
    return tuple(found)


def _holds_same(one: ValueType, other: ValueType) -> bool:
    """Can one field hold the values of two types?"""
    return one == other or (one.kind == other.kind == "string")


def _named(kind: ValueType) -> str:
    if kind.kind == "decimal" and kind != DECIMAL:
        return f"`{kind.name}({kind.precision},{kind.scale})`"
    return "a text" if kind == TEXT else f"`{kind.name}`"


def _cure(node: q.Comparison, left: ValueType, right: ValueType) -> str | None:
    """How to give both sides one type."""
    text, typed = (node.left, right) if left == TEXT else (node.right, left)
    if TEXT not in (left, right):
        return "give both sides the same type with `as`"
    other = node.right if text is node.left else node.left
    if isinstance(other, p.Number):
        return f'`as Number` reads the text, and `"{other.text}"` is a text'
    return f"`as {typed.name}` reads the text"
