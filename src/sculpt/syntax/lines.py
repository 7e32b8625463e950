"""Schema text to logical lines: comments separated, continuation lines joined.

In: a `Source`. Out: one `Fragment` per statement, in the order of the file, with comments and blank
lines between them. `docs/language.md#2-the-schema-file`: `%` as the first non-blank character makes
a comment line; an indented line continues the statement above, joined by one blank, and blank or
comment lines in between do not end it; inside the braces of a program indentation does not matter.

Invariant: every character of a fragment knows the offset it came from, so that an error in a
joined line still points to the right place. Cost: linear.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TypeAlias

from sculpt.diagnostics import Diagnostic, Source, Span
from sculpt.values import frozen

BLANKS = " \t"
_BLOCK_OPENER = re.compile(r"For each\b|mapping\s+(?!\s|<=|:=|=|->|\|>|\.>|~>)")
_NO_BRACES = re.compile(r'"(?:[^"\\]|\\.)*"|\{\s*\d+\s*(?:,\s*\d*\s*)?\}')


@frozen
class Fragment:
    """A piece of text, each character with its offset in the source."""

    source: Source
    text: str
    offsets: tuple[int, ...]
    after: int
    """The offset just after the last character."""

    def span(self, start: int = 0, end: int | None = None) -> Span:
        """The place of `text[start:end]`; an empty range has the place where it would be."""
        end = len(self.text) if end is None else end
        first = self.offsets[start] if start < len(self.offsets) else self.after
        last = self.offsets[end - 1] + 1 if end > start else first
        return Span(self.source, first, last)

    def slice(self, start: int, end: int | None = None) -> Fragment:
        r"""`text[start:end]` without the blanks around it; `\ ` at the end keeps its blank."""
        end = len(self.text) if end is None else end
        while start < end and self.text[start] in BLANKS:
            start += 1
        stop = start + len(_right_stripped(self.text[start:end]))
        after = self.offsets[stop] if stop < len(self.offsets) else self.after
        return Fragment(self.source, self.text[start:stop], self.offsets[start:stop], after)


@frozen
class CommentLine:
    """A comment, without indentation and trailing blanks."""

    text: str
    span: Span


@frozen
class Gap:
    """Blank lines."""

    span: Span


@frozen
class Block:
    """The lines of a program, stripped and without comment lines."""

    lines: tuple[str, ...]
    span: Span
    closed: bool


LogicalLine: TypeAlias = Fragment | CommentLine | Gap | Block


def without_texts(line: str) -> str:
    """A line of a program without its quoted texts and counts, whose braces do not delimit it."""
    return _NO_BRACES.sub("", line)


def _right_stripped(text: str) -> str:
    r"""The text without blanks at its end; `\ ` keeps its blank."""
    bare = text.rstrip(BLANKS)
    escapes = len(bare) - len(bare.rstrip("\\"))
    return text[: len(bare) + 1] if escapes % 2 else bare


class _Lines:
    def __init__(self, source: Source) -> None:
        self.source = source
        self.ix = 0
        self.starts: list[int] = []
        self.texts: list[str] = []
        start = 0
        for text in source.text.split("\n"):
            self.starts.append(start)
            self.texts.append(text.removesuffix("\r"))
            start += len(text) + 1

    def span(self, ix: int) -> Span:
        text = self.texts[ix]
        lead = len(text) - len(text.lstrip(BLANKS))
        return Span(
            self.source,
            self.starts[ix] + lead,
            self.starts[ix] + max(lead, len(text.rstrip(BLANKS))),
        )

    def comment(self, ix: int) -> CommentLine:
        return CommentLine(self.texts[ix].strip(BLANKS), self.span(ix))

    def logical(self, problems: list[Diagnostic]) -> Iterator[LogicalLine]:
        while self.ix < len(self.texts):
            ix, text = self.ix, self.texts[self.ix]
            stripped = text.strip(BLANKS)
            if not stripped:
                self.ix += 1
                yield Gap(self.span(ix))
            elif stripped.startswith("%"):
                self.ix += 1
                yield self.comment(ix)
            elif text[0] in BLANKS:
                self.ix += 1
                problems.append(
                    Diagnostic(
                        "orphan-continuation",
                        "an indented line continues the statement above, but there is none",
                        self.span(ix),
                        "begin the statement in the first column",
                    )
                )
            elif _BLOCK_OPENER.match(text) and "{" in without_texts(self._until_brace()):
                yield from self._block()
            else:
                yield from self._joined()

    def _until_brace(self) -> str:
        """The text of a loop up to its brace, which may be on a continuation line."""
        text = self.texts[self.ix]
        for more in self.texts[self.ix + 1 :]:
            if "{" in without_texts(text) or (
                more.strip(BLANKS) and more[0] not in BLANKS and not more.startswith("{")
            ):
                break
            text += " " + more
        return text

    def _joined(self) -> Iterator[LogicalLine]:
        pieces = [(self.starts[self.ix], _right_stripped(self.texts[self.ix]))]
        comments: list[LogicalLine] = []
        self.ix += 1
        look = self.ix
        skipped: list[LogicalLine] = []
        while look < len(self.texts):
            text = self.texts[look]
            stripped = text.strip(BLANKS)
            if not stripped:
                pass
            elif stripped.startswith("%"):
                skipped.append(self.comment(look))
            elif text[0] in BLANKS:
                lead = len(text) - len(text.lstrip(BLANKS))
                pieces.append((self.starts[look] + lead, _right_stripped(text[lead:])))
                comments += skipped
                skipped = []
                self.ix = look + 1
            else:
                break
            look += 1
        yield from comments
        yield self._fragment(pieces)

    def _fragment(self, pieces: list[tuple[int, str]]) -> Fragment:
        text = ""
        offsets: list[int] = []
        after = 0
        for start, piece in pieces:
            if text:
                text += " "
                offsets.append(after)
            text += piece
            offsets.extend(range(start, start + len(piece)))
            after = start + len(piece)
        return Fragment(self.source, text, tuple(offsets), after)

    def _block(self) -> Iterator[LogicalLine]:
        first, depth, opened = self.ix, 0, False
        lines: list[str] = []
        comments: list[LogicalLine] = []
        while self.ix < len(self.texts) and not (opened and depth <= 0):
            stripped = self.texts[self.ix].strip(BLANKS + "\r")
            if stripped.startswith("%"):
                comments.append(self.comment(self.ix))
            elif stripped:
                if lines and not opened:
                    lines[-1] += " " + stripped  # the head of the loop, up to its brace
                else:
                    lines.append(stripped)
                bare = without_texts(stripped)
                depth += bare.count("{") - bare.count("}")
                opened = opened or "{" in bare
            self.ix += 1
        closed = opened and depth == 0
        if not closed:  # what follows may be anything: continue at the next unindented line
            self.ix, lines, comments = first + 1, lines[:1], []
            while self.ix < len(self.texts) and self.texts[self.ix][:1] in ("", *BLANKS):
                self.ix += 1
        span = Span(self.source, self.starts[first], self.span(self.ix - 1).end)
        yield from comments
        yield Block(tuple(lines), span, closed)


def whole(span: Span) -> Fragment:
    """The text of a span with its line ends; comment lines are blanked out."""
    text = span.source.text[span.start : span.end]
    bare = re.sub(r"(?m)^[ \t]*%.*$", lambda line: " " * len(line[0]), text)
    return Fragment(span.source, bare, tuple(range(span.start, span.end)), span.end)


def logical_lines(source: Source, problems: list[Diagnostic]) -> Iterator[LogicalLine]:
    """The statements of a file as joined lines; lines that continue nothing go to `problems`."""
    return _Lines(source).logical(problems)
