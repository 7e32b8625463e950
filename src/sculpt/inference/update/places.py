"""Where statements and their parts stand in a text, and edits at these places.

In: a `Source` and its statements. Out: fragments of the parts, and the text with some places
replaced. Invariant: what no edit touches stays as it is, byte for byte; each line of the new text
knows the line that it was in the text of the first round. Cost: linear in the text.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sculpt.diagnostics import Source
from sculpt.syntax import ast
from sculpt.syntax.clauses import split_clause
from sculpt.syntax.lines import Fragment, logical_lines
from sculpt.syntax.parser import OPERATOR
from sculpt.syntax.regular import Choice, Letter, Repeat, Sequence
from sculpt.values import frozen


@frozen
class Edit:
    """A range of characters, and what replaces them."""

    start: int
    end: int
    text: str


@frozen
class Draft:
    """A text between two rounds of edits."""

    text: str
    lines: tuple[int, ...]
    """For each line: the line that it was at first, or the one that it was added to."""

    @classmethod
    def of(cls, text: str) -> Draft:
        """A text that has not been edited."""
        return cls(text, tuple(range(1, text.count("\n") + 2)))

    @property
    def line_end(self) -> str:
        """How its lines end."""
        return "\r\n" if "\r\n" in self.text else "\n"

    def edited(self, edits: Iterable[Edit]) -> Draft:
        """The text with all edits, which do not overlap."""
        text, lines = self.text, list(self.lines)
        for edit in sorted(edits, key=lambda each: (each.start, each.end), reverse=True):
            first = text.count("\n", 0, edit.start)
            old = text.count("\n", edit.start, edit.end)
            new = edit.text.count("\n")
            if old != new:
                lines[first : first + old + 1] = [lines[first]] * (new + 1)
            text = text[: edit.start] + edit.text + text[edit.end :]
        return Draft(text, tuple(lines))


def fragments(source: Source) -> Mapping[int, Fragment]:
    """The statements of a text as joined lines, by the offset at which they begin."""
    found = (line for line in logical_lines(source, []) if isinstance(line, Fragment))
    return {line.offsets[0]: line for line in found if line.offsets}


def right_side(line: Fragment) -> Fragment:
    """What is right of the operator, without the clause and the list delimiter."""
    match = next(each for each in OPERATOR.finditer(line.text) if each["operator"])
    right = line.slice(match.end())
    if match["operator"] not in ("->", "=>", "|>", ".>"):
        return right
    if match["operator"] == ".>" and right.text.startswith("["):
        at = 1
        while at < len(right.text) and right.text[at] != "]":
            at += 2 if right.text[at] == "\\" else 1
        right = right.slice(at + 1)
    ending = split_clause(right, [])
    return right if ending is None else ending[0]


@frozen
class Spot:
    """A letter of a content expression: where it stands, and in what."""

    symbol: ast.Name | ast.Literal
    number: int
    in_choice: bool
    """Is it by itself one of several alternatives?"""
    at_top: bool
    """Is it the whole content, or one of its alternatives?"""
    is_repeated: bool
    """Is it in a repetition?"""
    has_count: bool
    """Does its own count follow?"""


def spots(content: ast.Content) -> tuple[Spot, ...]:
    """The letters of a content expression, in the order of the text."""
    found: list[Spot] = []

    def visit(node: ast.Content, parent: str, depth: int, repeated: bool) -> None:
        match node:
            case Letter(symbol):
                in_choice, at_top = parent == "choice", depth == 0
                counted = parent == "repeat"
                found.append(Spot(symbol, len(found), in_choice, at_top, repeated, counted))
            case Choice(parts):
                for part in parts:
                    visit(part, "choice", depth if depth == 0 and parent == "" else 1, repeated)
            case Sequence(parts):
                for part in parts:
                    visit(part, "sequence", 1, repeated)
            case Repeat(part, _, _):
                visit(part, "repeat", 1, True)
            case _:
                pass

    visit(content, "", 0, False)
    return tuple(found)


def commented_out(draft: Draft, start: int, end: int, reason: str) -> Edit:
    """The lines of a statement as comments, after one that says why."""
    text, eol = draft.text, draft.line_end
    first = text.rfind("\n", 0, start) + 1
    stop = text.find("\n", end)
    stop = len(text) if stop < 0 else stop
    lines = text[first:stop].split("\n")
    kept = [line if line.lstrip(" \t").startswith("%") else f"% {line}" for line in lines]
    kept = [line if line.strip("% \t\r") else line.replace("% ", "", 1) for line in kept]
    after = text[stop + 1 :].split("\n", 1)[0].strip()
    gap = eol if after and stop < len(text) else ""
    body = "\n".join(kept)
    if gap:  # so that these comments do not become those of the next statement
        body = f"{body.removesuffix(chr(13))}{gap}" + ("\r" if body.endswith("\r") else "")
    return Edit(first, stop, f"% {reason}{eol}{body}")
