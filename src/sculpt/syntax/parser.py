"""Statements: schema text to a `Document`, with all errors of the file at once.

In: a `Source`. Out: a `Document` of the statements that could be read, and diagnostics for the
others. `docs/language.md#2-the-schema-file`: the first operator outside quotes decides what a
statement is, the longest match first; `namespace`, `mapping`, `include`, `print`, `For each`,
`require(`, `unique(`, `unique-per-row(`, `key(` begin statements that have no operator.

Invariant: an error never hides a later one: each statement is read on its own, and bad text causes
nothing but a diagnostic. Cost: linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from sculpt.diagnostics import Diagnostic, Source, Span, closest, edit_distance
from sculpt.syntax import ast
from sculpt.syntax.clauses import split_clause
from sculpt.syntax.derived.parser import parse_tokens
from sculpt.syntax.expressions import parse_content, parse_selector
from sculpt.syntax.lines import Block, CommentLine, Fragment, Gap, logical_lines, whole
from sculpt.syntax.names import is_plain_name
from sculpt.syntax.regex import parse_regex

if TYPE_CHECKING:
    from sculpt.syntax.identities.parser import Identities
    from sculpt.syntax.programs import tree as programs

DIRECTIVES = (
    "Col Delim",
    "Row Delim",
    "List Delim",
    "Quote",
    "Escape",
    "Escapes",
    "Stray Quotes",
    "Trim",
    "Comment",
    "Blank Rows",
    "Encoding",
    "Col Widths",
    "Padding",
)

OPERATOR = re.compile(
    r'"(?:[^"\\]|\\.)*"|(?P<operator>->|=>|\|>|\.>|~>\+?|<=|:=(?!>)|=)|(?P<open>")'
)
_UNIQUE = re.compile(r"(unique-per-row|unique)\s*\(")
_KEY = re.compile(r"key\s*\(")
_NEAR_KEY = re.compile(r"(?:primary[\s-]?)?keys?\s*\(", re.IGNORECASE)
_INCLUDE = re.compile(r'include\s*(?="|$)|include\s+(?!<=|:=|=|->|\|>|\.>|~>)')
_PROGRAM = re.compile(
    r"For each\b|require\s*\(|(?:print|namespace|mapping)\s+(?!\s|<=|:=|=|->|\|>|\.>|~>)"
)
_TEXT = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_DIRECTIVE = re.compile(rf"({'|'.join(DIRECTIVES)})(?:\((.*)\))?", re.DOTALL)
_SYNONYMS = {
    "column": "col",
    "columns": "col",
    "cols": "col",
    "rows": "row",
    "line": "row",
    "lines": "row",
    "delimiter": "delim",
    "delimiters": "delim",
    "delims": "delim",
    "separator": "delim",
    "sep": "delim",
    "width": "widths",
    "pad": "padding",
}


def parse(source: Source, problems: list[Diagnostic]) -> ast.Document:
    """The statements of a schema; errors go to `problems`."""
    return ast.Document(tuple(_Parser(source, problems).statements()))


class _Parser:
    def __init__(self, source: Source, problems: list[Diagnostic]) -> None:
        self.source = source
        self.problems = problems

    def error(self, code: str, message: str, span: Span, hint: str | None = None) -> None:
        self.problems.append(Diagnostic(code, message, span, hint))

    def statements(self) -> Iterator[ast.Statement]:
        gap: Span | None = None
        written = False
        for line in logical_lines(self.source, self.problems):
            if isinstance(line, Gap):
                gap = gap or line.span
                continue
            statement = self.statement(line)
            if statement is None:
                continue
            if gap is not None and written:
                yield ast.BlankLine(span=gap)
            gap, written = None, True
            yield statement

    def statement(self, line: Fragment | CommentLine | Block) -> ast.Statement | None:
        match line:
            case CommentLine(text, span):
                return ast.Comment(text, span=span)
            case Block(lines, span, closed):
                if not closed:
                    message = "the braces of this program do not match"
                    place = Span(span.source, span.start, span.start + 8)
                    self.error("bad-program", message, place, "`For each cell c in … { … }`")
                body = self.program(whole(span)) if closed else None
                return ast.Program(lines, body, span=span)
            case Fragment():
                return self.fragment(line)

    def fragment(self, line: Fragment) -> ast.Statement | None:
        if match := _UNIQUE.match(line.text):
            return self.unique(line, match)
        if match := _KEY.match(line.text):
            return self.key(line, match.end())
        if match := _INCLUDE.match(line.text):
            return self.include(line, match.end())
        if _PROGRAM.match(line.text):
            if line.text.startswith("For each"):
                message = "a loop needs a body in braces"
                self.error("bad-program", message, line.span(), "`For each cell c in … { … }`")
                return None
            return ast.Program((line.text,), self.program(line), span=line.span())
        return self.by_operator(line)

    def program(self, text: Fragment) -> programs.Statement | None:
        from sculpt.syntax.programs.parser import parse_program  # most schemas have no programs

        return parse_program(text, self.problems)

    def by_operator(self, line: Fragment) -> ast.Statement | None:
        for match in OPERATOR.finditer(line.text):
            if match["open"]:
                message = "this quoted text never closes"
                self.error("unclosed-literal", message, line.span(match.start()), 'add `"`')
                return None
            if match["operator"]:
                break
        else:
            hint = (
                "a rule is `selector -> content`, a token `name = regex`, a token type"
                " `name <= selector`; an indented line continues the one above"
            )
            if line.text.startswith(("#", "//", "--", ";")):
                hint = "a comment line starts with `%`"
            elif _NEAR_KEY.match(line.text):
                hint = "a key is `key(part, …)`"
            message = "this line is not a statement"
            self.error("not-a-statement", message, line.span(), hint)
            return None
        left, right = line.slice(0, match.start()), line.slice(match.end())
        readers: dict[str, Callable[[Fragment, Fragment, Fragment], ast.Statement | None]] = {
            "=": self.definition,
            "<=": self.type_definition,
            ":=": self.derived_definition,
        }
        operator = match["operator"]
        if operator in readers:
            return readers[operator](line, left, right)
        if operator.startswith("~>"):
            return self.reference(line, left, right, operator == "~>+")
        return self.rule(line, left, _arrow(operator), right)

    # ------------------------------------------------------------- definitions

    def definition(self, line: Fragment, left: Fragment, right: Fragment) -> ast.Statement | None:
        if match := _DIRECTIVE.fullmatch(left.text):
            if match[2] is not None and match[1] != "Col Widths":
                message = f"`{match[1]}` takes no argument in parentheses; only `Col Widths` does"
                self.error("bad-directive-value", message, left.span())
                return None
            return ast.Directive(
                match[1],
                match[2],
                right.text.strip(" \t"),
                value_span=right.span(),
                span=line.span(),
            )
        if meant := near_directive(left.text):
            self.error(
                "unknown-directive",
                f"unknown directive `{left.text}`: did you mean `{meant}`?",
                left.span(),
                f"write `{meant} = …`; if you meant a token, give it another name",
            )
            return None
        named = self.defined_name(left, "a token")
        pattern = parse_regex(right, self.problems)
        if not named or pattern is None:
            return None
        return ast.TokenDefinition(
            left.text, right.text, pattern, name_span=left.span(), span=line.span()
        )

    def type_definition(
        self, line: Fragment, left: Fragment, right: Fragment
    ) -> ast.Statement | None:
        named = self.defined_name(left, "a token type")
        selector = parse_selector(right, self.problems)
        if not named or selector is None:
            return None
        return ast.TypeDefinition(left.text, selector, name_span=left.span(), span=line.span())

    def derived_definition(
        self, line: Fragment, left: Fragment, right: Fragment
    ) -> ast.Statement | None:
        if left.text in DIRECTIVES:
            message = f"`{left.text}` is a directive and cannot name a token"
            self.error("reserved-name", message, left.span(), f"write `{left.text} = …`")
            named = False
        else:
            named = self.defined_name(left, "a derived token")
        tokens = parse_tokens(right, self.problems)
        if not named or tokens is None:
            return None
        return ast.DerivedDefinition(left.text, tokens, name_span=left.span(), span=line.span())

    def defined_name(self, left: Fragment, what: str) -> bool:
        name = left.text
        is_free = name == "cell" and what == "a derived token"  # many call such a token so
        if (name in ast.KEYWORDS and not is_free) or name in ast.OPERATOR_WORDS:
            message = f"`{name}` is a keyword and cannot name {what}"
            self.error("reserved-name", message, left.span())
        elif name.startswith("xs:"):
            message = "names that begin with `xs:` are reserved for the types of XML Schema"
            self.error("reserved-name", message, left.span(), f"`{name[3:]}` is allowed")
        elif is_plain_name(name):
            return True
        else:
            self.error(
                "bad-name",
                f"`{name}` is not a plain name" if name else "the name is missing",
                left.span(),
                "a name is words of letters, digits, `_`, `-` and `:`, joined by single blanks",
            )
        return False

    # ------------------------------------------------------------- rules

    def rule(
        self, line: Fragment, left: Fragment, arrow: ast.ArrowName, right: Fragment
    ) -> ast.Statement | None:
        list_delim = None
        if arrow == ".>" and right.text.startswith("["):
            closing = re.search(r"(?<!\\)(?:\\\\)*\]", right.text[1:])
            if closing is None:
                message = "the list delimiter after `.>` never closes"
                self.error("syntax", message, right.span(0, 1), "add `]`")
                return None
            inside = right.slice(1, closing.end())
            list_delim = ast.ListDelim(inside.text, span=inside.span())
            right = right.slice(closing.end() + 1)
        selector = parse_selector(left, self.problems)
        ending = split_clause(right, self.problems)
        if ending is None:
            return None
        content = parse_content(ending[0], self.problems)
        if selector is None or content is None:
            return None
        return ast.Rule(selector, arrow, list_delim, content, ending[1], span=line.span())

    def unique(self, line: Fragment, match: re.Match[str]) -> ast.Statement | None:
        ending = split_clause(line, self.problems)
        if ending is None:
            return None
        bare, clause = ending
        if not bare.text.endswith(")"):
            message = f"`{match[1]}(…)` must end with `)`"
            self.error("syntax", message, bare.span())
            return None
        target = parse_selector(bare.slice(match.end(), len(bare.text) - 1), self.problems)
        if target is None:
            return None
        if not isinstance(target, ast.Name | ast.Literal):
            self.error(
                "wrong-sort",
                f"`{match[1]}` takes a token, a token type or a quoted text",
                target.span,
                "name the selector: `part <= …`, then use `part`; if its cells must be distinct,"
                " write `key(…)`",
            )
            return None
        kind: ast.UniqueKind = "unique" if match[1] == "unique" else "unique-per-row"
        return ast.Unique(kind, target, clause, span=line.span())

    # ------------------------------------------------------------- keys, references, tables

    def identities(self) -> Identities:
        from sculpt.syntax.identities.parser import Identities  # most schemas have none

        return Identities(self.problems)

    def key(self, line: Fragment, start: int) -> ast.Statement | None:
        ending = split_clause(line, self.problems)
        found = None if ending is None else self.identities().key(ending[0], start)
        if ending is None or found is None:
            return None
        parts, across, runs = found
        return ast.Key(parts, across, ending[1], runs, span=line.span())

    def reference(
        self, line: Fragment, left: Fragment, right: Fragment, several: bool
    ) -> ast.Statement | None:
        identities = self.identities()
        source = identities.side(left)
        ending = split_clause(right, self.problems)
        if ending is None:
            return None
        target = identities.side(ending[0])
        if source is None or target is None:
            return None
        return ast.Reference(source, target, several, ending[1], span=line.span())

    def include(self, line: Fragment, start: int) -> ast.Statement | None:
        argument = line.slice(start)
        if not argument.text.startswith('"'):
            message = "`include` takes a file name in quotes"
            self.error("syntax", message, argument.span(), 'for example `include "tokens.sculpt"`')
            return None
        quoted = _TEXT.match(argument.text)
        end = len(argument.text) if quoted is None else quoted.end()
        path = parse_selector(argument.slice(0, end), self.problems)
        if not isinstance(path, ast.Literal):
            return None
        said = argument.slice(end)
        if said.text:
            return self.identities().table(line, path.text, said)
        return ast.Include(path.text, span=line.span())


def _arrow(text: str) -> ast.ArrowName:
    match text:
        case "->" | "=>" | "|>" | ".>":
            return text
    raise AssertionError(text)


def near_directive(name: str) -> str | None:
    """The directive that a name is a near miss of, if any."""
    bare = re.sub(r"\(.*\)$", "", name, flags=re.DOTALL).strip()
    words = [_SYNONYMS.get(word, word) for word in re.split(r"[\s_-]+", bare.casefold())]
    for directive in DIRECTIVES:
        known = directive.casefold()
        if " ".join(words) == known or "".join(words) == known.replace(" ", ""):
            return directive
    if len(words) > 1:
        text = " ".join(words)
        two_words = [each for each in DIRECTIVES if " " in each and abs(len(each) - len(text)) <= 2]
        near = [(edit_distance(text, each.casefold()), each) for each in two_words]
        return min(near)[1] if near and min(near)[0] <= 2 else None
    if bare in ("Delim", "Delimiter", "Separator"):
        return "Col Delim"
    one_word = [directive for directive in DIRECTIVES if " " not in directive]
    return closest(bare, one_word, 1) if bare[:1].isupper() else None
