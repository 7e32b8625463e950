"""Verdict clauses: what a statement says about its own violations, after a `!` at its end.

In: the text of a statement that may end in a clause (`docs/language.md#severity`). Out: the text
before it, and the `Clause`, which is `None` if there is no `!`. A clause has a severity, a message
or both: `! warning`, `! "message"`, `! warning "message"`.

Invariant: a `!` in quotes or brackets, or before a `=`, begins no clause. So every statement can
end in one, whatever it contains. Cost: linear in the text.
"""

from __future__ import annotations

import re

from sculpt.diagnostics import Diagnostic, closest
from sculpt.syntax import ast
from sculpt.syntax.expressions import parse_selector
from sculpt.syntax.lines import Fragment

SEVERITIES: tuple[ast.SeverityName, ...] = ("error", "warning")
_PIECE = re.compile(r'"(?:[^"\\]|\\.)*"|"|[()\[\]{}]|!(?!=)', re.DOTALL)
_TEXT = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_WORD = re.compile(r"[\w-]+")


def split_clause(
    line: Fragment, problems: list[Diagnostic]
) -> tuple[Fragment, ast.Clause | None] | None:
    """The text before the clause, and the clause; `None` if the clause is wrong."""
    at = _start(line.text)
    if at is None:
        return line, None
    clause = parse_clause(line.slice(at), problems)
    return None if clause is None else (line.slice(0, at), clause)


def print_clause(clause: ast.Clause, quoted: str | None) -> str:
    """A clause in its canonical form; `quoted` is its message between quotes."""
    if quoted is None:
        return f"! {clause.severity}"
    return f"! {quoted}" if clause.severity == "error" else f"! {clause.severity} {quoted}"


def _start(text: str) -> int | None:
    """Where the clause of a statement begins."""
    depth = 0
    for piece in _PIECE.finditer(text):
        match piece[0]:
            case "(" | "[" | "{":
                depth += 1
            case ")" | "]" | "}":
                depth = max(0, depth - 1)
            case "!" if depth == 0:
                return piece.start()
            case '"':
                return None  # it never closes, which the reader of the statement reports
    return None


def parse_clause(text: Fragment, problems: list[Diagnostic]) -> ast.Clause | None:
    """The clause that a text is, `!` included."""

    def fail(message: str, start: int, end: int | None = None, hint: str | None = None) -> None:
        problems.append(Diagnostic("bad-clause", message, text.span(start, end), hint))

    at = _skip_blanks(text.text, 1)
    if at == len(text.text):
        fail("nothing follows the `!`", 0)
        return None
    severity: ast.SeverityName = "error"
    if word := _WORD.match(text.text, at):
        known = _severity(word[0])
        if known is None:
            near = closest(word[0].casefold(), SEVERITIES)
            near = near or ("warning" if word[0].casefold()[:4] == "warn" else None)
            hint = f"did you mean `{near}`?" if near else None
            fail(f"`{word[0]}` is not a severity", at, word.end(), hint)
            return None
        severity, at = known, _skip_blanks(text.text, word.end())
        if at == len(text.text):
            return ast.Clause(severity, None, span=text.span())
    quoted = _TEXT.match(text.text, at)
    if quoted is None and text.text[at] == '"':
        message = "this quoted text never closes"
        problems.append(Diagnostic("unclosed-literal", message, text.span(at), 'add `"`'))
        return None
    if quoted is None:
        fail("a message is a text in quotes", at)
        return None
    if quoted.end() < len(text.text):
        fail("nothing can follow the message", _skip_blanks(text.text, quoted.end()))
        return None
    said = parse_selector(text.slice(at), problems)
    if not isinstance(said, ast.Literal):
        return None
    if not said.text.strip():
        fail("the message is empty", at)
        return None
    if "\n" in said.text or "\r" in said.text:
        fail("a message is one line", at)
        return None
    return ast.Clause(severity, said.text, span=text.span())


def _severity(word: str) -> ast.SeverityName | None:
    return next((each for each in SEVERITIES if each == word), None)


def _skip_blanks(text: str, at: int) -> int:
    while at < len(text) and text[at] in " \t":
        at += 1
    return at
