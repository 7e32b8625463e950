"""Syntax tree to core (paper, section 3, remark on sugar).

In: the statements of a schema, includes already expanded. Out: a `CoreSchema`, or diagnostics.
Names are resolved here: to a declared token, a token type, a predefined token, or, if undeclared,
to their own text.

Invariant: the meaning does not change: a selector and its core form have the same region; the tests
evaluate the sugar directly and compare. `<a>` becomes `reverse(a)(true)`. Cost: linear in the
schema; each token type is desugared once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, assert_never

from sculpt.core import ir
from sculpt.core.acceptor import is_nothing, prune
from sculpt.core.builtins import ASKED, FRIENDLY, XSD
from sculpt.core.datatypes.families import asked_of, pattern_of
from sculpt.core.datatypes.model import Base, Condition
from sculpt.core.dialect import Delimiter, list_delimiter, read_dialect
from sculpt.core.documentation import documentation_of
from sculpt.core.use_order import in_order_of_use
from sculpt.diagnostics import Diagnostic, Span, closest
from sculpt.syntax import ast
from sculpt.syntax.names import is_plain_name, names_of, quote
from sculpt.syntax.printer import print_on_one_line
from sculpt.syntax.regular import (
    Choice,
    Epsilon,
    Letter,
    Nothing,
    Regular,
    Repeat,
    Sequence,
    literal,
)
from sculpt.values import replace

if TYPE_CHECKING:
    from sculpt.core.derivation.branches import Meaning
    from sculpt.core.derivation.definitions import Definitions

MAX_DEPTH = 150
HEADINGS = frozenset(("Email", "Uri", "Uuid"))
"""Predefined tokens that match their own name too: schemas had such headings before."""
NO_TABLES: Mapping[str, Desugarer | None] = MappingProxyType({})
PREDEFINED = frozenset((*FRIENDLY, "Missing", *(f"xs:{name}" for name in XSD)))


def predefined_token(name: str) -> ir.CoreToken | None:
    """A predefined token, or `None` if the name is not one."""
    if name == "Missing":
        return ir.CoreToken(
            name, Nothing(), matches_padding=True, reads_padding=True, is_missing=True
        )
    if name not in PREDEFINED:
        return None
    pattern = pattern_of(name)
    return ir.CoreToken(
        name,
        Choice((pattern, literal(name))) if name in HEADINGS else pattern,
        matches_padding=name == "Null",
        reads_padding=name in ("Null", "Empty"),
        matches_undecodable=name == "Any",
        condition=Condition(Base(name)) if name in ASKED else None,
        ask=asked_of(name),
    )


def desugar(
    statements: Iterable[ast.Statement],
    overrides: Iterable[ast.Directive],
    problems: list[Diagnostic],
    tables: Mapping[str, Desugarer | None] = NO_TABLES,
) -> ir.CoreSchema:
    """The core of a schema; errors go to `problems`.

    `tables` has the vocabulary of each table that the schema brings in, or `None` for one that is
    broken. The tokens that references need in other tables are added to these vocabularies.
    """
    return Desugarer(tuple(statements), problems).schema(overrides, tables)


def desugar_selector(
    schema_statements: Iterable[ast.Statement], selector: ast.Selector, problems: list[Diagnostic]
) -> tuple[ir.Selector, dict[str, ir.CoreToken]]:
    """A selector that is not part of a schema but uses its names, and the tokens of both."""
    desugarer = Desugarer(tuple(schema_statements), problems)
    return desugarer.selector(selector), desugarer.tokens


class Desugarer:
    """Resolves names, and turns selectors, paths and rules into core nodes."""

    def __init__(self, statements: tuple[ast.Statement, ...], problems: list[Diagnostic]) -> None:
        self.statements = statements
        self.problems = problems
        self.builder = ir.Builder()
        self.tokens: dict[str, ir.CoreToken] = {}
        self.definitions: dict[str, ast.TypeDefinition] = {}
        self.derived: dict[str, ast.DerivedDefinition] = {}
        self.defined: Definitions | None = None
        """What the derived tokens mean, if there are any."""
        self.types: dict[str, ir.Selector] = {}
        self.depths: dict[int, int] = {}
        self.impossible: dict[str, bool] = {}
        self.documentation = documentation_of(statements)
        self._declare()
        self._define_derived()
        self._define_types()

    def error(self, code: str, message: str, span: Span, hint: str | None = None) -> None:
        """Report an error."""
        self.problems.append(Diagnostic(code, message, span, hint))

    def _declare(self) -> None:
        first: dict[str, Span] = {}
        for statement in self.statements:
            if not isinstance(
                statement, ast.TokenDefinition | ast.DerivedDefinition | ast.TypeDefinition
            ):
                continue
            name = statement.name
            if name in first:
                where = first[name].describe(statement.span.source)
                self.error(
                    "redefinition", f"`{name}` is already defined on {where}", statement.name_span
                )
                continue
            first[name] = statement.span
            match statement:
                case ast.TokenDefinition():
                    self.tokens[name] = self._declared(statement)
                case ast.DerivedDefinition():
                    self.derived[name] = statement
                case ast.TypeDefinition():
                    self.definitions[name] = statement

    def _declared(self, statement: ast.TokenDefinition | ast.DerivedDefinition) -> ir.CoreToken:
        """The token of a definition; a derived one gets its formula later."""
        return ir.CoreToken(
            statement.name,
            statement.pattern if isinstance(statement, ast.TokenDefinition) else Nothing(),
            declared=True,
            line=statement.span.line,
            text=print_on_one_line(statement),
            documentation=self.said_of(statement),
        )

    def _define_derived(self) -> None:
        if self.derived:
            from sculpt.core.derivation.definitions import Definitions  # few schemas have any

            self.defined = Definitions(self.derived, self)
            self.defined.define(self._declared)

    @property
    def meanings(self) -> Mapping[str, Meaning]:
        """What each derived token means."""
        return self.defined.meanings if self.defined is not None else {}

    # ------------------------------------------------------------- the schema

    def schema(
        self,
        overrides: Iterable[ast.Directive],
        tables: Mapping[str, Desugarer | None] = NO_TABLES,
    ) -> ir.CoreSchema:
        """The core of the whole schema."""
        directives = [each for each in self.statements if isinstance(each, ast.Directive)]
        dialect = read_dialect(directives, overrides, self.problems)
        rules: list[ir.CoreRule] = []
        uniques: list[ir.CoreUnique] = []
        for statement in self.statements:
            match statement:
                case ast.Rule():
                    rules.append(self.rule(len(rules) + 1, statement, dialect.list_delim))
                case ast.Unique(kind, target, clause):
                    text = print_on_one_line(statement)
                    uniques.append(
                        ir.CoreUnique(
                            kind,
                            statement.span.line,
                            text,
                            self.display(target),
                            self.selector(target),
                            statement.span,
                            self.said_of(statement),
                            ir.Ending.of(clause),
                        )
                    )
        types = {
            name: ir.CoreType(
                name, each.span.line, print_on_one_line(each), self.types[name], self.said_of(each)
            )
            for name, each in self.definitions.items()
        }
        keys, references = self._identities(tables)
        return ir.CoreSchema(
            dialect, self.tokens, types, tuple(rules), tuple(uniques), keys, references
        )

    def _identities(
        self, tables: Mapping[str, Desugarer | None]
    ) -> tuple[tuple[ir.CoreKey, ...], tuple[ir.CoreReference, ...]]:
        keys = [each for each in self.statements if isinstance(each, ast.Key)]
        references = [each for each in self.statements if isinstance(each, ast.Reference)]
        if not keys and not references:
            return (), ()
        from sculpt.core.identities import Identities  # few schemas have any

        identities = Identities(self, tables)
        found = [identities.reference(each) for each in references]
        known = tuple(each for each in found if each is not None)
        return tuple(identities.key(each) for each in keys), known

    def rule(self, number: int, rule: ast.Rule, list_delim: Delimiter | None) -> ir.CoreRule:
        """A rule in core form."""
        if rule.arrow != ".>":
            list_delim = None
        elif rule.list_delim is not None:
            list_delim = list_delimiter(rule.list_delim, self.problems) or list_delim
        elif list_delim is None:
            self.error(
                "no-list-delim",
                "a `.>` rule needs a list delimiter",
                rule.span,
                "add `List Delim = ;`, or put it in the rule: `.>[;]`",
            )
        content = self.content(rule.content, in_list=rule.arrow == ".>")
        selector = self.bounded_selector(rule.selector, rule.span)
        return ir.CoreRule(
            number,
            rule.span.line,
            print_on_one_line(rule),
            selector,
            rule.arrow,
            prune(content, self.is_impossible),
            list_delim,
            rule.span,
            self.said_of(rule),
            ir.Ending.of(rule.clause),
        )

    def said_of(self, statement: ast.Statement) -> str:
        """The documentation of a statement; empty if it has none."""
        return self.documentation.get(id(statement), "")

    # ------------------------------------------------------------- names

    def display(self, name: ast.Name | ast.Literal) -> str:
        """The name under which a token or token type is known."""
        if isinstance(name, ast.Name):
            return name.name
        text = name.text
        taken = text in self.tokens and self.tokens[text].literal is None
        taken = taken or text in self.definitions or text in self.derived
        taken = taken or text in PREDEFINED or text in ast.KEYWORDS
        return text if is_plain_name(text) and not taken else quote(text)

    def is_type(self, name: str) -> bool:
        """Is it the name of a token type?"""
        return name in self.definitions

    def token(self, name: ast.Name | ast.Literal) -> str:
        """The key of a token, which is added to the table of tokens if it is new."""
        key = self.display(name)
        if key not in self.tokens:
            known = predefined_token(key) if isinstance(name, ast.Name) else None
            text = name.name if isinstance(name, ast.Name) else name.text
            if known is None and isinstance(name, ast.Name) and name.name.startswith("xs:"):
                self.unknown_xsd(name)
            self.tokens[key] = known or ir.CoreToken(key, literal(text), literal=text)
        token = self.tokens[key]
        if isinstance(name, ast.Name) and token.literal is not None and not token.is_bare:
            self.tokens[key] = replace(token, is_bare=True)
        return key

    def unknown_xsd(self, name: ast.Name) -> None:
        """Report that there is no such built-in type."""
        near = closest(name.name[3:], XSD)
        hint = (
            f"did you mean `xs:{near}`?"
            if near
            else f'quote it if you mean the text: "{name.name}"'
        )
        message = f"`{name.name}` is not a built-in type of XML Schema"
        self.error("syntax", message, name.span, hint)

    def is_impossible(self, symbol: ir.Symbol) -> bool:
        """Is there no cell that can be read as the symbol?"""
        if symbol.is_type:
            return False
        if symbol.name not in self.impossible:
            token = self.tokens[symbol.name]
            is_plain = token.formula is None and not token.matches_padding
            self.impossible[symbol.name] = is_plain and is_nothing(token.pattern)
        return self.impossible[symbol.name]

    def _define_types(self) -> None:
        """Build each token type after those it uses, without recursion: chains may be long."""
        uses = {
            name: [
                used.name for used in names_of(definition.selector) if isinstance(used, ast.Name)
            ]
            for name, definition in self.definitions.items()
        }
        for name in in_order_of_use(uses, self._report_cycle):
            definition = self.definitions[name]
            selector = self.selector(definition.selector)
            if self.depth(selector) > MAX_DEPTH:
                message = f"`{name}` nests token types more than {MAX_DEPTH} levels deep"
                self.error("too-deep", message, definition.name_span)
                selector = self.builder.make(ir.Everything)
            self.types[name] = selector

    def _report_cycle(self, names: list[str]) -> None:
        message = "token types cannot be defined in a circle: " + " <= ".join(names)
        self.error("type-cycle", message, self.definitions[names[0]].name_span)

    def depth(self, node: object) -> int:
        """The height of a node, cached by its identity."""
        if id(node) not in self.depths:
            match node:
                case ir.Not(part):
                    below = [self.depth(part)]
                case ir.And(parts) | ir.Or(parts) | ir.Chain(parts) | ir.Fork(parts):
                    below = [self.depth(part) for part in parts]
                case ir.Reach(path, origin):
                    below = [self.depth(path), self.depth(origin)]
                case ir.Test(condition):
                    below = [self.depth(condition)]
                case ir.Loop(path, _, _):
                    below = [self.depth(path)]
                case _:
                    below = [0]
            self.depths[id(node)] = 1 + max(below)
        return self.depths[id(node)]

    # ------------------------------------------------------------- expressions

    def selector(self, node: ast.Selector) -> ir.Selector:
        """A selector in core form."""
        make = self.builder.make
        match node:
            case ast.Name(name) if name in self.definitions:
                return self.types.get(name) or make(ir.Everything)  # absent only in a cycle
            case ast.Name() | ast.Literal():
                return make(ir.Token, self.token(node))
            case ast.Root():
                return make(ir.Position, 1, 1)
            case ast.TrueSelector():
                return make(ir.Everything)
            case ast.Coordinate(row, column):
                return make(ir.Position, row, column)
            case ast.Block():
                return self.block(node)
            case ast.WholeRow(row):
                return make(ir.Position, row, None)
            case ast.WholeColumn(column):
                return make(ir.Position, None, column)
            case ast.Apply(path, operand):
                origin = make(ir.Position, 1, 1) if operand is None else self.selector(operand)
                return make(ir.Reach, self.path(path), origin)
            case ast.Exists(path):
                return make(ir.Reach, reverse(self.path(path), self.builder), make(ir.Everything))
            case ast.Nth(part, number):
                return self.nth(self.selector(part), number)
            case ast.Not(part):
                return make(ir.Not, self.selector(part))
            case ast.And(parts):
                return make(ir.And, tuple(self.selector(part) for part in parts))
            case ast.Or(parts):
                return make(ir.Or, tuple(self.selector(part) for part in parts))
            case _:
                assert_never(node)

    def bounded_selector(self, node: ast.Selector, span: Span) -> ir.Selector:
        """A selector in core form, with an error if its token types nest too deeply."""
        selector = self.selector(node)
        if self.depth(selector) > MAX_DEPTH:
            message = f"the selector is nested more than {MAX_DEPTH} levels deep in its token types"
            self.error("too-deep", message, span)
        return selector

    def block(self, node: ast.Block) -> ir.Selector:
        """The rows from the first on and none after the last; so for columns. No path counts."""
        make = self.builder.make
        parts: list[ir.Selector] = []
        for first, last, axis in ((node.top, node.bottom, 0), (node.left, node.right, 1)):
            places = [(first, None), (last, None)] if axis == 0 else [(None, first), (None, last)]
            begin, end = (make(ir.Position, *place) for place in places)
            step = make(ir.Step, ("down", "right")[axis])
            if first == last:
                parts.append(begin)
                continue
            if first > 1:
                parts.append(make(ir.Reach, make(ir.Loop, step, 0, None), begin))
            parts.append(make(ir.Not, make(ir.Reach, make(ir.Loop, step, 1, None), end)))
        return parts[0] if len(parts) == 1 else make(ir.And, tuple(parts))

    def nth(self, part: ir.Selector, number: int) -> ir.Selector:
        """The cells of a part that have exactly `number - 1` of its cells to their left."""
        make = self.builder.make
        later = make(
            ir.Chain, (make(ir.Loop, make(ir.Step, "right"), 1, None), make(ir.Test, part))
        )

        def after(count: int) -> ir.Selector:
            """The cells of the part that come after at least `count` others."""
            if count == 0:
                return part
            path = later if count == 1 else make(ir.Loop, later, count, count)
            return make(ir.Reach, path, part)

        return make(ir.And, (after(number - 1), make(ir.Not, after(number))))

    def path(self, node: ast.Path) -> ir.Path:
        """A path in core form."""
        make = self.builder.make
        match node:
            case ast.Axis(name):
                match name:
                    case "cell":
                        return make(ir.Stay)
                    case "row":
                        return make(ir.Loop, make(ir.Step, "right"), 1, None)
                    case "col":
                        return make(ir.Loop, make(ir.Step, "down"), 1, None)
                return make(ir.Step, name)
            case ast.Filter(condition):
                return make(ir.Test, self.selector(condition))
            case ast.Filtered(path, condition):
                parts = (self.path(path), make(ir.Test, self.selector(condition)))
                return make(ir.Chain, parts)
            case ast.Concat(steps):
                return make(ir.Chain, tuple(self.path(step) for step in steps))
            case ast.Union(paths):
                return make(ir.Fork, tuple(self.path(path) for path in paths))
            case ast.Repeated(path, low, high):
                return make(ir.Loop, self.path(path), low, high)
            case _:
                assert_never(node)

    def content(self, node: ast.Content, in_list: bool) -> Regular[ir.Symbol]:
        """A content expression over symbols."""
        match node:
            case Letter(name):
                if not (isinstance(name, ast.Name) and name.name in self.definitions):
                    return Letter(ir.Symbol(self.token(name)))
                if in_list:
                    self.error(
                        "type-in-list",
                        f"`{name.name}` is a token type; list items have no place in the table,"
                        " so a `.>` rule can use only tokens",
                        name.span,
                    )
                return Letter(ir.Symbol(name.name, is_type=True))
            case Sequence(parts):
                return Sequence(tuple(self.content(part, in_list) for part in parts))
            case Choice(parts):
                return Choice(tuple(self.content(part, in_list) for part in parts))
            case Repeat(part, low, high):
                return Repeat(self.content(part, in_list), low, high)
            case Epsilon() | Nothing():
                return node
            case _:
                assert_never(node)


def reverse(path: ir.Path, builder: ir.Builder) -> ir.Path:
    """The path backwards: it leads from c' to c exactly where `path` leads from c to c'."""
    match path:
        case ir.Step(direction):
            return builder.make(ir.Step, ir.OPPOSITE[direction])
        case ir.Stay() | ir.Test():
            return path
        case ir.Chain(parts):
            return builder.make(ir.Chain, tuple(reverse(part, builder) for part in parts[::-1]))
        case ir.Fork(parts):
            return builder.make(ir.Fork, tuple(reverse(part, builder) for part in parts))
        case ir.Loop(inner, low, high):
            return builder.make(ir.Loop, reverse(inner, builder), low, high)
        case _:
            assert_never(path)
