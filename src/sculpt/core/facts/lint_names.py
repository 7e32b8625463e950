"""Lints about names: undeclared ones that were probably meant as something else.

In: the statements of a schema and their core. Out: warnings. An undeclared name stands for its own
text, which is what people want for headings; so these lints look for names that resemble a declared
one, that are places of a spreadsheet, or without which no row of a rule could match.

Cost: linear; a name is compared with all declared ones at once (`Suggestions`).
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping

from sculpt.core import ir
from sculpt.core.builtins import FRIENDLY
from sculpt.core.spreadsheet import place_meant
from sculpt.diagnostics import Diagnostic, Span, Suggestions, split_name
from sculpt.syntax import ast
from sculpt.syntax.derived.tree import names_in
from sculpt.syntax.names import names_of
from sculpt.syntax.printer import print_selector
from sculpt.syntax.programs.tree import selectors_of
from sculpt.syntax.regular import Choice, Letter, Repeat, Sequence, letters
from sculpt.values import frozen

_FRIENDLY = frozenset((*FRIENDLY, "Missing"))


@frozen
class Use:
    """The use of a name in an expression."""

    name: ast.Name | ast.Literal
    in_content: bool
    is_heading: bool
    """Is it a coordinate, or a letter of a rule about one row?"""


def uses_of(statements: tuple[ast.Statement, ...]) -> Iterator[Use]:
    """The uses of all names, in the order of the text."""
    for statement in statements:
        match statement:
            case ast.DerivedDefinition(_, tokens):
                yield from (Use(name, True, False) for name in names_in(tokens))
            case ast.TypeDefinition(_, selector):
                yield from (Use(name, False, True) for name in names_of(selector))
            case ast.Unique(_, target, _):
                yield Use(target, False, True)
            case ast.Key(parts):
                yield from _uses_of_parts(parts)
            case ast.Reference(left, right):
                for side in (left, right):
                    if side.table is None:  # another table has its own words
                        yield from _uses_of_parts(side.parts)
            case ast.Rule(selector, _, _, content, _):
                yield from (Use(name, False, True) for name in names_of(selector))
                heading = isinstance(selector, ast.WholeRow)
                for letter in letters(content):
                    yield Use(letter.symbol, True, heading)
            case ast.Program(_, body):
                for mentioned, is_looked_for in selectors_of(body):
                    yield from (Use(name, False, is_looked_for) for name in names_of(mentioned))


def _uses_of_parts(parts: tuple[ast.Part, ...]) -> Iterator[Use]:
    for part in parts:
        yield from (Use(name, False, True) for name in names_of(part.selector))
        if part.type_name is not None:
            yield Use(ast.Name(part.type_name, span=part.type_span or part.span), True, False)


def lint_names(
    statements: tuple[ast.Statement, ...], uses: list[Use], schema: ir.CoreSchema
) -> Iterator[Diagnostic]:
    """All lints about undeclared names."""
    texts = list(_texts(uses, schema, _places_meant(statements, uses, schema)))
    yield from texts
    yield from _undeclared_content(statements, schema, {_written(each.span) for each in texts})


def _texts(
    uses: list[Use], schema: ir.CoreSchema, places: Mapping[str, str]
) -> Iterator[Diagnostic]:
    declared = {name for name, token in schema.tokens.items() if token.declared} | {*schema.types}
    suggestions = Suggestions([*declared, *_FRIENDLY])
    seen: set[str] = set()
    headings = {use.name.name for use in uses if use.is_heading and isinstance(use.name, ast.Name)}
    for use in uses:
        name = use.name
        if not isinstance(name, ast.Name) or name.name in seen:
            continue
        token = schema.tokens.get(name.name)
        if token is None or token.literal is None:
            continue
        seen.add(name.name)
        quoted = f'write `"{name.name}"` if you mean the text'
        if name.name.isascii() and name.name.isdigit():
            message = f"the number {name.name} is read as text here"
            hint = f"{quoted}, or `row({name.name})` or `col({name.name})` for a place"
            yield Diagnostic("bare-number", message, name.span, hint)
        elif use.in_content and name.name in ast.KEYWORDS:
            message = f"the keyword `{name.name}` is read as text here"
            yield Diagnostic("keyword-as-text", message, name.span, quoted)
        elif name.name in places and not use.in_content:
            undeclared = f"`{name.name}` is not declared, so it stands for its own text"
            message = f"{undeclared}: did you mean `{places[name.name]}`?"
            yield Diagnostic("likely-typo", message, name.span, quoted)
        else:
            yield from _typo(name, declared, schema.types, suggestions, headings, quoted)


def _typo(
    name: ast.Name,
    declared: set[str],
    types: Container[str],
    suggestions: Suggestions,
    headings: set[str],
    quoted: str,
) -> Iterator[Diagnostic]:
    text = name.name
    parts = split_name(text, declared | _FRIENDLY)
    undeclared = f"`{text}` is not declared, so it stands for its own text"
    if place := re.fullmatch(r"(row|col|column) ([0-9]+)", text):
        meant = f"{place[1][:3]}({place[2]})"
        yield Diagnostic("likely-typo", f"{undeclared}: did you mean `{meant}`?", name.span, quoted)
    elif parts is not None and any(part in declared for part in parts):
        meant = ", ".join(parts)
        message = f"{undeclared}: a comma? `{meant}`"
        yield Diagnostic("likely-typo", message, name.span, quoted)
    else:
        near = suggestions.closest(text)
        # `Month` as the heading of `month`, `days` of `day`: a convention, not a typo.
        if near is not None and not (
            text in headings and _is_heading_of(text, near, near in types)
        ):
            message = f"{undeclared}: did you mean `{near}`?"
            yield Diagnostic("likely-typo", message, name.span, quoted)


def _places_meant(
    statements: tuple[ast.Statement, ...], uses: list[Use], schema: ir.CoreSchema
) -> dict[str, str]:
    """The places of spreadsheets among the undeclared names of selectors, as selectors.

    `col(B)` is right if there is a heading `B`, which some rule then expects; and `B2` alone is
    more often a text.
    """
    expected = {use.name.name for use in uses if use.in_content and isinstance(use.name, ast.Name)}
    found: dict[str, str] = {}
    for statement in statements:
        if not isinstance(statement, ast.Rule | ast.TypeDefinition):
            continue
        text = print_selector(statement.selector)
        for name in names_of(statement.selector):
            if not isinstance(name, ast.Name) or name.name in expected or name.name in found:
                continue
            token = schema.tokens.get(name.name)
            if token is None or token.literal is None:
                continue
            place = place_meant(name.name, text)
            if place is not None and (".." in place or not place.startswith("(")):
                found[name.name] = place
    return found


def _written(span: Span) -> str:
    return span.source.text[span.start : span.end]


def _undeclared_content(
    statements: tuple[ast.Statement, ...], schema: ir.CoreSchema, told: set[str]
) -> Iterator[Diagnostic]:
    """Undeclared names without which nothing matches, in rules about any number of rows.

    In a column, or in a region as a whole, a heading or a total is often such a text: there the
    name must be all that can be read. Names that other lints are about are left out.
    """
    rules = [statement for statement in statements if isinstance(statement, ast.Rule)]
    seen, heights = set(told), _Heights()
    for rule, core in zip(rules, schema.rules, strict=True):
        is_by_row = rule.arrow in ("->", ".>")
        symbols = [letter.symbol for letter in letters(rule.content)]
        if not (is_by_row or len({*map(_text_of, symbols)}) == 1):
            continue
        for symbol in symbols:
            name = _text_of(symbol)
            token = schema.tokens.get(name)
            if not isinstance(symbol, ast.Name) or name in seen or token is None:
                continue
            is_needed = token.literal is not None and _needs(_once(rule.content), name)
            if is_needed and heights.is_endless(core.selector):
                seen.add(name)
                yield Diagnostic(
                    "undeclared-content",
                    f"`{name}` is declared nowhere, so only the text `{name}` matches",
                    symbol.span,
                    f'declare it: `{name} = …`; or write `"{name}"` if you mean the text',
                )


def _text_of(name: ast.Name | ast.Literal) -> str:
    return name.name if isinstance(name, ast.Name) else name.text


class _Heights:
    """Which regions may have any number of rows, as far as the form of their selectors tells."""

    def __init__(self) -> None:
        self._known: dict[int, bool] = {}

    def is_endless(self, node: ir.Selector | ir.Path) -> bool:
        """May the region have any number of rows, or the path go up or down any number of steps?"""
        if id(node) not in self._known:
            self._known[id(node)] = self._decide(node)
        return self._known[id(node)]

    def _decide(self, node: ir.Selector | ir.Path) -> bool:
        match node:
            case ir.Position(row, _):
                return row is None
            case ir.Everything() | ir.Not(_):
                return True
            case ir.And(parts):
                return all(map(self.is_endless, parts))
            case ir.Or(parts) | ir.Chain(parts) | ir.Fork(parts):
                return any(map(self.is_endless, parts))
            case ir.Reach(path, origin):
                return self.is_endless(path) or self.is_endless(origin)
            case ir.Loop(inner, _, high):
                is_vertical = not {"up", "down"}.isdisjoint(ir.axes(inner))
                return (high is None and is_vertical) or self.is_endless(inner)
            case _:
                return False


def _needs(content: ast.Content, name: str) -> bool:
    """Does every word have a letter of this name?"""
    match content:
        case Letter(symbol):
            return isinstance(symbol, ast.Name) and symbol.name == name
        case Sequence(parts):
            return any(_needs(part, name) for part in parts)
        case Choice(parts):
            return all(_needs(part, name) for part in parts)
        case Repeat(part, low, _):
            return low > 0 and _needs(part, name)
        case _:
            return False


def _once(content: ast.Content) -> ast.Content:
    """What a content repeats: `iban*` also matches no cells, but no row of a region has none."""
    while isinstance(content, Repeat):
        content = content.part
    return content


def _is_heading_of(text: str, name: str, is_type: bool) -> bool:
    return text[1:] == name[1:] if is_type else _bare(text) == _bare(name)


def _bare(name: str) -> str:
    return re.sub(r"[\s_:-]", "", name.casefold()).removesuffix("s")
