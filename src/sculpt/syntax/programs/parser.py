"""Programs: text to syntax tree.

In: the text of one program statement, as a `Fragment` that keeps line ends. Out: its tree, or
diagnostics with the place of the mistake. Small enough to be read by hand, one rule a method; the
values inside are read by `value_parser`.
"""

from __future__ import annotations

import re

from sculpt.diagnostics import Diagnostic, closest
from sculpt.syntax import ast
from sculpt.syntax.lines import Fragment
from sculpt.syntax.programs import tree as p
from sculpt.syntax.programs.cursor import RejectedError
from sculpt.syntax.programs.value_parser import AGGREGATES, FUNCTIONS, LOOK_UPS, WORD, ValueParser

_ACTIONS = ("print", "annotate", "emit")
_COUNT = re.compile(r"\{\s*\d+\s*(?:,\s*\d*\s*)?\}")
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
        name = self.take(WORD, "the name of a namespace")[0]
        self.expect("=", "behind the name of a namespace")
        self.blanks()
        iri = self.take(_IRI, "an IRI")
        if not re.match(r"[A-Za-z][A-Za-z0-9+.-]*:", iri[1]):
            hint = "such as `namespace default = http://example.org/`"
            self.fail("an IRI with its scheme is expected here", iri.start(), iri.end(), hint)
        return p.Namespace(name, iri[1], span=self.span(start))

    def mapping(self, start: int) -> p.Mapping:
        self.depth = 1
        name = self.take(WORD, "the name of a mapping")
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
        name = self.take(WORD, "the name of the loop's variable")
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
            except RejectedError:
                self.skip_action(begun)
            self.takes(";")
        if len(self.problems) > before:
            raise RejectedError
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
            raise RejectedError
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
        word = WORD.match(self.text, self.at)
        if word and word[0] in self.variables:
            variable = self.variable()
            if self.takes(".") and self.takes("namespace"):
                self.expect("=", "behind `.namespace`")
                name = self.take(WORD, "the name of a namespace")
                named = p.Named(name[0], span=self.fragment.span(name.start(), name.end()))
                return p.SetNamespace(variable, named, span=self.span(start))
        near = closest(word[0], _ACTIONS) if word else None
        hint = f"did you mean `{near}`?" if near else "`print`, `annotate … with`, `emit` are"
        return self.fail("this is no action of a loop", start, hint=hint)

    def emit(self, start: int) -> p.Emit:
        target = self.take(WORD, "the name of the records")
        target_span = self.fragment.span(target.start(), target.end())
        self.opened("before the fields of a record")
        fields: list[p.Field] = []
        while not self.looks_at(")"):
            begun = self.at
            self.blanks()
            is_quoted = self.text[self.at : self.at + 1] == '"'
            name = self.quoted().text if is_quoted else self.take(WORD, "the name of a field")[0]
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
