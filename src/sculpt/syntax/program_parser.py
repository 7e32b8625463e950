"""Programs: text to syntax tree.

In: the text of one program statement, as a `Fragment` that keeps line ends. Out: its tree, or
diagnostics with the place of the mistake. Selectors and paths inside are cut out by their brackets
and read by `expressions`; the rest is small enough to be read by hand, one rule a method:

    value   := sum ["as" TYPE ["(" n ["," n] ")"]] [policy]
    sum     := part {"+" part}
    part    := first {"." property | ".cells[" n "]"} [policy]
    first   := TEXT | NUMBER | "(" value ")" | FUNCTION "(" … ")" | VARIABLE | PATH "(" cell ")"
    policy  := "one" | "optional" ["(" value ")"] | "all" ["(" TEXT ")"]

Invariant: a line end closes a statement, but not inside parentheses. Cost: linear, but for paths,
which are looked through for the cell that they start from.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import NoReturn

from sculpt.diagnostics import Diagnostic, Span, closest
from sculpt.syntax import ast
from sculpt.syntax import programs as p
from sculpt.syntax.expressions import parse_selector
from sculpt.syntax.lines import Fragment
from sculpt.syntax.regex import MAX_DEPTH

AGGREGATES = ("Average", "Sum", "Count", "Min", "Max", "Median")
LOOK_UPS: tuple[p.LookUpKind, ...] = ("directly", "closest", "within")
FUNCTIONS = ("trim", "replace", "upper", "lower", "split", "capture", "map", "iri")
PROPERTIES: tuple[p.PropertyName, ...] = ("content", "raw", "row", "column", "file")
MAX_DIGITS = 18
"""Of an index or a distance: more fit no column of numbers."""
MAX_NESTING = 50
_DIRECTIONS = ("up", "down", "left", "right")
_ACTIONS = ("print", "annotate", "emit")
_WORD = re.compile(r"[^\W\d][\w-]*")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_TEXT = re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL)
_TYPE = re.compile(r"(?:xs:)?[A-Za-z]+")
_COUNT = re.compile(r"\{\s*\d+\s*(?:,\s*\d*\s*)?\}")
_IRI = re.compile(r"<?([^\s<>]*)>?")
_PATH_START = re.compile(rf"(?:{'|'.join(ast.AXES)})\s*[.*+?{{\[|()]|\[")
_PAIRS = {"(": ")", "[": "]", "{": "}"}


class _RejectedError(Exception):
    pass


def parse_program(fragment: Fragment, problems: list[Diagnostic]) -> p.Statement | None:
    """The program of a fragment, or `None` with the reason added to `problems`."""
    parser = _Parser(fragment, problems)
    try:
        return parser.statement()
    except _RejectedError:
        return None


class _Parser:
    def __init__(self, fragment: Fragment, problems: list[Diagnostic]) -> None:
        self.fragment = fragment
        self.text = fragment.text
        self.problems = problems
        self.at = 0
        self.depth = 0
        self.nesting = 0
        self.variables: tuple[str, ...] = ()

    # ------------------------------------------------------------- the text

    def fail(
        self,
        message: str,
        start: int | None = None,
        end: int | None = None,
        hint: str | None = None,
        code: str = "bad-program",
    ) -> NoReturn:
        start = self.at if start is None else start
        if end is None:
            word = re.compile(r"\w+|\S").match(self.text, start)
            end = word.end() if word else start
        self.problems.append(Diagnostic(code, message, self.fragment.span(start, end), hint))
        raise _RejectedError

    def span(self, start: int) -> Span:
        end = self.at
        while end > start and self.text[end - 1].isspace():
            end -= 1
        return self.fragment.span(start, end)

    def blanks(self) -> None:
        """Go on to the next character that counts."""
        skipped = " \t\r\n" if self.depth else " \t\r"
        while self.at < len(self.text) and self.text[self.at] in skipped:
            self.at += 1

    def looks_at(self, text: str) -> bool:
        self.blanks()
        if not self.text.startswith(text, self.at):
            return False
        behind = self.text[self.at + len(text) : self.at + len(text) + 1]
        return not (text[-1].isalnum() and re.match(r"[\w-]", behind))

    def takes(self, text: str) -> bool:
        found = self.looks_at(text)
        self.at += len(text) * found
        return found

    def expect(self, text: str, where: str) -> None:
        if not self.takes(text):
            self.fail(f"`{text}` is expected {where}")

    def take(self, pattern: re.Pattern[str], what: str) -> re.Match[str]:
        self.blanks()
        match = pattern.match(self.text, self.at)
        if match is None:
            self.fail(f"{what} is expected here")
        self.at = match.end()
        return match

    def opened(self, where: str) -> None:
        self.expect("(", where)
        self.depth += 1

    def closed(self, where: str) -> None:
        self.expect(")", where)
        self.depth -= 1

    def until(self, stops: str, start: int) -> int:
        """The first of some characters that is outside brackets and quotes, or the end."""
        depth = 0
        at = start
        while at < len(self.text):
            char = self.text[at]
            if char == '"':
                quoted = _TEXT.match(self.text, at)
                if quoted is None:
                    self.fail("this quoted text never closes", at, hint='add `"`')
                at = quoted.end()
                continue
            if depth == 0 and char in stops:
                return at
            depth += (char in _PAIRS) - (char in _PAIRS.values())
            if depth < 0:
                return at
            at += 1
        return at

    def piece(self, start: int, end: int) -> Fragment:
        """A part of the text on one line, for the grammar of selectors."""
        part = self.fragment.slice(start, end)
        flat = re.sub(r"[\r\n]", " ", part.text)
        return Fragment(part.source, flat, part.offsets, part.after).slice(0)

    def selector(self, end: int) -> ast.Selector:
        piece = self.piece(self.at, end)
        if not piece.text:
            self.fail("a selector is expected here")
        found = parse_selector(piece, self.problems)
        if found is None:
            raise _RejectedError
        self.at = end
        return found

    # ------------------------------------------------------------- statements

    def statement(self) -> p.Statement:
        start = self.at
        found: p.Statement
        if self.takes("print"):
            found = p.Print(self.value(), span=self.span(start))
        elif self.takes("namespace"):
            found = self.namespace(start)
        elif self.takes("mapping"):
            found = self.mapping(start)
        else:
            found = self.loop(start)
        self.depth = 1
        self.blanks()
        if self.at < len(self.text):
            self.fail("this is not expected here")
        return found

    def namespace(self, start: int) -> p.Namespace:
        name = self.take(_WORD, "the name of a namespace")[0]
        self.expect("=", "behind the name of a namespace")
        self.blanks()
        iri = self.take(_IRI, "an IRI")
        if not re.match(r"[A-Za-z][A-Za-z0-9+.-]*:", iri[1]):
            hint = "such as `namespace default = http://example.org/`"
            self.fail("an IRI with its scheme is expected here", iri.start(), iri.end(), hint)
        return p.Namespace(name, iri[1], span=self.span(start))

    def mapping(self, start: int) -> p.Mapping:
        self.depth = 1
        name = self.take(_WORD, "the name of a mapping")
        name_span = self.fragment.span(name.start(), name.end())
        self.expect("=", "behind the name of a mapping")
        if self.looks_at('"'):
            path = self.quoted()
            return p.Mapping(name[0], (), path.text, name_span=name_span, span=self.span(start))
        self.expect("{", "before the pairs of a mapping, or a file name in quotes")
        pairs: dict[str, str] = {}
        while not self.takes("}"):
            key = self.quoted()
            self.expect(":", "between the two texts of a pair")
            if key.text in pairs:
                message = f'"{key.text}" is mapped twice'
                self.problems.append(Diagnostic("redefinition", message, key.span))
            pairs[key.text] = self.quoted().text
            if not self.takes(",") and not self.looks_at("}"):
                self.fail("`,` or `}` is expected behind a pair")
        found = tuple(pairs.items())
        return p.Mapping(name[0], found, None, name_span=name_span, span=self.span(start))

    def loop(self, start: int) -> p.Loop:
        self.expect("For each", "at the start of a loop")
        for kind in ("cell", "row", "column"):
            if self.takes(kind):
                break
        else:
            self.fail("`cell`, `row` or `column` is expected behind `For each`")
        self.depth = 1
        name = self.take(_WORD, "the name of the loop's variable")
        if name[0] in ast.KEYWORDS or name[0] in (*AGGREGATES, *LOOK_UPS, *FUNCTIONS):
            self.fail(f"`{name[0]}` has a meaning of its own", name.start(), code="reserved-name")
        self.expect("in", "behind the variable of a loop")
        self.variables = (name[0],)
        selector = self.selector(self.body_start())
        self.expect("{", "before the actions of a loop")
        self.depth = 0
        actions: list[p.Action] = []
        before = len(self.problems)
        while True:
            self.depth = 1
            self.blanks()
            self.depth = 0
            if self.takes("}"):
                break
            begun = self.at
            try:
                actions.append(self.action())
                if not self.looks_at("}") and self.text[self.at : self.at + 1] not in ("\n", ";"):
                    self.fail("a line end is expected behind an action")
            except _RejectedError:
                self.skip_action(begun)
            self.takes(";")
        if len(self.problems) > before:
            raise _RejectedError
        loop_kind: p.LoopKind = kind
        return p.Loop(loop_kind, name[0], selector, tuple(actions), span=self.span(start))

    def body_start(self) -> int:
        """Where the braces of a loop open: the first that are no count of a path."""
        at = self.until("{", self.at)
        while at < len(self.text) and (count := _COUNT.match(self.text, at)):
            at = self.until("{", count.end())
        return at

    def skip_action(self, start: int) -> None:
        """Go on to the next line that begins like an action, so that its mistakes are told too."""
        begins = re.compile(rf"\n[ \t]*(?=(?:{'|'.join(_ACTIONS)})\b)")
        found = begins.search(self.text, start)
        is_loop = self.text.startswith("For each", start)  # in there the variable is another
        if found is None or is_loop:
            raise _RejectedError
        self.at = found.end()

    def action(self) -> p.Action:
        start = self.at
        if self.takes("print"):
            return p.Print(self.value(), span=self.span(start))
        if self.takes("annotate"):
            variable = self.variable()
            self.expect("with", "behind the cell that is annotated")
            return p.Annotate(variable, self.value(), span=self.span(start))
        if self.takes("emit"):
            return self.emit(start)
        if self.looks_at("For each"):
            hint = "a look-up such as `closest(up, A, x)` finds what belongs to a cell"
            self.fail("loops do not nest", start, start + 8, hint)
        word = _WORD.match(self.text, self.at)
        if word and word[0] in self.variables:
            variable = self.variable()
            if self.takes(".") and self.takes("namespace"):
                self.expect("=", "behind `.namespace`")
                name = self.take(_WORD, "the name of a namespace")
                named = p.Named(name[0], span=self.fragment.span(name.start(), name.end()))
                return p.SetNamespace(variable, named, span=self.span(start))
        near = closest(word[0], _ACTIONS) if word else None
        hint = f"did you mean `{near}`?" if near else "`print`, `annotate … with`, `emit` are"
        return self.fail("this is no action of a loop", start, hint=hint)

    def variable(self) -> p.Variable:
        word = self.take(_WORD, "the variable of the loop")
        span = self.fragment.span(word.start(), word.end())
        if word[0] not in self.variables:
            self.unknown_variable(word)
        return p.Variable(word[0], span=span)

    def unknown_variable(self, word: re.Match[str]) -> NoReturn:
        known = " and ".join(f"`{name}`" for name in self.variables)
        hint = f"the loop has {known}" if known else "there is none outside of a loop"
        message = f"there is no variable `{word[0]}`"
        self.fail(message, word.start(), word.end(), hint, "unknown-variable")

    def emit(self, start: int) -> p.Emit:
        target = self.take(_WORD, "the name of the records")
        target_span = self.fragment.span(target.start(), target.end())
        self.opened("before the fields of a record")
        fields: list[p.Field] = []
        while not self.looks_at(")"):
            begun = self.at
            self.blanks()
            is_quoted = self.text[self.at : self.at + 1] == '"'
            name = self.quoted().text if is_quoted else self.take(_WORD, "the name of a field")[0]
            self.expect(":", "behind the name of a field")
            if any(field.name == name for field in fields):
                self.fail(f"the field `{name}` is there twice", begun, code="redefinition")
            fields.append(p.Field(name, self.value(), span=self.span(begun)))
            if not self.takes(",") and not self.looks_at(")"):
                self.fail("`,` or `)` is expected behind a field")
        if not fields:
            self.fail("a record needs at least one field")
        self.closed("behind the fields of a record")
        return p.Emit(target[0], tuple(fields), target_span=target_span, span=self.span(start))

    # ------------------------------------------------------------- expressions

    def value(self) -> p.Expression:
        self.blanks()
        start = self.at
        if self.depth > MAX_DEPTH:
            message = f"the expression is nested more than {MAX_DEPTH} deep"
            self.fail(message, hint="leave out some parentheses", code="too-deep")
        found = self.sum()
        if self.takes("as"):
            type_name = self.take(_TYPE, "a type such as `xs:decimal`")[0]
            digits: list[int] = []
            if self.takes("("):
                self.depth += 1
                digits.append(self.integer())
                while self.takes(","):
                    digits.append(self.integer())
                self.closed("behind the digits of a type")
            found = p.Cast(found, type_name, tuple(digits), span=self.span(start))
        self.nesting -= 1
        return self.with_policy(found, start)

    def with_policy(self, value: p.Expression, start: int) -> p.Expression:
        for kind in ("one", "optional", "all"):
            if self.takes(kind):
                default: p.Expression | None = None
                if kind != "one" and self.takes("("):
                    self.depth += 1
                    default = self.value()
                    self.closed(f"behind the text of `{kind}`")
                policy: p.PolicyKind = kind
                return p.Policy(value, policy, default, span=self.span(start))
        return value

    def sum(self) -> p.Expression:
        self.blanks()
        start = self.at
        parts = [self.part()]
        while self.takes("+"):
            parts.append(self.part())
        return parts[0] if len(parts) == 1 else p.Joined(tuple(parts), span=self.span(start))

    def part(self) -> p.Expression:
        self.blanks()
        start = self.at
        found = self.first()
        while self.looks_at("."):
            self.takes(".")
            name = self.take(_WORD, "a property such as `.content`")
            if name[0] == "cells":
                self.expect("[", "behind `.cells`")
                index = self.integer()
                self.expect("]", "behind the number of a cell")
                found = p.Item(found, index, span=self.span(start))
            elif known := [each for each in PROPERTIES if each == name[0]]:
                found = p.Property(found, known[0], span=self.span(start))
            else:
                near = closest(name[0], (*PROPERTIES, "cells"))
                hint = f"did you mean `.{near}`?" if near else f"there are {_listed(PROPERTIES)}"
                self.fail(f"there is no property `.{name[0]}`", name.start(), hint=hint)
        return self.with_policy(found, start)

    def first(self) -> p.Expression:
        self.blanks()
        start = self.at
        if self.looks_at('"'):
            return self.quoted()
        if number := _NUMBER.match(self.text, self.at):
            self.at = number.end()
            return p.Number(number[0], span=self.span(start))
        if self.is_path():
            return self.applied_path(start)
        if self.takes("("):
            self.depth += 1
            found = self.value()
            self.closed("behind an expression in parentheses")
            return found
        word = self.take(_WORD, "a value")
        if self.looks_at("("):
            return self.call(word, start)
        if word[0] in self.variables:
            return p.Variable(word[0], span=self.fragment.span(word.start(), word.end()))
        return self.unknown_variable(word)

    def quoted(self) -> p.Text:
        self.blanks()
        start = self.at
        if self.text[self.at : self.at + 1] == '"' and not _TEXT.match(self.text, self.at):
            self.fail("this quoted text never closes", hint='add `"`', code="unclosed-literal")
        match = self.take(_TEXT, "a text in quotes")
        return p.Text(_unescaped(match[1]), span=self.span(start))

    def integer(self) -> int:
        self.blanks()
        number = self.take(re.compile(r"-?\d+"), "a number")
        if len(number[0]) > MAX_DIGITS:
            message = "this number is too large"
            self.fail(message, number.start(), number.end(), code="bad-index")
        return int(number[0])

    def call(self, word: re.Match[str], start: int) -> p.Expression:
        name = word[0]
        self.opened(f"behind `{name}`")
        found: p.Expression
        if kinds := [each for each in LOOK_UPS if each == name]:
            found = self.look_up(kinds[0], start)
        elif name in AGGREGATES:
            found = self.aggregate(name, start)
        elif name in FUNCTIONS:
            arguments = [self.argument(name)]
            while self.takes(","):
                arguments.append(self.argument(name))
            found = p.Call(name, tuple(arguments), span=self.span(start))
        else:
            known = (*AGGREGATES, *LOOK_UPS, *FUNCTIONS)
            near = closest(name, known)
            hint = f"did you mean `{near}`?" if near else f"there are {_listed(known)}"
            message = f"there is no function `{name}`"
            self.fail(message, word.start(), word.end(), hint, "unknown-function")
        self.closed(f"behind what `{name}` is given")
        return replace(found, span=self.span(start))

    def argument(self, function: str) -> p.Expression:
        """A value; for some functions a bare name that is no variable."""
        self.blanks()
        end = self.until(",)", self.at)
        bare = self.text[self.at : end].strip()
        is_name = re.fullmatch(r"[\w:-]+(?: [\w:-]+)*", bare) and not _NUMBER.fullmatch(bare)
        if function in ("capture", "map", "iri") and is_name and bare not in self.variables:
            start, self.at = self.at, end
            return p.Named(bare, span=self.span(start))
        return self.value()

    def aggregate(self, name: str, start: int) -> p.Aggregate:
        self.blanks()
        end = self.until(")", self.at)
        bare = self.text[self.at : end].strip()
        operand: p.Variable | ast.Selector
        operand = self.variable() if bare in self.variables else self.selector(end)
        return p.Aggregate(name, operand, span=self.span(start))

    def look_up(self, name: p.LookUpKind, start: int) -> p.LookUp:
        word = self.take(_WORD, "a direction")
        direction = next((axis for axis in ast.AXES if axis == word[0]), None)
        if direction not in _DIRECTIONS:
            message = "a direction is expected here: `up`, `down`, `left` or `right`"
            self.fail(message, word.start(), word.end())
        self.expect(",", "behind the direction")
        distances: list[int] = []
        for _ in range(2 if name == "within" else 0):
            self.blanks()
            begun = self.at
            distances.append(self.integer())
            if distances[-1] < 0:
                self.fail("a distance is not below 0", begun, self.at, code="bad-index")
            self.expect(",", "behind a distance")
        wanted = self.selector(self.until(",)", self.at))
        self.expect(",", "between what is looked for and where the search starts")
        origin = self.part()
        return p.LookUp(
            name, direction, tuple(distances), wanted, None, origin, span=self.span(start)
        )

    # ------------------------------------------------------------- paths

    def is_path(self) -> bool:
        """Does a path begin here, rather than an expression in parentheses?"""
        at = self.at
        while self.text[at : at + 1] == "(":
            at += 1
            while self.text[at : at + 1].isspace():
                at += 1
        if not _PATH_START.match(self.text, at):
            return False
        if at == self.at:
            return True
        end = self.until("", self.at + 1)
        return self.applied().search(self.text, self.at + 1, end) is None

    def applied(self) -> re.Pattern[str]:
        """What stands behind a path: the cell that it starts from, in parentheses."""
        names = "|".join(map(re.escape, self.variables)) or "(?!)"
        return re.compile(rf"\(\s*(?:{names})\s*(?:\.\s*cells\s*\[[^\]]*\]\s*)?\)")

    def application(self, start: int, end: int) -> int | None:
        """Where a path between two places is applied to a variable, outside brackets."""
        applied = self.applied()
        at = start
        while at < end:
            if applied.match(self.text, at):
                return at
            char = self.text[at]
            if char in _PAIRS:
                at = self.until("", at + 1)
            elif char in ",)" or (char == "\n" and not self.depth):
                return None
            at += 1
        return None

    def applied_path(self, start: int) -> p.LookUp:
        at = self.application(self.at, len(self.text))
        if at is None:
            known = _listed(self.variables)
            hint = f"such as `left({self.variables[0]})`" if self.variables else "inside a loop"
            message = "a path must be applied to the variable of its loop"
            self.fail(message + (f", {known}" if known else ""), hint=hint)
        piece = self.piece(self.at, at)
        tree = parse_selector(piece, self.problems)
        if tree is None:
            raise _RejectedError
        if not isinstance(tree, ast.Apply) or tree.operand is not None:
            self.fail("a path is expected here, not a selector", start, at, code="wrong-sort")
        self.at = at
        self.opened("behind a path")
        origin = self.part()
        self.closed("behind the cell that a path starts from")
        return p.LookUp("path", None, (), None, tree.path, origin, span=self.span(start))


def _unescaped(text: str) -> str:
    return re.sub(r"\\(.)", lambda m: {"n": "\n", "t": "\t"}.get(m[1], m[1]), text, flags=re.DOTALL)


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(f"`{name}`" for name in names)
