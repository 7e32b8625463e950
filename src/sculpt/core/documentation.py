"""Documentation comments: what the comment lines directly above a statement say about it.

In: the statements of a schema, comments and blank lines among them. Out: the text of the comment
that ends right above each statement, without the `%`; and of such a text its title, which is the
first sentence (`docs/language.md#documentation-comments`).

Invariant: `sculpt fmt` keeps it. A comment inside a statement that goes over several lines belongs
to that statement too, as `fmt` moves it above. Cost: linear.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from sculpt.syntax import ast

_SENTENCE_END = re.compile(r"[.!?](?= |$)|[。！？]")
_WORD = re.compile(r"\w")


def documentation_of(statements: Iterable[ast.Statement]) -> dict[int, str]:
    """The documentation of each statement that has some, by the identity of the statement."""
    found: dict[int, str] = {}
    above: list[ast.Comment] = []
    for statement in statements:
        if isinstance(statement, ast.Comment):
            if above and above[-1].span.source is not statement.span.source:
                above = []
            above.append(statement)
            continue
        # The last comment of an included file is not about what comes after the `include`.
        if above and above[-1].span.source is statement.span.source:
            text = _text_of(above)
            if text:
                found[id(statement)] = text
        above = []
    return found


def _text_of(comments: list[ast.Comment]) -> str:
    """The lines without `%`; a line without a word in it, such as a rule of dashes, is blank."""
    lines = [comment.text.lstrip("%").strip() for comment in comments]
    return "\n".join(line if _WORD.search(line) else "" for line in lines).strip("\n")


def title_of(documentation: str) -> str:
    """The first sentence, on one line and without its full stop."""
    paragraph = " ".join(documentation.strip().split("\n\n")[0].split())
    for end in _SENTENCE_END.finditer(paragraph):
        sentence, rest = paragraph[: end.end()], paragraph[end.end() :].lstrip()
        # A small letter goes on after an abbreviation; a bare number is that of a list.
        if not rest[:1].islower() and not sentence[:-1].isdigit():
            return sentence.removesuffix(".")
    return paragraph.removesuffix(".")
