"""Selectors and content expressions: text to syntax tree.

In: a `Fragment`. Out: an `ast.Selector` or `ast.Content`, or diagnostics. `grammar.lark` has the
grammar and `lalr.py` runs it. This module distinguishes the two sorts of the paper's section 3,
coordinate expressions and navigational expressions, which share their parentheses; and it turns
grammar errors into messages.

Invariant: the result is well-sorted: every path is made of steps, every operand is a selector,
counts are in range, coordinates begin at 1. Cost: linear.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TypeVar

from sculpt.diagnostics import Diagnostic, Span
from sculpt.syntax import ast, lalr
from sculpt.syntax.lalr import Node, Token, Tree, UnexpectedCharacterError, UnexpectedTokenError
from sculpt.syntax.lines import BLANKS, Fragment
from sculpt.syntax.names import bad_escape, unescaped
from sculpt.syntax.regex import MAX_DEPTH, MAX_SIZE, checked_counts, count_problem
from sculpt.syntax.regular import Choice, Epsilon, Letter, Repeat, Sequence, size

_WORDS = {
    "NAME": "a name",
    "LITERAL": "a quoted text",
    "NUMBER": "a number",
    "AXIS": "a step such as `down`",
    "ROOT": "`root`",
    "TRUE": "`true`",
    "EXISTS": "`exists`",
    "COUNT": "a repetition",
    "_AND": "`and`",
    "_OR": "`or`",
    "_TO": "`..`",
    "_NOT": "`not`",
    "LPAR": "`(`",
    "RPAR": "`)`",
    "LSQB": "`[`",
    "RSQB": "`]`",
    "VBAR": "`|`",
    "DOT": "`.`",
    "COMMA": "`,`",
    "LESSTHAN": "`<`",
    "MORETHAN": "`>`",
    "HASH": "`#`",
    "$END": "the end",
}

MAX_NUMBER = 100
"""The largest k of `S#k`: the automaton counts up to it."""
_SIMPLE_COUNTS: dict[str, tuple[int, int | None]] = {"*": (0, None), "+": (1, None), "?": (0, 1)}
_AXES: dict[str, ast.AxisName] = {name: name for name in ast.AXES}

Result = TypeVar("Result")


class _RejectError(Exception):
    def __init__(self, code: str, message: str, span: Span, hint: str | None = None) -> None:
        super().__init__(message)
        self.diagnostic = Diagnostic(code, message, span, hint)


def type_of_name(text: str) -> str:
    """The terminal that the text of a `NAME` stands for."""
    if text in ast.AXES or text == "ε":
        return "AXIS"
    if text in ("root", "true", "exists"):
        return text.upper()
    if text.isascii() and text.isdigit():
        return "NUMBER"
    return "NAME"


def parse_selector(fragment: Fragment, problems: list[Diagnostic]) -> ast.Selector | None:
    """The selector of a fragment, or `None` with the reasons added to `problems`."""

    def read(tree: Tree) -> ast.Selector:
        selector = _Selectors(fragment).selector(tree)
        steps = max(_steps(selector), default=0)
        if steps > MAX_SIZE:
            message = f"the repetitions multiply to {steps:,} steps; the limit is {MAX_SIZE:,}"
            raise _RejectError("count-too-large", message, fragment.span())
        return selector

    return _parse(fragment, "selector", read, problems)


def parse_content(fragment: Fragment, problems: list[Diagnostic]) -> ast.Content | None:
    """The content expression of a fragment, or `None` with the reasons added to `problems`."""

    def read(tree: Tree) -> ast.Content:
        content = _Contents(fragment).content(tree)
        if size(content) > MAX_SIZE:
            message = (
                f"the repetitions multiply to {size(content):,} cells; the limit is {MAX_SIZE:,}"
            )
            raise _RejectError("count-too-large", message, fragment.span())
        return content

    return _parse(fragment, "content", read, problems)


def _parse(
    fragment: Fragment,
    start: str,
    read: Callable[[Tree], Result],
    problems: list[Diagnostic],
) -> Result | None:
    try:
        if not fragment.text:
            what = "selector" if start == "selector" else "content expression"
            raise _RejectError("syntax", f"the {what} is missing", fragment.span())
        tree = lalr.parse(fragment.text, start, type_of_name)
        if _depth_of(tree) > MAX_DEPTH:
            message = f"the expression is nested more than {MAX_DEPTH} levels deep"
            raise _RejectError(
                "too-deep", message, fragment.span(), "name a part of it: `part <= …`"
            )
        child = tree.children[0]
        return read(
            child if isinstance(child, Tree) else Tree("leaf", [child], child.start, child.end)
        )
    except UnexpectedCharacterError as error:
        problems.append(_character_error(fragment, error.start))
    except UnexpectedTokenError as error:
        problems.append(_token_error(fragment, error))
    except _RejectError as error:
        problems.append(error.diagnostic)
    return None


def _character_error(fragment: Fragment, at: int) -> Diagnostic:
    found = fragment.text[at]
    if found == '"':
        message = "this quoted text never closes"
        return Diagnostic("unclosed-literal", message, fragment.span(at), 'add `"`')
    hint = _CHARACTER_HINTS.get(found, "quote it if it is part of a text")
    return Diagnostic("syntax", f"unexpected `{found}`", fragment.span(at, at + 1), hint)


def _token_error(fragment: Fragment, error: UnexpectedTokenError) -> Diagnostic:
    token, expected = error.token, _expected(error.expected)
    if token.type == lalr.END:
        message = f"the expression ends too early: {expected}"
        hint = _HASH_HINT if fragment.text.endswith("#") else None
        return Diagnostic("syntax", message, fragment.span(token.start), hint)
    hint = _token_hint(token, fragment.text[: token.start])
    message = f"found `{token.text}`, {expected}"
    return Diagnostic("syntax", message, fragment.span(token.start, token.end), hint)


_CHARACTER_HINTS = {
    "{": "write a count as `{n}`, `{n,m}` or `{n,}`",
    "}": None,
    "'": 'quote a text with `"`',
    ";": "separate tokens with `,`",
    "-": "rows and columns are counted from 1; a word of a name cannot begin or end with `-`",
    "%": "put a comment on its own line; quote it if it is part of a text",
    "~": "use `not` for the complement; a reference is `side ~> side`",
    "!": "use `not` for the complement; a clause such as `! warning` ends a statement",
    "&": "use `and` for the intersection",
    "^": "to match characters, define a token: `name = …`",
    "\\": "to match characters, define a token: `name = …`",
}


_HASH_HINT = '`Total#2` is the second `Total` of its row; quote a text that contains `#`: "Total#"'


def _token_hint(token: Token, before: str) -> str | None:
    if before.rstrip().endswith("#"):
        return _HASH_HINT
    after_application = before.rstrip().endswith(")")
    match token.type:
        case "NAME" | "NUMBER" if re.search(r"[\w:-]\s+$", before):
            return "join the words of a name with single blanks; quote any other text"
        case "_AND" | "_OR" | "_NOT":
            return (
                f"quote a text that contains `{token.text}`; to combine selectors, define a token"
                " type, `part <= …`, and use `part`"
            )
        case "LPAR" if re.search(r"[\w:-]\s*$", before):
            return "quote a text that contains parentheses"
        case "DOT" if after_application:
            return "a path goes before its selector, not after it: `path(selector)`"
        case "LSQB" if after_application:
            return "narrow a selector with `and`: `selector and other`"
        case "LSQB":
            return "to match characters, define a token: `name = […]`"
        case "HASH":
            return 'a comment line starts with `%`; quote it if it is part of a text: "#1"'
    return None


def _expected(terminals: frozenset[str]) -> str:
    words = sorted(_WORDS[terminal] for terminal in terminals)
    if {"a name", "a quoted text"} <= set(words):
        steps = "a step such as `down`" in words and "`[`" in words
        return "expected " + ("a selector" if steps else "a token")
    if len(words) == 1:
        return f"expected {words[0]}"
    return "expected " + ", ".join(words[:-1]) + f" or {words[-1]}"


def _depth_of(tree: Tree) -> int:
    """The height of a parse tree, computed without recursion."""
    deepest, todo = 0, [(tree, 1)]
    while todo:
        node, depth = todo.pop()
        deepest = max(deepest, depth)
        todo.extend((child, depth + 1) for child in node.children if isinstance(child, Tree))
    return deepest


class _Reader:
    """What both kinds of expression share: places, names, literals and counts."""

    def __init__(self, fragment: Fragment) -> None:
        self.fragment = fragment

    def span(self, node: Node) -> Span:
        return self.fragment.span(node.start, node.end)

    def name(self, token: Token) -> ast.Name | ast.Literal:
        span = self.span(token)
        if token.type != "LITERAL":
            return ast.Name(token.text, span=span)
        body = token.text[1:-1]
        at = bad_escape(body)
        if at is not None:
            start = token.start + 1 + at
            raise _RejectError(
                "syntax",
                f"`{body[at : at + 2]}` is not an escape in a quoted text",
                self.fragment.span(start, start + 2),
                'the escapes are `\\n`, `\\r`, `\\t`, `\\"` and `\\\\`',
            )
        return ast.Literal(unescaped(body), span=span)

    def counts(self, token: Node) -> tuple[int, int | None]:
        assert isinstance(token, Token)
        if token.text in _SIMPLE_COUNTS:
            return _SIMPLE_COUNTS[token.text]
        bounds = checked_counts(*token.text.strip("{}").partition(","))
        if isinstance(bounds, str):
            raise _RejectError(bounds, count_problem(bounds, token.text), self.span(token))
        return bounds


def _steps(selector: ast.Selector) -> Iterator[int]:
    """How long each path of a selector is once its counts are unrolled."""
    match selector:
        case ast.Apply(path, operand):
            yield from _path_steps(path)
            if operand is not None:
                yield from _steps(operand)
        case ast.Exists(path):
            yield from _path_steps(path)
        case ast.Nth(part, number):
            yield number
            yield from _steps(part)
        case ast.Not(part):
            yield from _steps(part)
        case ast.And(parts) | ast.Or(parts):
            for part in parts:
                yield from _steps(part)


def _path_steps(path: ast.Path) -> Iterator[int]:
    """The length of a path, then those of the paths in its filters."""

    def length(node: ast.Path) -> int:
        match node:
            case ast.Axis():
                return 1
            case ast.Filter(condition):
                inner.extend(_steps(condition))
                return 1
            case ast.Filtered(before, condition):
                inner.extend(_steps(condition))
                return length(before) + 1
            case ast.Concat(parts) | ast.Union(parts):
                return sum(length(part) for part in parts)
            case ast.Repeated(repeated, low, high):
                return length(repeated) * max(1, low, high or 0)

    inner: list[int] = []
    yield length(path)
    yield from inner


class _Contents(_Reader):
    def content(self, node: Node) -> ast.Content:
        if isinstance(node, Token):
            return Letter(self.name(node))
        match node.name:
            case "leaf":
                return self.content(node.children[0])
            case "choice":
                return Choice(tuple(self.content(child) for child in node.children))
            case "sequence":
                return Sequence(tuple(self.content(child) for child in node.children))
            case "repeat":
                low, high = self.counts(node.children[1])
                return Repeat(self.content(node.children[0]), low, high)
            case "nothing":
                return Epsilon()
        raise AssertionError(node.name)


class _Selectors(_Reader):
    def selector(self, node: Node) -> ast.Selector:
        span = self.span(node)
        if isinstance(node, Token):
            match node.type:
                case "AXIS":
                    return ast.Apply(self.path(node), None, span=span)
                case "ROOT":
                    return ast.Root(span=span)
                case "TRUE":
                    return ast.TrueSelector(span=span)
            return self.name(node)
        match node.name:
            case "leaf":
                return self.selector(node.children[0])
            case "disjunction":
                return ast.Or(tuple(self.selector(child) for child in node.children), span=span)
            case "conjunction":
                return ast.And(tuple(self.selector(child) for child in node.children), span=span)
            case "negate":
                return ast.Not(self.selector(node.children[0]), span=span)
            case "apply":
                return self.apply(node)
            case "exists":
                return ast.Exists(self.path(node.children[-1]), span=span)
            case "coordinate":
                row, column = (self.number(child) for child in node.children)
                return ast.Coordinate(row, column, span=span)
            case "block":
                return self.block(node)
            case "nth":
                return self.nth(node)
        return ast.Apply(self.path(node), None, span=span)

    def apply(self, node: Tree) -> ast.Selector:
        function, operand = node.children
        span = self.span(node)
        if isinstance(operand, Token) and operand.type == "NUMBER" and isinstance(function, Token):
            match function.text:
                case "row":
                    return ast.WholeRow(self.number(operand), span=span)
                case "col":
                    return ast.WholeColumn(self.number(operand), span=span)
        return ast.Apply(self.path(function), self.selector(operand), span=span)

    def block(self, node: Tree) -> ast.Block:
        top, left, bottom, right = (self.number(child) for child in node.children)
        if top > bottom or left > right:
            message = "a block goes from its top left cell to its bottom right cell"
            rows, columns = sorted((top, bottom)), sorted((left, right))
            hint = f"write `({rows[0]},{columns[0]})..({rows[1]},{columns[1]})`"
            raise _RejectError("bad-coordinate", message, self.span(node), hint)
        return ast.Block(top, left, bottom, right, span=self.span(node))

    def nth(self, node: Tree) -> ast.Nth:
        part, number = node.children
        sign = self.fragment.text.rindex("#", node.start, number.start)
        place = self.fragment.span(sign, number.end)
        if self.fragment.text[sign - 1] in BLANKS:
            text = self.fragment.text[node.start : number.end]
            hint = f"write `{text[: sign - node.start].rstrip()}{text[sign - node.start :]}` for a"
            raise _RejectError(
                "syntax",
                "`#` follows its selector without a blank",
                place,
                f"{hint} cell counted from the left; quote it if it is part of a text",
            )
        assert isinstance(number, Token)
        digits = number.text.lstrip("0")
        if not digits or len(digits) > len(str(MAX_NUMBER)) or int(digits) > MAX_NUMBER:
            message = f"the number after `#` is from 1 to {MAX_NUMBER}, not {number.text}"
            raise _RejectError("bad-coordinate", message, place, "cells are counted from the left")
        return ast.Nth(self.selector(part), int(digits), span=self.span(node))

    def number(self, token: Node) -> int:
        assert isinstance(token, Token)
        if len(token.text) > 18:
            raise _RejectError("bad-coordinate", "no table has that many cells", self.span(token))
        if int(token.text) == 0:
            message = "rows and columns are counted from 1"
            raise _RejectError("bad-coordinate", message, self.span(token))
        return int(token.text)

    def path(self, node: Node, inside: str = "") -> ast.Path:
        span = self.span(node)
        if isinstance(node, Token):
            if node.type != "AXIS":
                raise self.not_a_path(node, span, inside)
            # `ε` is another way to write `cell`.
            return ast.Axis(_AXES.get(node.text, "cell"), span=span)
        match node.name:
            case "union":
                parts = tuple(self.path(child, "union") for child in node.children)
                return ast.Union(parts, span=span)
            case "concatenation":
                return ast.Concat(tuple(self.path(child) for child in node.children), span=span)
            case "repeat":
                low, high = self.counts(node.children[1])
                return ast.Repeated(self.path(node.children[0]), low, high, span=span)
            case "filter":
                return ast.Filter(self.selector(node.children[0]), span=span)
            case "filtered":
                condition = self.selector(node.children[1])
                return ast.Filtered(self.path(node.children[0]), condition, span=span)
        raise self.not_a_path(node, span, inside)

    def not_a_path(self, node: Node, span: Span, inside: str) -> _RejectError:
        text = span.source.text[span.start : span.end]
        if inside == "union" or (isinstance(node, Tree) and node.name == "disjunction"):
            hint = "join paths with `|`, selectors with `or`"
        elif isinstance(node, Tree) and node.name == "apply":
            hint = "apply the next path to it: `path(selector)`"
        else:
            hint = f"write `down({text})` to start from it, or `[{text}]` to filter by it"
            near = text.casefold().removesuffix("s").replace("column", "col")
            if near in ast.KEYWORDS:
                hint = f"did you mean `{near}`? Keywords are lower case"
        return _RejectError(
            "wrong-sort", f"`{text}` is a selector, but a path is expected here", span, hint
        )
