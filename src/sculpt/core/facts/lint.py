"""Likely mistakes in a valid schema (`sculpt check`).

In: the statements of a schema and their core. Out: warnings. A lint guesses at intent, so each
one says what would happen and how to confirm that it is meant. Invariant: a lint never changes a
verdict.

Cost: linear, except that names are compared with the declared ones (typos), and coordinates with
the tokens that data may match (`ambiguous-anchor`); both stop at fixed limits.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType

from sculpt.core import ir
from sculpt.core.acceptor import TextMatcher, intersect
from sculpt.core.builtins import FRIENDLY
from sculpt.core.desugar import PREDEFINED
from sculpt.core.facts.bounds import is_empty
from sculpt.core.facts.lint_derived import lint_derived
from sculpt.core.facts.lint_names import Use, lint_names, uses_of
from sculpt.core.formulas import is_regular
from sculpt.core.programs.program import CoreProgram
from sculpt.core.traversal import reach_nodes
from sculpt.diagnostics import Diagnostic, Span
from sculpt.syntax import ast
from sculpt.syntax.names import quote
from sculpt.syntax.regular import Choice, Letter, Nothing, Regular, Repeat, Sequence, letters
from sculpt.values import frozen, replace

_BROAD = frozenset(("Any", "Text", "String", "Empty", "Null", "Missing", "xs:string"))
MAX_COMPARED = 500
_DELIMITER_WORDS = {"tab": "\\t", "space": "\\s", "comma": ",", "semicolon": ";", "pipe": "|"}
_FRIENDLY = frozenset((*FRIENDLY, "Missing"))


@frozen
class _ValueLint:
    """What is suspicious about the text of a token or a directive."""

    code: str
    pattern: str
    message: str
    hint: str


_VALUE_LINTS = (
    _ValueLint(
        "trailing-comment",
        r"\s%(\s|$)",
        "a `%` after a value is part of it, not a comment",
        "put the comment on a line of its own",
    ),
    _ValueLint(
        "quotes-in-token",
        r'^"(?:[^"\\]|\\.){2,}"$',
        "the quotes are part of the text that this token matches",
        'remove them; write `\\"` where a quote is part of the texts',
    ),
    _ValueLint(
        "blank-in-token",
        r"(?<![\\\[]) \||\| ",
        "the blanks around `|` are part of the texts that this token matches",
        "remove them, or write `[ ]` where you mean a blank",
    ),
)


def lint_schema(
    statements: Iterable[ast.Statement],
    core: ir.CoreSchema,
    program: CoreProgram | None = None,
    tables: Mapping[str, ir.CoreSchema] = MappingProxyType({}),
) -> Iterator[Diagnostic]:
    """All lints, in no particular order; `tables` are the schemas of the included tables."""
    listed = tuple(statements)
    schema = core if program is None else replace(core, tokens={**program.tokens, **core.tokens})
    uses = list(uses_of(listed))
    yield from _shadowed(listed)
    yield from _suspicious_values(listed)
    has_identities = bool(schema.keys or schema.references)
    if (
        schema.rules or has_identities or program is not None
    ):  # a file of tokens is meant to be included
        yield from _unused(listed, uses)
    yield from lint_names(listed, uses, schema)
    yield from _empty(listed, schema)
    yield from _ambiguous_anchors(listed, schema)
    yield from _unique_not_distinct(listed, schema)
    yield from lint_derived(listed, schema)
    if has_identities:
        from sculpt.core.facts.lint_identities import lint_identities

        yield from lint_identities(listed, schema, tables)
    if program is not None and program.requirements:
        from sculpt.core.facts.lint_conditions import lint_conditions  # few schemas need it

        yield from lint_conditions(listed)


# ------------------------------------------------------------- names


def _shadowed(statements: tuple[ast.Statement, ...]) -> Iterator[Diagnostic]:
    kinds = ast.TokenDefinition | ast.DerivedDefinition | ast.TypeDefinition
    for definition in (each for each in statements if isinstance(each, kinds)):
        if definition.name in _FRIENDLY:
            yield Diagnostic(
                "shadowed-name",
                f"`{definition.name}` is predefined; here it means something else",
                definition.name_span,
                "another name would be less surprising",
            )


def _suspicious_values(statements: tuple[ast.Statement, ...]) -> Iterator[Diagnostic]:
    for statement in statements:
        match statement:
            case ast.TokenDefinition(_, text):
                found = [each for each in _VALUE_LINTS if re.search(each.pattern, text)]
            case ast.Directive(_, _, text):
                found = [each for each in _VALUE_LINTS[:1] if re.search(each.pattern, text)]
                if text.lower() in _DELIMITER_WORDS:
                    message = f"the delimiter is the word `{text}`"
                    hint = f"write `{_DELIMITER_WORDS[text.lower()]}` for the character"
                    found.append(_ValueLint("word-as-delimiter", "", message, hint))
            case _:
                continue
        for lint in found:
            yield Diagnostic(lint.code, lint.message, statement.span, lint.hint)


def _unused(statements: tuple[ast.Statement, ...], uses: list[Use]) -> Iterator[Diagnostic]:
    used = {use.name.name for use in uses if isinstance(use.name, ast.Name)}
    for statement in statements:
        if not isinstance(statement, ast.TokenDefinition | ast.DerivedDefinition):
            continue
        if statement.name in used:
            continue
        message = f"nothing uses the token `{statement.name}`"
        literal = any(
            isinstance(use.name, ast.Literal) and use.name.text == statement.name for use in uses
        )
        hint = f'`"{statement.name}"` in quotes is the text, not the token' if literal else None
        yield Diagnostic("unused-token", message, statement.name_span, hint)


# ------------------------------------------------------------- what can never match


def _empty(statements: tuple[ast.Statement, ...], schema: ir.CoreSchema) -> Iterator[Diagnostic]:
    for definition in (each for each in statements if isinstance(each, ast.TypeDefinition)):
        if is_empty(schema.types[definition.name].selector, schema):
            message = f"the token type `{definition.name}` is empty on every table"
            yield Diagnostic("never-matches", message, definition.span)
    for rule in schema.rules:
        if isinstance(rule.content, Nothing):
            message = "nothing can satisfy this content expression"
            yield Diagnostic("accepts-nothing", message, rule.span)
        if is_empty(rule.selector, schema):
            message = "this rule selects no cell on any table"
            yield Diagnostic("never-matches", message, rule.span)


# ------------------------------------------------------------- coordinates and data


def _is_one_row(selector: ir.Selector) -> bool:
    return isinstance(selector, ir.Position) and selector.row is not None


def _ambiguous_anchors(
    statements: tuple[ast.Statement, ...], schema: ir.CoreSchema
) -> Iterator[Diagnostic]:
    unique = {each.name for each in schema.uniques}
    data = dict.fromkeys(
        letter.symbol.name
        for rule in schema.rules
        if not _is_one_row(rule.selector) and rule.arrow != ".>"
        for letter in letters(rule.content)
        if not letter.symbol.is_type and letter.symbol.name not in _BROAD
    )
    spans = _first_places(statements)
    candidates = _ByFirstCharacter(schema, data)
    for anchor in _anchors(schema):
        if anchor in unique or anchor in _BROAD:
            continue
        clash = _clash(schema, anchor, candidates)
        if clash is None:
            continue
        also = (
            "data may match it" if clash == anchor else f"data of the token `{clash}` may match it"
        )
        yield Diagnostic(
            "ambiguous-anchor",
            f"`{anchor}` marks a place, but {also} too: such a cell would mark another place",
            spans[anchor],
            f'write "{anchor}" in quotes if you mean a heading with that text'
            if anchor in PREDEFINED and not schema.tokens[anchor].declared
            else f"add `unique({anchor})` if it marks only one place",
        )


def _anchors(schema: ir.CoreSchema) -> list[str]:
    """Tokens from which a path goes down: mostly column headings."""
    found: dict[str, None] = {}
    selectors = [
        *(rule.selector for rule in schema.rules),
        *(each.selector for each in schema.types.values()),
    ]
    for selector in selectors:
        for reach in reach_nodes(selector):
            if "down" in ir.axes(reach.path):
                found.update(dict.fromkeys(_start_tokens(reach.origin)))
    return list(found)


def _start_tokens(origin: ir.Selector) -> Iterator[str]:
    """The tokens at which the walks to the cells of a selector begin."""
    seen: set[int] = set()
    todo = [origin]
    while todo:
        node = todo.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        match node:
            case ir.Token(name):
                yield name
            case ir.Reach(_, further):
                todo.append(further)
            case ir.Or(parts):
                todo.extend(parts)


class _ByFirstCharacter:
    """The tokens that data may match, indexed by the characters their texts can begin with."""

    def __init__(self, schema: ir.CoreSchema, names: Iterable[str]) -> None:
        tokens = [schema.tokens[name] for name in names]
        self.names = frozenset(token.name for token in tokens if token.literal is None)
        self.patterns = {
            token.name: token.pattern
            for token in tokens
            if token.literal is None and is_regular(token)
        }
        self.matchers = {name: TextMatcher(pattern) for name, pattern in self.patterns.items()}
        self._begin: dict[str, list[str]] = {}
        self.compared = 0

    def matching(self, text: str) -> str | None:
        """A token that matches a text."""
        first = text[:1]
        if first not in self._begin:
            self._begin[first] = [
                name
                for name, each in self.matchers.items()
                if each.alive_length(first) == len(first)
            ]
        return next(
            (name for name in self._begin[first] if self.matchers[name].matches(text)), None
        )


def _clash(schema: ir.CoreSchema, anchor: str, data: _ByFirstCharacter) -> str | None:
    token = schema.tokens[anchor]
    if token.literal is not None:
        return data.matching(token.literal)
    if anchor in data.names:
        return anchor
    for name, each in data.patterns.items():
        if data.compared >= MAX_COMPARED:
            break
        data.compared += 1
        if intersect(token.pattern, each):
            return name
    return None


def _first_places(statements: tuple[ast.Statement, ...]) -> dict[str, Span]:
    places: dict[str, Span] = {}
    for use in uses_of(statements):
        if not use.in_content:
            name = use.name
            key = name.name if isinstance(name, ast.Name) else name.text
            places.setdefault(key, name.span)
            if isinstance(name, ast.Literal):
                places.setdefault(quote(name.text), name.span)
    return places


def _unique_not_distinct(
    statements: tuple[ast.Statement, ...], schema: ir.CoreSchema
) -> Iterator[Diagnostic]:
    filling: set[str] = set()
    for rule in schema.rules:
        if rule.arrow == "->" and not _is_one_row(rule.selector):
            filling.update(letter.symbol.name for letter in letters(rule.content))
        else:
            filling.update(_repeated(rule.content, False))
    for unique in schema.uniques:
        token = schema.tokens.get(unique.name)
        if token is None or token.literal is not None or unique.name not in filling:
            continue
        yield Diagnostic(
            "unique-not-distinct",
            f"`{unique.text}` allows only one `{unique.name}`, not one of each value",
            unique.span,
            f"it holds only if a single cell matches `{unique.name}`;"
            " write `key(…)` to require distinct values",
        )


def _repeated(content: Regular[ir.Symbol], inside: bool) -> Iterator[str]:
    """The names of the letters that may be read more than once."""
    match content:
        case Letter(symbol):
            if inside:
                yield symbol.name
        case Sequence(parts) | Choice(parts):
            for part in parts:
                yield from _repeated(part, inside)
        case Repeat(part, _, high):
            yield from _repeated(part, inside or high is None or high > 1)
