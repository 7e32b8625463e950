"""Programs: text to syntax tree.

In: the text of one program statement, as a `Fragment` that keeps line ends. Out: its tree, or
diagnostics with the place of the mistake. A recursive-descent parser, with one method for each
rule; `value_parser` reads the values.
"""

from __future__ import annotations

import re

from sculpt.diagnostics import Diagnostic, closest
from sculpt.syntax import ast
from sculpt.syntax.clauses import parse_clause
from sculpt.syntax.lines import Fragment
from sculpt.syntax.programs import tree as p
from sculpt.syntax.programs.cursor import TEXT, RejectedError
from sculpt.syntax.programs.functions import RESERVED
from sculpt.syntax.programs.value_parser import LOOK_UPS, WORD, ValueParser

_ACTIONS = ("print", "annotate", "emit", "let", "require")
_LET = re.compile(r"let[ \t]+(?=[^\W\d])")
_DISTINCT = re.compile(r"distinct[ \t]+(?=[^\W\d])")
_COUNT = re.compile(r"\{\s*\d+\s*(?:,\s*\d*\s*)?\}")
_CLAUSE = re.compile(r"\s*!(?!=)")
_IRI = re.compile(r"<?([^\s<>]*)>?")


def parse_program(fragment: Fragment, problems: list[Diagnostic]) -> p.Statement | None:
    """The program of a fragment, or `None` with the reason added to `problems`."""
    parser = _ProgramParser(fragment, problems)
    try:
        return parser.statement()
    except RejectedError:
        return None


