"""A place in the text of a CSV Schema, and what can be read from there.

In: a document. Out: `Cursor`, which reads blanks, comments, words, literals and signs, and notes
what is wrong with its place.

Invariants: a cursor never moves back, except where a caller says so; a column definition does not
reach beyond its line, so after an error reading goes on in the next one. Cost: linear in the text.
"""

from __future__ import annotations

import re
from typing import NoReturn

from sculpt.diagnostics import Diagnostic
from sculpt.interchange.csv_schema.model import Place
from sculpt.interchange.documents import TextDocument

MAX_PROBLEMS = 100
"""Errors of one file; whoever has more has another problem."""

_BLANKS = re.compile(r"[ \t]*")
_LINE_END = re.compile(r"\r?\n|\r")
_REST = re.compile(r"[^\r\n]*")
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9]*")
_STRING = re.compile(r'"([^"\r\n]*)"')


class Stop(Exception):  # noqa: N818 - it is no error of ours: the rest of a line is not read
    """The rest of a line cannot be read; what is wrong with it has been noted."""


class Cursor:
    """A place in a text."""

    def __init__(self, document: TextDocument) -> None:
        self.document = document
        self.text = document.text
        self.at = 0
        self.problems: list[Diagnostic] = []

    # ------------------------------------------------------------- errors

    def note(self, code: str, place: Place, message: str, hint: str | None = None) -> None:
        """Note an error, and go on."""
        if len(self.problems) < MAX_PROBLEMS:
            self.problems.append(self.document.problem(code, place.start, place.end, message, hint))

    def fail(
        self,
        message: str,
        hint: str | None = None,
        place: Place | None = None,
        code: str = "foreign-syntax",
    ) -> NoReturn:
        """Note an error, and give up the line."""
        self.note(code, place or self.here(), message, hint)
        raise Stop

    def here(self) -> Place:
        """The next word or character."""
        self.skip_blanks()
        word = _WORD.match(self.text, self.at)
        end = word.end() if word else min(self.at + 1, len(self.text))
        return Place(self.at, max(self.at, end))

    def found(self) -> str:
        """What comes next, in the words of a message."""
        self.skip_blanks()
        if self.at >= len(self.text):
            return "the end of the file"
        if _LINE_END.match(self.text, self.at):
            return "the end of the line"
        place = self.here()
        return f"`{self.text[place.start : place.end]}`"

    # ------------------------------------------------------------- reading

    def skip_blanks(self) -> None:
        """Go past blanks and tabs."""
        match = _BLANKS.match(self.text, self.at)
        assert match is not None
        self.at = match.end()

    def skip_comment(self) -> bool:
        """Go past a comment, if there is one; also past the blanks before it."""
        self.skip_blanks()
        if self.text.startswith("//", self.at):
            self.skip_line()
            return True
        if not self.text.startswith("/*", self.at):
            return False
        end = self.text.find("*/", self.at + 2)
        if end < 0:
            place = Place(self.at, self.at + 2)
            self.note("foreign-syntax", place, "this comment never closes", "add `*/`")
            self.at = len(self.text)
        else:
            self.at = end + 2
        return True

    def skip_gaps(self) -> None:
        """Go past blanks, line ends and comments."""
        while self.skip_comment() or self.take_line_end():
            pass

    def skip_line(self) -> None:
        """Go to the end of the line."""
        match = _REST.match(self.text, self.at)
        assert match is not None
        self.at = match.end()

    def take_line_end(self) -> bool:
        """Go past a line end, if there is one; also past the blanks before it."""
        self.skip_blanks()
        match = _LINE_END.match(self.text, self.at)
        if match is None:
            return False
        self.at = match.end()
        return True

    def is_at_end(self) -> bool:
        """Is there nothing more on this line?"""
        self.skip_blanks()
        rest = self.text[self.at : self.at + 2]
        return not rest or rest[0] in "\r\n" or rest in ("//", "/*")

    def sees(self, sign: str) -> bool:
        """Does a sign come next?"""
        self.skip_blanks()
        return self.text.startswith(sign, self.at)

    def begins(self, pattern: re.Pattern[str]) -> bool:
        """Does what comes next begin like this?"""
        self.skip_blanks()
        return pattern.match(self.text, self.at) is not None

    def take(self, sign: str) -> bool:
        """Go past a sign, if it comes next."""
        if not self.sees(sign):
            return False
        self.at += len(sign)
        return True

    def need(self, sign: str, after: str) -> None:
        """Go past a sign, which must come next."""
        if not self.take(sign):
            message = f"expected `{sign}` after {after}, found {self.found()}"
            self.fail(message, f"add `{sign}`")

    def word(self) -> tuple[str, Place] | None:
        """The word that comes next, without going past it."""
        self.skip_blanks()
        match = _WORD.match(self.text, self.at)
        return None if match is None else (match[0], Place(match.start(), match.end()))

    def match(self, pattern: re.Pattern[str]) -> str | None:
        """Go past what a pattern matches, if it does."""
        self.skip_blanks()
        match = pattern.match(self.text, self.at)
        if match is None:
            return None
        self.at = match.end()
        return match[0]

    def string(self, what: str) -> tuple[str, Place]:
        """A text between quotes, which must come next, and the place of it."""
        self.skip_blanks()
        match = _STRING.match(self.text, self.at)
        if match is None:
            if self.sees('"'):
                self.fail("this quoted text never closes", 'add `"`')
            self.fail(f"expected {what} between quotes, found {self.found()}", 'write `"…"`')
        self.at = match.end()
        return match[1], Place(match.start(), match.end())
