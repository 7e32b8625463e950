"""A place in the text of a program, and what can be read from there.

In: the text of one program statement, as a `Fragment` that keeps line ends. Out: words, brackets
and selectors, one after the other; an error goes to `problems` and raises `RejectedError`.

Invariant: a line end closes a statement, but not inside parentheses. Cost: linear.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

from sculpt.diagnostics import Diagnostic, Span
from sculpt.syntax import ast
from sculpt.syntax.expressions import parse_selector
from sculpt.syntax.lines import Fragment
from sculpt.syntax.regex import MAX_DEPTH

TEXT = re.compile(r'"((?:[^"\\\r\n]|\\[^\r\n])*)"')
"""A text in quotes. It must end on its line, so that formatting cannot change it."""
PAIRS = {"(": ")", "[": "]", "{": "}"}


class RejectedError(Exception):
    """The text cannot be read; the reason is in `problems` already."""


class Cursor:
    """Reads the text of a statement."""

    def __init__(self, fragment: Fragment, problems: list[Diagnostic]) -> None:
        self.fragment = fragment
        self.text = fragment.text
        self.problems = problems
        self.at = 0
        self.depth = 0
        self.nesting = 0
        """In how many values and conditions the cursor is."""

    def fail(
        self,
        message: str,
        start: int | None = None,
        end: int | None = None,
        hint: str | None = None,
        code: str = "bad-program",
    ) -> NoReturn:
        """Report an error, by default at the next word, and give up."""
        start = self.at if start is None else start
        if end is None:
            word = re.compile(r"\w+|\S").match(self.text, start)
            end = word.end() if word else start
        self.problems.append(Diagnostic(code, message, self.fragment.span(start, end), hint))
        raise RejectedError

    @contextmanager
    def nested(self) -> Iterator[None]:
        """Inside one more value or condition."""
        if self.nesting > MAX_DEPTH:
            message = f"the expression is nested more than {MAX_DEPTH} levels deep"
            self.fail(message, hint="give names to parts of it, with `let`", code="too-deep")
        self.nesting += 1
        try:
            yield
        finally:
            self.nesting -= 1

    def span(self, start: int) -> Span:
        """The place from `start` to here, without blanks at its end."""
        end = self.at
        while end > start and self.text[end - 1].isspace():
            end -= 1
        return self.fragment.span(start, end)

    def skip_blanks(self) -> None:
        """Skip to the next significant character."""
        skipped = " \t\r\n" if self.depth else " \t\r"
        while self.at < len(self.text) and self.text[self.at] in skipped:
            self.at += 1

    def looks_at(self, text: str) -> bool:
        """Does a text come next, as a whole word?"""
        self.skip_blanks()
        if not self.text.startswith(text, self.at):
            return False
        after = self.text[self.at + len(text) : self.at + len(text) + 1]
        return not (text[-1].isalnum() and re.match(r"[\w-]", after))

    def accept(self, text: str) -> bool:
        """Skip a text if it comes next; did it?"""
        found = self.looks_at(text)
        self.at += len(text) * found
        return found

    def expect(self, text: str, where: str) -> None:
        """Skip a text that must come next."""
        if not self.accept(text):
            self.fail(f"expected `{text}` {where}")

    def take(self, pattern: re.Pattern[str], what: str) -> re.Match[str]:
        """Read what a pattern matches, which must come next."""
        self.skip_blanks()
        match = pattern.match(self.text, self.at)
        if match is None:
            self.fail(f"expected {what}")
        self.at = match.end()
        return match

    def open_parenthesis(self, where: str) -> None:
        """Skip an opening parenthesis."""
        self.expect("(", where)
        self.depth += 1

    def close_parenthesis(self, where: str) -> None:
        """Skip a closing parenthesis."""
        self.expect(")", where)
        self.depth -= 1

    def until(self, stops: str, start: int) -> int:
        """Where the first of some characters is, outside brackets and quotes; or the end."""
        depth = 0
        at = start
        while at < len(self.text):
            char = self.text[at]
            if char == '"':
                quoted = TEXT.match(self.text, at)
                if quoted is None:
                    self.fail("this quoted text never closes", at, hint='add `"`')
                at = quoted.end()
                continue
            if depth == 0 and char in stops:
                return at
            depth += (char in PAIRS) - (char in PAIRS.values())
            if depth < 0:
                return at
            at += 1
        return at

    def piece(self, start: int, end: int) -> Fragment:
        """A part of the text on one line, for the grammar of selectors."""
        part = self.fragment.slice(start, end)
        flat = re.sub(r"[\r\n]", "\t", part.text)  # a blank would join words into a name
        return Fragment(part.source, flat, part.offsets, part.after).slice(0)

    def selector(self, end: int) -> ast.Selector:
        """The selector between here and `end`."""
        piece = self.piece(self.at, end)
        if not piece.text:
            self.fail("expected a selector")
        found = parse_selector(piece, self.problems)
        if found is None:
            raise RejectedError
        self.at = end
        return found