class _ProgramParser(ValueParser):
    def statement(self) -> p.Statement:
        start = self.at
        found: p.Statement
        if self.accept("print"):
            found = p.Print(self.value(), span=self.span(start))
        elif self.accept("require"):
            found = self.require(start)
        elif self.accept("namespace"):
            found = self.namespace(start)
        elif self.accept("mapping"):
            found = self.mapping(start)
        else:
            found = self.loop(start)
        self.depth = 1
        self.skip_blanks()
        if self.at < len(self.text):
            self.fail("unexpected text after the statement")
        return found

    def namespace(self, start: int) -> p.Namespace:
        name = self.take(WORD, "the name of a namespace")[0]
        self.expect("=", "after the name of a namespace")
        self.skip_blanks()
        iri = self.take(_IRI, "an IRI")
        if not re.match(r"[A-Za-z][A-Za-z0-9+.-]*:", iri[1]):
            hint = "for example `namespace default = http://example.org/`"
            self.fail("expected an IRI with a scheme", iri.start(), iri.end(), hint)
        return p.Namespace(name, iri[1], span=self.span(start))

    def mapping(self, start: int) -> p.Mapping:
        self.depth = 1
        name = self.take(WORD, "the name of a mapping")
        name_span = self.fragment.span(name.start(), name.end())
        self.expect("=", "after the name of a mapping")
        if self.looks_at('"'):
            path = self.quoted()
            return p.Mapping(name[0], (), path.text, name_span=name_span, span=self.span(start))
        self.expect("{", "before the pairs of a mapping, or a file name in quotes")
        pairs: dict[str, str] = {}
        while not self.accept("}"):
            key = self.quoted()
            self.expect(":", "between the two texts of a pair")
            if key.text in pairs:
                message = f'"{key.text}" is mapped twice'
                self.problems.append(Diagnostic("redefinition", message, key.span))
            pairs[key.text] = self.quoted().text
            if not self.accept(",") and not self.looks_at("}"):
                self.fail("expected `,` or `}` after a pair")
        found = tuple(pairs.items())
        return p.Mapping(name[0], found, None, name_span=name_span, span=self.span(start))

    def loop(self, start: int) -> p.Loop:
        self.expect("For each", "at the start of a loop")
        for kind in ("cell", "row", "column"):
            if self.accept(kind):
                break
        else:
            self.fail("expected `cell`, `row` or `column` after `For each`")
        self.depth = 1
        name = self.take(WORD, "the name of the loop's variable")
        if name[0] in ast.KEYWORDS or name[0] in (*LOOK_UPS, *RESERVED):
            message = f"`{name[0]}` is reserved and cannot name a variable"
            self.fail(message, name.start(), code="reserved-name")
        self.expect("in", "after the variable of a loop")
        self.variables, self.lets = (name[0],), ()
        selector = self.selector(self.body_start())
        self.expect("{", "before the actions of a loop")
        self.depth = 0
        actions: list[p.Action] = []
        before = len(self.problems)
        while True:
            self.depth = 1
            self.skip_blanks()
            self.depth = 0
            if self.accept("}"):
                break
            action_start = self.at
            try:
                actions.append(self.action())
                if not self.looks_at("}") and self.text[self.at : self.at + 1] not in ("\n", ";"):
                    self.fail("expected a line end after the action")
            except RejectedError:
                self.skip_action(action_start)
            self.accept(";")
        if len(self.problems) > before:
            raise RejectedError
        loop_kind: p.LoopKind = kind
        return p.Loop(loop_kind, name[0], selector, tuple(actions), span=self.span(start))

    def body_start(self) -> int:
        """Where the braces of a loop open: the first that are not the count of a path."""
        at = self.until("{", self.at)
        while at < len(self.text) and (count := _COUNT.match(self.text, at)):
            at = self.until("{", count.end())
        return at

    def skip_action(self, start: int) -> None:
        """Skip to the next line that begins like an action, so that its errors are reported too."""
        begins = re.compile(rf"\n[ \t]*(?=(?:{'|'.join(_ACTIONS)})\b)")
        found = begins.search(self.text, start)
        is_loop = self.text.startswith("For each", start)  # its actions use another variable
        if found is None or is_loop:
            raise RejectedError
        self.at = found.end()

    def action(self) -> p.Action:
        start = self.at
        if self.accept("print"):
            return p.Print(self.value(), span=self.span(start))
        if word := _LET.match(self.text, self.at):
            self.at = word.end()
            return self.let(start)
        if self.accept("annotate"):
            variable = self.variable()
            self.expect("with", "after the cell to annotate")
            return p.Annotate(variable, self.value(), span=self.span(start))
        if self.accept("emit"):
            return self.emit(start)
        if self.accept("require"):
            return self.require(start)
        if self.looks_at("For each"):
            hint = "use a look-up such as `closest(up, A, x)` to find related cells"
            self.fail("loops cannot be nested", start, start + 8, hint)
        word = WORD.match(self.text, self.at)
        if word and word[0] in self.variables:
            variable = self.variable()
            if self.accept(".") and self.accept("namespace"):
                self.expect("=", "after `.namespace`")
                name = self.take(WORD, "the name of a namespace")
                named = p.Named(name[0], span=self.fragment.span(name.start(), name.end()))
                return p.SetNamespace(variable, named, span=self.span(start))
        near = closest(word[0], _ACTIONS) if word else None
        known = "use `print`, `annotate … with`, `emit`, `let` or `require(…)`"
        hint = f"did you mean `{near}`?" if near else known
        return self.fail("this is not an action", start, hint=hint)

    def require(self, start: int) -> p.Require:
        self.open_parenthesis("after `require`: `require(condition)`")
        condition = self.condition()
        self.close_parenthesis("after a condition")
        span, clause = self.span(start), self.clause()
        return p.Require(condition, clause, span=span)

    def clause(self) -> ast.Clause | None:
        """What a statement says about its violations; it may begin on the next line."""
        begins = _CLAUSE.match(self.text, self.at)
        if begins is None:
            return None
        end = begins.end()
        while end < len(self.text) and self.text[end] not in "\n;}":
            quoted = TEXT.match(self.text, end)
            end = quoted.end() if quoted else end + 1
        found = parse_clause(self.fragment.slice(begins.end() - 1, end), self.problems)
        self.at = end
        if found is None:
            raise RejectedError
        return found

    def let(self, start: int) -> p.Let:
        name = self.take(WORD, "a name after `let`")
        if name[0] in ast.KEYWORDS or name[0] in (*LOOK_UPS, *RESERVED, "if"):
            message = f"`{name[0]}` is reserved and cannot name a value"
            self.fail(message, name.start(), name.end(), code="reserved-name")
        if name[0] in self.variables or name[0] in self.lets:
            message = f"`{name[0]}` already has a meaning in this loop"
            self.fail(message, name.start(), name.end(), "choose another name", "redefinition")
        self.expect("=", "after the name of a value")
        span = self.fragment.span(name.start(), name.end())
        try:
            return p.Let(name[0], self.value(), name_span=span, span=self.span(start))
        finally:
            self.lets += (name[0],)  # also if its value cannot be read: one error is enough

    def emit(self, start: int) -> p.Emit:
        self.skip_blanks()
        distinct = _DISTINCT.match(self.text, self.at)
        self.at = distinct.end() if distinct else self.at
        target = self.take(WORD, "the name of the records")
        target_span = self.fragment.span(target.start(), target.end())
        self.open_parenthesis("before the fields of a record")
        fields: list[p.Field] = []
        while not self.looks_at(")"):
            field_start = self.at
            self.skip_blanks()
            is_quoted = self.text[self.at : self.at + 1] == '"'
            name = self.quoted().text if is_quoted else self.take(WORD, "the name of a field")[0]
            self.expect(":", "after the name of a field")
            if any(field.name == name for field in fields):
                self.fail(
                    f"the record has two fields named `{name}`", field_start, code="redefinition"
                )
            fields.append(p.Field(name, self.value(), span=self.span(field_start)))
            if not self.accept(",") and not self.looks_at(")"):
                self.fail("expected `,` or `)` after a field")
        if not fields:
            self.fail("a record needs at least one field")
        self.close_parenthesis("after the fields of a record")
        return p.Emit(
            target[0],
            tuple(fields),
            distinct is not None,
            target_span=target_span,
            span=self.span(start),
        )
